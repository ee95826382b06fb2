//! [`Layers`] → the extensions of a material's object.

use crate::scene::{Layers, Material, TextureRef};
use glam::Vec3;
use serde_json::{Map, Value, json};

const IOR: &str = "KHR_materials_ior";
const SPECULAR: &str = "KHR_materials_specular";
const CLEARCOAT: &str = "KHR_materials_clearcoat";
const SHEEN: &str = "KHR_materials_sheen";
const VOLUME: &str = "KHR_materials_volume";
const IRIDESCENCE: &str = "KHR_materials_iridescence";
const ANISOTROPY: &str = "KHR_materials_anisotropy";
const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";

/// The extensions that this file writes.
pub(super) const NAMES: [&str; 8] =
    [IOR, SPECULAR, CLEARCOAT, SHEEN, VOLUME, IRIDESCENCE, ANISOTROPY, SPECULAR_GLOSSINESS];

/// Writes a texture under a key; `false` where there is none.
type Put<'a> = dyn FnMut(&mut Value, &str, &Option<TextureRef>) -> bool + 'a;

/// Adds the extensions of those layers that say something.
pub(super) fn put(
    material: &Material,
    from: &Layers,
    put: &mut Put<'_>,
    extensions: &mut Map<String, Value>,
) {
    if from.ior != Layers::IOR {
        extensions.insert(IOR.to_owned(), json!({"ior": from.ior}));
    }
    let has_texture = from.specular_texture.is_some() || from.specular_color_texture.is_some();
    if from.specular != 1.0 || from.specular_color != Vec3::ONE || has_texture {
        let mut out = json!({
            "specularFactor": from.specular,
            "specularColorFactor": from.specular_color.to_array(),
        });
        put(&mut out, "specularTexture", &from.specular_texture);
        put(&mut out, "specularColorTexture", &from.specular_color_texture);
        extensions.insert(SPECULAR.to_owned(), out);
    }
    if from.coat > 0.0 {
        let mut out = json!({
            "clearcoatFactor": from.coat,
            "clearcoatRoughnessFactor": from.coat_roughness,
        });
        put(&mut out, "clearcoatTexture", &from.coat_texture);
        put(&mut out, "clearcoatRoughnessTexture", &from.coat_roughness_texture);
        if put(&mut out, "clearcoatNormalTexture", &from.coat_normal_texture) {
            out["clearcoatNormalTexture"]["scale"] = from.coat_normal_scale.into();
        }
        extensions.insert(CLEARCOAT.to_owned(), out);
    }
    if from.sheen_color != Vec3::ZERO {
        let mut out = json!({
            "sheenColorFactor": from.sheen_color.to_array(),
            "sheenRoughnessFactor": from.sheen_roughness,
        });
        put(&mut out, "sheenColorTexture", &from.sheen_color_texture);
        put(&mut out, "sheenRoughnessTexture", &from.sheen_roughness_texture);
        extensions.insert(SHEEN.to_owned(), out);
    }
    if from.thickness > 0.0 {
        let mut out = json!({
            "thicknessFactor": from.thickness,
            "attenuationColor": from.attenuation_color.to_array(),
        });
        if from.attenuation_distance.is_finite() {
            out["attenuationDistance"] = from.attenuation_distance.into();
        }
        put(&mut out, "thicknessTexture", &from.thickness_texture);
        extensions.insert(VOLUME.to_owned(), out);
    }
    if from.iridescence > 0.0 {
        let [least, most] = from.iridescence_thickness_nm;
        let mut out = json!({
            "iridescenceFactor": from.iridescence,
            "iridescenceIor": from.iridescence_ior,
            "iridescenceThicknessMinimum": least,
            "iridescenceThicknessMaximum": most,
        });
        put(&mut out, "iridescenceTexture", &from.iridescence_texture);
        let thickness = &from.iridescence_thickness_texture;
        put(&mut out, "iridescenceThicknessTexture", thickness);
        extensions.insert(IRIDESCENCE.to_owned(), out);
    }
    if from.anisotropy > 0.0 {
        let mut out = json!({
            "anisotropyStrength": from.anisotropy,
            "anisotropyRotation": from.anisotropy_rotation_radians,
        });
        put(&mut out, "anisotropyTexture", &from.anisotropy_texture);
        extensions.insert(ANISOTROPY.to_owned(), out);
    }
    if let Some(glossy) = &from.specular_glossiness {
        let mut out = json!({
            "diffuseFactor": material.base_color.to_array(),
            "specularFactor": glossy.specular.to_array(),
            "glossinessFactor": glossy.glossiness,
        });
        put(&mut out, "diffuseTexture", &material.base_color_texture);
        put(&mut out, "specularGlossinessTexture", &glossy.texture);
        extensions.insert(SPECULAR_GLOSSINESS.to_owned(), out);
    }
}
