//! How verdicts become ratings: flags, else the benchmark file, else the defaults.

use crate::error::Error;
use crate::exchange::read_control_table;
use crate::rate::Draws;
use crate::results::{RateSettings, rating_of};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Of fewer than 40 samples, 2.5 % at each end are not one.
pub(super) fn bootstraps(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ (0 | 40..=100_000)) => Ok(count),
        _ => Err("give 0 for no intervals, or a number from 40 to 100000".to_owned()),
    }
}

pub(super) const RATINGS: &str = "Ratings (default: as in the benchmark file)";

/// How verdicts become ratings.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = RATINGS)]
pub(super) struct RatingArgs {
    /// The generator whose rating is 1000 [default: the mean of all]; `people` adds anchored
    /// ratings, from people's votes and the judges' boards
    #[arg(long, value_name = "GENERATOR|people")]
    pub anchor: Option<String>,

    /// How a tie counts: half a win each, a win each (as in GPTEval3D), or a separate outcome
    /// (davidson) [default: half]
    #[arg(long, value_name = "RULE", value_enum)]
    pub ties: Option<Ties>,

    /// Random draws: of signs for ranks, of prompts for κ and correlations; 0 for no intervals
    /// [default: 1000]
    #[arg(long, value_name = "N", value_parser = bootstraps)]
    pub bootstraps: Option<u32>,

    /// Random seed of these draws [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Exact maximum likelihood; a generator that only wins is an error
    #[arg(long)]
    pub no_prior: bool,

    /// Rate verdicts together even if their pictures or texts differ
    #[arg(long)]
    pub mix_protocols: bool,

    /// Also rate with style control for these figures of the assets: metrics of the run, such as
    /// triangles,file_bytes, or columns of your own table (see the next flag); log:NAME takes the
    /// logarithm, which is automatic for counts, bytes and lengths of the run
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub control: Vec<String>,

    /// Table of figures for --control: CSV or .jsonl with method, prompt (a text or an id of the
    /// run) and a number or true/false for each other column
    #[arg(long, value_name = "FILE", requires = "control")]
    pub control_from: Option<PathBuf>,

    /// Count probe as one of "all judges" even if there are models
    #[arg(long)]
    pub with_probe: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Ties {
    #[default]
    Half,
    BothWin,
    Davidson,
}

impl From<Ties> for Draws {
    fn from(ties: Ties) -> Self {
        match ties {
            Ties::Half => Self::Half,
            Ties::BothWin => Self::BothWin,
            Ties::Davidson => Self::Davidson,
        }
    }
}

impl RatingArgs {
    /// For these runs: flags first, then their benchmark files, then the defaults.
    ///
    /// # Errors
    /// The runs' benchmark files differ, and no flag decides.
    pub(super) fn settings(&self, folders: &[PathBuf]) -> Result<RateSettings, Error> {
        let is_said = self.anchor.is_some() || self.ties.is_some();
        let found = match rating_of(folders) {
            Err(_) if is_said => RateSettings::default(),
            found => found?,
        };
        let controls = if self.control.is_empty() { &found.controls } else { &self.control };
        Ok(RateSettings {
            draws: self.ties.map_or(found.draws, Draws::from),
            has_prior: found.has_prior && !self.no_prior,
            replicates: self.bootstraps.unwrap_or(found.replicates),
            seed: self.seed.unwrap_or(found.seed),
            mixes_protocols: self.mix_protocols,
            with_probe: found.with_probe || self.with_probe,
            controls: controls.clone(),
            control_table: self.control_from.as_deref().map(read_control_table).transpose()?,
            ..found
        }
        .anchored_at(self.anchor.clone()))
    }
}
