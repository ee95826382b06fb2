//! Which of two versions has stains: a soft pattern of colour that was laid over it.
//!
//! A pattern that is laid over colours without a look at them has nothing to do with the colours beneath, and makes a good part of those
//! above. So a linear regression explains the change by the stained side's colours, and not by those of the clean one. Blurring,
//! recolouring and darkening depend on the colours that they change, and are not taken for stains. Nor is grain, which is finer, nor a
//! part in another colour, which is coarser. Light that was painted in is found where it changes within a sixth of the size.

use super::color::lab;
use super::overlay::{Overlay, Point, SAME};
use glam::{DMat3, DVec3, Vec3};

/// Fewer points say nothing.
const POINTS_MIN: usize = 400;

/// Root mean square of the change, ΔE*ab: twice just noticeable and more.
const CHANGE_MIN: f64 = 5.0;

/// Share of the change that the colours of a side explain: of the clean one at most, of the stained one at least.
const CLEAN: f64 = 0.12;
const STAINED: f64 = 0.5;

/// How much more detail the stained side may have, and the share of the stains by which they change within a small step.
const SHARPER: f64 = 1.5;
const SOFT_STEP: f64 = 0.1;

/// How unlike the change is at two places, 1 if as unlike as at any two: a step away, and at [`FAR`].
const SOFT: f64 = 0.45;
const SEVERAL: f64 = 0.55;

/// Distances at which several stains differ, shares of the diagonal.
const FAR: std::ops::Range<f32> = 0.1..0.16;

/// The stained side, and by how much the stains change its colours, ΔE*ab.
pub(super) fn stained(overlay: &Overlay) -> Option<(usize, f64)> {
    let places: Vec<Place> = overlay.points.iter().flatten().filter_map(Place::of).collect();
    if places.len() < POINTS_MIN {
        return None;
    }
    let count = places.len() as f64;
    let changes: Vec<DVec3> = places.iter().map(|place| place.change).collect();
    let size =
        (changes.iter().map(|c| c.length_squared()).fold(0.0, |sum, v| sum + v) / count).sqrt();
    let mean = changes.iter().fold(DVec3::ZERO, |sum, c| sum + *c) / count;
    let spread = changes.iter().fold(0.0, |sum, c| sum + (*c - mean).length_squared()) / count;
    if size < CHANGE_MIN || spread == 0.0 {
        return None;
    }
    let unlike = |sum: (f64, f64)| sum.0 / sum.1.max(1.0) / (2.0 * spread);
    let near = places.iter().flat_map(|place| {
        place.steps.into_iter().flatten().map(|step| (place.change - step).length_squared())
    });
    let far = pairs_at(&places, FAR, overlay.diagonal);
    let add = |(sum, count): (f64, f64), v: f64| (sum + v, count + 1.0);
    if unlike(near.fold((0.0, 0.0), add)) > SOFT
        || unlike(far.into_iter().fold((0.0, 0.0), add)) < SEVERAL
    {
        return None;
    }
    let explained = [0, 1].map(|side| {
        let colors: Vec<DVec3> = places.iter().map(|place| place.colors[side]).collect();
        explained(&colors, &changes)
    });
    let detail = [0, 1].map(|side| places.iter().map(|it| it.detail[side]).sum::<f64>() / count);
    side_with_stains(explained, detail, size).map(|side| (side, size))
}

/// The side whose colours explain the change, unless it has more detail than a soft pattern adds: then the other one lost some, as by blur.
fn side_with_stains(explained: [f64; 2], detail: [f64; 2], size: f64) -> Option<usize> {
    [0, 1].into_iter().find(|&side| {
        explained[side] > STAINED
            && explained[1 - side] < CLEAN
            && detail[side] < SHARPER * detail[1 - side] + SOFT_STEP * size
    })
}

/// A place where the surfaces coincide: elsewhere, one that moved shows what belongs to another place.
struct Place {
    at: Vec3,
    /// CIELAB.
    colors: [DVec3; 2],
    /// From the first side to the second.
    change: DVec3,
    /// The change a step away.
    steps: [Option<DVec3>; 2],
    /// How far the colour of each side changes within a small step, ΔE*ab.
    detail: [f64; 2],
}

