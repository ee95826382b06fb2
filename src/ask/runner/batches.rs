//! Questions in batches: gathered into files, submitted, awaited, and settled like any other.
//!
//! A flight that is gathered leaves its pictures in the store. Its cost stays reserved in the
//! budget until its reply is read; it is never asked outside the batch. A batch is a state machine
//! ([`Step`]): each step is a task, and its result is recorded before the next begins.
//!
//! ```text
//! sealed → Submit → Poll → Collect → settled
//!            ↑ ↓ no usable reply
//!            Find → Poll
//! ```
//!
//! A batch without a name at the provider (the program was killed, or no usable reply came) is
//! looked for before it is submitted again. A step that keeps failing leaves the batch pending,
//! with what was read of it: the next command resumes there, and nothing of it is asked elsewhere.

use super::lane::Flight;
use super::state::{Batches, Bundle, Landed, Runner, Step, Stepped, UnderWay, Way};
use crate::ask::progress::Stop;
use crate::error::Error;
use crate::judge::{
    BatchReply, BatchState, Endpoint, Evidence, Failure, Found, Question, WAIT_CODES,
};
use crate::store::OpenBatch;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::task::JoinSet;

/// So often in a row a step may fail before its batch is left to the next command: at the usual
/// pause, for 10 minutes.
const TRIES_MAX: u32 = 20;

/// So often a provider does not have a batch before it is submitted again: a list may lack what was
/// accepted a moment ago.
const LOOKS_MIN: u32 = 2;

/// So often where nothing speaks for another end: the request is refused, or the results hold a
/// line that is not JSON.
const HOPELESS_TRIES_MAX: u32 = 3;

impl Batches {
    /// Questions that wait for a batch.
    pub(super) fn num_waiting(&self) -> u64 {
        self.flights.len() as u64
    }

    /// Whether anything goes on.
    pub(super) fn is_busy(&self) -> bool {
        !self.bundles.is_empty() || !self.stepping.is_empty()
    }
}

