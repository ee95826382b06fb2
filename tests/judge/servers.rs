//! The servers that docs/JUDGES.md lists: settings as written there, replies in each server's
//! documented shape, through the whole chain.

use crate::support::assets::demo;
use crate::support::judge_server::{ANSWER, Mocks, Row, limits, open, rows, run, settings};
use crate::support::program::{Run, command};
use crate::support::trial::{FakeProvider, LONG, Seen, listed, object, pairs, reply_of, stop};
use meshjudge::unstable::ask::Summary;
use meshjudge::unstable::judge::{Judge, OpenSettings, Route};
use meshjudge::unstable::options::Tuning;
use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

const KEY: &str = "key-never-to-be-seen-77";

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
    let provider = FakeProvider::start(answer).await;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}{base}", provider.server.uri());
    let judge = open(route, model, &url, Some(KEY), open_settings);
    let summary = run(folder.path(), pairs(num_pairs), &judge, &settings()).await;
    (rows(folder.path()), provider.seen(), summary)
}

/// The same of a server of the chat route, where nothing is set.
async fn plain(
    num_pairs: usize,
    answer: impl Fn(usize, &Value) -> ResponseTemplate + Send + Sync + 'static,
) -> (Vec<Row>, Vec<Seen>, Summary) {
    asked(CHAT, &with(Tuning::default()), num_pairs, answer).await
}

fn reason(rows: &[Row]) -> &str {
    rows[0].reason.as_deref().unwrap()
}

fn all_are_verdicts(rows: &[Row]) -> bool {
    rows.iter().all(|row| row.outcome == "verdict")
}

