//! One object and the photo that it was made from, and one score.

mod score;

use super::answer_form::{AnswerForm, AskedAs, Choice, Declared, reasoned};
use crate::rubric::keys::{REASONING_KEY, SCORE_KEY};
use crate::rubric::read::no_answer::NoAnswer;
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

    fn read(&self, text: &str, asked: &AskedAs<'_>) -> Result<Verdict, NoAnswer> {
        let score = match asked.undecided().is_empty() {
            true => Some(score::read(text, asked.rubric.scale)?),
            false => None,
        };
        Ok(Verdict::Reconstruction { score })
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
