//! How texture coordinates lie on the surface: stretch, overlap, texel density.

use super::facts::UvFacts;
use super::sum::share;
use super::weld::Surface;
use crate::scene::{Mesh, Scene};
use glam::{DVec2, DVec3};

/// Cells along a side of the texture in which overlap is counted.
const CELLS: usize = 1024;

/// A triangle over more of the texture's repeats than this is left out of the overlap: it repeats on purpose.
const REPEATS_MAX: f64 = 2.0;

/// Singular values of ∂surface/∂uv, the larger first (Sander et al. 2001), and the signed area in uv. `None` without an area in either.
pub fn uv_stretch(corners: [DVec3; 3], uvs: [DVec2; 3]) -> Option<([f64; 2], f64)> {
    let [s, t] = [uvs[1] - uvs[0], uvs[2] - uvs[0]];
    let [p, q] = [corners[1] - corners[0], corners[2] - corners[0]];
    let det = s.perp_dot(t);
    if det == 0.0 || p.cross(q) == DVec3::ZERO {
        return None;
    }
    let along_u = (p * t.y - q * s.y) / det;
    let along_v = (q * s.x - p * t.x) / det;
    let (a, b, c) = (
        along_u.length_squared(),
        along_u.dot(along_v),
        along_v.length_squared(),
    );
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
    let mut covered: Vec<(usize, Vec<u8>)> = Vec::new();
    for (mesh, range) in scene.meshes().iter().zip(&surface.mesh_triangles) {
        let texture_ref = scene.materials()[mesh.material()]
            .base_color_texture
            .as_ref();
        let set = texture_ref.map_or(0, |r| r.uv_set);
        let Some(uvs) = Mesh::uvs(mesh, set) else {
            continue;
        };
        let texels = texture_ref.map_or(0.0, |r| {
            let texture = &scene.textures()[r.texture];
            f64::from(texture.width_px()) * f64::from(texture.height_px())
        });
        let key = texture_ref.map_or(usize::MAX, |r| r.texture);
        let at = covered
            .iter()
            .position(|(k, _)| *k == key)
            .unwrap_or_else(|| {
                covered.push((key, vec![0; CELLS * CELLS]));
                covered.len() - 1
            });
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
            cover(&mut covered[at].1, uv);
        }
    }
    if whole.mapped <= 0.0 {
        return None;
    }
    let cells = |least: u8| {
        let each = covered.iter().flat_map(|(_, cells)| cells);
        each.filter(|count| **count >= least).count() as f64
    };
    densities.sort_by(|a, b| a.0.total_cmp(&b.0));
    let texel = |share: f64| weighted_quantile(&densities, share);
    Some(UvFacts {
        mapped_area_share: share(whole.mapped, whole.area),
        // Coordinates are scaled to the surface's area first, so that 1 is a map without stretch.
        stretch_l2: (whole.squares / whole.mapped * whole.uv / whole.mapped).sqrt(),
        anisotropy_mean: whole.ratios / whole.mapped,
        flipped_area_share: share(whole.flipped, whole.mapped),
        overlap_share: share(cells(2), cells(1)),
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

/// Of values in order with weights.
fn weighted_quantile(values: &[(f64, f64)], share: f64) -> Option<f64> {
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut passed = 0.0;
    let found = values.iter().find(|(_, weight)| {
        passed += weight;
        passed >= share * total
    });
    found.or(values.last()).map(|(value, _)| *value)
}

/// Counts the triangle in every cell whose middle it covers; the texture repeats.
fn cover(cells: &mut [u8], uvs: [DVec2; 3]) {
    let min = uvs[0].min(uvs[1]).min(uvs[2]);
    let max = uvs[0].max(uvs[1]).max(uvs[2]);
    if (max - min).max_element() > REPEATS_MAX || min.abs().max(max.abs()).max_element() > 1e6 {
        return;
    }
    let [a, b, c] = uvs.map(|uv| uv * CELLS as f64);
    let det = (b - a).perp_dot(c - a);
    let first = |x: f64| (x * CELLS as f64 - 0.5).ceil() as i64;
    let last = |x: f64| (x * CELLS as f64 - 0.5).floor() as i64;
    for y in first(min.y)..=last(max.y) {
        for x in first(min.x)..=last(max.x) {
            let p = DVec2::new(x as f64 + 0.5, y as f64 + 0.5);
            let v = (p - a).perp_dot(c - a) / det;
            let w = (b - a).perp_dot(p - a) / det;
            // Half-open, so that a middle on a common edge is in few of its triangles; a thousandth of a cell is no overlap.
            if v > 1e-6 && w > 1e-6 && v + w < 1.0 - 1e-6 {
                let wrap = |at: i64| at.rem_euclid(CELLS as i64) as usize;
                let cell = &mut cells[wrap(y) * CELLS + wrap(x)];
                *cell = cell.saturating_add(1);
            }
        }
    }
}
