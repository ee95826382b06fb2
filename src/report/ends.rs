//! Both ends of an interval or of a range of ranks, as they are written.

use crate::rate::Interval;
use serde::Serialize;

/// Both ends of a range as they are written; serialised as the page shows them, or as nothing.
#[derive(Debug, Clone, PartialEq)]
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

    pub(super) fn interval(interval: Option<Interval>, digits: usize) -> Self {
        let write = |i: Interval| (format!("{:.digits$}", i.low), format!("{:.digits$}", i.high));
        Self { ends: interval.map(write), between: " – " }
    }

    /// `982 to 1044`, `1-3`, or `-`.
    pub(super) fn terminal(&self) -> String {
        self.plain(if self.between == BETWEEN_RANKS { "-" } else { " to " })
    }

    /// With `between` in the middle, or `-`.
    pub(super) fn plain(&self, between: &str) -> String {
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
