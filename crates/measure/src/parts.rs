//! Pieces that share positions, and groups of pieces with a gap around them.

use super::facts::PartFacts;
use super::sum::{share, sum_fixed};
use super::weld::Surface;
use glam::DVec3;

/// Cells along the diagonal of the box. A gap of more than two cells (3 % of the diagonal) always
/// separates, one under a cell never does.
const CELLS: f64 = 64.0;

/// Points that are set on all triangles together, about a second on two cores; beyond this the
/// cells are made larger.
const POINTS_MAX: f64 = 2e8;

/// Union-find with path halving; a group's root is its lowest member, so order does not matter.
pub(super) struct Groups {
    parent: Vec<u32>,
}

impl Groups {
    pub(super) fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    pub(super) fn root(&mut self, mut item: u32) -> u32 {
        while self.parent[item as usize] != item {
            let above = self.parent[self.parent[item as usize] as usize];
            self.parent[item as usize] = above;
            item = above;
        }
        item
    }

    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

/// Counts the pieces and finds those that float.
pub(super) fn measure(surface: &Surface) -> PartFacts {
    let mut pieces = Groups::new(surface.positions.len());
    for &[a, b, c] in &surface.triangles {
        pieces.join(a, b);
        pieces.join(a, c);
    }
    let piece_areas = areas_by(surface.positions.len(), surface, |triangle| {
        pieces.root(surface.triangles[triangle][0])
    });
    let grid = Grid::around(surface);
    let group_areas = group_areas(surface, &grid);
    let (_, others) = group_areas.split_first().unwrap_or((&0.0, &[]));
    let floating: Vec<f64> = others
        .iter()
        .map(|&area| share(area, surface.area))
        .filter(|&s| s < PartFacts::FLOATER_SHARE)
        .collect();
    PartFacts {
        components: piece_areas.len(),
        component_area_shares: piece_areas
            .iter()
            .take(PartFacts::LISTED_MAX)
            .map(|&area| share(area, surface.area))
            .collect(),
        groups: group_areas.len(),
        floaters: floating.len(),
        floater_area_share: floating.iter().fold(0.0, |sum, share| sum + share),
        is_complete: grid.is_fine,
    }
}

/// Areas of groups of triangles, largest first. `group_of` gives a number under `count`.
fn areas_by(count: usize, surface: &Surface, mut group_of: impl FnMut(usize) -> u32) -> Vec<f64> {
    let mut area_of: Vec<Option<f64>> = vec![None; count];
    for (triangle, area) in surface.areas.iter().enumerate() {
        *area_of[group_of(triangle) as usize].get_or_insert(0.0) += area;
    }
    let mut areas: Vec<f64> = area_of.into_iter().flatten().collect();
    areas.sort_by(|a, b| b.total_cmp(a));
    areas
}

/// Sets points on every triangle, half a cell apart, and joins touching cells: groups of triangles
/// with a gap around them.
fn group_areas(surface: &Surface, grid: &Grid) -> Vec<f64> {
    let empty = || vec![false; grid.len()];
    let size = surface.triangles.len().div_ceil(rayon::current_num_threads()).max(1);
    let filled = parallel::map_chunks(&surface.triangles, size, |chunk, triangles| {
        let mut is_filled = empty();
        for i in 0..triangles.len() {
            grid.cells_of(surface.corners(chunk * size + i), |cell| {
                is_filled[cell as usize] = true;
            });
        }
        is_filled
    });
    let mut is_filled = empty();
    for some in filled {
        is_filled.iter_mut().zip(some).for_each(|(a, b)| *a |= b);
    }
    let mut groups = Groups::new(grid.len());
    for cell in (0..grid.len() as u32).filter(|&cell| is_filled[cell as usize]) {
        grid.for_later_neighbours(cell, |neighbour| {
            if is_filled[neighbour as usize] {
                groups.join(cell, neighbour);
            }
        });
    }
    areas_by(grid.len(), surface, |triangle| {
        groups.root(grid.cell_of(surface.at(surface.triangles[triangle][0])))
    })
}

/// Half cells from one point to another.
fn steps(from: DVec3, to: DVec3, cell: f64) -> f64 {
    ((to - from).length() / (0.5 * cell)).ceil().max(1.0)
}

/// About how many points [`Grid::cells_of`] visits for all triangles: rows of 2 and more, which
/// grow from nothing to the third side.
fn points(surface: &Surface, cell: f64) -> f64 {
    let [sum] = sum_fixed(surface.triangles.len(), |t| {
        let [a, b, c] = surface.corners(t);
        let rows = steps(a, b, cell).max(steps(a, c, cell));
        [rows * (2.0 + 0.5 * steps(b, c, cell))]
    });
    sum
}

/// Cubic cells over the box, with a rim of empty ones.
struct Grid {
    min: DVec3,
    cell: f64,
    size: [usize; 3],
    /// The cells have the intended size.
    is_fine: bool,
}

impl Grid {
    fn around(surface: &Surface) -> Self {
        let (min, max) = surface
            .positions
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), p| {
                (min.min(p.as_dvec3()), max.max(p.as_dvec3()))
            });
        let intended = surface.diagonal / CELLS;
        let mut cell = intended;
        // Layers upon layers of large triangles, or of long ones, are measured coarsely.
        while points(surface, cell) > POINTS_MAX {
            cell *= 2.0;
        }
        let size = (max - min).to_array().map(|length| (length / cell) as usize + 3);
        Self { min, cell, size, is_fine: cell == intended }
    }

    fn len(&self) -> usize {
        self.size.iter().product()
    }

    fn cell_of(&self, position: DVec3) -> u32 {
        let [x, y, z] = ((position - self.min) / self.cell).to_array().map(|c| c as usize + 1);
        ((z * self.size[1] + y) * self.size[0] + x) as u32
    }

    /// Visits the cells of points on the triangle, at most half a cell apart.
    fn cells_of(&self, [a, b, c]: [DVec3; 3], mut visit: impl FnMut(u32)) {
        let steps = |from, to| steps(from, to, self.cell);
        let rows = steps(a, b).max(steps(a, c));
        for row in 0..=rows as usize {
            let (left, right) = (a.lerp(b, row as f64 / rows), a.lerp(c, row as f64 / rows));
            let columns = steps(left, right);
            for column in 0..=columns as usize {
                visit(self.cell_of(left.lerp(right, column as f64 / columns)));
            }
        }
    }

    /// The 13 of 26 neighbours that come later in the order of cells.
    fn for_later_neighbours(&self, cell: u32, mut visit: impl FnMut(u32)) {
        let (row, layer) = (self.size[0] as u32, (self.size[0] * self.size[1]) as u32);
        visit(cell + 1);
        (0..3).for_each(|dx| visit(cell + row + dx - 1));
        for dy in 0..3 {
            (0..3).for_each(|dx| visit(cell + layer + dy * row + dx - row - 1));
        }
    }
}
