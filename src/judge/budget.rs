//! What may be spent, in requests and in dollars: the maximum cost of a request is reserved before
//! it is sent, and settled after it.
//!
//! The sum of spending and reservations never exceeds the limits when a request is sent. So a limit
//! is kept while no request costs more than its reservation. The first request that does raises the
//! reservations of every request of its judge, those under way included; the overrun is at most
//! what these cost more than was reserved for them, each at most [`BOOKED_MAX`] times.

use super::purse::{Limit, Purse, ROUNDING};
use std::sync::Arc;

/// The limits and their remainder.
#[derive(Debug)]
pub struct Budget {
    requests_max: Option<u64>,
    cost_usd_max: Option<f64>,
    requests_sent: u64,
    requests_held: u64,
    spent_usd: f64,
    /// By judge, and at the end the reservations for no judge.
    held: Vec<Held>,
    /// Spending other than on judges, which counts against the same limit.
    purse: Arc<Purse>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Held {
    /// By what prices and limits allow for.
    usd: f64,
    /// How many times that a request of this judge has cost, at least 1.
    excess: f64,
}

/// A reply is booked at so many times what was reserved for it, at most. A server that counts more
/// miscounts: prices and the rules of pictures may be off by a few times, not by a hundred.
pub const BOOKED_MAX: f64 = 100.0;

impl Budget {
    /// `requests_sent` and `spent_usd` are of earlier calls.
    pub fn new(
        num_judges: usize,
        requests_max: Option<u64>,
        cost_usd_max: Option<f64>,
        requests_sent: u64,
        spent_usd: f64,
    ) -> Self {
        let nothing = Held { usd: 0.0, excess: 1.0 };
        Self {
            requests_max,
            cost_usd_max,
            requests_sent,
            requests_held: 0,
            spent_usd,
            held: vec![nothing; num_judges + 1],
            purse: Arc::default(),
        }
    }

    /// The same, under one limit with other users of this purse.
    #[must_use]
    pub fn sharing(mut self, purse: Arc<Purse>) -> Self {
        self.purse = purse;
        self.publish();
        self
    }

    /// Reserves so many requests to a judge that allow for `usd` together, or nothing.
    ///
    /// # Errors
    /// The limit that it would break.
    pub fn reserve(&mut self, judge: usize, requests: u64, usd: f64) -> Result<(), Limit> {
        if let Some(max) = self.requests_max
            && self.requests_sent + self.requests_held + requests > max
        {
            return Err(Limit::Requests(max));
        }
        let purse = Arc::clone(&self.purse);
        // Held until it is entered: nobody else takes the same money meanwhile.
        let mut amounts = purse.amounts();
        if let Some(limit) = self.over(usd * self.held[judge].excess, amounts.others_usd) {
            return Err(limit);
        }
        self.requests_held += requests;
        self.held[judge].usd += usd;
        amounts.judges_usd = self.committed_usd();
        Ok(())
    }

    /// Reserves what an earlier call's requests may still cost; `None` for a judge not asked now.
    pub fn carry(&mut self, judge: Option<usize>, requests: u64, usd: f64) {
        self.requests_held += requests;
        let others = self.held.len() - 1;
        self.held[judge.unwrap_or(others)].usd += usd;
        self.publish();
    }

    /// Gives back what was reserved for a request that is not made.
    pub fn release(&mut self, judge: usize, usd: f64) {
        self.requests_held -= 1;
        self.held[judge].usd -= usd;
        self.publish();
    }

    /// Turns the part of a reservation that is for a follow-up into one for its request.
    ///
    /// # Errors
    /// The limit of requests; nothing is reserved any more then.
    pub fn follow_up(&mut self, judge: usize, usd: f64) -> Result<(), Limit> {
        self.requests_held += 1;
        match self.requests_max {
            Some(max) if self.requests_sent + self.requests_held > max => {
                self.release(judge, usd);
                Err(Limit::Requests(max))
            }
            _ => Ok(()),
        }
    }

    /// Gives back the part of a reservation that is for a follow-up.
    pub fn no_follow_up(&mut self, judge: usize, usd: f64) {
        self.held[judge].usd -= usd;
        self.publish();
    }

    /// A request that `usd` was reserved for has cost `cost_usd`. Returns how many times as much is
    /// reserved from now on, if that changed.
    pub fn settle(&mut self, judge: usize, usd: f64, cost_usd: f64) -> Option<f64> {
        self.release(judge, usd);
        self.requests_sent += 1;
        self.spent_usd += cost_usd;
        let times = (cost_usd / usd).min(BOOKED_MAX);
        let held = &mut self.held[judge];
        let has_grown = usd > 0.0 && times > held.excess * (1.0 + ROUNDING);
        if has_grown {
            held.excess = times;
        }
        self.publish();
        has_grown.then_some(times)
    }

