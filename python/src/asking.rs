//! What every call that asks judges has in common: who is asked, how, how it ended.

use crate::error::{JudgeError, invalid};
use crate::json::text_of;
use crate::judge::{Reaching, judges, warn_of_changes};
use crate::options::Keywords;
use crate::watch::Watch;
use meshjudge::unstable::ask::{AskSettings, Stop, Summary};
use meshjudge::unstable::judge::{Judge, Tuning};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::time::Duration;

/// Longest time for one reply, as on the command line.
const REPLY_SECS: f64 = 300.0;

/// Who is asked, and how.
pub(crate) struct Asking {
    /// None where the caller named nobody.
    pub(crate) judges: Option<Vec<Judge>>,
    pub(crate) reaching: Reaching,
    pub(crate) settings: AskSettings,
    /// As given, for a benchmark file to fill in.
    pub(crate) given: Given,
    pub(crate) run: Option<PathBuf>,
    pub(crate) watch: Watch,
}

/// Numbers that a benchmark file says too.
pub(crate) struct Given {
    pub(crate) samples: Option<u32>,
    pub(crate) seed: Option<u64>,
    pub(crate) concurrency: Option<u16>,
    pub(crate) requests_max: Option<u64>,
    pub(crate) cost_usd_max: Option<f64>,
}

impl Asking {
    pub(crate) fn take(given: &Keywords<'_>) -> PyResult<Self> {
        let judge = given.any("judge")?;
        let timeout: Option<f64> = given.take("timeout_secs")?;
        let has_timeout = timeout.is_some();
        let timeout = timeout.unwrap_or(REPLY_SECS);
        let concurrency: Option<u16> = given.take("concurrency")?;
        if !(timeout > 0.0 && timeout <= 86_400.0) {
            return Err(invalid("timeout_secs must be above 0 and at most 86400"));
        }
        let reaching = Reaching {
            base_url: given.take("base_url")?,
            timeout: Duration::from_secs_f64(timeout),
            has_timeout,
            calls_max: concurrency.map(usize::from),
            temperature: given.take("temperature")?,
            models: given.take("models")?,
            tuning: Tuning {
                effort: given.take("effort")?,
                body: given
                    .any("body")?
                    .map(|body| {
                        serde_json::from_str(&text_of(&body)?).map_err(|e| {
                            invalid(format!("body must be a dict of JSON values ({e})"))
                        })
                    })
                    .transpose()?,
                headers: given.take("headers")?,
                stream: given.take("stream")?,
                max_output_tokens: given.take("max_output_tokens")?,
                cache: given.take("cache")?,
            },
        };
        let numbers = Given {
            samples: given.take("samples")?,
            seed: given.take("seed")?,
            concurrency,
            requests_max: given.take("max_requests")?,
            cost_usd_max: given.take("max_cost_usd")?,
        };
        if !(1..=1000).contains(&numbers.samples.unwrap_or(1))
            || !(1..=1024).contains(&numbers.concurrency.unwrap_or(1))
        {
            return Err(invalid("samples must be 1 to 1000 and concurrency 1 to 1024"));
        }
        let reuse: Option<Vec<PathBuf>> = given.take("reuse")?;
        let replay: Option<bool> = given.take("replay")?;
        let default = AskSettings::default();
        let settings = AskSettings {
            samples: numbers.samples.unwrap_or(default.samples),
            seed: numbers.seed.unwrap_or(default.seed),
            concurrency: numbers.concurrency.map_or(default.concurrency, usize::from),
            requests_max: numbers.requests_max,
            cost_usd_max: numbers.cost_usd_max,
            reuse: reuse.unwrap_or_default(),
            is_replay: replay.unwrap_or_default(),
            ..default
        };
        let watch = Watch::new(given.any("progress")?, settings.stop.clone())?;
        let judges = judge.map(|judge| judges(Some(&judge), &reaching, &watch)).transpose()?;
        Ok(Self { judges, reaching, given: numbers, run: given.take("run")?, watch, settings })
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
