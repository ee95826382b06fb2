//! Whether the colours of a surface show anything: how much of it differs from the rest.

use super::color::{Lab, difference, lab};
use super::paint::Paint;
use super::percent::percent;
use super::picture::median;
use crate::measure::Body;
use crate::scene::Scene;
use std::collections::BTreeMap;

/// ΔE*ab that is just noticeable (Mahy 1994).
const VISIBLE: f64 = 2.3;

/// Up to this share a surface has one colour: 20 of 4,096 places.
const BARE: f64 = 0.005;

/// From this share on a texture shows something; letters and single marks cover less.
const TEXTURED: f64 = 0.1;

/// Base colours over a surface, whether of textures, vertices or materials.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Coat {
    /// Share of the surface that differs visibly from the middle colour of its material, 0 to 1.
    pub varied: f64,
    /// Share that differs visibly from the middle colour of the whole surface, 0 to 1.
    pub colored: f64,
}

impl Coat {
    /// Each material has one colour, with or without a texture.
    pub fn is_bare(&self) -> bool {
        self.varied < BARE
    }

    /// One colour all over.
    pub fn is_plain(&self) -> bool {
        self.colored < BARE
    }

    /// Colours vary within a material.
    pub fn is_textured(&self) -> bool {
        self.varied > TEXTURED
    }
}

pub(super) fn coat(scene: &Scene, body: &Body) -> Coat {
    let paint = Paint::of(scene);
    let mut by_material: BTreeMap<usize, Vec<Lab>> = BTreeMap::new();
    for hit in &body.samples {
        if let (Some(color), Some(material)) = (paint.color(hit), paint.material(hit)) {
            let color = lab(color.to_array().map(|c| (c * 255.0 + 0.5) as u8));
            by_material.entry(material).or_default().push(color);
        }
    }
    if by_material.is_empty() {
        return Coat::default();
    }
    let num_off = |colors: &[Lab]| {
        let middle = median(colors);
        colors.iter().filter(|color| difference(**color, middle) > VISIBLE).count()
    };
    let all: Vec<Lab> = by_material.values().flatten().copied().collect();
    let share = |count: usize| count as f64 / all.len().max(1) as f64;
    let varied = by_material.values().map(|colors| num_off(colors)).sum();
    Coat { varied: share(varied), colored: share(num_off(&all)) }
}

/// The bare one of two versions if the other is textured, in words.
pub(super) fn bare(coats: [Coat; 2]) -> Option<(usize, String)> {
    let side = [0, 1].into_iter().find(|&s| coats[s].is_bare() && coats[1 - s].is_textured())?;
    let varied = percent(coats[1 - side].varied);
    Some((
        side,
        format!(
            "is bare: each of its materials has one colour, where the other's colours vary visibly on {varied} of the surface"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::measure_body;
    use crate::scene::{ColorSpace, Material, Mesh, MeshParts, Slot, Texture, TextureRef, Wrap};
    use glam::{Vec2, Vec3, Vec4};

    /// A square with a texture of 16 × 16, or with colours at its corners.
    fn square(texel: Option<fn(u8) -> u8>, corners: Option<[f32; 4]>) -> Coat {
        let at = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let textures: Vec<Texture> = texel
            .map(|of| {
                let texels = (0..=255).map(|i| [of(i), 90, 40, 255]).collect();
                let wrap = [Wrap::ClampToEdge; 2];
                Texture::new(String::new(), 16, 16, texels, ColorSpace::Srgb, wrap).unwrap()
            })
            .into_iter()
            .collect();
        let parts = MeshParts {
            positions: at.map(|[x, y]| Vec3::new(x, y, 0.0)).into(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            uv_sets: vec![at.map(Vec2::from_array).into()],
            colors: corners.map(|gray| gray.map(|v| Vec4::new(v, v, v, 1.0)).into()),
            ..MeshParts::default()
        };
        let base = texel.map(|_| TextureRef::plain(0));
        let material =
            Material { textures: [(Slot::BaseColor, base)].into(), ..Material::default() };
        let scene = Scene::new(vec![Mesh::new(parts).unwrap()], vec![material], textures).unwrap();
        coat(&scene, &measure_body(&scene).1)
    }

    #[test]
    fn a_texture_of_one_colour_is_bare_and_colours_at_vertices_are_a_texture() {
        let (plain, one) = (square(None, None), square(Some(|_| 200), None));
        let (print, corners) =
            (square(Some(|i| (i % 16) * 16), None), square(None, Some([0.1, 0.9, 0.2, 0.6])));
        for coat in [plain, one, square(None, Some([0.5; 4]))] {
            assert!(coat.is_bare() && coat.is_plain() && !coat.is_textured(), "{coat:?}");
        }
        for coat in [print, corners] {
            assert!(!coat.is_bare() && coat.is_textured(), "{coat:?}");
            assert_eq!(bare([one, coat]).map(|(side, _)| side), Some(0));
            assert_eq!(bare([coat, plain]).map(|(side, _)| side), Some(1));
        }
        assert_eq!((bare([one, plain]), bare([print, corners])), (None, None));
        // A mark on few texels is no texture.
        let mark = square(Some(|i| if i < 10 { 0 } else { 200 }), None);
        assert!(!mark.is_bare() && !mark.is_textured(), "{mark:?}");
    }
}
