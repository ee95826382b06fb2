//! Whose verdicts a board rates.

use crate::store::{Rater, RaterKind};

/// Whose verdicts a board rates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// One judge, or another program.
    Judge(Rater),
    /// All judges except people, and except probe if there are models, unless requested; each unit
    /// of each judge is a game.
    AllJudges,
    People,
}

impl Voice {
    /// Whether it is `probe` alone, so that nobody has looked.
    pub fn is_measured(&self) -> bool {
        matches!(self, Self::Judge(rater) if rater.kind() == RaterKind::Probe)
    }

    /// A person, or all of them.
    pub fn is_human(&self) -> bool {
        match self {
            Self::Judge(rater) => rater.is_person(),
            Self::AllJudges => false,
            Self::People => true,
        }
    }
}

impl std::fmt::Display for Voice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Judge(rater) => f.write_str(rater.as_str()),
            Self::AllJudges => f.write_str("all judges"),
            Self::People => f.write_str("people"),
        }
    }
}
