//! Which of two versions of one asset is the worse, and by what: rules over what differs between them.
//!
//! Each rule takes two independent signs, in the one direction that its physics allows, and is silent otherwise. The numbers beside the
//! thresholds were measured on the fit half of real assets (docs/runs/audit/2026-11-23-real-assets.md and 2026-11-24-real-assets.md).

use super::differences::{Colors, Differences};
use super::evidence::More;
use super::look::Observed;
use crate::measure::Placement;

/// Something that is wrong with one of two versions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fault {
    /// 0 for the first, 1 for the second.
    pub side: usize,
    /// Keys of the criteria that it lowers, beside `overall`.
    pub lowers: &'static [&'static str],
    pub says: &'static str,
}

const PLAUSIBILITY: &str = "plausibility";
const GEOMETRY: &str = "geometry_details";
const TEXTURE: &str = "texture_details";

/// So much of a surface lies on the other one: what differs is in few places.
const UNCHANGED: f64 = 0.93;

/// What is known of the two.
pub(super) struct Case<'a> {
    pub observed: [&'a Observed; 2],
    pub placement: Placement,
    pub differences: Differences,
    pub more: More,
    /// Whether the pieces that only this side has were cut out of what both have.
    pub is_copied: [bool; 2],
}

/// Whether a side has the fault. The second argument is the side.
type Rule = fn(&Case, usize) -> bool;

const RULES: [(&[&str], &str, Rule); 13] = [
    (
        &[PLAUSIBILITY, GEOMETRY],
        "is open where the other is closed",
        is_torn,
    ),
    (
        &[PLAUSIBILITY],
        "has a piece twice, cut out and put elsewhere",
        has_copy,
    ),
    (
        &[PLAUSIBILITY],
        "has pieces that float beside it",
        has_floaters,
    ),
    (&[PLAUSIBILITY], "stands in a slab of ground", has_slab),
    (
        &[PLAUSIBILITY],
        "is pressed flat from front to back",
        is_flat,
    ),
    (
        &[GEOMETRY],
        "has parts of its surface inside out",
        is_inside_out,
    ),
    (&[GEOMETRY], "is turned inside out", is_reversed),
    (&[GEOMETRY], "has normals that point inwards", is_turned),
    (&[GEOMETRY], "is built from cubes", is_cubes),
    (
        &[GEOMETRY],
        "is rough where the other is not, in and out",
        is_rough,
    ),
    (&[GEOMETRY], "is bumpy where the other is flat", is_bumpy),
    (
        &[GEOMETRY],
        "is worn down: it lies inside of the other",
        is_melted,
    ),
    (
        &[GEOMETRY],
        "has far fewer facets, which stand off the surface",
        is_coarse,
    ),
];

/// As [`Rule`], on colours.
type ColorRule = fn(&Colors, &Case, usize) -> bool;

const COLOR_RULES: [(&str, ColorRule); 7] = [
    ("has grain in its colours", is_grainy),
    ("has lost structure in its colours", is_blurred),
    ("is softer from texel to texel", is_soft),
    ("has a texture of few large blocks", is_blocks),
    ("has a texture of far fewer texels", is_small),
    ("has colours of few levels", is_posterized),
    ("has the blocks of JPEG in its colours", is_jpeg),
];

/// Every fault of either side.
pub(super) fn faults(case: &Case) -> Vec<Fault> {
    let mut found = Vec::new();
    for side in 0..2 {
        for (lowers, says, rule) in RULES {
            if rule(case, side) {
                found.push(Fault { side, lowers, says });
            }
        }
        // Colours are compared where nothing else differs.
        let d = &case.differences;
        if let Some(colors) = d
            .paint
            .filter(|c| c.share > 0.5 && d.same[0].min(d.same[1]) > UNCHANGED)
        {
            for (says, rule) in COLOR_RULES {
                if rule(&colors, case, side) {
                    found.push(Fault {
                        side,
                        lowers: &[TEXTURE],
                        says,
                    });
                }
            }
        }
    }
    found
}

/// Fewer points lie off the other surface than this: the same surface, or a part of it.
fn is_part(case: &Case, side: usize) -> bool {
    case.differences.same[side] > 0.97
}

