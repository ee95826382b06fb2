//! What comes back from one request.

use super::failure::Failure;
use super::form::Adapted;
use super::logprobs;
use super::quota::Quota;
use crate::rubric::Finish;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a judge said, as it said it. Whether it is an answer, the rubric's reader decides.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// The text as it was received, in the form that the rubric asks for: digits on the last line,
    /// the score on the last line, or one JSON object. Markers of reasoning and tokens of chat
    /// templates are still in it.
    pub text: String,
    /// What the judge wrote besides its answer, as received: reasoning, and unoffered tool calls.
    pub reasoning: String,
    /// Keys of criteria that the judge has no means to answer, as a measuring judge and wording. In
    /// `text` such a criterion has the digit of a tie (pairwise), or is left out (category);
    /// `score` means a reconstruction that cannot be scored. The reader copies the keys into the
    /// verdict's `undecided`, and they never count as a game.
    pub undecided: Vec<String>,
    /// The model as the server names it.
    pub model_reported: Option<String>,
    /// The server's fingerprint of the model's build.
    pub fingerprint: Option<String>,
    /// Why it stopped.
    pub finish: Finish,
    /// Tokens read and written.
    pub usage: Usage,
    /// US dollars; `None` where the price is unknown, 0 for a judge that is free.
    pub cost_usd: Option<f64>,
    /// HTTP status; `None` for a judge that needs no network.
    pub http_status: Option<u16>,
    /// The tokens of `text` with their alternatives, where log-probabilities were asked for.
    pub tokens: Vec<logprobs::Token>,
}

impl Reply {
    /// Whether an object is all of its reasoning, and nothing is its text: a server that looks for
    /// reasoning in what was held to a schema takes the answer for it.
    pub(super) fn is_in_reasoning(&self) -> bool {
        let reasoning = self.reasoning.trim();
        self.text.trim().is_empty() && reasoning.starts_with('{') && reasoning.ends_with('}')
    }
}

/// Tokens as the server counted them; `None` where it did not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Read: text and pictures, cached ones included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The part of `input_tokens` that the server knew from before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Written, reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// The part of `output_tokens` that was reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
}

/// What came back from one request, and what the server said about the next one.
#[derive(Debug)]
pub struct Response {
    /// A reply, or what happened instead.
    pub result: Result<Reply, Failure>,
    /// From the request to its end.
    pub elapsed: Duration,
    /// The remainder of the server's quota, if it reports it.
    pub quota: Option<Quota>,
    /// How the next attempt differs, where the server turned the request away for its form.
    pub adapted: Option<Adapted>,
    /// Whether the answer was asked for by schema; none for a judge without a server.
    pub by_schema: Option<bool>,
}

impl Response {
    /// Of a judge that has neither a quota nor a form.
    pub(super) fn plain(result: Result<Reply, Failure>, elapsed: Duration) -> Self {
        Self { result, elapsed, quota: None, adapted: None, by_schema: None }
    }
}
