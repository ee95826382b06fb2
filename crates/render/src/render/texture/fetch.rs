//! Taps → colours: texels mixed with integers, so four cost a handful of instructions.

use super::Pyramid;
use super::layout::{Texels, Tile};
use super::taps::{Cell, SHARE, Taps};
use crate::render::lanes::prefetch;
use crate::scene::color::LINEAR_FROM_SRGB8;
use wide::{f32x4, i16x8, i32x4, u8x16};

impl Pyramid<'_> {
    /// Linear RGBA of one lane.
    #[inline(always)]
    pub(crate) fn fetch(&self, taps: &Taps, lane: usize) -> [f32; 4] {
        let near = self.mix(&taps.fine.cell(lane));
        let fraction = taps.fraction.0[lane];
        if fraction == 0.0 {
            return near.to_array();
        }
        let far = self.mix(&taps.coarse.cell(lane));
        (near + (far - near) * f32x4::splat(fraction)).to_array()
    }

    /// Asks for texels that will be looked up: of rows those on the left, which have the others
    /// next to them, of tiles that on the upper left.
    #[inline(always)]
    pub(crate) fn prefetch(&self, cell: &Cell) {
        let [upper, _, lower, _] = cell.texels;
        match &self.levels[cell.level].texels {
            Texels::Tiles(tiles) => prefetch(Tile::texels(tiles), upper),
            Texels::WideTiles(tiles) => prefetch(Tile::texels(tiles), upper),
            Texels::Rows(rows) | Texels::SrgbRows(rows) => {
                prefetch(rows, upper);
                prefetch(rows, lower);
            }
            Texels::Parts(_) | Texels::SrgbParts(_) | Texels::Packed => {}
        }
    }

    #[inline(always)]
    fn mix(&self, cell: &Cell) -> f32x4 {
        self.levels[cell.level].texels.mix(cell)
    }
}

impl Texels<'_> {
    /// The four texels of a cell by their shares.
    #[inline(always)]
    pub(super) fn mix(&self, cell: &Cell) -> f32x4 {
        let (upper, lower) = (pair_of_shares(cell.shares[0]), pair_of_shares(cell.shares[1]));
        match self {
            Texels::Tiles(tiles) => {
                let texel = |k: usize| Tile::texels(tiles)[cell.texels[k]];
                let (a, b, c, d) = (texel(0), texel(1), texel(2), texel(3));
                mix_bytes([a, b], upper, [c, d], lower)
            }
            Texels::Rows(rows) => {
                let texel = |k: usize| rows[cell.texels[k]];
                let (a, b, c, d) = (texel(0), texel(1), texel(2), texel(3));
                mix_bytes([a, b], upper, [c, d], lower)
            }
            Texels::WideTiles(tiles) => {
                let texel = |k: usize| Tile::texels(tiles)[cell.texels[k]];
                let (a, b, c, d) = (texel(0), texel(1), texel(2), texel(3));
                wide_of(mix_chunk([a, b, c, d], cell.shares))
            }
            Texels::SrgbRows(rows) => mix_srgb(cell, |index| rows[index]),
            Texels::Parts(parts) => {
                let [a, b, c, d] = cell.texels.map(|index| parts.texel(index));
                mix_bytes([a, b], upper, [c, d], lower)
            }
            Texels::SrgbParts(parts) => mix_srgb(cell, |index| parts.texel(index)),
            Texels::Packed => {
                debug_assert!(false, "looked up outside its pack");
                f32x4::ZERO
            }
        }
    }
}

/// Four texels of sRGB bytes by their shares.
#[inline(always)]
fn mix_srgb(cell: &Cell, texel: impl Fn(usize) -> [u8; 4]) -> f32x4 {
    let table = &*LINEAR_FROM_SRGB8;
    let mut sum = f32x4::ZERO;
    for (k, &index) in cell.texels.iter().enumerate() {
        let [r, g, b, a] = texel(index);
        let linear = |c: u8| table[c as usize];
        let alpha = f32::from(a) * (1.0 / 255.0);
        let texel = f32x4::from([linear(r), linear(g), linear(b), alpha]);
        let share = cell.shares[k / 2] >> (k % 2 * 16) & 0xffff;
        sum += texel * f32x4::splat(share as f32 * (1.0 / SHARE as f32));
    }
    sum
}

/// The sums of the low and of the high four bytes of four texels by their shares.
#[inline(always)]
pub(super) fn mix_chunk([a, b, c, d]: [[u8; 8]; 4], shares: [i32; 2]) -> (i32x4, i32x4) {
    let (upper, lower) = (pair_of_shares(shares[0]), pair_of_shares(shares[1]));
    let ([low_upper, high_upper], [low_lower, high_lower]) =
        (pair_of_texels(a, b), pair_of_texels(c, d));
    let low = low_upper.dot(upper) + low_lower.dot(lower);
    (low, high_upper.dot(upper) + high_lower.dot(lower))
}

/// Channels of 16 bits.
#[inline(always)]
pub(super) fn wide_of((low, high): (i32x4, i32x4)) -> f32x4 {
    // At most 65535 · 2¹⁴, below 2³⁰.
    let sum: i32x4 = low + (high << 8_i32);
    sum.round_float() * f32x4::splat(1.0 / (65535.0 * SHARE as f32))
}

/// Channels of a byte.
#[inline(always)]
pub(super) fn bytes_of(sum: i32x4) -> f32x4 {
    sum.round_float() * f32x4::splat(1.0 / (255.0 * SHARE as f32))
}

/// The shares of two texels next to each other, once for each channel.
#[inline(always)]
fn pair_of_shares(packed: i32) -> i16x8 {
    bytemuck::cast(i32x4::splat(packed))
}

#[inline(always)]
fn mix_bytes(
    upper: [[u8; 4]; 2],
    upper_shares: i16x8,
    lower: [[u8; 4]; 2],
    lower_shares: i16x8,
) -> f32x4 {
    let pair = |[a, b]: [[u8; 4]; 2]| {
        let register =
            |texel: [u8; 4]| -> u8x16 { bytemuck::cast([u32::from_le_bytes(texel), 0, 0, 0]) };
        i16x8::from_u8x16_low(u8x16::unpack_low(register(a), register(b)))
    };
    bytes_of(pair(upper).dot(upper_shares) + pair(lower).dot(lower_shares))
}

/// Low and high bytes of two texels, channel by channel.
#[inline(always)]
fn pair_of_texels(a: [u8; 8], b: [u8; 8]) -> [i16x8; 2] {
    let register = |texel: [u8; 8]| -> u8x16 { bytemuck::cast([u64::from_le_bytes(texel), 0]) };
    let both = u8x16::unpack_low(register(a), register(b));
    [i16x8::from_u8x16_low(both), i16x8::from_u8x16_high(both)]
}
