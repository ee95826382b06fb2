//! Batches: many questions handed in at once and answered within a day, at a lower price. One file for each dialect.
//!
//! A batch is a file of lines, one request each, under a key; [`Endpoint::submit_batch`] hands it in, [`Endpoint::poll_batch`] looks how
//! far it is, [`Endpoint::batch_replies`] brings what came back. Nothing here retries or waits.

mod anthropic;
mod gemini;
mod openai;

use super::endpoint::refuses_schema;
use super::transport::{Transport, status_failure};
use super::{Again, Endpoint, Failure, Question, Response, Route};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// What one batch may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Requests.
    pub requests_max: usize,
    /// Bytes of all of them.
    pub bytes_max: u64,
}

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
        /// What it says.
        reason: String,
    },
}

/// Where the replies of a batch are that has ended; the provider's own description of it.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchEnd(Value);

/// What came of one question of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchReply {
    /// What the route would have answered to the request on its own.
    Body {
        /// HTTP status.
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
    /// Its questions.
    pub num_requests: usize,
    /// When its file was closed.
    pub sealed_at: SystemTime,
    /// Names of batches that are known to be others.
    pub known: &'a [String],
}

/// What OpenAI calls an account that has no room for more waiting tokens: the batch is sound and its time will come.
pub const WAIT_CODES: [&str; 1] = ["token_limit_exceeded"];

/// Lists are read so many pages back.
const PAGES_MAX: usize = 10;

/// Clocks may differ by so much.
const CLOCKS_APART: Duration = Duration::from_secs(600);

/// Who is spoken to.
struct Desk<'a> {
    transport: &'a Transport,
    base_url: &'a str,
    model: &'a str,
    /// Of a single request.
    path: String,
}

impl Endpoint {
    /// What one batch of this route may hold. The providers' own limits are higher (OpenAI 50,000 requests and 200 MB, Anthropic 100,000 and
    /// 256 MB, Gemini 20 MB); a batch is read into memory when it is handed in.
    pub fn batch_limits(&self) -> BatchLimits {
        match self.spec().route {
            Route::Chat | Route::Responses | Route::Anthropic => BatchLimits {
                requests_max: 10_000,
                bytes_max: 100_000_000,
            },
            Route::Gemini => BatchLimits {
                requests_max: 500,
                bytes_max: 18_000_000,
            },
        }
    }

    /// The line of a batch that puts a question under `key`.
    pub fn batch_line(&self, key: &str, question: &Question, again: Option<&Again>) -> Vec<u8> {
        let body = self.body(question, again);
        let line = match self.spec().route {
            Route::Chat | Route::Responses => {
                openai::line(key, &self.spec().route.path(&self.spec().model), body)
            }
            Route::Anthropic => anthropic::line(key, body),
            Route::Gemini => gemini::line(key, body),
        };
        let mut line = line.to_string().into_bytes();
        line.push(b'\n');
        line
    }

    /// Hands a file of lines in; returns the batch's name at the provider.
    ///
    /// # Errors
    /// [`Failure`]. Where [`Failure::may_have_cost`], it may have been taken all the same: see [`Endpoint::find_batch`].
    pub async fn submit_batch(&self, mark: &str, lines: Vec<u8>) -> Result<String, Failure> {
        let desk = self.desk();
        let name = match self.spec().route {
            Route::Chat | Route::Responses => openai::submit(&desk, mark, lines).await,
            Route::Anthropic => anthropic::submit(&desk, lines).await,
            Route::Gemini => gemini::submit(&desk, mark, lines).await,
        }?;
        checked(&name)
    }

