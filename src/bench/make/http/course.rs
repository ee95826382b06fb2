//! The course of one job: submit, poll, fetch, step by step, from the state in its record.

use super::client::{Lost, Reply};
use super::endpoint::{Endpoint, request_of};
use super::pick::values_at;
use super::places::Places;
use super::record::{Record, State};
use super::trouble::{OUTAGES_MAX, RETRY_AFTER_MAX, Trouble, doubled, kept};
use crate::bench::file::{PollEntry, RequestEntry, StepEntry};
use crate::bench::make::job::AssetSpec;
use crate::bench::make::till::NotBooked;
use crate::store::Booking;
use reqwest::Method;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Default of the time between two polls.
const EVERY_SECS: f64 = 5.0;

/// Polls become rarer up to this, unless the description says less often.
const EVERY_MAX: Duration = Duration::from_secs(30);

/// Growth of the interval from one poll to the next.
const GROWTH: f64 = 1.2;

/// A request for a state takes no longer.
const POLL_TIMEOUT: Duration = Duration::from_secs(60);

/// A job is given up after so many "unknown" replies in a row; a new one can be unknown briefly.
const UNKNOWN_MAX: u32 = 3;

/// Number of further tries for a missing or incomplete asset.
const FETCHES_MAX: u32 = 3;

impl Endpoint {
    /// Takes a job to its end, from the start or from where an earlier call left it.
    /// `is_submitting` is set while a reply has the id of a job that nobody knows yet.
    pub(super) async fn drive(
        &self,
        spec: &AssetSpec<'_>,
        is_submitting: &AtomicBool,
    ) -> Result<Vec<u8>, Trouble> {
        let deadline = Instant::now() + self.timeout;
        let mut record =
            Record::read(spec.place, spec.recipe).unwrap_or_else(|| Record::new(spec.recipe));
        if record.state == State::Refused {
            return Err(Trouble::Refused(record.reason));
        }
        let mut places = self.places(spec).map_err(Trouble::Final)?;
        for (name, value) in &record.taken {
            places.set(name, value.clone());
        }
        let mut is_resumed = record.state == State::Running;
        for (idx, step) in self.steps.iter().enumerate().skip(record.step) {
            let mut reply = None;
            if !is_resumed {
                (record.step, record.state) = (idx, State::Submitting);
                is_submitting.store(step.poll.is_some(), Ordering::Relaxed);
                let answer = self.submit(spec, &record, step, &places, deadline).await?;
                let taken = self.taken(step, &answer, &places)?;
                for (name, value) in taken {
                    if let Some(step) = &step.name {
                        let whole = format!("{step}.{name}");
                        places.set(&whole, value.clone());
                        record.taken.insert(whole, value.clone());
                    }
                    places.set(&name, value.clone());
                    record.taken.insert(name, value);
                }
                if step.poll.is_some() {
                    record.state = State::Running;
                    record.keep(spec.place).map_err(Trouble::Final)?;
                }
                is_submitting.store(false, Ordering::Relaxed);
                reply = Some(answer);
            }
            let last = match (&step.poll, reply) {
                (Some(poll), _) => self.polled(step, poll, &places, deadline, is_resumed).await?,
                (None, Some(reply)) => reply,
                (None, None) => return Err(Trouble::Failed("its job has no state".to_owned())),
            };
            is_resumed = false;
            if idx + 1 == self.steps.len() {
                return self.fetched(step, last, &places, deadline).await;
            }
        }
        Err(Trouble::Failed("its job does not end".to_owned()))
    }

