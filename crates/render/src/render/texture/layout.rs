//! The layout of texels in memory: tiles of 4×4, so that neighbours on the surface are near in
//! memory, whichever way the surface is turned.
//!
//! Row by row, vertical neighbours are a power of two apart and evict each other from the cache.

use super::mips::Rows;
use crate::scene::color::{LINEAR_FROM_SRGB8, encode_index, srgb8_table};
use crate::scene::{self, ColorSpace, Reduced, Texture};
use bytemuck::Zeroable;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Texels of a tile's edge as log2, and of the whole.
pub(super) const TILE_BITS: i32 = 2;
pub(super) const TILE: usize = 16;

/// Whole lines of the cache.
#[derive(Clone, Copy, Zeroable)]
#[repr(C, align(64))]
pub(super) struct Tile<T>(pub [T; TILE]);

impl<T> Tile<T> {
    /// The texels of all tiles, one after another: found by one number, they are looked up faster
    /// than by the number of their tile and by that within it.
    #[inline(always)]
    pub(super) fn texels(tiles: &[Self]) -> &[T] {
        const { assert!(size_of::<Self>() == TILE * size_of::<T>(), "no padding") };
        // SAFETY: a tile is an array of `TILE` texels without padding, checked on the line above,
        // and so are several tiles that of all their texels.
        unsafe { std::slice::from_raw_parts(tiles.as_ptr().cast(), tiles.len() * TILE) }
    }
}

pub(super) enum Texels<'a> {
    /// Linear bytes as the scene holds them.
    Rows(&'a [[u8; 4]]),
    /// sRGB bytes as the scene holds them.
    SrgbRows(&'a [[u8; 4]]),
    /// Linear bytes as far as the scene holds them.
    Parts(&'a Reduced),
    /// sRGB bytes as far as the scene holds them.
    SrgbParts(&'a Reduced),
    /// Straight RGBA bytes, linear.
    Tiles(Vec<Tile<[u8; 4]>>),
    /// Straight RGBA in linear light, as [`widen`] makes it.
    WideTiles(Vec<Tile<[u8; 8]>>),
    /// In a [`super::Pack`].
    Packed,
}

/// What finds a texel's index from its column and row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct Shape {
    pub width: i32,
    pub height: i32,
    /// From a row (or row of tiles) to the next, in texels.
    pub stride: i32,
    /// 1 where there are tiles, else 0.
    pub is_tiled: i32,
}

impl Shape {
    /// That of a level of a texture, or of a pack of textures.
    pub(super) fn of_level(width: i32, height: i32, is_tiled: bool) -> Self {
        if is_tiled { Self::tiles(width, height) } else { Self::rows(width, height) }
    }

    fn rows(width: i32, height: i32) -> Self {
        Self { width, height, stride: width, is_tiled: 0 }
    }

    fn tiles(width: i32, height: i32) -> Self {
        Self { width, height, stride: tiles_along(width) as i32 * TILE as i32, is_tiled: 1 }
    }
}

pub(super) fn tiles_along(texels: i32) -> usize {
    (texels as usize).div_ceil(4)
}

pub(super) struct Level<'a> {
    pub shape: Shape,
    pub texels: Texels<'a>,
}

/// sRGB byte → 0 to 65535 in linear light.
pub(super) static WIDE_FROM_SRGB8: LazyLock<[u16; 256]> =
    LazyLock::new(|| LINEAR_FROM_SRGB8.map(|linear| (linear * 65535.0 + 0.5) as u16));

/// Whether the level that the file holds is laid out anew: a small sRGB one. Large ones stay where
/// they are, and are held whole or in part.
pub(super) fn is_copied(texture: &Texture) -> bool {
    let is_small = texture.texel_count() as u64 <= Texture::REDUCED_TEXELS_MIN;
    texture.color_space() == ColorSpace::Srgb && is_small
}

impl<'a> Level<'a> {
    /// The level that the file holds.
    pub(super) fn of_file(texture: &'a Texture) -> Self {
        let (width, height) = (texture.width_px() as i32, texture.height_px() as i32);
        let is_srgb = texture.color_space() == ColorSpace::Srgb;
        if is_copied(texture) {
            return Self::new(&Rows::of(texture), is_srgb);
        }
        Self {
            shape: Shape::rows(width, height),
            texels: match (texture.held(), is_srgb) {
                (scene::Texels::Whole(texels), false) => Texels::Rows(texels),
                (scene::Texels::Whole(texels), true) => Texels::SrgbRows(texels),
                (scene::Texels::Reduced(reduced), false) => Texels::Parts(reduced),
                (scene::Texels::Reduced(reduced), true) => Texels::SrgbParts(reduced),
            },
        }
    }

    /// A level in tiles.
    pub(super) fn new(rows: &Rows<'_>, is_srgb: bool) -> Self {
        let size = [rows.width, rows.height];
        Self {
            shape: Shape::tiles(rows.width, rows.height),
            texels: if is_srgb {
                let wide = &*WIDE_FROM_SRGB8;
                Texels::WideTiles(tiles(size, |idx| widen(rows.texels[idx], wide)))
            } else {
                Texels::Tiles(tiles(size, |idx| rows.texels[idx]))
            },
        }
    }

    pub(super) fn size(&self) -> [i32; 2] {
        [self.shape.width, self.shape.height]
    }

    /// Bytes in the texture's colour space, row by row.
    pub(super) fn rows(&self) -> Cow<'_, [[u8; 4]]> {
        match &self.texels {
            Texels::Rows(rows) | Texels::SrgbRows(rows) => Cow::Borrowed(rows),
            Texels::Parts(parts) | Texels::SrgbParts(parts) => Cow::Owned(parts.whole()),
            Texels::Tiles(tiles) => Cow::Owned(self.gather(|tile, k| tiles[tile].0[k])),
            Texels::WideTiles(tiles) => Cow::Owned(self.gather(|tile, k| narrow(tiles[tile].0[k]))),
            Texels::Packed => Cow::Borrowed(&[]),
        }
    }

    fn gather(&self, texel: impl Fn(usize, usize) -> [u8; 4] + Sync) -> Vec<[u8; 4]> {
        let [width, height] = self.size().map(|side| side as usize);
        let per_row = tiles_along(width as i32);
        let texel_at =
            |x: usize, y: usize| texel((y >> 2) * per_row + (x >> 2), (y & 3) * 4 + (x & 3));
        let row = |y| (0..width).map(move |x| texel_at(x, y));
        parallel::of(height, |y| row(y).collect::<Vec<_>>()).concat()
    }
}

