//! What a user sets for one judge: effort, further fields and headers of its requests, streams, the
//! limit of tokens, caching.
//!
//! All of it is part of a question's key, as it was written: a header names the variable of a
//! secret, never its value.

use super::api::Route;
use super::question::Question;
use super::route::{CACHE_WRITE_HOUR_SHARE, CACHE_WRITE_SHARE};
use super::secret::{Secret, is_credential, is_secret_name};
use crate::options::Tuning;
use crate::rubric::Part;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};

/// Fields that the program itself decides: with other values, rows would be wrong.
const OWN_FIELDS: [&str; 6] = ["model", "messages", "input", "contents", "stream", "n"];

impl Tuning {
    /// Refuses what the route lacks and what would write a secret down; the reason in words.
    pub(super) fn check(&self, route: Route) -> Result<(), String> {
        let is_number = self.effort_tokens().is_some();
        if is_number && matches!(route, Route::Chat | Route::Responses) {
            return Err("`effort` must be a word on this route, such as low or high".to_owned());
        }
        let is_word = |word: &String| {
            !word.is_empty()
                && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        };
        if !self.effort.as_ref().is_none_or(is_word) {
            return Err("`effort` must be one word or a number of tokens".to_owned());
        }
        if self.max_output_tokens == Some(0) {
            return Err("`max_output_tokens` must be at least 1".to_owned());
        }
        if self.caches() && route != Route::Anthropic {
            return Err(
                "`cache` marks requests of the anthropic route; this server caches by itself"
                    .to_owned(),
            );
        }
        let body = self.body.iter().flatten();
        if let Some((key, _)) = body.clone().find(|(key, _)| OWN_FIELDS.contains(&key.as_str())) {
            return Err(format!("`body` cannot set {key:?}, which the program decides"));
        }
        let written = format!(
            "it is stored with the run, so a secret goes into `headers` as the name of a variable, {:?}",
            "$NAME"
        );
        for (key, value) in body {
            if has_credential(key, value) {
                return Err(format!("{key:?} of `body` looks like a secret; {written}"));
            }
        }
        for (name, value) in self.headers.iter().flatten() {
            let is_secret = is_secret_name(name) && variables(value).next().is_none();
            if is_secret || value.split_whitespace().any(is_credential) {
                return Err(format!("the header {name:?} looks like a secret; {written}"));
            }
        }
        Ok(())
    }

    pub(super) fn caches(&self) -> bool {
        self.cache == Some(true)
    }

    /// How much more than reading the input costs if all of it is written to a cache, as a share.
    pub(super) fn cache_write_share(&self) -> f64 {
        let body = Value::Object(self.body.clone().unwrap_or_default()).to_string();
        match (body.contains("\"cache_control\""), body.contains("\"1h\"")) {
            (true, true) => CACHE_WRITE_HOUR_SHARE,
            (true, false) => CACHE_WRITE_SHARE,
            (false, _) if self.caches() => CACHE_WRITE_SHARE,
            (false, _) => 0.0,
        }
    }

    pub(super) fn effort_tokens(&self) -> Option<u32> {
        self.effort.as_ref()?.parse().ok()
    }

    /// Whether a header brings a secret, so that the route's own key is not sent.
    pub(super) fn has_secret(&self) -> bool {
        self.headers.iter().flatten().any(|(_, value)| variables(value).next().is_some())
    }

