//! The pairwise rubric. Two versions of one asset are compared where they differ; of two unlike
//! assets the measured facts are reported, and next to nothing is decided: which of two different
//! objects is better, no count of edges says.

use super::answer::{Answer, NO_SURFACE};
use super::fidelity;
use crate::judge::Question;
use meshjudge_probe::{Fault, Observed, Versions, compare, percent};
use std::fmt::Write;

/// The statement about one criterion, with its reason where no difference was stated before.
enum Finding {
    Better(usize),
    /// All that this criterion is about was seen, and is equal.
    Equal(&'static str),
    CannotDecide(String),
}

const SIDES: [&str; 2] = ["left", "right"];

/// Answers with the differences, a line for each verdict, and the line of digits.
pub(super) fn answer(question: &Question) -> Answer {
    let [left, right] = question.evidence.scenes.as_slice() else {
        return Answer::without_evidence(question, "a pair needs two scenes");
    };
    let (Some(left), Some(right)) = (left.observed(), right.observed()) else {
        return Answer::without_evidence(question, NO_SURFACE);
    };
    let versions = compare(left, right);
    let (l, r) = (left.0, right.0);
    let by_photo = fidelity::faults(question);
    let faults: Vec<&Fault> = versions
        .iter()
        .flat_map(|versions| &versions.faults)
        .chain(by_photo.iter().flatten())
        .collect();
    let options = question.rubric.options();
    let (mut digits, mut undecided) = (Vec::new(), Vec::new());
    // The differences come first, then verdicts with the criteria that they are about.
    let mut text = match &versions {
        Some(_) => "These are two versions of one asset.\n".to_owned(),
        None => unlike([l, r]),
    };
    for fault in &faults {
        for words in &fault.says {
            let _ = writeln!(text, "The {} one {words}.", SIDES[fault.side]);
        }
    }
    for (side, words) in versions.iter().filter_map(|v| v.bare.as_ref()) {
        let _ = writeln!(text, "The {} one {words}.", SIDES[*side]);
    }
    for words in versions.iter().flat_map(|v| v.shape.iter().chain(&v.paint)) {
        let _ = writeln!(text, "{words}");
    }
    let mut verdicts: Vec<(String, Vec<&str>)> = Vec::new();
    for criterion in question.rubric.criteria(None) {
        let key = measured_as(&criterion.key);
        let finding = by_faults(&faults, key.unwrap_or(&criterion.key)).unwrap_or_else(|| {
            match (key, &versions, &by_photo) {
                (None, _, Err(reason)) if is_of_photo(&criterion.key) => {
                    Finding::CannotDecide(reason.clone())
                }
                (None, ..) => Finding::CannotDecide("the objects were not recognised".to_owned()),
                (Some(key), Some(versions), _) => of_versions(versions, key),
                (Some(key), None, _) => of_unlike(l, r, key),
            }
        });
        let (digit, verdict) = match finding {
            Finding::Better(0) => (options.left, "the left one is better".to_owned()),
            Finding::Better(_) => (options.right, "the right one is better".to_owned()),
            Finding::Equal(what) => (options.tie, format!("neither is better; {what} are equal")),
            Finding::CannotDecide(reason) => {
                undecided.push(criterion.key.clone());
                (options.tie, format!("undecided ({reason})"))
            }
        };
        digits.push(digit.to_string());
        match verdicts.iter_mut().find(|(known, _)| *known == verdict) {
            Some((_, titles)) => titles.push(&criterion.title),
            None => verdicts.push((verdict, vec![&criterion.title])),
        }
    }
    for (verdict, titles) in verdicts {
        let _ = writeln!(text, "{}: {verdict}.", titles.join(", "));
    }
    Answer { text: format!("{text}\n{}", digits.join(" ")), undecided }
}

fn is_of_photo(key: &str) -> bool {
    matches!(key, "geometry_fidelity" | "texture_fidelity")
}

/// The criterion of ours that a criterion amounts to; none for those about the prompt or its photo.
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

/// The side without faults of this criterion, where the other has some; `overall` takes all.
fn by_faults(faults: &[&Fault], key: &str) -> Option<Finding> {
    let mut found =
        faults.iter().filter(|fault| key == "overall" || fault.lowers.contains(&key)).peekable();
    let side = found.peek()?.side;
    Some(if found.all(|fault| fault.side == side) {
        Finding::Better(1 - side)
    } else {
        Finding::CannotDecide("each has a defect that the other lacks".to_owned())
    })
}

/// Where no fault was found although the two differ, or not all was seen, it is unclear which one
/// was changed for the worse.
fn of_versions(versions: &Versions, key: &str) -> Finding {
    if key == "texture_details"
        && let Some((side, _)) = &versions.bare
    {
        return Finding::Better(1 - side);
    }
    let (shape, paint) = (versions.shape.is_some(), versions.paint.is_some());
    let (differs, what) = match key {
        "plausibility" | "geometry_details" => (shape, "shapes"),
        "texture_details" => (paint, "colours and materials"),
        _ => (shape || paint, "shapes, colours and materials"),
    };
    if differs {
        Finding::CannotDecide("no measurement shows which version is better".to_owned())
    } else {
        Finding::Equal(what)
    }
}

/// What was measured of two assets that are not versions of one.
fn unlike(both: [&Observed; 2]) -> String {
    let mut text = "These are two different assets.\n".to_owned();
    for (side, seen) in SIDES.into_iter().zip(both) {
        let _ = writeln!(text, "The {side} one has {}.", measured(seen));
        if is_card(seen) {
            let _ = writeln!(text, "The {side} one is a flat card, without thickness and bends.");
        }
    }
    text
}

fn measured(seen: &Observed) -> String {
    let facts = &seen.facts;
    let texture = match facts.texture.textured_area_share {
        0.0 if facts.texture.has_vertex_colors => "vertex colours and no texture".to_owned(),
        0.0 => "no texture".to_owned(),
        _ if seen.coat.is_plain() => "a texture of one colour".to_owned(),
        share => format!(
            "texture on {} of its surface, {:.0} texels along its diagonal",
            percent(share),
            facts.texture.texels_per_diagonal
        ),
    };
    let count = |n: usize, word: &str| match n {
        0 => format!("no {word}s"),
        1 => format!("1 {word}"),
        n => format!("{n} {word}s"),
    };
    let share = match facts.parts.floaters {
        0 => String::new(),
        _ => format!(" ({} of its area)", percent(facts.parts.floater_area_share)),
    };
    format!(
        "{}, {}, {}{share}, surface noise of {:.1}°, and {texture}",
        count(facts.counts.triangles, "triangle"),
        count(facts.holes.count, "opening"),
        count(facts.parts.floaters, "floating piece"),
        facts.noise.mean_degrees,
    )
}

/// Two assets that are not versions of one: a winner only if one has a defect beyond dispute.
fn of_unlike(left: &Observed, right: &Observed, key: &str) -> Finding {
    match key {
        "plausibility" => better_if((left, right), is_card, is_body),
        "texture_details" => better_if((left, right), is_plain, is_textured),
        _ => Finding::CannotDecide(UNLIKE.to_owned()),
    }
}

const UNLIKE: &str = "the content of different assets was not recognised";

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
        Finding::CannotDecide(UNLIKE.to_owned())
    }
}

fn is_plain(seen: &Observed) -> bool {
    seen.coat.is_plain()
}

/// With a texture that shows something, on nearly all of the surface.
fn is_textured(seen: &Observed) -> bool {
    const TEXELS_MIN: f64 = 64.0;
    let texture = &seen.facts.texture;
    texture.textured_area_share > 0.9
        && texture.texels_per_diagonal > TEXELS_MIN
        && seen.coat.is_textured()
}

/// Without any thickness, and without any bend.
fn is_card(seen: &Observed) -> bool {
    seen.facts.shape.thickness < 0.001 && seen.facts.dihedral.total < 1e-3
}

fn is_body(seen: &Observed) -> bool {
    seen.facts.shape.thickness > 0.1
}
