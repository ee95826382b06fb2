//! Seams: how often the colour jumps where two patches of a texture meet, and the other version's
//! does not at the same place.

use super::color::{Lab, difference, lab};
use super::overlay::{ALONE, Overlay};
use crate::measure::Hit;
use crate::scene::Mesh;
use glam::{Vec2, Vec3};
use std::collections::HashMap;

/// Places that are looked at on borders of patches, and inside patches.
const PLACES: usize = 1024;

/// Edges that are looked for, of larger scenes by chance: enough for the places.
const EDGES: usize = 8192;

/// Colours are compared so far on each side of an edge, share of the diagonal, and at most this
/// share of the triangle.
const INSET: f32 = 0.004;
const INSET_MAX: f32 = 0.3;

/// A jump of so much, ΔE*ab, is a line: four times just noticeable.
const JUMP: f64 = 10.0;

/// Shorter borders than this, in diagonals, say nothing.
const LENGTH_MIN: f32 = 0.5;

/// Share of its borders at which a version with seams jumps alone, and its lead over the other.
const SEAMS: f64 = 0.3;
const LEAD: f64 = 0.2;

/// The version with seams, and on what share of the borders each has them.
pub(super) fn worse(overlay: &Overlay) -> Option<(usize, [f64; 2])> {
    let [a, b] = [jumping(overlay, 0)?, jumping(overlay, 1)?];
    ((a - b).abs() > LEAD && a.max(b) > SEAMS).then(|| (usize::from(b > a), [a, b]))
}

/// Share of the borders of patches along which only this version's colour jumps, beyond the share
/// of edges inside patches; none without borders.
fn jumping(overlay: &Overlay, side: usize) -> Option<f64> {
    let scene = overlay.sides[side].scene;
    let (mut borders, mut inside) = (Vec::new(), Vec::new());
    let one_in = (scene.triangle_count() * 3 / 2 / EDGES).max(1) as u64;
    let mut first = 0;
    for mesh in scene.meshes() {
        let texture = scene.materials()[mesh.material()].base_color_texture();
        if let Some(uvs) = texture.and_then(|base| mesh.uvs(base.uv_set)) {
            edges(mesh, uvs, first, one_in, &mut borders, &mut inside);
        }
        first += mesh.triangles().len() as u32;
    }
    let diagonal = (scene.bounds().max - scene.bounds().min).length();
    let look = Look { overlay, side, inset: INSET * diagonal };
    let length = borders.iter().fold(0.0, |sum, edge: &Edge| sum + edge.length);
    if length * (one_in as f32) < LENGTH_MIN * diagonal {
        return None;
    }
    Some((look.share(&borders)? - look.share(&inside).unwrap_or(0.0)).max(0.0))
}

/// An edge that two triangles share.
struct Edge {
    length: f32,
    sides: [EdgeSide; 2],
}

/// A triangle at an edge.
struct EdgeSide {
    triangle: u32,
    corners: [Vec3; 3],
    /// Over the edge.
    height: f32,
    /// Of the edge's two ends.
    weights: [[f32; 2]; 2],
}

/// The edges of a mesh by place, which borders of patches have in common although their corners are
/// apart; one in so many.
fn edges(
    mesh: &Mesh,
    uvs: &[Vec2],
    first: u32,
    one_in: u64,
    borders: &mut Vec<Edge>,
    inside: &mut Vec<Edge>,
) {
    let positions = mesh.positions();
    let mut open: HashMap<u64, (u32, usize, bool)> = HashMap::new();
    for (index, corners) in mesh.triangles().iter().enumerate() {
        for k in 0..3 {
            let ends = [corners[k], corners[(k + 1) % 3]].map(|v| v as usize);
            // −0 and 0 are one place.
            let [a, b] = ends.map(|v| (positions[v] + Vec3::ZERO).to_array().map(f32::to_bits));
            let is_turned = a > b;
            let place = mixed(if is_turned { [b, a] } else { [a, b] });
            if a == b || !place.is_multiple_of(one_in) {
                continue;
            }
            let Some((other, j, other_turned)) = open.remove(&place) else {
                open.insert(place, (index as u32, k, is_turned));
                continue;
            };
            let there = mesh.triangles()[other as usize];
            let mut others = [there[j], there[(j + 1) % 3]].map(|v| v as usize);
            if is_turned != other_turned {
                others.reverse();
            }
            let is_border = (0..2).any(|end| uvs[ends[end]].distance(uvs[others[end]]) > 1e-5);
            let length = positions[ends[0]].distance(positions[ends[1]]);
            let side = |triangle: u32, k: usize, is_reversed: bool| {
                let corners = mesh.triangles()[triangle as usize].map(|v| positions[v as usize]);
                let double_area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
                let mut weights = [at_corner(k), at_corner((k + 1) % 3)];
                if is_reversed {
                    weights.reverse();
                }
                EdgeSide {
                    triangle: first + triangle,
                    corners,
                    height: double_area / length,
                    weights,
                }
            };
            let edge = Edge {
                length,
                sides: [side(index as u32, k, false), side(other, j, is_turned != other_turned)],
            };
            if is_border { borders.push(edge) } else { inside.push(edge) }
        }
    }
}

/// A number for an edge's place.
fn mixed(ends: [[u32; 3]; 2]) -> u64 {
    let mix = |sum: u64, bits: &u32| {
        let sum = (sum ^ u64::from(*bits)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        sum ^ (sum >> 32)
    };
    ends.as_flattened().iter().fold(0, mix)
}

/// Weights of the second and third corner at a corner.
fn at_corner(corner: usize) -> [f32; 2] {
    [f32::from(u8::from(corner == 1)), f32::from(u8::from(corner == 2))]
}

/// Looks at edges of one side.
struct Look<'a> {
    overlay: &'a Overlay<'a>,
    side: usize,
    /// How far from the edge, in units of the side.
    inset: f32,
}

