//! `[[features]]` and `[[scores]]` of a benchmark file, as they are written.

use crate::features::Formula;
use crate::metrics::{NoColor, PointFrame, UpAxis};
use crate::render::{Background, Light};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A model that turns pictures, photos, texts or points into vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FeaturesEntry {
    /// Its name, by which scores and files refer to it.
    pub name: String,
    /// onnx:FILE (relative to this file), or a server: http:openai, http:cohere, http:jina,
    /// http:voyage or http:infinity for vectors; http:score, http:rerank or http:pooling for a
    /// number of a picture with a text; or python, for a function given to meshjudge.bench.
    pub source: String,
    /// rgb (views of the assets), photo or text (of the prompt), or points (of surfaces).
    pub input: FeatureInput,
    /// For rgb and points: the assets of these paths instead of the generators', such as
    /// `scans/{prompt_id}.glb`.
    pub reference: Option<String>,
    /// For rgb: what the model sees with each view, to give one number: photo or text (of the
    /// prompt), or views of the assets of these paths, such as `scans/{prompt_id}.glb`.
    pub against: Option<String>,
    /// For http: the model's name at the server.
    pub model: Option<String>,
    /// For http: the server's address, without the final /embeddings, /v2/embed or similar path.
    pub base_url: Option<String>,
    /// For http: the environment variable with the key; the key must not be in this file.
    pub key_from_env: Option<String>,
    /// For http: further fields of the request, such as `{ input_type = "image" }`.
    #[serde(default)]
    pub body: serde_json::Map<String, serde_json::Value>,
    /// For onnx: the output with the vector. Default: the only one.
    pub output: Option<String>,
    /// For onnx with pictures: a preprocessor_config.json, relative to this file.
    pub preprocessing: Option<PathBuf>,
    /// Whose arithmetic resizes pictures: pillow, torchvision-u8 or another name in
    /// docs/FEATURES.md. Default: pillow.
    pub resampler: Option<String>,
    /// For rgb: cameras. Default: ring.
    pub rig: Option<String>,
    /// For rgb: number of views. Default: 4.
    pub views: Option<usize>,
    /// For rgb: edge of a view in pixels. Default: 512.
    #[cfg_attr(test, schemars(range(min = 1, max = 8192)))]
    pub size_px: Option<u32>,
    /// For rgb: white, black, grey or #RRGGBB. Default: white.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub background: Option<Background>,
    /// For rgb: studio or unlit. Default: studio.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub light: Option<Light>,
    /// For text, also as `against`: the text with the prompt in it. Default: {prompt}.
    pub template: Option<String>,
    /// For points: their number. Default: 10000.
    #[cfg_attr(test, schemars(range(min = 1, max = 10000000)))]
    pub points: Option<usize>,
    /// For points: random seed. Default: 0.
    pub seed: Option<u64>,
    /// For points: mean-radius (mean at 0, farthest at 1) or file. Default: mean-radius.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub frame: Option<PointFrame>,
    /// For points: y or swapped-yz. Default: y.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub network_up: Option<UpAxis>,
    /// For points: colour of surfaces without one, grey (0.4) or white; flashvdm gives all points
    /// 100 of 255. Default: grey.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub no_color: Option<NoColor>,
    /// For points: flashvdm, the points of FlashVDM's public script: 8192, as in the file, all of
    /// one grey. Its scores have its name, so that they are on no board with others.
    pub preset: Option<String>,
    /// For points: [centres, members], such as [512, 32]; the inputs are `groups` and `centers`.
    pub groups: Option<[usize; 2]>,
    /// For groups: leave out centres near the origin, as pointnet2_ops does. Default: false.
    pub skip_origin: Option<bool>,
}

/// What a feature sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FeatureInput {
    Rgb,
    Photo,
    Text,
    Points,
}

/// Which end of a number is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Better {
    Higher,
    Lower,
}

/// A number from the vectors of two features, or of one whose model gives numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ScoresEntry {
    /// Its name on the board, to which the formula is added, except value: `clip_i[mean]`.
    pub name: String,
    /// The feature of the generators' assets.
    pub of: String,
    /// The feature of the prompts, or of references. Not for value.
    pub to: Option<String>,
    /// For value: higher or lower.
    pub better: Option<Better>,
    /// value (the mean of the numbers that the model gives), mean, max, pooled, r_precision, fd,
    /// kd, cmmd, precision, recall, density or coverage. Default: mean.
    #[serde(default)]
    pub formula: Formula,
    /// Nearest neighbours, for precision, recall, density and coverage. Default: 3.
    #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
    pub k: Option<usize>,
    /// Ranks that count, for r_precision. Default: 1.
    #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
    pub first: Option<usize>,
    /// Samples of assets for the interval of a set's number. Default: 1000.
    #[cfg_attr(test, schemars(range(max = 100000)))]
    pub replicates: Option<usize>,
    /// Random seed of these samples. Default: 0.
    pub seed: Option<u64>,
    /// Compute fd of fewer vectors than dimensions; it is then mostly bias.
    #[serde(default)]
    pub allow_rank_deficient: bool,
}
