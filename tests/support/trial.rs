//! A server, its judge and their run as one value; and a provider that speaks any route.

use super::judge_server::{ChatServer, Mocks, Row, judge, limits, open, pair, rows, run};
use meshjudge::unstable::ask::{AskSettings, Summary, Unit, Work, ask};
use meshjudge::unstable::judge::{Catalogue, Judge, OpenSettings, Route};
use meshjudge::unstable::store::Store;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wiremock::matchers::method;
use wiremock::{Mock, Request, ResponseTemplate};

pub const LONG: Duration = Duration::from_secs(20);

/// A guard against a run that never ends, and no measurement.
const PATIENCE: Duration = Duration::from_secs(120);

/// Pairs of different prompts.
pub fn pairs(count: usize) -> Vec<Unit> {
    (0..count).map(|i| pair(&format!("prompt {i}"))).collect()
}

/// Asks units of these judges and keeps the answers in `folder`.
pub async fn ask_all(
    folder: &Path,
    units: Vec<Unit>,
    judges: &[Judge],
    settings: &AskSettings,
) -> Summary {
    let mut store = Store::open(folder).expect("a run folder");
    let (to, from) = tokio::sync::mpsc::channel(1);
    tokio::spawn(async move {
        for unit in units {
            if to.send(Work::Ask(unit)).await.is_err() {
                break;
            }
        }
    });
    ask(from, judges, settings, &mut store, |_| {}).await.expect("the store works")
}

/// The booked cost of a run's requests, in dollars.
pub fn spent(run: &Path) -> f64 {
    Store::read(run).unwrap().spent().unwrap().usd
}

/// The built-in models, with one of the user's.
pub fn listed(facts: &str) -> Catalogue {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.toml");
    std::fs::write(&path, format!("dated = \"a test\"\n[[models]]\n{facts}\n")).unwrap();
    Catalogue::with_file(&path).unwrap()
}

/// A judge of the chat route whose name begins with `priced`: 2 and 10 dollars for a million tokens
/// read and written, of which it writes 4,000 at most.
pub fn priced(model: &str, url: &str, total: Duration) -> Judge {
    let facts = "names = [\"priced*\"]\nroutes = [\"openai\"]\noutput_tokens_max = 4000\n\
        usd_per_million = { input = 2.0, output = 10.0 }";
    let (limits, catalogue) = (limits(total), listed(facts));
    let settings = OpenSettings { limits, catalogue, ..OpenSettings::default() };
    open(Route::Chat, model, url, None, &settings)
}

/// A server, a judge that asks it, and the run of its answers.
pub struct Trial {
    pub server: ChatServer,
    pub judge: Judge,
    pub folder: tempfile::TempDir,
}

impl Trial {
    /// The server answers the nth request (from 0) with `answer(n)`.
    pub async fn start(answer: impl Fn(usize) -> ResponseTemplate + Send + Sync + 'static) -> Self {
        Self::with(answer, |url| judge(url, None, LONG)).await
    }

    /// The same with a judge that is [`priced`].
    pub async fn priced(
        answer: impl Fn(usize) -> ResponseTemplate + Send + Sync + 'static,
    ) -> Self {
        Self::with(answer, |url| priced("priced", url, LONG)).await
    }

    pub async fn with(
        answer: impl Fn(usize) -> ResponseTemplate + Send + Sync + 'static,
        judge: impl FnOnce(&str) -> Judge,
    ) -> Self {
        let server = ChatServer::start(answer).await;
        let judge = judge(&server.base_url());
        Self { server, judge, folder: tempfile::tempdir().unwrap() }
    }

