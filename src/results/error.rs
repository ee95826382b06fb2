//! Why there are no results.

use crate::rate::RateError;
use crate::scene::one_of;
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
    #[error(
        "there is nothing to rate: no verdict in these runs ({found}); repeat the command that made them to ask the missing questions"
    )]
    NoVerdict {
        /// Outcomes with their counts.
        found: String,
    },
    /// A figure to be held equal that nobody has.
    #[error(
        "the run has no figure {name:?} to control for{}; add [[metrics]] names = [{name:?}] to the benchmark file and repeat `bench` (nothing is asked again), or give a table of figures",
        known_text(name, known)
    )]
    UnknownControl { name: String, known: Vec<String> },
    /// There are verdicts, but none decides a criterion.
    #[error(
        "there is nothing to rate: the judges decided no criterion between two generators; ask another judge"
    )]
    NothingDecided,
    #[error(
        "the verdicts on {rubric:?} come from {} {what} ({}), so they are not comparable; rate the runs separately, or allow mixed protocols",
        hashes.len(),
        hashes.join(", ")
    )]
    Mixed {
        rubric: String,
        /// `protocols` (of pictures and of reading answers) or `versions of the rubric`.
        what: &'static str,
        /// Their hashes, shortened.
        hashes: Vec<String>,
    },
}

fn known_text(name: &str, known: &[String]) -> String {
    match known {
        [] => String::new(),
        known => format!(": {}", one_of(name, known.iter().map(String::as_str))),
    }
}
