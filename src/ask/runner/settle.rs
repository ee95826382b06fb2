//! After a request: its reply is read, recorded and paid for; then the judge is asked to restate
//! it, or asked again, or the question ends.

use super::lane::Flight;
use super::state::{Landed, Runner, Way};
use crate::ask::progress::Stop;
use crate::error::Error;
use crate::judge::{
    Adapted, BOOKED_MAX, Failure, Judge, Landing, Quota, Reply, Response, Restate, Usage,
};
use crate::rubric::{Finish, Outcome, Parts, Reading, ReplyText, Verdict};
use crate::store::{Attempt, Recorded, rfc3339};
use std::time::{Duration, Instant};

/// The form of a question's request changes no more often: its schema, its limit, its stream.
const ADAPTED_MAX: u32 = 3;

impl Runner<'_> {
    /// Records what came back, then decides what comes next.
    pub(super) fn settle(&mut self, landed: Landed) -> Result<(), Error> {
        let Landed { mut flight, way, asked_at, response } = landed;
        let Response { result, elapsed, quota, adapted, by_schema } = response;
        let held_usd = flight.held_usd.take().unwrap_or(0.0);
        let follow_usd = std::mem::take(&mut flight.follow_usd);
        let (reading, reply, failure) = self.read_result(&flight, result, held_usd);
        let cost_usd_max = self.cost_usd_max(&flight, held_usd, reply.as_ref(), failure.as_ref());
        let http_status = match (&reply, &failure) {
            (Some(reply), _) => reply.http_status,
            (None, failure) => failure.as_ref().and_then(|f| f.http_status()),
        };
        let is_unread = matches!(reading, Reading::Unread(_));
        let is_hopeless = matches!(reading, Reading::Hopeless(_)) || flight.restate.is_some();
        let mut outcome = reading.outcome();
        if let (Judge::Custom(judge), Outcome::Invalid { reason }, true) =
            (&self.judges[flight.judge], &mut outcome, is_unread)
        {
            *reason = format!("{reason}; {}", judge.remedy());
        }
        let probabilities = reply
            .as_ref()
            .zip(outcome.verdict())
            .filter(|_| flight.restate.is_none())
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
            by_schema,
            restates: flight.restate.as_ref().map(|it| it.asked_at.clone()),
        };
        self.store.keep_attempt(&flight.request, &attempt)?;
        self.pay(&flight, held_usd, &attempt);
        let unended = attempt.reply.as_ref().filter(|reply| reply.finish == Finish::Unknown);
        let unended = unended.and_then(|_| attempt.outcome.reason());
        self.land(&flight, way, failure.as_ref(), unended, quota.as_ref(), adapted.is_some());
        self.note_oddities(&flight, &attempt, failure.as_ref(), adapted);
        let restates = is_unread && self.judges[flight.judge].endpoint().is_some();
        if restates && let Some(reply) = &attempt.reply {
            let asked_at = rfc3339(asked_at);
            flight.restate = Some(Restate { raw: reply.text.as_str().into(), asked_at });
            (flight.failures, flight.throttled) = (0, 0);
            match self.budget.follow_up(flight.judge, follow_usd) {
                Ok(()) => flight.held_usd = Some(follow_usd),
                Err(limit) => return self.stop_for_budget(&flight, limit),
            }
        } else if !self.judges[flight.judge].is_free() {
            self.budget.no_follow_up(flight.judge, follow_usd);
        }
        let pause = if attempt.outcome.verdict().is_some() {
            self.summary.verdicts += 1;
            self.summary.restated += u64::from(flight.restate.is_some());
            return self.end(&flight);
        } else if restates {
            Some(Duration::ZERO)
        } else if let Some(adapted) = adapted.filter(|_| flight.adapted < ADAPTED_MAX) {
            flight.adapted += 1;
            flight.as_text |= matches!(adapted, Adapted::AsText { .. } | Adapted::OutOfReasoning);
            Some(Duration::ZERO)
        } else if let Some(failure) = failure {
            self.after_failure(&mut flight, &failure)
        } else if is_unread || is_hopeless {
            None
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
    ) -> (Reading, Option<Reply>, Option<Failure>) {
        let reply = match result {
            Ok(reply) => reply,
            Err(failure) => {
                let reason = failure.to_string();
                let outcome = Outcome::ProviderError { reason };
                return (Reading::Ended(outcome), None, Some(failure));
            }
        };
        let mut reply = self.plausible(reply, held_usd, flight);
        let parts = Parts::of(&reply.text);
        let reading = read(flight, &reply, &parts);
        if !parts.reasoning.is_empty() {
            let both = [reply.reasoning.as_str(), &parts.reasoning].join("\n");
            reply.reasoning = both.trim().to_owned();
        }
        (reading, Some(reply), None)
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
        unended: Option<&str>,
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
                // A server that never says how its replies end is paid for nothing.
                let never = |said: &&str| lane.breaker.repeats((*said).to_owned(), true, now);
                let given_up = unended.filter(never).map(str::to_owned);
                match unended {
                    Some(_) => lane.breaker.replied(),
                    None => lane.replied(),
                }
                given_up
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

    /// The same after a reply without an answer.
    fn after_reply(&self, flight: &mut Flight, attempt: &Attempt) -> Option<Duration> {
        (flight.failures, flight.throttled) = (0, 0);
        flight.replies += 1;
        // More room would need another limit, which is the user's to set.
        let is_useless =
            self.judges[flight.judge].is_deterministic() || attempt.outcome.is_spent_on_reasoning();
        (!is_useless && flight.replies < self.settings.replies_max).then_some(Duration::ZERO)
    }

    /// Takes a recorded reply, or its restatement, as the answer; `false` if there is no verdict.
    pub(super) fn reuse(&mut self, flight: &Flight, recorded: Recorded) -> Result<bool, Error> {
        let Recorded { question, reply, restates, probabilities } = recorded;
        let first = restates.as_ref().unwrap_or(&reply);
        let reading = read(flight, first, &Parts::of(&first.text));
        let attempt = |reply: Reply, outcome: Outcome| Attempt {
            http_status: reply.http_status,
            reused_from: Some(question.clone()),
            reply: Some(reply),
            ..Attempt::without_sending(outcome)
        };
        let last = match (reading, restates) {
            (Reading::Unread(outcome), Some(first)) => {
                let restated = restated(flight, &reply, &first.text);
                if restated.verdict().is_none() {
                    return Ok(false);
                }
                let first = attempt(first, outcome);
                self.store.keep_attempt(&flight.request, &first)?;
                self.summary.restated += 1;
                let restates = Some(rfc3339(first.asked_at));
                Attempt { restates, ..attempt(reply, restated) }
            }
            (reading, _) => {
                let outcome = reading.outcome();
                if outcome.verdict().is_none() {
                    return Ok(false);
                }
                Attempt { probabilities, ..attempt(reply, outcome) }
            }
        };
        self.store.keep_attempt(&flight.request, &last)?;
        self.summary.verdicts += 1;
        self.summary.reused += 1;
        Ok(true)
    }
}

/// Whether a recorded reply to the question of a flight can be restated.
pub(super) fn can_be_restated(flight: &Flight, reply: &Reply) -> bool {
    matches!(read_question(flight, reply, &Parts::of(&reply.text)), Reading::Unread(_))
}

fn read(flight: &Flight, reply: &Reply, parts: &Parts) -> Reading {
    match &flight.restate {
        Some(Restate { raw, .. }) => Reading::Ended(restated(flight, reply, raw)),
        None => read_question(flight, reply, parts),
    }
}

fn read_question(flight: &Flight, reply: &Reply, parts: &Parts) -> Reading {
    let question = &flight.request.question;
    let category = question.category.as_deref();
    question.rubric.read_parts(&said(reply), parts, category, question.order)
}

fn restated(flight: &Flight, reply: &Reply, raw: &str) -> Outcome {
    let question = &flight.request.question;
    let category = question.category.as_deref();
    question.rubric.read_restated(&said(reply), raw, category, question.order)
}

fn said(reply: &Reply) -> ReplyText<'_> {
    ReplyText {
        text: &reply.text,
        reasoning: &reply.reasoning,
        finish: &reply.finish,
        undecided: &reply.undecided,
    }
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
