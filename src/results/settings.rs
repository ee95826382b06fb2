//! How verdicts become ratings: what a benchmark file says, as its run remembers it.

use crate::rate::Draws;
use crate::store::config_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What a draw is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DrawRule {
    /// Half a win for each.
    #[default]
    Half,
    /// A win for each, as GPTEval3D counts.
    BothWin,
    /// An outcome with a fitted share of its own.
    Davidson,
}

/// How verdicts become ratings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RatingEntry {
    /// half, both-win or davidson. Default: half.
    pub ties: DrawRule,
    /// The generator that stands at 1000. Default: the mean of all.
    pub anchor: Option<String>,
    /// Bootstrap samples; 0 for no intervals. Default: 1000.
    #[schemars(range(min = 0, max = 100_000))]
    pub bootstraps: u32,
    /// Whether a weak prior keeps a generator that only wins finite. Default: true.
    pub prior: bool,
    /// Of the bootstrap. Default: 0.
    pub seed: u64,
}

impl Default for RatingEntry {
    fn default() -> Self {
        Self {
            ties: DrawRule::Half,
            anchor: None,
            bootstraps: 1000,
            prior: true,
            seed: 0,
        }
    }
}

/// How verdicts become ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct RateSettings {
    /// What a draw is.
    pub draws: Draws,
    /// Whether the weak prior is used; without it a method that only wins is an error.
    pub has_prior: bool,
    /// The method that stands at 1000; none for the mean of all.
    pub anchor: Option<String>,
    /// Bootstrap samples; 0 for no intervals.
    pub replicates: usize,
    /// Of the bootstrap.
    pub seed: u64,
    /// Whether verdicts on different pictures or texts are rated together.
    pub mixes_protocols: bool,
}

impl Default for RateSettings {
    fn default() -> Self {
        Self::from(&RatingEntry::default())
    }
}

impl From<&RatingEntry> for RateSettings {
    fn from(entry: &RatingEntry) -> Self {
        Self {
            draws: match entry.ties {
                DrawRule::Half => Draws::Half,
                DrawRule::BothWin => Draws::BothWin,
                DrawRule::Davidson => Draws::Davidson,
            },
            has_prior: entry.prior,
            anchor: entry.anchor.clone(),
            replicates: entry.bootstraps as usize,
            seed: entry.seed,
            mixes_protocols: false,
        }
    }
}

/// Runs of benchmarks that are to be rated in different ways.
#[derive(Debug, thiserror::Error)]
#[error(
    "the benchmark files of {first:?} and {second:?} rate in different ways; say how (ties, anchor), or rate them apart"
)]
pub struct RatingsDiffer {
    first: PathBuf,
    second: PathBuf,
}

/// What the benchmark files of these runs say; the defaults where none was a benchmark.
///
/// # Errors
/// [`RatingsDiffer`].
pub fn rating_of(folders: &[PathBuf]) -> Result<RateSettings, RatingsDiffer> {
    let mut found: Option<(&PathBuf, RateSettings)> = None;
    for folder in folders {
        let Some(said) = said_in(folder) else {
            continue;
        };
        match &found {
            None => found = Some((folder, said)),
            Some((first, before)) if *before != said => {
                return Err(RatingsDiffer {
                    first: (*first).clone(),
                    second: folder.clone(),
                });
            }
            Some(_) => {}
        }
    }
    Ok(found.map_or_else(RateSettings::default, |(_, said)| said))
}

/// A run of another command, or one that cannot be read, says nothing; whoever reads its rows tells why.
fn said_in(folder: &Path) -> Option<RateSettings> {
    let config = config_of(folder)?;
    let entry = config.get("bench")?.get("rating")?.clone();
    let entry: RatingEntry = entry.try_into().ok()?;
    Some(RateSettings::from(&entry))
}
