//! Encoded picture → RGBA texels: PNG, JPEG, WebP, KTX2, BMP, GIF (first picture), TIFF and TGA.

use super::format::mistaken;
use super::jpeg::{Flaw, Jpeg};
use super::ktx2;
use super::limits::{DECODED_TEXELS_MAX, PNG_SIDE_BYTES_MAX};
use crate::scene::{ColorSpace, NearBlocks, Reduced, Texels, halve_rows};
use image::{ColorType, ImageDecoder as _};
use std::io::Cursor;

/// A picture with straight RGBA bytes.
#[derive(Debug)]
pub(super) struct Decoded {
    pub width_px: u32,
    pub height_px: u32,
    pub texels: Texels,
    pub flaw: Option<Flaw>,
}

impl Decoded {
    fn whole(width_px: u32, height_px: u32, texels: Vec<[u8; 4]>, flaw: Option<Flaw>) -> Self {
        Self { width_px, height_px, texels: Texels::Whole(texels), flaw }
    }

    /// Halved in size `times` times. The rest of an odd width or height is dropped.
    pub(super) fn halved(mut self, times: u32, space: ColorSpace) -> Self {
        for _ in 0..times {
            let Texels::Whole(texels) = &self.texels else {
                break;
            };
            let [width, height] = [self.width_px as usize, self.height_px as usize];
            if width < 2 || height < 2 {
                break;
            }
            let (half_width, half_height) = (width / 2, height / 2);
            let mut half = vec![[0; 4]; half_width * half_height];
            for (row, pair) in half.chunks_exact_mut(half_width).zip(texels.chunks_exact(2 * width))
            {
                let (upper, lower) = pair.split_at(width);
                halve_rows(&upper[..2 * half_width], &lower[..2 * half_width], row, space);
            }
            self.texels = Texels::Whole(half);
            [self.width_px, self.height_px] = [half_width as u32, half_height as u32];
        }
        self
    }

    /// Keeps the visible part, if that is small.
    pub(super) fn reduced(mut self, plan: Option<&(ColorSpace, NearBlocks)>) -> Self {
        if let (Some((space, blocks)), Texels::Whole(texels)) = (plan, &self.texels) {
            let reduced = Reduced::new(texels, self.width_px, self.height_px, *space, blocks);
            if let Some(reduced) = reduced {
                self.texels = Texels::Reduced(reduced);
            }
        }
        self
    }
}

/// Bytes that a PNG's rows unpack to, as its header says: each a filter byte and its samples, which
/// may have less than a byte each (PNG, sections 7.2 and 11.2.2).
fn png_bytes(bytes: &[u8]) -> Option<u64> {
    let number = |at: usize| Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let (width, height) = (u64::from(number(16)?), u64::from(number(20)?));
    let samples = match bytes.get(25)? {
        0 | 3 => 1,
        4 => 2,
        2 => 3,
        6 => 4,
        _ => return None,
    };
    let row = (width * samples * u64::from(*bytes.get(24)?)).div_ceil(8);
    Some(height * (row + 1))
}

/// TGA has no magic number: does its specification (version 2.0, appendix C) allow the header?
fn is_tga(bytes: &[u8]) -> bool {
    const HEADER_BYTES: usize = 18;
    bytes.len() >= HEADER_BYTES
        && matches!(bytes[1], 0 | 1)
        && matches!(bytes[2], 1..=3 | 9..=11)
        && matches!(bytes[7], 0 | 15 | 16 | 24 | 32)
        && matches!(bytes[16], 8 | 15 | 16 | 24 | 32)
}

fn reader(bytes: &[u8]) -> Result<image::ImageReader<Cursor<&[u8]>>, String> {
    let mut reader = image::ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|e| e.to_string())?;
    // Sizes in pixels are checked against our own limits. This one holds for PNG only: a colour
    // profile of 64 kB may unpack to 66 MB.
    let mut limits = image::Limits::no_limits();
    limits.max_alloc = Some(PNG_SIDE_BYTES_MAX);
    reader.limits(limits);
    if reader.format().is_none() {
        if !is_tga(bytes) {
            return Err(mistaken(bytes).unwrap_or_else(|| {
                "not a PNG, JPEG, WebP, KTX2, BMP, GIF, TIFF or TGA picture".to_owned()
            }));
        }
        reader.set_format(image::ImageFormat::Tga);
    }
    Ok(reader)
}

