//! Which of two versions is covered in part by one grey, white or black: a part that was never
//! painted, a background that was baked in.
//!
//! Where they differ, its colours are nearly one, and each is between that one and the other
//! version's, whose colours there are as different as everywhere. Letters and other marks that the
//! other version lost are taken for it if they are grey, white or black.

use super::places::{Place, mean, share, spread};
use glam::DVec3;

/// A colour that is another one, and one that is the same; ΔE*ab.
const CHANGED: f64 = 10.0;
const UNCHANGED: f64 = 2.0;

/// Share of the places that are covered, and that must be as before; or the share that has the one
/// colour, if nothing else is left.
const COVERED: std::ops::Range<f64> = 0.02..0.5;
const AS_BEFORE: f64 = 0.3;
const ALL: f64 = 0.98;

/// Of the half that changed most, the share that is nearly one colour; and how near, ΔE*ab.
const ONE_COLOR: f64 = 0.6;
const NEARLY: f64 = 8.0;

/// Share of the changes that lead to that colour, from which on they do, and from which on they
/// may; the cosine of such a change.
const LEADS: f64 = 0.93;
const MAY_LEAD: f64 = 0.87;
const STRAIGHT: f64 = 0.9;

/// Spread of the covered colours, as a share of that of all.
const DIFFERENT: f64 = 0.7;

/// Chroma of a grey.
const GREY: f64 = 8.0;

/// The covered side, which share of it is, and with what.
pub(super) fn covered(places: &[Place]) -> Option<(usize, f64, &'static str)> {
    let changed = share(places, |place| place.change().length() > CHANGED);
    let unchanged = share(places, |place| place.change().length() < UNCHANGED);
    if changed < COVERED.start {
        return None;
    }
    let is_in_part = changed < COVERED.end && unchanged > AS_BEFORE;
    let covers = [0, 1].map(|side| Cover::of(places, side));
    let side = [0, 1].into_iter().find(|&side| covers[side].is_one(LEADS))?;
    let cover = &covers[side];
    let is_either = covers[1 - side].is_one(MAY_LEAD);
    let is_all_over = cover.all > ALL;
    let is_grey = libm::hypot(cover.color.y, cover.color.z) < GREY;
    ((is_in_part || is_all_over) && is_grey && !is_either && cover.hidden > DIFFERENT).then(|| {
        let name = match cover.color.x {
            dark if dark < 20.0 => "black",
            light if light > 85.0 => "white",
            _ => "grey",
        };
        (side, changed, name)
    })
}

/// What would cover a side.
struct Cover {
    /// CIELAB.
    color: DVec3,
    /// Share of the half that changed most which is nearly of this colour.
    near: f64,
    /// The same of all places.
    all: f64,
    /// Share of the changes that lead to it.
    leads: f64,
    /// Spread of the colours that it would hide, as a share of that of all.
    hidden: f64,
}

impl Cover {
    fn of(places: &[Place], side: usize) -> Self {
        let (own, other) =
            (|place: &&Place| place.colors[side], |place: &Place| place.colors[1 - side]);
        let mut changed: Vec<&Place> =
            places.iter().filter(|place| place.change().length() > CHANGED).collect();
        changed.sort_by(|a, b| b.change().length().total_cmp(&a.change().length()));
        let core = &changed[..changed.len().div_ceil(2)];
        let middle = |axis: usize| {
            let mut values: Vec<f64> = core.iter().map(|place| own(place)[axis]).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(0.0)
        };
        let color = DVec3::new(middle(0), middle(1), middle(2));
        let is = |yes: bool| f64::from(u8::from(yes));
        let is_led = |place: &&Place| {
            let from = other(place);
            (own(place) - from).normalize_or_zero().dot((color - from).normalize_or_zero())
                > STRAIGHT
        };
        Self {
            color,
            all: share(places, |place| own(&place).distance(color) < NEARLY),
            near: mean(core.iter().map(|place| is(own(place).distance(color) < NEARLY))),
            leads: mean(changed.iter().map(|place| is(is_led(place)))),
            hidden: spread(changed.iter().map(|place| other(place)))
                / spread(places.iter().map(other)),
        }
    }

    fn is_one(&self, leads: f64) -> bool {
        self.near > ONE_COLOR && self.leads > leads
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::{chance, sheet, swapped};
    use glam::Vec3;

    fn print(at: Vec3) -> Vec3 {
        0.2 + 0.6 * Vec3::new(chance(at, 20.0), chance(at, 21.0), chance(at, 22.0))
    }

    #[test]
    fn a_part_in_one_grey_hides_the_other_colours() {
        let of = |cover: Vec3, width: f32| {
            let places = sheet(|at| [print(at), if at.x < width { cover } else { print(at) }]);
            let found = covered(&places).map(|(side, _, name)| (side, name));
            let turned = covered(&swapped(&places)).map(|(side, _, name)| (1 - side, name));
            assert_eq!(found, turned);
            found
        };
        assert_eq!(of(Vec3::ONE, 0.1), Some((1, "white")));
        assert_eq!(of(Vec3::splat(0.5), 0.3), Some((1, "grey")));
        assert_eq!(of(Vec3::ZERO, 0.2), Some((1, "black")));
        assert_eq!(of(Vec3::X, 0.2), None, "red can be meant");
        assert_eq!(of(Vec3::ONE, 0.0), None);
        assert_eq!(of(Vec3::ONE, 0.9), None, "little is as before");
        assert_eq!(of(Vec3::ONE, 1.1), Some((1, "white")), "no colour is left");
    }

    #[test]
    fn a_mark_on_plain_ground_may_be_meant() {
        let ground = Vec3::new(0.1, 0.2, 0.6);
        let places = sheet(|at| [ground, if at.x < 0.1 { Vec3::ONE } else { ground }]);
        assert_eq!(covered(&places), None);
    }
}
