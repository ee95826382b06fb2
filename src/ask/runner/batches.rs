//! Questions in batches: gathered into files, submitted, awaited, and settled like any other.
//!
//! A flight that is gathered leaves its pictures in the store. Its cost stays reserved in the budget until its reply is read; it is never
//! asked outside the batch. A batch goes step by step ([`Step`]), each a task; the result of a step is recorded before the next begins.

use super::lane::Flight;
use super::state::{Batches, Bundle, Landed, Runner, Step, Stepped, UnderWay, Way};
use crate::ask::progress::Stop;
use crate::judge::{
    BatchReply, BatchState, Endpoint, Evidence, Failure, Judge, LostBatch, Question, WAIT_CODES,
};
use crate::store::{OpenBatch, StoreError};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::task::JoinSet;

/// Polls in a row that may fail before a batch is left to the next command: at the longest pause, 20 minutes.
const FAILURES_MAX: u32 = 20;

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
    pub(super) fn take_up_batches(&mut self) -> Result<(), StoreError> {
        for held in self.store.held_in_batches()? {
            let judge = (self.judges.iter()).position(|judge| {
                judge.name() == held.judge && judge.base_url() == held.base_url.as_deref()
            });
            self.budget.carry(judge, held.requests, held.cost_usd_max);
        }
        for batch in self.store.open_batches()? {
            let is_asked = |judge: &Judge| {
                judge.name() == batch.judge && judge.base_url() == batch.base_url.as_deref()
            };
            let Some(judge) = self.judges.iter().position(is_asked) else {
                continue;
            };
            if self.settings.is_replay {
                continue;
            }
            let (id, is_named) = (batch.id, batch.name.is_some());
            self.batches.under_way.insert(
                id,
                UnderWay {
                    batch,
                    judge,
                    failures: 0,
                    turned_away: 0,
                    may_be_taken: true,
                },
            );
            if is_named {
                self.step(id, Step::Poll, Duration::ZERO);
            } else {
                self.submit(id, Duration::ZERO)?;
            }
        }
        Ok(())
    }

    /// Keeps a flight waiting whose question is in a batch; gives it back if it is in none.
    pub(super) fn await_batch(&mut self, mut flight: Flight) -> Result<Option<Flight>, StoreError> {
        let Some(item) = self.store.batch_item(&flight.request.id)? else {
            return Ok(Some(flight));
        };
        flight.held_usd = Some(item.cost_usd_max.unwrap_or(0.0));
        self.lanes[flight.judge].in_batches += 1;
        let request = flight.request.content_hash.clone();
        self.followers.entry(request).or_default();
        if let Some(reply) = item.reply {
            self.settle_batched(flight, item.sealed_at, &reply)?;
            return Ok(None);
        }
        let flight = self.bare(flight);
        self.batches
            .flights
            .insert(flight.request.id.clone(), flight);
        Ok(None)
    }

    /// Takes the front of a lane into the batch that is being filled.
    pub(super) fn gather(&mut self, judge: usize) -> Result<(), StoreError> {
        let Some(flight) = self.lanes[judge].ready.pop_front() else {
            return Ok(());
        };
        let flight = self.whole(flight)?;
        let endpoint = self.endpoint(judge);
        let limits = endpoint.batch_limits();
        let key = &flight.request.id;
        let line = endpoint.batch_line(key, &flight.request.question, flight.again.as_ref());
        let requests_max = (self.settings.batch.requests_max)
            .map_or(limits.requests_max, |max| max.min(limits.requests_max));
        let is_full = self.batches.bundles.get(&judge).is_some_and(|bundle| {
            bundle.flights.len() >= requests_max
                || bundle.file.bytes + line.len() as u64 > limits.bytes_max
        });
        if is_full {
            self.seal(judge)?;
        }
        if !self.batches.bundles.contains_key(&judge) {
            let file = self.store.begin_batch(&mark(key))?;
            let flights = Vec::new();
            self.batches.bundles.insert(judge, Bundle { file, flights });
        }
        let flight = self.bare(flight);
        let bundle = self.batches.bundles.get_mut(&judge).expect("just begun");
        bundle.file.push(&line)?;
        bundle.flights.push(flight);
        self.lanes[judge].in_batches += 1;
        Ok(())
    }

    /// Closes the batch of that judge, if one is being filled, and submits it.
    pub(super) fn seal(&mut self, judge: usize) -> Result<(), StoreError> {
        let Some(Bundle { file, flights }) = self.batches.bundles.remove(&judge) else {
            return Ok(());
        };
        let is_priced = self.endpoint(judge).facts().price.is_some();
        let items: Vec<(String, Option<f64>)> = flights
            .iter()
            .map(|flight| {
                let usd = flight.held_usd.filter(|_| is_priced);
                (flight.request.id.clone(), usd)
            })
            .collect();
        let judged = &self.judges[judge];
        let batch = (self.store).seal_batch(file, &judged.name(), judged.base_url(), &items)?;
        self.summary.requests += items.len() as u64;
        for flight in flights {
            self.batches
                .flights
                .insert(flight.request.id.clone(), flight);
        }
        let id = batch.id;
        self.batches.under_way.insert(
            id,
            UnderWay {
                batch,
                judge,
                failures: 0,
                turned_away: 0,
                may_be_taken: false,
            },
        );
        self.submit(id, Duration::ZERO)
    }

    /// Closes batches to which nothing more will be added: nothing is ready, or the budget admits nothing more.
    pub(super) fn seal_idle(&mut self, is_last: bool, waiting: &[bool]) -> Result<(), StoreError> {
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

    /// What is in batches stays there: the next command collects it.
    pub(super) fn leave_batches(&mut self) {
        // What was gathered and not sealed was never sent.
        for (judge, bundle) in std::mem::take(&mut self.batches.bundles) {
            self.lanes[judge].in_batches -= bundle.flights.len();
        }
        self.batches.stepping.abort_all();
        self.batches.stepping = JoinSet::new();
    }

    /// Records the result of a step, and takes the next.
    pub(super) fn stepped(&mut self, id: i64, stepped: Stepped) -> Result<(), StoreError> {
        let Some(way) = self.batches.under_way.get_mut(&id) else {
            return Ok(());
        };
        let poll = self.settings.batch.poll;
        match stepped {
            Stepped::Submitted(Ok(name)) => {
                self.store.name_batch(id, Some(&name))?;
                (way.batch.name, way.failures) = (Some(name), 0);
                if self.settings.batch.waits {
                    self.step(id, Step::Poll, poll);
                } else {
                    self.leave(id);
                }
                Ok(())
            }
            Stepped::Submitted(Err(failure)) => {
                way.failures += 1;
                // Whatever the reply was, looking for the batch costs less than paying twice.
                way.may_be_taken = true;
                let (failures, seed) = (way.failures, self.settings.seed);
                let pause =
                    (self.settings.backoff).pause(&failure, failures, &way.batch.mark, seed);
                match pause {
                    Some(pause) => self.submit(id, pause),
                    None if failure.is_final() => self.refused(id, &failure),
                    None => self.give_up(id, "cannot be submitted", &failure),
                }
            }
            Stepped::Polled(Ok(BatchState::Working { .. })) => {
                way.failures = 0;
                if self.settings.batch.waits {
                    self.step(id, Step::Poll, poll);
                } else {
                    self.leave(id);
                }
                Ok(())
            }
            Stepped::Polled(Ok(BatchState::Ended(end))) => {
                way.failures = 0;
                self.step(id, Step::Collect(end), Duration::ZERO);
                Ok(())
            }
            Stepped::Polled(Ok(BatchState::Failed { code, reason })) => {
                if code
                    .as_deref()
                    .is_some_and(|code| WAIT_CODES.contains(&code))
                {
                    return self.too_early(id, code, reason);
                }
                let failure = Failure::Status {
                    status: 400,
                    code,
                    message: reason,
                    retry_after: None,
                    should_retry: None,
                };
                self.refused(id, &failure)
            }
            Stepped::Polled(Err(failure)) => self.again_later(id, Step::Poll, &failure),
            Stepped::Collected(Err(failure)) => self.again_later(id, Step::Poll, &failure),
            Stepped::Collected(Ok(replies)) => self.ended(id, &replies),
        }
    }

    /// The account has no room for the batch now. It is submitted again while others of ours make room, else up to a limit.
    fn too_early(
        &mut self,
        id: i64,
        code: Option<String>,
        reason: String,
    ) -> Result<(), StoreError> {
        let Some(way) = self.batches.under_way.get(&id) else {
            return Ok(());
        };
        let has_others = self.batches.is_waited_for(way.judge, id);
        self.store.name_batch(id, None)?;
        if let Some(way) = self.batches.under_way.get_mut(&id) {
            (way.batch.name, way.may_be_taken) = (None, false);
            way.turned_away += u32::from(!has_others);
            if way.turned_away < FAILURES_MAX {
                return self.submit(id, self.settings.batch.poll);
            }
        }
        let failure = Failure::Status {
            status: 400,
            code,
            message: format!("{reason}; smaller batches may fit"),
            retry_after: None,
            should_retry: None,
        };
        self.refused(id, &failure)
    }

    /// Polls again after a failure, up to a limit.
    fn again_later(&mut self, id: i64, step: Step, failure: &Failure) -> Result<(), StoreError> {
        let Some(way) = self.batches.under_way.get_mut(&id) else {
            return Ok(());
        };
        way.failures += 1;
        let is_hopeless = failure.has_no_credit()
            || (failure.refuses_key() && way.failures > 1)
            || self.settings.backoff.postponed(failure).is_some();
        if way.failures >= FAILURES_MAX || is_hopeless {
            return self.give_up(id, "cannot be polled", failure);
        }
        let pause = failure.retry_after().unwrap_or_default();
        self.step(id, step, pause.max(self.settings.batch.poll));
        Ok(())
    }

    /// Keeps all replies, then settles each question.
    fn ended(&mut self, id: i64, replies: &[(String, BatchReply)]) -> Result<(), StoreError> {
        let Some(way) = self.batches.under_way.remove(&id) else {
            return Ok(());
        };
        self.store.end_batch(&way.batch, replies)?;
        for (key, reply) in replies {
            // A question that this session did not ask waits in the store.
            if let Some(flight) = self.batches.flights.remove(key) {
                self.settle_batched(flight, way.batch.sealed_at, reply)?;
            }
        }
        Ok(())
    }

    /// The provider rejected the batch as a whole.
    fn refused(&mut self, id: i64, failure: &Failure) -> Result<(), StoreError> {
        let Some(way) = self.batches.under_way.get(&id) else {
            return Ok(());
        };
        let (status, code, message) = match failure {
            Failure::Status {
                status,
                code,
                message,
                ..
            } => (*status, code.clone(), message.clone()),
            other => (400, None, other.to_string()),
        };
        let body = serde_json::json!({"error": {"message": message, "code": code}});
        let replies: Vec<(String, BatchReply)> = (way.batch.keys.iter())
            .map(|key| {
                let body = body.clone();
                (key.clone(), BatchReply::Body { status, body })
            })
            .collect();
        self.ended(id, &replies)
    }

    /// Leaves a batch to the next command because of a failure.
    fn give_up(&mut self, id: i64, what: &str, failure: &Failure) -> Result<(), StoreError> {
        let Some(way) = self.batches.under_way.remove(&id) else {
            return Ok(());
        };
        let reason = format!("its batch {what}: {failure}; repeat the command to try again");
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
        if self.summary.stop.is_none() {
            self.summary.stop = Some(Stop::InBatches);
        }
    }

    fn settle_batched(
        &mut self,
        flight: Flight,
        asked_at: SystemTime,
        reply: &BatchReply,
    ) -> Result<(), StoreError> {
        let elapsed = asked_at.elapsed().unwrap_or_default();
        let response = self.endpoint(flight.judge).batch_response(reply, elapsed);
        self.settle(Landed {
            flight,
            way: Way::Batch,
            asked_at,
            response,
        })
    }

    fn submit(&mut self, id: i64, pause: Duration) -> Result<(), StoreError> {
        let way = &self.batches.under_way[&id];
        let step = Step::Submit {
            lines: self.store.batch_lines(&way.batch)?,
            looks_first: way.may_be_taken,
        };
        self.step(id, step, pause);
        Ok(())
    }

    fn step(&mut self, id: i64, step: Step, pause: Duration) {
        let way = &self.batches.under_way[&id];
        let (judge, batch) = (self.judges[way.judge].clone(), way.batch.clone());
        let known = self.known_names(&step);
        self.batches.stepping.spawn(async move {
            tokio::time::sleep(pause).await;
            let endpoint = judge.endpoint().expect("only models take batches");
            let name = batch.name.as_deref().unwrap_or_default();
            let stepped = match step {
                Step::Submit { lines, looks_first } => {
                    Stepped::Submitted(hand_in(endpoint, &batch, lines, looks_first, &known).await)
                }
                Step::Poll => Stepped::Polled(endpoint.poll_batch(name).await),
                Step::Collect(end) => {
                    Stepped::Collected(endpoint.batch_replies(name, &end, &batch.keys).await)
                }
            };
            (batch.id, stepped)
        });
    }

    fn known_names(&self, step: &Step) -> Vec<String> {
        match step {
            // Only to rule out other batches early; the keys of the replies decide in the end.
            Step::Submit { .. } => self.store.batch_names().unwrap_or_default(),
            Step::Poll | Step::Collect(_) => Vec::new(),
        }
    }

    fn endpoint(&self, judge: usize) -> &Endpoint {
        (self.judges[judge].endpoint()).expect("only models take batches")
    }

    /// The flight without its message, which is in the store.
    fn bare(&self, flight: Flight) -> Flight {
        if flight.bare_usd.is_some() {
            return flight;
        }
        let mut flight = flight;
        let judge = &self.judges[flight.judge];
        let question = &flight.request.question;
        flight.bare_usd = Some(judge.cost_usd_max(question, None).unwrap_or(0.0));
        flight.request.question = Arc::new(Question {
            parts: Vec::new(),
            evidence: Evidence::default(),
            ..Question::clone(question)
        });
        flight
    }

    /// The flight with its message.
    pub(super) fn whole(&self, flight: Flight) -> Result<Flight, StoreError> {
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
        (self.under_way.iter())
            .any(|(other, way)| *other != id && way.judge == judge && way.batch.name.is_some())
    }
}

async fn hand_in(
    endpoint: &Endpoint,
    batch: &OpenBatch,
    lines: Vec<u8>,
    looks_first: bool,
    known: &[String],
) -> Result<String, Failure> {
    if looks_first {
        let lost = LostBatch {
            mark: &batch.mark,
            num_requests: batch.keys.len(),
            sealed_at: batch.sealed_at,
            known,
        };
        if let Some(name) = endpoint.find_batch(&lost).await? {
            return Ok(name);
        }
    }
    endpoint.submit_batch(&batch.mark, lines).await
}

/// A mark that no other batch has.
fn mark(key: &str) -> String {
    let now = crate::store::rfc3339(SystemTime::now());
    let unique = format!("{now}/{}/{key}", std::process::id());
    blake3::hash(unique.as_bytes()).to_hex()[..32].to_owned()
}
