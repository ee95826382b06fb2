//! SOG versions 1 and 2 (PlayCanvas), a folder with `meta.json` or the same as a bundle → planes.
//! Lossless WebP pictures, pixel i is splat i. Version 1 has ranges in place of codebooks, and
//! logits of opacity. Axes as 3DGS PLY.

use super::bytes::{check_count, exp, plane, planes, with_largest};
use super::found::Found;
use super::ply::sigmoid;
use super::{Format, NamedFiles, ReadError};
use crate::harmonics::coefficients;
use crate::splats::SplatParts;
use serde::Deserialize;
use serde_json::Value;
use std::f32::consts::FRAC_1_SQRT_2;
use std::io::Cursor;

const NAME: &str = "SOG";

/// Entries of the palette of harmonics in one row of its picture, and at most in all.
const PALETTE_ROW: usize = 64;
const PALETTE_MAX: usize = 1 << 16;

/// Pixels that a picture may have beyond twice the splat count: the largest palette of degree 3.
const PIXELS_BASE: usize = PALETTE_MAX * 15;

#[derive(Deserialize)]
struct Meta {
    version: Option<u32>,
    count: Option<u64>,
    means: Option<Means>,
    scales: Option<Coded>,
    quats: Option<Files>,
    sh0: Option<Coded>,
    #[serde(rename = "shN")]
    sh_n: Option<Palette>,
    model: Option<String>,
    #[serde(default)]
    antialias: bool,
}

/// Names of all members that are read, or say how the others were made.
const MEMBERS: [&str; 20] = [
    "antialias",
    "asset",
    "bands",
    "codebook",
    "count",
    "dtype",
    "encoding",
    "files",
    "generator",
    "maxs",
    "means",
    "mins",
    "model",
    "quantization",
    "quats",
    "scales",
    "sh0",
    "shN",
    "shape",
    "version",
];

/// The names of other members, at any depth.
fn unknown_members(json: &Value, found: &mut Vec<String>) {
    for (name, inner) in json.as_object().into_iter().flatten() {
        if !MEMBERS.contains(&name.as_str()) {
            found.push(name.clone());
        } else if name != "asset" {
            unknown_members(inner, found);
        }
    }
}

#[derive(Deserialize)]
struct Means {
    /// Of version 1: the count and 3.
    #[serde(default)]
    shape: Vec<u64>,
    mins: [f32; 3],
    maxs: [f32; 3],
    files: [String; 2],
}

#[derive(Deserialize)]
struct Coded {
    #[serde(flatten)]
    code: Code,
    files: [String; 1],
}

/// What the bytes of a picture mean.
#[derive(Deserialize)]
#[serde(untagged)]
enum Code {
    /// Of version 2. A first entry that is null goes on as the others do (splat-transform 2.7).
    Book { codebook: Vec<Option<f32>> },
    /// Of version 1: the values of 0 and 255 in each channel.
    Ranges { mins: Vec<f32>, maxs: Vec<f32> },
    /// The same for all channels.
    Range { mins: f32, maxs: f32 },
}

impl Code {
    /// NaN where there is none: the splat is left out.
    fn value(&self, byte: u8, channel: usize) -> f32 {
        let between = |from: f32, to: f32| from + (to - from) * (f32::from(byte) / 255.0);
        match self {
            Self::Book { codebook } => {
                let entry = |i: usize| codebook.get(i).copied().flatten();
                let first = || Some(entry(1)? + (entry(1)? - entry(codebook.len() - 1)?) / 255.0);
                let found = entry(usize::from(byte)).or_else(|| first().filter(|_| byte == 0));
                found.unwrap_or(f32::NAN)
            }
            Self::Ranges { mins, maxs } => match (mins.get(channel), maxs.get(channel)) {
                (Some(&from), Some(&to)) => between(from, to),
                _ => f32::NAN,
            },
            Self::Range { mins, maxs } => between(*mins, *maxs),
        }
    }
}

#[derive(Deserialize)]
struct Files {
    files: [String; 1],
}

