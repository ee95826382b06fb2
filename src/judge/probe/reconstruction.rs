//! The reconstruction rubric: how well an object's outline can be laid over the masked one, and whether the object is whole and clean.

use super::answer::{Answer, NO_SURFACE};
use super::look::{Observed, back_face_share};
use super::silhouette::{Match, best_match};
use crate::judge::Question;

/// Overlap from which a shape is good. Measured on our chair photo (a perspective view): the chair it shows reaches 0.99, the damaged
/// chair 0.93, the vase 0.58.
const GOOD_OVERLAP: f64 = 0.85;

/// Overlap from which a shape is fair: half-way between the good one and the wrong object. A disc against an ellipse of 1.3 : 1 has 0.8.
const FAIR_OVERLAP: f64 = 0.70;

/// An object thinner than this share of its length is a sheet. The flattest solid model that was measured (Fox) has 0.16.
const SHEET: f64 = 0.05;

/// Answers with the four criteria and the score on the last line.
pub(super) fn answer(question: &Question) -> Answer {
    let (Some(scene), Some(photo)) = (question.evidence.scenes.first(), &question.evidence.photo)
    else {
        return Answer::without_evidence(
            question,
            "a reconstruction needs an object and a photo with its mask",
        );
    };
    let Some((observed, scene)) = scene.observed() else {
        return Answer::without_evidence(question, NO_SURFACE);
    };
    match (back_face_share(scene), best_match(scene, &photo.1)) {
        (Ok(backs), Ok(found)) => score(question, observed, backs, found),
        (Err(reason), _) | (_, Err(reason)) => Answer::without_evidence(question, &reason),
    }
}

fn score(
    question: &Question,
    seen: &Observed,
    back_face_share: f64,
    found: Option<Match>,
) -> Answer {
    let scale = question.rubric.scale();
    let Some(found) = found else {
        return Answer {
            text: format!("No view shows anything: the reconstruction is blank.\n\n{}", scale.min),
            undecided: Vec::new(),
        };
    };
    let shape = grade(found.overlap, GOOD_OVERLAP, FAIR_OVERLAP);
    let flat = if seen.facts.shape.thickness < SHEET { 1 } else { 3 };
    // Back faces that are seen: clean models 0.0016 at most, damaged ones 0.026 and 0.055. A hole one may overlook is fair.
    let whole = grade(-back_face_share, -0.005, -0.05);
    let slab = seen.facts.shape.ground_slab > 0.5;
    // Floating area: clean models 0.00004 at most, damaged ones 0.012 and 0.034.
    let clean = if slab { 1 } else { grade(-seen.facts.parts.floater_area_share, -0.002, -0.05) };
    let grades = [shape, flat, whole, clean];
    let text = format!(
        "The masked object is known by its outline only.\n\
         Shape fidelity: the outline overlaps the mask by {:.2} at best (azimuth {:.0}°, elevation {:.0}°, turned by {:.0}°), grade {shape}.\n\
         Proportionality: thickness {:.2} of the length, grade {flat}.\n\
         Completeness: {:.1} % of the visible surface is seen from inside, {} openings, grade {whole}.\n\
         No artifact: {} floating pieces with {:.1} % of the area, ground slab {:.2}, grade {clean}.\n\
         Shape, proportions and completeness decide by the lowest of them; artifacts can lower a good result to fair.\n\n{}",
        found.overlap,
        found.azimuth_degrees,
        found.elevation_degrees,
        found.roll_degrees,
        seen.facts.shape.thickness,
        100.0 * back_face_share,
        seen.facts.holes.count,
        seen.facts.parts.floaters,
        100.0 * seen.facts.parts.floater_area_share,
        seen.facts.shape.ground_slab,
        final_score(grades, scale.min, scale.max),
    );
    Answer { text, undecided: Vec::new() }
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

/// The rubric weighs geometry and completeness more than the surface: the lowest grade of the first three, and artifacts take one
/// step off a good result. On another scale than 1 to 3 the ends and the middle are used.
fn final_score([shape, flat, whole, clean]: [u8; 4], min: u8, max: u8) -> u8 {
    let geometry = shape.min(flat).min(whole);
    let grade = if clean < 3 { geometry.min(2) } else { geometry };
    match grade {
        1 => min,
        2 => min + (max - min) / 2,
        _ => max,
    }
}
