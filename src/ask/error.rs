//! Why a question could not be composed.

use crate::rubric::RubricError;
use crate::sheet::SheetError;

/// Why a question could not be composed.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// The pictures do not go together.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// The rubric's text or a picture.
    #[error(transparent)]
    Rubric(#[from] RubricError),
    /// The rubric wants a picture that its kind does not have.
    #[error(
        "the picture {picture:?} of the rubric {rubric:?} cannot be made here; its content does not suit the rubric's kind"
    )]
    Unfit {
        /// Its id.
        picture: String,
        /// The rubric's name.
        rubric: String,
    },
    /// A photo or its mask.
    #[error("{reason}")]
    Photo {
        /// What is wrong, and with which file.
        reason: String,
    },
    /// An asset cannot be made or drawn.
    #[error("{reason}")]
    Asset {
        /// What is wrong.
        reason: String,
    },
}
