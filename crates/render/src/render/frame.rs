//! The pictures of one view, and their problems.

use super::channel::Channel;
use super::image::Image;
use super::settings::Settings;
use super::shot::Stats;
use std::collections::BTreeMap;

/// All channels of one view.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Index of the view in the rig.
    pub view_idx: usize,
    /// One picture per channel asked for; all of one size.
    pub images: BTreeMap<Channel, Image>,
    /// Share of the picture that the object covers, 0 to 1.
    pub coverage: f32,
    /// Warnings for the user.
    pub problems: Vec<FrameProblem>,
}

impl Frame {
    /// A view's pictures with what can be said of them, by the sums over some parts of it.
    pub(super) fn of(
        settings: &Settings,
        view_idx: usize,
        images: Vec<(Channel, Image)>,
        stats: &[Stats],
    ) -> Self {
        let (width, height) = (settings.width_px, settings.height_px);
        let sum = |of: fn(&Stats) -> f64| stats.iter().map(of).sum::<f64>();
        let covered = sum(|s| s.covered);
        let solid = sum(|s| f64::from(s.solid));
        let border = f64::from((2 * (width + height)).saturating_sub(4).max(1));
        let border_share = sum(|s| f64::from(s.border_covered)) / border;
        let mut problems = Vec::new();
        if covered < FrameProblem::BLANK_PIXELS {
            problems.push(FrameProblem::Blank);
        } else if border_share > 0.0 {
            problems.push(FrameProblem::Clipped { border_share: border_share as f32 });
        }
        let shows_background =
            settings.channels.contains(&Channel::Rgb) && settings.background.linear().is_some();
        let mean_difference = sum(|s| s.contrast) / solid.max(1.0);
        if shows_background && solid > 0.0 && mean_difference < FrameProblem::LOW_CONTRAST {
            problems.push(FrameProblem::LowContrast { mean_difference: mean_difference as f32 });
        }
        Self {
            view_idx,
            images: images.into_iter().collect(),
            coverage: (covered / (f64::from(width) * f64::from(height))) as f32,
            problems,
        }
    }
}

/// A problem of a picture, although it was drawn.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum FrameProblem {
    /// Fewer than `BLANK_PIXELS` pixels are covered.
    Blank,
    /// The object touches the edge of the picture.
    Clipped {
        /// Share of the border pixels that are covered, 0 to 1.
        border_share: f32,
    },
    /// The object has too little contrast with the background.
    LowContrast {
        /// Mean difference to the background over the covered pixels, 0 to 255.
        mean_difference: f32,
    },
}

impl FrameProblem {
    /// Less coverage than this many pixels in all is nothing to judge.
    pub const BLANK_PIXELS: f64 = 4.0;

    /// Objects that differ from the background by less on average (of 255) are hard to see.
    pub const LOW_CONTRAST: f64 = 24.0;
}