/// Open edges where the other's surface goes on, and nowhere the other way round; and a second sign. Either all that is left lies on the
/// other and some of the other's surface is missing (0.5 % and more; an edge that closes when coordinates are rounded misses nothing), or
/// the surface is rough, uneven or coarse as well (seams that tear).
fn is_torn(case: &Case, side: usize) -> bool {
    let d = &case.differences;
    let is_open = d.torn[side] > 0.2 && d.torn[1 - side] < 0.1 * d.torn[side];
    let is_missing = || is_part(case, side) && d.same[1 - side] < 0.995 && !has_copy(case, side);
    let is_damaged = || {
        let [own, other] = [side, 1 - side].map(|s| d.shape.inward[s]);
        let is_uneven = is_moved(case) && own > other + 0.02 && own > 1.4 * other;
        is_uneven || is_rough(case, side) || is_coarse(case, side)
    };
    is_open && !is_cubes(case, 1 - side) && (is_missing() || is_changed(case) && is_damaged())
}

fn has_copy(case: &Case, side: usize) -> bool {
    let d = &case.differences;
    is_part(case, 1 - side)
        && d.alone[side] > 0.01
        && d.loose[side] > 0.2
        && d.torn[1 - side] < 0.05
        && case.is_copied[side]
}

/// Pieces with a gap around them, at least two more than the other has: a part that the other lost is seldom two.
fn has_floaters(case: &Case, side: usize) -> bool {
    let floaters = case.observed.map(|o| o.facts.parts.floaters);
    let area = case.observed.map(|o| o.facts.parts.floater_area_share);
    is_part(case, 1 - side)
        && case.differences.alone[side] > 0.002
        && floaters[side] >= floaters[1 - side] + 2
        && area[side] > area[1 - side] + 0.001
}

/// Flat ground as large as the object's footprint, and wider than the object to all sides.
fn has_slab(case: &Case, side: usize) -> bool {
    let slab = case.observed.map(|o| o.facts.shape.ground_slab);
    let [own, other] = [side, 1 - side].map(|s| &case.observed[s].facts.extent);
    let margin = 1e-3 * case.observed[1 - side].facts.extent.diagonal as f32;
    let is_wider = [0, 2].iter().all(|&axis| {
        own.min[axis] < other.min[axis] - margin && own.max[axis] > other.max[axis] + margin
    });
    is_part(case, 1 - side)
        && case.differences.alone[side] > 0.01
        && slab[side] > 0.9
        && slab[1 - side] < 0.9
        && is_wider
}

/// As wide and as high as the other, and less deep by a quarter; the rest of the surface fits when that is undone.
fn is_flat(case: &Case, side: usize) -> bool {
    let [x, y, z] = case.placement.scale.to_array();
    // The scale takes the second to the first.
    let depth = if side == 0 { z / x } else { x / z };
    (x / y - 1.0).abs() < 0.01 && depth < 0.75
}

/// The same surface faces the other way in places, and there edges have two faces that do not agree.
fn is_inside_out(case: &Case, side: usize) -> bool {
    let share = |s: usize| {
        let edges = &case.observed[s].facts.edges;
        edges.inconsistent as f64 / edges.total.max(1) as f64
    };
    let d = &case.differences;
    d.opposed > 0.02
        && d.same[0].min(d.same[1]) > UNCHANGED
        && share(side) > 2.0 * share(1 - side) + 1e-3
}

/// The same surface faces the other way nearly everywhere: towards less room, and towards the middle.
fn is_reversed(case: &Case, side: usize) -> bool {
    let d = &case.differences;
    d.opposed > 0.8
        && d.same[0].min(d.same[1]) > UNCHANGED
        && case.more.outward[side] < -0.2
        && case.more.centrifugal[side] < -0.15
}

/// Normals of the file that point to the back of their triangles, on a surface that is the same.
fn is_turned(case: &Case, side: usize) -> bool {
    let d = &case.differences;
    d.turned[side] > d.turned[1 - side] + 0.02
        && d.turned[1 - side] < 0.02
        && d.same[0].min(d.same[1]) > 0.9
}

/// Every face along an axis, and corners everywhere: steps of 2 % of the diagonal turn a right angle in a third to a half of the places.
fn is_cubes(case: &Case, side: usize) -> bool {
    let on_axis = case.observed.map(|o| o.facts.dihedral.on_axis_share);
    let shape = &case.differences.shape;
    on_axis[side] > 0.98
        && on_axis[1 - side] < 0.9
        && shape.bend[2][side] > 0.25
        && shape.more[2][side] > shape.more[2][1 - side]
        && case.differences.moved[1][1 - side] > 0.002
}

fn is_changed(case: &Case) -> bool {
    let d = &case.differences;
    d.same[0].max(d.same[1]) < 0.8 && d.moved[1][0].min(d.moved[1][1]) > 2e-4
}

/// The same triangles, and most of them moved.
fn is_moved(case: &Case) -> bool {
    is_changed(case) && (triangles(case, 0) - 1.0).abs() < 0.02
}

