//! Makes the numbers of a mesh finite: triangles with a broken vertex go, broken attributes become neutral.
//!
//! Generators write NaN positions; one of them must not cost the whole asset, nor poison its bounds.

use super::warning::{Warning, Warnings};
use crate::scene::MeshParts;
use glam::{Vec2, Vec3, Vec4};

/// Normals this far from unit length (squared) are scaled; others keep the file's bytes.
const UNIT_TOLERANCE: f32 = 1e-3;

/// Cleans `parts` in place. Normals and tangents come out as unit length, or zero (drawn flat).
pub(super) fn clean(parts: &mut MeshParts, warnings: &mut Warnings) {
    if parts.positions.iter().any(|position| !position.is_finite()) {
        let before = parts.triangles.len();
        let positions = &parts.positions;
        parts.triangles.retain(|corners| {
            (corners.iter()).all(|&corner| positions[corner as usize].is_finite())
        });
        warnings.count((before - parts.triangles.len()) as u64, |triangles| {
            Warning::NotFinite { triangles }
        });
        for position in &mut parts.positions {
            if !position.is_finite() {
                *position = Vec3::ZERO; // no triangle uses it any more
            }
        }
    }
    let mut replaced = |attribute, count| {
        warnings.count(count, |count| Warning::AttributeNotFinite {
            attribute,
            count,
        });
    };
    replaced(
        "normals",
        unit_normals(parts.normals.as_deref_mut().unwrap_or_default()),
    );
    let tangents = parts.tangents.as_deref_mut().unwrap_or_default();
    replaced("tangents", unit_tangents(tangents));
    let colors = parts.colors.as_deref_mut().unwrap_or_default();
    replaced("colours", replace(colors, |c| c.is_finite(), Vec4::ONE));
    for uvs in &mut parts.uv_sets {
        let count = replace(uvs, |uv| uv.is_finite(), Vec2::ZERO);
        replaced("texture coordinates", count);
    }
}

fn replace<T: Copy>(values: &mut [T], is_good: impl Fn(&T) -> bool, neutral: T) -> u64 {
    let mut count = 0;
    for value in values {
        if !is_good(value) {
            *value = neutral;
            count += 1;
        }
    }
    count
}

fn unit_normals(normals: &mut [Vec3]) -> u64 {
    let mut count = 0;
    for normal in normals {
        let length_squared = normal.length_squared();
        if (length_squared - 1.0).abs() <= UNIT_TOLERANCE {
            continue;
        }
        count += u64::from(!normal.is_finite());
        // In f64: a finite f32 vector may have a length that overflows.
        *normal = normal.as_dvec3().normalize_or_zero().as_vec3();
    }
    count
}

fn unit_tangents(tangents: &mut [Vec4]) -> u64 {
    let mut count = 0;
    for tangent in tangents {
        let along = tangent.truncate();
        if (along.length_squared() - 1.0).abs() <= UNIT_TOLERANCE && tangent.w.abs() == 1.0 {
            continue;
        }
        count += u64::from(!tangent.is_finite());
        let hand = if tangent.w < 0.0 { -1.0 } else { 1.0 };
        let along = along.as_dvec3().normalize_or_zero().as_vec3();
        *tangent = along.extend(hand);
    }
    count
}
