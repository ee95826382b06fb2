//! Texts, pictures, or both → vectors or numbers from a server. The only requests that are no
//! questions; they go through the same transport and are asked again as [`Backoff`] says.

use super::address::{Address, explained};
use super::backoff::Backoff;
use super::failure::Failure;
use super::route::{base64, data_uri};
use super::secret::Secret;
use super::transport::{Limits, Transport};
use crate::error::Error;
use crate::rubric::Picture;
use reqwest::header::HeaderName;
use serde_json::{Map, Value, json};
use std::time::Instant;
use tokio::sync::OnceCell;

/// Nobody sees a server that hangs, so it is given up sooner than one that refuses.
const TIMEOUTS_MAX: u32 = 2;

/// The published shape of the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedShape {
    /// `/v1/embeddings`: OpenAI, vLLM, Text Embeddings Inference. Pictures as vLLM takes them, one
    /// a request, as `messages`.
    OpenAi,
    /// `/v2/embed`: Cohere and vLLM. Texts and pictures in batches.
    Cohere,
    /// `/v1/embeddings` with objects in `input`.
    Jina,
    /// `/v1/multimodalembeddings`.
    Voyage,
    /// `/embeddings` with `modality`.
    Infinity,
    /// `/embeddings` of llama.cpp, which takes pictures in its own shape only: the place of a
    /// picture in a text has a name that each server draws.
    LlamaCpp,
    /// `/v1/score` of vLLM: how well a picture fits a text.
    Score,
    /// `/v1/rerank` of vLLM and Jina: the same, another shape.
    Rerank,
    /// `/pooling` of vLLM: the number of a reward model for a text with a picture.
    Pooling,
}

impl EmbedShape {
    /// As in files, after `http:`.
    pub const NAMES: [(&str, Self); 9] = [
        ("openai", Self::OpenAi),
        ("cohere", Self::Cohere),
        ("jina", Self::Jina),
        ("voyage", Self::Voyage),
        ("infinity", Self::Infinity),
        ("llamacpp", Self::LlamaCpp),
        ("score", Self::Score),
        ("rerank", Self::Rerank),
        ("pooling", Self::Pooling),
    ];

    fn path(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Jina | Self::Infinity | Self::LlamaCpp => "/embeddings",
            Self::Cohere => "/v2/embed",
            Self::Voyage => "/multimodalembeddings",
            Self::Score => "/score",
            Self::Rerank => "/rerank",
            Self::Pooling => "/pooling",
        }
    }

    /// Whether it gives a number for a picture with a text, not vectors.
    pub fn is_of_both(self) -> bool {
        matches!(self, Self::Score | Self::Rerank | Self::Pooling)
    }

    /// Inputs of one request.
    fn batch_max(self, are_pictures: bool) -> usize {
        match (self, are_pictures) {
            (Self::OpenAi, true) | (Self::Score | Self::Rerank | Self::Pooling, _) => 1,
            (Self::OpenAi, false) => 64,
            // Cohere takes 96; a picture has about 0.2 MB.
            (_, _) => 16,
        }
    }
}

/// A server, and the request's fixed parts.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbedSettings {
    pub shape: EmbedShape,
    pub model: String,
    /// Ends before the shape's path, such as `/embeddings` or `/v2/embed`.
    pub base_url: String,
    /// Further fields of the body, such as `input_type` and `dimensions`.
    pub body: Map<String, Value>,
}

