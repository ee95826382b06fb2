//! The box and the sphere around a scene.

use super::mesh::{Mesh, MeshParts};
use glam::{DVec3, Vec3};

/// Logarithms of edges: a height that is off by less than half as much again says nothing.
const OFF_MIN: f64 = 0.8;

/// Axis-aligned box, and the sphere around its centre that reaches the farthest vertex.
///
/// The sphere is not the smallest, but cheap, exact and the same on every machine.
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

    /// The same of unchecked meshes; what triangles name and is not there does not count.
    pub fn of_parts(meshes: &[MeshParts]) -> Self {
        let used = |mesh| {
            let MeshParts { positions, triangles, .. }: &MeshParts = mesh;
            let corners = triangles.iter().flatten();
            corners.filter_map(|&vertex| positions.get(vertex as usize).copied())
        };
        Self::around(|| meshes.iter().flat_map(used))
    }

    fn around<I: Iterator<Item = Vec3>>(used: impl Fn() -> I) -> Self {
        let (min, max) = used()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), position| {
                (min.min(position), max.max(position))
            });
        let center = (min.as_dvec3() + max.as_dvec3()) * 0.5;
        let radius_squared = used().fold(0.0_f64, |largest, position| {
            largest.max((position.as_dvec3() - center).length_squared())
        });
        Self { min, max, center, radius: radius_squared.sqrt() }
    }

    /// Edge lengths of the box.
    pub fn size(&self) -> Vec3 {
        self.max - self.min
    }
}

/// Whether one of two boxes, by their edges, has the proportions of the other much more nearly once
/// its z is taken for up: files of which one has another axis up. Which of the two it is, boxes
/// cannot say. A guess, to be said and never to be acted on.
pub fn one_lies_on_its_side([a, b]: [Vec3; 2]) -> bool {
    let logs = |edges: Vec3| {
        let edges = edges.as_dvec3() / f64::from(edges.max_element().max(f32::MIN_POSITIVE));
        edges.max(DVec3::splat(1e-3)).to_array().map(libm::log)
    };
    let is_turned = |[x, y, z]: [f64; 3], [ox, oy, oz]: [f64; 3]| {
        let off = |a: [f64; 3]| {
            // Which way the front faces is not asked: the two horizontal edges may be swapped.
            let rest = |p: f64, q: f64| (p - ox).abs() + (q - oz).abs();
            (a[1] - oy).abs() + rest(a[0], a[2]).min(rest(a[2], a[0]))
        };
        let (as_it_is, turned) = (off([x, y, z]), off([x, z, y]));
        as_it_is > turned + OFF_MIN && as_it_is > 2.0 * turned
    };
    let (a, b) = (logs(a), logs(b));
    is_turned(a, b) || is_turned(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tall_thing_that_lies_down_is_seen_and_likes_are_not() {
        let one_lies = |a: [f32; 3], b: [f32; 3]| one_lies_on_its_side([a.into(), b.into()]);
        let lamp = [0.4, 1.0, 0.4];
        for turned in [[0.42, 0.38, 1.1], [5.0, 4.0, 11.0]] {
            assert!(one_lies(turned, lamp) && one_lies(lamp, turned), "{turned:?}");
        }
        for upright in [[0.4, 1.0, 0.4], [0.5, 0.8, 0.3], [0.3, 1.0, 0.6]] {
            assert!(!one_lies(upright, lamp) && !one_lies(lamp, upright), "{upright:?}");
        }
        // A table that is 1 wide, 0.5 high and 0.8 deep, and the same turned by a quarter.
        let table = [1.0, 0.5, 0.8];
        assert!(!one_lies([0.8, 0.5, 1.0], table));
        assert!(!one_lies([1.0, 1.0, 1.0], table));
    }
}
