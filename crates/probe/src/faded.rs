//! Which of two versions is faded: its colours are the other's, nearer to each other.
//!
//! They follow from the other's by a linear function that leaves less than half the differences.
//! Where the stronger has colours at the ends of their range, it may be overdone; where the weaker
//! is much darker or brighter, the other may have been exposed otherwise. Neither is decided.

use super::places::{Place, middle, share, spread};
use super::stains::explained;
use glam::DVec3;

/// Share of the faded colours that the other's explain.
const EXPLAINED: f64 = 0.85;

/// Standard deviation of the faded colours, as a share of the other's.
const LEFT: f64 = 0.5;

/// Standard deviation of the other's colours, ΔE*ab.
const COLORFUL: f64 = 8.0;

/// Share of the stronger colours that may be at an end of their range.
const CLIPPED: f64 = 0.1;

/// How much farther from middle grey the faded one's lightness may be.
const LIGHTNESS: f64 = 3.0;

/// The faded side, and the share of the differences in colour that are left of the other's.
pub(super) fn faded(places: &[Place]) -> Option<(usize, f64)> {
    let lab = [0, 1].map(|side| places.iter().map(|it| it.colors[side]).collect::<Vec<DVec3>>());
    let means = lab.each_ref().map(|lab| middle(lab.iter().copied()));
    let spreads = lab.each_ref().map(|lab| spread(lab.iter().copied()));
    let side = usize::from(spreads[1] < spreads[0]);
    let left = spreads[side] / spreads[1 - side].max(f64::MIN_POSITIVE);
    let is_end = |c: u8| !(2..=253).contains(&c);
    let clipped = share(places, |place| place.stored[1 - side].into_iter().any(is_end));
    let [pale, strong] = [side, 1 - side].map(|side| (means[side].x - 50.0).abs());
    let is_faded = left < LEFT
        && spreads[1 - side] > COLORFUL
        && clipped < CLIPPED
        && pale < strong + LIGHTNESS
        && explained(&lab[1 - side], &lab[side]) > EXPLAINED;
    is_faded.then_some((side, left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::{chance, sheet};
    use glam::Vec3;

    #[test]
    fn the_one_whose_colours_are_nearer_to_each_other_is_faded() {
        let side = |change: &dyn Fn(Vec3) -> Vec3| {
            let color =
                |at| Vec3::new(chance(at, 31.0), chance(at, 37.0), chance(at, 41.0)) * 0.5 + 0.2;
            faded(&sheet(|at| [change(color(at)), color(at)])).map(|(side, _)| side)
        };
        assert_eq!(side(&|c| c * 0.35 + 0.3), Some(0));
        // Little paler, much brighter, and overdone until colours are at the ends of their range.
        assert_eq!(side(&|c| c * 0.8 + 0.1), None);
        assert_eq!(side(&|c| c * 0.35 + 0.6), None);
        assert_eq!(side(&|c| ((c - 0.45) * 5.0 + 0.45).clamp(Vec3::ZERO, Vec3::ONE)), None);
        // Blurred, so that single colours are gone.
        assert_eq!(side(&|c| Vec3::splat(0.4 + 0.2 * (c.x * 40.0).fract())), None);
    }
}
