//! Whether the parts that only one of two versions has were cut out of the common parts.

use super::overlay::{ALONE, Overlay, SAME};
use glam::Vec3;
use std::collections::BTreeMap;

/// Triangles with open edges that are looked at.
const LOOKED_AT: usize = 4096;

/// Lengths that differ by less than this share are alike.
const ALIKE: f32 = 1e-4;

/// Whether most triangles at the open edges of a side's own parts have twins in the common parts,
/// at which the same edge is closed: cutting a piece out is the only thing that makes such edges. A
/// leaf next to another leaf is open in both.
pub(super) fn is_copied(overlay: &Overlay, side: usize) -> bool {
    let body = overlay.sides[side].body;
    let near = |triangle: u32| {
        let center = body.tree.corners(triangle).iter().fold(Vec3::ZERO, |sum, c| sum + *c) / 3.0;
        overlay.distance(1 - side, overlay.global(side, center), false, ALONE)
    };
    let torn: Vec<u32> = (0..body.tree.triangle_count() as u32)
        .filter(|&t| body.open_edges[t as usize] != 0)
        .collect();
    let step = (torn.len() / LOOKED_AT).max(1);
    let alone: Vec<u32> =
        torn.into_iter().step_by(step).filter(|&t| near(t).is_infinite()).collect();
    if alone.len() < 4 {
        return false;
    }
    let mut by_length: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for triangle in 0..body.tree.triangle_count() as u32 {
        let [longest, ..] = sides(body.tree.corners(triangle)).map(|(length, _)| length);
        by_length.entry(key(longest)).or_default().push(triangle);
    }
    let has_closed_twin = |&triangle: &u32| {
        let own = sides(body.tree.corners(triangle));
        let open = body.open_edges[triangle as usize];
        let keys = key(own[0].0);
        (keys.saturating_sub(1)..=keys + 1)
            .flat_map(|k| by_length.get(&k).into_iter().flatten().take(64))
            .any(|&other| {
                let theirs = sides(body.tree.corners(other));
                let is_alike =
                    |(a, b): (&(f32, usize), &(f32, usize))| (a.0 - b.0).abs() <= ALIKE * a.0;
                other != triangle
                    && own.iter().zip(&theirs).all(is_alike)
                    && own.iter().zip(&theirs).any(|(a, b)| {
                        open >> a.1 & 1 == 1 && body.open_edges[other as usize] >> b.1 & 1 == 0
                    })
                    && near(other) < SAME
            })
    };
    let twins = alone.iter().filter(|t| has_closed_twin(t)).count();
    twins * 2 > alone.len()
}

/// Lengths of the three sides with the corner where each begins, longest first.
fn sides(corners: [Vec3; 3]) -> [(f32, usize); 3] {
    let mut sides = [0, 1, 2].map(|k| ((corners[(k + 1) % 3] - corners[k]).length(), k));
    sides.sort_by(|a, b| b.0.total_cmp(&a.0));
    sides
}

/// Similar lengths have the same key or neighbouring ones: a float's bits grow with its logarithm.
fn key(length: f32) -> u32 {
    length.to_bits() >> 10
}
