//! How a rig moves and scales a scene: by the sphere around it, as judges see it, or as a published protocol does.

use crate::scene::Scene;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The point that moves to the origin, and the measure that becomes `size`. Never turns anything: axes are the loader's business.
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

/// The rig's world from the scene: `(position − center) · scale`. From the file: the same after the scene's origin is subtracted.
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
    pub(super) fn new(normalise: Option<Normalise>, object_radius: f64, scene: &Scene) -> Self {
        let bounds = scene.bounds();
        let Some(normalise) = normalise else {
            return Self {
                center: bounds.center,
                scale: object_radius / bounds.radius,
                radius: object_radius,
            };
        };
        let edges = bounds.max.as_dvec3() - bounds.min.as_dvec3();
        let about = |center, measure: f64, size: f64| Self::around(scene, center, size / measure);
        match normalise {
            Normalise::Cube { size } => about(bounds.center, edges.max_element(), size),
            Normalise::Diagonal { size } => about(bounds.center, edges.length(), size),
            Normalise::Sphere { size } => about(bounds.center, bounds.radius, size),
            Normalise::MeanCoordinate { size } => {
                let mean = mean_vertex(scene);
                let largest = farthest(scene, |p| (p - mean).abs().max_element());
                about(mean, largest, size)
            }
            Normalise::MeanDistance { size } => {
                let mean = mean_vertex(scene);
                about(mean, farthest(scene, |p| (p - mean).length()), size)
            }
            Normalise::Matrix { scale, offset } => {
                let center = -DVec3::from(offset) / scale;
                Self::around(scene, center - scene.origin(), scale)
            }
        }
    }

    fn around(scene: &Scene, center: DVec3, scale: f64) -> Self {
        let bounds = scene.bounds();
        Self { center, scale, radius: ((bounds.center - center).length() + bounds.radius) * scale }
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