    /// The headers with their variables' values, and these values. `is_dry` reads no variable.
    pub(super) fn headers(
        &self,
        is_dry: bool,
    ) -> Result<Vec<(HeaderName, HeaderValue, Vec<Secret>)>, String> {
        let mut headers = Vec::new();
        for (name, written) in self.headers.iter().flatten().filter(|_| !is_dry) {
            let mut value = written.clone();
            let mut secrets = Vec::new();
            // A longer name first, so that none is taken for the beginning of another.
            let mut names: Vec<&str> = variables(written).collect();
            names.sort_by_key(|name| std::cmp::Reverse(name.len()));
            for variable in names {
                let held = Secret::from_env(variable).map_err(|e| e.to_string())?;
                let held = held.ok_or(format!(
                    "the header {name:?} needs the variable {variable}, which is not set"
                ))?;
                value = held.put_into(&value, &format!("${variable}"));
                secrets.push(held);
            }
            let unfit = |_| format!("{name:?} cannot be a header");
            let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unfit(()))?;
            let mut value = HeaderValue::from_str(&value).map_err(|_| unfit(()))?;
            value.set_sensitive(!secrets.is_empty());
            headers.push((key, value, secrets));
        }
        Ok(headers)
    }

    /// Lays effort and further fields over a request.
    pub(super) fn lay_over(&self, route: Route, request: &mut Value) {
        if let Some(effort) = &self.effort {
            match (route, self.effort_tokens()) {
                (Route::Chat, _) => request["reasoning_effort"] = json!(effort),
                (Route::Responses, _) => request["reasoning"]["effort"] = json!(effort),
                (Route::Anthropic, None) => request["output_config"]["effort"] = json!(effort),
                (Route::Anthropic, Some(tokens)) => {
                    request["thinking"] = json!({"type": "enabled", "budget_tokens": tokens});
                }
                (Route::Gemini, effort_tokens) => {
                    let (key, value) = match effort_tokens {
                        Some(tokens) => ("thinkingBudget", json!(tokens)),
                        None => ("thinkingLevel", json!(effort)),
                    };
                    request["generationConfig"]["thinkingConfig"][key] = value;
                }
            }
        }
        if let Some(body) = &self.body {
            merge(request, &Value::Object(body.clone()));
        }
    }

    /// The same for a request that needs no thought: low effort in place of the user's word, and
    /// none in place of a number of tokens.
    pub(super) fn with_least_effort(&self) -> Self {
        let words = self.effort.as_ref().filter(|_| self.effort_tokens().is_none());
        let is_least = |word: &&String| ["none", "minimal", "low"].contains(&word.as_str());
        let effort = words.map(|word| Some(word).filter(is_least).map_or("low", String::as_str));
        Self { effort: effort.map(str::to_owned), ..self.clone() }
    }

    /// As a question's key holds it; nothing where nothing is set.
    pub(super) fn words(&self) -> String {
        let mut words = String::new();
        let mut say = |word: String| words.push_str(&format!(", {word}"));
        if let Some(effort) = &self.effort {
            say(format!("effort {effort}"));
        }
        if let Some(body) = self.body.as_ref().filter(|body| !body.is_empty()) {
            let mut body = Value::Object(body.clone());
            body.sort_all_objects();
            say(format!("body {body}"));
        }
        for (name, value) in self.headers.iter().flatten() {
            say(format!("header {}: {value}", name.to_lowercase()));
        }
        if self.stream == Some(true) {
            say("streamed".to_owned());
        }
        if self.caches() {
            say("with cache marks".to_owned());
        }
        words
    }
}

/// Marks the end of the common beginning of a rubric's questions: its worked examples, else its
/// text, which becomes a separate block.
pub(super) fn mark_shared(request: &mut Value, question: &Question, shared: &str) {
    let is_example = |part: &&Part| matches!(part, Part::ExampleAnswer(_));
    let examples = question.parts.iter().filter(is_example).count();
    let mark = json!({"type": "ephemeral"});
    let turn = (2 * examples).saturating_sub(1);
    let Some(blocks) = request["messages"][turn]["content"].as_array_mut() else {
        return;
    };
    let first = blocks.first().and_then(|block| block["text"].as_str());
    let rest = first.and_then(|text| text.strip_prefix(shared)).map(str::to_owned);
    match (examples, rest) {
        (0, Some(rest)) if !rest.trim().is_empty() && !shared.trim().is_empty() => {
            blocks[0]["text"] = json!(rest);
            blocks.insert(0, json!({"type": "text", "text": shared, "cache_control": mark}));
        }
        (1.., _) => {
            if let Some(last) = blocks.last_mut() {
                last["cache_control"] = mark;
            }
        }
        _ => {}
    }
}

/// The variables that a header's value names: `$NAME`.
fn variables(value: &str) -> impl Iterator<Item = &str> {
    value.split('$').skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        Some(&rest[..end.unwrap_or(rest.len())]).filter(|name| !name.is_empty())
    })
}

fn has_credential(key: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => is_secret_name(key) || is_credential(text),
        Value::Array(items) => items.iter().any(|item| has_credential(key, item)),
        Value::Object(map) => map.iter().any(|(key, value)| has_credential(key, value)),
        _ => false,
    }
}

/// A JSON merge patch, RFC 7396.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (key, value) in patch {
        match (value, target.as_object_mut()) {
            (Value::Null, Some(fields)) => {
                fields.shift_remove(key);
            }
            _ => merge(&mut target[key], value),
        }
    }
}
