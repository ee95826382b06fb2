//! Metallic-roughness materials as glTF 2.0 section 3.9 defines them.

use super::layers::Layers;
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
    /// sRGB colour, linear alpha.
    pub base_color_texture: Option<TextureRef>,
    /// 0 dielectric to 1 metal.
    pub metallic: f32,
    /// Perceptual roughness, 0 to 1.
    pub roughness: f32,
    /// Green is roughness, blue is metalness; linear.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Tangent-space normals, linear. Used by the `rgb` channel only.
    pub normal_texture: Option<TextureRef>,
    /// Multiplies x and y of the normal texture.
    pub normal_scale: f32,
    /// Red is occlusion of ambient light; linear.
    pub occlusion_texture: Option<TextureRef>,
    /// 0 ignores the occlusion texture, 1 uses it whole.
    pub occlusion_strength: f32,
    /// Linear RGB, may exceed 1.
    pub emissive: Vec3,
    /// sRGB colour.
    pub emissive_texture: Option<TextureRef>,
    /// Share of the light that passes through instead of being scattered, tinted by the base
    /// colour, as through a thin pane (`KHR_materials_transmission`). 0 to 1.
    pub transmission: f32,
    /// Red multiplies the transmission; linear.
    pub transmission_texture: Option<TextureRef>,
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
        [
            &self.base_color_texture,
            &self.metallic_roughness_texture,
            &self.normal_texture,
            &self.occlusion_texture,
            &self.emissive_texture,
            &self.transmission_texture,
        ]
        .into_iter()
        .flatten()
        .chain(self.layers.iter().flat_map(|layers| layers.texture_refs()))
    }

    pub(crate) fn texture_places(&mut self) -> impl Iterator<Item = &mut Option<TextureRef>> {
        let layers = self.layers.as_mut();
        [
            &mut self.base_color_texture,
            &mut self.metallic_roughness_texture,
            &mut self.normal_texture,
            &mut self.occlusion_texture,
            &mut self.emissive_texture,
            &mut self.transmission_texture,
        ]
        .into_iter()
        .chain(layers.into_iter().flat_map(|layers| layers.texture_places()))
    }
}

impl Default for Material {
    /// A white, rough, non-metallic surface. Differs from glTF's default (metallic 1) on purpose:
    /// this is for files that say nothing.
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 0.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: Vec3::ZERO,
            emissive_texture: None,
            transmission: 0.0,
            transmission_texture: None,
            layers: None,
            alpha_mode: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
        }
    }
}
