//! Vertex normals from triangles: angle-weighted, over all faces at a point or only over those
//! within a crease angle or smoothing group.
//!
//! Weights: Thürmer and Wüthrich 1998, "Computing vertex normals from polygonal facets": the angle
//! of the face at the vertex, so that the way a polygon was cut into triangles does not show.

use super::limits::CREASE_VALENCE_MAX;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Cosine of the crease angle of 60°: faces that meet at a sharper angle keep an edge between them.
/// `toCreasedNormals` of three.js has the same default (π/3); Blender's auto smooth has 30°, which
/// leaves facets on the low-polygon models that come without normals.
pub(super) const CREASE_COSINE: f64 = 0.5;

/// Which faces at a vertex share a normal.
#[derive(Debug, Clone, Copy)]
pub(super) enum Smoothing<'g> {
    All,
    /// Those within [`CREASE_COSINE`] of each other.
    Creases,
    /// Those of one group; group 0 is flat. One entry for each triangle.
    Groups(&'g [u32]),
}

/// A normal for every corner of every triangle: indices into the normals. Vertices at one place are
/// one corner of the surface, whatever their texture coordinates.
#[derive(Debug)]
pub(super) struct CornerNormals {
    /// Unit length; the first is zero and means "flat".
    pub normals: Vec<Vec3>,
    /// By triangle: indices into `normals`.
    pub corners: Vec<[u32; 3]>,
}

/// Computes normals. Sums run in the order of the triangles, so the result is the same everywhere.
pub(super) fn corner_normals(
    positions: &[Vec3],
    triangles: &[[u32; 3]],
    smoothing: Smoothing<'_>,
) -> CornerNormals {
    let first = weld(positions);
    let (point, num_points) = (|vertex: u32| first[vertex as usize], positions.len());
    let faces: Vec<DVec3> = triangles.iter().map(|t| face_normal(positions, t)).collect();
    // Corners by point: `starts[p]..starts[p + 1]` of `incident` holds triangle × 3 + corner.
    let mut starts = vec![0_u32; num_points + 1];
    for &vertex in triangles.iter().flatten() {
        starts[point(vertex) as usize + 1] += 1;
    }
    for i in 0..num_points {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut incident = vec![0_u32; triangles.len() * 3];
    for (corner, &vertex) in triangles.iter().flatten().enumerate() {
        let slot = &mut next[point(vertex) as usize];
        incident[*slot as usize] = corner as u32;
        *slot += 1;
    }
    drop(next);
    let mut out =
        CornerNormals { normals: vec![Vec3::ZERO], corners: vec![[0; 3]; triangles.len()] };
    let mut weighted = Vec::new();
    for place in starts.windows(2) {
        let around = &incident[place[0] as usize..place[1] as usize];
        weighted.clear();
        weighted.extend(around.iter().map(|&corner| {
            let (triangle, k) = (corner as usize / 3, corner as usize % 3);
            faces[triangle] * corner_angle(positions, &triangles[triangle], k)
        }));
        at_point(around, &weighted, &faces, smoothing, &mut out);
    }
    out
}

/// Fills in the corners around one point.
fn at_point(
    around: &[u32],
    weighted: &[DVec3],
    faces: &[DVec3],
    smoothing: Smoothing<'_>,
    out: &mut CornerNormals,
) {
    let first_new = out.normals.len();
    let set = |corner: u32, normal: DVec3, out: &mut CornerNormals| {
        let normal = normal.normalize_or_zero().as_vec3();
        let known = out.normals[first_new..]
            .iter()
            .rev()
            .take(CREASE_VALENCE_MAX)
            .position(|&known| known == normal);
        let index = match known {
            _ if normal == Vec3::ZERO => 0,
            Some(back) => out.normals.len() - 1 - back,
            None => {
                out.normals.push(normal);
                out.normals.len() - 1
            }
        };
        out.corners[corner as usize / 3][corner as usize % 3] = index as u32;
    };
    let face = |corner: u32| corner as usize / 3;
    match smoothing {
        Smoothing::Creases if around.len() <= CREASE_VALENCE_MAX => {
            for &corner in around {
                let own = faces[face(corner)];
                let near = around
                    .iter()
                    .zip(weighted)
                    .filter(|&(&other, _)| own.dot(faces[face(other)]) >= CREASE_COSINE);
                set(corner, near.map(|(_, &w)| w).sum(), out);
            }
        }
        Smoothing::All | Smoothing::Creases => {
            let sum = weighted.iter().sum();
            for &corner in around {
                set(corner, sum, out);
            }
        }
        Smoothing::Groups(groups) => {
            // Sorted by group, stably, so that each group is one run however many there are.
            let mut order: Vec<usize> = (0..around.len()).collect();
            order.sort_by_key(|&i| groups[face(around[i])]);
            for run in order.chunk_by(|&a, &b| groups[face(around[a])] == groups[face(around[b])]) {
                if groups[face(around[run[0]])] == 0 {
                    continue; // flat
                }
                let sum = run.iter().map(|&i| weighted[i]).sum();
                for &i in run {
                    set(around[i], sum, out);
                }
            }
        }
    }
}

/// Unit normal, or zero for a triangle without area.
fn face_normal(positions: &[Vec3], triangle: &[u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|vertex| positions[vertex as usize].as_dvec3());
    (b - a).cross(c - a).normalize_or_zero()
}

/// The angle at corner `k`, in radians.
fn corner_angle(positions: &[Vec3], triangle: &[u32; 3], k: usize) -> f64 {
    let at = |i: usize| positions[triangle[(k + i) % 3] as usize].as_dvec3();
    let (to_next, to_previous) = (at(1) - at(0), at(2) - at(0));
    let lengths = (to_next.length_squared() * to_previous.length_squared()).sqrt();
    if lengths > 0.0 {
        libm::acos((to_next.dot(to_previous) / lengths).clamp(-1.0, 1.0))
    } else {
        0.0
    }
}

/// For each vertex the first vertex at the same place, found by sorting. −0 and 0 are one place.
pub(super) fn weld(positions: &[Vec3]) -> Vec<u32> {
    let key = |&vertex: &u32| {
        let position = positions[vertex as usize] + Vec3::ZERO; // −0 + 0 = 0
        (position.to_array().map(f32::to_bits), vertex)
    };
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.par_sort_unstable_by_key(key); // no two keys are equal: one result
    let mut first = vec![0; positions.len()];
    for run in order.chunk_by(|a, b| key(a).0 == key(b).0) {
        for &vertex in run {
            first[vertex as usize] = run[0];
        }
    }
    first
}