impl Place {
    fn of(point: &Point) -> Option<Self> {
        /// The widest of the steps around a point.
        const WIDEST: usize = 2;
        const SMALL: usize = 1;
        if point.distance >= SAME {
            return None;
        }
        let [a, b] = [0, 1].map(|side| point.at[side].color.map(cielab));
        let (a, b) = (a?, b?);
        let step = |way: usize| {
            let [a, b] = [0, 1].map(|side| point.at[side].around[WIDEST][way].map(cielab));
            Some(b? - a?)
        };
        Some(Self {
            at: point.hits[0]?.point,
            colors: [a, b],
            change: b - a,
            steps: [step(0), step(1)],
            detail: [(0, a), (1, b)].map(|(side, color)| {
                let near = point.at[side].around[SMALL].into_iter().flatten();
                near.map(|it| (cielab(it) - color).length()).sum()
            }),
        })
    }
}

/// CIELAB of a colour from 0 to 1.
pub(super) fn cielab(color: Vec3) -> DVec3 {
    DVec3::from_array(lab(color.to_array().map(|c| (c * 255.0 + 0.5) as u8)))
}

/// Squared differences of the change at places so far apart; of a few hundred places with all others.
fn pairs_at(places: &[Place], range: std::ops::Range<f32>, diagonal: f32) -> Vec<f64> {
    const FROM: usize = 128;
    let step = (places.len() / FROM).max(1);
    let from = places.iter().step_by(step);
    let pairs = from.flat_map(|a| places.iter().map(move |b| (a, b)));
    pairs
        .filter(|(a, b)| range.contains(&(a.at.distance(b.at) / diagonal)))
        .map(|(a, b)| (a.change - b.change).length_squared())
        .collect()
}

/// Share of the variance of `changes` that a linear regression on `colors` explains.
pub(super) fn explained(colors: &[DVec3], changes: &[DVec3]) -> f64 {
    let count = colors.len() as f64;
    let mean = |values: &[DVec3]| values.iter().fold(DVec3::ZERO, |sum, v| sum + *v) / count;
    let (color, change) = (mean(colors), mean(changes));
    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
    let (mut own, mut with, mut all) = (DMat3::ZERO, DMat3::ZERO, 0.0);
    for (x, y) in colors.iter().zip(changes) {
        let (x, y) = (*x - color, *y - change);
        own += outer(x, x);
        with += outer(x, y);
        all += y.length_squared();
    }
    // A plain side has no variance to divide by; one of a hundredth of just noticeable explains nothing.
    let slopes = (own + DMat3::from_diagonal(DVec3::splat(5e-4 * count))).inverse() * with;
    let parts = [0, 1, 2].map(|k| slopes.col(k).dot(with.col(k)));
    if all > 0.0 { (parts[0] + parts[1] + parts[2]) / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detail_that_only_one_side_has_was_lost_by_the_other() {
        // An asset with a painted shadow, and a helmet whose textures were blurred: measured.
        assert_eq!(side_with_stains([0.08, 0.87], [7.6, 5.5], 37.3), Some(1));
        assert_eq!(side_with_stains([0.70, 0.07], [15.1, 4.8], 24.3), None);
        // A soft pattern on a plain object, which has no detail.
        assert_eq!(side_with_stains([0.0, 0.9], [0.0, 2.0], 30.0), Some(1));
        assert_eq!(side_with_stains([0.3, 0.9], [0.0, 2.0], 30.0), None);
    }

    #[test]
    fn a_layer_is_explained_by_the_colours_that_it_is_part_of() {
        let noise = |i: u64, seed: u64| {
            let hash = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ (seed << 17));
            let hash = (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            ((hash >> 33) % 1000) as f64 / 100.0
        };
        let of = |seed: u64| -> Vec<DVec3> {
            let color = |i| DVec3::new(noise(i, seed), noise(i, seed + 1), noise(i, seed + 2));
            (0..2000).map(color).collect()
        };
        let (clean, layer) = (of(1), of(10));
        let stained: Vec<DVec3> = clean.iter().zip(&layer).map(|(a, b)| *a + *b).collect();
        assert!(explained(&clean, &layer) < 0.02);
        assert!((explained(&stained, &layer) - 0.5).abs() < 0.05);
        // Darkening depends on the colours on both sides; a plain side explains nothing.
        let darker: Vec<DVec3> = clean.iter().map(|c| *c * -0.4).collect();
        assert!(explained(&clean, &darker) > 0.99);
        assert!(explained(&vec![DVec3::ONE; 2000], &layer) < 0.01);
    }
}
