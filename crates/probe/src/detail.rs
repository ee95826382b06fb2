//! Which of two versions lost detail, and which has spots or lines that the other lacks: either way
//! one of them is busier.
//!
//! Lost detail was along edges of colours, of which the blurred version still has a trace, and
//! averages out around a place. Spots are as strong where the clean version is plain, and have
//! nothing to do with its edges.

use super::overlay::STEPS;
use super::places::{Place, mean, middle, share};
use glam::DVec3;

/// The step whose contrasts are stated.
pub(super) const STATED: usize = 1;

/// Root mean square of the change, ΔE*ab: just visible, and more than any spots change.
const CHANGE_MIN: f64 = 3.0;
const SPOTS: std::ops::Range<f64> = 4.0..32.0;

/// Correlation of the change with the peaks of the busier version, which it makes.
const MAKES_PEAKS: f64 = 0.35;

/// Contrasts of the blurred version, as shares of the other's: at the stated step, and at any.
const BLURRED: f64 = 0.75;
const BLURRED_ANY: f64 = 0.9;

/// Correlation of the size of the change with the contrasts that the blurred version still has, and
/// its squared change where it is plain, as a share of that everywhere.
const TRACE: f64 = 0.28;
const ON_PLAIN: f64 = 0.5;

/// The mean change, as a share of its root mean square, that averages out.
const MEAN_MAX: f64 = 0.2;

/// How much busier the version with spots is, at the stated step.
const SPOTTED: f64 = 1.2;

/// Correlations of spots with the peaks and with the contrasts of the clean version, at most.
const UNRELATED: f64 = 0.12;
const AS_STRONG: f64 = 0.08;

/// Highest mean contrast, ΔE*ab, of a plain place at a step; share of places that must be plain for
/// spots all over; range of the squared change there over that everywhere that counts as equal.
const PLAIN: f64 = 2.5;
const PLAIN_SHARE: f64 = 0.15;
const SAME: std::ops::Range<f64> = 0.8..1.25;

/// So few plain places say nothing.
const FEW: usize = 20;

/// A visible change, ΔE*ab; spots in up to half the places spare the others, which loss does not.
const VISIBLE: f64 = 5.0;

/// A side and what speaks against it: the first and second side's contrasts at a stated step.
type Found = Option<(usize, [f64; 2])>;

/// How busy the two are, and how much they differ.
pub(super) struct Busy<'a> {
    places: &'a [Place],
    /// Root mean square of the change, ΔE*ab.
    size: f64,
    /// Root mean square of the contrasts, by step and side.
    contrasts: [[f64; 2]; STEPS.len()],
}

impl<'a> Busy<'a> {
    pub(super) fn of(places: &'a [Place]) -> Self {
        let square = |of: &dyn Fn(&Place) -> f64| mean(places.iter().map(|p| of(p) * of(p))).sqrt();
        Self {
            places,
            size: square(&|place| place.change().length()),
            // One of two equally plain sides is not busier by what rounding does.
            contrasts: [0, 1, 2]
                .map(|step| [0, 1].map(|side| square(&|place| place.contrast(side, step)) + 0.3)),
        }
    }

    /// The version that lost detail.
    pub(super) fn blurred(&self) -> Found {
        let mean = middle(self.places.iter().map(Place::change)).length();
        let is_blurred = |side: usize| {
            let other = 1 - side;
            let left = self.contrasts.map(|both| both[side] / both[other]);
            self.size > CHANGE_MIN
                && left[STATED] < BLURRED
                && left.iter().all(|share| *share < BLURRED_ANY)
                && (0..STEPS.len()).any(|step| self.makes(other, step) > MAKES_PEAKS)
                && (0..STEPS.len()).all(|step| self.follows(side, step) > TRACE)
                && mean < MEAN_MAX * self.size
                && self.on_plain(side).1 < ON_PLAIN
        };
        self.find(is_blurred)
    }

    /// The version with spots or lines.
    pub(super) fn spotted(&self) -> Found {
        let changed = share(self.places, |place| place.change().length() > VISIBLE);
        let is_spotted = |side: usize| {
            let other = 1 - side;
            let (num_plain, on_plain) = self.on_plain(other);
            let all_over = num_plain as f64 > PLAIN_SHARE * self.places.len() as f64
                && SAME.contains(&on_plain);
            SPOTS.contains(&self.size)
                && self.contrasts[STATED][side] > SPOTTED * self.contrasts[STATED][other]
                && (0..STEPS.len()).any(|step| self.makes(side, step) > MAKES_PEAKS)
                && (0..STEPS.len()).all(|step| {
                    self.makes(other, step).abs() < UNRELATED
                        && self.follows(other, step).abs() < AS_STRONG
                })
                && (num_plain <= FEW || on_plain > SAME.start)
                && (changed < 0.5 || all_over)
        };
        self.find(is_spotted)
    }