    /// Looks for a batch that may have been handed in; its name, if it was.
    ///
    /// Anthropic's batches carry no mark: there it is one of the same size and time, and whether it is ours shows at its end, by its keys.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn find_batch(&self, lost: &LostBatch<'_>) -> Result<Option<String>, Failure> {
        let desk = self.desk();
        let found = match self.spec().route {
            Route::Chat | Route::Responses => openai::find(&desk, lost).await,
            Route::Anthropic => anthropic::find(&desk, lost).await,
            Route::Gemini => gemini::find(&desk, lost).await,
        }?;
        found.map(|name| checked(&name)).transpose()
    }

    /// How far a batch is.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn poll_batch(&self, name: &str) -> Result<BatchState, Failure> {
        let desk = self.desk();
        match self.spec().route {
            Route::Chat | Route::Responses => openai::poll(&desk, name).await,
            Route::Anthropic => anthropic::poll(&desk, name).await,
            Route::Gemini => gemini::poll(&desk, name).await,
        }
    }

    /// What came of each question of a batch that has ended: one reply for each of `keys`, which are in the order of its lines.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn batch_replies(
        &self,
        name: &str,
        end: &BatchEnd,
        keys: &[String],
    ) -> Result<Vec<(String, BatchReply)>, Failure> {
        let desk = self.desk();
        let mut said = match self.spec().route {
            Route::Chat | Route::Responses => openai::replies(&desk, end).await,
            Route::Anthropic => anthropic::replies(&desk, name).await,
            Route::Gemini => gemini::replies(end, keys),
        }?;
        Ok(keys
            .iter()
            .map(|key| {
                let reply = said.remove(key).unwrap_or(BatchReply::Missing);
                (key.clone(), reply)
            })
            .collect())
    }

    /// A reply of a batch as the attempt that it stands for.
    pub fn batch_response(&self, reply: &BatchReply, elapsed: Duration) -> Response {
        let result = match reply {
            BatchReply::Body { status, body } if (200..300).contains(status) => {
                self.read(body, *status).map(|reply| super::Reply {
                    seconds: elapsed.as_secs_f64(),
                    cost_usd: reply.cost_usd.map(|usd| usd * self.facts().batch_share),
                    ..reply
                })
            }
            BatchReply::Body { status, body } => Err(status_failure(
                *status,
                &reqwest::header::HeaderMap::new(),
                Some(body),
                "",
            )),
            BatchReply::Expired => Err(Failure::Expired),
            BatchReply::Missing => Err(Failure::Broken {
                reason: "the batch ended without a word on this question".to_owned(),
            }),
        };
        let is_schema_refused = result
            .as_ref()
            .is_err_and(|failure| self.drops_schema(refuses_schema(failure)));
        Response {
            result,
            elapsed,
            quota: None,
            is_schema_refused,
        }
    }

    fn desk(&self) -> Desk<'_> {
        let spec = self.spec();
        Desk {
            transport: self.transport(),
            base_url: self.base_url(),
            model: &spec.model,
            path: spec.route.path(&spec.model),
        }
    }
}

/// A provider's name for a thing, which becomes part of an address.
fn checked(name: &str) -> Result<String, Failure> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '=');
    if !name.is_empty() && name.len() <= 256 && name.chars().all(is_plain) && !name.contains("..") {
        return Ok(name.to_owned());
    }
    Err(Failure::NotARoute {
        reason: format!(
            "its name for a batch or a file is none: {}",
            super::transport::one_line(name)
        ),
    })
}

/// A field that must be there.
fn text_of<'a>(json: &'a Value, key: &str) -> Result<&'a str, Failure> {
    json.get(key)
        .and_then(Value::as_str)
        .ok_or_else(|| Failure::NotARoute {
            reason: format!("a batch without {key:?}"),
        })
}

/// A number, also where it is written as text.
fn count_of(json: &Value, key: &str) -> u64 {
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
fn enclosed(before: &str, lines: &[u8], after: &str) -> Vec<u8> {
    let mut body = Vec::with_capacity(before.len() + lines.len() + after.len());
    body.extend_from_slice(before.as_bytes());
    body.extend_from_slice(&listed(lines));
    body.extend_from_slice(after.as_bytes());
    body
}
