//! Two objects side by side, and one choice for each criterion: left, right or neither.

use super::answer_form::{AnswerForm, AskedAs, Choice, Declared, object, reasoned};
use crate::rubric::keys::{CHOICE_KEY, REASONING_KEY};
use crate::rubric::read::slots::{Allowed, Slots};
use crate::rubric::{Content, Options, Order, Rubric, Scale, Verdict, Winner};
use serde_json::Value;

pub(super) struct Pairwise;

const DECLARED: Declared = Declared {
    name: "pairwise",
    contents: &[
        Content::PairSheet,
        Content::PairBelowPhoto,
        Content::Left,
        Content::Right,
        Content::Photo,
    ],
    scale: Scale { min: 1, max: 3 },
    is_of_pairs: true,
    has_categories: false,
    needs_photo: false,
};

impl AnswerForm for Pairwise {
    fn declared(&self) -> &'static Declared {
        &DECLARED
    }

    fn schema(&self, rubric: &Rubric, _category: Option<&str>) -> Value {
        let choices = self.choices(rubric, Order::AsListed);
        object(choices.iter().map(|choice| (choice.key.as_str(), reasoned(CHOICE_KEY, choice))))
    }

    fn schema_note(&self, rubric: &Rubric) -> Option<String> {
        let keys = rubric.judged_keys(None);
        let keys: Vec<String> = keys.iter().map(|key| format!("\"{key}\"")).collect();
        Some(format!(
            "Form of the answer: one JSON object in place of paragraphs and last line. Its keys are the criteria in their order: {}. Each holds \"{REASONING_KEY}\" (the criterion's paragraph, written first) and \"{CHOICE_KEY}\" (the digit of the option, as a string).",
            keys.join(", ")
        ))
    }

    fn menu(&self, rubric: &Rubric) -> String {
        let Options { left, right, tie } = rubric.options;
        format!(
            "Each decision is a number: {left} means that the left object (object 1) is better, {right} that the right one (object 2) is better, {tie} that neither is, or that it cannot be decided."
        )
    }

    fn choices(&self, rubric: &Rubric, order: Order) -> Vec<Choice> {
        let name = |side: Winner| order.listed(side).as_str().to_owned();
        let options = menu(rubric).map(|(mark, side)| (mark.to_string(), name(side)));
        let choice = |key: String| Choice {
            path: vec![key.clone(), CHOICE_KEY.to_owned()],
            key,
            options: options.to_vec(),
        };
        rubric.judged_keys(None).into_iter().map(choice).collect()
    }

    fn slots(&self, asked: &AskedAs<'_>) -> Slots {
        let marks = menu(asked.rubric).map(|(mark, _)| mark).to_vec();
        let keys = asked.rubric.judged_keys(None);
        Slots { keys, allowed: Allowed::Marks(marks), may_be_open: false }
    }

    fn verdict(&self, values: &[f64], asked: &AskedAs<'_>) -> Verdict {
        let undecided = asked.undecided();
        let side = |value: f64| {
            let known = menu(asked.rubric).into_iter().find(|(mark, _)| f64::from(*mark) == value);
            known.map_or(Winner::Tie, |(_, side)| asked.order.listed(side))
        };
        let winner = |(key, value): (String, &f64)| match undecided.contains(&key) {
            true => (key, Winner::Tie),
            false => (key, side(*value)),
        };
        let choices = asked.rubric.judged_keys(None).into_iter().zip(values).map(winner).collect();
        Verdict::Pairwise { choices, undecided, both_bad: Vec::new() }
    }
}

/// The digits by side: left is [`Winner::A`].
fn menu(rubric: &Rubric) -> [(u8, Winner); 3] {
    let Options { left, right, tie } = rubric.options;
    [(left, Winner::A), (right, Winner::B), (tie, Winner::Tie)]
}
