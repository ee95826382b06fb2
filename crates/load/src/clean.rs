//! Makes a mesh finite: removes triangles with a broken vertex, makes broken attributes neutral.
//!
//! Generators write NaN positions; one must not cost the whole asset, nor poison its bounds.

use super::warning::{Warning, Warnings};
use crate::scene::MeshParts;
use glam::{DVec3, Vec2, Vec3, Vec4};

/// Normals this far from unit length (squared) are scaled; others keep the file's bytes.
const UNIT_TOLERANCE: f32 = 1e-3;

/// Cleans `parts` in place. Normals and tangents come out as unit length, or zero (drawn flat).
pub(super) fn clean(parts: &mut MeshParts, warnings: &mut Warnings) {
    if parts.positions.iter().any(|position| !position.is_finite()) {
        let before = parts.triangles.len();
        let positions = &parts.positions;
        parts
            .triangles
            .retain(|corners| corners.iter().all(|&corner| positions[corner as usize].is_finite()));
        warnings.count((before - parts.triangles.len()) as u64, |triangles| Warning::NotFinite {
            triangles,
        });
        for position in &mut parts.positions {
            if !position.is_finite() {
                *position = Vec3::ZERO; // no triangle uses it any more
            }
        }
    }
    drop_unused(parts);
    let mut replaced = |attribute, count| {
        warnings.count(count, |count| Warning::AttributeNotFinite { attribute, count });
    };
    replaced("normals", unit_normals(parts.normals.as_deref_mut().unwrap_or_default()));
    let tangents = parts.tangents.as_deref_mut().unwrap_or_default();
    replaced("tangents", unit_tangents(tangents));
    let colors = parts.colors.as_deref_mut().unwrap_or_default();
    replaced("colours", replace(colors, |c| c.is_finite(), Vec4::ONE));
    for uvs in &mut parts.uv_sets {
        let count = replace(uvs, |uv| uv.is_finite(), Vec2::ZERO);
        replaced("texture coordinates", count);
    }
}

/// Drops triangles that nothing shows, such as those of a node that is hidden by a scale of 0: they
/// would count for the size and the facts. Not before the frame is settled: far from the origin,
/// rounding can leave no triangle an area.
pub(super) fn drop_without_area(parts: &mut MeshParts, warnings: &mut Warnings) {
    let positions = &parts.positions;
    let has_area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| positions[corner as usize].as_dvec3());
        (b - a).cross(c - a) != DVec3::ZERO
    };
    let all_have = |_, triangles: &[[u32; 3]]| triangles.iter().all(has_area);
    if !parallel::map_chunks(&parts.triangles, 1 << 12, all_have).contains(&false) {
        return;
    }
    let before = parts.triangles.len();
    parts.triangles.retain(has_area);
    let faces = (before - parts.triangles.len()) as u64;
    drop_unused(parts);
    warnings.count(faces, |faces| Warning::Degenerate { faces });
}

/// Drops vertices that no triangle uses, when most are: primitives that share one vertex buffer
/// would each keep a copy of all of it.
pub(super) fn drop_unused(parts: &mut MeshParts) {
    const UNUSED: u32 = u32::MAX;
    if parts.positions.len() <= parts.triangles.len() * 3 {
        return;
    }
    let mut place = vec![UNUSED; parts.positions.len()];
    for &vertex in parts.triangles.iter().flatten() {
        place[vertex as usize] = 0;
    }
    let used = place.iter_mut().filter(|place| **place != UNUSED);
    for (next, place) in (0..).zip(used) {
        *place = next;
    }
    for vertex in parts.triangles.iter_mut().flatten() {
        *vertex = place[*vertex as usize];
    }
    fn keep<T>(values: &mut Vec<T>, place: &[u32]) {
        let mut used = place.iter().map(|&place| place != UNUSED);
        values.retain(|_| used.next().unwrap_or(false));
        values.shrink_to_fit();
    }
    keep(&mut parts.positions, &place);
    parts.normals.iter_mut().for_each(|list| keep(list, &place));
    parts.tangents.iter_mut().for_each(|list| keep(list, &place));
    parts.colors.iter_mut().for_each(|list| keep(list, &place));
    parts.uv_sets.iter_mut().for_each(|list| keep(list, &place));
}

/// Which triangles have three finite corners and an area; warns of the others. `None` if all do.
pub(super) fn usable(
    triangles: impl Iterator<Item = [Vec3; 3]>,
    warnings: &mut Warnings,
) -> Option<Vec<bool>> {
    let (mut not_finite, mut without_area) = (0, 0);
    let is_usable = |corners: [Vec3; 3]| {
        let [a, b, c] = corners.map(|corner| corner.as_dvec3());
        let is_finite = a.is_finite() && b.is_finite() && c.is_finite();
        let has_area = (b - a).cross(c - a) != DVec3::ZERO;
        not_finite += u64::from(!is_finite);
        without_area += u64::from(is_finite && !has_area);
        is_finite && has_area
    };
    let keep = triangles.map(is_usable).collect();
    warnings.count(not_finite, |triangles| Warning::NotFinite { triangles });
    warnings.count(without_area, |faces| Warning::Degenerate { faces });
    (not_finite + without_area > 0).then_some(keep)
}

/// Keeps the marked ones.
pub(super) fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    let mut kept = keep.iter().copied();
    list.retain(|_| kept.next().unwrap_or(false));
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
