//! A run whose database is gone: nothing is asked anew, and the journal brings everything back.

use crate::support::judge_server::{ANSWER, judge, pair, reply, rows, settings};
use crate::support::program::meshjudge;
use crate::support::runs::{Plan, fill};
use crate::support::trial::Trial;
use meshjudge::unstable::judge::BatchReply;
use meshjudge::unstable::rubric::Verdict;
use meshjudge::unstable::store::{CANARY_BEGUN, Canary, Request, Store, Vote};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

fn remove_database(folder: &Path) {
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(folder.join(format!("run.sqlite{end}")));
    }
}

fn content(folder: &Path) -> String {
    crate::safe_reading::content(folder).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_its_database_is_refused_and_recovered_whole() {
    let trial = Trial::start(|_| reply(ANSWER, "stop")).await;
    trial.run(5, &settings()).await;
    let place = trial.place();
    let before = content(&place);
    remove_database(&place);
    let refused = Store::open(&place).unwrap_err();
    assert!(refused.to_string().contains("is missing or empty"), "{refused}");
    let refused = Store::read(&place).unwrap_err();
    assert!(refused.to_string().contains("meshjudge recover"), "{refused}");
    // A journal that ends in the middle of a line, as after a power failure.
    let mut journal =
        std::fs::File::options().append(true).open(place.join("run.journal")).unwrap();
    journal.write_all(b"0123456789abcdef {\"in\": \"attem").unwrap();
    let out = meshjudge(&place, &["recover", ".", "--json"]);
    assert_eq!(out.code, Some(1), "{}", out.stderr);
    let row = &out.rows_of("recover")[0];
    let found = ["questions", "attempts", "broken_lines"].map(|key| row[key].as_u64());
    assert_eq!(found, [Some(10), Some(10), Some(1)]);
    assert_eq!(content(&place), before);
    // The run goes on, and nothing is asked again.
    let again = trial.run(5, &settings()).await;
    assert_eq!((again.answered_before, trial.requests()), (10, 10));
    remove_database(&place);
    Store::recover(&place).unwrap();
    assert_eq!(content(&place), before);
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
                let turned = choices.iter().map(|(key, winner)| (key.clone(), winner.swapped()));
                votes.push(Vote {
                    choices: turned.collect(),
                    both_bad: Vec::new(),
                    judge: record.judge.clone(),
                    rubric: record.rubric.clone(),
                    rubric_hash: record.rubric_hash.clone(),
                    prompt: record.prompt.clone(),
                    photo: None,
                    a: record.a.clone(),
                    b: record.b.clone(),
                    order: record.order,
                    sample: record.sample,
                    seconds: 1.0,
                    origin: "page".to_owned(),
                    source: None,
                });
            }
            Ok(())
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
    let at = journal.windows(12).position(|w| w == b"\"attempts\",\"").unwrap();
    journal[at + 40] ^= 1;
    std::fs::write(&path, journal).unwrap();
    let found = Store::recover(folder.path()).unwrap();
    assert_eq!(found.broken_lines, 1);
    assert_eq!(rows(folder.path()).len(), num_rows - 1);
    assert!(folder.path().join("run.sqlite.old").is_file());
}

/// Whichever row is lost, the rest can be read, and so it can after the next writing and the next
/// recovery.
#[test]
fn what_a_lost_line_was_a_part_of_is_left_out_whole() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &Plan::small());
    let journal = std::fs::read(folder.path().join("run.journal")).unwrap();
    let lines: Vec<&[u8]> = journal.split_inclusive(|byte| *byte == b'\n').collect();
    let questions = content(folder.path()).matches("Record {").count();
    let is_of = |table: &str, line: &[u8]| {
        String::from_utf8_lossy(line).contains(&format!("\"put\":\"{table}\""))
    };
    let mut broken = Vec::new();
    for table in ["protocols", "pictures", "texts", "questions", "attempts"] {
        let of_table: Vec<usize> = (0..lines.len()).filter(|&at| is_of(table, lines[at])).collect();
        for at in [of_table[0], of_table[of_table.len() / 2]] {
            let mut damaged = lines.concat();
            let start: usize = lines[..at].iter().map(|line| line.len()).sum();
            damaged[start + lines[at].len() / 2] ^= 1;
            broken.push(damaged);
            // Nothing but the end of the line is lost, and all that follows.
            broken.push(journal[..start + lines[at].len() - 1].to_vec());
        }
    }
    broken.extend((1..12).map(|k| journal[..journal.len() * k / 12].to_vec()));
    broken.extend((1..12).map(|k| lines[..lines.len() * k / 12].concat()));
    for journal in broken {
        remove_database(folder.path());
        std::fs::write(folder.path().join("run.journal"), journal).unwrap();
        let found = Store::recover(folder.path()).unwrap();
        let kept = content(folder.path());
        let num_kept = kept.matches("Record {").count();
        assert!(num_kept <= found.questions && num_kept < questions, "{found:?}");
        // The next question has a number of its own.
        let mut store = Store::open(folder.path()).unwrap();
        store.keep_config(&toml::Table::new()).unwrap();
        drop(store);
        remove_database(folder.path());
        let again = Store::recover(folder.path()).unwrap();
        assert_eq!((again.questions, again.incomplete), (found.questions, 0), "{again:?}");
        assert_eq!(content(folder.path()), kept);
    }
}

