//! What a format's reader hands back, and the scene that it becomes.

use super::error::LoadError;
use super::warning::Warnings;
use crate::scene::{Material, Mesh, MeshParts, Scene, SceneError, Texture};
use std::path::Path;

/// What a format's reader hands back before the scene is checked.
pub(super) type Parts = (Vec<MeshParts>, Vec<Material>, Vec<Texture>);

/// Checks everything once, in the constructors of the scene.
pub(super) fn assemble(parts: Parts, warnings: &Warnings, path: &Path) -> Result<Scene, LoadError> {
    let scene_error = |reason: SceneError| LoadError::Scene {
        reason,
        dropped: match warnings.dropped() {
            0 => String::new(),
            count => format!(", after {count} broken faces were dropped"),
        },
        path: path.to_path_buf(),
    };
    let (meshes, materials, textures) = parts;
    let meshes = meshes
        .into_iter()
        .filter(|parts| !parts.triangles.is_empty())
        .map(Mesh::new)
        .collect::<Result<_, _>>()
        .map_err(scene_error)?;
    Scene::new(meshes, materials, textures).map_err(scene_error)
}
