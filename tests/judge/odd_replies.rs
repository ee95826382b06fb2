//! Replies that are none, in the midst of a run: each is the outcome of its question, and the judge
//! goes on unless it really is at its end.

use crate::support::judge_server::{
    ANSWER, ChatServer, judge, open, pair, reply, reply_json, rows, run, settings,
};
use meshjudge::unstable::ask::{AskSettings, Summary, Unit};
use meshjudge::unstable::judge::{Backoff, BreakerSettings, OpenSettings, Route};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use wiremock::ResponseTemplate;

const LONG: Duration = Duration::from_secs(20);

fn pairs(count: usize) -> Vec<Unit> {
    (0..count).map(|i| pair(&format!("prompt {i}"))).collect()
}

async fn asked(server: &ChatServer, folder: &Path, num_pairs: usize) -> Summary {
    asked_with(server, folder, num_pairs, &settings()).await
}

async fn asked_with(
    server: &ChatServer,
    folder: &Path,
    num_pairs: usize,
    settings: &AskSettings,
) -> Summary {
    let judge = judge(&server.base_url(), None, LONG);
    let asking = run(folder, pairs(num_pairs), &judge, settings);
    tokio::time::timeout(LONG, asking).await.expect("it ends")
}

fn error(status: u16, code: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(json!({"error": {"message": "no", "code": code}}))
}

