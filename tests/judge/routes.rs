//! Every route: what is sent is of the route, and what comes back (answers, refusals, cuts, usage,
//! errors inside a 200) is read as such.

use crate::support::judge_server::Row;
use crate::support::judge_server::{ANSWER, Mocks, limits, open, pair, rows, run, settings};
use base64::Engine;
use meshjudge::unstable::judge::{Catalogue, Judge, OpenSettings, Route};
use meshjudge::unstable::render::Image;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wiremock::matchers::{method, path};
use wiremock::{Mock, Request, ResponseTemplate};

const LONG: Duration = Duration::from_secs(20);
const KEY: &str = "key-never-to-be-seen-77";

/// A list of models in which `priced` is known on every route.
fn models(folder: &std::path::Path) -> Catalogue {
    let path = folder.join("models.toml");
    let text = r#"
dated = "a test"
[[models]]
names = ["priced"]
routes = ["openai", "openai-responses", "anthropic", "gemini"]
logprobs = true
temperature = true
usd_per_million = { input = 2.0, cached_input = 0.5, output = 10.0 }
output_tokens_max = 4000
"#;
    std::fs::write(&path, text).unwrap();
    Catalogue::with_file(&path).unwrap()
}

struct Server {
    server: Mocks,
    bodies: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    async fn start(
        route: Route,
        answer: impl Fn(usize, &Value) -> ResponseTemplate + Send + Sync + 'static,
    ) -> Self {
        let server = Mocks::start().await;
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let (kept, count) = (Arc::clone(&bodies), AtomicUsize::new(0));
        let place = match route {
            Route::Chat => "/v1/chat/completions",
            Route::Responses => "/v1/responses",
            Route::Anthropic => "/v1/messages",
            Route::Gemini => "/v1/models/priced:generateContent",
        };
        let header = match route {
            Route::Chat | Route::Responses => ("authorization", format!("Bearer {KEY}")),
            Route::Anthropic => ("x-api-key", KEY.to_owned()),
            Route::Gemini => ("x-goog-api-key", KEY.to_owned()),
        };
        let respond = move |request: &Request| {
            let has_key = request
                .headers
                .get(header.0)
                .is_some_and(|value| value.to_str().is_ok_and(|v| v == header.1));
            if !has_key
                || (route == Route::Anthropic && !request.headers.contains_key("anthropic-version"))
            {
                return ResponseTemplate::new(401)
                    .set_body_json(json!({"error": {"message": "no key"}}));
            }
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            keep_for_foreign_clients(route, &request.body);
            kept.lock().unwrap().push(body.clone());
            answer(count.fetch_add(1, Ordering::SeqCst), &body)
        };
        Mock::given(method("POST")).and(path(place)).respond_with(respond).mount(&server).await;
        Self { server, bodies }
    }

    fn judge(&self, route: Route, open_settings: &OpenSettings) -> Judge {
        let url = format!("{}/v1", self.server.uri());
        open(route, "priced", &url, Some(KEY), open_settings)
    }

    fn bodies(&self) -> Vec<Value> {
        self.bodies.lock().unwrap().clone()
    }
}

/// Leaves a body for `tests/foreign/validate_requests.py`, where the environment names a folder.
fn keep_for_foreign_clients(route: Route, body: &[u8]) {
    if let Some(folder) = std::env::var_os("MESHJUDGE_REQUESTS") {
        let hash = blake3::hash(body).to_hex();
        let name = format!("{}.{}.json", route.name(), &hash[..16]);
        let folder = std::path::PathBuf::from(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), body).unwrap();
    }
}

/// A good answer of the route, 1,000 tokens read (400 of them cached), 200 written (50 of them
/// reasoning).
fn answer(route: Route, text: &str, finish: &str) -> Value {
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
            "content": [{"type": "thinking", "thinking": "1 1 1 1 1 1"}, {"type": "text", "text": text}],
            "usage": {"input_tokens": 600, "cache_read_input_tokens": 400, "cache_creation_input_tokens": 0, "output_tokens": 200},
        }),
        Route::Gemini => json!({
            "modelVersion": "priced-1",
            "candidates": [{"finishReason": finish, "content": {"parts": [{"text": "1 1 1 1 1 1", "thought": true}, {"text": text}]}}],
            "usageMetadata": {"promptTokenCount": 1000, "cachedContentTokenCount": 400, "candidatesTokenCount": 150, "thoughtsTokenCount": 50},
        }),
    }
}

