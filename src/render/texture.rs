//! Textures as the renderer samples them: mip levels averaged in linear light, trilinear look-ups, glTF wrap modes.

use super::color::{LINEAR_FROM_SRGB8, LINEAR_FROM_UNORM8, encode_index, srgb8_table};
use crate::scene::{ColorSpace, Texture, Wrap};
use rayon::prelude::*;
use std::borrow::Cow;
use wide::{f32x4, i32x4};

/// One mip level: row-major straight RGBA bytes in the texture's colour space.
struct Level<'a> {
    width: i32,
    height: i32,
    texels: Cow<'a, [[u8; 4]]>,
}

/// A texture with its mip levels. Level 0 borrows the scene's texels; the others add a third to it.
pub(crate) struct Pyramid<'a> {
    levels: Vec<Level<'a>>,
    wrap: [Wrap; 2],
    /// All bits set where an axis repeats: u, v, u, v.
    repeats: i32x4,
    /// Byte → linear for the colour channels; `None` where bytes are linear.
    decode: Option<&'static [f32; 256]>,
    width: f32,
    height: f32,
    /// Whether any texel of level 0 has alpha below 255.
    pub has_alpha: bool,
}

impl<'a> Pyramid<'a> {
    /// Builds all levels down to 1×1.
    pub fn new(texture: &'a Texture) -> Self {
        let has_alpha = texture
            .texels()
            .par_chunks(1 << 16)
            .any(|texels| texels.iter().fold(255, |lowest, texel| lowest & texel[3]) != 255);
        let mut levels = vec![Level {
            width: texture.width_px() as i32,
            height: texture.height_px() as i32,
            texels: Cow::Borrowed(texture.texels()),
        }];
        while let Some(last) = levels.last()
            && (last.width > 1 || last.height > 1)
        {
            let next = halved(last, texture.color_space());
            levels.push(next);
        }
        Self {
            levels,
            wrap: texture.wrap(),
            repeats: {
                let [u, v] = texture
                    .wrap()
                    .map(|wrap| if wrap == Wrap::Repeat { -1 } else { 0 });
                i32x4::from([u, v, u, v])
            },
            decode: match texture.color_space() {
                ColorSpace::Srgb => Some(&LINEAR_FROM_SRGB8),
                ColorSpace::Linear => None,
            },
            width: texture.width_px() as f32,
            height: texture.height_px() as f32,
            has_alpha,
        }
    }

    /// Width, height and texels of each level, the largest first.
    pub fn levels(&self) -> impl Iterator<Item = ([u32; 2], &[[u8; 4]])> {
        self.levels.iter().map(|level| {
            let size = [level.width as u32, level.height as u32];
            (size, &*level.texels)
        })
    }

    /// Along u, then along v.
    pub fn wrap(&self) -> [Wrap; 2] {
        self.wrap
    }

    /// Whether the colour channels are sRGB bytes.
    pub fn is_srgb(&self) -> bool {
        self.decode.is_some()
    }

    /// Whether [`taps`](Self::taps) of the same coordinates are the same for both.
    pub fn shares_taps(&self, other: &Self) -> bool {
        (self.width, self.height, self.wrap) == (other.width, other.height, other.wrap)
    }

    /// Linear RGBA at `(u, v)`; see [`taps`](Self::taps).
    #[cfg(test)]
    fn sample(&self, uv: [f32; 2], duv_dx: [f32; 2], duv_dy: [f32; 2]) -> [f32; 4] {
        self.fetch(&self.taps(uv, duv_dx, duv_dy))
    }

    /// Texels per pixel along the longer edge of a pixel's footprint, as log2: 0 and less where the texture is not made smaller.
    #[inline(always)]
    pub fn lod(&self, duv_dx: [f32; 2], duv_dy: [f32; 2]) -> f32 {
        let length_squared = |d: [f32; 2]| {
            let (x, y) = (d[0] * self.width, d[1] * self.height);
            x * x + y * y
        };
        let along_x = length_squared(duv_dx);
        let along_y = length_squared(duv_dy);
        let footprint_squared = if along_x > along_y { along_x } else { along_y };
        0.5 * log2(footprint_squared)
    }

    /// Where `(u, v)` lies among the texels. The derivatives are those of `(u, v)` per pixel step right and down; they choose the level:
    /// log2 of the longer footprint edge in texels (OpenGL 4.6 core, section 8.14.1).
    #[inline(always)]
    pub fn taps(&self, uv: [f32; 2], duv_dx: [f32; 2], duv_dy: [f32; 2]) -> Taps {
        let lod = self.lod(duv_dx, duv_dy);
        let last = self.levels.len() - 1;
        let reduced = [reduce(uv[0], self.wrap[0]), reduce(uv[1], self.wrap[1])];
        let (level, fraction) = if lod > 0.0 && lod < last as f32 {
            let level = lod as usize;
            (level, lod - level as f32)
        } else if lod > 0.0 {
            (last, 0.0)
        } else {
            (0, 0.0)
        };
        self.address(level, (level + 1).min(last), fraction, reduced)
    }

