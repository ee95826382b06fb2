//! Why there is no vector.

use crate::judge::{Failure, JudgeError};
use meshjudge_features::FeaturesError;
use std::path::Path;

/// Why there is no vector or score.
#[derive(Debug, thiserror::Error)]
pub enum FeatureError {
    /// The mathematics or the preprocessing.
    #[error(transparent)]
    Sets(#[from] FeaturesError),
    /// The address or key of a server.
    #[error(transparent)]
    Server(#[from] JudgeError),
    /// The server's reply.
    #[error(transparent)]
    Reply(#[from] Failure),
    /// A network that cannot be opened or run.
    #[error("the network {reason}: {path:?}")]
    Network { reason: String, path: String },
    /// A model that does not do what a model does.
    #[error("the model {reason}")]
    Model { reason: String },
    /// A vector that is none.
    #[error("the vector of this input {reason}")]
    Vector { reason: String },
    /// A file in the run folder, or a description of the preprocessing.
    #[error("cannot use the file ({reason}): {path:?}")]
    File { reason: String, path: String },
}

pub(super) fn bad_file(path: &Path, reason: impl ToString) -> FeatureError {
    FeatureError::File { reason: reason.to_string(), path: path.display().to_string() }
}

pub(super) fn bad_network(path: &Path, reason: impl ToString) -> FeatureError {
    FeatureError::Network { reason: reason.to_string(), path: path.display().to_string() }
}

pub(super) fn bad_model(reason: impl ToString) -> FeatureError {
    FeatureError::Model { reason: reason.to_string() }
}
