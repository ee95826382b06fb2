//! Dihedral angles over the whole object: how much the surface turns at its edges, how much of that inwards, how sharply.

use super::edges::Edges;
use super::facts::DihedralFacts;
use super::noise;
use super::sum::{share, sum_fixed};
use super::weld::Surface;
use rayon::prelude::*;

/// Within 1.8° of an axis.
const ON_AXIS: f32 = 0.9995;

/// Sharper edges are creases.
const CREASE_DEGREES: f64 = 45.0;

/// Angles between these are neither flat nor a corner.
const ROUND_DEGREES: [f64; 2] = [3.0, 60.0];

/// Sums over regular edges; ∫ |H| of the surface is half the sum of length times angle (Cohen-Steiner & Morvan 2003).
pub(super) fn measure(surface: &Surface, edges: &Edges) -> DihedralFacts {
    let angles: Vec<Option<(f64, f64)>> = (edges.list.par_iter())
        .map(|edge| noise::dihedral_angle(surface, edge))
        .collect();
    let (mut total, mut inward, mut crease, mut round) = (0.0, 0.0, 0.0, 0.0);
    for (angle, length) in angles.into_iter().flatten() {
        let degrees = angle.abs().to_degrees();
        total += angle.abs() * length;
        if angle < 0.0 {
            inward -= angle * length;
        }
        if degrees > CREASE_DEGREES {
            crease += length;
        }
        if (ROUND_DEGREES[0]..ROUND_DEGREES[1]).contains(&degrees) {
            round += angle.abs() * length;
        }
    }
    let [on_axis] = sum_fixed(surface.triangles.len(), |t| {
        let is_on_axis = surface.normals[t].abs().max_element() > ON_AXIS;
        [if is_on_axis { surface.areas[t] } else { 0.0 }]
    });
    DihedralFacts {
        total: share(total, surface.diagonal),
        inward_share: share(inward, total),
        round_share: share(round, total),
        crease_length: share(crease, surface.diagonal),
        on_axis_share: share(on_axis, surface.area),
    }
}
