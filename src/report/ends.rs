//! Both ends of an interval or of a range of ranks, as they are written.

use crate::rate::Interval;
use serde::Serialize;

/// Both ends of a range as they are written; serialised as the page shows them, or as nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ends {
    ends: Option<(String, String)>,
    between: &'static str,
}

/// No spaces: ranks are whole numbers, and a range of one is written as that one.
const BETWEEN_RANKS: &str = "–";

impl Ends {
    pub(super) fn ranks(ranks: Option<(usize, usize)>) -> Self {
        Self {
            ends: ranks.map(|(best, worst)| (best.to_string(), worst.to_string())),
            between: BETWEEN_RANKS,
        }
    }

    pub(super) fn interval(interval: Option<Interval>, number: impl Fn(f64) -> String) -> Self {
        Self { ends: interval.map(|i| (number(i.low), number(i.high))), between: " – " }
    }

    /// The same with another text in the middle.
    pub(super) fn joined(self, between: &'static str) -> Self {
        Self { between, ..self }
    }

    /// `982 to 1044`, `1-3`, or `-`.
    pub(super) fn terminal(&self) -> String {
        let between = if self.between == BETWEEN_RANKS { "-" } else { " to " };
        match &self.ends {
            Some((low, high)) => format!("{low}{between}{high}"),
            None => "-".to_owned(),
        }
    }
}

impl std::fmt::Display for Ends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.ends {
            Some((low, high)) if low == high && self.between == BETWEEN_RANKS => f.write_str(low),
            Some((low, high)) => write!(f, "{low}{}{high}", self.between),
            None => Ok(()),
        }
    }
}

impl Serialize for Ends {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
