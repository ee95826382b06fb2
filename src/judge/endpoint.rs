//! A model on a server: [`Question`] → one request → [`Reply`] with its cost.

use super::api::Route;
use super::error::{Failure, JudgeError};
use super::models::Facts;
use super::quota::Quota;
use super::secret::Secret;
use super::spec::ModelSpec;
use super::transport::{Limits, Transport, is_local};
use super::{OpenSettings, Question, Reply};
use crate::judge::route::{Again, Call};
use crate::rubric::Part;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};

/// A model on a server that speaks one of the routes.
#[derive(Debug)]
pub struct Endpoint {
    spec: ModelSpec,
    base_url: String,
    is_local: bool,
    transport: Transport,
    facts: Facts,
    output_tokens_max: u32,
    temperature: Option<f64>,
    wants_logprobs: bool,
    /// Whether answers are asked for by schema, as the settings say.
    is_structured: bool,
    in_batches: bool,
    /// Set when the server refused the schema; from then on answers are asked for as text.
    is_schema_refused: AtomicBool,
}

/// What a request brought beside its reply.
#[derive(Debug)]
pub(super) struct Asked {
    pub result: Result<Reply, Failure>,
    pub quota: Option<Quota>,
    pub is_schema_refused: bool,
}

impl Endpoint {
    /// `base_url` ends before the route's own path; without one it is the provider's.
    ///
    /// # Errors
    /// [`JudgeError::BaseUrl`], [`JudgeError::NoKey`] when the server is not local and there is no key, [`JudgeError::Unfit`] for a
    /// setting that the model does not support.
    pub fn new(
        spec: &ModelSpec,
        base_url: Option<&str>,
        key: Option<Secret>,
        settings: &OpenSettings,
    ) -> Result<Self, JudgeError> {
        let (route, model) = (spec.route, &spec.model);
        let (base_url, host, is_secure) =
            checked(base_url.unwrap_or(route.base_url()), &route.path(model))?;
        let is_local = is_local(&host);
        if key.is_none() && !is_local && !settings.is_dry {
            return Err(JudgeError::NoKey {
                judge: spec.to_string(),
                variable: route.key_variable(),
            });
        }
        if key.is_some() && !is_local && !is_secure {
            return Err(JudgeError::BaseUrl {
                reason: "the key would be sent unencrypted; use https".to_owned(),
            });
        }
        let mut facts = settings.catalogue.facts(route, model);
        if base_url != route.base_url() {
            if !facts.is_price_stated {
                facts.price = None;
            }
            if !facts.is_batch_share_stated {
                facts.batch_share = 1.0;
            }
        }
        let unfit = |setting: &str| JudgeError::Unfit {
            judge: spec.to_string(),
            setting: setting.to_owned(),
        };
        if settings.temperature.is_some() && !facts.takes_temperature {
            return Err(unfit("a temperature"));
        }
        if settings.wants_logprobs && !facts.has_logprobs {
            return Err(unfit("log-probabilities"));
        }
        let limit = settings.limits.output_tokens_max;
        Ok(Self {
            spec: spec.clone(),
            base_url,
            is_local,
            transport: Transport::new(route, key, settings.limits, is_local)?,
            output_tokens_max: limit.min(facts.output_tokens_max.unwrap_or(limit)),
            temperature: settings.temperature,
            wants_logprobs: settings.wants_logprobs,
            is_structured: facts.is_structured && settings.allows_schema,
            in_batches: settings.in_batches,
            is_schema_refused: AtomicBool::new(false),
            facts,
        })
    }

    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Whether its server is this machine or one of a private network.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// What is known of the model, its price only where it holds.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Tokens that it may write for one answer.
    pub fn output_tokens_max(&self) -> u32 {
        self.output_tokens_max
    }

    pub fn in_batches(&self) -> bool {
        self.in_batches
    }

    /// What a question costs as a share of the listed price: less than 1 in batches.
    pub fn price_share(&self) -> f64 {
        if self.in_batches {
            self.facts.batch_share
        } else {
            1.0
        }
    }

    pub(super) fn transport(&self) -> &Transport {
        &self.transport
    }

    pub(super) fn settings(&self) -> String {
        let route = match self.spec.route {
            Route::Chat => "chat",
            route => route.name(),
        };
        let mut said = String::from(route);
        if let Some(detail) = &self.facts.detail {
            said.push_str(&format!(", detail {detail}"));
        }
        said.push_str(&format!(", at most {} tokens", self.output_tokens_max));
        if self.is_structured {
            said.push_str(", by schema where it is taken");
        }
        if let Some(temperature) = self.temperature {
            said.push_str(&format!(", temperature {temperature}"));
        }
        if self.wants_logprobs {
            said.push_str(", log-probabilities");
        }
        said
    }

    /// Tokens that the question has at most: every byte of text one token, pictures by the model's rule.
    pub(super) fn input_tokens_max(&self, question: &Question, again: Option<&Again>) -> u64 {
        // A schema and its note repeat the keys of the rubric.
        let mut tokens = if self.is_structured {
            let category = question.category.as_deref();
            let schema = question.rubric.answer_schema(category).to_string().len();
            (schema + question.rubric.schema_note(category).map_or(0, str_len)) as u64
        } else {
            0
        };
        tokens += self.tokens_max(&question.parts);
        tokens + again.map_or(0, |again| (again.raw.len() + again.word.len()) as u64)
    }

