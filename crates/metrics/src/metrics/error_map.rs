//! A pair as pictures of its errors: both surfaces, each coloured by how far it is from the other.
//!
//! Distances are asked at the place that each pixel shows, so a large triangle shows where within
//! it the error is. The colours are a path through OKLab (Ottosson 2020) in equal steps, from light
//! (no error) to dark: equal differences of error look equally different, also in grey.

use super::compare::Reference;
use super::error::MetricError;
use super::statistics::quantile;
use super::surface::Surface;
use crate::render::{Channel, Image, PixelFormat, Settings, draw};
use crate::rig::{Normalise, Projection, Rig, View};
use crate::scene::color::srgb_from_linear;
use crate::scene::{Material, Mesh, MeshParts, Scene};
use glam::DVec3;

/// Raised with every visible change of such a picture.
pub const ERROR_MAP_VERSION: u32 = 1;

/// From the front right and from the back left, a little from above.
const VIEWS: [(f64, f64); 2] = [(35.0, 20.0), (215.0, 20.0)];
/// Half the height of a tile; the drawing has radius 1.
const HALF_HEIGHT: f64 = 1.02;
/// A surface seen edge-on is this much darker than one seen from the front: shape shows, and
/// colours can still be read.
const SHADE: f64 = 0.3;
/// Height of the bar of colours, as a share of a tile.
const BAR_SHARE: f64 = 0.05;

/// What a pixel shows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Seen {
    /// To the other surface, in the comparison's unit of length.
    distance: f64,
    /// Cosine between the normal and the way to the camera.
    facing: f64,
    /// Share of the pixel that is covered.
    cover: f64,
}

/// Two surfaces from two sides, not coloured yet: several maps may share a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorMap {
    tile_px: u32,
    /// The result from each side, then the reference; row-major, `None` where nothing is.
    tiles: Vec<Vec<Option<Seen>>>,
}

impl Reference {
    /// Draws a result and this reference in the reference's frame, the result as
    /// [`Reference::compare`] aligns it.
    ///
    /// # Errors
    /// A surface without area; [`MetricError::NotDrawn`].
    pub fn error_map(&self, result: &Scene, tile_px: u32) -> Result<ErrorMap, MetricError> {
        let placed = self.place(Surface::of(result, "result")?)?.0;
        let unit = self.unit_length;
        let [ours, theirs] = [&placed.surface, &self.surface];
        let (min, max) = (ours.min().min(theirs.min()), ours.max().max(theirs.max()));
        let (center, radius) = (0.5 * (min + max), 0.5 * (max - min).length());
        let mut tiles = Vec::with_capacity(2 * VIEWS.len());
        for (surface, other) in [(ours, &self.tree), (theirs, &placed.tree)] {
            let distance = |p: DVec3| {
                let there = other.closest(center + p * radius, None);
                there.distance_squared.sqrt() / unit
            };
            tiles.extend(drawn(surface, center, radius, tile_px, &distance)?);
        }
        Ok(ErrorMap { tile_px, tiles })
    }
}

