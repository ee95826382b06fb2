//! Materials, textures and samplers. glTF 2.0, sections 3.8 and 3.9.

use super::buffer::Buffer;
use super::error::SaveError;
use super::layers;
use super::options::SaveOptions;
use crate::scene::{
    AlphaMode, Material, Mesh, Scene, Slot, Texture, TextureRef, UvTransform, Wrap,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::Write;

const TRANSFORM: &str = "KHR_texture_transform";
const UNLIT: &str = "KHR_materials_unlit";
const EMISSIVE_STRENGTH: &str = "KHR_materials_emissive_strength";

/// Writes all materials and textures into `root`.
pub(super) fn write(
    scene: &Scene,
    options: SaveOptions,
    buffer: &mut Buffer<'_>,
    root: &mut Value,
) -> Result<(), SaveError> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let materials: Vec<Value> =
        scene.materials().iter().map(|m| material(m, options, &mut used)).collect();
    root["materials"] = materials.into();
    let (mut textures, mut images, mut samplers) = (Vec::new(), Vec::new(), Vec::<Value>::new());
    for texture in scene.textures() {
        let bytes = png(texture)?;
        let length = bytes.len();
        let part = move |out: &mut dyn Write| out.write_all(&bytes);
        let view = buffer.view(length, Box::new(part), None);
        let mut image = json!({"bufferView": view, "mimeType": "image/png"});
        if options.has_names && !texture.name().is_empty() {
            image["name"] = texture.name().into();
        }
        let [s, t] = texture.wrap().map(wrap);
        let mut sampler = json!({"wrapS": s, "wrapT": t});
        if texture.is_nearest() {
            sampler["magFilter"] = NEAREST.into();
        }
        let place = samplers.iter().position(|known| *known == sampler).unwrap_or_else(|| {
            samplers.push(sampler);
            samplers.len() - 1
        });
        textures.push(json!({"source": images.len(), "sampler": place}));
        images.push(image);
    }
    // The format allows no empty lists.
    for (name, list) in [("textures", textures), ("images", images), ("samplers", samplers)] {
        if !list.is_empty() {
            root[name] = list.into();
        }
    }
    if !used.is_empty() {
        root["extensionsUsed"] = json!(used);
    }
    Ok(())
}

fn material(from: &Material, options: SaveOptions, used: &mut BTreeSet<String>) -> Value {
    let mut pbr = json!({
        "baseColorFactor": from.base_color.to_array(),
        "metallicFactor": from.metallic,
        "roughnessFactor": from.roughness,
    });
    let mut put = |object: &mut Value, key: &str, texture: &Option<TextureRef>| -> bool {
        let Some(info) = texture.as_ref().and_then(|t| texture_info(t, used)) else {
            return false;
        };
        object[key] = info;
        true
    };
    put(&mut pbr, "baseColorTexture", &from.textures[Slot::BaseColor]);
    put(&mut pbr, "metallicRoughnessTexture", &from.textures[Slot::MetallicRoughness]);
    // A factor above 1 is the extension's; the core format ends at 1.
    let strength = from.emissive.max_element().max(1.0);
    let mut out = json!({
        "pbrMetallicRoughness": pbr,
        "emissiveFactor": (from.emissive / strength).to_array(),
        "doubleSided": from.double_sided,
    });
    put(&mut out, "emissiveTexture", &from.textures[Slot::Emissive]);
    if put(&mut out, "normalTexture", &from.textures[Slot::Normal]) {
        out["normalTexture"]["scale"] = from.normal_scale.into();
    }
    if put(&mut out, "occlusionTexture", &from.textures[Slot::Occlusion]) {
        out["occlusionTexture"]["strength"] = from.occlusion_strength.into();
    }
    let mut extensions = Map::new();
    layers::put(from, &mut put, &mut extensions);
    match from.alpha_mode {
        AlphaMode::Opaque => {}
        AlphaMode::Mask { cutoff } => {
            out["alphaMode"] = "MASK".into();
            out["alphaCutoff"] = cutoff.into();
        }
        AlphaMode::Blend => out["alphaMode"] = "BLEND".into(),
    }
    if options.has_names && !from.name.is_empty() {
        out["name"] = from.name.clone().into();
    }
    if from.unlit {
        extensions.insert(UNLIT.to_owned(), json!({}));
    }
    if strength > 1.0 {
        extensions.insert(EMISSIVE_STRENGTH.to_owned(), json!({"emissiveStrength": strength}));
    }
    used.extend(extensions.keys().cloned());
    if !extensions.is_empty() {
        out["extensions"] = extensions.into();
    }
    out
}

/// None for a coordinate set that no mesh can have: such a texture is drawn by nobody.
fn texture_info(from: &TextureRef, used: &mut BTreeSet<String>) -> Option<Value> {
    if from.uv_set >= Mesh::UV_SETS_MAX {
        return None;
    }
    let mut info = json!({"index": from.texture, "texCoord": from.uv_set});
    if from.transform != UvTransform::IDENTITY {
        used.insert(TRANSFORM.to_owned());
        info["extensions"] = json!({ TRANSFORM: transform(&from.transform) });
    }
    Some(info)
}

/// The extension's matrix is `[[cos·sx, sin·sy], [−sin·sx, cos·sy]]`; solved for its rotation and
/// scale. Every transform of the loaders has this form; another one's shear would be lost.
fn transform(from: &UvTransform) -> Value {
    let [[a, b], [c, d]] = from.linear;
    let scale_x = (a * a + c * c).sqrt();
    let rotation = if scale_x > 0.0 { libm::atan2f(-c, a) } else { libm::atan2f(b, d) };
    let (sin, cos) = (libm::sinf(rotation), libm::cosf(rotation));
    json!({"offset": from.offset.to_array(), "rotation": rotation, "scale": [scale_x, sin * b + cos * d]})
}

/// As OpenGL numbers it.
const NEAREST: u32 = 9728;

fn wrap(from: Wrap) -> u32 {
    match from {
        Wrap::ClampToEdge => 33071,
        Wrap::MirroredRepeat => 33648,
        Wrap::Repeat => 10497,
    }
}

/// RGB where nothing is transparent: a quarter less to send.
fn png(texture: &Texture) -> Result<Vec<u8>, SaveError> {
    let failed = |e: png::EncodingError| SaveError::Texture { reason: e.to_string() };
    let texels = texture.texels();
    let is_opaque = texels.iter().all(|t| t[3] == u8::MAX);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, texture.width_px(), texture.height_px());
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let data: Vec<u8> = if is_opaque {
        encoder.set_color(png::ColorType::Rgb);
        texels.iter().flat_map(|t| [t[0], t[1], t[2]]).collect()
    } else {
        encoder.set_color(png::ColorType::Rgba);
        texels.as_flattened().to_vec()
    };
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&data).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}
