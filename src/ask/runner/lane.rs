//! What waits for one judge, in order, and how fast it may go. Nothing here is shared between
//! judges, so that none waits for another.
//!
//! A judge that falls behind the others keeps a few whole questions ready; further ones are parked:
//! the store has their messages.

use crate::ask::settings::AskSettings;
use crate::judge::{
    Backoff, Breaker, Endpoint, Failure, Gate, Judge, Miss, Pace, PaceSettings, Restate,
};
use crate::rubric::Rubric;
use crate::store::Request;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

/// A request on its way.
pub(super) struct Flight {
    pub request: Request,
    pub judge: usize,
    pub what: Arc<str>,
    /// Failed requests in a row.
    pub failures: u32,
    /// Times in a row that the server said "too many requests": no fault of the question's.
    pub throttled: u32,
    /// Replies without an answer.
    pub replies: u32,
    /// The reply that must be restated; none for the question itself.
    pub restate: Option<Restate>,
    /// US dollars that the budget reserves for the next request; none while it reserves nothing.
    pub held_usd: Option<f64>,
    /// US dollars that it reserves for the restatement that may follow.
    pub follow_usd: f64,
    /// Maximum cost of its first request, while a batch leaves its message in the store.
    pub bare_usd: Option<f64>,
    /// Whether it is asked for text although the others are asked by schema.
    pub as_text: bool,
    /// Whether its line in a batch asks for an answer by schema.
    pub by_schema: bool,
    /// How often a request was turned away for its form.
    pub adapted: u32,
    /// How many flights, this one first, are begun together or not at all.
    pub together: usize,
}

impl Flight {
    pub(super) fn new(request: Request, judge: usize, what: Arc<str>) -> Self {
        Self {
            request,
            judge,
            what,
            failures: 0,
            throttled: 0,
            replies: 0,
            restate: None,
            held_usd: None,
            follow_usd: 0.0,
            bare_usd: None,
            as_text: false,
            by_schema: false,
            adapted: 0,
            together: 1,
        }
    }

    /// The same without its message.
    pub(super) fn parked(&self) -> Option<Parked> {
        Some(Parked {
            id: blake3::Hash::from_hex(&self.request.id).ok()?,
            content: blake3::Hash::from_hex(&self.request.content_hash).ok()?,
            what: Arc::clone(&self.what),
            rubric: Arc::clone(&self.request.question.rubric),
            together: self.together,
        })
    }
}

/// What a request belongs to, in its judge's pace and breaker.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ticket {
    pub number: u64,
    pub is_probe: bool,
}

/// A waiting request without message, under 150 bytes: a whole benchmark may wait on a hung judge.
pub(super) struct Parked {
    pub id: blake3::Hash,
    pub content: blake3::Hash,
    pub what: Arc<str>,
    pub rubric: Arc<Rubric>,
    pub together: usize,
}

pub(super) struct Lane {
    pub ready: VecDeque<Flight>,
    /// Behind those that are ready.
    pub parked: VecDeque<Parked>,
    /// Requests under way.
    pub in_flight: usize,
    /// Questions that wait for a batch.
    pub in_batches: usize,
    /// Flights that wait for their next try.
    pub pausing: usize,
    /// Requests at a time, and whole questions that are kept ready.
    slots_max: usize,
    pub pace: Pace,
    pub breaker: Breaker,
    /// Since when the server has said nothing but "too many requests".
    pub throttled_since: Option<Instant>,
    /// Times in a row that the key was not taken.
    pub keys_refused: u32,
}

/// A key that is refused so often in a row is wrong.
const KEYS_REFUSED_MAX: u32 = 2;

impl Lane {
    /// `takes_max`: how many requests at a time the judge takes.
    pub(super) fn new(settings: &AskSettings, takes_max: usize, now: Instant) -> Self {
        let slots_max = settings.concurrency.min(takes_max).max(1);
        let pace = PaceSettings {
            slots_max,
            requests_per_minute: settings.requests_per_minute,
            tokens_per_minute: settings.tokens_per_minute,
        };
        Self {
            ready: VecDeque::new(),
            parked: VecDeque::new(),
            in_flight: 0,
            in_batches: 0,
            pausing: 0,
            slots_max,
            pace: Pace::new(pace, now),
            breaker: Breaker::new(settings.breaker),
            throttled_since: None,
            keys_refused: 0,
        }
    }

