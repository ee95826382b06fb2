//! Which parts of an asset's textures can be seen from so near that their own texels are looked up,
//! and not those of a smaller mip level.
//!
//! The renderer looks up a texture's own level where a pixel's footprint is less than two texels
//! long. How small the footprint of a triangle can become is known before anything is drawn: it is
//! smallest where the triangle is nearest to a camera and square to it.

use crate::scene::{
    Bounds, Material, MeshParts, NearBlocks, TextureRef, UvTransform, ViewScale, Wrap,
};
use glam::{DVec2, DVec3, Vec2};
use std::collections::BTreeSet;

/// A texture as far as its blocks depend on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    pub width_px: u32,
    pub height_px: u32,
    /// Along u, then along v.
    pub wrap: [Wrap; 2],
}

/// The footprint, in texels, below which a texture's own level is looked up, with what the
/// renderer's logarithm may err.
const FOOTPRINT: f64 = 2.0 * 1.01;

/// Error of a rendered triangle's height in pixels: both ends are rounded to 1/256 pixel.
const HEIGHT_ERROR_PX: f64 = 0.006;

/// Coordinates farther out are too imprecise for a place.
const COORDINATE_MAX: f64 = 64.0;

/// Triangles that one job looks at.
const TRIANGLES: usize = 1 << 14;

/// Blocks that one job adds: 64 for each triangle, or 512 × 512 texels. Triangles without extent
/// may name all blocks each.
const ADDED_MAX: usize = TRIANGLES << 6;

/// For each of the shapes, the blocks that are seen from near; `None` where there is no shape, or
/// where nothing can be said. `materials` name textures by their place among the shapes.
pub(super) fn near_blocks(
    meshes: &[MeshParts],
    materials: &[Material],
    shapes: &[Option<Shape>],
    view_scale: &ViewScale,
) -> Vec<Option<NearBlocks>> {
    let none = vec![None; shapes.len()];
    if shapes.iter().all(Option::is_none) {
        return none;
    }
    let bounds = Bounds::of_parts(meshes);
    if !bounds.radius.is_normal() {
        return none;
    }
    let mut near: Vec<Option<NearBlocks>> = shapes
        .iter()
        .map(|shape| shape.map(|shape| NearBlocks::none(shape.width_px, shape.height_px)))
        .collect();
    // Most textures of a material have the same layout: the needs of the first of them apply to the
    // second of these pairs too.
    let mut alike: BTreeSet<[usize; 2]> = BTreeSet::new();
    for mesh in meshes {
        let Some(material) = materials.get(mesh.material) else {
            continue;
        };
        let mut known: Vec<(TextureRef, Shape)> = Vec::new();
        for texture_ref in material.texture_refs() {
            let Some(shape) = shapes.get(texture_ref.texture).copied().flatten() else {
                continue;
            };
            let is_alike = |(other, of): &&(TextureRef, Shape)| {
                *of == shape
                    && other.uv_set == texture_ref.uv_set
                    && other.transform == texture_ref.transform
            };
            if let Some((first, _)) = known.iter().find(is_alike) {
                alike.insert([first.texture, texture_ref.texture]);
                continue;
            }
            known.push((*texture_ref, shape));
            let seen = Seen { mesh, texture_ref, shape, bounds: &bounds, view_scale };
            if let Some(near) = &mut near[texture_ref.texture] {
                seen.add_to(near);
            }
        }
    }
    for [first, other] in alike {
        let first = near[first].clone();
        if let (Some(other), Some(first)) = (&mut near[other], &first) {
            other.add_those_of(first);
        }
    }
    near
}

/// A texture on a mesh.
struct Seen<'a> {
    mesh: &'a MeshParts,
    texture_ref: &'a TextureRef,
    shape: Shape,
    bounds: &'a Bounds,
    view_scale: &'a ViewScale,
}

