//! Flags that say what judges are, what they may cost, and how fast they are asked: shared by every command that asks.

use super::Failure;
use crate::ask::{AskSettings, BatchSettings, CanaryRule, Progress};
use crate::judge::{Catalogue, Judge, Limits, OpenSettings};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// The form that answers are asked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Answers {
    /// By JSON schema where the model holds to one, else as text
    #[default]
    Auto,
    /// Always as text
    Text,
}

/// What judges are, what they may cost, how fast they are asked.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Judges")]
pub(super) struct JudgeArgs {
    /// What models accept and cost, laid over the built-in list (its form: assets/models.toml)
    #[arg(long, value_name = "FILE")]
    pub models: Option<PathBuf>,

    /// Form of the answers
    #[arg(long, value_enum, default_value_t)]
    pub answers: Answers,

    /// Sent to models that take one; without it none is sent
    #[arg(long, value_name = "T", value_parser = temperature)]
    pub temperature: Option<f64>,

    /// Ask for log-probabilities and keep a probability for each option
    #[arg(long)]
    pub logprobs: bool,

    /// Requests a minute to each judge
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub requests_per_minute: Option<u32>,

    /// Tokens a minute to each judge, read ones, as far as they are known beforehand
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub tokens_per_minute: Option<u32>,

    /// With --max-cost: count a judge whose price is unknown as free
    #[arg(long)]
    pub allow_unpriced: bool,

    /// What the requests of this run whose cost is not known have cost together, as your bill says: those that were cut off, each booked
    /// at its maximum until then
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub settle: Option<f64>,

    /// Do not look first whether judges on others' servers see the pictures that they are sent
    #[arg(long)]
    pub no_canary: bool,

    /// Look first whether judges see, also those on local servers (two requests each)
    #[arg(long, conflicts_with = "no_canary")]
    pub canary: bool,

    /// Ask in batches, which are answered within a day at half the price; the same command again collects what an earlier one handed in
    #[arg(long)]
    pub batch: bool,

    /// Hand batches in and leave; the same command collects the answers
    #[arg(long)]
    pub no_wait: bool,

    /// Questions in one batch, at most; default: what the provider takes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub batch_size: Option<u32>,

    /// Seconds between two looks at how far a batch is
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub batch_poll: u32,

    /// Another run whose recorded replies are taken where the request is the same; may be given more than once
    #[arg(long, value_name = "RUN")]
    pub reuse: Vec<PathBuf>,

    /// Send nothing: answer from the recorded replies of this run and of those given with --reuse
    #[arg(long)]
    pub replay: bool,
}

fn temperature(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=2.0).contains(&value) => Ok(value),
        _ => Err("give a number from 0 to 2".to_owned()),
    }
}

impl JudgeArgs {
    /// How judges are opened, each reply taking at most `timeout`; `is_dry` where nothing will be asked.
    ///
    /// # Errors
    /// What is wrong with the list of models.
    pub(super) fn open_settings(
        &self,
        timeout: Duration,
        is_dry: bool,
    ) -> Result<OpenSettings, Failure> {
        Ok(OpenSettings {
            is_dry,
            limits: Limits {
                total: timeout,
                ..Limits::default()
            },
            catalogue: match &self.models {
                Some(path) => Catalogue::with_file(path)?,
                None => Catalogue::built_in(),
            },
            allows_schema: self.answers == Answers::Auto,
            temperature: self.temperature,
            wants_logprobs: self.logprobs,
            in_batches: self.batch,
        })
    }

    /// The flags' part of how questions are asked.
    pub(super) fn lay_over(&self, settings: AskSettings) -> AskSettings {
        AskSettings {
            requests_per_minute: self.requests_per_minute,
            tokens_per_minute: self.tokens_per_minute,
            settle_usd: self.settle,
            reuse: self.reuse.clone(),
            is_replay: self.replay,
            batch: BatchSettings {
                requests_max: self.batch_size.map(|size| size as usize),
                poll: Duration::from_secs(u64::from(self.batch_poll)),
                waits: !self.no_wait,
            },
            canary: match (self.no_canary, self.canary) {
                (true, _) => CanaryRule::Off,
                (false, true) => CanaryRule::All,
                (false, false) => CanaryRule::Remote,
            },
            ..settings
        }
    }

    /// Refuses a limit in dollars that cannot be kept.
    ///
    /// # Errors
    /// A judge whose price is unknown.
    pub(super) fn check_prices(
        &self,
        judges: &[Judge],
        max_cost: Option<f64>,
    ) -> Result<(), Failure> {
        let is_unpriced = |judge: &&Judge| {
            judge
                .endpoint()
                .is_some_and(|endpoint| endpoint.facts().price.is_none())
        };
        match judges.iter().find(is_unpriced) {
            Some(judge) if max_cost.is_some() && !self.allow_unpriced && !self.replay => {
                Err(format!(
                    "the price of {} is not known, so a limit in dollars cannot be kept; state it with --models, count it as free with --allow-unpriced, or limit --max-requests",
                    judge.name()
                )
                .into())
            }
            _ => Ok(()),
        }
    }
}

/// An amount on the command line.
pub(super) fn dollars(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("give an amount in US dollars, such as 2.50".to_owned()),
    }
}

/// How far a run is, beside its bar: in flight, failed, pace, money.
pub(super) fn progress_words(progress: &Progress) -> String {
    let mut said = format!("{} in flight", progress.in_flight);
    if progress.in_batches > 0 {
        said.push_str(&format!(", {} in batches", progress.in_batches));
    }
    if progress.failed > 0 {
        said.push_str(&format!(", {} failed", progress.failed));
    }
    for wait in &progress.waiting {
        said.push_str(&format!(", {wait}"));
    }
    if progress.verdicts_per_minute >= 1.0 {
        said.push_str(&format!(
            ", {:.0} verdicts/min",
            progress.verdicts_per_minute
        ));
    }
    if progress.spent_usd > 0.0 {
        said.push_str(&format!(", {}", usd(progress.spent_usd)));
        if let Some(projected) = progress.projected_usd {
            said.push_str(&format!(" of about {}", usd(projected)));
        }
    }
    said
}

/// Dollars with two digits that say something.
pub(super) fn usd(amount: f64) -> String {
    if amount == 0.0 || amount >= 0.1 {
        format!("${amount:.2}")
    } else {
        format!("${amount:.4}")
    }
}
