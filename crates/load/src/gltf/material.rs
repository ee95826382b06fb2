//! Materials and their textures: glTF 2.0, section 3.9, and extensions cheap to honour.

use super::super::error::LoadError;
use super::super::files::{FileProblem, Folder, data_uri, percent_decode, shorten};
use super::super::limits::FILE_BYTES_MAX;
use super::super::picture::dimensions;
use super::super::texture::{Bank, Recipe, Sampler};
use super::super::warning::{Warning, Warnings};
use super::document::{Document, number, numbers};
use crate::scene::{AlphaMode, ColorSpace, Material, Slot, TextureRef, UvTransform, Wrap};
use glam::{Vec2, Vec3, Vec4};
use gltf::json::texture::{MagFilter, WrappingMode};
use gltf::json::validation::Checked;
use gltf::json::{Index, material as json};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An encoded picture, or why it cannot be had.
type Picture<'d> = Result<Cow<'d, [u8]>, String>;

/// Turns the file's materials into ours, and collects their pictures.
pub(super) struct Materials<'d, 'f> {
    document: &'d Document<'d>,
    folder: &'f mut Folder,
    warnings: &'f mut Warnings,
    bank: Bank<'d>,
    images: BTreeMap<usize, usize>,
    list: Vec<Material>,
    /// By file index (none: the default material) and, if it has a thickness, by scale.
    place: BTreeMap<(Option<usize>, u32), usize>,
}

impl<'d, 'f> Materials<'d, 'f> {
    pub(super) fn new(
        document: &'d Document<'d>,
        folder: &'f mut Folder,
        warnings: &'f mut Warnings,
    ) -> Self {
        Self {
            document,
            folder,
            warnings,
            bank: Bank::default(),
            images: BTreeMap::new(),
            list: Vec::new(),
            place: BTreeMap::new(),
        }
    }

    pub(super) fn warnings(&mut self) -> &mut Warnings {
        self.warnings
    }

    /// The scene's index of a material, read on its first use only; `None` is glTF's default
    /// material. `scale` is that of the node: a volume's thickness is in the mesh's own units.
    pub(super) fn index(
        &mut self,
        material: Option<Index<json::Material>>,
        scale: f64,
    ) -> Result<usize, LoadError> {
        let key = material.map(|index| index.value());
        let first = (key, 1.0_f32.to_bits());
        if let Some(&place) = self.place.get(&first) {
            return Ok(self.scaled(place, key, scale as f32));
        }
        let made = match material {
            None => default_material(),
            Some(index) => {
                let document = self.document;
                let json = document.get(&document.root.materials, index, "material")?;
                self.convert(json)?
            }
        };
        self.list.push(made);
        let place = self.list.len() - 1;
        self.place.insert(first, place);
        Ok(self.scaled(place, key, scale as f32))
    }

    /// The material at `place`, or its copy with a thickness that is scaled.
    fn scaled(&mut self, place: usize, key: Option<usize>, scale: f32) -> usize {
        let thickness = self.list[place].layers.as_ref().map_or(0.0, |layers| layers.thickness);
        // Rotations leave a determinant that is not quite 1.
        if thickness == 0.0 || (scale - 1.0).abs() < 1e-5 {
            return place;
        }
        let list = &mut self.list;
        *self.place.entry((key, scale.to_bits())).or_insert_with(|| {
            let mut copy = list[place].clone();
            copy.layers.iter_mut().for_each(|layers| layers.thickness = thickness * scale);
            list.push(copy);
            list.len() - 1
        })
    }

    pub(super) fn get(&self, index: usize) -> Option<&Material> {
        self.list.get(index)
    }

    pub(super) fn finish(self) -> (Vec<Material>, Bank<'d>) {
        (self.list, self.bank)
    }

