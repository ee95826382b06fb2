//! How much the surface wobbles from vertex to vertex, beyond what its neighbourhood explains.

use super::dihedral::Turns;
use super::edges::{Edge, Edges};
use super::facts::Noise;
use super::sum::{share, weighted_quantile};
use super::weld::Surface;
use crate::scene::Scene;
use glam::Vec3;
use rayon::prelude::*;

/// Longer edges carry shape, not noise: a twenty-fifth of the diagonal is about what a judge's tile
/// of 273 px shows as 10 px.
const FINE_EDGE: f64 = 0.04;

/// Per-vertex sums over its regular edges.
#[derive(Clone, Copy, Default)]
struct Around {
    /// Edge length times signed bend; once all edges are in, their mean bend.
    bend: f64,
    length: f64,
    /// Neighbours' mean bends, summed.
    neighbours: f64,
    count: u32,
    /// On an edge that is not regular: there is no bend to speak of.
    is_open: bool,
}

/// Measures the wobble: at each vertex the length-weighted mean bend of its edges, less the mean of
/// that over its neighbours.
///
/// The idea is that of a discrete Laplacian of mean curvature (Meyer et al. 2003 for the curvature
/// as edge bend times length). Differs: the weights are lengths only, and the unit is an angle, so
/// that the value is what a picture of normals would show.
///
/// The angle and length of each regular edge are also given to `turns`.
pub(super) fn measure(scene: &Scene, surface: &Surface, edges: &Edges, turns: &mut Turns) -> Noise {
    let mut around = vec![Around::default(); surface.positions.len()];
    let (mut bent, mut fine_length) = (0.0, 0.0);
    let visit = |edge: &Edge, bend: Option<(f64, f64)>| {
        for vertex in [edge.low, edge.high] {
            let around = &mut around[vertex as usize];
            match bend {
                Some((angle, length)) => {
                    around.bend += angle * length;
                    around.length += length;
                    around.count += 1;
                }
                None => around.is_open = true,
            }
        }
        let Some((angle, length)) = bend else { return };
        turns.add((angle, length));
        if length < FINE_EDGE * surface.diagonal {
            bent += angle.abs() * length;
            fine_length += length;
        }
    };
    edges.visit(surface, |edge| dihedral_angle(surface, edge), visit);
    for a in &mut around {
        a.bend = share(a.bend.abs(), a.length) * a.bend.signum();
    }
    for edge in edges.iter(surface).filter(|edge| edge.faces == 2) {
        let [low, high] = [edge.low, edge.high].map(|vertex| vertex as usize);
        around[low].neighbours += around[high].bend;
        around[high].neighbours += around[low].bend;
    }
    let is_fine = |a: &Around| {
        !a.is_open && a.count > 2 && a.length < FINE_EDGE * surface.diagonal * f64::from(a.count)
    };
    // Collected in the memory of `around`.
    let mut wobbles: Vec<(f64, f64)> = around
        .into_iter()
        .zip(vertex_areas(surface))
        .filter(|(a, _)| is_fine(a))
        .map(|(a, area)| ((a.bend - a.neighbours / f64::from(a.count)).abs(), area))
        .collect();
    let (mean, median, fine_area) = mean_and_median(&mut wobbles);
    Noise {
        fine_area_share: share(fine_area, surface.area),
        mean_degrees: mean.to_degrees(),
        median_degrees: median.to_degrees(),
        bend_degrees: share(bent, fine_length).to_degrees(),
        opposed_normals_share: opposed_normals_share(scene, surface),
    }
}

/// Exterior dihedral angle of a regular edge: signed angle between the normals of its two faces
/// (positive where convex), and the edge's length.
fn dihedral_angle(surface: &Surface, edge: &Edge) -> Option<(f64, f64)> {
    if !edge.is_regular(surface) {
        return None;
    }
    let [first, second] = edge.halves.map(|half| surface.normals[half as usize / 3].as_dvec3());
    let opposite =
        surface.triangles[edge.halves[1] as usize / 3][(edge.halves[1] as usize + 2) % 3];
    let (low, high) = (surface.at(edge.low), surface.at(edge.high));
    // The chord of two unit vectors is 2 sin(angle / 2).
    let angle = 2.0 * libm::asin((0.5 * (first - second).length()).min(1.0));
    let is_concave = first.dot(surface.at(opposite) - low) > 0.0;
    Some((if is_concave { -angle } else { angle }, (high - low).length()))
}

/// A third of each triangle's area for each of its vertices.
fn vertex_areas(surface: &Surface) -> Vec<f64> {
    let mut areas = vec![0.0; surface.positions.len()];
    for (corners, area) in surface.triangles.iter().zip(&surface.areas) {
        corners.iter().for_each(|&vertex| areas[vertex as usize] += area / 3.0);
    }
    areas
}

/// Weighted mean, weighted median and sum of weights of (value, weight) pairs.
fn mean_and_median(values: &mut [(f64, f64)]) -> (f64, f64, f64) {
    values.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (sum, weight) =
        values.iter().fold((0.0, 0.0), |(sum, weight), (v, w)| (sum + v * w, weight + w));
    (share(sum, weight), weighted_quantile(values, 0.5).unwrap_or(0.0), weight)
}

/// Area share of triangles whose three vertex normals together point to the other side.
fn opposed_normals_share(scene: &Scene, surface: &Surface) -> f64 {
    let mut opposed = 0.0;
    for (mesh, range) in scene.meshes().iter().zip(&surface.mesh_triangles) {
        let Some(normals) = mesh.normals() else {
            continue;
        };
        for (corners, triangle) in mesh.triangles().iter().zip(range.clone()) {
            let sum =
                corners.iter().fold(Vec3::ZERO, |sum, &vertex| sum + normals[vertex as usize]);
            if sum.dot(surface.normals[triangle]) < 0.0 {
                opposed += surface.areas[triangle];
            }
        }
    }
    share(opposed, surface.area)
}
