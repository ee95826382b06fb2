//! The servers that docs/JUDGES.md lists: settings as written there, replies in each server's
//! documented shape, through the whole chain.

use crate::support::assets::demo;
use crate::support::judge_server::{ANSWER, Mocks, Row, limits, open, pair, rows, run, settings};
use crate::support::program::{Run, command};
use meshjudge::unstable::ask::Summary;
use meshjudge::unstable::judge::{Catalogue, Judge, OpenSettings, Route};
use meshjudge::unstable::options::Tuning;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wiremock::matchers::method;
use wiremock::{Mock, Request, ResponseTemplate};

const KEY: &str = "key-never-to-be-seen-77";

/// A request as a server saw it.
#[derive(Debug, Clone)]
struct Seen {
    /// Path and query.
    place: String,
    headers: Vec<(String, String)>,
    body: Value,
}

/// Tuning as a benchmark file says it.
fn tuning(toml: &str) -> Tuning {
    toml::from_str(toml).unwrap()
}

/// Asks pairs of a server under `base` and returns rows, requests and summary.
async fn asked(
    (route, model, base): (Route, &str, &str),
    open_settings: &OpenSettings,
    num_pairs: usize,
    answer: impl Fn(usize, &Value) -> ResponseTemplate + Send + Sync + 'static,
) -> (Vec<Row>, Vec<Seen>, Summary) {
    let server = Mocks::start().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (kept, count) = (Arc::clone(&seen), AtomicUsize::new(0));
    let respond = move |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let headers = request
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        kept.lock().unwrap().push(Seen {
            place: format!("{}?{}", request.url.path(), request.url.query().unwrap_or_default()),
            headers: headers.collect(),
            body: body.clone(),
        });
        answer(count.fetch_add(1, Ordering::SeqCst), &body)
    };
    Mock::given(method("POST")).respond_with(respond).mount(&server).await;
    let folder = tempfile::tempdir().unwrap();
    let judge = open(route, model, &format!("{}{base}", server.uri()), Some(KEY), open_settings);
    let units = (0..num_pairs).map(|i| pair(&format!("prompt {i}"))).collect();
    let summary = run(folder.path(), units, &judge, &settings()).await;
    let seen = seen.lock().unwrap().clone();
    (rows(folder.path()), seen, summary)
}

fn with(tuning: Tuning) -> OpenSettings {
    OpenSettings { limits: limits(Duration::from_secs(20)), tuning, ..OpenSettings::default() }
}

const CHAT: (Route, &str, &str) = (Route::Chat, "judge", "/v1");

fn chat(text: &str) -> Value {
    json!({"id": "c", "object": "chat.completion", "model": "m", "usage": {"prompt_tokens": 1500, "completion_tokens": 50},
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]})
}

fn body(status: u16, body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(body)
}

fn events(events: &[Value]) -> String {
    let event = |event: &Value| match event["type"].as_str() {
        Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    };
    events.iter().map(event).collect()
}

fn streamed(text: String) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(text, "text/event-stream")
}

