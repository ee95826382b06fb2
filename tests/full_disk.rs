//! A disk that fills up in the middle of a run, and a folder that cannot be written: said clearly, and nothing that was answered is lost.
//!
//! The disk is made full by the system's limit on the size of a file, which ends a write with an error as a full disk does.

#![cfg(unix)]

mod judge_server;

use judge_server::{ANSWER, reply_json, rows};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const NUM_PROMPTS: usize = 40;

fn workplace(folder: &Path) {
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("a.obj"), tetrahedron).unwrap();
    let tall = tetrahedron.replace("v 0 1 0", "v 0 3 0");
    std::fs::write(folder.join("b.obj"), tall).unwrap();
    let prompts: Vec<String> = (0..NUM_PROMPTS).map(|i| format!("\"thing {i}\"")).collect();
    let file = format!(
        "name = \"full\"\nprompts = [{}]\n[rating]\nbootstraps = 0\n[pictures]\nsize_px = 32\n\
        [[generators]]\nname = \"a\"\npath = \"a.obj\"\n[[generators]]\nname = \"b\"\npath = \"b.obj\"\n",
        prompts.join(", ")
    );
    std::fs::write(folder.join("bench.toml"), file).unwrap();
}

/// Runs the benchmark; no file may grow beyond `kib` where it is given.
fn bench(folder: &Path, url: &str, run: &str, kib: Option<u32>) -> Output {
    let limit = kib.map_or(String::new(), |kib| format!("ulimit -f {}; ", kib * 2));
    // A write beyond the limit then fails instead of ending the program. A shell that counts in KiB doubles the limit: no harm.
    let script = format!("trap '' XFSZ; {limit}exec \"$@\"");
    Command::new("sh")
        .args([
            "-c",
            &script,
            "sh",
            env!("CARGO_BIN_EXE_meshjudge"),
            "bench",
            "bench.toml",
        ])
        .args([
            "--run",
            run,
            "--judge",
            "openai:m",
            "--base-url",
            url,
            "--quiet",
        ])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_ends_the_run_with_a_word_and_the_next_call_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    workplace(folder.path());
    let requests: Arc<Mutex<HashMap<blake3::Hash, usize>>> = Arc::default();
    let seen = Arc::clone(&requests);
    let server = MockServer::start().await;
    // Long replies, so that the database grows.
    let answer = format!("{}\n\n{ANSWER}", "A word on this pair. ".repeat(200));
    let respond = move |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let key = blake3::hash(body["messages"].to_string().as_bytes());
        *seen.lock().unwrap().entry(key).or_default() += 1;
        ResponseTemplate::new(200).set_body_json(reply_json(&answer, "stop"))
    };
    Mock::given(method("POST"))
        .respond_with(respond)
        .mount(&server)
        .await;
    let url = format!("{}/v1", server.uri());
    let mut kib = 250;
    let mut full = 0;
    let stored = |run: &Path| {
        let rows = if run.join("run.sqlite").is_file() {
            rows(run)
        } else {
            Vec::new()
        };
        rows.iter().filter(|row| row.outcome == "verdict").count()
    };
    let run = folder.path().join("run");
    loop {
        let before = stored(&run);
        let out = bench(folder.path(), &url, "run", (full < 3).then_some(kib));
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(stored(&run) >= before, "verdicts are gone: {said}");
        if out.status.success() {
            break;
        }
        full += 1;
        assert!(full < 4, "it fails with room on the disk: {said}");
        assert!(
            out.status.code().is_some_and(|code| code == 1 || code == 2),
            "{:?}: {said}",
            out.status
        );
        assert!(
            said.contains("run.sqlite") || said.contains("disk"),
            "{said}"
        );
        assert!(!said.contains("panicked"), "{said}");
        kib += 120;
    }
    assert!(full >= 1, "the disk was never full");
    assert_eq!(stored(&run), 2 * NUM_PROMPTS);
    // Only what was in the air when a write failed was asked again: at most the eight slots of each failed call.
    let requests = requests.lock().unwrap();
    assert_eq!(requests.len(), 2 * NUM_PROMPTS);
    let again: usize = requests.values().map(|times| times - 1).sum();
    assert!(
        again <= 8 * full,
        "{again} were asked again after {full} calls"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_cannot_be_written_is_said_before_anything_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    workplace(folder.path());
    let server = MockServer::start().await;
    let url = format!("{}/v1", server.uri());
    // Not even the superuser may create a folder there.
    let out = bench(folder.path(), &url, "/proc/meshjudge-run", None);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(
        said.contains("/proc/meshjudge-run") && said.contains("writable"),
        "{said}"
    );
    assert_eq!(server.received_requests().await.unwrap().len(), 0);
}
