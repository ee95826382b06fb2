//! A decoded picture on a surface.

mod color_space;
pub(super) mod halve;
mod reduced;

pub use color_space::ColorSpace;
pub use reduced::{NearBlocks, Reduced};

use super::error::SceneError;
use std::borrow::Cow;

/// The values outside 0..1. glTF 2.0, section 3.8.4 (samplers).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Wrap {
    #[default]
    Repeat,
    /// The picture repeats, every second time mirrored.
    MirroredRepeat,
    /// The edge texel goes on for ever.
    ClampToEdge,
}

/// The part of a picture in memory.
#[derive(Debug, Clone)]
pub enum Texels {
    /// Everything: straight (not premultiplied) RGBA, row by row from the top left.
    Whole(Vec<[u8; 4]>),
    /// What pictures of it can show that are known beforehand.
    Reduced(Reduced),
}

impl Texels {
    fn count(&self) -> usize {
        match self {
            Self::Whole(texels) => texels.len(),
            Self::Reduced(reduced) => reduced.count(),
        }
    }
}

/// RGBA bytes with a sampler. One picture in both colour spaces is two textures sharing nothing.
#[derive(Debug, Clone)]
pub struct Texture {
    name: String,
    width_px: u32,
    height_px: u32,
    texels: Texels,
    color_space: ColorSpace,
    /// Along u, then along v.
    wrap: [Wrap; 2],
    is_nearest: bool,
}

impl Texture {
    /// Pictures with no more texels are held whole: the renderer lays their own texels out anew.
    pub const REDUCED_TEXELS_MIN: u64 = 1 << 20;

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
        let texels = Texels::Whole(texels);
        Self::holding(texels, name, width_px, height_px, color_space, wrap)
    }

    /// As [`Texture::new`], from the part of a picture in memory.
    ///
    /// # Errors
    /// As [`Texture::new`].
    pub fn holding(
        texels: Texels,
        name: String,
        width_px: u32,
        height_px: u32,
        color_space: ColorSpace,
        wrap: [Wrap; 2],
    ) -> Result<Self, SceneError> {
        let count = texels.count();
        if count == 0 || count as u64 != u64::from(width_px) * u64::from(height_px) {
            return Err(SceneError::TextureSize { name, width_px, height_px, texels: count });
        }
        Ok(Self { name, width_px, height_px, texels, color_space, wrap, is_nearest: false })
    }

    /// The same, whose texels are squares of one colour where they are larger than a pixel
    /// (magnification filter `NEAREST`).
    #[must_use]
    pub fn nearest(self, is_nearest: bool) -> Self {
        Self { is_nearest, ..self }
    }

    /// Whether texels that are larger than a pixel are shown as squares of one colour.
    pub fn is_nearest(&self) -> bool {
        self.is_nearest
    }

    /// As the file says: an image name or a file name; may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn width_px(&self) -> u32 {
        self.width_px
    }

    /// Height in texels, at least 1.
    pub fn height_px(&self) -> u32 {
        self.height_px
    }

    /// Row-major from the top left, straight RGBA. If a picture is only partly in memory, texels of
    /// half its size replace the missing part.
    pub fn texels(&self) -> Cow<'_, [[u8; 4]]> {
        match &self.texels {
            Texels::Whole(texels) => Cow::Borrowed(texels),
            Texels::Reduced(reduced) => Cow::Owned(reduced.whole()),
        }
    }

    pub fn held(&self) -> &Texels {
        &self.texels
    }

    /// Number of texels of the whole picture.
    pub fn texel_count(&self) -> usize {
        self.texels.count()
    }

    /// Bytes that its texels take.
    pub fn bytes(&self) -> usize {
        match &self.texels {
            Texels::Whole(texels) => texels.len() * 4,
            Texels::Reduced(reduced) => reduced.bytes(),
        }
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
