//! Puts units of questions to judges and keeps every attempt: [`Work`] → records in a [`Store`], and a [`Summary`].
//!
//! One task owns the store. Each request is a task of its own; its result is recorded before anything else is decided. Answered questions
//! are not asked again, and recorded replies to the same request are reused. Only a verdict counts as an answer; after any other reply the
//! question is asked again, with a note on what was wrong, up to [`AskSettings::replies_max`] times, and is then left to the next command.
//! Each judge has a lane of its own, so that one that is slow or down does not hold up the others.

mod archive;
mod batches;
mod lane;
mod launch;
mod settle;
mod state;

use super::progress::{Progress, Summary};
use super::settings::AskSettings;
use super::work::Work;
use crate::judge::Judge;
use crate::store::{Store, StoreError};
use state::Runner;
use tokio::sync::mpsc;

/// Asks every unit of every judge, `samples` times.
///
/// `stop` receives one message per Ctrl-C: after the first nothing new is asked and replies in flight are awaited for
/// [`AskSettings::grace`], after the second they are given up. `progress` is called after every change.
/// Needs a tokio runtime with several threads; the store is written on the caller's.
///
/// # Errors
/// [`StoreError`]: what cannot be kept is not asked.
pub async fn ask(
    mut work: mpsc::Receiver<Work>,
    judges: &[Judge],
    settings: &AskSettings,
    store: &mut Store,
    stop: &mut mpsc::Receiver<()>,
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
                let flight = flight.expect("a pause does not panic");
                runner.lanes[flight.judge].pausing -= 1;
                runner.resume(flight);
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