/// All tiles, row by row, from the texels of a picture of some width and height; beyond its edges,
/// the last column and row are repeated.
pub(super) fn tiles<T: Zeroable + Copy + Send>(
    [width, height]: [i32; 2],
    texel: impl Fn(usize) -> T + Sync,
) -> Vec<Tile<T>> {
    let mut out = empty_tiles([width, height]);
    parallel::each_chunk(&mut out, tiles_along(width), |idx, out| {
        fill_row_of_tiles(out, idx, [width, height], &texel);
    });
    out
}

/// Tiles for a picture of some width and height. All threads write them: memory written for the
/// first time waits for the kernel, which may have to ask a virtual machine's host for each page.
pub(super) fn empty_tiles<T: Zeroable + Copy + Send>([width, height]: [i32; 2]) -> Vec<Tile<T>> {
    let count = tiles_along(width) * tiles_along(height);
    parallel::of(count, |_| Tile::zeroed())
}

/// Row `idx` of the tiles of a picture.
#[inline(always)]
pub(super) fn fill_row_of_tiles<T>(
    out: &mut [Tile<T>],
    idx: usize,
    [width, height]: [i32; 2],
    texel: impl Fn(usize) -> T,
) {
    let (width, height) = (width as usize, height as usize);
    for (column, out) in out.iter_mut().enumerate() {
        for (k, out) in out.0.iter_mut().enumerate() {
            let (x, y) = (column * 4 + k % 4, idx * 4 + k / 4);
            *out = texel(y.min(height - 1) * width + x.min(width - 1));
        }
    }
}

/// 16 bits a channel in linear light, four low bytes and then four high ones.
pub(super) fn widen([r, g, b, a]: [u8; 4], wide: &[u16; 256]) -> [u8; 8] {
    let [r, g, b] = [r, g, b].map(|c| wide[c as usize].to_le_bytes());
    let a = (u16::from(a) * 257).to_le_bytes();
    [r[0], g[0], b[0], a[0], r[1], g[1], b[1], a[1]]
}

/// The bytes that [`widen`] was given: no two of them are the same 16 bits.
fn narrow(texel: [u8; 8]) -> [u8; 4] {
    std::array::from_fn(|k| {
        let value = u16::from_le_bytes([texel[k], texel[k + 4]]);
        if k == 3 { texel[3] } else { srgb8_table()[encode_index(f32::from(value) / 65535.0)] }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_widened_can_be_had_back() {
        for byte in 0..=255_u8 {
            let texel = [byte, 255 - byte, byte, byte];
            assert_eq!(narrow(widen(texel, &WIDE_FROM_SRGB8)), texel);
        }
    }

    #[test]
    fn rows_come_back_from_tiles_of_any_size() {
        for (width, height) in [(1, 1), (3, 2), (4, 4), (5, 9), (16, 8)] {
            let texel = |k: i32| [k as u8, (k * 7) as u8, (k * 31) as u8, (k * 3) as u8];
            let texels: Vec<_> = (0..width * height).map(texel).collect();
            let rows = Rows { width, height, texels: Cow::Borrowed(&texels) };
            for is_srgb in [false, true] {
                assert_eq!(*Level::new(&rows, is_srgb).rows(), *texels);
            }
        }
    }
}
