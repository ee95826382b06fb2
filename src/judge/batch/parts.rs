//! What all dialects of batches have in common: how far one is, what came of it, and how its lists are written and read.

use crate::judge::error::Failure;
use crate::judge::transport::{Transport, one_line};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, SystemTime};

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
    /// The batch ended, and nothing is said of it.
    Missing,
}

/// A batch that was about to be handed in and whose name never arrived.
#[derive(Debug, Clone, Copy)]
pub struct LostBatch<'a> {
    /// What it was marked with.
    pub mark: &'a str,
    pub num_requests: usize,
    /// When its file was closed.
    pub sealed_at: SystemTime,
    /// Names of batches that are known to be others.
    pub known: &'a [String],
}

/// Lists are read so many pages back.
pub(super) const PAGES_MAX: usize = 10;

/// Clocks may differ by so much.
pub(super) const CLOCKS_APART: Duration = Duration::from_secs(600);

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
        reason: format!("its name for a batch or a file is none: {}", one_line(name)),
    })
}

/// A field that must be there.
pub(super) fn text_of<'a>(json: &'a Value, key: &str) -> Result<&'a str, Failure> {
    json.get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| Failure::NotARoute {
            reason: format!("a batch without {key:?}"),
        })
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
