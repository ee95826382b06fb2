//! Batches: many questions handed in at once and answered within a day, at a lower price. One file for each dialect.
//!
//! A batch is a file of lines, one request each, under a key; [`Endpoint::submit_batch`] hands it in, [`Endpoint::poll_batch`] looks how
//! far it is, [`Endpoint::batch_replies`] brings what came back. Nothing here retries or waits.

mod anthropic;
mod gemini;
mod openai;
mod parts;

pub use parts::{BatchEnd, BatchReply, BatchState, LostBatch};

use super::api::Route;
use super::endpoint::{Endpoint, refuses_schema};
use super::error::Failure;
use super::transport::status_failure;
use super::{Question, Response};
use crate::judge::route::Again;
use parts::{BatchClient, checked};
use std::time::Duration;

/// What one batch may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    pub requests_max: usize,
    /// Bytes of all of them.
    pub bytes_max: u64,
}

/// What OpenAI calls an account that has no room for more waiting tokens: the batch is sound and its time will come.
pub const WAIT_CODES: [&str; 1] = ["token_limit_exceeded"];

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
        let client = self.client();
        let name = match self.spec().route {
            Route::Chat | Route::Responses => openai::submit(&client, mark, lines).await,
            Route::Anthropic => anthropic::submit(&client, lines).await,
            Route::Gemini => gemini::submit(&client, mark, lines).await,
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
        let client = self.client();
        let found = match self.spec().route {
            Route::Chat | Route::Responses => openai::find(&client, lost).await,
            Route::Anthropic => anthropic::find(&client, lost).await,
            Route::Gemini => gemini::find(&client, lost).await,
        }?;
        found.map(|name| checked(&name)).transpose()
    }

    /// How far a batch is.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn poll_batch(&self, name: &str) -> Result<BatchState, Failure> {
        let client = self.client();
        match self.spec().route {
            Route::Chat | Route::Responses => openai::poll(&client, name).await,
            Route::Anthropic => anthropic::poll(&client, name).await,
            Route::Gemini => gemini::poll(&client, name).await,
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
        let client = self.client();
        let mut said = match self.spec().route {
            Route::Chat | Route::Responses => openai::replies(&client, end).await,
            Route::Anthropic => anthropic::replies(&client, name).await,
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

    fn client(&self) -> BatchClient<'_> {
        let spec = self.spec();
        BatchClient {
            transport: self.transport(),
            base_url: self.base_url(),
            model: &spec.model,
            path: spec.route.path(&spec.model),
        }
    }
}
