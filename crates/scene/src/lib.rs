//! The vocabulary of a loaded asset: meshes, materials, textures; in world space, checked once.
//!
//! Right-handed, y up, front faces +z (as glTF). Units are the file's own; [`Scene::bounds`] says
//! how large it is. Node transforms are already applied: a [`Mesh`] is one primitive with one
//! material. An [`Asset`] is such a scene, or Gaussian splats. Knows nothing of files and pixels.

mod asset;
mod bounds;
pub mod color;
pub mod draws;
mod error;
pub mod extensions;
mod layers;
mod material;
mod mesh;
mod names;
pub mod reading;
mod slot;
mod texture;
mod texture_ref;
mod view_scale;

use glam::{DVec3, Quat};

pub use asset::{Asset, AssetRef, SplatScene};
pub use bounds::{Bounds, one_lies_on_its_side};
pub use error::SceneError;
pub use layers::{Layers, SpecularGlossiness};
pub use material::{AlphaMode, Material};
pub use mesh::{Mesh, MeshParts};
pub use names::{nearest, one_of};
pub use slot::{Slot, Slots};
pub use texture::halve::halve_rows;
pub use texture::{ColorSpace, NearBlocks, Reduced, Texels, Texture, Wrap};
pub use texture_ref::{TextureRef, UvTransform};
pub use view_scale::ViewScale;

/// A whole asset, ready to be measured and drawn. At least one mesh with at least one triangle.
#[derive(Debug, Clone)]
pub struct Scene {
    meshes: Vec<Mesh>,
    materials: Vec<Material>,
    textures: Vec<Texture>,
    bounds: Bounds,
    origin: DVec3,
    degenerate: u64,
}

impl Scene {
    /// Checks every cross-reference and computes the bounds.
    ///
    /// # Errors
    /// [`SceneError::Empty`], [`SceneError::Missing`] or [`SceneError::NoExtent`].
    pub fn new(
        meshes: Vec<Mesh>,
        materials: Vec<Material>,
        textures: Vec<Texture>,
    ) -> Result<Self, SceneError> {
        if meshes.iter().all(|mesh| mesh.triangles().is_empty()) {
            return Err(SceneError::Empty);
        }
        for mesh in &meshes {
            if mesh.material() >= materials.len() {
                return Err(SceneError::Missing {
                    what: "material",
                    index: mesh.material(),
                    count: materials.len(),
                });
            }
        }
        for texture_ref in materials.iter().flat_map(Material::texture_refs) {
            if texture_ref.texture >= textures.len() {
                return Err(SceneError::Missing {
                    what: "texture",
                    index: texture_ref.texture,
                    count: textures.len(),
                });
            }
        }
        let bounds = Bounds::of_meshes(&meshes);
        if !bounds.radius.is_finite() || bounds.radius <= 0.0 {
            return Err(SceneError::NoExtent { radius: bounds.radius });
        }
        Ok(Self { meshes, materials, textures, bounds, origin: DVec3::ZERO, degenerate: 0 })
    }

    /// The same, rotated about the origin of the file.
    ///
    /// # Errors
    /// As [`Scene::new`], where rounding leaves it without extent.
    pub fn rotated(&self, by: Quat) -> Result<Self, SceneError> {
        let meshes = self.meshes.iter().map(|mesh| mesh.rotated(by)).collect();
        let rotated = Self::new(meshes, self.materials.clone(), self.textures.clone())?;
        Ok(rotated.at(by.as_dquat() * self.origin).without_degenerate(self.degenerate))
    }

    /// The same scene with its zero at `origin` of the file.
    #[must_use]
    pub fn at(mut self, origin: DVec3) -> Self {
        self.origin = origin;
        self
    }

    /// The same with that many faces of the file left out, because they have no area.
    pub fn without_degenerate(mut self, faces: u64) -> Self {
        self.degenerate = faces;
        self
    }

    /// Faces of the file that are no triangles here, because they have no area.
    pub fn degenerate(&self) -> u64 {
        self.degenerate
    }

    /// Where the scene's zero is in the file, with axes turned. Zero unless the asset is far from
    /// the file's own zero: positions are in single precision, differences from them are not.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The meshes, in the order of the file.
    pub fn meshes(&self) -> &[Mesh] {
        &self.meshes
    }

    /// The materials; every [`Mesh::material`] points into this.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// The textures; every [`TextureRef::texture`] points into this.
    pub fn textures(&self) -> &[Texture] {
        &self.textures
    }

    /// The box and the sphere around every vertex that a triangle uses.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Number of triangles of all meshes together.
    pub fn triangle_count(&self) -> usize {
        self.meshes.iter().map(|mesh| mesh.triangles().len()).sum()
    }

    /// Number of vertices of all meshes together.
    pub fn vertex_count(&self) -> usize {
        self.meshes.iter().map(|mesh| mesh.positions().len()).sum()
    }
}
