//! Which of two objects fits the photo that both were made from: outline, colours and edges at the
//! best upright view of each.
//!
//! Sharpness and the sides that the photo does not show are not looked at. A side is named only
//! where its lead is beyond a margin.

use crate::judge::Question;
use meshjudge_probe::{Fault, Fit};

/// Leads that decide: of the overlap of outlines and of the correlation of colours.
const OVERLAP_LEAD: f64 = 0.05;
const COLORS_LEAD: f64 = 0.1;

/// What the better one must reach: between two that do not fit, a lead says nothing.
const OVERLAP_MIN: f64 = 0.6;
const COLORS_MIN: f64 = 0.5;

/// How much less the edges may agree with the photo on the side whose outline fits better.
const EDGES_SLACK: f64 = 0.02;

/// What speaks against the one that fits less, and why nothing does.
pub(super) fn faults(question: &Question) -> Result<Vec<Fault>, String> {
    let ([left, right], Some(photo)) =
        (question.evidence.scenes.as_slice(), &question.evidence.photo)
    else {
        return Err("no photo with a mask of its object was given".to_owned());
    };
    let hidden = || "nothing is visible of one object, or of the photo's".to_owned();
    let left = left.fit(photo)?.ok_or_else(hidden)?;
    if left.is_thin {
        return Err("the object is so thin in the photo that one pixel changes the overlap of outlines as much as a better shape does".to_owned());
    }
    let right = right.fit(photo)?.ok_or_else(hidden)?;
    let both = [left, right];
    let found: Vec<Fault> = shape(both).into_iter().chain(colors(both)).collect();
    if found.is_empty() {
        let reason = "outline, colours and edges at the best upright view differ too little; sharpness and the unseen sides were not compared with the photo";
        return Err(reason.to_owned());
    }
    Ok(found)
}

fn shape(both: [Fit; 2]) -> Option<Fault> {
    let [a, b] = both.map(|fit| fit.overlap);
    let side = usize::from(a > b);
    let (less, more) = (both[side], both[1 - side]);
    let is_clear = more.overlap > OVERLAP_MIN
        && more.overlap - less.overlap > OVERLAP_LEAD
        && more.edges > less.edges - EDGES_SLACK
        && !more.is_laid;
    is_clear.then(|| Fault {
        side,
        lowers: vec!["geometry_fidelity", "prompt_asset_alignment"],
        says: vec![format!(
            "fits the photo less: from the best side its outline overlaps by {:.2}, the other's by {:.2}",
            less.overlap, more.overlap
        )],
    })
}

/// Nothing if the side with better colours has a clearly worse outline: its colours are elsewhere.
fn colors(both: [Fit; 2]) -> Option<Fault> {
    let [a, b] = both.map(|fit| fit.colors.unwrap_or(0.0));
    let side = usize::from(a > b);
    let (less, more) = (a.min(b), a.max(b));
    let is_clear = more > COLORS_MIN
        && more - less > COLORS_LEAD
        && both[side].overlap - both[1 - side].overlap < OVERLAP_LEAD;
    is_clear.then(|| Fault {
        side,
        lowers: vec!["texture_fidelity", "prompt_asset_alignment"],
        says: vec![format!(
            "has colours that fit the photo less: they correlate by {less:.2}, the other's by {more:.2}"
        )],
    })
}
