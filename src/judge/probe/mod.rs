//! The offline judge: measures geometry and pixels, answers in the rubric's own form, and says
//! which criteria it cannot measure.
//!
//! It looks at the evidence (scenes, photo and mask, or a picture), never at the composed sheet or
//! at words beyond numbers and basic colours in a prompt. It knows no object by name, so it never
//! judges whether an asset shows its prompt. Deterministic. Two versions of one asset are found by
//! laying their surfaces over each other, and compared point by point, in an order independent of
//! their sides; a small model, fitted on real assets, weighs the differences of shapes and colours.
//! Swapping left and right mirrors the answer exactly. Of unlike assets it reports what it
//! measures.

mod answer;
mod category;
mod fidelity;
mod pair;
mod position;
mod reconstruction;

pub use meshjudge_probe::{Measured, Observed, Sign};

/// Kinds of damage that it claims to see on two versions of one asset, from level 0.5 on, on every
/// criterion that the kind must lower but the match with the prompt; its measured accuracy is in
/// docs/runs/audit. On all others it leaves the criterion undecided.
pub const SEES: [&str; 11] = [
    "noise-fine",
    "noise-coarse",
    "holes",
    "floaters",
    "slab",
    "billboard",
    "missing-part",
    "normals",
    "blur",
    "low-resolution",
    "texture-noise",
];

/// How often it was right about damage that it was not fitted on;
/// docs/runs/audit/2026-11-30-probe-blind.md says more.
pub const RECORD: &str = "How good is probe? On 210 damaged copies that it was not fitted on: geometry 68 % right, none wrong; blurred colours 79 % right, none wrong; other colours 41 % right, 1 % wrong; the rest undecided.";

/// The limits of its scores of single objects.
pub const SCORES: &str = "Reconstruction: only the lowest and the highest score are claims; a score between says that the photo neither confirms nor refutes the object. Category: pieces, colours and contrast of a picture, not what they are.";

use super::{Question, Reply};
use crate::rubric::{Finish, Kind};

/// What the model weighs of two versions of one asset, for fitting it; `None` for two assets that
/// are not versions of one, and for splats.
pub fn signs(left: &super::Specimen, right: &super::Specimen) -> Option<Measured> {
    meshjudge_probe::measure(left.observed()?, right.observed()?)
}

/// The identity of its answers beyond the question: the program's version and the weight table.
pub(super) fn version() -> String {
    format!("{} with weights {}", env!("CARGO_PKG_VERSION"), meshjudge_probe::weights_id())
}

/// Answers a question by measuring.
pub fn ask(question: &Question) -> Reply {
    let answer = match question.rubric.kind() {
        Kind::Pairwise => pair::answer(question),
        Kind::Reconstruction => reconstruction::answer(question),
        Kind::Category => category::answer(question),
        Kind::Checklist | Kind::Features => answer::Answer::without_evidence(
            question,
            "a checklist needs a judge that looks at pictures",
        ),
    };
    Reply {
        text: answer.text,
        undecided: answer.undecided,
        finish: Finish::Stop,
        cost_usd: Some(0.0),
        ..Reply::default()
    }
}
