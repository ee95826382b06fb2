//! How well renders fit a photo's masked object: outline, colours and edges, over upright views.
//!
//! Both are cropped to the object and scaled to one size. An object that fits from no upright view
//! is also laid on its front and its back, as files with another axis up are. Sharpness and the
//! unseen side are not looked at.

use super::color::{Lab, lab};
use super::look::{rig, settings, view};
use crate::render::{self, Channel, Image};
use crate::rig::Projection;
use crate::scene::{AssetRef, Scene};
use glam::Quat;
use rayon::prelude::*;

/// Edge of the pictures that are compared, and of the object in them, in pixels.
const EDGE: usize = 64;
const LONGER_SIDE: f64 = 56.0;

/// Edge of a cell of colour and of a cell of edges, in pixels.
const COLOR_CELL: usize = 4;
const EDGE_CELL: usize = 8;

/// Directions of edges, over half a turn.
const WAYS: usize = 8;

/// Edge of the renders, in pixels.
const RENDER_PX: u32 = 160;

/// Views: every 10° around, from as high up as photos of things are taken.
const AZIMUTHS: usize = 36;
const ELEVATIONS_DEGREES: [f64; 4] = [0.0, 12.0, 25.0, 40.0];

/// An object that reaches this overlap is not laid down.
const UPRIGHT: f64 = 0.7;

/// A pinhole as photos of things have it: four radii away, the whole bounding sphere in the picture
/// (2 · asin(1.02 / 4) = 29.6°).
const PINHOLE: Projection = Projection::Perspective { fov_y_degrees: 29.6, distance: 4.0 };

/// How the object fits from the view that fits best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Of the two outlines: intersection over union, 0 to 1.
    pub overlap: f64,
    /// Correlation of CIELAB colours at shared places; none where one has a single colour.
    pub colors: Option<f64>,
    /// Cosine between the directions of edges inside the outlines, by cell; 0 to 1.
    pub edges: f64,
    pub azimuth_degrees: f64,
    pub elevation_degrees: f64,
    /// Whether it had to be laid on its front or back.
    pub is_laid: bool,
    /// Whether the object in the photo is so thin that a pixel decides the overlap.
    pub is_thin: bool,
}

impl Fit {
    fn sum(&self) -> f64 {
        self.overlap + 0.5 * self.colors.unwrap_or(0.0) + self.edges
    }
}

/// `None` where nothing of the object is ever visible, or the mask is empty.
///
/// # Errors
/// What the renderer says, in words.
pub fn best_fit(scene: &Scene, photo: &(Image, Image)) -> Result<Option<Fit>, String> {
    let Some(target) = Look::of(&photo.0, &photo.1) else {
        return Ok(None);
    };
    let upright = over_views(scene, &target)?;
    if upright.is_none_or(|fit| fit.overlap >= UPRIGHT) {
        return Ok(upright);
    }
    let mut best = upright;
    for sign in [-1.0, 1.0] {
        let quarter = Quat::from_rotation_x(sign * std::f32::consts::FRAC_PI_2);
        let laid = scene.rotated(quarter).map_err(|e| e.to_string())?;
        let fit = over_views(&laid, &target)?.filter(|fit| fit.overlap >= UPRIGHT);
        let fit = fit.map(|fit| Fit { is_laid: true, ..fit });
        best = better(best, fit);
    }
    Ok(best)
}

fn better(a: Option<Fit>, b: Option<Fit>) -> Option<Fit> {
    match (a, b) {
        (Some(a), Some(b)) if b.sum() > a.sum() => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}

fn over_views(scene: &Scene, target: &Look) -> Result<Option<Fit>, String> {
    Ok(by_azimuth(scene.into(), target)?.into_iter().fold(None, better))
}

/// How well an upright asset fits the masked object of a photo from each azimuth, 10° apart, at the
/// best elevation: 0 to 2.5. `None` where the mask is empty.
///
/// # Errors
/// What the renderer says, in words.
pub fn azimuth_scores<'a>(
    asset: impl Into<AssetRef<'a>>,
    photo: &(Image, Image),
) -> Result<Option<[f64; AZIMUTHS]>, String> {
    let Some(target) = Look::of(&photo.0, &photo.1) else {
        return Ok(None);
    };
    let fits = by_azimuth(asset.into(), &target)?;
    Ok(Some(fits.map(|fit| fit.map_or(0.0, |fit| fit.sum()))))
}

