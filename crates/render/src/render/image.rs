//! A picture in memory, and its bytes as PNG, JPEG and WebP.

use crate::scene::color::unorm8;
use ::image::codecs::{jpeg::JpegEncoder, webp::WebPEncoder};
use ::image::metadata::Orientation;
use ::image::{ExtendedColorType, ImageDecoder, ImageEncoder};
use std::borrow::Cow;

/// How many bytes a pixel has and what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PixelFormat {
    Rgb8,
    /// Three bytes and straight alpha.
    Rgba8,
    Grey8,
    /// Two bytes, big-endian as in PNG.
    Grey16,
    /// One 32-bit float, little-endian.
    Grey32F,
    /// Four 32-bit floats, little-endian.
    Rgba32F,
}

impl PixelFormat {
    /// Bytes per pixel.
    pub fn bytes(self) -> usize {
        match self {
            Self::Rgb8 => 3,
            Self::Rgba8 => 4,
            Self::Grey8 => 1,
            Self::Grey16 => 2,
            Self::Grey32F => 4,
            Self::Rgba32F => 16,
        }
    }

    /// Numbers per pixel.
    pub fn components(self) -> usize {
        match self {
            Self::Grey8 | Self::Grey16 | Self::Grey32F => 1,
            Self::Rgb8 => 3,
            Self::Rgba8 | Self::Rgba32F => 4,
        }
    }

    /// Whether its numbers are floats, of any size.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Grey32F | Self::Rgba32F)
    }
}

/// Row-major from the top left; `pixels.len() == width_px * height_px * format.bytes()`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// At least 1.
    pub width_px: u32,
    /// At least 1.
    pub height_px: u32,
    pub format: PixelFormat,
    pub pixels: Vec<u8>,
}

/// Why a picture could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// The bytes are not a picture, or a truncated one.
    #[error("not a readable picture ({reason}); use PNG, JPEG, WebP, TIFF, BMP or GIF")]
    Decode { reason: String },
    /// More pixels than [`Image::PIXELS_MAX`].
    #[error("the picture is {width_px}×{height_px} px; at most {max} pixels are read", max = Image::PIXELS_MAX)]
    TooLarge { width_px: u32, height_px: u32 },
    /// The PNG encoder failed, which only lack of memory explains.
    #[error("the picture could not be encoded ({reason})")]
    Encode { reason: String },
}

impl Image {
    /// Larger pictures are refused before they are decoded: 16384 × 8192, half a gibibyte as RGBA.
    pub const PIXELS_MAX: u64 = 1 << 27;

    /// A picture of zeros.
    pub(super) fn empty(width_px: u32, height_px: u32, format: PixelFormat) -> Self {
        Self {
            width_px,
            height_px,
            format,
            pixels: vec![0; width_px as usize * height_px as usize * format.bytes()],
        }
    }

    /// A picture of one colour; `pixel` has `format.bytes()` bytes.
    pub fn filled(width_px: u32, height_px: u32, format: PixelFormat, pixel: &[u8]) -> Self {
        assert_eq!(pixel.len(), format.bytes(), "one pixel of {format:?}");
        Self {
            width_px,
            height_px,
            format,
            pixels: pixel.repeat(width_px as usize * height_px as usize),
        }
    }

    /// The bytes of the pixel in column `x`, row `y` (row 0 is the top).
    ///
    /// # Panics
    /// If the pixel is outside.
    pub fn pixel(&self, x: u32, y: u32) -> &[u8] {
        assert!(x < self.width_px && y < self.height_px, "pixel inside");
        let bytes = self.format.bytes();
        let start = (y as usize * self.width_px as usize + x as usize) * bytes;
        &self.pixels[start..start + bytes]
    }

