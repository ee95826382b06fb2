//! Base colours by place on the surface, without light: texture, factor and vertex colour,
//! multiplied as glTF has it.

use crate::measure::Hit;
use crate::scene::{Scene, TextureRef, Wrap};
use crate::sheet::{decode_srgb, encode_srgb};
use glam::{Vec2, Vec3};
use std::borrow::Cow;
use std::ops::Range;

/// A scene whose colours are looked up by triangle, in the order of the scene.
pub(super) struct Paint<'a> {
    scene: &'a Scene,
    /// Which triangles belong to each mesh.
    ranges: Vec<Range<u32>>,
    /// By texture; only those that are some base colour.
    texels: Vec<Option<Cow<'a, [[u8; 4]]>>>,
}

impl<'a> Paint<'a> {
    pub(super) fn of(scene: &'a Scene) -> Self {
        let mut first = 0;
        let ranges = scene
            .meshes()
            .iter()
            .map(|mesh| {
                let range = first..first + mesh.triangles().len() as u32;
                first = range.end;
                range
            })
            .collect();
        let mut texels = vec![None; scene.textures().len()];
        for material in scene.materials() {
            if let Some(base) = material.base_color_texture() {
                texels[base.texture].get_or_insert_with(|| scene.textures()[base.texture].texels());
            }
        }
        Self { scene, ranges, texels }
    }

    /// As sRGB, 0 to 1. None where alpha cuts the surface away.
    pub(super) fn color(&self, hit: &Hit) -> Option<Vec3> {
        if self.is_cut(hit) {
            return None;
        }
        let (mesh, corners) = self.triangle(hit.triangle)?;
        let mesh = &self.scene.meshes()[mesh];
        let texel = self.lookup(hit).and_then(|(base, uv)| self.texel(&base, uv));
        let [v, w] = hit.weights;
        let vertex = mesh.colors().map_or(Vec3::ONE, |colors| {
            let [a, b, c] = corners.map(|corner| colors[corner as usize].truncate());
            a * (1.0 - v - w) + b * v + c * w
        });
        let factor = vertex * self.scene.materials()[mesh.material()].base_color.truncate();
        Some(match texel {
            Some(texel) if factor == Vec3::ONE => texel,
            Some(texel) => encoded(decoded(texel) * factor),
            None => encoded(factor),
        })
    }

    fn nearest_texel(&self, hit: &Hit) -> Option<[u8; 4]> {
        let (base, uv) = self.lookup(hit)?;
        let texture = &self.scene.textures()[base.texture];
        let size = [texture.width_px(), texture.height_px()];
        let [x, y] = [0, 1].map(|axis| {
            let along = (uv[axis] * size[axis] as f32).floor() as i64;
            wrapped(along, size[axis], texture.wrap()[axis])
        });
        Some(self.texels[base.texture].as_ref()?[y * size[0] as usize + x])
    }

    /// Whether alpha cuts the surface away here, so that nothing is drawn.
    fn is_cut(&self, hit: &Hit) -> bool {
        let mesh = self.triangle(hit.triangle).map(|(mesh, _)| &self.scene.meshes()[mesh]);
        let cutoff = mesh.and_then(|mesh| self.scene.materials()[mesh.material()].texel_cutoff());
        cutoff.is_some_and(|cutoff| {
            self.nearest_texel(hit).is_some_and(|[.., alpha]| f32::from(alpha) < 255.0 * cutoff)
        })
    }

    /// Which texture, and where in it.
    pub(super) fn lookup(&self, hit: &Hit) -> Option<(TextureRef, Vec2)> {
        let (mesh, corners) = self.triangle(hit.triangle)?;
        let mesh = &self.scene.meshes()[mesh];
        let base = self.scene.materials()[mesh.material()].base_color_texture()?;
        let uvs = mesh.uvs(base.uv_set)?;
        let [a, b, c] = corners.map(|v| uvs[v as usize]);
        let [v, w] = hit.weights;
        Some((base, base.transform.apply(a + (b - a) * v + (c - a) * w)))
    }

    /// The unit normal that the file has at a place, if it has one.
    pub(super) fn normal(&self, hit: &Hit) -> Option<Vec3> {
        let (mesh, corners) = self.triangle(hit.triangle)?;
        let normals = self.scene.meshes()[mesh].normals()?;
        let [a, b, c] = corners.map(|v| normals[v as usize]);
        let [v, w] = hit.weights;
        Some((a * (1.0 - v - w) + b * v + c * w).normalize_or_zero())
    }

    /// The number of the material at a place.
    pub(super) fn material(&self, hit: &Hit) -> Option<usize> {
        Some(self.scene.meshes()[self.triangle(hit.triangle)?.0].material())
    }

    /// Width and height of a texture.
    pub(super) fn size_px(&self, base: &TextureRef) -> Vec2 {
        let texture = &self.scene.textures()[base.texture];
        Vec2::new(texture.width_px() as f32, texture.height_px() as f32)
    }

