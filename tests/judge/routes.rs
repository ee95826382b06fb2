//! Every route: what is sent is of the route, and what comes back (answers, refusals, cuts, usage,
//! errors inside a 200) is read as such.

use crate::support::judge_server::{ANSWER, Row, limits, open, rows, run, settings};
use crate::support::trial::{
    FakeProvider, LONG, Seen, listed, object, pairs, reply_of, stop, whole,
};
use base64::Engine;
use meshjudge::unstable::ask::Summary;
use meshjudge::unstable::judge::{Judge, OpenSettings, Route};
use meshjudge::unstable::render::Image;
use serde_json::{Value, json};
use std::path::PathBuf;
use wiremock::ResponseTemplate;

const KEY: &str = "key-never-to-be-seen-77";

/// The judge `priced` behind a provider of its route, and its run.
struct Asked {
    route: Route,
    provider: FakeProvider,
    settings: OpenSettings,
    folder: tempfile::TempDir,
}

impl Asked {
    async fn start(
        route: Route,
        settings_of: impl Fn(OpenSettings) -> OpenSettings,
        answer: impl Fn(usize, &Value) -> ResponseTemplate + Send + Sync + 'static,
    ) -> Self {
        let facts = "names = [\"priced\"]\nlogprobs = true\ntemperature = true\noutput_tokens_max = 4000\n\
            routes = [\"openai\", \"openai-responses\", \"anthropic\", \"gemini\"]\n\
            usd_per_million = { input = 2.0, cached_input = 0.5, output = 10.0 }";
        let settings = OpenSettings { limits: limits(LONG), ..OpenSettings::default() };
        let settings = settings_of(OpenSettings { catalogue: listed(facts), ..settings });
        let provider = FakeProvider::start(answer).await;
        Self { route, provider, settings, folder: tempfile::tempdir().unwrap() }
    }

    fn judge(&self) -> Judge {
        let url = format!("{}/v1", self.provider.server.uri());
        open(self.route, "priced", &url, Some(KEY), &self.settings)
    }

    async fn run(&self, num_pairs: usize) -> Summary {
        run(&self.place(), pairs(num_pairs), &self.judge(), &settings()).await
    }

    fn place(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// The bodies of all requests, each of which was for the route's address and had the key.
    fn bodies(&self) -> Vec<Value> {
        let place = match self.route {
            Route::Chat => "/v1/chat/completions?",
            Route::Responses => "/v1/responses?",
            Route::Anthropic => "/v1/messages?",
            Route::Gemini => "/v1/models/priced:generateContent?",
        };
        let bearer = format!("Bearer {KEY}");
        let (header, key) = match self.route {
            Route::Chat | Route::Responses => ("authorization", bearer.as_str()),
            Route::Anthropic => ("x-api-key", KEY),
            Route::Gemini => ("x-goog-api-key", KEY),
        };
        let body = |seen: Seen| {
            assert_eq!((seen.place.as_str(), seen.header(header)), (place, Some(key)));
            let has_version = seen.header("anthropic-version").is_some();
            assert_eq!(has_version, self.route == Route::Anthropic);
            keep_for_foreign_clients(self.route, &seen.body);
            seen.body
        };
        self.provider.seen().into_iter().map(body).collect()
    }
}

fn json_of(status: u16, body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(body)
}

/// Leaves a body for `tests/foreign/validate_requests.py`, where the environment names a folder.
fn keep_for_foreign_clients(route: Route, body: &Value) {
    if let Some(folder) = std::env::var_os("MESHJUDGE_REQUESTS") {
        let body = body.to_string();
        let hash = blake3::hash(body.as_bytes()).to_hex();
        let name = format!("{}.{}.json", route.name(), &hash[..16]);
        let folder = PathBuf::from(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), body).unwrap();
    }
}

