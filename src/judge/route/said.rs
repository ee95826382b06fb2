//! The content of a reply → its text and what was written apart from it, by the types of its parts.

use serde_json::Value;

/// Texts of a reply, in their order.
#[derive(Debug, Default)]
pub(super) struct Said {
    text: Vec<String>,
    reasoning: Vec<String>,
}

impl Said {
    /// Text joined by line breaks, so that an answer line stays a line.
    pub(super) fn text(&self) -> String {
        self.text.join("\n")
    }

    pub(super) fn reasoning(&self) -> String {
        self.reasoning.join("\n")
    }

    /// A text, a part, or a list of parts. A part whose type is not that of a text is reasoning.
    pub(super) fn add(&mut self, content: &Value) {
        match content {
            Value::String(text) => self.text.push(text.clone()),
            Value::Array(parts) => parts.iter().for_each(|part| self.add(part)),
            Value::Object(part) => {
                let kind = part.get("type").and_then(Value::as_str);
                let is_text = matches!(kind, None | Some("text" | "output_text"));
                // Gemini marks its thoughts.
                let is_thought = part.get("thought") == Some(&Value::Bool(true));
                let is_call =
                    kind.is_some_and(|kind| kind.ends_with("_use") || kind.ends_with("_call"));
                match part.get("text") {
                    Some(text) if is_text && !is_thought => self.add(text),
                    _ if is_call || part.contains_key("functionCall") => {
                        self.add_tool_call(content)
                    }
                    _ => self.add_reasoning(content),
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A text, or every text of a part or a list of parts.
    pub(super) fn add_reasoning(&mut self, content: &Value) {
        match content {
            Value::String(text) if !text.is_empty() => self.reasoning.push(text.clone()),
            Value::Array(parts) => parts.iter().for_each(|part| self.add_reasoning(part)),
            Value::Object(part) => {
                for key in ["text", "thinking", "reasoning", "summary", "content"] {
                    part.get(key).into_iter().for_each(|text| self.add_reasoning(text));
                }
            }
            _ => {}
        }
    }

    /// A call of a tool that nobody offered: kept, never read as an answer.
    pub(super) fn add_tool_call(&mut self, call: &Value) {
        let is_empty = call.is_null() || call.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            self.reasoning.push(format!("tool call: {call}"));
        }
    }
}
