//! Why assets cannot be drawn, or a question not be composed.

use crate::render::EnvironmentError;
use crate::rig::{CamerasError, Rig, RigError};
use crate::rubric::RubricError;
use crate::sheet::SheetError;

/// Why assets cannot be drawn as asked for.
#[derive(Debug, thiserror::Error)]
pub enum DrawingError {
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A file of cameras that cannot be used.
    #[error(transparent)]
    Cameras(#[from] CamerasError),
    /// A rig's light or background that is none.
    #[error("{reason}: {rig:?}")]
    Protocol { reason: String, rig: String },
    /// A picture of a rubric that cannot be composed.
    #[error("the picture {picture:?} cannot be made: {reason}")]
    Picture { reason: String, picture: String },
    /// A number of views that does not suit the rig.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    #[error("{count} views are out of range; give 1 to {}", Rig::VIEWS_MAX)]
    NumViews { count: usize },
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    #[error("an unlit picture shows no environment; leave one of the two out")]
    UnlitEnvironment,
    #[error("an elevation belongs to the ring rig; the views of {rig:?} are fixed")]
    FixedViews { rig: String },
}

/// Why a question cannot be composed.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// The pictures do not go together.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// The rubric's text or a picture.
    #[error(transparent)]
    Rubric(#[from] RubricError),
    /// The rubric asks for a picture that questions of its kind do not have.
    #[error(
        "the picture {picture:?} of the rubric {rubric:?} cannot be made here; its content does not suit the rubric's kind"
    )]
    Unfit { picture: String, rubric: String },
    /// A photo or its mask cannot be read.
    #[error("{reason}")]
    Photo {
        /// The error, and its file.
        reason: String,
    },
    /// An asset cannot be made or drawn.
    #[error("{reason}")]
    Asset { reason: String },
    /// Pictures were to be made on other machines.
    #[error("the cluster failed ({reason}); what was answered is kept, run it again to resume")]
    Cluster { reason: String },
}
