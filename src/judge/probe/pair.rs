//! The pairwise rubric. Two versions of one asset are compared where they differ; of two unlike assets the measured facts are reported,
//! and next to nothing is decided: which of two different objects is better, no count of edges says.

use super::answer::Answer;
use super::look::Observed;
use super::model::Fault;
use super::versions;
use crate::judge::Question;
use std::fmt::Write;

/// What the measurements are worth, at the head of every answer.
const ABOUT: &str = "Only defects were measured; what the objects are was not seen.";

/// Answers with a short analysis per criterion and the line of digits.
pub(super) fn answer(question: &Question) -> Answer {
    let [left, right] = question.evidence.scenes.as_slice() else {
        return Answer::without_evidence(question, "a pair needs two scenes");
    };
    let (l, r) = (left.observed(), right.observed());
    let faults = versions::compare((l, left.scene()), (r, right.scene()));
    let options = question.rubric.options();
    let (mut text, mut digits, mut undecided) = (format!("{ABOUT}\n"), Vec::new(), Vec::new());
    for criterion in question.rubric.criteria(None) {
        let (better, words) = match criterion.key.as_str() {
            "text_asset_alignment" => {
                undecided.push(criterion.key.clone());
                (None, "this cannot be measured".to_owned())
            }
            key => match &faults {
                Some(faults) => of_versions(faults, key),
                None => of_unlike(l, r, key),
            },
        };
        let (digit, verdict) = match better {
            Some(0) => (options.left, "the left one is better"),
            Some(_) => (options.right, "the right one is better"),
            None => (options.tie, "cannot decide"),
        };
        digits.push(digit.to_string());
        let _ = writeln!(text, "{}: {words}; {verdict}.", criterion.title);
    }
    let _ = write!(text, "\n{}", digits.join(" "));
    Answer { text, undecided }
}

/// The side without faults of this criterion, where the other has some; `overall` takes all.
fn of_versions(faults: &[Fault], key: &str) -> (Option<usize>, String) {
    let counts = |fault: &&Fault| key == "overall" || fault.lowers.contains(&key);
    let found: Vec<&Fault> = faults.iter().filter(counts).collect();
    let Some(first) = found.first() else {
        let words = "two versions of one asset, and neither shows what was done to it";
        return (None, words.to_owned());
    };
    let name = |side: usize| ["left", "right"][side];
    let words: Vec<String> = (found.iter())
        .map(|fault| format!("the {} one {}", name(fault.side), fault.says))
        .collect();
    let words = format!("of two versions of one asset, {}", words.join(", and "));
    if found.iter().all(|fault| fault.side == first.side) {
        (Some(1 - first.side), words)
    } else {
        (None, words)
    }
}

/// A card without thickness against a body is beyond dispute; all else is reported.
fn of_unlike(left: &Observed, right: &Observed, key: &str) -> (Option<usize>, String) {
    let words = |of: fn(&Observed) -> String| {
        format!(
            "two different assets: left {}, right {}",
            of(left),
            of(right)
        )
    };
    match key {
        "plausibility" => {
            let better = match (is_card(left), is_card(right)) {
                (true, false) if is_body(right) => Some(1),
                (false, true) if is_body(left) => Some(0),
                _ => None,
            };
            (better, words(solidity))
        }
        "geometry_details" => (None, words(resolution)),
        "texture_details" => (None, words(texture)),
        _ => {
            let words = "two different assets, and what they show is not known here";
            (None, words.to_owned())
        }
    }
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