impl Runner<'_> {
    /// Resumes the batches that earlier commands left.
    pub(super) fn take_up_batches(&mut self) -> Result<(), Error> {
        let judges = self.judges;
        let asked = |name: &str, base_url: Option<&str>| {
            judges.iter().position(|judge| judge.name() == name && judge.base_url() == base_url)
        };
        for held in self.store.held_in_batches()? {
            let judge = asked(&held.judge, held.base_url.as_deref());
            self.budget.carry(judge, held.requests, held.cost_usd_max);
        }
        for batch in self.store.open_batches()? {
            let Some(judge) = asked(&batch.judge, batch.base_url.as_deref()) else {
                continue;
            };
            if self.settings.is_replay {
                continue;
            }
            let step = match batch.name {
                Some(_) => Step::Poll,
                None => Step::Find,
            };
            self.begin(batch, judge, step)?;
        }
        Ok(())
    }

    /// Keeps a flight waiting whose question is in a batch; gives it back if it is in none.
    pub(super) fn await_batch(&mut self, mut flight: Flight) -> Result<Option<Flight>, Error> {
        if self.gathers(flight.judge) {
            flight.failures = self.store.num_batches_ended(&flight.request.id)?;
        }
        let Some(item) = self.store.batch_item(&flight.request.id)? else {
            return Ok(Some(flight));
        };
        flight.held_usd = Some(item.cost_usd_max.unwrap_or(0.0));
        flight.by_schema = item.by_schema;
        self.lanes[flight.judge].in_batches += 1;
        let request = flight.request.content_hash.clone();
        self.followers.entry(request).or_default();
        if let Some(reply) = item.reply {
            self.settle_batched(flight, item.sealed_at, &reply)?;
            return Ok(None);
        }
        let flight = self.bare(flight);
        self.batches.flights.insert(flight.request.id.clone(), flight);
        Ok(None)
    }

    /// Takes the front of a lane into the batch that is being filled.
    pub(super) fn gather(&mut self, judge: usize) -> Result<(), Error> {
        let Some(flight) = self.lanes[judge].ready.pop_front() else {
            return Ok(());
        };
        let flight = self.whole(flight)?;
        let judges = self.judges;
        let endpoint = judges[judge].endpoint().expect("only models take batches");
        let limits = endpoint.batch_limits();
        let requests_max = self
            .settings
            .batch
            .requests_max
            .map_or(limits.requests_max, |max| max.min(limits.requests_max));
        let key = &flight.request.id;
        let line = loop {
            if !self.batches.bundles.contains_key(&judge) {
                let file = self.store.begin_batch(&mark(key))?;
                let flights = Vec::new();
                self.batches.bundles.insert(judge, Bundle { file, flights });
            }
            let Bundle { file, flights } = &self.batches.bundles[&judge];
            let question = &flight.request.question;
            let (restate, as_text) = (flight.restate.as_ref(), flight.as_text);
            let line = endpoint.batch_line(&file.mark, key, question, restate, as_text);
            let is_full =
                flights.len() >= requests_max || file.bytes + line.len() as u64 > limits.bytes_max;
            if !is_full || flights.is_empty() {
                break line;
            }
            self.seal(judge)?;
        };
        let by_schema = endpoint.asks_by_schema(flight.as_text);
        let flight = Flight { by_schema, ..self.bare(flight) };
        let bundle = self.batches.bundles.get_mut(&judge).expect("just begun");
        bundle.file.push(&line)?;
        bundle.flights.push(flight);
        self.lanes[judge].in_batches += 1;
        Ok(())
    }

    /// Closes the batch of that judge, if one is being filled, and submits it.
    pub(super) fn seal(&mut self, judge: usize) -> Result<(), Error> {
        let Some(Bundle { file, flights }) = self.batches.bundles.remove(&judge) else {
            return Ok(());
        };
        let is_priced = self.endpoint(judge).facts().price.is_some();
        let items: Vec<(String, Option<f64>, bool)> = flights
            .iter()
            .map(|flight| {
                let usd = flight.held_usd.filter(|_| is_priced);
                (flight.request.id.clone(), usd, flight.by_schema)
            })
            .collect();
        let judged = &self.judges[judge];
        let batch = self.store.seal_batch(file, &judged.name(), judged.base_url(), &items)?;
        self.summary.requests += items.len() as u64;
        for flight in flights {
            self.batches.flights.insert(flight.request.id.clone(), flight);
        }
        self.begin(batch, judge, Step::Submit)
    }

    /// Closes batches that will not grow: nothing is ready, or the budget admits nothing more.
    pub(super) fn seal_idle(&mut self, is_last: bool, waiting: &[bool]) -> Result<(), Error> {
        let judges: Vec<usize> = self.batches.bundles.keys().copied().collect();
        for judge in judges {
            let lane = &self.lanes[judge];
            let is_idle = lane.is_empty() && is_last && lane.pausing == 0;
            if is_idle || (waiting[judge] && !lane.ready.is_empty()) {
                self.seal(judge)?;
            }
        }
        Ok(())
    }

    /// Questions in batches stay there: the next command collects the answers.
    pub(super) fn leave_batches(&mut self) {
        // What was gathered and not sealed was never sent.
        for (judge, bundle) in std::mem::take(&mut self.batches.bundles) {
            self.lanes[judge].in_batches -= bundle.flights.len();
        }
        self.batches.stepping.abort_all();
        self.batches.stepping = JoinSet::new();
    }

    /// Records the result of a step, and takes the next.
    pub(super) fn stepped(&mut self, id: i64, stepped: Stepped) -> Result<(), Error> {
        if !self.batches.under_way.contains_key(&id) {
            return Ok(());
        }
        match stepped {
            Stepped::Found(Ok(Found::Named(name))) | Stepped::Submitted(Ok(name)) => {
                self.store.name_batch(id, Some(&name))?;
                self.way(id).batch.name = Some(name);
                self.wait(id, Step::Poll)
            }
            Stepped::Found(Ok(Found::Nowhere)) => {
                let way = self.way(id);
                way.looks += 1;
                if way.looks < LOOKS_MIN {
                    return self.enter(id, Step::Find, self.settings.batch.poll);
                }
                way.looks = 0;
                self.enter(id, Step::Submit, Duration::ZERO)
            }
            Stepped::Found(Ok(Found::Undecided)) => self.wait(id, Step::Find),
            Stepped::Submitted(Err(failure)) => self.not_submitted(id, &failure),
            Stepped::Polled(Ok(BatchState::Working { .. })) => self.wait(id, Step::Poll),
            Stepped::Polled(Ok(BatchState::Ended(end))) => {
                self.way(id).tries = 0;
                self.enter(id, Step::Collect(end), Duration::ZERO)
            }
            Stepped::Polled(Ok(BatchState::Failed { code, reason })) => {
                if code.as_deref().is_some_and(|code| WAIT_CODES.contains(&code)) {
                    return self.too_early(id, code, reason);
                }
                self.refused(id, &turned_away(code, reason))
            }
            Stepped::Found(Err(failure)) | Stepped::Polled(Err(failure)) => {
                self.again_later(id, &failure)
            }
            Stepped::Collected(replies, failure) => self.collected(id, replies, failure),
        }
    }

    /// The provider works, and is asked again after the usual pause, or by the next command.
    fn wait(&mut self, id: i64, step: Step) -> Result<(), Error> {
        self.way(id).tries = 0;
        if self.settings.batch.waits {
            return self.enter(id, step, self.settings.batch.poll);
        }
        self.leave(id);
        Ok(())
    }

    /// Submits again what the provider refused for now, and looks for what it may have accepted.
    fn not_submitted(&mut self, id: i64, failure: &Failure) -> Result<(), Error> {
        let (backoff, seed) = (&self.settings.backoff, self.settings.seed);
        let way = self.way(id);
        way.tries += 1;
        let is_refused = match failure {
            Failure::Status { status, .. } => *status < 500,
            Failure::Connect { .. } | Failure::Redirect { .. } => true,
            _ => false,
        };
        let next = if is_refused { Step::Submit } else { Step::Find };
        match backoff.pause(failure, way.tries, &way.batch.mark, seed) {
            Some(pause) => self.enter(id, next, pause),
            None if is_refused && failure.is_final() => self.refused(id, failure),
            None => self.give_up(id, failure),
        }
    }

    /// The account has no room for the batch now. It is submitted again while others of ours make
    /// room, else up to a limit.
    fn too_early(&mut self, id: i64, code: Option<String>, reason: String) -> Result<(), Error> {
        let judge = self.way(id).judge;
        let has_others = self.batches.is_waited_for(judge, id);
        self.store.name_batch(id, None)?;
        let way = self.way(id);
        way.batch.name = None;
        way.turned_away += u32::from(!has_others);
        if way.turned_away < TRIES_MAX {
            return self.enter(id, Step::Submit, self.settings.batch.poll);
        }
        let reason = format!("{reason}; smaller batches may fit");
        self.refused(id, &turned_away(code, reason))
    }

    /// Takes the same step again after a failure, up to a limit.
    fn again_later(&mut self, id: i64, failure: &Failure) -> Result<(), Error> {
        let way = self.way(id);
        way.tries += 1;
        let is_unreadable =
            matches!((&way.step, failure), (Step::Collect(_), Failure::NotJson { .. }));
        let tries_max =
            if failure.is_final() || is_unreadable { HOPELESS_TRIES_MAX } else { TRIES_MAX };
        let (is_last, step) = (way.tries >= tries_max, way.step.clone());
        let is_over = failure.has_no_credit() || self.settings.backoff.postponed(failure).is_some();
        if is_last || is_over {
            return self.give_up(id, failure);
        }
        let pause = failure.retry_after().unwrap_or_default();
        self.enter(id, step, pause.max(self.settings.batch.poll))
    }

    /// Keeps the replies that were read, then settles each question. The batch ends unless a
    /// failure kept some of them from being read.
    fn collected(
        &mut self,
        id: i64,
        replies: Vec<(String, BatchReply)>,
        failure: Option<Failure>,
    ) -> Result<(), Error> {
        let Some(way) = self.batches.under_way.get_mut(&id) else {
            return Ok(());
        };
        self.store.keep_replies(&way.batch, &replies, failure.is_none())?;
        let read: HashSet<&String> = replies.iter().map(|(key, _)| key).collect();
        way.batch.keys.retain(|key| !read.contains(key));
        let sealed_at = way.batch.sealed_at;
        if failure.is_none() {
            self.batches.under_way.remove(&id);
        }
        for (key, reply) in &replies {
            // A question that this session did not ask waits in the store.
            if let Some(flight) = self.batches.flights.remove(key) {
                self.settle_batched(flight, sealed_at, reply)?;
            }
        }
        failure.map_or(Ok(()), |failure| self.again_later(id, &failure))
    }

    /// The provider rejected the batch as a whole.
    fn refused(&mut self, id: i64, failure: &Failure) -> Result<(), Error> {
        let (status, code, message) = match failure {
            Failure::Status { status, code, message, .. } => {
                (*status, code.clone(), message.clone())
            }
            other => (400, None, other.to_string()),
        };
        let body = serde_json::json!({"error": {"message": message, "code": code}});
        let reply = BatchReply::Body { status, body };
        let keys = self.way(id).batch.keys.iter();
        let replies = keys.map(|key| (key.clone(), reply.clone())).collect();
        self.collected(id, replies, None)
    }

    /// Leaves a batch to the next command because of a failure.
    fn give_up(&mut self, id: i64, failure: &Failure) -> Result<(), Error> {
        let Some(way) = self.batches.under_way.remove(&id) else {
            return Ok(());
        };
        let (what, remedy) = match way.step {
            Step::Submit => ("cannot be submitted", ""),
            Step::Poll => ("cannot be polled", ""),
            Step::Find => (
                "may have been accepted, and the list of batches cannot be read",
                "give the key the right to list batches and ",
            ),
            Step::Collect(_) => ("has ended, and not all of its results can be read", ""),
        };
        let name = way.batch.name.as_ref().unwrap_or(&way.batch.mark);
        let reason = format!(
            "its batch {name} {what}: {failure}; {remedy}repeat the command to try again; only another run, which can reuse the replies of this one, asks it again"
        );
        for key in &way.batch.keys {
            if let Some(flight) = self.batches.flights.remove(key) {
                self.lanes[way.judge].in_batches -= 1;
                self.fail(&flight, "in_batch", reason.clone());
            }
        }
        Ok(())
    }

    /// Leaves a batch to the next command because this one does not wait.
    fn leave(&mut self, id: i64) {
        if let Some(way) = self.batches.under_way.remove(&id) {
            let waits = |key: &&String| self.batches.flights.contains_key(*key);
            // Its reservation stays; nothing of the budget is freed in this session.
            self.lanes[way.judge].in_batches -= way.batch.keys.iter().filter(waits).count();
        }
        self.summary.stop.get_or_insert(Stop::InBatches);
    }

    fn settle_batched(
        &mut self,
        flight: Flight,
        asked_at: SystemTime,
        reply: &BatchReply,
    ) -> Result<(), Error> {
        let elapsed = asked_at.elapsed().unwrap_or_default();
        let response = self.endpoint(flight.judge).batch_response(reply, flight.by_schema, elapsed);
        self.settle(Landed { flight, way: Way::Batch, asked_at, response })
    }

    /// Begins to look after a batch.
    fn begin(&mut self, batch: OpenBatch, judge: usize, step: Step) -> Result<(), Error> {
        let id = batch.id;
        let way = UnderWay { batch, judge, step: step.clone(), tries: 0, looks: 0, turned_away: 0 };
        self.batches.under_way.insert(id, way);
        self.enter(id, step, Duration::ZERO)
    }

    /// Takes a step after a pause.
    fn enter(&mut self, id: i64, step: Step, pause: Duration) -> Result<(), Error> {
        let way = self.way(id);
        way.step = step.clone();
        let is_last_try = way.tries + 1 >= HOPELESS_TRIES_MAX;
        let (place, batch) = (way.judge, way.batch.clone());
        let judge = self.judges[place].clone();
        let lines = match step {
            Step::Submit => self.store.batch_lines(&batch)?,
            Step::Find | Step::Poll | Step::Collect(_) => Vec::new(),
        };
        let known = match step {
            Step::Find => self.store.batch_names()?,
            Step::Submit | Step::Poll | Step::Collect(_) => Vec::new(),
        };
        self.batches.stepping.spawn(async move {
            tokio::time::sleep(pause).await;
            let endpoint = judge.endpoint().expect("only models take batches");
            let (mark, keys) = (&batch.mark, &batch.keys);
            let name = batch.name.as_deref().unwrap_or_default();
            let stepped = match step {
                Step::Find => Stepped::Found(endpoint.find_batch(mark, keys, &known).await),
                Step::Submit => Stepped::Submitted(endpoint.submit_batch(mark, lines).await),
                Step::Poll => Stepped::Polled(endpoint.poll_batch(name).await),
                Step::Collect(end) => {
                    let replies = endpoint.batch_replies(name, mark, &end, keys, is_last_try);
                    let (replies, failure) = replies.await;
                    Stepped::Collected(replies, failure)
                }
            };
            (batch.id, stepped)
        });
        Ok(())
    }

    fn way(&mut self, id: i64) -> &mut UnderWay {
        self.batches.under_way.get_mut(&id).expect("a batch is under way until it ends")
    }

    fn endpoint(&self, judge: usize) -> &Endpoint {
        self.judges[judge].endpoint().expect("only models take batches")
    }

    /// The flight without its message, which is in the store.
    fn bare(&self, flight: Flight) -> Flight {
        if flight.bare_usd.is_some() {
            return flight;
        }
        let mut flight = flight;
        let judge = &self.judges[flight.judge];
        let question = &flight.request.question;
        flight.bare_usd = Some(judge.cost_usd_max(question).unwrap_or(0.0));
        flight.request.question = Arc::new(Question {
            parts: Vec::new(),
            evidence: Evidence::default(),
            ..Question::clone(question)
        });
        flight
    }

    /// The flight with its message.
    pub(super) fn whole(&self, flight: Flight) -> Result<Flight, Error> {
        let mut flight = flight;
        if flight.bare_usd.take().is_some() {
            flight.request.question = Arc::new(Question {
                parts: self.store.message(&flight.request.id)?,
                ..Question::clone(&flight.request.question)
            });
        }
        Ok(flight)
    }
}

impl Batches {
    /// Whether the provider is processing another batch of that judge.
    fn is_waited_for(&self, judge: usize, id: i64) -> bool {
        self.under_way
            .iter()
            .any(|(other, way)| *other != id && way.judge == judge && way.batch.name.is_some())
    }
}

/// A batch that the provider rejects as a whole.
fn turned_away(code: Option<String>, message: String) -> Failure {
    Failure::Status { status: 400, code, message, retry_after: None, should_retry: None }
}

/// A mark that no other batch has.
fn mark(key: &str) -> String {
    let now = crate::store::rfc3339(SystemTime::now());
    let unique = format!("{now}/{}/{key}", std::process::id());
    blake3::hash(unique.as_bytes()).to_hex()[..32].to_owned()
}
