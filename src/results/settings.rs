//! How verdicts become ratings: a benchmark file's settings, as kept by its run, and one call's.

use crate::error::Error;
use crate::options::{RatingOptions, Ties, or};
use crate::rate::Sampling;
use crate::store::config_of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Names people's votes where an anchor is asked for.
const PEOPLE: &str = "people";

/// Figures of assets that a run did not measure: by column, then by method and text or id of the
/// prompt. All are finite.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ControlTable {
    pub columns: BTreeMap<String, BTreeMap<(String, String), f64>>,
}

/// How verdicts become ratings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(test, schemars(rename = "RatingEntry"))]
pub struct RateSettings {
    /// half, both-win or davidson. Default: half.
    pub ties: Ties,
    /// The generator with rating 1000. Default: the mean of all.
    pub anchor: Option<String>,
    /// Whether to make anchored boards, from people's votes and the judges. Default: false.
    pub anchored: bool,
    /// Bootstrap samples; 0 for no intervals. Default: 1000.
    #[serde(rename = "bootstraps")]
    #[cfg_attr(test, schemars(range(min = 0, max = 100_000)))]
    pub replicates: u32,
    /// Whether a weak prior keeps a generator that only wins finite. Default: true.
    #[serde(rename = "prior")]
    pub has_prior: bool,
    /// Seed of the bootstrap. Default: 0.
    pub seed: u64,
    /// Whether probe counts as one of "all judges" if there are models. Default: false.
    pub with_probe: bool,
    /// `[[metrics]]` held equal on a board of their own, such as triangles. Default: none.
    #[serde(rename = "control")]
    pub controls: Vec<String>,
    /// Source of figures that the run did not measure. `log:` before a name takes its logarithm.
    #[serde(skip)]
    pub control_table: Option<ControlTable>,
    /// Whether it is worked out what each board's order rests on.
    #[serde(skip)]
    pub diagnoses: bool,
    /// Whether verdicts on different pictures or texts are rated together.
    #[serde(skip)]
    pub mixes_protocols: bool,
}

impl Default for RateSettings {
    fn default() -> Self {
        Self {
            ties: Ties::Half,
            anchor: None,
            anchored: false,
            replicates: 1000,
            has_prior: true,
            seed: 0,
            with_probe: false,
            controls: Vec::new(),
            control_table: None,
            diagnoses: false,
            mixes_protocols: false,
        }
    }
}

impl RateSettings {
    /// How intervals are drawn.
    pub(super) fn sampling(&self) -> Sampling {
        Sampling { replicates: self.replicates as usize, seed: self.seed }
    }

    /// For these runs: a caller's options, else those of their benchmark files, else the defaults.
    ///
    /// # Errors
    /// The runs' benchmark files differ, and no option decides.
    pub fn of(options: &RatingOptions, folders: &[PathBuf]) -> Result<Self, Error> {
        let is_said = options.anchor.is_some() || options.ties.is_some();
        let found = match rating_of(folders) {
            Err(_) if is_said => Self::default(),
            found => found?,
        };
        let asks_people = options.anchor.as_deref() == Some(PEOPLE);
        let anchor = options.anchor.clone().filter(|_| !asks_people);
        let named = RatingOptions { anchor, ..options.clone() };
        let settings = or(&named, &found).expect("names and numbers");
        Ok(Self {
            anchored: settings.anchored || asks_people,
            mixes_protocols: options.mix_protocols.unwrap_or_default(),
            ..settings
        })
    }
}

/// The settings in the benchmark files of these runs; the defaults where none is a benchmark's run.
///
/// # Errors
/// Benchmark files that differ.
fn rating_of(folders: &[PathBuf]) -> Result<RateSettings, Error> {
    let mut found: Option<(&PathBuf, RateSettings)> = None;
    for folder in folders {
        let Some(said) = said_in(folder) else {
            continue;
        };
        match &found {
            None => found = Some((folder, said)),
            Some((first, before)) if *before != said => {
                return Err(Error::run(format!(
                    "the benchmark files of {first:?} and {folder:?} ask for different ratings; give the rule for ties and the anchor, or rate the runs separately"
                )));
            }
            Some(_) => {}
        }
    }
    Ok(found.map_or_else(RateSettings::default, |(_, said)| said))
}

/// None for another command's run or an unreadable one, which reading its records reports.
fn said_in(folder: &Path) -> Option<RateSettings> {
    let config = config_of(folder)?;
    config.get("bench")?.get("rating")?.clone().try_into().ok()
}
