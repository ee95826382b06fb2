//! How well shaped triangles are: over the surface, and of one.

use super::facts::TriangleFacts;
use super::weld::Surface;
use glam::DVec3;

/// The measures of one triangle that papers report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TriangleShape {
    pub longest_over_shortest: f64,
    pub longest_over_least_height: f64,
    /// Circumradius ÷ twice the inradius: 1 for an equilateral triangle, else more.
    pub radius_ratio: f64,
    /// 4 √3 area ÷ the sum of squared lengths: 1 for an equilateral triangle, else less.
    pub mean_ratio: f64,
    pub min_angle_degrees: f64,
    pub max_angle_degrees: f64,
}

impl TriangleShape {
    /// `None` without an area.
    pub fn of([a, b, c]: [DVec3; 3]) -> Option<Self> {
        let sides = [(c - b).length(), (a - c).length(), (b - a).length()];
        let area = 0.5 * (b - a).cross(c - a).length();
        if area <= 0.0 {
            return None;
        }
        let [la, lb, lc] = sides;
        let longest = la.max(lb).max(lc);
        let half = 0.5 * (la + lb + lc);
        let angle = |p: DVec3, q: DVec3, r: DVec3| {
            let (x, y) = (q - p, r - p);
            libm::atan2(x.cross(y).length(), x.dot(y)).to_degrees()
        };
        let angles = [angle(a, b, c), angle(b, c, a), angle(c, a, b)];
        Some(Self {
            longest_over_shortest: longest / la.min(lb).min(lc),
            longest_over_least_height: longest * longest / (2.0 * area),
            radius_ratio: la * lb * lc / (4.0 * area) / (2.0 * area / half),
            mean_ratio: 4.0 * 3_f64.sqrt() * area / (la * la + lb * lb + lc * lc),
            min_angle_degrees: angles.into_iter().fold(f64::INFINITY, f64::min),
            max_angle_degrees: angles.into_iter().fold(0.0, f64::max),
        })
    }
}

/// Medians over triangles that have an area, and the share of needles.
pub(super) fn measure(surface: &Surface) -> TriangleFacts {
    let shapes = parallel::of(surface.triangles.len(), |t| TriangleShape::of(surface.corners(t)));
    let shapes: Vec<TriangleShape> = shapes.into_iter().flatten().collect();
    let median = |of: fn(&TriangleShape) -> f64| {
        let mut values: Vec<f64> = shapes.iter().map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    let needles = |s: &&TriangleShape| s.min_angle_degrees < TriangleFacts::NEEDLE_DEGREES;
    TriangleFacts {
        mean_ratio_median: median(|s| s.mean_ratio),
        min_angle_degrees_median: median(|s| s.min_angle_degrees),
        needle_share: shapes.iter().filter(needles).count() as f64 / shapes.len().max(1) as f64,
    }
}
