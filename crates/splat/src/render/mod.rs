//! Splats and a camera → a [`Picture`]: projection, order, tiles, blending. Knows nothing of files,
//! lights and materials.
//!
//! The definition is that of diff-gaussian-rasterization (Kerbl et al. 2023): see [`Settings`].
//! Blending stops before the splat that would bring the passing light T below 1e-4. Up to T of a
//! pixel's colour is missing then: T is below 0.01, since one splat hides at most 99 %, and usually
//! far less. Bytes are the same for any number of threads and any instruction set.

mod bins;
mod lists;
mod picture;
mod project;
mod settings;
mod tile;

pub use lists::{Lists, lists};
pub use picture::{Alpha, Geometry, Picture, Under};
pub use project::{ALPHA_MIN, TILE};
pub use settings::{Cut, Settings};
pub use tile::{ALPHA_MAX, LIGHT_MIN};

use crate::camera::{Camera, SIDE_PX_MAX};
use crate::splats::Splats;
use bins::{PAIRS_MAX, Round};
use rayon::prelude::*;
use tile::Tile;

/// Why no picture was drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RenderError {
    #[error("a picture of {width_px} × {height_px} pixels; each side can have 1 to {SIDE_PX_MAX}")]
    Size { width_px: u32, height_px: u32 },
    #[error("the camera has an infinite, undefined or zero number")]
    Camera,
    #[error("{found} depths of surfaces for a picture of {pixels} pixels")]
    Surfaces { found: usize, pixels: usize },
}

/// Draws one view, on the caller's rayon pool.
///
/// # Errors
/// [`RenderError`].
pub fn render(
    splats: &Splats,
    camera: &Camera,
    settings: &Settings,
) -> Result<Picture, RenderError> {
    render_among(splats, camera, settings, &[])
}

/// As [`render`], among surfaces. `surfaces` has the depth along the view's axis of the nearest one
/// at each pixel, row by row from the top, and infinity where there is none; splats whose centre is
/// farther are not drawn there. Empty: there are no surfaces.
///
/// # Errors
/// [`RenderError`].
pub fn render_among(
    splats: &Splats,
    camera: &Camera,
    settings: &Settings,
    surfaces: &[f32],
) -> Result<Picture, RenderError> {
    check(camera)?;
    let pixels = camera.width_px as usize * camera.height_px as usize;
    if ![0, pixels].contains(&surfaces.len()) {
        return Err(RenderError::Surfaces { found: surfaces.len(), pixels });
    }
    Ok(render_in_rounds(splats, camera, settings, surfaces, PAIRS_MAX))
}

/// Draws with so many pairs of a tile and a splat at once.
fn render_in_rounds(
    splats: &Splats,
    camera: &Camera,
    settings: &Settings,
    surfaces: &[f32],
    pairs_max: u64,
) -> Picture {
    let (width, height) = (camera.width_px as usize, camera.height_px as usize);
    let tasks = project::project(splats, camera, settings);
    let order = bins::sorted(&tasks);
    let mut canvas = Canvas {
        width,
        light_and_rgb: vec![[0.0, 0.0, 0.0, 1.0]; width * height],
        geometry: vec![Geometry::default(); if settings.geometry { width * height } else { 0 }],
        surfaces,
    };
    let mut places = &order[..];
    while !places.is_empty() {
        let tiles = [width.div_ceil(TILE), height.div_ceil(TILE)];
        let round = Round::take(&tasks, &mut places, tiles, pairs_max);
        let goes_on = match (settings.geometry, surfaces.is_empty()) {
            (false, true) => canvas.blend::<false, false>(&round),
            (false, false) => canvas.blend::<false, true>(&round),
            (true, true) => canvas.blend::<true, false>(&round),
            (true, false) => canvas.blend::<true, true>(&round),
        };
        if !goes_on {
            break;
        }
    }
    canvas.finish();
    Picture {
        width_px: camera.width_px,
        height_px: camera.height_px,
        rgba: canvas.light_and_rgb,
        geometry: canvas.geometry,
        color_space: splats.color_space(),
        visible: order.len(),
    }
}

