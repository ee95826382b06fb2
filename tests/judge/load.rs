//! Load, measured on demand: verdicts a second against a server of fixed latency, and memory over
//! very many questions.
//!
//! `cargo test --test judge load:: -- --ignored --nocapture --test-threads
//! 1`; `MESHJUDGE_LOAD_QUESTIONS` sets the size of the second. The server is a process of its own,
//! so that the reported processor time is only the client's.

use crate::support::assets::demo_scene;
use crate::support::judge_server::{ANSWER, limits, open, pair, reply_json, settings};
use crate::support::scenes;
use meshjudge::unstable::ask::{AskSettings, Unit, Work, ask};
use meshjudge::unstable::judge::{Catalogue, OpenSettings, Part, Route};
use meshjudge::unstable::render::{Channel, draw};
use meshjudge::unstable::rig::Rig;
use meshjudge::unstable::rubric::Picture;
use meshjudge::unstable::store::Store;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const LATENCY: &str = "MESHJUDGE_LOAD_LATENCY_MS";

/// The server's side: the test program calls itself with the latency set.
#[test]
#[ignore = "the server of the other two"]
fn serve() {
    let Some(latency) = std::env::var(LATENCY).ok().and_then(|ms| ms.parse().ok()) else {
        return;
    };
    let latency = Duration::from_millis(latency);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async move {
        let body: Arc<str> = reply_json(ANSWER, "stop").to_string().into();
        let slots = Arc::new(tokio::sync::Semaphore::new(64));
        let answer = move |bytes: axum::body::Bytes| {
            let (body, slots) = (Arc::clone(&body), Arc::clone(&slots));
            async move {
                let _slot = slots.acquire_owned().await.unwrap();
                assert!(bytes.len() > 1000);
                tokio::time::sleep(latency).await;
                ([("content-type", "application/json")], body.to_string())
            }
        };
        let app = axum::Router::new()
            .route("/v1/chat/completions", axum::routing::post(answer))
            .layer(axum::extract::DefaultBodyLimit::disable());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("\nlistening {}", listener.local_addr().unwrap());
        axum::serve(listener, app).await.unwrap();
    });
}

struct Server {
    child: Child,
    url: String,
    _output: BufReader<std::process::ChildStdout>,
}

impl Server {
    fn start(latency_ms: u64) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["load::serve", "--exact", "--ignored", "--nocapture"])
            .env(LATENCY, latency_ms.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("listening ") {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "the server ended");
        }
        let url = format!("http://{}/v1", line["listening ".len()..].trim());
        Self { child, url, _output: output }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Processor seconds of this process so far: user and system, in ticks of 10 ms.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let after = stat.rsplit(')').next().unwrap();
    let fields: Vec<&str> = after.split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

/// Resident memory in mebibytes.
fn memory_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

/// The 2048 px pair sheet of the demo chairs, as it is sent.
fn sheet() -> Picture {
    let channels = [Channel::Rgb, Channel::Normal];
    let rig = Rig::builtin("ring").unwrap().with_views(&[0, 3, 6, 9]);
    let [left, right] = ["chair_clean.glb", "chair_damaged.glb"]
        .map(|name| draw(&demo_scene(name), &rig, &scenes::settings(512, &channels)).unwrap());
    let image = meshjudge::unstable::sheet::pair(&left, &right, &channels, None).unwrap();
    Picture::from_image(&image).unwrap()
}

/// The pair of a prompt with that picture in place of its own.
fn with_picture(prompt: &str, picture: &Picture) -> Unit {
    let mut unit = pair(prompt);
    for question in &mut unit.questions {
        for part in &mut Arc::make_mut(question).parts {
            if let Part::Picture(shown) = part {
                *shown = picture.clone();
            }
        }
    }
    unit
}

async fn asked(
    url: &str,
    num_pairs: usize,
    concurrency: usize,
    unit: impl Fn(usize) -> Unit + Send + 'static,
    mut each: impl FnMut(u64),
) -> (u64, f64, f64) {
    let open_settings = OpenSettings {
        limits: limits(Duration::from_secs(60)),
        catalogue: Catalogue::built_in(),
        ..OpenSettings::default()
    };
    let judges = [open(Route::Chat, "m", url, None, &open_settings)];
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut store = Store::open(folder.path()).unwrap();
    let (to, from) = tokio::sync::mpsc::channel(4);
    tokio::spawn(async move {
        for i in 0..num_pairs {
            if to.send(Work::Ask(unit(i))).await.is_err() {
                break;
            }
        }
    });
    let wide = AskSettings { concurrency, ..settings() };
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let summary =
        ask(from, &judges, &wide, &mut store, |progress| each(progress.done)).await.unwrap();
    assert_eq!(summary.failed_count(), 0, "{:?}", summary.failures.first());
    (summary.verdicts, start.elapsed().as_secs_f64(), cpu_seconds() - cpu)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement; takes a minute"]
async fn verdicts_a_second_at_one_second_of_latency() {
    let server = Server::start(1000);
    let picture = sheet();
    let bytes = picture.bytes.len();
    let begin = Instant::now();
    // Slow start belongs to the run, not to its steady state: from 15 s on.
    let (mut steady, mut last) = (None, (0.0, 0));
    let cpu_at = std::cell::Cell::new((0.0, 0.0));
    let unit = move |i: usize| with_picture(&format!("prompt {i}"), &picture);
    let (verdicts, seconds, cpu) = asked(&server.url, 64 * 30, 64, unit, |done| {
        let now = begin.elapsed().as_secs_f64();
        if steady.is_none() && now > 15.0 {
            steady = Some((now, done));
            cpu_at.set((now, cpu_seconds()));
        }
        if done <= 64 * 60 - 64 {
            last = (now, done);
        }
    })
    .await;
    let (from, done) = steady.unwrap();
    let rate = (last.1 - done) as f64 / (last.0 - from);
    println!(
        "sheet of {bytes} bytes; {verdicts} verdicts in {seconds:.1} s, slow start included: {:.1} a second, {:.2} cores",
        verdicts as f64 / seconds,
        cpu / seconds
    );
    println!(
        "steady from {from:.1} s: {rate:.2} verdicts a second of 64 possible = {:.1} %",
        rate / 64.0 * 100.0
    );
    assert!(rate >= 0.95 * 64.0, "{rate}");
    assert!(cpu / seconds < 1.0, "{}", cpu / seconds);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement; takes minutes"]
async fn memory_stays_flat_over_very_many_questions() {
    let questions: usize = std::env::var("MESHJUDGE_LOAD_QUESTIONS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(100_000);
    let server = Server::start(0);
    let mut told = 0;
    let mut marks = Vec::new();
    let unit = |i: usize| pair(&format!("prompt {i}"));
    let (verdicts, seconds, cpu) = asked(&server.url, questions / 2, 64, unit, |done| {
        let tenth = done * 10 / questions as u64;
        if tenth > told {
            told = tenth;
            marks.push(memory_mib());
        }
    })
    .await;
    let shown: Vec<String> = marks.iter().map(|mib| format!("{mib:.0}")).collect();
    println!(
        "{verdicts} verdicts in {seconds:.0} s ({:.0} a second, {:.2} cores); MiB after each tenth: {}",
        verdicts as f64 / seconds,
        cpu / seconds,
        shown.join(" ")
    );
    assert!(marks[9] < marks[0] + 64.0, "{marks:?}");
}
