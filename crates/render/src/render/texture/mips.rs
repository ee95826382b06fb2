//! Mip levels: each the mean of the one above, colours in linear light.

use crate::scene::color::{
    LINEAR_FROM_SRGB8, LINEAR_FROM_UNORM8, encode_index, srgb8_table, unorm8,
};
use crate::scene::{ColorSpace, Texels, Texture, halve_rows};
use std::borrow::Cow;

/// One level as bytes: straight RGBA in the texture's colour space, row by row.
pub(super) struct Rows<'a> {
    pub width: i32,
    pub height: i32,
    pub texels: Cow<'a, [[u8; 4]]>,
}

impl<'a> Rows<'a> {
    /// The level that a file holds.
    pub(super) fn of(texture: &'a Texture) -> Self {
        Self {
            width: texture.width_px() as i32,
            height: texture.height_px() as i32,
            texels: texture.texels(),
        }
    }

    /// All zero.
    pub(super) fn empty((width, height): (i32, i32)) -> Rows<'static> {
        Rows { width, height, texels: Cow::Owned(vec![[0; 4]; width as usize * height as usize]) }
    }

    pub(super) fn texels(&self) -> &[[u8; 4]] {
        &self.texels
    }

    /// The level after this one; `None` after a single texel.
    pub(super) fn next(&self, space: ColorSpace) -> Option<Rows<'static>> {
        (self.width > 1 || self.height > 1).then(|| halved(self, space))
    }

    /// Makes alpha 255 where it reaches the cutoff, 0 elsewhere.
    fn cut(&mut self, cutoff: f32) {
        let texels = self.texels.to_mut();
        parallel::each_chunk(texels, 1 << 16, |_, texels| {
            for texel in texels {
                let is_kept = f32::from(texel[3]) * (1.0 / 255.0) >= cutoff;
                texel[3] = if is_kept { 255 } else { 0 };
            }
        });
    }
}

/// What the levels of a texture are made of.
pub(super) enum Source<'a> {
    /// The level that the file holds.
    Whole(Rows<'a>),
    /// The one after it, of a picture of which little else is held.
    Halved(Rows<'a>),
}

impl<'a> Source<'a> {
    /// That of a texture. If it cuts out, alpha becomes 255 from the cutoff on and 0 below.
    pub(super) fn of(texture: &'a Texture, mask_cutoff: Option<f32>) -> Self {
        if let Texels::Reduced(reduced) = texture.held() {
            return Self::Halved(Rows {
                width: texture.width_px() as i32 / 2,
                height: texture.height_px() as i32 / 2,
                texels: Cow::Borrowed(reduced.half()),
            });
        }
        let mut rows = Rows::of(texture);
        if let Some(cutoff) = mask_cutoff {
            rows.cut(cutoff);
        }
        Self::Whole(rows)
    }

    /// The level after the file's own; `None` where that is a single texel.
    pub(super) fn halved(self, space: ColorSpace) -> Option<Rows<'a>> {
        match self {
            Self::Whole(rows) => rows.next(space),
            Self::Halved(rows) => Some(rows),
        }
    }

    /// Row `y` of the level after the file's own, whose sides are even.
    pub(super) fn halve_row(&self, y: usize, row: &mut [[u8; 4]], space: ColorSpace) {
        match self {
            Self::Whole(rows) => halve_row_even(rows, y, row, space),
            Self::Halved(rows) => row.copy_from_slice(&rows.texels[y * row.len()..][..row.len()]),
        }
    }
}

/// Width and height of the next smaller level.
pub(super) fn half_size(width: i32, height: i32) -> (i32, i32) {
    ((width / 2).max(1), (height / 2).max(1))
}

/// The next smaller level: each texel the mean of the 2×2 (at odd sizes up to 3×3, by area) above
/// it, colours in linear light.
pub(super) fn halved(level: &Rows<'_>, space: ColorSpace) -> Rows<'static> {
    let (width, height) = half_size(level.width, level.height);
    let mut texels = vec![[0_u8; 4]; width as usize * height as usize];
    let is_even = level.width % 2 == 0 && level.height % 2 == 0;
    parallel::each_chunk(&mut texels, width as usize, |y, row| {
        if is_even {
            halve_row_even(level, y, row, space);
        } else {
            halve_row_any(level, y, row, height, space);
        }
    });
    Rows { width, height, texels: Cow::Owned(texels) }
}

/// Row `y` of the next smaller level of one whose sides are even.
pub(super) fn halve_row_even(level: &Rows<'_>, y: usize, row: &mut [[u8; 4]], space: ColorSpace) {
    let stride = level.width as usize;
    let upper = &level.texels[2 * y * stride..][..stride];
    let lower = &level.texels[(2 * y + 1) * stride..][..stride];
    halve_rows(upper, lower, row, space);
}

fn halve_row_any(level: &Rows<'_>, y: usize, row: &mut [[u8; 4]], height: i32, space: ColorSpace) {
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
                ColorSpace::Linear => unorm8(sum[k]),
            };
        }
        out[3] = (sum[3] + 0.5) as u8;
    }
}

/// The at most three source cells that target cell `index` covers, and their shares (sum 1).
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

    fn level(width: i32, height: i32) -> Rows<'static> {
        let texel = |k: i32| (k.wrapping_mul(0x9e37_79b9_u32 as i32) ^ k << 7).to_be_bytes();
        Rows { width, height, texels: (0..width * height).map(texel).collect() }
    }

    /// Even sides, with and without a rest of two texels: half rounded up, colours by light.
    #[test]
    fn each_texel_is_the_mean_of_the_four_above_it() {
        for (width, height) in [(2, 2), (4, 2), (6, 4), (10, 6), (64, 32)] {
            let above = level(width, height);
            let [linear, srgb] =
                [ColorSpace::Linear, ColorSpace::Srgb].map(|space| halved(&above, space));
            let half = (width / 2) as usize;
            assert_eq!(linear.texels.len(), half * (height / 2) as usize);
            for k in 0..linear.texels.len() {
                let corner = 2 * (k / half) * width as usize + 2 * (k % half);
                let four = [0, 1, width as usize, width as usize + 1]
                    .map(|offset| above.texels[corner + offset]);
                for c in 0..4 {
                    let sum: u32 = four.iter().map(|texel| u32::from(texel[c])).sum();
                    assert_eq!(u32::from(linear.texels[k][c]), (sum + 2) / 4);
                    let light = |texel: &[u8; 4]| LINEAR_FROM_SRGB8[texel[c] as usize];
                    let mean = four.iter().map(light).sum::<f32>() * 0.25;
                    let expected = match c {
                        3 => linear.texels[k][3],
                        _ => srgb8_table()[encode_index(mean)],
                    };
                    assert_eq!(srgb.texels[k][c], expected);
                }
            }
        }
    }
}
