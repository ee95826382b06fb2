//! The textures of one material, interleaved texel by texel: all values of a point are in two or
//! three lines of the cache, and are mixed together.
//!
//! The numbers that come out are those of the single textures.

use super::fetch::{bytes_of, mix_chunk, wide_of};
use super::layout::{
    Level, Tile, WIDE_FROM_SRGB8, empty_tiles, fill_row_of_tiles, is_copied, tiles, tiles_along,
    widen,
};
use super::mips::{Rows, Source, half_size, halve_row_even};
use super::taps::{Cell, Cells, Taps};
use crate::render::lanes::prefetch;
use crate::scene::{ColorSpace, Texture};
use bytemuck::Zeroable;
use rayon::prelude::*;
use wide::f32x4;

/// What a pack holds of each point, as linear RGBA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    BaseColor,
    /// Occlusion in red, roughness in green, metallic in blue; alpha means nothing.
    Surface,
    Normal,
    Emissive,
}

/// What a material looks up at the same coordinates: its textures, their numbers, or one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Members<T> {
    pub base_color: T,
    pub occlusion: Option<T>,
    pub metallic_roughness: Option<T>,
    pub normal: Option<T>,
    pub emissive: Option<T>,
}

/// Several textures with their mip levels.
pub(crate) struct Pack<'a> {
    levels: Vec<Packed<'a>>,
}

/// One level. A texel is a row of chunks of eight bytes: the base colour (16 bits a channel, low
/// bytes first), the surface and the normal (a byte a channel), and if there is one the emissive
/// colour (as the base colour).
enum Packed<'a> {
    /// A large file's own level, seen by few views: each texture where the scene has it.
    Apart(Box<Members<Level<'a>>>),
    Plain(Vec<Tile<[[u8; 8]; 2]>>),
    Emissive(Vec<Tile<[[u8; 8]; 3]>>),
}

impl<T> Members<T> {
    /// `change` of each, with the colour space of the member at that place.
    pub(crate) fn map<U>(self, mut change: impl FnMut(T, ColorSpace) -> U) -> Members<U> {
        let base_color = change(self.base_color, ColorSpace::Srgb);
        let mut of = |member: Option<T>, space| member.map(|member| change(member, space));
        Members {
            base_color,
            occlusion: of(self.occlusion, ColorSpace::Linear),
            metallic_roughness: of(self.metallic_roughness, ColorSpace::Linear),
            normal: of(self.normal, ColorSpace::Linear),
            emissive: of(self.emissive, ColorSpace::Srgb),
        }
    }

    pub(crate) fn as_ref(&self) -> Members<&T> {
        Members {
            base_color: &self.base_color,
            occlusion: self.occlusion.as_ref(),
            metallic_roughness: self.metallic_roughness.as_ref(),
            normal: self.normal.as_ref(),
            emissive: self.emissive.as_ref(),
        }
    }

    /// The members of both; those that only one has are left out.
    fn zip<U>(self, other: Members<U>) -> Members<(T, U)> {
        Members {
            base_color: (self.base_color, other.base_color),
            occlusion: self.occlusion.zip(other.occlusion),
            metallic_roughness: self.metallic_roughness.zip(other.metallic_roughness),
            normal: self.normal.zip(other.normal),
            emissive: self.emissive.zip(other.emissive),
        }
    }

