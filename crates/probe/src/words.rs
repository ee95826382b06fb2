//! What was done to one of two versions, as a sentence with the number that was measured.
//!
//! Each sentence is true of the pair or is not said: a kind of damage that the model finds likely,
//! but whose number does not bear it out, is no answer. Sentences follow "the left one"; "the
//! other" is the other version. Lengths are shares of the object's diagonal, its size.

use super::differences::DIFFERS;
use super::overlay::{Overlay, STEPS};
use super::patch::Patch;
use super::places::{Place, places};
use super::signs::Case;
use super::{covered, detail, faded, palette, seams, stains};
use crate::measure::MeshFacts;
use serde::Deserialize;

/// What can be done to an asset, as the table of weights names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Done {
    Rough,
    RoughInPart,
    Lumps,
    Snapped,
    Smoothed,
    SmoothedInPart,
    Coarse,
    Clustered,
    Torn,
    Lost,
    Cut,
    InsideOut,
    Reversed,
    Turned,
    Copied,
    Floaters,
    Sheets,
    Slab,
    Flat,
    Grain,
    Blotches,
    Blurred,
    Patched,
    Small,
    Blocks,
    Posterized,
    Jpeg,
}

/// A number must exceed the other side's by this factor to be worth a sentence.
const CLEARLY: f64 = 1.1;

/// An object of so many times the other's triangles is a finer version of it: its curvature is no
/// wear, and none of the damage that leaves the triangles as they are.
const FINER: f64 = 1.5;

/// The sentence, without its subject; none where the pair does not bear it out.
pub(super) fn says(done: Done, case: &Case, side: usize) -> Option<String> {
    let d = &case.differences;
    let other = 1 - side;
    let facts = [side, other].map(|s| &case.observed[s].facts);
    match done {
        Done::Rough | Done::RoughInPart | Done::Lumps => turns(case, side, true),
        Done::Smoothed | Done::SmoothedInPart => {
            let [own, than] = triangles(facts);
            (own < FINER * than).then(|| turns(case, side, false))?
        }
        Done::Snapped => snapped(case, side),
        Done::Coarse | Done::Clustered => coarse(case, facts),
        Done::Torn => torn(case, side),
        Done::Lost | Done::Cut => lacks(d.alone[other], d.alone[side]).or_else(|| torn(case, side)),
        Done::InsideOut | Done::Reversed => (d.opposed > 0.0
            && case.more.outward[side].min(case.more.centrifugal[side]) < 0.0)
            .then(|| {
                let share = percent(d.opposed);
                format!("faces inwards on {share} of the surface, where the other faces outwards")
            }),
        Done::Turned => more(d.turned[side], d.turned[other]).then(|| {
            let [own, than] = [side, other].map(|s| percent(d.turned[s]));
            format!(
                "has stored normals that point inwards on {own} of its surface, the other on {than}"
            )
        }),
        Done::Copied if case.is_copied[side] => {
            extra(d.alone[side], "a duplicate of one of its parts")
        }
        Done::Floaters => floaters(facts).or_else(|| extra(d.alone[side], "extra surface")),
        Done::Copied | Done::Sheets => extra(d.alone[side], "extra surface"),
        Done::Slab => match facts.map(|f| f.shape.ground_slab) {
            [own, than] if own > than => extra(d.alone[side], "a slab of ground"),
            _ => extra(d.alone[side], "extra surface"),
        },
        Done::Flat => flat(case, side),
        Done::Grain => steps_of_colors(case, side, 0, true),
        Done::Blotches => steps_of_colors(case, side, 1, true),
        Done::Blurred => steps_of_colors(case, side, 0, false),
        Done::Patched | Done::Blocks | Done::Small | Done::Posterized | Done::Jpeg => {
            let [own, than] = [side, other].map(|s| &case.more.patches[s]);
            texels(done, own, than)
        }
    }
}

