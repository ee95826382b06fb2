//! Gathers the pictures that materials use and decodes them in parallel.
//!
//! A picture is decoded once; with another sampler or colour space it becomes another [`Texture`]. Sizes are read from the headers and
//! checked before anything is decoded. A picture that cannot be read costs a warning and its place in the material, not the asset.
//! Alpha, green and blue may come from other pictures (`map_d`, `map_Pr`, `map_Pm` of MTL files).

use super::error::LoadError;
use super::files::{Folder, shorten};
use super::limits::{
    TEXTURE_SIDE_MAX, TEXTURE_TEXELS_MAX, TEXTURES_TEXELS_BASE, TEXTURES_TEXELS_MAX, expanded,
};
use super::near::{self, near_blocks};
use super::picture::{Decoded, decode, decoding_cost, dimensions};
use super::warning::{Warning, Warnings};
use crate::scene::{
    AlphaMode, ColorSpace, Material, MeshParts, NearBlocks, Texels, Texture, TextureRef, ViewScale,
    Wrap,
};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// What a texture is made of. Indices are those of [`Bank::image`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Recipe {
    /// The picture whose channels are taken as they are; white where there is none.
    pub base: Option<usize>,
    /// The grey of another picture for one channel: green (roughness).
    pub green: Option<usize>,
    pub blue: Option<usize>,
    pub alpha: Option<usize>,
}

impl Recipe {
    /// One picture as it is.
    pub(super) fn plain(image: usize) -> Self {
        Self {
            base: Some(image),
            green: None,
            blue: None,
            alpha: None,
        }
    }

    fn images(&self) -> impl Iterator<Item = usize> {
        [self.base, self.green, self.blue, self.alpha]
            .into_iter()
            .flatten()
    }

    fn is_plain(&self) -> bool {
        self.green.is_none() && self.blue.is_none() && self.alpha.is_none()
    }

    /// The same without pictures that could not be had; `None` when nothing is left.
    fn without_missing(self, decoded: &[Option<Decoded>]) -> Option<Self> {
        let there = |image: Option<usize>| {
            image.filter(|&image| decoded.get(image).is_some_and(Option::is_some))
        };
        let recipe = Self {
            base: there(self.base),
            green: there(self.green),
            blue: there(self.blue),
            alpha: there(self.alpha),
        };
        (recipe.images().next().is_some()).then_some(recipe)
    }
}

#[derive(Debug)]
struct Source<'a> {
    name: String,
    bytes: Option<Cow<'a, [u8]>>,
}

/// What textures are made for.
pub(super) struct Asset<'a> {
    path: &'a Path,
    /// The size of all files, which bounds how large the pictures may be.
    bytes: u64,
    meshes: &'a [MeshParts],
    /// How large it will be shown at most, if that is known.
    view_scale: Option<&'a ViewScale>,
}

impl<'a> Asset<'a> {
    /// Of an asset of which everything is read but what its pictures show.
    pub(super) fn new(
        path: &'a Path,
        folder: &Folder,
        meshes: &'a [MeshParts],
        view_scale: Option<&'a ViewScale>,
    ) -> Self {
        Self {
            path,
            bytes: folder.asset_bytes(),
            meshes,
            view_scale,
        }
    }
}

/// Of a texture with more blocks that are seen from near than this share, everything is kept.
const NEAR_SHARE_MAX: f64 = 0.5;

/// The pictures and textures of one asset.
#[derive(Debug, Default)]
pub(super) struct Bank<'a> {
    sources: Vec<Source<'a>>,
    textures: Vec<(Recipe, ColorSpace, Sampler)>,
    known: BTreeMap<(Recipe, u8, Sampler), usize>,
}

/// How a picture is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sampler {
    pub wrap: [Wrap; 2],
    /// Where texels are larger than a pixel.
    pub is_nearest: bool,
}

impl From<[Wrap; 2]> for Sampler {
    fn from(wrap: [Wrap; 2]) -> Self {
        Self {
            wrap,
            is_nearest: false,
        }
    }
}

impl<'a> Bank<'a> {
    /// Adds an encoded picture, or its place when it could not be had (the caller has warned).
    pub(super) fn image(&mut self, name: String, bytes: Option<Cow<'a, [u8]>>) -> usize {
        self.sources.push(Source { name, bytes });
        self.sources.len() - 1
    }

    /// The index to use in a [`TextureRef`] until [`Bank::finish`]; the same request gives the same index.
    pub(super) fn texture(
        &mut self,
        recipe: Recipe,
        color_space: ColorSpace,
        sampler: impl Into<Sampler>,
    ) -> usize {
        let sampler = sampler.into();
        let key = (recipe, color_space as u8, sampler);
        *self.known.entry(key).or_insert_with(|| {
            self.textures.push((recipe, color_space, sampler));
            self.textures.len() - 1
        })
    }

