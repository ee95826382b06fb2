//! How verdicts become ratings: flags, else what the benchmark's file said, else the defaults.

use super::Failure;
use crate::rate::Draws;
use crate::results::{RateSettings, rating_of};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How verdicts become ratings, for every command that tells of them.
#[derive(Debug, Clone, Args)]
pub(super) struct RatingArgs {
    /// The method that stands at 1000 [default: what the benchmark's file says, else the mean of all]
    #[arg(long, value_name = "METHOD")]
    pub anchor: Option<String>,

    /// What a draw is [default: what the benchmark's file says, else half]
    #[arg(long, value_enum)]
    pub ties: Option<Ties>,

    /// Bootstrap samples; 0 for no intervals [default: what the benchmark's file says, else 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub bootstraps: Option<u32>,

    /// Decides which prompts a bootstrap sample draws [default: what the benchmark's file says, else 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Exact maximum likelihood; a method that only wins is then an error (bootstrap samples keep the prior)
    #[arg(long)]
    pub no_prior: bool,

    /// Rate verdicts together that were asked with different pictures or texts
    #[arg(long)]
    pub mix_protocols: bool,
}

/// What a draw is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Ties {
    /// Half a win for each
    #[default]
    Half,
    /// A win for each, as GPTEval3D counts
    BothWin,
    /// An outcome with a fitted share of its own
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
    /// What the stage is told about these runs.
    ///
    /// # Errors
    /// The runs' benchmark files say different things, and the flags do not settle it.
    pub(super) fn settings(&self, folders: &[PathBuf]) -> Result<RateSettings, Failure> {
        let is_said = self.anchor.is_some() || self.ties.is_some();
        let found = match rating_of(folders) {
            Err(_) if is_said => RateSettings::default(),
            found => found?,
        };
        Ok(RateSettings {
            draws: self.ties.map_or(found.draws, Draws::from),
            has_prior: found.has_prior && !self.no_prior,
            anchor: self.anchor.clone().or(found.anchor),
            replicates: self.bootstraps.map_or(found.replicates, |n| n as usize),
            seed: self.seed.unwrap_or(found.seed),
            mixes_protocols: self.mix_protocols,
        })
    }
}
