//! Triangles that pass through each other.

use super::closest::Tree;
use super::facts::CrossingFacts;
use super::sum::share;
use super::weld::Surface;
use glam::DVec3;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Work on all triangles, about three seconds on two cores. A box looked at costs 1, a test
/// [`TEST_WORK`]. Counted, not timed, so that the result does not depend on the machine.
const WORK_MAX: u64 = 1 << 29;

/// At least this for each triangle: most need some hundreds.
const WORK_EACH: u64 = 1 << 10;

const TEST_WORK: u64 = 32;

/// Counts pairs without a common vertex whose intersection is a segment, each triangle reaching
/// both sides of the other's plane. Coplanar faces and triangles that only touch do not count.
pub(super) fn measure(surface: &Surface) -> CrossingFacts {
    let count = surface.triangles.len();
    let tree = Tree::new(surface.positions.clone(), surface.triangles.clone());
    let is_crossed: Vec<AtomicBool> = (0..count).map(|_| AtomicBool::new(false)).collect();
    let mut pairs = vec![0_usize; count];
    let mut open: Vec<u32> = (0..count as u32).collect();
    let (mut left, mut each) = (WORK_MAX.max(WORK_EACH * count as u64), 0);
    // What most triangles leave of their share is given to the few that need more, who begin anew.
    while !open.is_empty() && left / open.len() as u64 >= 2 * each {
        each = left / open.len() as u64;
        let searched: Vec<Searched> =
            parallel::map(&open, |&t| search(surface, &tree, t, each, &is_crossed));
        left -= searched.iter().map(|found| found.work).sum::<u64>();
        for (&t, found) in open.iter().zip(&searched) {
            pairs[t as usize] = found.pairs;
        }
        let mut was_whole = searched.iter().map(|found| found.is_whole);
        open.retain(|_| was_whole.next() == Some(false));
    }
    let crossed = || (0..count).filter(|&t| is_crossed[t].load(Relaxed));
    let area = crossed().fold(0.0, |sum, t| sum + surface.areas[t]);
    CrossingFacts {
        pairs: pairs.iter().sum(),
        triangles: crossed().count(),
        area_share: share(area, surface.area),
        is_complete: open.is_empty(),
    }
}

struct Searched {
    pairs: usize,
    work: u64,
    /// The work that was allowed was enough.
    is_whole: bool,
}

/// The triangles after `t` that cross it. Visits them in the order of the tree, so that less work
/// finds a part of what more finds.
fn search(
    surface: &Surface,
    tree: &Tree,
    t: u32,
    work_max: u64,
    is_crossed: &[AtomicBool],
) -> Searched {
    let (own, corners) = (surface.triangles[t as usize], surface.corners(t as usize));
    let (mut pairs, mut left) = (0, work_max);
    let is_whole = tree.overlapping(t, &mut left, |other, left| {
        let theirs = surface.triangles[other as usize];
        if other < t || theirs.iter().any(|v| own.contains(v)) {
            return true;
        }
        if *left < TEST_WORK {
            return false;
        }
        *left -= TEST_WORK;
        if cross(corners, surface.corners(other as usize)) {
            pairs += 1;
            for t in [t, other] {
                is_crossed[t as usize].store(true, Relaxed);
            }
        }
        true
    });
    Searched { pairs, work: work_max - left, is_whole }
}

/// Möller 1997: both reach to both sides of the other's plane, and what each cuts out of the
/// planes' common line overlaps by more than rounding.
fn cross(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let [normal_a, normal_b] = [a, b].map(|[p, q, r]| (q - p).cross(r - p));
    let Some(off_b) = sides(a, b[0], normal_b) else {
        return false;
    };
    let Some(off_a) = sides(b, a[0], normal_a) else {
        return false;
    };
    let along = normal_a.cross(normal_b);
    let (first, second) = (cut(a, off_b, along, a[0]), cut(b, off_a, along, a[0]));
    let (low, high) = (first[0].max(second[0]), first[1].min(second[1]));
    let size = first[1] - first[0] + second[1] - second[0];
    high - low > 1e-9 * size
}

/// How far each corner is off the plane through `on`, times the length of its normal; `None` unless
/// they are on both sides.
fn sides(triangle: [DVec3; 3], on: DVec3, normal: DVec3) -> Option<[f64; 3]> {
    let reach =
        triangle.iter().fold(0.0_f64, |far, corner| far.max((*corner - on).abs().max_element()));
    // Coordinates have 24 bits: a point nearer to the plane than this is on it.
    let nothing = 1e-7 * reach * normal.length();
    let off = triangle.map(|corner| {
        let off = (corner - on).dot(normal);
        if off.abs() <= nothing { 0.0 } else { off }
    });
    let reaches = |side: f64| off.iter().any(|off| off * side > 0.0);
    (reaches(1.0) && reaches(-1.0)).then_some(off)
}

/// Where a triangle with corners `off` a plane cuts it, along the line from `origin`.
fn cut(triangle: [DVec3; 3], off: [f64; 3], along: DVec3, origin: DVec3) -> [f64; 2] {
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
    ends
}
