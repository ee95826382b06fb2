//! From the points of one side to the other side: how far, and how the normals agree.

use super::points::PointTree;
use super::sample::Sample;
use super::surface::Surface;
use super::tree::SurfaceTree;
use glam::DVec3;
use rayon::prelude::*;

/// Neighbouring points asked in turn, so that they find the same part of the tree in the cache.
const CHUNK: usize = 1024;

/// Of each point, in the order of the points.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Distances {
    /// To the nearest place of the other side, in its units.
    pub lengths: Vec<f64>,
    /// Of the angle between the normal here and there, −1 to 1; 0 where either has none.
    pub cosines: Vec<f64>,
}

/// To another surface, exactly. A point of a triangle that the other surface has too is at distance
/// 0 by definition, not by rounding.
pub fn to_surface(
    samples: &[Sample],
    own: &Surface,
    other: &SurfaceTree,
    diagonal: f64,
) -> Distances {
    // Farther off no triangle can be the same one.
    let reach = 1e-6 * diagonal;
    let slack = 1e-12 * diagonal;
    let order = morton(samples);
    let found: Vec<Vec<(f64, f64)>> = parallel::map_chunks(&order, CHUNK, |_, chunk| {
        let (mut last, mut near) = (None, Vec::new());
        let mut ask = |&at: &u32| {
            let Sample { point, triangle } = samples[at as usize];
            let [hit, first] = other.closest_and_first(point, last, slack, &mut near);
            last = Some(hit);
            let corners = own.corners(triangle as usize);
            if hit.distance_squared <= reach * reach
                && let Some(cos) = shared(corners, point, other, reach)
            {
                return (0.0, cos);
            }
            let cos = own.normal(triangle as usize).dot(other.normal(first));
            (hit.distance_squared.sqrt(), cos.clamp(-1.0, 1.0))
        };
        chunk.iter().map(&mut ask).collect()
    });
    scattered(&order, found)
}

/// To another set of points with normals.
pub fn to_points(
    samples: &[Sample],
    own: &Surface,
    others: &[Sample],
    tree: &PointTree,
    surface: &Surface,
) -> Distances {
    let order = morton(samples);
    let found: Vec<Vec<(f64, f64)>> = parallel::map_chunks(&order, CHUNK, |_, chunk| {
        let mut last = None;
        let mut ask = |&at: &u32| {
            let Sample { point, triangle } = samples[at as usize];
            last = tree.nearest(point, last);
            last.map_or((0.0, 0.0), |near| {
                let there = others[near.index as usize].triangle as usize;
                let same = own.corners(triangle as usize) == surface.corners(there);
                let cos = own.normal(triangle as usize).dot(surface.normal(there));
                // A unit normal times itself is 1 but for rounding.
                let cos = if same { 1.0 } else { cos.clamp(-1.0, 1.0) };
                (near.distance_squared.sqrt(), cos)
            })
        };
        chunk.iter().map(&mut ask).collect()
    });
    scattered(&order, found)
}

/// To another set of points, by the sum of absolute differences of coordinates.
pub(super) fn to_points_manhattan(samples: &[Sample], tree: &PointTree) -> Distances {
    let far = |sample: &Sample| tree.nearest_manhattan(sample.point).unwrap_or(0.0);
    Distances { lengths: parallel::map(samples, far), cosines: Vec::new() }
}

/// Whether the other surface has a triangle with these corners around here: 1 where one runs around
/// them the same way, −1 where all turn the other way.
fn shared(corners: [DVec3; 3], point: DVec3, other: &SurfaceTree, reach: f64) -> Option<f64> {
    let [a, b, c] = corners;
    let mut found: Option<f64> = None;
    other.within(point, reach, |hit| {
        let there = other.corners[hit.at as usize];
        let is = |ways: [[DVec3; 3]; 3]| ways.contains(&there);
        if is([[a, b, c], [b, c, a], [c, a, b]]) {
            found = Some(1.0);
        } else if found.is_none() && is([[a, c, b], [c, b, a], [b, a, c]]) {
            found = Some(-1.0);
        }
    });
    found
}

fn scattered(order: &[u32], found: Vec<Vec<(f64, f64)>>) -> Distances {
    let mut out = Distances { lengths: vec![0.0; order.len()], cosines: vec![0.0; order.len()] };
    for (&at, (length, cos)) in order.iter().zip(found.into_iter().flatten()) {
        out.lengths[at as usize] = length;
        out.cosines[at as usize] = cos;
    }
    out
}

/// The points along a space-filling curve (Morton 1966), 21 bits an axis.
fn morton(samples: &[Sample]) -> Vec<u32> {
    let (min, max) =
        samples.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), s| {
            (min.min(s.point), max.max(s.point))
        });
    let scale = f64::from((1_u32 << 21) - 1) / (max - min).max_element().max(f64::MIN_POSITIVE);
    let spread = |x: f64| {
        let mut x = x as u64;
        for (shift, mask) in [
            (32, 0x001f_0000_0000_ffff),
            (16, 0x001f_0000_ff00_00ff),
            (8, 0x100f_00f0_0f00_f00f),
            (4, 0x10c3_0c30_c30c_30c3),
            (2, 0x1249_2492_4924_9249),
        ] {
            x = (x | x << shift) & mask;
        }
        x
    };
    let mut keys: Vec<(u64, u32)> = parallel::of(samples.len(), |at| {
        let [x, y, z] = ((samples[at].point - min) * scale).to_array().map(spread);
        (x | y << 1 | z << 2, at as u32)
    });
    keys.par_sort_unstable();
    keys.into_iter().map(|(_, at)| at).collect()
}
