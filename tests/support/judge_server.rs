//! A server that speaks OpenAI's chat route, and questions to put to it. It looks at every picture
//! it is sent.

use super::trial::ask_all;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use meshjudge::unstable::ask::{AskSettings, Summary, Unit};
use meshjudge::unstable::judge::{
    Asset, Backoff, BreakerSettings, Endpoint, Evidence, Judge, Limits, ModelSpec, OpenSettings,
    Question, Route, Secret,
};
use meshjudge::unstable::render::{Image, PixelFormat};
use meshjudge::unstable::rubric::{Order, Picture, Rubric};
use meshjudge::unstable::store::Store;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// A good pairwise answer.
pub const ANSWER: &str = "Analysis.\n\nFinal answer:\n1 2 2 3 2 1";

/// What the server saw of its pictures: media type, width, height.
pub type Seen = Arc<Mutex<Vec<(String, u32, u32)>>>;

/// A mock server that is dropped on a thread of its own: its drop waits inside, which never ends on
/// a thread of tokio whose task has used up its share of turns.
pub struct Mocks(Option<MockServer>);

impl Mocks {
    pub async fn start() -> Self {
        Self(Some(MockServer::start().await))
    }

    /// Answers on OpenAI's chat route.
    pub async fn chat(respond: impl Respond + 'static) -> Self {
        let server = Self::start().await;
        Mock::given(method("POST"))
            .and(path("/v1/chat/completions"))
            .respond_with(respond)
            .mount(&server)
            .await;
        server
    }

    pub fn base_url(&self) -> String {
        format!("{}/v1", self.uri())
    }

    /// The flags by which a command asks the model `m` of this server.
    pub fn flags(&self) -> String {
        format!("--judge openai:m --base-url {}", self.base_url())
    }

    /// The line of a benchmark file by which this server's models are its judges.
    pub fn judges(&self, models: &[&str]) -> String {
        let url = self.base_url();
        let judge = |it| format!("{{ spec = \"openai:{it}\", base_url = \"{url}\" }}, ");
        format!("judges = [{}]", models.iter().map(judge).collect::<String>())
    }
}

impl std::ops::Deref for Mocks {
    type Target = MockServer;

    fn deref(&self) -> &MockServer {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

impl Drop for Mocks {
    fn drop(&mut self) {
        let server = self.0.take();
        // A failed expectation has said so by then.
        let _ = std::thread::spawn(move || drop(server)).join();
    }
}

/// A running server.
pub struct ChatServer {
    pub server: Mocks,
    pub requests: Arc<AtomicUsize>,
    pub seen: Seen,
}

impl ChatServer {
    /// Answers the nth request (from 0) with what `answer` makes of it.
    pub async fn start(answer: impl Fn(usize) -> ResponseTemplate + Send + Sync + 'static) -> Self {
        let requests = Arc::new(AtomicUsize::new(0));
        let seen = Seen::default();
        let (count, pictures) = (Arc::clone(&requests), Arc::clone(&seen));
        let respond = move |request: &Request| {
            let n = count.fetch_add(1, Ordering::SeqCst);
            match check(request) {
                Ok(found) => {
                    pictures.lock().unwrap().extend(found);
                    answer(n)
                }
                Err(reason) => {
                    ResponseTemplate::new(400).set_body_json(json!({"error": {"message": reason}}))
                }
            }
        };
        Self { server: Mocks::chat(respond).await, requests, seen }
    }

    pub fn base_url(&self) -> String {
        self.server.base_url()
    }

    /// See [`Mocks::flags`].
    pub fn flags(&self) -> String {
        self.server.flags()
    }

    /// What it was sent, as JSON.
    pub async fn bodies(&self) -> Vec<Value> {
        let requests = self.server.received_requests().await.unwrap();
        requests.iter().map(|request| request.body_json().unwrap()).collect()
    }

    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

/// A reply of the route.
pub fn reply(text: &str, finish: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(reply_json(text, finish))
}

pub fn reply_json(text: &str, finish: &str) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_795_255_435,
        "model": "judge-2026-11-01",
        "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text, "refusal": null}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200},
    })
}

/// An answer that a schema allows: the first of each choice, and a text for each text.
pub fn schema_answer(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match schema["properties"].as_object() {
        Some(entries) => {
            let each = entries.iter().map(|(key, entry)| {
                let text = schema_answer(entry);
                // Texts of one answer differ.
                let text =
                    text.as_str().map_or(text.clone(), |it| it.replace("a text", key).into());
                (key.clone(), text)
            });
            Value::Object(each.collect())
        }
        None if schema["type"] == "number" => schema["minimum"].clone(),
        None => "a text".into(),
    }
}

/// Whether the request is one of the route, with pictures that decode and are labelled truly.
fn check(request: &Request) -> Result<Vec<(String, u32, u32)>, String> {
    let body: Value = serde_json::from_slice(&request.body).map_err(|e| e.to_string())?;
    body["model"].as_str().ok_or("no model")?;
    body["max_completion_tokens"].as_u64().ok_or("no limit of tokens")?;
    if body.get("temperature").is_some() {
        return Err("this model takes no temperature".to_owned());
    }
    let messages = body["messages"].as_array().ok_or("no messages")?;
    let mut found = Vec::new();
    for message in messages.iter().filter(|m| m["role"] == "user") {
        let parts = message["content"].as_array().ok_or("content is no list")?;
        if parts.first().is_none_or(|part| part["type"] != "text") {
            return Err("the text does not come first".to_owned());
        }
        for part in parts.iter().filter(|part| part["type"] == "image_url") {
            let url = part["image_url"]["url"].as_str().ok_or("no URL")?;
            let (label, data) = url
                .strip_prefix("data:")
                .and_then(|u| u.split_once(";base64,"))
                .ok_or("no data URI")?;
            let bytes = STANDARD.decode(data).map_err(|e| e.to_string())?;
            let truth = if bytes.starts_with(b"\x89PNG") { "image/png" } else { "image/jpeg" };
            if label != truth {
                return Err(format!("{truth} is labelled {label}"));
            }
            let image = Image::decode(&bytes).map_err(|e| e.to_string())?;
            found.push((label.to_owned(), image.width_px, image.height_px));
        }
    }
    let is_follow_up = body.to_string().contains("Copy the final decision");
    if found.is_empty() != is_follow_up {
        return Err("no picture, or one in a follow-up".to_owned());
    }
    Ok(found)
}

