//! Dihedral angles over the whole object: how much the surface turns at its edges, how much of that
//! inwards, how sharply.

use super::facts::DihedralFacts;
use super::sum::{share, sum_fixed};
use super::weld::Surface;

/// Within 1.8° of an axis.
const ON_AXIS: f32 = 0.9995;

/// Sharper edges are creases.
const CREASE_DEGREES: f64 = 45.0;

/// Angles between these are neither flat nor a corner.
const ROUND_DEGREES: [f64; 2] = [3.0, 60.0];

/// Sums over regular edges; ∫ |H| of the surface is half the sum of length times angle
/// (Cohen-Steiner & Morvan 2003).
#[derive(Default)]
pub(super) struct Turns {
    total: f64,
    inward: f64,
    crease: f64,
    round: f64,
}

impl Turns {
    /// Adds an edge: its signed angle and its length.
    pub(super) fn add(&mut self, (angle, length): (f64, f64)) {
        let degrees = angle.abs().to_degrees();
        self.total += angle.abs() * length;
        if angle < 0.0 {
            self.inward -= angle * length;
        }
        if degrees > CREASE_DEGREES {
            self.crease += length;
        }
        if (ROUND_DEGREES[0]..ROUND_DEGREES[1]).contains(&degrees) {
            self.round += angle.abs() * length;
        }
    }

    pub(super) fn facts(&self, surface: &Surface) -> DihedralFacts {
        let [on_axis] = sum_fixed(surface.triangles.len(), |t| {
            let is_on_axis = surface.normals[t].abs().max_element() > ON_AXIS;
            [if is_on_axis { surface.areas[t] } else { 0.0 }]
        });
        DihedralFacts {
            total: share(self.total, surface.diagonal),
            inward_share: share(self.inward, self.total),
            round_share: share(self.round, self.total),
            crease_length: share(self.crease, surface.diagonal),
            on_axis_share: share(on_axis, surface.area),
        }
    }
}
