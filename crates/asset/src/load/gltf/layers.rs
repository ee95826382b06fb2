//! The extensions of a material's object → [`Layers`]: `KHR_materials_ior`, `_specular`,
//! `_clearcoat`, `_sheen`, `_volume`, `_iridescence`, `_anisotropy`, `_pbrSpecularGlossiness`.

use super::super::error::LoadError;
use super::super::warning::Warning;
use super::document::{number, numbers};
use super::material::Materials;
use crate::scene::{ColorSpace, Layers, Material, SpecularGlossiness};
use glam::{Vec3, Vec4};
use serde_json::{Map, Value};

const IOR: &str = "KHR_materials_ior";
const SPECULAR: &str = "KHR_materials_specular";
const CLEARCOAT: &str = "KHR_materials_clearcoat";
const SHEEN: &str = "KHR_materials_sheen";
const VOLUME: &str = "KHR_materials_volume";
const IRIDESCENCE: &str = "KHR_materials_iridescence";
const ANISOTROPY: &str = "KHR_materials_anisotropy";
const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";

/// Reads the object of an extension.
type Read<M> = fn(&mut M, &Value, &mut Layers) -> Result<(), LoadError>;

impl Materials<'_, '_> {
    /// Reads what a material says beyond metallic-roughness. Nothing new gives no layers.
    pub(super) fn layers(
        &mut self,
        extensions: &Map<String, Value>,
        material: &mut Material,
    ) -> Result<(), LoadError> {
        let mut layers = Layers::default();
        if let Some(ior) = extensions.get(IOR).and_then(|value| number(value, "ior")) {
            layers.ior = self.ior(ior);
        }
        let readers: [(_, Read<Self>); 6] = [
            (SPECULAR, Self::specular),
            (CLEARCOAT, Self::clearcoat),
            (SHEEN, Self::sheen),
            (VOLUME, Self::volume),
            (IRIDESCENCE, Self::iridescence),
            (ANISOTROPY, Self::anisotropy),
        ];
        for (name, read) in readers {
            if let Some(value) = extensions.get(name) {
                read(self, value, &mut layers)?;
            }
        }
        if let Some(value) = extensions.get(SPECULAR_GLOSSINESS) {
            self.specular_glossiness(value, material, &mut layers)?;
        }
        if layers != Layers::default() {
            material.layers = Some(Box::new(layers));
        }
        Ok(())
    }

    /// At least 1, or 0, which means a surface that reflects everything.
    fn ior(&mut self, ior: f32) -> f32 {
        if ior >= 1.0 || ior == 0.0 {
            return ior;
        }
        self.warnings().add(Warning::Clamped { count: 1 });
        1.0
    }

    fn specular(&mut self, value: &Value, layers: &mut Layers) -> Result<(), LoadError> {
        layers.specular = self.unit(number(value, "specularFactor").unwrap_or(1.0), 1.0);
        let color = numbers::<3>(value, "specularColorFactor").unwrap_or([1.0; 3]);
        layers.specular_color = Vec3::from_array(color.map(|c| self.positive(c)));
        layers.specular_texture =
            self.extension_texture(SPECULAR, value, "specularTexture", ColorSpace::Linear)?;
        layers.specular_color_texture =
            self.extension_texture(SPECULAR, value, "specularColorTexture", ColorSpace::Srgb)?;
        Ok(())
    }

    /// A factor of 0 is no coat, whatever its other values are.
    fn clearcoat(&mut self, value: &Value, layers: &mut Layers) -> Result<(), LoadError> {
        layers.coat = self.unit(number(value, "clearcoatFactor").unwrap_or(0.0), 0.0);
        if layers.coat == 0.0 {
            return Ok(());
        }
        let roughness = number(value, "clearcoatRoughnessFactor").unwrap_or(0.0);
        layers.coat_roughness = self.unit(roughness, 0.0);
        let linear = ColorSpace::Linear;
        layers.coat_texture =
            self.extension_texture(CLEARCOAT, value, "clearcoatTexture", linear)?;
        layers.coat_roughness_texture =
            self.extension_texture(CLEARCOAT, value, "clearcoatRoughnessTexture", linear)?;
        layers.coat_normal_texture =
            self.extension_texture(CLEARCOAT, value, "clearcoatNormalTexture", linear)?;
        if let Some(normal) = value.get("clearcoatNormalTexture") {
            layers.coat_normal_scale = number(normal, "scale").unwrap_or(1.0);
        }
        Ok(())
    }