/// Width and height as the header says them.
pub(super) fn dimensions(bytes: &[u8]) -> Result<(u32, u32), String> {
    if ktx2::is_ktx2(bytes) {
        return ktx2::Header::read(bytes).map(|header| (header.width_px, header.height_px));
    }
    if is_jpeg(bytes) {
        return Jpeg::read(bytes).map(|jpeg| (jpeg.width_px, jpeg.height_px));
    }
    reader(bytes)?.into_dimensions().map_err(|e| e.to_string())
}

fn is_jpeg(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xff, 0xd8, 0xff])
}

/// Most bytes from one byte of deflate: 1032 (RFC 1951: 258 bytes for a length and a distance code
/// of one bit each). A PNG that claims more is cut off or made to do harm.
const DEFLATE_RATIO_MAX: u64 = 1032;

/// All of its texels, or the error.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, String> {
    if ktx2::is_ktx2(bytes) {
        let header = ktx2::Header::read(bytes)?;
        let texels = ktx2::decode(bytes, &header)?;
        return Ok(Decoded::whole(header.width_px, header.height_px, texels, None));
    }
    if is_jpeg(bytes) {
        let jpeg = Jpeg::read(bytes)?;
        check_size(jpeg.width_px, jpeg.height_px)?;
        let (texels, flaw) = jpeg.decode()?;
        return Ok(Decoded::whole(jpeg.width_px, jpeg.height_px, texels, flaw));
    }
    let reader = reader(bytes)?;
    let is_png = reader.format() == Some(image::ImageFormat::Png);
    let decoder = reader.into_decoder().map_err(|e| e.to_string())?;
    let (width_px, height_px) = decoder.dimensions();
    let color_type = decoder.color_type();
    let total = decoder.total_bytes();
    let texels = check_size(width_px, height_px)?;
    if is_png && png_bytes(bytes).unwrap_or(total) / DEFLATE_RATIO_MAX > bytes.len() as u64 {
        return Err("the file is too short for its size in pixels".to_owned());
    }
    let mut texels_out = Vec::new();
    let read = if color_type == ColorType::Rgba8 {
        texels_out.resize(texels as usize, [0; 4]);
        decoder.read_image(texels_out.as_flattened_mut())
    } else {
        let mut raw = vec![0; total as usize];
        decoder.read_image(&mut raw).map(|()| {
            if let Some(converted) = to_rgba(color_type, raw) {
                texels_out = converted;
            }
        })
    };
    if let Err(reason) = read {
        let Some((rest, is_whole)) = is_png.then(|| rest_of_png(bytes)).flatten() else {
            return Err(reason.to_string());
        };
        let damage = || Flaw::Damaged("it is cut off, or its data are damaged".to_owned());
        let flaw = (!is_whole).then(damage);
        return Ok(Decoded::whole(width_px, height_px, rest, flaw));
    }
    if texels_out.len() as u64 != texels {
        return Err("its pixels are floating-point numbers, as in HDR; save it as PNG".to_owned());
    }
    Ok(Decoded::whole(width_px, height_px, texels_out, None))
}

/// The rows of a damaged PNG that can be decoded, then grey, and whether those are all rows; `None`
/// without one, and of interlaced pictures, whose rows come in seven passes.
fn rest_of_png(bytes: &[u8]) -> Option<(Vec<[u8; 4]>, bool)> {
    // Rows are held back until the chunk after their data is seen.
    const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";
    let mut at = b"\x89PNG\r\n\x1a\n".len();
    while let Some(length) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        at = at.saturating_add(12).saturating_add(u32::from_be_bytes(*length) as usize);
    }
    let end = if at == bytes.len() { END } else { &[] };
    let mut decoder = png::Decoder::new(Cursor::new([bytes, end].concat()));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok().filter(|reader| !reader.info().interlaced)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let color_type = match reader.output_color_type().0 {
        png::ColorType::Grayscale => ColorType::L8,
        png::ColorType::GrayscaleAlpha => ColorType::La8,
        png::ColorType::Rgb => ColorType::Rgb8,
        png::ColorType::Rgba => ColorType::Rgba8,
        png::ColorType::Indexed => return None,
    };
    let mut texels = Vec::with_capacity(width * height);
    while let Ok(Some(row)) = reader.next_row() {
        texels.extend(to_rgba(color_type, row.data().to_vec())?);
    }
    let is_whole = texels.len() == width * height;
    let has_some = !texels.is_empty();
    texels.resize(width * height, [128, 128, 128, 255]);
    has_some.then_some((texels, is_whole))
}

