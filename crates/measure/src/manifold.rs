//! Whether the surface around each vertex is one fan, and what its counts say of its form.

use super::edges::{self, Edges};
use super::facts::ManifoldFacts;
use super::parts::Groups;
use super::weld::Surface;

/// A vertex is regular where its triangles hang together over edges that no more than two share.
pub(super) fn measure(surface: &Surface, edges: &Edges) -> ManifoldFacts {
    // Triangle corners, joined where triangles share an edge at the vertex: one group per fan.
    let mut fans = Groups::new(3 * surface.triangles.len());
    let corner_at = |half: u32, vertex: u32| {
        let triangle = half / 3;
        let corners = surface.triangles[triangle as usize];
        let k = corners.iter().position(|&v| v == vertex).unwrap_or(0);
        3 * triangle + k as u32
    };
    for edge in edges.iter(surface).filter(|edge| edge.faces == 2) {
        let [first, second] = edge.halves;
        for vertex in [edge.low, edge.high] {
            fans.join(corner_at(first, vertex), corner_at(second, vertex));
        }
    }
    let mut fan_of = vec![u32::MAX; surface.positions.len()];
    let mut is_split = vec![false; surface.positions.len()];
    let (mut faces, mut used) = (0_i64, 0_i64);
    for t in (0..surface.triangles.len()).filter(|&t| surface.has_edges(t)) {
        faces += 1;
        for k in 0..3 {
            let vertex = surface.triangles[t][k] as usize;
            let fan = fans.root((3 * t + k) as u32);
            if fan_of[vertex] == u32::MAX {
                fan_of[vertex] = fan;
                used += 1;
            } else if fan_of[vertex] != fan {
                is_split[vertex] = true;
            }
        }
    }
    let split = is_split.iter().filter(|is| **is).count();
    let counts = edges::facts(surface, edges);
    ManifoldFacts {
        is_edge_manifold: counts.non_manifold == 0,
        is_vertex_manifold: split == 0,
        split_vertices: split,
        euler: used - counts.total as i64 + faces,
    }
}
