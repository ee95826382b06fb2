//! What a scene may not be.

/// What a scene may not be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// No triangle at all: nothing to draw or to judge.
    #[error("the asset has no triangles (points and lines are not drawn)")]
    Empty,
    /// An attribute has another length than the positions.
    #[error("{attribute} has {found} entries for {expected} vertices")]
    AttributeLength {
        attribute: &'static str,
        found: usize,
        /// The number of vertices.
        expected: usize,
    },
    /// A triangle points at a vertex that is not there.
    #[error("triangle {triangle} refers to vertex {vertex} of {count}")]
    VertexIndex { triangle: usize, vertex: u32, count: usize },
    #[error("{attribute} {index} is not a finite number")]
    NotFinite { attribute: &'static str, index: usize },
    /// A mesh names a material, or a material a texture, that is not there.
    #[error("{what} {index} of {count} does not exist")]
    Missing {
        /// `material` or `texture`.
        what: &'static str,
        index: usize,
        count: usize,
    },
    /// The asset is a single point, or so large that its size is no finite number.
    #[error("the asset has no extent (radius {radius})")]
    NoExtent {
        /// Radius of the bounding sphere, in the file's units.
        radius: f64,
    },
    /// A texture whose texel count is not width × height, or that is empty.
    #[error("texture {name:?} is {width_px}×{height_px} px but has {texels} texels")]
    TextureSize { name: String, width_px: u32, height_px: u32, texels: usize },
}
