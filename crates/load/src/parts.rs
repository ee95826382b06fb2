//! What a format's reader hands back, and the scene that it becomes.

use super::error::LoadError;
use super::warning::Warnings;
use crate::scene::{Material, Mesh, MeshParts, Scene, SceneError, Slot, Texture};
use std::collections::BTreeMap;
use std::path::Path;

/// What a format's reader hands back before the scene is checked.
pub(super) type Parts = (Vec<MeshParts>, Vec<Material>, Vec<Texture>);

/// Checks everything once, in the constructors of the scene.
pub(super) fn assemble(parts: Parts, warnings: &Warnings, path: &Path) -> Result<Scene, LoadError> {
    let scene_error = |reason: SceneError| LoadError::Scene {
        reason,
        dropped: match warnings.dropped() {
            0 => String::new(),
            count if count == warnings.degenerate() => {
                format!(", since {count} faces have no area, as where a node has a scale of 0")
            }
            1 => ", after a broken face was dropped".to_owned(),
            count => format!(", after {count} broken faces were dropped"),
        },
        path: path.to_path_buf(),
    };
    let (meshes, mut materials, mut textures) = parts;
    split_cut_outs(&mut materials, &mut textures);
    let meshes = meshes
        .into_iter()
        .filter(|parts| !parts.triangles.is_empty())
        .map(Mesh::new)
        .collect::<Result<_, _>>()
        .map_err(scene_error)?;
    let scene = Scene::new(meshes, materials, textures).map_err(scene_error)?;
    Ok(scene.without_degenerate(warnings.degenerate()))
}

/// Most texels copied for other cutoffs; more materials share a texture and are cut less finely.
const COPIED_TEXELS_MAX: u64 = 1 << 26;

/// Gives materials that cut one texture out by different alphas, or one of them not at all,
/// textures of their own: what stays of a texture that is drawn small depends on where it is cut.
fn split_cut_outs(materials: &mut [Material], textures: &mut Vec<Texture>) {
    let key = |material: &Material| material.texel_cutoff().map(f32::to_bits);
    let mut places: BTreeMap<(usize, Option<u32>), usize> = BTreeMap::new();
    let mut first: BTreeMap<usize, Option<u32>> = BTreeMap::new();
    let mut copied = 0;
    for material in materials {
        let key = key(material);
        let Some(base) = &mut material.textures[Slot::BaseColor] else {
            continue;
        };
        let Some(texture) = textures.get(base.texture) else {
            continue;
        };
        if *first.entry(base.texture).or_insert(key) == key {
            continue;
        }
        if let Some(&place) = places.get(&(base.texture, key)) {
            base.texture = place;
            continue;
        }
        let texels = texture.texels();
        let is_cut = texels.iter().any(|texel| texel[3] < 255);
        copied += if is_cut { texels.len() as u64 } else { 0 };
        if is_cut && copied <= COPIED_TEXELS_MAX {
            let copy = texture.clone();
            places.insert((base.texture, key), textures.len());
            base.texture = textures.len();
            textures.push(copy);
        }
    }
}
