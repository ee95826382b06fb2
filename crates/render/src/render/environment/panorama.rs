//! The bytes of a panorama → radiance by direction.

use super::exr::{self, PIXELS_MAX};
use glam::Vec3;
use std::path::{Path, PathBuf};

/// Larger files are refused: 1 GiB, more than a panorama of 8192 × 4096 floats takes.
const BYTES_MAX: u64 = 1 << 30;

/// Radiance beyond it is cut off: the largest half-precision number, so that sums stay finite.
const RADIANCE_MAX: f32 = 65_504.0;

/// Of a file of more columns only so many are kept; a mirror shows no more.
const WIDTH_MAX: usize = 2048;

/// Why a panorama cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    #[error("cannot read the environment ({reason}): {path:?}")]
    Read { reason: String, path: PathBuf },
    #[error(
        "unusable environment ({reason}); give a panorama twice as wide as high, as .hdr or .exr: {path:?}"
    )]
    Content { reason: String, path: PathBuf },
}

/// Twice as wide as high.
pub(super) struct Panorama {
    pub width: usize,
    /// Linear, row-major from the upper left, finite and never negative.
    pub pixels: Vec<Vec3>,
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, EnvironmentError> {
    let failed = |reason: String| EnvironmentError::Read { reason, path: path.to_owned() };
    let file = std::fs::metadata(path).map_err(|e| failed(e.to_string()))?;
    if !file.is_file() || file.len() > BYTES_MAX {
        return Err(failed(format!("it is not a file, or larger than {} MiB", BYTES_MAX >> 20)));
    }
    std::fs::read(path).map_err(|e| failed(e.to_string()))
}

/// # Errors
/// In words.
pub(super) fn decode(bytes: &[u8]) -> Result<Panorama, String> {
    let (width, height, pixels) =
        if exr::is_exr(bytes) { exr::decode(bytes)? } else { radiance(bytes)? };
    if width != 2 * height || height == 0 {
        return Err(format!("it is {width}×{height} px"));
    }
    let mut panorama = Panorama { width, pixels: pixels.into_iter().map(usable).collect() };
    while panorama.width > WIDTH_MAX && panorama.width.is_multiple_of(4) {
        panorama = panorama.halved();
    }
    Ok(panorama)
}

fn usable(pixel: Vec3) -> Vec3 {
    let each = |c: f32| {
        if c > 0.0 { c.min(RADIANCE_MAX) } else { 0.0 }
    };
    Vec3::new(each(pixel.x), each(pixel.y), each(pixel.z))
}

/// Radiance's RGBE.
fn radiance(bytes: &[u8]) -> Result<(usize, usize, Vec<Vec3>), String> {
    use image::ImageDecoder as _;
    use image::codecs::hdr::HdrDecoder;
    if !bytes.starts_with(b"#?") {
        return Err("it starts neither like Radiance nor like OpenEXR".to_owned());
    }
    let decoder = HdrDecoder::new(std::io::Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > PIXELS_MAX {
        return Err(format!("it has more than {PIXELS_MAX} pixels"));
    }
    let mut floats = vec![0.0_f32; width as usize * height as usize * 3];
    decoder.read_image(bytemuck::cast_slice_mut(&mut floats)).map_err(|e| e.to_string())?;
    let pixels = floats.as_chunks::<3>().0.iter().map(|&c| Vec3::from(c));
    Ok((width as usize, height as usize, pixels.collect()))
}

impl Panorama {
    fn height(&self) -> usize {
        self.width / 2
    }

    /// Half as wide and high; every pixel by its share of the sphere.
    fn halved(&self) -> Self {
        let (width, height) = (self.width / 2, self.height() / 2);
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            let sine = |row: usize| {
                libm::sin((row as f64 + 0.5) / self.height() as f64 * std::f64::consts::PI) as f32
            };
            let [upper, lower] = [sine(2 * y), sine(2 * y + 1)];
            for x in 0..width {
                let at = |row: usize, column: usize| self.pixels[row * self.width + column];
                let of = |row: usize| at(row, 2 * x) + at(row, 2 * x + 1);
                let sum = of(2 * y) * upper + of(2 * y + 1) * lower;
                pixels.push(sum / (2.0 * (upper + lower)));
            }
        }
        Self { width, pixels }
    }

    /// Radiance along a unit vector, between the four pixels around it.
    pub(super) fn along(&self, direction: Vec3) -> Vec3 {
        let (width, height) = (self.width, self.height());
        let turn = libm::atan2f(-direction.z, direction.x) / std::f32::consts::TAU;
        let down = libm::acosf(direction.y.clamp(-1.0, 1.0)) / std::f32::consts::PI;
        let x = (0.5 - turn) * width as f32 - 0.5;
        let y = (down * height as f32 - 0.5).clamp(0.0, (height - 1) as f32);
        let (left, top) = (libm::floorf(x), libm::floorf(y));
        let (fx, fy) = (x - left, y - top);
        let column = |k: i64| (left as i64 + k).rem_euclid(width as i64) as usize;
        let row = |k: usize| (top as usize + k).min(height - 1);
        let at = |k: i64, l: usize| self.pixels[row(l) * width + column(k)];
        let mix = |a: Vec3, b: Vec3, t: f32| a + (b - a) * t;
        let upper = mix(at(0, 0), at(1, 0), fx);
        mix(upper, mix(at(0, 1), at(1, 1), fx), fy)
    }

    #[cfg(test)]
    pub(super) fn of_directions(width: usize, radiance: impl Fn(Vec3) -> Vec3) -> Self {
        let height = width / 2;
        let pixel = |k: usize| {
            let (x, y) = (k % width, k / width);
            let turn = (0.5 - (x as f32 + 0.5) / width as f32) * std::f32::consts::TAU;
            let down = (y as f32 + 0.5) / height as f32 * std::f32::consts::PI;
            let (sine, cosine) = (libm::sinf(down), libm::cosf(down));
            radiance(Vec3::new(sine * libm::cosf(turn), cosine, -sine * libm::sinf(turn)))
        };
        Self { width, pixels: (0..width * height).map(pixel).collect() }
    }
}
