//! Which of two versions has lost most of its colours to a few: it was posterised.
//!
//! A flat asset whose other version has noise, light or stains has few colours, too. But there the
//! other version jumps wherever it does; a posterised one jumps amid the other's slopes.

use super::detail::STATED;
use super::places::{Place, mean};
use std::collections::BTreeMap;

/// Colours that are counted, with at least so large a share of the places each.
const COLORS: usize = 24;
const SHARE_MIN: f64 = 0.008;

/// Share of the places these cover; and what as many cover on the other side, as a share of it.
const COVERED: f64 = 0.6;
const OTHER: f64 = 0.5;

/// Share of the places whose colour became the nearest of the few.
const NEAREST: f64 = 0.85;

/// Of the places without any contrast, the share whose colours differ by a visible step, ΔE*ab.
const FLAT: f64 = 0.5;
const DIFFERENT: f64 = 2.0;
const DIFFER: f64 = 0.5;

/// Share of its jumps, ΔE*ab, where the other changes by less than so much of them.
const JUMP: f64 = 6.0;
const SLOPE: f64 = 0.4;
const ALONE: f64 = 0.1;

/// The side with few colours, their number, and the shares of the two sides that so many cover.
pub(super) fn posterised(places: &[Place]) -> Option<(usize, usize, [f64; 2])> {
    let few = [0, 1].map(|side| most(places, side));
    let shares =
        few.each_ref().map(|colors| colors.values().sum::<usize>() as f64 / places.len() as f64);
    let is_posterised = |side: &usize| {
        let (colors, other) = (&few[*side], 1 - side);
        colors.len() > 2
            && shares[*side] > COVERED
            && shares[other] < OTHER * shares[*side]
            && is_nearest(places, *side, colors)
            && jumps_alone(places, *side) > ALONE
            && {
                let flat = || {
                    places
                        .iter()
                        .filter(|place| (0..3).all(|step| place.contrast(*side, step) < FLAT))
                };
                mean(flat().map(|place| f64::from(u8::from(place.change().length() > DIFFERENT))))
                    > DIFFER
            }
    };
    let side = [0, 1].into_iter().find(is_posterised)?;
    Some((side, few[side].len(), shares))
}

/// How many places have each of the most frequent colours.
fn most(places: &[Place], side: usize) -> BTreeMap<[u8; 3], usize> {
    let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    for place in places {
        *counts.entry(place.stored[side]).or_default() += 1;
    }
    let mut frequent: Vec<([u8; 3], usize)> = counts
        .into_iter()
        .filter(|(_, count)| *count as f64 > SHARE_MIN * places.len() as f64)
        .collect();
    frequent.sort_by_key(|(color, count)| (usize::MAX - count, *color));
    frequent.into_iter().take(COLORS).collect()
}

fn is_nearest(places: &[Place], side: usize, few: &BTreeMap<[u8; 3], usize>) -> bool {
    let apart = |a: [u8; 3], b: [u8; 3]| -> i32 {
        [0, 1, 2].map(|c| (i32::from(a[c]) - i32::from(b[c])).pow(2)).into_iter().sum()
    };
    let of_few = places.iter().filter(|place| few.contains_key(&place.stored[side]));
    let nearest = of_few.map(|place| {
        let other = place.stored[1 - side];
        let own = apart(other, place.stored[side]);
        f64::from(u8::from(few.keys().all(|color| apart(other, *color) >= own)))
    });
    mean(nearest) > NEAREST
}

/// Share of a side's jumps that the other passes by a slope.
fn jumps_alone(places: &[Place], side: usize) -> f64 {
    let both = |side: usize| places.iter().flat_map(move |place| place.contrasts(side, STATED));
    let jumps = both(side).zip(both(1 - side)).filter(|(own, _)| *own > JUMP);
    mean(jumps.map(|(own, other)| f64::from(u8::from(other < SLOPE * own))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::{chance, sheet, swapped};
    use glam::Vec3;

    fn found(paint: impl Fn(Vec3) -> [Vec3; 2]) -> Option<usize> {
        let places = sheet(paint);
        let side = |places: &[Place]| posterised(places).map(|(side, ..)| side);
        let found = side(&places);
        assert_eq!(side(&swapped(&places)).map(|side| 1 - side), found);
        found
    }

    fn to_levels(color: Vec3) -> Vec3 {
        (color * 3.0).round() / 3.0
    }

    #[test]
    fn slopes_of_colour_became_steps() {
        let slopes = |at: Vec3| Vec3::new(at.x, at.y, 0.5 + 0.4 * (at.x - at.y));
        assert_eq!(found(|at| [slopes(at), to_levels(slopes(at))]), Some(1));
        assert_eq!(found(|at| [slopes(at), slopes(at)]), None);
    }

    #[test]
    fn a_flat_asset_is_not_posterised() {
        let flat = |at: Vec3| to_levels(Vec3::new(chance(at, 6.0), chance(at, 5.0), 0.5));
        let noise = |at: Vec3| flat(at) + 0.2 * (chance(at, 300.0) - 0.5);
        let light = |at: Vec3| flat(at) * (0.7 + 0.3 * at.x * at.y);
        assert_eq!(found(|at| [flat(at), noise(at)]), None);
        assert_eq!(found(|at| [flat(at), light(at)]), None);
    }
}
