//! A rig: a named set of cameras around a normalised scene. Rigs are data; the built-in ones are `assets/rigs/*.toml`.
//!
//! The scene is moved and scaled so that its bounding sphere has radius [`Rig::object_radius`] at the origin; y is up, the front faces +z.
//! Azimuth 0° looks at the front and grows towards +x; elevation 90° looks down. Knows nothing of materials.

mod camera;
mod file;
mod view;

pub use camera::{Camera, Projection};
pub use file::RigError;
pub use view::{View, ring_views};

use crate::scene::ViewScale;
use serde::{Deserialize, Serialize};

/// Which world axis each colour channel of a normal picture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum NormalAxes {
    /// Red x (right), green y (up), blue z (front).
    #[default]
    Xyz,
    /// Red z (front), green x (right), blue y (up): a z-up world whose front is +x, as threestudio's.
    Zxy,
}

/// A resolved rig: part of the render protocol, hence serialised with every verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rig {
    /// Built-in name, or the name that its file gives.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// Radius that the scene's bounding sphere is scaled to.
    pub object_radius: f64,
    /// Lens and distance, the same for every view.
    pub projection: Projection,
    /// Axes of the normal channel in world space.
    pub normal_axes: NormalAxes,
    /// Edge of a square picture when the user names none.
    pub tile_px: u32,
    /// At least one, at most [`Rig::VIEWS_MAX`].
    pub views: Vec<View>,
}

impl Rig {
    /// More views in one rig are refused.
    pub const VIEWS_MAX: usize = 4096;

    /// Names of the built-in rigs.
    pub const BUILTIN: [&'static str; 4] = ["gpteval3d", "ring", "four-view", "six"];

    /// The camera of view `view_idx`.
    ///
    /// # Panics
    /// When the rig has no such view.
    pub fn camera(&self, view_idx: usize) -> Camera {
        Camera::new(&self.views[view_idx], self.projection)
    }

    /// How large pictures of this height show an asset, from any side; `None` where a camera is so near that nothing can be said.
    pub fn view_scale(&self, height_px: u32) -> Option<ViewScale> {
        let half_height = f64::from(height_px) / 2.0;
        match self.projection {
            Projection::Perspective {
                fov_y_degrees,
                distance,
            } => {
                let focal_px = half_height / libm::tan(fov_y_degrees.to_radians() / 2.0);
                let view_scale = ViewScale {
                    pixels_per_radius: focal_px * self.object_radius / distance,
                    distance: distance / self.object_radius,
                };
                (view_scale.distance >= ViewScale::DISTANCE_MIN).then_some(view_scale)
            }
            Projection::Orthographic {
                half_height: extent,
            } => Some(ViewScale {
                pixels_per_radius: half_height / extent * self.object_radius,
                distance: f64::INFINITY,
            }),
        }
    }

    /// Keeps only the views named by their index, in that order; others are dropped.
    #[must_use]
    pub fn with_views(mut self, view_idxs: &[usize]) -> Self {
        self.views = view_idxs
            .iter()
            .filter_map(|&idx| self.views.get(idx).cloned())
            .collect();
        self
    }

    /// The same rig with other views.
    #[must_use]
    pub fn replacing_views(mut self, views: Vec<View>) -> Self {
        self.views = views;
        self
    }
}
