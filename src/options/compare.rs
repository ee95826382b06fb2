//! How a surface is compared with its reference.

use super::names::choice;
use crate::metrics::{Align, CompareSettings, Metric, Unit};
use clap::Args;
use serde::{Deserialize, Serialize};

/// How a surface is compared with its reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CompareOptions {
    /// How a result is aligned with its reference [default: none]
    #[arg(long, value_name = "HOW", requires = "reference", value_parser = choice::<Align>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub align: Option<Align>,

    /// Unit of length: the reference's longest side or diagonal, or the file's unit [default:
    /// longest]
    #[arg(long, value_name = "LENGTH", requires = "reference", value_parser = choice::<Unit>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub unit: Option<Unit>,

    /// Points drawn on each surface [default: 100000]
    #[arg(long, help_heading = "More", value_name = "N", requires = "reference")]
    #[cfg_attr(test, schemars(range(min = 1, max = 20_000_000)))]
    pub samples: Option<usize>,

    /// Random seed of the points [default: 0]
    #[arg(long, help_heading = "More", value_name = "N", requires = "reference")]
    pub seed: Option<u64>,

    /// Cells along the longest side, for volumes [default: 64]
    #[arg(long, help_heading = "More", value_name = "N", requires = "reference")]
    #[cfg_attr(test, schemars(range(min = 2, max = 512)))]
    pub cells: Option<usize>,

    /// Points that emd matches one to one [default: 1024]
    #[arg(long, help_heading = "More", value_name = "N", requires = "reference")]
    #[cfg_attr(test, schemars(range(min = 1, max = 4096)))]
    pub matched: Option<usize>,
}

impl CompareOptions {
    /// The settings for these metrics, else for the usual ones.
    pub fn settings(&self, metrics: Option<Vec<Metric>>) -> CompareSettings {
        let default = CompareSettings::default();
        CompareSettings {
            metrics: metrics.unwrap_or(default.metrics),
            samples: self.samples.unwrap_or(default.samples),
            seed: self.seed.unwrap_or(default.seed),
            unit: self.unit.unwrap_or(default.unit),
            align: self.align.unwrap_or(default.align),
            cells: self.cells.unwrap_or(default.cells),
            matched: self.matched.unwrap_or(default.matched),
        }
    }
}
