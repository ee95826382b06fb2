//! Replies that are none, in the midst of a run: each is the outcome of its question, and the judge
//! goes on unless it really is at its end.

use crate::support::judge_server::{ANSWER, open, reply, reply_json, settings};
use crate::support::trial::{Trial, pairs};
use meshjudge::unstable::ask::AskSettings;
use meshjudge::unstable::judge::{Backoff, BreakerSettings, OpenSettings, Route};
use serde_json::{Value, json};
use std::time::Duration;
use wiremock::ResponseTemplate;

fn body(status: u16, body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(body)
}

fn error(status: u16, code: &str) -> ResponseTemplate {
    body(status, &json!({"error": {"message": "no", "code": code}}))
}

fn throttled(status: u16, retry_after: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).insert_header("retry-after", retry_after)
}

/// A server whose replies to these requests (numbered from 0) are odd, and all others good.
async fn odd_at(requests: std::ops::Range<usize>, odd: ResponseTemplate) -> Trial {
    let answer = move |n| if requests.contains(&n) { odd.clone() } else { reply(ANSWER, "stop") };
    Trial::start(answer).await
}

fn odd_replies() -> Vec<(&'static str, ResponseTemplate)> {
    vec![
        ("another object", body(200, &json!({"ok": true}))),
        ("403", error(403, "forbidden")),
        ("404", error(404, "model_not_found")),
        ("405", ResponseTemplate::new(405)),
        ("307", ResponseTemplate::new(307).insert_header("location", "/login")),
        ("401", error(401, "invalid_api_key")),
        ("403 inside", body(200, &json!({"error": {"message": "no", "code": 403}}))),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn one_odd_reply_is_the_outcome_of_one_question() {
    for (name, odd) in odd_replies() {
        let trial = odd_at(20..21, odd).await;
        let summary = trial.run(20, &settings()).await;
        assert_eq!((summary.verdicts, summary.failed_count()), (39, 1), "{name}");
        assert!(summary.ended.is_empty(), "{name}: {:?}", summary.ended);
        // The next run asks what is left.
        let summary = trial.run(20, &settings()).await;
        assert_eq!((summary.verdicts, summary.exit_code()), (1, 0), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_was_turned_away_for_a_while_is_tried_again() {
    for (name, odd) in odd_replies().into_iter().filter(|(name, _)| *name != "401") {
        let breaker = BreakerSettings { probes_max: 10, ..settings().breaker };
        let patient = AskSettings { breaker, ..settings() };
        let summary = odd_at(10..30, odd).await.run(40, &patient).await;
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
            let trial = odd_at(good..usize::MAX, odd.clone()).await;
            let summary = trial.run(60, &settings()).await;
            // Of two at a time, one odd reply may be read before the last good one, and one is
            // under way when the judge is given up.
            let beside = usize::from(good > 0) + 1;
            let most = match (name, good) {
                ("401", _) => good + 2 + beside,
                // One that never answered has nothing to recover.
                (_, 0) => max + beside,
                _ => good + max + probes + beside,
            };
            assert!(trial.requests() <= most, "{name}: {} of {most}", trial.requests());
            assert_eq!(summary.verdicts, good as u64, "{name}");
            assert_eq!(summary.ended.len(), 1, "{name}");
        }
    }
}

/// Errors of accounts without money: the status, and the body.
fn empty_accounts() -> Value {
    let zai = "[1113][Insufficient balance or no resource package. Please recharge.][2026]";
    let xai =
        "Your team has either used all available credits or reached its monthly spending limit.";
    json!([
        [402, {"error": {"message": "no", "code": "x"}}],
        [429, {"error": {"message": "no", "code": "insufficient_quota"}}],
        [403, {"error": {"message": "no", "code": "billing_error"}}],
        // Z.ai, on both of its routes and in Chinese.
        [429, {"error": {"code": "1113", "message": zai}}],
        [429, {"type": "error", "error": {"type": "rate_limit_error", "code": "1113", "message": zai}}],
        [429, {"error": {"code": "1113", "message": "余额不足或无可用资源包,请充值。"}}],
        // MiniMax.
        [429, {"error": {"http_code": "429", "type": "insufficient_balance_error", "message": "insufficient balance (1008)"}}],
        [500, {"error": {"type": "api_error", "message": "insufficient balance (1008)"}}],
        [200, {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}],
        // Moonshot, xAI, Gemini, SiliconFlow, DashScope, Fireworks, LiteLLM, Anthropic.
        [429, {"error": {"type": "exceeded_current_quota_error", "message": "Your account is suspended, please check your plan"}}],
        [429, {"error": {"code": "x", "message": xai}}],
        [429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Your prepayment credits are depleted."}}],
        [403, {"code": 30001, "message": "Sorry, your account balance is insufficient"}],
        [400, {"error": {"code": "Arrearage", "message": "Access denied."}}],
        [412, {"error": {"message": "Account is suspended due to reaching the monthly spending limit"}}],
        [429, {"error": {"type": "budget_exceeded", "message": "Budget has been exceeded!"}}],
        [400, {"error": {"type": "invalid_request_error", "message": "You have reached your specified API usage limits."}}],
        // A router that quotes the provider behind it.
        [429, {"error": {"code": 429, "message": "Provider returned error",
            "metadata": {"raw": "suspended due to insufficient balance"}}}],
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_without_money_ends_the_judge_whatever_the_status() {
    for account in empty_accounts().as_array().unwrap() {
        let (status, said) = (account[0].as_u64().unwrap() as u16, account[1].clone());
        let trial = Trial::start(move |_| body(status, &said)).await;
        let summary = trial.run(10, &settings()).await;
        // One more may be under way.
        assert!(trial.requests() <= 2, "{account}: {}", trial.requests());
        assert_eq!(summary.ended.len(), 1, "{account}");
        let reason = summary.ended.values().next().expect("it ended");
        let said = ["/error/message", "/message", "/base_resp/status_msg"];
        let said = said.iter().find_map(|path| account[1].pointer(path)?.as_str()).unwrap();
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
        let said = json!({"error": {"message": message, "code": "RESOURCE_EXHAUSTED"}});
        // More than the tries of a question.
        let trial = odd_at(0..12, throttled(status, "0").set_body_json(said)).await;
        let summary = trial.run(1, &settings()).await;
        assert_eq!((summary.verdicts, trial.requests()), (2, 14), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn throttling_does_not_use_up_the_tries_of_a_question() {
    let trial = odd_at(0..30, throttled(429, "0")).await;
    let summary = trial.run(2, &settings()).await;
    assert_eq!((summary.verdicts, trial.requests()), (4, 34));
    // A server that says nothing else is left to the next run.
    let throttled_max = Duration::from_millis(100);
    let backoff = Backoff { throttled_max, ..settings().backoff };
    let trial = odd_at(0..usize::MAX, throttled(429, "0")).await;
    let summary = trial.run(20, &AskSettings { backoff, ..settings() }).await;
    assert_eq!((summary.verdicts, summary.failed_count()), (0, 40));
    let reason = summary.ended.values().next().expect("it ended");
    assert!(reason.contains("only 429"), "{reason}");
}

/// The unit test of `judge::json` has every spelling.
#[tokio::test(flavor = "multi_thread")]
async fn json_as_python_writes_it_is_read() {
    let whole = reply_json(ANSWER, "stop").to_string();
    let odd = whole
        .replace("\"created\":1795255435", "\"created\":[NaN, 1e999, {\"a\": -Infinity}]")
        .replace("Analysis.", "Analysis \\ud83d of NaN and Infinity \\\"NaN\\\".");
    assert!(odd.contains("[NaN") && odd.contains("\\ud83d of"), "{odd}");
    let raw = |text: &str| ResponseTemplate::new(200).set_body_raw(text, "application/json");
    for body in [odd.clone(), format!("\u{feff}{whole}")] {
        let trial = odd_at(0..usize::MAX, raw(&body)).await;
        let summary = trial.run(1, &settings()).await;
        assert_eq!((summary.verdicts, trial.requests()), (2, 2), "{body}");
        let raw = trial.rows()[0].raw.clone().unwrap();
        assert!(raw.ends_with("1 2 2 3 2 1"), "{raw}");
        // A word within a text stays.
        assert_eq!(raw.contains("of NaN and Infinity \"NaN\""), body == odd, "{raw}");
    }
    // What is half stays half.
    let trial = odd_at(0..usize::MAX, raw(&odd[..180])).await;
    trial.run(1, &settings()).await;
    let reason = trial.rows()[0].reason.clone().unwrap();
    assert!(reason.contains("broke off"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_after_of_any_size_neither_panics_nor_hangs() {
    let far = "601 | 86400 | 1e19 | 1e300 | 18446744073709551615 | \
        99999999999999999999999999999999 | 1e999 | Fri, 31 Dec 9999 23:59:59 GMT | \
        9999-12-31T23:59:59Z | 99999999d";
    for (value, status) in far.split(" | ").flat_map(|value| [(value, 429), (value, 503)]) {
        let trial = odd_at(3..4, throttled(status, value)).await;
        let summary = trial.run(10, &settings()).await;
        assert_eq!(summary.verdicts + summary.failed_count(), 20, "{value} {status}");
        let reason = summary.ended.values().next().expect(value);
        for words in ["asks to wait", "10 min", "run the same command again"] {
            assert!(reason.contains(words), "{value}: {reason}");
        }
        assert!(trial.requests() <= 6, "{value}: {}", trial.requests());
    }
    let odd = "-1 | -1e19 | nan | soon | 0 | 0.0001 | 1970-01-01T99:99:99+99999999999999999:99 | \
        2026-11-21T10:00:00+9999999999999999:9999999999999999 | \
        Thu, 01 Jan 1970 00:00:00 GMT";
    for value in odd.split(" | ").chain([""]) {
        let summary = odd_at(3..4, throttled(429, value)).await.run(10, &settings()).await;
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
        // Both are under way before the first reply, which decides on schemas.
        let as_text = OpenSettings { allows_schema: false, ..OpenSettings::default() };
        let judge = |url: &str| open(Route::Chat, "m", url, None, &as_text);
        let trial = Trial::with(answer, judge).await;
        let summary = trial.ask(pairs(1), &settings()).await;
        assert_eq!(summary.verdicts, 2, "{left} {reset}");
    }
}
