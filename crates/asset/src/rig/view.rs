//! Where a camera stands around the object.

use serde::{Deserialize, Serialize};

/// One camera position on the sphere around the object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Shown to people; may be empty.
    #[serde(default)]
    pub name: String,
    /// 0° looks at the front (+z), 90° from +x.
    pub azimuth_degrees: f64,
    /// 0° is level, 90° looks straight down, −90° straight up.
    pub elevation_degrees: f64,
    /// Turns the picture counter-clockwise.
    #[serde(default)]
    pub roll_degrees: f64,
}

/// `count` views on a ring. With `both_ends`, the last view repeats the first, as `linspace(0, 360, count)` does.
pub fn ring_views(count: usize, elevation_degrees: f64, both_ends: bool) -> Vec<View> {
    let steps = if both_ends && count > 1 {
        count - 1
    } else {
        count
    };
    (0..count)
        .map(|k| View {
            name: String::new(),
            azimuth_degrees: 360.0 * k as f64 / steps as f64,
            elevation_degrees,
            roll_degrees: 0.0,
        })
        .collect()
}
