//! Everything that one request says, and what reading its reply has in common on all routes.

use crate::judge::failure::Failure;
use crate::judge::logprobs::{Alternative, Token};
use crate::judge::models::Facts;
use crate::rubric::Part;
use serde_json::Value;

/// Everything that one request says.
#[derive(Debug)]
pub(in crate::unstable::judge) struct Call<'a> {
    pub model: &'a str,
    pub parts: &'a [Part],
    /// The text after the parts: the place of the answer if a schema is used.
    pub note: Option<String>,
    pub facts: &'a Facts,
    /// What the answer must look like, where it is held to a schema.
    pub schema: Option<&'a Value>,
    pub output_tokens_max: u32,
    pub temperature: Option<f64>,
    pub wants_logprobs: bool,
}

/// The name that a schema travels under.
pub(super) const SCHEMA_NAME: &str = "verdict";

/// Alternatives that are asked for with each token: three marks, and room for their spellings.
pub(super) const TOP_LOGPROBS: u32 = 10;

pub(super) fn not_a_route(reason: &str) -> Failure {
    Failure::NotARoute { reason: reason.to_owned() }
}

/// What it means that a reply holds nothing under `key`: of this route it is empty, which passes;
/// else it is of another.
pub(super) fn missing(json: &Value, key: &str) -> Failure {
    // Gemini leaves the key out.
    let is_of_route = json.get(key).is_some() || json.get("usageMetadata").is_some();
    let reason = format!("it holds no {key}");
    if is_of_route { Failure::Empty { reason } } else { Failure::NotARoute { reason } }
}

/// More tokens are in no request: the longest contexts hold ten million.
const TOKENS_MAX: u64 = 100_000_000;

/// No request costs more, in US dollars: that many tokens, a hundred dollars the million.
const COST_USD_MAX: f64 = 10_000.0;

/// A count of tokens; `None` for what cannot be one. Some servers write whole numbers as `12.0`.
pub(super) fn count(value: &Value) -> Option<u64> {
    let whole =
        |n: f64| (n.fract() == 0.0 && (0.0..=TOKENS_MAX as f64).contains(&n)).then_some(n as u64);
    let count = value.as_u64().or_else(|| value.as_f64().and_then(whole));
    count.filter(|count| *count <= TOKENS_MAX)
}

/// A cost that a server states, in US dollars; `None` for what cannot be one.
pub(super) fn dollars(value: &Value) -> Option<f64> {
    let written = || value.as_str()?.parse().ok();
    value.as_f64().or_else(written).filter(|usd| (0.0..=COST_USD_MAX).contains(usd))
}

/// A server's token with its alternatives; `logprob` is the server's name for the logarithm.
pub(super) fn token(token: &Value, others: Option<&Value>, logprob: &str) -> Token {
    let text = |value: &Value| value.get("token").and_then(string).unwrap_or_default();
    let alternative = |value: &Value| Alternative {
        text: text(value),
        logprob: value.get(logprob).and_then(Value::as_f64).unwrap_or(f64::NEG_INFINITY),
    };
    let others = others.and_then(Value::as_array).into_iter().flatten();
    Token { text: text(token), alternatives: others.map(alternative).collect() }
}

pub(super) fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
