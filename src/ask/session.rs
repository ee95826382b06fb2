//! A session: all that asking needs, opened once. Callers hand it an iterator of [`Work`].

use super::canary::canaries;
use super::planner::Planner;
use super::progress::{Progress, Stop, Summary};
use super::runner::ask;
use super::settings::AskSettings;
use super::work::Work;
use crate::error::Error;
use crate::judge::Judge;
use crate::store::{Record, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

/// Units that wait for the runner; each holds its pictures in memory.
const UNITS_WAITING_MAX: usize = 4;

/// Store, judges, runtime and switch, held for all questions of one command.
#[derive(Debug)]
pub struct Session<'a> {
    judges: &'a [Judge],
    settings: AskSettings,
    store: Store,
    planner: Arc<Planner<'a>>,
    /// None only while it is dropped.
    runtime: Option<Runtime>,
    interrupted: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
    summary: Summary,
}

/// A run after its session.
#[derive(Debug)]
pub struct Answered {
    /// Still open.
    pub store: Store,
    pub summary: Summary,
    /// Of every question, those answered before included, in the order of asking.
    pub records: Vec<Record>,
}

impl<'a> Session<'a> {
    /// Reads earlier answers, starts the network threads, heeds the switch, and tests which judges
    /// see their pictures. `fit_px` limits the longer side of a pair's sheet.
    ///
    /// # Errors
    /// [`Error`]; nothing but canaries was asked then.
    pub fn open(
        mut store: Store,
        judges: &'a [Judge],
        settings: &AskSettings,
        fit_px: Option<u32>,
    ) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread().enable_all().build();
        let runtime =
            runtime.map_err(|e| Error::run(format!("cannot start network threads ({e})")))?;
        let interrupted = Arc::new(AtomicBool::new(false));
        let (pressed, stop) = (Arc::clone(&interrupted), settings.stop.clone());
        runtime.spawn(async move {
            stop.pressed(1).await;
            pressed.store(true, Ordering::Relaxed);
        });
        if let Some(usd) = settings.settle_usd {
            store.settle(usd)?;
        }
        store.keep_judges(judges)?;
        let before = store.spent_on_canaries()?;
        let looking = runtime.block_on(async {
            tokio::select! {
                // A test that is cut off stays booked at its maximum.
                () = settings.stop.pressed(1) => Ok(Vec::new()),
                looked = canaries(judges, settings.canary, settings, &mut store) => looked,
            }
        });
        let refused = looking?.into_iter().collect();
        if settings.stop.is_pressed() {
            interrupted.store(true, Ordering::Relaxed);
        }
        let after = store.spent_on_canaries()?;
        let on_network = store.network_disk().map(|disk| {
            format!(
                "the run is on a network disk ({disk}): writing is slower than on a disk of this machine, and only as safe as that disk's locks"
            )
        });
        let summary = Summary {
            notes: on_network.into_iter().collect(),
            requests: after.requests - before.requests,
            spent_usd: after.usd - before.usd,
            ..Summary::default()
        };
        let answered = store.answered_as_planned()?;
        let planner = Planner::new(judges, settings.samples, fit_px, answered);
        Ok(Self {
            judges,
            settings: AskSettings { refused, ..settings.clone() },
            store,
            planner: Arc::new(planner),
            runtime: Some(runtime),
            interrupted,
            ended: Arc::default(),
            summary,
        })
    }

    /// Recognises what was answered before, and makes work of the rest. A handle of its own, so
    /// that another thread can plan while this one asks.
    pub fn planner(&self) -> Arc<Planner<'a>> {
        Arc::clone(&self.planner)
    }

    /// Set at the first Ctrl-C.
    pub fn interrupted(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupted)
    }

    /// Set once nothing more will be asked: iterators waiting for something else may give up.
    pub fn ended(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.ended)
    }

    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Over all calls of [`Session::ask`] so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Asks all of `work`, which is walked on a thread of its own, and ends early when the budget
    /// is spent or the user stops. `num_requests` is how many requests will come at most;
    /// `progress` is called after every change, with the counts of the whole session.
    ///
    /// # Errors
    /// [`Error`]. The iterator's first error ends it, after what came before was asked.
    pub fn ask<W>(
        &mut self,
        work: W,
        num_requests: u64,
        mut progress: impl FnMut(&Progress),
    ) -> Result<(), Error>
    where
        W: IntoIterator<Item = Result<Work, Error>>,
        W::IntoIter: Send,
    {
        if self.interrupted.load(Ordering::Relaxed) {
            self.summary.stop = Some(Stop::Interrupted);
            return Ok(());
        }
        let settings = AskSettings {
            total: Some(self.summary.questions + num_requests),
            ..self.settings.clone()
        };
        let (questions, failed) = (self.summary.questions, self.summary.failed_count());
        let progress = |now: &Progress| {
            progress(&Progress {
                done: now.done + questions,
                failed: now.failed + failed,
                ..now.clone()
            });
        };
        self.ended.store(false, Ordering::Relaxed);
        let (to, from) = mpsc::channel(UNITS_WAITING_MAX);
        let work = work.into_iter();
        let runtime = self.runtime.as_ref().expect("it is open");
        let (summary, produced) = std::thread::scope(|scope| {
            let producing = scope.spawn(move || send_all(work, &to));
            let asking = ask(from, self.judges, &settings, &mut self.store, progress);
            let summary = runtime.block_on(asking);
            self.ended.store(true, Ordering::Relaxed);
            let produced =
                producing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (summary, produced)
        });
        // A store that fails is the first cause; the iterator only saw its end.
        let summary = summary?;
        // A judge that was given up is not tried anew in the next round.
        self.settings.refused.extend(summary.ended.clone());
        self.summary.add(summary);
        produced
    }

    /// Asks all of `work`, closes, and reads the records back.
    ///
    /// # Errors
    /// [`Error`]. Answers that came before are kept in the run.
    pub fn answer(
        mut self,
        work: Vec<Work>,
        progress: impl FnMut(&Progress),
    ) -> Result<Answered, Error> {
        let requests = |work: &Work| work.num_requests(self.judges.len(), self.settings.samples);
        let num_requests = work.iter().map(requests).sum();
        self.ask(work.into_iter().map(Ok), num_requests, progress)?;
        let (store, summary) = self.close();
        let mut records = Vec::new();
        for id in &summary.ids {
            records.extend(store.record(id)?);
        }
        Ok(Answered { store, summary, records })
    }

    /// Ends the network threads; hands back the store and the summary.
    pub fn close(self) -> (Store, Summary) {
        let Self { store, mut summary, runtime, .. } = self;
        // It is only reported; answers are kept in any case.
        summary.unsettled = store.unsettled().unwrap_or_default();
        if let Some(runtime) = runtime {
            // A measurement that cannot be stopped must not hold up an interrupted program.
            runtime.shutdown_background();
        }
        (store, summary)
    }
}

/// Hands work over one by one, until the runner has ended.
fn send_all(
    work: impl Iterator<Item = Result<Work, Error>>,
    to: &mpsc::Sender<Work>,
) -> Result<(), Error> {
    for work in work {
        if to.blocking_send(work?).is_err() {
            break;
        }
    }
    Ok(())
}