/// One surface from each side.
fn drawn(
    surface: &Surface,
    center: DVec3,
    radius: f64,
    tile_px: u32,
    distance: &(dyn Fn(DVec3) -> f64 + Sync),
) -> Result<Vec<Vec<Option<Seen>>>, MetricError> {
    let not_drawn = |reason: String| MetricError::NotDrawn { reason };
    let positions = surface.positions().iter();
    let mesh = Mesh::new(MeshParts {
        positions: positions.map(|p| ((*p - center) / radius).as_vec3()).collect(),
        triangles: surface.triangles().to_vec(),
        ..MeshParts::default()
    });
    // Both sides of a surface count, so both are drawn.
    let material = Material { double_sided: true, ..Material::default() };
    let scene = mesh
        .and_then(|mesh| Scene::new(vec![mesh], vec![material], Vec::new()))
        .map_err(|e| not_drawn(e.to_string()))?;
    let projection = Projection::Orthographic { half_height: HALF_HEIGHT };
    let views = VIEWS.map(|(azimuth, elevation)| View::at(azimuth, elevation));
    let rig = Rig {
        normalise: Some(Normalise::Matrix { scale: 1.0, offset: [0.0; 3] }),
        ..Rig::new("error-map", "", projection, tile_px, views.to_vec())
    };
    let settings = Settings {
        width_px: tile_px,
        height_px: tile_px,
        channels: vec![Channel::Position, Channel::CameraNormal, Channel::Mask],
        ..Settings::default()
    };
    let frames = draw(&scene, &rig, &settings).map_err(|e| not_drawn(e.to_string()))?;
    let tiles = frames.iter().map(|frame| {
        let [places, normals, mask] = [Channel::Position, Channel::CameraNormal, Channel::Mask]
            .map(|channel| &frame.images[&channel]);
        let places: Vec<f32> = places.floats().collect();
        let (places, _) = places.as_chunks::<4>();
        parallel::of(places.len(), |at| {
            let [x, y, z, is_there] = places[at];
            let place = DVec3::new(x.into(), y.into(), z.into());
            (is_there > 0.0).then(|| Seen {
                distance: distance(place),
                // Encoded as (n + 1) / 2; either side of a surface may be seen.
                facing: (f64::from(normals.pixels[3 * at + 2]) / 127.5 - 1.0).abs(),
                cover: f64::from(mask.pixels[at]) / 255.0,
            })
        })
    });
    Ok(tiles.collect())
}

impl ErrorMap {
    /// Distances that are seen, in the comparison's unit of length.
    pub fn distances(&self) -> Vec<f64> {
        let seen = self.tiles.iter().flatten().flatten();
        seen.map(|seen| seen.distance).collect()
    }

    /// A scale for these maps together: 1, 2 or 5 times a power of ten, so that at most a twentieth
    /// of the visible pixels exceeds it. At least 1e-5.
    pub fn common_scale<'a>(maps: impl IntoIterator<Item = &'a Self>) -> f64 {
        let all: Vec<f64> = maps.into_iter().flat_map(Self::distances).collect();
        let wanted = if all.is_empty() { 0.0 } else { quantile(&all, 0.95) };
        let steps = (-5_i32..15).flat_map(|power| {
            [1.0, 2.0, 5.0].map(|factor| match power {
                // 0.02 and not 0.02000…4.
                ..0 => factor / 10_u64.pow(-power as u32) as f64,
                _ => factor * 10_u64.pow(power as u32) as f64,
            })
        });
        let steps: Vec<f64> = steps.collect();
        let found = steps.iter().find(|step| **step >= wanted);
        found.or(steps.last()).copied().unwrap_or(1.0)
    }

    /// RGB8 on white: the result above, the reference below, each from both sides; at the bottom a
    /// bar of the colours from 0 (left) to `scale` (right). Larger distances have the last colour.
    pub fn picture(&self, scale: f64) -> Image {
        let colors = color_map();
        let color = |share: f64| colors[(share.clamp(0.0, 1.0) * 255.0).round() as usize];
        let tile = self.tile_px as usize;
        let bar = ((BAR_SHARE * tile as f64) as usize).max(2);
        let gap = bar / 2;
        let (width, columns) = (tile * VIEWS.len(), VIEWS.len());
        let rows = self.tiles.len() / columns;
        let height = rows * tile + gap + bar;
        let mut pixels = vec![255; 3 * width * height];
        for (number, tile_of) in self.tiles.iter().enumerate() {
            let (left, top) = ((number % columns) * tile, (number / columns) * tile);
            for (at, seen) in tile_of.iter().enumerate() {
                let Some(seen) = seen else { continue };
                let light = 1.0 - SHADE * (1.0 - seen.facing);
                let to = 3 * ((top + at / tile) * width + left + at % tile);
                for (k, value) in color(seen.distance / scale).into_iter().enumerate() {
                    let value = light * value * seen.cover + 255.0 * (1.0 - seen.cover);
                    pixels[to + k] = value.round() as u8;
                }
            }
        }
        for y in rows * tile + gap..height {
            for x in 0..width {
                let value = color(x as f64 / (width - 1) as f64);
                let to = 3 * (y * width + x);
                pixels[to..to + 3].copy_from_slice(&value.map(|v| v.round() as u8));
            }
        }
        Image {
            width_px: width as u32,
            height_px: height as u32,
            format: PixelFormat::Rgb8,
            pixels,
        }
    }
}

