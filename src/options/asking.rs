//! How often, how fast and for how much judges are asked, and with which recorded replies.

use clap::Args;
use clap::builder::{RangedU64ValueParser, TypedValueParser};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

const PACE: &str = "Limits and pace";
const BATCHES: &str = "Batches and recorded replies";

/// How judges are asked. In a benchmark, these override the file.
#[derive(Debug, Clone, PartialEq, Default, Args, Serialize, Deserialize)]
pub struct AskOptions {
    /// Times each question is asked [default: 1, or `samples` in the benchmark file]
    #[arg(long, value_name = "N", value_parser = whole(1..=1000))]
    pub samples: Option<u32>,

    /// Stop before the run, including earlier calls, costs more than this
    #[arg(id = "max_cost", long = "max-cost", value_name = "USD", value_parser = dollars)]
    pub max_cost_usd: Option<f64>,

    /// Maximum requests to servers, with retries and earlier calls
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub max_requests: Option<u64>,

    /// Maximum requests in flight to each judge [default: 8]
    #[arg(long, help_heading = PACE, value_name = "N", value_parser = RangedU64ValueParser::<u16>::new().range(1..=1024))]
    pub concurrency: Option<u16>,

    /// Maximum requests per minute to each judge
    #[arg(long, help_heading = PACE, value_name = "N", value_parser = whole(1..=u32::MAX))]
    pub requests_per_minute: Option<u32>,

    /// Maximum input tokens per minute to each judge
    #[arg(long, help_heading = PACE, value_name = "N", value_parser = whole(1..=u32::MAX))]
    pub tokens_per_minute: Option<u32>,

    /// Time limit for one reply [default: 300]
    #[arg(long, help_heading = PACE, value_name = "SECONDS", value_parser = seconds)]
    pub timeout_secs: Option<f64>,

    /// What interrupted requests really cost, from your bill
    #[arg(id = "settle", long, help_heading = PACE, value_name = "USD", value_parser = dollars)]
    pub settle_usd: Option<f64>,

    /// Random seed [default: 0]
    #[arg(long, help_heading = PACE, value_name = "N")]
    pub seed: Option<u64>,

    /// Use the providers' batch services: half the price, within a day
    #[arg(long, help_heading = BATCHES, num_args = 0, default_missing_value = "true")]
    pub batch: Option<bool>,

    /// Submit batches and exit; the same command collects the answers
    #[arg(long, help_heading = BATCHES, num_args = 0, default_missing_value = "true")]
    pub no_wait: Option<bool>,

    /// Maximum questions in one batch [default: the provider's limit]
    #[arg(long, help_heading = BATCHES, value_name = "N", value_parser = whole(1..=u32::MAX))]
    pub batch_size: Option<u32>,

    /// Polling interval for batches, in seconds [default: 30]
    #[arg(id = "batch_poll", long = "batch-poll", help_heading = BATCHES, value_name = "SECONDS", value_parser = whole(1..=3600))]
    pub batch_poll_secs: Option<u32>,

    /// Reuse replies to the same requests from this run; repeatable
    #[arg(long, help_heading = BATCHES, value_name = "RUN")]
    pub reuse: Option<Vec<PathBuf>>,

    /// Send nothing; answer only from recorded replies
    #[arg(long, help_heading = BATCHES, num_args = 0, default_missing_value = "true")]
    pub replay: Option<bool>,
}

impl AskOptions {
    /// Time limit for one reply.
    pub fn reply_timeout(&self) -> Duration {
        Duration::from_secs_f64(self.timeout_secs.unwrap_or(300.0))
    }
}

/// A flag's whole number.
pub(super) fn whole(range: RangeInclusive<u32>) -> impl TypedValueParser<Value = u32> {
    let (first, last) = range.into_inner();
    RangedU64ValueParser::<u32>::new().range(u64::from(first)..=u64::from(last))
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("give an amount in US dollars, such as 2.50".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(secs) if secs > 0.0 && secs <= 86_400.0 => Ok(secs),
        _ => Err("give seconds, up to 86400".to_owned()),
    }
}
