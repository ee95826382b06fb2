//! What a caller hands to a session.

use crate::judge::Question;
use crate::store::{Made, PlannedPair};
use std::sync::Arc;

/// Questions asked together or not at all: both orders of a pair, or one about one asset.
#[derive(Debug, Clone)]
pub struct Unit {
    pub questions: Vec<Arc<Question>>,
    /// Names it in messages.
    pub what: String,
    /// Indices of the judges asked, since each sees pictures of its own size; none for all.
    pub judges: Option<Vec<usize>>,
    /// Whether it is asked once, however many samples other questions get.
    pub is_once: bool,
}

impl Work {
    /// Requests that it amounts to at most.
    pub fn num_requests(&self, num_judges: usize, samples: u32) -> u64 {
        match self {
            Self::Ask(unit) => {
                let judges = unit.judges.as_ref().map_or(num_judges, Vec::len);
                (unit.questions.len() * judges) as u64 * u64::from(samples)
            }
            Self::Answered(ids) => ids.len() as u64,
            Self::Made(_) | Self::Pairs(_) | Self::Fewer(_) | Self::Unaffordable => 0,
        }
    }
}

/// What a caller sends to the runner, which alone writes the store.
#[derive(Debug, Clone)]
pub enum Work {
    /// Questions to be asked.
    Ask(Unit),
    /// Ids of requests that were answered in an earlier session, and so were not drawn again.
    Answered(Vec<String>),
    /// Assets, to be kept.
    Made(Vec<Made>),
    /// Scheduled pairs, to be kept.
    Pairs(Vec<PlannedPair>),
    /// The total of questions drops by this many.
    Fewer(u64),
    /// Not made because the budget is spent; questions about existing assets are asked.
    Unaffordable,
}
