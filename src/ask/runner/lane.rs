//! What waits for one judge, in order, and how fast it may go.

use crate::ask::settings::AskSettings;
use crate::judge::{Again, Backoff, Breaker, Failure, Gate, Judge, Miss, Pace, PaceSettings};
use crate::store::Request;
use std::collections::VecDeque;
use std::time::Instant;

/// A request on its way.
pub(super) struct Flight {
    pub request: Request,
    pub judge: usize,
    pub what: String,
    /// Failed requests in a row.
    pub failures: u32,
    /// Times in a row that the server said "too many requests": no fault of the question's.
    pub throttled: u32,
    /// Replies without a verdict.
    pub replies: u32,
    /// What was wrong with the last one.
    pub again: Option<Again>,
    /// US dollars that the budget reserves for the next request; none while it reserves nothing.
    pub held_usd: Option<f64>,
    /// Maximum cost of its first request, while its message is left in the store because it is in a batch.
    pub bare_usd: Option<f64>,
    /// Whether a request was turned away for its schema before.
    pub was_schema_refused: bool,
    /// How many flights, this one first, are begun together or not at all.
    pub together: usize,
}

/// What a request belongs to, in its judge's pace and breaker.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ticket {
    pub number: u64,
    pub is_probe: bool,
}

/// One judge's queue, with its rate limits and circuit breaker.
pub(super) struct Lane {
    pub ready: VecDeque<Flight>,
    pub in_flight: usize,
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
    pub(super) fn new(settings: &AskSettings, now: Instant) -> Self {
        let pace = PaceSettings {
            slots_max: settings.concurrency.max(1),
            requests_per_minute: settings.requests_per_minute,
            tokens_per_minute: settings.tokens_per_minute,
        };
        Self {
            ready: VecDeque::new(),
            in_flight: 0,
            pace: Pace::new(pace, now),
            breaker: Breaker::new(settings.breaker),
            throttled_since: None,
            keys_refused: 0,
        }
    }

    /// A reply came.
    pub(super) fn replied(&mut self) {
        self.breaker.answered();
        (self.throttled_since, self.keys_refused) = (None, 0);
    }

    /// Something else came; returns why the judge is given up, if it is. `ticket` is none for a question of a batch.
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
            return (self.keys_refused >= KEYS_REFUSED_MAX).then(|| failure.to_string());
        }
        if failure.is_rate_limit() {
            self.breaker.replied();
            let since = *self.throttled_since.get_or_insert(now);
            return (now.duration_since(since) >= backoff.throttled_max).then(|| {
                format!(
                    "the server has said nothing but 429 for {} s; run the same command again later; last: {failure}",
                    now.duration_since(since).as_secs()
                )
            });
        }
        let Some(ticket) = ticket else {
            return None;
        };
        let miss = if failure.turns_away() {
            Miss::TurnedAway
        } else if failure.is_outage() {
            Miss::Outage
        } else {
            self.breaker.replied();
            return None;
        };
        (self.breaker.failed(miss, ticket.is_probe, now)).then(|| match miss {
            Miss::Outage => format!("the server is down; last: {failure}"),
            Miss::TurnedAway => format!("the server turns every question away; last: {failure}"),
        })
    }

    /// Whether the flight at the front may start. A judge without a server has no pace.
    pub(super) fn gate(&self, judge: &Judge, tokens: u64, now: Instant) -> Gate {
        if judge.is_free() {
            return Gate::Open;
        }
        match self.breaker.gate(now) {
            Gate::Open => self.pace.gate(self.in_flight, tokens, now),
            closed => closed,
        }
    }

    pub(super) fn sent(&mut self, tokens: u64, now: Instant) -> Ticket {
        self.in_flight += 1;
        Ticket {
            number: self.pace.sent(tokens, now),
            is_probe: self.breaker.sent(),
        }
    }

    /// Puts back a flight that is to be tried again, before everything that is not begun.
    pub(super) fn again(&mut self, flight: Flight) {
        let begun = (self.ready.iter())
            .take_while(|flight| flight.held_usd.is_some())
            .count();
        self.ready.insert(begun, flight);
    }

    /// Flights that have not started and for which the budget reserves something.
    pub(super) fn num_held(&self) -> usize {
        (self.ready.iter())
            .take_while(|flight| flight.held_usd.is_some())
            .count()
    }
}