/// How the two differ in shape; none where all was seen and is equal.
pub(super) fn shapes_differ(case: &Case) -> Option<String> {
    let d = &case.differences;
    let off = d.same.map(|share| 1.0 - share);
    let off = off[0].max(off[1]);
    let counts = case.observed.map(|o| {
        let (parts, holes) = (&o.facts.parts, &o.facts.holes);
        [parts.components, parts.floaters, holes.count]
    });
    let scale = case.placement.scale;
    let stretch = f64::from(scale.max_element() / scale.min_element()) - 1.0;
    if stretch > 0.01 {
        let by = percent(stretch);
        return Some(format!(
            "Their proportions differ by {by}; they were compared after stretching."
        ));
    }
    if d.is_same_shape() {
        return (counts[0] != counts[1]).then(|| {
            "Their surfaces coincide, but not their numbers of pieces or openings.".to_owned()
        });
    }
    Some(if off < 0.0005 {
        "Their surfaces coincide, but not their openings, facing or normals.".to_owned()
    } else {
        format!("Their surfaces do not coincide on {} of the area.", percent(off))
    })
}

/// The same for colours.
pub(super) fn colors_differ(case: &Case) -> Option<String> {
    let Some(found) = case.differences.agreement else {
        return Some("Too little of their surfaces coincides to compare colours.".to_owned());
    };
    let share = percent(found.share);
    if !found.is_same() {
        let by = percent(found.difference / 3.0_f64.sqrt());
        let changed = percent(found.changed);
        return Some(format!(
            "Their colours differ by {by} of the full range on average, visibly on {changed} of the surface that coincides."
        ));
    }
    (found.share < 1.0 - DIFFERS).then(|| {
        format!("Their colours are equal on the {share} of the area where they coincide; the rest was not compared.")
    })
}

/// The sides whose colours have faults by rules, beyond the model; in words.
pub(super) fn painted_faults(overlay: &Overlay) -> Vec<(usize, String)> {
    let seams = seams::worse(overlay).map(|(side, jumping)| {
        let [own, than] = [jumping[side], jumping[1 - side]].map(percent);
        let words = format!(
            "has seams: where patches of its texture meet, its colours jump and the other's do not along {own} of the length, the other way round along {than}"
        );
        (side, words)
    });
    let places = places(overlay).unwrap_or_default();
    seams.into_iter().chain(color_faults(&places, overlay.diagonal)).collect()
}

fn color_faults(places: &[Place], diagonal: f32) -> Vec<(usize, String)> {
    let faded = faded::faded(places).map(|(side, left)| {
        let left = percent(left);
        (side, format!("is faded: its colours are only {left} as far apart as the other's"))
    });
    let covered = covered::covered(places).map(|(side, share, name)| {
        let share = percent(share);
        (side, format!("is {name} on {share} of its surface, where the other has several colours"))
    });
    let posterised = palette::posterised(places);
    let few = posterised.map(|(side, num_colors, shares)| {
        let [own, than] = [side, 1 - side].map(|side| percent(shares[side]));
        (side, format!("has few colours: {num_colors} cover {own} of its surface, as many of the other's cover {than}"))
    });
    // What few colours leave out is a part of the other's colours, and not laid over them.
    let is_left_out = |side: usize| posterised.is_some_and(|(few, ..)| few != side);
    let stained = stains::stained(places, diagonal).filter(|(side, _)| !is_left_out(*side));
    let stains = stained.map(|(side, size)| {
        let words = format!(
            "has stains, patches or shadows: a pattern that is unrelated to the other's colours changes its colours by {size:.0} (CIELAB; from black to white is 100)"
        );
        (side, words)
    });
    let busy = detail::Busy::of(places);
    let within = 100.0 * STEPS[detail::STATED];
    let contrasts = |(side, both): (usize, [f64; 2]), what: &str| {
        let [own, than] = [side, 1 - side].map(|side| both[side]);
        (
            side,
            format!(
                "{what}: its colours at places {within} % of its size apart differ by {own:.1} (CIELAB), the other's by {than:.1}"
            ),
        )
    };
    let blurred = busy.blurred().map(|found| contrasts(found, "has lost detail"));
    let spots =
        busy.spotted().map(|found| contrasts(found, "has spots or lines that the other lacks"));
    [stains, faded, covered, few, blurred, spots].into_iter().flatten().collect()
}