/// The pictures of a request's first message.
pub fn pictures_of(body: &Value) -> Vec<image::DynamicImage> {
    let parts = body["messages"][0]["content"].as_array().unwrap();
    let urls = parts.iter().filter_map(|part| part["image_url"]["url"].as_str());
    let decode = |url: &str| STANDARD.decode(url.split(',').nth(1).unwrap()).unwrap();
    urls.map(|url| image::load_from_memory(&decode(url)).unwrap()).collect()
}

/// A judge at that address.
pub fn judge(base_url: &str, key: Option<&str>, total: Duration) -> Judge {
    let settings = OpenSettings { limits: limits(total), ..OpenSettings::default() };
    open(Route::Chat, "judge", base_url, key, &settings)
}

pub fn limits(total: Duration) -> Limits {
    Limits { total, body_bytes_max: 1 << 20, ..Limits::default() }
}

/// A model at that address.
pub fn open(
    route: Route,
    model: &str,
    base_url: &str,
    key: Option<&str>,
    settings: &OpenSettings,
) -> Judge {
    let spec = ModelSpec { route, model: model.to_owned() };
    let endpoint = Endpoint::new(&spec, Some(base_url), key.and_then(Secret::new), settings)
        .expect("a usable address");
    Judge::Model(Arc::new(endpoint))
}

/// Tries again at once, so that tests do not wait.
pub fn settings() -> AskSettings {
    AskSettings {
        concurrency: 2,
        backoff: Backoff {
            attempts_max: 3,
            base: Duration::from_millis(1),
            cap: Duration::from_millis(5),
            ..Backoff::default()
        },
        breaker: BreakerSettings {
            pause: Duration::from_millis(5),
            pause_max: Duration::from_millis(5),
            ..BreakerSettings::default()
        },
        ..AskSettings::default()
    }
}

fn asset(name: &str) -> Asset {
    Asset {
        path: format!("{name}.glb"),
        hash: blake3::hash(name.as_bytes()).to_hex().to_string(),
        method: name.to_owned(),
    }
}

/// Both orders of a pair with a 64 × 32 px sheet; pairs of different prompts are different
/// questions.
pub fn pair(prompt: &str) -> Unit {
    let rubric = Arc::new(Rubric::open("pairwise").expect("built in"));
    let questions = Order::BOTH
        .into_iter()
        .map(|order| {
            let grey = if order == Order::AsListed { 200 } else { 100 };
            let image = Image::filled(64, 32, PixelFormat::Rgb8, &[grey; 3]);
            let picture = Picture::from_image(&image).expect("encodes");
            Arc::new(Question {
                rubric: Arc::clone(&rubric),
                category: None,
                prompt: Some(prompt.to_owned()),
                photo: None,
                parts: rubric.message(None, Some(prompt), &[], &[picture], &[]).expect("a message"),
                evidence: Evidence::default(),
                a: asset("left"),
                b: Some(asset("right")),
                order,
                protocol: None,
                plan_key: None,
                view_px: Some(16),
            })
        })
        .collect();
    Unit { questions, what: prompt.to_owned(), judges: None, is_once: false }
}

/// Asks units of one judge and keeps the answers in `folder`.
pub async fn run(
    folder: &Path,
    units: Vec<Unit>,
    judge: &Judge,
    settings: &AskSettings,
) -> Summary {
    ask_all(folder, units, std::slice::from_ref(judge), settings).await
}

/// A record as users' scripts read it: one line of `export --format jsonl`.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
pub struct Row {
    pub id: String,
    pub prompt: Option<String>,
    pub a: RowAsset,
    pub b: Option<RowAsset>,
    pub order: String,
    pub sample: u32,
    pub judge: String,
    pub model_reported: Option<String>,
    pub pictures: Vec<String>,
    pub outcome: String,
    pub reason: Option<String>,
    pub verdict: Option<Value>,
    pub raw: Option<String>,
    pub attempts: u32,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub cost_usd: Option<f64>,
    pub seconds: f64,
    pub view_px: Option<u32>,
    pub probabilities: Option<Value>,
    pub reused_from: Option<String>,
    pub answers: Option<String>,
    pub restated: bool,
    pub restatement: Option<String>,
}

/// An asset in a row.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
pub struct RowAsset {
    pub path: String,
    pub hash: String,
    pub method: String,
}

/// Everything that a run kept.
pub fn rows(folder: &Path) -> Vec<Row> {
    let store = Store::read(folder).expect("a run");
    let mut rows = Vec::new();
    store
        .records(|record| {
            let row = serde_json::to_value(record).expect("plain data");
            rows.push(serde_json::from_value(row).expect("the fields of the contract"));
            Ok(())
        })
        .expect("readable rows");
    rows
}
