//! What a board is about.

use super::voice::Voice;

/// A criterion of a rubric. Sorts as the rubric lists its criteria.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize)]
pub struct On {
    pub rubric: String,
    /// Place of the criterion in it.
    #[serde(skip)]
    pub(super) place: usize,
    pub criterion: String,
}

/// A criterion and whose verdicts on it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Key {
    #[serde(flatten)]
    pub on: On,
    pub voice: Voice,
}

impl Key {
    pub fn rubric(&self) -> &str {
        &self.on.rubric
    }

    pub fn criterion(&self) -> &str {
        &self.on.criterion
    }
}
