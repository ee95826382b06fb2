//! The JSON schema of an answer, for servers that hold a judge to one, and the words that go with it.
//!
//! Strict: every key required, none other allowed. The reasoning is before the choice, so that it comes first.

use super::{Kind, Rubric};
use serde_json::{Map, Value, json};

/// The key of a criterion's or a score's reasoning.
pub(super) const REASONING_KEY: &str = "reasoning";
/// The key of a criterion's choice.
pub(super) const CHOICE_KEY: &str = "choice";
/// The key of a reconstruction's score.
pub(super) const SCORE_KEY: &str = "score";
/// The overall score's key in a category answer.
pub(super) const OVERALL_KEY: &str = "overall_score";

impl Rubric {
    /// What an answer looks like: an object. For a category rubric the one that its text asks for; for the others, whose text asks for
    /// a last line, one that takes that line's place.
    pub fn answer_schema(&self, category: Option<&str>) -> Value {
        match self.kind {
            Kind::Category => self.category_schema(category),
            Kind::Pairwise => {
                let options = self.options;
                let marks: Vec<String> =
                    [options.left, options.right, options.tie].iter().map(u8::to_string).collect();
                let entry = object([
                    (REASONING_KEY, json!({"type": "string"})),
                    (CHOICE_KEY, json!({"type": "string", "enum": marks})),
                ]);
                object(self.criteria.iter().map(|c| (c.key.as_str(), entry.clone())))
            }
            Kind::Reconstruction => {
                let scores: Vec<String> =
                    (self.scale.min..=self.scale.max).map(|n| n.to_string()).collect();
                object([
                    (REASONING_KEY, json!({"type": "string"})),
                    (SCORE_KEY, json!({"type": "string", "enum": scores})),
                ])
            }
        }
    }

    /// The instruction to a judge with a schema, where the rubric's text asks for another form.
    pub fn schema_note(&self, category: Option<&str>) -> Option<String> {
        match self.kind {
            Kind::Category => None,
            Kind::Pairwise => {
                let keys: Vec<String> =
                    self.criteria(category).iter().map(|c| format!("\"{}\"", c.key)).collect();
                Some(format!(
                    "Form of the answer: one JSON object in place of paragraphs and last line. Its keys are the criteria in their order: {}. Each holds \"{REASONING_KEY}\" (the criterion's paragraph, written first) and \"{CHOICE_KEY}\" (the digit of the option, as a string).",
                    keys.join(", ")
                ))
            }
            Kind::Reconstruction => Some(format!(
                "Form of the answer: one JSON object in place of text and last line, with \"{REASONING_KEY}\" (your reasoning, written first) and \"{SCORE_KEY}\" (the score, as a string)."
            )),
        }
    }

    fn category_schema(&self, category: Option<&str>) -> Value {
        let number =
            json!({"type": "number", "minimum": self.scale.min, "maximum": self.scale.max});
        let rating =
            object([("explanation", json!({"type": "string"})), ("score", number.clone())]);
        let aspects = self
            .criteria(category)
            .iter()
            .map(|criterion| (criterion.key.as_str(), rating.clone()));
        object(aspects.chain([(OVERALL_KEY, number)]))
    }
}

/// An object with exactly these keys.
fn object<'a>(entries: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let properties: Map<String, Value> =
        entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let keys: Vec<&String> = properties.keys().collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": keys,
        "additionalProperties": false,
    })
}
