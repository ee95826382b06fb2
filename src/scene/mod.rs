//! The vocabulary of a loaded asset: meshes, materials, textures, all in world space and checked once.
//!
//! Right-handed, y up, front faces +z (as glTF). Units are the file's own; [`Scene::bounds`] says how large it is.
//! Node transforms are already applied: a [`Mesh`] is one primitive with one material.
//! Knows nothing of files and pixels.

mod bounds;
mod closeness;
pub(crate) mod color;
mod layers;
mod material;
mod mesh;
mod texture;

pub use bounds::Bounds;
pub use closeness::Closeness;
pub use layers::{Layers, SpecularGlossiness};
pub use material::{AlphaMode, Material, TextureRef, UvTransform};
pub use mesh::{Mesh, MeshParts};
pub(crate) use texture::halve::halve_rows;
pub use texture::{ColorSpace, NearBlocks, Reduced, Texels, Texture, Wrap};

/// A whole asset, ready to be measured and drawn. At least one mesh with at least one triangle.
#[derive(Debug, Clone)]
pub struct Scene {
    meshes: Vec<Mesh>,
    materials: Vec<Material>,
    textures: Vec<Texture>,
    bounds: Bounds,
}

/// What a scene may not be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// No triangle at all: nothing to draw or to judge.
    #[error("the asset has no triangle (points and lines are not drawn)")]
    Empty,
    /// An attribute has another length than the positions.
    #[error("{attribute} has {found} entries for {expected} vertices")]
    AttributeLength {
        /// Which attribute.
        attribute: &'static str,
        /// Its length.
        found: usize,
        /// The number of vertices.
        expected: usize,
    },
    /// A triangle points at a vertex that is not there.
    #[error("triangle {triangle} points at vertex {vertex} of {count}")]
    VertexIndex {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex it asks for.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// A value that is not a finite number.
    #[error("{attribute} {index} is not a finite number")]
    NotFinite {
        /// Which attribute.
        attribute: &'static str,
        /// Where.
        index: usize,
    },
    /// A mesh names a material, or a material a texture, that is not there.
    #[error("{what} {index} of {count} does not exist")]
    Missing {
        /// `material` or `texture`.
        what: &'static str,
        /// The index asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The asset is a single point, or so large that its size is no finite number.
    #[error("the asset has no extent (radius {radius})")]
    NoExtent {
        /// Radius of the bounding sphere, in the file's units.
        radius: f64,
    },
    /// A texture whose texel count is not width × height, or that is empty.
    #[error("texture {name:?} is {width_px}×{height_px} px but holds {texels} texels")]
    TextureSize {
        /// The texture's name.
        name: String,
        /// Stated width.
        width_px: u32,
        /// Stated height.
        height_px: u32,
        /// Texels found.
        texels: usize,
    },
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
            return Err(SceneError::NoExtent {
                radius: bounds.radius,
            });
        }
        Ok(Self {
            meshes,
            materials,
            textures,
            bounds,
        })
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
