//! The pairwise rubric. Two versions of one asset are compared where they differ; of two unlike assets the measured facts are reported,
//! and next to nothing is decided: which of two different objects is better, no count of edges says.

use super::answer::{Answer, NO_SURFACE};
use super::look::Observed;
use super::model::Fault;
use super::versions::{self, Versions};
use crate::judge::Question;
use std::fmt::Write;

/// What the measurements are worth, at the head of every answer.
const ABOUT: &str = "Only defects were measured; what the objects are was not seen.";

/// The statement about one criterion.
enum Finding {
    Better(usize),
    /// Nothing differs that this criterion is about.
    Equal,
    CannotDecide,
}

/// Answers with a short analysis per criterion and the line of digits.
pub(super) fn answer(question: &Question) -> Answer {
    let [left, right] = question.evidence.scenes.as_slice() else {
        return Answer::without_evidence(question, "a pair needs two scenes");
    };
    let (Some(left), Some(right)) = (left.observed(), right.observed()) else {
        return Answer::without_evidence(question, NO_SURFACE);
    };
    let versions = versions::compare(left, right);
    let (l, r) = (left.0, right.0);
    let options = question.rubric.options();
    let (mut digits, mut undecided) = (Vec::new(), Vec::new());
    // What was found comes first: terminals and rows show the beginning alone.
    let (mut found, mut rest) = (String::new(), String::new());
    for criterion in question.rubric.criteria(None) {
        let (finding, words) = match (measured_as(&criterion.key), &versions) {
            (None, _) => (Finding::CannotDecide, "this cannot be measured".to_owned()),
            (Some(key), Some(versions)) => of_versions(versions, l, r, key),
            (Some(key), None) => of_unlike(l, r, key),
        };
        let text = match finding {
            Finding::Better(_) => &mut found,
            _ => &mut rest,
        };
        let (digit, verdict) = match finding {
            Finding::Better(0) => (options.left, "the left one is better"),
            Finding::Better(_) => (options.right, "the right one is better"),
            Finding::Equal => (options.tie, "neither is better"),
            Finding::CannotDecide => {
                undecided.push(criterion.key.clone());
                (options.tie, "cannot decide")
            }
        };
        digits.push(digit.to_string());
        let _ = writeln!(text, "{}: {words}; {verdict}.", criterion.title);
    }
    Answer { text: format!("{ABOUT}\n{found}{rest}\n{}", digits.join(" ")), undecided }
}

/// The criterion of ours that a criterion amounts to; none for those that need the prompt.
fn measured_as(key: &str) -> Option<&str> {
    match key {
        "text_asset_alignment"
        | "prompt_asset_alignment"
        | "geometry_fidelity"
        | "texture_fidelity"
        | "hidden_side_plausibility" => None,
        "geometry_plausibility" => Some("plausibility"),
        "texture_quality" => Some("texture_details"),
        "geometry_texture_coherence" => Some("geometry_texture_alignment"),
        key => Some(key),
    }
}

/// The side without faults of this criterion, where the other has some; `overall` takes all. Where no fault was found although the two
/// differ, it is unclear which one was changed for the worse.
fn of_versions(
    versions: &Versions,
    left: &Observed,
    right: &Observed,
    key: &str,
) -> (Finding, String) {
    let counts = |fault: &&Fault| key == "overall" || fault.lowers.contains(&key);
    let found: Vec<&Fault> = versions.faults.iter().filter(counts).collect();
    let Some(first) = found.first() else {
        if key == "texture_details"
            && let Finding::Better(side) = better_if((left, right), is_bare, is_textured)
        {
            let words = "of two versions of one asset, one has lost its texture";
            return (Finding::Better(side), words.to_owned());
        }
        let is_same = match key {
            "plausibility" | "geometry_details" => versions.is_same_shape,
            "texture_details" => versions.has_same_colors,
            _ => versions.is_same_shape && versions.has_same_colors,
        };
        return if is_same {
            let words = "two versions of one asset that do not differ in this";
            (Finding::Equal, words.to_owned())
        } else {
            let words =
                "two versions of one asset that differ, and neither shows what was done to it";
            (Finding::CannotDecide, words.to_owned())
        };
    };
    let name = |side: usize| ["left", "right"][side];
    let words: Vec<String> =
        found.iter().map(|fault| format!("the {} one {}", name(fault.side), fault.says)).collect();
    let words = format!("of two versions of one asset, {}", words.join(", and "));
    if found.iter().all(|fault| fault.side == first.side) {
        (Finding::Better(1 - first.side), words)
    } else {
        (Finding::CannotDecide, words)
    }
}