/// One row of the table in docs/JUDGES.md.
struct Server {
    name: &'static str,
    judge: (Route, &'static str, &'static str),
    /// As in its example there.
    tuning: &'static str,
    /// Turns the first form of a request away, where it does.
    refuses: fn(&Value) -> Option<(u16, Value)>,
    reply: fn() -> ResponseTemplate,
    /// Fields of the last request.
    sends: Vec<(&'static str, Value)>,
}

/// Two words of a text, for pieces of a stream.
fn halves() -> (&'static str, &'static str) {
    ANSWER.split_at(ANSWER.len() - 5)
}

fn dashscope() -> ResponseTemplate {
    let delta = |delta: Value, finish: Option<&str>| {
        json!({"object": "chat.completion.chunk", "model": "qwen3-vl-plus",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    };
    let (start, end) = halves();
    streamed(
        events(&[
            delta(
                json!({"role": "assistant", "content": null, "reasoning_content": "1 1 1 1 1 1"}),
                None,
            ),
            delta(json!({"content": start, "reasoning_content": null}), None),
            delta(json!({"content": end}), Some("stop")),
            json!({"object": "chat.completion.chunk", "model": "qwen3-vl-plus", "choices": [],
                "usage": {"prompt_tokens": 1500, "completion_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 20}}}),
        ]) + "data: [DONE]\n\n",
    )
}

fn servers() -> Vec<Server> {
    let takes_all: fn(&Value) -> Option<(u16, Value)> = |_| None;
    let chat_reply: fn() -> ResponseTemplate = || body(200, &chat(ANSWER));
    vec![
        Server {
            name: "OpenAI, reasoning models",
            judge: (Route::Responses, "gpt-5.4", "/v1"),
            tuning: "effort = \"low\"",
            refuses: takes_all,
            reply: || {
                body(
                    200,
                    &json!({"status": "completed", "model": "gpt-5.4", "error": null, "output": [
                {"type": "reasoning", "summary": []}, {"type": "message", "content": [{"type": "output_text", "text": object()}]}],
                "usage": {"input_tokens": 1500, "output_tokens": 90, "output_tokens_details": {"reasoning_tokens": 40}}}),
                )
            },
            sends: vec![
                ("/reasoning/effort", json!("low")),
                ("/text/format/type", json!("json_schema")),
            ],
        },
        Server {
            name: "Claude with thinking",
            judge: (Route::Anthropic, "claude-opus-4-8", "/v1"),
            tuning: "effort = \"medium\"\nbody = { thinking = { type = \"adaptive\" } }\ncache = true",
            refuses: takes_all,
            reply: || {
                body(
                    200,
                    &json!({"type": "message", "model": "claude-opus-4-8", "stop_reason": "end_turn", "content": [
                {"type": "thinking", "thinking": "1 1 1 1 1 1", "signature": "s"}, {"type": "text", "text": object()}],
                "usage": {"input_tokens": 500, "cache_creation_input_tokens": 1000, "cache_read_input_tokens": 0, "output_tokens": 90}}),
                )
            },
            sends: vec![
                ("/output_config/effort", json!("medium")),
                ("/thinking/type", json!("adaptive")),
                ("/messages/0/content/0/cache_control/type", json!("ephemeral")),
            ],
        },
        Server {
            name: "Gemini with a thinking budget",
            judge: (Route::Gemini, "gemini-2.5-flash", "/v1beta"),
            tuning: "effort = \"2048\"",
            refuses: takes_all,
            reply: || {
                body(
                    200,
                    &json!({"modelVersion": "gemini-2.5-flash", "candidates": [{"finishReason": "STOP", "content": {"parts": [
                {"text": "1 1 1 1 1 1", "thought": true}, {"text": object()}]}}],
                "usageMetadata": {"promptTokenCount": 1500, "candidatesTokenCount": 50, "thoughtsTokenCount": 40}}),
                )
            },
            sends: vec![("/generationConfig/thinkingConfig/thinkingBudget", json!(2048))],
        },
        Server {
            name: "Qwen-VL on DashScope",
            judge: (Route::Chat, "qwen3-vl-plus", "/compatible-mode/v1"),
            tuning: "stream = true\nbody = { enable_thinking = true, thinking_budget = 2048 }",
            refuses: |request| {
                (request["stream"] != true).then(|| (400, json!({"error": {"code": "invalid_parameter_error",
                "message": "parameter.enable_thinking must be set to false for non-streaming calls"}})))
            },
            reply: dashscope,
            sends: vec![
                ("/stream", json!(true)),
                ("/stream_options/include_usage", json!(true)),
                ("/thinking_budget", json!(2048)),
            ],
        },
        Server {
            name: "GLM-V",
            judge: (Route::Chat, "glm-4.5v", "/api/paas/v4"),
            tuning: "body = { thinking = { type = \"enabled\" } }",
            refuses: takes_all,
            reply: || {
                let mut said = chat(ANSWER);
                said["choices"][0]["message"]["reasoning_content"] = json!("1 1 1 1 1 1");
                body(200, &said)
            },
            sends: vec![("/thinking/type", json!("enabled"))],
        },
        Server {
            name: "Mistral",
            judge: (Route::Chat, "mistral-medium-latest", "/v1"),
            tuning: "",
            refuses: |request| {
                request.get("max_completion_tokens").map(|_| (422, json!({"object": "error", "message": {"detail": [
                {"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "Extra inputs are not permitted"}]},
                "type": "invalid_request_error", "param": null, "code": null})))
            },
            reply: || {
                let mut said = chat("");
                said["choices"][0]["message"]["content"] = json!([
                    {"type": "thinking", "thinking": [{"type": "text", "text": "1 1 1 1 1 1"}]}, {"type": "text", "text": ANSWER}]);
                body(200, &said)
            },
            sends: vec![("/max_tokens", json!(16_384))],
        },
        Server {
            name: "vLLM",
            judge: (Route::Chat, "Qwen/Qwen3-VL-8B-Instruct", "/v1"),
            tuning: "body = { chat_template_kwargs = { enable_thinking = false } }",
            refuses: takes_all,
            reply: chat_reply,
            sends: vec![("/chat_template_kwargs/enable_thinking", json!(false))],
        },
        Server {
            name: "SGLang",
            judge: (Route::Chat, "default", "/v1"),
            tuning: "body = { separate_reasoning = true }",
            refuses: takes_all,
            reply: chat_reply,
            sends: vec![("/separate_reasoning", json!(true))],
        },
        Server {
            name: "llama.cpp",
            judge: (Route::Chat, "gpt-4o", "/v1"),
            tuning: "max_output_tokens = 4096",
            refuses: |request| {
                request.get("response_format").map(|_| (500, json!({"error": {"code": 500,
                "message": "Failed to initialize samplers: failed to parse grammar", "type": "server_error"}})))
            },
            reply: || {
                let mut said = chat(ANSWER);
                said["timings"] = json!({"prompt_n": 1500});
                body(200, &said)
            },
            sends: vec![("/max_completion_tokens", json!(4096))],
        },
        Server {
            name: "Ollama",
            judge: (Route::Chat, "qwen3-vl:8b", "/v1"),
            tuning: "effort = \"none\"",
            refuses: takes_all,
            reply: || {
                let mut said = chat(ANSWER);
                said["system_fingerprint"] = json!("fp_ollama");
                said["usage"]["prompt_tokens"] = json!(2048);
                body(200, &said)
            },
            sends: vec![("/reasoning_effort", json!("none"))],
        },
        Server {
            name: "LM Studio",
            judge: (Route::Chat, "qwen/qwen3-vl-8b", "/v1"),
            tuning: "",
            refuses: takes_all,
            reply: chat_reply,
            sends: vec![],
        },
        Server {
            name: "OpenRouter",
            judge: (Route::Chat, "qwen/qwen3-vl-235b-a22b-thinking", "/api/v1"),
            tuning: "effort = \"low\"\nbody = { provider = { require_parameters = true } }\nheaders = { X-Title = \"meshjudge\" }",
            refuses: takes_all,
            reply: || {
                let mut said = chat(ANSWER);
                said["choices"][0]["message"]["reasoning"] = json!("1 1 1 1 1 1");
                said["usage"]["cost"] = json!(0.0012);
                body(200, &said)
            },
            sends: vec![
                ("/provider/require_parameters", json!(true)),
                ("/reasoning_effort", json!("low")),
            ],
        },
        Server {
            name: "Azure",
            judge: (Route::Chat, "gpt-4o", "/openai/deployments/gpt-4o?api-version=2024-10-21"),
            tuning: "",
            refuses: takes_all,
            reply: || {
                let mut said = chat(&object());
                said["prompt_filter_results"] =
                    json!([{"prompt_index": 0, "content_filter_results": {}}]);
                body(200, &said)
            },
            sends: vec![("/response_format/type", json!("json_schema"))],
        },
    ]
}

/// A structured answer that says what [`ANSWER`] says.
fn object() -> String {
    let keys = [
        "text_asset_alignment",
        "plausibility",
        "geometry_texture_alignment",
        "texture_details",
        "geometry_details",
        "overall",
    ];
    let digits = ANSWER.lines().last().unwrap().split(' ');
    let fields: serde_json::Map<String, Value> = keys
        .into_iter()
        .zip(digits)
        .map(|(key, digit)| (key.to_owned(), json!({"reasoning": "9 of 10", "choice": digit})))
        .collect();
    Value::Object(fields).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_server_of_the_table_is_asked_as_documented_and_its_reply_read() {
    let table =
        std::fs::read_to_string(crate::support::assets::repository("docs/JUDGES.md")).unwrap();
    for Server { name, judge, tuning: toml, refuses, reply, sends } in servers() {
        assert!(table.contains(&format!("| {name} |")), "{name} is not in the table");
        for line in toml.lines() {
            assert!(table.contains(line), "{name}: {line} is not in its example");
        }
        let answer = move |_: usize, request: &Value| match refuses(request) {
            Some((status, said)) => body(status, &said),
            None => reply(),
        };
        let (rows, seen, summary) = asked(judge, &with(tuning(toml)), 2, answer).await;
        assert_eq!(rows.len(), 4, "{name}");
        for row in &rows {
            assert_eq!(row.outcome, "verdict", "{name}: {:?}", row.reason);
            let winner = &row.verdict.as_ref().unwrap()["text_asset_alignment"];
            assert_eq!(
                winner,
                if row.order == "ab" { "a" } else { "b" },
                "{name}: the draft was read"
            );
            assert!(row.input_tokens.is_some(), "{name}");
        }
        let last = seen.last().unwrap();
        for (pointer, value) in &sends {
            assert_eq!(last.body.pointer(pointer), Some(value), "{name}: {pointer}");
        }
        let refused = seen.iter().filter(|seen| refuses(&seen.body).is_some()).count();
        // Three unclear refusals, and one that was under way.
        assert!(refused <= 4, "{name}: {refused} requests were turned away");
        let key = |header: &str| {
            last.headers.iter().any(|(name, value)| name == header && value.contains(KEY))
        };
        assert_eq!(key("api-key"), name == "Azure");
        assert_eq!(last.place.contains("api-version="), name == "Azure", "{}", last.place);
        let is_cut = summary.notes.iter().any(|note| note.contains("num_ctx"));
        assert_eq!(is_cut, name == "Ollama", "{name}: {:?}", summary.notes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_rows_test_fails_when_the_server_answers_otherwise() {
    let (rows, ..) =
        asked(CHAT, &with(Tuning::default()), 1, |_, _| body(200, &chat("I cannot see it."))).await;
    assert!(rows.iter().all(|row| row.outcome != "verdict"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_as_it_was_where_nothing_is_set_and_another_where_anything_is() {
    let judge = |toml: &str| {
        let route = if toml.contains("cache") { Route::Anthropic } else { Route::Chat };
        open(route, "m", "http://127.0.0.1:9/v1", None, &with(tuning(toml)))
    };
    let plain = "chat, detail high, at most 16384 tokens, by schema where it is taken";
    assert_eq!(judge("").settings(), plain);
    assert_eq!(judge("stream = false\nbody = {}").settings(), judge("").settings());
    let mut all = vec![judge("").settings()];
    let (name, value) = variable();
    for toml in [
        "effort = \"low\"",
        "effort = \"high\"",
        "body = { top_p = 0.5 }",
        "body = { top_p = 0.6 }",
        "headers = { x-a = \"1\" }",
        &format!("headers = {{ x-a = \"${name}\" }}"),
        "stream = true",
        "max_output_tokens = 99",
        "cache = true",
    ] {
        let settings = judge(toml).settings();
        assert!(!all.contains(&settings), "{toml}: {settings}");
        all.push(settings);
    }
    assert!(all.iter().all(|settings| !settings.contains(&value)), "{all:?}");
    let either =
        ["body = { a = 1, b = { c = 2, d = 3 } }", "body = { b = { d = 3, c = 2 }, a = 1 }"];
    assert_eq!(judge(either[0]).settings(), judge(either[1]).settings(), "the order plays no part");
}

#[test]
fn settings_that_store_a_secret_or_make_rows_untrue_are_refused() {
    let wrong = [
        ("openai", "effort = \"2048\"", "a word"),
        ("openai", "effort = \"very high\"", "one word"),
        ("openai", "cache = true", "caches by itself"),
        ("openai", "max_output_tokens = 0", "at least 1"),
        ("openai", "body = { model = \"x\" }", "\"model\""),
        ("gemini", "body = { contents = [] }", "\"contents\""),
        ("openai", "body = { api_key = \"abc\" }", "secret"),
        ("openai", "body = { user = { id = \"sk-abcdefghijklmnopqrst\" } }", "secret"),
        ("openai", "headers = { api-key = \"abc\" }", "secret"),
        ("openai", "headers = { Authorization = \"Bearer abc\" }", "secret"),
        ("openai", "headers = { x-team = \"sk-abcdefghijklmnopqrst\" }", "secret"),
        ("openai", "headers = { x-team = \"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9v\" }", "secret"),
        ("openai", "headers = { api-key = \"$MESHJUDGE_NO_SUCH\" }", "MESHJUDGE_NO_SUCH"),
        ("openai", "headers = { \"a b\" = \"1\" }", "cannot be a header"),
    ];
    for (route, toml, words) in wrong {
        let error = Judge::open(
            &format!("{route}:m").parse().unwrap(),
            Some("http://127.0.0.1:9/v1"),
            &with(tuning(toml)),
        );
        let said = error.expect_err(toml).to_string();
        assert!(said.contains(words), "{toml}: {said}");
        assert!(!said.contains("sk-abc") && !said.contains("aB3d"), "{said}");
    }
    for (url, is_fine) in [
        ("http://127.0.0.1:9/openai/deployments/x?api-version=2024-10-21", true),
        ("http://127.0.0.1:9/v1?api_key=abc", false),
        ("http://127.0.0.1:9/v1?x=sk-abcdefghijklmnopqrst", false),
        ("http://user:word@127.0.0.1:9/v1", false),
        ("http://127.0.0.1:9/v1/sk-abcdefghijklmnopqrst/x", false),
        ("http://127.0.0.1:9/v1/0123456789abcdef0123456789abcdef/gateway/openai", true),
    ] {
        let opened = Judge::open(&"openai:m".parse().unwrap(), Some(url), &OpenSettings::default());
        assert_eq!(opened.is_ok(), is_fine, "{url}");
    }
}

/// A variable that can be a key, with its value: of those that are set, since other tests read them
/// while this one runs. `PATH` has blanks if a folder has.
fn variable() -> (String, String) {
    let can_be_sent =
        |value: &str| value.len() <= 300 && value.bytes().all(|b| b.is_ascii_graphic());
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let all = std::env::vars().filter(|(name, value)| is_name(name) && can_be_sent(value));
    all.max_by_key(|(_, value)| value.len()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_of_the_users_replaces_the_routes_key_and_its_value_is_scrubbed() {
    let (name, value) = variable();
    let echo = format!("You sent {value}.\n{ANSWER}");
    let settings = with(tuning(&format!(
        "headers = {{ api-key = \"${name}\", x-a = \"b ${name} c\" }}\nbody = {{ user = \"me\", stop = [\"END\"] }}",
    )));
    let (rows, seen, _) = asked(CHAT, &settings, 1, move |_, _| body(200, &chat(&echo))).await;
    let header = |name: &str| {
        seen[0].headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    assert_eq!(header("api-key"), Some(value.clone()));
    assert_eq!(header("x-a"), Some(format!("b {value} c")));
    assert_eq!(seen[0].body["user"], "me");
    assert!(rows.iter().all(|row| row.outcome == "verdict"));
    assert!(
        rows.iter().all(|row| !row.raw.as_ref().unwrap().contains(&value)),
        "{:?}",
        rows[0].raw
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_older_limit_of_tokens_can_be_chosen_and_its_number_is_reserved() {
    let settings = with(tuning("body = { max_tokens = 300 }"));
    let (rows, seen, _) = asked(CHAT, &settings, 1, |_, _| body(200, &chat(ANSWER))).await;
    assert!(rows.iter().all(|row| row.outcome == "verdict"));
    assert_eq!(seen[0].body["max_tokens"], 300);
    assert!(seen[0].body.get("max_completion_tokens").is_none());
    let judge = open(Route::Chat, "m", "http://127.0.0.1:9/v1", None, &settings);
    assert_eq!(judge.endpoint().unwrap().output_tokens_max(), 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_refuse_a_form_are_asked_in_another_and_said_to_be() {
    let limit = |request: &Value| {
        request
            .get("max_completion_tokens")
            .map(|_| "Unrecognized request argument: max_completion_tokens")
    };
    let whole = |request: &Value| {
        (request["stream"] != true).then_some("This model only supports streaming: set stream=true")
    };
    type Refuses = fn(&Value) -> Option<&'static str>;
    let cases: [(Refuses, &str); 3] = [
        (limit, "max_tokens"),
        (whole, "streams"),
        (
            |request| {
                // All at once, one after the other.
                let schema = request.get("response_format").map(|_| "response_format is unknown");
                let limit = request
                    .get("max_completion_tokens")
                    .map(|_| "unknown field max_completion_tokens");
                let whole =
                    (request["stream"] != true).then_some("non-streaming calls are not served");
                limit.or(whole).or(schema)
            },
            "JSON schema",
        ),
    ];
    for (refuses, words) in cases {
        let answer = move |_: usize, request: &Value| match refuses(request) {
            Some(words) => body(400, &json!({"error": {"message": words}})),
            None if request["stream"] == true => dashscope(),
            None => body(200, &chat(ANSWER)),
        };
        let judge = (Route::Chat, "gpt-4o", "/v1");
        let (rows, seen, summary) = asked(judge, &with(Tuning::default()), 3, answer).await;
        assert!(rows.iter().all(|row| row.outcome == "verdict"), "{words}: {:?}", rows[0].reason);
        assert!(
            summary.notes.iter().any(|note| note.contains(words)),
            "{words}: {:?}",
            summary.notes
        );
        let refused = seen.iter().filter(|seen| refuses(&seen.body).is_some()).count();
        assert!(refused <= 6, "{words}: two were under way for each of three forms, not {refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_answer_that_breaks_its_schema_costs_nobody_else_the_schema() {
    let odd = || {
        body(
            400,
            &json!({"error": {"message": "Failed to validate JSON.", "code": "json_validate_failed", "failed_generation": "{"}}),
        )
    };
    let answer = move |n: usize, request: &Value| match n {
        4 => odd(),
        _ if request.get("response_format").is_none() => body(200, &chat(ANSWER)),
        _ => body(200, &chat(&object())),
    };
    let judge = (Route::Chat, "gpt-4o", "/v1");
    let (rows, seen, summary) = asked(judge, &with(Tuning::default()), 5, answer).await;
    assert!(rows.iter().all(|row| row.outcome == "verdict"));
    let as_text = seen.iter().filter(|seen| seen.body.get("response_format").is_none()).count();
    assert_eq!((as_text, summary.notes.len()), (1, 0), "{:?}", summary.notes);
    // One that always does so is asked for text, and no more than a few questions pay for it.
    let answer = move |_: usize, request: &Value| match request.get("response_format") {
        Some(_) => odd(),
        None => body(200, &chat(ANSWER)),
    };
    let (rows, seen, summary) = asked(judge, &with(Tuning::default()), 10, answer).await;
    assert!(rows.iter().all(|row| row.outcome == "verdict"));
    assert!(seen.len() <= 20 + 4, "{}", seen.len());
    assert_eq!(summary.notes.len(), 1, "{:?}", summary.notes);
}

/// A reply of the route in one piece and as the events of a stream.
fn whole_and_events(route: Route) -> (Value, Vec<Value>) {
    let (start, end) = halves();
    match route {
        Route::Chat => {
            let delta = |delta: Value, finish: Option<&str>| {
                json!({"object": "chat.completion.chunk", "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
            };
            let usage = json!({"prompt_tokens": 1500, "completion_tokens": 50});
            (
                chat(ANSWER),
                vec![
                    delta(json!({"role": "assistant", "content": ""}), None),
                    delta(json!({"content": start}), None),
                    delta(json!({"content": end}), None),
                    delta(json!({}), Some("stop")),
                    json!({"object": "chat.completion.chunk", "model": "m", "choices": [], "usage": usage}),
                ],
            )
        }
        Route::Responses => {
            let whole = json!({"status": "completed", "model": "m", "output": [{"type": "message", "content": [{"type": "output_text", "text": ANSWER}]}],
                "usage": {"input_tokens": 1500, "output_tokens": 50}});
            let event = |kind: &str, rest: Value| {
                let mut event = json!({"type": kind});
                event.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
                event
            };
            (
                whole.clone(),
                vec![
                    event(
                        "response.created",
                        json!({"response": {"status": "in_progress", "model": "m", "output": []}}),
                    ),
                    event("response.output_text.delta", json!({"delta": start})),
                    event("response.output_text.delta", json!({"delta": end})),
                    event("response.completed", json!({"response": whole})),
                ],
            )
        }
        Route::Anthropic => (
            json!({"type": "message", "model": "m", "stop_reason": "end_turn", "content": [{"type": "text", "text": ANSWER}],
                "usage": {"input_tokens": 1500, "output_tokens": 50}}),
            vec![
                json!({"type": "message_start", "message": {"type": "message", "model": "m", "stop_reason": null, "content": [],
                    "usage": {"input_tokens": 1500, "output_tokens": 1}}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "ping"}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": start}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": end}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 50}}),
                json!({"type": "message_stop"}),
            ],
        ),
        Route::Gemini => {
            let part = |text: &str, finish: Option<&str>| {
                json!({"modelVersion": "m", "candidates": [{"finishReason": finish, "content": {"role": "model", "parts": [{"text": text}]}}],
                "usageMetadata": {"promptTokenCount": 1500, "candidatesTokenCount": 50}})
            };
            (part(ANSWER, Some("STOP")), vec![part(start, None), part(end, Some("STOP"))])
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_says_what_the_whole_reply_says_and_a_broken_one_is_cut() {
    for route in Route::ALL {
        let (whole, parts) = whole_and_events(route);
        let judge = (route, "m", "/v1");
        let (plain, _, _) =
            asked(judge, &with(Tuning::default()), 1, move |_, _| body(200, &whole)).await;
        assert!(plain.iter().all(|row| row.outcome == "verdict"), "{route:?}");
        let said = events(&parts);
        let all = said.clone();
        for toml in ["stream = true", ""] {
            let all = all.clone();
            let (rows, seen, _) =
                asked(judge, &with(tuning(toml)), 1, move |_, _| streamed(all.clone())).await;
            for (row, plain) in rows.iter().zip(&plain) {
                assert_eq!((&row.verdict, &row.raw), (&plain.verdict, &plain.raw), "{route:?}");
                let tokens = |row: &Row| (row.input_tokens, row.output_tokens);
                assert_eq!(tokens(row), tokens(plain), "{route:?}");
            }
            let is_asked = seen[0].body["stream"] == true
                || seen[0].place.contains("streamGenerateContent?alt=sse");
            assert_eq!(is_asked, !toml.is_empty(), "{route:?}");
        }
        // Wherever it breaks off before its end, there is no verdict.
        let ends: Vec<usize> = said.match_indices("\n\n").map(|(at, _)| at).collect();
        let after_end = usize::from(matches!(route, Route::Chat | Route::Anthropic));
        let complete = ends[parts.len() - 1 - after_end];
        let cuts = ends.into_iter().chain([said.len() / 2, said.len() / 3, 9]);
        for at in cuts.filter(|at| *at < complete) {
            let part = said[..at].to_owned();
            let (rows, ..) =
                asked(judge, &with(tuning("stream = true")), 1, move |_, _| streamed(part.clone()))
                    .await;
            for row in &rows {
                assert!(
                    ["truncated", "provider_error"].contains(&row.outcome.as_str()),
                    "{route:?} cut at {at}: {} {:?}",
                    row.outcome,
                    row.reason
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_with_status_200_keep_their_code_and_routers_their_reason() {
    let again = 6;
    let cases = [
        (json!({"error": {"message": "no", "code": 400}}), 2),
        (json!({"error": {"message": "no", "code": "400"}}), 2),
        (json!({"error": {"message": "no", "status": 422, "code": "context_length_exceeded"}}), 2),
        (json!({"error": {"error": {"message": "no", "code": 413}}}), 2),
        (json!({"error": "Error code: 400 - no", "id": 1}), 2),
        (json!({"error": "no", "status_code": 400}), 2),
        (json!({"object": "error", "message": "no", "code": 400}), 2),
        (json!([{"error": {"message": "no", "code": 400, "status": "INVALID_ARGUMENT"}}]), 2),
        (json!({"error": {"message": "no", "type": "invalid_request_error"}}), 2),
        (
            json!({"error": {"message": "no", "metadata": {"raw": "{\"error\": {\"code\": 400}}"}}}),
            2,
        ),
        (
            json!({"choices": [{"error": {"message": "no", "code": 400}, "message": {"content": ""}}]}),
            2,
        ),
        (json!({"error": {"message": "no", "code": 502}}), again),
        (json!({"error": {"message": "no"}}), again),
    ];
    for (said, requests) in cases {
        let reply = said.clone();
        let (rows, seen, _) =
            asked(CHAT, &with(Tuning::default()), 1, move |_, _| body(200, &reply)).await;
        assert!(rows.iter().all(|row| row.outcome == "provider_error"));
        assert_eq!(seen.len(), requests, "{said}");
    }
    let raw = json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "{\"error\":\"at most 4 images\"}"}}});
    for status in [200, 400] {
        let raw = raw.clone();
        let (rows, ..) =
            asked(CHAT, &with(Tuning::default()), 1, move |_, _| body(status, &raw)).await;
        assert!(
            rows[0].reason.as_ref().unwrap().contains("at most 4 images"),
            "{:?}",
            rows[0].reason
        );
    }
    // A 429 inside is waited for, as any other.
    let answer = |n: usize, _: &Value| match n {
        0..8 => body(200, &json!({"error": {"message": "slow down", "code": "429"}})),
        _ => body(200, &chat(ANSWER)),
    };
    let (rows, ..) = asked(CHAT, &with(Tuning::default()), 1, answer).await;
    assert!(rows.iter().all(|row| row.outcome == "verdict"), "{:?}", rows[0].reason);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filters_refusal_is_a_refusal_and_costs_nothing() {
    let filters = [
        (
            400,
            json!({"error": {"code": "content_filter", "message": "filtered", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
        ),
        (400, json!({"error": {"code": "content_policy_violation", "message": "no"}})),
        (400, json!({"error": {"code": "data_inspection_failed", "message": "no"}})),
        (
            403,
            json!({"error": {"code": 403, "message": "flagged", "metadata": {"reasons": ["x"], "flagged_input": "…"}}}),
        ),
    ];
    for (status, said) in filters {
        let (rows, ..) =
            asked(CHAT, &with(Tuning::default()), 1, move |_, _| body(status, &said)).await;
        assert!(
            rows.iter().all(|row| row.outcome == "refusal" && row.cost_usd == Some(0.0)),
            "{:?}",
            rows[0]
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_of_a_moment_pass_and_pages_are_named_after_one_request() {
    for empty in
        [json!({"choices": []}), json!({"choices": null}), json!({"model": "m", "choices": []})]
    {
        let answer = move |n: usize, _: &Value| match n {
            0 | 1 => body(200, &empty),
            _ => body(200, &chat(ANSWER)),
        };
        let (rows, seen, _) = asked(CHAT, &with(Tuning::default()), 1, answer).await;
        assert!(rows.iter().all(|row| row.outcome == "verdict"), "{:?}", rows[0].reason);
        assert_eq!(seen.len(), 4);
    }
    let raw = |bytes: Vec<u8>, kind: &str| ResponseTemplate::new(200).set_body_raw(bytes, kind);
    let named = [
        (raw(b"<html>Sign in</html>".to_vec(), "text/html"), "text/html"),
        (
            raw(b"\x1b\x2f\x00".to_vec(), "application/json")
                .insert_header("content-encoding", "br"),
            "compressed (br)",
        ),
    ];
    for (reply, words) in named {
        let (rows, seen, _) =
            asked(CHAT, &with(Tuning::default()), 1, move |_, _| reply.clone()).await;
        assert_eq!(seen.len(), 2, "{words}: one request for each question");
        assert!(rows[0].reason.as_ref().unwrap().contains(words), "{:?}", rows[0].reason);
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, chat(ANSWER).to_string().as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for label in ["gzip", "identity"] {
        let reply =
            raw(packed.clone(), "application/json").insert_header("content-encoding", label);
        let (rows, seen, _) =
            asked(CHAT, &with(Tuning::default()), 1, move |_, _| reply.clone()).await;
        assert!(rows.iter().all(|row| row.outcome == "verdict"), "{:?}", rows[0].reason);
        assert_eq!(seen.len(), 2);
    }
    // A small body that unpacks to more than a reply may have is given up before it is whole.
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut bomb, &vec![b' '; 64 << 20]).unwrap();
    let reply =
        raw(bomb.finish().unwrap(), "application/json").insert_header("content-encoding", "gzip");
    let (rows, ..) = asked(CHAT, &with(Tuning::default()), 1, move |_, _| reply.clone()).await;
    assert!(rows[0].reason.as_ref().unwrap().contains("larger than"), "{:?}", rows[0].reason);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_repeats_one_error_is_given_up_early_and_said_to_be() {
    let cases = [
        (500, "image input is not supported - hint: you may need to provide the mmproj", 14),
        (400, "At most 0 image(s) may be provided in one request 17", 14),
    ];
    for (status, words, most) in cases {
        let answer = move |_: usize, _: &Value| body(status, &json!({"error": {"message": words}}));
        let (rows, seen, summary) = asked(CHAT, &with(Tuning::default()), 40, answer).await;
        assert!(seen.len() <= most, "{words}: {} requests", seen.len());
        assert!(rows[0].reason.as_ref().unwrap().contains(words), "{:?}", rows[0].reason);
        let ended = summary.ended.values().next().expect(words);
        assert!(ended.contains(words) && ended.contains("every question"), "{ended}");
    }
    // One pair is reported at once, not after all its tries.
    let answer = |_: usize, _: &Value| {
        body(500, &json!({"error": {"message": "this model does not support image input"}}))
    };
    let (_, seen, _) = asked(CHAT, &with(Tuning::default()), 1, answer).await;
    assert_eq!(seen.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_address_is_named_with_what_to_change() {
    let answer = |_: usize, _: &Value| {
        ResponseTemplate::new(404).set_body_raw("404 page not found", "text/plain")
    };
    let (rows, ..) = asked((Route::Chat, "m", ""), &with(Tuning::default()), 1, answer).await;
    let reason = rows[0].reason.as_ref().unwrap();
    assert!(reason.contains("/chat/completions") && reason.contains("no /v1"), "{reason}");
    let answer = |_: usize, _: &Value| {
        body(404, &json!({"error": {"message": "model 'm' not found", "code": "model_not_found"}}))
    };
    let (rows, ..) = asked(CHAT, &with(Tuning::default()), 1, answer).await;
    let reason = rows[0].reason.as_ref().unwrap();
    assert!(reason.contains("model 'm' not found") && !reason.contains("base URL"), "{reason}");
    let server = Mocks::start().await;
    let https = server.uri().replace("http:", "https:");
    let cases = [
        (format!("{https}/v1"), "begin the base URL with http://"),
        ("http://no-such-host.lan/v1".to_owned(), "check the host"),
    ];
    for (url, words) in cases {
        let folder = tempfile::tempdir().unwrap();
        let judge = open(Route::Chat, "m", &url, None, &with(Tuning::default()));
        run(folder.path(), vec![pair("a fox")], &judge, &settings()).await;
        let reason = rows_reason(folder.path());
        assert!(reason.contains(&url) && reason.contains(words), "{reason}");
    }
}

fn rows_reason(folder: &std::path::Path) -> String {
    rows(folder)[0].reason.clone().unwrap()
}

/// The built-in models, with one of the user's.
fn listed(facts: &str) -> Catalogue {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.toml");
    std::fs::write(&path, format!("dated = \"a test\"\n[[models]]\n{facts}\n")).unwrap();
    Catalogue::with_file(&path).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_without_an_ending_counts_only_where_its_server_never_states_one() {
    let mut reply = chat(ANSWER);
    reply["choices"][0]["finish_reason"] = Value::Null;
    for (facts, is_verdict) in [("", false), ("states_ending = false", true)] {
        let settings = OpenSettings {
            catalogue: listed(&format!("names = [\"m\"]\nroutes = [\"openai\"]\n{facts}")),
            ..with(Tuning::default())
        };
        let reply = reply.clone();
        let (rows, seen, summary) =
            asked((Route::Chat, "m", "/v1"), &settings, 20, move |_, _| body(200, &reply)).await;
        assert_eq!(rows[0].outcome == "verdict", is_verdict, "{:?}", rows[0].reason);
        // No question is asked twice, and after 12 such replies (one more is under way) none.
        assert!(rows.iter().all(|row| row.attempts <= 1));
        assert_eq!(seen.len() <= 13, !is_verdict, "{}", seen.len());
        let ended = summary.ended.values().next();
        assert_eq!(ended.is_some_and(|why| why.contains("states_ending = false")), !is_verdict);
    }
    // One that says so now and then is asked on.
    let (_, seen, _) = asked(CHAT, &with(Tuning::default()), 20, move |n, _| {
        let mut reply = chat(ANSWER);
        if n % 4 != 0 {
            reply["choices"][0]["finish_reason"] = Value::Null;
        }
        body(200, &reply)
    })
    .await;
    assert_eq!(seen.len(), 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_usage_of_a_stream_is_found_wherever_it_is() {
    let counts = json!({"prompt_tokens": 1500, "completion_tokens": 50, "total_tokens": 1550});
    let zeros = json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0});
    let chunk = |choice: Value, more: Value| {
        let mut chunk =
            json!({"object": "chat.completion.chunk", "model": "m", "choices": [choice]});
        chunk.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        chunk
    };
    let said = json!({"index": 0, "delta": {"content": ANSWER}});
    let end = json!({"index": 0, "delta": {}, "finish_reason": "stop"});
    let mut kimi = end.clone();
    kimi["usage"] = counts.clone();
    let streams = [
        ("a chunk of its own", vec![end.clone()], json!({"usage": counts})),
        ("Moonshot's choice", vec![kimi], json!({})),
        ("Groq's field", vec![end.clone()], json!({"x_groq": {"id": "r", "usage": counts}})),
        ("before zeros", vec![end.clone(), end.clone()], json!({"usage": counts})),
    ];
    for (name, ends, more) in streams {
        let mut chunks = vec![chunk(said.clone(), json!({}))];
        chunks.extend(ends.iter().map(|end| chunk(end.clone(), more.clone())));
        if name == "before zeros" {
            chunks.push(chunk(json!({"index": 0, "delta": {}}), json!({ "usage": zeros })));
        }
        let text = events(&chunks) + "data: [DONE]\n\n";
        let settings = with(tuning("stream = true"));
        let (rows, ..) = asked(CHAT, &settings, 1, move |_, _| streamed(text.clone())).await;
        assert_eq!(rows[0].outcome, "verdict", "{name}: {:?}", rows[0].reason);
        assert_eq!((rows[0].input_tokens, rows[0].output_tokens), (Some(1500), Some(50)), "{name}");
    }
}

/// Errors of servers whose context is shorter than the question with its answer.
const TOO_LONG: [&str; 8] = [
    // vLLM, three versions.
    "This model's maximum context length is 8192 tokens. However, you requested 18000 tokens (1616 in the messages, 16384 in the completion).",
    "max_completion_tokens is too large: 16384. This model's maximum context length is 8192 tokens and your request has 1616 input tokens.",
    "'max_tokens' or 'max_completion_tokens' is too large: 16384.",
    // LM Studio, llama.cpp, TGI, Anthropic, DeepSeek.
    "The number of tokens to keep from the initial prompt is greater than the context length.",
    "the request exceeds the available context size (4096 tokens), try increasing it",
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 1000 `inputs` tokens and 16384 `max_new_tokens`",
    "max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens",
    "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_context_that_is_too_short_is_named_with_the_setting_that_helps() {
    for said in TOO_LONG {
        let error = json!({"error": {"message": said, "type": "BadRequestError", "code": 400}});
        let settings = with(Tuning::default());
        let (rows, seen, summary) = asked(CHAT, &settings, 20, move |_, _| body(400, &error)).await;
        let reason = rows[0].reason.as_deref().unwrap();
        assert!(reason.contains(said) && reason.contains("max_output_tokens, which is 16384"));
        assert!(seen.len() <= 13 && summary.ended.len() == 1, "{said}: {}", seen.len());
    }
    for said in ["at most 4 images", "max_tokens is not known", "temperature is too high"] {
        let error = json!({"error": {"message": said}});
        let (rows, ..) =
            asked(CHAT, &with(Tuning::default()), 1, move |_, _| body(400, &error)).await;
        assert!(!rows[0].reason.as_deref().unwrap().contains("max_output_tokens"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_names_the_flag_for_a_short_context() {
    let server =
        Mocks::chat(|_: &Request| body(400, &json!({"error": {"message": TOO_LONG[0]}}))).await;
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(folder.path(), ["compare"]);
    command.args([demo("chair_clean.glb"), demo("chair_damaged.glb")]);
    command.args(["--prompt", "a chair", "--size", "64", "--judge", "openai:m", "--base-url"]);
    let out = Run::of(command.arg(format!("{}/v1", server.uri())));
    assert!(out.stderr.contains(TOO_LONG[0]), "{}", out.stderr);
    assert!(out.stderr.contains("hint: --max-output-tokens N"), "{}", out.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn writing_to_a_cache_is_priced() {
    let facts = "names = [\"priced\"]\nroutes = [\"anthropic\"]\nusd_per_million = { input = 2.0, cached_input = 0.2, output = 10.0 }";
    let settings = OpenSettings { catalogue: listed(facts), ..with(tuning("cache = true")) };
    let reply = json!({"type": "message", "stop_reason": "end_turn", "content": [{"type": "text", "text": ANSWER}],
        "usage": {"input_tokens": 500, "cache_creation_input_tokens": 1000, "cache_read_input_tokens": 2000, "output_tokens": 100}});
    // 400 of them for an hour.
    let mut hour = reply.clone();
    hour["usage"]["cache_creation"] =
        json!({"ephemeral_5m_input_tokens": 600, "ephemeral_1h_input_tokens": 400});
    let priced = (Route::Anthropic, "priced", "/v1");
    let (rows, ..) = asked(priced, &settings, 1, move |_, _| body(200, &hour)).await;
    // 500 × 2 + 600 × 2.5 + 400 × 4 + 2000 × 0.2 + 100 × 10, in millionths.
    assert!((rows[0].cost_usd.unwrap() - 0.0055).abs() < 1e-12, "{:?}", rows[0].cost_usd);
    let (rows, seen, _) = asked(priced, &settings, 1, move |_, _| body(200, &reply)).await;
    // 500 × 2 + 1000 × 2.5 + 2000 × 0.2 + 100 × 10, in millionths.
    assert!((rows[0].cost_usd.unwrap() - 0.0049).abs() < 1e-12, "{:?}", rows[0].cost_usd);
    let blocks = seen[0].body["messages"][0]["content"].as_array().unwrap();
    let (shared, rest) = (blocks[0]["text"].as_str().unwrap(), blocks[1]["text"].as_str().unwrap());
    assert!(blocks[1].get("cache_control").is_none() && rest.contains("prompt 0"), "{rest}");
    assert!(!shared.contains("prompt 0") && shared.len() > 1000, "{shared}");
}
