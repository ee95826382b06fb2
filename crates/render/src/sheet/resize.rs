//! Another size for a picture: separable Lanczos3 with the kernel widened for minification, so that
//! every source pixel counts.
//!
//! Colour is filtered in linear light with premultiplied alpha, everything else as it is. Does not
//! crop and does not sharpen.

use super::error::{SheetError, checked_size};
use super::transfer::Transfer;
use crate::render::{Image, PixelFormat};

/// Kernel lobes per side (Duchon 1979). Three is the usual compromise of sharpness and ringing.
const LOBES: f64 = 3.0;

/// The picture with longer side `longest_px`, proportions kept (shorter side at least 1).
///
/// # Errors
/// [`SheetError::Size`].
pub fn fit(image: &Image, longest_px: u32, transfer: Transfer) -> Result<Image, SheetError> {
    let (width, height) = (u64::from(image.width_px), u64::from(image.height_px));
    let longest = width.max(height);
    let scaled = |side: u64| ((side * u64::from(longest_px) + longest / 2) / longest).max(1);
    if longest_px == 0 {
        return Err(SheetError::Size { width_px: 0, height_px: 0 });
    }
    let (width_px, height_px) = checked_size(scaled(width), scaled(height))?;
    resize(image, width_px, height_px, transfer)
}

/// The same picture at another size. Its own size gives its own bytes.
///
/// # Errors
/// [`SheetError::Size`].
pub fn resize(
    image: &Image,
    width_px: u32,
    height_px: u32,
    transfer: Transfer,
) -> Result<Image, SheetError> {
    checked_size(width_px.into(), height_px.into())?;
    if (width_px, height_px) == (image.width_px, image.height_px) {
        return Ok(image.clone());
    }
    let components = image.format.components();
    let columns = taps(image.width_px, width_px);
    let rows = taps(image.height_px, height_px);

    let source_stride = image.width_px as usize * image.format.bytes();
    let stride = width_px as usize * components;
    let mut narrowed = vec![0.0_f32; stride * image.height_px as usize];
    parallel::each_chunk(&mut narrowed, stride, |y, row_out| {
        let bytes = &image.pixels[y * source_stride..][..source_stride];
        let row = decode_row(bytes, image.format, transfer);
        for (out, taps) in row_out.chunks_exact_mut(components).zip(&columns) {
            for (i, &weight) in taps.weights.iter().enumerate() {
                let pixel = &row[(taps.first + i) * components..][..components];
                out.iter_mut().zip(pixel).for_each(|(sum, &value)| *sum += weight * value);
            }
        }
    });

    let mut pixels = vec![0_u8; width_px as usize * height_px as usize * image.format.bytes()];
    let stride_out = width_px as usize * image.format.bytes();
    parallel::each_chunk(&mut pixels, stride_out, |y, bytes| {
        let taps = &rows[y];
        let mut sums = vec![0.0_f32; stride];
        for (i, &weight) in taps.weights.iter().enumerate() {
            let row = &narrowed[(taps.first + i) * stride..][..stride];
            sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += weight * value);
        }
        encode_row(&sums, bytes, image.format, transfer);
    });
    Ok(Image { width_px, height_px, format: image.format, pixels })
}

/// The source pixels that make one output pixel; weights sum to 1.
struct Taps {
    first: usize,
    weights: Vec<f32>,
}

/// Weights along one axis. Pixels outside the picture are left out and the rest scaled up to 1.
fn taps(source_px: u32, target_px: u32) -> Vec<Taps> {
    let ratio = f64::from(source_px) / f64::from(target_px);
    let widening = ratio.max(1.0);
    (0..target_px)
        .map(|target| {
            let center = (f64::from(target) + 0.5) * ratio;
            let first = (center - LOBES * widening).floor().max(0.0) as usize;
            let end = ((center + LOBES * widening).ceil() as usize).min(source_px as usize);
            let raw: Vec<f64> = (first..end)
                .map(|source| lanczos((source as f64 + 0.5 - center) / widening))
                .collect();
            let sum: f64 = raw.iter().sum();
            Taps { first, weights: raw.iter().map(|weight| (weight / sum) as f32).collect() }
        })
        .collect()
}

