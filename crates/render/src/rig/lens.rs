//! What a camera sees with.

use serde::{Deserialize, Serialize};

/// Lens and distance. Pictures are square by default; the vertical extent is given.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Projection {
    /// A pinhole at `distance` from the origin.
    Perspective {
        /// Vertical field of view.
        fov_y_degrees: f64,
        /// From the camera to the origin, in units where the object has the rig's radius.
        distance: f64,
    },
    /// Parallel rays; the picture spans ±`half_height` vertically.
    Orthographic {
        /// Half the height of the picture in world units.
        half_height: f64,
    },
}

/// Where the camera's axis meets the picture, and the shape of its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lens {
    /// Shares of the picture's width and height, from its upper left corner.
    pub principal_point: [f64; 2],
    /// Focal length in pixels along x ÷ along y.
    pub focal_ratio: f64,
}

impl Lens {
    /// The middle of the picture, square pixels.
    pub const CENTERED: Self = Self { principal_point: [0.5, 0.5], focal_ratio: 1.0 };
}
