//! Generalised winding numbers: how often a surface goes around a point, for surfaces that may be
//! open, layered or turned.
//!
//! w(q) = Σ Ω / 4π over all triangles, Ω the signed solid angle of each (Van Oosterom & Strackee
//! 1983). Inside a closed surface whose triangles face outwards it is 1, outside 0; over an opening
//! it passes from one to the other smoothly (Jacobson 2013).

use super::tree::SurfaceTree;
use glam::{DMat3, DVec3};
use std::f64::consts::PI;

/// A node seen from farther than this many of its radii is taken as its expansion to the second
/// order (Barill et al. 2018, who use 2).
const RADII: f64 = 2.0;

/// What a node's triangles come to from afar, about `center`: the zeroth, first and second moments
/// of their normals times areas.
#[derive(Debug, Clone, PartialEq)]
struct Moment {
    center: DVec3,
    /// Around `center`, holds all triangles.
    radius: f64,
    /// Σ n
    zeroth: DVec3,
    /// Σ d ⊗ n: the column k is Σ d nₖ.
    first: DMat3,
    /// Σ ½ (mean of x ⊗ x over the triangle) nₖ for k = x, y, z; each symmetric.
    second: [DMat3; 3],
    /// Σ area, and Σ area × middle: how parents find their centre.
    area: f64,
}

/// Answers winding numbers of one surface.
#[derive(Debug, Clone)]
pub struct Winding<'a> {
    tree: &'a SurfaceTree,
    moments: Vec<Moment>,
}

impl<'a> Winding<'a> {
    pub fn new(tree: &'a SurfaceTree) -> Self {
        let nodes = &tree.boxes.nodes;
        // Leaves from triangles, parents from children, last first: children follow their parents.
        let leaves: Vec<Option<Moment>> = parallel::of(nodes.len(), |at| {
            (nodes[at].count > 0).then(|| Moment::of(&tree.corners[nodes[at].items()]))
        });
        let mut moments: Vec<Option<Moment>> = leaves;
        for at in (0..nodes.len()).rev() {
            if nodes[at].count == 0 {
                let (Some(left), Some(right)) =
                    (&moments[at + 1], &moments[nodes[at].start as usize])
                else {
                    continue;
                };
                let (min, max) = (nodes[at].min.as_dvec3(), nodes[at].max.as_dvec3());
                moments[at] = Some(Moment::joined(left, right, min, max));
            }
        }
        Self { tree, moments: moments.into_iter().flatten().collect() }
    }

    /// By expansions where they are good: within about 0.003 of the exact number.
    pub fn fast(&self, from: DVec3) -> f64 {
        self.sum(from, RADII)
    }

    /// Every triangle's solid angle.
    pub fn exact(&self, from: DVec3) -> f64 {
        self.sum(from, f64::INFINITY)
    }

    fn sum(&self, from: DVec3, radii: f64) -> f64 {
        self.tree.switch.check();
        let nodes = &self.tree.boxes.nodes;
        let mut open = vec![0_u32];
        let mut angles = 0.0;
        while let Some(at) = open.pop() {
            let (node, moment) = (&nodes[at as usize], &self.moments[at as usize]);
            let to = moment.center - from;
            let reach = radii * moment.radius;
            if to.length_squared() > reach * reach {
                angles += moment.angle(to);
            } else if node.count > 0 {
                angles += self.tree.corners[node.items()]
                    .iter()
                    .fold(0.0, |sum, corners| sum + solid_angle(*corners, from));
            } else {
                open.push(node.start);
                open.push(at + 1);
            }
        }
        angles / (4.0 * PI)
    }
}

/// Signed solid angle of a triangle seen from a point: tan(Ω/2) = det(a, b, c) / (|a||b||c| +
/// (a·b)|c| + (b·c)|a| + (c·a)|b|). 0 from a point on the triangle's plane outside of it;
/// undetermined, and 0 here, from a corner.
fn solid_angle(corners: [DVec3; 3], from: DVec3) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - from);
    let [la, lb, lc] = [a, b, c].map(DVec3::length);
    let det = a.dot(b.cross(c));
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * libm::atan2(det, below)
}

impl Moment {
    fn of(triangles: &[[DVec3; 3]]) -> Self {
        let mut area = 0.0;
        let mut weighted = DVec3::ZERO;
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for [a, b, c] in triangles {
            let own = 0.5 * (*b - *a).cross(*c - *a).length();
            area += own;
            weighted += (*a + *b + *c) / 3.0 * own;
            (min, max) = (min.min(*a).min(*b).min(*c), max.max(*a).max(*b).max(*c));
        }
        let center = if area > 0.0 { weighted / area } else { 0.5 * (min + max) };
        let mut moment = Self {
            center,
            radius: farthest(center, min, max),
            zeroth: DVec3::ZERO,
            first: DMat3::ZERO,
            second: [DMat3::ZERO; 3],
            area,
        };
        for corners in triangles {
            let [a, b, c] = corners.map(|corner| corner - center);
            let normal = 0.5 * (b - a).cross(c - a);
            let middle = (a + b + c) / 3.0;
            // The mean of x ⊗ x over a triangle: (Σ over corners + 9 times its middle) / 12.
            let spread = (outer(a, a) + outer(b, b) + outer(c, c) + outer(middle, middle) * 9.0)
                * (1.0 / 12.0);
            moment.zeroth += normal;
            moment.first += outer(middle, normal);
            for k in 0..3 {
                moment.second[k] += spread * (0.5 * normal[k]);
            }
        }
        moment
    }

    fn joined(left: &Self, right: &Self, min: DVec3, max: DVec3) -> Self {
        let area = left.area + right.area;
        let center = if area > 0.0 {
            (left.center * left.area + right.center * right.area) / area
        } else {
            0.5 * (min + max)
        };
        let mut moment = Self {
            center,
            radius: farthest(center, min, max),
            zeroth: DVec3::ZERO,
            first: DMat3::ZERO,
            second: [DMat3::ZERO; 3],
            area,
        };
        for child in [left, right] {
            let by = child.center - center;
            moment.zeroth += child.zeroth;
            moment.first += child.first + outer(by, child.zeroth);
            for k in 0..3 {
                // ½ Σ (x + by) ⊗ (x + by) nₖ
                let along = child.first.col(k);
                let cross = (outer(along, by) + outer(by, along)) * 0.5;
                moment.second[k] +=
                    child.second[k] + cross + outer(by, by) * (0.5 * child.zeroth[k]);
            }
        }
        moment
    }

    /// Sum of the solid angles, seen from a point from which `r` leads to the centre.
    fn angle(&self, r: DVec3) -> f64 {
        let squared = r.length_squared();
        let inverse = 1.0 / (squared * squared.sqrt());
        // The gradient of −1/|r| is r/|r|³; its derivatives are contracted with the moments.
        let zeroth = r.dot(self.zeroth);
        let trace = |m: &DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let first = trace(&self.first) - 3.0 * r.dot(self.first * r) / squared;
        let mut second = 0.0;
        for k in 0..3 {
            let m = &self.second[k];
            let mr = *m * r;
            second += -3.0 * (trace(m) * r[k] + 2.0 * mr[k]) / squared
                + 15.0 * r[k] * r.dot(mr) / (squared * squared);
        }
        (zeroth + first + second) * inverse
    }
}

/// a bᵀ
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// From a point to the farthest corner of a box around it.
fn farthest(center: DVec3, min: DVec3, max: DVec3) -> f64 {
    (max - center).max(center - min).length()
}