/// sRGB, 0 to 255, from no error to the end of the scale.
fn color_map() -> Vec<[f64; 3]> {
    let srgb = |lab: DVec3| linear(lab).map(|v| 255.0 * srgb_from_linear(v.clamp(0.0, 1.0)));
    equal_steps(256).into_iter().map(srgb).collect()
}

/// `count` colours in OKLab along a smooth curve, each as far from the one before.
fn equal_steps(count: usize) -> Vec<DVec3> {
    /// Lightness, a, b: near white, amber, orange, red, crimson, dark purple.
    const KNOTS: [[f64; 3]; 6] = [
        [0.955, -0.0010, 0.0120],
        [0.83, 0.0208, 0.1182],
        [0.68, 0.1171, 0.1301],
        [0.53, 0.1785, 0.0650],
        [0.38, 0.1401, -0.0375],
        [0.24, 0.0530, -0.0530],
    ];
    const FINE: usize = 200;
    let knot = |k: isize| {
        let last = KNOTS.len() as isize - 1;
        let at = |k: isize| DVec3::from_array(KNOTS[k as usize]);
        match k {
            ..0 => 2.0 * at(0) - at(1),
            k if k > last => 2.0 * at(last) - at(last - 1),
            k => at(k),
        }
    };
    // Catmull & Rom 1974.
    let fine: Vec<DVec3> = (0..=(KNOTS.len() - 1) * FINE)
        .map(|step| {
            let (k, t) = ((step / FINE) as isize, (step % FINE) as f64 / FINE as f64);
            let [p0, p1, p2, p3] = [k - 1, k, k + 1, k + 2].map(knot);
            0.5 * (2.0 * p1
                + (p2 - p0) * t
                + (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3) * (t * t)
                + (3.0 * p1 - p0 - 3.0 * p2 + p3) * (t * t * t))
        })
        .collect();
    let mut along = vec![0.0];
    for pair in fine.windows(2) {
        along.push(along[along.len() - 1] + (pair[1] - pair[0]).length());
    }
    let whole = along[along.len() - 1];
    let place = |number: usize| {
        let wanted = whole * number as f64 / (count - 1) as f64;
        let after = along.partition_point(|far| *far < wanted);
        let after = after.clamp(1, along.len() - 1);
        let share = (wanted - along[after - 1]) / (along[after] - along[after - 1]);
        fine[after - 1].lerp(fine[after], share)
    };
    (0..count).map(place).collect()
}

/// Linear sRGB of an OKLab colour (Ottosson 2020).
fn linear(lab: DVec3) -> [f64; 3] {
    let cone = |a: f64, b: f64| {
        let root = lab.x + a * lab.y + b * lab.z;
        root * root * root
    };
    let l = cone(0.396_337_777_4, 0.215_803_757_3);
    let m = cone(-0.105_561_345_8, -0.063_854_172_8);
    let s = cone(-0.089_484_177_5, -1.291_485_548);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s,
    ]
}

#[cfg(test)]
mod tests {
    use super::super::compare::CompareSettings;
    use super::*;
    use glam::Vec3;

