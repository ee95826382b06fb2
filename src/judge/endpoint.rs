//! A model on a server: [`Question`] → one request → [`Reply`] with its cost.

use super::address::{Address, explained};
use super::api::Route;
use super::failure::Failure;
use super::form::{Adapted, Form, Forms, exceeds_context};
use super::models::Facts;
use super::secret::Secret;
use super::spec::ModelSpec;
use super::transport::Transport;
use super::tuning::mark_shared;
use super::{OpenSettings, Question, Reply, Response, Restate};
use crate::error::Error;
use crate::judge::route::{Call, surcharge_tokens};
use crate::options::Tuning;
use crate::rubric::{Finish, Part, RESTATEMENT_TOKENS_MAX};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// A model on a server that speaks one of the routes.
#[derive(Debug)]
pub struct Endpoint {
    spec: ModelSpec,
    /// As the user gave it, with its query.
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
    tuning: Tuning,
    /// Whether the user names the older limit of tokens, by giving it in `body`.
    is_limit_old: bool,
    forms: Forms,
    is_cut_said: AtomicBool,
}

impl Endpoint {
    /// `base_url` ends before the route's own path; without one it is the provider's.
    ///
    /// # Errors
    /// An address that cannot be used, no key for a server that is not local, a setting that the
    /// model does not support or that cannot be used.
    pub fn new(
        spec: &ModelSpec,
        base_url: Option<&str>,
        key: Option<Secret>,
        settings: &OpenSettings,
    ) -> Result<Self, Error> {
        let (route, model) = (spec.route, &spec.model);
        let address = Address::of(base_url.unwrap_or(route.base_url()), &route.path(model))?;
        let tuning = &settings.tuning;
        let wrong = |reason: String| {
            Error::judge(format!("the settings of {spec} cannot be used: {reason}"))
        };
        tuning.check(route).map_err(wrong)?;
        let has_secret = key.is_some() || tuning.has_secret();
        if !has_secret && !address.is_local && !settings.is_dry {
            return Err(Error::judge(format!(
                "the judge {spec} needs a key; set {}, or give the base URL of a local server",
                route.key_variable()
            ))
            .option("base_url"));
        }
        address.check_key(has_secret)?;
        let Address { base_url, query, is_local, .. } = address;
        let mut facts = settings.catalogue.facts(route, model);
        if base_url != route.base_url() {
            if !facts.is_price_stated {
                facts.price = None;
            }
            if !facts.is_batch_share_stated {
                facts.batch_share = 1.0;
            }
        }
        let unfit = |setting: &str| {
            Error::judge(format!("the model {spec} does not support {setting}; leave it out, or declare the support in a model list")).option("models")
        };
        if settings.temperature.is_some() && !facts.takes_temperature {
            return Err(unfit("a temperature"));
        }
        if settings.wants_logprobs && !facts.has_logprobs {
            return Err(unfit("log-probabilities"));
        }
        let of_body = |key: &str| tuning.body.as_ref()?.get(key)?.as_u64()?.try_into().ok();
        let old_limit: Option<u32> = of_body("max_tokens").filter(|_| route == Route::Chat);
        let limit = settings.limits.output_tokens_max;
        let limit = limit.min(facts.output_tokens_max.unwrap_or(limit));
        let limit = tuning.max_output_tokens.or(old_limit).unwrap_or(limit);
        if tuning.effort_tokens().is_some_and(|tokens| tokens >= limit) {
            return Err(wrong(format!(
                "`effort` must be below `max_output_tokens`, which is {limit}"
            )));
        }
        let (headers, secrets) = headers(route, key, query.as_deref(), settings).map_err(wrong)?;
        Ok(Self {
            spec: spec.clone(),
            base_url: match &query {
                Some(query) => format!("{base_url}?{query}"),
                None => base_url,
            },
            is_local,
            transport: Transport::new(headers, secrets, query, settings.limits, is_local)?,
            output_tokens_max: limit,
            temperature: settings.temperature,
            wants_logprobs: settings.wants_logprobs,
            is_structured: settings.allows_schema,
            in_batches: settings.in_batches,
            tuning: tuning.clone(),
            is_limit_old: old_limit.is_some(),
            forms: Forms::default(),
            is_cut_said: AtomicBool::new(false),
            facts,
        })
    }

