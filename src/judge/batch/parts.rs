//! What all dialects of batches have in common: how far one is, what came of it, and how its lists
//! are written and read.

use crate::judge::failure::Failure;
use crate::judge::transport::Transport;
use crate::judge::visible::one_line;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How far a batch is.
#[derive(Debug, Clone, PartialEq)]
pub enum BatchState {
    /// So many of its questions are done.
    Working {
        /// Answered or failed.
        done: u64,
    },
    /// It has ended, for whatever reason, and what was answered can be fetched.
    Ended(BatchEnd),
    /// It was turned away as a whole.
    Failed {
        /// The provider's word for it.
        code: Option<String>,
        reason: String,
    },
}

/// Where the replies of a batch are that has ended; the provider's own description of it.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchEnd(pub(super) Value);

impl BatchEnd {
    /// The number of results that the provider states; 0 if it states none.
    pub(super) fn num_results(&self) -> u64 {
        let kinds = ["completed", "failed", "succeeded", "errored", "canceled", "expired"];
        kinds.iter().map(|kind| count_of(&self.0["request_counts"], kind)).sum()
    }

    /// What came of a question that its results do not mention, by the word for the whole batch.
    pub(super) fn unmentioned(&self) -> BatchReply {
        let state = self.0["status"].as_str().or(self.0["metadata"]["state"].as_str());
        let state = state.unwrap_or_default().to_lowercase();
        if state.contains("cancel") {
            BatchReply::Cancelled
        } else if state.contains("expired") {
            BatchReply::Expired
        } else {
            BatchReply::Missing
        }
    }
}

/// What came of one question of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchReply {
    /// What the route would have answered to the request on its own.
    Body {
        status: u16,
        /// A reply or an error of the route.
        body: Value,
    },
    /// The batch ended before its turn came. Nothing is charged for it.
    Expired,
    /// The batch was cancelled before its turn came. Nothing is charged for it.
    Cancelled,
    /// The batch ended, and nothing is said of it.
    Missing,
}

/// The state of a batch that may have been submitted.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// The provider has it under this name.
    Named(String),
    /// The provider does not have it.
    Nowhere,
    /// The provider shows whose a batch is only when it has ended, and has some that have not.
    Undecided,
}

/// A page of a provider's list of batches: their names, and the ending of the next page's address.
pub(super) type Page = (Vec<(String, IsOurs)>, Option<String>);

/// Whether a batch in a list bears our mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IsOurs {
    Yes,
    No,
    /// The list does not say, but the ids of its results will, once it has ended.
    AfterItsEnd,
    /// The ids of its results say it.
    InItsResults,
}

impl IsOurs {
    pub(super) fn marked(is_ours: bool) -> Self {
        if is_ours { Self::Yes } else { Self::No }
    }
}

/// The batches of a list: their names are under `name`.
pub(super) fn batches_of(
    list: &Value,
    name: &str,
    is_ours: impl Fn(&Value) -> IsOurs,
) -> Result<Vec<(String, IsOurs)>, Failure> {
    let batches = list.as_array().into_iter().flatten();
    batches.map(|batch| Ok((checked(text_of(batch, name)?)?, is_ours(batch)))).collect()
}

/// So much of a question's id is in the id of its line, after the mark of the batch: with it 64
/// characters, Anthropic's limit.
const KEY_CHARS: usize = 32;

/// The id of a question's line, which says whose the batch is.
pub(super) fn line_id(mark: &str, key: &str) -> String {
    format!("{mark}{}", key.get(..KEY_CHARS).unwrap_or(key))
}

/// The server that batches go to, and the model that they are for.
pub(super) struct BatchClient<'a> {
    pub(super) transport: &'a Transport,
    pub(super) base_url: &'a str,
    pub(super) model: &'a str,
    /// Of a single request.
    pub(super) path: String,
}

/// A provider's name for a thing, which becomes part of an address.
pub(super) fn checked(name: &str) -> Result<String, Failure> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '=');
    if !name.is_empty() && name.len() <= 256 && name.chars().all(is_plain) && !name.contains("..") {
        return Ok(name.to_owned());
    }
    Err(Failure::NotARoute {
        reason: format!("its name for a batch or a file is invalid: {}", one_line(name)),
    })
}

/// A field that must be there.
pub(super) fn text_of<'a>(json: &'a Value, key: &str) -> Result<&'a str, Failure> {
    json.get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| Failure::NotARoute { reason: format!("a batch without {key:?}") })
}

/// A number, also where it is written as text.
pub(super) fn count_of(json: &Value, key: &str) -> u64 {
    let value = &json[key];
    let written = || value.as_str()?.parse().ok();
    value.as_u64().or_else(written).unwrap_or(0)
}

/// Lines between the brackets of a list.
fn listed(lines: &[u8]) -> Vec<u8> {
    let mut list: Vec<u8> = lines.to_vec();
    if list.last() == Some(&b'\n') {
        list.pop();
    }
    // JSON of ours holds no line end of its own.
    for byte in &mut list {
        if *byte == b'\n' {
            *byte = b',';
        }
    }
    list
}

/// `before`, the list of lines, `after`.
pub(super) fn enclosed(before: &str, lines: &[u8], after: &str) -> Vec<u8> {
    let mut body = Vec::with_capacity(before.len() + lines.len() + after.len());
    body.extend_from_slice(before.as_bytes());
    body.extend_from_slice(&listed(lines));
    body.extend_from_slice(after.as_bytes());
    body
}
