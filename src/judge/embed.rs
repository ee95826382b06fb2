//! Texts or pictures → vectors from an embedding server. The only requests that are no questions; they go through the same transport and
//! are asked again as [`Backoff`] says.

use super::address::{Address, explained};
use super::backoff::Backoff;
use super::error::{Failure, JudgeError};
use super::secret::Secret;
use super::transport::{Limits, Transport, is_local};
use crate::rubric::Picture;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::HeaderName;
use serde_json::{Map, Value, json};
use std::time::Instant;

/// The published shape of the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedShape {
    /// `/v1/embeddings`: OpenAI, vLLM, llama.cpp, Text Embeddings Inference. Pictures as vLLM takes them, one a request, as `messages`.
    OpenAi,
    /// `/v2/embed`: Cohere and vLLM. Texts and pictures in batches.
    Cohere,
}

impl EmbedShape {
    fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/embeddings",
            Self::Cohere => "/v2/embed",
        }
    }
}

/// A server, and the request's fixed parts.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedSettings {
    pub shape: EmbedShape,
    pub model: String,
    /// Ends before `/embeddings` or `/v2/embed`.
    pub base_url: String,
    /// Further fields of the body, such as `input_type` and `dimensions`.
    pub body: Map<String, Value>,
}

/// What becomes vectors.
#[derive(Debug, Clone, Copy)]
pub enum EmbedInputs<'a> {
    Texts(&'a [String]),
    Pictures(&'a [Picture]),
}

impl EmbedInputs<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Pictures(pictures) => pictures.len(),
        }
    }
}

/// A model on a server.
#[derive(Debug)]
pub struct Embedder {
    settings: EmbedSettings,
    url: String,
    transport: Transport,
    backoff: Backoff,
}

impl Embedder {
    /// # Errors
    /// [`JudgeError::BaseUrl`], also where a key would be sent unencrypted.
    pub fn new(settings: EmbedSettings, key: Option<Secret>) -> Result<Self, JudgeError> {
        let path = settings.shape.path();
        let Address { base_url, query, host, is_secure } = Address::of(&settings.base_url, path)?;
        let is_local = is_local(&host);
        if key.is_some() && !is_local && !is_secure {
            let reason = "the key would be sent unencrypted; use https".to_owned();
            return Err(JudgeError::BaseUrl { reason });
        }
        let header = key.as_ref().and_then(|key| key.header("Bearer "));
        let headers = header.map(|value| (HeaderName::from_static("authorization"), value));
        let (headers, secrets) = (headers.into_iter().collect(), key.into_iter().collect());
        let transport = Transport::new(headers, secrets, query, Limits::default(), is_local)?;
        let url = format!("{base_url}{path}");
        Ok(Self { settings, url, transport, backoff: Backoff::default() })
    }

    /// Inputs of one request.
    pub fn batch_max(&self, are_pictures: bool) -> usize {
        match (self.settings.shape, are_pictures) {
            (EmbedShape::OpenAi, true) => 1,
            (EmbedShape::OpenAi, false) => 64,
            // Cohere takes 96; a picture has about 0.2 MB.
            (EmbedShape::Cohere, _) => 16,
        }
    }

    /// A vector for each input, in their order.
    ///
    /// # Errors
    /// [`Failure`], after the last try; a reply with another number of vectors.
    pub async fn vectors(&self, inputs: EmbedInputs<'_>) -> Result<Vec<Vec<f32>>, Failure> {
        let body = self.body(inputs).to_string().into_bytes();
        let key = blake3::hash(&body).to_hex().to_string();
        let (started, mut failures) = (Instant::now(), 0);
        loop {
            let asked = self.transport.post_json(&self.url, body.clone()).await;
            let failure = match asked.and_then(|reply| read(&reply, inputs.len())) {
                Ok(vectors) => return Ok(vectors),
                Err(failure) => failure,
            };
            failures += 1;
            let is_patient =
                failure.is_rate_limit() && started.elapsed() < self.backoff.throttled_max;
            let pause = match is_patient {
                true => self.backoff.throttled(&failure, failures, &key, 0),
                false => self.backoff.pause(&failure, failures, &key, 0),
            };
            match pause {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(explained(failure, &self.url)),
            }
        }
    }

    fn body(&self, inputs: EmbedInputs<'_>) -> Value {
        let mut body = json!({ "model": self.settings.model });
        let uri = |picture: &Picture| {
            format!("data:{};base64,{}", picture.media_type, STANDARD.encode(&picture.bytes))
        };
        match (self.settings.shape, inputs) {
            (EmbedShape::OpenAi, EmbedInputs::Texts(texts)) => body["input"] = json!(texts),
            (EmbedShape::OpenAi, EmbedInputs::Pictures(pictures)) => {
                let part = |it| json!({ "type": "image_url", "image_url": { "url": uri(it) } });
                let parts: Vec<Value> = pictures.iter().map(part).collect();
                body["messages"] = json!([{ "role": "user", "content": parts }]);
            }
            (EmbedShape::Cohere, EmbedInputs::Texts(texts)) => body["texts"] = json!(texts),
            (EmbedShape::Cohere, EmbedInputs::Pictures(pictures)) => {
                body["images"] = pictures.iter().map(uri).collect();
            }
        }
        match self.settings.shape {
            EmbedShape::OpenAi => body["encoding_format"] = json!("float"),
            EmbedShape::Cohere => body["embedding_types"] = json!(["float"]),
        }
        for (name, value) in &self.settings.body {
            body[name] = value.clone();
        }
        body
    }
}

/// Both shapes: a list of objects with an index, which decides the order, or `embeddings.float`.
fn read(reply: &Value, num: usize) -> Result<Vec<Vec<f32>>, Failure> {
    let bad = |reason: String| Failure::NotARoute { reason };
    let mut vectors = vec![Vec::new(); num];
    let listed: Vec<(usize, &Value)> = if let Some(data) = reply["data"].as_array() {
        let place = |(at, item): (usize, &Value)| item["index"].as_u64().map_or(at, |i| i as usize);
        data.iter().enumerate().map(|it| (place(it), &it.1["embedding"])).collect()
    } else {
        let of_cohere = reply["embeddings"]["float"].as_array();
        let list = of_cohere.ok_or_else(|| {
            bad("it has neither \"data\" nor \"embeddings\" with \"float\"".to_owned())
        })?;
        list.iter().enumerate().collect()
    };
    if listed.len() != num {
        return Err(bad(format!("it has {} vectors for {num} inputs", listed.len())));
    }
    for (at, vector) in listed {
        let numbers = vector.as_array().map(|list| list.iter().map(Value::as_f64));
        let numbers: Option<Vec<f32>> =
            numbers.and_then(|list| list.map(|value| value.map(|v| v as f32)).collect());
        match (vectors.get_mut(at), numbers) {
            (Some(place), Some(numbers)) if place.is_empty() && !numbers.is_empty() => {
                *place = numbers;
            }
            _ => return Err(bad(format!("vector {at} is no list of numbers, or is there twice"))),
        }
    }
    Ok(vectors)
}