    /// Reserves `times` as much for requests of that judge, if an earlier call found that cost.
    pub fn raise(&mut self, judge: usize, times: f64) {
        let held = &mut self.held[judge];
        held.excess = held.excess.max(times.min(BOOKED_MAX));
        self.publish();
    }

    /// How many times what its prices and limits allow for is reserved for a request of that judge.
    pub fn excess(&self, judge: usize) -> f64 {
        self.held[judge].excess
    }

    /// The limit that spending and reservations exceed, as requests cost more than reserved.
    pub fn overrun(&self) -> Option<Limit> {
        self.over(0.0, self.purse.others_usd())
    }

    /// Dollars, what was spent before included.
    pub fn spent_usd(&self) -> f64 {
        self.spent_usd
    }

    /// Dollars spent on other things than judges.
    pub fn others_usd(&self) -> f64 {
        self.purse.others_usd()
    }

    fn committed_usd(&self) -> f64 {
        let held: f64 = self.held.iter().map(|held| held.usd * held.excess).sum();
        self.spent_usd + held
    }

    fn publish(&self) {
        self.purse.amounts().judges_usd = self.committed_usd();
    }

    fn over(&self, more_usd: f64, others_usd: f64) -> Option<Limit> {
        let max = self.cost_usd_max?;
        let is_over = self.committed_usd() + others_usd + more_usd > max + ROUNDING * (1.0 + max);
        is_over.then_some(Limit::CostUsd(max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_while_no_request_costs_more_than_was_reserved() {
        let mut budget = Budget::new(1, None, Some(1.0), 0, 0.3);
        assert_eq!(budget.reserve(0, 2, 0.6), Ok(()));
        assert_eq!(budget.reserve(0, 1, 0.2), Err(Limit::CostUsd(1.0)));
        assert_eq!(budget.settle(0, 0.3, 0.05), None);
        assert_eq!(budget.reserve(0, 1, 0.35), Ok(()), "the rest was freed");
        assert_eq!(budget.reserve(0, 1, 0.01), Err(Limit::CostUsd(1.0)));
        budget.release(0, 0.35);
        assert_eq!(budget.settle(0, 0.3, 0.3), None);
        assert!((budget.spent_usd() - 0.65).abs() < 1e-12);
        assert_eq!(budget.overrun(), None);
    }

    #[test]
    fn one_that_costs_more_raises_what_is_reserved_for_its_judge() {
        let mut budget = Budget::new(2, None, Some(10.0), 0, 0.0);
        assert_eq!(budget.reserve(0, 4, 0.4), Ok(()));
        assert_eq!(budget.reserve(1, 1, 0.1), Ok(()));
        assert_eq!(budget.settle(0, 0.1, 2.0), Some(20.0));
        // 2 spent, three under way at 2 each, and the other judge's.
        assert_eq!(budget.overrun(), None);
        assert_eq!(budget.reserve(0, 1, 0.1), Err(Limit::CostUsd(10.0)));
        assert_eq!(budget.reserve(1, 1, 0.1), Ok(()));
        assert_eq!(budget.settle(0, 0.1, 2.0), None, "as much as was reserved");
        assert_eq!(budget.settle(0, 0.1, 5.0), Some(50.0));
        assert_eq!(budget.overrun(), Some(Limit::CostUsd(10.0)));
        assert_eq!(budget.settle(0, 0.1, 1e308), Some(BOOKED_MAX));
    }

    #[test]
    fn judges_and_others_share_one_limit() {
        let purse = Arc::new(Purse::new(Some(1.0), 0.0, 0.2));
        let mut budget = Budget::new(1, None, Some(1.0), 0, 0.1).sharing(Arc::clone(&purse));
        assert_eq!(budget.reserve(0, 1, 0.3), Ok(()));
        assert_eq!(purse.take(0.5), Err(Limit::CostUsd(1.0)), "0.2 + 0.1 + 0.3");
        assert_eq!(purse.take(0.4), Ok(()));
        assert_eq!(budget.reserve(0, 1, 0.1), Err(Limit::CostUsd(1.0)));
        budget.settle(0, 0.3, 0.1);
        assert_eq!(budget.reserve(0, 1, 0.1), Ok(()));
        purse.give_back(0.4);
        assert_eq!(budget.reserve(0, 1, 0.5), Ok(()));
        assert!((purse.others_usd() - 0.2).abs() < 1e-12);
    }

    #[test]
    fn requests_count_when_they_are_held_and_when_they_are_sent() {
        let mut budget = Budget::new(1, Some(5), None, 2, 0.0);
        assert_eq!(budget.reserve(0, 2, 0.0), Ok(()));
        assert_eq!(budget.reserve(0, 2, 0.0), Err(Limit::Requests(5)));
        budget.settle(0, 0.0, 0.0);
        assert_eq!(budget.reserve(0, 1, 0.0), Ok(()));
        budget.release(0, 0.0);
        assert_eq!(budget.reserve(0, 1, 0.0), Ok(()));
        assert_eq!(budget.reserve(0, 1, 0.0), Err(Limit::Requests(5)));
    }
}
