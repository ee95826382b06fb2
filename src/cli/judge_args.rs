//! Flags of every command that asks judges, and the judges and settings that they select.

use super::global::RunArgs;
use super::{Printer, signals};
use crate::ask::{AskSettings, BatchSettings, CanaryRule};
use crate::error::Error;
use crate::judge::{Catalogue, Judge, Limits, OpenSettings, Spec, Tuning};
use crate::report::plural_with;
use crate::store::Store;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Default time limit for one reply.
const REPLY_SECS: u32 = 300;

/// Who is asked, how often, and for how much. In `bench`, these override the file.
#[derive(Debug, Clone, Args)]
pub(super) struct JudgeArgs {
    /// Judge: probe (the default), openai:MODEL, openai-responses:MODEL, anthropic:MODEL or
    /// gemini:MODEL; repeatable
    #[arg(long, value_name = "SPEC")]
    pub judge: Vec<Spec>,

    /// The judges' server, as http://127.0.0.1:8080/v1; no key if it is local
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,

    /// Times each question is asked [default: 1, or `samples` in the benchmark file]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub samples: Option<u32>,

    /// Stop before the run, including earlier calls, costs more than this
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub max_cost: Option<f64>,

    /// Print the planned questions, tokens and dollars; asks nothing
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub run: RunArgs,

    #[command(flatten)]
    pub models: ModelArgs,

    #[command(flatten)]
    pub pace: PaceArgs,

    #[command(flatten)]
    pub batches: BatchArgs,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Models")]
pub(super) struct ModelArgs {
    /// Limits and prices of models, overriding assets/models.toml
    #[arg(long, value_name = "FILE")]
    pub models: Option<PathBuf>,

    /// Form of answers: by JSON schema if supported (auto), or text
    #[arg(long, value_enum, default_value_t)]
    pub answers: Answers,

    /// Temperature to send [default: none]
    #[arg(long, value_name = "T", value_parser = temperature)]
    pub temperature: Option<f64>,

    /// Request log-probabilities and store a probability for each option
    #[arg(long)]
    pub logprobs: bool,

    #[command(flatten)]
    pub tuning: TuningArgs,

    /// With --max-cost: count judges of unknown price as free
    #[arg(long)]
    pub allow_unpriced: bool,

    /// Also check that judges on local servers see pictures
    #[arg(long, conflicts_with = "no_canary")]
    pub canary: bool,

    /// Do not check that judges on remote servers see pictures
    #[arg(long)]
    pub no_canary: bool,
}

/// Settings of each judge, as in a benchmark file.
#[derive(Debug, Clone, Args)]
pub(super) struct TuningArgs {
    /// How much the judge reasons: low, high, … or tokens (docs/JUDGES.md)
    #[arg(long, value_name = "LEVEL")]
    pub effort: Option<String>,

    /// JSON merged into each request: '{"top_p": 0.9}'
    #[arg(long, value_name = "JSON", value_parser = body)]
    pub body: Option<Body>,

    /// An additional header, such as 'api-key=$AZURE_KEY'; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = header)]
    pub header: Vec<(String, String)>,

    /// Ask for streamed replies
    #[arg(long)]
    pub stream: bool,

    /// Maximum tokens of one answer, including reasoning [default: 16384]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_output_tokens: Option<u32>,

