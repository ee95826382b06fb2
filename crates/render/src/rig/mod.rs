//! A rig: a named set of cameras around a normalised scene. Rigs are data; the built-in ones are
//! `assets/rigs/*.toml`.
//!
//! The scene is moved and scaled so that its bounding sphere has radius [`Rig::object_radius`] at
//! the origin, or as a [`Normalise`] says; y is up, the front faces +z. Azimuth 0° looks at the
//! front and grows towards +x; elevation 90° looks down. Knows nothing of materials.

mod camera;
mod cameras;
mod conventions;
mod file;
mod lens;
mod placement;
mod sampled;
mod splat_filter;
mod view;

pub use camera::Camera;
pub use cameras::{CamerasError, Convention, ConventionError, NamedConvention};
pub use conventions::{Conventions, Setup, TransformsStyle};
pub use file::RigError;
pub use lens::{Lens, Projection};
pub use placement::{Normalise, Placement};
pub use splat_filter::SplatFilter;
pub use view::{View, ring_views};

use crate::scene::{AssetRef, ViewScale};
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Which world axis each colour channel of a normal picture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum NormalAxes {
    /// Red x (right), green y (up), blue z (front).
    #[default]
    Xyz,
    /// Red z (front), green x (right), blue y (up): z-up, front +x, as in threestudio.
    Zxy,
    /// Red x, green −z, blue y: Blender's z-up world, whose front is −y.
    Blender,
    /// Red y, green −z, blue x: the channels of `Blender` in reverse.
    BlenderReversed,
}

impl NormalAxes {
    /// The directions in our world whose components are red, green and blue.
    pub fn rows(self) -> [Vec3; 3] {
        match self {
            Self::Xyz => [Vec3::X, Vec3::Y, Vec3::Z],
            Self::Zxy => [Vec3::Z, Vec3::X, Vec3::Y],
            Self::Blender => [Vec3::X, Vec3::NEG_Z, Vec3::Y],
            Self::BlenderReversed => [Vec3::Y, Vec3::NEG_Z, Vec3::X],
        }
    }
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
    /// Lens and distance of every view that has none of its own.
    pub projection: Projection,
    /// Of every view that has none of its own; none is the middle of the picture and square pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lens: Option<Lens>,
    /// Instead of the bounding sphere with [`Rig::object_radius`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalise: Option<Normalise>,
    /// How splats are drawn, where it is not as in 3D Gaussian Splatting and as their file says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub splats: Option<SplatFilter>,
    /// Axes of the normal channel in world space.
    pub normal_axes: NormalAxes,
    /// Default edge of a square picture; width of other pictures.
    pub tile_px: u32,
    /// Views next to each other on a sheet; none for a square of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<u32>,
    /// Height ÷ width of pictures that are not square.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<[u32; 2]>,
    /// At least one, at most [`Rig::VIEWS_MAX`].
    pub views: Vec<View>,
    /// How a published protocol lights, names and reads; decides nothing by itself.
    #[serde(skip)]
    pub conventions: Conventions,
}

impl Rig {
    /// Of an object whose sphere has radius 1.
    pub fn new(
        name: &str,
        description: &str,
        projection: Projection,
        tile_px: u32,
        views: Vec<View>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            object_radius: 1.0,
            projection,
            lens: None,
            normalise: None,
            splats: None,
            normal_axes: NormalAxes::Xyz,
            tile_px,
            columns: None,
            aspect: None,
            views,
            conventions: Conventions::default(),
        }
    }

    /// More views in one rig are refused.
    pub const VIEWS_MAX: usize = 4096;

    /// The camera of view `view_idx`.
    ///
    /// # Panics
    /// When the rig has no such view.
    pub fn camera(&self, view_idx: usize) -> Camera {
        Camera::new(&self.views[view_idx], self.projection, self.lens)
    }

    /// How the rig places an asset.
    pub fn placement<'a>(&self, of: impl Into<AssetRef<'a>>) -> Placement {
        Placement::new(self.normalise, self.object_radius, of.into())
    }

    /// Height of pictures of this width.
    pub fn height_px(&self, width_px: u32) -> u32 {
        self.aspect.map_or(width_px, |[width, height]| {
            let scaled = u64::from(width_px) * u64::from(height);
            ((scaled + u64::from(width) / 2) / u64::from(width)).clamp(1, u64::from(u32::MAX))
                as u32
        })
    }

    /// The size at which pictures of this height show an asset, from any side; `None` if a camera
    /// is too near or too free for a bound.
    pub fn view_scale(&self, height_px: u32) -> Option<ViewScale> {
        let radius = match self.normalise {
            None => self.object_radius,
            // Half the diagonal of a cube is the most that a sphere around it can have.
            Some(Normalise::Cube { size }) => size * 3.0_f64.sqrt() / 2.0,
            Some(Normalise::Diagonal { size }) => size / 2.0,
            Some(Normalise::Sphere { size }) => size,
            Some(_) => return None,
        };
        let scale_of = |view: &View| {
            let wider = view.lens.or(self.lens).map_or(1.0, |lens| lens.focal_ratio.max(1.0));
            let projection = view.projection.unwrap_or(self.projection);
            let scale = view_scale(projection, radius, f64::from(height_px) / 2.0 * wider)?;
            view.pose.is_none().then_some(scale)
        };
        let (first, rest) = self.views.split_first()?;
        rest.iter().try_fold(scale_of(first)?, |all, view| Some(all.or(&scale_of(view)?)))
    }

    /// The rig as each of its protocol's set-ups has it: its name, its views, its conventions.
    /// Those without a view are left out.
    pub fn setups(&self) -> Vec<(String, Self)> {
        let rig_of = |setup: &Setup| {
            let is_shown = |view: &View| setup.views.is_empty() || setup.views.contains(&view.name);
            let views = (0..self.views.len()).filter(|&idx| is_shown(&self.views[idx]));
            let mut rig = self.clone().with_views(&views.collect::<Vec<_>>());
            rig.conventions = self.conventions.of_setup(setup);
            (setup.name.clone(), rig)
        };
        let all = self.conventions.setups.iter().map(rig_of);
        all.filter(|(_, rig)| !rig.views.is_empty()).collect()
    }

    /// Keeps only the views named by their index, in that order; others are dropped.
    #[must_use]
    pub fn with_views(mut self, view_idxs: &[usize]) -> Self {
        self.views = view_idxs.iter().filter_map(|&idx| self.views.get(idx).cloned()).collect();
        self
    }

    /// The same rig with other views.
    #[must_use]
    pub fn replacing_views(mut self, views: Vec<View>) -> Self {
        self.views = views;
        self
    }
}

/// Of an object of this radius in a picture of twice this height, pixels.
fn view_scale(projection: Projection, radius: f64, half_height: f64) -> Option<ViewScale> {
    match projection {
        Projection::Perspective { fov_y_degrees, distance } => {
            let focal_px = half_height / libm::tan(fov_y_degrees.to_radians() / 2.0);
            let view_scale = ViewScale {
                pixels_per_radius: focal_px * radius / distance,
                distance: distance / radius,
            };
            (view_scale.distance >= ViewScale::DISTANCE_MIN).then_some(view_scale)
        }
        Projection::Orthographic { half_height: extent } => Some(ViewScale {
            pixels_per_radius: half_height / extent * radius,
            distance: f64::INFINITY,
        }),
    }
}
