//! How questions are asked: how often, how fast, for how much, and what is tried again.

use crate::judge::{Backoff, BreakerSettings};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// How questions are asked.
#[derive(Debug, Clone)]
pub struct AskSettings {
    /// How often each question is put to each judge; at least 1.
    pub samples: u32,
    /// Decides the jitter of pauses.
    pub seed: u64,
    /// Requests at a time, over all judges; at least 1. Each judge begins with fewer and grows.
    pub concurrency: usize,
    /// Requests to servers in this call, retries included. A pair for which it no longer suffices is not begun.
    pub requests_max: Option<u64>,
    /// US dollars that this run may cost, what earlier calls spent included.
    pub cost_usd_max: Option<f64>,
    /// Requests a minute to each judge.
    pub requests_per_minute: Option<u32>,
    /// Tokens a minute to each judge.
    pub tokens_per_minute: Option<u32>,
    /// Replies without a verdict, for one question in this call, before it is left for the next one.
    pub replies_max: u32,
    /// Pauses after failures.
    pub backoff: Backoff,
    /// When a server counts as down.
    pub breaker: BreakerSettings,
    /// Other runs whose recorded replies are taken for the same requests.
    pub reuse: Vec<PathBuf>,
    /// Whether recorded replies are all there is: nothing is sent.
    pub is_replay: bool,
    /// Which judges are shown a known picture before anything is asked.
    pub canary: CanaryRule,
    /// How the batches are awaited of judges that are asked in batches.
    pub batch: BatchSettings,
    /// Judges that are not asked, by spec, with the reason.
    pub refused: BTreeMap<String, String>,
    /// All questions to come, over units, orders, judges and samples; for the progress only.
    pub total: Option<u64>,
    /// Whether Ctrl-C and SIGTERM stop the session instead of the process. Off for callers with signals of their own.
    pub handles_signals: bool,
    /// How long replies in flight are awaited after the first Ctrl-C. They are paid for.
    pub grace: Duration,
}

impl Default for AskSettings {
    fn default() -> Self {
        Self {
            samples: 1,
            seed: 0,
            concurrency: 8,
            requests_max: None,
            cost_usd_max: None,
            requests_per_minute: None,
            tokens_per_minute: None,
            replies_max: 3,
            backoff: Backoff::default(),
            breaker: BreakerSettings::default(),
            reuse: Vec::new(),
            is_replay: false,
            canary: CanaryRule::default(),
            batch: BatchSettings::default(),
            refused: BTreeMap::new(),
            total: None,
            handles_signals: false,
            grace: Duration::from_secs(10),
        }
    }
}

/// How batches are awaited.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchSettings {
    /// Questions in one, at most; none for what the provider takes.
    pub requests_max: Option<usize>,
    /// Between two looks at how far it is.
    pub poll: Duration,
    /// Whether the end of batches is awaited; else they are handed in and left to the next call.
    pub waits: bool,
}

impl Default for BatchSettings {
    fn default() -> Self {
        Self {
            requests_max: None,
            poll: Duration::from_secs(30),
            waits: true,
        }
    }
}

/// Who is looked at before a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CanaryRule {
    /// Nobody.
    Off,
    /// Judges on servers of others, whose answers are paid.
    #[default]
    Remote,
    /// Every judge with a server.
    All,
}