fn stop(route: Route) -> &'static str {
    match route {
        Route::Chat => "stop",
        Route::Responses => "completed",
        Route::Anthropic => "end_turn",
        Route::Gemini => "STOP",
    }
}

/// A structured pairwise answer with these digits.
fn object(digits: [&str; 6]) -> String {
    let keys = [
        "text_asset_alignment",
        "plausibility",
        "geometry_texture_alignment",
        "texture_details",
        "geometry_details",
        "overall",
    ];
    let entries: serde_json::Map<String, Value> = keys
        .iter()
        .zip(digits)
        .map(|(key, digit)| ((*key).to_owned(), json!({"reasoning": "9 of 10", "choice": digit})))
        .collect();
    Value::Object(entries).to_string()
}

/// Asks one pair and returns rows and request bodies.
async fn asked(
    route: Route,
    settings_of: impl Fn(OpenSettings) -> OpenSettings,
    answer: impl Fn(usize, &Value) -> ResponseTemplate + Send + Sync + 'static,
) -> (Vec<Row>, Vec<Value>) {
    let server = Server::start(route, answer).await;
    let folder = tempfile::tempdir().unwrap();
    let open_settings = settings_of(OpenSettings {
        limits: limits(LONG),
        catalogue: models(folder.path()),
        ..OpenSettings::default()
    });
    let judge = server.judge(route, &open_settings);
    let run_folder = folder.path().join("run");
    run(&run_folder, vec![pair("a fox")], &judge, &settings()).await;
    (rows(&run_folder), server.bodies())
}

/// The schema of a request, wherever the route has it.
fn schema(route: Route, body: &Value) -> Value {
    let place = match route {
        Route::Chat => "/response_format/json_schema/schema",
        Route::Responses => "/text/format/schema",
        Route::Anthropic => "/output_config/format/schema",
        Route::Gemini => "/generationConfig/responseJsonSchema",
    };
    body.pointer(place).cloned().unwrap_or_default()
}

