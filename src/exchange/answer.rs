//! Common to all imported files: answers, errors, the limit on size.

use crate::rubric::{Winner, read_text};
use crate::store::Rater;
use std::path::PathBuf;

/// Larger files are refused: 1 GiB.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// One answer of a file: two methods, a criterion, a winner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedAnswer {
    /// Text or id of a prompt; none where the file does not say.
    pub prompt: Option<String>,
    pub a: String,
    pub b: String,
    pub criterion: String,
    pub winner: Winner,
    /// Whether it is a tie because both are bad.
    pub is_both_bad: bool,
    /// Who said so: a person or another program.
    pub judge: Rater,
}

/// Why a file cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("cannot read the file ({reason}); check the path: {path:?}")]
    Unreadable { reason: String, path: PathBuf },
    #[error("{place}: {reason}; correct the file: {path:?}")]
    Content {
        /// `line 3`, `entry "12"`.
        place: String,
        reason: String,
        path: PathBuf,
    },
}

/// Identifies the content of a file.
///
/// # Errors
/// A file that cannot be read.
pub fn file_hash(path: &std::path::Path) -> Result<String, ImportError> {
    Ok(blake3::hash(text_of(path)?.as_bytes()).to_hex().to_string())
}

pub(super) fn text_of(path: &std::path::Path) -> Result<String, ImportError> {
    read_text(path, FILE_BYTES_MAX)
        .map_err(|e| ImportError::Unreadable { reason: e.to_string(), path: path.to_owned() })
}
