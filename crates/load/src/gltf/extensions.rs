//! The glTF extensions that are drawn, and what becomes of the others.

use super::super::error::LoadError;
use super::super::files::shorten;
use super::super::ignored::{Place, is_known, note};
use super::super::warning::Warnings;
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

/// Known, and needs another picture, which a file that requires it may lack.
const FALLBACK_ONLY: &str = "EXT_texture_avif";

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
        let is_known = is_drawn(name) || name != FALLBACK_ONLY && is_known(Place::Extension, name);
        if !is_known {
            return Err(LoadError::RequiredExtension {
                extension: shorten(name),
                path: document.path.to_path_buf(),
            });
        }
    }
    let used = root.extensions_used.iter().chain(&root.extensions_required);
    for name in used.filter(|name| is_known(Place::Extension, name)) {
        note(Place::Extension, name, warnings);
    }
    Ok(())
}

/// Warns of names in the JSON that are not read, whether the file declares them or not.
pub(super) fn note_names(json: &[u8], warnings: &mut Warnings) {
    for (place, name) in super::names::collect(json) {
        if !is_drawn(&name) {
            note(place, &name, warnings);
        }
    }
}

/// Whether this loader reads an extension, or the one for splats does.
fn is_drawn(name: &str) -> bool {
    DRAWN.contains(&name)
        || EXTENSIONS.iter().any(|known| known.name == name)
        || name.contains(SPLATS)
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
