//! One picture of an object or a scene, and a number for each aspect of its category.

mod aspects;

use super::answer_form::{AnswerForm, AskedAs, Declared, object};
use crate::rubric::keys::OVERALL_KEY;
use crate::rubric::read::no_answer::NoAnswer;
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
        let line = |c: &Criterion| format!("- {} (`{}`): {}", c.title, c.key, c.description);
        criteria.iter().map(line).collect::<Vec<_>>().join("\n")
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

    fn read(&self, text: &str, asked: &AskedAs<'_>) -> Result<Verdict, NoAnswer> {
        let (rubric, undecided) = (asked.rubric, asked.undecided());
        let criteria =
            rubric.criteria(asked.category).iter().map(|criterion| criterion.key.as_str());
        let keys: Vec<&str> = criteria.filter(|key| !undecided.iter().any(|u| u == key)).collect();
        if keys.is_empty() {
            return Ok(Verdict::Category { aspects: BTreeMap::new(), overall: None, undecided });
        }
        let aspects::Answer { aspects, overall: stated } =
            aspects::read(text, &keys, rubric.scale)?;
        let overall = undecided.is_empty().then(|| {
            // A fixed order of the sum: BTreeMap walks by key.
            Overall { stated, mean: aspects.values().sum::<f64>() / aspects.len() as f64 }
        });
        Ok(Verdict::Category { aspects, overall, undecided })
    }
}