impl Seen<'_> {
    fn add_to(&self, blocks: &mut NearBlocks) {
        let Some(uvs) = self.mesh.uv_sets.get(self.texture_ref.uv_set) else {
            return;
        };
        if self.mesh.triangles.len() <= TRIANGLES || blocks.is_full() {
            self.add_near(&self.mesh.triangles, uvs, blocks);
            return;
        }
        let none = || NearBlocks::none(self.shape.width_px, self.shape.height_px);
        let of_some = |_, triangles: &[[u32; 3]]| {
            let mut blocks = none();
            self.add_near(triangles, uvs, &mut blocks);
            blocks
        };
        for some in parallel::map_chunks(&self.mesh.triangles, TRIANGLES, of_some) {
            blocks.add_those_of(&some);
        }
    }

    /// Adds the blocks that these triangles show from near; all blocks if that takes too long.
    fn add_near(&self, triangles: &[[u32; 3]], uvs: &[Vec2], blocks: &mut NearBlocks) {
        let mut added = 0;
        for corners in triangles {
            if blocks.is_full() {
                return;
            }
            if added > ADDED_MAX {
                blocks.add_all();
                return;
            }
            let corners = corners.map(|corner| corner as usize);
            let position = |k: usize| self.mesh.positions.get(corners[k]);
            let uv = |k: usize| uvs.get(corners[k]);
            let (Some(a), Some(b), Some(c)) = (position(0), position(1), position(2)) else {
                continue;
            };
            let (Some(s), Some(t), Some(u)) = (uv(0), uv(1), uv(2)) else {
                continue;
            };
            let texels = [s, t, u].map(|uv| self.in_texels(*uv));
            if self.is_near([a, b, c].map(|p| p.as_dvec3()), texels) {
                added += self.add(texels, blocks);
            }
        }
    }

    fn in_texels(&self, uv: Vec2) -> DVec2 {
        let transform = &self.texture_ref.transform;
        let uv = if *transform == UvTransform::IDENTITY { uv } else { transform.apply(uv) };
        let size = DVec2::new(self.shape.width_px.into(), self.shape.height_px.into());
        uv.as_dvec2() * size
    }

    /// Whether a footprint of the triangle can be shorter than [`FOOTPRINT`].
    ///
    /// With J the derivative of texels by lengths on the triangle and σ the most pixels that a
    /// length takes, the longer of the two edges of a footprint is at least `‖J‖ / (√2 σ)`
    /// (Frobenius norm): its square is at least the mean of both squares, and each singular value
    /// shrinks by at most σ.
    fn is_near(&self, [a, b, c]: [DVec3; 3], [s, t, u]: [DVec2; 3]) -> bool {
        let (e1, e2, u1, u2) = (b - a, c - a, t - s, u - s);
        let (g11, g12, g22) = (e1.length_squared(), e1.dot(e2), e2.length_squared());
        let area_squared = e1.cross(e2).length_squared();
        let norm_squared = (g22 * u1.length_squared() - 2.0 * g12 * u1.dot(u2)
            + g11 * u2.length_squared())
            / area_squared;
        let radius_squared = [a, b, c]
            .map(|p| (p - self.bounds.center).length_squared())
            .into_iter()
            .fold(0.0, f64::max);
        let radius = self.bounds.radius;
        let radii = (radius_squared.sqrt() / radius).min(1.0);
        let pixels = self.view_scale.pixels_at(radii) / radius;
        let longest = g11.max(g22).max((e2 - e1).length_squared());
        let height_px = (area_squared / longest).sqrt() * pixels;
        let footprint = FOOTPRINT * (1.0 + HEIGHT_ERROR_PX / height_px);
        let least = 2.0 * (footprint * pixels) * (footprint * pixels);
        // A triangle without extent gives no number that means anything, and counts as near.
        let is_far = least.is_finite() && norm_squared >= least;
        !is_far
    }

    /// Adds the blocks of all texels that a triangle's look-ups may touch; how many there are.
    fn add(&self, texels: [DVec2; 3], blocks: &mut NearBlocks) -> usize {
        let [s, t, u] = texels;
        let (low, high) = (s.min(t).min(u), s.max(t).max(u));
        let [columns, rows] = blocks.size();
        let [wrap_u, wrap_v] = self.shape.wrap;
        let (width, height) = (self.shape.width_px, self.shape.height_px);
        let across = ranges(low.x, high.x, width, wrap_u, columns);
        let down = ranges(low.y, high.y, height, wrap_v, rows);
        let mut added = 0;
        for rows in down.into_iter().flatten() {
            for columns in across.iter().flatten() {
                added += rows.len() * columns.len();
                blocks.add(columns.clone(), rows.clone());
            }
        }
        added
    }
}