    /// The texels around reduced coordinates in two levels. Both levels and both axes are addressed at once.
    #[inline(always)]
    fn address(&self, fine: usize, coarse: usize, fraction: f32, reduced: [f32; 2]) -> Taps {
        let (f, c) = (&self.levels[fine], &self.levels[coarse]);
        let size = i32x4::from([f.width, f.height, c.width, c.height]);
        let [u, v] = reduced;
        let position = f32x4::from([u, v, u, v]) * size.round_float() - f32x4::splat(0.5);
        // From −0.5 on, so truncating one above and taking one off rounds down.
        let low = (position + f32x4::ONE).fast_trunc_int() - i32x4::ONE;
        let last = size - i32x4::ONE;
        let high = low + i32x4::ONE;
        let is_below = low.simd_lt(i32x4::ZERO);
        let is_above = high.simd_gt(last);
        // Past an edge: the opposite texel where the picture repeats, else the edge's own.
        let first = is_below.bitselect(self.repeats.bitselect(last, i32x4::ZERO), low);
        let second = is_above.bitselect(self.repeats.bitselect(i32x4::ZERO, last), high);
        let ([x0, y0, cx0, cy0], [x1, y1, cx1, cy1]) = (first.to_array(), second.to_array());
        let [upper, lower] = [y0 * f.width, y1 * f.width];
        let [coarse_upper, coarse_lower] = [cy0 * c.width, cy1 * c.width];
        Taps {
            fine: fine as u32,
            coarse: coarse as u32,
            fraction,
            cells: [
                [upper + x0, upper + x1, lower + x0, lower + x1],
                [
                    coarse_upper + cx0,
                    coarse_upper + cx1,
                    coarse_lower + cx0,
                    coarse_lower + cx1,
                ],
            ],
            share: (position - low.round_float()).to_array(),
        }
    }

    /// Linear RGBA there.
    #[inline(always)]
    pub fn fetch(&self, taps: &Taps) -> [f32; 4] {
        let near = self.mix(taps.fine, &taps.cells[0], [taps.share[0], taps.share[1]]);
        let value = if taps.fraction == 0.0 {
            near
        } else {
            let far = self.mix(taps.coarse, &taps.cells[1], [taps.share[2], taps.share[3]]);
            near + (far - near) * f32x4::splat(taps.fraction)
        };
        value.to_array()
    }

    /// Texels of one level at the corners of a cell, mixed by the shares of the second column and row.
    #[inline(always)]
    fn mix(&self, level: u32, cell: &[i32; 4], share: [f32; 2]) -> f32x4 {
        let texels = &self.levels[level as usize].texels;
        let [a, b, c, d] = *cell;
        let (a, b) = (texels[a as usize], texels[b as usize]);
        let (c, d) = (texels[c as usize], texels[d as usize]);
        match self.decode {
            // Bytes are mixed as they are and scaled once.
            None => {
                let cell = [bytes(a), bytes(b), bytes(c), bytes(d)];
                between(cell, share) * f32x4::splat(1.0 / 255.0)
            }
            Some(table) => {
                let cell = [
                    linear(a, table),
                    linear(b, table),
                    linear(c, table),
                    linear(d, table),
                ];
                between(cell, share)
            }
        }
    }
}

/// Where a look-up finds its texels: the same for all textures of one size, wrap mode, coordinate set and transform.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taps {
    /// Levels; the coarse one counts by the share `fraction`.
    fine: u32,
    coarse: u32,
    fraction: f32,
    /// Indices of the cell's texels in each level: upper left, upper right, lower left, lower right.
    cells: [[i32; 4]; 2],
    /// Share of the right column and of the lower row, fine then coarse.
    share: [f32; 4],
}

/// The four corners mixed by the shares of the right column and of the lower row.
#[inline(always)]
fn between(
    [upper_left, upper_right, lower_left, lower_right]: [f32x4; 4],
    share: [f32; 2],
) -> f32x4 {
    let (x, y) = (f32x4::splat(share[0]), f32x4::splat(share[1]));
    let upper = upper_left + (upper_right - upper_left) * x;
    let lower = lower_left + (lower_right - lower_left) * x;
    upper + (lower - upper) * y
}

#[inline(always)]
fn bytes(texel: [u8; 4]) -> f32x4 {
    let [r, g, b, a] = texel;
    i32x4::from([r.into(), g.into(), b.into(), a.into()]).round_float()
}

