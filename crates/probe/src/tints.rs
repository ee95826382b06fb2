//! How the colours of two versions differ where their surfaces coincide, whether they come from
//! texels, vertices or materials.
//!
//! Lost detail was along edges of colours, of which the blurred version still has a trace, and
//! averages out around a place. Spots and grain are as strong where the clean version is plain. A
//! layer that was painted over colours without a look at them has nothing to do with the colours
//! beneath, and makes a good part of those above.

use super::differences::Both;
use super::overlay::{STEPS, STRIDE};
use super::places::{Place, mean, middle, share, spread};
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Root mean square change, ΔE*ab, from which on it is measured: a bit more than just noticeable.
const SIZE_MIN: f64 = 3.0;

/// A change that shows, one that is another colour, and one that is the same; ΔE*ab.
const VISIBLE: f64 = 5.0;
const CHANGED: f64 = 10.0;
const UNCHANGED: f64 = 2.0;

/// Highest mean contrast, ΔE*ab, of a plain place at every step.
const PLAIN: f64 = 2.5;

/// Fewer places, as a share, say nothing of plain parts.
const PLAIN_MIN: f64 = 0.02;

/// Two equally plain sides do not differ by what rounding does; ΔE*ab.
const ROUNDING: f64 = 0.3;

/// A colour that is nearly the same, ΔE*ab, and the cosine of a change that leads to it.
const NEARLY: f64 = 8.0;
const STRAIGHT: f64 = 0.9;

/// Distances at which two places are far from each other, shares of the diagonal.
const FAR: std::ops::Range<f32> = 0.1..0.16;

/// A change is level where all around it differs by less than this share of its root mean square,
/// or by so many ΔE*ab.
const LEVEL: f64 = 0.15;
const LEVEL_MIN: f64 = 2.5;

/// Texture coordinates so many times as far apart as usual are of two patches; fewer such places
/// say nothing. A jump of colours there, ΔE*ab.
const BORDER: f32 = 5.0;
const BORDERS_MIN: usize = 40;
const JUMP: f64 = 10.0;

/// Frequent colours that are counted.
const FREQUENT: usize = 24;

/// By step and side.
pub(super) type BySteps = [Both; STEPS.len()];

/// Of the first side, then of the second.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Tints {
    /// Root mean square of the change, ΔE*ab, and the length of its mean as a share of that.
    pub size: f64,
    pub even: f64,
    /// Shares of the places with another colour, with a visible change, and with none.
    pub changed: f64,
    pub visible: f64,
    pub unchanged: f64,
    /// Root mean square difference of the colours a step apart, ΔE*ab.
    pub contrast: BySteps,
    /// Root mean square distance of the colours from their mean, ΔE*ab.
    pub spread: Both,
    /// Correlation of the change towards a side with its peaks, which it makes; −1 to 1.
    pub makes: BySteps,
    /// Correlation of the size of the change with the contrasts of a side; −1 to 1.
    pub follows: BySteps,
    /// Share of the change that a linear regression on the colours of a side explains.
    pub explained: Both,
    /// Share of the places where a side is plain, and the mean squared change there over that
    /// everywhere; 1 where too few are plain.
    pub plain: Both,
    pub on_plain: Both,
    /// Mean squared difference of the change at two places over that of any two: the widest step
    /// apart, and [`FAR`].
    pub unlike_near: f64,
    pub unlike_far: f64,
    /// Share of the squared change at places where it is level, and its spread there as a share of
    /// its root mean square.
    pub level: f64,
    pub level_spread: f64,
    pub cover: [Cover; 2],
    /// Share of the places that have one of the most frequent colours.
    pub frequent: Both,
    /// Share of the places without any contrast.
    pub flat: Both,
    /// Share of the places at borders of patches of a side's texture where its colours jump and the
    /// other's do not, beyond the share elsewhere.
    pub seams: Both,
}

/// The colour that would cover a side in part.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Cover {
    /// Share of the half that changed most which is nearly of this colour, and of all places.
    pub near: f64,
    pub all: f64,
    /// Share of the changes that lead to it.
    pub leads: f64,
    /// Spread of the other side's colours that it hides, as a share of that of all.
    pub hidden: f64,
    /// Distance from grey, ΔE*ab.
    pub chroma: f64,
}