    /// Decodes what is used, and corrects the references in `materials`: textures that could not be had are taken out.
    ///
    /// # Errors
    /// [`LoadError::TooLarge`], before anything is decoded.
    pub(super) fn finish(
        mut self,
        materials: &mut [Material],
        asset: &Asset<'_>,
        warnings: &mut Warnings,
    ) -> Result<Vec<Texture>, LoadError> {
        let sizes = self.check_sizes(asset.bytes, warnings, asset.path)?;
        let plans = match asset.view_scale {
            Some(view_scale) => self.plan(&sizes, materials, asset.meshes, view_scale),
            None => Vec::new(),
        };
        let mut sources: Vec<_> = std::mem::take(&mut self.sources)
            .into_iter()
            .enumerate()
            .collect();
        // The longest first, so that no thread begins it when the others are done.
        sources.sort_by_key(|(_, source)| {
            std::cmp::Reverse(source.bytes.as_deref().map_or(0, decoding_cost))
        });
        let mut results: Vec<_> = sources
            .into_iter()
            .par_bridge()
            .map(|(idx, source)| {
                // The encoded bytes go as soon as this picture is done.
                let decoded = source.bytes.map(|bytes| decode(&bytes));
                let plan = plans.get(idx).and_then(Option::as_ref);
                let decoded = decoded.map(|result| result.map(|picture| picture.reduced(plan)));
                (idx, source.name, decoded)
            })
            .collect();
        results.sort_by_key(|(idx, ..)| *idx);
        let mut names = Vec::with_capacity(results.len());
        let mut decoded = Vec::with_capacity(results.len());
        for (_, name, result) in results {
            decoded.push(match result {
                Some(Ok(picture)) => Some(picture),
                Some(Err(reason)) => {
                    warnings.add(Warning::Texture {
                        name: shorten(&name),
                        reason,
                    });
                    None
                }
                None => None,
            });
            names.push(name);
        }
        let (textures, place) = self.build(&names, decoded);
        for material in materials {
            retain_textures(material, &place);
        }
        Ok(textures)
    }

    /// For each picture, the colour space and the blocks to keep of it; `None` where everything is kept: where it is small, much is seen from near, alpha may
    /// cut out, or more than one texture is made of it.
    fn plan(
        &self,
        sizes: &[[u32; 2]],
        materials: &[Material],
        meshes: &[MeshParts],
        view_scale: &ViewScale,
    ) -> Vec<Option<(ColorSpace, NearBlocks)>> {
        let mut uses = vec![0; sizes.len()];
        for image in self
            .textures
            .iter()
            .flat_map(|(recipe, ..)| recipe.images())
        {
            uses[image] += 1;
        }
        let mut shapes: Vec<Option<near::Shape>> = (self.textures.iter())
            .map(|(recipe, _, sampler)| {
                let image = recipe
                    .base
                    .filter(|&base| recipe.is_plain() && uses[base] == 1)?;
                let [width_px, height_px] = sizes[image];
                let count = u64::from(width_px) * u64::from(height_px);
                (count > Texture::REDUCED_TEXELS_MIN).then_some(near::Shape {
                    width_px,
                    height_px,
                    wrap: sampler.wrap,
                })
            })
            .collect();
        let cut_out = |material: &&Material| matches!(material.alpha_mode, AlphaMode::Mask { .. });
        for material in materials.iter().filter(cut_out) {
            let base = material.base_color_texture.as_ref();
            if let Some(shape) = base.and_then(|base| shapes.get_mut(base.texture)) {
                *shape = None;
            }
        }
        let mut plans = vec![None; sizes.len()];
        let near = near_blocks(meshes, materials, &shapes, view_scale);
        for ((recipe, space, _), blocks) in self.textures.iter().zip(near) {
            let kept = blocks.filter(|blocks| blocks.share() <= NEAR_SHARE_MAX);
            if let (Some(image), Some(blocks)) = (recipe.base, kept) {
                plans[image] = Some((*space, blocks));
            }
        }
        plans
    }

