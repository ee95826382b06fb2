//! A stand-in for the measuring judge: it cannot decide anything, and says so.

use super::{Question, Reply};
use crate::rubric::Kind;

/// Answers every question with "cannot decide".
pub fn ask(question: &Question) -> Reply {
    let rubric = &question.rubric;
    let keys = rubric.criteria(question.category.as_deref());
    let undecided = match rubric.kind() {
        Kind::Reconstruction => vec!["score".to_owned()],
        Kind::Pairwise | Kind::Category => keys.iter().map(|c| c.key.clone()).collect(),
    };
    let tie = rubric.options().tie.to_string();
    Reply {
        text: vec![tie; keys.len()].join(" "),
        undecided,
        cost_usd: Some(0.0),
        ..Reply::default()
    }
}
