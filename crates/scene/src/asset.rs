//! What a file shows: surfaces, or Gaussian splats. Only stages that draw take either; a stage that
//! measures takes a [`Scene`], which splats never become.

use super::Scene;
use glam::{DAffine3, DVec3, Vec3};
use meshjudge_splat::read::Loaded;
use meshjudge_splat::{Extent, Splats, facts::EXTENT_SHARE};
use std::sync::Arc;

/// Splats farther out than this multiple of the radius of 99 % of the opacity do not count: they
/// are taken for floaters.
const FARTHEST: f64 = 1.25;

/// How far a splat is seen, in standard deviations: where it ends in 3D Gaussian Splatting.
const REACH: f64 = 3.0;

/// Splats as a file has them, with y up, and their extent without floaters; also the surfaces of
/// the same file, if it has any.
#[derive(Debug)]
pub struct SplatScene {
    read: Loaded,
    extent: Extent,
    surfaces: Option<Arc<Scene>>,
}

impl SplatScene {
    pub fn new(read: Loaded) -> Self {
        let extent = extent_without_floaters(&read.splats);
        Self { extent, read, surfaces: None }
    }

    /// With surfaces of the same file, in whose place and units, of which `scale` are one of the
    /// file's, the splats then are. `None` if splats cannot be so far away.
    pub fn among(self, surfaces: Scene, scale: f64) -> Option<Self> {
        let place = DAffine3::from_translation(-surfaces.origin())
            * DAffine3::from_scale(DVec3::splat(scale));
        let read = Loaded { splats: self.read.splats.mapped(&place)?, ..self.read };
        let (own, other) = (extent_without_floaters(&read.splats), surfaces.bounds());
        let min = (own.center - 0.5 * own.size).min(other.min.as_dvec3());
        let max = (own.center + 0.5 * own.size).max(other.max.as_dvec3());
        let center = 0.5 * (min + max);
        let reach = |of: DVec3, radius: f64| of.distance(center) + radius;
        let radius = reach(own.center, own.radius).max(reach(other.center, other.radius));
        let extent = Extent { center, size: max - min, radius };
        Some(Self { read, extent, surfaces: Some(Arc::new(surfaces)) })
    }

    /// The surfaces among the splats.
    pub fn surfaces(&self) -> Option<&Arc<Scene>> {
        self.surfaces.as_ref()
    }

    /// The splats, and the file's claims about them.
    pub fn read(&self) -> &Loaded {
        &self.read
    }

    /// In place of [`Scene::bounds`]: of surfaces, and of splats without the few far outside.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// BLAKE3 of all numbers and claims, as 64 hexadecimal digits: for splats without a file.
    pub fn content_hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let parts = self.read.splats.planes();
        let planes = parts.position.iter().chain(&parts.scale).chain(&parts.rotation);
        for plane in planes.chain([&parts.opacity]).chain(&parts.harmonics) {
            for value in plane {
                hasher.update(&value.to_le_bytes());
            }
        }
        let claims = (parts.origin, parts.color_space, self.read.antialiased, self.read.order);
        hasher.update(format!("splats 1 {claims:?}").as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    /// Approximate memory of the splats, in bytes.
    pub fn bytes(&self) -> usize {
        let splats = &self.read.splats;
        splats.len() * size_of::<f32>() * (11 + splats.planes().harmonics.len())
    }
}

/// Of every centre that counts, with a sphere that reaches along the splats' shortest axes: where a
/// surface ends, they point outwards. Not empty.
fn extent_without_floaters(splats: &Splats) -> Extent {
    let most = splats.extent(EXTENT_SHARE);
    let from = most.center - splats.origin();
    // Of splats in one place, all count.
    let farthest = if most.radius > 0.0 { FARTHEST * most.radius } else { f64::INFINITY };
    let counts = |&i: &usize| splats.position(i).distance(from) <= farthest;
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for i in (0..splats.len()).filter(counts) {
        (min, max) = (min.min(splats.position(i)), max.max(splats.position(i)));
    }
    let middle = 0.5 * (min + max);
    let reach = |i: usize| {
        let [a, b, c] = splats.scale(i);
        splats.position(i).distance(middle) + REACH * f64::from(a.min(b).min(c))
    };
    let reaches = (0..splats.len()).filter(counts).map(reach);
    let radius = reaches.fold(f64::from(f32::MIN_POSITIVE), f64::max);
    Extent { center: splats.origin() + middle, size: max - min, radius }
}

/// What a file shows.
#[derive(Debug, Clone)]
pub enum Asset {
    Mesh(Arc<Scene>),
    /// Splats, and perhaps surfaces among them.
    Splats(Arc<SplatScene>),
}

impl Asset {
    /// The surfaces, if it has nothing else.
    pub fn mesh(&self) -> Option<&Arc<Scene>> {
        match self {
            Self::Mesh(scene) => Some(scene),
            Self::Splats(_) => None,
        }
    }

    /// Whether it has surfaces, perhaps among splats.
    pub fn has_surface(&self) -> bool {
        match self {
            Self::Mesh(_) => true,
            Self::Splats(splats) => splats.surfaces().is_some(),
        }
    }

    /// Edges of the box around it; of splats, see [`SplatScene::extent`].
    pub fn size(&self) -> Vec3 {
        match self {
            Self::Mesh(scene) => scene.bounds().size(),
            Self::Splats(splats) => splats.extent().size.as_vec3(),
        }
    }
}

impl From<Arc<Scene>> for Asset {
    fn from(scene: Arc<Scene>) -> Self {
        Self::Mesh(scene)
    }
}

impl From<Scene> for Asset {
    fn from(scene: Scene) -> Self {
        Self::Mesh(Arc::new(scene))
    }
}

impl From<SplatScene> for Asset {
    fn from(splats: SplatScene) -> Self {
        Self::Splats(Arc::new(splats))
    }
}

/// Surfaces or splats to draw, borrowed from anything that has them.
#[derive(Debug, Clone, Copy)]
pub enum AssetRef<'a> {
    Mesh(&'a Scene),
    Splats(&'a SplatScene),
}

impl AssetRef<'_> {
    /// Where its zero is in the file, after its axes are turned: see [`Scene::origin`].
    pub fn origin(self) -> DVec3 {
        match self {
            Self::Mesh(scene) => scene.origin(),
            Self::Splats(splats) => splats.surfaces().map_or(DVec3::ZERO, |scene| scene.origin()),
        }
    }
}

impl<'a> From<&'a Scene> for AssetRef<'a> {
    fn from(scene: &'a Scene) -> Self {
        Self::Mesh(scene)
    }
}

impl<'a> From<&'a SplatScene> for AssetRef<'a> {
    fn from(splats: &'a SplatScene) -> Self {
        Self::Splats(splats)
    }
}

impl<'a> From<&'a Arc<Scene>> for AssetRef<'a> {
    fn from(scene: &'a Arc<Scene>) -> Self {
        Self::Mesh(scene)
    }
}

impl<'a> From<&'a Asset> for AssetRef<'a> {
    fn from(asset: &'a Asset) -> Self {
        match asset {
            Asset::Mesh(scene) => Self::Mesh(scene),
            Asset::Splats(splats) => Self::Splats(splats),
        }
    }
}
