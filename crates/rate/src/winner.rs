//! The answer to one comparison.

use serde::{Deserialize, Serialize};

/// Who is better, in the order in which the two methods are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Winner {
    /// The one listed first.
    A,
    /// The one listed second.
    B,
    /// Neither: the judge could not decide.
    Tie,
}

impl Winner {
    /// `a`, `b` or `tie`, as in rows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "a",
            Self::B => "b",
            Self::Tie => "tie",
        }
    }

    /// The same answer with the two methods listed in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
            Self::Tie => Self::Tie,
        }
    }
}