fn odd_replies() -> Vec<(&'static str, ResponseTemplate)> {
    let body = |body| ResponseTemplate::new(200).set_body_json(body);
    vec![
        ("another object", body(json!({"ok": true}))),
        ("403", error(403, "forbidden")),
        ("404", error(404, "model_not_found")),
        ("405", ResponseTemplate::new(405)),
        ("307", ResponseTemplate::new(307).insert_header("location", "/login")),
        ("401", error(401, "invalid_api_key")),
        ("403 inside", body(json!({"error": {"message": "no", "code": 403}}))),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn one_odd_reply_is_the_outcome_of_one_question() {
    for (name, odd) in odd_replies() {
        let answer = move |n| match n {
            20 => odd.clone(),
            _ => reply(ANSWER, "stop"),
        };
        let server = ChatServer::start(answer).await;
        let folder = tempfile::tempdir().unwrap();
        let summary = asked(&server, folder.path(), 20).await;
        assert_eq!((summary.verdicts, summary.failed_count()), (39, 1), "{name}");
        assert!(summary.ended.is_empty(), "{name}: {:?}", summary.ended);
        // The next run asks what is left.
        let summary = asked(&server, folder.path(), 20).await;
        assert_eq!((summary.verdicts, summary.exit_code()), (1, 0), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_was_turned_away_for_a_while_is_tried_again() {
    for (name, odd) in odd_replies() {
        if name == "401" {
            continue;
        }
        let answer = move |n| match n {
            10..30 => odd.clone(),
            _ => reply(ANSWER, "stop"),
        };
        let server = ChatServer::start(answer).await;
        let folder = tempfile::tempdir().unwrap();
        let patient = AskSettings {
            breaker: BreakerSettings { probes_max: 10, ..settings().breaker },
            ..settings()
        };
        let summary = asked_with(&server, folder.path(), 40, &patient).await;
        assert_eq!((summary.verdicts, summary.failed_count()), (60, 20), "{name}");
        assert!(summary.ended.is_empty(), "{name}: {:?}", summary.ended);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_is_given_up_after_a_stated_number_of_odd_replies_in_a_row() {
    let max = settings().breaker.failures_max as usize;
    let probes = settings().breaker.probes_max as usize;
    for (name, odd) in odd_replies() {
        for good in [0, 10] {
            let odd = odd.clone();
            let answer = move |n| match n {
                n if n < good => reply(ANSWER, "stop"),
                _ => odd.clone(),
            };
            let server = ChatServer::start(answer).await;
            let folder = tempfile::tempdir().unwrap();
            let summary = asked(&server, folder.path(), 60).await;
            // Of two at a time, one odd reply may be read before the last good one, and one is
            // under way when the judge is given up.
            let beside = usize::from(good > 0) + 1;
            let most = match (name, good) {
                ("401", _) => good + 2 + beside,
                // One that never answered has nothing to recover.
                (_, 0) => max + beside,
                _ => good + max + probes + beside,
            };
            assert!(server.requests() <= most, "{name}: {} of {most}", server.requests());
            assert_eq!(summary.verdicts, good as u64, "{name}");
            assert_eq!(summary.ended.len(), 1, "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_account_ends_the_judge_at_once() {
    for (status, code) in [(402, "x"), (429, "insufficient_quota"), (403, "billing_error")] {
        let server = ChatServer::start(move |_| error(status, code)).await;
        let folder = tempfile::tempdir().unwrap();
        let summary = asked(&server, folder.path(), 10).await;
        assert!(server.requests() <= 2, "{status}: {}", server.requests());
        assert_eq!(summary.ended.len(), 1, "{status}");
    }
}

/// Errors of accounts without money, with the status that each comes with.
fn empty_accounts() -> Vec<(u16, Value)> {
    let error = |error: Value| json!({ "error": error });
    let zai = "[1113][Insufficient balance or no resource package. Please recharge.][2026]";
    let xai =
        "Your team has either used all available credits or reached its monthly spending limit.";
    vec![
        // Z.ai, on both of its routes and in Chinese.
        (429, error(json!({"code": "1113", "message": zai}))),
        (
            429,
            json!({"type": "error", "error": {"type": "rate_limit_error", "code": "1113", "message": zai}}),
        ),
        (429, error(json!({"code": "1113", "message": "余额不足或无可用资源包,请充值。"}))),
        // MiniMax.
        (
            429,
            error(
                json!({"http_code": "429", "type": "insufficient_balance_error", "message": "insufficient balance (1008)"}),
            ),
        ),
        (500, error(json!({"type": "api_error", "message": "insufficient balance (1008)"}))),
        (200, json!({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}})),
        // Moonshot, xAI, Gemini, SiliconFlow, DashScope, Fireworks, LiteLLM, Anthropic.
        (
            429,
            error(
                json!({"type": "exceeded_current_quota_error", "message": "Your account is suspended, please check your plan"}),
            ),
        ),
        (429, error(json!({"code": "x", "message": xai}))),
        (
            429,
            error(
                json!({"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Your prepayment credits are depleted."}),
            ),
        ),
        (403, json!({"code": 30001, "message": "Sorry, your account balance is insufficient"})),
        (400, error(json!({"code": "Arrearage", "message": "Access denied."}))),
        (
            412,
            error(
                json!({"message": "Account is suspended due to reaching the monthly spending limit"}),
            ),
        ),
        (429, error(json!({"type": "budget_exceeded", "message": "Budget has been exceeded!"}))),
        (
            400,
            error(
                json!({"type": "invalid_request_error", "message": "You have reached your specified API usage limits."}),
            ),
        ),
        // A router that quotes the provider behind it.
        (
            429,
            error(
                json!({"code": 429, "message": "Provider returned error", "metadata": {"raw": "suspended due to insufficient balance"}}),
            ),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_without_money_ends_the_judge_whatever_the_status() {
    for (status, body) in empty_accounts() {
        let reply = body.clone();
        let answer = move |_| ResponseTemplate::new(status).set_body_json(reply.clone());
        let server = ChatServer::start(answer).await;
        let folder = tempfile::tempdir().unwrap();
        let summary = asked(&server, folder.path(), 10).await;
        // One more may be under way.
        assert!(server.requests() <= 2, "{body}: {}", server.requests());
        let reason = summary.ended.values().next().expect("it ended");
        let said = ["/error/message", "/message", "/base_resp/status_msg"];
        let said = said.iter().find_map(|path| body.pointer(path)?.as_str()).unwrap();
        assert!(reason.contains(said), "{reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rate_limit_that_speaks_of_money_is_waited_for() {
    let said = [
        (429, "You exceeded your current quota, please check your plan and billing details."),
        (429, "Rate limit reached. Visit the account page to add a payment method."),
        (429, "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 requests"),
        (429, "The load balancer has exhausted its connections"),
        (498, "Flex tier capacity exceeded"),
    ];
    for (status, message) in said {
        let answer = move |n| match n {
            // More than the tries of a question.
            0..12 => ResponseTemplate::new(status).insert_header("retry-after", "0").set_body_json(
                json!({"error": {"message": message, "code": "RESOURCE_EXHAUSTED"}}),
            ),
            _ => reply(ANSWER, "stop"),
        };
        let server = ChatServer::start(answer).await;
        let folder = tempfile::tempdir().unwrap();
        let summary = asked(&server, folder.path(), 1).await;
        assert_eq!((summary.verdicts, server.requests()), (2, 14), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn throttling_does_not_use_up_the_tries_of_a_question() {
    let throttled = || ResponseTemplate::new(429).insert_header("retry-after", "0");
    let answer = move |n| match n {
        0..30 => throttled(),
        _ => reply(ANSWER, "stop"),
    };
    let server = ChatServer::start(answer).await;
    let folder = tempfile::tempdir().unwrap();
    let summary = asked(&server, folder.path(), 2).await;
    assert_eq!((summary.verdicts, server.requests()), (4, 34));
    // A server that says nothing else is left to the next run.
    let server = ChatServer::start(move |_| throttled()).await;
    let folder = tempfile::tempdir().unwrap();
    let brief = AskSettings {
        backoff: Backoff { throttled_max: Duration::from_millis(100), ..settings().backoff },
        ..settings()
    };
    let summary = asked_with(&server, folder.path(), 20, &brief).await;
    assert_eq!((summary.verdicts, summary.failed_count()), (0, 40));
    let reason = summary.ended.values().next().expect("it ended");
    assert!(reason.contains("only 429"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_as_python_writes_it_is_read() {
    let whole = reply_json(ANSWER, "stop").to_string();
    let with = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        whole.replace(from, to)
    };
    let bodies = [
        with("\"created\":1795255435", "\"created\":NaN"),
        with("\"created\":1795255435", "\"created\":-Infinity"),
        with("\"created\":1795255435", "\"created\":1e999"),
        with("\"created\":1795255435", "\"created\":[Infinity, -1e-999, {\"a\": NaN}]"),
        with("Analysis.", "Analysis \\ud83d of NaN and Infinity \\\"NaN\\\"."),
        with("Analysis.", "Analysis \\udc00\\ud83d\\ude00."),
        format!("\u{feff}{whole}"),
    ];
    for body in bodies {
        let said = body.clone();
        let answer =
            move |_| ResponseTemplate::new(200).set_body_raw(said.clone(), "application/json");
        let server = ChatServer::start(answer).await;
        let folder = tempfile::tempdir().unwrap();
        let summary = asked(&server, folder.path(), 1).await;
        assert_eq!((summary.verdicts, server.requests()), (2, 2), "{body}");
        let raw = rows(folder.path())[0].raw.clone().unwrap();
        assert!(raw.ends_with("1 2 2 3 2 1"), "{raw}");
        assert_eq!(
            raw.contains("NaN"),
            body.contains("of NaN and Infinity"),
            "a word within a text stays: {raw}"
        );
    }
    // What is half stays half.
    let half = with("\"created\":1795255435", "\"created\":NaN")[..200].to_owned();
    let answer = move |_| ResponseTemplate::new(200).set_body_raw(half.clone(), "application/json");
    let server = ChatServer::start(answer).await;
    let folder = tempfile::tempdir().unwrap();
    asked(&server, folder.path(), 1).await;
    let reason = rows(folder.path())[0].reason.clone().unwrap();
    assert!(reason.contains("broke off"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_after_of_any_size_neither_panics_nor_hangs() {
    let far = [
        "601",
        "86400",
        "1e19",
        "1e300",
        "18446744073709551615",
        "99999999999999999999999999999999",
        "1e999",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "9999-12-31T23:59:59Z",
        "99999999d",
    ];
    for value in far {
        for status in [429, 503] {
            let answer = move |n| match n {
                3 => ResponseTemplate::new(status).insert_header("retry-after", value),
                _ => reply(ANSWER, "stop"),
            };
            let server = ChatServer::start(answer).await;
            let folder = tempfile::tempdir().unwrap();
            let summary = asked(&server, folder.path(), 10).await;
            assert_eq!(summary.verdicts + summary.failed_count(), 20, "{value} {status}");
            let reason = summary.ended.values().next().expect(value);
            for words in ["asks to wait", "10 min", "run the same command again"] {
                assert!(reason.contains(words), "{value}: {reason}");
            }
            assert!(server.requests() <= 6, "{value}: {}", server.requests());
        }
    }
    let odd = [
        "-1",
        "-1e19",
        "nan",
        "",
        "soon",
        "0",
        "0.0001",
        "1970-01-01T99:99:99+99999999999999999:99",
        "2026-11-21T10:00:00+9999999999999999:9999999999999999",
        "Thu, 01 Jan 1970 00:00:00 GMT",
    ];
    for value in odd {
        let answer = move |n| match n {
            3 => ResponseTemplate::new(429).insert_header("retry-after", value),
            _ => reply(ANSWER, "stop"),
        };
        let server = ChatServer::start(answer).await;
        let folder = tempfile::tempdir().unwrap();
        let summary = asked(&server, folder.path(), 10).await;
        assert_eq!((summary.verdicts, summary.ended.len()), (20, 0), "{value}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn quota_headers_of_any_size_neither_panic_nor_hang() {
    let values = ["NaN", "inf", "-inf", "1e308", "-1e308", "0"];
    let resets = ["1e19", "1e308", "-5", "nan", "9999-12-31T23:59:59Z", "1d"];
    for (left, reset) in values.into_iter().zip(resets) {
        let answer = move |_| {
            reply(ANSWER, "stop")
                .insert_header("x-ratelimit-limit-requests", "1e9")
                .insert_header("x-ratelimit-remaining-requests", left)
                .insert_header("x-ratelimit-reset-requests", reset)
        };
        let server = ChatServer::start(answer).await;
        let folder = tempfile::tempdir().unwrap();
        // Both are under way before the first reply, which decides on schemas.
        let as_text = OpenSettings { allows_schema: false, ..OpenSettings::default() };
        let judge = open(Route::Chat, "m", &server.base_url(), None, &as_text);
        let mut questions = pairs(1);
        questions.truncate(1);
        let plain = settings();
        let asking = run(folder.path(), questions, &judge, &plain);
        let summary = tokio::time::timeout(LONG, asking).await.expect("it ends");
        assert_eq!(summary.verdicts, 2, "{left} {reset}");
    }
}