    /// The mesh and the vertex of the nearest corner.
    pub(super) fn nearest_corner(&self, hit: &Hit) -> Option<(usize, u32)> {
        let (mesh, corners) = self.triangle(hit.triangle)?;
        let [v, w] = hit.weights;
        let u = 1.0 - v - w;
        Some((mesh, corners[if u >= v.max(w) { 0 } else { 1 + usize::from(w > v) }]))
    }

    /// The sRGB colours of a mesh's vertices, without textures.
    pub(super) fn corners(&self, mesh: usize) -> Vec<Vec3> {
        let mesh = &self.scene.meshes()[mesh];
        let factor = self.scene.materials()[mesh.material()].base_color.truncate();
        let colors = mesh.colors().unwrap_or_default().iter();
        colors.map(|color| encoded(color.truncate() * factor)).collect()
    }

    fn triangle(&self, triangle: u32) -> Option<(usize, [u32; 3])> {
        let mesh = self.ranges.partition_point(|range| range.end <= triangle);
        let range = self.ranges.get(mesh)?;
        let corners = self.scene.meshes()[mesh].triangles()[(triangle - range.start) as usize];
        Some((mesh, corners))
    }

    /// Between the four texels around it.
    pub(super) fn texel(&self, base: &TextureRef, uv: Vec2) -> Option<Vec3> {
        let texture = &self.scene.textures()[base.texture];
        let texels = self.texels[base.texture].as_ref()?;
        let size = [texture.width_px(), texture.height_px()];
        let at = |axis: usize, value: f32| {
            let along = value * size[axis] as f32 - 0.5;
            let low = along.floor();
            let index = |i: f32| wrapped(i as i64, size[axis], texture.wrap()[axis]);
            (index(low), index(low + 1.0), along - low)
        };
        let ((x0, x1, x), (y0, y1, y)) = (at(0, uv.x), at(1, uv.y));
        let color = |x: usize, y: usize| {
            let [r, g, b, _] = texels[y * size[0] as usize + x];
            Vec3::new(f32::from(r), f32::from(g), f32::from(b)) / 255.0
        };
        let row = |y: usize| color(x0, y).lerp(color(x1, y), x);
        Some(row(y0).lerp(row(y1), y))
    }
}

fn decoded(color: Vec3) -> Vec3 {
    let linear = |value: f32| decode_srgb((value * 255.0 + 0.5) as u8);
    Vec3::from_array(color.to_array().map(linear))
}

fn encoded(color: Vec3) -> Vec3 {
    let byte = |value: f32| f32::from(encode_srgb(value)) / 255.0;
    Vec3::from_array(color.to_array().map(byte))
}

fn wrapped(index: i64, size: u32, wrap: Wrap) -> usize {
    let size = i64::from(size);
    let within = match wrap {
        Wrap::Repeat => index.rem_euclid(size),
        Wrap::ClampToEdge => index.clamp(0, size - 1),
        Wrap::MirroredRepeat => {
            let twice = index.rem_euclid(2 * size);
            twice.min(2 * size - 1 - twice)
        }
    };
    within as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{AlphaMode, ColorSpace, Material, Mesh, MeshParts, Slot, Texture};

    #[test]
    fn coordinates_outside_are_wrapped_as_the_sampler_says() {
        let at = |wrap| [-1, 0, 3, 4, 5].map(|i| wrapped(i, 4, wrap));
        assert_eq!(at(Wrap::Repeat), [3, 0, 3, 0, 1]);
        assert_eq!(at(Wrap::ClampToEdge), [0, 0, 3, 3, 3]);
        assert_eq!(at(Wrap::MirroredRepeat), [0, 0, 3, 3, 2]);
    }

    #[test]
    fn what_alpha_cuts_away_has_no_colour() {
        // Two texels: red, and a black one that is not there.
        let texels = vec![[255, 0, 0, 255], [0, 0, 0, 0]];
        let wrap = [Wrap::ClampToEdge; 2];
        let texture = Texture::new(String::new(), 2, 1, texels, ColorSpace::Srgb, wrap).unwrap();
        let parts = MeshParts {
            positions: [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
                .map(|[x, y]| Vec3::new(x, y, 0.0))
                .into(),
            triangles: vec![[0, 1, 2]],
            uv_sets: vec![vec![Vec2::ZERO, Vec2::X, Vec2::ZERO]],
            ..MeshParts::default()
        };
        let textures = [(Slot::BaseColor, Some(TextureRef::plain(0)))].into();
        let colors = |alpha_mode| {
            let material = Material { textures, alpha_mode, ..Material::default() };
            let meshes = vec![Mesh::new(parts.clone()).unwrap()];
            let scene = Scene::new(meshes, vec![material], vec![texture.clone()]).unwrap();
            let hit = |x| Hit { triangle: 0, weights: [x, 0.0], point: Vec3::ZERO, distance: 0.0 };
            [0.1, 0.9].map(|x| Paint::of(&scene).color(&hit(x)))
        };
        let (red, black) = (Some(Vec3::X), Some(Vec3::ZERO));
        assert_eq!(colors(AlphaMode::Mask { cutoff: 0.5 }), [red, None]);
        assert_eq!(colors(AlphaMode::Opaque), [red, black]);
    }
}
