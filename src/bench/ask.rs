//! Puts questions to judges and keeps every attempt: units of [`Subject`]s → records in a [`Store`], and a [`Summary`].
//!
//! One task owns the store. Each request is a task of its own; when it returns, it is recorded, and only then is decided what comes next.
//! What was answered before is not asked. Only a verdict ends a question well; other replies are asked again up to
//! [`AskSettings::replies_max`] within a run, and then left for the next run.

use super::progress::{Failed, Progress, Stop, Summary};
use crate::judge::{Attempt, Backoff, Judge};
use crate::rubric::{Outcome, Said};
use crate::store::{Asked, Made, PlannedPair, Store, StoreError, Subject, Tried};
use std::collections::VecDeque;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// What is asked together or not at all: both orders of a pair, or one question about one object.
#[derive(Debug, Clone)]
pub struct Unit {
    /// At least one.
    pub subjects: Vec<Subject>,
    /// What it is about, for people.
    pub what: String,
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
    /// Requests at a time; at least 1.
    pub concurrency: usize,
    /// Requests to servers in this call, retries included. A pair for which it no longer suffices is not begun.
    pub requests_max: Option<u64>,
    /// Replies without a verdict, for one question in this call, before it is left for the next one.
    pub replies_max: u32,
    /// Pauses after failures.
    pub backoff: Backoff,
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
            replies_max: 3,
            backoff: Backoff::default(),
            grace: Duration::from_secs(10),
            total: None,
        }
    }
}

/// A question on its way.
struct Flight {
    asked: Asked,
    judge: usize,
    what: String,
    /// Failed requests in a row.
    failures: u32,
    /// Replies without a verdict.
    replies: u32,
}

/// A request that has ended.
struct Landed {
    flight: Flight,
    asked_at: SystemTime,
    attempt: Attempt,
}

/// Everything the loop holds.
struct Runner<'a> {
    judges: &'a [Judge],
    settings: &'a AskSettings,
    store: &'a mut Store,
    ready: VecDeque<Flight>,
    asking: JoinSet<Landed>,
    pausing: JoinSet<Flight>,
    requests_left: Option<u64>,
    total: Option<u64>,
    start: Instant,
    summary: Summary,
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
    let mut runner = Runner {
        judges,
        settings,
        store,
        ready: VecDeque::new(),
        asking: JoinSet::new(),
        pausing: JoinSet::new(),
        requests_left: settings.requests_max,
        total: settings.total,
        start: Instant::now(),
        summary: Summary::default(),
    };
    let mut has_more = true;
    let mut may_stop = true;
    let mut deadline = None;
    loop {
        runner.launch();
        let in_flight = runner.asking.len() + runner.pausing.len();
        let wants_more =
            has_more && deadline.is_none() && runner.ready.len() < settings.concurrency;
        if in_flight == 0 && !wants_more {
            break;
        }
        let grace_ends = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
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
            () = grace_ends => break,
            Some(landed) = runner.asking.join_next() => {
                runner.settle(landed.expect("a request does not panic"))?;
            }
            Some(flight) = runner.pausing.join_next() => {
                runner.ready.push_front(flight.expect("a pause does not panic"));
            }
            work = work.recv(), if wants_more => match work {
                Some(work) => runner.take(work)?,
                None => has_more = false,
            },
        }
        progress(&runner.progress());
    }
    Ok(runner.summary)
}

