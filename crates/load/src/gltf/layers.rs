//! The extensions of a material's object → [`Layers`] and their textures, by the table of
//! [`EXTENSIONS`].

use super::super::error::LoadError;
use super::super::warning::Warning;
use super::document::{number, numbers};
use super::material::Materials;
use crate::scene::extensions::{Content, EXTENSIONS, Extension, Range, SPECULAR_GLOSSINESS};
use crate::scene::{Layers, Material, Slot, SpecularGlossiness};
use glam::{Vec3, Vec4};
use serde_json::{Map, Value};

impl Materials<'_, '_> {
    /// Reads what a material says beyond metallic-roughness. Nothing new gives no layers.
    pub(super) fn layers(
        &mut self,
        extensions: &Map<String, Value>,
        material: &mut Material,
    ) -> Result<(), LoadError> {
        let mut layers = Layers::default();
        for extension in &EXTENSIONS {
            if let Some(value) = extensions.get(extension.name) {
                self.extension(extension, value, material, &mut layers)?;
            }
        }
        if let Some(value) = extensions.get(SPECULAR_GLOSSINESS) {
            self.specular_glossiness(value, material, &mut layers)?;
        }
        let has_textures = material.textures.of_layers().iter().any(Option::is_some);
        if has_textures || layers != Layers::default() {
            material.layers = Some(Box::new(layers));
        }
        Ok(())
    }

    fn extension(
        &mut self,
        extension: &Extension,
        value: &Value,
        material: &mut Material,
        layers: &mut Layers,
    ) -> Result<(), LoadError> {
        let before = layers.clone();
        for (idx, member) in extension.members.iter().enumerate() {
            if idx == extension.num_deciding && (extension.is_absent)(material, layers) {
                *layers = before;
                return Ok(());
            }
            let key = member.key;
            match member.content {
                Content::Number(field, range) => {
                    if let Some(said) = number(value, key) {
                        let known = field(material, layers);
                        *known = self.within(range, said, *known);
                    }
                }
                Content::Color(field, range) => {
                    if let Some(said) = numbers::<3>(value, key) {
                        let color = said.map(|c| self.within(range, c, 0.0));
                        *field(material, layers) = Vec3::from_array(color);
                    }
                }
                Content::Texture(slot, scale) => {
                    material.textures[slot] =
                        self.extension_texture(extension.name, value, key, slot.color_space())?;
                    let said = value.get(key).and_then(|info| number(info, "scale"));
                    if let (Some(field), Some(said)) = (scale, said) {
                        *field(material, layers) = said;
                    }
                }
            }
        }
        Ok(())
    }

    fn within(&mut self, range: Range, value: f32, otherwise: f32) -> f32 {
        match range {
            Range::Any => value,
            Range::Unit => self.unit(value, otherwise),
            Range::Positive => self.positive(value),
            Range::Ior => self.ior(value),
            Range::FilmIor => self.ior(value).max(1.0),
        }
    }

    fn ior(&mut self, ior: f32) -> f32 {
        if ior >= 1.0 || ior == 0.0 {
            return ior;
        }
        self.warnings().add(Warning::Clamped { count: 1 });
        1.0
    }

    /// The extension wins: metallic-roughness is for other readers (section "Best practices").
    fn specular_glossiness(
        &mut self,
        value: &Value,
        material: &mut Material,
        layers: &mut Layers,
    ) -> Result<(), LoadError> {
        let diffuse = numbers::<4>(value, "diffuseFactor").unwrap_or([1.0; 4]);
        let specular = numbers::<3>(value, "specularFactor").unwrap_or([1.0; 3]);
        let glossiness = self.unit(number(value, "glossinessFactor").unwrap_or(1.0), 1.0);
        material.base_color = Vec4::from_array(diffuse.map(|c| self.unit(c, 1.0)));
        material.metallic = 0.0;
        material.roughness = 1.0 - glossiness;
        material.textures[Slot::MetallicRoughness] = None;
        let specular = Vec3::from_array(specular.map(|c| self.unit(c, 1.0)));
        layers.specular_glossiness = Some(SpecularGlossiness { specular, glossiness });
        for (slot, key) in [
            (Slot::BaseColor, "diffuseTexture"),
            (Slot::SpecularGlossiness, "specularGlossinessTexture"),
        ] {
            material.textures[slot] =
                self.extension_texture(SPECULAR_GLOSSINESS, value, key, slot.color_space())?;
        }
        Ok(())
    }
}
