//! How verdicts become ratings.

use super::names::choice;
use crate::rate::Draws;
use clap::Args;
use serde::{Deserialize, Serialize};

/// The heading of these flags.
pub const RATINGS: &str = "Ratings (default: as in the benchmark file)";

/// How verdicts become ratings. The keys are those of `[rating]` in a benchmark file.
#[derive(Debug, Clone, PartialEq, Default, Args, Serialize, Deserialize)]
#[command(next_help_heading = RATINGS)]
pub struct RatingOptions {
    /// The generator whose rating is 1000 [default: the mean of all]; `people` adds anchored
    /// ratings, from people's votes and the judges' boards
    #[arg(long, value_name = "GENERATOR|people")]
    pub anchor: Option<String>,

    /// How a tie counts: half a win each, a win each (as in GPTEval3D), or a separate outcome
    /// (davidson) [default: half]
    #[arg(long, value_name = "RULE", value_parser = choice::<Ties>())]
    pub ties: Option<Ties>,

    /// Random draws: of signs for ranks, of prompts for κ and correlations; 0 for no intervals
    /// [default: 1000]
    #[arg(long, value_name = "N", value_parser = bootstraps)]
    pub bootstraps: Option<u32>,

    /// Random seed of these draws [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Exact maximum likelihood; a generator that only wins is an error
    #[arg(id = "no_prior", long = "no-prior", num_args = 0, default_missing_value = "false")]
    pub prior: Option<bool>,

    /// Rate verdicts together even if their pictures or texts differ
    #[arg(long, num_args = 0, default_missing_value = "true")]
    #[serde(skip_serializing)]
    pub mix_protocols: Option<bool>,

    /// Also rate with style control for these figures of the assets: metrics of the run, such as
    /// triangles,file_bytes, or columns of a table of your own; log:NAME takes the logarithm, which
    /// is automatic for counts, bytes and lengths of the run
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub control: Option<Vec<String>>,

    /// Count probe as one of "all judges" even if there are models
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub with_probe: Option<bool>,
}

/// How a tie counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// Half a win for each.
    #[default]
    Half,
    /// A win for each, as GPTEval3D counts.
    BothWin,
    /// An outcome with a fitted share of its own.
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

/// Of fewer than 40 samples, 2.5 % at each end are not one.
///
/// # Errors
/// Another number.
pub fn bootstraps(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(count @ (0 | 40..=100_000)) => Ok(count),
        _ => Err("give 0 for no intervals, or a number from 40 to 100000".to_owned()),
    }
}
