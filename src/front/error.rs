//! Why the front door hands nothing back.

use crate::ask::{AskError, QuestionError};
use crate::load::LoadError;
use crate::render::{ImageError, RenderError};
use crate::rubric::RubricError;
use crate::store::StoreError;
use std::path::PathBuf;

/// Why the front door hands nothing back.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// A rig, a number of views.
    #[error("{reason}")]
    Views {
        /// What, why, what helps.
        reason: String,
    },
    /// An asset.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The question does not suit what is asked about.
    #[error("{reason}")]
    Input {
        /// What, why, what helps.
        reason: String,
    },
    /// A picture.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A folder or file.
    #[error("cannot write ({reason}); check the path, the space and the permissions: {path:?}")]
    Write {
        /// What the system says.
        reason: String,
        /// The folder or file.
        path: PathBuf,
    },
    /// The renderer.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The rubric, its text or a category that it lacks.
    #[error(transparent)]
    Rubric(#[from] RubricError),
    /// A question could not be composed.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// Asking.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// The run.
    #[error(transparent)]
    Store(#[from] StoreError),
}
