//! One object and the photo that it was made from, and one score.

use super::answer_form::{AnswerForm, AskedAs, Choice, Declared, reasoned};
use crate::rubric::keys::{REASONING_KEY, SCORE_KEY};
use crate::rubric::read::slots::{Allowed, Slots};
use crate::rubric::{Content, Order, Rubric, Scale, Verdict};
use serde_json::Value;

pub(super) struct Reconstruction;

const DECLARED: Declared = Declared {
    name: "reconstruction",
    contents: &[
        Content::FourView,
        Content::Photo,
        Content::Highlighted,
        Content::ZoomHighlighted,
        Content::Zoom,
    ],
    scale: Scale { min: 1, max: 3 },
    is_of_pairs: false,
    has_categories: false,
    needs_photo: true,
};

impl AnswerForm for Reconstruction {
    fn declared(&self) -> &'static Declared {
        &DECLARED
    }

    fn keys(&self, _rubric: &Rubric, _category: Option<&str>) -> Vec<String> {
        vec![SCORE_KEY.to_owned()]
    }

    fn schema(&self, rubric: &Rubric, _category: Option<&str>) -> Value {
        reasoned(SCORE_KEY, &choice(rubric))
    }

    fn schema_note(&self, _rubric: &Rubric) -> Option<String> {
        Some(format!(
            "Form of the answer: one JSON object in place of text and last line, with \"{REASONING_KEY}\" (your reasoning, written first) and \"{SCORE_KEY}\" (the score, as a string)."
        ))
    }

    fn choices(&self, rubric: &Rubric, _order: Order) -> Vec<Choice> {
        vec![choice(rubric)]
    }

    fn menu(&self, rubric: &Rubric) -> String {
        let Scale { min, max } = rubric.scale;
        format!("The score is a whole number from {min} to {max}.")
    }

    fn slots(&self, asked: &AskedAs<'_>) -> Slots {
        let Scale { min, max } = asked.rubric.scale;
        let mut keys = self.keys(asked.rubric, None);
        keys.retain(|key| !asked.undecided.contains(key));
        Slots { keys, allowed: Allowed::Marks((min..=max).collect()), may_be_open: false }
    }

    fn verdict(&self, values: &[f64], _asked: &AskedAs<'_>) -> Verdict {
        Verdict::Reconstruction { score: values.first().map(|score| *score as u8) }
    }
}

fn choice(rubric: &Rubric) -> Choice {
    let scores = (rubric.scale.min..=rubric.scale.max).map(|n| (n.to_string(), n.to_string()));
    Choice {
        key: SCORE_KEY.to_owned(),
        path: vec![SCORE_KEY.to_owned()],
        options: scores.collect(),
    }
}
