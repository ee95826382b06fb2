//! How verdicts become ratings: the settings of a benchmark file, as its run keeps them.

use super::control_table::ControlTable;
use crate::rate::{Draws, Sampling};
use crate::store::config_of;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Names people's votes where an anchor is asked for.
const PEOPLE: &str = "people";

/// How a draw counts.
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
    /// The generator with rating 1000. Default: the mean of all.
    pub anchor: Option<String>,
    /// Whether to make anchored boards, from people's votes and the judges. Default: false.
    pub anchored: bool,
    /// Bootstrap samples; 0 for no intervals. Default: 1000.
    #[schemars(range(min = 0, max = 100_000))]
    pub bootstraps: u32,
    /// Whether a weak prior keeps a generator that only wins finite. Default: true.
    pub prior: bool,
    /// Seed of the bootstrap. Default: 0.
    pub seed: u64,
    /// Whether probe counts as one of "all judges" if there are models. Default: false.
    pub with_probe: bool,
    /// Metrics of `[[metrics]]` that are held equal on a board of their own, such as triangles. Default: none.
    pub control: Vec<String>,
}

impl Default for RatingEntry {
    fn default() -> Self {
        Self {
            ties: DrawRule::Half,
            anchor: None,
            anchored: false,
            bootstraps: 1000,
            prior: true,
            seed: 0,
            with_probe: false,
            control: Vec::new(),
        }
    }
}

/// How verdicts become ratings.
#[derive(Debug, Clone, PartialEq)]
pub struct RateSettings {
    pub draws: Draws,
    /// Whether the weak prior is used; without it a method that only wins is an error.
    pub has_prior: bool,
    /// The method with rating 1000; none for the mean of all.
    pub anchor: Option<String>,
    /// Whether to make anchored boards, from people's votes and the judges.
    pub anchored: bool,
    /// Whether it is worked out what each board's order rests on.
    pub diagnoses: bool,
    /// Bootstrap samples; 0 for no intervals.
    pub replicates: usize,
    pub seed: u64,
    /// Whether verdicts on different pictures or texts are rated together.
    pub mixes_protocols: bool,
    /// Whether probe counts as one of "all judges" if there are models: it measures, and agrees with itself in both orders.
    pub with_probe: bool,
    /// Figures of the assets that are held equal on a board of their own; `log:` before a name takes its logarithm.
    pub controls: Vec<String>,
    /// Where figures come from that the run did not measure.
    pub control_table: Option<ControlTable>,
}

impl Default for RateSettings {
    fn default() -> Self {
        Self::from(&RatingEntry::default())
    }
}

impl RateSettings {
    /// How intervals are drawn.
    pub(super) fn sampling(&self) -> Sampling {
        Sampling { replicates: self.replicates, seed: self.seed }
    }

    /// With the anchor that a user names, if any: a method, or `people` for an anchored board.
    #[must_use]
    pub fn anchored_at(mut self, named: Option<String>) -> Self {
        match named.as_deref() {
            None => {}
            Some(PEOPLE) => self.anchored = true,
            Some(_) => self.anchor = named,
        }
        self
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
            anchored: entry.anchored,
            diagnoses: false,
            replicates: entry.bootstraps as usize,
            seed: entry.seed,
            mixes_protocols: false,
            with_probe: entry.with_probe,
            controls: entry.control.clone(),
            control_table: None,
        }
    }
}

/// Benchmarks whose files ask for different ratings.
#[derive(Debug, thiserror::Error)]
#[error(
    "the benchmark files of {first:?} and {second:?} ask for different ratings; give the rule for ties and the anchor, or rate the runs separately"
)]
pub struct RatingsDiffer {
    first: PathBuf,
    second: PathBuf,
}

/// The settings in the benchmark files of these runs; the defaults where none is a benchmark's run.
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
                return Err(RatingsDiffer { first: (*first).clone(), second: folder.clone() });
            }
            Some(_) => {}
        }
    }
    Ok(found.map_or_else(RateSettings::default, |(_, said)| said))
}

/// None for a run of another command, or one that cannot be read, which reading its records reports.
fn said_in(folder: &Path) -> Option<RateSettings> {
    let config = config_of(folder)?;
    let entry = config.get("bench")?.get("rating")?.clone();
    let entry: RatingEntry = entry.try_into().ok()?;
    Some(RateSettings::from(&entry))
}
