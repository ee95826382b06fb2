//! A run folder: what it refuses, what it survives, which one is chosen.

use crate::support::judge_server::{ANSWER, pair};
use meshjudge::unstable::judge::{Judge, Question, Reply};
use meshjudge::unstable::rubric::{Finish, Order, Outcome, ReplyText};
use meshjudge::unstable::store::{Attempt, Made, Request, Store, default_folder};
use meshjudge::{Error, Kind};
use std::time::{Duration, SystemTime};

fn asked() -> Request {
    Request::new(&pair("a fox").questions[0], &Judge::Probe, 0)
}

fn opened() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    (folder, store)
}

fn tried(asked: &Request, text: &str) -> Attempt {
    let said = ReplyText { text, finish: &Finish::Stop, reasoning: "", undecided: &[] };
    Attempt {
        asked_at: SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_255_435),
        elapsed: Duration::from_millis(1500),
        outcome: asked.question.rubric.read(&said, None, Order::AsListed),
        reply: Some(Reply { text: text.to_owned(), cost_usd: Some(0.25), ..Reply::default() }),
        http_status: Some(200),
        ..Attempt::without_sending(Outcome::Refusal)
    }
}

fn assert_says<T>(result: Result<T, Error>, words: &str) {
    let said = result.err().unwrap().to_string();
    assert!(said.contains(words), "{said}");
}

#[test]
fn the_state_of_a_run_changes_with_what_it_says_and_with_nothing_else() {
    let (folder, mut store) = opened();
    assert_eq!(store.state().unwrap(), None);
    let asked = asked();
    store.keep_request(&asked).unwrap();
    let mut last = None;
    let mut changed = |store: &Store| {
        let state = store.state().unwrap();
        std::mem::replace(&mut last, state.clone()) != state
    };
    changed(&store);
    store.keep_attempt(&asked, &tried(&asked, ANSWER)).unwrap();
    assert!(changed(&store), "an answer");
    let mut made = Made {
        method: "m".to_owned(),
        prompt_id: "p".to_owned(),
        seed: 0,
        prompt: "a fox".to_owned(),
        path: Some("m.glb".to_owned()),
        hash: Some("1".repeat(64)),
        file_bytes: None,
        file_modified_ns: None,
        seconds: None,
        failure: None,
        photo: None,
    };
    store.keep_made(std::slice::from_ref(&made)).unwrap();
    assert!(changed(&store), "an asset");
    made.hash = Some("2".repeat(64));
    store.keep_made(std::slice::from_ref(&made)).unwrap();
    assert!(changed(&store), "another asset in its place");
    // What a later look at the same file adds.
    (made.file_bytes, made.file_modified_ns) = (Some(7), Some(8));
    store.keep_made(&[made]).unwrap();
    assert!(!changed(&store), "size and time of the file");
    assert_eq!(Store::read(folder.path()).unwrap().state().unwrap(), last);
}

#[test]
fn a_row_has_the_fields_of_the_contract_in_order() {
    let (folder, mut store) = opened();
    let asked = asked();
    store.keep_request(&asked).unwrap();
    assert_eq!(store.record(&asked.id).unwrap(), None, "nothing was answered yet");
    store.keep_attempt(&asked, &tried(&asked, "?")).unwrap();
    assert!(!store.is_answered(&asked).unwrap());
    store.keep_attempt(&asked, &tried(&asked, ANSWER)).unwrap();
    assert!(store.is_answered(&asked).unwrap());
    let row = serde_json::to_value(store.record(&asked.id).unwrap().unwrap()).unwrap();
    let keys: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
    let contract = "id rubric rubric_hash category prompt a b order sample judge model_reported protocol \
        pictures outcome reason verdict raw answers restated attempts input_tokens output_tokens \
        cost_usd seconds asked_at view_px";
    assert_eq!(keys, contract.split(' ').collect::<Vec<_>>());
    assert_eq!((row["outcome"].as_str(), row["order"].as_str()), (Some("verdict"), Some("ab")));
    assert_eq!((&row["attempts"], &row["cost_usd"]), (&2.into(), &0.5.into()));
    assert_eq!(row["seconds"], 3.0);
    assert_eq!(row["asked_at"], "2026-11-21T10:03:55.000Z");
    assert_eq!(row["a"]["method"], "left");
    let sheet = folder.path().join(format!("sheets/{}.png", row["pictures"][0].as_str().unwrap()));
    assert_eq!(blake3::hash(&std::fs::read(sheet).unwrap()).to_hex().as_str(), row["pictures"][0]);
}

