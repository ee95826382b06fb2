//! Which of two versions has stains: a soft pattern of colour, patches of another exposure or
//! shadows, laid over it.
//!
//! A layer painted over colours without a look at them has nothing to do with the colours beneath,
//! and makes a good part of those above. So a linear regression explains the change by the stained
//! side's colours, not by the clean one's. Blurring, recolouring and darkening depend on the
//! colours that they change, and are not taken for stains; nor is grain, which is too fine. A
//! change is a pattern if it varies within a sixth of the size, or if it keeps several levels.

use super::places::{Place, mean, middle, spread};
use glam::{DMat3, DVec3};

/// Root mean square of the change, ΔE*ab: twice just noticeable and more.
const CHANGE_MIN: f64 = 5.0;

/// Share of the change explained by colours: the clean side's at most, the stained side's at least.
const CLEAN: f64 = 0.12;
const STAINED: f64 = 0.5;

/// How much more detail the stained side may have; share by which stains change in a small step.
const SHARPER: f64 = 1.5;
const SOFT_STEP: f64 = 0.1;

/// How unlike the change is at two places, 1 for any two: a step apart, and at [`FAR`].
const SOFT: f64 = 0.45;
const SEVERAL: f64 = 0.55;

/// Distances at which several stains differ, shares of the diagonal.
const FAR: std::ops::Range<f32> = 0.1..0.16;

/// The widest of the steps around a place, and a small one.
const WIDEST: usize = 2;
const SMALL: usize = 1;

/// Levels: the share of the places around which the change is one, to within this share of its root
/// mean square or so many ΔE*ab; what the change is there and how far it varies between them, as
/// shares of the same; and what the colours of the sides explain of it.
const LEVEL: f64 = 0.15;
const LEVEL_MIN: f64 = 2.5;
const LEVEL_PLACES: f64 = 0.15;
const LEVEL_SIZE: f64 = 0.7;
const LEVEL_SPREAD: f64 = 0.5;
const LEVEL_CHANGE_MIN: f64 = 8.0;
const LEVEL_CLEAN: f64 = 0.2;
const LEVEL_STAINED: f64 = 0.55;

/// The stained side, and by how much the stains change its colours, ΔE*ab.
pub(super) fn stained(places: &[Place], diagonal: f32) -> Option<(usize, f64)> {
    let changes: Vec<DVec3> = places.iter().map(Place::change).collect();
    let size = mean(changes.iter().map(|c| c.length_squared())).sqrt();
    let spread = spread(changes.iter().copied());
    if size < CHANGE_MIN || spread == 0.0 {
        return None;
    }
    let explained = [0, 1].map(|side| {
        let colors: Vec<DVec3> = places.iter().map(|place| place.colors[side]).collect();
        explained(&colors, &changes)
    });
    let unlike = |square: f64| square / (2.0 * spread * spread);
    let near = places.iter().flat_map(|place| place.turns(WIDEST)).map(|turn| turn * turn);
    let is_soft = unlike(mean(near)) < SOFT
        && unlike(mean(pairs_at(places, FAR, diagonal).into_iter())) > SEVERAL;
    let detail = [0, 1].map(|side| 2.0 * mean(places.iter().map(|it| it.contrast(side, SMALL))));
    let soft = is_soft.then(|| side_with_stains(explained, detail, size)).flatten();
    let levels = || {
        let other =
            |side: &usize| explained[1 - side] < LEVEL_CLEAN && explained[*side] > LEVEL_STAINED;
        has_levels(places, size).then(|| [0, 1].into_iter().find(other)).flatten()
    };
    soft.or_else(levels).map(|side| (side, size))
}

/// Whether the change is large where it is the same all around, and not the same everywhere: by
/// patches with borders, not by lost detail.
fn has_levels(places: &[Place], size: f64) -> bool {
    let is_level = |place: &&Place| {
        place.turns(WIDEST).into_iter().all(|turn| turn < LEVEL_MIN.max(LEVEL * size))
    };
    let level: Vec<DVec3> = places.iter().filter(is_level).map(Place::change).collect();
    let there = mean(level.iter().map(|c| c.length_squared())).sqrt();
    size > LEVEL_CHANGE_MIN
        && level.len() as f64 > LEVEL_PLACES * places.len() as f64
        && there > LEVEL_SIZE * size
        && spread(level.iter().copied()) > LEVEL_SPREAD * size
}

/// The side whose colours explain the change, unless it has more detail than a soft pattern adds:
/// then the other one lost some, as by blur.
fn side_with_stains(explained: [f64; 2], detail: [f64; 2], size: f64) -> Option<usize> {
    [0, 1].into_iter().find(|&side| {
        explained[side] > STAINED
            && explained[1 - side] < CLEAN
            && detail[side] < SHARPER * detail[1 - side] + SOFT_STEP * size
    })
}

/// Squared differences of the change so far apart, of a few hundred places with all others.
fn pairs_at(places: &[Place], range: std::ops::Range<f32>, diagonal: f32) -> Vec<f64> {
    const FROM: usize = 128;
    let step = (places.len() / FROM).max(1);
    let from = places.iter().step_by(step);
    let pairs = from.flat_map(|a| places.iter().map(move |b| (a, b)));
    pairs
        .filter(|(a, b)| range.contains(&(a.at.distance(b.at) / diagonal)))
        .map(|(a, b)| (a.change() - b.change()).length_squared())
        .collect()
}

/// Share of the variance of `changes` that a linear regression on `colors` explains.
pub(super) fn explained(colors: &[DVec3], changes: &[DVec3]) -> f64 {
    let count = colors.len() as f64;
    let (color, change) = (middle(colors.iter().copied()), middle(changes.iter().copied()));
    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
    let (mut own, mut with, mut all) = (DMat3::ZERO, DMat3::ZERO, 0.0);
    for (x, y) in colors.iter().zip(changes) {
        let (x, y) = (*x - color, *y - change);
        own += outer(x, x);
        with += outer(x, y);
        all += y.length_squared();
    }
    // A plain side has no variance to divide by; 1/100 of just noticeable explains nothing.
    let slopes = (own + DMat3::from_diagonal(DVec3::splat(5e-4 * count))).inverse() * with;
    let parts = [0, 1, 2].map(|k| slopes.col(k).dot(with.col(k)));
    if all > 0.0 { (parts[0] + parts[1] + parts[2]) / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::{chance, sheet, swapped};
    use glam::Vec3;

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

    #[test]
    fn patches_of_another_exposure_are_unrelated_to_the_colours() {
        let print =
            |at: Vec3| 0.3 + 0.15 * Vec3::new(chance(at, 20.0), chance(at, 21.0), chance(at, 22.0));
        // Two halves: too large for several stains.
        let exposed = |at: Vec3| print(at) * if at.x < 0.5 { 0.6 } else { 1.4 };
        let side = |places: &[Place]| stained(places, 1.4).map(|(side, _)| side);
        let places = sheet(|at| [print(at), exposed(at)]);
        assert_eq!((side(&places), side(&swapped(&places))), (Some(1), Some(0)));
        // Darker and brighter by a function of the colours themselves.
        let curved = sheet(|at| [print(at), print(at) * print(at) * 1.5]);
        assert_eq!(side(&curved), None);
    }
}