    /// Ask the server to cache the part that all questions share (anthropic)
    #[arg(long)]
    pub cache: bool,
}

type Body = serde_json::Map<String, serde_json::Value>;

fn body(text: &str) -> Result<Body, String> {
    serde_json::from_str(text).map_err(|e| format!("give a JSON object ({e})"))
}

fn header(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("give it as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl TuningArgs {
    pub(super) fn settings(&self) -> Tuning {
        let headers = self.header.iter().cloned().collect();
        Tuning {
            effort: self.effort.clone(),
            body: self.body.clone(),
            headers: (!self.header.is_empty()).then_some(headers),
            stream: self.stream.then_some(true),
            max_output_tokens: self.max_output_tokens,
            cache: self.cache.then_some(true),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Answers {
    #[default]
    Auto,
    Text,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits and pace")]
pub(super) struct PaceArgs {
    /// Maximum requests to servers, with retries and earlier calls
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,

    /// Maximum requests in flight to each judge [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub concurrency: Option<u16>,

    /// Maximum requests per minute to each judge
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub requests_per_minute: Option<u32>,

    /// Maximum input tokens per minute to each judge
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub tokens_per_minute: Option<u32>,

    /// Time limit for one reply [default: 300]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub timeout_secs: Option<u32>,

    /// What interrupted requests really cost, from your bill
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub settle: Option<f64>,

    /// Random seed [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Batches and recorded replies")]
pub(super) struct BatchArgs {
    /// Use the providers' batch services: half the price, within a day
    #[arg(long)]
    pub batch: bool,

    /// Submit batches and exit; the same command collects the answers
    #[arg(long)]
    pub no_wait: bool,

    /// Maximum questions in one batch [default: the provider's limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub batch_size: Option<u32>,

    /// Polling interval for batches, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub batch_poll: u32,

    /// Reuse replies to the same requests from this run; repeatable
    #[arg(long, value_name = "RUN")]
    pub reuse: Vec<PathBuf>,

    /// Send nothing; answer only from recorded replies
    #[arg(long)]
    pub replay: bool,
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("give an amount in US dollars, such as 2.50".to_owned()),
    }
}

fn temperature(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=2.0).contains(&value) => Ok(value),
        _ => Err("give a number from 0 to 2".to_owned()),
    }
}

impl JudgeArgs {
    /// All judges, each once.
    ///
    /// # Errors
    /// A missing key, an address that cannot be used, a cost limit that cannot be kept.
    pub(super) fn judges(&self, printer: &Printer) -> Result<Vec<Judge>, Error> {
        let specs = match self.judge.as_slice() {
            [] => &[Spec::Probe],
            specs => specs,
        };
        let settings = self.open_settings(self.models.models.as_deref())?;
        let judges = Judge::open_all(specs, self.base_url.as_deref(), &settings)?;
        self.check_judges(&judges, self.max_cost, printer)?;
        Ok(judges)
    }

    /// The settings for opening judges, with this list of models merged into the built-in one.
    ///
    /// # Errors
    /// An invalid list.
    pub(super) fn open_settings(&self, models: Option<&Path>) -> Result<OpenSettings, Error> {
        Ok(OpenSettings {
            is_dry: self.dry_run,
            limits: Limits { total: self.reply_timeout(), ..Limits::default() },
            catalogue: match models {
                Some(path) => Catalogue::with_file(path)?,
                None => Catalogue::built_in(),
            },
            allows_schema: self.models.answers == Answers::Auto,
            temperature: self.models.temperature,
            wants_logprobs: self.models.logprobs,
            in_batches: self.batches.batch,
            tuning: self.models.tuning.settings(),
        })
    }

    pub(super) fn reply_timeout(&self) -> Duration {
        Duration::from_secs(self.pace.timeout_secs.unwrap_or(REPLY_SECS).into())
    }

    /// The settings for asking; without a flag, those of `settings`.
    pub(super) fn lay_over(&self, settings: AskSettings) -> AskSettings {
        let (pace, batches) = (&self.pace, &self.batches);
        AskSettings {
            samples: self.samples.unwrap_or(settings.samples),
            seed: pace.seed.unwrap_or(settings.seed),
            concurrency: pace.concurrency.map_or(settings.concurrency, usize::from),
            requests_max: pace.max_requests.or(settings.requests_max),
            cost_usd_max: self.max_cost.or(settings.cost_usd_max),
            requests_per_minute: pace.requests_per_minute,
            tokens_per_minute: pace.tokens_per_minute,
            settle_usd: pace.settle,
            reuse: batches.reuse.clone(),
            is_replay: batches.replay,
            batch: BatchSettings {
                requests_max: batches.batch_size.map(|size| size as usize),
                poll: Duration::from_secs(batches.batch_poll.into()),
                waits: !batches.no_wait,
            },
            canary: match (self.models.no_canary, self.models.canary) {
                (true, _) => CanaryRule::Off,
                (false, true) => CanaryRule::All,
                (false, false) => CanaryRule::Remote,
            },
            stop: signals::switch(),
            ..settings
        }
    }

    pub(super) fn settings(&self) -> AskSettings {
        self.lay_over(AskSettings::default())
    }

    /// Refuses settings that these judges cannot follow, and warns of what would be paid twice.
    ///
    /// # Errors
    /// A dollar limit and a judge of unknown price; batch settings and no judge asked in batches.
    pub(super) fn check_judges(
        &self,
        judges: &[Judge],
        max_cost: Option<f64>,
        printer: &Printer,
    ) -> Result<(), Error> {
        for run in &self.batches.reuse {
            warn_of_batches(&Store::read(run)?, run, printer)?;
        }
        let BatchArgs { no_wait, batch_size, .. } = self.batches;
        let is_in_batches = |judge: &Judge| judge.endpoint().is_some_and(|e| e.in_batches());
        if (no_wait || batch_size.is_some()) && !judges.iter().any(is_in_batches) {
            return Err(Error::usage(
                "--no-wait and --batch-size apply to batches, and no judge is asked in batches: add --batch",
            ));
        }
        let counts_as_free = self.models.allow_unpriced || self.batches.replay;
        match judges.iter().find(|judge| !judge.is_priced()) {
            Some(judge) if max_cost.is_some() && !counts_as_free => Err(Error::usage(format!(
                "the price of {} is unknown, so a limit in dollars cannot be enforced; add it with --models, count it as free with --allow-unpriced, or use --max-requests",
                judge.name()
            ))),
            _ => Ok(()),
        }
    }
}

/// Warns of questions whose replies another run has yet to collect: they would be paid twice.
pub(super) fn warn_of_batches(
    store: &Store,
    folder: &Path,
    printer: &Printer,
) -> Result<(), Error> {
    let waiting: u64 = store.held_in_batches()?.iter().map(|held| held.requests).sum();
    if waiting > 0 {
        printer.warn(&format!(
            "{} in open batches of another run; repeat that run's command first, or they are asked and paid for again here: {folder:?}",
            plural_with(waiting as usize, "question", ["is", "are"])
        ));
    }
    Ok(())
}