    /// Reads every header; a picture with an unreadable one is left out. The sum counts each texture that will be made. Gives each picture's width and height,
    /// 0 where there is none.
    fn check_sizes(
        &mut self,
        asset_bytes: u64,
        warnings: &mut Warnings,
        path: &Path,
    ) -> Result<Vec<[u32; 2]>, LoadError> {
        let too_large = |what: String, found, max| LoadError::TooLarge {
            what,
            found,
            max,
            path: path.to_path_buf(),
        };
        let mut sizes = vec![[0; 2]; self.sources.len()];
        let count = |[width_px, height_px]: [u32; 2]| u64::from(width_px) * u64::from(height_px);
        for (source, size) in self.sources.iter_mut().zip(&mut sizes) {
            let Some(bytes) = &source.bytes else { continue };
            match dimensions(bytes) {
                Ok((width_px, height_px)) => {
                    *size = [width_px, height_px];
                    let side = width_px.max(height_px);
                    for (what, found, max) in [
                        ("texels", count(*size), TEXTURE_TEXELS_MAX),
                        ("texels along a side", side.into(), TEXTURE_SIDE_MAX.into()),
                    ] {
                        if found > max {
                            let what = format!("{what} in texture {:?}", shorten(&source.name));
                            return Err(too_large(what, found, max));
                        }
                    }
                }
                Err(reason) => {
                    warnings.add(Warning::Texture {
                        name: shorten(&source.name),
                        reason,
                    });
                    source.bytes = None;
                }
            }
        }
        let texels = |image: usize| sizes.get(image).map_or(0, |size| count(*size));
        let decoded: u64 = sizes.iter().map(|size| count(*size)).sum();
        let made: u64 = (self.textures.iter())
            .map(|(recipe, ..)| recipe.images().map(texels).max().unwrap_or(0))
            .sum();
        let total = decoded.max(made);
        let max = TEXTURES_TEXELS_MAX.min(expanded(TEXTURES_TEXELS_BASE, asset_bytes));
        if total > max {
            let what = format!("texels in all textures together, of a file of {asset_bytes} bytes");
            return Err(too_large(what, total, max));
        }
        Ok(sizes)
    }

    /// The textures, and for each request its place among them.
    fn build(
        &self,
        names: &[String],
        mut decoded: Vec<Option<Decoded>>,
    ) -> (Vec<Texture>, Vec<Option<usize>>) {
        let recipes: Vec<Option<Recipe>> = (self.textures.iter())
            .map(|(recipe, ..)| recipe.without_missing(&decoded))
            .collect();
        let mut uses_left = vec![0_usize; decoded.len()];
        for image in recipes.iter().flatten().flat_map(Recipe::images) {
            uses_left[image] += 1;
        }
        let mut textures = Vec::new();
        let mut place = Vec::with_capacity(recipes.len());
        for (recipe, &(_, color_space, sampler)) in recipes.iter().zip(&self.textures) {
            let texture = recipe.and_then(|recipe| {
                for image in recipe.images() {
                    uses_left[image] -= 1;
                }
                let first = recipe.images().next()?;
                let picture = match recipe.base {
                    Some(base) if recipe.is_plain() && uses_left[base] == 0 => {
                        decoded[base].take()?
                    }
                    _ => compose(&recipe, &decoded)?,
                };
                Texture::holding(
                    picture.texels,
                    names[first].clone(),
                    picture.width_px,
                    picture.height_px,
                    color_space,
                    sampler.wrap,
                )
                .ok()
                .map(|texture| texture.nearest(sampler.is_nearest))
            });
            place.push(texture.map(|texture| {
                textures.push(texture);
                textures.len() - 1
            }));
        }
        (textures, place)
    }
}

fn retain_textures(material: &mut Material, place: &[Option<usize>]) {
    for reference in material.texture_places() {
        *reference = reference.and_then(|known| {
            let texture = place.get(known.texture).copied().flatten()?;
            Some(TextureRef { texture, ..known })
        });
    }
}

/// A picture of the first source's size; the others are read at the nearest texel. `None` where one of them is not held whole.
fn compose(recipe: &Recipe, decoded: &[Option<Decoded>]) -> Option<Decoded> {
    struct Whole<'a> {
        width: usize,
        height: usize,
        texels: &'a [[u8; 4]],
    }
    let get = |image: Option<usize>| {
        let picture = image.and_then(|image| decoded.get(image)?.as_ref())?;
        let Texels::Whole(texels) = &picture.texels else {
            return None;
        };
        Some(Whole {
            width: picture.width_px as usize,
            height: picture.height_px as usize,
            texels,
        })
    };
    let size = get(recipe.images().next())?;
    let mut texels = match get(recipe.base) {
        Some(base) => base.texels.to_vec(),
        None => vec![[255; 4]; size.texels.len()],
    };
    for (channel, image) in [(1, recipe.green), (2, recipe.blue), (3, recipe.alpha)] {
        let Some(other) = get(image) else { continue };
        for (y, row) in texels.chunks_exact_mut(size.width).enumerate() {
            let other_y = y * other.height / size.height;
            for (x, texel) in row.iter_mut().enumerate() {
                let other_x = x * other.width / size.width;
                texel[channel] = grey(other.texels[other_y * other.width + other_x]);
            }
        }
    }
    Some(Decoded {
        width_px: size.width as u32,
        height_px: size.height as u32,
        texels: Texels::Whole(texels),
    })
}

/// Mean of the colour channels: such maps are grey, and a mean leaves grey as it is.
fn grey([r, g, b, _]: [u8; 4]) -> u8 {
    ((u16::from(r) + u16::from(g) + u16::from(b)) / 3) as u8
}