/// `sinc(x) · sinc(x / 3)` inside ±3. Duchon, "Lanczos filtering in one and two dimensions", 1979.
fn lanczos(x: f64) -> f64 {
    if x == 0.0 {
        1.0
    } else if x.abs() >= LOBES {
        0.0
    } else {
        let angle = std::f64::consts::PI * x;
        LOBES * libm::sin(angle) * libm::sin(angle / LOBES) / (angle * angle)
    }
}

/// Bytes → linear values; colour is premultiplied with its alpha.
fn decode_row(bytes: &[u8], format: PixelFormat, transfer: Transfer) -> Vec<f32> {
    let table = transfer.decode_table();
    match format {
        PixelFormat::Rgb8 | PixelFormat::Grey8 => {
            bytes.iter().map(|&b| table[b as usize]).collect()
        }
        PixelFormat::Grey16 => bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|&pair| f32::from(u16::from_be_bytes(pair)) / 65_535.0)
            .collect(),
        PixelFormat::Grey32F | PixelFormat::Rgba32F => {
            let floats = bytes.as_chunks::<4>().0.iter();
            floats.map(|&float| f32::from_le_bytes(float)).collect()
        }
        PixelFormat::Rgba8 => bytes
            .as_chunks::<4>()
            .0
            .iter()
            .flat_map(|&[r, g, b, a]| {
                let alpha = f32::from(a) / 255.0;
                let of = |byte: u8| table[byte as usize] * alpha;
                [of(r), of(g), of(b), alpha]
            })
            .collect(),
    }
}