impl Runner<'_> {
    /// Starts requests while there is room for them.
    fn launch(&mut self) {
        while self.asking.len() + self.pausing.len() < self.settings.concurrency.max(1) {
            let Some(flight) = self.ready.pop_front() else {
                break;
            };
            if let Some(reason) = self.summary.ended.get(&flight.asked.judge) {
                let reason = format!("not asked, because {} ended: {reason}", flight.asked.judge);
                if let Some(left) = self
                    .requests_left
                    .as_mut()
                    .filter(|_| !self.judges[flight.judge].is_free())
                {
                    *left += 1;
                }
                self.fail(&flight, "not_asked", reason);
                continue;
            }
            let judge = self.judges[flight.judge].clone();
            if !judge.is_free() {
                self.summary.requests += 1;
            }
            self.asking.spawn(async move {
                let asked_at = SystemTime::now();
                let attempt = judge.attempt(&flight.asked.question).await;
                Landed {
                    flight,
                    asked_at,
                    attempt,
                }
            });
        }
    }

    fn take(&mut self, work: Work) -> Result<(), StoreError> {
        match work {
            Work::Ask(unit) => self.accept(&unit)?,
            Work::Answered(ids) => {
                self.summary.answered_before += ids.len() as u64;
                self.summary.ids.extend(ids);
            }
            Work::Made(made) => self.store.keep_made(&made)?,
            Work::Pairs(pairs) => self.store.keep_pairs(&pairs)?,
            Work::Fewer(count) => {
                self.total = self.total.map(|total| total.saturating_sub(count));
            }
        }
        Ok(())
    }

    /// Queues what is not answered of a unit, for every judge and sample; both orders or neither.
    fn accept(&mut self, unit: &Unit) -> Result<(), StoreError> {
        for sample in 0..self.settings.samples {
            for (judge_idx, judge) in self.judges.iter().enumerate() {
                let mut open = Vec::new();
                for subject in &unit.subjects {
                    let asked = Asked::new(subject, judge, sample);
                    self.summary.ids.push(asked.id.clone());
                    if self.store.is_answered(&asked)? {
                        self.summary.answered_before += 1;
                        continue;
                    }
                    self.store.keep_question(&asked)?;
                    open.push(Flight {
                        asked,
                        judge: judge_idx,
                        what: unit.what.clone(),
                        failures: 0,
                        replies: 0,
                    });
                }
                if judge.is_free() || self.reserve(open.len() as u64) {
                    self.ready.extend(open);
                } else {
                    for flight in open {
                        self.stop_for_budget(&flight)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes so many requests from the budget, or none.
    fn reserve(&mut self, requests: u64) -> bool {
        match &mut self.requests_left {
            None => true,
            Some(left) if *left >= requests => {
                *left -= requests;
                true
            }
            Some(_) => false,
        }
    }

    /// Records what came back, then decides what comes next.
    fn settle(&mut self, landed: Landed) -> Result<(), StoreError> {
        let Landed {
            mut flight,
            asked_at,
            attempt,
        } = landed;
        let elapsed = attempt.elapsed;
        let (outcome, reply, failure) = match attempt.result {
            Ok(reply) => {
                let question = &flight.asked.question;
                let said = Said {
                    text: &reply.text,
                    finish: &reply.finish,
                    undecided: &reply.undecided,
                };
                let outcome =
                    question
                        .rubric
                        .read(&said, question.category.as_deref(), flight.asked.order);
                (outcome, Some(reply), None)
            }
            Err(failure) => {
                let reason = failure.to_string();
                (Outcome::ProviderError { reason }, None, Some(failure))
            }
        };
        let http_status = match (&reply, &failure) {
            (Some(reply), _) => reply.http_status,
            (None, failure) => failure.as_ref().and_then(|f| f.http_status()),
        };
        let tried = Tried {
            asked_at,
            elapsed,
            outcome,
            reply,
            http_status,
        };
        self.store.keep_attempt(&flight.asked, &tried)?;
        let pause = if tried.outcome.verdict().is_some() {
            self.summary.verdicts += 1;
            return Ok(());
        } else if let Some(failure) = failure {
            if failure.ends_judge() {
                self.summary
                    .ended
                    .insert(flight.asked.judge.clone(), failure.to_string());
            }
            flight.failures += 1;
            let seed = self.settings.seed;
            self.settings
                .backoff
                .pause(&failure, flight.failures, &flight.asked.id, seed)
        } else {
            flight.failures = 0;
            flight.replies += 1;
            let is_useless = self.judges[flight.judge].is_deterministic();
            (!is_useless && flight.replies < self.settings.replies_max).then_some(Duration::ZERO)
        };
        let outcome = tried.outcome;
        match pause {
            Some(pause) if self.summary.stop != Some(Stop::Interrupted) => {
                if !self.reserve(1) {
                    return self.stop_for_budget(&flight);
                }
                self.pausing.spawn(async move {
                    tokio::time::sleep(pause).await;
                    flight
                });
            }
            _ => {
                let reason = outcome.reason().unwrap_or_default().to_owned();
                self.fail(&flight, outcome.name(), reason);
            }
        }
        Ok(())
    }

    fn stop_for_budget(&mut self, flight: &Flight) -> Result<(), StoreError> {
        let max = self.settings.requests_max.unwrap_or_default();
        let reason = format!("the limit of {max} requests is reached");
        let outcome = Outcome::BudgetStopped {
            reason: reason.clone(),
        };
        let name = outcome.name();
        let tried = Tried {
            asked_at: SystemTime::now(),
            elapsed: Duration::ZERO,
            outcome,
            reply: None,
            http_status: None,
        };
        self.store.keep_attempt(&flight.asked, &tried)?;
        if self.summary.stop.is_none() {
            self.summary.stop = Some(Stop::Budget);
        }
        self.fail(flight, name, reason);
        Ok(())
    }

    /// Nothing new is asked and nothing is tried again; what is in flight may land.
    fn interrupt(&mut self) {
        self.summary.stop = Some(Stop::Interrupted);
        self.ready.clear();
        self.pausing.abort_all();
        self.pausing = JoinSet::new();
    }

    fn fail(&mut self, flight: &Flight, outcome: &'static str, reason: String) {
        self.summary.fail(Failed {
            id: flight.asked.id.clone(),
            what: flight.what.clone(),
            judge: flight.asked.judge.clone(),
            outcome,
            reason,
        });
    }

    fn progress(&self) -> Progress {
        let failed = self.summary.failed_count();
        let done = self.summary.answered_before + self.summary.verdicts + failed;
        let minutes = self.start.elapsed().as_secs_f64() / 60.0;
        let verdicts_per_minute = if minutes > 0.0 {
            self.summary.verdicts as f64 / minutes
        } else {
            0.0
        };
        let total = self.total;
        let left = total.map(|total| total.saturating_sub(done) as f64);
        Progress {
            total,
            done,
            in_flight: (self.asking.len() + self.pausing.len()) as u64,
            failed,
            verdicts_per_minute,
            time_left: left
                .filter(|_| verdicts_per_minute > 0.0)
                .map(|left| Duration::from_secs_f64(left / verdicts_per_minute * 60.0)),
        }
    }
}
