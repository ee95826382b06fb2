//! A run goes on where it stopped: nothing answered is asked again, and everything else is.

use crate::support::judge_server::{
    ANSWER, ChatServer, Mocks, judge, pair, reply, rows, run, settings,
};
use meshjudge::unstable::ask::{AskSettings, Stop, ask};
use meshjudge::unstable::store::Store;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wiremock::ResponseTemplate;

const LONG: Duration = Duration::from_secs(20);

fn pairs(count: usize) -> Vec<meshjudge::unstable::ask::Unit> {
    (0..count).map(|i| pair(&format!("prompt {i}"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_questions_are_not_asked_twice() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let folder = tempfile::tempdir().unwrap();
    let judge = judge(&server.base_url(), None, LONG);
    let first = run(folder.path(), pairs(5), &judge, &settings()).await;
    let again = run(folder.path(), pairs(5), &judge, &settings()).await;
    assert_eq!((first.verdicts, again.verdicts, again.answered_before), (10, 0, 10));
    assert_eq!(server.requests(), 10);
    assert_eq!(first.ids, again.ids);
    // Another sample, another prompt and another judge are other questions.
    let twice = AskSettings { samples: 2, ..settings() };
    run(folder.path(), pairs(5), &judge, &twice).await;
    assert_eq!(server.requests(), 20);
    run(folder.path(), pairs(6), &judge, &settings()).await;
    assert_eq!(server.requests(), 22);
    let rows = rows(folder.path());
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!((rows.len(), ids.len()), (22, 22));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_answer_is_asked_again_by_the_next_run() {
    let server =
        ChatServer::start(|n| if n < 6 { reply("", "stop") } else { reply(ANSWER, "stop") }).await;
    let folder = tempfile::tempdir().unwrap();
    let judge = judge(&server.base_url(), None, LONG);
    let first = run(folder.path(), pairs(1), &judge, &settings()).await;
    assert_eq!((first.exit_code(), first.failed["invalid"]), (2, 2));
    let second = run(folder.path(), pairs(1), &judge, &settings()).await;
    assert_eq!((second.exit_code(), second.verdicts, server.requests()), (0, 2, 8));
    let rows = rows(folder.path());
    assert!(rows.iter().all(|row| row.outcome == "verdict"
        && row.attempts == 4
        && row.input_tokens == Some(4000)));
}

/// Whatever ends the program between a reply in another form and its restatement: the next run asks
/// for the restatement, and a restatement that could not be read is final.
#[tokio::test(flavor = "multi_thread")]
async fn the_next_run_goes_on_with_the_restatement_and_asks_for_no_second_one() {
    const WORDS: &str = "The left one wins.";
    for (restated, outcome) in [(ANSWER, "verdict"), ("0", "invalid")] {
        let (is_down, seen) = (Arc::new(AtomicBool::new(true)), Arc::new(Mutex::new([0, 0])));
        let (down, count) = (Arc::clone(&is_down), Arc::clone(&seen));
        let server = Mocks::chat(move |request: &wiremock::Request| {
            let is_follow_up = String::from_utf8_lossy(&request.body).contains(WORDS);
            count.lock().unwrap()[usize::from(is_follow_up)] += 1;
            match is_follow_up {
                false => reply(WORDS, "stop"),
                true if down.load(Ordering::SeqCst) => ResponseTemplate::new(404),
                true => reply(restated, "stop"),
            }
        })
        .await;
        let folder = tempfile::tempdir().unwrap();
        let judge = judge(&format!("{}/v1", server.uri()), None, LONG);
        let first = run(folder.path(), pairs(1), &judge, &settings()).await;
        assert_eq!((first.failed["provider_error"], *seen.lock().unwrap()), (2, [2, 2]));
        is_down.store(false, Ordering::SeqCst);
        for _ in 0..2 {
            run(folder.path(), pairs(1), &judge, &settings()).await;
            assert_eq!(*seen.lock().unwrap(), [2, 4], "nothing is asked twice");
        }
        for row in rows(folder.path()) {
            assert_eq!((row.outcome.as_str(), row.attempts), (outcome, 3), "{:?}", row.reason);
            assert_eq!(row.raw.as_deref(), Some(WORDS));
            assert_eq!(row.restatement.as_deref(), Some(restated));
            assert_eq!(row.restated, outcome == "verdict");
        }
        // Another run takes over the reply and its restatement, and asks nothing.
        if outcome == "verdict" {
            let elsewhere = tempfile::tempdir().unwrap();
            let reuse = vec![folder.path().to_owned()];
            let replay = AskSettings { reuse, is_replay: true, ..settings() };
            let summary = run(elsewhere.path(), pairs(1), &judge, &replay).await;
            assert_eq!((summary.verdicts, summary.reused, summary.restated), (2, 2, 2));
            assert_eq!(*seen.lock().unwrap(), [2, 4]);
            let found = rows(elsewhere.path());
            assert!(found.iter().all(|row| row.restated && row.raw.as_deref() == Some(WORDS)));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_requests_is_hard_and_no_pair_is_begun_that_it_cannot_end() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let folder = tempfile::tempdir().unwrap();
    let judge = judge(&server.base_url(), None, LONG);
    let limited = AskSettings { requests_max: Some(5), ..settings() };
    let summary = run(folder.path(), pairs(4), &judge, &limited).await;
    assert_eq!(server.requests(), 4, "the fifth request would have been half a pair");
    assert_eq!((summary.stop, summary.exit_code()), (Some(Stop::Budget), 3));
    assert_eq!(summary.failed["budget_stopped"], 4);
    let stopped: Vec<_> =
        rows(folder.path()).into_iter().filter(|row| row.outcome == "budget_stopped").collect();
    assert_eq!(stopped.len(), 4);
    assert!(stopped.iter().all(|row| row.attempts == 0 && row.verdict.is_none()));
    // The limit is the run's: the same command sends nothing more.
    let summary = run(folder.path(), pairs(4), &judge, &limited).await;
    assert_eq!((summary.stop, server.requests()), (Some(Stop::Budget), 4));
    // "Over budget" is no answer: with a higher limit the run goes on.
    let limited = AskSettings { requests_max: Some(8), ..limited };
    let summary = run(folder.path(), pairs(4), &judge, &limited).await;
    assert_eq!((summary.exit_code(), summary.verdicts, server.requests()), (0, 4, 8));
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_count_as_requests() {
    let server = ChatServer::start(|_| reply("no idea", "stop")).await;
    let folder = tempfile::tempdir().unwrap();
    let judge = judge(&server.base_url(), None, LONG);
    let limited = AskSettings { requests_max: Some(3), ..settings() };
    let summary = run(folder.path(), pairs(3), &judge, &limited).await;
    assert_eq!((server.requests(), summary.requests, summary.exit_code()), (3, 3, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_keeps_what_arrives_and_asks_nothing_new() {
    let server =
        ChatServer::start(|_| reply(ANSWER, "stop").set_delay(Duration::from_millis(300))).await;
    let folder = tempfile::tempdir().unwrap();
    let judge = judge(&server.base_url(), None, LONG);
    let mut store = Store::open(folder.path()).unwrap();
    let (to, from) = tokio::sync::mpsc::channel(20);
    for unit in pairs(10) {
        to.send(meshjudge::unstable::ask::Work::Ask(unit)).await.unwrap();
    }
    drop(to);
    let settings = settings();
    let stop = settings.stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.press();
    });
    let summary = ask(from, &[judge], &settings, &mut store, |_| {}).await.unwrap();
    assert_eq!(summary.exit_code(), 130);
    // The first reply decides on schemas, so nothing goes out next to it.
    assert_eq!((summary.verdicts, server.requests()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_go_out_side_by_side_up_to_the_concurrency() {
    let server =
        ChatServer::start(|_| reply(ANSWER, "stop").set_delay(Duration::from_millis(200))).await;
    let folder = tempfile::tempdir().unwrap();
    let judge = judge(&server.base_url(), None, LONG);
    let wide = AskSettings { concurrency: 16, ..settings() };
    let start = Instant::now();
    let summary = run(folder.path(), pairs(16), &judge, &wide).await;
    assert_eq!(summary.verdicts, 32);
    // Two rounds of 0.2 s; one at a time would take 6.4 s.
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_verdicts_of_another_run_fill_questions_that_have_none_here() {
    let server = ChatServer::start(|n| match n {
        0..6 => reply("I saw both.", "stop"),
        _ => reply(ANSWER, "stop"),
    })
    .await;
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let judge = judge(&server.base_url(), None, Duration::from_secs(20));
    let units = || vec![pair("a chair")];
    run(here.path(), units(), &judge, &settings()).await;
    run(there.path(), units(), &judge, &settings()).await;
    let asked = server.requests();
    let mut store = Store::open(here.path()).unwrap();
    assert_eq!(store.copy_from(there.path(), &[]).unwrap(), 2);
    assert_eq!(store.copy_from(there.path(), &[]).unwrap(), 0, "once only");
    drop(store);
    let again = run(here.path(), units(), &judge, &settings()).await;
    assert_eq!((again.answered_before, server.requests()), (2, asked));
    let attempts: u32 = rows(here.path()).iter().map(|row| row.attempts).sum();
    assert_eq!(attempts, 6 + 2, "failed attempts here, and the verdicts");
}
