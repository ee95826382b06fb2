//! Quality of texture coordinates on the surface: stretch, overlap, texel density.

use super::facts::UvFacts;
use super::sum::{share, weighted_quantile};
use super::weld::Surface;
use crate::scene::{Mesh, Scene};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// Cells along a side of the texture in which overlap is counted.
const CELLS: usize = 1024;

/// A triangle over more texture repeats than this is left out of overlap: it repeats on purpose.
const REPEATS_MAX: f64 = 2.0;

/// Beyond every cell.
const FAR: f64 = 1e12;

/// Rows of the triangles that are counted before it is looked whether more would change anything.
const BLOCK_ROWS: i64 = 1 << 22;

/// Rows of cells that all triangles together may take, about two seconds on two cores; of the
/// triangles after that overlap is not counted. Counted and not timed, so that the result does not
/// depend on the machine.
const ROWS_MAX: i64 = 1 << 28;

/// What each texture costs by itself, in rows: its cells are made and counted.
const TEXTURE_ROWS: i64 = 1 << 17;

/// Singular values of ∂surface/∂uv, the larger first (Sander et al. 2001), and the signed area in
/// uv. `None` without an area in either.
pub fn uv_stretch(corners: [DVec3; 3], uvs: [DVec2; 3]) -> Option<([f64; 2], f64)> {
    let [s, t] = [uvs[1] - uvs[0], uvs[2] - uvs[0]];
    let [p, q] = [corners[1] - corners[0], corners[2] - corners[0]];
    let det = s.perp_dot(t);
    if det == 0.0 || p.cross(q) == DVec3::ZERO {
        return None;
    }
    let along_u = (p * t.y - q * s.y) / det;
    let along_v = (q * s.x - p * t.x) / det;
    let (a, b, c) = (along_u.length_squared(), along_u.dot(along_v), along_v.length_squared());
    let root = ((a - c) * (a - c) + 4.0 * b * b).sqrt();
    let larger = (0.5 * (a + c + root)).sqrt();
    // Their product is the ratio of areas, which is safer than the difference of two like numbers.
    let smaller = p.cross(q).length() / det.abs() / larger;
    Some(([larger, smaller], 0.5 * det))
}

/// Of the base colour's coordinates, or the first set where no texture names one.
pub(super) fn measure(scene: &Scene, surface: &Surface) -> Option<UvFacts> {
    let mut whole = Sums::default();
    let mut densities: Vec<(f64, f64)> = Vec::new();
    // Meshes that share a texture share its cells.
    let mut covered: BTreeMap<usize, Vec<[DVec2; 3]>> = BTreeMap::new();
    for (mesh, range) in scene.meshes().iter().zip(&surface.mesh_triangles) {
        let texture_ref = scene.materials()[mesh.material()].base_color_texture();
        let set = texture_ref.map_or(0, |r| r.uv_set);
        let Some(uvs) = Mesh::uvs(mesh, set) else {
            continue;
        };
        let texels = texture_ref.map_or(0.0, |r| {
            let texture = &scene.textures()[r.texture];
            f64::from(texture.width_px()) * f64::from(texture.height_px())
        });
        let key = texture_ref.map_or(usize::MAX, |r| r.texture);
        let covered = covered.entry(key).or_default();
        for (corners, t) in mesh.triangles().iter().zip(range.clone()) {
            let uv = corners.map(|vertex| {
                let uv = uvs[vertex as usize];
                texture_ref.map_or(uv, |r| r.transform.apply(uv)).as_dvec2()
            });
            let area = surface.areas[t];
            whole.area += area;
            let Some((sigma, signed)) = uv_stretch(surface.corners(t), uv) else {
                continue;
            };
            whole.add(area, sigma, signed);
            if texels > 0.0 {
                densities.push(((signed.abs() * texels / area).sqrt(), area));
            }
            if rows_of(uv).is_some() {
                covered.push(uv);
            }
        }
    }
    if whole.mapped <= 0.0 {
        return None;
    }
    let [mut used, mut shared] = [0.0; 2];
    let (mut rows_left, mut overlap_is_complete) = (ROWS_MAX, true);
    for triangles in covered.values() {
        let (cover, is_whole) = Cover::of(triangles, &mut rows_left);
        let [once, twice] = cover.cells();
        used += once;
        shared += twice;
        overlap_is_complete &= is_whole;
    }
    densities.sort_by(|a, b| a.0.total_cmp(&b.0));
    let texel = |share: f64| weighted_quantile(&densities, share);
    Some(UvFacts {
        mapped_area_share: share(whole.mapped, whole.area),
        // Coordinates are scaled to the surface's area first, so that 1 is a map without stretch.
        stretch_l2: (whole.squares / whole.mapped * whole.uv / whole.mapped).sqrt(),
        anisotropy_mean: whole.ratios / whole.mapped,
        flipped_area_share: share(whole.flipped, whole.mapped),
        overlap_share: share(shared, used),
        overlap_is_complete,
        texels_per_unit: texel(0.5),
        texel_spread: match (texel(0.1), texel(0.9)) {
            (Some(low), Some(high)) if low > 0.0 => Some(high / low),
            _ => None,
        },
    })
}

/// Areas, and values times areas.
#[derive(Default)]
struct Sums {
    area: f64,
    /// Of triangles with an area on the surface and in the texture.
    mapped: f64,
    uv: f64,
    squares: f64,
    ratios: f64,
    flipped: f64,
}