impl Look<'_> {
    /// Share of the length along which the colours of both triangles are a jump apart, and those of
    /// the other version are not.
    fn share(&self, edges: &[Edge]) -> Option<f64> {
        let length = edges.iter().fold(0.0, |sum, edge| sum + f64::from(edge.length));
        let step = length / PLACES as f64;
        let (mut next, mut before) = (0.5 * step, 0.0);
        let (mut jumps, mut count) = (0.0, 0.0);
        for edge in edges {
            let end = before + f64::from(edge.length);
            while next < end {
                let along = ((next - before) / f64::from(edge.length)) as f32;
                let [a, b] = edge.sides.each_ref().map(|side| self.colors(side, along));
                if let (Some([a, other_a]), Some([b, other_b])) = (a, b) {
                    let is_jump = |a, b| difference(a, b) > JUMP;
                    count += 1.0;
                    jumps += f64::from(u8::from(is_jump(a, b) && !is_jump(other_a, other_b)));
                }
                next += step;
            }
            before = end;
        }
        (count > 0.0).then(|| jumps / count)
    }

    /// The colours of both versions next to the edge; none where one has no texture.
    fn colors(&self, at: &EdgeSide, along: f32) -> Option<[Lab; 2]> {
        let inset = (self.inset / at.height.max(f32::MIN_POSITIVE)).min(INSET_MAX);
        let [from, to] = at.weights;
        let weights = [0, 1].map(|axis| {
            let on_edge = from[axis] + (to[axis] - from[axis]) * along;
            // Towards the third corner: the weights of all three corners sum to 1 for each axis.
            let opposite = 1.0 - from[axis] - to[axis];
            on_edge + (opposite - on_edge) * inset
        });
        let [a, b, c] = at.corners;
        let [v, w] = weights;
        let point = a * (1.0 - v - w) + b * v + c * w;
        let own = Hit { triangle: at.triangle, weights, point, distance: 0.0 };
        let other =
            self.overlay.closest(1 - self.side, self.overlay.global(self.side, point), ALONE)?;
        let color = |side: usize, hit: &Hit| {
            let (color, is_textured) = self.overlay.paints[side].color(hit)?;
            is_textured.then(|| lab(color.to_array().map(|c| (c * 255.0 + 0.5) as u8)))
        };
        Some([color(self.side, &own)?, color(1 - self.side, &other)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlay::Side;
    use crate::scene::{ColorSpace, Material, MeshParts, Scene, Slot, Texture, TextureRef, Wrap};

    /// How four squares of a sheet are cut into patches of a texture: left red, right blue.
    #[derive(Clone, Copy)]
    enum Cut {
        /// Into columns, both of which show the red half.
        RedColumns,
        /// Into columns that show the half on their side.
        Columns,
        /// Into rows, each of which shows both halves.
        Rows,
    }

    fn sheet(cut: Cut) -> Scene {
        let texels = (0..16 * 16)
            .map(|i| if i % 16 < 8 { [200, 40, 40, 255] } else { [40, 40, 200, 255] })
            .collect();
        let wrap = [Wrap::ClampToEdge; 2];
        let texture = Texture::new(String::new(), 16, 16, texels, ColorSpace::Srgb, wrap).unwrap();
        let (mut positions, mut uvs, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for (column, row) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let first = positions.len() as u32;
            for [x, y] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
                positions.push(Vec3::new(column + x, row + y, 0.0));
                uvs.push(match cut {
                    Cut::RedColumns => Vec2::new(0.05 + 0.3 * x + 0.01 * column, 0.2 * (row + y)),
                    Cut::Columns => Vec2::new(0.05 + 0.3 * x + 0.5 * column, 0.2 * (row + y)),
                    Cut::Rows => Vec2::new(0.5 * (column + x), 0.2 * (row + y) + 0.3 * row),
                });
            }
            triangles.extend([[0, 1, 2], [0, 2, 3]].map(|corners| corners.map(|v| first + v)));
        }
        let parts = MeshParts { positions, triangles, uv_sets: vec![uvs], ..MeshParts::default() };
        let material = Material {
            textures: [(Slot::BaseColor, Some(TextureRef::plain(0)))].into(),
            ..Material::default()
        };
        Scene::new(vec![Mesh::new(parts).unwrap()], vec![material], vec![texture]).unwrap()
    }

    #[test]
    fn a_seam_is_a_jump_at_a_border_of_patches_that_the_other_version_lacks() {
        let worse_of = |cuts: [Cut; 2]| {
            let scenes = cuts.map(sheet);
            let bodies = scenes.each_ref().map(|scene| crate::measure::measure_body(scene).1);
            let side = |i: usize| Side { body: &bodies[i], scene: &scenes[i] };
            worse(&Overlay::of(side(0), side(1)).unwrap())
        };
        assert_eq!(worse_of([Cut::RedColumns, Cut::Columns]), Some((1, [0.0, 1.0])));
        assert_eq!(worse_of([Cut::Columns, Cut::RedColumns]), Some((0, [1.0, 0.0])));
        // The colours of the rows change at the same place, inside their patches: so the thing is.
        assert_eq!(worse_of([Cut::Columns, Cut::Rows]), None);
        assert_eq!(worse_of([Cut::Columns, Cut::Columns]), None);
    }
}
