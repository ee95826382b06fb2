//! Which points are drawn on a surface.

use super::names::choice;
use crate::metrics::{NoColor, PointFrame, PointSettings, UpAxis};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde::{Deserialize, Serialize};

/// Which points are drawn on a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PointOptions {
    /// Number of points [default: 10000]
    #[arg(id = "count", long = "points", value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=PointSettings::COUNT_MAX as u64))]
    #[serde(rename = "points", alias = "count")]
    #[cfg_attr(test, schemars(range(min = 1, max = 30_000_000)))]
    pub count: Option<usize>,

    /// Random seed of the points [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Coordinates as in the file, or mean-radius: the mean at the origin and the farthest point at
    /// radius 1 [default: file, for features mean-radius]
    #[arg(long, value_name = "FRAME", value_parser = choice::<PointFrame>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub frame: Option<PointFrame>,

    /// y up, or swapped-yz: y and z exchanged without a sign (a mirror, used to train OpenShape's
    /// bigG models) [default: y]
    #[arg(long, value_name = "AXIS", value_parser = choice::<UpAxis>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub network_up: Option<UpAxis>,

    /// Colour of surfaces that have none: grey (102 of 255) or white; flashvdm: 100 of 255 for all
    /// points [default: grey]
    #[arg(long, value_name = "COLOR", value_parser = choice::<NoColor>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub no_color: Option<NoColor>,
}

impl PointOptions {
    /// The settings; without an option, 10,000 points of the seed 0 in this frame.
    pub fn settings(&self, frame: PointFrame) -> PointSettings {
        PointSettings {
            count: self.count.unwrap_or(10_000),
            seed: self.seed.unwrap_or(0),
            frame: self.frame.unwrap_or(frame),
            up: self.network_up.unwrap_or(UpAxis::Y),
            no_color: self.no_color.unwrap_or(NoColor::Grey),
        }
    }
}
