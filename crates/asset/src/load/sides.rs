//! Which side of a surface shows: faces that exist once from each side, and normals against a winding that its format does not define.

use super::clean::drop_unused;
use super::normals::weld;
use super::parts::Parts;
use super::warning::{Warning, Warnings};
use crate::scene::MeshParts;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Makes double-sided faces single-sided where another face has the same corners and the other winding: each side then shows the face that looks at
/// the viewer. Drawn from both sides, the two would fight for every pixel.
pub(super) fn split_two_sided((meshes, materials, _): &mut Parts, warnings: &mut Warnings) {
    let mut faces: Vec<(u64, bool, u32, u32)> = Vec::new();
    for (mesh, parts) in (0..).zip(meshes.iter()) {
        if materials.get(parts.material).is_some_and(|material| material.double_sided) {
            faces.par_extend(parts.triangles.par_iter().enumerate().map(|(triangle, corners)| {
                let places = corners.map(|corner| key(parts.positions[corner as usize]));
                (sum(places), is_even(places), mesh, triangle as u32)
            }));
        }
    }
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

/// The faces that have the same corners as another one, whatever their order. `places` gives those of a face.
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
    let mut faces: Vec<(u64, usize)> = (0..count).into_par_iter().map(of).collect();
    faces.par_sort_unstable();
    let mut is_twin = vec![false; count];
    for same in faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
        same.iter().for_each(|&(_, face)| is_twin[face] = true);
    }
    is_twin
}

/// Turns the winding of connected pieces of which most faces have normals on the other side. For formats that do not define winding: the normals
/// then say which side is the outer one, and a double-sided surface shows them towards the viewer.
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
        let votes: Vec<f64> = parts.triangles.par_iter().map(disagrees).collect();
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