    /// A black factor is no sheen, whatever its other values are.
    fn sheen(&mut self, value: &Value, layers: &mut Layers) -> Result<(), LoadError> {
        let color = numbers::<3>(value, "sheenColorFactor").unwrap_or([0.0; 3]);
        layers.sheen_color = Vec3::from_array(color.map(|c| self.unit(c, 0.0)));
        if layers.sheen_color == Vec3::ZERO {
            return Ok(());
        }
        let roughness = number(value, "sheenRoughnessFactor").unwrap_or(0.0);
        layers.sheen_roughness = self.unit(roughness, 0.0);
        layers.sheen_color_texture =
            self.extension_texture(SHEEN, value, "sheenColorTexture", ColorSpace::Srgb)?;
        layers.sheen_roughness_texture =
            self.extension_texture(SHEEN, value, "sheenRoughnessTexture", ColorSpace::Linear)?;
        Ok(())
    }

    /// A body that is not thick, or absorbs nothing, is a thin pane.
    fn volume(&mut self, value: &Value, layers: &mut Layers) -> Result<(), LoadError> {
        let thickness = self.positive(number(value, "thicknessFactor").unwrap_or(0.0));
        let color = numbers::<3>(value, "attenuationColor").unwrap_or([1.0; 3]);
        let color = Vec3::from_array(color.map(|c| self.unit(c, 1.0)));
        let distance = number(value, "attenuationDistance").unwrap_or(f32::INFINITY);
        if thickness == 0.0 || color == Vec3::ONE || !(distance > 0.0 && distance.is_finite()) {
            return Ok(());
        }
        layers.thickness = thickness;
        layers.attenuation_color = color;
        layers.attenuation_distance = distance;
        layers.thickness_texture =
            self.extension_texture(VOLUME, value, "thicknessTexture", ColorSpace::Linear)?;
        Ok(())
    }

    /// A factor of 0 is no film, whatever its other values are.
    fn iridescence(&mut self, value: &Value, layers: &mut Layers) -> Result<(), LoadError> {
        let strength = self.unit(number(value, "iridescenceFactor").unwrap_or(0.0), 0.0);
        if strength == 0.0 {
            return Ok(());
        }
        layers.iridescence = strength;
        if let Some(ior) = number(value, "iridescenceIor") {
            layers.iridescence_ior = self.ior(ior).max(1.0);
        }
        let keys = ["iridescenceThicknessMinimum", "iridescenceThicknessMaximum"];
        for (thickness, key) in layers.iridescence_thickness_nm.iter_mut().zip(keys) {
            *thickness = self.positive(number(value, key).unwrap_or(*thickness));
        }
        let linear = ColorSpace::Linear;
        layers.iridescence_texture =
            self.extension_texture(IRIDESCENCE, value, "iridescenceTexture", linear)?;
        layers.iridescence_thickness_texture =
            self.extension_texture(IRIDESCENCE, value, "iridescenceThicknessTexture", linear)?;
        Ok(())
    }

    /// A strength of 0 is no grain, whatever its other values are.
    fn anisotropy(&mut self, value: &Value, layers: &mut Layers) -> Result<(), LoadError> {
        let strength = self.unit(number(value, "anisotropyStrength").unwrap_or(0.0), 0.0);
        if strength == 0.0 {
            return Ok(());
        }
        layers.anisotropy = strength;
        layers.anisotropy_rotation_radians = number(value, "anisotropyRotation").unwrap_or(0.0);
        layers.anisotropy_texture =
            self.extension_texture(ANISOTROPY, value, "anisotropyTexture", ColorSpace::Linear)?;
        Ok(())
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
        material.base_color_texture =
            self.extension_texture(SPECULAR_GLOSSINESS, value, "diffuseTexture", ColorSpace::Srgb)?;
        material.metallic = 0.0;
        material.roughness = 1.0 - glossiness;
        material.metallic_roughness_texture = None;
        layers.specular_glossiness = Some(SpecularGlossiness {
            specular: Vec3::from_array(specular.map(|c| self.unit(c, 1.0))),
            glossiness,
            texture: self.extension_texture(
                SPECULAR_GLOSSINESS,
                value,
                "specularGlossinessTexture",
                ColorSpace::Srgb,
            )?,
        });
        Ok(())
    }
}