    /// The reply to the request that starts a job. It is booked and recorded before it is sent.
    async fn submit(
        &self,
        spec: &AssetSpec<'_>,
        record: &Record,
        step: &StepEntry,
        places: &Places,
        deadline: Instant,
    ) -> Result<Reply, Trouble> {
        let booking = Booking {
            generator: spec.method.to_owned(),
            prompt_id: spec.prompt.id.clone(),
            seed: spec.seed,
            usd: self.cost_usd.filter(|_| record.step == 0).unwrap_or_default(),
        };
        // Errors in the asset are found before the next job is paid.
        self.body(&step.submit, places, spec).map_err(Trouble::Final)?;
        spec.till.book(&booking).map_err(|not| match not {
            NotBooked::Limit(limit) => Trouble::Unaffordable(limit),
            NotBooked::Disk(why) => Trouble::Final(why),
        })?;
        let give_back = || spec.till.give_back(&booking);
        if let Err(why) = record.keep(spec.place) {
            give_back();
            return Err(Trouble::Final(why));
        }
        let mut pause = Duration::from_secs(1);
        let mut unreached = 0;
        loop {
            let sent = self.ask(&step.submit, &Method::POST, places, Some(spec), deadline).await;
            let reply = match sent {
                Ok(reply) => reply,
                // Nothing was taken: it may be sent again without being paid twice.
                Err(Lost { was_sent: false, why }) => {
                    unreached += 1;
                    if unreached >= OUTAGES_MAX || Instant::now() + pause >= deadline {
                        give_back();
                        return Err(Trouble::Failed(why));
                    }
                    tokio::time::sleep(pause).await;
                    pause = doubled(pause);
                    continue;
                }
                // It may have been taken, and stays booked.
                Err(Lost { why, .. }) => return Err(Trouble::Failed(why)),
            };
            let status = reply.status.as_u16();
            if reply.status.is_success() {
                return Ok(reply);
            }
            let why = self.said(&reply);
            if status == 429 || (status == 503 && reply.retry_after.is_some()) {
                let wait = asked_for(&reply, pause);
                if wait > RETRY_AFTER_MAX || Instant::now() + wait >= deadline {
                    give_back();
                    return Err(Trouble::Final(format!(
                        "{why}; the service asks to wait {} s, so run the same command again later",
                        wait.as_secs()
                    )));
                }
                tokio::time::sleep(wait).await;
                pause = doubled(pause);
                continue;
            }
            if reply.status.is_client_error() && status != 408 {
                give_back();
            }
            return Err(match status {
                500.. | 408 => Trouble::Failed(why),
                _ => self.ended(&reply.bytes, why, Trouble::Final),
            });
        }
    }

    /// The reply that reports the end of the job.
    async fn polled(
        &self,
        step: &StepEntry,
        poll: &PollEntry,
        places: &Places,
        deadline: Instant,
        is_resumed: bool,
    ) -> Result<Reply, Trouble> {
        let mut every = Duration::from_secs_f64(poll.every_secs.unwrap_or(EVERY_SECS));
        let every_max = every.max(EVERY_MAX);
        let request = request_of(poll);
        let mut is_due = is_resumed;
        let mut unknown = 0;
        loop {
            if !std::mem::replace(&mut is_due, false) {
                self.wait(every, deadline).await?;
                every = every.mul_f64(GROWTH).min(every_max);
            }
            let reply = self.answered(&request, places, deadline, u32::MAX).await?;
            let status = reply.status.as_u16();
            if poll.pending_http.contains(&status) {
                continue;
            }
            if [404, 410].contains(&status) {
                unknown += 1;
                if unknown >= UNKNOWN_MAX {
                    return Err(Trouble::Failed(format!(
                        "the service no longer knows its job: {}",
                        self.said(&reply)
                    )));
                }
                continue;
            }
            unknown = 0;
            if !reply.status.is_success() {
                return Err(self.denied(&reply));
            }
            if self.is_done(step, &reply, places)? {
                return Ok(reply);
            }
        }
    }