/// The way back; clamps what the negative lobes overshoot.
fn encode_row(values: &[f32], bytes: &mut [u8], format: PixelFormat, transfer: Transfer) {
    match format {
        PixelFormat::Rgb8 | PixelFormat::Grey8 => {
            bytes.iter_mut().zip(values).for_each(|(byte, &value)| *byte = transfer.encode(value));
        }
        PixelFormat::Grey16 => {
            for (pair, &value) in bytes.as_chunks_mut::<2>().0.iter_mut().zip(values) {
                *pair = ((value.clamp(0.0, 1.0) * 65_535.0 + 0.5) as u16).to_be_bytes();
            }
        }
        PixelFormat::Grey32F | PixelFormat::Rgba32F => {
            for (float, value) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(values) {
                *float = value.to_le_bytes();
            }
        }
        PixelFormat::Rgba8 => {
            let pixels = bytes.as_chunks_mut::<4>().0.iter_mut();
            for (pixel, &[r, g, b, alpha]) in pixels.zip(values.as_chunks::<4>().0) {
                // Under half an alpha step nothing is seen and the colour is unknown: black.
                let of = |c: f32| {
                    if alpha < 0.5 / 255.0 { 0 } else { transfer.encode(c / alpha) }
                };
                *pixel = [of(r), of(g), of(b), Transfer::Linear.encode(alpha)];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rgb(width_px: u32, height_px: u32, color: impl Fn(u32, u32) -> [u8; 3]) -> Image {
        let pixels = (0..height_px)
            .flat_map(|y| (0..width_px).map(move |x| (x, y)))
            .flat_map(|(x, y)| color(x, y))
            .collect();
        Image { width_px, height_px, format: PixelFormat::Rgb8, pixels }
    }

    #[test]
    fn a_constant_stays_constant_at_any_size() {
        let image = rgb(37, 23, |_, _| [12, 130, 251]);
        for (width_px, height_px) in [(1, 1), (7, 90), (36, 22), (111, 5)] {
            for transfer in [Transfer::Srgb, Transfer::Linear] {
                let out = resize(&image, width_px, height_px, transfer).unwrap();
                assert_eq!((out.width_px, out.height_px), (width_px, height_px));
                assert!(out.pixels.as_chunks::<3>().0.iter().all(|&p| p == [12, 130, 251]));
            }
        }
    }

    #[test]
    fn a_fine_checker_halves_to_half_the_light() {
        let checker = rgb(64, 64, |x, y| [if (x + y) % 2 == 0 { 255 } else { 0 }; 3]);
        let light = resize(&checker, 32, 32, Transfer::Srgb).unwrap();
        let plain = resize(&checker, 32, 32, Transfer::Linear).unwrap();
        for (x, y) in [(16, 16), (10, 20), (25, 8)] {
            assert_eq!(light.pixel(x, y), [188; 3]);
            assert!(plain.pixel(x, y)[0].abs_diff(128) <= 1);
        }
    }

    #[test]
    fn a_linear_ramp_stays_linear() {
        let ramp = rgb(256, 8, |x, _| [x as u8; 3]);
        let half = resize(&ramp, 128, 8, Transfer::Linear).unwrap();
        for x in 6..122 {
            // The centre of output pixel x is between the inputs 2x and 2x + 1.
            assert!((f64::from(half.pixel(x, 4)[0]) - (2.0 * f64::from(x) + 0.5)).abs() <= 0.5);
        }
        let double = resize(&ramp, 512, 8, Transfer::Linear).unwrap();
        for x in 12..500 {
            let expected = (f64::from(x) + 0.5) / 2.0 - 0.5;
            // Lanczos3 reproduces a ramp to 0.01 of a step; the rest is rounding.
            assert!((f64::from(double.pixel(x, 4)[0]) - expected).abs() <= 0.51);
        }
    }

    #[test]
    fn the_mean_is_kept() {
        // A fixed pseudo-random picture; Knuth's multiplicative hash.
        let image = rgb(96, 96, |x, y| [((x * 96 + y).wrapping_mul(2_654_435_761) >> 24) as u8; 3]);
        let mean =
            |i: &Image| i.pixels.iter().map(|&b| f64::from(b)).sum::<f64>() / i.pixels.len() as f64;
        for side in [95, 48, 31, 10] {
            let out = resize(&image, side, side, Transfer::Linear).unwrap();
            assert!(
                (mean(&out) - mean(&image)).abs() < 1.0,
                "{side}: {} {}",
                mean(&out),
                mean(&image)
            );
        }
    }

    #[test]
    fn hidden_colour_does_not_bleed_out_of_transparency() {
        let mut image = Image::filled(16, 16, PixelFormat::Rgba8, &[255, 0, 0, 0]);
        for pixel in image.pixels.as_chunks_mut::<4>().0.iter_mut().skip(128) {
            *pixel = [0, 0, 255, 255];
        }
        let out = resize(&image, 8, 8, Transfer::Srgb).unwrap();
        assert!(out.pixels.as_chunks::<4>().0.iter().all(|p| p[0] == 0));
        assert!(out.pixels.as_chunks::<4>().0.iter().any(|p| p[2] == 255 && p[3] == 255));
    }

    #[test]
    fn fit_keeps_proportions_and_refuses_the_absurd() {
        let image = rgb(200, 50, |_, _| [9; 3]);
        let out = fit(&image, 60, Transfer::Srgb).unwrap();
        assert_eq!((out.width_px, out.height_px), (60, 15));
        let out = fit(&image, 2, Transfer::Srgb).unwrap();
        assert_eq!((out.width_px, out.height_px), (2, 1));
        assert_eq!(fit(&image, 200, Transfer::Srgb).unwrap(), image);
        assert!(matches!(fit(&image, 0, Transfer::Srgb), Err(SheetError::Size { .. })));
        assert!(matches!(fit(&image, 20_000, Transfer::Srgb), Err(SheetError::Size { .. })));
    }

    #[test]
    fn sixteen_bits_stay_sixteen_bits() {
        let image = Image::filled(9, 9, PixelFormat::Grey16, &[0x12, 0x34]);
        let out = resize(&image, 4, 4, Transfer::Linear).unwrap();
        assert!(
            out.pixels
                .as_chunks::<2>()
                .0
                .iter()
                .all(|&p| u16::from_be_bytes(p).abs_diff(0x1234) <= 1)
        );
    }
}
