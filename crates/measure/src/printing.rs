//! Printing layer by layer, with y up: overhangs, contact with the bed, material for supports.

use super::facts::OverhangFacts;
use super::sum::{share, sum_fixed};
use super::weld::Surface;

/// Steeper than 45° from the vertical, with room for rounding.
const OVERHANG_COS: f64 = std::f64::consts::FRAC_1_SQRT_2 + 1e-6;

/// On the bed: all corners within this share of the diagonal above the lowest point, and facing
/// down within 18°.
const BED_LAYER: f64 = 1e-3;
const BED_COS: f64 = 0.95;

/// The facts, and the overhanging area of each mesh.
pub(super) fn measure(surface: &Surface) -> (OverhangFacts, Vec<f64>) {
    let mut low = glam::DVec3::INFINITY;
    let mut high = glam::DVec3::NEG_INFINITY;
    for position in &surface.positions {
        low = low.min(position.as_dvec3());
        high = high.max(position.as_dvec3());
    }
    let bed = low.y + BED_LAYER * surface.diagonal;
    let down = |t: usize| -f64::from(surface.normals[t].y);
    let is_on_bed = |t: usize| down(t) > BED_COS && surface.corners(t).iter().all(|p| p.y <= bed);
    let hangs = |t: usize| down(t) > OVERHANG_COS && !is_on_bed(t);
    let [contact, supports] = sum_fixed(surface.triangles.len(), |t| {
        let flat = surface.areas[t] * down(t);
        let height = || surface.corners(t).iter().map(|p| p.y - low.y).sum::<f64>() / 3.0;
        [if is_on_bed(t) { flat } else { 0.0 }, if hangs(t) { flat * height() } else { 0.0 }]
    });
    let by_mesh: Vec<f64> = (surface.mesh_triangles.iter())
        .map(|range| {
            let own = range.clone().filter(|&t| hangs(t));
            own.fold(0.0, |sum, t| sum + surface.areas[t])
        })
        .collect();
    let hanging = by_mesh.iter().fold(0.0, |sum, area| sum + area);
    let size = high - low;
    let facts = OverhangFacts {
        area_share: share(hanging, surface.area),
        bed_share: share(contact, size.x * size.z),
        support_volume: supports,
    };
    (facts, by_mesh)
}
