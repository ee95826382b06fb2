//! Metallic-roughness materials as glTF 2.0 section 3.9 defines them.

use super::layers::Layers;
use super::slot::{Slot, Slots};
use super::texture_ref::TextureRef;
use glam::{Vec3, Vec4};

/// How alpha is used. glTF 2.0, section 3.9.4.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum AlphaMode {
    #[default]
    Opaque,
    /// Covered where alpha ≥ `cutoff`, absent elsewhere.
    Mask {
        /// The threshold, usually 0.5.
        cutoff: f32,
    },
    /// Blended over the background.
    Blend,
}

/// One surface. Colours are linear; factors multiply textures. glTF 2.0, section 3.9.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// As the file says, may be empty.
    pub name: String,
    /// Linear RGBA.
    pub base_color: Vec4,
    /// 0 dielectric to 1 metal.
    pub metallic: f32,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Multiplies x and y of the normal texture.
    pub normal_scale: f32,
    /// 0 ignores the occlusion texture, 1 uses it whole.
    pub occlusion_strength: f32,
    /// Linear RGB, may exceed 1.
    pub emissive: Vec3,
    /// Share of the light that passes through instead of being scattered, tinted by the base
    /// colour, as through a thin pane (`KHR_materials_transmission`). 0 to 1.
    pub transmission: f32,
    pub textures: Slots<Option<TextureRef>>,
    /// Layers on metallic-roughness. Most materials have none, and are drawn without a check.
    pub layers: Option<Box<Layers>>,
    pub alpha_mode: AlphaMode,
    /// Back faces are drawn, with their normal turned.
    pub double_sided: bool,
    /// Base colour is shown as it is, without light (`KHR_materials_unlit`).
    pub unlit: bool,
}

impl Material {
    /// Smallest base-colour texel alpha that keeps the surface; `None` if alpha cuts nothing out.
    pub fn texel_cutoff(&self) -> Option<f32> {
        match self.alpha_mode {
            AlphaMode::Mask { cutoff } if self.base_color.w > 0.0 => {
                Some(cutoff / self.base_color.w)
            }
            _ => None,
        }
    }

    /// Every texture that the material names.
    pub fn texture_refs(&self) -> impl Iterator<Item = &TextureRef> {
        self.textures.iter().flatten()
    }

    /// The texture of the base colour, if it has one.
    pub fn base_color_texture(&self) -> Option<TextureRef> {
        self.textures[Slot::BaseColor]
    }
}

impl Default for Material {
    /// A white, rough, non-metallic surface. Differs from glTF's default (metallic 1) on purpose:
    /// this is for files that say nothing.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: Vec4::ONE,
            metallic: 0.0,
            roughness: 1.0,
            normal_scale: 1.0,
            occlusion_strength: 1.0,
            emissive: Vec3::ZERO,
            transmission: 0.0,
            textures: Slots::default(),
            layers: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
        }
    }
}
