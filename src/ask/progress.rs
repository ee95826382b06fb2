//! The progress of a run, and its summary.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Failures that are listed one by one; the rest are only counted.
const FAILURES_NAMED_MAX: usize = 1000;

/// Ids of questions that are kept; commands that show each question ask far fewer.
const IDS_KEPT_MAX: usize = 10_000;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// Questions, those answered before included; `None` until it is known.
    pub total: Option<u64>,
    /// Questions that have ended, however they did.
    pub done: u64,
    /// Questions that are being asked or wait for another try.
    pub in_flight: u64,
    /// Questions that wait for the end of a batch.
    pub in_batches: u64,
    /// Questions that ended without a verdict.
    pub failed: u64,
    /// Verdicts a minute since the start.
    pub verdicts_per_minute: f64,
    /// At this pace; `None` until there is one.
    pub time_left: Option<Duration>,
    /// US dollars spent on the run, earlier commands too; unknown costs count at their maximum.
    pub spent_usd: f64,
    /// `spent_usd` at the end, if the rest costs as much a question; `None` until one was answered.
    pub projected_usd: Option<f64>,
    /// Judges that wait for longer than a moment, each with the reason.
    pub waiting: Vec<String>,
}

/// Why a run ended before its questions did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The budget was spent.
    Budget,
    Interrupted,
    /// Batches are still being processed; the next command collects them.
    InBatches,
}

/// A question without a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    pub id: String,
    /// What it was about, for people.
    pub what: String,
    pub judge: String,
    /// `refusal`, `invalid`, …; `not_asked` when the judge had ended before.
    pub outcome: &'static str,
    pub reason: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    pub questions: u64,
    /// The first 10,000 of them, as they came; both orders of a pair side by side.
    pub ids: Vec<String>,
    /// Answered in an earlier run, and not asked again.
    pub answered_before: u64,
    pub verdicts: u64,
    pub in_batches: u64,
    /// Questions without a verdict, by outcome.
    pub failed: BTreeMap<&'static str, u64>,
    /// The first of them.
    pub failures: Vec<Failed>,
    pub requests: u64,
    /// Answered from recorded replies.
    pub reused: u64,
    /// Verdicts that are restatements of replies in another form.
    pub restated: u64,
    /// US dollars that this session has cost; unknown costs count at their maximum.
    pub spent_usd: f64,
    /// What a user should know about judges, and of the run's disk.
    pub notes: BTreeSet<String>,
    /// Judges that no question can be put to, with the reason.
    pub ended: BTreeMap<String, String>,
    /// Requests of the run whose cost is not known, and the US dollars that they are booked at.
    pub unsettled: (u64, f64),
    pub stop: Option<Stop>,
}

impl Summary {
    /// Questions without a verdict.
    pub fn failed_count(&self) -> u64 {
        self.failed.values().sum()
    }

    /// 0 done, 1 some failed, 2 no verdict, 3 budget, 4 in batches, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        match self.stop {
            Some(Stop::Interrupted) => 130,
            Some(Stop::Budget) => 3,
            Some(Stop::InBatches) => 4,
            // The replies of a batch could not be fetched this time.
            None if self.failed.contains_key("in_batch") => 4,
            None if self.failed_count() == 0 => 0,
            None if self.verdicts + self.answered_before + self.in_batches == 0 => 2,
            None => 1,
        }
    }

    /// Adds the next round of a schedule.
    pub(in crate::unstable::ask) fn add(&mut self, next: Self) {
        self.questions += next.questions;
        let room = IDS_KEPT_MAX.saturating_sub(self.ids.len());
        self.ids.extend(next.ids.into_iter().take(room));
        self.answered_before += next.answered_before;
        self.verdicts += next.verdicts;
        self.in_batches += next.in_batches;
        for (outcome, count) in next.failed {
            *self.failed.entry(outcome).or_default() += count;
        }
        let room = FAILURES_NAMED_MAX.saturating_sub(self.failures.len());
        self.failures.extend(next.failures.into_iter().take(room));
        self.requests += next.requests;
        self.reused += next.reused;
        self.spent_usd += next.spent_usd;
        self.notes.extend(next.notes);
        self.ended.extend(next.ended);
        self.stop = self.stop.or(next.stop);
    }

    pub(in crate::unstable::ask) fn came(&mut self, id: String) {
        self.questions += 1;
        if self.ids.len() < IDS_KEPT_MAX {
            self.ids.push(id);
        }
    }

    pub(in crate::unstable::ask) fn fail(&mut self, failed: Failed) {
        *self.failed.entry(failed.outcome).or_default() += 1;
        if self.failures.len() < FAILURES_NAMED_MAX {
            self.failures.push(failed);
        }
    }
}
