//! A reply sent as a stream of server-sent events → the JSON that the route sends in one piece, so
//! that each route has one reader.
//!
//! The events say themselves of which route they are, so a stream that nobody asked for is read
//! too. A stream that ends before its reply does becomes a reply cut by its limit.

use super::failure::Failure;
use super::json;
use serde_json::{Map, Value, json};

/// Fields that name something; all other texts come in pieces and are joined.
const NAMES: [&str; 7] = ["role", "type", "id", "name", "object", "index", "format"];

/// The reply in a body of events; `None` for a body that is no stream.
pub(super) fn whole(body: &str) -> Option<Result<Value, Failure>> {
    const STARTS: [&str; 5] = ["data:", "event:", "id:", "retry:", ":"];
    let start = body.trim_start_matches('\u{feff}').trim_start();
    if !STARTS.iter().any(|field| start.starts_with(field)) {
        return None;
    }
    let mut reply = Value::Null;
    for event in events(body) {
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        if !event["error"].is_null() || kind == "error" {
            return Some(Ok(event));
        } else if kind.starts_with("response.") {
            take_response(&mut reply, &kind, event);
        } else if !event["choices"].is_null() || event["object"] == "chat.completion.chunk" {
            take_chat(&mut reply, event);
        } else if kind.is_empty() {
            take_gemini(&mut reply, event);
        } else {
            take_anthropic(&mut reply, &kind, event);
        }
    }
    if reply.is_null() {
        return Some(Err(Failure::Broken {
            reason: "the stream ended before its first event".to_owned(),
        }));
    }
    let (end, cut) = if !reply["choices"].is_null() {
        ("/choices/0/finish_reason", "length")
    } else if !reply["candidates"].is_null() {
        ("/candidates/0/finishReason", "MAX_TOKENS")
    } else {
        ("/stop_reason", "max_tokens")
    };
    if let Some(end) = reply.pointer_mut(end).filter(|end| end.is_null()) {
        *end = json!(cut);
    }
    Some(Ok(reply))
}

/// The JSON of each event. The last one may be half, where the stream broke off.
fn events(body: &str) -> Vec<Value> {
    let mut events = Vec::new();
    let mut data = String::new();
    for line in body.lines().chain([""]) {
        if let Some(more) = line.strip_prefix("data:") {
            data.push_str(more);
            data.push('\n');
        } else if line.is_empty() {
            events.extend(json::parse(data.trim()));
            data.clear();
        }
    }
    events.retain(Value::is_object);
    events
}

fn take_chat(reply: &mut Value, mut event: Value) {
    let choices = event["choices"].take();
    lay(reply, event);
    if reply["choices"].is_null() {
        reply["choices"] = json!([]);
    }
    let first = |choice: &&Value| choice["index"].as_u64().unwrap_or(0) == 0;
    for choice in choices.as_array().into_iter().flatten().filter(first) {
        if reply["choices"][0].is_null() {
            reply["choices"] = json!([{"index": 0, "message": {}, "finish_reason": null}]);
        }
        let mut choice = choice.clone();
        let said = &mut reply["choices"][0];
        for part in ["delta", "message"] {
            grow(&mut said["message"], choice[part].take());
        }
        grow(&mut said["logprobs"], choice["logprobs"].take());
        lay(said, choice);
    }
}

fn take_gemini(reply: &mut Value, mut event: Value) {
    let mut candidate = event["candidates"][0].take();
    event["candidates"].take();
    lay(reply, event);
    if candidate.is_null() {
        return;
    }
    if reply["candidates"].is_null() {
        reply["candidates"] = json!([{"content": {}, "finishReason": null}]);
    }
    let said = &mut reply["candidates"][0];
    grow(&mut said["content"], candidate["content"].take());
    lay(said, candidate);
}

