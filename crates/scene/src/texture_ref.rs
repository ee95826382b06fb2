//! How a material uses a texture: which one, with which coordinates, moved how.

use glam::Vec2;

/// Scale, rotation and offset of texture coordinates (`KHR_texture_transform`):
/// `uv' = linear · uv + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UvTransform {
    /// Row-major 2×2 matrix.
    pub linear: [[f32; 2]; 2],
    pub offset: Vec2,
}

impl UvTransform {
    /// Leaves coordinates as they are.
    pub const IDENTITY: Self = Self { linear: [[1.0, 0.0], [0.0, 1.0]], offset: Vec2::ZERO };

    #[inline]
    pub fn apply(&self, uv: Vec2) -> Vec2 {
        Vec2::new(
            self.linear[0][0] * uv.x + self.linear[0][1] * uv.y + self.offset.x,
            self.linear[1][0] * uv.x + self.linear[1][1] * uv.y + self.offset.y,
        )
    }
}

/// A texture as a material uses it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextureRef {
    /// Index into the textures of the scene.
    pub texture: usize,
    /// Texture coordinate set. A mesh without it is drawn as if the texture were absent.
    pub uv_set: usize,
    /// Applied to the coordinates first.
    pub transform: UvTransform,
}

impl TextureRef {
    /// With the first coordinates, as they are.
    pub fn plain(texture: usize) -> Self {
        Self { texture, uv_set: 0, transform: UvTransform::IDENTITY }
    }
}