    fn as_mut(&mut self) -> Members<&mut T> {
        Members {
            base_color: &mut self.base_color,
            occlusion: self.occlusion.as_mut(),
            metallic_roughness: self.metallic_roughness.as_mut(),
            normal: self.normal.as_mut(),
            emissive: self.emissive.as_mut(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let others = [&self.occlusion, &self.metallic_roughness, &self.normal, &self.emissive];
        [&self.base_color].into_iter().chain(others.into_iter().flatten())
    }
}

impl<T> Members<Option<T>> {
    /// `None` where a member is `None`.
    fn whole(self) -> Option<Members<T>> {
        let of = |member: Option<Option<T>>| match member {
            Some(None) => Err(()),
            other => Ok(other.flatten()),
        };
        Some(Members {
            base_color: self.base_color?,
            occlusion: of(self.occlusion).ok()?,
            metallic_roughness: of(self.metallic_roughness).ok()?,
            normal: of(self.normal).ok()?,
            emissive: of(self.emissive).ok()?,
        })
    }
}

impl Members<&Texture> {
    /// Whether one look-up finds all of them, and there are several.
    pub(crate) fn fit(&self) -> bool {
        let shape = |texture: &Texture| {
            let size = (texture.width_px(), texture.height_px());
            (size, texture.wrap(), texture.is_nearest())
        };
        let first = shape(self.base_color);
        let fits =
            self.map(|texture, space| shape(texture) == first && texture.color_space() == space);
        self.iter().count() > 1 && fits.iter().all(|fits| *fits)
    }
}

impl<'a> Pack<'a> {
    /// Packs textures that [`Members::fit`]; `mask_cutoff` as for a single texture.
    pub(crate) fn new(members: Members<&'a Texture>, mask_cutoff: Option<f32>) -> Self {
        let mut levels = Vec::new();
        let is_copied = is_copied(members.base_color);
        levels.push(if is_copied {
            pack(&members.map(|texture, _| Rows::of(texture)))
        } else {
            Packed::Apart(Box::new(members.map(|texture, _| Level::of_file(texture))))
        });
        let mut sources = members.map(|texture, _| Source::of(texture, None));
        sources.base_color = Source::of(members.base_color, mask_cutoff);
        let [width, height] = [members.base_color.width_px(), members.base_color.height_px()];
        let mut next = if !is_copied && width.is_multiple_of(4) && height.is_multiple_of(8) {
            let (first, second) = pack_halved(&sources, [width, height].map(|side| side as i32));
            levels.push(first);
            Some(second)
        } else {
            sources.map(Source::halved).whole()
        };
        while let Some(rows) = next {
            levels.push(pack(&rows));
            next = rows.as_ref().map(Rows::next).whole();
        }
        Self { levels }
    }

    /// All parts at one lane's place.
    #[inline(always)]
    pub(crate) fn fetch(&self, taps: &Taps, lane: usize) -> [[f32; 4]; 4] {
        let near = self.mix(&taps.fine, lane);
        let fraction = taps.fraction.0[lane];
        if fraction == 0.0 {
            return near.map(|part| part.to_array());
        }
        let far = self.mix(&taps.coarse, lane);
        let fraction = f32x4::splat(fraction);
        std::array::from_fn(|k| (near[k] + (far[k] - near[k]) * fraction).to_array())
    }

    /// Asks for texels that will be looked up.
    #[inline(always)]
    pub(crate) fn prefetch(&self, cell: &Cell) {
        for texel in cell.texels {
            match &self.levels[cell.level] {
                Packed::Plain(tiles) => prefetch(Tile::texels(tiles), texel),
                Packed::Emissive(tiles) => prefetch(Tile::texels(tiles), texel),
                Packed::Apart(_) => {}
            }
        }
    }

    #[inline(always)]
    fn mix(&self, cells: &Cells, lane: usize) -> [f32x4; 4] {
        let cell = cells.cell(lane);
        match &self.levels[cell.level] {
            Packed::Plain(tiles) => {
                let [base_color, (surface, normal)] = mix_tiles(tiles, &cell);
                let [surface, normal] = [surface, normal].map(bytes_of);
                [wide_of(base_color), surface, normal, f32x4::ONE]
            }
            Packed::Emissive(tiles) => {
                let [base_color, (surface, normal), emissive] = mix_tiles(tiles, &cell);
                let [surface, normal] = [surface, normal].map(bytes_of);
                [wide_of(base_color), surface, normal, wide_of(emissive)]
            }
            Packed::Apart(levels) => mix_apart(levels, cells, lane),
        }
    }
}

/// The sums of the low and of the high four bytes of each chunk.
#[inline(always)]
fn mix_tiles<const N: usize>(
    tiles: &[Tile<[[u8; 8]; N]>],
    cell: &Cell,
) -> [(wide::i32x4, wide::i32x4); N] {
    let texels = Tile::texels(tiles);
    let texel = |k: usize| &texels[cell.texels[k]];
    let (a, b, c, d) = (texel(0), texel(1), texel(2), texel(3));
    std::array::from_fn(|k| mix_chunk([a[k], b[k], c[k], d[k]], cell.shares))
}

/// Separate, without access to the cell: data that another function can see goes through memory.
#[inline(never)]
fn mix_apart(levels: &Members<Level<'_>>, cells: &Cells, lane: usize) -> [f32x4; 4] {
    let cell = cells.cell(lane);
    let mixed = levels.as_ref().map(|level, _| level.texels.mix(&cell));
    let or_one = |member: Option<f32x4>| member.unwrap_or(f32x4::ONE);
    let [_, roughness, metallic, alpha] = or_one(mixed.metallic_roughness).to_array();
    let [occlusion, ..] = or_one(mixed.occlusion).to_array();
    [
        mixed.base_color,
        f32x4::from([occlusion, roughness, metallic, alpha]),
        or_one(mixed.normal),
        or_one(mixed.emissive),
    ]
}

/// One level of all members as bytes, laid next to each other.
fn pack(rows: &Members<Rows<'_>>) -> Packed<'static> {
    let size = [rows.base_color.width, rows.base_color.height];
    let beside = Beside::of(rows);
    match rows.emissive {
        None => Packed::Plain(tiles(size, |idx| beside.plain(idx))),
        Some(_) => Packed::Emissive(tiles(size, |idx| beside.emissive(idx))),
    }
}

/// The texels of all members.
struct Beside<'r> {
    texels: Members<&'r [[u8; 4]]>,
    wide: &'static [u16; 256],
}

impl<'r> Beside<'r> {
    fn of(rows: &'r Members<Rows<'_>>) -> Self {
        Self { texels: rows.as_ref().map(|rows, _| rows.texels()), wide: &WIDE_FROM_SRGB8 }
    }

    /// The chunks of a texel without an emissive colour.
    #[inline(always)]
    fn plain(&self, idx: usize) -> [[u8; 8]; 2] {
        let at = |texels: Option<&[[u8; 4]]>| texels.map_or([255; 4], |texels| texels[idx]);
        let [red, ..] = at(self.texels.occlusion);
        let [_, green, blue, _] = at(self.texels.metallic_roughness);
        let [x, y, z, _] = at(self.texels.normal);
        let detail = [red, green, blue, 255, x, y, z, 255];
        [widen(self.texels.base_color[idx], self.wide), detail]
    }

    #[inline(always)]
    fn emissive(&self, idx: usize) -> [[u8; 8]; 3] {
        let [base_color, detail] = self.plain(idx);
        let emissive = self.texels.emissive.map_or([255; 4], |texels| texels[idx]);
        [base_color, detail, widen(emissive, self.wide)]
    }
}

/// The next level packed, and the one after it as bytes, of a level whose width is a multiple of 4
/// and whose height is one of 8. The next level is never held as bytes whole: with five large
/// textures that was the most memory that a drawing took.
fn pack_halved(
    above: &Members<Source<'_>>,
    size: [i32; 2],
) -> (Packed<'static>, Members<Rows<'static>>) {
    match above.emissive {
        None => {
            let (tiles, rows) = tiles_of_halved(above, size, |beside, idx| beside.plain(idx));
            (Packed::Plain(tiles), rows)
        }
        Some(_) => {
            let (tiles, rows) = tiles_of_halved(above, size, |beside, idx| beside.emissive(idx));
            (Packed::Emissive(tiles), rows)
        }
    }
}

/// Rows of tiles that are made at a time.
const ROWS_OF_TILES: usize = 8;

fn tiles_of_halved<T: Zeroable + Copy + Send>(
    above: &Members<Source<'_>>,
    size: [i32; 2],
    texel: impl Fn(&Beside<'_>, usize) -> T + Sync,
) -> (Vec<Tile<T>>, Members<Rows<'static>>) {
    let (width, height) = half_size(size[0], size[1]);
    let mut tiles = empty_tiles([width, height]);
    let mut second = above.as_ref().map(|_, _| Rows::empty(half_size(width, height)));
    // Each job has some rows of tiles, and half as many rows of each texture's second level.
    let per_row = tiles_along(width);
    let mut parts = second
        .as_mut()
        .map(|rows, _| rows.texels.to_mut().chunks_mut(2 * ROWS_OF_TILES * (width / 2) as usize));
    let jobs: Vec<_> = tiles
        .chunks_mut(per_row * ROWS_OF_TILES)
        .enumerate()
        .map(|(idx, tiles)| {
            (idx, tiles, parts.as_mut().map(|parts, _| parts.next().unwrap_or_default()))
        })
        .collect();
    jobs.into_par_iter().for_each(|(idx, tiles, second)| {
        let first_row = idx * ROWS_OF_TILES * 4;
        let rows = tiles.len() / per_row * 4;
        let band = above.as_ref().zip(second).map(|(above, second), space| {
            let mut band = Rows::empty((width, rows as i32));
            let texels = band.texels.to_mut().chunks_mut(width as usize);
            for (y, row) in texels.enumerate() {
                above.halve_row(first_row + y, row, space);
            }
            for (y, row) in second.chunks_mut((width / 2) as usize).enumerate() {
                halve_row_even(&band, y, row, space);
            }
            band
        });
        let beside = Beside::of(&band);
        for (idx, tiles) in tiles.chunks_mut(per_row).enumerate() {
            fill_row_of_tiles(tiles, idx, [width, rows as i32], |idx| texel(&beside, idx));
        }
    });
    (tiles, second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::lanes::{F8, LANES};
    use crate::render::texture::{Place, Pyramid};
    use crate::scene::Wrap;

    fn texture(width: u32, height: u32, seed: u32, color_space: ColorSpace) -> Texture {
        let texel =
            |k: u32| (k.wrapping_mul(2_654_435_761) ^ seed.wrapping_mul(40_503)).to_be_bytes();
        let texels = (0..width * height).map(texel).collect();
        let wrap = [Wrap::Repeat, Wrap::MirroredRepeat];
        Texture::new("t".into(), width, height, texels, color_space, wrap).unwrap()
    }

    /// Every part of a pack is what the single textures say, to the last bit, at each level.
    #[test]
    fn a_pack_says_what_its_textures_say() {
        // The last two are larger than the copied rows; the sides of one can be halved twice.
        for (width, height) in [(13, 9), (64, 32), (1030, 1020), (1100, 1000)] {
            let of = |seed, space| texture(width, height, seed, space);
            let (base, emissive) = (of(1, ColorSpace::Srgb), of(2, ColorSpace::Srgb));
            let (occlusion, surface, normal) =
                (of(3, ColorSpace::Linear), of(4, ColorSpace::Linear), of(5, ColorSpace::Linear));
            let members = Members {
                base_color: &base,
                occlusion: Some(&occlusion),
                metallic_roughness: Some(&surface),
                normal: Some(&normal),
                emissive: Some(&emissive),
            };
            let without_emissive = Members { emissive: None, ..members };
            let cutoff = Some(0.4);
            let single = |texture| Pyramid::new(texture, None);
            let (base_color, occlusion) = (Pyramid::new(&base, cutoff), single(&occlusion));
            let (surface, normal, emissive) =
                (single(&surface), single(&normal), single(&emissive));
            let sizes = Pyramid::of_packed(&base);
            assert!(sizes.shares_taps(&base_color));
            for members in [members, without_emissive] {
                assert!(members.fit());
                let pack = Pack::new(members, cutoff);
                for step in 0..60 {
                    let at = step as f32 * 0.061 - 1.7;
                    let reach = F8::splat(1.0 / (1 << (step % 13)) as f32);
                    let place = Place {
                        uv: [F8::splat(at), F8::splat(1.0 - at * 0.7)],
                        dx: [reach, F8::ZERO],
                        dy: [F8::ZERO, reach],
                    };
                    let taps = Taps::new(&[&sizes; LANES], &place);
                    let [_, roughness, metallic, _] = surface.fetch(&taps_of(&surface, &place), 2);
                    let [red, ..] = occlusion.fetch(&taps_of(&occlusion, &place), 2);
                    let found = pack.fetch(&taps, 2);
                    assert_eq!(found[0], base_color.fetch(&taps_of(&base_color, &place), 2));
                    assert_eq!(found[1][..3], [red, roughness, metallic]);
                    assert_eq!(found[2][..3], normal.fetch(&taps_of(&normal, &place), 2)[..3]);
                    if members.emissive.is_some() {
                        let expected = emissive.fetch(&taps_of(&emissive, &place), 2);
                        assert_eq!(found[3][..3], expected[..3]);
                    }
                }
            }
        }
    }

    fn taps_of(pyramid: &Pyramid<'_>, place: &Place) -> Taps {
        Taps::new(&[pyramid; LANES], place)
    }

    #[test]
    fn only_textures_of_one_shape_fit() {
        let base = texture(8, 8, 1, ColorSpace::Srgb);
        let (same, other) =
            (texture(8, 8, 2, ColorSpace::Linear), texture(8, 4, 2, ColorSpace::Linear));
        let alone = Members {
            base_color: &base,
            occlusion: None,
            metallic_roughness: None,
            normal: None,
            emissive: None,
        };
        assert!(!alone.fit(), "nothing to share");
        assert!(Members { normal: Some(&same), ..alone }.fit());
        assert!(!Members { normal: Some(&other), ..alone }.fit());
        assert!(!Members { normal: Some(&base), ..alone }.fit(), "not linear");
    }
}
