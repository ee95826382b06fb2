//! Common to all imported files: answers, errors, the limit on size.

use crate::error::{Error, Kind};
use crate::rubric::{Winner, read_text};
use crate::store::Rater;
use std::fmt::Display;
use std::path::Path;

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

/// `place` is as `line 3`, `entry "12"`.
pub(super) fn wrong(place: impl Display, reason: impl Display, path: &Path) -> Error {
    Error::run(format!(
        "{place}: {reason}; correct the file, whose form the help of `meshjudge import` shows"
    ))
    .at(path)
}

/// Identifies the content of a file.
///
/// # Errors
/// A file that cannot be read.
pub fn file_hash(path: &Path) -> Result<String, Error> {
    Ok(blake3::hash(text_of(path)?.as_bytes()).to_hex().to_string())
}

pub(super) fn text_of(path: &Path) -> Result<String, Error> {
    read_text(path, FILE_BYTES_MAX).map_err(|e| Error::cannot_read(Kind::Run, "file", e, path))
}
