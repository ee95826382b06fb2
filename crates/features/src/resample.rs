//! Pictures to other sizes, to the bit as the libraries do that networks were trained with. Three
//! of them call their filter "bicubic" and differ by up to 31 of 255 levels.

use super::error::FeaturesError;
use libm::fmaf;

/// Longest edge of a picture, in pixels: its 8-bit weights and sums stay within 32 bits.
const EDGE_MAX_PX: usize = 1 << 16;

/// 8 bits a channel, red, green, blue, row by row from the top left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rgb8 {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// `3 × width × height` bytes.
    pub pixels: Vec<u8>,
}

impl Rgb8 {
    /// Checks the number of bytes.
    ///
    /// # Errors
    /// No pixels, an edge above 65,536, or another number of bytes.
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Result<Self, FeaturesError> {
        if width.max(height) > EDGE_MAX_PX || width * height == 0 {
            let reason = format!(
                "a picture of {width} × {height} pixels has an edge outside 1 to {EDGE_MAX_PX}"
            );
            return Err(FeaturesError::Impossible(reason));
        }
        let (wanted, found) = (3 * width * height, pixels.len());
        match wanted == found {
            true => Ok(Self { width, height, pixels }),
            false => Err(FeaturesError::Length { what: "a picture", wanted, found }),
        }
    }
}

/// Red, green and blue planes, row by row from top left: the `pixel_values` layout.
#[derive(Debug, Clone, PartialEq)]
pub struct Planes {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// `3 × height × width` values.
    pub values: Vec<f32>,
}

/// How neighbouring pixels are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// A box of half a pixel to either side.
    Box,
    /// A triangle.
    Bilinear,
    /// A raised cosine times a sinc.
    Hamming,
    /// Keys' cubic: a = −½, and −¾ for [`Resampler::FloatPlain`].
    Bicubic,
    /// Lanczos with three lobes.
    Lanczos,
}

impl Filter {
    fn support(self) -> f64 {
        match self {
            Self::Box => 0.5,
            Self::Bilinear | Self::Hamming => 1.0,
            Self::Bicubic => 2.0,
            Self::Lanczos => 3.0,
        }
    }

    fn weight(self, x: f64) -> f64 {
        let sinc = |x: f64| {
            let angle = x * std::f64::consts::PI;
            if x == 0.0 { 1.0 } else { libm::sin(angle) / angle }
        };
        let far = x.abs();
        match self {
            Self::Box if x > -0.5 && x <= 0.5 => 1.0,
            Self::Bilinear if far < 1.0 => 1.0 - far,
            // Pillow's two constants are of single precision.
            Self::Hamming if far < 1.0 => {
                let lift = libm::cos(far * std::f64::consts::PI) * f64::from(0.46_f32);
                sinc(far) * (f64::from(0.54_f32) + lift)
            }
            Self::Bicubic if far < 1.0 => (1.5 * far - 2.5) * far * far + 1.0,
            Self::Bicubic if far < 2.0 => (((far - 5.0) * far + 8.0) * far - 4.0) * -0.5,
            Self::Lanczos if (-3.0..3.0).contains(&x) => sinc(x) * sinc(x / 3.0),
            _ => 0.0,
        }
    }

    /// As PyTorch computes it, in single precision.
    fn weight_f32(self, x: f32) -> f32 {
        let far = x.abs();
        match self {
            Self::Bilinear if far < 1.0 => 1.0 - far,
            Self::Bicubic if far < 1.0 => cubic_near(far, -0.5),
            Self::Bicubic if far < 2.0 => cubic_far(far, -0.5),
            _ => 0.0,
        }
    }
}

/// Keys' cubic below 1. Multiplications are fused on every machine, as in compiled PyTorch.
fn cubic_near(x: f32, a: f32) -> f32 {
    fmaf(fmaf(a + 2.0, x, -(a + 3.0)) * x, x, 1.0)
}

/// Keys' cubic from 1 to 2.
fn cubic_far(x: f32, a: f32) -> f32 {
    fmaf(fmaf(fmaf(a, x, -5.0 * a), x, 8.0 * a), x, -4.0 * a)
}

