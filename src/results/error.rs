//! Why there are no results.

use crate::rate::RateError;
use crate::store::StoreError;

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// A run cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The anchor is not among the methods.
    #[error(transparent)]
    Rate(#[from] RateError),
    /// No verdict anywhere.
    #[error(
        "there is nothing to rate: no verdict in these runs ({found}); run the command that made them again to ask what is missing"
    )]
    NoVerdict {
        /// Outcomes that were found.
        found: String,
    },
    /// Verdicts, but no criterion was decided.
    #[error(
        "there is nothing to rate: the judges decided no criterion between two methods; ask another judge with --judge"
    )]
    NothingDecided,
    /// Pictures or texts differ.
    #[error(
        "the verdicts on {rubric:?} come from {} {what} ({}), so they are not comparable; rate the runs apart, or say --mix-protocols",
        hashes.len(),
        hashes.join(", ")
    )]
    Mixed {
        /// The rubric's name.
        rubric: String,
        /// `render protocols` or `versions of the rubric`.
        what: &'static str,
        /// Their hashes, shortened.
        hashes: Vec<String>,
    },
}
