//! The JSON schema of an answer, for servers that hold a judge to one.

use super::{Kind, Rubric};
use serde_json::{Value, json};

impl Rubric {
    /// What a category answer must look like: every key required, none other allowed, and the reason before the number, so that
    /// it is thought of first. `None` for rubrics that are answered on a line of text.
    pub fn answer_schema(&self, category: Option<&str>) -> Option<Value> {
        if self.kind != Kind::Category {
            return None;
        }
        let number =
            json!({"type": "number", "minimum": self.scale.min, "maximum": self.scale.max});
        let rating = json!({
            "type": "object",
            "properties": {"explanation": {"type": "string"}, "score": number},
            "required": ["explanation", "score"],
            "additionalProperties": false,
        });
        let mut keys: Vec<&str> = (self.criteria(category).iter())
            .map(|criterion| criterion.key.as_str())
            .collect();
        let mut properties: serde_json::Map<String, Value> = (keys.iter())
            .map(|key| ((*key).to_owned(), rating.clone()))
            .collect();
        properties.insert(super::read::OVERALL_KEY.to_owned(), number);
        keys.push(super::read::OVERALL_KEY);
        Some(json!({
            "type": "object",
            "properties": properties,
            "required": keys,
            "additionalProperties": false,
        }))
    }
}