    /// Whether the reply to a poll reports a job that is done; false for one that is pending.
    fn is_done(&self, step: &StepEntry, reply: &Reply, places: &Places) -> Result<bool, Trouble> {
        let Some(status) = &step.status else {
            return Ok(true);
        };
        // A reply that is not JSON counts as an unknown state.
        let Ok(json) = serde_json::from_slice::<Value>(&reply.bytes) else {
            return Ok(false);
        };
        let at = |pointer: &str| -> Result<Vec<&Value>, Trouble> {
            let pointer = places.pointer(pointer).map_err(Trouble::Final)?;
            Ok(values_at(&json, &pointer))
        };
        let states: Vec<String> = at(status)?.into_iter().map(plain_text).collect();
        let is_any = |names: &[String]| states.iter().any(|state| names.contains(state));
        let mut reason = Vec::new();
        for value in step.reason.iter().map(|pointer| at(pointer)) {
            let said = value?.into_iter().filter(|value| !value.is_null());
            reason.extend(said.map(plain_text).filter(|text| !text.is_empty()));
        }
        let why = || {
            let said = if reason.is_empty() {
                String::new()
            } else {
                format!(", {}", self.client.quoted(reason.join("; ").as_bytes()))
            };
            format!("the service says {}{said}", states.join(", "))
        };
        if is_any(&step.refused) {
            return Err(Trouble::Refused(why()));
        }
        let has_error = match &step.error {
            Some(pointer) => {
                at(pointer)?.iter().any(|value| !value.is_null() && value.as_str() != Some(""))
            }
            None => false,
        };
        if is_any(&step.failed) || has_error {
            return Err(self.ended(reason.join(" ").as_bytes(), why(), Trouble::Failed));
        }
        Ok(!states.is_empty() && states.iter().all(|state| step.done.contains(state)))
    }

    /// The asset; if it has disappeared or is incomplete, the state is read again.
    async fn fetched(
        &self,
        step: &StepEntry,
        mut last: Reply,
        places: &Places,
        deadline: Instant,
    ) -> Result<Vec<u8>, Trouble> {
        let mut fetches = 0;
        loop {
            let result = match &step.result {
                Some(request) => {
                    let reply = self.answered(request, places, deadline, OUTAGES_MAX).await?;
                    if !reply.status.is_success() {
                        return Err(self.denied(&reply));
                    }
                    Some(reply)
                }
                None => None,
            };
            let reply = result.as_ref().unwrap_or(&last);
            let why = match self.asset(step, reply, places, deadline).await? {
                Ok(bytes) => return Ok(bytes),
                Err(why) => why,
            };
            fetches += 1;
            let Some(poll) = step.poll.as_ref().filter(|_| fetches < FETCHES_MAX) else {
                return Err(Trouble::Failed(why));
            };
            // A state that is read anew names a new address.
            last = self.polled(step, poll, places, deadline, false).await?;
        }
    }

    /// The answer to a request without side effects: outages are waited for, up to a limit.
    async fn answered(
        &self,
        request: &RequestEntry,
        places: &Places,
        deadline: Instant,
        outages_max: u32,
    ) -> Result<Reply, Trouble> {
        let mut pause = Duration::from_secs(1);
        let mut outages = 0;
        loop {
            let until = deadline.min(Instant::now() + POLL_TIMEOUT);
            let (wait, why) = match self.ask(request, &Method::GET, places, None, until).await {
                Ok(reply) => match reply.status.as_u16() {
                    408 | 425 | 429 | 500.. => (asked_for(&reply, pause), self.said(&reply)),
                    _ => return Ok(reply),
                },
                Err(Lost { why, .. }) => (pause, why),
            };
            outages += 1;
            if outages >= outages_max {
                return Err(kept(why));
            }
            self.wait(wait, deadline).await?;
            pause = doubled(pause);
        }
    }

    fn taken(
        &self,
        step: &StepEntry,
        reply: &Reply,
        places: &Places,
    ) -> Result<Vec<(String, Value)>, Trouble> {
        if step.take.is_empty() {
            return Ok(Vec::new());
        }
        let said = || self.client.quoted(&reply.bytes);
        let json: Value = serde_json::from_slice(&reply.bytes).map_err(|_| {
            Trouble::Failed(format!("the reply is not JSON; it starts with {}", said()))
        })?;
        step.take
            .iter()
            .map(|(name, pointer)| {
                let pointer = places.pointer(pointer).map_err(Trouble::Final)?;
                let value = values_at(&json, &pointer).into_iter().next();
                match value.filter(|value| !value.is_null()) {
                    Some(value) => Ok((name.clone(), value.clone())),
                    None => {
                        let why = format!("the reply has no {pointer}: {}", said());
                        Err(self.ended(&reply.bytes, why, Trouble::Failed))
                    }
                }
            })
            .collect()
    }
}

/// Time to wait: the server's request and a bit more, so 0 causes no flood; else a default.
fn asked_for(reply: &Reply, pause: Duration) -> Duration {
    let asked = reply.retry_after;
    asked.map_or(pause, |asked| asked + pause.mul_f64(0.25))
}

fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