impl Tints {
    /// None where nearly nothing changed.
    pub(super) fn of(places: &[Place], diagonal: f32) -> Option<Self> {
        let changes: Vec<DVec3> = places.iter().map(Place::change).collect();
        let size = mean(changes.iter().map(|c| c.length_squared())).sqrt();
        if size < SIZE_MIN {
            return None;
        }
        let colors =
            [0, 1].map(|side| places.iter().map(|it| it.colors[side]).collect::<Vec<DVec3>>());
        let by_step = |of: &(dyn Fn(usize, usize) -> f64 + Sync)| -> BySteps {
            [0, 1, 2].map(|step| [0, 1].map(|side| of(side, step)))
        };
        let square = |of: &dyn Fn(&Place) -> f64| mean(places.iter().map(|p| of(p) * of(p))).sqrt();
        let varies = spread(changes.iter().copied()).max(1e-3);
        let unlike = |square: f64| square / (2.0 * varies * varies);
        let is_plain =
            |place: &Place, side| (0..STEPS.len()).all(|k| place.contrast(side, k) < PLAIN);
        let plain = [0, 1].map(|side| share(places, |place| is_plain(place, side)));
        let is_level = |place: &&Place| {
            place.turns(STEPS.len() - 1).into_iter().all(|turn| turn < LEVEL_MIN.max(LEVEL * size))
        };
        let level: Vec<DVec3> = places.iter().filter(is_level).map(Place::change).collect();
        let level_square = level.iter().fold(0.0, |sum, c| sum + c.length_squared());
        let turns = places.iter().flat_map(|place| place.turns(STEPS.len() - 1));
        Some(Self {
            size,
            even: middle(changes.iter().copied()).length() / size,
            changed: share(places, |place| place.change().length() > CHANGED),
            visible: share(places, |place| place.change().length() > VISIBLE),
            unchanged: share(places, |place| place.change().length() < UNCHANGED),
            contrast: by_step(&|side, step| square(&|place| place.contrast(side, step)) + ROUNDING),
            spread: colors.each_ref().map(|lab| spread(lab.iter().copied()) + ROUNDING),
            makes: by_step(&|side, step| {
                let sign = if side == 1 { 1.0 } else { -1.0 };
                let pair = |place: &Place| (sign * place.change(), place.peak(side, step));
                correlation(places.iter().map(pair))
            }),
            follows: by_step(&|side, step| {
                let along = |value: f64| DVec3::X * value;
                let pair = |p: &Place| (along(p.change().length()), along(p.contrast(side, step)));
                correlation(places.iter().map(pair))
            }),
            explained: colors.each_ref().map(|lab| explained(lab, &changes)),
            plain,
            on_plain: [0, 1].map(|side| {
                let there = places.iter().filter(|place| is_plain(place, side));
                let squares = there.map(|place| place.change().length_squared());
                if plain[side] < 0.01 { 1.0 } else { mean(squares) / (size * size) }
            }),
            unlike_near: unlike(mean(turns.map(|turn| turn * turn))),
            unlike_far: unlike(far_apart(places, diagonal)),
            level: level_square / (size * size * places.len() as f64),
            level_spread: spread(level.iter().copied()) / size,
            cover: [0, 1].map(|side| Cover::of(places, side)),
            frequent: [0, 1].map(|side| frequent(places, side)),
            seams: [0, 1].map(|side| seams(places, side)),
            flat: [0, 1].map(|side| {
                share(places, |place| (0..STEPS.len()).all(|k| place.contrast(side, k) < 0.5))
            }),
        })
    }

    /// Correlation of the change with the peaks of a side, at the step where it is highest.
    pub(super) fn makes_most(&self, side: usize) -> f64 {
        self.makes.iter().map(|both| both[side]).fold(-1.0, f64::max)
    }

    /// Correlation of the size of the change with a side's contrasts, where it is lowest.
    pub(super) fn trace(&self, side: usize) -> f64 {
        self.follows.iter().map(|both| both[side]).fold(1.0, f64::min)
    }

    /// How far a side has less contrast, because the other's edges are gone of which it has traces
    /// and which were not where it is plain; 0 to 1.
    pub(super) fn softened(&self, side: usize) -> f64 {
        let lost = |k: usize| libm::log(self.contrast[k][1 - side] / self.contrast[k][side]);
        let is_poorer = (lost(0).max(lost(1)) / 0.3).clamp(0.0, 1.0);
        let is_made = (2.5 * self.makes_most(1 - side)).clamp(0.0, 1.0);
        let is_elsewhere = ((0.8 - self.on_plain[side]) / 0.5).clamp(0.0, 1.0);
        let is_traced = (4.0 * self.trace(side)).clamp(0.0, 1.0);
        is_poorer * is_made * 0.5 * (is_elsewhere + is_traced)
    }