/// Blocks of texels around `low` to `high` on an axis: one range, or two if the picture repeats.
fn ranges(
    low: f64,
    high: f64,
    size: u32,
    wrap: Wrap,
    blocks: usize,
) -> [Option<std::ops::Range<usize>>; 2] {
    let all = [Some(0..blocks), None];
    let size = i64::from(size);
    let farthest = COORDINATE_MAX * size as f64;
    if !(low >= -farthest && high <= farthest) {
        return all;
    }
    // Look-ups mix two texels, and coordinates are rounded.
    let (first, last) = ((low - 0.5).floor() as i64 - 1, (high - 0.5).floor() as i64 + 2);
    let edge_of_block = NearBlocks::EDGE as i64;
    let of = |first: i64, last: i64| {
        let [first, last] = [first, last].map(|texel| texel.clamp(0, size - 1) / edge_of_block);
        Some(first as usize..last as usize + 1)
    };
    let is_inside = first >= 0 && last < size;
    match wrap {
        _ if is_inside => [of(first, last), None],
        Wrap::ClampToEdge => [of(first, last), None],
        Wrap::MirroredRepeat => all,
        Wrap::Repeat if last - first >= size => all,
        Wrap::Repeat => {
            let start = first.rem_euclid(size);
            let end = start + (last - first);
            let rest = if end >= size { of(0, end - size) } else { None };
            [of(start, end), rest]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Slot;
    use glam::Vec3;

    /// A square of side 2 facing z, whose picture has this many texels along a side.
    fn square(uv: f32) -> MeshParts {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        MeshParts {
            positions: corners.map(|[x, y]| Vec3::new(x, y, 0.0)).into(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            uv_sets: vec![corners.map(|c| (Vec2::from_array(c) + 1.0) * 0.5 * uv).into()],
            ..MeshParts::default()
        }
    }

    fn share(mesh: MeshParts, pixels_per_radius: f64) -> f64 {
        share_from(f64::INFINITY, mesh, pixels_per_radius)
    }

    fn share_from(distance: f64, mesh: MeshParts, pixels_per_radius: f64) -> f64 {
        let shape = Shape { width_px: 1024, height_px: 1024, wrap: [Wrap::Repeat; 2] };
        let base = Some(TextureRef::plain(0));
        let material =
            Material { textures: [(Slot::BaseColor, base)].into(), ..Material::default() };
        let view_scale = ViewScale { pixels_per_radius, distance };
        let near = near_blocks(&[mesh], &[material], &[Some(shape)], &view_scale);
        near[0].as_ref().unwrap().share()
    }

    /// Two texels a pixel are where the smaller level begins.
    #[test]
    fn a_texture_is_near_where_a_pixel_is_shorter_than_two_texels() {
        // The side is √2 radii, and has 1024 texels.
        let side = std::f64::consts::SQRT_2;
        assert_eq!(share(square(1.0), 1024.0 / side / 2.0 * 0.95), 0.0);
        assert_eq!(share(square(1.0), 1024.0 / side / 2.0), 1.0);
        // A quarter of the picture at the same density.
        assert!((0.25..0.4).contains(&share(square(0.5), 512.0 / side)));
        assert_eq!(share(square(2.0), 1024.0 / side * 0.95), 0.0);
    }

    /// The corner that can be nearest to a camera counts, half as far from it as the middle.
    #[test]
    fn a_triangle_is_as_near_as_its_outermost_corner() {
        let mut fan = square(1.0);
        fan.positions.push(Vec3::ZERO);
        fan.uv_sets[0].push(Vec2::splat(0.5));
        fan.triangles = vec![[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
        let enough = 512.0 / std::f64::consts::SQRT_2;
        assert_eq!(share_from(2.0, fan.clone(), enough * 0.52), 1.0);
        assert_eq!(share_from(2.0, fan, enough * 0.48), 0.0);
    }

    #[test]
    fn a_triangle_without_extent_counts_as_near() {
        let mut mesh = square(1.0);
        mesh.positions[2] = mesh.positions[0];
        mesh.positions[3] = mesh.positions[1];
        assert!(share(mesh, 1.0) > 0.9);
    }

    /// A hostile file can name all blocks in each of millions of triangles.
    #[test]
    fn what_would_take_too_long_is_near_everywhere() {
        let mut mesh = square(0.75);
        mesh.positions.fill(Vec3::ZERO);
        mesh.positions[0] = Vec3::X;
        assert!((0.7..0.8).contains(&share(mesh.clone(), 1.0)));
        let blocks = 14 * 14;
        mesh.triangles.extend(vec![[1, 2, 3]; ADDED_MAX / blocks + 2]);
        assert_eq!(share(mesh, 1.0), 1.0);
    }

    #[test]
    fn blocks_go_on_at_the_other_side_where_a_picture_repeats() {
        let of = |low: f64, high: f64, wrap| {
            let both = ranges(low, high, 256, wrap, 4);
            let mut list: Vec<usize> = both.into_iter().flatten().flatten().collect();
            list.sort_unstable();
            list
        };
        assert_eq!(of(70.0, 100.0, Wrap::Repeat), [1]);
        assert_eq!(of(64.0, 100.0, Wrap::Repeat), [0, 1], "the texel before");
        assert_eq!(of(-10.0, 10.0, Wrap::Repeat), [0, 3]);
        assert_eq!(of(250.0, 330.0, Wrap::Repeat), [0, 1, 3]);
        assert_eq!(of(-10.0, 10.0, Wrap::ClampToEdge), [0]);
        assert_eq!(of(250.0, 330.0, Wrap::ClampToEdge), [3]);
        assert_eq!(of(-10.0, 10.0, Wrap::MirroredRepeat), [0, 1, 2, 3]);
        assert_eq!(of(0.0, 300.0, Wrap::Repeat), [0, 1, 2, 3]);
        assert_eq!(of(1e6, 1e6, Wrap::Repeat), [0, 1, 2, 3], "too far out");
        assert_eq!(of(f64::NAN, 0.0, Wrap::Repeat), [0, 1, 2, 3]);
        assert_eq!(of(256.0 * 9.0 + 70.0, 256.0 * 9.0 + 80.0, Wrap::Repeat), [1]);
    }
}