/// Whose arithmetic resizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resampler {
    /// Pillow's `Image.resize` on 8-bit pictures: weights of 22 bits, rounded and clipped to 8 bits
    /// after each of the two passes. Also torchvision's transforms of PIL pictures, OpenAI's CLIP,
    /// open_clip, and the `…Pil` processors of transformers.
    Pillow,
    /// Pillow on one `F` channel at a time: weights in double precision, each pass rounded to
    /// single, then clipped (clean-fid, dgm-eval). Hamming's and Lanczos' weights need a sine,
    /// which Pillow takes from the machine: they can differ in the last bit.
    PillowFloat,
    /// PyTorch's 8-bit kernel with antialias: weights of 15 bits. torchvision v2 on `uint8`
    /// tensors; the default processors of transformers ≥ 5. Bilinear and bicubic.
    TorchvisionU8,
    /// PyTorch's float kernel with antialias, not clipped between passes. Bilinear and bicubic.
    Float,
    /// Same kernel, rounded to 8 bits last: torchvision's functional `resize` of `uint8` tensors.
    FloatRounded,
    /// PyTorch's `interpolate` without antialias. Bilinear and bicubic.
    FloatPlain,
    /// TensorFlow 1's bilinear, which samples at i·in/out (torch-fidelity). Bilinear only.
    Tensorflow1,
}

/// The places and weights of the inputs of one output, in the order in which they are summed.
type Taps<W> = Vec<(usize, W)>;

/// Values, the new length of their axis, and the axis.
type Pass<'a> = dyn Fn(&[f32], usize, Axis) -> Vec<f32> + 'a;

/// Resamples. 8-bit arithmetic gives whole numbers from 0 to 255; the others give fractions, and
/// `float` bicubic also values outside.
///
/// `Float`, `FloatPlain` and `Tensorflow1` take values that are first divided by `divisor` (1, or
/// 255 for pictures from 0 to 1).
///
/// # Errors
/// A filter that the library does not have; a size of 0 or above 65,536.
pub fn resampled(
    picture: &Rgb8,
    [width, height]: [usize; 2],
    filter: Filter,
    resampler: Resampler,
    divisor: f32,
) -> Result<Planes, FeaturesError> {
    let is_known = match resampler {
        Resampler::Pillow | Resampler::PillowFloat => true,
        Resampler::Tensorflow1 => filter == Filter::Bilinear,
        _ => matches!(filter, Filter::Bilinear | Filter::Bicubic),
    };
    if !is_known || width * height == 0 || width.max(height) > EDGE_MAX_PX {
        let reason =
            format!("no {filter:?} filter of {resampler:?} to {width} × {height} pixels exists");
        return Err(FeaturesError::Impossible(reason));
    }
    let from = [picture.width, picture.height];
    let values = plane_values(picture, divisor);
    let both = |pass: &Pass<'_>| {
        let across = |values: &[f32], rows| {
            pass(values, width, Axis { length: from[0], stride: 1, lines: 3 * rows })
        };
        let down = |values: &[f32], columns| {
            pass(values, height, Axis { length: from[1], stride: columns, lines: 3 })
        };
        match is_vertical_first(from, [width, height], resampler) {
            true => across(&down(&values, from[0]), height),
            false => down(&across(&values, from[1]), width),
        }
    };
    let values = match resampler {
        Resampler::Pillow => {
            both(&|values, to, axis| whole_pass(values, to, axis, filter, Bits::Pillow))
        }
        Resampler::TorchvisionU8 => {
            both(&|values, to, axis| whole_pass(values, to, axis, filter, Bits::Torch))
        }
        Resampler::PillowFloat => both(&|values, to, axis| double_pass(values, to, axis, filter)),
        Resampler::Float | Resampler::FloatRounded => both(&|values, to, axis| {
            single_pass(values, axis, &single_taps(axis.length, to, filter))
        }),
        Resampler::FloatPlain => both(&|values, to, axis| {
            single_pass(values, axis, &plain_taps(axis.length, to, filter))
        }),
        Resampler::Tensorflow1 => tensorflow(&values, from, [width, height]),
    };
    Ok(Planes { width, height, values })
}

