//! Money spent on generators, under the same limit as requests to judges.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Sums of small amounts differ in their last digits: by a billionth of a dollar, and of the sum.
pub(super) const ROUNDING: f64 = 1e-9;

/// The limit that prevents a request.
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
                "the limit of {max} USD does not cover the next question at its maximum cost; the two orders of a pair are paid together"
            ),
        }
    }
}

/// Shared by the [`Budget`](super::Budget) of judges and other spending: both keep the limit.
#[derive(Debug, Default)]
pub struct Purse {
    limit_usd: Option<f64>,
    amounts: Mutex<Amounts>,
}

/// US dollars, of earlier calls too.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Amounts {
    /// Spent on judges, or reserved for requests under way.
    pub judges_usd: f64,
    /// Spent on all else.
    pub others_usd: f64,
}

impl Purse {
    /// With what earlier calls spent.
    pub fn new(limit_usd: Option<f64>, judges_usd: f64, others_usd: f64) -> Self {
        Self { limit_usd, amounts: Mutex::new(Amounts { judges_usd, others_usd }) }
    }

    /// Whether there is a limit.
    pub fn is_limited(&self) -> bool {
        self.limit_usd.is_some()
    }

    /// Takes money for something other than a judge, or nothing.
    ///
    /// # Errors
    /// The limit that it would break.
    pub fn take(&self, usd: f64) -> Result<(), Limit> {
        let mut amounts = self.amounts();
        if let Some(max) = self.limit_usd
            && amounts.judges_usd + amounts.others_usd + usd > max + ROUNDING * (1.0 + max)
        {
            return Err(Limit::CostUsd(max));
        }
        amounts.others_usd += usd;
        Ok(())
    }

    /// Puts back what was not spent.
    pub fn give_back(&self, usd: f64) {
        self.amounts().others_usd -= usd;
    }

    /// US dollars spent on other things than judges, in earlier calls too.
    pub fn others_usd(&self) -> f64 {
        self.amounts().others_usd
    }

    pub(super) fn amounts(&self) -> MutexGuard<'_, Amounts> {
        self.amounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
