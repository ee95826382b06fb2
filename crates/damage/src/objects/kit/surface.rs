//! Surfaces → a [`Scene`]: one mesh, one material and at most one texture each.

use super::{Picture, Shape};
use crate::scene::{Material, Mesh, MeshParts, Scene, Slot, TextureRef};
use glam::Vec3;

/// A shape and what it is made of.
#[derive(Debug, Clone)]
pub struct Surface {
    /// Closed parts, which may overlap.
    pub shape: Shape,
    /// Name of the material and of its texture.
    pub material: &'static str,
    /// Linear RGB, multiplied with the texture.
    pub color: [f32; 3],
    /// 0 dielectric to 1 metal.
    pub metallic: f32,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    pub texture: Option<Picture>,
}

impl Surface {
    /// A dielectric whose colours are all in its texture.
    pub fn painted(material: &'static str, roughness: f32, shape: Shape, texture: Picture) -> Self {
        Self { shape, material, color: [1.0; 3], metallic: 0.0, roughness, texture: Some(texture) }
    }
}

/// The surfaces as a scene, with smooth normals over welded positions. Materials are single-sided,
/// as closed parts may be: their insides are never seen.
///
/// # Panics
/// If a surface has no triangle or a non-finite number; this crate's objects have neither.
pub fn scene(surfaces: &[Surface]) -> Scene {
    let (mut meshes, mut materials, mut textures) = (Vec::new(), Vec::new(), Vec::new());
    for surface in surfaces {
        let shape = surface.shape.compacted();
        let parts = MeshParts {
            normals: Some(shape.normals()),
            positions: shape.positions,
            triangles: shape.triangles,
            uv_sets: vec![shape.uvs],
            material: materials.len(),
            ..MeshParts::default()
        };
        meshes.push(Mesh::new(parts).expect("lists of one length, finite numbers"));
        let texture = surface.texture.as_ref().map(|_| TextureRef::plain(textures.len()));
        materials.push(Material {
            name: surface.material.to_owned(),
            base_color: Vec3::from(surface.color).extend(1.0),
            textures: [(Slot::BaseColor, texture)].into(),
            metallic: surface.metallic,
            roughness: surface.roughness,
            ..Material::default()
        });
        textures.extend(surface.texture.iter().map(|picture| picture.texture(surface.material)));
    }
    Scene::new(meshes, materials, textures).expect("every index was made here")
}
