//! Where a picture is taken from. Pixel (column, row) covers the square from (column, row) to
//! (column + 1, row + 1); row 0 is the top row.

use glam::DVec3;

/// Most pixels along a side of a picture.
pub const SIDE_PX_MAX: u32 = 1 << 14;

/// How points become pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lens {
    /// `focal_px` is the focal length in pixels.
    Perspective,
    /// `focal_px` is the number of pixels per unit.
    Orthographic,
}

/// A camera without distortion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    pub width_px: u32,
    pub height_px: u32,
    /// In world space. Orthographic depths are counted from it too.
    pub eye: DVec3,
    /// Unit vectors to the right, down and forward, in world space; right × down = forward.
    pub axes: [DVec3; 3],
    pub lens: Lens,
    /// Horizontal and vertical.
    pub focal_px: [f64; 2],
    /// The pixel position of the point straight ahead; the middle of the picture is half its size.
    pub center_px: [f64; 2],
}

impl Camera {
    /// A square camera that looks from `eye` to `target`, with `up` upwards in the picture.
    pub fn square(side_px: u32, eye: DVec3, target: DVec3, up: DVec3, fov_y_radians: f64) -> Self {
        let half = 0.5 * f64::from(side_px);
        let focal = half / libm::tan(0.5 * fov_y_radians);
        let forward = (target - eye).normalize();
        let right = forward.cross(up).normalize();
        Self {
            width_px: side_px,
            height_px: side_px,
            eye,
            axes: [right, forward.cross(right), forward],
            lens: Lens::Perspective,
            focal_px: [focal; 2],
            center_px: [half; 2],
        }
    }
}