    /// The same picture as RGB8: grey is repeated, alpha is laid over white in encoded space.
    pub fn to_rgb8(&self) -> Cow<'_, Self> {
        let over_white = |c: u8, a: u8| {
            let (c, a) = (u32::from(c), u32::from(a));
            ((c * a + 255 * (255 - a) + 127) / 255) as u8
        };
        let pixels = match self.format {
            PixelFormat::Rgb8 => return Cow::Borrowed(self),
            PixelFormat::Rgba8 => self
                .pixels
                .as_chunks::<4>()
                .0
                .iter()
                .flat_map(|&[r, g, b, a]| [over_white(r, a), over_white(g, a), over_white(b, a)])
                .collect(),
            PixelFormat::Grey8 => self.pixels.iter().flat_map(|&v| [v; 3]).collect(),
            PixelFormat::Grey16 => {
                self.pixels.as_chunks::<2>().0.iter().flat_map(|&[high, _]| [high; 3]).collect()
            }
            PixelFormat::Grey32F => self.floats().flat_map(|v| [unorm8(v); 3]).collect(),
            PixelFormat::Rgba32F => {
                let keep = self.floats().enumerate().filter(|(k, _)| k % 4 != 3);
                keep.map(|(_, v)| unorm8(v)).collect()
            }
        };
        Cow::Owned(Self {
            width_px: self.width_px,
            height_px: self.height_px,
            format: PixelFormat::Rgb8,
            pixels,
        })
    }

    /// The numbers of a picture of floats; of others every four bytes as one.
    pub fn floats(&self) -> impl Iterator<Item = f32> + '_ {
        let (values, _) = self.pixels.as_chunks::<4>();
        values.iter().map(|&bytes| f32::from_le_bytes(bytes))
    }

    /// A picture of floats, `N` a pixel, as PNG of 16 bits; `steps` says what each pixel becomes.
    ///
    /// # Panics
    /// Where a pixel has not `N` floats, of which PNG holds 1 and 4.
    pub(super) fn to_png16<const N: usize>(
        &self,
        filter: png::Filter,
        steps: impl Fn([f32; N]) -> [u16; N],
    ) -> Result<Vec<u8>, ImageError> {
        assert!(self.format.is_float() && self.format.components() == N);
        let mut pixels = vec![0; self.pixels.len() / 2];
        let nothing = steps([0.0; N]);
        let (floats, _) = self.pixels.as_chunks::<4>();
        let (floats, _) = floats.as_chunks::<N>();
        let (out, _) = pixels.as_chunks_mut::<2>();
        for (pixel, out) in floats.iter().zip(out.as_chunks_mut::<N>().0) {
            // Most pixels of most pictures show nothing.
            let stepped = if *pixel == [[0; 4]; N] {
                nothing
            } else {
                steps(std::array::from_fn(|k| f32::from_le_bytes(pixel[k])))
            };
            for (out, value) in out.iter_mut().zip(stepped) {
                *out = value.to_be_bytes();
            }
        }
        let color = match N {
            1 => png::ColorType::Grayscale,
            _ => png::ColorType::Rgba,
        };
        self.encode_png(color, png::BitDepth::Sixteen, filter, &pixels)
    }

    /// Reproducible PNG bytes: fast deflate, adaptive filter. Floats from 0 to 1 become 16 bits.
    ///
    /// # Errors
    /// [`ImageError::Encode`].
    pub fn to_png(&self) -> Result<Vec<u8>, ImageError> {
        self.to_png_filtered(png::Filter::Adaptive)
    }

    /// The same with a filter of one's choice.
    pub(super) fn to_png_filtered(&self, filter: png::Filter) -> Result<Vec<u8>, ImageError> {
        let (color, depth) = match self.format {
            PixelFormat::Rgb8 => (png::ColorType::Rgb, png::BitDepth::Eight),
            PixelFormat::Rgba8 => (png::ColorType::Rgba, png::BitDepth::Eight),
            PixelFormat::Grey8 => (png::ColorType::Grayscale, png::BitDepth::Eight),
            PixelFormat::Grey16 => (png::ColorType::Grayscale, png::BitDepth::Sixteen),
            PixelFormat::Grey32F => return self.to_png16::<1>(filter, |value| value.map(step16)),
            PixelFormat::Rgba32F => return self.to_png16::<4>(filter, |values| values.map(step16)),
        };
        self.encode_png(color, depth, filter, &self.pixels)
    }

    fn encode_png(
        &self,
        color: png::ColorType,
        depth: png::BitDepth,
        filter: png::Filter,
        pixels: &[u8],
    ) -> Result<Vec<u8>, ImageError> {
        let encode = |e: png::EncodingError| ImageError::Encode { reason: e.to_string() };
        let mut bytes = Vec::with_capacity(pixels.len() / 4 + 1024);
        let mut encoder = png::Encoder::new(&mut bytes, self.width_px, self.height_px);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.set_compression(png::Compression::Fast);
        encoder.set_filter(filter);
        let mut writer = encoder.write_header().map_err(encode)?;
        writer.write_image_data(pixels).map_err(encode)?;
        writer.finish().map_err(encode)?;
        Ok(bytes)
    }

    /// JPEG bytes of a picture of 8 bits without alpha, with a quality from 1 to 100.
    ///
    /// # Errors
    /// [`ImageError::Encode`].
    pub fn to_jpeg(&self, quality: u8) -> Result<Vec<u8>, ImageError> {
        let mut bytes = Vec::with_capacity(self.pixels.len() / 8 + 1024);
        self.encoded(JpegEncoder::new_with_quality(&mut bytes, quality))?;
        Ok(bytes)
    }

    /// Bytes of a lossless WebP, of a picture of 8 bits.
    ///
    /// # Errors
    /// [`ImageError::Encode`].
    pub fn to_webp(&self) -> Result<Vec<u8>, ImageError> {
        let mut bytes = Vec::with_capacity(self.pixels.len() / 8 + 1024);
        self.encoded(WebPEncoder::new_lossless(&mut bytes))?;
        Ok(bytes)
    }

    fn encoded(&self, encoder: impl ImageEncoder) -> Result<(), ImageError> {
        let failed = |reason: String| ImageError::Encode { reason };
        let color = match self.format {
            PixelFormat::Rgb8 => ExtendedColorType::Rgb8,
            PixelFormat::Rgba8 => ExtendedColorType::Rgba8,
            PixelFormat::Grey8 => ExtendedColorType::L8,
            other => return Err(failed(format!("{other:?} has more than 8 bits"))),
        };
        let written = encoder.write_image(&self.pixels, self.width_px, self.height_px, color);
        written.map_err(|e| failed(e.to_string()))
    }

    /// Reads PNG, JPEG or WebP as RGB8 (RGBA8 with alpha). 16-bit pictures lose the low byte.
    ///
    /// # Errors
    /// [`ImageError::Decode`] and [`ImageError::TooLarge`].
    pub fn decode(bytes: &[u8]) -> Result<Self, ImageError> {
        Self::decoded(bytes, |_| None)
    }

    /// The same for a photo or its mask, turned as its camera noted (Exif), which is returned.
    /// `turned` is how a picture of that stored size is turned that notes nothing itself.
    ///
    /// # Errors
    /// As [`decode`](Self::decode); HEIC and AVIF of phones are refused with a remedy.
    pub fn decode_photo(
        bytes: &[u8],
        turned: Option<PhotoTurn>,
    ) -> Result<(Self, PhotoTurn), ImageError> {
        if let Some(name) = phone_format(bytes) {
            return Err(ImageError::Decode {
                reason: format!(
                    "{name} is not supported; convert it to PNG or JPEG first (`magick photo.{ext} photo.png`)",
                    ext = name.to_lowercase()
                ),
            });
        }
        let mut turn = PhotoTurn { stored_px: (0, 0), orientation: Orientation::NoTransforms };
        let image = Self::decoded(bytes, |(stored_px, own)| {
            let same = turned.filter(|it| it.stored_px == stored_px);
            let orientation = match own {
                Orientation::NoTransforms => same.map_or(own, |it| it.orientation),
                own => own,
            };
            turn = PhotoTurn { stored_px, orientation };
            Some(orientation)
        })?;
        Ok((image, turn))
    }

    fn decoded(
        bytes: &[u8],
        turn: impl FnOnce(((u32, u32), Orientation)) -> Option<Orientation>,
    ) -> Result<Self, ImageError> {
        let decode = |e: &dyn std::fmt::Display| ImageError::Decode { reason: e.to_string() };
        if is_cut_off(bytes) {
            return Err(decode(&"the JPEG is cut off; get the whole file again"));
        }
        let reader = || {
            ::image::ImageReader::new(std::io::Cursor::new(bytes))
                .with_guessed_format()
                .map_err(|e| decode(&e))
        };
        let (width_px, height_px) = reader()?.into_dimensions().map_err(|e| decode(&e))?;
        if u64::from(width_px) * u64::from(height_px) > Self::PIXELS_MAX {
            return Err(ImageError::TooLarge { width_px, height_px });
        }
        let mut reader = reader()?;
        // The size is checked above; the crate's limit of 512 MiB would refuse pictures we allow.
        reader.no_limits();
        let mut decoder = reader.into_decoder().map_err(|e| decode(&e))?;
        let own = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let mut decoded = ::image::DynamicImage::from_decoder(decoder).map_err(|e| decode(&e))?;
        if let Some(orientation) = turn(((width_px, height_px), own)) {
            decoded.apply_orientation(orientation);
        }
        let (width_px, height_px) = (decoded.width(), decoded.height());
        let (format, pixels) = if decoded.color().has_alpha() {
            (PixelFormat::Rgba8, decoded.into_rgba8().into_raw())
        } else {
            (PixelFormat::Rgb8, decoded.into_rgb8().into_raw())
        };
        Ok(Self { width_px, height_px, format, pixels })
    }
}

