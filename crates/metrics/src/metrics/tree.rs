//! The closest point of a surface, exactly: a tree of boxes over its triangles.

use super::surface::Surface;
use crate::measure::Boxes;
use crate::render::Switch;
use glam::DVec3;

/// Triangles in a leaf, at most.
const LEAF: usize = 4;

/// Two triangles whose distances differ by no more than this part of them are equally near.
const TIE: f64 = 1e-9;

/// A surface's triangles, ordered so that near ones are found. About 110 bytes a triangle.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceTree {
    pub(super) boxes: Boxes,
    /// In the order of the leaves.
    pub(super) corners: Vec<[DVec3; 3]>,
    pub(super) switch: Switch,
}

/// A place on a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Place in the tree's own order.
    pub(super) at: u32,
    pub point: DVec3,
    pub distance_squared: f64,
}

impl SurfaceTree {
    pub fn new(surface: &Surface) -> Self {
        let bounds = |triangle: u32| {
            let [a, b, c] = surface.corners(triangle as usize);
            [a.min(b).min(c), a.max(b).max(c)]
        };
        let boxes = Boxes::new(surface.triangles().len(), LEAF, &bounds);
        let corners = parallel::map(&boxes.order, |&t| surface.corners(t as usize));
        Self { boxes, corners, switch: Switch::of_this_thread() }
    }

    /// The index of a hit's triangle in the surface.
    pub fn triangle(&self, hit: Closest) -> u32 {
        self.boxes.order[hit.at as usize]
    }

    /// Unit normal of a hit's triangle by its winding, zero without area.
    pub fn normal(&self, hit: Closest) -> DVec3 {
        let [a, b, c] = self.corners[hit.at as usize];
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// The closest point of all triangles; of equally close ones that of the triangle of the lowest
    /// index. A `hint` is a hit near here, which makes the search shorter and changes nothing.
    pub fn closest(&self, from: DVec3, hint: Option<Closest>) -> Closest {
        self.switch.check();
        let at = hint.map_or(0, |hit| hit.at);
        let mut best = self.on(at, from);
        self.boxes.near(from, best.distance_squared, |range, mut limit| {
            for at in range {
                let found = self.on(at as u32, from);
                let is_closer = found.distance_squared < limit;
                let is_earlier = found.distance_squared == limit
                    && self.boxes.order[at] < self.boxes.order[best.at as usize];
                if is_closer || is_earlier {
                    best = found;
                    limit = found.distance_squared;
                }
            }
            limit
        });
        best
    }

    /// As [`SurfaceTree::closest`], and of all triangles that are as near but for a part of [`TIE`]
    /// and `slack` that of the lowest index: where triangles meet, rounding decides which one is
    /// nearest, and their normals differ. `near` is scratch.
    pub(super) fn closest_and_first(
        &self,
        from: DVec3,
        hint: Option<Closest>,
        slack: f64,
        near: &mut Vec<Closest>,
    ) -> [Closest; 2] {
        self.switch.check();
        let reach = |squared: f64| {
            let far = squared.sqrt() * (1.0 + TIE) + slack;
            far * far
        };
        let mut best = self.on(hint.map_or(0, |hit| hit.at), from);
        near.clear();
        near.push(best);
        let place = |hit: &Closest| self.boxes.order[hit.at as usize];
        self.boxes.near(from, reach(best.distance_squared), |range, mut limit| {
            for at in range {
                let found = self.on(at as u32, from);
                if found.distance_squared > limit {
                    continue;
                }
                near.push(found);
                let key = |hit: &Closest| (hit.distance_squared, place(hit));
                if key(&found) < key(&best) {
                    best = found;
                    limit = limit.min(reach(best.distance_squared));
                }
            }
            limit
        });
        let limit = reach(best.distance_squared);
        let tied = near.iter().filter(|hit| hit.distance_squared <= limit);
        let first = tied.min_by_key(|hit| place(hit)).copied();
        [best, first.unwrap_or(best)]
    }

    /// Visits the hit on every triangle that is not farther than `reach`.
    pub(super) fn within(&self, from: DVec3, reach: f64, mut visit: impl FnMut(Closest)) {
        let limit = reach * reach;
        self.boxes.near(from, limit, |range, limit| {
            range
                .map(|at| self.on(at as u32, from))
                .filter(|found| found.distance_squared <= limit)
                .for_each(&mut visit);
            limit
        });
    }

    fn on(&self, at: u32, from: DVec3) -> Closest {
        let point = closest_of(self.corners[at as usize], from);
        Closest { at, point, distance_squared: (point - from).length_squared() }
    }
}

/// The closest point of a triangle, by the region that the point is in (Ericson, Real-Time
/// Collision Detection, 5.1.5). A triangle without area is its edges.
pub(super) fn closest_of([a, b, c]: [DVec3; 3], p: DVec3) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let sum = va + vb + vc;
    // Squared sine of the angle at a: below, the inside is rounding, under 1e-7 of the length.
    if sum <= 1e-14 * ab.length_squared() * ac.length_squared() {
        return [[a, b], [b, c], [c, a]]
            .map(|ends| closest_on_segment(ends, p))
            .into_iter()
            .min_by(|x, y| {
                let [x, y] = [x, y].map(|q| (*q - p).length_squared());
                x.total_cmp(&y)
            })
            .unwrap_or(a);
    }
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return closest_on_segment([a, b], p);
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return closest_on_segment([a, c], p);
    }
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return closest_on_segment([b, c], p);
    }
    // Not a + v ab + w ac: for slivers v and w are far less certain than the plane.
    let normal = ab.cross(ac);
    p - normal * (normal.dot(ap) / normal.length_squared())
}

fn closest_on_segment([a, b]: [DVec3; 2], p: DVec3) -> DVec3 {
    let along = b - a;
    let length_squared = along.length_squared();
    if length_squared <= 0.0 {
        return a;
    }
    let t = (p - a).dot(along) / length_squared;
    if t <= 0.0 {
        a
    } else if t >= 1.0 {
        b
    } else {
        a + along * t
    }
}
