//! Draws a scene from every view of a rig: `Scene` + [`Rig`](crate::rig::Rig) → [`Frame`]s.

mod image;

pub use self::image::{Image, ImageError, PixelFormat};

use std::collections::BTreeMap;

/// What a picture shows.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// Shaded colour, sRGB; RGB8, or RGBA8 with straight alpha when the background is transparent.
    Rgb,
    /// Geometric normals as `(n + 1) / 2`, RGB8, linear; black where nothing is.
    Normal,
    /// Grey clay under the same light, RGB8, sRGB: shape without texture.
    Matte,
    /// Grey16, linear: 65535 nearest to 1 farthest over the bounding sphere, 0 where nothing is.
    Depth,
    /// Grey8, linear: share of the pixel that is covered.
    Mask,
}

/// What is wrong with a picture although it was drawn.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum FrameProblem {
    /// Nothing is visible.
    Blank,
    /// The object touches the edge of the picture.
    Clipped {
        /// Share of the border pixels that are covered, 0 to 1.
        border_share: f32,
    },
    /// The object can hardly be told from the background.
    LowContrast {
        /// Mean difference to the background over the covered pixels, 0 to 255.
        mean_difference: f32,
    },
}

/// All channels of one view.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Index of the view in the rig.
    pub view_idx: usize,
    /// One picture per channel asked for; all of one size.
    pub images: BTreeMap<Channel, Image>,
    /// Share of the picture that the object covers, 0 to 1.
    pub coverage: f32,
    /// What a user should be told.
    pub problems: Vec<FrameProblem>,
}
