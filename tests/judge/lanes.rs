//! Judges side by side: one that hangs, answers slowly or fails does not hold up another, and loses
//! none of its own questions.

use crate::support::judge_server::{ANSWER, limits, open, reply_json, rows, settings};
use crate::support::trial::{ask_all, pairs};
use meshjudge::unstable::ask::{AskSettings, Summary};
use meshjudge::unstable::judge::{BreakerSettings, Judge, OpenSettings, Route};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

const LONG: Duration = Duration::from_secs(60);

/// A server that holds its replies back until the test lets go.
struct Held {
    url: String,
    requests: Arc<AtomicUsize>,
    answered: Arc<AtomicUsize>,
    let_go: watch::Sender<bool>,
}

impl Held {
    async fn start(latency: Duration, status: u16) -> Self {
        let (let_go, watching) = watch::channel(false);
        let (requests, answered) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (came, went) = (Arc::clone(&requests), Arc::clone(&answered));
        let answer = move |body: axum::body::Bytes| {
            let mut watching = watching.clone();
            let (came, went) = (Arc::clone(&came), Arc::clone(&went));
            async move {
                came.fetch_add(1, Ordering::SeqCst);
                let has_picture = String::from_utf8_lossy(&body).contains("data:image/png;base64,");
                watching.wait_for(|is_free| *is_free).await.unwrap();
                tokio::time::sleep(latency).await;
                went.fetch_add(1, Ordering::SeqCst);
                let status = if has_picture { status } else { 400 };
                (
                    axum::http::StatusCode::from_u16(status).unwrap(),
                    [("content-type", "application/json")],
                    reply_json(ANSWER, "stop").to_string(),
                )
            }
        };
        let app = axum::Router::new()
            .route("/v1/chat/completions", axum::routing::post(answer))
            .layer(axum::extract::DefaultBodyLimit::disable());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, requests, answered, let_go }
    }

    /// One that holds nothing back.
    async fn free(latency: Duration, status: u16) -> Self {
        let server = Self::start(latency, status).await;
        server.let_go.send(true).unwrap();
        server
    }

    fn judge(&self, name: &str) -> Judge {
        let open_settings = OpenSettings { limits: limits(LONG), ..OpenSettings::default() };
        open(Route::Chat, name, &self.url, None, &open_settings)
    }

    fn answered(&self) -> usize {
        self.answered.load(Ordering::SeqCst)
    }
}

/// Asks so many pairs of every judge.
async fn asked(
    folder: &Path,
    num_pairs: usize,
    judges: &[Judge],
    settings: &AskSettings,
) -> Summary {
    ask_all(folder, pairs(num_pairs), judges, settings).await
}

/// Waits until the server has answered so many questions.
async fn until_answered(server: &Held, count: usize) {
    let start = Instant::now();
    while server.answered() < count {
        assert!(start.elapsed() < LONG, "{} of {count}", server.answered());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_answers_everything_while_another_hangs() {
    const PAIRS: usize = 60;
    for concurrency in [1, 4] {
        let hanging = Held::start(Duration::ZERO, 200).await;
        let quick = Held::free(Duration::ZERO, 200).await;
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_owned();
        let judges = [hanging.judge("hanging"), quick.judge("quick")];
        let narrow = AskSettings { concurrency, ..settings() };
        let asking = tokio::spawn(async move { asked(&place, PAIRS, &judges, &narrow).await });
        until_answered(&quick, 2 * PAIRS).await;
        assert_eq!(hanging.answered(), 0);
        assert!(hanging.requests.load(Ordering::SeqCst) <= concurrency);
        // What waited without its message is sent whole, once.
        hanging.let_go.send(true).unwrap();
        let summary = asking.await.unwrap();
        assert_eq!((summary.verdicts, summary.exit_code()), (4 * PAIRS as u64, 0));
        assert_eq!(hanging.requests.load(Ordering::SeqCst), 2 * PAIRS);
        let rows = rows(folder.path());
        assert_eq!(rows.len(), 4 * PAIRS);
        assert!(rows.iter().all(|row| row.attempts == 1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_answers_everything_while_another_fails() {
    const PAIRS: usize = 60;
    let failing = Held::free(Duration::ZERO, 503).await;
    let quick = Held::free(Duration::ZERO, 200).await;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_owned();
    let judges = [failing.judge("failing"), quick.judge("quick")];
    // It is down for longer than the test.
    let (pause, pause_max) = (10 * LONG, 10 * LONG);
    let breaker = BreakerSettings { failures_max: 3, pause, pause_max, probes_max: 5 };
    let patient = AskSettings { breaker, ..settings() };
    let asking = tokio::spawn(async move { asked(&place, PAIRS, &judges, &patient).await });
    until_answered(&quick, 2 * PAIRS).await;
    assert!(!asking.is_finished(), "the other one is waited for");
    asking.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_parked_behind_a_judge_that_is_given_up_are_named() {
    const PAIRS: usize = 40;
    let refusing = Held::start(Duration::ZERO, 402).await;
    let quick = Held::free(Duration::ZERO, 200).await;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_owned();
    let judges = [refusing.judge("refusing"), quick.judge("quick")];
    let asking = tokio::spawn(async move { asked(&place, PAIRS, &judges, &settings()).await });
    until_answered(&quick, 2 * PAIRS).await;
    refusing.let_go.send(true).unwrap();
    let summary = asking.await.unwrap();
    assert_eq!(summary.verdicts, 2 * PAIRS as u64);
    assert_eq!(summary.failed_count(), 2 * PAIRS as u64);
    assert!(summary.failed["not_asked"] >= 2 * PAIRS as u64 - 2);
    assert_eq!(summary.failures.len(), 2 * PAIRS);
}

/// `cargo test --test judge lanes::pace -- --ignored --nocapture`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement; takes a minute"]
async fn pace_beside_another_judge() {
    const PAIRS: usize = 200;
    const ROUNDS: usize = 5;
    let latency = Duration::from_millis(20);
    let others: [(&str, Option<(Duration, u16)>); 4] = [
        ("alone", None),
        ("beside one that hangs", Some((LONG, 200))),
        ("beside one that answers in 20 s", Some((Duration::from_secs(20), 200))),
        ("beside one that answers 503", Some((Duration::ZERO, 503))),
    ];
    // In turn, so that what else the machine does falls on all of them; the first round only warms
    // up.
    let mut rates: [Vec<f64>; 4] = Default::default();
    for round in 0..=ROUNDS {
        for ((_, other), rates) in others.iter().zip(&mut rates) {
            let quick = Held::free(latency, 200).await;
            let mut judges = vec![quick.judge("quick")];
            if let Some((latency, status)) = *other {
                judges.push(Held::free(latency, status).await.judge("other"));
            }
            let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            let place = folder.path().to_owned();
            let wide =
                AskSettings { concurrency: 8, breaker: BreakerSettings::default(), ..settings() };
            let start = Instant::now();
            let asking = tokio::spawn(async move { asked(&place, PAIRS, &judges, &wide).await });
            until_answered(&quick, 2 * PAIRS).await;
            if round > 0 {
                rates.push(2.0 * PAIRS as f64 / start.elapsed().as_secs_f64());
            }
            asking.abort();
        }
    }
    let medians = rates.map(|mut rates| {
        rates.sort_by(f64::total_cmp);
        rates[ROUNDS / 2]
    });
    for ((name, _), rate) in others.iter().zip(medians) {
        println!("{name}: {rate:.1} verdicts a second, {:.1} %", 100.0 * rate / medians[0]);
    }
}
