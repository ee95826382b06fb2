//! A run goes on where it stopped: nothing answered is asked again, and everything else is.

use crate::support::judge_server::{ANSWER, Mocks, judge, reply, rows, run, settings};
use crate::support::trial::{LONG, Trial, pairs};
use meshjudge::unstable::ask::{AskSettings, Stop};
use meshjudge::unstable::store::Store;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wiremock::ResponseTemplate;

#[tokio::test(flavor = "multi_thread")]
async fn the_same_questions_are_not_asked_twice() {
    let trial = Trial::start(|_| reply(ANSWER, "stop")).await;
    let first = trial.run(5, &settings()).await;
    let again = trial.run(5, &settings()).await;
    assert_eq!((first.verdicts, again.verdicts, again.answered_before), (10, 0, 10));
    assert_eq!(trial.requests(), 10);
    assert_eq!(first.ids, again.ids);
    // Another sample, another prompt and another judge are other questions.
    let twice = AskSettings { samples: 2, ..settings() };
    trial.run(5, &twice).await;
    assert_eq!(trial.requests(), 20);
    trial.run(6, &settings()).await;
    assert_eq!(trial.requests(), 22);
    let rows = trial.rows();
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!((rows.len(), ids.len()), (22, 22));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_answer_is_asked_again_by_the_next_run() {
    let trial = Trial::start(|n| reply(if n < 6 { "" } else { ANSWER }, "stop")).await;
    let first = trial.run(1, &settings()).await;
    assert_eq!((first.exit_code(), first.failed["invalid"]), (2, 2));
    let second = trial.run(1, &settings()).await;
    assert_eq!((second.exit_code(), second.verdicts, trial.requests()), (0, 2, 8));
    for row in trial.rows() {
        let found = (row.outcome.as_str(), row.attempts, row.input_tokens);
        assert_eq!(found, ("verdict", 4, Some(4000)));
    }
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
    let trial = Trial::start(|_| reply(ANSWER, "stop")).await;
    let limited = AskSettings { requests_max: Some(5), ..settings() };
    let summary = trial.run(4, &limited).await;
    assert_eq!(trial.requests(), 4, "the fifth request would have been half a pair");
    assert_eq!((summary.stop, summary.exit_code()), (Some(Stop::Budget), 3));
    assert_eq!(summary.failed["budget_stopped"], 4);
    let stopped: Vec<_> =
        trial.rows().into_iter().filter(|row| row.outcome == "budget_stopped").collect();
    assert_eq!(stopped.len(), 4);
    assert!(stopped.iter().all(|row| row.attempts == 0 && row.verdict.is_none()));
    // The limit is the run's: the same command sends nothing more.
    let summary = trial.run(4, &limited).await;
    assert_eq!((summary.stop, trial.requests()), (Some(Stop::Budget), 4));
    // "Over budget" is no answer: with a higher limit the run goes on.
    let limited = AskSettings { requests_max: Some(8), ..limited };
    let summary = trial.run(4, &limited).await;
    assert_eq!((summary.exit_code(), summary.verdicts, trial.requests()), (0, 4, 8));
}

#[tokio::test(flavor = "multi_thread")]
async fn retries_count_as_requests() {
    let trial = Trial::start(|_| reply("no idea", "stop")).await;
    let limited = AskSettings { requests_max: Some(3), ..settings() };
    let summary = trial.run(3, &limited).await;
    assert_eq!((trial.requests(), summary.requests, summary.exit_code()), (3, 3, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_keeps_what_arrives_and_asks_nothing_new() {
    let slow = |_| reply(ANSWER, "stop").set_delay(Duration::from_millis(300));
    let trial = Trial::start(slow).await;
    let settings = settings();
    let stop = settings.stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.press();
    });
    let summary = trial.run(10, &settings).await;
    assert_eq!(summary.exit_code(), 130);
    // The first reply decides on schemas, so nothing goes out next to it.
    assert_eq!((summary.verdicts, trial.requests()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_go_out_side_by_side_up_to_the_concurrency() {
    let slow = |_| reply(ANSWER, "stop").set_delay(Duration::from_millis(200));
    let trial = Trial::start(slow).await;
    let wide = AskSettings { concurrency: 16, ..settings() };
    let start = Instant::now();
    let summary = trial.run(16, &wide).await;
    assert_eq!(summary.verdicts, 32);
    // Two rounds of 0.2 s; one at a time would take 6.4 s.
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_verdicts_of_another_run_fill_questions_that_have_none_here() {
    let answer = |n| reply(if n < 6 { "I saw both." } else { ANSWER }, "stop");
    let trial = Trial::start(answer).await;
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ask = async |place: &std::path::Path| run(place, pairs(1), &trial.judge, &settings()).await;
    ask(here.path()).await;
    ask(there.path()).await;
    let asked = trial.requests();
    let mut store = Store::open(here.path()).unwrap();
    assert_eq!(store.copy_from(there.path(), &[]).unwrap(), 2);
    assert_eq!(store.copy_from(there.path(), &[]).unwrap(), 0, "once only");
    drop(store);
    let again = ask(here.path()).await;
    assert_eq!((again.answered_before, trial.requests()), (2, asked));
    let attempts: u32 = rows(here.path()).iter().map(|row| row.attempts).sum();
    assert_eq!(attempts, 6 + 2, "failed attempts here, and the verdicts");
}
