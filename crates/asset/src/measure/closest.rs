//! The closest point of many triangles: a tree of boxes over them.

use glam::Vec3;

/// Triangles in a leaf, at most.
const LEAF: usize = 4;

/// Smaller ranges are not worth a task of their own.
const PARALLEL_MIN: usize = 1 << 13;

/// Triangles over shared positions, ordered so that near ones can be found. A triangle may be a segment (two corners alike) or a point.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Which triangle stands at each place of the leaves.
    order: Vec<u32>,
    /// Parents before children: the left child of a node follows it.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    min: Vec3,
    max: Vec3,
    /// A leaf: where its triangles begin in `order`; otherwise the index of its right child.
    start: u32,
    /// 0 for an inner node.
    count: u32,
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
        let centers: Vec<Vec3> = triangles
            .iter()
            .map(|corners| {
                corners
                    .iter()
                    .fold(Vec3::ZERO, |sum, &v| sum + positions[v as usize])
                    / 3.0
            })
            .collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = Vec::new();
        if !order.is_empty() {
            let builder = Builder {
                positions: &positions,
                triangles: &triangles,
                centers: &centers,
            };
            nodes = builder.nodes(&mut order, 0);
        }
        Self {
            positions,
            triangles,
            order,
            nodes,
        }
    }

    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
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

    /// Visits every other triangle whose box touches this one's, in the order of the tree.
    pub fn overlapping(&self, triangle: u32, mut visit: impl FnMut(u32)) {
        let bounds = |corners: [Vec3; 3]| {
            let [a, b, c] = corners;
            (a.min(b).min(c), a.max(b).max(c))
        };
        let (min, max) = bounds(self.corners(triangle));
        let touches = |low: Vec3, high: Vec3| low.cmple(max).all() && high.cmpge(min).all();
        let mut open = vec![0_u32];
        while let Some(at) = open.pop() {
            let Some(node) = self.nodes.get(at as usize) else {
                continue;
            };
            if !touches(node.min, node.max) {
                continue;
            }
            if node.count == 0 {
                open.extend([node.start, at + 1]);
                continue;
            }
            let range = node.start as usize..(node.start + node.count) as usize;
            for &other in &self.order[range] {
                let (low, high) = bounds(self.corners(other));
                if other != triangle && touches(low, high) {
                    visit(other);
                }
            }
        }
    }

    /// The closest point within `reach`; of equally close ones that of the triangle that comes first in the tree.
    pub fn closest(&self, from: Vec3, reach: f32) -> Option<Hit> {
        /// Deeper than any tree of 2³² triangles that is halved at each node.
        const DEPTH_MAX: usize = 64;
        let mut best = None;
        let mut limit = reach * reach;
        let mut open = [(0_u32, 0.0_f32); DEPTH_MAX];
        let mut count = usize::from(!self.nodes.is_empty());
        while count > 0 {
            count -= 1;
            let (at, near) = open[count];
            if near > limit {
                continue;
            }
            let node = &self.nodes[at as usize];
            if node.count > 0 {
                let range = node.start as usize..(node.start + node.count) as usize;
                for &triangle in &self.order[range] {
                    let (point, weights) = closest_of(self.corners(triangle), from);
                    let squared = (point - from).length_squared();
                    if squared < limit || best.is_none() && squared <= limit {
                        limit = squared;
                        best = Some(Hit {
                            triangle,
                            weights,
                            point,
                            distance: squared.sqrt(),
                        });
                    }
                }
                continue;
            }
            let children = [at + 1, node.start].map(|child| {
                let Node { min, max, .. } = self.nodes[child as usize];
                (child, (from.clamp(min, max) - from).length_squared())
            });
            let [near, far] = if children[0].1 <= children[1].1 {
                children
            } else {
                [children[1], children[0]]
            };
            open[count] = far;
            open[count + 1] = near;
            count += 2;
        }
        best
    }
}

struct Builder<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    centers: &'a [Vec3],
}

impl Builder<'_> {
    /// The nodes of a range of `order` that begins at `start`, the root first; halves at the median along the longest axis.
    fn nodes(&self, order: &mut [u32], start: usize) -> Vec<Node> {
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for &triangle in order.iter() {
            for &vertex in &self.triangles[triangle as usize] {
                min = min.min(self.positions[vertex as usize]);
                max = max.max(self.positions[vertex as usize]);
            }
            low = low.min(self.centers[triangle as usize]);
            high = high.max(self.centers[triangle as usize]);
        }
        let leaf = Node {
            min,
            max,
            start: start as u32,
            count: order.len() as u32,
        };
        if order.len() <= LEAF {
            return vec![leaf];
        }
        let size = (high - low).to_array();
        let axis = (0..3)
            .max_by(|&a, &b| size[a].total_cmp(&size[b]))
            .unwrap_or(0);
        let middle = order.len() / 2;
        order.select_nth_unstable_by(middle, |&a, &b| {
            let along = |t: u32| self.centers[t as usize][axis];
            along(a).total_cmp(&along(b)).then(a.cmp(&b))
        });
        let (left, right) = order.split_at_mut(middle);
        let (left, right) = if left.len() > PARALLEL_MIN {
            rayon::join(
                || self.nodes(left, start),
                || self.nodes(right, start + middle),
            )
        } else {
            (self.nodes(left, start), self.nodes(right, start + middle))
        };
        let mut nodes = Vec::with_capacity(1 + left.len() + right.len());
        nodes.push(Node {
            count: 0,
            start: 1 + left.len() as u32,
            ..leaf
        });
        let moved = |node: &Node, by: u32| Node {
            start: node.start + if node.count == 0 { by } else { 0 },
            ..*node
        };
        let right_at = 1 + left.len() as u32;
        nodes.extend(left.iter().map(|node| moved(node, 1)));
        nodes.extend(right.iter().map(|node| moved(node, right_at)));
        nodes
    }
}

/// The closest point of a triangle, and the weights of its second and third corner (Ericson, Real-Time Collision Detection, 5.1.5).
fn closest_of([a, b, c]: [Vec3; 3], p: Vec3) -> (Vec3, [f32; 2]) {
    let (ab, ac) = (b - a, c - a);
    let at = |v: f32, w: f32| (a + ab * v + ac * w, [v, w]);
    let share = |part: f32, rest: f32| {
        if part + rest > 0.0 {
            part / (part + rest)
        } else {
            0.0
        }
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
        let triangles: Vec<[u32; 3]> = (0..400)
            .map(|i| [i % 300, (i * 7 + 1) % 300, (i * 13 + 2) % 300])
            .collect();
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
