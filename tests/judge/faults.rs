//! What a server can do wrong: each ends as a named outcome, with its attempts recorded.

use crate::support::judge_server::{
    ANSWER, Row, judge, pair, reply, reply_json, rows, run, settings,
};
use crate::support::served::free_port;
use crate::support::trial::{LONG, Trial};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use serde_json::json;
use std::time::{Duration, Instant};
use wiremock::ResponseTemplate;

/// Asks one pair and returns its rows with the number of requests.
async fn asked(
    answer: impl Fn(usize) -> ResponseTemplate + Send + Sync + 'static,
    total: Duration,
) -> (Vec<Row>, usize) {
    let trial = Trial::with(answer, |url| judge(url, None, total)).await;
    trial.run(1, &settings()).await;
    (trial.rows(), trial.requests())
}

fn outcomes(rows: &[Row]) -> Vec<&str> {
    rows.iter().map(|row| row.outcome.as_str()).collect()
}

fn error(status: u16, code: &str) -> ResponseTemplate {
    ResponseTemplate::new(status)
        .set_body_json(json!({"error": {"message": "no", "type": "t", "code": code}}))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pair_is_asked_in_both_orders_with_pictures_that_decode() {
    let trial = Trial::start(|_| reply(ANSWER, "stop")).await;
    let summary = trial.run(1, &settings()).await;
    assert_eq!((summary.verdicts, summary.exit_code()), (2, 0));
    let seen = trial.server.seen.lock().unwrap().clone();
    assert_eq!(seen, vec![("image/png".to_owned(), 64, 32); 2]);
    let rows = trial.rows();
    assert_eq!(rows.iter().map(|r| r.order.as_str()).collect::<Vec<_>>(), ["ab", "ba"]);
    let winner = |row: &Row| row.verdict.as_ref().unwrap()["text_asset_alignment"].clone();
    // "Left is better" in both orders is two different winners.
    assert_eq!((winner(&rows[0]), winner(&rows[1])), (json!("a"), json!("b")));
    assert_eq!(rows[0].model_reported.as_deref(), Some("judge-2026-11-01"));
    assert_eq!((rows[0].input_tokens, rows[0].output_tokens), (Some(1000), Some(200)));
    assert_eq!(rows[0].cost_usd, None, "an unknown price is not 0");
    assert_eq!(rows[0].raw.as_deref(), Some(ANSWER));
}

#[tokio::test(flavor = "multi_thread")]
async fn server_errors_are_tried_again_up_to_the_limit() {
    let loading = |n| if n < 2 { error(503, "loading") } else { reply(ANSWER, "stop") };
    let (rows, requests) = asked(loading, LONG).await;
    assert_eq!((outcomes(&rows), requests), (vec!["verdict"; 2], 4));
    let (rows, requests) = asked(|_| error(500, "oops"), LONG).await;
    assert_eq!((outcomes(&rows), requests), (vec!["provider_error"; 2], 6));
    assert!(rows[0].reason.as_deref().unwrap().contains("500"));
    assert_eq!(rows[0].raw, None, "a failure message is no reply");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_request_concerns_its_question_only() {
    let answer = |n| match n {
        0 => error(400, "exceed_context_size_error"),
        _ => reply(ANSWER, "stop"),
    };
    let (rows, requests) = asked(answer, LONG).await;
    let mut outcomes = outcomes(&rows);
    outcomes.sort_unstable();
    assert_eq!((outcomes, requests), (vec!["provider_error", "verdict"], 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_hangs_meets_the_time_limit() {
    let start = Instant::now();
    let (rows, _) =
        asked(|_| reply(ANSWER, "stop").set_delay(LONG), Duration::from_millis(200)).await;
    assert_eq!(outcomes(&rows), ["provider_error"; 2]);
    assert!(rows[0].reason.as_deref().unwrap().contains("within 0.2 s"));
    assert_eq!(rows[0].attempts, 3);
    assert!(start.elapsed() < LONG / 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_no_reply_are_named() {
    let large = " ".repeat((1 << 20) + 1);
    let bodies = [
        ("", "not JSON"),
        ("{\"choices\": [", "broke off"),
        ("{choices}", "not JSON"),
        ("{\"error\": {\"message\": \"no\", \"code\": 529}}", "200 with an error inside: no"),
        ("{\"ok\": true}", "does not have this route's form"),
        ("{\"choices\": []}", "the reply is empty: it holds no choices"),
        (large.as_str(), "larger than"),
    ];
    let raw = |text: &str, kind| ResponseTemplate::new(200).set_body_raw(text, kind);
    let mut cases = bodies.map(|(text, words)| (raw(text, "application/json"), words)).to_vec();
    cases.push((raw("<html>Sign in</html>", "text/html"), "not JSON but text/html"));
    let to = "https://elsewhere.example/v1";
    let redirected = ResponseTemplate::new(307).insert_header("location", to);
    cases.push((redirected, "redirects (307) to https://elsewhere.example/v1"));
    for (answer, words) in cases {
        let (rows, _) = asked(move |_| answer.clone(), LONG).await;
        assert!(!rows.is_empty());
        assert!(rows.iter().all(|row| row.outcome == "provider_error"), "{words}");
        let reason = rows[0].reason.as_deref().unwrap();
        assert!(reason.contains(words), "{reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_down_leaves_its_attempts() {
    let folder = tempfile::tempdir().unwrap();
    let judge = judge(&format!("http://127.0.0.1:{}/v1", free_port()), None, LONG);
    let summary = run(folder.path(), vec![pair("a fox")], &judge, &settings()).await;
    assert_eq!(summary.exit_code(), 2);
    let rows = rows(folder.path());
    assert_eq!(outcomes(&rows), ["provider_error"; 2]);
    assert!(rows.iter().all(|row| row.attempts == 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_without_a_verdict_are_named_and_asked_again() {
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "I can't do that."}, "finish_reason": "stop"}]});
    let filtered =
        json!({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]});
    let cases = [
        (reply("1 2 2", "length"), "truncated"),
        (reply(ANSWER, "length"), "truncated"),
        (ResponseTemplate::new(200).set_body_json(refusal), "refusal"),
        (ResponseTemplate::new(200).set_body_json(filtered), "refusal"),
        (reply("", "stop"), "invalid"),
        // A complete answer in another form is restated once, and a second one is final.
        (reply("I'm sorry, but I can't assist with that.", "stop"), "invalid"),
        (reply("1 2 2 3 2", "stop"), "invalid"),
    ];
    for (i, (answer, outcome)) in cases.into_iter().enumerate() {
        let (rows, requests) = asked(move |_| answer.clone(), LONG).await;
        let attempts = if i < 5 { 3 } else { 2 };
        let found = (outcomes(&rows), requests);
        assert_eq!(found, (vec![outcome; 2], 2 * attempts as usize), "{outcome}");
        assert!(rows[0].raw.is_some() && rows[0].verdict.is_none());
        assert_eq!(rows[0].attempts, attempts);
    }
    let once = |n| if n == 0 { reply("hm", "stop") } else { reply(ANSWER, "stop") };
    let (rows, requests) = asked(once, LONG).await;
    assert_eq!((outcomes(&rows), requests), (vec!["verdict"; 2], 3));
}

/// A text in every form that a key could hide in.
fn disguised(key: &str) -> Vec<String> {
    let each = |of: fn(char) -> String| key.chars().map(of).collect::<String>();
    let bearer = format!("Bearer {key}");
    vec![
        key.to_owned(),
        each(|c| format!("\\u{:04x}", c as u32)),
        each(|c| format!("%{:02X}", c as u32)),
        key.replace('/', "%2f"),
        key.replace('/', "\\/"),
        STANDARD.encode(key),
        STANDARD.encode(&bearer),
        URL_SAFE.encode(format!("x{key}")),
        each(|c| format!("{:02x}", c as u32)),
        format!("\u{1b}[2J{key}"),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_is_nowhere_even_if_the_server_sends_it_back() {
    const KEY: &str = "sk-very/secret-0123456789";
    let forms = disguised(KEY);
    let num_forms = forms.len();
    let answers = move |n: usize| {
        let form = &forms[n / 4 % forms.len()];
        match n % 4 {
            0 => ResponseTemplate::new(500).set_body_json(
                json!({"error": {"message": format!("bad key {form}"), "code": form}}),
            ),
            1 => ResponseTemplate::new(200).set_body_raw(format!("<p>{form}</p>"), "text/html"),
            2 => {
                let said = json!({"error": {"message": "moved"}, "to": form}).to_string();
                // The same text with each letter escaped for JSON.
                let said = said.replace("sk-very", "\\u0073\\u006b\\u002dvery");
                ResponseTemplate::new(307)
                    .insert_header("location", format!("http://x/{KEY}").as_str())
                    .set_body_raw(said, "application/json")
            }
            _ => {
                let whole = reply_json(&format!("Your key is {form}.\n{ANSWER}"), "stop");
                let escaped = whole.to_string().replace("sk-very", "\\u0073k\\u002Dvery");
                ResponseTemplate::new(200).set_body_raw(escaped, "application/json")
            }
        }
    };
    let trial = Trial::with(answers, |url| judge(url, Some(KEY), LONG)).await;
    let summary = trial.run(2 * num_forms, &settings()).await;
    assert!(trial.requests() >= 4 * num_forms, "every form was sent");
    let sent = trial.server.server.received_requests().await.unwrap();
    assert_eq!(sent[0].headers["authorization"], format!("Bearer {KEY}"), "it is sent");
    let rows = trial.rows();
    assert!(rows.iter().any(|row| row.outcome == "verdict"));
    assert!(rows.iter().any(|row| row.outcome == "provider_error"));
    let said = format!("{:?} {summary:?} {rows:?}", trial.judge);
    // What base64 makes of the key's middle.
    let core = STANDARD.encode(KEY)[4..24].to_owned();
    for hidden in [KEY, "0123456789", "2d303132333435", core.as_str()] {
        assert!(!said.contains(hidden), "{hidden}");
    }
    for row in &rows {
        let reason = row.reason.as_deref().unwrap_or_default();
        assert!(!reason.contains('\u{1b}'), "{reason:?}");
    }
    let mut files = 0;
    let entries = std::fs::read_dir(trial.place()).unwrap().map(|entry| entry.unwrap().path());
    for path in entries.filter(|path| path.is_file()) {
        let bytes = std::fs::read(&path).unwrap();
        for hidden in [KEY, core.as_str()] {
            let found = bytes.windows(hidden.len()).any(|w| w == hidden.as_bytes());
            assert!(!found, "{hidden} in {path:?}");
        }
        files += 1;
    }
    assert!(files >= 2, "the run was looked at");
}
