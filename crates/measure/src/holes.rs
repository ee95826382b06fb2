//! Boundary edges that hang together, each group an opening.

use super::edges::Edges;
use super::facts::{Hole, HoleFacts};
use super::parts::Groups;
use super::sum::share;
use super::weld::Surface;
use crate::scene::Scene;
use glam::DVec3;

#[derive(Clone, Copy, Default)]
struct Loop {
    edges: usize,
    perimeter: f64,
    /// Half the sum of `a × b` along the loop, seen from `origin`; independent of it if closed.
    vector_area: DVec3,
    origin: Option<DVec3>,
}

/// Finds all openings. A lid's area is the length of its loop's vector area, exact if flat.
pub(super) fn measure(scene: &Scene, surface: &Surface, edges: &Edges) -> HoleFacts {
    let boundary = || edges.iter(surface).filter(|edge| edge.faces == 1);
    let mut groups = Groups::new(surface.positions.len());
    boundary().for_each(|edge| groups.join(edge.low, edge.high));
    let is_solid = surface.is_solid(scene);
    let mut solid_perimeter = 0.0;
    let mut loop_of = vec![u32::MAX; surface.positions.len()];
    let mut loops: Vec<Loop> = Vec::new();
    for edge in boundary() {
        let slot = &mut loop_of[groups.root(edge.low) as usize];
        if *slot == u32::MAX {
            *slot = loops.len() as u32;
            loops.push(Loop::default());
        }
        let found = &mut loops[*slot as usize];
        let (low, high) = (surface.at(edge.low), surface.at(edge.high));
        let origin = *found.origin.get_or_insert(low);
        let (from, to) =
            if edge.runs_up(edge.halves[0], surface) { (low, high) } else { (high, low) };
        if is_solid[edge.halves[0] as usize / 3] {
            solid_perimeter += (high - low).length();
        }
        found.edges += 1;
        found.perimeter += (high - low).length();
        found.vector_area += 0.5 * (from - origin).cross(to - origin);
    }
    let mut holes: Vec<Hole> = loops
        .iter()
        .map(|found| Hole {
            edges: found.edges,
            perimeter: share(found.perimeter, surface.diagonal),
            area_share: share(found.vector_area.length(), surface.area),
        })
        .collect();
    let total = |of: fn(&Hole) -> f64| holes.iter().map(of).fold(0.0, |sum, value| sum + value);
    let (count, perimeter, area_share) =
        (holes.len(), total(|hole| hole.perimeter), total(|hole| hole.area_share));
    // A stable sort: equal holes stay in the order of their first edge.
    holes.sort_by(|a, b| b.perimeter.total_cmp(&a.perimeter));
    holes.truncate(HoleFacts::LISTED_MAX);
    HoleFacts {
        count,
        perimeter,
        solid_perimeter: share(solid_perimeter, surface.diagonal),
        area_share,
        largest: holes,
    }
}