    fn convert(&mut self, json: &json::Material) -> Result<Material, LoadError> {
        let pbr = &json.pbr_metallic_roughness;
        let no_extensions = Map::new();
        let extensions = json.extensions.as_ref().map_or(&no_extensions, |e| &e.others);
        let mut material = Material {
            name: json.name.clone().unwrap_or_default(),
            base_color: Vec4::from_array(pbr.base_color_factor.0.map(|c| self.unit(c, 1.0))),
            metallic: self.unit(pbr.metallic_factor.0, 1.0),
            roughness: self.unit(pbr.roughness_factor.0, 1.0),
            emissive: Vec3::from_array(json.emissive_factor.0.map(|c| self.positive(c))),
            alpha_mode: match json.alpha_mode {
                Checked::Valid(json::AlphaMode::Mask) => AlphaMode::Mask {
                    cutoff: json.alpha_cutoff.map_or(0.5, |cutoff| self.positive(cutoff.0)),
                },
                Checked::Valid(json::AlphaMode::Blend) => AlphaMode::Blend,
                Checked::Valid(json::AlphaMode::Opaque) => AlphaMode::Opaque,
                Checked::Invalid => {
                    let feature = "an unknown alpha mode";
                    self.warnings.add(Warning::MaterialFeature { feature, count: 1 });
                    AlphaMode::Opaque
                }
            },
            double_sided: json.double_sided,
            unlit: extensions.contains_key("KHR_materials_unlit"),
            ..Material::default()
        };
        for (slot, info) in [
            (Slot::BaseColor, &pbr.base_color_texture),
            (Slot::MetallicRoughness, &pbr.metallic_roughness_texture),
            (Slot::Emissive, &json.emissive_texture),
        ] {
            material.textures[slot] = self.info(info.as_ref(), slot.color_space())?;
        }
        if let Some(normal) = &json.normal_texture {
            let others = normal.extensions.as_ref().map(|e| &e.others);
            material.textures[Slot::Normal] =
                self.texture(normal.index, normal.tex_coord, others, ColorSpace::Linear)?;
            material.normal_scale = if normal.scale.is_finite() { normal.scale } else { 1.0 };
        }
        if let Some(occlusion) = &json.occlusion_texture {
            let others = occlusion.extensions.as_ref().map(|e| &e.others);
            material.textures[Slot::Occlusion] =
                self.texture(occlusion.index, occlusion.tex_coord, others, ColorSpace::Linear)?;
            material.occlusion_strength = self.unit(occlusion.strength.0, 1.0);
        }
        if let Some(strength) = extensions
            .get("KHR_materials_emissive_strength")
            .and_then(|value| number(value, "emissiveStrength"))
        {
            material.emissive *= self.positive(strength);
        }
        self.layers(extensions, &mut material)?;
        Ok(material)
    }

    /// The texture that an extension's object names.
    pub(super) fn extension_texture(
        &mut self,
        extension: &str,
        value: &Value,
        key: &str,
        color_space: ColorSpace,
    ) -> Result<Option<TextureRef>, LoadError> {
        let Some(info) = value.get(key) else {
            return Ok(None);
        };
        let info = serde_json::from_value::<gltf::json::texture::Info>(info.clone());
        let info =
            info.map_err(|e| self.document.broken(extension, format!("has a bad texture ({e})")))?;
        self.info(Some(&info), color_space)
    }

    fn info(
        &mut self,
        info: Option<&gltf::json::texture::Info>,
        color_space: ColorSpace,
    ) -> Result<Option<TextureRef>, LoadError> {
        let Some(info) = info else { return Ok(None) };
        let others = info.extensions.as_ref().map(|e| &e.others);
        self.texture(info.index, info.tex_coord, others, color_space)
    }

