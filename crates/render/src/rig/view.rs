//! The position of a camera around the object, and its lens.

use super::lens::{Lens, Projection};
use serde::{Deserialize, Serialize};

/// One camera: a place on the sphere around the object, looking at the origin, or any pose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Shown to people, and part of file names that ask for it; may be empty.
    #[serde(default)]
    pub name: String,
    /// 0° looks at the front (+z), 90° from +x.
    pub azimuth_degrees: f64,
    /// 0° is level, 90° looks straight down, −90° straight up.
    pub elevation_degrees: f64,
    /// Turns the picture counter-clockwise.
    #[serde(default)]
    pub roll_degrees: f64,
    /// Instead of the rig's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projection: Option<Projection>,
    /// Of cameras whose axis misses the picture's middle, or whose pixels are not square.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lens: Option<Lens>,
    /// Rows of `[right up back position]`: camera to the rig's world, OpenGL axes. If given, it
    /// alone decides the camera's position and the angles above only describe it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pose: Option<[[f64; 4]; 3]>,
}

impl View {
    /// On the sphere, without name or roll.
    pub fn at(azimuth_degrees: f64, elevation_degrees: f64) -> Self {
        Self { azimuth_degrees, elevation_degrees, ..Self::default() }
    }

    /// The requirement that a camera of its own violates.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let is_good = match self.projection {
            None => true,
            Some(Projection::Perspective { fov_y_degrees, distance }) => {
                fov_y_degrees > 0.1 && fov_y_degrees < 175.0 && distance > 0.0 && distance < 1e9
            }
            Some(Projection::Orthographic { half_height }) => {
                half_height > 0.0 && half_height < 1e9
            }
        };
        if !is_good {
            return Err(
                "a field of view of 0.1 to 175 degrees and a distance or height above 0 for each view",
            );
        }
        if let Some(Lens { principal_point: [x, y], focal_ratio }) = self.lens
            && !(x.abs() < 1e3 && y.abs() < 1e3 && focal_ratio > 1e-3 && focal_ratio < 1e3)
        {
            return Err(
                "a principal point within 1000 pictures and a focal ratio of 0.001 to 1000",
            );
        }
        if let Some(pose) = self.pose {
            let column = |c: usize| glam::DVec3::new(pose[0][c], pose[1][c], pose[2][c]);
            let [right, up, back, eye] = [0, 1, 2, 3].map(column);
            let off = (right.cross(up) - back).length()
                + (right.length() - 1.0).abs()
                + (up.length() - 1.0).abs();
            if !(off < 1e-3 && eye.abs().max_element() < 1e9) {
                return Err("orthonormal right-handed axes and a finite position for each pose");
            }
        }
        Ok(())
    }
}

/// `count` views on a ring. With `both_ends`, the last view repeats the first, as
/// `linspace(0, 360, count)` does.
pub fn ring_views(count: usize, elevation_degrees: f64, both_ends: bool) -> Vec<View> {
    let steps = if both_ends && count > 1 { count - 1 } else { count };
    (0..count).map(|k| View::at(360.0 * k as f64 / steps as f64, elevation_degrees)).collect()
}
