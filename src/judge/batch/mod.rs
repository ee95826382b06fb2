//! Batches: many questions sent at once, answered within a day, cheaper. One file per dialect.
//!
//! A batch is a file of lines, one request each, under a key; [`Endpoint::submit_batch`] hands it
//! in, [`Endpoint::poll_batch`] looks how far it is, [`Endpoint::batch_replies`] brings what came
//! back. Nothing here retries or waits.

mod anthropic;
mod gemini;
mod openai;
mod parts;

pub use parts::{BatchEnd, BatchReply, BatchState, Found};

use super::api::Route;
use super::endpoint::Endpoint;
use super::failure::{BatchEnded, Failure};
use super::form::Form;
use super::transport::status_failure;
use super::{Question, Response, Restate};
use parts::{BatchClient, IsOurs, Page, checked, line_id};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::Duration;

/// What one batch may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    pub requests_max: usize,
    /// Bytes of all of them.
    pub bytes_max: u64,
}

/// No list of batches is longer: 100 batches a page.
const PAGES_MAX: usize = 10_000;

/// OpenAI's code for an account with no room for waiting tokens: the batch is sound and waits.
pub const WAIT_CODES: [&str; 1] = ["token_limit_exceeded"];

impl Endpoint {
    /// What one batch of this route may hold. The providers' own limits are higher (OpenAI 50,000
    /// requests and 200 MB, Anthropic 100,000 and 256 MB, Gemini 20 MB); a batch is read into
    /// memory when it is handed in.
    pub fn batch_limits(&self) -> BatchLimits {
        match self.spec().route {
            Route::Chat | Route::Responses | Route::Anthropic => {
                BatchLimits { requests_max: 10_000, bytes_max: 100_000_000 }
            }
            Route::Gemini => BatchLimits { requests_max: 500, bytes_max: 18_000_000 },
        }
    }

    /// The line that puts a question, or the request to restate its reply, into the batch of that
    /// mark; `as_text` leaves the schema out. No line of a batch is streamed.
    pub fn batch_line(
        &self,
        mark: &str,
        key: &str,
        question: &Question,
        restate: Option<&Restate>,
        as_text: bool,
    ) -> Vec<u8> {
        let form = Form { streamed: false, ..self.form(as_text) };
        let body = self.body(question, restate, form);
        let id = &line_id(mark, key);
        let line = match self.spec().route {
            Route::Chat | Route::Responses => {
                openai::line(id, &self.spec().route.path(&self.spec().model), body)
            }
            Route::Anthropic => anthropic::line(id, body),
            Route::Gemini => gemini::line(id, body),
        };
        let mut line = line.to_string().into_bytes();
        line.push(b'\n');
        line
    }

    /// Submits a file of lines; returns the batch's name at the provider.
    ///
    /// # Errors
    /// [`Failure`]. Unless the provider refused it, the batch may have been accepted all the same:
    /// see [`Endpoint::find_batch`].
    pub async fn submit_batch(&self, mark: &str, lines: Vec<u8>) -> Result<String, Failure> {
        let client = self.client();
        let name = match self.spec().route {
            Route::Chat | Route::Responses => openai::submit(&client, mark, lines).await,
            Route::Anthropic => anthropic::submit(&client, lines).await,
            Route::Gemini => gemini::submit(&client, mark, lines).await,
        }?;
        checked(&name)
    }

