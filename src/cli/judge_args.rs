//! Flags of every command that asks judges, and the judges and settings that they select.

use super::global::RunArgs;
use super::{Printer, signals};
use crate::ask::{AskSettings, CanaryRule};
use crate::error::Error;
use crate::judge::{Judge, OpenSettings, Spec};
use crate::options::{AskOptions, OpenOptions, Tuning};
use crate::report::plural_with;
use crate::store::Store;
use clap::Args;
use std::path::Path;

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

    #[command(flatten)]
    pub options: AskOptions,

    /// Print the planned questions, tokens and dollars; asks nothing
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub run: RunArgs,

    #[command(flatten)]
    pub models: ModelArgs,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Models")]
pub(super) struct ModelArgs {
    #[command(flatten)]
    pub options: OpenOptions,

    #[command(flatten)]
    pub tuning: Tuning,

    /// An additional header, such as 'api-key=$AZURE_KEY'; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = header)]
    pub header: Vec<(String, String)>,

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

fn header(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = pair.ok_or("give it as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

impl ModelArgs {
    pub(super) fn tuning(&self) -> Tuning {
        let headers = (!self.header.is_empty()).then(|| self.header.iter().cloned().collect());
        Tuning { headers, ..self.tuning.clone() }
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
        let settings = self.open_settings(&self.models.options)?;
        let judges = Judge::open_all(specs, self.base_url.as_deref(), &settings)?;
        self.check_judges(&judges, self.options.max_cost_usd, printer)?;
        Ok(judges)
    }

    /// The settings for opening judges.
    ///
    /// # Errors
    /// An invalid list of models.
    pub(super) fn open_settings(&self, options: &OpenOptions) -> Result<OpenSettings, Error> {
        let settings = OpenSettings::new(&self.options, options, self.models.tuning())?;
        Ok(OpenSettings { is_dry: self.dry_run, ..settings })
    }

    /// The settings for asking with these options, which are those of the flags or more.
    pub(super) fn settings(&self, options: &AskOptions) -> AskSettings {
        AskSettings {
            canary: match (self.models.no_canary, self.models.canary) {
                (true, _) => CanaryRule::Off,
                (false, true) => CanaryRule::All,
                (false, false) => CanaryRule::Remote,
            },
            stop: signals::switch(),
            ..options.into()
        }
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
        for run in self.options.reuse.iter().flatten() {
            warn_of_batches(&Store::read(run)?, run, printer)?;
        }
        let AskOptions { no_wait, batch_size, replay, .. } = self.options;
        let is_in_batches = |judge: &Judge| judge.endpoint().is_some_and(|e| e.in_batches());
        if (no_wait == Some(true) || batch_size.is_some()) && !judges.iter().any(is_in_batches) {
            return Err(Error::usage(
                "--no-wait and --batch-size apply to batches, and no judge is asked in batches: add --batch",
            ));
        }
        let counts_as_free = self.models.allow_unpriced || replay == Some(true);
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
