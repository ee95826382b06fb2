//! What may be spent, in requests and in dollars: the worst case is reserved before a request and settled after it.
//!
//! What is spent and what is held never exceed the limits together, so a limit holds whatever comes back.

/// The limits and what is left of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    requests_max: Option<u64>,
    cost_usd_max: Option<f64>,
    requests_sent: u64,
    requests_held: u64,
    spent_usd: f64,
    held_usd: f64,
}

/// Sums of many small amounts differ in their last digits: a billionth of a dollar.
const ROUNDING_USD: f64 = 1e-9;

/// Which limit stands in the way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    Requests(u64),
    CostUsd(f64),
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Requests(max) => write!(f, "the limit of {max} requests is reached"),
            Self::CostUsd(max) => write!(
                f,
                "the limit of {max} USD does not cover the next request at its dearest"
            ),
        }
    }
}

impl Budget {
    /// `spent_usd` was spent before.
    pub fn new(requests_max: Option<u64>, cost_usd_max: Option<f64>, spent_usd: f64) -> Self {
        Self {
            requests_max,
            cost_usd_max,
            requests_sent: 0,
            requests_held: 0,
            spent_usd,
            held_usd: 0.0,
        }
    }

    /// Sets the worst case of so many requests aside, or nothing.
    ///
    /// # Errors
    /// The limit that it would break.
    pub fn reserve(&mut self, requests: u64, usd: f64) -> Result<(), Limit> {
        if let Some(max) = self.requests_max
            && self.requests_sent + self.requests_held + requests > max
        {
            return Err(Limit::Requests(max));
        }
        if let Some(max) = self.cost_usd_max
            && self.spent_usd + self.held_usd + usd > max + ROUNDING_USD
        {
            return Err(Limit::CostUsd(max));
        }
        self.requests_held += requests;
        self.held_usd += usd;
        Ok(())
    }

    /// Sets aside what requests of an earlier call may still cost. The requests are not of this call, so its limit grows by them.
    pub fn carry(&mut self, requests: u64, usd: f64) {
        self.requests_max = self.requests_max.map(|max| max + requests);
        self.requests_held += requests;
        self.held_usd += usd;
    }

    /// Gives back what was set aside for a request that is not made.
    pub fn release(&mut self, usd: f64) {
        self.requests_held -= 1;
        self.held_usd -= usd;
    }

    /// A request for which `held_usd` was set aside has cost `cost_usd`.
    pub fn settle(&mut self, held_usd: f64, cost_usd: f64) {
        self.release(held_usd);
        self.requests_sent += 1;
        self.spent_usd += cost_usd;
    }

    /// Dollars, what was spent before included.
    pub fn spent_usd(&self) -> f64 {
        self.spent_usd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_whatever_comes_back() {
        let mut budget = Budget::new(None, Some(1.0), 0.3);
        assert_eq!(budget.reserve(2, 0.6), Ok(()));
        assert_eq!(budget.reserve(1, 0.2), Err(Limit::CostUsd(1.0)));
        budget.settle(0.3, 0.05);
        assert_eq!(budget.reserve(1, 0.35), Ok(()), "the rest was freed");
        assert_eq!(budget.reserve(1, 0.01), Err(Limit::CostUsd(1.0)));
        budget.release(0.35);
        budget.settle(0.3, 0.3);
        assert!((budget.spent_usd() - 0.65).abs() < 1e-12);
    }

    #[test]
    fn requests_count_when_they_are_held_and_when_they_are_sent() {
        let mut budget = Budget::new(Some(3), None, 0.0);
        assert_eq!(budget.reserve(2, 0.0), Ok(()));
        assert_eq!(budget.reserve(2, 0.0), Err(Limit::Requests(3)));
        budget.settle(0.0, 0.0);
        assert_eq!(budget.reserve(1, 0.0), Ok(()));
        budget.release(0.0);
        assert_eq!(budget.reserve(1, 0.0), Ok(()));
        assert_eq!(budget.reserve(1, 0.0), Err(Limit::Requests(3)));
    }
}
