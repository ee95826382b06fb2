//! Which side of a surface shows: faces that exist once from each side, and normals against a
//! winding that its format does not define.

use super::clean::drop_unused;
use super::normals::weld;
use super::parts::Parts;
use super::warning::{Warning, Warnings};
use crate::scene::MeshParts;
use glam::{DVec3, Vec2, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Makes double-sided faces single-sided where another face has the same corners and the other
/// winding: each side then shows the face that looks at the viewer. Drawn from both sides, the two
/// would fight for every pixel.
pub(super) fn split_two_sided((meshes, materials, _): &mut Parts, warnings: &mut Warnings) {
    let is_double = |parts: &MeshParts| {
        materials.get(parts.material).is_some_and(|material| material.double_sided)
    };
    let mut faces = repeated(meshes, is_double);
    faces.par_sort_unstable();
    let mut is_split: Vec<Vec<u32>> = vec![Vec::new(); meshes.len()];
    let mut count = 0;
    for same in faces.chunk_by(|a, b| a.0 == b.0) {
        if same.iter().any(|face| face.1) && same.iter().any(|face| !face.1) {
            same.iter().for_each(|&(_, _, mesh, triangle)| is_split[mesh as usize].push(triangle));
            count += same.len() as u64;
        }
    }
    for (mesh, mut own) in is_split.into_iter().enumerate().filter(|(_, own)| !own.is_empty()) {
        own.sort_unstable();
        let parts = &mut meshes[mesh];
        let mut single = parts.clone();
        single.triangles = own.iter().map(|&triangle| parts.triangles[triangle as usize]).collect();
        let mut index = 0;
        parts.triangles.retain(|_| {
            index += 1;
            own.binary_search(&(index - 1)).is_err()
        });
        let mut material = materials[parts.material].clone();
        material.double_sided = false;
        materials.push(material);
        single.material = materials.len() - 1;
        drop_unused(&mut single);
        drop_unused(parts);
        meshes.push(single);
    }
    warnings.count(count, |count| Warning::TwoSided { count });
}

/// Faces of some meshes of which another one has the same corners, and a few more: the sum of the
/// corners, the winding, mesh and triangle. Most surfaces have none, and sorting all would take
/// longer than looking for equal sums.
fn repeated(
    meshes: &[MeshParts],
    is_wanted: impl Fn(&MeshParts) -> bool,
) -> Vec<(u64, bool, u32, u32)> {
    let wanted = (0..).zip(meshes).filter(|(_, parts)| is_wanted(parts));
    let wanted: Vec<(u32, &MeshParts, Vec<u64>)> = wanted
        .map(|(mesh, parts)| {
            (mesh, parts, parallel::map(&parts.positions, |position| key(*position)))
        })
        .collect();
    let total: usize = wanted.iter().map(|(_, parts, _)| parts.triangles.len()).sum();
    let bits = (total * 16).next_power_of_two().max(64);
    let place = |sum: u64| {
        let bit = (sum.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as usize & (bits - 1);
        (bit / 64, 1_u64 << (bit % 64))
    };
    let (mut seen, mut again) = (vec![0_u64; bits / 64], vec![0_u64; bits / 64]);
    for (_, parts, places) in &wanted {
        for corners in &parts.triangles {
            let (word, bit) = place(sum(corners.map(|corner| places[corner as usize])));
            again[word] |= seen[word] & bit;
            seen[word] |= bit;
        }
    }
    let mut faces = Vec::new();
    for (mesh, parts, places) in &wanted {
        for (triangle, corners) in (0..).zip(&parts.triangles) {
            let places = corners.map(|corner| places[corner as usize]);
            let sum = sum(places);
            let (word, bit) = place(sum);
            if again[word] & bit != 0 {
                faces.push((sum, is_even(places), *mesh, triangle));
            }
        }
    }
    faces
}

/// A number for a position; −0 and 0 are one.
fn key(position: Vec3) -> u64 {
    let mix = |sum: u64, c: f32| {
        let mixed = (sum ^ u64::from(c.to_bits())).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ mixed >> 29
    };
    (position + Vec3::ZERO).to_array().into_iter().fold(1, mix)
}

/// The same for three places in any order.
fn sum(places: [u64; 3]) -> u64 {
    places.into_iter().fold(0, |sum, place| sum.wrapping_add(place.wrapping_mul(place | 1)))
}

/// Which of the two windings the three have.
fn is_even([a, b, c]: [u64; 3]) -> bool {
    let rises = [a < b, b < c, c < a];
    rises.into_iter().filter(|rises| *rises).count() == 2
}

/// Which faces have the same corners as another, in any order. `places` gives a face's corners.
pub(super) fn twins(
    count: usize,
    places: impl Fn(usize, &mut dyn FnMut(Vec3)) + Sync,
) -> Vec<bool> {
    let of = |face| {
        let mut sum = 0_u64;
        places(face, &mut |position| {
            let place = key(position);
            sum = sum.wrapping_add(place.wrapping_mul(place | 1));
        });
        (sum, face)
    };
    let mut faces: Vec<(u64, usize)> = parallel::of(count, of);
    faces.par_sort_unstable();
    let mut is_twin = vec![false; count];
    for same in faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
        same.iter().for_each(|&(_, face)| is_twin[face] = true);
    }
    is_twin
}

/// Cuts polygons that have the same corners as another one from the same corner, so that the two
/// sides of a surface consist of the same triangles. Polygons are ranges of triangles; those that
/// are no fans are left as they are. `uvs` may be empty.
pub(super) fn cut_sides_alike(
    positions: &[Vec3],
    polygons: &[Range<usize>],
    triangles: &mut [[u32; 3]],
    uvs: &mut [[Vec2; 3]],
) {
    fn corners<T: Copy>(fan: &[[T; 3]]) -> Vec<T> {
        let first = fan.iter().take(1).flat_map(|first| [first[0], first[1]]);
        first.chain(fan.iter().map(|triangle| triangle[2])).collect()
    }
    fn fan<T: Copy>(corners: &[T], triangles: &mut [[T; 3]]) {
        let cut = corners[1..].windows(2).map(|two| [corners[0], two[0], two[1]]);
        triangles.iter_mut().zip(cut).for_each(|(triangle, cut)| *triangle = cut);
    }
    let position = |corner: u32| positions[corner as usize];
    let is_twin = twins(polygons.len(), |polygon, see| {
        let corners = corners(&triangles[polygons[polygon].clone()]);
        corners.into_iter().for_each(|corner| see(position(corner)));
    });
    for (polygon, _) in polygons.iter().zip(is_twin).filter(|(_, is_twin)| *is_twin) {
        let part = &mut triangles[polygon.clone()];
        let is_fan = part.windows(2).all(|two| two[1][..2] == [two[0][0], two[0][2]]);
        if !is_fan {
            continue;
        }
        let mut around = corners(part);
        let place = |&k: &usize| position(around[k]).to_array().map(f32::to_bits);
        let turn = (0..around.len()).min_by_key(place).unwrap_or(0);
        around.rotate_left(turn);
        fan(&around, part);
        if let Some(part) = uvs.get_mut(polygon.clone()) {
            let mut around = corners(part);
            around.rotate_left(turn);
            fan(&around, part);
        }
    }
}

/// Turns the winding of connected pieces of which most faces have normals on the other side. For
/// formats that do not define winding: the normals then say which side is the outer one, and a
/// double-sided surface shows them towards the viewer.
pub(super) fn wind_by_normals(meshes: &mut [MeshParts], warnings: &mut Warnings) {
    let mut count = 0;
    for parts in meshes {
        let Some(normals) = &parts.normals else {
            continue;
        };
        let disagrees = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| parts.positions[corner as usize].as_dvec3());
            let normal: DVec3 = corners.iter().map(|&c| normals[c as usize].as_dvec3()).sum();
            (b - a).cross(c - a).dot(normal)
        };
        let votes: Vec<f64> = parallel::map(&parts.triangles, disagrees);
        if votes.iter().all(|&vote| vote >= 0.0) {
            continue;
        }
        let mut piece = weld(&parts.positions);
        let root = |piece: &mut [u32], mut at: u32| {
            while piece[at as usize] != at {
                let above = piece[piece[at as usize] as usize];
                piece[at as usize] = above;
                at = above;
            }
            at
        };
        for &[a, b, c] in &parts.triangles {
            let roots = [a, b, c].map(|vertex| root(&mut piece, vertex));
            let lowest = roots.into_iter().min().unwrap_or(0);
            roots.into_iter().for_each(|root| piece[root as usize] = lowest);
        }
        let mut balance = vec![0_i64; parts.positions.len()];
        for (corners, &vote) in parts.triangles.iter().zip(&votes) {
            let sign = i64::from(vote > 0.0) - i64::from(vote < 0.0);
            balance[root(&mut piece, corners[0]) as usize] += sign;
        }
        for corners in &mut parts.triangles {
            if balance[root(&mut piece, corners[0]) as usize] < 0 {
                corners.swap(1, 2);
                count += 1;
            }
        }
    }
    warnings.count(count, |count| Warning::OpposedNormals { count });
}