/// How a photo is turned, and the size that it is stored in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhotoTurn {
    stored_px: (u32, u32),
    orientation: Orientation,
}

/// Whether a JPEG has no end of image after its headers, whose thumbnail may have one: decoders
/// fill the rest with grey.
fn is_cut_off(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.strip_prefix(&[0xff, 0xd8]) else {
        return false;
    };
    // A segment: its marker, and its length with the two bytes of the length.
    while let [0xff, marker, high, low, ..] = *rest {
        let len = 2 + usize::from(u16::from_be_bytes([high, low]));
        match marker {
            0xff => rest = &rest[1..],
            0xda => return !rest.windows(2).any(|pair| pair == [0xff, 0xd9]),
            _ if rest.len() >= len => rest = &rest[len..],
            _ => return true,
        }
    }
    false
}

/// The name of an unsupported picture format of phones.
fn phone_format(bytes: &[u8]) -> Option<&'static str> {
    let brand = bytes.get(4..12)?.strip_prefix(b"ftyp")?;
    match brand {
        b"avif" | b"avis" => Some("AVIF"),
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"mif1" | b"msf1" => Some("HEIC"),
        _ => None,
    }
}

fn step16(value: f32) -> u16 {
    (value.clamp(0.0, 1.0) * 65_535.0 + 0.5) as u16
}

#[cfg(test)]
mod tests {
    use super::is_cut_off;

    /// Two segments, the first of which has a whole thumbnail; then the picture.
    #[test]
    fn a_jpeg_needs_an_end_after_its_headers() {
        let thumbnail = [0xff, 0xd8, 0xff, 0xda, 0, 2, 7, 0xff, 0xd9];
        let head = [&[0xff, 0xd8, 0xff, 0xe1, 0, 11][..], &thumbnail, &[0xff, 0xda, 0, 2]].concat();
        let with = |rest: &[u8]| [&head[..], rest].concat();
        assert!(is_cut_off(&with(&[1, 2, 3])));
        assert!(is_cut_off(&head[..10]));
        assert!(!is_cut_off(&with(&[1, 2, 3, 0xff, 0xd9])));
        assert!(!is_cut_off(&with(&[1, 0xff, 0xd9, 0, 0])), "with something behind it");
        assert!(!is_cut_off(b"\x89PNG"));
    }
}
