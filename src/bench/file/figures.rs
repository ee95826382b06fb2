//! `[[metrics]]` and `[check]`: figures of every asset, and limits on them.

use crate::options::CompareOptions;
use serde::{Deserialize, Serialize};

/// Metrics of every asset, against a reference of its prompt or without one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MetricsEntry {
    /// Path of a prompt's reference: `scans/{prompt_id}.glb`. Relative to this file; `{prompt}` and
    /// `{seed}` also work. Default: none; then the metrics are figures of the asset itself.
    pub reference: Option<String>,
    /// Such as cd_l1_half, f@0.02, iou; without a reference such as watertight, uv_overlap,
    /// triangles. Default: the usual metrics, or all figures.
    #[serde(default)]
    pub names: Vec<String>,
    #[serde(flatten)]
    pub options: CompareOptions,
}

/// Limits on every asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CheckEntry {
    /// game, web, print, vrchat, 3d-commerce, or a TOML file, relative to this file.
    pub profile: String,
    /// count (only shown) or missing (treated like a missing asset). Default: count.
    #[serde(default)]
    pub failing: Failing,
}

/// Treatment of an asset that is not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Failing {
    /// It is judged, and the board shows the share of ready assets.
    #[default]
    Count,
    /// It is not judged; `missing_assets` says what that means for its generator.
    Missing,
}
