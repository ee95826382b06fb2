//! How well renders fit a photo's masked object: outline, colours and edges, over upright views.
//!
//! Both are cropped to the object and scaled to one size. An object that fits from no upright view
//! is also laid on its front and its back, as files with another axis up are. Sharpness and the
//! unseen side are not looked at.

use super::color::{Lab, lab};
use super::look::{rig, settings, view};
use crate::render::{self, Channel, Frame, Image};
use crate::rig::Projection;
use crate::scene::{AssetRef, Scene};
use glam::Quat;

/// Edge of the pictures that are compared, and of the object in them, in pixels.
const EDGE: usize = 64;
const LONGER_SIDE: f64 = 56.0;

/// Edge of a cell of colour and of a cell of edges, in pixels.
const COLOR_CELL: usize = 4;
const EDGE_CELL: usize = 8;

/// Directions of edges, over half a turn.
const WAYS: usize = 8;

/// From where an asset is drawn, and the edge of the renders.
struct Views {
    azimuths: usize,
    elevations_degrees: &'static [f64],
    px: u32,
}

/// Every 10° around, from as high up as photos of things are taken.
const FINE: Views =
    Views { azimuths: AZIMUTHS, elevations_degrees: &[0.0, 12.0, 25.0, 40.0], px: 160 };
const AZIMUTHS: usize = 36;

/// Enough to see which of two objects a photo shows.
const COARSE: Views = Views { azimuths: 18, elevations_degrees: &[8.0, 25.0], px: 96 };

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

/// The masked object of a photo, to be compared with many assets.
#[derive(Debug)]
pub struct PhotoObject(Look);

impl PhotoObject {
    /// `None` where the mask is empty.
    pub fn new((rgb, mask): &(Image, Image)) -> Option<Self> {
        Look::of(rgb, mask).map(Self)
    }
}

/// How well an upright asset fits each photo from the best of 36 coarse views: 0 to 2.5.
///
/// # Errors
/// What the renderer says, in words.
pub fn coarse_fits<'a>(
    asset: impl Into<AssetRef<'a>>,
    photos: &[PhotoObject],
) -> Result<Vec<f64>, String> {
    let views = looks(asset.into(), &COARSE)?;
    let best = |photo: &PhotoObject| {
        let fits = views.iter().filter_map(|(_, look)| Some(look.as_ref()?.likeness(&photo.0)));
        fits.fold(0.0, f64::max)
    };
    Ok(parallel::map(photos, best))
}

/// The best fit from each azimuth; none from where nothing is visible.
fn by_azimuth(asset: AssetRef<'_>, target: &Look) -> Result<[Option<Fit>; AZIMUTHS], String> {
    let views = looks(asset, &FINE)?;
    let fits = views.iter().map(|((azimuth_degrees, elevation_degrees), look)| {
        let look = look.as_ref()?;
        Some(Fit {
            overlap: look.overlap(target),
            colors: look.colors(target),
            edges: look.edges(target),
            azimuth_degrees: *azimuth_degrees,
            elevation_degrees: *elevation_degrees,
            is_laid: false,
            is_thin: target.is_thin(),
        })
    });
    let fits: Vec<Option<Fit>> = fits.collect();
    let mut elevations = fits.chunks(FINE.elevations_degrees.len());
    Ok(std::array::from_fn(|_| elevations.next()?.iter().copied().fold(None, better)))
}

/// An object from an azimuth and an elevation, in degrees; none where nothing is visible.
type View = ((f64, f64), Option<Look>);

/// From each direction.
fn looks(asset: AssetRef<'_>, views: &Views) -> Result<Vec<View>, String> {
    let directions: Vec<(f64, f64)> = (0..views.azimuths)
        .map(|k| k as f64 * 360.0 / views.azimuths as f64)
        .flat_map(|azimuth| views.elevations_degrees.iter().map(move |&it| (azimuth, it)))
        .collect();
    let rig = rig(directions.iter().map(|&(a, e)| view(a, e)).collect(), views.px, PINHOLE);
    let settings = settings(views.px, &[Channel::Rgb, Channel::Mask]);
    let frames = render::draw(asset, &rig, &settings).map_err(|e| e.to_string())?;
    let look =
        |frame: &Frame| Look::of(&frame.images[&Channel::Rgb], &frame.images[&Channel::Mask]);
    Ok(directions.into_iter().zip(parallel::map(&frames, look)).collect())
}

/// A masked object, cropped and scaled.
#[derive(Debug)]
struct Look {
    /// Rows, a bit for each pixel.
    inside: [u64; EDGE],
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
        let row = |row: usize| {
            let columns = (0..EDGE).filter(|x| pixels[row * EDGE + x].is_some());
            columns.fold(0, |bits, x| bits | 1 << x)
        };
        Some(Self {
            inside: std::array::from_fn(row),
            colors: cells(&pixels),
            edges: edges(&pixels),
        })
    }

    /// Whether most of its pixels are at its outline.
    fn is_thin(&self) -> bool {
        let row = |at: usize| self.inside.get(at).copied().unwrap_or(0);
        let inner = |at: usize| {
            let (above, here, below) = (row(at.wrapping_sub(1)), row(at), row(at + 1));
            (here & above & below & (here << 1) & (here >> 1)).count_ones()
        };
        let all: u32 = self.inside.iter().map(|row| row.count_ones()).sum();
        let inner: u32 = (0..EDGE).map(inner).sum();
        2 * (all - inner) > all
    }

    fn likeness(&self, other: &Self) -> f64 {
        self.overlap(other) + 0.5 * self.colors(other).unwrap_or(0.0) + self.edges(other)
    }

    fn overlap(&self, other: &Self) -> f64 {
        let both = self.inside.iter().zip(&other.inside);
        let (met, all) = both.fold((0, 0), |(met, all), (a, b)| {
            (met + (a & b).count_ones(), all + (a | b).count_ones())
        });
        f64::from(met) / f64::from(all.max(1))
    }

    fn colors(&self, other: &Self) -> Option<f64> {
        /// Below this RMS distance from the mean, an object has one colour: twice just noticeable.
        const ONE_COLOR: f64 = 5.0;
        let dot = |a: &Lab, b: &Lab| (0..3).fold(0.0, |sum, c| sum + a[c] * b[c]);
        let (mut squares, mut shared, mut count) = ([0.0; 2], 0.0, 0.0);
        for (a, b) in self.colors.iter().zip(&other.colors) {
            if let (Some(a), Some(b)) = (a, b) {
                squares = [squares[0] + dot(a, a), squares[1] + dot(b, b)];
                shared += dot(a, b);
                count += 1.0;
            }
        }
        let least = ONE_COLOR * ONE_COLOR * f64::max(count, 1.0);
        let has_colors = squares.iter().all(|s| *s > least);
        has_colors.then(|| shared / (squares[0] * squares[1]).sqrt())
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
