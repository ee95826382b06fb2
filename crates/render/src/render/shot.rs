//! A view, or a part of it drawn larger, and data about its pixels in addition to their colours.

use super::samples::SAMPLES;
use crate::rig::{Camera, Placement, Projection};
use std::ops::Range;

/// A view, or a part of it drawn larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shot {
    /// Index of the view in the rig.
    pub view_idx: usize,
    /// How many times as wide and high as the picture the view is: 1, 2 or 4.
    pub zoom: u32,
    /// Which part of it, in pictures from the left and from the top.
    pub at: [u32; 2],
}

impl Shot {
    /// All of a view.
    pub(super) fn whole(view_idx: usize) -> Self {
        Self { view_idx, zoom: 1, at: [0, 0] }
    }

    pub(super) fn quarter(&self, [column, row]: [u32; 2]) -> Self {
        let [x, y] = self.at;
        Self { zoom: self.zoom * 2, at: [x * 2 + column, y * 2 + row], ..*self }
    }
}

/// The part of a picture outside which nothing is drawn, in pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    pub columns: Range<usize>,
    pub rows: Range<usize>,
}

impl Window {
    pub(super) fn whole(width: usize, height: usize) -> Self {
        Self { columns: 0..width, rows: 0..height }
    }
}

/// The depth of the opaque and cut-out surfaces at the samples of a pixel: 0 nearest to 65534
/// farthest, [`Depths::NOTHING`] where nothing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Depths {
    /// Over all samples of the pixel.
    pub nearest: u16,
    pub farthest: u16,
}

impl Depths {
    pub(super) const NOTHING: u16 = u16::MAX;

    /// A pixel that sees nothing.
    pub(super) const EMPTY: Self = Self { nearest: Self::NOTHING, farthest: Self::NOTHING };

    /// Of depths from 0 to 1, infinite where nothing is.
    #[inline(always)]
    pub(super) fn of(samples: &[f32; SAMPLES]) -> Self {
        // No depth is no number: one comparison is enough.
        let nearest = samples.iter().fold(f32::INFINITY, |low, &z| if z < low { z } else { low });
        let farthest = samples.iter().fold(0.0, |high, &z| if z > high { z } else { high });
        Self { nearest: Self::steps(nearest), farthest: Self::steps(farthest) }
    }

    #[inline(always)]
    pub(super) fn steps(depth: f32) -> u16 {
        (depth * 65534.0 + 0.5) as u16
    }

    /// Whether every sample sees something no deeper than this.
    pub(super) fn is_full_within(self, deepest: u32) -> bool {
        self.farthest != Self::NOTHING && u32::from(self.farthest) <= deepest
    }

    /// Whether samples look past what the nearest of them sees.
    pub(super) fn is_broken(self) -> bool {
        self.nearest != Self::NOTHING && !self.is_full_within(u32::from(self.nearest) + GAP)
    }
}

/// A surface this much deeper is another surface, not the same one seen aslant: in steps of
/// [`Depths`], a 32nd of the depth of the scene's sphere. A surface that falls away so much in one
/// pixel is seen at less than 4°.
pub(super) const GAP: u32 = 2048;

/// Sums that show whether a picture is empty or clipped.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stats {
    /// Sum of coverage over all pixels.
    pub covered: f64,
    /// Border pixels with any coverage.
    pub border_covered: u32,
    /// Pixels at least half covered, and the sum of their difference to the background.
    pub solid: u32,
    pub contrast: f64,
}

/// The meaning of clip space's z: depths along the view axis, in the rig's units.
#[derive(Debug, Clone, Copy)]
pub(super) struct DepthRange {
    pub near: f64,
    pub far: f64,
    pub is_parallel: bool,
}

impl DepthRange {
    pub(super) fn new(camera: &Camera, placement: &Placement) -> Self {
        let (near, far) = camera.near_and_far(placement.radius);
        Self {
            near,
            far,
            is_parallel: matches!(camera.projection, Projection::Orthographic { .. }),
        }
    }

    /// From 0 near to 1 far in clip space to a depth.
    #[inline(always)]
    pub(super) fn depth(&self, z: f32) -> f64 {
        let (near, far, z) = (self.near, self.far, f64::from(z));
        if self.is_parallel {
            near + z * (far - near)
        } else {
            near * far / (far - z * (far - near))
        }
    }

    /// As 16-bit pictures have it: 65535 nearest to 1 farthest.
    #[inline(always)]
    pub(super) fn step(&self, z: f32) -> u16 {
        self.step_of(self.depth(z))
    }

    /// The same of a depth.
    #[inline(always)]
    pub(super) fn step_of(&self, depth: f64) -> u16 {
        step((depth - self.near) / (self.far - self.near))
    }

    /// The same of a depth, linear in clip space.
    pub(super) fn ndc_step_of(&self, depth: f64) -> u16 {
        let share = (depth - self.near) / (self.far - self.near);
        step(if self.is_parallel { share } else { share * self.far / depth })
    }
}

#[inline(always)]
fn step(share: f64) -> u16 {
    1 + ((1.0 - share).clamp(0.0, 1.0) * 65534.0 + 0.5) as u16
}
