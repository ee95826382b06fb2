//! A run whose database is gone: nothing is asked anew, and the journal brings everything back.

use crate::support::judge_server::{ANSWER, ChatServer, judge, pair, reply, rows, run, settings};
use crate::support::program::meshjudge;
use crate::support::runs::{Plan, fill};
use meshjudge::rubric::Verdict;
use meshjudge::store::{Store, StoreError, Vote};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

fn remove_database(folder: &Path) {
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(folder.join(format!("run.sqlite{end}")));
    }
}

/// Everything that reading gives.
fn content(folder: &Path) -> String {
    let store = Store::read(folder).unwrap();
    let (made, pairs) = (store.made().unwrap(), store.pairs().unwrap());
    let mut text = format!("{made:?}\n{pairs:?}\n");
    store
        .records(|record| {
            text.push_str(&format!("{record:?}\n"));
            Ok::<(), StoreError>(())
        })
        .unwrap();
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_its_database_is_refused_and_recovered_whole() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let folder = tempfile::tempdir().unwrap();
    let judge = judge(&server.base_url(), None, Duration::from_secs(20));
    let units = || (0..5).map(|i| pair(&format!("prompt {i}"))).collect();
    run(folder.path(), units(), &judge, &settings()).await;
    let before = content(folder.path());
    remove_database(folder.path());
    let refused = Store::open(folder.path()).unwrap_err();
    assert!(
        matches!(refused, StoreError::DatabaseGone { .. }),
        "{refused}"
    );
    // A journal that ends in the middle of a line, as after a power failure.
    let mut journal = (std::fs::File::options().append(true))
        .open(folder.path().join("run.journal"))
        .unwrap();
    journal
        .write_all(b"0123456789abcdef {\"in\": \"attem")
        .unwrap();
    let out = meshjudge(folder.path(), &["recover", ".", "--json"]);
    assert_eq!(out.code, Some(1), "{}", out.stderr);
    let told = &out.rows_of("recover")[0];
    assert_eq!(
        (
            told["questions"].as_u64(),
            told["attempts"].as_u64(),
            told["broken_lines"].as_u64()
        ),
        (Some(10), Some(10), Some(1))
    );
    assert_eq!(content(folder.path()), before);
    // The run goes on, and nothing is asked again.
    let again = run(folder.path(), units(), &judge, &settings()).await;
    assert_eq!((again.answered_before, server.requests()), (10, 10));
    remove_database(folder.path());
    Store::recover(folder.path()).unwrap();
    assert_eq!(content(folder.path()), before);
}

#[test]
fn votes_assets_and_pairs_come_back_as_they_were_last() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &Plan::small());
    // Votes that take the place of earlier ones, the newest attempt's among them.
    let mut votes = Vec::new();
    let mut store = Store::open(folder.path()).unwrap();
    store
        .records(|record| {
            if let Some(Verdict::Pairwise { choices, .. }) = record.verdict()
                && record.judge.is_person()
            {
                let turned = choices
                    .iter()
                    .map(|(key, winner)| (key.clone(), winner.swapped()));
                votes.push(Vote {
                    choices: turned.collect(),
                    judge: record.judge.clone(),
                    rubric: record.rubric.clone(),
                    rubric_hash: record.rubric_hash.clone(),
                    prompt: record.prompt.clone(),
                    a: record.a.clone(),
                    b: record.b.clone().unwrap(),
                    order: record.order,
                    sample: record.sample,
                    seconds: 1.0,
                    origin: "page".to_owned(),
                    source: None,
                });
            }
            Ok::<(), StoreError>(())
        })
        .unwrap();
    assert!(votes.len() > 5);
    for vote in votes.iter().rev() {
        store.keep_votes(std::slice::from_ref(vote)).unwrap();
    }
    drop(store);
    let before = content(folder.path());
    remove_database(folder.path());
    let found = Store::recover(folder.path()).unwrap();
    assert_eq!(found.broken_lines, 0);
    assert_eq!(content(folder.path()), before);
}

#[test]
fn a_changed_line_is_left_out_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &Plan::small());
    let num_rows = rows(folder.path()).len();
    let path = folder.path().join("run.journal");
    let mut journal = std::fs::read(&path).unwrap();
    let at = journal
        .windows(12)
        .position(|w| w == b"\"attempts\",\"")
        .unwrap();
    journal[at + 40] ^= 1;
    std::fs::write(&path, journal).unwrap();
    let found = Store::recover(folder.path()).unwrap();
    assert_eq!(found.broken_lines, 1);
    assert_eq!(rows(folder.path()).len(), num_rows - 1);
    assert!(folder.path().join("run.sqlite.old").is_file());
}

#[test]
fn a_run_of_the_layout_before_is_read_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &Plan::small());
    let before = content(folder.path());
    let old = rusqlite::Connection::open(folder.path().join("run.sqlite")).unwrap();
    for table in ["questions", "attempts", "made", "pairs"] {
        old.execute_batch(&format!("ALTER TABLE {table} DROP COLUMN sum"))
            .unwrap();
    }
    old.pragma_update(None, "user_version", 4).unwrap();
    drop(old);
    std::fs::remove_file(folder.path().join("run.journal")).unwrap();
    assert_eq!(content(folder.path()), before);
    let num_attempts = rows(folder.path()).len();
    drop(Store::open(folder.path()).unwrap());
    assert_eq!(content(folder.path()), before);
    remove_database(folder.path());
    let found = Store::recover(folder.path()).unwrap();
    assert!(found.attempts >= num_attempts);
    assert_eq!(content(folder.path()), before);
}