    fn texture(
        &mut self,
        index: Index<gltf::json::Texture>,
        tex_coord: u32,
        extensions: Option<&Map<String, Value>>,
        color_space: ColorSpace,
    ) -> Result<Option<TextureRef>, LoadError> {
        let document = self.document;
        let texture = document.get(&document.root.textures, index, "texture")?;
        let sampler = match texture.sampler {
            None => [Wrap::Repeat; 2].into(),
            Some(sampler) => {
                let sampler = document.get(&document.root.samplers, sampler, "sampler")?;
                Sampler {
                    wrap: [sampler.wrap_s, sampler.wrap_t].map(wrap_of),
                    is_nearest: sampler.mag_filter == Some(Checked::Valid(MagFilter::Nearest)),
                }
            }
        };
        let Some(image) = self.image(index.value(), texture)? else {
            return Ok(None);
        };
        let transform = extensions.and_then(|others| others.get("KHR_texture_transform"));
        let uv_set = transform
            .and_then(|value| value.get("texCoord")?.as_u64())
            .unwrap_or_else(|| u64::from(tex_coord));
        Ok(Some(TextureRef {
            texture: self.bank.texture(Recipe::plain(image), color_space, sampler),
            uv_set: usize::try_from(uv_set).unwrap_or(usize::MAX),
            transform: transform.map_or(UvTransform::IDENTITY, uv_transform),
        }))
    }

    /// The bank's index of a texture's picture. A format that we read wins over the fallback, and
    /// the fallback over one that we do not.
    fn image(
        &mut self,
        texture: usize,
        json: &gltf::json::Texture,
    ) -> Result<Option<usize>, LoadError> {
        const NO_SOURCE: usize = u32::MAX as usize; // how `gltf-json` says that there is none
        let source_of = |extension: &str| -> Option<usize> {
            let others = &json.extensions.as_ref()?.others;
            usize::try_from(others.get(extension)?.get("source")?.as_u64()?).ok()
        };
        let plain = Some(json.source.value()).filter(|&source| source != NO_SOURCE);
        let compressed = source_of("KHR_texture_basisu").or_else(|| source_of("EXT_texture_webp"));
        let sources: Vec<usize> = [compressed, plain].into_iter().flatten().collect();
        let Some(&first) = sources.first() else {
            self.warnings.add(Warning::Texture {
                name: format!("texture {texture}"),
                reason: match json.extensions.as_ref().and_then(|e| e.others.keys().next()) {
                    Some(extension) => format!("it needs glTF extension {}", shorten(extension)),
                    None => "it names no picture".to_owned(),
                },
            });
            return Ok(None);
        };
        if let Some(&known) = self.images.get(&first) {
            return Ok(Some(known));
        }
        let (mut name, mut bytes) = self.source(first)?;
        // The fallback is for readers that cannot read the other.
        if sources.len() > 1 && !bytes.as_ref().is_ok_and(|bytes| dimensions(bytes).is_ok()) {
            let (other_name, other) = self.source(sources[1])?;
            if other.as_ref().is_ok_and(|other| dimensions(other).is_ok()) {
                let reason = bytes.and_then(|bytes| dimensions(&bytes)).err().unwrap_or_default();
                self.warnings.add(Warning::FallbackTexture { name: shorten(&name), reason });
                (name, bytes) = (other_name, other);
            }
        }
        let image = self.bank.image(name, bytes, self.warnings);
        self.images.insert(first, image);
        Ok(Some(image))
    }

    /// An image's name, and its encoded picture or why it cannot be had.
    fn source(&mut self, source: usize) -> Result<(String, Picture<'d>), LoadError> {
        let document = self.document;
        let image = document.get(&document.root.images, Index::new(source as u32), "image")?;
        let name = match (&image.name, &image.uri) {
            (Some(name), _) if !name.is_empty() => name.clone(),
            (_, Some(uri)) if data_uri(uri).is_none() => uri.clone(),
            _ => format!("image {source}"),
        };
        let bytes = match (&image.uri, image.buffer_view) {
            (Some(uri), _) => self.picture_at(uri)?,
            (None, Some(view)) => document.view(view).map(Cow::Borrowed).map_err(|e| e.to_string()),
            (None, None) => Err("it has no data".to_owned()),
        };
        Ok((name, bytes))
    }

