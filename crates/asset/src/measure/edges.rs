//! Which triangles meet along which edge.

use super::facts::EdgeFacts;
use super::weld::Surface;

/// One edge and the first two of its triangles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub low: u32,
    pub high: u32,
    /// Half-edges (3 · triangle + corner where it starts) in ascending order; the second is `u32::MAX` on a boundary.
    pub halves: [u32; 2],
    pub faces: u32,
}

/// All edges, ordered by `low`, then `high`.
pub(super) struct Edges {
    pub list: Vec<Edge>,
}

impl Edges {
    /// Counting sort by the lower vertex, then a small sort of each vertex' handful of edges: linear, and twice as fast as sorting all keys.
    pub(super) fn of(surface: &Surface) -> Self {
        let vertices = surface.positions.len();
        let mut starts = vec![0_u32; vertices + 1];
        let half_edges = || {
            (0..surface.triangles.len())
                .filter(|&t| surface.has_edges(t))
                .flat_map(|t| {
                    let corners = surface.triangles[t];
                    (0..3).map(move |k| {
                        let (from, to) = (corners[k], corners[(k + 1) % 3]);
                        (from.min(to), from.max(to), (3 * t + k) as u32)
                    })
                })
        };
        half_edges().for_each(|(low, _, _)| starts[low as usize + 1] += 1);
        for i in 0..vertices {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut sorted = vec![(0_u32, 0_u32); starts[vertices] as usize];
        for (low, high, half) in half_edges() {
            let slot = &mut next[low as usize];
            sorted[*slot as usize] = (high, half);
            *slot += 1;
        }
        let mut list = Vec::with_capacity(sorted.len() / 2 + 16);
        for low in 0..vertices {
            let around = &mut sorted[starts[low] as usize..starts[low + 1] as usize];
            around.sort_unstable();
            for run in around.chunk_by(|a, b| a.0 == b.0) {
                list.push(Edge {
                    low: low as u32,
                    high: run[0].0,
                    halves: [run[0].1, run.get(1).map_or(u32::MAX, |second| second.1)],
                    faces: run.len() as u32,
                });
            }
        }
        Self { list }
    }
}

impl Edge {
    /// Whether the half-edge in this triangle runs from the lower to the higher vertex.
    pub(super) fn runs_up(&self, half: u32, surface: &Surface) -> bool {
        surface.triangles[half as usize / 3][half as usize % 3] == self.low
    }

    /// Two faces that agree on the direction: the surface goes on smoothly or with a bend.
    pub(super) fn is_regular(&self, surface: &Surface) -> bool {
        self.faces == 2
            && self.runs_up(self.halves[0], surface) != self.runs_up(self.halves[1], surface)
    }
}

/// Counts the kinds of edges.
pub(super) fn facts(surface: &Surface, edges: &Edges) -> EdgeFacts {
    let count = |is: &dyn Fn(&Edge) -> bool| edges.list.iter().filter(|edge| is(edge)).count();
    EdgeFacts {
        total: edges.list.len(),
        boundary: count(&|edge| edge.faces == 1),
        non_manifold: count(&|edge| edge.faces > 2),
        inconsistent: count(&|edge| edge.faces == 2 && !edge.is_regular(surface)),
    }
}
