//! How a rig moves and scales an asset: by the sphere around it, as judges see it, or as a
//! published protocol does. Of splats, their box and sphere without floaters decide, also where a
//! protocol takes the mean of all vertices.

use crate::scene::{AssetRef, Scene};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The point that moves to the origin, and the measure that becomes `size`. Never turns anything:
/// axes are the loader's business.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Normalise {
    /// The box's centre; its longest edge becomes `size`.
    Cube { size: f64 },
    /// The box's centre; its diagonal becomes `size`.
    Diagonal { size: f64 },
    /// The box's centre; the farthest vertex is then `size` away.
    Sphere { size: f64 },
    /// The mean of all vertices; the largest coordinate's amount becomes `size`.
    MeanCoordinate { size: f64 },
    /// The mean of all vertices; the farthest vertex is then `size` away.
    MeanDistance { size: f64 },
    /// `scale · position + offset`; 1 and 0 leave the file's own coordinates.
    Matrix { scale: f64, offset: [f64; 3] },
}

/// The rig's world from the scene: `(position − center) · scale`. From the file: the same after the
/// scene's origin is subtracted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// In the file's units.
    pub center: DVec3,
    /// Above 0.
    pub scale: f64,
    /// Of a sphere around the world's origin that holds everything.
    pub radius: f64,
}

impl Placement {
    /// `None` places the sphere around the box's centre with this radius.
    pub(super) fn new(normalise: Option<Normalise>, object_radius: f64, of: AssetRef<'_>) -> Self {
        let (middle, edges, sphere) = match of {
            AssetRef::Mesh(scene) => {
                let bounds = scene.bounds();
                (bounds.center, bounds.max.as_dvec3() - bounds.min.as_dvec3(), bounds.radius)
            }
            AssetRef::Splats(splats) => {
                let extent = splats.extent();
                (extent.center, extent.size, extent.radius)
            }
        };
        let Some(normalise) = normalise else {
            let scale = object_radius / sphere;
            return Self { center: middle, scale, radius: object_radius };
        };
        let around = |center: DVec3, scale: f64| {
            let radius = ((middle - center).length() + sphere) * scale;
            Self { center, scale, radius }
        };
        let about = |center, measure: f64, size: f64| around(center, size / measure);
        match (normalise, of) {
            (Normalise::Cube { size }, _) => about(middle, edges.max_element(), size),
            (Normalise::Diagonal { size }, _) => about(middle, edges.length(), size),
            (Normalise::Sphere { size }, _) => about(middle, sphere, size),
            (Normalise::MeanCoordinate { size }, AssetRef::Mesh(scene)) => {
                let mean = mean_vertex(scene);
                let largest = farthest(scene, |p| (p - mean).abs().max_element());
                about(mean, largest, size)
            }
            (Normalise::MeanCoordinate { size }, AssetRef::Splats(_)) => {
                about(middle, 0.5 * edges.max_element(), size)
            }
            (Normalise::MeanDistance { size }, AssetRef::Mesh(scene)) => {
                let mean = mean_vertex(scene);
                about(mean, farthest(scene, |p| (p - mean).length()), size)
            }
            (Normalise::MeanDistance { size }, AssetRef::Splats(_)) => about(middle, sphere, size),
            (Normalise::Matrix { scale, offset }, _) => {
                around(-DVec3::from(offset) / scale - of.origin(), scale)
            }
        }
    }
}

fn vertices(scene: &Scene) -> impl Iterator<Item = DVec3> {
    let meshes = scene.meshes().iter();
    meshes.flat_map(|mesh| mesh.positions().iter().map(|p| p.as_dvec3()))
}

fn mean_vertex(scene: &Scene) -> DVec3 {
    vertices(scene).sum::<DVec3>() / scene.vertex_count() as f64
}

fn farthest(scene: &Scene, distance: impl Fn(DVec3) -> f64) -> f64 {
    vertices(scene).map(distance).fold(f64::MIN_POSITIVE, f64::max)
}