/// Times as many triangles as the other.
fn triangles(case: &Case, side: usize) -> f64 {
    let count = case.observed.map(|o| o.facts.counts.triangles as f64);
    count[side] / count[1 - side].max(1.0)
}

/// Bends more than the other in many places and less in few, and inwards as often as outwards: detail is outwards mostly, and where it is
/// not it is in few places. What has many times the triangles may have been refined first, and must be rougher still.
fn is_rough(case: &Case, side: usize) -> bool {
    let shape = &case.differences.shape;
    let (own, other) = (shape.more[1][side], shape.more[1][1 - side]);
    let inward = shape.inward[side] - shape.inward[1 - side];
    let times = triangles(case, side);
    let [least, factor] = if times > 1.5 { [0.3, 2.0] } else { [0.15, 1.6] };
    is_changed(case)
        && times > 0.9
        && own > least
        && own > factor * other
        && inward > 0.03
        && shape.bend[1][side] > shape.bend[1][1 - side]
        && !is_cubes(case, side)
        && !is_cubes(case, 1 - side)
}

/// The same triangles, neither inside nor outside of the other, bent where the other is flat, and inwards twice as often: noise on few
/// large triangles, which bends them little.
fn is_bumpy(case: &Case, side: usize) -> bool {
    let d = &case.differences;
    let shape = &d.shape;
    is_moved(case)
        && d.outside.iter().all(|o| o.abs() < 0.3)
        && shape.inward[side] > 2.0 * shape.inward[1 - side] + 0.01
        && shape.more[1][side] > 1.15 * shape.more[1][1 - side]
        && shape.other_flat[side] > shape.other_flat[1 - side] + 0.03
}

/// Lies inside of the other where they differ, and the other outside of it: smoothing pulls in what stands out, noise moves both ways. With
/// the same triangles, where noise on a handful of triangles comes to 0.3 at most, or with more of them, where it must be clearer: what was
/// refined first.
fn is_melted(case: &Case, side: usize) -> bool {
    let d = &case.differences;
    let outside = |least: f64| d.outside[side] < -least && d.outside[1 - side] > least;
    let is_smoothed = is_moved(case) && outside(0.4);
    let is_refined =
        triangles(case, side) > 1.5 && outside(0.55) && d.moved[1][0].max(d.moved[1][1]) < 0.013;
    is_changed(case)
        && (is_smoothed || is_refined)
        && d.torn[1 - side] < 0.1
        && !is_rough(case, 1 - side)
}

/// Half the triangles and fewer, not outside of the other, and off it by little beside the other's own edges: chords of it. What was
/// refined and smoothed lies inside of the few; what was built anew from a grid is off by half a cell.
fn is_coarse(case: &Case, side: usize) -> bool {
    let d = &case.differences;
    is_changed(case)
        && triangles(case, side) < 0.5
        && case.observed[1 - side].facts.dihedral.on_axis_share < 0.98
        && d.outside[side] < 0.05
        && d.moved[1][side] < 0.35 * d.edge[1 - side]
        && d.shape.more[1][1 - side] < 0.4
        && !is_rough(case, 1 - side)
        && d.torn[1 - side] < 0.1
}

/// The side with more difference between neighbouring colours.
fn sharper(c: &Colors) -> usize {
    usize::from(c.energy[0][1] + c.energy[1][1] > c.energy[0][0] + c.energy[1][0])
}

/// Growth of the difference in energy from the middle to the largest step: noise has the same at every step (0.6 to 1.5), structure ever
/// more (1.6 to 6).
fn growth(c: &Colors) -> f64 {
    let [near, far] = [1, 2].map(|k| c.energy[k][sharper(c)] - c.energy[k][1 - sharper(c)]);
    if near > 0.0 {
        far / near
    } else {
        f64::INFINITY
    }
}

/// More energy nearly everywhere, also where the other is plain; what was added has no direction and no size.
fn is_grainy(c: &Colors, _: &Case, side: usize) -> bool {
    let e = |k: usize, s: usize| c.energy[k][s];
    side == sharper(c)
        && e(0, 1 - side) < 0.6 * e(0, side)
        && c.more[0][side] > 0.25
        && c.more[1][side] > 0.35
        && c.more[0][1 - side] < 0.08
        && c.other_plain[side] > 0.02
        && c.on_plain[side] > 0.4
        && c.drawn[1] < 0.4
        && c.coarse < 0.5 * c.difference * c.difference
        && growth(c) < 1.6
}

