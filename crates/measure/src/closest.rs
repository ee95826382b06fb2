//! The closest point of many triangles, and which of them may touch, in single precision.

use super::boxes::Boxes;
use super::size::LARGE_TRIANGLES;
use glam::{DVec3, Vec3};

/// Triangles in a leaf, at most.
const LEAF: usize = 4;

/// The same over more than [`LARGE_TRIANGLES`] triangles, where nodes of four would take twice the
/// memory of the triangles.
const LEAF_OF_LARGE: usize = 16;

/// Triangles over shared positions, ordered so that near ones can be found. A triangle may be a
/// segment (two corners alike) or a point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    boxes: Boxes,
}

/// A place on a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub triangle: u32,
    /// Weights of the second and third corner.
    pub weights: [f32; 2],
    pub point: Vec3,
    pub distance: f32,
}

impl Tree {
    pub fn new(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let of = |triangle: u32| {
            bounds(triangles[triangle as usize].map(|v| positions[v as usize])).map(Vec3::as_dvec3)
        };
        let leaf = if triangles.len() > LARGE_TRIANGLES { LEAF_OF_LARGE } else { LEAF };
        let boxes = Boxes::new(triangles.len(), leaf, &of);
        Self { positions, triangles, boxes }
    }

    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// Whether the triangles have the same corners, wherever these are.
    pub fn has_triangles_of(&self, other: &Self) -> bool {
        self.positions.len() == other.positions.len() && self.triangles == other.triangles
    }

    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    pub fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|v| self.positions[v as usize])
    }

    /// Unit normal, zero where the triangle has no area.
    pub fn normal(&self, triangle: u32) -> Vec3 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// Visits every other triangle whose box touches this one's, in tree order. Each box looked at
    /// costs 1 of `work_left`; false if that was not enough, or if `visit` said false.
    pub fn overlapping(
        &self,
        triangle: u32,
        work_left: &mut u64,
        mut visit: impl FnMut(u32, &mut u64) -> bool,
    ) -> bool {
        let [min, max] = bounds(self.corners(triangle));
        self.boxes.touching(min, max, work_left, |range, work_left| {
            *work_left = work_left.saturating_sub(range.len() as u64);
            self.boxes.order[range].iter().all(|&other| {
                let [low, high] = bounds(self.corners(other));
                let touches = low.cmple(max).all() && high.cmpge(min).all();
                other == triangle || !touches || visit(other, work_left)
            })
        })
    }

    /// Visits every place farther than `least` (in lengths of `direction`) at which a ray meets a
    /// triangle, in no stated order: how far, and the cosine-like product of the triangle's normal
    /// with the direction, above 0 where the ray leaves through its back. Both edges count where a
    /// ray meets an edge. Each box looked at costs 1 of `work_left`; false if that was not enough,
    /// or if `visit` said false.
    pub(super) fn hits(
        &self,
        from: DVec3,
        direction: DVec3,
        least: f64,
        work_left: &mut u64,
        mut visit: impl FnMut(f64, f64) -> bool,
    ) -> bool {
        self.boxes.along(from, direction, work_left, |range, _| {
            self.boxes.order[range].iter().all(|&triangle| {
                match ray_meets(self.corners(triangle).map(Vec3::as_dvec3), from, direction) {
                    Some((far, facing)) if far > least => visit(far, facing),
                    _ => true,
                }
            })
        })
    }

    /// The closest point within `reach`; of equals, that of the first triangle in the tree.
    pub fn closest(&self, from: Vec3, reach: f32) -> Option<Hit> {
        self.closest_where(from, reach, |_| true)
    }

    /// The same among the triangles for which `is_wanted` is true.
    pub(super) fn closest_where(
        &self,
        from: Vec3,
        reach: f32,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Option<Hit> {
        let mut best = None;
        let limit = f64::from(reach * reach);
        self.boxes.near(from.as_dvec3(), limit, |range, mut limit| {
            for &triangle in self.boxes.order[range].iter().filter(|&&t| is_wanted(t)) {
                let (point, weights) = closest_of(self.corners(triangle), from);
                let squared = (point - from).length_squared();
                let far = f64::from(squared);
                if far < limit || best.is_none() && far <= limit {
                    limit = far;
                    best = Some(Hit { triangle, weights, point, distance: squared.sqrt() });
                }
            }
            limit
        });
        best
    }
}

