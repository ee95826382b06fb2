//! Sharp edges as samples show them: points with another close by whose normal points elsewhere
//! (Chen et al. 2022, "Neural Dual Contouring", whose evaluation compares these points alone).

use super::distances::Distances;
use super::points::PointTree;
use super::sample::Sample;
use super::surface::Surface;

/// How near the other point is, in the unit of length.
pub(super) const NEAR: f64 = 0.004;
/// The cosine between the normals is less than this, either way.
const COSINE_MAX: f64 = 0.2;

/// The points on edges, in their order. `tree` is of the same samples.
pub(super) fn on_edges(
    samples: &[Sample],
    tree: &PointTree,
    surface: &Surface,
    near: f64,
) -> Vec<Sample> {
    let normal = |sample: &Sample| surface.normal(sample.triangle as usize);
    let is_on_edge = |sample: &Sample| {
        let here = normal(sample);
        tree.any_within(sample.point, near, |other| {
            here.dot(normal(&samples[other as usize])).abs() < COSINE_MAX
        })
    };
    let are_kept = parallel::map(samples, is_on_edge);
    let kept = samples.iter().zip(are_kept).filter(|(_, is_kept)| *is_kept);
    kept.map(|(sample, _)| *sample).collect()
}

/// From the edge points of one side to those of the other. `tree` is of `others`.
pub(super) fn between_edges(samples: &[Sample], tree: &PointTree) -> Distances {
    let far = |sample: &Sample| {
        let near = tree.nearest(sample.point, None);
        near.map_or(0.0, |near| near.distance_squared.sqrt())
    };
    Distances { lengths: parallel::map(samples, far), cosines: Vec::new() }
}
