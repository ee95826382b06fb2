//! The box and the sphere around a scene.

use super::mesh::{Mesh, MeshParts};
use glam::{DVec3, Vec3};

/// Axis-aligned box, and the sphere around its centre that reaches the farthest vertex.
///
/// The sphere is not the smallest one possible, but it is cheap, exact and the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest corner, in the file's units.
    pub min: Vec3,
    pub max: Vec3,
    /// Centre of the box and of the sphere.
    pub center: DVec3,
    /// Distance from the centre to the farthest vertex used by a triangle.
    pub radius: f64,
}

impl Bounds {
    /// Bounds of the vertices that triangles use; stray vertices do not count.
    pub(super) fn of_meshes(meshes: &[Mesh]) -> Self {
        Self::around(|| meshes.iter().flat_map(Mesh::used_positions))
    }

    /// The same of meshes that are not checked yet; what triangles name and is not there does not count.
    pub(crate) fn of_parts(meshes: &[MeshParts]) -> Self {
        let used = |mesh| {
            let MeshParts {
                positions,
                triangles,
                ..
            }: &MeshParts = mesh;
            let corners = triangles.iter().flatten();
            corners.filter_map(|&vertex| positions.get(vertex as usize).copied())
        };
        Self::around(|| meshes.iter().flat_map(used))
    }

    fn around<I: Iterator<Item = Vec3>>(used: impl Fn() -> I) -> Self {
        let (min, max) = used().fold(
            (Vec3::INFINITY, Vec3::NEG_INFINITY),
            |(min, max), position| (min.min(position), max.max(position)),
        );
        let center = (min.as_dvec3() + max.as_dvec3()) * 0.5;
        let radius_squared = used().fold(0.0_f64, |largest, position| {
            largest.max((position.as_dvec3() - center).length_squared())
        });
        Self {
            min,
            max,
            center,
            radius: radius_squared.sqrt(),
        }
    }

    /// Edge lengths of the box.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }
}