/// Asks one pair and returns rows and request bodies.
async fn asked(
    route: Route,
    settings_of: impl Fn(OpenSettings) -> OpenSettings,
    answer: impl Fn(usize, &Value) -> ResponseTemplate + Send + Sync + 'static,
) -> (Vec<Row>, Vec<Value>) {
    let asked = Asked::start(route, settings_of, answer).await;
    asked.run(1).await;
    (rows(&asked.place()), asked.bodies())
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
    let decode = |data: &str| base64::engine::general_purpose::STANDARD.decode(data).unwrap();
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
        let (rows, bodies) = asked(route, |s| s, move |_, _| whole(route, &reply)).await;
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
    // The finish of a cut reply, a refusal, an error inside a 200, the reason for an empty reply.
    let of_routes = json!({
        "openai": ["length",
            {"choices": [{"message": {"content": null, "refusal": "I can't."}, "finish_reason": "stop"}]},
            {"error": {"message": "overloaded", "code": 503}}, "empty"],
        "openai-responses": ["max_output_tokens",
            {"status": "completed", "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "I can't."}]}]},
            {"status": "failed", "error": {"message": "overloaded", "code": "server_error"}, "output": []}, "empty"],
        "anthropic": ["max_tokens", {"type": "message", "content": [], "stop_reason": "refusal"},
            {"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}}, "reasoning and no answer"],
        "gemini": ["MAX_TOKENS", {"promptFeedback": {"blockReason": "SAFETY"}},
            {"error": {"message": "overloaded", "code": 503, "status": "UNAVAILABLE"}}, "reasoning and no answer"],
    });
    for route in Route::ALL {
        let of_route = &of_routes[route.name()];
        let word = |k: usize| of_route[k].as_str().unwrap();
        let cases = [
            (reply_of(route, ANSWER, word(0)), "truncated", ""),
            (of_route[1].clone(), "refusal", "declined"),
            (of_route[2].clone(), "provider_error", "200 with an error inside: overloaded"),
            (json!({"ok": true}), "provider_error", "does not have this route's form"),
            (reply_of(route, "", stop(route)), "invalid", word(3)),
        ];
        for (body, outcome, words) in cases {
            let (rows, _) = asked(route, |s| s, move |_, _| json_of(200, &body)).await;
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
    let low = "Your credit balance is too low to access the Anthropic API.";
    let key = json!([{"@type": "ErrorInfo", "reason": "API_KEY_INVALID"}]);
    let cases = [
        (Route::Chat, 429, json!({"message": "no", "type": "insufficient_quota", "code": null})),
        (Route::Responses, 401, json!({"message": "no", "code": "invalid_api_key"})),
        (Route::Anthropic, 400, json!({"type": "invalid_request_error", "message": low})),
        (Route::Anthropic, 402, json!({"type": "billing_error", "message": "no"})),
        (Route::Gemini, 400, json!({"code": 400, "message": "API key not valid.", "details": key})),
    ];
    for (route, status, said) in cases {
        let said = match route {
            Route::Anthropic => json!({"type": "error", "error": said}),
            _ => json!({ "error": said }),
        };
        let asked = Asked::start(route, |s| s, move |_, _| json_of(status, &said)).await;
        let summary = asked.run(5).await;
        // A key must be refused twice, while another request may be under way.
        assert!(asked.bodies().len() <= 3, "{route:?} {status}");
        assert!(summary.ended.contains_key(&asked.judge().name()), "{route:?} {status}");
        assert_eq!(summary.failed_count(), 10);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_schema_is_left_out_and_said_and_the_text_is_read() {
    for route in Route::ALL {
        let refused = "response_format json_schema is not supported";
        let answer = move |_: usize, body: &Value| match schema(route, body).is_null() {
            true => whole(route, ANSWER),
            false => json_of(400, &json!({"error": {"message": refused}})),
        };
        let asked = Asked::start(route, |s| s, answer).await;
        let summary = asked.run(3).await;
        assert_eq!((summary.verdicts, summary.failed_count()), (6, 0), "{route:?}");
        assert_eq!(summary.notes.len(), 1);
        // The first reply decides for all, also those that were ready.
        assert_eq!(asked.bodies().len(), 7);
        let note = summary.notes.first().unwrap();
        assert!(note.contains("asked for text instead"), "{note}");
        // The run remembers it for the next command.
        let more = asked.run(4).await;
        assert_eq!((more.verdicts, asked.bodies().len()), (2, 9), "{route:?}");
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
                let is_second = body.to_string().contains("Copy the final decision");
                whole(route, if is_second { ANSWER } else { SAID })
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
                whole(Route::Chat, if is_second { &second } else { &first })
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
            let mut said = reply_of(Route::Chat, if is_text { ANSWER } else { "" }, "stop");
            if !is_text {
                said["choices"][0]["message"]["reasoning_content"] = json!(by_schema);
            }
            json_of(200, &said)
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
    let mut body = reply_of(Route::Chat, text, "stop");
    body["choices"][0]["logprobs"] = json!({"content": content});
    let (rows, bodies) = asked(
        Route::Chat,
        |s| OpenSettings { allows_schema: false, wants_logprobs: true, ..s },
        move |_, _| json_of(200, &body),
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
        let warm = |s| OpenSettings { temperature: Some(0.5), ..s };
        let (_, bodies) = asked(route, warm, move |_, _| whole(route, ANSWER)).await;
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
