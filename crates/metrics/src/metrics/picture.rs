//! Pictures against reference pictures: PSNR, variants of SSIM, MS-SSIM, silhouettes.
//!
//! Values are encoded (sRGB as in the file), from 0 to 1; alpha is laid over a named background in
//! that space before anything is compared.

use super::definition::{FigureDefinition, Ground};
use super::error::MetricError;
use crate::render::{Image, PixelFormat};
use crate::scene::one_of;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// Raised with every change that moves a number.
const DEFINITIONS_VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    width: usize,
    height: usize,
    /// Row-major from the top left, 0 to 1.
    rgb: Vec<[f64; 3]>,
    /// As long as `rgb`; `None` if the background is unknown.
    alpha: Option<Vec<f64>>,
    /// Whether `rgb` has its background already, so that `alpha` only marks the inside.
    is_composited: bool,
}

impl Picture {
    /// With the mask's first channel as alpha, else its own alpha if it has some.
    ///
    /// # Errors
    /// [`MetricError::PictureSize`] where the mask has another size, [`MetricError::FloatPicture`].
    pub fn of(image: &Image, mask: Option<&Image>) -> Result<Self, MetricError> {
        let unit = |byte: u8| f64::from(byte) / 255.0;
        if let Some(format) = [Some(image), mask]
            .into_iter()
            .flatten()
            .map(|i| i.format)
            .find(|format| format.is_float())
        {
            return Err(MetricError::FloatPicture { format });
        }
        let bytes = image.format.bytes();
        let pixels = image.pixels.chunks_exact(bytes);
        let rgb = pixels
            .clone()
            .map(|p| match image.format {
                PixelFormat::Rgb8 | PixelFormat::Rgba8 => [p[0], p[1], p[2]].map(unit),
                PixelFormat::Grey8 => [unit(p[0]); 3],
                PixelFormat::Grey16 => [f64::from(u16::from_be_bytes([p[0], p[1]])) / 65535.0; 3],
                PixelFormat::Grey32F | PixelFormat::Rgba32F => unreachable!("refused above"),
            })
            .collect();
        let alpha = match (mask, image.format) {
            (Some(mask), _) => {
                same_size([image.width_px, image.height_px], [mask.width_px, mask.height_px])?;
                let first = mask.pixels.chunks_exact(mask.format.bytes());
                Some(first.map(|p| unit(p[0])).collect())
            }
            (None, PixelFormat::Rgba8) => Some(pixels.map(|p| unit(p[3])).collect()),
            _ => None,
        };
        let (width, height) = (image.width_px as usize, image.height_px as usize);
        Ok(Self { width, height, rgb, alpha, is_composited: false })
    }

    /// Of a picture that has its background already, where it has no alpha of its own; the mask
    /// then only marks the inside.
    ///
    /// # Errors
    /// As [`Picture::of`].
    pub fn composited(image: &Image, mask: Option<&Image>) -> Result<Self, MetricError> {
        match image.format {
            PixelFormat::Rgba8 => Self::of(image, None),
            _ => Ok(Self { is_composited: true, ..Self::of(image, mask)? }),
        }
    }

    /// Channel-major: all of red, then green, then blue.
    fn over(&self, ground: Ground) -> [Vec<f64>; 3] {
        let ground = match ground {
            Ground::White => 1.0,
            Ground::Black => 0.0,
            Ground::Grey => 0.5,
        };
        [0, 1, 2].map(|c| {
            let colors = self.rgb.iter().map(|pixel| pixel[c]);
            match self.alpha.as_ref().filter(|_| !self.is_composited) {
                Some(alpha) => {
                    colors.zip(alpha).map(|(color, a)| color * a + (1.0 - a) * ground).collect()
                }
                None => colors.collect(),
            }
        })
    }

    fn is_inside(&self) -> Option<Vec<bool>> {
        let alpha = self.alpha.as_ref()?;
        Some(alpha.iter().map(|a| *a >= 0.5).collect())
    }
}

fn same_size(a_px: [u32; 2], b_px: [u32; 2]) -> Result<(), MetricError> {
    if a_px == b_px { Ok(()) } else { Err(MetricError::PictureSize { a_px, b_px }) }
}

/// How windows meet the picture's border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Border {
    /// Whole windows only.
    Valid,
    /// Mirrored about the outermost pixel, which is not repeated.
    Reflect,
    /// Zeros outside.
    Zero,
}

/// One window of SSIM.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Window {
    size: usize,
    /// Of a Gaussian; `None` weighs all alike.
    sigma: Option<f64>,
    border: Border,
    /// Covariances over N − 1 instead of N.
    is_sample: bool,
}

const WANG: Window = Window { size: 11, sigma: Some(1.5), border: Border::Valid, is_sample: false };

