//! An encoded picture → its texels as RGBA: PNG, JPEG, WebP, KTX2, BMP, GIF (the first picture), TIFF and TGA.

use super::ktx2;
use super::limits::{PNG_SIDE_BYTES_MAX, TEXTURE_TEXELS_MAX};
use crate::scene::{ColorSpace, NearBlocks, Reduced, Texels};
use image::{ColorType, ImageDecoder as _};
use std::io::Cursor;

/// A picture with straight RGBA bytes.
#[derive(Debug)]
pub(super) struct Decoded {
    pub width_px: u32,
    pub height_px: u32,
    pub texels: Texels,
}

impl Decoded {
    /// Keeps what is seen, where that is little.
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

/// How long decoding takes beside other pictures: by encoded bytes, of which those of a progressive JPEG took two and a half times as long as others.
pub(super) fn decoding_cost(bytes: &[u8]) -> usize {
    if is_progressive_jpeg(bytes) {
        bytes.len() * 5 / 2
    } else {
        bytes.len()
    }
}

/// Whether the first frame header is that of a progressive picture.
fn is_progressive_jpeg(bytes: &[u8]) -> bool {
    frame_header(bytes).is_some_and(|header| header[1] == 0xc2)
}

/// How many components a JPEG has: 4 are inks.
fn jpeg_components(bytes: &[u8]) -> Option<u8> {
    frame_header(bytes)?.get(9).copied()
}

/// A JPEG from its first frame header on: marker, length, precision, height, width, number of components (ITU-T T.81, section B.2.2).
fn frame_header(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes.strip_prefix(&[0xff, 0xd8])?;
    while let [0xff, marker, high, low, ..] = rest {
        match marker {
            0xc0..=0xc2 => return Some(rest),
            0xda => return None,
            _ => rest = rest.get(2 + usize::from(u16::from_be_bytes([*high, *low]))..)?,
        }
    }
    None
}

/// Bytes that a PNG's rows unpack to, as its header says: each a filter byte and its samples, which may have less than a byte each (PNG, sections 7.2 and 11.2.2).
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

/// How the text begins that Git leaves in place of a file that its large file storage holds.
pub(super) const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// TGA has no magic number: whether the header is one that its specification allows (version 2.0, appendix C).
fn is_tga(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [
            _,
            0 | 1,
            1..=3 | 9..=11,
            _,
            _,
            _,
            _,
            0 | 15 | 16 | 24 | 32,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            8 | 15 | 16 | 24 | 32,
            _,
            ..,
        ]
    )
}

fn reader(bytes: &[u8]) -> Result<image::ImageReader<Cursor<&[u8]>>, String> {
    let mut reader = image::ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|e| e.to_string())?;
    // Sizes in pixels are checked against our own limits. This one holds for PNG only: a colour profile of 64 kB may unpack to 66 MB.
    let mut limits = image::Limits::no_limits();
    limits.max_alloc = Some(PNG_SIDE_BYTES_MAX);
    reader.limits(limits);
    if reader.format().is_none() {
        if !is_tga(bytes) {
            let said = if bytes.starts_with(LFS_POINTER) {
                "a pointer of Git LFS, not the picture; fetch it with git lfs pull"
            } else {
                "not a PNG, JPEG, WebP, KTX2, BMP, GIF, TIFF or TGA picture"
            };
            return Err(said.to_owned());
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
    reader(bytes)?.into_dimensions().map_err(|e| e.to_string())
}

/// Most bytes that one byte of deflate can stand for is 1032 (RFC 1951: 258 bytes for a length and a distance code of one bit each).
/// A PNG that claims more is cut off or made to do harm.
const DEFLATE_RATIO_MAX: u64 = 1032;

/// All of its texels; what is wrong with it otherwise.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded, String> {
    if ktx2::is_ktx2(bytes) {
        let header = ktx2::Header::read(bytes)?;
        return Ok(Decoded {
            width_px: header.width_px,
            height_px: header.height_px,
            texels: Texels::Whole(ktx2::decode(bytes, &header)?),
        });
    }
    let reader = reader(bytes)?;
    let is_jpeg = reader.format() == Some(image::ImageFormat::Jpeg);
    let is_png = reader.format() == Some(image::ImageFormat::Png);
    if is_jpeg && jpeg_components(bytes) == Some(4) {
        return Err(
            "a CMYK JPEG, whose inks no two programs show alike; save it as RGB".to_owned(),
        );
    }
    let decoder = reader.into_decoder().map_err(|e| e.to_string())?;
    let (width_px, height_px) = decoder.dimensions();
    let color_type = decoder.color_type();
    let total = decoder.total_bytes();
    let texels = u64::from(width_px) * u64::from(height_px);
    if texels == 0 || texels > TEXTURE_TEXELS_MAX {
        return Err(format!("{width_px}×{height_px} px"));
    }
    if is_png && png_bytes(bytes).unwrap_or(total) / DEFLATE_RATIO_MAX > bytes.len() as u64 {
        return Err("the file is too short for its size in pixels".to_owned());
    }
    let mut texels_out = Vec::new();
    if is_jpeg && color_type == ColorType::Rgb8 {
        drop(decoder);
        texels_out = jpeg_to_rgba(bytes, texels as usize)?;
    } else if color_type == ColorType::Rgba8 {
        texels_out.resize(texels as usize, [0; 4]);
        let raw = texels_out.as_flattened_mut();
        decoder.read_image(raw).map_err(|e| e.to_string())?;
    } else {
        let mut raw = vec![0; total as usize];
        decoder.read_image(&mut raw).map_err(|e| e.to_string())?;
        if let Some(converted) = to_rgba(color_type, raw) {
            texels_out = converted;
        }
    }
    if texels_out.len() as u64 != texels {
        return Err(format!("pixel type {color_type:?}"));
    }
    Ok(Decoded {
        width_px,
        height_px,
        texels: Texels::Whole(texels_out),
    })
}