    pub fn place(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    pub async fn run(&self, num_pairs: usize, settings: &AskSettings) -> Summary {
        self.ask(pairs(num_pairs), settings).await
    }

    pub async fn ask(&self, units: Vec<Unit>, settings: &AskSettings) -> Summary {
        let place = self.place();
        let asking = run(&place, units, &self.judge, settings);
        tokio::time::timeout(PATIENCE, asking).await.expect("it ends")
    }

    pub fn rows(&self) -> Vec<Row> {
        rows(&self.place())
    }

    pub fn spent(&self) -> f64 {
        spent(&self.place())
    }

    pub fn requests(&self) -> usize {
        self.server.requests()
    }
}

/// A request as a provider saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Path and query.
    pub place: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A provider that speaks any route and keeps its requests.
pub struct FakeProvider {
    pub server: Mocks,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl FakeProvider {
    /// Answers the nth request (from 0), which has that body, with `answer(n, body)`.
    pub async fn start(
        answer: impl Fn(usize, &Value) -> ResponseTemplate + Send + Sync + 'static,
    ) -> Self {
        let server = Mocks::start().await;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (kept, count) = (Arc::clone(&seen), AtomicUsize::new(0));
        let respond = move |request: &Request| {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            let text = |value: &wiremock::http::HeaderValue| value.to_str().unwrap().to_owned();
            let headers =
                request.headers.iter().map(|(name, value)| (name.to_string(), text(value)));
            let query = request.url.query().unwrap_or_default();
            let place = format!("{}?{query}", request.url.path());
            let answer = answer(count.fetch_add(1, Ordering::SeqCst), &body);
            kept.lock().unwrap().push(Seen { place, headers: headers.collect(), body });
            answer
        };
        Mock::given(method("POST")).respond_with(respond).mount(&server).await;
        Self { server, seen }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// The word for a complete reply.
pub fn stop(route: Route) -> &'static str {
    match route {
        Route::Chat => "stop",
        Route::Responses => "completed",
        Route::Anthropic => "end_turn",
        Route::Gemini => "STOP",
    }
}

/// A reply of the route: 1,000 tokens read (400 of them cached), 200 written (50 of them
/// reasoning).
pub fn reply_of(route: Route, text: &str, finish: &str) -> Value {
    match route {
        Route::Chat => json!({
            "model": "priced-1", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "prompt_tokens_details": {"cached_tokens": 400},
                "completion_tokens_details": {"reasoning_tokens": 50}},
        }),
        Route::Responses => json!({
            "model": "priced-1", "status": if finish == "max_output_tokens" { "incomplete" } else { "completed" }, "error": null,
            "incomplete_details": if finish == "max_output_tokens" { json!({"reason": finish}) } else { Value::Null },
            "output": [{"type": "reasoning", "summary": []}, {"type": "message", "content": [{"type": "output_text", "text": text}]}],
            "usage": {"input_tokens": 1000, "input_tokens_details": {"cached_tokens": 400}, "output_tokens": 200,
                "output_tokens_details": {"reasoning_tokens": 50}},
        }),
        Route::Anthropic => json!({
            "type": "message", "model": "priced-1", "stop_reason": finish,
            "content": [{"type": "thinking", "thinking": "1 1 1 1 1 1", "signature": "s"}, {"type": "text", "text": text}],
            "usage": {"input_tokens": 600, "cache_read_input_tokens": 400, "cache_creation_input_tokens": 0, "output_tokens": 200},
        }),
        Route::Gemini => json!({
            "modelVersion": "priced-1",
            "candidates": [{"finishReason": finish, "content": {"parts": [{"text": "1 1 1 1 1 1", "thought": true}, {"text": text}]}}],
            "usageMetadata": {"promptTokenCount": 1000, "cachedContentTokenCount": 400, "candidatesTokenCount": 150, "thoughtsTokenCount": 50},
        }),
    }
}

/// A complete reply of the route.
pub fn whole(route: Route, text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(reply_of(route, text, stop(route)))
}

/// A pairwise answer by schema with these digits.
pub fn object<'a>(digits: impl IntoIterator<Item = &'a str>) -> String {
    let keys = "text_asset_alignment plausibility geometry_texture_alignment texture_details \
        geometry_details overall";
    let entries = keys.split(' ').zip(digits);
    let entry = |(key, digit): (&str, &str)| {
        (key.to_owned(), json!({"reasoning": "9 of 10", "choice": digit}))
    };
    Value::Object(entries.map(entry).collect()).to_string()
}
