//! Common share of two volumes: grid cells with middles in both, over those in either.

use super::error::MetricError;
use super::surface::Surface;
use super::tree::SurfaceTree;
use super::winding::Winding;
use glam::DVec3;

/// A point is inside where the winding number exceeds this, whichever way a closed surface's
/// triangles face.
pub(super) const INSIDE: f64 = 0.5;

/// Cubic cells over a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    pub min: DVec3,
    pub cell: f64,
    /// Along x, y and z.
    pub size: [usize; 3],
}

impl Grid {
    /// Along the longest side.
    pub const CELLS_MIN: usize = 2;
    pub const CELLS_MAX: usize = 512;

    /// `cells` along the longest side of a box; the box's middle is the grid's.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`].
    pub fn over(min: DVec3, max: DVec3, cells: usize) -> Result<Self, MetricError> {
        if !(Self::CELLS_MIN..=Self::CELLS_MAX).contains(&cells) {
            return Err(MetricError::OutOfRange {
                what: "the number of cells along the longest side",
                min: Self::CELLS_MIN,
                max: Self::CELLS_MAX,
                value: cells,
            });
        }
        let side = max - min;
        let cell = side.max_element() / cells as f64;
        let size =
            side.to_array().map(|length| ((length / cell - 1e-9).ceil() as usize).clamp(1, cells));
        let covered = DVec3::from_array(size.map(|count| count as f64 * cell));
        Ok(Self { min: 0.5 * (min + max) - 0.5 * covered, cell, size })
    }

    pub fn len(&self) -> usize {
        self.size.iter().product()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The middle of a cell; x runs fastest.
    pub fn middle(&self, cell: usize) -> DVec3 {
        let [w, h, _] = self.size;
        let at = [cell % w, cell / w % h, cell / (w * h)];
        self.min + DVec3::from_array(at.map(|i| (i as f64 + 0.5) * self.cell))
    }
}

/// Cells counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    pub intersection: usize,
    pub union: usize,
}

impl Overlap {
    /// `None` where neither encloses a cell's middle.
    pub fn iou(&self) -> Option<f64> {
        (self.union > 0).then(|| self.intersection as f64 / self.union as f64)
    }
}

/// Counts the cells inside both and inside either.
pub fn overlap(a: &[bool], b: &[bool]) -> Overlap {
    let both = a.iter().zip(b);
    Overlap {
        intersection: both.clone().filter(|(a, b)| **a && **b).count(),
        union: both.filter(|(a, b)| **a || **b).count(),
    }
}

/// Whether each cell's middle is inside. Where the surface is closed, the number changes only
/// across it, so one answer holds for all cells that hang together without touching a triangle's
/// box; where it is open, every cell is asked.
pub fn inside(surface: &Surface, tree: &SurfaceTree, grid: &Grid) -> Vec<bool> {
    let winding = Winding::new(tree);
    let is_closed = surface.is_closed();
    // On both sides of an open surface the number is near a half; only its sign says which is in.
    let turn = if surface.faces_inwards() { -1.0 } else { 1.0 };
    let ask = |cell: usize| {
        let number = winding.fast(grid.middle(cell));
        (if is_closed { number.abs() } else { turn * number }) > INSIDE
    };
    if !is_closed {
        return parallel::of(grid.len(), ask);
    }
    let is_near = near_cells(surface, grid);
    let mut answers: Vec<bool> = parallel::of(grid.len(), |cell| is_near[cell] && ask(cell));
    let mut is_known = is_near;
    let mut open = Vec::new();
    for first in 0..grid.len() {
        if is_known[first] {
            continue;
        }
        let answer = ask(first);
        is_known[first] = true;
        open.push(first);
        while let Some(cell) = open.pop() {
            answers[cell] = answer;
            for_neighbours(grid, cell, |next| {
                if !is_known[next] {
                    is_known[next] = true;
                    open.push(next);
                }
            });
        }
    }
    answers
}

/// Cells that touch the box of a triangle.
fn near_cells(surface: &Surface, grid: &Grid) -> Vec<bool> {
    let mut is_near = vec![false; grid.len()];
    let [w, h, _] = grid.size;
    for t in 0..surface.triangles().len() {
        let [a, b, c] = surface.corners(t);
        let (min, max) = (a.min(b).min(c), a.max(b).max(c));
        let range = |axis: usize| {
            // A hair more, so that a triangle on a cell's face is in both cells.
            let at = |x: f64, slack: f64| ((x - grid.min[axis]) / grid.cell + slack).floor();
            let last = grid.size[axis] as f64 - 1.0;
            let (from, to) = (at(min[axis], -1e-6), at(max[axis], 1e-6));
            if to < 0.0 || from > last {
                0..0
            } else {
                from.max(0.0) as usize..to.min(last) as usize + 1
            }
        };
        for z in range(2) {
            for y in range(1) {
                let row = (z * h + y) * w;
                let along = range(0);
                is_near[row + along.start..row + along.end].fill(true);
            }
        }
    }
    is_near
}

fn for_neighbours(grid: &Grid, cell: usize, mut visit: impl FnMut(usize)) {
    let [w, h, d] = grid.size;
    let (x, y, z) = (cell % w, cell / w % h, cell / (w * h));
    for (is_there, at) in [
        (x > 0, cell.wrapping_sub(1)),
        (x + 1 < w, cell + 1),
        (y > 0, cell.wrapping_sub(w)),
        (y + 1 < h, cell + w),
        (z > 0, cell.wrapping_sub(w * h)),
        (z + 1 < d, cell + w * h),
    ] {
        if is_there {
            visit(at);
        }
    }
}
