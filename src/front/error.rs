//! Why the front door hands nothing back.

use crate::ask::{AskError, QuestionError};
use crate::render::RenderError;
use crate::rubric::RubricError;
use crate::store::StoreError;

/// Why the front door hands nothing back.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// A rig, a number of views.
    #[error("{reason}")]
    Views {
        /// What, why, what helps.
        reason: String,
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