/// Which pixels, or which windows by their middle.
#[derive(Debug, Clone, Copy)]
enum Pixels {
    All,
    /// Inside either mask.
    Union,
    /// Inside the reference's mask.
    Inside,
}

#[derive(Debug, Clone, Copy)]
enum Formula {
    Mse,
    Psnr(Pixels),
    Ssim(Window, Pixels),
    MultiScaleSsim,
    MaskIou,
}

/// A row of the table: name, formula in words, formula. More is better of all but the first.
type Kind = (&'static str, &'static str, Formula);

const KINDS: [Kind; 11] = [
    ("mse", "mean of squared differences over pixels and channels, values 0 to 1", Formula::Mse),
    ("psnr", "10 log10(1 / mse) in dB; identical pictures have none", Formula::Psnr(Pixels::All)),
    ("psnr_union", "psnr over pixels inside either mask", Formula::Psnr(Pixels::Union)),
    (
        "psnr_inside",
        "psnr over pixels inside the reference's mask; what floats outside it is not seen",
        Formula::Psnr(Pixels::Inside),
    ),
    (
        "ssim",
        "Wang et al. 2004: Gaussian window 11 x 11, sigma 1.5, whole windows only, covariances over N, K 0.01 and 0.03, range 1, mean over windows and channels",
        Formula::Ssim(WANG, Pixels::All),
    ),
    (
        "ssim_union",
        "ssim, mean over the windows whose middle is inside either mask",
        Formula::Ssim(WANG, Pixels::Union),
    ),
    (
        "ssim_uniform7",
        "SSIM with a uniform window 7 x 7, whole windows only, covariances over N - 1, K 0.01 and 0.03, range 1",
        Formula::Ssim(Window { size: 7, sigma: None, is_sample: true, ..WANG }, Pixels::All),
    ),
    (
        "ssim_reflect",
        "ssim with reflected borders, over the whole picture, variances at least 0",
        Formula::Ssim(Window { border: Border::Reflect, ..WANG }, Pixels::All),
    ),
    (
        "ssim_zero",
        "ssim with zeros outside, over the whole picture",
        Formula::Ssim(Window { border: Border::Zero, ..WANG }, Pixels::All),
    ),
    (
        "ms_ssim",
        "Wang, Simoncelli and Bovik 2003: over 5 scales of ssim's windows, product of mean contrast-structure at the first four and mean SSIM at the last, at least 0, to the powers 0.0448, 0.2856, 0.3001, 0.2363 and 0.1333; scales halved by means of 2 x 2, an odd last row or column left out; mean over channels",
        Formula::MultiScaleSsim,
    ),
    (
        "mask_iou",
        "pixels inside both masks / inside either; inside: alpha >= 1/2",
        Formula::MaskIou,
    ),
];

/// A metric of pictures, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureMetric(usize);

impl PictureMetric {
    pub fn all() -> impl Iterator<Item = Self> {
        (0..KINDS.len()).map(Self)
    }

    pub fn name(self) -> &'static str {
        KINDS[self.0].0
    }

    pub fn is_lower_better(self) -> bool {
        self.0 == 0
    }

    pub fn definition(self, ground: Ground) -> FigureDefinition {
        FigureDefinition {
            metric: self.name(),
            formula: KINDS[self.0].1,
            version: DEFINITIONS_VERSION,
            background: (!matches!(KINDS[self.0].2, Formula::MaskIou)).then_some(ground),
        }
    }
}

impl fmt::Display for PictureMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PictureMetric {
    type Err = MetricError;

    fn from_str(text: &str) -> Result<Self, MetricError> {
        Self::all().find(|metric| metric.name() == text).ok_or_else(|| MetricError::Unknown {
            name: text.to_owned(),
            known: one_of(text, Self::all().map(Self::name)),
        })
    }
}

/// A number of two pictures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PictureValue {
    pub metric: &'static str,
    pub value: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
    pub definition: String,
}

/// Why a PSNR has no number.
pub const IDENTICAL: &str = "identical pictures: infinite";

/// Measures a picture against its reference, in the order of `metrics`.
///
/// # Errors
/// Pictures of two sizes, or smaller than a window that is asked for.
pub fn compare_pictures(
    result: &Picture,
    reference: &Picture,
    metrics: &[PictureMetric],
    ground: Ground,
) -> Result<Vec<PictureValue>, MetricError> {
    let size = |p: &Picture| [p.width as u32, p.height as u32];
    same_size(size(result), size(reference))?;
    let pair = Pair {
        width: result.width,
        height: result.height,
        a: result.over(ground),
        b: reference.over(ground),
        inside: [result.is_inside(), reference.is_inside()],
    };
    let value = |metric: &PictureMetric| -> Result<PictureValue, MetricError> {
        let (value, why) = match pair.value(KINDS[metric.0].2)? {
            Ok(value) => (Some(value), None),
            Err(why) => (None, Some(why)),
        };
        Ok(PictureValue {
            metric: metric.name(),
            value,
            why,
            definition: metric.definition(ground).hash(),
        })
    };
    metrics.iter().map(value).collect()
}

