//! `[[features]]` and `[[scores]]` of a benchmark file, as they are written.

use crate::features::ScoreSettings;
use crate::options::{PointOptions, ViewOptions};
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
    /// For text, also as `against`: the text with the prompt in it. Default: {prompt}.
    pub template: Option<String>,
    #[serde(flatten)]
    pub server: FeatureServer,
    #[serde(flatten)]
    pub network: FeatureNetwork,
    /// For rgb: cameras (default: 4 views of the ring), size and light.
    #[serde(flatten)]
    pub views: ViewOptions,
    /// For points.
    #[serde(flatten)]
    pub points: PointOptions,
    /// For points: flashvdm, the points of FlashVDM's public script: 8192, as in the file, all of
    /// one grey. Its scores have its name, so that they are on no board with others.
    pub preset: Option<String>,
}

/// Of a source http.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FeatureServer {
    /// For http: the model's name at the server.
    pub model: Option<String>,
    /// For http: the server's address, without the final /embeddings, /v2/embed or similar path.
    pub base_url: Option<String>,
    /// For http: the environment variable with the key; the key must not be in this file.
    pub key_from_env: Option<String>,
    /// For http: further fields of the request, such as `{ input_type = "image" }`.
    pub body: Option<serde_json::Map<String, serde_json::Value>>,
}

/// Of a source onnx.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FeatureNetwork {
    /// For onnx: the output with the vector. Default: the only one.
    pub output: Option<String>,
    /// For onnx with pictures: a preprocessor_config.json, relative to this file.
    pub preprocessing: Option<PathBuf>,
    /// Whose arithmetic resizes pictures: pillow, torchvision-u8 or another name in
    /// docs/FEATURES.md. Default: pillow.
    pub resampler: Option<String>,
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
    #[serde(flatten)]
    pub settings: ScoreSettings,
}