/// The best fit from each azimuth; none from where nothing is visible.
fn by_azimuth(asset: AssetRef<'_>, target: &Look) -> Result<[Option<Fit>; AZIMUTHS], String> {
    let directions: Vec<(f64, f64)> = (0..AZIMUTHS)
        .map(|k| k as f64 * 360.0 / AZIMUTHS as f64)
        .flat_map(|azimuth| ELEVATIONS_DEGREES.map(|elevation| (azimuth, elevation)))
        .collect();
    let views = directions.iter().map(|&(a, e)| view(a, e)).collect();
    let rig = rig(views, RENDER_PX, PINHOLE);
    let settings = settings(RENDER_PX, &[Channel::Rgb, Channel::Mask]);
    let frames = render::draw(asset, &rig, &settings).map_err(|e| e.to_string())?;
    let fits: Vec<Option<Fit>> = frames
        .par_iter()
        .zip(&directions)
        .map(|(frame, &(azimuth_degrees, elevation_degrees))| {
            let look = Look::of(&frame.images[&Channel::Rgb], &frame.images[&Channel::Mask])?;
            Some(Fit {
                overlap: look.overlap(target),
                colors: look.colors(target),
                edges: look.edges(target),
                azimuth_degrees,
                elevation_degrees,
                is_laid: false,
                is_thin: target.is_thin(),
            })
        })
        .collect();
    let mut elevations = fits.chunks(ELEVATIONS_DEGREES.len());
    Ok(std::array::from_fn(|_| elevations.next()?.iter().copied().fold(None, better)))
}

/// A masked object, cropped and scaled.
struct Look {
    inside: Vec<bool>,
    /// By cell, less the mean of all; none outside.
    colors: Vec<Option<Lab>>,
    /// By cell and direction, of length 1 altogether.
    edges: Vec<f64>,
}

impl Look {
    fn of(rgb: &Image, mask: &Image) -> Option<Self> {
        let rgb = rgb.to_rgb8();
        let width = mask.width_px as usize;
        let is_in = |x: usize, y: usize| mask.pixels[y * width + x] >= 128;
        let (mut low, mut high) = ([usize::MAX; 2], [0; 2]);
        for at in (0..mask.pixels.len()).filter(|&at| mask.pixels[at] >= 128) {
            let place = [at % width, at / width];
            low = [0, 1].map(|axis| low[axis].min(place[axis]));
            high = [0, 1].map(|axis| high[axis].max(place[axis] + 1));
        }
        if low[0] >= high[0] {
            return None;
        }
        let size = [0, 1].map(|axis| (high[axis] - low[axis]) as f64);
        // Pixels of the picture for one of the comparison; the object's middle is in the middle.
        let scale = size[0].max(size[1]) / LONGER_SIDE;
        let from = |axis: usize, at: usize| {
            let middle = low[axis] as f64 + 0.5 * size[axis];
            middle + (at as f64 - 0.5 * EDGE as f64) * scale
        };
        let span = |axis: usize, at: usize| {
            let (start, end) = (from(axis, at), from(axis, at + 1));
            let last = [width, mask.height_px as usize][axis] as f64;
            let start = start.floor().clamp(0.0, last) as usize;
            start..(end.ceil().clamp(0.0, last) as usize).max(start)
        };
        let pixels: Vec<Option<Lab>> = (0..EDGE * EDGE)
            .map(|at| {
                let (mut sum, mut hits, mut all) = ([0_u64; 3], 0_u64, 0_u64);
                for y in span(1, at / EDGE) {
                    for x in span(0, at % EDGE) {
                        all += 1;
                        if is_in(x, y) {
                            hits += 1;
                            let first = 3 * (y * width + x);
                            let texel = &rgb.pixels[first..first + 3];
                            (0..3).for_each(|c| sum[c] += u64::from(texel[c]));
                        }
                    }
                }
                (2 * hits >= all && hits > 0).then(|| lab(sum.map(|s| (s / hits) as u8)))
            })
            .collect();
        Some(Self {
            inside: pixels.iter().map(Option::is_some).collect(),
            colors: cells(&pixels),
            edges: edges(&pixels),
        })
    }

    /// Whether most of its pixels are at its outline.
    fn is_thin(&self) -> bool {
        let is_rim = |at: usize| {
            let next = [at.wrapping_sub(1), at + 1, at.wrapping_sub(EDGE), at + EDGE];
            next.iter().any(|&at| self.inside.get(at) != Some(&true))
        };
        let inside = (0..EDGE * EDGE).filter(|&at| self.inside[at]);
        let (rim, all) =
            inside.fold((0, 0), |(rim, all), at| (rim + u32::from(is_rim(at)), all + 1));
        2 * rim > all
    }

