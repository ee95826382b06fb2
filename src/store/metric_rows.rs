//! `metrics.json` of a run: the numbers of a benchmark's assets, by themselves or against their
//! references, and which of them are drawn.

use super::benchmark::Made;
use super::error;
use super::folder::{read_json, write_json, write_whole};
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Its name in the run folder.
pub const METRICS_FILE: &str = "metrics.json";

/// The folder in the run folder that holds pictures of errors.
const ERROR_MAPS_FOLDER: &str = "error-maps";

/// What the file holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MetricsKept {
    /// A method whose asset is missing gets the worst value of the others on that prompt; otherwise
    /// the prompt is left out for it.
    pub missing_is_worst: bool,
    /// Everything that decides a number, by its hash.
    pub definitions: BTreeMap<String, serde_json::Value>,
    pub rows: Vec<MetricRow>,
    /// Of the worst and best assets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub error_maps: Vec<ErrorMapRow>,
    /// Numbers of a method's whole set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<SetRow>,
}

/// One number of all assets of a method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetRow {
    pub method: String,
    /// Its name, as in `dino[fd]`.
    pub metric: String,
    /// Finite.
    pub value: f64,
    /// 95 %, over samples of assets.
    pub interval: Option<[f64; 2]>,
    /// At infinitely many assets.
    pub limit: Option<f64>,
    pub limit_interval: Option<[f64; 2]>,
    /// How it falls towards that limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bias: Option<Bias>,
    /// The same number between two halves of the reference.
    pub floor: Option<f64>,
    pub num_assets: usize,
    pub num_vectors: usize,
    pub dimension: usize,
    /// Hash of the keys of all its vectors and of the reference's.
    pub vectors: String,
    /// Hash of the definition.
    pub definition: String,
}

/// A distance by the number of assets, and the line through it: limit + slope / N.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bias {
    /// Numbers of assets with the distance of each draw.
    pub points: Vec<(usize, f64)>,
    pub slope: f64,
}

/// A picture of where an asset differs from its reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorMapRow {
    pub method: String,
    pub prompt_id: String,
    pub seed: u32,
    /// Hash of the asset.
    pub asset: String,
    /// Hash of the reference.
    pub reference: String,
    /// Hashes of the definitions of the metrics for which it was drawn.
    pub definitions: Vec<String>,
    /// BLAKE3 of the picture, which is a PNG.
    pub picture: String,
    /// The error at the dark end of the colours.
    pub scale: f64,
    /// Its unit, as in the metric's definition.
    pub unit: String,
    /// Of the drawing.
    pub version: u32,
}

impl ErrorMapRow {
    /// The path of the picture.
    pub fn path(&self, run_folder: &Path) -> PathBuf {
        // A name from a file may be anything; this one cannot leave the folder.
        let name: String = self.picture.chars().filter(char::is_ascii_hexdigit).collect();
        run_folder.join(ERROR_MAPS_FOLDER).join(name + ".png")
    }

    /// Writes the picture.
    ///
    /// # Errors
    /// [`Error`].
    pub fn write(&self, run_folder: &Path, png: &[u8]) -> Result<(), Error> {
        let folder = run_folder.join(ERROR_MAPS_FOLDER);
        std::fs::create_dir_all(&folder).map_err(|e| error::file("write", &folder, e))?;
        write_whole(&self.path(run_folder), png)
    }
}

/// One number of one asset.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MetricRow {
    pub method: String,
    pub prompt_id: String,
    pub prompt: String,
    /// Which try of the prompt.
    pub seed: u32,
    /// Its name, as in `f@0.02`.
    pub metric: String,
    /// None where there is none, as `why` says. A text in the file, exact to the last bit.
    #[serde(with = "exact")]
    pub value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Hash of the asset.
    pub asset: String,
    /// Hash of the reference; empty without one.
    pub reference: String,
    /// Hash of the definition.
    pub definition: String,
}

impl MetricRow {
    /// Of an asset that was made, with no number yet.
    pub fn of(made: &Made, metric: String) -> Self {
        Self {
            method: made.method.clone(),
            prompt_id: made.prompt_id.clone(),
            prompt: made.prompt.clone(),
            seed: made.seed,
            metric,
            ..Self::default()
        }
    }
}

impl MetricsKept {
    /// What the run in `folder` holds; nothing for a run without metrics.
    ///
    /// # Errors
    /// A file that cannot be read, or that is not ours.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        read_json(&folder.join(METRICS_FILE))
    }

    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// [`Error`].
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        write_json(&folder.join(METRICS_FILE), self)
    }
}

/// serde_json reads numbers within one unit in the last place; a text is read as it was written.
mod exact {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(value: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
        value.map(|value| value.to_string()).serialize(s)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
        let text = Option::<String>::deserialize(d)?;
        let number = |text: String| text.parse().map_err(D::Error::custom);
        text.map(number).transpose()
    }
}
