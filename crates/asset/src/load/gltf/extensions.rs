//! The known glTF extensions: drawn, approximated, and refused when required.

use super::super::error::LoadError;
use super::super::files::shorten;
use super::super::warning::{Warning, Warnings};
use super::document::Document;
use crate::scene::extensions::{EXTENSIONS, SPECULAR_GLOSSINESS};
use gltf::json::mesh::Primitive;

/// Honoured in full by this loader, as are those of the table of [`EXTENSIONS`].
const DRAWN: [&str; 12] = [
    "KHR_texture_transform",
    "KHR_materials_unlit",
    "KHR_materials_emissive_strength",
    "KHR_mesh_quantization",
    "EXT_texture_webp",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_draco_mesh_compression",
    "KHR_texture_basisu",
    "EXT_mesh_gpu_instancing",
    SPECULAR_GLOSSINESS,
    "KHR_node_visibility",
];

/// Known, and without effect on a picture of the rest pose under the renderer's own light.
const NO_EFFECT: [&str; 33] = [
    "KHR_lights_punctual",
    "KHR_animation_pointer",
    "KHR_xmp_json_ld",
    "KHR_xmp",
    "KHR_materials_variants", // a primitive's own material is the default variant
    "EXT_lights_image_based",
    "EXT_mesh_features",
    "EXT_instance_features",
    "EXT_structural_metadata",
    "EXT_mesh_manifold",
    "KHR_audio_emitter",
    "CESIUM_RTC", // moves all by one step
    "CESIUM_primitive_outline",
    // In addition to the pictures that the specification requires.
    "MSFT_packing_normalRoughnessMetallic",
    "MSFT_packing_occlusionRoughnessMetallic",
    // What can be selected, moved by scripts or hit; names of roots and joints.
    "KHR_node_selectability",
    "KHR_node_hoverability",
    "KHR_interactivity",
    "KHR_physics_rigid_bodies",
    "KHR_implicit_shapes",
    "MSFT_collision_primitives",
    "MSFT_rigid_bodies",
    "OMI_collider",
    "OMI_physics_body",
    "OMI_physics_shape",
    "GODOT_single_root",
    "AGI_articulations",
    "AGI_stk_metadata",
    "FB_geometry_metadata",
    "VRM",
    "VRMC_vrm",
    "VRMC_springBone",
    "VRMC_node_constraint",
];

/// Known, and drawn without: what the picture lacks.
const APPROXIMATED: [(&str, &str); 4] = [
    ("KHR_materials_diffuse_transmission", "light does not shine through"),
    ("KHR_materials_dispersion", "colours are not spread"),
    ("MSFT_lod", "the first level of detail is shown"),
    ("VRMC_materials_mtoon", "cartoon shading is drawn as plain material"),
];

/// Not implemented, with a fallback in the file when they are not required.
const WITH_FALLBACK: [(&str, &str); 1] =
    [("EXT_texture_avif", "the fallback picture is used where there is one")];

/// What the names of the extensions for splats have in common.
const SPLATS: &str = "gaussian_splat";

/// Refuses splats, which another reader takes, and required extensions that are not known, and
/// warns of those that change the picture.
pub(super) fn check(document: &Document<'_>, warnings: &mut Warnings) -> Result<(), LoadError> {
    let root = &document.root;
    let mut primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    if let Some(name) = primitives.find_map(splats_of) {
        return Err(LoadError::NoSurface {
            what: format!("a glTF file of Gaussian splats ({})", shorten(name)),
            path: document.path.to_path_buf(),
        });
    }
    for required in &root.extensions_required {
        let name = required.as_str();
        let is_known = DRAWN.contains(&name)
            || EXTENSIONS.iter().any(|known| known.name == name)
            || name.contains(SPLATS)
            || NO_EFFECT.contains(&name)
            || APPROXIMATED.iter().any(|&(known, _)| known == name);
        if !is_known {
            return Err(LoadError::RequiredExtension {
                extension: shorten(name),
                path: document.path.to_path_buf(),
            });
        }
    }
    for used in root.extensions_used.iter().chain(&root.extensions_required) {
        if let Some(&(name, effect)) =
            APPROXIMATED.iter().chain(&WITH_FALLBACK).find(|&&(known, _)| known == used.as_str())
        {
            warnings.add(Warning::Extension { extension: name.to_owned(), effect });
        }
    }
    Ok(())
}

/// The extension that makes splats of a primitive, if one does.
fn splats_of(primitive: &Primitive) -> Option<&str> {
    let mut names = primitive.extensions.iter().flat_map(|extensions| extensions.others.keys());
    names.find(|name| name.contains(SPLATS)).map(String::as_str)
}

/// Takes splats out, which another reader reads.
pub(super) fn drop_splats(document: &mut Document<'_>) {
    for mesh in &mut document.root.meshes {
        mesh.primitives.retain(|primitive| splats_of(primitive).is_none());
    }
}

/// The names of the file's variants (`KHR_materials_variants`), in its order.
pub(super) fn variants(document: &Document<'_>) -> Vec<String> {
    let list = document
        .root
        .extensions
        .as_ref()
        .and_then(|e| e.others.get("KHR_materials_variants")?.get("variants")?.as_array());
    let name_of = |variant: &serde_json::Value| variant.get("name")?.as_str().map(str::to_owned);
    list.into_iter().flatten().filter_map(name_of).collect()
}
