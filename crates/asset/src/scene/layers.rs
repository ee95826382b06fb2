//! Beyond metallic-roughness: a material's reflection strength and colour, clear coat, sheen.

use super::texture_ref::TextureRef;
use glam::Vec3;

/// `KHR_materials_ior`, `_specular`, `_clearcoat`, `_sheen`, `_volume`, `_iridescence`,
/// `_anisotropy` and `_pbrSpecularGlossiness`. Colours are linear; factors multiply textures.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    /// Refractive index of the non-metallic part: at least 1, or 0 to reflect everything.
    pub ior: f32,
    /// Strength of the non-metallic part's reflection at every angle, 0 to 1.
    pub specular: f32,
    /// Alpha multiplies `specular`; linear.
    pub specular_texture: Option<TextureRef>,
    /// Colour of the non-metallic part's reflection at normal incidence, linear RGB; may exceed 1.
    pub specular_color: Vec3,
    /// sRGB colour.
    pub specular_color_texture: Option<TextureRef>,
    /// Strength of the clear coat, 0 to 1.
    pub coat: f32,
    /// Red multiplies `coat`; linear.
    pub coat_texture: Option<TextureRef>,
    /// Perceptual roughness of the coat, 0 to 1.
    pub coat_roughness: f32,
    /// Green multiplies `coat_roughness`; linear.
    pub coat_roughness_texture: Option<TextureRef>,
    /// Tangent-space normals of the coat, linear. Without it the coat has the geometry's.
    pub coat_normal_texture: Option<TextureRef>,
    /// Multiplies x and y of the coat's normal texture.
    pub coat_normal_scale: f32,
    /// Linear RGB, 0 to 1; black is no sheen.
    pub sheen_color: Vec3,
    /// sRGB colour.
    pub sheen_color_texture: Option<TextureRef>,
    /// Perceptual roughness of the sheen, 0 to 1.
    pub sheen_roughness: f32,
    /// Alpha multiplies `sheen_roughness`; linear.
    pub sheen_roughness_texture: Option<TextureRef>,
    /// How long the way of light inside is, in the file's units; 0 for a thin pane.
    pub thickness: f32,
    /// Green multiplies `thickness`; linear.
    pub thickness_texture: Option<TextureRef>,
    /// The remaining part of white light after `attenuation_distance`, linear RGB, 0 to 1.
    pub attenuation_color: Vec3,
    /// In the file's units, above 0; infinite where nothing is absorbed.
    pub attenuation_distance: f32,
    /// Strength of the thin film's colours, 0 to 1.
    pub iridescence: f32,
    /// Red multiplies `iridescence`; linear.
    pub iridescence_texture: Option<TextureRef>,
    /// Index of refraction of the thin film, at least 1.
    pub iridescence_ior: f32,
    /// Thickness of the thin film in nanometres, at least 0: where the texture's green is 0, and
    /// where it is 1 or there is no texture.
    pub iridescence_thickness_nm: [f32; 2],
    /// Linear.
    pub iridescence_thickness_texture: Option<TextureRef>,
    /// How much longer highlights are along the grain than across it, 0 to 1; 0 is round.
    pub anisotropy: f32,
    /// From the tangent to the direction of the grain, towards the bitangent.
    pub anisotropy_rotation_radians: f32,
    /// Red, green: direction before rotation, −1 to 1; blue multiplies `anisotropy`; linear.
    pub anisotropy_texture: Option<TextureRef>,
    /// Replaces metalness, roughness, `ior` and `specular`; the base colour is then diffuse.
    pub specular_glossiness: Option<SpecularGlossiness>,
}

/// The parameters of `KHR_materials_pbrSpecularGlossiness` except the diffuse colour.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecularGlossiness {
    /// Reflectance at normal incidence, linear RGB, 0 to 1.
    pub specular: Vec3,
    /// 1 − perceptual roughness.
    pub glossiness: f32,
    /// sRGB colour multiplies `specular`, linear alpha multiplies `glossiness`.
    pub texture: Option<TextureRef>,
}

impl Layers {
    /// Index of refraction of a material that says nothing. glTF 2.0, appendix B.3.2.
    pub const IOR: f32 = 1.5;

    /// Every texture's place, in a fixed order.
    pub(crate) fn texture_places(&mut self) -> impl Iterator<Item = &mut Option<TextureRef>> {
        let glossy = self.specular_glossiness.as_mut();
        [
            &mut self.specular_texture,
            &mut self.specular_color_texture,
            &mut self.coat_texture,
            &mut self.coat_roughness_texture,
            &mut self.coat_normal_texture,
            &mut self.sheen_color_texture,
            &mut self.sheen_roughness_texture,
            &mut self.thickness_texture,
            &mut self.iridescence_texture,
            &mut self.iridescence_thickness_texture,
            &mut self.anisotropy_texture,
        ]
        .into_iter()
        .chain(glossy.map(|glossy| &mut glossy.texture))
    }

    /// Every texture that is named, in the order of the fields above.
    pub fn texture_refs(&self) -> impl Iterator<Item = &TextureRef> {
        let glossy = self.specular_glossiness.as_ref();
        [
            &self.specular_texture,
            &self.specular_color_texture,
            &self.coat_texture,
            &self.coat_roughness_texture,
            &self.coat_normal_texture,
            &self.sheen_color_texture,
            &self.sheen_roughness_texture,
            &self.thickness_texture,
            &self.iridescence_texture,
            &self.iridescence_thickness_texture,
            &self.anisotropy_texture,
        ]
        .into_iter()
        .flatten()
        .chain(glossy.and_then(|glossy| glossy.texture.as_ref()))
    }
}

impl Default for Layers {
    /// Changes nothing: the picture is that of a material without layers.
    fn default() -> Self {
        Self {
            ior: Self::IOR,
            specular: 1.0,
            specular_texture: None,
            specular_color: Vec3::ONE,
            specular_color_texture: None,
            coat: 0.0,
            coat_texture: None,
            coat_roughness: 0.0,
            coat_roughness_texture: None,
            coat_normal_texture: None,
            coat_normal_scale: 1.0,
            sheen_color: Vec3::ZERO,
            sheen_color_texture: None,
            sheen_roughness: 0.0,
            sheen_roughness_texture: None,
            thickness: 0.0,
            thickness_texture: None,
            attenuation_color: Vec3::ONE,
            attenuation_distance: f32::INFINITY,
            iridescence: 0.0,
            iridescence_texture: None,
            iridescence_ior: 1.3,
            iridescence_thickness_nm: [100.0, 400.0],
            iridescence_thickness_texture: None,
            anisotropy: 0.0,
            anisotropy_rotation_radians: 0.0,
            anisotropy_texture: None,
            specular_glossiness: None,
        }
    }
}
