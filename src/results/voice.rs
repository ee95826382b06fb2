//! Who speaks on a board.

use crate::store::Rater;

/// Who speaks on a board.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// One judge, or another program.
    Judge(Rater),
    /// All judges but people, each unit of each a game.
    AllJudges,
    /// All people.
    People,
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
