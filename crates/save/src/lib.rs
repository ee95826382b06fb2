//! [`Scene`] → bytes of a `.glb` file (glTF 2.0), so that a browser or another program sees what we
//! loaded, whatever its format was.
//!
//! What a scene holds is written: triangles with normals, tangents, texture coordinates and colours
//! as 32-bit floats, metallic-roughness materials, textures as PNG, samplers,
//! `KHR_texture_transform`, `KHR_materials_unlit`, `KHR_materials_emissive_strength`,
//! `KHR_materials_transmission`, `_ior`, `_specular`, `_clearcoat`, `_sheen`, `_volume`,
//! `_iridescence`, `_anisotropy`, `_pbrSpecularGlossiness`. Loading the bytes again gives the same
//! scene but for materials and textures that nothing uses, and the rounding of texture rotations.
//!
//! [`NewFile`], [`NewFolder`] and [`file_name`] put bytes of any kind on the disk: whole or not at
//! all, and inside their folder.

mod buffer;
mod error;
mod file_name;
mod layers;
mod material;
mod npy;
mod options;
mod part;
mod whole;

pub use error::SaveError;
pub use file_name::{NAME_BYTES_MAX, distinct_names, file_name, file_names, is_forbidden};
pub use npy::npy;
pub use options::SaveOptions;
pub use part::remove_leftovers;
pub use whole::{NewFile, NewFolder, is_unfinished, write_file};

use meshjudge_scene as scene;

use crate::scene::{Mesh, Scene};
use buffer::Buffer;
use glam::{DVec3, Vec2, Vec3, Vec4};
use serde_json::{Value, json};
use std::io::Write;

/// The bytes of a `.glb` file; the same scene gives the same bytes.
///
/// # Errors
/// [`SaveError`].
pub fn glb(scene: &Scene, options: SaveOptions) -> Result<Vec<u8>, SaveError> {
    let mut bytes = Vec::new();
    write_glb(scene, options, &mut bytes)?;
    Ok(bytes)
}

/// Writes the bytes of [`glb`] in small pieces, never all in memory. Returns their number.
///
/// # Errors
/// [`SaveError`].
pub fn write_glb(
    scene: &Scene,
    options: SaveOptions,
    out: &mut dyn Write,
) -> Result<u64, SaveError> {
    let mut buffer = Buffer::default();
    let primitives: Vec<Value> =
        scene.meshes().iter().map(|mesh| primitive(mesh, &mut buffer)).collect();
    let mut root = json!({
        "asset": {"version": "2.0", "generator": concat!("meshjudge ", env!("CARGO_PKG_VERSION"))},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": primitives}],
    });
    if scene.origin() != DVec3::ZERO {
        root["nodes"][0]["translation"] = json!(scene.origin().to_array());
    }
    material::write(scene, options, &mut buffer, &mut root)?;
    buffer.finish(root, out)
}

fn primitive<'a>(mesh: &'a Mesh, buffer: &mut Buffer<'a>) -> Value {
    let mut attributes = json!({"POSITION": buffer.positions(mesh.positions())});
    if let Some(normals) = mesh.normals() {
        let vectors = normals.iter().map(Vec3::to_array);
        attributes["NORMAL"] = buffer.floats(normals.len(), vectors).into();
    }
    if let Some(tangents) = mesh.tangents() {
        let vectors = tangents.iter().map(Vec4::to_array);
        attributes["TANGENT"] = buffer.floats(tangents.len(), vectors).into();
    }
    for set in 0..mesh.uv_set_count() {
        let uvs = mesh.uvs(set).unwrap_or_default();
        let vectors = uvs.iter().map(Vec2::to_array);
        attributes[format!("TEXCOORD_{set}")] = buffer.floats(uvs.len(), vectors).into();
    }
    if let Some(colors) = mesh.colors() {
        let vectors = colors.iter().map(Vec4::to_array);
        attributes["COLOR_0"] = buffer.floats(colors.len(), vectors).into();
    }
    json!({"attributes": attributes, "indices": buffer.triangles(mesh.triangles()), "material": mesh.material()})
}
