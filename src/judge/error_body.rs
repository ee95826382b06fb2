//! The error in a body, however a server or a router writes it → its code, its words and the HTTP
//! status that it names.

use super::failure::Failure;
use super::json;
use super::visible::one_line;
use serde_json::Value;

/// The error object of a body, as its code and what it says:
/// `{"error": {"message", "code", "type"}}`, `{"error": "…"}`, the same fields at the top of an
/// object that calls itself an error or has a code, MiniMax's
/// `{"base_resp": {"status_code", "status_msg"}}`, or any of these in a list.
pub(super) fn error_object(json: &Value) -> Option<(Option<String>, String)> {
    let json = json.get(0).unwrap_or(json);
    let is_error = json["object"] == "error" || json["type"] == "error";
    let error = json.get("error").filter(|error| !error.is_null());
    let ended = &json["base_resp"];
    let is_base_resp = ended["status_code"].as_u64().is_some_and(|code| code != 0);
    // Others put a code and a text at the top, with status 200 too.
    let is_reply = json["choices"].is_array() || json["code"] == 0 || json["code"].is_null();
    let is_bare = !is_reply && (json["message"].is_string() || json["msg"].is_string());
    let error = error.or_else(|| (is_error || is_bare).then_some(json));
    let error = error.or_else(|| is_base_resp.then_some(ended))?;
    let inner = error.get("error").filter(|inner| !inner.is_null());
    let word = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let details = error.get("details").and_then(Value::as_array);
    let reason = details.into_iter().flatten().find_map(|detail| word(detail.get("reason")?));
    let objects = || [Some(error), inner].into_iter().flatten();
    let named = objects().find_map(|error| CODES.iter().find_map(|key| word(error.get(key)?)));
    let is_moderated = error.pointer("/metadata/flagged_input").is_some();
    let code = is_moderated.then(|| "flagged".to_owned()).or(reason).or(named);
    let said = objects().find_map(|error| {
        let message = MESSAGES.iter().find_map(|key| error.get(key)?.as_str());
        message.or(error.as_str())
    });
    let mut message = said.map_or_else(|| one_line(&error.to_string()), one_line);
    // A router quotes the server behind it.
    if let Some(raw) = error.pointer("/metadata/raw") {
        let raw = raw.as_str().map_or_else(|| raw.to_string(), str::to_owned);
        message.push_str(&format!(": {}", one_line(&raw)));
    }
    Some((code, message))
}

const CODES: [&str; 4] = ["code", "type", "status", "status_code"];
const MESSAGES: [&str; 4] = ["message", "detail", "msg", "status_msg"];

/// Words for a status, where an error in a reply of status 200 has no number.
const STATUS_OF_WORDS: [(&str, u16); 14] = [
    ("content_filter", 400),
    ("data_inspection_failed", 400),
    ("invalid_request_error", 400),
    ("invalid_parameter_error", 400),
    ("INVALID_ARGUMENT", 400),
    ("FAILED_PRECONDITION", 400),
    ("context_length_exceeded", 400),
    ("rate_limit_error", 429),
    ("rate_limit_exceeded", 429),
    ("RESOURCE_EXHAUSTED", 429),
    // MiniMax's.
    ("1002", 429),
    ("1039", 429),
    ("1004", 401),
    ("2049", 401),
];

/// The error in a reply of status 200.
pub(super) fn error_inside(json: &Value) -> Option<Failure> {
    let (code, message) = error_object(json)?;
    let word = |(word, _): &&(&str, u16)| code.as_deref() == Some(word);
    let of_word = STATUS_OF_WORDS.iter().find(word).map(|(_, status)| *status);
    Some(Failure::ErrorInside {
        status: status_in(json, 0).or(of_word).or_else(|| status_in_words(&message)),
        code,
        message,
    })
}

/// The HTTP status in an error: at its top, else in its content, which may be JSON in a text.
fn status_in(error: &Value, depth: u8) -> Option<u16> {
    const DEPTH_MAX: u8 = 5;
    const KEYS: [&str; 6] =
        ["code", "status", "status_code", "statusCode", "http_status", "http_code"];
    let status = |value: &Value| {
        let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
        u16::try_from(number).ok().filter(|n| (400..600).contains(n))
    };
    let inner = |value: &Value| status_in(value, depth + 1);
    match error {
        _ if depth > DEPTH_MAX => None,
        Value::Object(fields) => {
            let own = KEYS.iter().find_map(|key| status(fields.get(*key)?));
            own.or_else(|| fields.values().find_map(inner))
        }
        Value::Array(items) => items.iter().find_map(inner),
        Value::String(text) if text.starts_with('{') => inner(&json::parse(text).ok()?),
        _ => None,
    }
}

/// The same of a text such as `Error code: 400 - too many images`.
fn status_in_words(text: &str) -> Option<u16> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let is_label =
        |word: &str| ["code", "status", "http", "error"].contains(&word.to_lowercase().as_str());
    words
        .iter()
        .enumerate()
        .filter(|(i, _)| *i == 0 || is_label(words[i - 1]))
        .find_map(|(_, word)| word.parse().ok().filter(|n| (400..600).contains(n)))
}
