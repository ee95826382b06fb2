//! How questions are asked: samples, rate limits, budget, retries.

use super::stop_signal::StopSwitch;
use crate::judge::{Backoff, BreakerSettings, Purse};
use crate::options::AskOptions;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How questions are asked.
#[derive(Debug, Clone)]
pub struct AskSettings {
    /// How often each question is put to each judge; at least 1.
    pub samples: u32,
    /// Decides the jitter of pauses.
    pub seed: u64,
    /// Requests at a time to each judge; at least 1. Each judge begins with fewer and grows.
    pub concurrency: usize,
    /// Requests to servers in this run, retries, canaries and earlier calls included. A pair for
    /// which it no longer suffices is not begun.
    pub requests_max: Option<u64>,
    /// US dollars that this run may cost, what earlier commands spent included.
    pub cost_usd_max: Option<f64>,
    /// Spending other than on judges, under the same limit.
    pub purse: Arc<Purse>,
    /// The total cost of requests of earlier calls with unknown cost, by the provider's bill; until
    /// it is given, each is booked at its maximum.
    pub settle_usd: Option<f64>,
    /// Requests a minute to each judge.
    pub requests_per_minute: Option<u32>,
    /// Tokens a minute to each judge.
    pub tokens_per_minute: Option<u32>,
    /// Replies without an answer to one question, before it is left to the next command.
    pub replies_max: u32,
    pub backoff: Backoff,
    pub breaker: BreakerSettings,
    /// Other runs whose recorded replies answer the same requests.
    pub reuse: Vec<PathBuf>,
    /// Whether only recorded replies are used and nothing is sent.
    pub is_replay: bool,
    /// Which judges are tested with a known picture first.
    pub canary: CanaryRule,
    /// For judges that are asked in batches.
    pub batch: BatchSettings,
    /// Judges that are not asked, by spec, with the reason that is reported.
    pub refused: BTreeMap<String, String>,
    /// All questions to come, over units, orders, judges and samples; only for
    /// [`Progress`](super::Progress).
    pub total: Option<u64>,
    /// Stops the session.
    pub stop: StopSwitch,
    /// How long replies in flight are awaited after the first Ctrl-C. One that comes later is
    /// booked at its maximum, and the next call asks again.
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
            purse: Arc::default(),
            settle_usd: None,
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
            stop: StopSwitch::default(),
            grace: Duration::from_millis(1500),
        }
    }
}

impl From<&AskOptions> for AskSettings {
    fn from(options: &AskOptions) -> Self {
        let default = Self::default();
        let batch = BatchSettings {
            requests_max: options.batch_size.map(|size| size as usize),
            poll: options
                .batch_poll_secs
                .map_or(default.batch.poll, |secs| Duration::from_secs(secs.into())),
            waits: !options.no_wait.unwrap_or_default(),
        };
        Self {
            samples: options.samples.unwrap_or(default.samples),
            seed: options.seed.unwrap_or(default.seed),
            concurrency: options.concurrency.map_or(default.concurrency, usize::from),
            requests_max: options.max_requests,
            cost_usd_max: options.max_cost_usd,
            settle_usd: options.settle_usd,
            requests_per_minute: options.requests_per_minute,
            tokens_per_minute: options.tokens_per_minute,
            reuse: options.reuse.clone().unwrap_or_default(),
            is_replay: options.replay.unwrap_or_default(),
            batch,
            ..default
        }
    }
}

/// How batches are awaited.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchSettings {
    /// Questions in one, at most; none for what the provider takes.
    pub requests_max: Option<usize>,
    pub poll: Duration,
    /// Whether to wait for batches; else they are submitted and left to the next command.
    pub waits: bool,
}

impl Default for BatchSettings {
    fn default() -> Self {
        Self { requests_max: None, poll: Duration::from_secs(30), waits: true }
    }
}

/// Which judges are tested with a known picture before a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CanaryRule {
    Off,
    /// Judges on remote servers.
    #[default]
    Remote,
    /// Every judge with a server.
    All,
}
