//! Places where two surfaces coincide, with the colours of both there and around: elsewhere, a part
//! that moved shows what belongs to another place.

use super::color::lab;
use super::overlay::{Overlay, SAME, STEPS, WAYS};
use glam::{DVec3, Vec3};

/// Fewer places say nothing.
const PLACES_MIN: usize = 400;

pub(super) struct Place {
    /// In the frame of the first object.
    pub at: Vec3,
    /// CIELAB, of each side.
    pub colors: [DVec3; 2],
    /// The same a step away, by step, way and side.
    around: [[[DVec3; 2]; 2]; STEPS.len()],
    /// How far texture coordinates are apart at [`super::overlay::STRIDE`], by side and way.
    pub strides: [[f32; WAYS]; 2],
    /// Of the nearest texel or corner, without a mixture of neighbours; sRGB.
    pub stored: [[u8; 3]; 2],
}

/// None where too little coincides.
pub(super) fn places(overlay: &Overlay) -> Option<Vec<Place>> {
    let all: Vec<Place> = overlay
        .points
        .iter()
        .flatten()
        .filter(|point| point.distance < SAME)
        .filter_map(|point| {
            let [a, b] = point.at;
            let here = [a.color?, b.color?];
            let colors = here.map(cielab);
            // Most of a plain surface is not converted twice.
            let near = |color: Vec3, side: usize| {
                if color == here[side] { colors[side] } else { cielab(color) }
            };
            let mut around = [[[DVec3::ZERO; 2]; 2]; STEPS.len()];
            for (step, ways) in around.iter_mut().enumerate() {
                for (way, both) in ways.iter_mut().enumerate() {
                    *both = [near(a.around[step][way]?, 0), near(b.around[step][way]?, 1)];
                }
            }
            let hits = [point.hits[0]?, point.hits[1]?];
            let [first, second] = [0, 1].map(|side| overlay.paints[side].stored(&hits[side]));
            let strides = [a.strides, b.strides];
            Some(Place { at: hits[0].point, colors, around, strides, stored: [first?, second?] })
        })
        .collect();
    (all.len() >= PLACES_MIN).then_some(all)
}

impl Place {
    /// From the first side to the second.
    pub(super) fn change(&self) -> DVec3 {
        self.colors[1] - self.colors[0]
    }

    /// How far the change a step away, one way and the other, is from the change here, ΔE*ab.
    pub(super) fn turns(&self, step: usize) -> [f64; 2] {
        self.around[step].map(|[a, b]| (b - a - self.change()).length())
    }

    /// How far the colours of a side a step away are from the one here, ΔE*ab.
    pub(super) fn contrasts(&self, side: usize, step: usize) -> [f64; 2] {
        self.around[step].map(|both| both[side].distance(self.colors[side]))
    }

    /// Mean of [`Self::contrasts`].
    pub(super) fn contrast(&self, side: usize, step: usize) -> f64 {
        let [a, b] = self.contrasts(side, step);
        0.5 * (a + b)
    }

    /// A side's colour, less the mean of those a step away.
    pub(super) fn peak(&self, side: usize, step: usize) -> DVec3 {
        let [a, b] = self.around[step];
        self.colors[side] - 0.5 * (a[side] + b[side])
    }
}

/// CIELAB of a colour from 0 to 1.
pub(super) fn cielab(color: Vec3) -> DVec3 {
    DVec3::from_array(lab(color.to_array().map(|c| (c * 255.0 + 0.5) as u8)))
}

/// The mean of numbers, 0 of none.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0_f64), |(sum, count), v| (sum + v, count + 1.0));
    sum / count.max(1.0)
}

pub(super) fn middle(values: impl Iterator<Item = DVec3>) -> DVec3 {
    let add = |(sum, count): (DVec3, f64), v| (sum + v, count + 1.0);
    let (sum, count) = values.fold((DVec3::ZERO, 0.0), add);
    sum / count.max(1.0)
}

/// Root mean square distance from the middle.
pub(super) fn spread(values: impl Iterator<Item = DVec3> + Clone) -> f64 {
    let middle = middle(values.clone());
    mean(values.map(|v| v.distance_squared(middle))).sqrt()
}

/// The share of places for which something holds.
pub(super) fn share(places: &[Place], is: impl Fn(&Place) -> bool) -> f64 {
    mean(places.iter().map(|place| f64::from(u8::from(is(place)))))
}

/// A 1 by 1 sheet painted by a function of the place: colours of both versions, from 0 to 1.
#[cfg(test)]
pub(super) fn sheet(paint: impl Fn(Vec3) -> [Vec3; 2]) -> Vec<Place> {
    const EDGE: usize = 48;
    let at = |index: usize| {
        // Not on a lattice, so that no pattern is in step with the places.
        let shift = |k: u32| ((index as u32).wrapping_mul(k) >> 16) as f32 / 65_536.0;
        let cell = Vec3::new((index % EDGE) as f32, (index / EDGE) as f32, 0.0);
        let place =
            (cell + Vec3::new(shift(2_654_435_761), shift(2_246_822_519), 0.0)) / EDGE as f32;
        let way = if index.is_multiple_of(2) { Vec3::X } else { Vec3::Y };
        let lab = |at: Vec3| paint(at).map(cielab);
        Place {
            at: place,
            colors: lab(place),
            around: STEPS.map(|step| [lab(place + way * step), lab(place - way * step)]),
            strides: [[0.0; WAYS]; 2],
            stored: paint(place).map(|c| c.to_array().map(|c| (c * 255.0 + 0.5) as u8)),
        }
    };
    (0..EDGE * EDGE).map(at).collect()
}

/// The same with the versions exchanged.
#[cfg(test)]
pub(super) fn swapped(places: &[Place]) -> Vec<Place> {
    let turned = |place: &Place| {
        let mut around = place.around;
        around.iter_mut().flatten().for_each(|both| both.reverse());
        let ([a, b], [c, d]) = (place.colors, place.stored);
        let [e, f] = place.strides;
        Place { at: place.at, colors: [b, a], around, strides: [f, e], stored: [d, c] }
    };
    places.iter().map(turned).collect()
}

/// 0 to 1 by chance, for the cell of so many in a row that a place is in.
#[cfg(test)]
pub(super) fn chance(at: Vec3, cells: f32) -> f32 {
    let [x, y] = [at.x, at.y].map(|v| (v * cells).floor() as i32 as u32);
    let mixed =
        (x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77)).wrapping_mul(0xC2B2_AE3D);
    ((mixed ^ (mixed >> 15)).wrapping_mul(0x27D4_EB2F) >> 8) as f32 / 16_777_216.0
}
