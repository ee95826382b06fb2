//! Asks judges and keeps every attempt: [`Work`] → records in a [`Store`], and a [`Summary`].
//!
//! One task owns the store. Each request is a task of its own; its result is recorded before
//! anything else is decided. Answered questions are not asked again, and recorded replies to the
//! same request are reused. Only a verdict counts as an answer. A reply in another form is restated
//! by the judge, once, in text; after one without an answer the question is asked again, up to
//! [`AskSettings::replies_max`] times, and is then left to the next command. Each judge has a lane
//! of its own, so that one that is slow or down does not hold up the others.
//!
//! The loop goes in turns: everything that has come since the last turn is recorded in one group,
//! which is on the disk before requests are sent and before progress is reported. While one group
//! is written the next one gathers, so a slow disk makes groups larger.

mod archive;
mod batches;
mod lane;
mod launch;
mod settle;
mod state;

use super::progress::{Progress, Summary};
use super::settings::AskSettings;
use super::work::Work;
use crate::error::Error;
use crate::judge::Judge;
use crate::store::Store;
use lane::Flight;
use state::{Landed, Runner, Stepped};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// What the loop waits for.
enum Event {
    Landed(Box<Landed>),
    /// A pause is over.
    Resumed(Box<Flight>),
    Stepped(i64, Stepped),
    Work(Work),
    NoMoreWork,
    Interrupt,
    /// The time has come to look at the lanes again.
    Wake,
    /// Nothing is awaited any more.
    GiveUp,
}

/// Asks every unit of every judge, `samples` times.
///
/// After the first press of [`AskSettings::stop`] nothing new is asked and replies in flight are
/// awaited for [`AskSettings::grace`], after the second they are given up. `progress` is called
/// after every change that is on the disk. Needs a tokio runtime with several threads; the store is
/// written on the caller's.
///
/// # Errors
/// [`Error`]: what cannot be kept is not asked.
pub async fn ask(
    work: mpsc::Receiver<Work>,
    judges: &[Judge],
    settings: &AskSettings,
    store: &mut Store,
    progress: impl FnMut(&Progress),
) -> Result<Summary, Error> {
    let mut runner = Runner::new(judges, settings, store)?;
    let ended = turns(&mut runner, work, progress).await;
    if ended.is_err() {
        // A write failed: keeps its group's earlier parts if possible, reports the first failure.
        let _ = runner.store.commit_group();
    }
    ended.map(|()| runner.into_summary())
}

async fn turns(
    runner: &mut Runner<'_>,
    mut work: mpsc::Receiver<Work>,
    mut progress: impl FnMut(&Progress),
) -> Result<(), Error> {
    let mut has_more = true;
    let stop = runner.settings.stop.clone();
    let mut deadline = None;
    loop {
        runner.store.begin_group();
        let wake = runner.launch(!has_more || deadline.is_some())?;
        runner.store.commit_group()?;
        runner.send();
        progress(&runner.progress());
        let wants_more = has_more && deadline.is_none() && runner.has_room();
        if !runner.is_busy() && !wants_more {
            return Ok(());
        }
        let event = tokio::select! {
            biased;
            () = stop.pressed(1), if deadline.is_none() => Event::Interrupt,
            () = stop.pressed(2) => Event::GiveUp,
            () = sleep_until(deadline) => Event::GiveUp,
            Some(landed) = runner.asking.join_next() => {
                Event::Landed(Box::new(landed.expect("a request does not panic")))
            }
            Some(flight) = runner.pausing.join_next() => {
                Event::Resumed(Box::new(flight.expect("a pause does not panic")))
            }
            Some(stepped) = runner.batches.stepping.join_next() => {
                let (id, stepped) = stepped.expect("a step does not panic");
                Event::Stepped(id, stepped)
            }
            () = sleep_until(wake.map(Instant::from_std)) => Event::Wake,
            work = work.recv(), if wants_more => work.map_or(Event::NoMoreWork, Event::Work),
        };
        runner.store.begin_group();
        let mut next = Some(event);
        while let Some(event) = next {
            match event {
                Event::Landed(landed) => runner.settle(*landed)?,
                Event::Resumed(flight) => {
                    runner.lanes[flight.judge].pausing -= 1;
                    runner.resume(*flight);
                }
                Event::Stepped(id, stepped) => runner.stepped(id, stepped)?,
                Event::Work(work) => runner.take(work)?,
                Event::NoMoreWork => has_more = false,
                Event::Interrupt => {
                    runner.interrupt();
                    deadline = Some(Instant::now() + runner.settings.grace);
                }
                Event::Wake => {}
                Event::GiveUp => return runner.store.commit_group(),
            }
            let wants_more = has_more && deadline.is_none();
            next = runner.already_here(&mut work, wants_more);
        }
        runner.store.commit_group()?;
    }
}

impl Runner<'_> {
    /// What can be handled without waiting.
    fn already_here(&mut self, work: &mut mpsc::Receiver<Work>, wants_more: bool) -> Option<Event> {
        if let Some(landed) = self.asking.try_join_next() {
            let landed = landed.expect("a request does not panic");
            return Some(Event::Landed(Box::new(landed)));
        }
        if let Some(flight) = self.pausing.try_join_next() {
            let flight = flight.expect("a pause does not panic");
            return Some(Event::Resumed(Box::new(flight)));
        }
        // A batch's next step begins only when what the last one brought is on the disk, so each
        // has a turn of its own.
        if !wants_more || !self.has_room() {
            return None;
        }
        work.try_recv().ok().map(Event::Work)
    }
}

async fn sleep_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}
