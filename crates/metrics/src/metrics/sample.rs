//! Points drawn on a surface, evenly by area, by a generator that is part of the definition.

use super::surface::Surface;
use crate::scene::draws::Draws;
use glam::DVec3;

/// A point on a surface and the triangle it was drawn on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub point: DVec3,
    pub triangle: u32,
}

/// `count` points: r, a, b of point k are draws 3 k to 3 k + 2 ([`sample_with`]).
pub fn sample(surface: &Surface, count: usize, seed: u64) -> Vec<Sample> {
    let draws = Draws::new(seed);
    sample_with(surface, count, |point| [0, 1, 2].map(|k| draws.unit(3 * point as u64 + k)))
}

/// Points whose draws r, a, b the caller gives. The triangle is the first whose running sum of
/// areas is at least r times the whole; a + b above 1 folds both to 1 − a and 1 − b; the point is
/// p₀ + a (p₁ − p₀) + b (p₂ − p₀).
pub fn sample_with(
    surface: &Surface,
    count: usize,
    draw: impl Fn(usize) -> [f64; 3] + Sync,
) -> Vec<Sample> {
    let mut passed = 0.0;
    let sums: Vec<f64> = surface
        .areas()
        .iter()
        .map(|area| {
            passed += area;
            passed
        })
        .collect();
    let point = |i: usize| {
        let [r, a, b] = draw(i);
        let wanted = r * surface.area();
        let mut at = sums.partition_point(|sum| *sum < wanted).min(sums.len() - 1);
        // A draw of exactly 0 would be on a first triangle without area.
        while surface.areas()[at] == 0.0 && at + 1 < sums.len() {
            at += 1;
        }
        let (a, b) = if a + b > 1.0 { (1.0 - a, 1.0 - b) } else { (a, b) };
        let [p0, p1, p2] = surface.corners(at);
        Sample { point: p0 + (p1 - p0) * a + (p2 - p0) * b, triangle: at as u32 }
    };
    parallel::of(count, point)
}
