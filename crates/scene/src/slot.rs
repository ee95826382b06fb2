//! The ways in which a material uses a texture: the list that loading, saving, drawing and the
//! shaders walk.

use super::texture::ColorSpace;
use std::ops::{Index, IndexMut};

/// A use of a texture by a material. Factors multiply texels; unless said otherwise, texels are
/// linear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// sRGB colour, linear alpha.
    BaseColor,
    /// Green is roughness, blue is metalness.
    MetallicRoughness,
    /// Tangent-space normals. Used by the `rgb` channel only.
    Normal,
    /// Red is occlusion of ambient light.
    Occlusion,
    /// sRGB colour.
    Emissive,
    /// Red multiplies the transmission.
    Transmission,
    /// Alpha multiplies the strength of the non-metallic part's reflection.
    Specular,
    /// sRGB colour of the non-metallic part's reflection.
    SpecularColor,
    /// Red multiplies the strength of the coat.
    Coat,
    /// Green multiplies the roughness of the coat.
    CoatRoughness,
    /// Tangent-space normals of the coat. Without it the coat has the geometry's.
    CoatNormal,
    /// sRGB colour.
    SheenColor,
    /// Alpha multiplies the roughness of the sheen.
    SheenRoughness,
    /// sRGB colour multiplies the reflectance, linear alpha the glossiness.
    SpecularGlossiness,
    /// Green multiplies the thickness.
    Thickness,
    /// Red multiplies the strength of the thin film.
    Iridescence,
    /// Green is the thickness of the thin film, from the least to the most.
    IridescenceThickness,
    /// Red, green: direction before rotation, −1 to 1; blue multiplies the anisotropy.
    Anisotropy,
}

impl Slot {
    /// All, in the order of their numbers, which is that of the shaders' bindings: first those of
    /// every material, then those of [`Layers`](super::Layers).
    pub const ALL: [Self; 18] = [
        Self::BaseColor,
        Self::MetallicRoughness,
        Self::Normal,
        Self::Occlusion,
        Self::Emissive,
        Self::Transmission,
        Self::Specular,
        Self::SpecularColor,
        Self::Coat,
        Self::CoatRoughness,
        Self::CoatNormal,
        Self::SheenColor,
        Self::SheenRoughness,
        Self::SpecularGlossiness,
        Self::Thickness,
        Self::Iridescence,
        Self::IridescenceThickness,
        Self::Anisotropy,
    ];

    /// How many come before those of layers.
    pub const FIRST_OF_LAYERS: usize = Self::Specular as usize;

    /// How many those of layers are.
    pub const NUM_OF_LAYERS: usize = Self::ALL.len() - Self::FIRST_OF_LAYERS;

    /// That of the texels' colours.
    pub fn color_space(self) -> ColorSpace {
        match self {
            Self::BaseColor
            | Self::Emissive
            | Self::SpecularColor
            | Self::SheenColor
            | Self::SpecularGlossiness => ColorSpace::Srgb,
            _ => ColorSpace::Linear,
        }
    }
}

/// A value for each [`Slot`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Slots<T>([T; Slot::ALL.len()]);

impl<T> Slots<T> {
    /// In the order of [`Slot::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut()
    }

    /// Those of layers.
    pub fn of_layers(&self) -> &[T] {
        &self.0[Slot::FIRST_OF_LAYERS..]
    }
}

impl<T> Index<Slot> for Slots<T> {
    type Output = T;

    fn index(&self, slot: Slot) -> &T {
        &self.0[slot as usize]
    }
}

impl<T> IndexMut<Slot> for Slots<T> {
    fn index_mut(&mut self, slot: Slot) -> &mut T {
        &mut self.0[slot as usize]
    }
}

/// These; the others have the default.
impl<T: Default, const N: usize> From<[(Slot, T); N]> for Slots<T>
where
    Self: Default,
{
    fn from(given: [(Slot, T); N]) -> Self {
        let mut out = Self::default();
        for (slot, value) in given {
            out[slot] = value;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_found_at_its_number() {
        let numbers: Vec<usize> = Slot::ALL.iter().map(|slot| *slot as usize).collect();
        assert_eq!(numbers, (0..Slot::ALL.len()).collect::<Vec<_>>());
        let slots: Slots<u32> = [(Slot::Anisotropy, 7)].into();
        assert_eq!((slots[Slot::Anisotropy], slots.iter().sum::<u32>()), (7, 7));
        assert_eq!(slots.of_layers().len(), 12);
    }
}
