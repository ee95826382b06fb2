//! The part of a surface that is kept for overlaying another: its triangles in a tree, points
//! spread evenly over it, its open edges.

use super::closest::{Hit, Tree};
use super::edges::Edges;
use super::weld::Surface;
use crate::scene::Scene;
use glam::{DVec3, Vec3};

/// Points on the surface.
const SAMPLES: usize = 4096;

/// Points along open edges, at most about.
const RIM_POINTS: usize = 4096;

/// A surface, ready to be compared with another one. 25 to 55 bytes a triangle.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// All triangles in the order of the scene, over welded positions.
    pub tree: Tree,
    /// Each represents the same area; `distance` is 0.
    pub samples: Vec<Hit>,
    /// Edges with one face whose material is opaque, as segments.
    pub rim: Tree,
    /// Points along `rim`, and the length that each represents.
    pub rim_points: Vec<(Vec3, f32)>,
    /// Of each triangle: which of its edges (from corner k to k + 1) have one face.
    pub open_edges: Vec<u8>,
    /// Sum of areas.
    pub area: f64,
    /// Where the file has the zero of these positions.
    pub origin: DVec3,
    /// Hash of positions, triangles, texture coordinates and normals.
    pub digest: [u8; 32],
}

impl Body {
    /// All but the tree, which takes the surface over once nothing else needs it.
    pub(super) fn without_tree(scene: &Scene, surface: &Surface, edges: &Edges) -> Self {
        let is_solid = surface.is_solid(scene);
        let mut open_edges = vec![0; surface.triangles.len()];
        let mut segments = Vec::new();
        for edge in edges.iter(surface).filter(|edge| edge.faces == 1) {
            let half = edge.halves[0] as usize;
            open_edges[half / 3] |= 1 << (half % 3);
            if is_solid[half / 3] {
                segments.push([edge.low, edge.high, edge.high]);
            }
        }
        let mut hasher = blake3::Hasher::new();
        for position in &surface.positions {
            for c in position.to_array() {
                hasher.update(&c.to_le_bytes());
            }
        }
        for corner in surface.triangles.as_flattened() {
            hasher.update(&corner.to_le_bytes());
        }
        for mesh in scene.meshes() {
            let uvs = (0..mesh.uv_set_count()).filter_map(|set| mesh.uvs(set));
            let normals = mesh.normals().into_iter().flatten().flat_map(|n| n.to_array());
            let values = uvs.flatten().flat_map(|uv| uv.to_array()).chain(normals);
            values.for_each(|value| {
                hasher.update(&value.to_le_bytes());
            });
        }
        Self {
            tree: Tree::default(),
            samples: samples(surface, SAMPLES),
            rim_points: rim_points(surface, &segments),
            rim: rim(surface, &segments),
            open_edges,
            area: surface.area,
            origin: scene.origin(),
            digest: *hasher.finalize().as_bytes(),
        }
    }
}

/// A tree over the segments with their own positions.
fn rim(surface: &Surface, segments: &[[u32; 3]]) -> Tree {
    let mut positions = Vec::with_capacity(segments.len() * 2);
    let mut own = Vec::with_capacity(segments.len());
    for &[low, high, _] in segments {
        let first = positions.len() as u32;
        positions.extend([low, high].map(|v| surface.positions[v as usize]));
        own.push([first, first + 1, first + 1]);
    }
    Tree::new(positions, own)
}

/// One point for every equal share of the whole length.
fn rim_points(surface: &Surface, segments: &[[u32; 3]]) -> Vec<(Vec3, f32)> {
    let ends = |&[low, high, _]: &[u32; 3]| [low, high].map(|v| surface.at(v));
    let total = segments.iter().map(ends).fold(0.0, |sum, [a, b]| sum + (b - a).length());
    let step = total / RIM_POINTS as f64;
    let (mut points, mut passed) = (Vec::new(), 0.0);
    for [a, b] in segments.iter().map(ends) {
        let length = (b - a).length();
        while length > 0.0
            && (points.len() as f64 + 0.5) * step < passed + length
            && points.len() < RIM_POINTS
        {
            let along = ((points.len() as f64 + 0.5) * step - passed) / length;
            points.push((a.lerp(b, along).as_vec3(), step as f32));
        }
        passed += length;
    }
    points
}

/// One point for every equal share of the area, at places within its triangle that follow the R2
/// sequence (Roberts 2018).
pub(super) fn samples(surface: &Surface, count: usize) -> Vec<Hit> {
    /// Powers of the inverse of the plastic number.
    const STEPS: [f64; 2] = [0.754_877_666_246_693, 0.569_840_290_998_053];
    let step = surface.area / count as f64;
    let (mut found, mut passed) = (Vec::with_capacity(count), 0.0);
    for (triangle, area) in surface.areas.iter().enumerate() {
        while *area > 0.0
            && (found.len() as f64 + 0.5) * step < passed + area
            && found.len() < count
        {
            let [u, v] = STEPS.map(|step| (0.5 + step * (found.len() + 1) as f64).fract());
            // The other half of the parallelogram is folded back.
            let [v, w] = if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] };
            let [a, b, c] = surface.corners(triangle);
            found.push(Hit {
                triangle: triangle as u32,
                weights: [v as f32, w as f32],
                point: (a + (b - a) * v + (c - a) * w).as_vec3(),
                distance: 0.0,
            });
        }
        passed += area;
    }
    found
}
