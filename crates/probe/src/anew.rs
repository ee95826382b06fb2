//! Versions whose surface was made anew: from voxels, a field, points or far fewer corners.
//!
//! No corner and hardly any place of one is on the other. Such a surface has the openings, pieces,
//! bumps and folds of the program that made it, so they say nothing about which of the two is
//! better. Sharp edges are as often new noise as lost detail. Corners on a grid speak against a
//! version, and so do far larger facets between corners that were kept; nothing else does.

use super::model::Fault;
use super::model::sentences;
use super::percent::percent;
use super::signs::Case;
use super::words::{keeps_triangles, says};

/// Shares of the diagonal and of the surface, by the pairs of
/// docs/runs/audit/2026-11-26-probe-honest.md.
const MOVED: f64 = 0.001;
const COINCIDES: f64 = 0.4;

/// Share of corners: a quarter to a half at random; lumps and noise leave over four fifths.
const KEPT: f64 = 0.7;

/// Whether the surface moved nearly everywhere and few corners are at one of the other's.
pub(super) fn is_anew(case: &Case) -> bool {
    let d = &case.differences;
    let facts = case.observed.map(|seen| &seen.facts);
    d.moved[0][0].min(d.moved[0][1]) > MOVED
        && d.same[0].max(d.same[1]) < COINCIDES
        && d.corners_kept[0].min(d.corners_kept[1]) < KEPT
        && !keeps_triangles(facts)
}

/// What speaks against the versions.
pub(super) fn faults(case: &Case) -> Vec<Fault> {
    let found = |side| {
        let says = on_a_grid(case, side).or_else(|| facets(case, side))?;
        Some(Fault { side, lowers: vec!["geometry_details"], says: vec![says] })
    };
    [0, 1].into_iter().filter_map(found).collect()
}

/// Of two axes at least.
fn is_on_a_grid(case: &Case, side: usize) -> bool {
    let [own, than] = [side, 1 - side].map(|s| case.observed[s].steps[1]);
    own > 0.9 && than < 0.3
}

fn on_a_grid(case: &Case, side: usize) -> Option<String> {
    let steps = [side, 1 - side].map(|s| percent(case.observed[s].steps[1]));
    let [own, than] = steps;
    is_on_a_grid(case, side).then(|| {
        format!("has its corners on a grid: {own} of its coordinates are whole steps apart, {than} of the other's")
    })
}

/// Off the other by less than a tenth of a facet, to both sides: as one made from the other by
/// taking corners away. What was rebuilt is in front of the other all over, or not a single skin.
fn facets(case: &Case, side: usize) -> Option<String> {
    let d = &case.differences;
    let facts = [side, 1 - side].map(|s| &case.observed[s].facts);
    let [own, than] = facts.map(|f| f.dihedral.crease_length);
    let is_near = d.moved[0][0].max(d.moved[0][1]) < 0.1 * d.edge[side];
    // What takes corners away closes no opening.
    let is_as_closed = d.torn[1 - side] < d.torn[side] + 0.1;
    let is_derived = is_near
        && is_as_closed
        && is_on_both_sides(case)
        && than > 0.4 * own
        && is_clean(case, 1 - side);
    is_derived.then(|| says(sentences("coarse"), case, side))?
}

/// Whether the surfaces cross each other, as two single skins.
fn is_on_both_sides(case: &Case) -> bool {
    let [a, b] = case.differences.outside;
    a.abs().max(b.abs()) < 0.8 && (a + b).abs() < 0.5
}

/// Neither on a grid nor rougher than the other at any step: half of its surface does not bend by
/// 6° more, and the mean is not larger by half. Facets bend more than the smooth surface that they
/// replace, lumps less than the surface that has them.
fn is_clean(case: &Case, side: usize) -> bool {
    let shape = &case.differences.shape;
    let is_as_smooth = |step: usize| {
        let (half, mean) = (shape.most[step][0], shape.bend[step]);
        half[side] < half[1 - side] + 0.005 && mean[side] < 1.5 * mean[1 - side] + 0.005
    };
    !is_on_a_grid(case, side) && (0..3).all(is_as_smooth)
}
