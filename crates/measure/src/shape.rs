//! Area, volume, proportions, and the slab that some generators leave under an object.

use super::facts::ShapeFacts;
use super::rotations::jacobi_sweep;
use super::sum::{share, sum_fixed};
use super::weld::Surface;
use glam::{DMat3, DVec3};

/// Layer searched for a slab's top, as shares of the diagonal and the height, whichever is less:
/// generated slabs seen are 1–5 % thick, and under a flat object that is much of the height.
const SLAB_LAYER: [f64; 2] = [0.06, 0.3];

/// What counts as the object above the slab starts there, likewise.
const ABOVE_SLAB: [f64; 2] = [0.12, 0.5];

/// Upward: within 11° of the vertical.
const UPWARD: f64 = 0.98;

pub(super) fn measure(surface: &Surface, is_watertight: bool) -> ShapeFacts {
    let count = surface.triangles.len();
    let [x, y, z] = sum_fixed(count, |t| {
        let [a, b, c] = surface.corners(t);
        ((a + b + c) * (surface.areas[t] / 3.0)).to_array()
    });
    let center = DVec3::new(x, y, z) / surface.area.max(f64::MIN_POSITIVE);
    let [volume] = sum_fixed(count, |t| {
        let [a, b, c] = surface.corners(t).map(|p| p - center);
        [a.dot(b.cross(c)) / 6.0]
    });
    let [small, middle, large] = principal_extents(surface, center);
    ShapeFacts {
        surface_area: surface.area,
        volume: is_watertight.then_some(volume),
        thickness: share(small, large),
        width: share(middle, large),
        ground_slab: ground_slab(surface),
    }
}

/// Extents along the principal axes of the surface, ascending.
fn principal_extents(surface: &Surface, center: DVec3) -> [f64; 3] {
    // ∫ p pᵀ over a triangle = area / 12 · (a aᵀ + b bᵀ + c cᵀ + s sᵀ), s = a + b + c: exact.
    let moments = sum_fixed(surface.triangles.len(), |t| {
        let [a, b, c] = surface.corners(t).map(|p| p - center);
        let points = [a, b, c, a + b + c];
        let sum =
            |of: fn(DVec3) -> f64| points.map(of).iter().sum::<f64>() * surface.areas[t] / 12.0;
        [
            sum(|p| p.x * p.x),
            sum(|p| p.y * p.y),
            sum(|p| p.z * p.z),
            sum(|p| p.x * p.y),
            sum(|p| p.x * p.z),
            sum(|p| p.y * p.z),
        ]
    });
    let axes = principal_axes(moments);
    let mut extents = axes.map(|axis| {
        let (low, high) =
            surface.positions.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
                let along = axis.dot(p.as_dvec3() - center);
                (low.min(along), high.max(along))
            });
        high - low
    });
    extents.sort_by(f64::total_cmp);
    extents
}

/// Eigenvectors of the symmetric matrix `[xx, yy, zz, xy, xz, yz]`.
fn principal_axes([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> [DVec3; 3] {
    const SWEEPS: usize = 12;
    let mut m = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut vectors = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..SWEEPS {
        jacobi_sweep(&mut m, &mut vectors);
    }
    vectors.map(DVec3::from_array)
}

/// Flat upward area close to the ground, relative to the footprint of the part above it.
fn ground_slab(surface: &Surface) -> f64 {
    let (low, high) =
        surface.positions.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
            (low.min(p.y.into()), high.max(p.y.into()))
        });
    let up_to = |[of_diagonal, of_height]: [f64; 2]| {
        low + (of_diagonal * surface.diagonal).min(of_height * (high - low))
    };
    let (layer, above) = (up_to(SLAB_LAYER), up_to(ABOVE_SLAB));
    let (min, max) = surface
        .positions
        .iter()
        .map(|p| p.as_dvec3())
        .filter(|p| p.y > above)
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), p| (min.min(p), max.max(p)));
    let footprint = (max.x - min.x).max(0.0) * (max.z - min.z).max(0.0);
    let [flat] = sum_fixed(surface.triangles.len(), |t| {
        let up = f64::from(surface.normals[t].y);
        let is_low = || surface.corners(t).iter().all(|p| p.y <= layer);
        [if up > UPWARD && is_low() { surface.areas[t] * up } else { 0.0 }]
    });
    share(flat, footprint)
}
