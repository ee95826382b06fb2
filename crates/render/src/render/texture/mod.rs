//! Sampled textures: mip levels averaged in linear light, trilinear look-ups, glTF wrap modes.

mod fetch;
mod layout;
mod mips;
mod pack;
mod taps;

pub(crate) use pack::{Members, Pack, Part};
pub(crate) use taps::{Cell, Place, Taps};

use crate::scene::{ColorSpace, Texture, Wrap};
use layout::Level;
use mips::Source;
use std::borrow::Cow;

/// A texture with its mip levels. Level 0 borrows the scene's texels where it is large; the others
/// add a third to it, two thirds where colours are sRGB.
pub(crate) struct Pyramid<'a> {
    levels: Vec<Level<'a>>,
    wrap: [Wrap; 2],
    is_nearest: bool,
    is_srgb: bool,
}

impl<'a> Pyramid<'a> {
    /// Builds all levels down to 1×1. Where a texture cuts out (`mask_cutoff`, of texel alpha 0 to
    /// 1), the alpha of all levels but the first is the share of their area that stays, so that a
    /// smaller picture is cut where the large one is.
    pub(super) fn new(texture: &'a Texture, mask_cutoff: Option<f32>) -> Self {
        let is_srgb = texture.color_space() == ColorSpace::Srgb;
        let mut levels = vec![Level::of_file(texture)];
        let mut next = Source::of(texture, mask_cutoff).halved(texture.color_space());
        while let Some(rows) = next {
            levels.push(Level::new(&rows, is_srgb));
            next = rows.next(texture.color_space());
        }
        Self { levels, wrap: texture.wrap(), is_nearest: texture.is_nearest(), is_srgb }
    }

    /// The sizes of a texture's levels, whose texels are in a [`Pack`].
    pub(super) fn of_packed(texture: &Texture) -> Self {
        let (mut width, mut height) = (texture.width_px() as i32, texture.height_px() as i32);
        let mut is_tiled = layout::is_copied(texture);
        let mut levels = Vec::new();
        loop {
            levels.push(Level {
                shape: layout::Shape::of_level(width, height, is_tiled),
                texels: layout::Texels::Packed,
            });
            if width == 1 && height == 1 {
                break;
            }
            (width, height) = mips::half_size(width, height);
            is_tiled = true;
        }
        Self {
            levels,
            wrap: texture.wrap(),
            is_nearest: texture.is_nearest(),
            is_srgb: texture.color_space() == ColorSpace::Srgb,
        }
    }

    /// Levels, largest first: width, height, rows of texel bytes in the texture's colour space.
    pub(super) fn levels(&self) -> impl Iterator<Item = ([u32; 2], Cow<'_, [[u8; 4]]>)> {
        self.sizes().zip(self.levels.iter().map(Level::rows))
    }

    /// Width and height of each level, the largest first.
    pub(super) fn sizes(&self) -> impl Iterator<Item = [u32; 2]> {
        let size = |level: &Level<'_>| level.size().map(|side| side as u32);
        self.levels.iter().map(size)
    }

    /// Along u, then along v.
    pub(super) fn wrap(&self) -> [Wrap; 2] {
        self.wrap
    }

    /// Whether texels larger than a pixel are squares of one colour.
    pub(super) fn is_nearest(&self) -> bool {
        self.is_nearest
    }

    /// Whether the colour channels are sRGB bytes.
    pub(super) fn is_srgb(&self) -> bool {
        self.is_srgb
    }

    /// Whether look-ups at the same coordinates find their texels in the same places.
    pub(super) fn shares_taps(&self, other: &Self) -> bool {
        let shape = |of: &Self| (of.levels[0].shape, of.wrap, of.is_nearest);
        shape(self) == shape(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::lanes::{F8, LANES};

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
        Texture::new("t".into(), width, height, texels, ColorSpace::Linear, [wrap; 2]).unwrap()
    }

    const NEAR: [f32; 2] = [0.0, 0.0];

    impl Pyramid<'_> {
        /// Linear RGBA at `(u, v)`; derivatives per pixel right and down choose the level.
        fn sample(&self, uv: [f32; 2], duv_dx: [f32; 2], duv_dy: [f32; 2]) -> [f32; 4] {
            let place = Place {
                uv: uv.map(F8::splat),
                dx: duv_dx.map(F8::splat),
                dy: duv_dy.map(F8::splat),
            };
            let taps = Taps::new(&[self; LANES], &place);
            self.fetch(&taps, 5)
        }
    }

    #[test]
    fn texel_centres_are_exact() {
        let picture = texture(4, 2, Wrap::Repeat, |x, y| [x as u8 * 10, y as u8 * 20, 7, 255]);
        let pyramid = Pyramid::new(&picture, None);
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
            Pyramid::new(&picture, None).sample([u, 0.5], NEAR, NEAR)[0] * 255.0
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
            let mean: f32 = picture.texels().iter().map(|t| f32::from(t[0])).sum::<f32>()
                / picture.texels().len() as f32;
            let far = [10.0, 10.0];
            let got = Pyramid::new(&picture, None).sample([0.3, 0.3], far, far)[0] * 255.0;
            assert!((got - mean).abs() < 2.0, "{got} for {mean} at {width}×{height}");
        }
    }

    #[test]
    fn colours_are_averaged_in_linear_light() {
        let texels =
            vec![[0, 0, 0, 255], [255, 255, 255, 255], [255, 255, 255, 255], [0, 0, 0, 255]];
        let picture =
            Texture::new("c".into(), 2, 2, texels, ColorSpace::Srgb, [Wrap::Repeat; 2]).unwrap();
        let pyramid = Pyramid::new(&picture, None);
        assert_eq!(pyramid.levels[1].rows()[0][0], 188);
    }
}