    fn tokens_max(&self, parts: &[Part]) -> u64 {
        let of = |part: &Part| match part {
            Part::Text(text) | Part::ExampleAnswer(text) => text.len() as u64,
            Part::Picture(picture) => {
                (self.facts.picture).tokens(picture.width_px, picture.height_px)
            }
        };
        parts.iter().map(of).sum()
    }

    /// What saying that costs at most, in US dollars; `None` where the price is unknown.
    pub fn cost_usd_max_of(&self, parts: &[Part]) -> Option<f64> {
        self.cost_usd_max(self.tokens_max(parts))
    }

    pub(super) fn cost_usd_max(&self, input_tokens: u64) -> Option<f64> {
        let price = self.facts.price?;
        let input = input_tokens as f64 * price.input;
        let output = f64::from(self.output_tokens_max) * price.output;
        Some((input + output) / 1e6)
    }

    /// Puts a question, by schema unless the server refused one before.
    pub(super) async fn ask(&self, question: &Question, again: Option<&Again>) -> Asked {
        let asked = self.send(&self.body(question, again)).await;
        let is_refused = asked.result.as_ref().is_err_and(refuses_schema);
        Asked {
            is_schema_refused: self.drops_schema(is_refused),
            ..asked
        }
    }

    /// Says something that is no question of a rubric.
    pub(super) async fn say(&self, parts: &[Part]) -> Asked {
        let body = self.spec.route.request(&self.call(parts));
        self.send(&body).await
    }

    /// The request that puts a question, by schema unless the server refused one before.
    pub(super) fn body(&self, question: &Question, again: Option<&Again>) -> Value {
        let by_schema = self.asks_by_schema();
        let category = question.category.as_deref();
        let schema = by_schema.then(|| question.rubric.answer_schema(category));
        let note = by_schema.then(|| question.rubric.schema_note(category));
        self.spec.route.request(&Call {
            schema: schema.as_ref(),
            note: note.flatten(),
            again,
            wants_logprobs: self.wants_logprobs,
            ..self.call(&question.parts)
        })
    }

    fn asks_by_schema(&self) -> bool {
        self.is_structured && !self.is_schema_refused.load(Ordering::Relaxed)
    }

    /// From now on no schema is sent, if one was refused that may have been sent; whether that is so.
    pub(super) fn drops_schema(&self, is_refused: bool) -> bool {
        // Requests that were under way when the first one was refused are turned away as well.
        let drops = self.is_structured && is_refused;
        if drops {
            self.is_schema_refused.store(true, Ordering::Relaxed);
        }
        drops
    }

    fn call<'a>(&'a self, parts: &'a [Part]) -> Call<'a> {
        Call {
            model: &self.spec.model,
            parts,
            note: None,
            facts: &self.facts,
            schema: None,
            again: None,
            output_tokens_max: self.output_tokens_max,
            temperature: self.temperature,
            wants_logprobs: false,
        }
    }

    async fn send(&self, body: &Value) -> Asked {
        let path = self.spec.route.path(&self.spec.model);
        let url = format!("{}{path}", self.base_url);
        let (posted, quota) = (self.transport)
            .post(&url, body.to_string().into_bytes())
            .await;
        Asked {
            result: posted.and_then(|(status, json)| self.read(&json, status, 1.0)),
            quota,
            is_schema_refused: false,
        }
    }

    /// A cost that the server states counts as it is; one of counted tokens is at `share` of the listed price.
    pub(super) fn read(&self, json: &Value, status: u16, share: f64) -> Result<Reply, Failure> {
        let reply = self.spec.route.read(json, status)?;
        let counted = self.facts.price.and_then(|price| price.of(&reply.usage));
        Ok(Reply {
            cost_usd: reply.cost_usd.or(counted.map(|usd| usd * share)),
            ..reply
        })
    }
}

fn str_len(text: String) -> usize {
    text.len()
}

/// Whether a request was turned away for its schema, and would be taken without one.
pub(super) fn refuses_schema(failure: &Failure) -> bool {
    const WORDS: [&str; 8] = [
        "schema",
        "response_format",
        "responseformat",
        "output_config",
        "output_format",
        "text.format",
        "structured output",
        "grammar",
    ];
    let Failure::Status {
        status: 400 | 422,
        message,
        ..
    } = failure
    else {
        return false;
    };
    let message = message.to_lowercase();
    WORDS.iter().any(|word| message.contains(word))
}

/// The URL without its last slash and without the route's path, its host, and whether it is encrypted.
fn checked(base_url: &str, path: &str) -> Result<(String, String, bool), JudgeError> {
    let refuse = |reason: &str| JudgeError::BaseUrl {
        reason: reason.to_owned(),
    };
    let url = reqwest::Url::parse(base_url).map_err(|e| refuse(&e.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("it must begin with http:// or https://"));
    }
    if !url.username().is_empty()
        || url.password().is_some()
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return Err(refuse(
            "it must not contain a user name, password, query or fragment, because it is stored with the run",
        ));
    }
    let host = url
        .host_str()
        .ok_or_else(|| refuse("it names no host"))?
        .to_owned();
    let plain = url.as_str().trim_end_matches('/');
    let plain = plain.strip_suffix(path).unwrap_or(plain);
    Ok((plain.to_owned(), host, url.scheme() == "https"))
}

impl Default for OpenSettings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            catalogue: super::Catalogue::built_in(),
            allows_schema: true,
            temperature: None,
            wants_logprobs: false,
            in_batches: false,
            is_dry: false,
        }
    }
}