/// Rounding between the passes makes their order part of the result. Pillow 13 begins with the
/// columns where they lose more than twice as many pixels as the rows do: found by comparing the
/// results of 4,517 random sizes, without an exception. PyTorch begins with the rows.
fn is_vertical_first(from: [usize; 2], to: [usize; 2], resampler: Resampler) -> bool {
    let is_pillow = matches!(resampler, Resampler::Pillow | Resampler::PillowFloat);
    let lost = |axis: usize| from[axis] as i64 - to[axis] as i64;
    is_pillow && lost(1) > 0 && lost(1) > 2 * lost(0)
}

/// A pass along one axis: `lines` groups of `stride` interleaved lines of `length` values.
#[derive(Clone, Copy)]
struct Axis {
    length: usize,
    stride: usize,
    lines: usize,
}

impl Axis {
    /// Each output: `first` of its first input and weight, `next` of the sum so far and each
    /// further input, and `last` of the sum.
    fn map<W: Copy, S: Copy>(
        self,
        values: &[f32],
        taps: &[Taps<W>],
        first: impl Fn(f32, W) -> S,
        next: impl Fn(S, f32, W) -> S,
        last: impl Fn(S) -> f32,
    ) -> Vec<f32> {
        let mut out = Vec::with_capacity(self.lines * taps.len() * self.stride);
        let mut sums = Vec::with_capacity(self.stride);
        for line in values.chunks_exact(self.length * self.stride) {
            for taps in taps {
                let Some((&(place, weight), rest)) = taps.split_first() else { continue };
                if self.stride == 1 {
                    let sum = first(line[place], weight);
                    out.push(last(rest.iter().fold(sum, |s, tap| next(s, line[tap.0], tap.1))));
                    continue;
                }
                let inputs = |place: usize| &line[place * self.stride..(place + 1) * self.stride];
                sums.clear();
                sums.extend(inputs(place).iter().map(|&input| first(input, weight)));
                for &(place, weight) in rest {
                    for (sum, &input) in sums.iter_mut().zip(inputs(place)) {
                        *sum = next(*sum, input, weight);
                    }
                }
                out.extend(sums.iter().map(|&sum| last(sum)));
            }
        }
        out
    }
}

fn plane_values(picture: &Rgb8, divisor: f32) -> Vec<f32> {
    let channel = |k: usize| {
        picture.pixels[k..].iter().step_by(3).map(move |&byte| f32::from(byte) / divisor)
    };
    (0..3).flat_map(channel).collect()
}

/// Pillow's weights (`precompute_coeffs`), which PyTorch's 8-bit kernel shares.
fn taps(from: usize, to: usize, filter: Filter) -> Vec<Taps<f64>> {
    let scale = from as f64 / to as f64;
    let stretch = scale.max(1.0);
    let support = filter.support() * stretch;
    let each = (0..to).map(|i| {
        let center = (i as f64 + 0.5) * scale;
        let start = (center - support + 0.5).max(0.0) as usize;
        let end = ((center + support + 0.5) as usize).min(from);
        let inverse = 1.0 / stretch;
        let weight = |j: usize| filter.weight((j as f64 - center + 0.5) * inverse);
        let sum: f64 = (start..end).map(weight).sum();
        (start..end).map(|j| (j, weight(j) / sum)).collect()
    });
    each.collect()
}

/// How many bits the whole weights have.
#[derive(Clone, Copy, PartialEq)]
enum Bits {
    Pillow,
    Torch,
}

impl Bits {
    fn of(self, taps: &[Taps<f64>]) -> u32 {
        let most = taps.iter().flatten().fold(0.0_f64, |most, tap| most.max(tap.1));
        match self {
            Self::Pillow => 22,
            // As many as keep the largest weight below 2¹⁵.
            Self::Torch => (0..22)
                .find(|bits| (0.5 + most * f64::from(1 << (bits + 1))) as i64 >= 1 << 15)
                .unwrap_or(22),
        }
    }
}

fn whole_pass(values: &[f32], to: usize, axis: Axis, filter: Filter, bits: Bits) -> Vec<f32> {
    if axis.length == to {
        return values.to_vec();
    }
    let taps = taps(axis.length, to, filter);
    let bits = bits.of(&taps);
    let whole = |weight: &f64| (weight * f64::from(1 << bits) + 0.5_f64.copysign(*weight)) as i32;
    let whole_taps = |taps: &Taps<f64>| taps.iter().map(|(place, w)| (*place, whole(w))).collect();
    let taps: Vec<Taps<i32>> = taps.iter().map(whole_taps).collect();
    let half = 1 << (bits - 1);
    axis.map(
        values,
        &taps,
        |input, weight| half + input as i32 * weight,
        |sum, input, weight| sum + input as i32 * weight,
        |sum| (sum >> bits).clamp(0, 255) as f32,
    )
}

