//! How the bytes of a texture are encoded.

/// How the stored bytes map to light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorSpace {
    /// Colour channels are sRGB-encoded (base colour, emissive); alpha is linear.
    Srgb,
    /// All channels are linear (roughness, metalness, occlusion, normals).
    Linear,
}