/// The number of texels.
fn check_size(width_px: u32, height_px: u32) -> Result<u64, String> {
    let texels = u64::from(width_px) * u64::from(height_px);
    if texels == 0 || texels > DECODED_TEXELS_MAX {
        return Err(format!("{width_px}×{height_px} px"));
    }
    Ok(texels)
}

/// One pass from decoder bytes to RGBA; 16-bit channels (native byte order) keep the high byte.
fn to_rgba(color_type: ColorType, raw: Vec<u8>) -> Option<Vec<[u8; 4]>> {
    fn map<const N: usize>(raw: &[u8], texel: impl Fn(&[u8; N]) -> [u8; 4]) -> Vec<[u8; 4]> {
        raw.as_chunks::<N>().0.iter().map(texel).collect()
    }
    let high = |low: u8, high: u8| (u16::from_ne_bytes([low, high]) >> 8) as u8;
    Some(match color_type {
        ColorType::L8 => map::<1>(&raw, |&[l]| [l, l, l, 255]),
        ColorType::La8 => map::<2>(&raw, |&[l, a]| [l, l, l, a]),
        ColorType::Rgb8 => map::<3>(&raw, |&[r, g, b]| [r, g, b, 255]),
        ColorType::Rgba8 => map::<4>(&raw, |&texel| texel),
        ColorType::L16 => map::<2>(&raw, |&[a, b]| {
            let l = high(a, b);
            [l, l, l, 255]
        }),
        ColorType::La16 => map::<4>(&raw, |&[a, b, c, d]| {
            let l = high(a, b);
            [l, l, l, high(c, d)]
        }),
        ColorType::Rgb16 => {
            map::<6>(&raw, |&[a, b, c, d, e, f]| [high(a, b), high(c, d), high(e, f), 255])
        }
        ColorType::Rgba16 => map::<8>(&raw, |&[a, b, c, d, e, f, g, h]| {
            [high(a, b), high(c, d), high(e, f), high(g, h)]
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_of_few_bits_is_bound_by_what_they_unpack_to() {
        for bits in
            [png::BitDepth::One, png::BitDepth::Two, png::BitDepth::Four, png::BitDepth::Eight]
        {
            let edge = 2048_usize;
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, edge as u32, edge as u32);
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_depth(bits);
            encoder.set_palette(vec![200, 100, 50, 0, 0, 0]);
            encoder.set_compression(png::Compression::High);
            let mut writer = encoder.write_header().unwrap();
            writer.write_image_data(&vec![0; edge * edge * bits as usize / 8]).unwrap();
            writer.finish().unwrap();
            let Texels::Whole(texels) = decode(&bytes).unwrap().texels else {
                unreachable!("nothing was asked to be left out");
            };
            assert!(texels.len() == edge * edge && texels[77] == [200, 100, 50, 255], "{bits:?}");
            // One that claims a hundred times its rows is still refused.
            bytes[20..24].copy_from_slice(&(edge as u32 * 1000).to_be_bytes());
            assert!(decode(&bytes).is_err());
        }
    }

    #[test]
    fn a_jpeg_has_the_colours_of_the_image_crate_and_is_opaque() {
        let pixels: Vec<u8> = (0..33 * 17 * 3).map(|i| (i * 7 % 256) as u8).collect();
        for (color, bytes) in [
            (image::ExtendedColorType::Rgb8, &pixels[..]),
            (image::ExtendedColorType::L8, &pixels[..33 * 17]),
        ] {
            let mut jpeg = Vec::new();
            image::codecs::jpeg::JpegEncoder::new(&mut jpeg).encode(bytes, 33, 17, color).unwrap();
            let expected = image::load_from_memory(&jpeg).unwrap().into_rgba8();
            let found = decode(&jpeg).unwrap();
            assert_eq!((found.width_px, found.height_px), (33, 17));
            let Texels::Whole(texels) = found.texels else {
                unreachable!("nothing was asked to be left out");
            };
            assert_eq!(texels.as_flattened(), expected.as_raw().as_slice());
        }
    }
}