fn more(own: f64, than: f64) -> bool {
    own > CLEARLY * than && own > 0.0
}

/// 12 %, 1.2 %, 0.1 %.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        tiny if tiny > 0.0 && tiny < 0.05 => "less than 0.1 %".to_owned(),
        small if small > 0.0 && small < 9.95 => format!("{small:.1} %"),
        share => format!("{share:.0} %"),
    }
}

fn triangles(facts: [&MeshFacts; 2]) -> [f64; 2] {
    facts.map(|f| f.counts.triangles as f64)
}

/// Whether one can be the other with moved corners, as is or with each triangle cut into 4, 16, …
pub(super) fn keeps_triangles(facts: [&MeshFacts; 2]) -> bool {
    let [a, b] = facts.map(|f| f.counts.triangles as f64);
    let ratio = a.max(b) / a.min(b).max(1.0);
    (0..6).any(|times| (ratio / f64::from(1 << (2 * times)) - 1.0).abs() < 0.02)
}

/// The angle between normals a step apart, at the step where the two differ most.
fn turns(case: &Case, side: usize, is_rougher: bool) -> Option<String> {
    let bend = &case.differences.shape.bend;
    let lead = |k: &usize| {
        let [own, than] = [bend[*k][side], bend[*k][1 - side]].map(|b| b + 1e-4);
        if is_rougher { own / than } else { than / own }
    };
    let step = (0..3).max_by(|a, b| lead(a).total_cmp(&lead(b)))?;
    let degrees = |s: usize| libm::acos(1.0 - bend[step][s].min(2.0)).to_degrees();
    let (own, than) = (degrees(side), degrees(1 - side));
    let (word, is_so) =
        if is_rougher { ("rougher", more(own, than)) } else { ("smoother", more(than, own)) };
    let within = 100.0 * STEPS[step];
    is_so.then(|| {
        format!("is {word}: within {within} % of its size its surface turns by {own:.1}°, the other's by {than:.1}°")
    })
}

fn snapped(case: &Case, side: usize) -> Option<String> {
    let values = [side, 1 - side].map(|s| case.observed[s].values);
    let lead = |axis: &usize| values[1][*axis] / (values[0][*axis] + 0.01);
    let axis = (0..3).max_by(|a, b| lead(a).total_cmp(&lead(b)))?;
    let [own, than] = values.map(|v| v[axis]);
    let facts = [side, 1 - side].map(|s| &case.observed[s].facts);
    (more(than, own) && keeps_triangles(facts)).then(|| {
        let (own, than) = (percent(own), percent(than));
        format!("has rounded positions: along one axis {own} of its coordinates are distinct, {than} of the other's")
    })
}

pub(super) fn coarse(case: &Case, facts: [&MeshFacts; 2]) -> Option<String> {
    /// Percent of the size: half a pixel of a picture of 1000 pixels.
    const SHAPE_KEPT: f64 = 0.05;
    let [own, than] = triangles(facts);
    let far = case.differences.moved[1];
    let far = 100.0 * far[0].max(far[1]);
    (than > FINER * own && far > SHAPE_KEPT && !case.differences.is_same_shape()).then(|| {
        let count = |s: usize| facts[s].counts.triangles;
        let (own, than) = (count(0), count(1));
        format!("has {own} triangles, the other {than}; a tenth of the surface is more than {far:.2} % of the size away from the other's")
    })
}

fn torn(case: &Case, side: usize) -> Option<String> {
    let torn = case.differences.torn;
    more(torn[side], torn[1 - side]).then(|| {
        let length = torn[side];
        format!(
            "is open where the other is closed, along edges {length:.1} times as long as its size"
        )
    })
}

fn lacks(missing: f64, extra: f64) -> Option<String> {
    more(missing, extra).then(|| format!("lacks {} of the other's surface", percent(missing)))
}

fn extra(share: f64, what: &str) -> Option<String> {
    (share > 0.0)
        .then(|| format!("has {what} that the other lacks, {} of its area", percent(share)))
}