    /// Unit square facing the first camera, `away` along its normal, minus the half beyond `end`.
    fn square(away: f32, end: f32) -> Scene {
        let normal = {
            let (azimuth, elevation) = (VIEWS[0].0.to_radians(), VIEWS[0].1.to_radians());
            let level = libm::cos(elevation);
            DVec3::new(level * libm::sin(azimuth), libm::sin(elevation), level * libm::cos(azimuth))
                .as_vec3()
        };
        let right = Vec3::Y.cross(normal).normalize();
        let up = normal.cross(right);
        let at = |x: f32, y: f32| right * x + up * y + normal * away;
        let mesh = Mesh::new(MeshParts {
            positions: vec![at(0.0, 0.0), at(end, 0.0), at(end, 1.0), at(0.0, 1.0)],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..MeshParts::default()
        });
        Scene::new(vec![mesh.unwrap()], vec![Material::default()], Vec::new()).unwrap()
    }

    #[test]
    fn each_pixel_has_the_distance_of_the_place_it_shows() {
        let settings = CompareSettings {
            unit: super::super::compare::Unit::File,
            samples: 10,
            ..CompareSettings::default()
        };
        let reference = Reference::new(&square(0.0, 1.0), &settings).unwrap();
        let itself = reference.error_map(&square(0.0, 1.0), 32).unwrap();
        assert!(itself.distances().len() > 400);
        assert!(itself.distances().iter().all(|far| *far < 1e-5));
        let white = itself.picture(0.01).pixels;
        assert!(white.chunks(3).take(64 * 64).all(|p| p[0] > 200));
        let away = reference.error_map(&square(0.25, 1.0), 32).unwrap();
        assert!(away.distances().iter().all(|far| (far - 0.25).abs() < 1e-5));
        // Missing parts are visible only on the reference.
        let half = reference.error_map(&square(0.0, 0.5), 64).unwrap();
        let far: Vec<Vec<f64>> = half
            .tiles
            .iter()
            .map(|tile| tile.iter().flatten().map(|seen| seen.distance).collect())
            .collect();
        assert!(far[0].iter().all(|far| *far < 1e-5));
        let most = far[2].iter().copied().fold(0.0, f64::max);
        assert!((most - 0.5).abs() < 0.05, "{most}");
        let missing = far[2].iter().filter(|far| **far > 1e-4).count();
        let share = missing as f64 / far[2].len() as f64;
        assert!((share - 0.5).abs() < 0.05, "{share}");
    }

    #[test]
    fn colors_darken_in_equal_steps_that_a_screen_can_show() {
        let steps = equal_steps(256);
        let far = |pair: &[DVec3]| (pair[1] - pair[0]).length();
        let each: Vec<f64> = steps.windows(2).map(far).collect();
        let mean = each.iter().sum::<f64>() / each.len() as f64;
        assert!(each.iter().all(|far| (far / mean - 1.0).abs() < 0.01));
        assert!(steps.windows(2).all(|pair| pair[1].x < pair[0].x));
        let shown = steps.iter().flat_map(|lab| linear(*lab));
        assert!(shown.into_iter().all(|v| (0.0..=1.0).contains(&v)));
    }

    #[test]
    fn a_common_scale_is_a_round_number_that_holds_nearly_all() {
        let map = |distances: &[f64]| ErrorMap {
            tile_px: 1,
            tiles: vec![
                distances
                    .iter()
                    .map(|&distance| Some(Seen { distance, facing: 1.0, cover: 1.0 }))
                    .collect(),
            ],
        };
        let few = map(&[0.011; 100]);
        assert_eq!(ErrorMap::common_scale([&few]), 0.02);
        let mut with_outliers = vec![0.011; 98];
        with_outliers.extend([3.0; 2]);
        assert_eq!(ErrorMap::common_scale([&map(&with_outliers), &few]), 0.02);
        assert_eq!(ErrorMap::common_scale([&map(&[0.0; 4])]), 1e-5);
        assert_eq!(ErrorMap::common_scale([]), 1e-5);
    }
}
