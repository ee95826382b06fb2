//! The nearest of many points.

use crate::measure::Boxes;
use glam::DVec3;

/// Points in a leaf, at most.
const LEAF: usize = 8;

/// Points, ordered so that near ones are found.
#[derive(Debug, Clone, PartialEq)]
pub struct PointTree {
    boxes: Boxes,
    /// In the order of the leaves, so that a leaf's points are side by side.
    points: Vec<DVec3>,
}

/// The nearest point: which, and how far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearPoint {
    pub index: u32,
    pub distance_squared: f64,
    /// Place in the tree's own order.
    at: u32,
}

impl PointTree {
    pub fn new(points: &[DVec3]) -> Self {
        let boxes = Boxes::new(points.len(), LEAF, &|i| [points[i as usize]; 2]);
        let points = boxes.order.iter().map(|&i| points[i as usize]).collect();
        Self { boxes, points }
    }

    /// `None` without points. Of equally near ones the lowest index. A `hint` is what was found
    /// near here, which makes the search shorter and changes nothing.
    pub fn nearest(&self, from: DVec3, hint: Option<NearPoint>) -> Option<NearPoint> {
        let on = |at: usize| NearPoint {
            index: self.boxes.order[at],
            distance_squared: (self.points[at] - from).length_squared(),
            at: at as u32,
        };
        if self.points.is_empty() {
            return None;
        }
        let mut best = on(hint.map_or(0, |hit| hit.at as usize));
        self.boxes.near(from, best.distance_squared, |range, mut limit| {
            for at in range {
                let distance_squared = (self.points[at] - from).length_squared();
                if distance_squared > limit {
                    continue;
                }
                let found = on(at);
                if distance_squared < limit || found.index < best.index {
                    best = found;
                    limit = distance_squared;
                }
            }
            limit
        });
        Some(best)
    }

    /// The least sum of absolute coordinate differences; `None` without points. It is never below
    /// the Euclidean distance, so boxes farther than it by that cannot hold a nearer point.
    pub fn nearest_manhattan(&self, from: DVec3) -> Option<f64> {
        let mut best = f64::INFINITY;
        self.boxes.near(from, f64::INFINITY, |range, _| {
            for at in range {
                best = best.min((self.points[at] - from).abs().element_sum());
            }
            best * best
        });
        best.is_finite().then_some(best)
    }

    /// Whether some point no farther than `reach` passes the test, which gets its index.
    pub fn any_within(&self, from: DVec3, reach: f64, test: impl Fn(u32) -> bool) -> bool {
        let limit = reach * reach;
        let mut is_found = false;
        self.boxes.near(from, limit, |range, limit| {
            is_found |= range.into_iter().any(|at| {
                (self.points[at] - from).length_squared() <= limit && test(self.boxes.order[at])
            });
            // Nothing is nearer than this: the search ends.
            if is_found { -1.0 } else { limit }
        });
        is_found
    }
}
