//! Kills the program at random moments of a benchmark and resumes it: every question ends with
//! exactly one verdict, nothing that was stored is asked again, and the money adds up.
//!
//! `MESHJUDGE_KILLS` and `MESHJUDGE_QUESTIONS` set the size.

#![cfg(unix)]

use crate::support::assets::{Folder, two_assets};
use crate::support::judge_server::{ANSWER, Mocks, reply, rows};
use crate::support::program::{command, start};
use meshjudge::unstable::rate::Random;
use meshjudge::unstable::store::Store;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wiremock::Request;

/// 1,000 tokens read at 2 and 200 written at 10 dollars a million.
const REPLY_USD: f64 = 0.004;

/// 16,384 tokens written at most.
const OUTPUT_USD_MAX: f64 = 0.163_84;

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// What the server saw: how often each prompt, and which prompts came although they were stored.
#[derive(Default)]
struct Seen {
    requests: BTreeMap<String, usize>,
    stored: BTreeSet<String>,
    again: Vec<String>,
}

/// A question as the server sees it: the prompt, and whether the pictures are in the listed
/// order.
fn key_of(body: &Value) -> String {
    let parts = body["messages"][0]["content"].as_array().unwrap();
    let text = parts[0]["text"].as_str().unwrap();
    let at = text.find("thing number ").expect("a prompt");
    let prompt: String = text[at..].chars().take_while(|c| *c != '"').collect();
    let picture = blake3::hash(parts[1].to_string().as_bytes());
    format!("{prompt} {}", &picture.to_hex()[..8])
}

fn workplace(num_prompts: usize) -> Folder {
    let place = two_assets();
    let folder = place.path();
    let prompts: Vec<String> = (0..num_prompts).map(|i| format!("\"thing number {i}\"")).collect();
    let file = format!(
        "name = \"kill\"\nprompts = [{}]\nconcurrency = 8\n[rating]\nbootstraps = 0\n[pictures]\nsize_px = 32\n[[generators]]\nname = \"a\"\npath = \"a.obj\"\n[[generators]]\nname = \"b\"\npath = \"b.obj\"\n",
        prompts.join(", ")
    );
    std::fs::write(folder.join("bench.toml"), file).unwrap();
    let models = "dated = \"a test\"\n[[models]]\nnames = [\"m\"]\nroutes = [\"openai\"]\nusd_per_million = { input = 2.0, output = 10.0 }\n";
    std::fs::write(folder.join("models.toml"), models).unwrap();
    place
}

fn bench(folder: &Path, url: &str) -> Child {
    let args = ["bench", "bench.toml", "--run", "run", "--judge", "openai:m"];
    let mut command = command(folder, args);
    command.args(["--base-url", url, "--models", "models.toml"]).args([
        "--max-cost",
        "1000",
        "--quiet",
    ]);
    start(&mut command)
}

/// The questions that the store holds a verdict for, as the server names them.
fn stored(folder: &Path) -> BTreeSet<String> {
    let run = folder.join("run");
    if !run.join("run.sqlite").is_file() || Store::read(&run).is_err() {
        return BTreeSet::new();
    }
    let mut found = BTreeSet::new();
    for row in rows(&run).iter().filter(|row| row.outcome == "verdict") {
        let prompt = row.prompt.clone().unwrap();
        let file = run.join("sheets").join(format!("{}.png", row.pictures[0]));
        let bytes = std::fs::read(file).unwrap();
        use base64::Engine;
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        let part = serde_json::json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{data}"), "detail": "high"}});
        let picture = blake3::hash(part.to_string().as_bytes());
        found.insert(format!("{prompt} {}", &picture.to_hex()[..8]));
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_moment_the_program_is_killed_nothing_is_lost_and_nothing_paid_twice() {
    let kills = number("MESHJUDGE_KILLS", 10);
    let questions = number("MESHJUDGE_QUESTIONS", 120);
    let seen = Arc::new(Mutex::new(Seen::default()));
    let watch = Arc::clone(&seen);
    let respond = move |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let key = key_of(&body);
        let mut seen = watch.lock().unwrap();
        *seen.requests.entry(key.clone()).or_default() += 1;
        if seen.stored.contains(&key) {
            seen.again.push(key);
        }
        reply(ANSWER, "stop").set_delay(Duration::from_millis(15))
    };
    let server = Mocks::chat(respond).await;
    let url = format!("{}/v1", server.uri());
    let mut random = Random::new(number("MESHJUDGE_SEED", 1) as u64, 0);
    let signals = [
        rustix::process::Signal::KILL,
        rustix::process::Signal::KILL,
        rustix::process::Signal::TERM,
        rustix::process::Signal::INT,
    ];
    let (mut killed, mut runs, mut lost, mut unsent) = (0, 0, 0, 0);
    while killed < kills {
        let place = workplace(questions / 2);
        *seen.lock().unwrap() = Seen::default();
        // How long a whole run takes is found out by the runs themselves.
        let mut is_done = false;
        while !is_done {
            let mut child = bench(place.path(), &url);
            if killed < kills {
                let moment = Duration::from_millis(20 + random.below(700) as u64);
                tokio::time::sleep(moment).await;
                if child.try_wait().unwrap().is_none() {
                    let signal = signals[random.below(signals.len())];
                    let id = rustix::process::Pid::from_child(&child);
                    // It may have ended in this very moment.
                    let _ = rustix::process::kill_process(id, signal);
                    killed += 1;
                }
            }
            let deadline = Instant::now() + Duration::from_secs(120);
            let status = loop {
                if let Some(status) = child.try_wait().unwrap() {
                    break status;
                }
                assert!(Instant::now() < deadline, "the program does not end");
                tokio::time::sleep(Duration::from_millis(5)).await;
            };
            is_done = status.code() == Some(0);
            seen.lock().unwrap().stored = stored(place.path());
        }
        runs += 1;
        let found = rows(&place.path().join("run"));
        assert_eq!(found.len(), questions, "every question has a row");
        assert!(found.iter().all(|row| row.outcome == "verdict"));
        let ids: BTreeSet<&String> = found.iter().map(|row| &row.id).collect();
        assert_eq!(ids.len(), questions, "and one only");
        let seen = seen.lock().unwrap();
        assert!(seen.again.is_empty(), "asked again although stored: {:?}", seen.again);
        assert_eq!(seen.requests.len(), questions);
        let attempts: usize = found.iter().map(|row| row.attempts as usize).sum();
        let requests: usize = seen.requests.values().sum();
        lost += requests - questions;
        // Every request that the server saw is an attempt; one that was recorded and not yet sent
        // at a kill is one too.
        assert!(attempts >= requests, "{attempts} attempts, {requests} requests");
        unsent += attempts - requests;
        let cost = Store::read(&place.path().join("run")).unwrap().spent().unwrap().usd;
        let known = questions as f64 * REPLY_USD;
        let open = (attempts - questions) as f64;
        assert!(
            cost >= known + open * OUTPUT_USD_MAX - 1e-6
                && cost <= known + open * (OUTPUT_USD_MAX + 0.02) + 1e-6,
            "{cost} for {questions} replies and {open} that were lost"
        );
    }
    // Only what was in flight at a kill, eight requests at most, can be lost.
    assert!(lost + unsent <= 8 * killed, "{lost} replies lost in {killed} kills");
    println!(
        "{killed} kills in {runs} runs of {questions} questions: {lost} replies in flight were lost and {unsent} requests never sent, each is an attempt and counts; nothing stored was asked again"
    );
}