/// sRGB bytes to linear light; alpha is linear already.
#[inline(always)]
fn linear([r, g, b, a]: [u8; 4], table: &[f32; 256]) -> f32x4 {
    f32x4::from([
        table[r as usize],
        table[g as usize],
        table[b as usize],
        f32::from(a) * (1.0 / 255.0),
    ])
}

/// A coordinate brought into 0..1 before it is scaled, so that those far from 0 keep their precision as long as f32 has any.
#[inline(always)]
fn reduce(coordinate: f32, wrap: Wrap) -> f32 {
    match wrap {
        Wrap::Repeat => coordinate - floor(coordinate),
        Wrap::MirroredRepeat => {
            let period = coordinate * 0.5;
            let t = (period - floor(period)) * 2.0;
            if t > 1.0 { 2.0 - t } else { t }
        }
        Wrap::ClampToEdge => coordinate.clamp(0.0, 1.0),
    }
}

/// `f32::floor` for values that fit an `i32`, without a call on instruction sets that lack it.
#[inline(always)]
fn floor(x: f32) -> f32 {
    let truncated = x as i32 as f32;
    if truncated > x {
        truncated - 1.0
    } else {
        truncated
    }
}

/// Base-2 logarithm by exponent and a quadratic in the mantissa; error below 0.01 of a mip level. −127 for 0, no number for negatives is ever passed.
#[inline(always)]
fn log2(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = ((bits >> 23) as i32 - 127) as f32;
    let mantissa = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000);
    exponent + (-1.0 / 3.0 * mantissa + 2.0) * mantissa - 5.0 / 3.0
}