struct Pair {
    width: usize,
    height: usize,
    a: [Vec<f64>; 3],
    b: [Vec<f64>; 3],
    inside: [Option<Vec<bool>>; 2],
}

/// A number, or why there is none.
type Found = Result<f64, &'static str>;

impl Pair {
    fn value(&self, formula: Formula) -> Result<Found, MetricError> {
        const NO_MASKS: &str = "no masks";
        const NOTHING_INSIDE: &str = "nothing inside the masks";
        let count = |pixels: &[bool]| pixels.iter().filter(|is_in| **is_in).count();
        Ok(match formula {
            Formula::Mse => self.mse(&self.everywhere()).ok_or("no pixels"),
            Formula::Psnr(pixels) => match self.pixels(pixels) {
                None => Err(NO_MASKS),
                Some(pixels) => match self.mse(&pixels) {
                    None => Err(NOTHING_INSIDE),
                    Some(0.0) => Err(IDENTICAL),
                    Some(mse) => Ok(-10.0 * libm::log10(mse)),
                },
            },
            Formula::Ssim(window, pixels) => match self.pixels(pixels) {
                None => Err(NO_MASKS),
                Some(pixels) => self.ssim(&window, &pixels)?,
            },
            Formula::MultiScaleSsim => self.ms_ssim(),
            Formula::MaskIou => {
                match (self.of_masks(|a, b| a && b), self.of_masks(|a, b| a || b)) {
                    (Some(both), Some(either)) => match count(&either) {
                        0 => Err(NOTHING_INSIDE),
                        either => Ok(count(&both) as f64 / either as f64),
                    },
                    _ => Err(NO_MASKS),
                }
            }
        })
    }

    fn everywhere(&self) -> Vec<bool> {
        vec![true; self.width * self.height]
    }

    /// `None` without the masks that they need.
    fn pixels(&self, pixels: Pixels) -> Option<Vec<bool>> {
        match pixels {
            Pixels::All => Some(self.everywhere()),
            Pixels::Union => self.of_masks(|a, b| a || b),
            Pixels::Inside => self.inside[1].clone(),
        }
    }

    fn of_masks(&self, of: impl Fn(bool, bool) -> bool) -> Option<Vec<bool>> {
        let [a, b] = self.inside.each_ref().map(Option::as_ref);
        Some(a?.iter().zip(b?).map(|(a, b)| of(*a, *b)).collect())
    }

    /// `None` without a pixel.
    fn mse(&self, pixels: &[bool]) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0_usize);
        for (at, _) in pixels.iter().enumerate().filter(|(_, is_in)| **is_in) {
            for c in 0..3 {
                let off = self.a[c][at] - self.b[c][at];
                sum += off * off;
            }
            count += 3;
        }
        (count > 0).then(|| sum / count as f64)
    }

    /// The mean over windows whose middle is one of `pixels`, and over channels.
    fn ssim(&self, window: &Window, pixels: &[bool]) -> Result<Found, MetricError> {
        self.check_size(window.size)?;
        let (mut total, mut count) = (0.0, 0_usize);
        let size = [self.width, self.height];
        for (a, b) in self.a.iter().zip(&self.b) {
            let (half, out_width) = match window.border {
                Border::Valid => (window.size / 2, self.width - window.size + 1),
                _ => (0, self.width),
            };
            for (at, [ssim, _]) in terms([a, b], size, window).enumerate() {
                let (x, y) = (at % out_width + half, at / out_width + half);
                if pixels[y * self.width + x] {
                    total += ssim;
                    count += 1;
                }
            }
        }
        Ok(match count {
            0 => Err("no window inside the masks"),
            _ => Ok(total / count as f64),
        })
    }

    fn ms_ssim(&self) -> Found {
        /// Wang, Simoncelli and Bovik 2003, section 3.2.
        const POWERS: [f64; 5] = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333];
        if self.check_size(WANG.size << (POWERS.len() - 1)).is_err() {
            return Err("five scales need 176 x 176 px");
        }
        let mut total = 0.0;
        for (a, b) in self.a.iter().zip(&self.b) {
            let mut both = [a.clone(), b.clone()];
            let (mut size, mut product) = ([self.width, self.height], 1.0);
            for (scale, power) in POWERS.into_iter().enumerate() {
                let (mut sums, mut count) = ([0.0; 2], 0.0);
                for [ssim, contrast] in terms([&both[0], &both[1]], size, &WANG) {
                    sums = [sums[0] + ssim, sums[1] + contrast];
                    count += 1.0;
                }
                let is_last = scale + 1 == POWERS.len();
                let mean = if is_last { sums[0] } else { sums[1] } / count;
                product *= libm::pow(mean.max(0.0), power);
                both = both.map(|map| halved(&map, size));
                size = size.map(|length| length / 2);
            }
            total += product;
        }
        Ok(total / 3.0)
    }

    fn check_size(&self, window_px: usize) -> Result<(), MetricError> {
        if self.width.min(self.height) >= window_px {
            return Ok(());
        }
        Err(MetricError::PictureTooSmall {
            size_px: [self.width as u32, self.height as u32],
            window_px: window_px as u32,
        })
    }
}

