//! The wire formats that servers speak: their names, addresses and headers.

use serde::{Deserialize, Serialize};

/// What a server is spoken to in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Route {
    /// OpenAI's chat completions, as many servers speak it.
    #[serde(rename = "openai")]
    Chat,
    /// OpenAI's Responses API.
    #[serde(rename = "openai-responses")]
    Responses,
    /// Anthropic's Messages API.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// Gemini's `generateContent`.
    #[serde(rename = "gemini")]
    Gemini,
}

impl Route {
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

    /// The same for replies that are streamed.
    pub(super) fn stream_path(self, model: &str) -> String {
        match self {
            Self::Gemini => format!("/models/{model}:streamGenerateContent?alt=sse"),
            _ => self.path(model),
        }
    }

    /// The header of a key, and the text before the key in it.
    pub(super) fn key_header(self) -> (&'static str, &'static str) {
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
}