impl Sums {
    fn add(&mut self, area: f64, [larger, smaller]: [f64; 2], signed: f64) {
        self.mapped += area;
        self.uv += signed.abs();
        self.squares += area * 0.5 * (larger * larger + smaller * smaller);
        self.ratios += area * larger / smaller;
        // (0, 0) is the top left: a map seen from outside runs the other way round.
        if signed > 0.0 {
            self.flipped += area;
        }
    }
}

/// How many triangles cover the middle of each cell; the texture repeats. Each row of a triangle is
/// one run of cells, whatever its length: runs are kept as their ends, in which the order of
/// triangles and threads plays no part.
struct Cover {
    /// Row by row: what the count changes by at each cell.
    steps: Vec<i32>,
}

impl Cover {
    fn new() -> Self {
        Self { steps: vec![0; CELLS * CELLS] }
    }

    /// Of blocks of triangles, until every cell has two: what comes then changes nothing. False
    /// where `rows_left` ended first.
    fn of(triangles: &[[DVec2; 3]], rows_left: &mut i64) -> (Self, bool) {
        let mut sum = Self::new();
        let mut rest = triangles;
        *rows_left -= TEXTURE_ROWS;
        while !rest.is_empty() {
            if *rows_left <= 0 {
                return (sum, false);
            }
            let mut rows = 0;
            let length = rest.iter().take_while(|uvs| {
                let [top, bottom] = rows_of(**uvs).unwrap_or([1, 0]);
                let is_first = rows == 0;
                rows += bottom - top + 1;
                is_first || rows <= BLOCK_ROWS
            });
            let (block, others) = rest.split_at(length.count().max(1));
            *rows_left -= rows;
            let part = block.len().div_ceil(rayon::current_num_threads());
            let covers: Vec<Self> = parallel::map_chunks(block, part, |_, part| {
                let mut cover = Self::new();
                part.iter().for_each(|uvs| cover.add(*uvs));
                cover
            });
            for cover in covers {
                let both = sum.steps.iter_mut().zip(cover.steps);
                both.for_each(|(sum, other)| *sum += other);
            }
            rest = others;
            if !rest.is_empty() && sum.cells()[1] >= (CELLS * CELLS) as f64 {
                break;
            }
        }
        (sum, true)
    }

    fn add(&mut self, uvs: [DVec2; 3]) {
        let [a, b, c] = uvs.map(|uv| uv * CELLS as f64);
        let det = (b - a).perp_dot(c - a);
        let Some([top, bottom]) = rows_of(uvs) else {
            return;
        };
        // Barycentric coordinates in the middle of cell 0 of a row.
        let v_at = |y: f64| (DVec2::new(0.5, y) - a).perp_dot(c - a) / det;
        let w_at = |y: f64| (b - a).perp_dot(DVec2::new(0.5, y) - a) / det;
        let (v_slope, w_slope) = ((c.y - a.y) / det, (a.y - b.y) / det);
        for y in top..=bottom {
            let (v, w) = (v_at(y as f64 + 0.5), w_at(y as f64 + 0.5));
            let (mut first, mut last) = (-FAR, FAR);
            // Half-open, so that a middle on a common edge is in few of its triangles; a thousandth
            // of a cell is no overlap.
            for (at_zero, slope) in [(v, v_slope), (w, w_slope), (1.0 - v - w, -v_slope - w_slope)]
            {
                let end = (1e-6 - at_zero) / slope;
                if slope > 0.0 {
                    first = end.max(first);
                } else if slope < 0.0 {
                    last = end.min(last);
                } else if at_zero <= 1e-6 {
                    last = -FAR;
                }
            }
            let (first, last) = (floor(first) + 1, -floor(-last) - 1);
            if first <= last {
                self.run(y, first, last);
            }
        }
    }

    /// Cells `first` to `last` of a row.
    fn run(&mut self, y: i64, first: i64, last: i64) {
        let cells = CELLS as i64;
        let row = &mut self.steps[y.rem_euclid(cells) as usize * CELLS..][..CELLS];
        let count = last - first + 1;
        row[0] += (count / cells) as i32; // whole turns
        let (start, rest) = (first.rem_euclid(cells), count % cells);
        if rest == 0 {
            return;
        }
        row[start as usize] += 1;
        match start + rest {
            end if end < cells => row[end as usize] -= 1,
            end if end > cells => {
                row[0] += 1;
                row[(end - cells) as usize] -= 1;
            }
            _ => {}
        }
    }

    /// How many cells at least one triangle covers, and how many at least two.
    fn cells(&self) -> [f64; 2] {
        let mut found = [0.0; 2];
        for row in self.steps.chunks_exact(CELLS) {
            let mut count = 0;
            for step in row {
                count += step;
                found[0] += f64::from(u8::from(count >= 1));
                found[1] += f64::from(u8::from(count >= 2));
            }
        }
        found
    }
}

/// As [`f64::floor`], in range: the library's is a call on processors without the instruction.
fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole - i64::from(x < whole as f64)
}

/// The rows whose middles a triangle may cover; `None` for what repeats on purpose.
fn rows_of(uvs: [DVec2; 3]) -> Option<[i64; 2]> {
    let min = uvs[0].min(uvs[1]).min(uvs[2]);
    let max = uvs[0].max(uvs[1]).max(uvs[2]);
    if (max - min).max_element() > REPEATS_MAX || min.abs().max(max.abs()).max_element() > 1e6 {
        return None;
    }
    let middle = |y: f64| y * CELLS as f64 - 0.5;
    Some([middle(min.y).ceil() as i64, middle(max.y).floor() as i64])
}