/// What becomes vectors.
#[derive(Debug, Clone, Copy)]
pub enum EmbedInputs<'a> {
    Texts(&'a [String]),
    Pictures(&'a [Picture]),
    Both(&'a [(String, Picture)]),
}

impl EmbedInputs<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Pictures(pictures) => pictures.len(),
            Self::Both(both) => both.len(),
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
    /// Where llama.cpp wants to see a picture.
    marker: OnceCell<String>,
}

impl Embedder {
    /// # Errors
    /// An address that cannot be used, or where a key would be sent unencrypted.
    pub fn new(settings: EmbedSettings, key: Option<Secret>) -> Result<Self, Error> {
        let path = settings.shape.path();
        let address = Address::of(&settings.base_url, path)?;
        address.check_key(key.is_some())?;
        let Address { base_url, query, is_local, .. } = address;
        let header = key.as_ref().and_then(|key| key.header("Bearer "));
        let headers = header.map(|value| (HeaderName::from_static("authorization"), value));
        let (headers, secrets) = (headers.into_iter().collect(), key.into_iter().collect());
        let transport = Transport::new(headers, secrets, query, Limits::default(), is_local)?;
        let url = format!("{base_url}{path}");
        let (backoff, marker) = (Backoff::default(), OnceCell::new());
        Ok(Self { settings, url, transport, backoff, marker })
    }

    /// Inputs of one request.
    pub fn batch_max(&self, are_pictures: bool) -> usize {
        self.settings.shape.batch_max(are_pictures)
    }

    /// Whether it gives a number for a picture with a text.
    pub fn is_of_both(&self) -> bool {
        self.settings.shape.is_of_both()
    }

    /// A vector for each input, in their order.
    ///
    /// # Errors
    /// [`Failure`], after the last try; a reply with another number of vectors.
    pub async fn vectors(&self, inputs: EmbedInputs<'_>) -> Result<Vec<Vec<f32>>, Failure> {
        let marker = match (self.settings.shape, inputs) {
            (EmbedShape::LlamaCpp, EmbedInputs::Pictures(_)) => self.marker().await?,
            _ => "",
        };
        let body = self.body(inputs, marker).to_string().into_bytes();
        let key = blake3::hash(&body).to_hex().to_string();
        let started = Instant::now();
        let (mut throttled, mut failures, mut timeouts) = (0, 0, 0);
        loop {
            let asked = self.transport.post_json(&self.url, body.clone()).await;
            let failure = match asked.and_then(|reply| read(&reply, inputs.len())) {
                Ok(vectors) => return Ok(vectors),
                Err(failure) => failure,
            };
            let pause = if failure.is_rate_limit() && started.elapsed() < self.backoff.throttled_max
            {
                throttled += 1;
                self.backoff.throttled(&failure, throttled, &key, 0)
            } else {
                failures += 1;
                timeouts += u32::from(matches!(failure, Failure::Timeout { .. }));
                let pause = self.backoff.pause(&failure, failures, &key, 0);
                pause.filter(|_| timeouts < TIMEOUTS_MAX)
            };
            match pause {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(explained(failure, &self.url)),
            }
        }
    }

    async fn marker(&self) -> Result<&str, Failure> {
        let url = self.url.replace(EmbedShape::LlamaCpp.path(), "/props");
        let find = || async {
            let props = self.transport.get(&url).await.map_err(|e| explained(e, &url))?;
            let marker = props["media_marker"].as_str().map(str::to_owned);
            marker.ok_or_else(|| Failure::NotARoute {
                reason: format!(
                    "{url} has no \"media_marker\": start llama.cpp's server with a projector for pictures (mmproj)"
                ),
            })
        };
        self.marker.get_or_try_init(find).await.map(String::as_str)
    }

    fn body(&self, inputs: EmbedInputs<'_>, marker: &str) -> Value {
        let mut body = json!({ "model": self.settings.model });
        let fields = match inputs {
            EmbedInputs::Pictures(pictures) if self.settings.shape == EmbedShape::LlamaCpp => {
                let content = pictures.iter().map(|picture| {
                    json!({ "prompt_string": marker, "multimodal_data": [base64(picture)] })
                });
                json!({ "content": content.collect::<Value>() })
            }
            EmbedInputs::Texts(texts) => text_fields(self.settings.shape, texts),
            EmbedInputs::Pictures(pictures) => {
                picture_fields(self.settings.shape, pictures.iter().map(data_uri).collect())
            }
            EmbedInputs::Both(both) => both_fields(self.settings.shape, both),
        };
        for (name, value) in fields.as_object().into_iter().chain([&self.settings.body]).flatten() {
            body[name] = value.clone();
        }
        body
    }
}

fn text_fields(shape: EmbedShape, texts: &[String]) -> Value {
    let wrapped = |name: &str| texts.iter().map(|text| json!({ name: text })).collect::<Value>();
    match shape {
        EmbedShape::Cohere => json!({ "texts": texts, "embedding_types": ["float"] }),
        EmbedShape::LlamaCpp => json!({ "content": texts }),
        EmbedShape::Jina => json!({ "input": wrapped("text"), "embedding_type": "float" }),
        EmbedShape::Voyage => {
            let content = |text| json!({ "content": [{ "type": "text", "text": text }] });
            json!({ "inputs": texts.iter().map(content).collect::<Value>() })
        }
        _ => json!({ "input": texts, "encoding_format": "float" }),
    }
}

fn picture_fields(shape: EmbedShape, uris: Vec<String>) -> Value {
    let each = |one: &dyn Fn(&String) -> Value| uris.iter().map(one).collect::<Value>();
    match shape {
        EmbedShape::Cohere => json!({ "images": uris, "embedding_types": ["float"] }),
        EmbedShape::Jina => {
            json!({ "input": each(&|uri| json!({ "image": uri })), "embedding_type": "float" })
        }
        EmbedShape::Voyage => {
            let content = |uri: &String| json!({ "content": [{ "type": "image_base64", "image_base64": uri }] });
            json!({ "inputs": each(&content) })
        }
        EmbedShape::Infinity => {
            json!({ "input": uris, "modality": "image", "encoding_format": "float" })
        }
        _ => {
            let message = json!([{ "role": "user", "content": each(&image_part) }]);
            json!({ "messages": message, "encoding_format": "float" })
        }
    }
}

fn image_part(uri: &String) -> Value {
    json!({ "type": "image_url", "image_url": { "url": uri } })
}

/// Such a request has one text with one picture.
fn both_fields(shape: EmbedShape, both: &[(String, Picture)]) -> Value {
    let texts: Vec<&String> = both.iter().map(|(text, _)| text).collect();
    let parts: Vec<Value> =
        both.iter().map(|(_, picture)| image_part(&data_uri(picture))).collect();
    match shape {
        EmbedShape::Score => json!({ "queries": texts, "documents": { "content": parts } }),
        EmbedShape::Rerank => json!({ "query": texts.first(), "documents": { "content": parts } }),
        _ => {
            let text = texts.iter().map(|text| json!({ "type": "text", "text": text }));
            let content: Value = parts.iter().cloned().chain(text).collect();
            json!({ "messages": [{ "role": "user", "content": content }] })
        }
    }
}

/// A list of objects with an index, which decides the order (`data` or `results`; llama.cpp has
/// nothing around it), or `embeddings.float`. An object has a vector (`embedding`, with llama.cpp
/// in a list of one; `data` of a pooling server) or a number (`score`, `relevance_score`).
fn read(reply: &Value, num: usize) -> Result<Vec<Vec<f32>>, Failure> {
    let bad = |reason: String| Failure::NotARoute { reason };
    let mut vectors = vec![Vec::new(); num];
    let lists = [&reply["data"], &reply["results"], reply];
    let objects = lists.into_iter().find_map(Value::as_array);
    let listed: Vec<(usize, &Value)> = if let Some(objects) = objects {
        let place = |(at, item): (usize, &Value)| item["index"].as_u64().map_or(at, |i| i as usize);
        let found = |item: &'_ Value| {
            let names = ["embedding", "score", "relevance_score", "data"];
            names.into_iter().find(|name| item.get(name).is_some()).unwrap_or("embedding")
        };
        objects.iter().enumerate().map(|it| (place(it), &it.1[found(it.1)])).collect()
    } else {
        let of_cohere = reply["embeddings"]["float"].as_array();
        let list = of_cohere.ok_or_else(|| {
            bad("it has none of \"data\", \"results\" and \"embeddings\" with \"float\"".to_owned())
        })?;
        list.iter().enumerate().collect()
    };
    if listed.len() != num {
        return Err(bad(format!("it has {} vectors for {num} inputs", listed.len())));
    }
    for (at, vector) in listed {
        let vector = match vector.as_array().map(Vec::as_slice) {
            Some([only @ Value::Array(_)]) => only,
            Some([Value::Array(_), ..]) => {
                let reason = "it has a vector for each token; let the server pool them (in llama.cpp, set pooling to mean)";
                return Err(bad(reason.to_owned()));
            }
            _ => vector,
        };
        // In a list, a non-finite number is written as null: the input's fault, not the server's.
        let number = |value: &Value| match value.is_null() && vector.is_array() {
            true => Some(f32::NAN),
            false => value.as_f64().map(|value| value as f32),
        };
        let one = std::slice::from_ref(vector);
        let numbers: Option<Vec<f32>> =
            vector.as_array().map_or(one, Vec::as_slice).iter().map(number).collect();
        match (vectors.get_mut(at), numbers) {
            (Some(place), Some(numbers)) if place.is_empty() && !numbers.is_empty() => {
                *place = numbers;
            }
            _ => return Err(bad(format!("vector {at} is no list of numbers, or is there twice"))),
        }
    }
    Ok(vectors)
}
