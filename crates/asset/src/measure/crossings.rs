//! Triangles that pass through each other.

use super::closest::Tree;
use super::facts::CrossingFacts;
use super::sum::share;
use super::weld::Surface;
use glam::DVec3;
use rayon::prelude::*;

/// Triangles tested against one triangle, at most: thousands on one place would take the square of their number.
const TESTED_MAX: usize = 4096;

/// The same for all triangles together, some seconds of work; each gets its share, but at least [`TESTED_MIN`].
const ALL_TESTED_MAX: usize = 1 << 28;
const TESTED_MIN: usize = 64;

/// Neighbours, and triangles that were tested the other way round, are looked at but not tested.
const LOOKED_AT_PER_TEST: usize = 16;

/// Counts pairs without a common vertex whose intersection is a segment, each triangle reaching to both sides of the other's plane. Faces
/// in one plane, and triangles that only touch, are not counted.
pub(super) fn measure(surface: &Surface) -> CrossingFacts {
    let tree = Tree::new(surface.positions.clone(), surface.triangles.clone());
    let share_of_each = ALL_TESTED_MAX / surface.triangles.len().max(1);
    let tested_max = share_of_each.clamp(TESTED_MIN, TESTED_MAX);
    let found: Vec<(Vec<u32>, bool)> = (0..surface.triangles.len() as u32)
        .into_par_iter()
        .map(|t| {
            let own = surface.triangles[t as usize];
            let (mut crossed, mut tested, mut looked_at) = (Vec::new(), 0, 0);
            tree.overlapping(t, |other| {
                looked_at += 1;
                let theirs = surface.triangles[other as usize];
                if other > t && !theirs.iter().any(|v| own.contains(v)) {
                    tested += 1;
                    let corners = [t, other].map(|t| surface.corners(t as usize));
                    if tested <= tested_max && cross(corners) {
                        crossed.push(other);
                    }
                }
                tested <= tested_max && looked_at <= LOOKED_AT_PER_TEST * tested_max
            });
            let is_cut = tested > tested_max || looked_at > LOOKED_AT_PER_TEST * tested_max;
            (crossed, is_cut)
        })
        .collect();
    let mut is_crossed = vec![false; surface.triangles.len()];
    for (t, (others, _)) in found.iter().enumerate().filter(|(_, f)| !f.0.is_empty()) {
        is_crossed[t] = true;
        others.iter().for_each(|&o| is_crossed[o as usize] = true);
    }
    let area = (surface.areas.iter().zip(&is_crossed))
        .filter(|(_, is)| **is)
        .fold(0.0, |sum, (area, _)| sum + area);
    CrossingFacts {
        pairs: found.iter().map(|(others, _)| others.len()).sum(),
        triangles: is_crossed.iter().filter(|is| **is).count(),
        area_share: share(area, surface.area),
        is_complete: found.iter().all(|(_, is_cut)| !is_cut),
    }
}

/// Möller 1997: both reach to both sides of the other's plane, and what each cuts out of the planes' common line overlaps by more than
/// rounding.
fn cross([a, b]: [[DVec3; 3]; 2]) -> bool {
    let normal = |[p, q, r]: [DVec3; 3]| (q - p).cross(r - p);
    let along = normal(a).cross(normal(b));
    let (Some(first), Some(second)) = (cut(a, b, along, a[0]), cut(b, a, along, a[0])) else {
        return false;
    };
    let (low, high) = (first[0].max(second[0]), first[1].min(second[1]));
    let size = first[1] - first[0] + second[1] - second[0];
    high - low > 1e-9 * size
}

/// Where a triangle cuts the other's plane, measured along the line from `origin`; `None` unless it reaches to both sides.
fn cut(triangle: [DVec3; 3], plane: [DVec3; 3], along: DVec3, origin: DVec3) -> Option<[f64; 2]> {
    let [p, q, r] = plane;
    let normal = (q - p).cross(r - p);
    let reach = triangle.iter().fold(0.0_f64, |far, corner| {
        far.max((*corner - p).abs().max_element())
    });
    // Coordinates have 24 bits: what is nearer to the plane than this lies on it.
    let nothing = 1e-7 * reach * normal.length();
    let off = triangle.map(|corner| {
        let off = (corner - p).dot(normal);
        if off.abs() <= nothing { 0.0 } else { off }
    });
    let reaches = |side: f64| off.iter().any(|off| off * side > 0.0);
    if !(reaches(1.0) && reaches(-1.0)) {
        return None;
    }
    let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
    let mut add = |at: DVec3| {
        let at = (at - origin).dot(along);
        ends = [ends[0].min(at), ends[1].max(at)];
    };
    for k in 0..3 {
        let (from, to) = (off[k], off[(k + 1) % 3]);
        if from == 0.0 {
            add(triangle[k]);
        }
        if from * to < 0.0 {
            add(triangle[k] + (triangle[(k + 1) % 3] - triangle[k]) * (from / (from - to)));
        }
    }
    Some(ends)
}
