//! Gathers the pictures that materials use and decodes them in parallel.
//!
//! A picture is decoded once; with another sampler or colour space it becomes another [`Texture`].
//! Sizes are read from the headers before decoding, and what would be too much is halved. An
//! unreadable picture costs a warning and its place in the material, not the asset. Alpha, green
//! and blue may come from other pictures (`map_d`, `map_Pr`, `map_Pm` of MTL files).

use super::file_facts::ImageFacts;
use super::files::{Folder, shorten};
use super::jpeg::{Flaw, decoding_cost};
use super::limits::{
    DECODED_PER_KEPT, DECODED_TEXELS_MAX, TEXTURE_SIDE_MAX, TEXTURE_TEXELS_MAX,
    TEXTURES_TEXELS_BASE, TEXTURES_TEXELS_MAX, expanded,
};
use super::near::{self, near_blocks};
use super::picture::{Decoded, decode, dimensions};
use super::warning::{Warning, Warnings};
use crate::scene::{
    AlphaMode, ColorSpace, Material, MeshParts, NearBlocks, Texels, Texture, TextureRef, ViewScale,
    Wrap,
};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Mutex;

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
        Self { base: Some(image), green: None, blue: None, alpha: None }
    }

    fn images(&self) -> impl Iterator<Item = usize> {
        [self.base, self.green, self.blue, self.alpha].into_iter().flatten()
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
        recipe.images().next().is_some().then_some(recipe)
    }
}

#[derive(Debug)]
struct Source<'a> {
    name: String,
    bytes: Option<Cow<'a, [u8]>>,
}

/// What textures are made for.
pub(super) struct Asset<'a> {
    /// The size of all files, which bounds how large the pictures may be.
    bytes: u64,
    meshes: &'a [MeshParts],
    /// How large it will be shown at most, if that is known.
    view_scale: Option<&'a ViewScale>,
}

impl<'a> Asset<'a> {
    /// Of an asset of which everything is read but what its pictures show.
    pub(super) fn new(
        folder: &Folder,
        meshes: &'a [MeshParts],
        view_scale: Option<&'a ViewScale>,
    ) -> Self {
        Self { bytes: folder.asset_bytes(), meshes, view_scale }
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
    images: Vec<ImageFacts>,
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
        Self { wrap, is_nearest: false }
    }
}

impl<'a> Bank<'a> {
    /// Adds an encoded picture; if it is missing, its place and a warning with the reason.
    pub(super) fn image(
        &mut self,
        name: String,
        bytes: Result<Cow<'a, [u8]>, String>,
        warnings: &mut Warnings,
    ) -> usize {
        let warn = |reason| warnings.add(Warning::Texture { name: shorten(&name), reason });
        let bytes = bytes.map_err(warn).ok();
        self.sources.push(Source { name, bytes });
        self.sources.len() - 1
    }

    /// Index to use in a [`TextureRef`] until [`Bank::finish`]; equal requests give the same index.
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