    /// Looks for a batch that may have been submitted, by its mark: in its description, or where
    /// that has none (Anthropic), in the ids of its results. `keys` are the questions in it, and
    /// `known` the names of other batches.
    ///
    /// # Errors
    /// [`Failure`], also where the list has no end.
    pub async fn find_batch(
        &self,
        mark: &str,
        keys: &[String],
        known: &[String],
    ) -> Result<Found, Failure> {
        let client = self.client();
        let (mut next, mut found) = (String::new(), Found::Nowhere);
        for _ in 0..PAGES_MAX {
            let (listed, then): Page = match self.spec().route {
                Route::Chat | Route::Responses => openai::page(&client, mark, &next).await,
                Route::Anthropic => anthropic::page(&client, keys.len(), &next).await,
                Route::Gemini => gemini::page(&client, mark, &next).await,
            }?;
            for (name, is_ours) in listed {
                let is_ours = match is_ours {
                    _ if known.contains(&name) => false,
                    IsOurs::Yes => true,
                    IsOurs::No => false,
                    IsOurs::AfterItsEnd => {
                        found = Found::Undecided;
                        false
                    }
                    IsOurs::InItsResults => {
                        let mut is_ours = false;
                        let each = |id: &str, _| {
                            is_ours = id.starts_with(mark) || keys.iter().any(|key| key == id);
                            ControlFlow::Break(())
                        };
                        anthropic::replies(&client, &name, each).await?;
                        is_ours
                    }
                };
                if is_ours {
                    return Ok(Found::Named(name));
                }
            }
            match then {
                Some(then) if then != next => next = then,
                Some(_) => break,
                None => return Ok(found),
            }
        }
        Err(Failure::NotARoute { reason: "its list of batches has no end".to_owned() })
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

    /// What came of the questions `keys` of a batch that has ended, and the failure that kept some
    /// of it from being read. Without a failure there is a reply for each question. Fewer results
    /// than the provider states are a failure, unless this is the last try: a file can end early at
    /// the end of a line.
    pub async fn batch_replies(
        &self,
        name: &str,
        mark: &str,
        end: &BatchEnd,
        keys: &[String],
        is_last_try: bool,
    ) -> (Vec<(String, BatchReply)>, Option<Failure>) {
        let client = self.client();
        let mut said = HashMap::new();
        let read = match self.spec().route {
            Route::Chat | Route::Responses => openai::replies(&client, end, &mut said).await,
            Route::Anthropic => {
                let each = |id: &str, reply| {
                    said.insert(id.to_owned(), reply);
                    ControlFlow::Continue(())
                };
                anthropic::replies(&client, name, each).await
            }
            Route::Gemini => {
                let ids: Vec<String> = keys.iter().map(|key| line_id(mark, key)).collect();
                gemini::replies(end, &ids, &mut said);
                Ok(())
            }
        };
        let (found, stated) = (said.len() as u64, end.num_results());
        let read = match read {
            Ok(()) if found < stated && !is_last_try => Err(Failure::Broken {
                reason: format!("the provider states {stated} results and delivers {found}"),
            }),
            read => read,
        };
        let replies = keys.iter().filter_map(|key| {
            let reply = said.remove(&line_id(mark, key));
            let missing = || read.is_ok().then(|| end.unmentioned());
            Some((key.clone(), reply.or_else(missing)?))
        });
        let replies: Vec<_> = replies.collect();
        // A bad line among the replies is not about our requests.
        let failure = read.err().filter(|_| replies.len() < keys.len());
        (replies, failure)
    }

    /// A reply of a batch as an attempt; `by_schema` is the form in which it was asked for.
    pub fn batch_response(
        &self,
        reply: &BatchReply,
        by_schema: bool,
        elapsed: Duration,
    ) -> Response {
        let ended = |why| Err(Failure::BatchEnded { why });
        let result = match reply {
            BatchReply::Body { status, body } if (200..300).contains(status) => {
                self.read(body, *status, self.facts().batch_share)
            }
            BatchReply::Body { status, body } => {
                Err(status_failure(*status, &reqwest::header::HeaderMap::new(), Some(body), ""))
            }
            BatchReply::Expired => ended(BatchEnded::Expired),
            BatchReply::Cancelled => ended(BatchEnded::Cancelled),
            BatchReply::Missing => ended(BatchEnded::Forgotten),
        };
        let result = self.settled(result);
        // Whether it had the older limit is not known any more, but no line of a batch is streamed.
        let sent = Form { by_schema, old_limit: false, streamed: true };
        let (adapted, result) = self.adapted(sent, result);
        Response { adapted, by_schema: Some(by_schema), ..Response::plain(result, elapsed) }
    }

    fn client(&self) -> BatchClient<'_> {
        let spec = self.spec();
        BatchClient {
            transport: self.transport(),
            base_url: self.root(),
            model: &spec.model,
            path: spec.route.path(&spec.model),
        }
    }
}
