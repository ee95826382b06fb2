//! Money: a limit in dollars is never exceeded, what fails counts, what was paid once is not paid
//! again.

use crate::support::judge_server::{
    ANSWER, ChatServer, Row, open, pair, reply, reply_json, run, settings,
};
use crate::support::trial::{FakeProvider, LONG, Trial, ask_all, pairs, priced};
use meshjudge::unstable::ask::{AskSettings, CanaryRule, Stop, Unit, canaries};
use meshjudge::unstable::judge::{BreakerSettings, Judge, OpenSettings, Route};
use meshjudge::unstable::render::Image;
use meshjudge::unstable::rubric::Order;
use meshjudge::unstable::store::Store;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use wiremock::ResponseTemplate;

/// 1,000 tokens read at 2 and 200 written at 10 dollars a million.
const REPLY_USD: f64 = 0.004;
/// 4,000 tokens written at most.
const OUTPUT_USD_MAX: f64 = 0.04;
/// The request to restate a reply, at most.
const RESTATED_USD_MAX: f64 = 0.045;

fn with_limit(usd: f64) -> AskSettings {
    AskSettings { concurrency: 8, cost_usd_max: Some(usd), ..settings() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_in_dollars_holds_and_a_resumed_run_remembers_what_it_spent() {
    let trial = Trial::priced(|_| reply(ANSWER, "stop")).await;
    const LIMIT: f64 = 0.3;
    let first = trial.run(60, &with_limit(LIMIT)).await;
    assert_eq!((first.stop, first.exit_code()), (Some(Stop::Budget), 3));
    let cost = trial.spent();
    let asked = trial.requests() as f64;
    assert!((cost - asked * REPLY_USD).abs() < 1e-9, "{cost} for {asked}");
    assert!(cost <= LIMIT, "{cost}");
    // What is left does not cover a pair at its maximum, but nearly: nothing was given up too
    // early.
    let left = LIMIT - cost;
    assert!(left < 2.0 * (OUTPUT_USD_MAX + 0.02 + RESTATED_USD_MAX), "{left} was left");
    assert!((first.spent_usd - cost).abs() < 1e-9);
    let again = trial.run(60, &with_limit(LIMIT)).await;
    assert_eq!(trial.requests() as f64, asked, "what was spent is not forgotten");
    assert_eq!(again.stop, Some(Stop::Budget));
    let more = trial.run(60, &with_limit(10.0)).await;
    assert_eq!((more.exit_code(), trial.requests()), (0, 120));
    assert!((trial.spent() - 120.0 * REPLY_USD).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_been_charged_counts_in_full_and_what_cannot_does_not() {
    let html = || ResponseTemplate::new(200).set_body_raw("<html>", "text/html");
    let slow = || reply(ANSWER, "stop").set_delay(Duration::from_secs(5));
    // The server behind a gateway may have gone on.
    let gateway = ResponseTemplate::new;
    let no_usage = with_usage(Value::Null);
    let answers = [html(), no_usage, slow(), gateway(502), gateway(504), gateway(524)];
    for answer in answers {
        let brief = |url: &str| priced("priced", url, Duration::from_millis(300));
        let trial = Trial::with(move |_| answer.clone(), brief).await;
        let summary = trial.run(20, &with_limit(0.4)).await;
        assert_eq!(summary.stop, Some(Stop::Budget));
        let (cost, asked) = (trial.spent(), trial.requests() as f64);
        assert!(cost <= 0.4, "{cost}");
        assert!(cost >= asked * OUTPUT_USD_MAX, "{cost} for {asked}");
        assert!(asked >= 4.0);
        let is_unknown = |row: &Row| row.cost_usd.is_none() || row.attempts == 0;
        assert!(trial.rows().iter().all(is_unknown), "an unknown cost is not reported as known");
    }
    for status in [429, 500, 503, 529] {
        let trial = Trial::priced(move |n| match n {
            0 | 1 => ResponseTemplate::new(status),
            _ => reply(ANSWER, "stop"),
        })
        .await;
        trial.run(2, &with_limit(5.0)).await;
        assert!((trial.spent() - 4.0 * REPLY_USD).abs() < 1e-9, "{status}");
        let attempts: u32 = trial.rows().iter().map(|row| row.attempts).sum();
        assert_eq!(attempts, 6, "{status}");
    }
}

/// The pair of `prompt`, made by other methods.
fn of_others(prompt: &str) -> Unit {
    let mut unit = pair(prompt);
    for question in &mut unit.questions {
        let subject = Arc::make_mut(question);
        subject.a.method = "another".to_owned();
    }
    unit
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_is_paid_once_within_a_run() {
    let delay = Duration::from_millis(50);
    let trial = Trial::priced(move |_| reply(ANSWER, "stop").set_delay(delay)).await;
    let units = vec![pair("a fox"), of_others("a fox"), pair("a hen")];
    let summary = trial.ask(units, &with_limit(5.0)).await;
    assert_eq!((summary.verdicts, summary.reused, trial.requests()), (6, 2, 4));
    let rows = trial.rows();
    let copies: Vec<&Row> = rows.iter().filter(|row| row.reused_from.is_some()).collect();
    assert_eq!(copies.len(), 2);
    for copy in copies {
        assert_eq!((copy.attempts, copy.cost_usd), (0, Some(0.0)));
        let source = rows.iter().find(|row| Some(&row.id) == copy.reused_from.as_ref()).unwrap();
        assert_eq!((&source.verdict, &source.raw), (&copy.verdict, &copy.raw));
        assert_eq!(source.a.method, "left");
    }
    assert!((trial.spent() - 4.0 * REPLY_USD).abs() < 1e-9);
}

/// The same messages, of a benchmark that lists its generators the other way round.
fn swapped(mut unit: Unit) -> Unit {
    for question in &mut unit.questions {
        let question = Arc::make_mut(question);
        let b = question.b.take().unwrap();
        question.b = Some(std::mem::replace(&mut question.a, b));
        question.order = Order::BOTH.into_iter().find(|it| *it != question.order).unwrap();
    }
    unit
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_replies_serve_other_runs_and_a_replay_sends_nothing() {
    let trial = Trial::priced(|_| reply(ANSWER, "stop")).await;
    let (judge, at) = (&trial.judge, |name: &str| trial.folder.path().join(name));
    run(&at("1"), pairs(3), judge, &settings()).await;
    assert_eq!(trial.requests(), 6);
    let reuse = AskSettings { reuse: vec![at("1")], ..settings() };
    let summary = run(&at("2"), pairs(4), judge, &reuse).await;
    assert_eq!((summary.reused, summary.requests, trial.requests()), (6, 2, 8));
    let others = pairs(3).into_iter().map(swapped).collect();
    let summary = run(&at("swapped"), others, judge, &reuse).await;
    assert_eq!((summary.reused, trial.requests()), (6, 8));
    // Another sample and another model are other requests.
    run(&at("4"), pairs(3), judge, &AskSettings { samples: 2, ..reuse.clone() }).await;
    assert_eq!(trial.requests(), 14);
    let url = trial.server.base_url();
    let other = open(Route::Chat, "other", &url, None, &OpenSettings::default());
    run(&at("5"), pairs(3), &other, &reuse).await;
    assert_eq!(trial.requests(), 20);
    let replay = AskSettings { is_replay: true, reuse: vec![at("2")], ..settings() };
    let summary = run(&at("3"), pairs(5), judge, &replay).await;
    assert_eq!((summary.verdicts, summary.failed["not_recorded"], trial.requests()), (8, 2, 20));
    assert_eq!((summary.exit_code(), summary.requests), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_server_is_given_up_while_the_other_judge_goes_on() {
    let dead = ChatServer::start(|_| ResponseTemplate::new(503)).await;
    let alive = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let folder = tempfile::tempdir().unwrap();
    let judges = [("dead", &dead), ("alive", &alive)].map(|(name, server)| {
        open(Route::Chat, name, &server.base_url(), None, &OpenSettings::default())
    });
    let [pause, pause_max] = [20, 40].map(Duration::from_millis);
    let breaker = BreakerSettings { failures_max: 6, pause, pause_max, probes_max: 3 };
    let brief = AskSettings { breaker, concurrency: 8, ..settings() };
    let summary = ask_all(folder.path(), pairs(40), &judges, &brief).await;
    assert_eq!((summary.verdicts, summary.failed_count()), (80, 80));
    assert!(summary.ended["openai:dead"].contains("the server is down"));
    // Six failures, what was under way with them, and three probes.
    assert!(dead.requests() <= 6 + 8 + 3, "{}", dead.requests());
    assert_eq!(alive.requests(), 80);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_ended_judge_had_set_aside_serves_the_other() {
    let ended = ChatServer::start(|_| ResponseTemplate::new(402)).await;
    let alive = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let folder = tempfile::tempdir().unwrap();
    let judges = [
        priced("priced-ended", &ended.base_url(), LONG),
        priced("priced", &alive.base_url(), LONG),
    ];
    // Room for one pair at its maximum cost: while the first judge holds it, the second waits. One
    // request at a time, so that the other half of the first pair is held and never sent.
    let tight = AskSettings { concurrency: 1, ..with_limit(0.24) };
    let place = folder.path().join("run");
    let asking = ask_all(&place, pairs(1), &judges, &tight);
    let summary = tokio::time::timeout(LONG, asking).await.expect("it ends");
    assert_eq!((ended.requests(), alive.requests()), (1, 2));
    assert_eq!((summary.verdicts, summary.failed_count()), (2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_comes_back_is_asked_on() {
    let is_up = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&is_up);
    let trial = Trial::start(move |_| match switch.load(Ordering::Relaxed) {
        true => reply(ANSWER, "stop"),
        false => ResponseTemplate::new(502),
    })
    .await;
    let [pause, pause_max] = [Duration::from_millis(200); 2];
    let breaker = BreakerSettings { failures_max: 4, pause, pause_max, probes_max: 10 };
    let patient = AskSettings { breaker, ..settings() };
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        is_up.store(true, Ordering::Relaxed);
    });
    let summary = trial.run(20, &patient).await;
    assert!(summary.ended.is_empty());
    // Only what failed before it came back may be missing.
    assert!(summary.verdicts >= 36, "{}", summary.verdicts);
    let again = trial.run(20, &patient).await;
    assert_eq!(again.exit_code(), 0);
}

/// The three seven-segment digits of a canary, read from the middle of each segment.
fn digits_in(image: &Image) -> String {
    let middles = [(48, 8), (8, 48), (88, 48), (48, 88), (8, 128), (88, 128), (48, 168)];
    let patterns = [
        "1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010",
        "1111111", "1111011",
    ];
    let digit = |place: u32| {
        let is_lit = |(x, y): (u32, u32)| image.pixel(48 + place * 144 + x, 40 + y)[0] < 128;
        let lit: String = middles.map(|at| if is_lit(at) { '1' } else { '0' }).iter().collect();
        patterns.iter().position(|pattern| *pattern == lit).expect("a digit").to_string()
    };
    (0..3).map(digit).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Eyes {
    Good,
    /// The picture is dropped: the tokens tell.
    Dropped,
    /// The tokens are there, and the answer is made up.
    Guessing,
    /// It fails twice, then it sees.
    Slow,
    Key,
}

async fn looked_at(eyes: Eyes) -> (Vec<(String, String)>, f64, usize) {
    use base64::Engine;
    let respond = move |n: usize, body: &Value| {
        let url = body.pointer("/messages/0/content/1/image_url/url").and_then(Value::as_str);
        let seen = url.map(|url| {
            let data = url.split_once(";base64,").unwrap().1;
            let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
            digits_in(&Image::decode(&bytes).unwrap())
        });
        match eyes {
            Eyes::Key => return ResponseTemplate::new(401),
            Eyes::Slow if n < 2 => return ResponseTemplate::new(500),
            _ => {}
        }
        let (text, tokens) = match (seen, eyes) {
            (None, _) => ("none".to_owned(), 100),
            (Some(_), Eyes::Dropped) => ("none".to_owned(), 100),
            (Some(_), Eyes::Guessing) => ("0000".to_owned(), 400),
            (Some(digits), _) => (format!("{digits}."), 400),
        };
        replied(&text, json!({"prompt_tokens": tokens, "completion_tokens": 10}))
    };
    let provider = FakeProvider::start(respond).await;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/v1", provider.server.uri());
    let judges = [Judge::Probe, priced("priced", &url, LONG)];
    let mut store = Store::open(&folder.path().join("run")).unwrap();
    let blind = canaries(&judges, CanaryRule::All, &settings(), &mut store).await.unwrap();
    let cost = store.spent().unwrap().usd;
    // A judge that was seen to see is not looked at again; a blind one is.
    canaries(&judges, CanaryRule::All, &settings(), &mut store).await.unwrap();
    canaries(&judges, CanaryRule::Remote, &settings(), &mut store).await.unwrap();
    (blind, cost, provider.seen().len())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_does_not_see_is_found_out() {
    let (blind, cost, requests) = looked_at(Eyes::Good).await;
    assert_eq!((blind, requests), (Vec::new(), 2));
    // 500 tokens read, 20 written.
    assert!((cost - 0.0012).abs() < 1e-12, "{cost}");
    for (eyes, words) in [
        (Eyes::Dropped, "does not reach the model: 100 tokens were read without and 100 with it"),
        (Eyes::Guessing, "does not see what a picture shows"),
        (Eyes::Key, "401"),
    ] {
        let (blind, _, _) = looked_at(eyes).await;
        assert_eq!(blind.len(), 1, "{words}");
        assert_eq!(blind[0].0, "openai:priced");
        assert!(blind[0].1.contains(words), "{}", blind[0].1);
    }
    let (blind, _, requests) = looked_at(Eyes::Slow).await;
    assert_eq!((blind, requests), (Vec::new(), 4));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_judge_is_not_asked() {
    let trial = Trial::priced(|_| reply(ANSWER, "stop")).await;
    let refused = [(trial.judge.name(), "it does not see".to_owned())].into();
    let refused = AskSettings { refused, ..settings() };
    let summary = trial.run(3, &refused).await;
    assert_eq!((trial.requests(), summary.failed["not_asked"], summary.exit_code()), (0, 6, 2));
    assert!(summary.failures[0].reason.contains("it does not see"));
}

fn replied(text: &str, usage: Value) -> ResponseTemplate {
    let mut body = reply_json(text, "stop");
    body["usage"] = usage;
    ResponseTemplate::new(200).set_body_json(body)
}

fn with_usage(usage: Value) -> ResponseTemplate {
    replied(ANSWER, usage)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_reply_beyond_its_reserve_shrinks_what_is_under_way() {
    const LIMIT: f64 = 25.0;
    // 20 and 90 times what is reserved for a request: about 0.045 dollars.
    for tokens in [450_000_u64, 2_000_000] {
        let usd = tokens as f64 * 2.0 / 1e6;
        let usage = json!({"prompt_tokens": tokens, "completion_tokens": 0});
        let trial = Trial::priced(move |n| match n {
            // At full speed by then.
            0..100 => reply(ANSWER, "stop"),
            _ => with_usage(usage.clone()),
        })
        .await;
        let wide = AskSettings { concurrency: 16, ..with_limit(LIMIT) };
        let summary = trial.run(300, &wide).await;
        assert_eq!(summary.stop, Some(Stop::Budget));
        // At most what was under way at the first such reply may go beyond.
        let (cost, beyond) = (trial.spent(), 16.0 * usd);
        assert!(cost > LIMIT / 2.0 && cost <= LIMIT + beyond, "{cost}");
        let dear = (LIMIT / usd) as usize + 16;
        assert!(trial.requests() <= 100 + dear, "{}", trial.requests());
        let note = summary.notes.iter().find(|note| note.contains("each request reserves"));
        assert!(note.is_some(), "{:?}", summary.notes);
        // The second call is over the limit before it begins.
        let requests = trial.requests();
        trial.run(300, &with_limit(LIMIT)).await;
        assert!(trial.requests() <= requests + 2, "{}", trial.requests());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_charged_next_to_the_stated_sums_counts_against_the_limit() {
    const LIMIT: f64 = 0.5;
    let own_key = json!({"prompt_tokens": 1000, "completion_tokens": 200, "cost": 0, "is_byok": true,
        "cost_details": {"upstream_inference_cost": 0.016}});
    let own_key_without_details =
        json!({"prompt_tokens": 1000, "completion_tokens": 1400, "cost": 0, "is_byok": true});
    // 1,200 tokens of reasoning next to the output.
    let reasoning = json!({"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 2400,
        "completion_tokens_details": {"reasoning_tokens": 1200}});
    for usage in [own_key, own_key_without_details, reasoning] {
        let said = usage.clone();
        let trial = Trial::priced(move |_| with_usage(said.clone())).await;
        let summary = trial.run(40, &with_limit(LIMIT)).await;
        assert_eq!(summary.stop, Some(Stop::Budget), "{usage}");
        let charged = trial.requests() as f64 * 0.016;
        assert!((trial.spent() - charged).abs() < 1e-9, "{usage}: {charged}");
        assert!(charged <= LIMIT && trial.requests() > 8, "{usage}: {charged}");
    }
    // Neither tokens nor a cost: booked at the maximum.
    for usage in [json!({"cost": 0}), json!({"prompt_tokens": 0, "completion_tokens": 0})] {
        let trial = Trial::priced(move |_| with_usage(usage.clone())).await;
        trial.run(40, &with_limit(LIMIT)).await;
        let (cost, asked) = (trial.spent(), trial.requests() as f64);
        assert!(cost <= LIMIT && cost >= asked * OUTPUT_USD_MAX, "{cost} for {asked}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_absurd_count_is_no_count() {
    let counts = [
        json!({"prompt_tokens": 9_000_000_000_000_000_000_u64, "completion_tokens": 9_000_000_000_000_000_000_u64}),
        json!({"prompt_tokens": 1000, "completion_tokens": 200, "cost": 1e308}),
        json!({"prompt_tokens": 90_000_000, "completion_tokens": 200}),
        json!({"prompt_tokens": -5, "completion_tokens": 200}),
        json!({"prompt_tokens": 1e30, "completion_tokens": "many"}),
    ];
    for usage in counts {
        let said = usage.clone();
        let trial = Trial::priced(move |_| with_usage(said.clone())).await;
        let summary = trial.run(20, &with_limit(100.0)).await;
        assert_eq!((summary.verdicts, summary.stop), (40, None), "{usage}");
        // Each is booked at its maximum, as where no usage is stated; the third as it was before
        // the cost next to it.
        let cost = trial.spent();
        assert!(cost.is_finite() && cost <= 40.0 * 0.06, "{usage}: {cost}");
        let again = trial.run(21, &with_limit(100.0)).await;
        assert_eq!(again.verdicts, 2, "{usage}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_limited_for_the_run_with_its_canary() {
    let trial = Trial::priced(|_| reply(ANSWER, "stop")).await;
    let mut store = Store::open(&trial.place()).unwrap();
    let judges = std::slice::from_ref(&trial.judge);
    canaries(judges, CanaryRule::All, &settings(), &mut store).await.unwrap();
    let looked = trial.requests() as u64;
    assert!(looked > 0);
    assert_eq!(store.spent().unwrap().requests, looked);
    drop(store);
    let few = AskSettings { requests_max: Some(looked + 4), ..settings() };
    let summary = trial.run(5, &few).await;
    assert_eq!((summary.verdicts, summary.exit_code()), (4, 3));
    let summary = trial.run(5, &few).await;
    assert_eq!((summary.verdicts, summary.requests), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_cut_off_is_booked_at_its_maximum_until_it_is_settled() {
    let answer = |n| match n {
        0..4 => reply(ANSWER, "stop").set_delay(Duration::from_secs(5)),
        _ => reply(ANSWER, "stop"),
    };
    let brief = |url: &str| priced("priced", url, Duration::from_millis(300));
    let trial = Trial::with(answer, brief).await;
    trial.run(4, &with_limit(50.0)).await;
    let mut store = Store::open(&trial.place()).unwrap();
    let (count, booked_usd) = store.unsettled().unwrap();
    assert_eq!(count, 4);
    assert!(booked_usd >= 4.0 * OUTPUT_USD_MAX, "{booked_usd}");
    let known_usd = store.spent().unwrap().usd - booked_usd;
    store.settle(0.016).unwrap();
    assert_eq!(store.unsettled().unwrap(), (0, 0.0));
    let spent_usd = store.spent().unwrap().usd;
    assert!((spent_usd - known_usd - 0.016).abs() < 1e-9, "{spent_usd}");
    // A second time there is nothing left to settle.
    store.settle(9.0).unwrap();
    assert_eq!(store.spent().unwrap().usd, spent_usd);
}