/// Media type and bytes of the pictures of a request.
fn pictures(route: Route, body: &Value) -> Vec<(String, Vec<u8>)> {
    let turns = match route {
        Route::Chat | Route::Anthropic => &body["messages"],
        Route::Responses => &body["input"],
        Route::Gemini => &body["contents"],
    };
    let decode = |data: &str| {
        let engine = base64::engine::general_purpose::STANDARD;
        engine.decode(data).unwrap()
    };
    let uri = |url: &Value| {
        let (label, data) = url.as_str()?.strip_prefix("data:")?.split_once(";base64,")?;
        Some((label.to_owned(), decode(data)))
    };
    let one = |part: &Value| match route {
        Route::Chat => uri(&part["image_url"]["url"]),
        Route::Responses => uri(&part["image_url"]),
        Route::Anthropic => Some((
            part["source"]["media_type"].as_str()?.to_owned(),
            decode(part["source"]["data"].as_str()?),
        )),
        Route::Gemini => Some((
            part["inlineData"]["mimeType"].as_str()?.to_owned(),
            decode(part["inlineData"]["data"].as_str()?),
        )),
    };
    let content = if route == Route::Gemini { "parts" } else { "content" };
    let parts = turns.as_array().unwrap().iter().filter_map(|turn| turn[content].as_array());
    parts.flatten().filter_map(one).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_asks_by_schema_and_reads_answer_usage_and_cost() {
    for route in Route::ALL {
        let reply = object(["1", "2", "3", "1", "2", "1"]);
        let (rows, bodies) = asked(
            route,
            |s| s,
            move |_, _| {
                ResponseTemplate::new(200).set_body_json(answer(route, &reply, stop(route)))
            },
        )
        .await;
        assert_eq!(bodies.len(), 2, "{route:?}");
        for body in &bodies {
            let schema = schema(route, body);
            assert_eq!(schema["additionalProperties"], false, "{route:?}: {schema}");
            let shown = pictures(route, body);
            assert_eq!(shown.len(), 1, "{route:?}");
            assert_eq!(shown[0].0, "image/png");
            let image = Image::decode(&shown[0].1).unwrap();
            assert_eq!((image.width_px, image.height_px), (64, 32));
            assert!(body.to_string().contains("Form of the answer"), "{route:?}");
            assert!(!body.to_string().contains(KEY));
        }
        for row in &rows {
            assert_eq!(row.outcome, "verdict", "{route:?}: {:?}", row.reason);
            let tokens = (row.input_tokens, row.output_tokens);
            assert_eq!(tokens, (Some(1000), Some(200)), "{route:?}");
            // 600 × 2 + 400 × 0.5 + 200 × 10, in millionths.
            let cost = row.cost_usd.unwrap();
            assert!((cost - 0.0034).abs() < 1e-12, "{route:?}: {cost}");
            assert_eq!(row.model_reported.as_deref(), Some("priced-1"));
            assert_eq!(row.view_px, Some(16));
        }
        let verdict = rows[0].verdict.as_ref().unwrap();
        let expected = json!({"text_asset_alignment": "a", "plausibility": "b", "geometry_texture_alignment": "tie",
            "texture_details": "a", "geometry_details": "b", "overall": "a"});
        assert_eq!(verdict, &expected, "{route:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cuts_refusals_and_errors_inside_are_named_on_every_route() {
    for route in Route::ALL {
        let cut = match route {
            Route::Chat => "length",
            Route::Responses => "max_output_tokens",
            Route::Anthropic => "max_tokens",
            Route::Gemini => "MAX_TOKENS",
        };
        let refusal = match route {
            Route::Chat => {
                json!({"choices": [{"message": {"content": null, "refusal": "I can't."}, "finish_reason": "stop"}]})
            }
            Route::Responses => {
                json!({"status": "completed", "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "I can't."}]}]})
            }
            Route::Anthropic => json!({"type": "message", "content": [], "stop_reason": "refusal"}),
            Route::Gemini => json!({"promptFeedback": {"blockReason": "SAFETY"}}),
        };
        let inside = match route {
            Route::Chat => json!({"error": {"message": "overloaded", "code": 503}}),
            Route::Responses => {
                json!({"status": "failed", "error": {"message": "overloaded", "code": "server_error"}, "output": []})
            }
            Route::Anthropic => {
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}})
            }
            Route::Gemini => {
                json!({"error": {"message": "overloaded", "code": 503, "status": "UNAVAILABLE"}})
            }
        };
        let cases = [
            (answer(route, ANSWER, cut), "truncated", ""),
            (refusal, "refusal", "declined"),
            (inside, "provider_error", "200 with an error inside: overloaded"),
            (json!({"ok": true}), "provider_error", "does not have this route's form"),
            (
                answer(route, "", stop(route)),
                "invalid",
                match route {
                    Route::Chat | Route::Responses => "empty",
                    Route::Anthropic | Route::Gemini => "reasoning and no answer",
                },
            ),
        ];
        for (body, outcome, words) in cases {
            let (rows, _) = asked(
                route,
                |s| s,
                move |_, _| ResponseTemplate::new(200).set_body_json(body.clone()),
            )
            .await;
            assert_eq!(rows.len(), 2);
            for row in &rows {
                assert_eq!(row.outcome, outcome, "{route:?}");
                let reason = row.reason.as_deref().unwrap_or_default();
                assert!(reason.contains(words), "{route:?}: {reason}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn final_errors_of_every_route_end_the_judge() {
    let cases = [
        (
            Route::Chat,
            429,
            json!({"error": {"message": "no", "type": "insufficient_quota", "code": null}}),
        ),
        (Route::Responses, 401, json!({"error": {"message": "no", "code": "invalid_api_key"}})),
        (
            Route::Anthropic,
            400,
            json!({"type": "error", "error": {"type": "invalid_request_error",
            "message": "Your credit balance is too low to access the Anthropic API."}}),
        ),
        (
            Route::Anthropic,
            402,
            json!({"type": "error", "error": {"type": "billing_error", "message": "no"}}),
        ),
        (
            Route::Gemini,
            400,
            json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid.",
            "details": [{"@type": "ErrorInfo", "reason": "API_KEY_INVALID"}]}}),
        ),
    ];
    for (route, status, body) in cases {
        let server = Server::start(route, move |_, _| {
            ResponseTemplate::new(status).set_body_json(body.clone())
        })
        .await;
        let folder = tempfile::tempdir().unwrap();
        let open_settings =
            OpenSettings { catalogue: models(folder.path()), ..OpenSettings::default() };
        let judge = server.judge(route, &open_settings);
        let units = (0..5).map(|i| pair(&format!("prompt {i}"))).collect();
        let summary = run(&folder.path().join("run"), units, &judge, &settings()).await;
        // A key must be refused twice, while another request may be under way.
        assert!(server.bodies().len() <= 3, "{route:?} {status}");
        assert!(summary.ended.contains_key(&judge.name()), "{route:?} {status}");
        assert_eq!(summary.failed_count(), 10);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_schema_is_left_out_and_said_and_the_text_is_read() {
    for route in Route::ALL {
        let server = Server::start(route, move |_, body| {
            if schema(route, body).is_null() {
                ResponseTemplate::new(200).set_body_json(answer(route, ANSWER, stop(route)))
            } else {
                ResponseTemplate::new(400).set_body_json(
                    json!({"error": {"message": "response_format json_schema is not supported"}}),
                )
            }
        })
        .await;
        let folder = tempfile::tempdir().unwrap();
        let open_settings =
            OpenSettings { catalogue: models(folder.path()), ..OpenSettings::default() };
        let judge = server.judge(route, &open_settings);
        let run_folder = folder.path().join("run");
        let units = (0..3).map(|i| pair(&format!("prompt {i}"))).collect();
        let summary = run(&run_folder, units, &judge, &settings()).await;
        assert_eq!((summary.verdicts, summary.failed_count()), (6, 0), "{route:?}");
        assert_eq!(summary.notes.len(), 1);
        // The first reply decides for all, also those that were ready.
        assert_eq!(server.bodies().len(), 7);
        let note = summary.notes.first().unwrap();
        assert!(note.contains("asked for text instead"), "{note}");
        // The run remembers it for the next command.
        let judge = server.judge(route, &open_settings);
        let units = vec![pair("another prompt")];
        let more = run(&run_folder, units, &judge, &settings()).await;
        assert_eq!((more.verdicts, server.bodies().len()), (2, 9), "{route:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_in_another_form_is_restated_in_text_without_its_pictures() {
    const SAID: &str = "I would say 1 2 2 3 2 1 for this pair.";
    for (route, by_schema) in Route::ALL.into_iter().flat_map(|it| [(it, false), (it, true)]) {
        let (rows, bodies) = asked(
            route,
            move |s| OpenSettings { allows_schema: by_schema, ..s },
            move |_, body| {
                let text = if body.to_string().contains("Copy the final decision") {
                    ANSWER
                } else {
                    SAID
                };
                ResponseTemplate::new(200).set_body_json(answer(route, text, stop(route)))
            },
        )
        .await;
        assert_eq!(bodies.len(), 4, "{route:?}");
        for row in &rows {
            assert_eq!((row.outcome.as_str(), row.attempts, row.restated), ("verdict", 2, true));
            assert_eq!(row.raw.as_deref(), Some(SAID));
            assert_eq!(row.restatement.as_deref(), Some(ANSWER));
            assert_eq!(row.answers.as_deref(), Some(if by_schema { "schema" } else { "text" }));
        }
        let is_follow_up = |body: &&Value| body.to_string().contains("Copy the final decision");
        let follow_ups: Vec<_> = bodies.iter().filter(is_follow_up).collect();
        assert_eq!(follow_ups.len(), 2);
        for body in follow_ups {
            assert!(body.to_string().contains(SAID) && pictures(route, body).is_empty());
            assert_eq!(schema(route, body).is_null(), !by_schema);
            let limit = body.to_string().contains("2048");
            assert!(limit, "few tokens: {body}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_that_is_not_stated_in_form_twice_is_final() {
    let digits = |last| object(["1", "2", "3", "1", "2", last]);
    let none = "0".to_owned();
    for (first, second) in [
        (digits("7"), digits("7")),
        (digits("1").replace("overall", "in_all"), digits("1").replace("overall", "in_all")),
        ("[1, 2]".to_owned(), none.clone()),
        ("Left.".to_owned(), "Left.".to_owned()),
        // The reply has another answer.
        ("So: 1 2 2 3 2 1, I think.".to_owned(), "1 1 1 1 1 1".to_owned()),
        ("Left.".to_owned(), digits("0")),
    ] {
        let (rows, bodies) = asked(
            Route::Chat,
            |s| s,
            move |_, body| {
                let is_second = body.to_string().contains("Copy the final decision");
                let text = if is_second { &second } else { &first };
                ResponseTemplate::new(200).set_body_json(answer(Route::Chat, text, "stop"))
            },
        )
        .await;
        let reason = rows[0].reason.as_deref().unwrap();
        assert_eq!((rows[0].outcome.as_str(), bodies.len()), ("invalid", 4), "{reason}");
        assert!(reason.contains("asked to restate its decision"), "{reason}");
    }
}

/// LM Studio and vLLM look for reasoning in what was held to a schema.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_by_schema_that_arrives_as_reasoning_is_asked_for_as_text_once() {
    let by_schema = object(["1", "2", "2", "3", "2", "1"]);
    let (rows, bodies) = asked(
        Route::Chat,
        |s| s,
        move |_, body| {
            let is_text = schema(Route::Chat, body).is_null();
            let mut said = answer(Route::Chat, if is_text { ANSWER } else { "" }, "stop");
            if !is_text {
                said["choices"][0]["message"]["reasoning_content"] = json!(by_schema);
            }
            ResponseTemplate::new(200).set_body_json(said)
        },
    )
    .await;
    assert_eq!(bodies.len(), 3);
    assert!(rows.iter().all(|row| row.outcome == "verdict"));
    assert!(rows.iter().all(|row| row.answers.as_deref() == Some("text") && !row.restated));
}

#[tokio::test(flavor = "multi_thread")]
async fn log_probabilities_become_a_probability_for_each_option() {
    let text = "So:\n1 2 2 3 2 1";
    let token =
        |token: &str, top: Value| json!({"token": token, "logprob": -0.1, "top_logprobs": top});
    let mut content = vec![token("So:\n", json!([]))];
    for (i, digit) in text[4..].split(' ').enumerate() {
        let spaced = if i == 0 { digit.to_owned() } else { format!(" {digit}") };
        let other = if i == 0 { "3".to_owned() } else { " 3".to_owned() };
        let top = if digit == "3" {
            json!([{"token": spaced, "logprob": 0.0}])
        } else {
            json!([{"token": spaced, "logprob": -0.510_825_623_765_990_7}, {"token": other, "logprob": -1.609_437_912_434_100_3}])
        };
        content.push(token(&spaced, top));
    }
    let mut body = answer(Route::Chat, text, "stop");
    body["choices"][0]["logprobs"] = json!({"content": content});
    let (rows, bodies) = asked(
        Route::Chat,
        |s| OpenSettings { allows_schema: false, wants_logprobs: true, ..s },
        move |_, _| ResponseTemplate::new(200).set_body_json(body.clone()),
    )
    .await;
    assert_eq!((&bodies[0]["logprobs"], &bodies[0]["top_logprobs"]), (&json!(true), &json!(10)));
    let of = |row: &Row, key: &str, name: &str| {
        row.probabilities.as_ref().unwrap()[key][name].as_f64().unwrap()
    };
    let near = |x: f64, y: f64| (x - y).abs() < 1e-9;
    // "1" is the left one: a in the listed order, b in the other.
    assert!(near(of(&rows[0], "text_asset_alignment", "a"), 0.75));
    assert!(near(of(&rows[1], "text_asset_alignment", "b"), 0.75));
    assert!(near(of(&rows[0], "text_asset_alignment", "tie"), 0.25));
    assert!(near(of(&rows[0], "texture_details", "tie"), 1.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn wishes_are_sent_to_models_that_grant_them_and_refused_for_others() {
    for route in [Route::Chat, Route::Responses, Route::Gemini] {
        let (_, bodies) = asked(
            route,
            |s| OpenSettings { temperature: Some(0.5), ..s },
            move |_, _| {
                ResponseTemplate::new(200).set_body_json(answer(route, ANSWER, stop(route)))
            },
        )
        .await;
        let body = &bodies[0];
        let sent =
            body.get("temperature").or_else(|| body.pointer("/generationConfig/temperature"));
        assert_eq!(sent, Some(&json!(0.5)), "{route:?}");
        let limit = ["max_completion_tokens", "max_output_tokens", "max_tokens"];
        let limit = limit.iter().find_map(|key| body.get(*key));
        let limit = limit.or_else(|| body.pointer("/generationConfig/maxOutputTokens"));
        assert_eq!(limit, Some(&json!(4000)), "the model's own limit");
    }
    let spec: meshjudge::unstable::judge::Spec = "anthropic:claude-sonnet-4-5".parse().unwrap();
    let wish = OpenSettings { temperature: Some(0.0), ..OpenSettings::default() };
    let error = Judge::open(&spec, Some("http://127.0.0.1:9/v1"), &wish).unwrap_err().to_string();
    assert!(error.contains("does not support a temperature"), "{error}");
}
