//! `[[metrics]]` and `[check]`: figures of every asset, and limits on them.

use crate::metrics::{Align, Unit};
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
    /// none, box, axes or search. Default: none.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub align: Option<Align>,
    /// Unit of length: longest, diagonal or file. Default: longest.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub unit: Option<Unit>,
    /// Points drawn on each surface. Default: 100000.
    #[cfg_attr(test, schemars(range(min = 1, max = 20000000)))]
    pub samples: Option<usize>,
    /// Random seed of the points. Default: 0.
    pub seed: Option<u64>,
    /// Cells along the longest side, for volumes. Default: 64.
    #[cfg_attr(test, schemars(range(min = 2, max = 512)))]
    pub cells: Option<usize>,
    /// Points that emd matches one to one. Default: 1024.
    #[cfg_attr(test, schemars(range(min = 1, max = 4096)))]
    pub matched: Option<usize>,
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
