//! The routes: how a question is worded on the wire, and how a reply is read. One file each.
//!
//! A route knows nothing of keys' values, of retries, or of prices.

mod anthropic;
mod chat;
mod gemini;
mod message;
mod responses;

pub use message::Again;

use super::{Facts, Failure, Part, Reply};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a server is spoken to in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Route {
    /// OpenAI's chat completions, as many servers speak it.
    #[serde(rename = "openai")]
    Chat,
    /// OpenAI's responses.
    #[serde(rename = "openai-responses")]
    Responses,
    /// Anthropic's messages.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// Gemini's generateContent.
    #[serde(rename = "gemini")]
    Gemini,
}

/// How a key travels: the header, and what stands before the key in it.
pub(super) type KeyHeader = (&'static str, &'static str);

/// Everything that one request says.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub model: &'a str,
    pub parts: &'a [Part],
    /// Said after the parts: where the answer stands when it is held to a schema.
    pub note: Option<String>,
    pub facts: &'a Facts,
    /// What the answer must look like, where it is held to a schema.
    pub schema: Option<&'a Value>,
    /// What was wrong with the answer before.
    pub again: Option<&'a Again>,
    pub output_tokens_max: u32,
    pub temperature: Option<f64>,
    pub wants_logprobs: bool,
}

/// The name that a schema travels under.
const SCHEMA_NAME: &str = "verdict";

/// Alternatives that are asked for with each token: three marks, and room for their spellings.
const TOP_LOGPROBS: u32 = 10;

impl Route {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Chat, Self::Responses, Self::Anthropic, Self::Gemini];

    /// As a spec begins.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "openai",
            Self::Responses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The environment variable that holds the key.
    pub fn key_variable(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "OPENAI_API_KEY",
            Self::Anthropic => "ANTHROPIC_API_KEY",
            Self::Gemini => "GEMINI_API_KEY",
        }
    }

    /// Where the provider itself is.
    pub fn base_url(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        }
    }

    /// What follows the base URL.
    pub(super) fn path(self, model: &str) -> String {
        match self {
            Self::Chat => "/chat/completions".to_owned(),
            Self::Responses => "/responses".to_owned(),
            Self::Anthropic => "/messages".to_owned(),
            Self::Gemini => format!("/models/{model}:generateContent"),
        }
    }

    pub(super) fn key_header(self) -> KeyHeader {
        match self {
            Self::Chat | Self::Responses => ("authorization", "Bearer "),
            Self::Anthropic => ("x-api-key", ""),
            Self::Gemini => ("x-goog-api-key", ""),
        }
    }

    /// Headers that are no secret.
    pub(super) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Anthropic => &[("anthropic-version", "2023-06-01")],
            Self::Chat | Self::Responses | Self::Gemini => &[],
        }
    }

    pub(super) fn request(self, call: &Call<'_>) -> Value {
        match self {
            Self::Chat => chat::request(call),
            Self::Responses => responses::request(call),
            Self::Anthropic => anthropic::request(call),
            Self::Gemini => gemini::request(call),
        }
    }

    /// A reply of the route, or what it holds instead. Its cost is filled in where the server states one.
    pub(super) fn read(self, json: &Value, status: u16) -> Result<Reply, Failure> {
        let reply = match self {
            Self::Chat => chat::read(json),
            Self::Responses => responses::read(json),
            Self::Anthropic => anthropic::read(json),
            Self::Gemini => gemini::read(json),
        }?;
        Ok(Reply {
            http_status: Some(status),
            ..reply
        })
    }
}

fn not_a_route(reason: &str) -> Failure {
    Failure::NotARoute {
        reason: reason.to_owned(),
    }
}

fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
