//! An answer of the probe, before it becomes a reply.

use crate::judge::Question;
use crate::rubric::Kind;

/// Why nothing is measured of splats.
pub(super) const NO_SURFACE: &str =
    "this judge sees surfaces, and cannot see Gaussian splats; ask a judge that looks at pictures";

/// The answer, and the keys of criteria that cannot be measured.
pub(super) struct Answer {
    pub text: String,
    pub undecided: Vec<String>,
}

impl Answer {
    /// For evidence that is missing: every criterion undecided, and in words why. For a
    /// reconstruction that is its `score`.
    pub(super) fn without_evidence(question: &Question, missing: &str) -> Self {
        let rubric = &question.rubric;
        let undecided = rubric.judged_keys(question.category.as_deref());
        let last_line = match rubric.kind() {
            Kind::Reconstruction => String::new(),
            Kind::Category | Kind::Checklist | Kind::Features => "{}".to_owned(),
            Kind::Pairwise => vec![rubric.options().tie.to_string(); undecided.len()].join(" "),
        };
        Self { text: format!("Nothing was measured: {missing}.\n\n{last_line}"), undecided }
    }
}