    pub(super) fn replied(&mut self) {
        self.breaker.answered();
        (self.throttled_since, self.keys_refused) = (None, 0);
    }

    /// On anything else: returns why the judge is given up, if so. `ticket` is none in a batch.
    pub(super) fn failed(
        &mut self,
        failure: &Failure,
        ticket: Option<Ticket>,
        backoff: &Backoff,
        now: Instant,
    ) -> Option<String> {
        if failure.has_no_credit() {
            return Some(failure.to_string());
        }
        if let Some(reason) = backoff.postponed(failure) {
            return Some(reason);
        }
        if failure.refuses_key() {
            self.keys_refused += 1;
            if self.keys_refused >= KEYS_REFUSED_MAX {
                return Some(failure.to_string());
            }
        }
        if failure.is_rate_limit() {
            self.breaker.replied();
            let since = *self.throttled_since.get_or_insert(now);
            return (now.duration_since(since) >= backoff.throttled_max).then(|| {
                format!(
                    "the server has answered only {} for {} s; run the same command again later; last: {failure}",
                    failure.http_status().unwrap_or(429),
                    now.duration_since(since).as_secs()
                )
            });
        }
        let ticket = ticket?;
        if (failure.refrain())
            .is_some_and(|said| self.breaker.repeats(said, failure.is_final(), now))
        {
            return Some(format!(
                "the server answers every question with the same error; last: {failure}"
            ));
        }
        let miss = if failure.turns_away() || failure.refuses_key() {
            Miss::TurnedAway
        } else if failure.is_outage() {
            Miss::Outage
        } else {
            self.breaker.replied();
            return None;
        };
        self.breaker.failed(miss, ticket.is_probe, now).then(|| match miss {
            Miss::Outage => format!("the server is down; last: {failure}"),
            Miss::TurnedAway => format!("the server rejects every question; last: {failure}"),
        })
    }

    /// Whether the flight at the front may start. A judge without a server has no pace.
    pub(super) fn gate(&self, judge: &Judge, tokens: u64, now: Instant) -> Gate {
        if judge.is_free() {
            return if self.in_flight < self.slots_max { Gate::Open } else { Gate::Full };
        }
        // Until the first reply it is not known whether the server takes a schema.
        if self.in_flight > 0 && judge.endpoint().is_some_and(Endpoint::is_form_open) {
            return Gate::Full;
        }
        match self.breaker.gate(now) {
            Gate::Open => self.pace.gate(self.in_flight, tokens, now),
            closed => closed,
        }
    }

    pub(super) fn sent(&mut self, tokens: u64, now: Instant) -> Ticket {
        Ticket { number: self.pace.sent(tokens, now), is_probe: self.breaker.sent() }
    }

    /// Whether it would soon have nothing to ask.
    pub(super) fn is_hungry(&self) -> bool {
        self.ready.len() + self.parked.len() < self.slots_max
    }

    /// Whether so much is ready that further questions are parked.
    pub(super) fn is_stocked(&self) -> bool {
        self.ready.len() >= 2 * self.slots_max || !self.parked.is_empty()
    }

    /// Whether nothing waits to be asked.
    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.parked.is_empty()
    }

    /// Whether money is reserved for unfinished work. Batches may be left to the next command.
    pub(super) fn holds_money(&self, waits_for_batches: bool) -> bool {
        self.in_flight > 0 || (self.in_batches > 0 && waits_for_batches) || self.num_held() > 0
    }

    /// Puts back a flight for another try, before everything that has not started.
    pub(super) fn again(&mut self, flight: Flight) {
        let begun = self.ready.iter().take_while(|flight| flight.held_usd.is_some()).count();
        self.ready.insert(begun, flight);
    }

    /// Flights that have not started and for which the budget reserves something.
    pub(super) fn num_held(&self) -> usize {
        self.ready.iter().take_while(|flight| flight.held_usd.is_some()).count()
    }
}