    pub fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Without a slash at its end; with the query, if it has one.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The same without the query.
    pub(super) fn root(&self) -> &str {
        self.base_url.split('?').next().unwrap_or_default()
    }

    /// Whether its server is this machine or one of a private network.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// The known facts of the model, with its price only where it applies.
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
        if self.in_batches { self.facts.batch_share } else { 1.0 }
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
        said + &self.tuning.words()
    }

    /// Maximum tokens of the question: one per byte of text, pictures by the model's rule.
    pub(super) fn input_tokens_max(&self, question: &Question) -> u64 {
        // A schema and its note repeat the keys of the rubric.
        let mut tokens = if self.is_structured {
            let category = question.category.as_deref();
            let schema = question.rubric.answer_schema(category).to_string().len();
            (schema + question.rubric.schema_note().map_or(0, str_len)) as u64
        } else {
            0
        };
        tokens += self.tokens_max(&question.parts);
        tokens
    }

    /// What the request to restate a reply to a question costs at most, in US dollars, whatever
    /// that reply is; `None` where the price is unknown.
    pub(super) fn restatement_usd_max(&self, question: &Question) -> Option<f64> {
        let price = self.facts.price?;
        let input = question.rubric.restatement_bytes_max(question.category.as_deref());
        let output = f64::from(self.restatement_tokens_max());
        Some((input as f64 * price.input + output * price.output) / 1e6)
    }

    /// Fields of the user's may set a longer limit, and reasoning that needs it.
    fn restatement_tokens_max(&self) -> u32 {
        match &self.tuning.body {
            Some(_) => self.output_tokens_max,
            None => self.output_tokens_max.min(RESTATEMENT_TOKENS_MAX),
        }
    }

    fn tokens_max(&self, parts: &[Part]) -> u64 {
        let of = |part: &Part| match part {
            Part::Text(text) | Part::ExampleAnswer(text) => text.len() as u64,
            Part::Picture(picture) => {
                self.facts.picture.tokens(picture.width_px, picture.height_px)
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
        let input = input_tokens as f64 * price.input * (1.0 + self.tuning.cache_write_share());
        let output = f64::from(self.output_tokens_max) * price.output;
        Some((input + output) / 1e6)
    }

    /// Puts a question, in the form that the server takes; `as_text` leaves the schema out.
    pub(super) async fn ask(
        &self,
        question: &Question,
        restate: Option<&Restate>,
        as_text: bool,
    ) -> Response {
        let form = self.form(as_text);
        self.send(&self.body(question, restate, form), form).await
    }

    /// One request that says something which is no question of a rubric. Never retries.
    pub async fn ask_freely(&self, parts: &[Part]) -> Response {
        let form = self.form(true);
        let body = self.request(&self.call(parts), form, &self.tuning);
        self.send(&body, form).await
    }

    /// Whether the next question is asked by schema.
    pub fn asks_by_schema(&self, as_text: bool) -> bool {
        self.form(as_text).by_schema
    }

    /// Whether it is not known yet if the server takes a schema: the first reply decides.
    pub fn is_form_open(&self) -> bool {
        self.is_structured && self.forms.is_schema_open()
    }

    /// The server refused a schema in an earlier call.
    pub fn refuse_schema(&self) {
        self.forms.refuse_schema();
    }

    /// The form of the next request.
    pub(super) fn form(&self, as_text: bool) -> Form {
        self.forms.next(Form {
            by_schema: self.is_structured && !as_text,
            old_limit: self.is_limit_old,
            streamed: self.tuning.stream == Some(true),
        })
    }

    /// The request that puts a question in that form.
    pub(super) fn body(&self, question: &Question, restate: Option<&Restate>, form: Form) -> Value {
        let category = question.category.as_deref();
        if let Some(restate) = restate {
            let rubric = &question.rubric;
            let text = rubric.restatement_text(&restate.raw, category, form.by_schema);
            let parts = [Part::Text(text)];
            let schema = form.by_schema.then(|| rubric.restatement_schema(category));
            let call = Call {
                schema: schema.as_ref(),
                output_tokens_max: self.restatement_tokens_max(),
                ..self.call(&parts)
            };
            return self.request(&call, form, &self.tuning.with_least_effort());
        }
        let schema = form.by_schema.then(|| question.rubric.answer_schema(category));
        let note = form.by_schema.then(|| question.rubric.schema_note());
        let mut request = self.request(
            &Call {
                schema: schema.as_ref(),
                note: note.flatten(),
                wants_logprobs: self.wants_logprobs,
                ..self.call(&question.parts)
            },
            form,
            &self.tuning,
        );
        if self.tuning.caches() {
            let shared = question.rubric.text(category).unwrap_or_default();
            mark_shared(&mut request, question, shared);
        }
        request
    }

    fn request(&self, call: &Call<'_>, form: Form, tuning: &Tuning) -> Value {
        let route = self.spec.route;
        let mut request = route.request(call);
        if form.old_limit && route == Route::Chat {
            request["max_tokens"] = request["max_completion_tokens"].take();
            request.as_object_mut().map(|fields| fields.shift_remove("max_completion_tokens"));
        }
        if form.streamed && route != Route::Gemini {
            request["stream"] = json!(true);
        }
        if form.streamed && route == Route::Chat {
            request["stream_options"] = json!({"include_usage": true});
        }
        tuning.lay_over(route, &mut request);
        request
    }

    /// How the next request differs from one of that form that ended so; an error about its length
    /// gets the setting that helps.
    pub(super) fn adapted(
        &self,
        sent: Form,
        mut result: Result<Reply, Failure>,
    ) -> (Option<Adapted>, Result<Reply, Failure>) {
        let failure = match &mut result {
            Err(failure) => failure,
            Ok(reply) => return (self.forms.replied(sent, reply.is_in_reasoning()), result),
        };
        let adapted = self.forms.failed(sent, failure);
        if adapted.is_none()
            && exceeds_context(failure, self.output_tokens_max)
            && let Failure::Status { message, .. } | Failure::ErrorInside { message, .. } = failure
        {
            message.push_str(&format!(
                "; the server's context must have room for the question and for max_output_tokens, which is {}: lower it, or give the server a longer context",
                self.output_tokens_max
            ));
        }
        (adapted, result)
    }

    fn call<'a>(&'a self, parts: &'a [Part]) -> Call<'a> {
        Call {
            model: &self.spec.model,
            parts,
            note: None,
            facts: &self.facts,
            schema: None,
            output_tokens_max: self.output_tokens_max,
            temperature: self.temperature,
            wants_logprobs: false,
        }
    }

    async fn send(&self, body: &Value, form: Form) -> Response {
        let start = Instant::now();
        let (route, model) = (self.spec.route, &self.spec.model);
        let path = if form.streamed { route.stream_path(model) } else { route.path(model) };
        let url = format!("{}{path}", self.root());
        let (posted, quota) = self.transport.post(&url, body.to_string().into_bytes()).await;
        let read = posted.and_then(|(status, json)| self.read(&json, status, 1.0));
        let result = self.settled(read.map_err(|failure| explained(failure, &url)));
        let (adapted, result) = self.adapted(form, result);
        Response {
            adapted,
            by_schema: Some(form.by_schema),
            quota,
            ..Response::plain(result, start.elapsed())
        }
    }

    /// The cost is the larger one of what the server states and what its tokens cost at `share` of
    /// the list price: a router states 0 where another account pays.
    pub(super) fn read(&self, json: &Value, status: u16, share: f64) -> Result<Reply, Failure> {
        let reply = self.spec.route.read(json, status)?;
        let counted = self.facts.price.and_then(|price| {
            Some(price.of(&reply.usage)? + surcharge_tokens(json) * price.input / 1e6)
        });
        let counted = counted.map(|usd| usd * share);
        // Nothing, where there is a price, is no statement.
        let stated = reply.cost_usd.filter(|usd| *usd > 0.0 || self.facts.price.is_none());
        let finish = match reply.finish {
            Finish::Unknown if !self.facts.states_ending => Finish::Stop,
            finish => finish,
        };
        let cost_usd = stated.into_iter().chain(counted).reduce(f64::max);
        Ok(Reply { cost_usd, finish, ..reply })
    }

    /// A question that a filter refused is a refusal like the model's own.
    pub(super) fn settled(&self, result: Result<Reply, Failure>) -> Result<Reply, Failure> {
        match result {
            Err(failure) if failure.is_filtered() => Ok(Reply {
                text: failure.to_string(),
                finish: Finish::Refusal,
                http_status: failure.http_status(),
                cost_usd: (!failure.may_have_cost()).then_some(0.0),
                ..Reply::default()
            }),
            result => result,
        }
    }

    /// The message, once, about a server that read less than it was sent.
    pub fn truncation(&self, question: &Question, reply: &Reply) -> Option<String> {
        // The longest tokens of prose average about 5 bytes, the smallest pictures about 64 tokens.
        const BYTES_PER_TOKEN: usize = 8;
        const PICTURE_TOKENS: u64 = 32;
        /// Servers cut at a power of two from here on.
        const CONTEXT_MIN: u64 = 2048;
        let read = reply.usage.input_tokens.filter(|read| *read > 0)?;
        let least = |part: &Part| match part {
            Part::Text(text) | Part::ExampleAnswer(text) => (text.len() / BYTES_PER_TOKEN) as u64,
            Part::Picture(_) => PICTURE_TOKENS,
        };
        let least: u64 = question.parts.iter().map(least).sum();
        let is_context = read >= CONTEXT_MIN && read.is_power_of_two();
        let is_cut = read < least || is_context;
        (is_cut && !self.is_cut_said.swap(true, Relaxed)).then(|| {
            format!(
                "reports {read} prompt tokens, so its server seems to have cut the prompt or a picture off; give it a longer context (Ollama: num_ctx or OLLAMA_CONTEXT_LENGTH)"
            )
        })
    }
}

fn str_len(text: String) -> usize {
    text.len()
}

/// The headers of every request, and which are secret. The user's headers replace the route's.
fn headers(
    route: Route,
    key: Option<Secret>,
    query: Option<&str>,
    settings: &OpenSettings,
) -> Result<(Headers, Vec<Secret>), String> {
    let (mut headers, mut secrets) = (Headers::new(), Vec::new());
    for (name, value) in route.headers() {
        headers.push((HeaderName::from_static(name), HeaderValue::from_static(value)));
    }
    // Azure's deployments, which are known by this field, take a key so and no other way.
    let is_azure = query.is_some_and(|query| query.contains("api-version="));
    let (name, prefix) = match (route, is_azure) {
        (Route::Chat | Route::Responses, true) => ("api-key", ""),
        _ => route.key_header(),
    };
    if let Some((key, value)) = key.and_then(|key| Some((key.clone(), key.header(prefix)?))) {
        headers.push((HeaderName::from_static(name), value));
        secrets.push(key);
    }
    for (name, value, own) in settings.tuning.headers(settings.is_dry)? {
        headers.retain(|(known, _)| *known != name);
        headers.push((name, value));
        secrets.extend(own);
    }
    Ok((headers, secrets))
}

type Headers = Vec<(HeaderName, HeaderValue)>;