#[test]
fn a_question_is_answered_once_and_only_if_it_is_known() {
    let (_folder, mut store) = opened();
    let asked = asked();
    assert!(store.keep_attempt(&asked, &tried(&asked, ANSWER)).is_err(), "it is unknown");
    store.keep_request(&asked).unwrap();
    store.keep_request(&asked).unwrap();
    store.keep_attempt(&asked, &tried(&asked, ANSWER)).unwrap();
    let twice = store.keep_attempt(&asked, &tried(&asked, ANSWER)).unwrap_err().to_string();
    assert!(twice.starts_with("the run could not be written"), "{twice}");
    let outcome = Outcome::ProviderError { reason: "later".to_owned() };
    let later = Attempt { outcome, reply: None, ..tried(&asked, "") };
    store.keep_attempt(&asked, &later).unwrap();
    assert_eq!(store.record(&asked.id).unwrap().unwrap().outcome.name(), "verdict");
}

#[test]
fn what_decides_the_answer_decides_the_key() {
    let subject = &pair("a fox").questions[0];
    let key = |question: &std::sync::Arc<Question>, sample| {
        Request::new(question, &Judge::Probe, sample).id
    };
    assert_eq!(key(subject, 0), key(&pair("a fox").questions[0], 0));
    assert_ne!(key(subject, 0), key(subject, 1));
    assert_ne!(key(subject, 0), key(&pair("a fox").questions[1], 0));
    assert_ne!(key(subject, 0), key(&pair("a dog").questions[0], 0));
    let mut other = subject.clone();
    std::sync::Arc::make_mut(&mut other).a.method = "another".to_owned();
    assert_ne!(key(subject, 0), key(&other, 0));
    assert_eq!(
        Request::new(subject, &Judge::Probe, 0).content_hash,
        Request::new(&other, &Judge::Probe, 0).content_hash
    );
    let mut moved = subject.clone();
    std::sync::Arc::make_mut(&mut moved).a.path = "elsewhere/left.glb".to_owned();
    assert_eq!(key(subject, 0), key(&moved, 0), "a file that was moved is the same file");
}

#[test]
fn a_run_without_close_is_whole() {
    let (folder, mut store) = opened();
    let asked = asked();
    store.keep_request(&asked).unwrap();
    store.keep_attempt(&asked, &tried(&asked, ANSWER)).unwrap();
    // As a kill leaves it: files as they are on the disk, log and all, under another name.
    let copy = tempfile::tempdir().unwrap();
    for name in ["run.sqlite", "run.sqlite-wal"] {
        std::fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
    }
    std::mem::forget(store);
    let store = Store::open(copy.path()).unwrap();
    assert!(store.is_answered(&asked).unwrap());
}

#[test]
fn one_process_at_a_time_asks_and_any_may_read() {
    let (folder, store) = opened();
    let refused = Store::open(folder.path()).unwrap_err();
    assert_eq!(refused.kind(), Kind::Locked, "{refused}");
    if cfg!(unix) {
        let this = format!("another meshjudge process ({} on ", std::process::id());
        assert!(refused.to_string().starts_with(&this), "{refused}");
    }
    assert!(Store::read(folder.path()).is_ok());
    drop(store);
    assert!(Store::open(folder.path()).is_ok());
}