/// No version of this program was released, so only its own layout is read.
#[test]
fn a_run_and_a_journal_of_another_layout_are_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path(), &Plan::small());
    let database = rusqlite::Connection::open(folder.path().join("run.sqlite")).unwrap();
    let layout: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    database.pragma_update(None, "user_version", layout - 1).unwrap();
    drop(database);
    let is_refused = |error: String| {
        assert!(error.contains(&format!("layout {}", layout - 1)), "{error}");
        assert!(error.contains("use the version that wrote it"), "{error}");
    };
    is_refused(Store::read(folder.path()).unwrap_err().to_string());
    is_refused(Store::open(folder.path()).unwrap_err().to_string());
    remove_database(folder.path());
    let path = folder.path().join("run.journal");
    let text = std::fs::read_to_string(&path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let first = first[17..].replace(&layout.to_string(), &(layout - 1).to_string());
    let sum = &blake3::hash(first.as_bytes()).to_hex()[..16];
    std::fs::write(&path, format!("{sum} {first}\n{rest}")).unwrap();
    is_refused(Store::recover(folder.path()).unwrap_err().to_string());
    assert!(!folder.path().join("run.sqlite").exists());
}

fn request(prompt: &str) -> Request {
    let judge = judge("http://127.0.0.1:1/v1", None, Duration::from_secs(1));
    Request::new(&pair(prompt).questions[0], &judge, 0)
}

#[test]
fn a_journal_counts_canaries_once_and_knows_which_batches_are_open() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let canary =
        Canary { judge: "m".to_owned(), requests: 2, cost_usd: Some(0.25), ..Canary::default() };
    let begun = Canary { reason: Some(CANARY_BEGUN.to_owned()), ..canary.clone() };
    let id = store.begin_canary(&begun).unwrap();
    store.end_canary(id, &canary).unwrap();
    let mut ids = Vec::new();
    for (prompt, mark) in [("ended", "1"), ("open", "2")] {
        let request = request(prompt);
        store.keep_request(&request).unwrap();
        let mut file = store.begin_batch(&mark.repeat(32)).unwrap();
        let line = serde_json::json!({"custom_id": request.id}).to_string() + "\n";
        file.push(line.as_bytes()).unwrap();
        let items = [(request.id.clone(), Some(1.0), true)];
        let batch = store.seal_batch(file, "m", None, &items).unwrap();
        store.name_batch(batch.id, Some("b")).unwrap();
        ids.push(request.id.clone());
        if prompt == "ended" {
            let replies = [(request.id.clone(), BatchReply::Expired)];
            store.keep_replies(&batch, &replies, true).unwrap();
        }
    }
    drop(store);
    remove_database(folder.path());
    let found = Store::recover(folder.path()).unwrap();
    assert_eq!((found.questions, found.broken_lines), (2, 0));
    let store = Store::read(folder.path()).unwrap();
    let spent = store.spent().unwrap();
    assert_eq!((spent.requests, spent.usd), (2, 0.25));
    let open = store.open_batches().unwrap();
    assert_eq!(open.len(), 1, "{open:?}");
    assert_eq!(open[0].keys, ids[1..], "{open:?}");
}

#[test]
fn what_was_under_way_at_the_end_is_booked_at_its_maximum_after_recovery() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let request = request("chair");
    store.keep_request(&request).unwrap();
    store.keep_sending(&[(&request.id, Some(0.5))]).unwrap();
    drop(store);
    remove_database(folder.path());
    Store::recover(folder.path()).unwrap();
    let store = Store::open(folder.path()).unwrap();
    assert!((store.spent().unwrap().usd - 0.5).abs() < 1e-12);
}
