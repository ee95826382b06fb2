//! Errors of a benchmark file as a whole.

use super::file::BenchFileError;
use crate::ask::DrawingError;
use crate::rubric::RubricError;
use std::path::PathBuf;

/// Why a benchmark cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    File(#[from] BenchFileError),
    /// A rubric, its text or its examples.
    #[error(transparent)]
    Rubric(#[from] RubricError),
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// A model of photos, for assets without one.
    #[error("a feature needs the photo from which the assets were made; give one: {path:?}")]
    NoPhoto { path: PathBuf },
    /// `reason` has a line for each.
    #[error("photos that cannot be used:\n{reason}")]
    Photos { reason: String },
}
