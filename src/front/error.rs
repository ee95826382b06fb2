//! Why the front door hands nothing back.

use crate::ask::{AskError, DrawingError, QuestionError};
use crate::render::RenderError;
use crate::rubric::RubricError;
use crate::store::StoreError;

/// Why the front door hands nothing back.
#[derive(Debug, thiserror::Error)]
pub enum FrontError {
    /// A rig, a number of views.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
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