fn with(tuning: Tuning) -> OpenSettings {
    OpenSettings { limits: limits(LONG), tuning, ..OpenSettings::default() }
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

/// Two words of a text, for pieces of a stream.
fn halves() -> (&'static str, &'static str) {
    ANSWER.split_at(ANSWER.len() - 5)
}

/// A piece of a streamed reply of the chat route.
fn chunk(delta: Value, finish: Option<&str>) -> Value {
    let choices = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
    json!({"object": "chat.completion.chunk", "model": "m", "choices": choices})
}

/// The piece of a streamed reply of the chat route that has its usage.
fn counted(usage: Value) -> Value {
    json!({"object": "chat.completion.chunk", "model": "m", "choices": [], "usage": usage})
}

fn dashscope() -> ResponseTemplate {
    let (start, end) = halves();
    let draft = json!({"role": "assistant", "content": null, "reasoning_content": "1 1 1 1 1 1"});
    let chunks = [
        chunk(draft, None),
        chunk(json!({"content": start, "reasoning_content": null}), None),
        chunk(json!({"content": end}), Some("stop")),
        counted(
            json!({"prompt_tokens": 1500, "completion_tokens": 50, "completion_tokens_details": {"reasoning_tokens": 20}}),
        ),
    ];
    streamed(events(&chunks) + "data: [DONE]\n\n")
}

/// The rows of the table in docs/JUDGES.md: the judge, its settings as in its example there, the
/// fields that its reply has in addition to an answer, and fields of the last request.
fn servers() -> Value {
    const DRAFT: &str = "1 1 1 1 1 1";
    json!([
        {"name": "OpenAI, reasoning models", "judge": ["openai-responses", "gpt-5.4", "/v1"],
            "tuning": "effort = \"low\"",
            "sends": {"/reasoning/effort": "low", "/text/format/type": "json_schema"}},
        {"name": "Claude with thinking", "judge": ["anthropic", "claude-opus-4-8", "/v1"],
            "tuning": "effort = \"medium\"\nbody = { thinking = { type = \"adaptive\" } }\ncache = true",
            "sends": {"/output_config/effort": "medium", "/thinking/type": "adaptive",
                "/messages/0/content/0/cache_control/type": "ephemeral"}},
        {"name": "Gemini with a thinking budget", "judge": ["gemini", "gemini-2.5-flash", "/v1beta"],
            "tuning": "effort = \"2048\"",
            "sends": {"/generationConfig/thinkingConfig/thinkingBudget": 2048}},
        {"name": "Qwen-VL on DashScope", "judge": ["openai", "qwen3-vl-plus", "/compatible-mode/v1"],
            "tuning": "stream = true\nbody = { enable_thinking = true, thinking_budget = 2048 }",
            "sends": {"/stream": true, "/stream_options/include_usage": true, "/thinking_budget": 2048}},
        {"name": "GLM-V", "judge": ["openai", "glm-4.5v", "/api/paas/v4"],
            "tuning": "body = { thinking = { type = \"enabled\" } }",
            "reply": {"/choices/0/message/reasoning_content": DRAFT}, "sends": {"/thinking/type": "enabled"}},
        {"name": "Mistral", "judge": ["openai", "mistral-medium-latest", "/v1"],
            "reply": {"/choices/0/message/content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]}, {"type": "text", "text": ANSWER}]},
            "sends": {"/max_tokens": 16_384}},
        {"name": "vLLM", "judge": ["openai", "Qwen/Qwen3-VL-8B-Instruct", "/v1"],
            "tuning": "body = { chat_template_kwargs = { enable_thinking = false } }",
            "sends": {"/chat_template_kwargs/enable_thinking": false}},
        {"name": "SGLang", "judge": ["openai", "default", "/v1"],
            "tuning": "body = { separate_reasoning = true }", "sends": {"/separate_reasoning": true}},
        {"name": "llama.cpp", "judge": ["openai", "gpt-4o", "/v1"], "tuning": "max_output_tokens = 4096",
            "reply": {"/timings": {"prompt_n": 1500}}, "sends": {"/max_completion_tokens": 4096}},
        {"name": "Ollama", "judge": ["openai", "qwen3-vl:8b", "/v1"], "tuning": "effort = \"none\"",
            "reply": {"/system_fingerprint": "fp_ollama", "/usage/prompt_tokens": 2048},
            "sends": {"/reasoning_effort": "none"}},
        {"name": "LM Studio", "judge": ["openai", "qwen/qwen3-vl-8b", "/v1"]},
        {"name": "OpenRouter", "judge": ["openai", "qwen/qwen3-vl-235b-a22b-thinking", "/api/v1"],
            "tuning": "effort = \"low\"\nbody = { provider = { require_parameters = true } }\nheaders = { X-Title = \"meshjudge\" }",
            "reply": {"/choices/0/message/reasoning": DRAFT, "/usage/cost": 0.0012},
            "sends": {"/provider/require_parameters": true, "/reasoning_effort": "low"}},
        {"name": "Azure", "judge": ["openai", "gpt-4o", "/openai/deployments/gpt-4o?api-version=2024-10-21"],
            "reply": {"/choices/0/message/content": by_schema(),
                "/prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]},
            "sends": {"/response_format/type": "json_schema"}},
    ])
}

/// The status and body with which the server refuses the first form of a request.
fn refusal(name: &str, request: &Value) -> Option<(u16, Value)> {
    let is_refused = match name {
        "Qwen-VL on DashScope" => request["stream"] != true,
        "Mistral" => request.get("max_completion_tokens").is_some(),
        "llama.cpp" => request.get("response_format").is_some(),
        _ => false,
    };
    is_refused.then(|| match name {
        "Mistral" => (422, json!({"object": "error", "message": {"detail": [
            {"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "Extra inputs are not permitted"}]},
            "type": "invalid_request_error", "param": null, "code": null})),
        "llama.cpp" => (500, json!({"error": {"code": 500, "type": "server_error",
            "message": "Failed to initialize samplers: failed to parse grammar"}})),
        _ => (400, json!({"error": {"code": "invalid_parameter_error",
            "message": "parameter.enable_thinking must be set to false for non-streaming calls"}})),
    })
}

fn reply_of_server(server: &Value, route: Route) -> ResponseTemplate {
    if server["name"] == "Qwen-VL on DashScope" {
        return dashscope();
    }
    let mut said = match route {
        Route::Chat => chat(ANSWER),
        _ => reply_of(route, &by_schema(), stop(route)),
    };
    for (pointer, value) in server["reply"].as_object().into_iter().flatten() {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        said.pointer_mut(parent).unwrap()[key] = value.clone();
    }
    body(200, &said)
}

/// What [`ANSWER`] says, by schema.
fn by_schema() -> String {
    object(ANSWER.lines().last().unwrap().split(' '))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_server_of_the_table_is_asked_as_documented_and_its_reply_read() {
    let table =
        std::fs::read_to_string(crate::support::assets::repository("docs/JUDGES.md")).unwrap();
    for server in servers().as_array().unwrap() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (name, toml) = (text(&server["name"]), text(&server["tuning"]));
        let [route, model, base] = [0, 1, 2].map(|k| text(&server["judge"][k]));
        let route = Route::ALL.into_iter().find(|it| it.name() == route).unwrap();
        assert!(table.contains(&format!("| {name} |")), "{name} is not in the table");
        for line in toml.lines() {
            assert!(table.contains(line), "{name}: {line} is not in its example");
        }
        let (own, reply) = (name.clone(), reply_of_server(server, route));
        let answer = move |_: usize, request: &Value| match refusal(&own, request) {
            Some((status, said)) => body(status, &said),
            None => reply.clone(),
        };
        let settings = with(tuning(&toml));
        let (rows, seen, summary) = asked((route, &model, &base), &settings, 2, answer).await;
        assert_eq!(rows.len(), 4, "{name}");
        for row in &rows {
            assert_eq!(row.outcome, "verdict", "{name}: {:?}", row.reason);
            let winner = &row.verdict.as_ref().unwrap()["text_asset_alignment"];
            let left = if row.order == "ab" { "a" } else { "b" };
            assert_eq!(winner, left, "{name}: the draft was read");
            assert!(row.input_tokens.is_some(), "{name}");
        }
        let last = seen.last().unwrap();
        for (pointer, value) in server["sends"].as_object().into_iter().flatten() {
            assert_eq!(last.body.pointer(pointer), Some(value), "{name}: {pointer}");
        }
        let refused = seen.iter().filter(|seen| refusal(&name, &seen.body).is_some()).count();
        // Three unclear refusals, and one that was under way.
        assert!(refused <= 4, "{name}: {refused} requests were turned away");
        assert_eq!(last.header("api-key").is_some_and(|it| it.contains(KEY)), name == "Azure");
        assert_eq!(last.place.contains("api-version="), name == "Azure", "{}", last.place);
        let is_cut = summary.notes.iter().any(|note| note.contains("num_ctx"));
        assert_eq!(is_cut, name == "Ollama", "{name}: {:?}", summary.notes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_rows_test_fails_when_the_server_answers_otherwise() {
    let (rows, ..) = plain(1, |_, _| body(200, &chat("I cannot see it."))).await;
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
    assert_eq!(seen[0].header("api-key"), Some(&*value));
    assert_eq!(seen[0].header("x-a"), Some(&*format!("b {value} c")));
    assert_eq!(seen[0].body["user"], "me");
    assert!(all_are_verdicts(&rows));
    let is_scrubbed = |row: &Row| !row.raw.as_ref().unwrap().contains(&value);
    assert!(rows.iter().all(is_scrubbed), "{:?}", rows[0].raw);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_older_limit_of_tokens_can_be_chosen_and_its_number_is_reserved() {
    let settings = with(tuning("body = { max_tokens = 300 }"));
    let (rows, seen, _) = asked(CHAT, &settings, 1, |_, _| body(200, &chat(ANSWER))).await;
    assert!(all_are_verdicts(&rows));
    assert_eq!(seen[0].body["max_tokens"], 300);
    assert!(seen[0].body.get("max_completion_tokens").is_none());
    let judge = open(Route::Chat, "m", "http://127.0.0.1:9/v1", None, &settings);
    assert_eq!(judge.endpoint().unwrap().output_tokens_max(), 300);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_refuse_a_form_are_asked_in_another_and_said_to_be() {
    const LIMIT: &str = "Unrecognized request argument: max_completion_tokens";
    const WHOLE: &str = "This model only supports streaming: set stream=true";
    const SCHEMA: &str = "response_format is unknown";
    let cases: [(&[&str], &str); 3] = [
        (&[LIMIT], "max_tokens"),
        (&[WHOLE], "streams"),
        // All at once, one after the other.
        (&[LIMIT, WHOLE, SCHEMA], "JSON schema"),
    ];
    for (refused, words) in cases {
        let refuses = move |request: &Value| {
            let is_sent = |form: &&&str| match **form {
                LIMIT => request.get("max_completion_tokens").is_some(),
                WHOLE => request["stream"] != true,
                _ => request.get("response_format").is_some(),
            };
            refused.iter().find(is_sent).copied()
        };
        let answer = move |_: usize, request: &Value| match refuses(request) {
            Some(words) => body(400, &json!({"error": {"message": words}})),
            None if request["stream"] == true => dashscope(),
            None => body(200, &chat(ANSWER)),
        };
        let judge = (Route::Chat, "gpt-4o", "/v1");
        let (rows, seen, summary) = asked(judge, &with(Tuning::default()), 3, answer).await;
        assert!(all_are_verdicts(&rows), "{words}: {:?}", rows[0].reason);
        let is_said = summary.notes.iter().any(|note| note.contains(words));
        assert!(is_said, "{words}: {:?}", summary.notes);
        let refused = seen.iter().filter(|seen| refuses(&seen.body).is_some()).count();
        assert!(refused <= 6, "{words}: two were under way for each of three forms, not {refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_answer_that_breaks_its_schema_costs_nobody_else_the_schema() {
    let invalid = json!({"message": "Failed to validate JSON.", "code": "json_validate_failed", "failed_generation": "{"});
    let invalid = json!({ "error": invalid });
    let odd = move || body(400, &invalid);
    let odd_again = odd.clone();
    let answer = move |n: usize, request: &Value| match n {
        4 => odd(),
        _ if request.get("response_format").is_none() => body(200, &chat(ANSWER)),
        _ => body(200, &chat(&by_schema())),
    };
    let judge = (Route::Chat, "gpt-4o", "/v1");
    let (rows, seen, summary) = asked(judge, &with(Tuning::default()), 5, answer).await;
    assert!(all_are_verdicts(&rows));
    let as_text = seen.iter().filter(|seen| seen.body.get("response_format").is_none()).count();
    assert_eq!((as_text, summary.notes.len()), (1, 0), "{:?}", summary.notes);
    // One that always does so is asked for text, and no more than a few questions pay for it.
    let answer = move |_: usize, request: &Value| match request.get("response_format") {
        Some(_) => odd_again(),
        None => body(200, &chat(ANSWER)),
    };
    let (rows, seen, summary) = asked(judge, &with(Tuning::default()), 10, answer).await;
    assert!(all_are_verdicts(&rows));
    assert!(seen.len() <= 20 + 4, "{}", seen.len());
    assert_eq!(summary.notes.len(), 1, "{:?}", summary.notes);
}

/// A reply of the route in one piece and as the events of a stream.
fn whole_and_events(route: Route) -> (Value, Vec<Value>) {
    let (start, end) = halves();
    match route {
        Route::Chat => {
            let chunks = [
                chunk(json!({"role": "assistant", "content": ""}), None),
                chunk(json!({"content": start}), None),
                chunk(json!({"content": end}), None),
                chunk(json!({}), Some("stop")),
                counted(json!({"prompt_tokens": 1500, "completion_tokens": 50})),
            ];
            (chat(ANSWER), chunks.to_vec())
        }
        Route::Responses => {
            let whole = json!({"status": "completed", "model": "m", "output": [{"type": "message", "content": [{"type": "output_text", "text": ANSWER}]}],
                "usage": {"input_tokens": 1500, "output_tokens": 50}});
            let created = json!({"status": "in_progress", "model": "m", "output": []});
            let events = [
                json!({"type": "response.created", "response": created}),
                json!({"type": "response.output_text.delta", "delta": start}),
                json!({"type": "response.output_text.delta", "delta": end}),
                json!({"type": "response.completed", "response": whole}),
            ];
            (whole, events.to_vec())
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
            let settings = with(tuning("stream = true"));
            let (rows, ..) = asked(judge, &settings, 1, move |_, _| streamed(part.clone())).await;
            let is_cut = |row: &Row| ["truncated", "provider_error"].contains(&&*row.outcome);
            assert!(rows.iter().all(is_cut), "{route:?} cut at {at}: {rows:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_with_status_200_keep_their_code_and_routers_their_reason() {
    let once = json!([
        {"error": {"message": "no", "code": 400}},
        {"error": {"message": "no", "code": "400"}},
        {"error": {"message": "no", "status": 422, "code": "context_length_exceeded"}},
        {"error": {"error": {"message": "no", "code": 413}}},
        {"error": "Error code: 400 - no", "id": 1},
        {"error": "no", "status_code": 400},
        {"object": "error", "message": "no", "code": 400},
        [{"error": {"message": "no", "code": 400, "status": "INVALID_ARGUMENT"}}],
        {"error": {"message": "no", "type": "invalid_request_error"}},
        {"error": {"message": "no", "metadata": {"raw": "{\"error\": {\"code\": 400}}"}}},
        {"choices": [{"error": {"message": "no", "code": 400}, "message": {"content": ""}}]},
    ]);
    let again = json!([{"error": {"message": "no", "code": 502}}, {"error": {"message": "no"}}]);
    for (all, requests) in [(once, 2), (again, 6)] {
        for said in all.as_array().unwrap() {
            let reply = said.clone();
            let (rows, seen, _) = plain(1, move |_, _| body(200, &reply)).await;
            assert!(rows.iter().all(|row| row.outcome == "provider_error"));
            assert_eq!(seen.len(), requests, "{said}");
        }
    }
    for status in [200, 400] {
        let raw = json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "{\"error\":\"at most 4 images\"}"}}});
        let (rows, ..) = plain(1, move |_, _| body(status, &raw)).await;
        assert!(reason(&rows).contains("at most 4 images"), "{}", reason(&rows));
    }
    // A 429 inside is waited for, as any other.
    let answer = |n: usize, _: &Value| match n {
        0..8 => body(200, &json!({"error": {"message": "slow down", "code": "429"}})),
        _ => body(200, &chat(ANSWER)),
    };
    let (rows, ..) = plain(1, answer).await;
    assert!(all_are_verdicts(&rows), "{:?}", rows[0].reason);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filters_refusal_is_a_refusal_and_costs_nothing() {
    let filters = [
        (
            400,
            json!({"code": "content_filter", "message": "no", "innererror": {"code": "ResponsibleAIPolicyViolation"}}),
        ),
        (400, json!({"code": "content_policy_violation", "message": "no"})),
        (400, json!({"code": "data_inspection_failed", "message": "no"})),
        (
            403,
            json!({"code": 403, "message": "flagged", "metadata": {"reasons": ["x"], "flagged_input": "…"}}),
        ),
    ];
    for (status, said) in filters {
        let (rows, ..) = plain(1, move |_, _| body(status, &json!({ "error": said }))).await;
        let is_free_refusal = |row: &Row| row.outcome == "refusal" && row.cost_usd == Some(0.0);
        assert!(rows.iter().all(is_free_refusal), "{:?}", rows[0]);
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
        let (rows, seen, _) = plain(1, answer).await;
        assert!(all_are_verdicts(&rows), "{:?}", rows[0].reason);
        assert_eq!(seen.len(), 4);
    }
    let raw = |bytes: &[u8], kind: &str| ResponseTemplate::new(200).set_body_raw(bytes, kind);
    let coded = |bytes: &[u8], label: &str| {
        raw(bytes, "application/json").insert_header("content-encoding", label)
    };
    let named = [
        (raw(b"<html>Sign in</html>", "text/html"), "text/html"),
        (coded(b"\x1b\x2f\x00", "br"), "compressed (br)"),
    ];
    for (reply, words) in named {
        let (rows, seen, _) = plain(1, move |_, _| reply.clone()).await;
        assert_eq!(seen.len(), 2, "{words}: one request for each question");
        assert!(reason(&rows).contains(words), "{}", reason(&rows));
    }
    let packed = |bytes: &[u8]| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut packed, bytes).unwrap();
        packed.finish().unwrap()
    };
    for label in ["gzip", "identity"] {
        let reply = coded(&packed(chat(ANSWER).to_string().as_bytes()), label);
        let (rows, seen, _) = plain(1, move |_, _| reply.clone()).await;
        assert!(all_are_verdicts(&rows), "{:?}", rows[0].reason);
        assert_eq!(seen.len(), 2);
    }
    // A small body that unpacks to more than a reply may have is given up before it is whole.
    let bomb = coded(&packed(&vec![b' '; 64 << 20]), "gzip");
    let (rows, ..) = plain(1, move |_, _| bomb.clone()).await;
    assert!(reason(&rows).contains("larger than"), "{}", reason(&rows));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_repeats_one_error_is_given_up_early_and_said_to_be() {
    let answer = |status, words: &'static str| {
        move |_: usize, _: &Value| body(status, &json!({"error": {"message": words}}))
    };
    for (status, words) in [
        (500, "image input is not supported - hint: you may need to provide the mmproj"),
        (400, "At most 0 image(s) may be provided in one request 17"),
    ] {
        let (rows, seen, summary) = plain(40, answer(status, words)).await;
        assert!(seen.len() <= 14, "{words}: {} requests", seen.len());
        assert!(reason(&rows).contains(words), "{}", reason(&rows));
        let ended = summary.ended.values().next().expect(words);
        assert!(ended.contains(words) && ended.contains("every question"), "{ended}");
    }
    // One pair is reported at once, not after all its tries.
    let (_, seen, _) = plain(1, answer(500, "this model does not support image input")).await;
    assert_eq!(seen.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_address_is_named_with_what_to_change() {
    let answer = |_: usize, _: &Value| {
        ResponseTemplate::new(404).set_body_raw("404 page not found", "text/plain")
    };
    let (found, ..) = asked((Route::Chat, "m", ""), &with(Tuning::default()), 1, answer).await;
    let said = reason(&found);
    assert!(said.contains("/chat/completions") && said.contains("no /v1"), "{said}");
    let answer = |_: usize, _: &Value| {
        body(404, &json!({"error": {"message": "model 'm' not found", "code": "model_not_found"}}))
    };
    let (found, ..) = plain(1, answer).await;
    let said = reason(&found);
    assert!(said.contains("model 'm' not found") && !said.contains("base URL"), "{said}");
    let server = Mocks::start().await;
    let https = server.uri().replace("http:", "https:");
    let cases = [
        (format!("{https}/v1"), "begin the base URL with http://"),
        ("http://no-such-host.lan/v1".to_owned(), "check the host"),
    ];
    for (url, words) in cases {
        let folder = tempfile::tempdir().unwrap();
        let judge = open(Route::Chat, "m", &url, None, &with(Tuning::default()));
        run(folder.path(), pairs(1), &judge, &settings()).await;
        let rows = rows(folder.path());
        let said = reason(&rows);
        assert!(said.contains(&url) && said.contains(words), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_without_an_ending_counts_only_where_its_server_never_states_one() {
    let mut reply = chat(ANSWER);
    reply["choices"][0]["finish_reason"] = Value::Null;
    for (facts, is_verdict) in [("", false), ("states_ending = false", true)] {
        let facts = format!("names = [\"judge\"]\nroutes = [\"openai\"]\n{facts}");
        let settings = OpenSettings { catalogue: listed(&facts), ..with(Tuning::default()) };
        let reply = reply.clone();
        let (rows, seen, summary) = asked(CHAT, &settings, 20, move |_, _| body(200, &reply)).await;
        assert_eq!(rows[0].outcome == "verdict", is_verdict, "{:?}", rows[0].reason);
        // No question is asked twice, and after 12 such replies (one more is under way) none.
        assert!(rows.iter().all(|row| row.attempts <= 1));
        assert_eq!(seen.len() <= 13, !is_verdict, "{}", seen.len());
        let ended = summary.ended.values().next();
        assert_eq!(ended.is_some_and(|why| why.contains("states_ending = false")), !is_verdict);
    }
    // One that says so now and then is asked on.
    let (_, seen, _) = plain(20, move |n, _| {
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
    let [mut own, mut moonshot, mut groq] = [0; 3].map(|_| chunk(json!({}), Some("stop")));
    own["usage"] = counts.clone();
    moonshot["choices"][0]["usage"] = counts.clone();
    groq["x_groq"] = json!({"id": "r", "usage": counts});
    let mut zeros = chunk(json!({}), None);
    zeros["usage"] = json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0});
    let before_zeros = vec![own.clone(), own.clone(), zeros];
    for ends in [vec![own], vec![moonshot], vec![groq], before_zeros] {
        let chunks = [vec![chunk(json!({"content": ANSWER}), None)], ends].concat();
        let text = events(&chunks) + "data: [DONE]\n\n";
        let (settings, said) = (with(tuning("stream = true")), text.clone());
        let (rows, ..) = asked(CHAT, &settings, 1, move |_, _| streamed(said.clone())).await;
        assert_eq!(rows[0].outcome, "verdict", "{text}: {:?}", rows[0].reason);
        assert_eq!((rows[0].input_tokens, rows[0].output_tokens), (Some(1500), Some(50)), "{text}");
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
        let (rows, seen, summary) = plain(20, move |_, _| body(400, &error)).await;
        for words in [said, "max_output_tokens, which is 16384"] {
            assert!(reason(&rows).contains(words), "{}", reason(&rows));
        }
        assert!(seen.len() <= 13 && summary.ended.len() == 1, "{said}: {}", seen.len());
    }
    for said in ["at most 4 images", "max_tokens is not known", "temperature is too high"] {
        let error = json!({"error": {"message": said}});
        let (rows, ..) = plain(1, move |_, _| body(400, &error)).await;
        assert!(!reason(&rows).contains("max_output_tokens"), "{said}");
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
