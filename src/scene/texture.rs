//! A decoded picture on a surface.

use super::SceneError;

/// How the stored bytes map to light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorSpace {
    /// Colour channels are sRGB-encoded (base colour, emissive); alpha is linear.
    Srgb,
    /// All channels are linear (roughness, metalness, occlusion, normals).
    Linear,
}

/// What lies outside 0..1. glTF 2.0, section 3.8.4 (samplers).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Wrap {
    /// The picture repeats.
    #[default]
    Repeat,
    /// The picture repeats, every second time mirrored.
    MirroredRepeat,
    /// The edge texel goes on for ever.
    ClampToEdge,
}

/// A picture of RGBA bytes with its sampler. One picture used in both colour spaces is two textures that share nothing.
#[derive(Debug, Clone)]
pub struct Texture {
    name: String,
    width_px: u32,
    height_px: u32,
    texels: Vec<[u8; 4]>,
    color_space: ColorSpace,
    /// Along u, then along v.
    wrap: [Wrap; 2],
}

impl Texture {
    /// `texels` is row-major from the top left, straight (not premultiplied) RGBA.
    ///
    /// # Errors
    /// [`SceneError::TextureSize`] when it does not hold width × height texels, or none.
    pub fn new(
        name: String,
        width_px: u32,
        height_px: u32,
        texels: Vec<[u8; 4]>,
        color_space: ColorSpace,
        wrap: [Wrap; 2],
    ) -> Result<Self, SceneError> {
        if texels.is_empty() || texels.len() as u64 != u64::from(width_px) * u64::from(height_px) {
            return Err(SceneError::TextureSize {
                name,
                width_px,
                height_px,
                texels: texels.len(),
            });
        }
        Ok(Self {
            name,
            width_px,
            height_px,
            texels,
            color_space,
            wrap,
        })
    }

    /// As the file says: an image name or a file name; may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Width in texels, at least 1.
    pub fn width_px(&self) -> u32 {
        self.width_px
    }

    /// Height in texels, at least 1.
    pub fn height_px(&self) -> u32 {
        self.height_px
    }

    /// Row-major from the top left, straight RGBA.
    pub fn texels(&self) -> &[[u8; 4]] {
        &self.texels
    }

    /// How the bytes map to light.
    pub fn color_space(&self) -> ColorSpace {
        self.color_space
    }

    /// Wrap along u, then along v.
    pub fn wrap(&self) -> [Wrap; 2] {
        self.wrap
    }
}