/// Less energy, most at the smallest steps, and more of it nearly nowhere; the rest of the colours is as it was.
fn is_blurred(c: &Colors, case: &Case, side: usize) -> bool {
    let other = 1 - side;
    let ratio = |k: usize| c.energy[k][side] / c.energy[k][other].max(1e-9);
    side != sharper(c)
        && c.difference > 0.012
        && ratio(0) < 0.45
        && ratio(1) < 0.6
        && ratio(2) < 1.05
        && c.more[0][side] < 0.5 * c.more[0][other]
        && c.drawn[2] < 0.7
        && c.on_plain[other] < 0.5
        && c.coarse < 0.75 * c.difference * c.difference
        && (growth(c) > 1.7 || c.drawn[1] > 0.5)
        && !is_grainy(c, case, other)
}

/// Lines of texels that repeat, far more of them than the other's, and fewer values, since each block is a mean; the other has structure
/// where they repeat. Lines of a palette repeat as well, but what is blurred loses no values.
fn is_blocks(c: &Colors, case: &Case, side: usize) -> bool {
    let repeated = case.observed.map(|o| o.texels.repeated_share);
    let [own, other] = [side, 1 - side].map(|s| &case.more.patches[s]);
    own.levels() < 0.85 * other.levels()
        && (own.log_size() - other.log_size()).abs() < 1.0
        && !is_white(case, 1 - side)
        && repeated[side] > 0.75
        && repeated[side] > repeated[1 - side] + 0.15
        && c.difference > 0.012
        && c.drawn[2] < 0.7
        && !is_grainy(c, case, 1 - side)
        && (c.drawn[1] > 0.5 || growth(c) > 1.6 || sharper(c) == side)
}

/// What a side has more of is alike from one texel to the next and to the fourth: noise. Structure grows with the step.
fn is_white(case: &Case, side: usize) -> bool {
    let more = |step: usize| {
        case.more.patches[side].energy(step) - case.more.patches[1 - side].energy(step)
    };
    more(0) > 1e-4 && more(2) < 1.5 * more(0)
}

/// A sixteenth of the texels and fewer, which show: colours differ, and differ less from one place to the next.
fn is_small(c: &Colors, case: &Case, side: usize) -> bool {
    let [own, other] = [side, 1 - side].map(|s| &case.more.patches[s]);
    own.log_size() < other.log_size() - 4.0
        && c.difference > 0.012
        && c.energy[0][side] < c.energy[0][1 - side]
        && c.energy[1][side] < c.energy[1][1 - side]
        && c.coarse < 0.75 * c.difference * c.difference
        && !is_grainy(c, case, 1 - side)
        && !is_white(case, 1 - side)
}

/// Less difference between texels, the less the nearer they are, and less from place to place on the surface; and no marks on the other
/// of what adds such differences.
fn is_soft(c: &Colors, case: &Case, side: usize) -> bool {
    let [own, other] = [side, 1 - side].map(|s| &case.more.patches[s]);
    let repeated = case.observed.map(|o| o.texels.repeated_share);
    let texels = |step: usize| own.energy(step) / other.energy(step).max(1e-9);
    let surface = |step: usize| c.energy[step][side] / c.energy[step][1 - side].max(1e-9);
    c.difference > 0.012
        && (own.log_size() - other.log_size()).abs() < 1.0
        && texels(0) < 0.4
        && texels(0) < 0.7 * texels(2)
        && surface(0) < 0.9
        && surface(1) < 0.95
        && c.coarse < 0.75 * c.difference * c.difference
        && other.levels() > 0.85 * own.levels()
        && other.blockiness() < 1.4
        && repeated[1 - side] < repeated[side] + 0.15
        && !is_white(case, 1 - side)
}

/// A seventh of the values and fewer, and not because the other has grain; darkening and paling leave a quarter.
fn is_posterized(c: &Colors, case: &Case, side: usize) -> bool {
    let [own, other] = [side, 1 - side].map(|s| &case.more.patches[s]);
    // Values are cut by half of 64 of 255 in the mean, 0.25 over three channels; what was moved in the texture differs by more.
    own.levels() < other.levels() / 7.0
        && (0.012..0.3).contains(&c.difference)
        && (own.log_size() - other.log_size()).abs() < 1.0
        && !is_white(case, 1 - side)
}

/// Steps between blocks of 8 × 8 texels twice those within, where the other has no such grid, and fewer values.
fn is_jpeg(c: &Colors, case: &Case, side: usize) -> bool {
    let [own, other] = [side, 1 - side].map(|s| &case.more.patches[s]);
    own.blockiness() > 2.0
        && (0.7..1.4).contains(&other.blockiness())
        && own.levels() < 0.7 * other.levels()
        && c.difference > 0.012
        && (own.log_size() - other.log_size()).abs() < 1.0
        && !is_white(case, 1 - side)
}
