//! Measures an asset: [`Scene`] → [`MeshFacts`], plain numbers about its surface. What `inspect` prints and what the `probe` judge reads.
//!
//! Vertices at exactly equal positions are one vertex here (welded), so a texture seam is no hole. Lengths are given relative to the
//! diagonal of the box, areas relative to the whole surface, so that a file's unit does not matter. Draws nothing, repairs nothing,
//! judges nothing. The same numbers on every machine and with any number of threads: sums run in a fixed order.

mod bends;
mod edges;
mod facts;
mod holes;
mod noise;
mod parts;
mod shape;
mod texturing;
mod weld;

pub use self::facts::{
    BendFacts, Counts, EdgeFacts, Extent, Hole, HoleFacts, MeshFacts, Noise, PartFacts, ShapeFacts,
    TextureFacts,
};

use self::weld::Surface;
use crate::scene::Scene;
use rayon::prelude::*;

/// Measures everything. About a second for a million triangles on two cores; needs about 200 bytes a triangle while it runs.
pub fn measure(scene: &Scene) -> MeshFacts {
    let surface = Surface::of(scene);
    let edges = edges::Edges::of(&surface);
    let ((edge_facts, noise, bends), (holes, parts)) = rayon::join(
        || {
            (
                edges::facts(&surface, &edges),
                noise::measure(scene, &surface, &edges),
                bends::measure(&surface, &edges),
            )
        },
        || {
            (
                holes::measure(scene, &surface, &edges),
                parts::measure(&surface),
            )
        },
    );
    let is_watertight =
        edge_facts.boundary == 0 && edge_facts.non_manifold == 0 && edge_facts.inconsistent == 0;
    MeshFacts {
        counts: Counts {
            triangles: scene.triangle_count(),
            vertices: scene.vertex_count(),
            welded_vertices: surface.positions.len(),
            meshes: scene.meshes().len(),
            materials: scene.materials().len(),
            textures: scene.textures().len(),
            degenerate_triangles: surface.areas.iter().filter(|&&area| area == 0.0).count(),
            duplicate_triangles: weld::duplicates(&surface),
        },
        extent: Extent {
            min: scene.bounds().min.to_array(),
            max: scene.bounds().max.to_array(),
            diagonal: surface.diagonal,
        },
        is_watertight,
        edges: edge_facts,
        holes,
        parts,
        shape: shape::measure(&surface, is_watertight),
        bends,
        noise,
        texture: texturing::measure(scene, &surface),
    }
}

/// Triangles summed at once. The partial sums are added one after the other, so the result does not depend on the threads.
const CHUNK: usize = 4096;

/// Sum of `term` over 0..count in a fixed order, on all threads.
fn sum_fixed<const N: usize>(count: usize, term: impl Fn(usize) -> [f64; N] + Sync) -> [f64; N] {
    let add = |mut sum: [f64; N], term: [f64; N]| {
        sum.iter_mut()
            .zip(term)
            .for_each(|(sum, term)| *sum += term);
        sum
    };
    let partial: Vec<[f64; N]> = (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            (chunk * CHUNK..((chunk + 1) * CHUNK).min(count))
                .map(&term)
                .fold([0.0; N], add)
        })
        .collect();
    partial.into_iter().fold([0.0; N], add)
}

/// `part / whole`, and 0 where the whole is 0.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
