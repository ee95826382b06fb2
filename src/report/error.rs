//! Why there is no report.

use std::path::PathBuf;

/// What ends a report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A run cannot be read.
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
    /// The verdicts cannot be rated.
    #[error(transparent)]
    Results(#[from] crate::results::ResultsError),
    /// A template of ours is broken, which a test would have found.
    #[error("the page could not be built ({reason}); please report this")]
    Template { reason: String },
    /// The rows could not be put into columns.
    #[error("the rows could not be written as Parquet ({reason})")]
    Parquet { reason: String },
    /// The crate was built without its feature `parquet`.
    #[error(
        "this build cannot write Parquet; build it with the cargo feature `parquet`, use the Python package, or choose another format such as csv"
    )]
    ParquetNotBuilt,
    #[error("cannot write the report ({reason}); check the folder and the disk: {path:?}")]
    Write {
        /// The system's error.
        reason: String,
        path: PathBuf,
    },
    #[error(
        "unknown extension of a report; use .html, .md, .json, .csv, .tex, .bib or .svg, or give the format: {path:?}"
    )]
    Extension { path: PathBuf },
    #[error("vectors are written to a file with the extension .parquet or .jsonl: {path:?}")]
    VectorFile { path: PathBuf },
    #[error(
        "the folder contains files that are not part of a report bundle; give a new or empty folder: {path:?}"
    )]
    NotEmpty { path: PathBuf },
    /// No port is free, or this one is taken.
    #[error("cannot listen on {place} ({reason}); choose another port")]
    Listen {
        place: std::net::SocketAddr,
        /// The system's error.
        reason: String,
    },
    /// Who may vote is not known.
    #[error(transparent)]
    Invited(#[from] super::invited::InvitedError),
    /// Listening everywhere, under no name that a request could be held to.
    #[error("a server that listens on all addresses needs the address that raters use")]
    NoName,
}
