//! Beyond metallic-roughness: a material's reflection strength and colour, clear coat, sheen.

use glam::Vec3;

/// `KHR_materials_ior`, `_specular`, `_clearcoat`, `_sheen`, `_volume`, `_iridescence`,
/// `_anisotropy` and `_pbrSpecularGlossiness`. Colours are linear; factors multiply textures.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers {
    /// Refractive index of the non-metallic part: at least 1, or 0 to reflect everything.
    pub ior: f32,
    /// Strength of the non-metallic part's reflection at every angle, 0 to 1.
    pub specular: f32,
    /// Colour of the non-metallic part's reflection at normal incidence, linear RGB; may exceed 1.
    pub specular_color: Vec3,
    /// Strength of the clear coat, 0 to 1.
    pub coat: f32,
    /// Perceptual roughness of the coat, 0 to 1.
    pub coat_roughness: f32,
    /// Multiplies x and y of the coat's normal texture.
    pub coat_normal_scale: f32,
    /// Linear RGB, 0 to 1; black is no sheen.
    pub sheen_color: Vec3,
    /// Perceptual roughness of the sheen, 0 to 1.
    pub sheen_roughness: f32,
    /// How long the way of light inside is, in the file's units; 0 for a thin pane.
    pub thickness: f32,
    /// The remaining part of white light after `attenuation_distance`, linear RGB, 0 to 1.
    pub attenuation_color: Vec3,
    /// In the file's units, above 0; infinite where nothing is absorbed.
    pub attenuation_distance: f32,
    /// Strength of the thin film's colours, 0 to 1.
    pub iridescence: f32,
    /// Index of refraction of the thin film, at least 1.
    pub iridescence_ior: f32,
    /// Thickness of the thin film in nanometres, at least 0: where the texture's green is 0, and
    /// where it is 1 or there is no texture.
    pub iridescence_thickness_nm: [f32; 2],
    /// How much longer highlights are along the grain than across it, 0 to 1; 0 is round.
    pub anisotropy: f32,
    /// From the tangent to the direction of the grain, towards the bitangent.
    pub anisotropy_rotation_radians: f32,
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
}

impl Layers {
    /// Index of refraction of a material that says nothing. glTF 2.0, appendix B.3.2.
    pub const IOR: f32 = 1.5;
}

impl Default for Layers {
    /// Changes nothing: the picture is that of a material without layers.
    fn default() -> Self {
        Self {
            ior: Self::IOR,
            specular: 1.0,
            specular_color: Vec3::ONE,
            coat: 0.0,
            coat_roughness: 0.0,
            coat_normal_scale: 1.0,
            sheen_color: Vec3::ZERO,
            sheen_roughness: 0.0,
            thickness: 0.0,
            attenuation_color: Vec3::ONE,
            attenuation_distance: f32::INFINITY,
            iridescence: 0.0,
            iridescence_ior: 1.3,
            iridescence_thickness_nm: [100.0, 400.0],
            anisotropy: 0.0,
            anisotropy_rotation_radians: 0.0,
            specular_glossiness: None,
        }
    }
}