    /// A picture by its URI, or a reason, as when it leads outside. A link outside ends the load.
    fn picture_at(&mut self, uri: &str) -> Result<Picture<'d>, LoadError> {
        if let Some(data) = data_uri(uri) {
            return Ok(data.map(Cow::Owned));
        }
        let names = [percent_decode(uri), uri.to_owned()];
        match (self.folder).find(&names, FILE_BYTES_MAX, self.warnings) {
            Ok(bytes) => Ok(Ok(Cow::Owned(bytes))),
            Err(problem @ (FileProblem::Escape(_) | FileProblem::TooLarge { .. })) => {
                Err(problem.into_error("a texture", uri, self.document.path))
            }
            Err(problem) => Ok(Err(problem.to_string())),
        }
    }

    /// A factor in 0..=1.
    pub(super) fn unit(&mut self, value: f32, otherwise: f32) -> f32 {
        if (0.0..=1.0).contains(&value) {
            return value;
        }
        self.warnings.add(Warning::Clamped { count: 1 });
        if value.is_nan() { otherwise } else { value.clamp(0.0, 1.0) }
    }

    /// A finite factor ≥ 0.
    pub(super) fn positive(&mut self, value: f32) -> f32 {
        if value >= 0.0 && value.is_finite() {
            return value;
        }
        self.warnings.add(Warning::Clamped { count: 1 });
        0.0
    }
}

/// glTF 2.0, section 3.7.2.1: for primitives without one. Metallic, rough, unlike our default.
fn default_material() -> Material {
    Material { metallic: 1.0, roughness: 1.0, ..Material::default() }
}

fn wrap_of(wrap: Checked<WrappingMode>) -> Wrap {
    match wrap {
        Checked::Valid(WrappingMode::ClampToEdge) => Wrap::ClampToEdge,
        Checked::Valid(WrappingMode::MirroredRepeat) => Wrap::MirroredRepeat,
        _ => Wrap::Repeat,
    }
}

/// `KHR_texture_transform`: scale, then a rotation that turns the coordinates counter-clockwise as
/// seen with v pointing down, then offset.
///
/// The extension's GLSL and text differ in the rotation's sense; like viewers, we follow the text.
fn uv_transform(value: &Value) -> UvTransform {
    let [offset_u, offset_v] = numbers::<2>(value, "offset").unwrap_or([0.0; 2]);
    let [scale_u, scale_v] = numbers::<2>(value, "scale").unwrap_or([1.0; 2]);
    let rotation = number(value, "rotation").unwrap_or(0.0);
    let (sin, cos) = (libm::sinf(rotation), libm::cosf(rotation));
    UvTransform {
        linear: [[cos * scale_u, sin * scale_v], [-sin * scale_u, cos * scale_v]],
        offset: Vec2::new(offset_u, offset_v),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texture_transforms_agree_with_the_markers_of_the_khronos_test_model() {
        // Its arrow ends at texel (0.7778, 0.7778); its markers say where on the tile (u = x + 0.5,
        // v = 0.5 - y) the tip must show.
        let tip = Vec2::splat(0.777_817_5);
        for (json, marker, tolerance) in [
            (r#"{"rotation": 0.392699}"#, Vec2::new(-0.079_048_224, -0.516_267_5), 1e-5),
            (r#"{"scale": [1.5, 1.5]}"#, Vec2::new(0.018_544_97, -0.018_544_97), 1e-5),
            // Placed by hand in the model, to two digits.
            (
                r#"{"offset": [-0.2, -0.1], "rotation": 0.3, "scale": [1.5, 1.5]}"#,
                Vec2::new(-0.07, -0.25),
                0.03,
            ),
        ] {
            let transform = uv_transform(&serde_json::from_str(json).unwrap());
            let shown = transform.apply(Vec2::new(marker.x + 0.5, 0.5 - marker.y));
            assert!((shown - tip).length() < tolerance, "{json}: {shown}");
        }
    }
}
