//! The pictures of one view, and their problems.

use super::channel::Channel;
use super::image::Image;
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

    /// Objects that differ from the background by less than this on average (of 255) are hard to see.
    pub const LOW_CONTRAST: f64 = 24.0;
}