    /// Decodes the used textures and corrects references in `materials`: removes missing textures.
    /// The pictures have their sizes in the file.
    ///
    /// Textures that are too large, or too many, are reduced, with a warning.
    pub(super) fn finish(
        mut self,
        materials: &mut [Material],
        asset: &Asset<'_>,
        warnings: &mut Warnings,
    ) -> (Vec<Texture>, Vec<ImageFacts>) {
        let (sizes, halvings) = self.fit(asset.bytes, warnings);
        let plans = match asset.view_scale {
            Some(view_scale) => self.plan(&sizes, materials, asset.meshes, view_scale),
            None => Vec::new(),
        };
        let mut sources: Vec<_> =
            std::mem::take(&mut self.sources).into_iter().enumerate().collect();
        // The longest first, so that no thread begins it when the others are done.
        sources.sort_by_key(|(_, source)| {
            std::cmp::Reverse(source.bytes.as_deref().map_or(0, decoding_cost))
        });
        let spaces = self.spaces(sources.len());
        let one_huge = Mutex::new(());
        let mut results: Vec<_> = sources
            .into_iter()
            .par_bridge()
            .map(|(idx, source)| {
                let times = halvings.get(idx).copied().unwrap_or(0);
                // A picture larger than its kept part is briefly whole in memory: one at a time.
                let _alone = (times > 0).then(|| one_huge.lock());
                // The encoded bytes go as soon as this picture is done.
                let decoded = source.bytes.map(|bytes| decode(&bytes));
                let plan = plans.get(idx).and_then(Option::as_ref);
                let decoded = decoded.map(|result| {
                    result.map(|picture| picture.halved(times, spaces[idx]).reduced(plan))
                });
                (idx, source.name, decoded)
            })
            .collect();
        results.sort_by_key(|(idx, ..)| *idx);
        let mut names = Vec::with_capacity(results.len());
        let mut decoded = Vec::with_capacity(results.len());
        for (_, name, result) in results {
            decoded.push(match result {
                Some(Ok(mut picture)) => {
                    if let Some(flaw) = picture.flaw.take() {
                        let name = shorten(&name);
                        warnings.add(match flaw {
                            Flaw::Damaged(reason) => Warning::DamagedTexture { name, reason },
                            Flaw::Inks => Warning::Inks { name },
                        });
                    }
                    Some(picture)
                }
                Some(Err(reason)) => {
                    warnings.add(Warning::Texture { name: shorten(&name), reason });
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
        (textures, self.images)
    }

    /// Each picture's colour space and blocks to keep; `None` where all is kept: where it is small,
    /// much is seen from near, alpha may cut out, or it makes more than one texture.
    fn plan(
        &self,
        sizes: &[[u32; 2]],
        materials: &[Material],
        meshes: &[MeshParts],
        view_scale: &ViewScale,
    ) -> Vec<Option<(ColorSpace, NearBlocks)>> {
        let mut uses = vec![0; sizes.len()];
        for image in self.textures.iter().flat_map(|(recipe, ..)| recipe.images()) {
            uses[image] += 1;
        }
        let mut shapes: Vec<Option<near::Shape>> = self
            .textures
            .iter()
            .map(|(recipe, _, sampler)| {
                let image = recipe.base.filter(|&base| recipe.is_plain() && uses[base] == 1)?;
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
            let base = material.base_color_texture();
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

    /// The colour space in which each picture is halved: that of its first use.
    fn spaces(&self, count: usize) -> Vec<ColorSpace> {
        let mut spaces = vec![ColorSpace::Linear; count];
        for (recipe, space, _) in self.textures.iter().rev() {
            recipe.images().for_each(|image| spaces[image] = *space);
        }
        spaces
    }

    /// Reads every header; a picture with an unreadable one, or one that costs too much to decode,
    /// is left out. Gives each picture's width and height as it will be kept, 0 where there is
    /// none, and how often it is halved for that: the largest first, until all fit.
    fn fit(&mut self, asset_bytes: u64, warnings: &mut Warnings) -> (Vec<[u32; 2]>, Vec<u32>) {
        let max = TEXTURES_TEXELS_MAX.min(expanded(TEXTURES_TEXELS_BASE, asset_bytes));
        let count = |[width_px, height_px]: [u32; 2]| u64::from(width_px) * u64::from(height_px);
        let mut sizes = vec![[0; 2]; self.sources.len()];
        let mut work = 0_u64;
        for (source, size) in self.sources.iter_mut().zip(&mut sizes) {
            let Some(bytes) = &source.bytes else { continue };
            let known = dimensions(bytes).and_then(|(width_px, height_px)| {
                let texels = count([width_px, height_px]);
                let is_long = width_px.max(height_px) > TEXTURE_SIDE_MAX;
                if is_long || texels > DECODED_TEXELS_MAX || work + texels > DECODED_PER_KEPT * max {
                    return Err(format!(
                        "{width_px}×{height_px} px are too many for a file of {asset_bytes} bytes; make the texture smaller"
                    ));
                }
                work += texels;
                Ok([width_px, height_px])
            });
            match known {
                Ok(known) => {
                    *size = known;
                    self.images.push(ImageFacts::new(shorten(&source.name), known, bytes));
                }
                Err(reason) => {
                    let name = shorten(&source.name);
                    warnings.add(Warning::Texture { name, reason });
                    source.bytes = None;
                }
            }
        }
        let mut uses = vec![0_u64; sizes.len()];
        for (recipe, ..) in &self.textures {
            recipe.images().for_each(|image| uses[image] += 1);
        }
        let mut halvings = vec![0; sizes.len()];
        // A picture is held once for each texture that is made of it.
        let mut total: u64 =
            sizes.iter().zip(&uses).map(|(size, uses)| count(*size) * uses.max(&1)).sum();
        let is_beyond = |size: [u32; 2]| count(size) > TEXTURE_TEXELS_MAX;
        while let Some(largest) = (0..sizes.len()).max_by_key(|&i| count(sizes[i])) {
            let size = sizes[largest];
            if total <= max && !is_beyond(size) {
                break;
            }
            if size[0] < 2 || size[1] < 2 {
                let source = &mut self.sources[largest];
                warnings.add(Warning::Texture {
                    name: shorten(&source.name),
                    reason: "there are too many textures".to_owned(),
                });
                source.bytes = None;
                sizes[largest] = [0; 2];
            } else {
                sizes[largest] = size.map(|side| side / 2);
                halvings[largest] += 1;
            }
            total -= (count(size) - count(sizes[largest])) * uses[largest].max(1);
        }
        let reduced: Vec<usize> = (0..sizes.len()).filter(|&i| halvings[i] > 0).collect();
        if let Some(&first) = reduced.first() {
            let most = reduced.iter().map(|&i| halvings[i]).max().unwrap_or(0);
            let [width_px, height_px] = sizes[first];
            warnings.add(Warning::ReducedTextures {
                count: reduced.len() as u64,
                share: format!("1/{}", 1_u64 << most),
                first: shorten(&self.sources[first].name),
                width_px,
                height_px,
            });
        }
        (sizes, halvings)
    }

    /// The textures, and for each request its place among them.
    fn build(
        &self,
        names: &[String],
        mut decoded: Vec<Option<Decoded>>,
    ) -> (Vec<Texture>, Vec<Option<usize>>) {
        let recipes: Vec<Option<Recipe>> =
            self.textures.iter().map(|(recipe, ..)| recipe.without_missing(&decoded)).collect();
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
    for reference in material.textures.iter_mut() {
        *reference = reference.and_then(|known| {
            let texture = place.get(known.texture).copied().flatten()?;
            Some(TextureRef { texture, ..known })
        });
    }
}

/// A picture of the first source's size; the others are read at the nearest texel. `None` where one
/// of them is not held whole.
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
        Some(Whole { width: picture.width_px as usize, height: picture.height_px as usize, texels })
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
        flaw: None,
    })
}

/// Mean of the colour channels: such maps are grey, and a mean leaves grey as it is.
fn grey([r, g, b, _]: [u8; 4]) -> u8 {
    ((u16::from(r) + u16::from(g) + u16::from(b)) / 3) as u8
}
