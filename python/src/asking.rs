//! What every call that asks judges has in common: who is asked, how, how it ended.

use crate::error::{JudgeError, invalid};
use crate::judge::{Reaching, judges, warn_of_changes};
use crate::options::Keywords;
use crate::watch::Watch;
use meshjudge::unstable::ask::{AskSettings, Stop, Summary};
use meshjudge::unstable::judge::Judge;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Who is asked, and how.
pub(crate) struct Asking {
    /// None where the caller named nobody.
    pub(crate) judges: Option<Vec<Judge>>,
    pub(crate) reaching: Reaching,
    pub(crate) settings: AskSettings,
    pub(crate) run: Option<PathBuf>,
    pub(crate) watch: Watch,
}

impl Asking {
    pub(crate) fn take(given: &Keywords<'_>) -> PyResult<Self> {
        let judge = given.any("judge")?;
        let reaching = Reaching {
            base_url: given.take("base_url")?,
            asked: given.group()?,
            options: given.group()?,
            tuning: given.group()?,
        };
        let asked = &reaching.asked;
        if !(1..=1000).contains(&asked.samples.unwrap_or(1))
            || !(1..=1024).contains(&asked.concurrency.unwrap_or(1))
        {
            return Err(invalid("samples must be 1 to 1000 and concurrency 1 to 1024"));
        }
        if asked.timeout_secs.is_some_and(|secs| !(secs > 0.0 && secs <= 86_400.0)) {
            return Err(invalid("timeout_secs must be above 0 and at most 86400"));
        }
        let settings = AskSettings::from(asked);
        let watch = Watch::new(given.any("progress")?, settings.stop.clone())?;
        let judges = judge.map(|judge| judges(Some(&judge), &reaching, &watch)).transpose()?;
        Ok(Self { judges, reaching, run: given.take("run")?, watch, settings })
    }

    /// Those that were named, else the probe.
    pub(crate) fn judges(&self, py: Python<'_>) -> PyResult<Vec<Judge>> {
        let judges = self.judges.clone().unwrap_or_else(|| vec![Judge::Probe]);
        check_prices(&judges, self.settings.cost_usd_max)?;
        warn_of_changes(py, self.run.as_deref(), &self.settings.reuse, &judges)?;
        Ok(judges)
    }
}

/// Refuses a limit in dollars that cannot be kept.
pub(crate) fn check_prices(judges: &[Judge], cost_usd_max: Option<f64>) -> PyResult<()> {
    match judges.iter().find(|judge| !judge.is_priced()) {
        Some(judge) if cost_usd_max.is_some() => Err(JudgeError::new_err(format!(
            "the price of {} is unknown, so a limit in dollars cannot be enforced; add it in a file given as models, or use max_requests",
            judge.name()
        ))),
        _ => Ok(()),
    }
}

/// How asking ended, as a row.
pub(crate) fn summary_row(summary: &Summary) -> serde_json::Value {
    serde_json::json!({
        "questions": summary.questions,
        "answered_before": summary.answered_before,
        "verdicts": summary.verdicts,
        "failed": summary.failed,
        "failures": summary.failures.iter().map(|failed| serde_json::json!({
            "what": failed.what, "judge": failed.judge, "outcome": failed.outcome, "reason": failed.reason,
        })).collect::<Vec<_>>(),
        "requests": summary.requests,
        "reused": summary.reused,
        "spent_usd": summary.spent_usd,
        "notes": summary.notes,
        "ended": summary.ended,
        "stop": summary.stop.map(|stop| match stop {
            Stop::Budget => "budget",
            Stop::Interrupted => "interrupted",
            Stop::InBatches => "in batches",
        }),
    })
}