    fn overlap(&self, other: &Self) -> f64 {
        let both = self.inside.iter().zip(&other.inside);
        let (met, all) = both.fold((0_u32, 0_u32), |(met, all), (a, b)| {
            (met + u32::from(a & b), all + u32::from(a | b))
        });
        f64::from(met) / f64::from(all.max(1))
    }

    fn colors(&self, other: &Self) -> Option<f64> {
        /// Below this RMS distance from the mean, an object has one colour: twice just noticeable.
        const ONE_COLOR: f64 = 5.0;
        let both: Vec<(Lab, Lab)> = self
            .colors
            .iter()
            .zip(&other.colors)
            .filter_map(|(a, b)| Some(((*a)?, (*b)?)))
            .collect();
        let sum = |of: &dyn Fn(&(Lab, Lab)) -> f64| both.iter().fold(0.0, |sum, p| sum + of(p));
        let dot = |a: &Lab, b: &Lab| (0..3).fold(0.0, |sum, c| sum + a[c] * b[c]);
        let squares = [sum(&|(a, _)| dot(a, a)), sum(&|(_, b)| dot(b, b))];
        let least = ONE_COLOR * ONE_COLOR * both.len().max(1) as f64;
        let has_colors = squares.iter().all(|s| *s > least);
        has_colors.then(|| sum(&|(a, b)| dot(a, b)) / (squares[0] * squares[1]).sqrt())
    }

    fn edges(&self, other: &Self) -> f64 {
        let both = self.edges.iter().zip(&other.edges);
        both.fold(0.0, |sum, (a, b)| sum + a * b)
    }
}

/// Mean colours of cells of which a quarter is inside, less their mean.
fn cells(pixels: &[Option<Lab>]) -> Vec<Option<Lab>> {
    let per_row = EDGE / COLOR_CELL;
    let mean = |colors: &[Lab]| -> Lab {
        std::array::from_fn(|c| {
            colors.iter().fold(0.0, |sum, color| sum + color[c]) / colors.len().max(1) as f64
        })
    };
    let found: Vec<Option<Lab>> = (0..per_row * per_row)
        .map(|cell| {
            let (x, y) = (cell % per_row * COLOR_CELL, cell / per_row * COLOR_CELL);
            let places = (0..COLOR_CELL * COLOR_CELL)
                .map(|k| (y + k / COLOR_CELL) * EDGE + x + k % COLOR_CELL);
            let colors: Vec<Lab> = places.filter_map(|at| pixels[at]).collect();
            (4 * colors.len() >= COLOR_CELL * COLOR_CELL).then(|| mean(&colors))
        })
        .collect();
    let all = mean(&found.iter().flatten().copied().collect::<Vec<_>>());
    let less = |color: Lab| std::array::from_fn(|c| color[c] - all[c]);
    found.into_iter().map(|cell| cell.map(less)).collect()
}

/// Histograms of oriented gradients of lightness (Dalal & Triggs 2005) between pixels that are
/// inside. Differs: one normalisation for all.
fn edges(pixels: &[Option<Lab>]) -> Vec<f64> {
    let per_row = EDGE / EDGE_CELL;
    let mut found = vec![0.0; per_row * per_row * WAYS];
    for at in 0..EDGE * EDGE {
        let (x, y) = (at % EDGE, at / EDGE);
        if !(1..EDGE - 1).contains(&x) || !(1..EDGE - 1).contains(&y) {
            continue;
        }
        let around = [at - 1, at + 1, at - EDGE, at + EDGE].map(|at| pixels[at]);
        let [Some(left), Some(right), Some(above), Some(below)] = around else {
            continue;
        };
        let (dx, dy) = (right[0] - left[0], below[0] - above[0]);
        let size = libm::hypot(dx, dy);
        let turn = libm::atan2(dy, dx).rem_euclid(std::f64::consts::PI) / std::f64::consts::PI;
        let way = ((turn * WAYS as f64) as usize).min(WAYS - 1);
        found[((y / EDGE_CELL) * per_row + x / EDGE_CELL) * WAYS + way] += size;
    }
    // The root keeps one strong edge from deciding alone.
    found.iter_mut().for_each(|value| *value = value.sqrt());
    let length = found.iter().fold(0.0, |sum, v| sum + v * v).sqrt();
    found.iter_mut().for_each(|value| *value /= length.max(1e-9));
    found
}