    fn find(&self, is: impl Fn(usize) -> bool) -> Found {
        let side = [0, 1].into_iter().find(|&side| is(side))?;
        Some((side, self.contrasts[STATED]))
    }

    /// How many places a side is plain at, and the mean squared change there over that everywhere.
    fn on_plain(&self, side: usize) -> (usize, f64) {
        let is_plain =
            |place: &&Place| (0..STEPS.len()).all(|step| place.contrast(side, step) < PLAIN);
        let plain = self.places.iter().filter(is_plain);
        let squares = plain.map(|place| place.change().length_squared());
        (squares.clone().count(), mean(squares) / (self.size * self.size))
    }

    /// Correlation of the change towards a side with its peaks.
    fn makes(&self, side: usize, step: usize) -> f64 {
        let sign = if side == 1 { 1.0 } else { -1.0 };
        let pair = |place: &Place| (sign * place.change(), place.peak(side, step));
        correlation(self.places.iter().map(pair))
    }

    /// Correlation of the size of the change with the contrasts of a side.
    fn follows(&self, side: usize, step: usize) -> f64 {
        correlation(self.places.iter().map(|place| {
            (DVec3::X * place.change().length(), DVec3::X * place.contrast(side, step))
        }))
    }
}

/// Pearson's, over all components; 0 where one is constant.
fn correlation(pairs: impl Iterator<Item = (DVec3, DVec3)> + Clone) -> f64 {
    let (first, second) = (middle(pairs.clone().map(|p| p.0)), middle(pairs.clone().map(|p| p.1)));
    let [mut own, mut with, mut other] = [0.0; 3];
    for (x, y) in pairs {
        let (x, y) = (x - first, y - second);
        own += x.length_squared();
        with += x.dot(y);
        other += y.length_squared();
    }
    let product = (own * other).sqrt();
    if product > 0.0 { with / product } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::{chance, sheet, swapped};
    use glam::Vec3;

    /// Stripes whose borders take so much of them.
    fn stripes(at: Vec3, soft: f32) -> Vec3 {
        let wave = libm::sinf(38.0 * at.x + 12.0 * at.y);
        let part = (0.5 + 0.5 * wave / soft).clamp(0.0, 1.0);
        Vec3::new(0.2, 0.3, 0.4).lerp(Vec3::new(0.8, 0.7, 0.5), part)
    }

    fn found(paint: impl Fn(Vec3) -> [Vec3; 2]) -> [Option<usize>; 2] {
        let places = sheet(paint);
        let sides = |places: &[Place]| {
            let busy = Busy::of(places);
            [busy.blurred(), busy.spotted()].map(|found| found.map(|(side, _)| side))
        };
        let found = sides(&places);
        assert_eq!(sides(&swapped(&places)), found.map(|side| side.map(|side| 1 - side)));
        found
    }

    #[test]
    fn edges_that_became_soft_are_lost_detail() {
        assert_eq!(found(|at| [stripes(at, 0.05), stripes(at, 1.2)]), [Some(1), None]);
        assert_eq!(found(|at| [stripes(at, 0.05), stripes(at, 0.05)]), [None, None]);
        // Stripes that are somewhere else are as sharp.
        assert_eq!(
            found(|at| [stripes(at, 0.05), stripes(at + Vec3::X * 0.01, 0.05)]),
            [None, None]
        );
    }

    #[test]
    fn spots_are_unrelated_to_the_colours() {
        let speckled = |at: Vec3, amount: f32| {
            let color = stripes(at, 0.3);
            if chance(at, 120.0) < amount {
                color.lerp(Vec3::splat(chance(at, 119.0).round()), 0.6)
            } else {
                color
            }
        };
        assert_eq!(found(|at| [stripes(at, 0.3), speckled(at, 0.12)]), [None, Some(1)]);
        assert_eq!(found(|at| [stripes(at, 0.3), speckled(at, 0.0)]), [None, None]);
        let grain = |at: Vec3| stripes(at, 0.3) + Vec3::splat(0.3 * (chance(at, 400.0) - 0.5));
        assert_eq!(found(|at| [stripes(at, 0.3), grain(at)]), [None, Some(1)]);
    }
}
