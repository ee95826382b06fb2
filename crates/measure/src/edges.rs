//! Which triangles meet along which edge.

use super::facts::EdgeFacts;
use super::weld::Surface;
use std::ops::Range;

/// One edge and the first two of its triangles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub low: u32,
    pub high: u32,
    /// Half-edges (3 · triangle + corner where it starts) in ascending order; the second is
    /// `u32::MAX` on a boundary.
    pub halves: [u32; 2],
    pub faces: u32,
}

/// All edges, ordered by `low`, then `high`. Stored as half-edges at their lower vertex, 14 bytes a
/// triangle; a list of [`Edge`]s would take 30.
pub(super) struct Edges {
    /// Where the half-edges of each vertex begin; one more for the end of the last.
    starts: Vec<u32>,
    /// By lower vertex, then higher vertex, then number.
    halves: Vec<u32>,
}

/// Vertices whose edges one task takes, and those whose edges are in memory at once.
const VERTICES_PER_TASK: usize = 1 << 10;
const VERTICES_AT_ONCE: usize = VERTICES_PER_TASK << 6;

impl Edges {
    /// Counting sort by the lower vertex, then a small sort of each vertex' handful of edges:
    /// linear, and twice as fast as sorting all keys.
    pub(super) fn of(surface: &Surface) -> Self {
        let vertices = surface.positions.len();
        let mut starts = vec![0_u32; vertices + 1];
        let half_edges = || {
            (0..surface.triangles.len()).filter(|&t| surface.has_edges(t)).flat_map(|t| {
                let [a, b, c] = surface.triangles[t];
                [a.min(b), b.min(c), c.min(a)].into_iter().zip(3 * t as u32..)
            })
        };
        half_edges().for_each(|(low, _)| starts[low as usize + 1] += 1);
        for i in 0..vertices {
            starts[i + 1] += starts[i];
        }
        let mut halves = vec![0_u32; starts[vertices] as usize];
        for (low, half) in half_edges() {
            let slot = &mut starts[low as usize];
            halves[*slot as usize] = half;
            *slot += 1;
        }
        // Each start has moved to the next one's place.
        starts.rotate_right(1);
        starts[0] = 0;
        let mut sorted = Vec::new();
        for around in starts.windows(2) {
            let around = &mut halves[around[0] as usize..around[1] as usize];
            sorted.clear();
            sorted.extend(around.iter().map(|&half| (high_of(half, surface), half)));
            sorted.sort_unstable();
            around.iter_mut().zip(&sorted).for_each(|(half, sorted)| *half = sorted.1);
        }
        Self { starts, halves }
    }

    /// All edges in order.
    pub(super) fn iter<'a>(&'a self, surface: &'a Surface) -> impl Iterator<Item = Edge> + 'a {
        self.of_vertices(surface, 0..self.starts.len() - 1)
    }

    /// Visits all edges in order, each with what `of` makes of it on any thread.
    pub(super) fn visit<T: Send>(
        &self,
        surface: &Surface,
        of: impl Fn(&Edge) -> T + Sync,
        mut visit: impl FnMut(&Edge, T),
    ) {
        let count = self.starts.len() - 1;
        for first in (0..count).step_by(VERTICES_AT_ONCE) {
            let end = count.min(first + VERTICES_AT_ONCE);
            let tasks = (end - first).div_ceil(VERTICES_PER_TASK);
            let made: Vec<Vec<(Edge, T)>> = parallel::of(tasks, |task| {
                let low = first + task * VERTICES_PER_TASK;
                let edges = self.of_vertices(surface, low..end.min(low + VERTICES_PER_TASK));
                edges.map(|edge| (edge, of(&edge))).collect()
            });
            made.into_iter().flatten().for_each(|(edge, made)| visit(&edge, made));
        }
    }

    fn of_vertices<'a>(
        &'a self,
        surface: &'a Surface,
        lows: Range<usize>,
    ) -> impl Iterator<Item = Edge> + 'a {
        lows.flat_map(move |low| {
            let around = &self.halves[self.starts[low] as usize..self.starts[low + 1] as usize];
            let runs = around.chunk_by(move |&a, &b| high_of(a, surface) == high_of(b, surface));
            runs.map(move |run| Edge {
                low: low as u32,
                high: high_of(run[0], surface),
                halves: [run[0], run.get(1).copied().unwrap_or(u32::MAX)],
                faces: run.len() as u32,
            })
        })
    }
}

/// The higher vertex of a half-edge.
fn high_of(half: u32, surface: &Surface) -> u32 {
    let (corners, k) = (surface.triangles[half as usize / 3], half as usize % 3);
    corners[k].max(corners[(k + 1) % 3])
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
    let mut facts = EdgeFacts::default();
    for edge in edges.iter(surface) {
        facts.total += 1;
        facts.boundary += usize::from(edge.faces == 1);
        facts.non_manifold += usize::from(edge.faces > 2);
        facts.inconsistent += usize::from(edge.faces == 2 && !edge.is_regular(surface));
    }
    facts
}
