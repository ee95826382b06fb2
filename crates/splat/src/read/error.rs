//! Why a file is not read. Messages have the remedy; the caller adds the path.

use crate::splats::SplatsError;

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(
        "this {format} file ends early: {what} need {needed} bytes and {found} are left; copy or export it again"
    )]
    Truncated { format: &'static str, what: String, needed: u64, found: u64 },
    #[error("broken {format} file: {reason}")]
    Malformed { format: &'static str, reason: String },
    #[error("{what} is not supported; {remedy}")]
    Unsupported { what: String, remedy: &'static str },
    #[error("{what}: {found}, and at most {max} are accepted")]
    TooMany { what: &'static str, found: u64, max: u64 },
    #[error("the file names {name:?}, which is not there; put it next to the file")]
    Missing { name: String },
    #[error("the file names {name:?}, which is outside its folder; move it into the folder")]
    Outside { name: String },
    #[error("no Gaussian splats recognised: {found}")]
    NotSplats { found: &'static str },
    #[error(transparent)]
    Splats(#[from] SplatsError),
}

impl ReadError {
    pub(super) fn unsupported(what: impl Into<String>, remedy: &'static str) -> Self {
        Self::Unsupported { what: what.into(), remedy }
    }

    pub(super) fn malformed(format: &'static str, reason: impl Into<String>) -> Self {
        Self::Malformed { format, reason: reason.into() }
    }
}