fn take_anthropic(reply: &mut Value, kind: &str, mut event: Value) {
    let place = event["index"].as_u64().unwrap_or(0) as usize;
    match kind {
        "message_start" => *reply = event["message"].take(),
        "content_block_start" => {
            if let Some(blocks) = reply["content"].as_array_mut() {
                blocks.push(event["content_block"].take());
            }
        }
        "content_block_delta" => {
            if let Some(block) = reply["content"].get_mut(place) {
                let mut delta = event["delta"].take();
                delta["type"].take();
                grow(block, delta);
            }
        }
        "message_delta" => {
            lay(reply, event["delta"].take());
            count(&mut reply["usage"], event["usage"].take());
        }
        _ => {}
    }
}

/// The last event holds the whole reply; until it comes, it is one that was cut.
fn take_response(reply: &mut Value, kind: &str, mut event: Value) {
    match kind {
        "response.completed" | "response.incomplete" | "response.failed" => {
            *reply = event["response"].take();
        }
        "response.created" => {
            *reply = event["response"].take();
            reply["status"] = json!("incomplete");
            reply["incomplete_details"] = json!({"reason": "max_output_tokens"});
            reply["output"] =
                json!([{"type": "message", "content": [{"type": "output_text", "text": ""}]}]);
        }
        "response.output_text.delta" => {
            if let Some(text) = reply.pointer_mut("/output/0/content/0/text") {
                grow(text, event["delta"].take());
            }
        }
        _ => {}
    }
}

/// Replaces fields by those of a later event; what it leaves open stays.
fn lay(reply: &mut Value, later: Value) {
    let Value::Object(later) = later else { return };
    if !reply.is_object() {
        *reply = Value::Object(Map::new());
    }
    for (key, value) in later.into_iter().filter(|(_, value)| !value.is_null()) {
        match key.as_str() {
            "usage" | "usageMetadata" => count(&mut reply[key], value),
            _ => reply[key] = value,
        }
    }
}

/// Takes the larger of two counts: they grow with the stream, and some events have only zeros.
fn count(said: &mut Value, later: Value) {
    match (said, later) {
        (_, Value::Null) => {}
        (Value::Object(fields), Value::Object(later)) => {
            for (key, value) in later {
                count(fields.entry(key).or_insert(Value::Null), value);
            }
        }
        (said, later) if said.as_f64() > later.as_f64() => {}
        (said, later) => *said = later,
    }
}

/// Joins a piece to what came before: texts to texts, list parts to the parts that they continue.
fn grow(said: &mut Value, piece: Value) {
    // Some servers send reasoning as a list and the answer as a text, in either order.
    let as_part = |text: Value| json!([{"type": "text", "text": text}]);
    if piece.is_array() && said.as_str().is_some_and(|text| !text.is_empty()) {
        *said = as_part(said.take());
    }
    match (said, piece) {
        (_, Value::Null) => {}
        (Value::String(text), Value::String(more)) => text.push_str(&more),
        (Value::Object(fields), Value::Object(more)) => {
            for (key, value) in more {
                let field = fields.entry(&key).or_insert(Value::Null);
                if NAMES.contains(&key.as_str()) && !value.is_null() {
                    *field = value
                } else {
                    grow(field, value)
                }
            }
        }
        (Value::Array(parts), Value::Array(more)) => {
            for part in more {
                match parts.last_mut().filter(|last| goes_on(last, &part)) {
                    Some(last) => grow(last, part),
                    None => parts.push(part),
                }
            }
        }
        (parts @ Value::Array(_), text @ Value::String(_)) => grow(parts, as_part(text)),
        (said, piece) => *said = piece,
    }
}

fn goes_on(last: &Value, part: &Value) -> bool {
    let is_same = |key: &str| last[key] == part[key];
    let is_named =
        ["index", "type", "text"].iter().any(|key| !part[*key].is_null() && !last[*key].is_null());
    is_named && ["index", "type", "thought"].iter().all(|key| is_same(key))
}
