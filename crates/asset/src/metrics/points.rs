//! The nearest of many points.

use super::boxes::Boxes;
use glam::DVec3;

/// Points in a leaf, at most.
const LEAF: usize = 8;

/// Points, ordered so that near ones are found.
#[derive(Debug, Clone, PartialEq)]
pub struct PointTree {
    boxes: Boxes,
    /// In the order of the leaves, so that a leaf's points stand side by side.
    points: Vec<DVec3>,
}

/// The nearest point: which, and how far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearPoint {
    pub index: u32,
    pub distance_squared: f64,
}

impl PointTree {
    pub fn new(points: &[DVec3]) -> Self {
        let boxes = Boxes::new(points.len(), LEAF, &|i| [points[i as usize]; 2]);
        let points = boxes.order.iter().map(|&i| points[i as usize]).collect();
        Self { boxes, points }
    }

    /// `None` without points. Of equally near ones the lowest index.
    pub fn nearest(&self, from: DVec3) -> Option<NearPoint> {
        let mut best: Option<NearPoint> = None;
        self.boxes.near(from, f64::INFINITY, |range, mut limit| {
            for at in range {
                let distance_squared = (self.points[at] - from).length_squared();
                let index = self.boxes.order[at];
                if best.is_none_or(|b| (distance_squared, index) < (b.distance_squared, b.index)) {
                    best = Some(NearPoint {
                        index,
                        distance_squared,
                    });
                    limit = distance_squared;
                }
            }
            limit
        });
        best
    }
}