fn double_pass(values: &[f32], to: usize, axis: Axis, filter: Filter) -> Vec<f32> {
    if axis.length == to {
        return values.to_vec();
    }
    axis.map(
        values,
        &taps(axis.length, to, filter),
        |input, weight| f64::from(input) * weight,
        |sum, input, weight| sum + f64::from(input) * weight,
        |sum| sum as f32,
    )
}

/// As [`taps`], in single precision but for the few double steps from PyTorch's literals.
fn single_taps(from: usize, to: usize, filter: Filter) -> Vec<Taps<f32>> {
    let scale = from as f32 / to as f32;
    let stretch = scale.max(1.0);
    let support = filter.support() as f32 * stretch;
    let each = (0..to).map(|i| {
        let center = scale * (i as f32 + 0.5);
        let start = (f64::from(center - support) + 0.5).max(0.0) as usize;
        let end = ((f64::from(center + support) + 0.5) as usize).min(from);
        let inverse = f64::from(1.0 / stretch);
        let place = |j: usize| (f64::from(j as f32 - center) + 0.5) * inverse;
        let weight = |j: usize| filter.weight_f32(place(j) as f32);
        let sum = (start..end).fold(0.0_f32, |sum, j| sum + weight(j));
        (start..end).map(|j| (j, weight(j) / sum)).collect()
    });
    each.collect()
}

/// Without antialias: 2 or 4 neighbours whatever the scale. Those outside are the ends. PyTorch's
/// unrolled sum fuses the first product with the second, which therefore comes first.
fn plain_taps(from: usize, to: usize, filter: Filter) -> Vec<Taps<f32>> {
    let scale = from as f32 / to as f32;
    let clamped = |start: isize, weights: &[(isize, f32)]| -> Taps<f32> {
        let place = |at: isize| (start + at).clamp(0, from as isize - 1) as usize;
        weights.iter().map(|(at, weight)| (place(*at), *weight)).collect()
    };
    let each = (0..to).map(|i| {
        let place = scale * (i as f32 + 0.5) - 0.5;
        if filter == Filter::Bilinear {
            let below = place.max(0.0).floor().min(from as f32 - 1.0);
            let part = (place.max(0.0) - below).clamp(0.0, 1.0);
            return clamped(below as isize, [(1, part), (0, 1.0 - part)].as_slice());
        }
        let below = place.floor();
        let (t, rest) = (place - below, 1.0 - (place - below));
        let a = -0.75;
        let near = [cubic_near(t, a), cubic_near(rest, a)];
        let far = [cubic_far(t + 1.0, a), cubic_far(rest + 1.0, a)];
        clamped(below as isize, &[(0, near[0]), (-1, far[0]), (1, near[1]), (2, far[1])])
    });
    each.collect()
}

/// PyTorch's loop over any number of taps, in which each later product is fused with the sum.
fn single_pass(values: &[f32], axis: Axis, taps: &[Taps<f32>]) -> Vec<f32> {
    let fused = |sum, input, weight| fmaf(input, weight, sum);
    axis.map(values, taps, |input, weight| input * weight, fused, |sum| sum)
}

fn tensorflow(values: &[f32], from: [usize; 2], to: [usize; 2]) -> Vec<f32> {
    let place = |i: usize, axis: usize| {
        let place = i as f32 * (from[axis] as f32 / to[axis] as f32);
        let below = place.floor();
        (below as usize, (below as usize + 1).min(from[axis] - 1), place - below)
    };
    let mut out = Vec::with_capacity(3 * to[0] * to[1]);
    for plane in values.chunks_exact(from[0] * from[1]) {
        for row in 0..to[1] {
            let (top, bottom, dy) = place(row, 1);
            for column in 0..to[0] {
                let (left, right, dx) = place(column, 0);
                let at = |x: usize, y: usize| plane[y * from[0] + x];
                let across = |y: usize| at(left, y) + (at(right, y) - at(left, y)) * dx;
                out.push(across(top) + (across(bottom) - across(top)) * dy);
            }
        }
    }
    out
}
