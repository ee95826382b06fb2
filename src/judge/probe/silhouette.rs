//! The best overlap of an object's outline with a mask, over a sphere of views and turns in the picture.

use super::look::{PARALLEL, rig, settings, view};
use crate::measure::{OUTLINE_PX, Outline, Silhouette};
use crate::render::{self, Channel, Image};
use crate::rig::{Projection, View};
use crate::scene::Scene;
use rayon::prelude::*;

/// Directions of the coarse search: about 13° apart (a sphere of 41253 square degrees / 240).
const DIRECTIONS: usize = 240;

/// Turns in the picture of the coarse search, 15° apart.
const ROLLS: usize = 24;

/// Edge of the masks that are drawn, in pixels.
const MASK_PX: u32 = 2 * OUTLINE_PX as u32;

/// The best of the coarse search that are looked at closely.
const FINALISTS: usize = 6;

/// Rings around a finalist, in degrees, and directions on each.
const CLOSE_RINGS: [f64; 2] = [4.0, 8.5];
const CLOSE_DIRECTIONS: usize = 6;

/// Half the range of turns around a finalist's, and their step, in degrees.
const CLOSE_ROLL: f64 = 10.0;
const CLOSE_ROLL_STEP: f64 = 2.5;

/// A pinhole as photos of things have it: four radii away, the whole bounding sphere in the picture (2 · asin(1.02 / 4) = 29.6°).
const PINHOLE: Projection = Projection::Perspective { fov_y_degrees: 29.6, distance: 4.0 };

/// Where the best overlap was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Match {
    /// Intersection over union within a tolerance, 0 to 1; see [`Outline::overlap`].
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
    let inside = inside(mask);
    let Some(target) = Silhouette::new(&inside, mask.width_px as usize) else {
        return Ok(None);
    };
    let target = target.outline(0.0);
    let rolls: Vec<f64> = (0..ROLLS).map(|roll| roll as f64 * 360.0 / ROLLS as f64).collect();
    let mut coarse =
        best_of_each(scene, &sphere(DIRECTIONS), PARALLEL, &target, |_| rolls.clone())?;
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
        (0..=steps).map(|k| roll_of[view] - CLOSE_ROLL + k as f64 * CLOSE_ROLL_STEP).collect()
    };
    let mut fine = Vec::new();
    if !close.is_empty() {
        for projection in [PARALLEL, PINHOLE] {
            fine.extend(best_of_each(scene, &close, projection, &target, near)?);
        }
    }
    Ok(coarse
        .into_iter()
        .chain(fine)
        .reduce(|best, found| if found.overlap > best.overlap { found } else { best }))
}

/// The best turn of each view that shows anything.
fn best_of_each(
    scene: &Scene,
    views: &[View],
    projection: Projection,
    target: &Outline,
    rolls: impl Fn(usize) -> Vec<f64> + Sync,
) -> Result<Vec<Match>, String> {
    let frames = render::draw(
        scene,
        &rig(views.to_vec(), MASK_PX, projection),
        &settings(MASK_PX, &[Channel::Mask]),
    )
    .map_err(|e| e.to_string())?;
    let best = frames.par_iter().enumerate().map(|(idx, frame)| {
        let inside = inside(&frame.images[&Channel::Mask]);
        let silhouette = Silhouette::new(&inside, MASK_PX as usize)?;
        let matches = rolls(idx).into_iter().map(|roll_degrees| Match {
            overlap: silhouette.outline(roll_degrees).overlap(target),
            azimuth_degrees: views[idx].azimuth_degrees,
            elevation_degrees: views[idx].elevation_degrees,
            roll_degrees,
        });
        matches.reduce(|best, found| if found.overlap > best.overlap { found } else { best })
    });
    Ok(best.collect::<Vec<_>>().into_iter().flatten().collect())
}

fn inside(mask: &Image) -> Vec<bool> {
    mask.pixels.iter().map(|&value| value >= 128).collect()
}

/// Evenly spread directions: a Fibonacci lattice (Swinbank & Purser 2006).
fn sphere(count: usize) -> Vec<View> {
    /// 360° · (1 − 1/φ).
    const GOLDEN_ANGLE_DEGREES: f64 = 137.507_764_050_037_85;
    let elevation = |k: usize| libm::asin(1.0 - (2 * k + 1) as f64 / count as f64).to_degrees();
    (0..count).map(|k| view(k as f64 * GOLDEN_ANGLE_DEGREES % 360.0, elevation(k))).collect()
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

    #[test]
    fn directions_are_spread_evenly() {
        let views = sphere(DIRECTIONS);
        let up = views.iter().filter(|v| v.elevation_degrees > 30.0).count();
        // A quarter of the sphere is above 30°.
        assert!(up.abs_diff(DIRECTIONS / 4) <= 1, "{up}");
        let right = views.iter().filter(|v| v.azimuth_degrees < 180.0).count();
        assert!(right.abs_diff(DIRECTIONS / 2) <= 3, "{right}");
    }
}
