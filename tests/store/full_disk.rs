//! A disk that fills up in the middle of a run, and a folder that cannot be written: said clearly,
//! and nothing that was answered is lost.
//!
//! The disk is made full by the system's limit on the size of a file, which ends a write with an
//! error as a full disk does.

#![cfg(unix)]

use crate::support::assets::{Folder, two_assets};
use crate::support::judge_server::{ANSWER, Mocks, reply, rows};
use crate::support::program::{Run, command, through};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use wiremock::Request;

const NUM_PROMPTS: usize = 40;

fn workplace() -> Folder {
    let folder = two_assets();
    let prompts: Vec<String> = (0..NUM_PROMPTS).map(|i| format!("\"thing {i}\"")).collect();
    let file = format!(
        "name = \"full\"\nprompts = [{}]\n[rating]\nbootstraps = 0\n[pictures]\nsize_px = 32\n\
        [[generators]]\nname = \"a\"\npath = \"a.obj\"\n[[generators]]\nname = \"b\"\npath = \"b.obj\"\n",
        prompts.join(", ")
    );
    std::fs::write(folder.path().join("bench.toml"), file).unwrap();
    folder
}

/// Runs the benchmark; no file may grow beyond `kib` where it is given.
fn bench(folder: &Path, url: &str, run: &str, kib: Option<u32>) -> Run {
    let limit = kib.map_or(String::new(), |kib| format!("ulimit -f {}; ", kib * 2));
    // A write beyond the limit then fails instead of ending the program. A shell that counts in KiB
    // doubles the limit: no harm.
    let script = format!("trap '' XFSZ; {limit}exec \"$@\"");
    let program = command(
        folder,
        ["bench", "bench.toml", "--run", run, "--judge", "openai:m", "--base-url", url, "--quiet"],
    );
    Run::of(&mut through(&["sh", "-c", &script, "sh"], &program))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_ends_the_run_with_a_word_and_the_next_call_goes_on() {
    let folder = workplace();
    let requests: Arc<Mutex<HashMap<blake3::Hash, usize>>> = Arc::default();
    let seen = Arc::clone(&requests);
    // Long replies, so that the database grows.
    let answer = format!("{}\n\n{ANSWER}", "A word on this pair. ".repeat(200));
    let respond = move |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let key = blake3::hash(body["messages"].to_string().as_bytes());
        *seen.lock().unwrap().entry(key).or_default() += 1;
        reply(&answer, "stop")
    };
    let server = Mocks::chat(respond).await;
    let url = format!("{}/v1", server.uri());
    let mut kib = 250;
    let mut full = 0;
    let stored = |run: &Path| {
        let rows = if run.join("run.sqlite").is_file() { rows(run) } else { Vec::new() };
        rows.iter().filter(|row| row.outcome == "verdict").count()
    };
    let run = folder.path().join("run");
    loop {
        let before = stored(&run);
        let out = bench(folder.path(), &url, "run", (full < 3).then_some(kib));
        let said = out.stderr;
        assert!(stored(&run) >= before, "verdicts are gone: {said}");
        if out.code == Some(0) {
            break;
        }
        full += 1;
        assert!(full < 4, "it fails with room on the disk: {said}");
        assert!(out.code.is_some_and(|code| code == 1 || code == 2), "{:?}: {said}", out.code);
        assert!(said.contains("run.sqlite") || said.contains("disk"), "{said}");
        assert!(!said.contains("panicked"), "{said}");
        kib += 120;
    }
    assert!(full >= 1, "the disk was never full");
    assert_eq!(stored(&run), 2 * NUM_PROMPTS);
    // Only what was in the air when a write failed was asked again: at most the eight slots of each
    // failed call.
    let requests = requests.lock().unwrap();
    assert_eq!(requests.len(), 2 * NUM_PROMPTS);
    let again: usize = requests.values().map(|times| times - 1).sum();
    assert!(again <= 8 * full, "{again} were asked again after {full} calls");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_cannot_be_written_is_said_before_anything_is_asked() {
    let folder = workplace();
    let server = Mocks::start().await;
    let url = format!("{}/v1", server.uri());
    // Not even the superuser may create a folder there.
    let out = bench(folder.path(), &url, "/proc/meshjudge-run", None);
    let said = out.stderr;
    assert_eq!(out.code, Some(2), "{said}");
    assert!(said.contains("/proc/meshjudge-run") && said.contains("writable"), "{said}");
    assert_eq!(server.received_requests().await.unwrap().len(), 0);
}