#[derive(Deserialize)]
struct Palette {
    /// Of version 2.
    count: Option<usize>,
    bands: Option<usize>,
    #[serde(flatten)]
    code: Code,
    files: [String; 2],
}

/// Most bytes of a `meta.json`. Real ones have 10 to 20 kB, three codebooks of 256 numbers; a
/// larger JSON text is not parsed to find out.
const META_BYTES_MAX: usize = 1 << 20;

/// Whether a JSON text is a `meta.json` of SOG, by its keys.
pub(super) fn is_meta(bytes: &[u8]) -> bool {
    let is_short = bytes.len() <= META_BYTES_MAX;
    is_short
        && serde_json::from_slice::<Value>(bytes)
            .is_ok_and(|json| json.get("means").is_some() && json.get("quats").is_some())
}

pub(super) fn read(
    meta: &[u8],
    main_bytes: usize,
    files: &NamedFiles<'_>,
) -> Result<Found, ReadError> {
    let broken = |reason: String| ReadError::malformed(NAME, reason);
    let unread = |reason: serde_json::Error| broken(format!("meta.json: {reason}"));
    let members: Value = serde_json::from_slice(meta).map_err(unread)?;
    let mut ignored = Vec::new();
    unknown_members(&members, &mut ignored);
    let meta = Meta::deserialize(members).map_err(unread)?;
    let version = meta.version.unwrap_or(1);
    if !matches!(version, 1 | 2) {
        let what = format!("SOG version {version}");
        let remedy = "export it as version 2, as splat-transform does";
        return Err(ReadError::unsupported(what, remedy));
    }
    let lacking = |what: &str| broken(format!("meta.json has no {what}"));
    let means = meta.means.ok_or_else(|| lacking("means"))?;
    let scales = meta.scales.ok_or_else(|| lacking("scales"))?;
    let quats = meta.quats.ok_or_else(|| lacking("quats"))?;
    let sh0 = meta.sh0.ok_or_else(|| lacking("sh0"))?;
    let wanted = meta.count.or(means.shape.first().copied()).ok_or_else(|| lacking("count"))?;
    let mut names =
        vec![&means.files[0], &means.files[1], &scales.files[0], &quats.files[0], &sh0.files[0]];
    names.extend(meta.sh_n.iter().flat_map(|palette| &palette.files));
    let mut bytes = Vec::new();
    for name in names {
        bytes.push(files(name)?);
    }
    let count = check_count(wanted, main_bytes + bytes.iter().map(Vec::len).sum::<usize>())?;
    let mut pictures = Vec::new();
    for (k, bytes) in bytes.iter().enumerate() {
        pictures.push(Picture::decode(bytes, 2 * count + PIXELS_BASE)?);
        let is_per_splat = k != 5;
        if is_per_splat && pictures[k].pixels() < count {
            return Err(broken(format!(
                "a picture of {} pixels for {count} splats",
                pictures[k].pixels()
            )));
        }
    }
    let [low, high, scale, quat, color] = &pictures[..5] else {
        unreachable!("five pictures are decoded")
    };
    let position = |i: usize, axis: usize| {
        let unit = f32::from(u16::from_le_bytes([low.get(i)[axis], high.get(i)[axis]])) / 65535.0;
        let value = means.mins[axis] + (means.maxs[axis] - means.mins[axis]) * unit;
        let size = libm::expm1(f64::from(value.abs())) as f32;
        size.copysign(value)
    };
    let rotation = |i: usize| {
        let [x, y, z, mode] = quat.get(i);
        let others = [x, y, z].map(|b| (f32::from(b) / 255.0 * 2.0 - 1.0) * FRAC_1_SQRT_2);
        match mode {
            252..=255 => with_largest(usize::from(mode - 252), others),
            _ => [f32::NAN; 4],
        }
    };
    let mut parts = SplatParts {
        position: planes(count, position),
        scale: planes(count, |i, axis| exp(scales.code.value(scale.get(i)[axis], axis).into())),
        rotation: planes(count, |i, axis| rotation(i)[axis]),
        opacity: plane(count, |i| match version {
            1 => sigmoid(sh0.code.value(color.get(i)[3], 3).into()),
            _ => f32::from(color.get(i)[3]) / 255.0,
        }),
        harmonics: planes::<3>(count, |i, c| sh0.code.value(color.get(i)[c], c)).into(),
        ..SplatParts::default()
    };
    if let Some(palette) = &meta.sh_n {
        parts.harmonics.extend(palette_planes(palette, &pictures[5], &pictures[6], count)?);
    }
    let mut found = Found::new(Format::Sog, parts);
    found.ignored = ignored;
    found.antialiased = Some(meta.antialias || meta.model.as_deref() == Some("antialiased"));
    Ok(found)
}

