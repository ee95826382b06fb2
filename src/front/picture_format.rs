//! Pictures as files of a chosen format. PNG holds every channel; what another format cannot hold
//! without loss of meaning stays PNG.

use crate::render::{Channel, Image, ImageError, PixelFormat};
use serde::{Deserialize, Serialize};

/// A format of picture files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PictureFormat {
    /// 8 and 16 bits, without loss.
    #[default]
    Png,
    /// Quality 95, for `rgb` without alpha, `matte`, `base-color`, `emissive`: noise is harmless.
    Jpeg,
    /// Without loss, for channels of 8 bits.
    Webp,
    /// 32-bit floats, uncompressed; colours in linear light, other channels from 0 to 1,
    /// `position`, `z`, `expected-z` and `uv` as they are.
    Exr,
    /// NumPy's `.npy` with the values of the Python package: height × width × components.
    Npy,
}

/// Quality of JPEG: no visible difference, and sharp edges.
const JPEG_QUALITY: u8 = 95;

impl PictureFormat {
    /// The format that a channel's pictures have where this one is asked for.
    pub(super) fn of(self, channel: Channel, has_alpha: bool) -> Self {
        let is_deep = !matches!(channel.format(), PixelFormat::Rgb8 | PixelFormat::Grey8);
        match self {
            Self::Jpeg if !channel.is_color() || has_alpha => Self::Png,
            Self::Webp if is_deep => Self::Png,
            format => format,
        }
    }

    /// Whether a file is named as one of our pictures.
    pub(super) fn is_picture(name: &str) -> bool {
        let all = [Self::Png, Self::Jpeg, Self::Webp, Self::Exr, Self::Npy];
        name.rsplit_once('.').is_some_and(|(_, end)| all.iter().any(|f| f.extension() == end))
    }

    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Webp => "webp",
            Self::Exr => "exr",
            Self::Npy => "npy",
        }
    }

    /// The bytes of a picture that this format can hold; of PNG the caller knows more.
    pub(super) fn encode(self, channel: Channel, image: &Image) -> Result<Vec<u8>, ImageError> {
        match self {
            Self::Png => image.to_png(),
            Self::Jpeg => image.to_jpeg(JPEG_QUALITY),
            Self::Webp => image.to_webp(),
            Self::Exr => Ok(exr(channel, image)),
            Self::Npy => Ok(npy(image)),
        }
    }
}

/// A picture's numbers as floats.
fn floats(channel: Channel, image: &Image) -> Vec<f32> {
    let components = image.format.components();
    match image.format {
        PixelFormat::Grey32F | PixelFormat::Rgba32F => image.floats().collect(),
        PixelFormat::Grey16 => {
            let (pairs, _) = image.pixels.as_chunks::<2>();
            let steps = pairs.iter().map(|&pair| f32::from(u16::from_be_bytes(pair)));
            // A part is a number, not a share.
            let full = if channel == Channel::Part { 1.0 } else { 65_535.0 };
            steps.map(|step| step / full).collect()
        }
        _ => {
            let value = |(k, &byte): (usize, &u8)| {
                let share = f32::from(byte) / 255.0;
                let is_alpha = components == 4 && k % 4 == 3;
                match channel.is_color() && !is_alpha {
                    // IEC 61966-2-1.
                    true if share <= 0.040_45 => share / 12.92,
                    true => libm::powf((share + 0.055) / 1.055, 2.4),
                    false => share,
                }
            };
            image.pixels.iter().enumerate().map(value).collect()
        }
    }
}

/// A scan-line file without compression (OpenEXR file layout, version 2).
fn exr(channel: Channel, image: &Image) -> Vec<u8> {
    let components = image.format.components();
    // By name, as the format sorts them: each with its place in the pixel.
    let names: &[(&str, usize)] = match components {
        1 => &[("Y", 0)],
        3 => &[("B", 2), ("G", 1), ("R", 0)],
        _ => &[("A", 3), ("B", 2), ("G", 1), ("R", 0)],
    };
    let mut out = vec![0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0];
    let mut attribute = |name: &str, kind: &str, value: &[u8]| {
        for text in [name, kind] {
            out.extend(text.as_bytes());
            out.push(0);
        }
        out.extend((value.len() as u32).to_le_bytes());
        out.extend(value);
    };
    let mut channels = Vec::new();
    for (name, _) in names {
        channels.extend(name.as_bytes());
        channels.push(0);
        for number in [2_u32, 0, 1, 1] {
            channels.extend(number.to_le_bytes()); // float, not perceptual, every pixel
        }
    }
    channels.push(0);
    let window: Vec<u8> = [0, 0, image.width_px - 1, image.height_px - 1]
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect();
    attribute("channels", "chlist", &channels);
    attribute("compression", "compression", &[0]);
    attribute("dataWindow", "box2i", &window);
    attribute("displayWindow", "box2i", &window);
    attribute("lineOrder", "lineOrder", &[0]);
    attribute("pixelAspectRatio", "float", &1.0_f32.to_le_bytes());
    attribute("screenWindowCenter", "v2f", &[0; 8]);
    attribute("screenWindowWidth", "float", &1.0_f32.to_le_bytes());
    out.push(0);
    let (width, height) = (image.width_px as usize, image.height_px as usize);
    let row_bytes = width * components * 4;
    let first = out.len() + height * 8;
    for y in 0..height {
        out.extend(((first + y * (row_bytes + 8)) as u64).to_le_bytes());
    }
    let values = floats(channel, image);
    for (y, row) in values.chunks_exact(width * components).enumerate() {
        out.extend((y as u32).to_le_bytes());
        out.extend((row_bytes as u32).to_le_bytes());
        for (_, place) in names {
            out.extend(row.iter().skip(*place).step_by(components).flat_map(|v| v.to_le_bytes()));
        }
    }
    out
}

fn npy(image: &Image) -> Vec<u8> {
    let descr = match image.format {
        PixelFormat::Rgb8 | PixelFormat::Rgba8 | PixelFormat::Grey8 => "|u1",
        PixelFormat::Grey16 => "<u2",
        PixelFormat::Grey32F | PixelFormat::Rgba32F => "<f4",
    };
    let size = [image.height_px, image.width_px].map(|px| px as usize);
    let mut bytes = image.pixels.clone();
    if image.format == PixelFormat::Grey16 {
        // Little-endian like the others; PyTorch reads nothing else.
        bytes.as_chunks_mut::<2>().0.iter_mut().for_each(|pair| pair.reverse());
    }
    crate::save::npy(descr, &[size[0], size[1], image.format.components()], &bytes)
}