fn floaters([own, than]: [&MeshFacts; 2]) -> Option<String> {
    let pieces = |facts: &MeshFacts| match facts.parts.floaters {
        0 => "none".to_owned(),
        1 => format!("1 floating piece, {} of its area", percent(facts.parts.floater_area_share)),
        n => {
            format!("{n} floating pieces, {} of its area", percent(facts.parts.floater_area_share))
        }
    };
    (own.parts.floaters > than.parts.floaters)
        .then(|| format!("has {}; the other has {}", pieces(own), pieces(than)))
}

fn flat(case: &Case, side: usize) -> Option<String> {
    let [x, y, z] = case.placement.scale.to_array();
    // The scale takes the second to the first.
    let depth = if side == 0 { z / x } else { x / z };
    ((x / y - 1.0).abs() < 0.01 && depth < 0.95).then(|| {
        let depth = percent(f64::from(depth));
        format!("is {depth} as deep as the other, at the same width and height")
    })
}

/// Differences of colours between neighbouring texels, or a step apart on the surface.
fn steps_of_colors(case: &Case, side: usize, step: usize, is_more: bool) -> Option<String> {
    let energy = case.differences.paint?.energy[step];
    let of_texels = [side, 1 - side].map(|s| case.more.patches[s].energy(0).sqrt());
    let on_surface = [side, 1 - side].map(|s| (energy[s] / 3.0).sqrt());
    let is_so = |[own, than]: &[f64; 2]| {
        if is_more { more(*own, *than) } else { more(*than, *own) }
    };
    let word = if is_more { "grainier" } else { "more blurred" };
    let say = |[own, than]: [f64; 2], places: &str| {
        let (own, than) = (percent(own), percent(than));
        format!(
            "is {word}: the colours of {places} differ by {own} of the full range, the other's by {than}"
        )
    };
    if step < 2 && is_so(&of_texels) {
        return Some(say(of_texels, "neighbouring texels"));
    }
    let apart = 100.0 * STEPS[step];
    is_so(&on_surface).then(|| say(on_surface, &format!("places {apart} % of its size apart")))
}

/// How much higher steps at the borders of JPEG's blocks are than next to them, at most.
const JPEG_MAX: f64 = 20.0;

fn texels(done: Done, own: &Patch, than: &Patch) -> Option<String> {
    let (a, b) = match done {
        Done::Small => (than.log_size(), own.log_size()),
        Done::Posterized => (than.levels(), own.levels()),
        Done::Jpeg => (own.blockiness(), than.blockiness()),
        _ => (own.equal(), than.equal()),
    };
    // Larger blocks, whose borders are all that there is, are no JPEG's.
    if done == Done::Jpeg && a > JPEG_MAX {
        return None;
    }
    let sized = |log: f64| libm::exp2(log).round();
    (if done == Done::Small { a > b + 0.5 } else { more(a, b) }).then(|| match done {
        Done::Small => format!("has a texture of about {} texels, the other of {}", sized(b), sized(a)),
        Done::Posterized => format!("has {b} different values in its colours, the other {a}"),
        Done::Jpeg => format!("has steps at the borders of blocks of 8 texels that are {a:.1} times as high as next to them, the other {b:.1} times"),
        _ => format!("has less detail in its texture: {} of its neighbouring texels are equal, {} of the other's", percent(a), percent(b)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::sheet;
    use glam::Vec3;

    #[test]
    fn what_few_colours_leave_out_is_no_stain_on_the_other() {
        // From one colour to another, by lightness that the few colours do not have.
        let base = |x: f32| Vec3::new(0.75, 0.25, 0.25).lerp(Vec3::new(0.25, 0.3, 0.75), x);
        let clean = |at: Vec3| base(at.x) + 0.15 * libm::sinf(5.0 * at.y);
        let few = |at: Vec3| base((at.x * 5.0).round() / 5.0);
        let places = sheet(|at| [clean(at), few(at)]);
        assert_eq!(stains::stained(&places, 1.4).map(|(side, _)| side), Some(0));
        assert_eq!(palette::posterised(&places).map(|(side, ..)| side), Some(1));
        assert!(color_faults(&places, 1.4).iter().all(|(side, _)| *side == 1));
    }
}
