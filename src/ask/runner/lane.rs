//! What waits for one judge, in order, and how fast it may go.

use crate::ask::settings::AskSettings;
use crate::judge::{Again, Breaker, Gate, Judge, Pace, PaceSettings};
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
}

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
        }
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
