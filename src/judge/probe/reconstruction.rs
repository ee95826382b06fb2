//! The reconstruction rubric: how well an object fits the masked one of the photo, and whether the
//! object is whole and clean.
//!
//! A good shape needs more than an outline: from some side, many objects match the photo's.

use super::answer::{Answer, NO_SURFACE};
use crate::judge::Question;
use meshjudge_probe::{Fit, Observed, back_face_share};

/// Overlaps from which a shape is good and fair; with the numbers behind them in
/// docs/runs/audit/2026-11-26-probe-honest.md.
const GOOD_OVERLAP: f64 = 0.85;
const FAIR_OVERLAP: f64 = 0.60;

/// A shape is good only if, in addition, colours and edges within the outline agree by so much.
const GOOD_COLORS: f64 = 0.6;
const GOOD_EDGES: f64 = 0.6;

/// Colours that agree less are another object's, if the outline is not good either.
const FAIR_COLORS: f64 = 0.3;

/// An object thin in the photo has no score between this overlap and the fair one: a pixel decides.
const THIN_OVERLAP: f64 = 0.25;

/// An object thinner than this share of its length is a sheet. The flattest solid model that was
/// measured (Fox) has 0.16.
const SHEET: f64 = 0.05;

/// Answers with the four criteria and the score on the last line.
pub(super) fn answer(question: &Question) -> Answer {
    let (Some(specimen), Some(photo)) =
        (question.evidence.scenes.first(), &question.evidence.photo)
    else {
        return Answer::without_evidence(
            question,
            "a reconstruction needs an object and a photo with its mask",
        );
    };
    let Some((observed, scene)) = specimen.observed() else {
        return Answer::without_evidence(question, NO_SURFACE);
    };
    match (back_face_share(scene), specimen.fit(photo)) {
        (Ok(backs), Ok(found)) => score(question, observed, backs, found),
        (Err(reason), _) | (_, Err(reason)) => Answer::without_evidence(question, &reason),
    }
}

fn score(question: &Question, seen: &Observed, back_face_share: f64, found: Option<Fit>) -> Answer {
    let scale = question.rubric.scale();
    let Some(found) = found else {
        return Answer {
            text: format!("No view shows anything: the reconstruction is blank.\n\n{}", scale.min),
            undecided: Vec::new(),
        };
    };
    if found.is_thin && (THIN_OVERLAP..FAIR_OVERLAP).contains(&found.overlap) {
        let reason =
            "the object is so thin in the photo that one pixel decides whether its outline fits";
        return Answer::without_evidence(question, reason);
    }
    let (shape, limit) = shape_grade(&found);
    let flat = if seen.facts.shape.thickness < SHEET { 1 } else { 3 };
    // Back faces that are seen: clean models 0.0016 at most, damaged ones 0.026 and 0.055. A hole
    // one may overlook is fair.
    let whole = grade(-back_face_share, -0.005, -0.05);
    let slab = seen.facts.shape.ground_slab > 0.5;
    // Floating area: clean models 0.00004 at most, damaged ones 0.012 and 0.034.
    let clean = if slab { 1 } else { grade(-seen.facts.parts.floater_area_share, -0.002, -0.05) };
    let score = final_score([shape, flat, whole, clean], scale.min, scale.max);
    let laid = if found.is_laid { "lying " } else { "upright " };
    let colors = match found.colors {
        Some(agree) => format!("the colours correlate by {agree:.2}"),
        None => "the colours cannot be compared, since one has a single colour".to_owned(),
    };
    let text = format!(
        "Outline, colours and edges were compared with the photo at the best-fitting {laid}view; sharpness and the unseen side were not.\n\
         Shape fidelity: the outline overlaps the mask by {:.2} (azimuth {:.0}°, elevation {:.0}°), {colors}, the edges agree by {:.2}, grade {shape}{limit}.\n\
         Proportionality: thickness {:.2} of the length, grade {flat}.\n\
         Completeness: {:.1} % of the visible surface is seen from inside, {} openings, grade {whole}.\n\
         No artifact: {} floating pieces with {:.1} % of the area, ground slab {:.2}, grade {clean}.\n\
         Shape, proportions and completeness decide by the lowest of them; artifacts can lower a good result to fair.{}\n\n{}",
        found.overlap,
        found.azimuth_degrees,
        found.elevation_degrees,
        found.edges,
        seen.facts.shape.thickness,
        100.0 * back_face_share,
        seen.facts.holes.count,
        seen.facts.parts.floaters,
        100.0 * seen.facts.parts.floater_area_share,
        seen.facts.shape.ground_slab,
        if score == scale.min || score == scale.max { "" } else { NO_CLAIM },
        score,
    );
    Answer { text, undecided: Vec::new() }
}

/// Half of the right objects and a quarter of the wrong ones are between the ends of the scale.
const NO_CLAIM: &str = " Only the lowest and the highest score are claims: the photo neither confirms nor refutes this object.";

/// The grade of the shape, and what limits it.
fn shape_grade(found: &Fit) -> (u8, &'static str) {
    let colors = |least: f64| found.colors.map(|agree| agree >= least);
    let is_confirmed = found.edges >= GOOD_EDGES && colors(GOOD_COLORS) == Some(true);
    match grade(found.overlap, GOOD_OVERLAP, FAIR_OVERLAP) {
        3 if !is_confirmed => (
            2,
            " instead of 3: an outline by itself does not show that this is the object in the photo",
        ),
        3 if found.is_laid => (2, " instead of 3: it fits only when laid down"),
        2 if colors(FAIR_COLORS) == Some(false) => {
            (1, ": neither outline nor colours are those of the object in the photo")
        }
        grade => (grade, ""),
    }
}

/// 3 good, 2 fair, 1 poor.
fn grade(value: f64, good: f64, fair: f64) -> u8 {
    if value >= good {
        3
    } else if value >= fair {
        2
    } else {
        1
    }
}

/// The rubric weighs geometry and completeness over surface: the lowest of the first three grades,
/// and artifacts take one step off a good result. Scales other than 1 to 3 use ends and middle.
fn final_score([shape, flat, whole, clean]: [u8; 4], min: u8, max: u8) -> u8 {
    let geometry = shape.min(flat).min(whole);
    let grade = if clean < 3 { geometry.min(2) } else { geometry };
    match grade {
        1 => min,
        2 => min + (max - min) / 2,
        _ => max,
    }
}