    /// How far a side has more contrast that is unrelated to the other's edges and as strong where
    /// the other is plain; 0 to 1.
    pub(super) fn grained(&self, side: usize) -> f64 {
        let added = libm::log(self.contrast[0][side] / self.contrast[0][1 - side]);
        let is_richer = (added / 0.3).clamp(0.0, 1.0);
        let is_made = (2.5 * self.makes_most(side)).clamp(0.0, 1.0);
        let is_unrelated = 1.0 - (5.0 * self.trace(1 - side).abs()).min(1.0);
        let is_on_plain = ((self.on_plain[1 - side] - 0.5) / 0.4).clamp(0.0, 1.0);
        is_richer * is_made * is_unrelated * is_on_plain
    }

    /// Whether what a side lacks can be detail that it lost: less is changed where it is plain, or
    /// more where it still has contrast. Noise on the other is the same everywhere.
    pub(super) fn can_be_lost(&self, side: usize) -> bool {
        self.plain[side] < PLAIN_MIN || self.on_plain[side] < 0.6 || self.trace(side) > 0.1
    }

    /// Whether what a side has more of can be grain: it is unrelated to the other's edges, and is
    /// where the other is plain. Without plain places the first must be so all the more.
    pub(super) fn can_be_grain(&self, side: usize) -> bool {
        let other = 1 - side;
        let unrelated = self.trace(other).abs();
        if self.plain[other] < PLAIN_MIN {
            unrelated < 0.05
        } else {
            unrelated < 0.1 && self.on_plain[other] > 0.5
        }
    }

    /// By how much a side has more contrast, edges and detail than the other: the least of the
    /// logarithms of the three ratios.
    pub(super) fn richer(&self, side: usize) -> f64 {
        let lead = |both: Both| libm::log(both[side] / both[1 - side]);
        lead(self.spread).min(lead(self.contrast[2])).min(lead(self.contrast[0]))
    }
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
            let way = (own(place) - from).normalize_or_zero();
            way.dot((color - from).normalize_or_zero()) > STRAIGHT
        };
        Self {
            near: mean(core.iter().map(|place| is(own(place).distance(color) < NEARLY))),
            all: share(places, |place| own(&place).distance(color) < NEARLY),
            leads: mean(changed.iter().map(|place| is(is_led(place)))),
            hidden: spread(changed.iter().map(|place| other(place)))
                / spread(places.iter().map(other)).max(1.0),
            chroma: libm::hypot(color.y, color.z),
        }
    }
}

fn seams(places: &[Place], side: usize) -> f64 {
    let samples: Vec<(f32, bool)> = places
        .iter()
        .flat_map(|place| {
            let [own, than] = [side, 1 - side].map(|side| place.contrasts(side, STRIDE));
            let jumps = own.into_iter().zip(than).map(|(own, than)| own > JUMP && than < JUMP);
            place.strides[side].into_iter().zip(jumps)
        })
        .filter(|(stride, _)| *stride > 0.0)
        .collect();
    let mut strides: Vec<f32> = samples.iter().map(|(stride, _)| *stride).collect();
    strides.sort_by(f32::total_cmp);
    let Some(usual) = strides.get(strides.len() / 2) else { return 0.0 };
    let (borders, inside): (Vec<_>, Vec<_>) =
        samples.iter().partition(|(stride, _)| *stride > BORDER * usual);
    let share = |of: &[(f32, bool)]| mean(of.iter().map(|(_, jump)| f64::from(u8::from(*jump))));
    if borders.len() < BORDERS_MIN { 0.0 } else { share(&borders) - share(&inside) }
}

fn frequent(places: &[Place], side: usize) -> f64 {
    let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    for place in places {
        *counts.entry(place.stored[side]).or_default() += 1;
    }
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_by(|a, b| b.cmp(a));
    counts.iter().take(FREQUENT).sum::<usize>() as f64 / places.len() as f64
}

/// Mean squared difference of the change at places so far apart, of a hundred with all others.
fn far_apart(places: &[Place], diagonal: f32) -> f64 {
    const FROM: usize = 96;
    let from: Vec<&Place> = places.iter().step_by((places.len() / FROM).max(1)).collect();
    let sums: Vec<[f64; 2]> = from
        .into_par_iter()
        .map(|a| {
            let is_far = |b: &&Place| FAR.contains(&(a.at.distance(b.at) / diagonal));
            let squares = places.iter().filter(is_far);
            let squares = squares.map(|b| (a.change() - b.change()).length_squared());
            squares.fold([0.0; 2], |[sum, count], v| [sum + v, count + 1.0])
        })
        .collect();
    let [sum, count] = sums.iter().fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
    sum / count.max(1.0)
}

