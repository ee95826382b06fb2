//! The best overlap of an object's outline with a mask, over a sphere of views and turns in the picture.

use super::look::{PARALLEL, rig, settings, view};
use crate::render::{self, Channel, Image};
use crate::rig::{Projection, View};
use crate::scene::Scene;
use rayon::prelude::*;

/// Directions of the coarse search: about 13° apart (a sphere of 41253 square degrees / 240).
const DIRECTIONS: usize = 240;

/// Turns in the picture of the coarse search, 15° apart.
const ROLLS: usize = 24;

/// Edge of the outlines that are drawn and compared.
const SIDE_PX: usize = 64;

/// The best of the coarse search that are looked at closely.
const FINALISTS: usize = 6;

/// Rings around a finalist, in degrees, and directions on each.
const CLOSE_RINGS: [f64; 2] = [4.0, 8.5];
const CLOSE_DIRECTIONS: usize = 6;

/// Half the range of turns around a finalist's, and their step, in degrees.
const CLOSE_ROLL: f64 = 10.0;
const CLOSE_ROLL_STEP: f64 = 2.5;

/// A pinhole as photos of things have it: four radii away, the whole bounding sphere in the picture (2 · asin(1.02 / 4) = 29.6°).
const PINHOLE: Projection = Projection::Perspective {
    fov_y_degrees: 29.6,
    distance: 4.0,
};

/// An outline that is compared: centred on its middle, scaled so that its area is `TARGET_AREA` of the square.
#[derive(Clone)]
pub(super) struct Outline {
    inside: Vec<bool>,
    /// `inside` grown by a pixel.
    grown: Vec<bool>,
}

/// A disc of this area has a diameter of half the square, which leaves room for objects four times as long as wide.
const TARGET_AREA: f64 = 0.196;

/// Where the best overlap was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Match {
    /// Intersection over union within a tolerance, 0 to 1; see [`overlap`].
    pub overlap: f64,
    /// View of the object.
    pub azimuth_degrees: f64,
    /// View of the object.
    pub elevation_degrees: f64,
    /// Turn in the picture.
    pub roll_degrees: f64,
}

/// Searches coarse to fine. `None` where nothing of the object is ever visible, or the mask is empty.
///
/// # Errors
/// What the renderer says, in words.
pub(super) fn best_match(scene: &Scene, mask: &Image) -> Result<Option<Match>, String> {
    let values: Vec<bool> = mask.pixels.iter().map(|&value| value >= 128).collect();
    let Some(target) = outline(&values, mask.width_px as usize, 0.0) else {
        return Ok(None);
    };
    let rolls: Vec<f64> = (0..ROLLS)
        .map(|roll| roll as f64 * 360.0 / ROLLS as f64)
        .collect();
    let mut coarse = best_of_each(scene, &sphere(DIRECTIONS), PARALLEL, &target, |_| {
        rolls.clone()
    })?;
    coarse.sort_by(|a, b| b.overlap.total_cmp(&a.overlap));
    coarse.truncate(FINALISTS);
    let mut close = Vec::new();
    let mut roll_of = Vec::new();
    for found in &coarse {
        for around in neighbours(found) {
            close.push(around);
            roll_of.push(found.roll_degrees);
        }
    }
    let steps = (2.0 * CLOSE_ROLL / CLOSE_ROLL_STEP) as usize;
    let near = |view: usize| {
        (0..=steps)
            .map(|k| roll_of[view] - CLOSE_ROLL + k as f64 * CLOSE_ROLL_STEP)
            .collect()
    };
    let mut fine = Vec::new();
    if !close.is_empty() {
        for projection in [PARALLEL, PINHOLE] {
            fine.extend(best_of_each(scene, &close, projection, &target, near)?);
        }
    }
    Ok(coarse.into_iter().chain(fine).reduce(|best, found| {
        if found.overlap > best.overlap {
            found
        } else {
            best
        }
    }))
}

/// The best turn of each view that shows anything.
fn best_of_each(
    scene: &Scene,
    views: &[View],
    projection: Projection,
    target: &Outline,
    rolls: impl Fn(usize) -> Vec<f64> + Sync,
) -> Result<Vec<Match>, String> {
    let tile_px = SIDE_PX as u32 * 2;
    let frames = render::draw(
        scene,
        &rig(views.to_vec(), tile_px, projection),
        &settings(tile_px, &[Channel::Mask]),
    )
    .map_err(|e| e.to_string())?;
    let best = frames.par_iter().enumerate().map(|(idx, frame)| {
        let inside: Vec<bool> = frame.images[&Channel::Mask]
            .pixels
            .iter()
            .map(|&value| value >= 128)
            .collect();
        let matches = rolls(idx).into_iter().filter_map(|roll_degrees| {
            Some(Match {
                overlap: overlap(&outline(&inside, tile_px as usize, roll_degrees)?, target),
                azimuth_degrees: views[idx].azimuth_degrees,
                elevation_degrees: views[idx].elevation_degrees,
                roll_degrees,
            })
        });
        matches.reduce(|best, found| {
            if found.overlap > best.overlap {
                found
            } else {
                best
            }
        })
    });
    Ok(best.collect::<Vec<_>>().into_iter().flatten().collect())
}

