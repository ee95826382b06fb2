//! Puts questions to judges and keeps every attempt: units of [`Subject`]s → records in a [`Store`], and a [`Summary`].
//!
//! One task owns the store. Each request is a task of its own; when it returns, it is recorded, and only then is decided what comes next.
//! What was answered before is not asked, and what is recorded for the same request is taken from there. Only a verdict ends a question
//! well; other replies are asked again, with a word on what was wrong, up to [`AskSettings::replies_max`] within a run, and then left for
//! the next run. Each judge has a lane of its own, so that one that is slow or down does not hold up the others.

mod archive;
mod batches;
mod lane;
mod runner;
mod settle;

pub use batches::BatchSettings;

use super::canary::CanaryRule;
use super::progress::{Progress, Stop, Summary};
use crate::judge::{Backoff, BreakerSettings, Judge};
use crate::store::{Made, PlannedPair, Store, StoreError, Subject};
use runner::Runner;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;

/// What is asked together or not at all: both orders of a pair, or one question about one object.
#[derive(Debug, Clone)]
pub struct Unit {
    /// At least one.
    pub subjects: Vec<Subject>,
    /// What it is about, for people.
    pub what: String,
    /// Which judges it is put to, by their place among all, because each sees pictures of its own size; none for every one.
    pub judges: Option<Vec<usize>>,
}

/// What whoever makes questions sends to the runner, which alone writes the store.
#[derive(Debug, Clone)]
pub enum Work {
    /// Questions to be asked.
    Ask(Unit),
    /// Questions, by id, that were answered in an earlier call, so that nobody drew them anew.
    Answered(Vec<String>),
    /// Assets, to be kept.
    Made(Vec<Made>),
    /// Scheduled pairs, to be kept.
    Pairs(Vec<PlannedPair>),
    /// So many fewer questions will come than the total said.
    Fewer(u64),
}

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
    /// Who is looked at before anything is asked; see [`canaries`](super::canaries). Whoever calls [`ask`] does the looking.
    pub canary: CanaryRule,
    /// How the batches are awaited of judges that are asked in batches.
    pub batch: BatchSettings,
    /// Judges that are not asked, by spec, with the reason.
    pub refused: BTreeMap<String, String>,
    /// How long replies in flight are awaited after the first Ctrl-C. They are paid for.
    pub grace: Duration,
    /// All questions to come, over units, orders, judges and samples; for the progress only.
    pub total: Option<u64>,
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
            grace: Duration::from_secs(10),
            total: None,
        }
    }
}

/// Asks every unit of every judge, `samples` times.
///
/// `stop` receives one message per Ctrl-C: after the first nothing new is asked and replies in flight are awaited for
/// [`AskSettings::grace`], after the second they are given up. `progress` is called after every change.
/// Needs a tokio runtime with several threads; the store is written on the caller's.
///
/// # Errors
/// [`StoreError`]: what cannot be kept is not asked for.
pub async fn ask(
    mut work: mpsc::Receiver<Work>,
    judges: &[Judge],
    settings: &AskSettings,
    store: &mut Store,
    mut stop: mpsc::Receiver<()>,
    mut progress: impl FnMut(&Progress),
) -> Result<Summary, StoreError> {
    let mut runner = Runner::new(judges, settings, store)?;
    let mut has_more = true;
    let mut may_stop = true;
    let mut deadline = None;
    loop {
        let wake = runner.launch(!has_more || deadline.is_some())?;
        let wants_more = has_more && deadline.is_none() && runner.has_room();
        if !runner.is_busy() && !wants_more {
            break;
        }
        let sleep = |until: Option<tokio::time::Instant>| async move {
            match until {
                Some(until) => tokio::time::sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            message = stop.recv(), if may_stop => match message {
                None => may_stop = false,
                Some(()) if deadline.is_none() => {
                    runner.interrupt();
                    deadline = Some(tokio::time::Instant::now() + settings.grace);
                }
                Some(()) => break,
            },
            () = sleep(deadline) => break,
            Some(landed) = runner.asking.join_next() => {
                runner.settle(landed.expect("a request does not panic"))?;
            }
            Some(flight) = runner.pausing.join_next() => {
                runner.resume(flight.expect("a pause does not panic"));
            }
            Some(stepped) = runner.batches.stepping.join_next() => {
                let (id, stepped) = stepped.expect("a step does not panic");
                runner.stepped(id, stepped)?;
            }
            () = sleep(wake.map(tokio::time::Instant::from_std)) => {}
            work = work.recv(), if wants_more => match work {
                Some(work) => runner.take(work)?,
                None => has_more = false,
            },
        }
        progress(&runner.progress());
    }
    Ok(runner.into_summary())
}
