//! After a request: its reply is read, recorded and paid for; then it is asked again or ended.

use super::lane::Flight;
use super::state::{Landed, Runner, Way};
use crate::ask::progress::Stop;
use crate::judge::{Adapted, Again, BOOKED_MAX, Failure, Landing, Quota, Reply, Response, Usage};
use crate::rubric::{Outcome, Parts, ReplyText, Verdict};
use crate::store::{Attempt, Recorded, StoreError};
use std::time::{Duration, Instant};

/// The form of a question's request changes no more often: its schema, its limit, its stream.
const ADAPTED_MAX: u32 = 3;

impl Runner<'_> {
    /// Records what came back, then decides what comes next.
    pub(super) fn settle(&mut self, landed: Landed) -> Result<(), StoreError> {
        let Landed { mut flight, way, asked_at, response } = landed;
        let Response { result, elapsed, quota, adapted } = response;
        let held_usd = flight.held_usd.take().unwrap_or(0.0);
        let (outcome, reply, failure) = self.read_result(&flight, result, held_usd);
        let cost_usd_max = self.cost_usd_max(&flight, held_usd, reply.as_ref(), failure.as_ref());
        let http_status = match (&reply, &failure) {
            (Some(reply), _) => reply.http_status,
            (None, failure) => failure.as_ref().and_then(|f| f.http_status()),
        };
        let probabilities = reply
            .as_ref()
            .zip(outcome.verdict())
            .and_then(|(reply, verdict)| probabilities(&flight, reply, verdict));
        let attempt = Attempt {
            asked_at,
            elapsed,
            outcome,
            reply,
            http_status,
            cost_usd_max,
            probabilities,
            reused_from: None,
        };
        self.store.keep_attempt(&flight.request, &attempt)?;
        self.pay(&flight, held_usd, &attempt);
        self.land(&flight, way, failure.as_ref(), quota.as_ref(), adapted.is_some());
        self.note_oddities(&flight, &attempt, failure.as_ref(), adapted);
        let pause = if attempt.outcome.verdict().is_some() {
            self.summary.verdicts += 1;
            return self.end(&flight);
        } else if let Some(adapted) = adapted.filter(|_| flight.adapted < ADAPTED_MAX) {
            flight.adapted += 1;
            flight.as_text |= matches!(adapted, Adapted::AsText { .. });
            Some(Duration::ZERO)
        } else if let Some(failure) = failure {
            self.after_failure(&mut flight, &failure)
        } else {
            self.after_reply(&mut flight, &attempt)
        };
        match pause {
            Some(pause) if self.summary.stop != Some(Stop::Interrupted) => {
                if pause.is_zero() {
                    self.resume(flight)
                } else {
                    self.pause(flight, pause)
                }
                Ok(())
            }
            _ => {
                let reason = attempt.outcome.reason().unwrap_or_default().to_owned();
                self.fail(&flight, attempt.outcome.name(), reason);
                self.end(&flight)
            }
        }
    }

    fn read_result(
        &mut self,
        flight: &Flight,
        result: Result<Reply, Failure>,
        held_usd: f64,
    ) -> (Outcome, Option<Reply>, Option<Failure>) {
        let reply = match result {
            Ok(reply) => reply,
            Err(failure) => {
                let reason = failure.to_string();
                return (Outcome::ProviderError { reason }, None, Some(failure));
            }
        };
        let mut reply = self.plausible(reply, held_usd, flight);
        let parts = Parts::of(&reply.text);
        let outcome = read(flight, &reply, &parts);
        if !parts.reasoning.is_empty() {
            let both = [reply.reasoning.as_str(), &parts.reasoning].join("\n");
            reply.reasoning = both.trim().to_owned();
        }
        (outcome, Some(reply), None)
    }

    /// What an attempt counts for where its cost is unknown, or beyond what was held for it.
    fn cost_usd_max(
        &self,
        flight: &Flight,
        held_usd: f64,
        reply: Option<&Reply>,
        failure: Option<&Failure>,
    ) -> Option<f64> {
        let endpoint = self.judges[flight.judge].endpoint();
        endpoint?.facts().price.as_ref()?;
        let cost_usd = reply.and_then(|reply| reply.cost_usd);
        let may_have_cost = match reply {
            Some(_) => cost_usd.is_none(),
            None => failure.is_some_and(Failure::may_have_cost),
        };
        if may_have_cost {
            // An unknown charge counts at its maximum.
            return Some(held_usd * self.budget.excess(flight.judge));
        }
        // So that the next command knows how far it was beyond.
        cost_usd.filter(|usd| *usd > held_usd).map(|_| held_usd)
    }

    /// Books the cost of an attempt.
    fn pay(&mut self, flight: &Flight, held_usd: f64, attempt: &Attempt) {
        if self.judges[flight.judge].is_free() {
            return;
        }
        let cost = attempt.reply.as_ref().and_then(|reply| reply.cost_usd);
        let cost = cost.or(attempt.cost_usd_max).unwrap_or(0.0);
        if let Some(excess) = self.budget.settle(flight.judge, held_usd, cost) {
            self.summary.notes.insert(format!(
                "{} costs more than its prices and limits allow for; since the first such reply, each request reserves {excess:.0} times as much",
                flight.request.judge
            ));
        }
    }

    /// Frees the judge's slot, and lets its pace and its breaker know how the request ended.
    fn land(
        &mut self,
        flight: &Flight,
        way: Way,
        failure: Option<&Failure>,
        quota: Option<&Quota>,
        is_adapted: bool,
    ) {
        let now = Instant::now();
        let landing = self.landing(failure);
        let lane = &mut self.lanes[flight.judge];
        let ticket = match way {
            Way::Request(ticket) => {
                lane.in_flight -= 1;
                ticket
            }
            Way::Batch => {
                lane.in_batches -= 1;
                None
            }
        };
        if let Some(ticket) = ticket {
            lane.pace.landed(ticket.number, landing, quota, now);
        }
        let given_up = match failure {
            None => {
                lane.replied();
                None
            }
            // The next attempt is another request.
            Some(_) if is_adapted => {
                lane.breaker.replied();
                None
            }
            Some(failure) => lane.failed(failure, ticket, &self.settings.backoff, now),
        };
        if let Some(reason) = given_up {
            self.summary.ended.insert(flight.request.judge.clone(), reason);
        }
    }

    /// Notes for the user that a request changed its form, or that a reply was cut off by a limit.
    fn note_oddities(
        &mut self,
        flight: &Flight,
        attempt: &Attempt,
        failure: Option<&Failure>,
        adapted: Option<Adapted>,
    ) {
        let judge = &flight.request.judge;
        if let Some(words) = adapted.and_then(Adapted::words) {
            let why = failure.map(Failure::to_string).unwrap_or_default();
            self.summary.notes.insert(format!("{judge} {words} ({why})"));
        }
        let endpoint = self.judges[flight.judge].endpoint();
        let cut = endpoint
            .zip(attempt.reply.as_ref())
            .and_then(|(endpoint, reply)| endpoint.truncation(&flight.request.question, reply));
        if let Some(words) = cut {
            self.summary.notes.insert(format!("{judge} {words}"));
        }
    }

    /// The reply without a cost that cannot be: more than [`BOOKED_MAX`] times what the request can
    /// hold. Such a count is no count, so the request is booked at what was reserved for it.
    fn plausible(&mut self, reply: Reply, held_usd: f64, flight: &Flight) -> Reply {
        match reply.cost_usd {
            Some(usd) if held_usd > 0.0 && usd > BOOKED_MAX * held_usd => {
                self.summary.notes.insert(format!(
                    "{} reports more than {BOOKED_MAX} times what a request can cost; the report is ignored, and the request is booked at its reservation",
                    flight.request.judge
                ));
                Reply { cost_usd: None, usage: Usage::default(), ..reply }
            }
            _ => reply,
        }
    }

    fn landing(&self, failure: Option<&Failure>) -> Landing {
        let backoff = &self.settings.backoff;
        match failure {
            Some(failure) if failure.is_rate_limit() => {
                let asked = failure.retry_after().unwrap_or(backoff.base);
                Landing::RateLimit(asked.min(backoff.retry_after_max))
            }
            Some(failure) if failure.is_outage() || failure.turns_away() => Landing::Outage,
            _ => Landing::Reply,
        }
    }

    /// The pause before the next try, if there is one.
    fn after_failure(&self, flight: &mut Flight, failure: &Failure) -> Option<Duration> {
        let (backoff, seed) = (&self.settings.backoff, self.settings.seed);
        if failure.is_rate_limit() {
            flight.throttled += 1;
            return backoff.throttled(failure, flight.throttled, &flight.request.id, seed);
        }
        flight.failures += 1;
        backoff.pause(failure, flight.failures, &flight.request.id, seed)
    }

    /// The same without a verdict. The next try says what was wrong, unless the judge declined.
    fn after_reply(&self, flight: &mut Flight, attempt: &Attempt) -> Option<Duration> {
        (flight.failures, flight.throttled) = (0, 0);
        flight.replies += 1;
        // Reasoning is not shown to the judge again.
        let raw = attempt.reply.as_ref().map(|reply| Parts::of(&reply.text).answer);
        let word = match &attempt.outcome {
            Outcome::Invalid { reason } => Some(format!(
                "This reply could not be used: {reason}. Answer the question again, in exactly the form that it asks for."
            )),
            Outcome::Truncated { .. } => Some(
                "This reply was cut by the length limit before its end. Answer the question again, more briefly, in exactly the form that it asks for."
                    .to_owned(),
            ),
            _ => None,
        };
        flight.again = raw.zip(word).map(|(raw, word)| Again { raw, word });
        // More room would need another limit, which is the user's to set.
        let is_useless =
            self.judges[flight.judge].is_deterministic() || attempt.outcome.is_spent_on_reasoning();
        (!is_useless && flight.replies < self.settings.replies_max).then_some(Duration::ZERO)
    }

    /// Takes a recorded reply as the answer; `false` if this version finds no verdict in it.
    pub(super) fn reuse(
        &mut self,
        flight: &Flight,
        recorded: Recorded,
    ) -> Result<bool, StoreError> {
        let outcome = read(flight, &recorded.reply, &Parts::of(&recorded.reply.text));
        if outcome.verdict().is_none() {
            return Ok(false);
        }
        let attempt = Attempt {
            http_status: recorded.reply.http_status,
            probabilities: recorded.probabilities,
            reused_from: Some(recorded.question),
            reply: Some(recorded.reply),
            ..Attempt::without_sending(outcome)
        };
        self.store.keep_attempt(&flight.request, &attempt)?;
        self.summary.verdicts += 1;
        self.summary.reused += 1;
        Ok(true)
    }
}

fn read(flight: &Flight, reply: &Reply, parts: &Parts) -> Outcome {
    let question = &flight.request.question;
    let said = ReplyText {
        text: &reply.text,
        reasoning: &reply.reasoning,
        finish: &reply.finish,
        undecided: &reply.undecided,
    };
    let category = question.category.as_deref();
    question.rubric.read_parts(&said, parts, category, question.order)
}

/// The probabilities of the choices, where the reply comes with log-probabilities.
fn probabilities(flight: &Flight, reply: &Reply, verdict: &Verdict) -> Option<serde_json::Value> {
    if reply.tokens.is_empty() {
        return None;
    }
    let question = &flight.request.question;
    let rubric = &question.rubric;
    let places = rubric.choice_places(&reply.text, verdict, question.order)?;
    let marks = rubric.choice_marks();
    let found = crate::judge::logprobs::probabilities(&reply.text, &reply.tokens, &places, &marks)?;
    Some(rubric.with_names(&found, question.order))
}
