//! Everything except splats and camera that decides a picture, with the published variants by name.

use crate::read::Order;

/// Where a splat ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cut {
    /// Where its opacity falls below 1/255.
    #[default]
    Alpha,
    /// In addition, outside the 16 × 16 tiles that its square of three standard deviations touches,
    /// as in diff-gaussian-rasterization.
    Tile16,
}

/// How a splat is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Added to the variances in the picture, in px².
    pub low_pass_px2: f32,
    /// Whether opacity falls as the low-pass filter widens a splat (compensated or antialiased).
    pub compensated: bool,
    pub cut: Cut,
    pub order: Order,
    /// Splats whose centre is nearer than this along the view's axis are not drawn.
    pub near: f32,
    /// Whether depths and normals are drawn too.
    pub geometry: bool,
}

impl Default for Settings {
    /// As the reference of 3D Gaussian Splatting: low-pass 0.3 px², near 0.2.
    fn default() -> Self {
        Self {
            low_pass_px2: 0.3,
            compensated: false,
            cut: Cut::Alpha,
            order: Order::Depth,
            near: 0.2,
            geometry: false,
        }
    }
}

impl Settings {
    /// As Mip-Splatting, TRELLIS and SAM 3D Objects draw: kernel 0.1 px², compensated.
    pub fn mip() -> Self {
        Self { low_pass_px2: 0.1, compensated: true, ..Self::default() }
    }
}