fn check(camera: &Camera) -> Result<(), RenderError> {
    let Camera { width_px, height_px, eye, axes, lens: _, focal_px, center_px } = *camera;
    if ![width_px, height_px].iter().all(|side| (1..=SIDE_PX_MAX).contains(side)) {
        return Err(RenderError::Size { width_px, height_px });
    }
    let is_turn =
        (axes[0].cross(axes[1]) - axes[2]).length() < 1e-6 && (axes[2].length() - 1.0).abs() < 1e-6;
    let is_finite = eye.is_finite() && center_px.iter().all(|value| value.is_finite());
    if is_turn && is_finite && focal_px.iter().all(|&value| value.is_finite() && value > 0.0) {
        Ok(())
    } else {
        Err(RenderError::Camera)
    }
}

/// The picture while it is drawn: sums instead of means, and the light that passes (negative where
/// blending has stopped) instead of alpha.
struct Canvas<'a> {
    width: usize,
    light_and_rgb: Vec<[f32; 4]>,
    geometry: Vec<Geometry>,
    surfaces: &'a [f32],
}

impl Canvas<'_> {
    /// Whether any pixel can still change.
    fn blend<const GEOMETRY: bool, const SURFACES: bool>(&mut self, round: &Round<'_>) -> bool {
        let width = self.width;
        let columns = width.div_ceil(TILE);
        let band = width * TILE;
        let geometry: Vec<&mut [Geometry]> = if GEOMETRY {
            self.geometry.chunks_mut(band).collect()
        } else {
            self.light_and_rgb.chunks(band).map(|_| Default::default()).collect()
        };
        let surfaces = self.surfaces;
        let bands = self.light_and_rgb.par_chunks_mut(band).zip(geometry).enumerate();
        bands
            .map(|(row, (pixels, geometry))| {
                let mut goes_on = false;
                for column in 0..columns {
                    let place = Placed {
                        left: column * TILE,
                        columns: TILE.min(width - column * TILE),
                        rows: pixels.len() / width,
                        width,
                    };
                    let mut splats = round.of_tile(row * columns + column).peekable();
                    if splats.peek().is_none() {
                        goes_on = true;
                        continue;
                    }
                    let mut tile = place.load::<GEOMETRY>(pixels, geometry);
                    if SURFACES {
                        place.load_surfaces(&surfaces[row * band..], &mut tile);
                    }
                    let (left, top) = (place.left as f32, (row * TILE) as f32);
                    goes_on |= tile.blend::<GEOMETRY, SURFACES>(splats, left, top);
                    place.store::<GEOMETRY>(&tile, pixels, geometry);
                }
                goes_on
            })
            .reduce(|| false, |a, b| a | b)
    }

    fn finish(&mut self) {
        let colors = &mut self.light_and_rgb;
        parallel::each_mut(colors, |_, pixel| pixel[3] = 1.0 - pixel[3].abs());
        parallel::each_mut(&mut self.geometry, |i, geometry| {
            let alpha = colors[i][3];
            if alpha > 0.0 {
                geometry.depth_expected /= alpha;
            }
            let [x, y, z] = geometry.normal;
            let length = (x * x + y * y + z * z).sqrt();
            if length > 0.0 {
                geometry.normal = geometry.normal.map(|value| value / length);
            }
        });
    }
}

/// Where a tile is in its band of rows.
struct Placed {
    left: usize,
    columns: usize,
    rows: usize,
    width: usize,
}

