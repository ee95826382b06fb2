//! The table of glTF's material extensions, which loading and saving walk. A new one is a row here,
//! its numbers in [`Layers`], a [`Slot`] for each texture, and its shading.

use super::layers::Layers;
use super::material::Material;
use super::slot::Slot;
use glam::Vec3;

pub struct Extension {
    pub name: &'static str,
    /// Asked after so many of `members`; the others of an absent one are not read.
    pub num_deciding: usize,
    /// Whether it changes nothing. A factor of 0 is no layer, whatever its other values are.
    pub is_absent: fn(&Material, &Layers) -> bool,
    pub members: &'static [Member],
}

/// A member of the extension's object.
pub struct Member {
    pub key: &'static str,
    pub content: Content,
}

/// Numbers have their default where the object has none.
pub enum Content {
    Number(Field<f32>, Range),
    Color(Field<Vec3>, Range),
    /// With the field of the texture's member `scale`, if it has one.
    Texture(Slot, Option<Field<f32>>),
}

pub type Field<T> = for<'a> fn(&'a mut Material, &'a mut Layers) -> &'a mut T;

/// The values that a number can have; others become the nearest of them, with a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    Any,
    /// 0 to 1.
    Unit,
    /// 0 or more.
    Positive,
    /// An index of refraction: at least 1, or 0, which means a surface that reflects everything.
    Ior,
    /// At least 1.
    FilmIor,
}

const fn number(key: &'static str, field: Field<f32>, range: Range) -> Member {
    Member { key, content: Content::Number(field, range) }
}

const fn color(key: &'static str, field: Field<Vec3>, range: Range) -> Member {
    Member { key, content: Content::Color(field, range) }
}

const fn texture(key: &'static str, slot: Slot) -> Member {
    Member { key, content: Content::Texture(slot, None) }
}

/// In the order in which they are read and written.
pub static EXTENSIONS: [Extension; 8] = [
    Extension {
        name: "KHR_materials_transmission",
        num_deciding: 1,
        is_absent: |material, _| material.transmission == 0.0,
        members: &[
            number("transmissionFactor", |m, _| &mut m.transmission, Range::Unit),
            texture("transmissionTexture", Slot::Transmission),
        ],
    },
    Extension {
        name: "KHR_materials_ior",
        num_deciding: 1,
        is_absent: |_, layers| layers.ior == Layers::IOR,
        members: &[number("ior", |_, l| &mut l.ior, Range::Ior)],
    },
    Extension {
        name: "KHR_materials_specular",
        num_deciding: 4,
        is_absent: |material, layers| {
            let textures = [Slot::Specular, Slot::SpecularColor].map(|it| material.textures[it]);
            (layers.specular, layers.specular_color, textures) == (1.0, Vec3::ONE, [None; 2])
        },
        members: &[
            number("specularFactor", |_, l| &mut l.specular, Range::Unit),
            color("specularColorFactor", |_, l| &mut l.specular_color, Range::Positive),
            texture("specularTexture", Slot::Specular),
            texture("specularColorTexture", Slot::SpecularColor),
        ],
    },
    Extension {
        name: "KHR_materials_clearcoat",
        num_deciding: 1,
        is_absent: |_, layers| layers.coat == 0.0,
        members: &[
            number("clearcoatFactor", |_, l| &mut l.coat, Range::Unit),
            number("clearcoatRoughnessFactor", |_, l| &mut l.coat_roughness, Range::Unit),
            texture("clearcoatTexture", Slot::Coat),
            texture("clearcoatRoughnessTexture", Slot::CoatRoughness),
            Member {
                key: "clearcoatNormalTexture",
                content: Content::Texture(Slot::CoatNormal, Some(|_, l| &mut l.coat_normal_scale)),
            },
        ],
    },
    Extension {
        name: "KHR_materials_sheen",
        num_deciding: 1,
        is_absent: |_, layers| layers.sheen_color == Vec3::ZERO,
        members: &[
            color("sheenColorFactor", |_, l| &mut l.sheen_color, Range::Unit),
            number("sheenRoughnessFactor", |_, l| &mut l.sheen_roughness, Range::Unit),
            texture("sheenColorTexture", Slot::SheenColor),
            texture("sheenRoughnessTexture", Slot::SheenRoughness),
        ],
    },
    // A body that is not thick, or absorbs nothing, is a thin pane.
    Extension {
        name: "KHR_materials_volume",
        num_deciding: 3,
        is_absent: |_, layers| {
            let distance = layers.attenuation_distance;
            let absorbs = distance > 0.0 && distance.is_finite();
            layers.thickness == 0.0 || layers.attenuation_color == Vec3::ONE || !absorbs
        },
        members: &[
            number("thicknessFactor", |_, l| &mut l.thickness, Range::Positive),
            color("attenuationColor", |_, l| &mut l.attenuation_color, Range::Unit),
            number("attenuationDistance", |_, l| &mut l.attenuation_distance, Range::Any),
            texture("thicknessTexture", Slot::Thickness),
        ],
    },
    Extension {
        name: "KHR_materials_iridescence",
        num_deciding: 1,
        is_absent: |_, layers| layers.iridescence == 0.0,
        members: &[
            number("iridescenceFactor", |_, l| &mut l.iridescence, Range::Unit),
            number("iridescenceIor", |_, l| &mut l.iridescence_ior, Range::FilmIor),
            number(
                "iridescenceThicknessMinimum",
                |_, l| &mut l.iridescence_thickness_nm[0],
                Range::Positive,
            ),
            number(
                "iridescenceThicknessMaximum",
                |_, l| &mut l.iridescence_thickness_nm[1],
                Range::Positive,
            ),
            texture("iridescenceTexture", Slot::Iridescence),
            texture("iridescenceThicknessTexture", Slot::IridescenceThickness),
        ],
    },
    Extension {
        name: "KHR_materials_anisotropy",
        num_deciding: 1,
        is_absent: |_, layers| layers.anisotropy == 0.0,
        members: &[
            number("anisotropyStrength", |_, l| &mut l.anisotropy, Range::Unit),
            number("anisotropyRotation", |_, l| &mut l.anisotropy_rotation_radians, Range::Any),
            texture("anisotropyTexture", Slot::Anisotropy),
        ],
    },
];

/// Replaces a material's core values, so it is read and written by code of its own.
pub const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";

#[cfg(test)]
mod tests {
    use super::*;

    /// A material of the defaults says nothing, and every texture of an extension has one member.
    #[test]
    fn the_table_is_whole() {
        let mut slots = Vec::new();
        for extension in &EXTENSIONS {
            let (material, layers) = (Material::default(), Layers::default());
            assert!((extension.is_absent)(&material, &layers), "{}", extension.name);
            assert!(extension.num_deciding <= extension.members.len(), "{}", extension.name);
            for member in extension.members {
                if let Content::Texture(slot, _) = member.content {
                    slots.push(slot);
                }
            }
        }
        slots.push(Slot::SpecularGlossiness);
        slots.sort_unstable();
        assert_eq!(slots, Slot::ALL[Slot::Transmission as usize..]);
    }
}