/// Two assets that are not versions of one: the measurements of each, and a winner if one has a defect beyond dispute.
fn of_unlike(left: &Observed, right: &Observed, key: &str) -> (Finding, String) {
    let words = |of: fn(&Observed) -> String| {
        format!("two different assets: left {}, right {}", of(left), of(right))
    };
    match key {
        "plausibility" => (better_if((left, right), is_card, is_body), words(solidity)),
        "geometry_details" => (Finding::CannotDecide, words(resolution)),
        "texture_details" => (better_if((left, right), is_bare, is_textured), words(texture)),
        _ => {
            let words = "two different assets, and what they show is not known here";
            (Finding::CannotDecide, words.to_owned())
        }
    }
}

/// The one without a defect beyond dispute, where the other has it.
fn better_if(
    (left, right): (&Observed, &Observed),
    is_bad: fn(&Observed) -> bool,
    is_good: fn(&Observed) -> bool,
) -> Finding {
    if is_bad(left) && is_good(right) {
        Finding::Better(1)
    } else if is_bad(right) && is_good(left) {
        Finding::Better(0)
    } else {
        Finding::CannotDecide
    }
}

/// One colour all over.
fn is_bare(seen: &Observed) -> bool {
    let texture = &seen.facts.texture;
    texture.textured_area_share == 0.0 && !texture.has_vertex_colors && seen.texels.has_one_color
}

/// With a texture that shows something, on nearly all of the surface.
fn is_textured(seen: &Observed) -> bool {
    const TEXELS_MIN: f64 = 64.0;
    const ENERGY_MIN: f64 = 1e-4;
    let texture = &seen.facts.texture;
    texture.textured_area_share > 0.9
        && texture.texels_per_diagonal > TEXELS_MIN
        && seen.texels.energy > ENERGY_MIN
}

/// Without any thickness, and without any bend.
fn is_card(seen: &Observed) -> bool {
    seen.facts.shape.thickness < 0.001 && seen.facts.dihedral.total < 1e-3
}

fn is_body(seen: &Observed) -> bool {
    seen.facts.shape.thickness > 0.1
}

fn solidity(seen: &Observed) -> String {
    let facts = &seen.facts;
    format!(
        "has {} openings, {} floating pieces with {:.1} % of the area, thickness {:.2}, ground slab {:.2}, {} edges with more than two faces and {} with two that do not agree",
        facts.holes.count,
        facts.parts.floaters,
        100.0 * facts.parts.floater_area_share,
        facts.shape.thickness,
        facts.shape.ground_slab,
        facts.edges.non_manifold,
        facts.edges.inconsistent
    )
}

fn resolution(seen: &Observed) -> String {
    let facts = &seen.facts;
    format!(
        "has {} triangles, roughness {:.1}° on the {:.0} % of its surface that is finely divided",
        facts.counts.triangles,
        facts.noise.mean_degrees,
        100.0 * facts.noise.fine_area_share
    )
}

fn texture(seen: &Observed) -> String {
    let facts = &seen.facts.texture;
    format!(
        "has texture on {:.0} % of its surface, {:.0} texels along its diagonal",
        100.0 * facts.textured_area_share,
        facts.texels_per_diagonal
    )
}