/// Turns, centres and scales a picture's object; `None` where there is none.
///
/// Centre and scale come from the area, which turning does not change. The object in the photo keeps its proportions.
pub(super) fn outline(inside: &[bool], width: usize, roll_degrees: f64) -> Option<Outline> {
    let mut sums = [0.0_f64; 3];
    for at in (0..inside.len()).filter(|&at| inside[at]) {
        let (x, y) = ((at % width) as f64 + 0.5, (at / width) as f64 + 0.5);
        sums.iter_mut()
            .zip([1.0, x, y])
            .for_each(|(sum, term)| *sum += term);
    }
    let [area, x, y] = sums;
    if area == 0.0 {
        return None;
    }
    let (center_x, center_y, height) = (x / area, y / area, inside.len() / width);
    let scale = (area / TARGET_AREA).sqrt() / SIDE_PX as f64;
    let turn = roll_degrees.to_radians();
    let (sin, cos) = (libm::sin(turn) * scale, libm::cos(turn) * scale);
    let half = SIDE_PX as f64 / 2.0;
    let sample = |at: usize| {
        let (u, v) = (
            (at % SIDE_PX) as f64 + 0.5 - half,
            (at / SIDE_PX) as f64 + 0.5 - half,
        );
        let (x, y) = (center_x + cos * u - sin * v, center_y + sin * u + cos * v);
        let is_in = x >= 0.0 && y >= 0.0 && x < width as f64 && y < height as f64;
        is_in && inside[y as usize * width + x as usize]
    };
    let inside: Vec<bool> = (0..SIDE_PX * SIDE_PX).map(sample).collect();
    let grown = grown(&inside);
    Some(Outline { inside, grown })
}

/// Every pixel with its four neighbours.
fn grown(inside: &[bool]) -> Vec<bool> {
    let mut out = inside.to_vec();
    for at in (0..inside.len()).filter(|&at| inside[at]) {
        for next in [
            at.wrapping_sub(1),
            at + 1,
            at.wrapping_sub(SIDE_PX),
            at + SIDE_PX,
        ] {
            if let Some(pixel) = out.get_mut(next) {
                *pixel = true;
            }
        }
    }
    out
}

/// Intersection over union in which a pixel of one also meets the other's neighbour: thin legs and spokes that lie one pixel of
/// 64 off would count twice as wrong otherwise.
///
/// With F = (|A ∩ B⁺| + |B ∩ A⁺|) / (|A| + |B|), where ⁺ grows by a pixel, it is F / (2 − F): without growing exactly |A ∩ B| / |A ∪ B|.
pub(super) fn overlap(a: &Outline, b: &Outline) -> f64 {
    let (mut met, mut all) = (0_u32, 0_u32);
    for at in 0..a.inside.len() {
        met += u32::from(a.inside[at] & b.grown[at]) + u32::from(b.inside[at] & a.grown[at]);
        all += u32::from(a.inside[at]) + u32::from(b.inside[at]);
    }
    if all == 0 {
        return 0.0;
    }
    let f = f64::from(met) / f64::from(all);
    f / (2.0 - f)
}

/// Evenly spread directions: a Fibonacci lattice (Swinbank & Purser 2006).
fn sphere(count: usize) -> Vec<View> {
    /// 360° · (1 − 1/φ).
    const GOLDEN_ANGLE_DEGREES: f64 = 137.507_764_050_037_85;
    let elevation = |k: usize| libm::asin(1.0 - (2 * k + 1) as f64 / count as f64).to_degrees();
    (0..count)
        .map(|k| view(k as f64 * GOLDEN_ANGLE_DEGREES % 360.0, elevation(k)))
        .collect()
}

/// Directions close to a match; near the poles the azimuth runs faster.
fn neighbours(found: &Match) -> Vec<View> {
    let mut views = Vec::new();
    for ring in CLOSE_RINGS {
        for k in 0..CLOSE_DIRECTIONS {
            let angle = std::f64::consts::TAU * k as f64 / CLOSE_DIRECTIONS as f64;
            let shrink = libm::cos(found.elevation_degrees.to_radians()).max(0.1);
            let azimuth = found.azimuth_degrees + ring * libm::cos(angle) / shrink;
            views.push(view(
                azimuth,
                (found.elevation_degrees + ring * libm::sin(angle)).clamp(-90.0, 90.0),
            ));
        }
    }
    views
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rectangle of 40 × 16, shifted.
    fn bar(x: usize, y: usize, w: usize, h: usize) -> Vec<bool> {
        (0..10_000)
            .map(|i| (x..x + w).contains(&(i % 100)) && (y..y + h).contains(&(i / 100)))
            .collect()
    }

    #[test]
    fn place_size_and_turn_do_not_matter_but_proportions_do() {
        let target = outline(&bar(10, 20, 40, 16), 100, 0.0).unwrap();
        let same = |inside: &[bool], roll| overlap(&outline(inside, 100, roll).unwrap(), &target);
        assert!(same(&bar(50, 70, 40, 16), 0.0) > 0.99);
        assert!(same(&bar(5, 5, 80, 32), 0.0) > 0.95);
        assert!(same(&bar(20, 20, 16, 40), 90.0) > 0.93);
        assert!(same(&bar(20, 20, 16, 40), 0.0) < 0.6);
        assert!(same(&bar(20, 20, 30, 30), 0.0) < 0.75);
        assert!(outline(&[false; 100], 10, 0.0).is_none());
    }

    #[test]
    fn directions_are_spread_evenly() {
        let views = sphere(DIRECTIONS);
        let up = views.iter().filter(|v| v.elevation_degrees > 30.0).count();
        // A quarter of the sphere lies above 30°.
        assert!(up.abs_diff(DIRECTIONS / 4) <= 1, "{up}");
        let right = views.iter().filter(|v| v.azimuth_degrees < 180.0).count();
        assert!(right.abs_diff(DIRECTIONS / 2) <= 3, "{right}");
    }
}
