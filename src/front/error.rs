//! Why a call of the front door fails.

use crate::ask::{AskError, DrawingError, QuestionError};
use crate::features::FeatureError;
use crate::load::LoadError;
use crate::render::{ImageError, RenderError};
use crate::rubric::RubricError;
use crate::store::StoreError;
use std::path::PathBuf;

/// Why a call of the front door fails.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// A rig, a number of views.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The question does not suit the assets.
    #[error("{reason}")]
    Input {
        /// What, why, what helps.
        reason: String,
    },
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A folder or file.
    #[error("cannot write ({reason}); check the path, the space and the permissions: {path:?}")]
    Write {
        /// The system's error.
        reason: String,
        /// The folder or file.
        path: PathBuf,
    },
    /// A network that reads text.
    #[error(transparent)]
    Feature(#[from] FeatureError),
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The rubric, its text or a category that it lacks.
    #[error(transparent)]
    Rubric(#[from] RubricError),
    #[error(transparent)]
    Question(#[from] QuestionError),
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