/// How far along the ray, and normal · direction, or `None` (Möller & Trumbore 1997).
fn ray_meets([a, b, c]: [DVec3; 3], from: DVec3, direction: DVec3) -> Option<(f64, f64)> {
    /// A ray between two triangles meets at least one of them.
    const SLACK: f64 = 1e-9;
    let (ab, ac, to) = (b - a, c - a, from - a);
    let facing = ab.cross(ac).dot(direction);
    if facing == 0.0 {
        return None;
    }
    let across = to.cross(direction);
    let (v, w) = (-across.dot(ac) / facing, across.dot(ab) / facing);
    let is_inside = v >= -SLACK && w >= -SLACK && v + w <= 1.0 + SLACK;
    is_inside.then(|| (-ab.cross(ac).dot(to) / facing, facing))
}

fn bounds([a, b, c]: [Vec3; 3]) -> [Vec3; 2] {
    [a.min(b).min(c), a.max(b).max(c)]
}

/// The closest point of a triangle, and the weights of its second and third corner (Ericson,
/// Real-Time Collision Detection, 5.1.5).
fn closest_of([a, b, c]: [Vec3; 3], p: Vec3) -> (Vec3, [f32; 2]) {
    let (ab, ac) = (b - a, c - a);
    let at = |v: f32, w: f32| (a + ab * v + ac * w, [v, w]);
    let share = |part: f32, rest: f32| {
        if part + rest > 0.0 { part / (part + rest) } else { 0.0 }
    };
    let (d1, d2) = (ab.dot(p - a), ac.dot(p - a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return at(0.0, 0.0);
    }
    let (d3, d4) = (ab.dot(p - b), ac.dot(p - b));
    if d3 >= 0.0 && d4 <= d3 {
        return at(1.0, 0.0);
    }
    let (d5, d6) = (ab.dot(p - c), ac.dot(p - c));
    if d6 >= 0.0 && d5 <= d6 {
        return at(0.0, 1.0);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return at(share(d1, -d3), 0.0);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return at(0.0, share(d2, -d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = share(d4 - d3, d5 - d6);
        return at(1.0 - w, w);
    }
    let sum = va + vb + vc;
    at(vb / sum, vc / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_finds_what_a_look_at_every_triangle_finds() {
        let value = |i: u32| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32;
        let point = |i: u32| Vec3::new(value(3 * i), value(3 * i + 1), value(3 * i + 2));
        let positions: Vec<Vec3> = (0..300).map(point).collect();
        let triangles: Vec<[u32; 3]> =
            (0..400).map(|i| [i % 300, (i * 7 + 1) % 300, (i * 13 + 2) % 300]).collect();
        let tree = Tree::new(positions.clone(), triangles.clone());
        for i in 0..200 {
            let from = point(1000 + i) * 2.0 - Vec3::splat(0.5);
            let every = triangles
                .iter()
                .map(|t| (closest_of(t.map(|v| positions[v as usize]), from).0 - from).length());
            let least = every.fold(f32::INFINITY, f32::min);
            let hit = tree.closest(from, f32::INFINITY).unwrap();
            assert!((hit.distance - least).abs() < 1e-6, "{i}");
            assert!(tree.closest(from, least * 0.99).is_none() || least == 0.0);
        }
    }

    #[test]
    fn a_segment_and_a_corner_have_closest_points() {
        let tree = Tree::new(vec![Vec3::ZERO, Vec3::X], vec![[0, 1, 1]]);
        let hit = tree.closest(Vec3::new(0.25, 1.0, 0.0), 9.0).unwrap();
        assert_eq!((hit.point, hit.distance), (Vec3::X * 0.25, 1.0));
        let beyond = tree.closest(Vec3::new(3.0, 0.0, 0.0), 9.0).unwrap();
        assert_eq!((beyond.point, beyond.distance), (Vec3::X, 2.0));
    }
}
