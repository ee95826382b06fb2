//! Draws a scene from every view of a rig: `Scene` + `Rig` → [`Frame`]s.
//!
//! The CPU renderer is the reference; a graphics card draws where one is asked for, and hands back what it cannot do. Colours are linear inside and sRGB in pictures. Knows nothing of sheets.

mod card;
#[cfg_attr(
    not(feature = "gpu"),
    expect(dead_code, reason = "gpu/ reads more of it")
)]
mod cpu;
#[cfg_attr(not(feature = "gpu"), path = "gpu_absent.rs")]
mod gpu;
mod image;
mod lanes;
mod layers;
mod protocol;
mod refine;
mod settings;
mod shade;
#[cfg_attr(
    not(feature = "gpu"),
    expect(dead_code, reason = "gpu/ reads more of it")
)]
mod texture;
mod timings;

pub use self::gpu::{Gpu, adapters};
pub use self::image::{Image, ImageError, PixelFormat};
pub use card::{AdapterChoice, AdapterFacts, GpuError, Notice};
pub use protocol::Protocol;
pub use settings::{Background, BackgroundError, Light, NormalSpace, Renderer, Settings};
pub use timings::Timings;

use crate::rig::Rig;
use crate::scene::Scene;
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

impl FrameProblem {
    /// Less coverage than this many pixels in all is nothing to judge.
    pub(crate) const BLANK_PIXELS: f64 = 4.0;

    /// Objects that differ from the background by less than this on average (of 255) are hard to see.
    pub(crate) const LOW_CONTRAST: f64 = 24.0;
}

/// Why nothing was drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// A picture size out of range.
    #[error("pictures of {width_px}×{height_px} px cannot be drawn; each side must be 1 to {max}", max = Rig::TILE_PX_MAX)]
    Size {
        /// Asked for.
        width_px: u32,
        /// Asked for.
        height_px: u32,
    },
    /// No channel was asked for.
    #[error("no channel was asked for; name at least one of rgb, normal, matte, depth, mask")]
    NoChannel,
    /// More triangles than ids can tell apart.
    #[error("the scene has {found} triangles; at most {max} can be drawn", max = cpu::TRIANGLES_MAX)]
    TooManyTriangles {
        /// Triangles in the scene.
        found: usize,
    },
}

/// Draws every view of the rig; frames come in the order of the views.
///
/// # Errors
/// Any [`RenderError`]; nothing is drawn then.
pub fn draw(scene: &Scene, rig: &Rig, settings: &Settings) -> Result<Vec<Frame>, RenderError> {
    draw_each(scene, rig, settings, &Timings::default(), |frame| frame)
}

/// As [`draw`], but hands each frame to `each` as soon as it is there, on the thread that drew it, so that encoding and writing
/// overlap with drawing and memory stays flat. Results come in the order of the views.
///
/// # Errors
/// Any [`RenderError`]; `each` is not called then.
pub fn draw_each<T: Send>(
    scene: &Scene,
    rig: &Rig,
    settings: &Settings,
    timings: &Timings,
    each: impl Fn(Frame) -> T + Sync,
) -> Result<Vec<T>, RenderError> {
    let (width_px, height_px) = (settings.width_px, settings.height_px);
    let allowed = 1..=Rig::TILE_PX_MAX;
    if !allowed.contains(&width_px) || !allowed.contains(&height_px) {
        return Err(RenderError::Size {
            width_px,
            height_px,
        });
    }
    if settings.channels.is_empty() {
        return Err(RenderError::NoChannel);
    }
    if scene.triangle_count() > cpu::TRIANGLES_MAX {
        return Err(RenderError::TooManyTriangles {
            found: scene.triangle_count(),
        });
    }
    let mut results = Vec::new();
    if let Renderer::Gpu(card) = &settings.renderer {
        let drawn = gpu::draw_each(card, scene, rig, settings, timings, &each);
        if let Some(reason) = drawn.stopped {
            card.stand_in(rig.views.len() - drawn.results.len(), &reason);
        }
        results = drawn.results;
    }
    let rest = results.len()..rig.views.len();
    if rest.is_empty() {
        return Ok(results);
    }
    results.extend(cpu::draw_each(scene, rig, rest, settings, timings, each));
    Ok(results)
}