/// Higher harmonics: pictures of labels and of the palette, whose bytes go through a codebook.
fn palette_planes(
    palette: &Palette,
    centroids: &Picture,
    labels: &Picture,
    count: usize,
) -> Result<Vec<Vec<f32>>, ReadError> {
    // Version 1 says neither: the picture is as wide as a row of entries, and has full rows.
    let of_width =
        (1..=3).find(|&bands| (coefficients(bands) - 1) * PALETTE_ROW == centroids.width);
    let bands = palette.bands.or(of_width).unwrap_or(0);
    let rows_there = centroids.pixels() / centroids.width.max(1);
    let entries = palette.count.unwrap_or(PALETTE_MAX.min(rows_there * PALETTE_ROW));
    if !(1..=3).contains(&bands) || entries > PALETTE_MAX {
        let reason = format!("a palette of {entries} harmonics in {bands} bands");
        return Err(ReadError::malformed(NAME, reason));
    }
    let per_entry = coefficients(bands) - 1;
    let rows = entries.div_ceil(PALETTE_ROW);
    if centroids.width < PALETTE_ROW * per_entry || centroids.pixels() < rows * centroids.width {
        return Err(ReadError::malformed(NAME, "the picture of the palette is too small"));
    }
    let value = |i: usize, k: usize, channel: usize| {
        let [low, high, ..] = labels.get(i);
        let label = usize::from(u16::from_le_bytes([low, high]));
        if label >= entries {
            return f32::NAN;
        }
        let pixel = label / PALETTE_ROW * centroids.width + label % PALETTE_ROW * per_entry + k;
        palette.code.value(centroids.get(pixel)[channel], channel)
    };
    let order = (0..per_entry).flat_map(|k| [0, 1, 2].map(|channel| (k, channel)));
    Ok(order.map(|(k, channel)| plane(count, |i| value(i, k, channel))).collect())
}

/// A decoded picture, RGBA.
struct Picture {
    width: usize,
    rgba: Vec<[u8; 4]>,
}

impl Picture {
    fn decode(bytes: &[u8], pixels_max: usize) -> Result<Self, ReadError> {
        let broken =
            |reason: String| ReadError::malformed(NAME, format!("a picture is no WebP ({reason})"));
        let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes))
            .map_err(|reason| broken(reason.to_string()))?;
        let (width, height) = decoder.dimensions();
        let pixels = u64::from(width) * u64::from(height);
        if pixels > pixels_max as u64 {
            return Err(ReadError::TooMany {
                what: "pixels in a picture of this file",
                found: pixels,
                max: pixels_max as u64,
            });
        }
        if decoder.is_animated() || decoder.is_lossy() {
            return Err(broken("it must be lossless and still".to_owned()));
        }
        let channels = if decoder.has_alpha() { 4 } else { 3 };
        let mut out = vec![0; pixels as usize * channels];
        decoder.read_image(&mut out).map_err(|reason| broken(reason.to_string()))?;
        let rgba = match channels {
            4 => out.as_chunks().0.to_vec(),
            _ => out.as_chunks().0.iter().map(|&[r, g, b]| [r, g, b, 255]).collect(),
        };
        Ok(Self { width: width as usize, rgba })
    }

    fn pixels(&self) -> usize {
        self.rgba.len()
    }

    fn get(&self, pixel: usize) -> [u8; 4] {
        self.rgba[pixel]
    }
}
