//! Why an audit cannot be made or read.

use crate::ask::{AskError, DrawingError};
use crate::store::StoreError;
use std::path::PathBuf;

/// Why an audit cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// A name of damage.
    #[error(
        "{name:?} is not a kind of damage for this rubric and these objects, or a family (geometry, texture, harmless; scene for the category rubric); {known}"
    )]
    UnknownKind { name: String, known: String },
    /// Objects of the caller's, for the category rubric.
    #[error(
        "the category rubric is audited with built-in scenes; leave out other objects, or use a pairwise rubric"
    )]
    OwnScenesOnly,
    /// A rubric without audit questions.
    #[error(
        "no right answers to the checklist {rubric:?} are known; import people's answers to a run instead, and rate it"
    )]
    Checklist { rubric: String },
    /// A photo of a clean object cannot be made.
    #[error("no photo can be made of {object:?} ({reason})")]
    Photo { reason: String, object: String },
    /// A folder of clean assets.
    #[error("{reason}: {path:?}")]
    Folder {
        /// The reason.
        reason: String,
        path: PathBuf,
    },
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// The run holds no answers of an audit.
    #[error("the run has no answers of an audit; give the folder of an audit: {path:?}")]
    NoAudit { path: PathBuf },
    /// A file next to the run's database.
    #[error("cannot read the audit ({reason}): {path:?}")]
    File {
        /// The error of the system or the parser.
        reason: String,
        path: PathBuf,
    },
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