/// Pearson's, over all components; 0 where one is constant.
pub(super) fn correlation(pairs: impl Iterator<Item = (DVec3, DVec3)> + Clone) -> f64 {
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

/// Share of the variance of `changes` that a linear regression on `colors` explains.
fn explained(colors: &[DVec3], changes: &[DVec3]) -> f64 {
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

    /// Stripes whose borders take so much of them.
    fn stripes(at: Vec3, soft: f32) -> Vec3 {
        let wave = libm::sinf(38.0 * at.x + 12.0 * at.y);
        let part = (0.5 + 0.5 * wave / soft).clamp(0.0, 1.0);
        Vec3::new(0.2, 0.3, 0.4).lerp(Vec3::new(0.8, 0.7, 0.5), part)
    }

    fn print(at: Vec3) -> Vec3 {
        0.2 + 0.6 * Vec3::new(chance(at, 20.0), chance(at, 21.0), chance(at, 22.0))
    }

    fn tints(paint: impl Fn(Vec3) -> [Vec3; 2]) -> Tints {
        tints_of(&sheet(paint))
    }

    fn tints_of(places: &[Place]) -> Tints {
        Tints::of(places, 1.4).unwrap()
    }

    #[test]
    fn a_blurred_side_has_traces_of_the_edges_that_the_other_makes() {
        let t = tints(|at| [stripes(at, 0.05), stripes(at, 1.2)]);
        assert!(t.richer(0) > 0.1 && t.richer(1) < 0.0, "{t:?}");
        assert!(t.contrast[0][0] > 1.3 * t.contrast[0][1]);
        assert!(t.softened(1) > 0.5 && t.softened(0) == 0.0 && t.can_be_lost(1), "{t:?}");
    }

    #[test]
    fn grain_is_unrelated_to_the_colours_and_as_strong_where_they_are_plain() {
        let grain = |at: Vec3| Vec3::splat(0.3 * (chance(at, 400.0) - 0.5));
        let t = tints(|at| [stripes(at, 0.3), stripes(at, 0.3) + grain(at)]);
        assert!(t.grained(1) > 0.5 && t.grained(0) == 0.0 && t.can_be_grain(1), "{t:?}");
        assert!(t.softened(0) < 0.1 && !t.can_be_lost(0), "{t:?}");
        // Contrast and detail, and no more spread of colours.
        assert!(t.richer(1) < 0.2, "{}", t.richer(1));
    }

    #[test]
    fn a_layer_is_explained_by_the_colours_that_it_is_part_of() {
        let exposed = |at: Vec3| print(at) * if at.x < 0.5 { 0.6 } else { 1.4 };
        let t = tints(|at| [print(at), exposed(at)]);
        assert!(t.explained[0] < 0.3 && t.explained[1] > 0.5, "{:?}", t.explained);
        // Darkening is a function of the colours themselves.
        let t = tints(|at| [print(at), print(at) * 0.6]);
        assert!(t.explained[0] > 0.9 && t.explained[1] > 0.9, "{:?}", t.explained);
        assert_eq!(Tints::of(&sheet(|at| [print(at); 2]), 1.4), None);
        let t = tints(|at| [Vec3::splat(0.5), print(at)]);
        assert!(t.explained[0] < 0.01, "one colour explains nothing: {:?}", t.explained);
    }

    #[test]
    fn a_cover_is_one_grey_that_hides_the_other_colours() {
        let t = tints(|at| [print(at), if at.x < 0.1 { Vec3::ONE } else { print(at) }]);
        let (cover, other) = (t.cover[1], t.cover[0]);
        assert!(cover.near > 0.95 && cover.leads > 0.95 && cover.chroma < 1.0, "{cover:?}");
        assert!(cover.hidden > 0.7 && other.near < 0.3, "{cover:?} {other:?}");
        assert!((0.08..0.12).contains(&t.changed), "{}", t.changed);
    }

    #[test]
    fn swapping_the_sides_mirrors_the_numbers() {
        let places = sheet(|at| [stripes(at, 0.2), print(at)]);
        let (t, s) = (tints_of(&places), tints_of(&swapped(&places)));
        let near = |a: Both, b: Both| (a[0] - b[1]).abs() + (a[1] - b[0]).abs() < 1e-9;
        assert!(near(t.spread, s.spread) && near(t.explained, s.explained));
        assert!((0..3).all(|k| near(t.contrast[k], s.contrast[k]) && near(t.makes[k], s.makes[k])));
        assert!(near(t.flat, s.flat) && near(t.on_plain, s.on_plain));
    }
}
