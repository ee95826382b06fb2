//! Assets whose size or outliers keep them from being seen: scaled into reach, or said.

use super::parts::Parts;
use super::warning::{Warning, Warnings};
use crate::scene::{AlphaMode, Bounds, MeshParts};
use glam::DVec3;

/// Squares of edges have to fit single precision on the way to a normal: from 1e-38 to 3e38.
const RADIUS_MAX: f64 = 1e15;
const RADIUS_MIN: f64 = 1e-12;

/// Scales an asset that is too large or too small for single precision by a power of two, which
/// rounds nothing. Gives the factor.
pub(super) fn scale_into_reach(meshes: &mut [MeshParts], warnings: &mut Warnings) -> f64 {
    let radius = Bounds::of_parts(meshes).radius;
    let is_beyond =
        radius.is_finite() && radius > 0.0 && !(RADIUS_MIN..=RADIUS_MAX).contains(&radius);
    if !is_beyond {
        return 1.0;
    }
    let exponent = -libm::log2(radius).round() as i32;
    // Two steps, since one factor may itself be beyond single precision.
    let half = libm::exp2(f64::from(exponent / 2)) as f32;
    let rest = libm::exp2(f64::from(exponent - exponent / 2)) as f32;
    for position in meshes.iter_mut().flat_map(|mesh| &mut mesh.positions) {
        *position = *position * half * rest;
    }
    warnings
        .add(Warning::Scaled { radius: format!("{radius:.1e}"), factor: format!("2^{exponent}") });
    libm::exp2(f64::from(exponent))
}

/// Says where no material shows anything: the pictures will be empty.
pub(super) fn warn_of_transparency((meshes, materials, _): &Parts, warnings: &mut Warnings) {
    let mut seen = meshes.iter().filter(|mesh| !mesh.triangles.is_empty()).peekable();
    let is_clear = |mesh: &MeshParts| {
        let material = materials.get(mesh.material);
        material.is_some_and(|m| match m.alpha_mode {
            AlphaMode::Opaque => false,
            AlphaMode::Blend => m.base_color.w == 0.0,
            AlphaMode::Mask { cutoff } => m.base_color.w < cutoff,
        })
    };
    if seen.peek().is_some() && seen.all(is_clear) {
        warnings.add(Warning::Transparent);
    }
}

/// Triangles that are looked at.
const LOOKED_AT: usize = 20_000;

/// An asset is a dot in its pictures if nearly all of it is within this share of its radius.
const DOT: f64 = 1.0 / 20.0;

/// Warns if nearly all triangles are close together and a few far away.
pub(super) fn warn_of_floater(meshes: &[MeshParts], warnings: &mut Warnings) {
    let bounds = Bounds::of_parts(meshes);
    let used: usize = meshes.iter().map(|mesh| mesh.triangles.len()).sum();
    if used < 100 || !bounds.radius.is_finite() || bounds.radius <= 0.0 {
        return;
    }
    let triangles = meshes.iter().flat_map(|mesh| {
        let position = |corner: u32| mesh.positions.get(corner as usize).map(|p| p.as_dvec3());
        mesh.triangles
            .iter()
            .filter_map(move |&[a, b, c]| Some([position(a)?, position(b)?, position(c)?]))
    });
    let triangles: Vec<[DVec3; 3]> = triangles.step_by(used.div_ceil(LOOKED_AT)).collect();
    let middle = |axis: usize| {
        let values = triangles.iter().map(|corners| corners.iter().map(|p| p[axis]).sum::<f64>());
        let mut values: Vec<f64> = values.map(|sum| sum / 3.0).collect();
        let at = values.len() / 2;
        *values.select_nth_unstable_by(at, f64::total_cmp).1
    };
    let center = DVec3::new(middle(0), middle(1), middle(2));
    // By the farthest corner: triangles around one point are as large as they reach.
    let distance = |corners: &[DVec3; 3]| {
        corners.iter().map(|corner| (*corner - center).length()).fold(0.0, f64::max)
    };
    let mut away: Vec<f64> = triangles.iter().map(distance).collect();
    let at = away.len() * 98 / 100;
    let reach = *away.select_nth_unstable_by(at, f64::total_cmp).1;
    if reach < bounds.radius * DOT {
        warnings.add(Warning::FarFloater {
            share: "98 %".to_owned(),
            times: (bounds.radius / reach.max(bounds.radius * 1e-9)) as u64,
        });
    }
}
