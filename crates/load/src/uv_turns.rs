//! Texture coordinates far from 0 → those of the same texels near 0, where the texture repeats.
//!
//! Between corners coordinates are blended in single precision, which near a million has steps of
//! a sixteenth of a texture. Whole turns are subtracted from the corners of each triangle instead.

use super::parts::Parts;
use crate::scene::{MeshParts, TextureRef, Wrap};
use glam::Vec2;
use std::collections::BTreeMap;

/// Coordinates up to this are left as they are: at 4096, single precision has 2048 steps a texture.
const FAR: f32 = 4096.0;

/// Two turns are also whole for textures that are mirrored at every second one.
const PERIOD: f64 = 2.0;

pub(super) fn bring_near((meshes, materials, textures): &mut Parts) {
    let repeats = |of: &TextureRef| {
        let is_whole = of.transform.linear.iter().flatten().all(|entry| entry.fract() == 0.0);
        let texture = textures.get(of.texture);
        is_whole && texture.is_some_and(|texture| !texture.wrap().contains(&Wrap::ClampToEdge))
    };
    for parts in meshes {
        let Some(material) = materials.get(parts.material) else { continue };
        for set in 0..parts.uv_sets.len() {
            let is_far = |uv: &Vec2| uv.abs().max_element() > FAR;
            let mut uses = material.texture_refs().filter(|of| of.uv_set == set).peekable();
            if uses.peek().is_some() && uses.all(repeats) && parts.uv_sets[set].iter().any(is_far) {
                turn_back(parts, set);
            }
        }
    }
}

/// Vertices of triangles that are as many turns away stay shared.
fn turn_back(parts: &mut MeshParts, set: usize) {
    let mut copies: BTreeMap<(u32, [i64; 2]), u32> = BTreeMap::new();
    for triangle in 0..parts.triangles.len() {
        let corners = parts.triangles[triangle];
        let [a, b, c] = corners.map(|corner| parts.uv_sets[set][corner as usize]);
        let periods = a.min(b).min(c).to_array().map(|low| match low.abs() > FAR {
            true => (f64::from(low) / PERIOD).floor(),
            false => 0.0,
        });
        if periods == [0.0; 2] {
            continue;
        }
        parts.triangles[triangle] = corners.map(|corner| {
            let key = (corner, periods.map(|count| count as i64));
            *copies.entry(key).or_insert_with(|| copy(parts, corner, set, periods))
        });
    }
    super::clean::drop_unused(parts);
}

/// A new vertex like `vertex`, with coordinates of one set that many periods nearer.
fn copy(parts: &mut MeshParts, vertex: u32, set: usize, periods: [f64; 2]) -> u32 {
    fn push<T: Copy>(list: &mut Vec<T>, index: usize) {
        list.push(list[index]);
    }
    let index = vertex as usize;
    push(&mut parts.positions, index);
    parts.normals.iter_mut().for_each(|list| push(list, index));
    parts.tangents.iter_mut().for_each(|list| push(list, index));
    parts.colors.iter_mut().for_each(|list| push(list, index));
    parts.uv_sets.iter_mut().for_each(|list| push(list, index));
    if let Some(uv) = parts.uv_sets[set].last_mut() {
        let near = |at: f32, periods: f64| (f64::from(at) - PERIOD * periods) as f32;
        *uv = Vec2::new(near(uv.x, periods[0]), near(uv.y, periods[1]));
    }
    parts.positions.len() as u32 - 1
}
