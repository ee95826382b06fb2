//! OpenAI's chat route, as OpenAI and many other servers speak it: [`Question`] → request JSON, response JSON → [`Reply`].
//!
//! What is sent: the parts in their order, pictures as data URIs of their true media type with `detail: high`, worked examples as
//! turns. `max_completion_tokens` limits reply and reasoning together; the older `max_tokens` is refused by reasoning models, and
//! servers that know only that one ignore ours. No temperature and no seed: models that reason refuse them.

use super::transport::{Transport, error_object, is_local};
use super::{Failure, Finish, JudgeError, Limits, Part, Question, Reply, Secret, Usage};
use base64::Engine;
use serde_json::{Value, json};

/// Where OpenAI is.
const BASE_URL: &str = "https://api.openai.com/v1";

/// A model on a server that speaks the chat route.
#[derive(Debug)]
pub struct OpenAi {
    model: String,
    base_url: String,
    transport: Transport,
}

impl OpenAi {
    /// `base_url` ends before `/chat/completions`; without one it is OpenAI's.
    ///
    /// # Errors
    /// [`JudgeError::BaseUrl`], and [`JudgeError::NoKey`] when the server is not local and there is no key.
    pub fn new(
        model: &str,
        base_url: Option<&str>,
        key: Option<Secret>,
        limits: Limits,
    ) -> Result<Self, JudgeError> {
        let (base_url, host, is_secure) = checked(base_url.unwrap_or(BASE_URL))?;
        let is_local = is_local(&host);
        if key.is_none() && !is_local {
            return Err(JudgeError::NoKey {
                judge: format!("openai:{model}"),
                variable: "OPENAI_API_KEY",
            });
        }
        if key.is_some() && !is_local && !is_secure {
            return Err(JudgeError::BaseUrl {
                reason: "the key would travel unencrypted; use https".to_owned(),
            });
        }
        Ok(Self {
            model: model.to_owned(),
            base_url,
            transport: Transport::new(key, limits, is_local)?,
        })
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(super) fn settings(&self) -> String {
        format!(
            "chat, detail high, at most {} tokens",
            self.transport.limits().output_tokens_max
        )
    }

    pub(super) async fn ask(&self, question: &Question) -> Result<Reply, Failure> {
        let body = self.request(question).to_string().into_bytes();
        let url = format!("{}/chat/completions", self.base_url);
        let (status, json) = self.transport.post(&url, body).await?;
        read(&json, status)
    }

    fn request(&self, question: &Question) -> Value {
        let mut messages = Vec::new();
        let mut content = Vec::new();
        for part in &question.parts {
            match part {
                Part::Text(text) => content.push(json!({"type": "text", "text": text})),
                Part::Picture(picture) => {
                    let data = base64::engine::general_purpose::STANDARD.encode(&picture.bytes);
                    let url = format!("data:{};base64,{data}", picture.media_type);
                    content.push(
                        json!({"type": "image_url", "image_url": {"url": url, "detail": "high"}}),
                    );
                }
                Part::ExampleAnswer(answer) => {
                    messages.push(json!({"role": "user", "content": std::mem::take(&mut content)}));
                    messages.push(json!({"role": "assistant", "content": answer}));
                }
            }
        }
        messages.push(json!({"role": "user", "content": content}));
        json!({
            "model": self.model,
            "messages": messages,
            "max_completion_tokens": self.transport.limits().output_tokens_max,
        })
    }
}

/// The URL without its last slash, its host, and whether it is encrypted.
fn checked(base_url: &str) -> Result<(String, String, bool), JudgeError> {
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
            "it must hold no user name, password, query or fragment, because it is stored with the run",
        ));
    }
    let host = url
        .host_str()
        .ok_or_else(|| refuse("it names no host"))?
        .to_owned();
    let plain = url.as_str().trim_end_matches('/');
    let plain = plain.strip_suffix("/chat/completions").unwrap_or(plain);
    Ok((plain.to_owned(), host, url.scheme() == "https"))
}

/// A reply of the chat route, or what it holds instead.
fn read(json: &Value, status: u16) -> Result<Reply, Failure> {
    let choice = json.pointer("/choices/0");
    for place in [Some(json), choice].into_iter().flatten() {
        if let Some((code, message)) = error_object(place) {
            return Err(Failure::ErrorInside { code, message });
        }
    }
    let choice = choice.ok_or_else(|| Failure::NotARoute {
        reason: "it holds no choice".to_owned(),
    })?;
    let message = choice.get("message").ok_or_else(|| Failure::NotARoute {
        reason: "its choice holds no message".to_owned(),
    })?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let refusal = message
        .get("refusal")
        .and_then(text)
        .filter(|refusal| !refusal.is_empty());
    let finish = match choice.get("finish_reason").and_then(Value::as_str) {
        _ if refusal.is_some() => Finish::Refusal,
        Some("stop" | "eos" | "end_turn") => Finish::Stop,
        Some("length" | "max_tokens") => Finish::Length,
        Some("content_filter" | "safety" | "refusal") => Finish::Refusal,
        Some(other) => Finish::Other(other.to_owned()),
        None => Finish::Unknown,
    };
    let count = |path: &str| json.pointer(path).and_then(Value::as_u64);
    Ok(Reply {
        text: refusal.unwrap_or_else(|| content_text(message.get("content"))),
        undecided: Vec::new(),
        model_reported: json.get("model").and_then(text),
        fingerprint: json.get("system_fingerprint").and_then(text),
        finish,
        usage: Usage {
            input_tokens: count("/usage/prompt_tokens"),
            output_tokens: count("/usage/completion_tokens"),
            reasoning_tokens: count("/usage/completion_tokens_details/reasoning_tokens"),
        },
        // Some routers state what they charge; nobody else's price is known here.
        cost_usd: json
            .pointer("/usage/cost")
            .and_then(Value::as_f64)
            .filter(|cost| *cost >= 0.0),
        seconds: 0.0,
        http_status: Some(status),
    })
}

/// A text, or the texts of a list of parts; nothing is an empty text.
fn content_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => (parts.iter())
            .filter_map(|part| part.get("text").and_then(Value::as_str))
            .collect(),
        _ => String::new(),
    }
}