/// SSIM, and its contrast-structure term, of each window of two maps of a width and a height.
fn terms(
    [a, b]: [&[f64]; 2],
    size: [usize; 2],
    window: &Window,
) -> impl Iterator<Item = [f64; 2]> + use<> {
    const C1: f64 = 0.01 * 0.01;
    const C2: f64 = 0.03 * 0.03;
    let samples = (window.size * window.size) as f64;
    let scale = if window.is_sample { samples / (samples - 1.0) } else { 1.0 };
    let is_reflected = window.border == Border::Reflect;
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).collect();
    let maps = [a.to_vec(), b.to_vec(), product(a, a), product(b, b), product(a, b)];
    let maps: [Vec<f64>; 5] = maps.map(|map| filtered(&map, size, window));
    (0..maps[0].len()).map(move |at| {
        let [ma, mb, aa, bb, ab] = maps.each_ref().map(|map| map[at]);
        let [va, vb, vab] = [aa - ma * ma, bb - mb * mb, ab - ma * mb].map(|v| v * scale);
        let [va, vb] = if is_reflected { [va.max(0.0), vb.max(0.0)] } else { [va, vb] };
        let contrast = (2.0 * vab + C2) / (va + vb + C2);
        let ssim =
            (2.0 * ma * mb + C1) * (2.0 * vab + C2) / ((ma * ma + mb * mb + C1) * (va + vb + C2));
        [ssim, contrast]
    })
}

/// Means of 2 × 2.
fn halved(map: &[f64], [width, height]: [usize; 2]) -> Vec<f64> {
    let mut out = Vec::with_capacity(map.len() / 4);
    for y in 0..height / 2 {
        for x in 0..width / 2 {
            let at = 2 * y * width + 2 * x;
            out.push(0.25 * (map[at] + map[at + 1] + map[at + width] + map[at + width + 1]));
        }
    }
    out
}

/// Weighted means, rows first; smaller by a window less a pixel if only whole windows count.
fn filtered(map: &[f64], [width, height]: [usize; 2], window: &Window) -> Vec<f64> {
    let weights = weights(window);
    let rows = along(map, width, 1, height, width, &weights, window.border);
    let width = rows.len() / height;
    let out = along(&rows, height, width, width, 1, &weights, window.border);
    // `along` writes line by line; columns are turned back into rows.
    let height = out.len() / width;
    let mut turned = vec![0.0; out.len()];
    for x in 0..width {
        for y in 0..height {
            turned[y * width + x] = out[x * height + y];
        }
    }
    turned
}

fn weights(window: &Window) -> Vec<f64> {
    let middle = (window.size / 2) as f64;
    let raw: Vec<f64> = (0..window.size)
        .map(|k| match window.sigma {
            Some(sigma) => {
                let x = (k as f64 - middle) / sigma;
                libm::exp(-0.5 * x * x)
            }
            None => 1.0,
        })
        .collect();
    let sum = raw.iter().fold(0.0, |sum, w| sum + w);
    raw.into_iter().map(|w| w / sum).collect()
}

/// Filters `lines` lines of `length` values `step` apart, each line `stride` after the last.
fn along(
    map: &[f64],
    length: usize,
    step: usize,
    lines: usize,
    stride: usize,
    weights: &[f64],
    border: Border,
) -> Vec<f64> {
    let half = weights.len() / 2;
    let range = match border {
        Border::Valid => half..length - half,
        _ => 0..length,
    };
    let mut out = Vec::with_capacity(lines * range.len());
    for line in 0..lines {
        for at in range.clone() {
            let mut sum = 0.0;
            for (k, weight) in weights.iter().enumerate() {
                let place = at as isize + k as isize - half as isize;
                let last = length as isize - 1;
                let place = match border {
                    _ if (0..=last).contains(&place) => place,
                    Border::Zero | Border::Valid => continue,
                    Border::Reflect if place < 0 => -place,
                    Border::Reflect => 2 * last - place,
                };
                sum += weight * map[line * stride + place as usize * step];
            }
            out.push(sum);
        }
    }
    out
}
