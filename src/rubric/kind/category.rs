//! One picture of an object or a scene, and a number for each aspect of its category.

use super::answer_form::{AnswerForm, AskedAs, Declared, keyed_list, object};
use crate::rubric::keys::OVERALL_KEY;
use crate::rubric::read::slots::{Allowed, Slots};
use crate::rubric::verdict::Overall;
use crate::rubric::{Content, Criterion, Rubric, Scale, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) struct Category;

const DECLARED: Declared = Declared {
    name: "category",
    contents: &[Content::Picture],
    scale: Scale { min: 0, max: 10 },
    is_of_pairs: false,
    has_categories: true,
    needs_photo: false,
};

impl AnswerForm for Category {
    fn declared(&self) -> &'static Declared {
        &DECLARED
    }

    fn criteria_list(&self, criteria: &[Criterion]) -> String {
        keyed_list(criteria)
    }

    fn schema(&self, rubric: &Rubric, category: Option<&str>) -> Value {
        let number =
            json!({"type": "number", "minimum": rubric.scale.min, "maximum": rubric.scale.max});
        let rating =
            object([("explanation", json!({"type": "string"})), ("score", number.clone())]);
        let criteria = rubric.criteria(category).iter();
        let aspects = criteria.map(|criterion| (criterion.key.as_str(), rating.clone()));
        object(aspects.chain([(OVERALL_KEY, number)]))
    }

    fn menu(&self, rubric: &Rubric) -> String {
        let Scale { min, max } = rubric.scale;
        format!(
            "Each decision is a number from {min} to {max}; {OVERALL_KEY} is the overall score."
        )
    }

    fn slots(&self, asked: &AskedAs<'_>) -> Slots {
        let Scale { min, max } = asked.rubric.scale;
        let mut keys = asked.rubric.judged_keys(asked.category);
        keys.retain(|key| !asked.undecided.contains(key));
        if !keys.is_empty() {
            keys.push(OVERALL_KEY.to_owned());
        }
        Slots { keys, allowed: Allowed::Numbers(min, max), may_be_open: false }
    }

    fn verdict(&self, values: &[f64], asked: &AskedAs<'_>) -> Verdict {
        let undecided = asked.undecided();
        let mut keys = asked.rubric.judged_keys(asked.category);
        keys.retain(|key| !undecided.contains(key));
        let aspects: BTreeMap<String, f64> = keys.into_iter().zip(values.iter().copied()).collect();
        let stated = values.last().filter(|_| undecided.is_empty());
        // A fixed order of the sum: BTreeMap walks by key.
        let mean = aspects.values().sum::<f64>() / aspects.len() as f64;
        let overall = stated.map(|&stated| Overall { stated, mean });
        Verdict::Category { aspects, overall, undecided }
    }
}