impl Placed {
    /// Pixels of the band and of the tile that are the same.
    fn pixels(&self) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        let (left, columns, width) = (self.left, self.columns, self.width);
        (0..self.rows).flat_map(move |row| {
            (0..columns)
                .map(move |column| (row * width + left + column, 2 * row + column / 8, column % 8))
        })
    }

    fn load<const GEOMETRY: bool>(&self, pixels: &[[f32; 4]], geometry: &[Geometry]) -> Tile {
        let mut tile = Tile::new(self.columns, self.rows);
        for (from, k, i) in self.pixels() {
            let [r, g, b, light] = pixels[from];
            tile.light[k][i] = light;
            for (plane, value) in tile.rgb.iter_mut().zip([r, g, b]) {
                plane[k][i] = value;
            }
            if GEOMETRY {
                let Geometry { depth_expected, depth_median, normal } = geometry[from];
                tile.depth[k][i] = depth_expected;
                tile.median[k][i] = depth_median;
                for (plane, value) in tile.normal.iter_mut().zip(normal) {
                    plane[k][i] = value;
                }
            }
        }
        tile
    }

    fn load_surfaces(&self, surfaces: &[f32], tile: &mut Tile) {
        for (from, k, i) in self.pixels() {
            tile.surface[k][i] = surfaces[from];
        }
    }

    fn store<const GEOMETRY: bool>(
        &self,
        tile: &Tile,
        pixels: &mut [[f32; 4]],
        geometry: &mut [Geometry],
    ) {
        for (to, k, i) in self.pixels() {
            let [r, g, b] = &tile.rgb;
            pixels[to] = [r[k][i], g[k][i], b[k][i], tile.light[k][i]];
            if GEOMETRY {
                geometry[to] = Geometry {
                    depth_expected: tile.depth[k][i],
                    depth_median: tile.median[k][i],
                    normal: tile.normal.each_ref().map(|plane| plane[k][i]),
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splats::SplatParts;
    use glam::DVec3;

    /// Five hundred splats of all sizes around the zero, with harmonics of degree 1.
    fn scene() -> Splats {
        let number = |i: usize, k: usize| ((i * 37 + k * 101) % 89) as f32 / 89.0 - 0.5;
        let plane = |k: usize| (0..500).map(|i| number(i, k)).collect::<Vec<f32>>();
        let positive = |k: usize| plane(k).iter().map(|v| 0.02 + 0.1 * v.abs()).collect();
        let parts = SplatParts {
            position: [plane(0), plane(1), plane(2)],
            scale: [positive(3), positive(4), positive(5)],
            rotation: [plane(6), plane(7), plane(8), vec![1.0; 500]],
            opacity: plane(9).iter().map(|v| v + 0.5).collect(),
            harmonics: (10..22).map(plane).collect(),
            ..SplatParts::default()
        };
        Splats::new(parts).expect("good splats").0
    }

    fn camera() -> Camera {
        Camera::square(90, DVec3::new(0.0, 0.5, 2.0), DVec3::ZERO, DVec3::Y, 0.8)
    }

    const SETTINGS: Settings = Settings {
        low_pass_px2: 0.3,
        compensated: true,
        cut: Cut::Alpha,
        order: crate::read::Order::Depth,
        near: 0.2,
        geometry: true,
    };

    #[test]
    fn bytes_do_not_depend_on_the_size_of_a_round() {
        let whole = render_in_rounds(&scene(), &camera(), &SETTINGS, &[], PAIRS_MAX);
        for pairs_max in [1, 100, 3000] {
            let parted = render_in_rounds(&scene(), &camera(), &SETTINGS, &[], pairs_max);
            assert!(parted.rgba == whole.rgba && parted.geometry == whole.geometry);
        }
        assert!(whole.coverage() > 0.1);
    }

    #[test]
    fn a_surface_hides_what_is_behind_it() {
        let whole = render(&scene(), &camera(), &SETTINGS).expect("a good camera");
        let pixels = whole.rgba.len();
        let among = |depth: f32| {
            render_among(&scene(), &camera(), &SETTINGS, &vec![depth; pixels])
                .expect("a good camera")
        };
        let far = among(f32::INFINITY);
        assert!(far.rgba == whole.rgba && far.geometry == whole.geometry);
        assert_eq!(among(0.5).coverage(), 0.0);
        let half = among(2.0);
        assert!(half.coverage() > 0.05 && half.coverage() < 0.95 * whole.coverage());
        assert!(half.geometry.iter().all(|geometry| geometry.depth_median < 2.0));
        let few = render_among(&scene(), &camera(), &SETTINGS, &[1.0]);
        assert_eq!(few.unwrap_err(), RenderError::Surfaces { found: 1, pixels });
    }

    #[test]
    fn bytes_are_the_same_on_every_processor() {
        let usual = render(&scene(), &camera(), &SETTINGS).expect("a good camera");
        project::WITHOUT_AVX2.store(true, std::sync::atomic::Ordering::Relaxed);
        let plain = render(&scene(), &camera(), &SETTINGS).expect("a good camera");
        project::WITHOUT_AVX2.store(false, std::sync::atomic::Ordering::Relaxed);
        assert!(usual.rgba == plain.rgba && usual.geometry == plain.geometry);
        // FNV-1a of every float: on another processor or system the number must be this one too.
        let bits = usual.rgba.as_flattened().iter().map(|value| value.to_bits());
        let hash = bits.fold(0xcbf2_9ce4_8422_2325u64, |hash, bits| {
            (hash ^ u64::from(bits)).wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!(hash, 1_693_925_409_504_754_831);
    }
}