/// The next smaller level: each texel the mean of the 2×2 (at odd sizes up to 3×3, by area) above it, colours in linear light.
fn halved(level: &Level<'_>, space: ColorSpace) -> Level<'static> {
    let (width, height) = ((level.width / 2).max(1), (level.height / 2).max(1));
    let mut texels = vec![[0_u8; 4]; width as usize * height as usize];
    let is_even = level.width % 2 == 0 && level.height % 2 == 0;
    texels
        .par_chunks_mut(width as usize)
        .enumerate()
        .with_min_len(32)
        .for_each(|(y, row)| {
            if is_even {
                halve_row_even(level, y, row, space);
            } else {
                halve_row_any(level, y, row, height, space);
            }
        });
    Level {
        width,
        height,
        texels: Cow::Owned(texels),
    }
}

fn halve_row_even(level: &Level<'_>, y: usize, row: &mut [[u8; 4]], space: ColorSpace) {
    let stride = level.width as usize;
    let upper = level.texels[2 * y * stride..][..stride].as_chunks::<2>().0;
    let lower = level.texels[(2 * y + 1) * stride..][..stride]
        .as_chunks::<2>()
        .0;
    match space {
        ColorSpace::Linear => {
            for ((out, [a, b]), [c, d]) in row.iter_mut().zip(upper).zip(lower) {
                for k in 0..4 {
                    let sum = u16::from(a[k]) + u16::from(b[k]) + u16::from(c[k]) + u16::from(d[k]);
                    out[k] = ((sum + 2) >> 2) as u8;
                }
            }
        }
        ColorSpace::Srgb => {
            let linear = &*LINEAR_FROM_SRGB8;
            let encode = srgb8_table();
            for ((out, [a, b]), [c, d]) in row.iter_mut().zip(upper).zip(lower) {
                for k in 0..3 {
                    let sum = linear[a[k] as usize]
                        + linear[b[k] as usize]
                        + linear[c[k] as usize]
                        + linear[d[k] as usize];
                    out[k] = encode[encode_index(sum * 0.25)];
                }
                let alpha = u16::from(a[3]) + u16::from(b[3]) + u16::from(c[3]) + u16::from(d[3]);
                out[3] = ((alpha + 2) >> 2) as u8;
            }
        }
    }
}

fn halve_row_any(level: &Level<'_>, y: usize, row: &mut [[u8; 4]], height: i32, space: ColorSpace) {
    let decode: &[f32; 256] = match space {
        ColorSpace::Srgb => &LINEAR_FROM_SRGB8,
        ColorSpace::Linear => &LINEAR_FROM_UNORM8,
    };
    let encode = srgb8_table();
    let width = row.len();
    let rows = overlaps(y, height as usize, level.height as usize);
    for (x, out) in row.iter_mut().enumerate() {
        let columns = overlaps(x, width, level.width as usize);
        let mut sum = [0.0_f32; 4];
        for &(source_y, weight_y) in rows.iter().flatten() {
            for &(source_x, weight_x) in columns.iter().flatten() {
                let texel = level.texels[source_y * level.width as usize + source_x];
                let weight = weight_x * weight_y;
                for k in 0..3 {
                    sum[k] += decode[texel[k] as usize] * weight;
                }
                sum[3] += f32::from(texel[3]) * weight;
            }
        }
        for k in 0..3 {
            out[k] = match space {
                ColorSpace::Srgb => encode[encode_index(sum[k])],
                ColorSpace::Linear => super::color::unorm8(sum[k]),
            };
        }
        out[3] = (sum[3] + 0.5) as u8;
    }
}

/// The at most three source cells that target cell `index` covers, with their shares (which sum to 1).
fn overlaps(index: usize, count: usize, source_count: usize) -> [Option<(usize, f32)>; 3] {
    let start = index as f64 * source_count as f64 / count as f64;
    let end = (index + 1) as f64 * source_count as f64 / count as f64;
    std::array::from_fn(|k| {
        let cell = start as usize + k;
        let covered = end.min((cell + 1) as f64) - start.max(cell as f64);
        (cell < source_count && covered > 1e-9).then(|| (cell, (covered / (end - start)) as f32))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texture(
        width: u32,
        height: u32,
        wrap: Wrap,
        texel: impl Fn(u32, u32) -> [u8; 4],
    ) -> Texture {
        let texels = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .map(|(x, y)| texel(x, y))
            .collect();
        Texture::new(
            "t".into(),
            width,
            height,
            texels,
            ColorSpace::Linear,
            [wrap; 2],
        )
        .unwrap()
    }

    const NEAR: [f32; 2] = [0.0, 0.0];

    #[test]
    fn texel_centres_are_exact() {
        let picture = texture(4, 2, Wrap::Repeat, |x, y| {
            [x as u8 * 10, y as u8 * 20, 7, 255]
        });
        let pyramid = Pyramid::new(&picture);
        for (x, y) in [(0, 0), (3, 0), (1, 1)] {
            let uv = [(x as f32 + 0.5) / 4.0, (y as f32 + 0.5) / 2.0];
            let got = pyramid.sample(uv, NEAR, NEAR);
            assert!((got[0] * 255.0 - x as f32 * 10.0).abs() < 1e-3);
            assert!((got[1] * 255.0 - y as f32 * 20.0).abs() < 1e-3);
        }
    }

    #[test]
    fn wrap_modes_differ_outside() {
        let columns = |x: u32, _| [x as u8 * 50, 0, 0, 255];
        let at = |wrap, u| {
            let picture = texture(4, 4, wrap, columns);
            Pyramid::new(&picture).sample([u, 0.5], NEAR, NEAR)[0] * 255.0
        };
        // 1.125 is the centre of column 0 of the next repetition, of column 3 of the mirror image.
        assert!((at(Wrap::Repeat, 1.125) - 0.0).abs() < 1e-3);
        assert!((at(Wrap::MirroredRepeat, 1.125) - 150.0).abs() < 1e-3);
        assert!((at(Wrap::ClampToEdge, 1.125) - 150.0).abs() < 1e-3);
        assert!((at(Wrap::ClampToEdge, -3.0) - 0.0).abs() < 1e-3);
        assert!((at(Wrap::Repeat, -0.125) - 150.0).abs() < 1e-3);
    }

    #[test]
    fn the_smallest_level_is_the_mean_at_even_and_odd_sizes() {
        for (width, height) in [(8, 8), (7, 5), (1, 6)] {
            let picture = texture(width, height, Wrap::Repeat, |x, _| {
                [if x % 2 == 0 { 200 } else { 100 }, 0, 0, 255]
            });
            let mean: f32 = picture
                .texels()
                .iter()
                .map(|t| f32::from(t[0]))
                .sum::<f32>()
                / picture.texels().len() as f32;
            let far = [10.0, 10.0];
            let got = Pyramid::new(&picture).sample([0.3, 0.3], far, far)[0] * 255.0;
            assert!(
                (got - mean).abs() < 2.0,
                "{got} for {mean} at {width}×{height}"
            );
        }
    }

    #[test]
    fn colours_are_averaged_in_linear_light() {
        let texels = vec![
            [0, 0, 0, 255],
            [255, 255, 255, 255],
            [255, 255, 255, 255],
            [0, 0, 0, 255],
        ];
        let picture = Texture::new(
            "c".into(),
            2,
            2,
            texels,
            ColorSpace::Srgb,
            [Wrap::Repeat; 2],
        )
        .unwrap();
        let pyramid = Pyramid::new(&picture);
        assert_eq!(pyramid.levels[1].texels[0][0], 188);
    }

    #[test]
    fn the_level_follows_the_footprint() {
        assert!((log2(8.0) - 3.0).abs() < 1e-6);
        for k in 1..100 {
            let x = k as f32 * 0.37;
            assert!((log2(x) - libm::log2f(x)).abs() < 0.011);
        }
    }
}