#[test]
fn foreign_broken_and_newer_files_are_refused_by_name() {
    let write = |bytes: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run.sqlite"), bytes).unwrap();
        folder
    };
    let text = write(&b"this is a letter to my aunt, and no database at all. ".repeat(100));
    assert_says(Store::open(text.path()), "run.sqlite is not usable");
    assert_says(Store::read(text.path()), "run.sqlite is not usable");

    let foreign = tempfile::tempdir().unwrap();
    let other = rusqlite::Connection::open(foreign.path().join("run.sqlite")).unwrap();
    other.execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    drop(other);
    assert_says(Store::open(foreign.path()), "another program");

    let newer = tempfile::tempdir().unwrap();
    drop(Store::open(newer.path()).unwrap());
    let db = rusqlite::Connection::open(newer.path().join("run.sqlite")).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    assert_says(Store::open(newer.path()), "the run has layout 99");

    let empty = tempfile::tempdir().unwrap();
    assert_says(Store::read(empty.path()), "there is no run here");
    let file = empty.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert_says(Store::open(&file.join("run")), "cannot create");
}

#[test]
fn a_torn_database_is_named_and_not_overwritten() {
    let (folder, mut store) = opened();
    let asked = asked();
    store.keep_request(&asked).unwrap();
    drop(store);
    let path = folder.path().join("run.sqlite");
    let mut bytes = std::fs::read(&path).unwrap();
    for byte in &mut bytes[4096..] {
        *byte ^= 0x5a;
    }
    std::fs::write(&path, &bytes).unwrap();
    let result = Store::open(folder.path()).and_then(|store| store.is_answered(&asked));
    assert_says(result, "`meshjudge recover` rebuilds");
    assert_eq!(std::fs::read(&path).unwrap().len(), bytes.len());
}

#[test]
fn the_newest_run_of_the_same_question_is_resumed() {
    let is = |identity: &'static str| {
        move |config: &toml::Table| config["identity"].as_str() == Some(identity)
    };
    let base = tempfile::tempdir().unwrap();
    let fresh = default_folder(base.path(), "compare", is("one"));
    assert!(!fresh.exists());
    let make = |name: &str, identity: &str| {
        let folder = base.path().join(name);
        let mut store = Store::open(&folder).unwrap();
        let mut config = toml::Table::new();
        config.insert("identity".to_owned(), identity.into());
        store.keep_config(&config).unwrap();
        folder
    };
    make("compare-2026-01-01T00-00-00", "one");
    let newest = make("compare-2026-01-02T00-00-00", "one");
    make("compare-2026-01-03T00-00-00", "two");
    make("score-2026-01-04T00-00-00", "one");
    assert_eq!(default_folder(base.path(), "compare", is("one")), newest);
    assert!(!default_folder(base.path(), "compare", is("three")).exists());
}

/// `MESHJUDGE_NETWORK_FOLDER` names a folder on a disk that is reached over a network or FUSE;
/// without it nothing is tested.
#[test]
fn a_run_on_a_network_disk_is_written_without_shared_memory() {
    let Some(disk) = std::env::var_os("MESHJUDGE_NETWORK_FOLDER") else {
        return;
    };
    let folder = tempfile::tempdir_in(disk).unwrap();
    let asked = asked();
    let mut store = Store::open(folder.path()).unwrap();
    assert!(store.network_disk().is_some());
    store.keep_request(&asked).unwrap();
    store.keep_attempt(&asked, &tried(&asked, ANSWER)).unwrap();
    let refused = Store::open(folder.path()).unwrap_err();
    assert_eq!(refused.kind(), Kind::Locked, "{refused}");
    let reader = Store::read(folder.path()).unwrap();
    assert!(reader.is_answered(&asked).unwrap());
    assert!(!folder.path().join("run.sqlite-shm").exists());
    let local = tempfile::tempdir().unwrap();
    assert_eq!(Store::open(local.path()).unwrap().network_disk(), None);
}

/// Numbers that are read and written again stay the same to the last digit.
#[test]
fn a_number_is_read_as_it_was_written() {
    for text in ["2.1690205187496758e-14", "5.329070518200751e-15", "0.1", "1e-300"] {
        let number: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(number.to_string(), text);
    }
}