/// Straight to RGBA: the `image` crate gives RGB only, and its copy of the file and a second pass cost a tenth of the time.
fn jpeg_to_rgba(bytes: &[u8], count: usize) -> Result<Vec<[u8; 4]>, String> {
    let options = zune_core::options::DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::MAX) // checked before, against our own limits
        .set_max_height(usize::MAX)
        .jpeg_set_out_colorspace(zune_core::colorspace::ColorSpace::RGBA);
    let cursor = zune_core::bytestream::ZCursor::new(bytes);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(cursor, options);
    let mut texels = vec![[0; 4]; count];
    decoder.decode_headers().map_err(|e| e.to_string())?;
    if decoder.output_buffer_size() != Some(count * 4) {
        return Err("its two headers differ".to_owned());
    }
    decoder
        .decode_into(texels.as_flattened_mut())
        .map_err(|e| e.to_string())?;
    Ok(texels)
}

/// One pass from the decoder's bytes to RGBA; 16-bit channels (native byte order) keep their high byte.
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
        ColorType::Rgb16 => map::<6>(&raw, |&[a, b, c, d, e, f]| {
            [high(a, b), high(c, d), high(e, f), 255]
        }),
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
    fn progressive_pictures_are_known_by_their_first_frame_header() {
        // Start, an application segment of four bytes, then a frame header.
        let jpeg = |marker| {
            [
                0xff, 0xd8, 0xff, 0xe0, 0, 4, 0xff, 0xc2, 0xff, marker, 0, 17, 8,
            ]
        };
        assert!(is_progressive_jpeg(&jpeg(0xc2)));
        assert!(!is_progressive_jpeg(&jpeg(0xc0)));
        for end in 0..10 {
            assert!(!is_progressive_jpeg(&jpeg(0xc2)[..end]));
        }
        assert!(!is_progressive_jpeg(b"\x89PNG\r\n\x1a\n"));
        assert_eq!(decoding_cost(&jpeg(0xc2)), 32);
    }

    #[test]
    fn a_png_of_few_bits_is_bound_by_what_they_unpack_to() {
        for bits in [
            png::BitDepth::One,
            png::BitDepth::Two,
            png::BitDepth::Four,
            png::BitDepth::Eight,
        ] {
            let edge = 2048_usize;
            let mut bytes = Vec::new();
            let mut encoder = png::Encoder::new(&mut bytes, edge as u32, edge as u32);
            encoder.set_color(png::ColorType::Indexed);
            encoder.set_depth(bits);
            encoder.set_palette(vec![200, 100, 50, 0, 0, 0]);
            encoder.set_compression(png::Compression::High);
            let mut writer = encoder.write_header().unwrap();
            writer
                .write_image_data(&vec![0; edge * edge * bits as usize / 8])
                .unwrap();
            writer.finish().unwrap();
            let Texels::Whole(texels) = decode(&bytes).unwrap().texels else {
                unreachable!("nothing was asked to be left out");
            };
            assert!(
                texels.len() == edge * edge && texels[77] == [200, 100, 50, 255],
                "{bits:?}"
            );
            // One that claims a hundred times its rows is still refused.
            bytes[20..24].copy_from_slice(&(edge as u32 * 1000).to_be_bytes());
            assert!(decode(&bytes).is_err());
        }
    }

    #[test]
    fn a_jpeg_of_inks_is_refused_by_name() {
        // Four components of 8×8 px; nothing behind the header is looked at.
        let mut jpeg = vec![0xff, 0xd8, 0xff, 0xc0, 0, 20, 8, 0, 8, 0, 8, 4];
        jpeg.extend([1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]);
        assert!(decode(&jpeg).unwrap_err().contains("CMYK"));
    }

    #[test]
    fn a_jpeg_has_the_colours_of_the_image_crate_and_is_opaque() {
        let pixels: Vec<u8> = (0..33 * 17 * 3).map(|i| (i * 7 % 256) as u8).collect();
        for (color, bytes) in [
            (image::ExtendedColorType::Rgb8, &pixels[..]),
            (image::ExtendedColorType::L8, &pixels[..33 * 17]),
        ] {
            let mut jpeg = Vec::new();
            image::codecs::jpeg::JpegEncoder::new(&mut jpeg)
                .encode(bytes, 33, 17, color)
                .unwrap();
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
