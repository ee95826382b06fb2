//! Every phase ends soon after the first signal of the system, with the code that says so, and at
//! once after the second.

#![cfg(unix)]

use crate::support::assets::{Folder, demo, two_assets};
use crate::support::judge_server::{ANSWER, ChatServer, Mocks, reply, rows};
use crate::support::program::{generator, start};
use crate::support::runs::{Plan, fill};
use crate::support::served::free_port;
use meshjudge::unstable::store::Store;
use rustix::process::{Pid, Signal, kill_process};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::signal::unix::SignalKind;
use wiremock::Request;

/// Two seconds to end in order, and as many for a slow machine.
const SOON: Duration = Duration::from_secs(4);

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// The program's exit code after a signal that comes when `is_under_way`, which must be before its
/// end.
async fn code_after(
    folder: &Folder,
    args: &str,
    signals: &[Signal],
    mut is_under_way: impl FnMut() -> bool,
) -> Option<i32> {
    // A signal that is ignored here, as SIGHUP is under `nohup`, would be ignored there; one with a
    // handler gets its default disposition back.
    let _handled = tokio::signal::unix::signal(SignalKind::hangup()).unwrap();
    let mut child = start(&mut folder.command(args));
    let begin = Instant::now();
    while !is_under_way() {
        assert!(begin.elapsed() < Duration::from_secs(120), "{args:?} does not begin");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // Well into it.
    tokio::time::sleep(Duration::from_millis(700)).await;
    let ended = child.try_wait().unwrap();
    assert!(ended.is_none(), "{args:?} ended before: {ended:?}");
    for signal in signals {
        send(&child, *signal);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if begin.elapsed() > SOON {
            child.kill().unwrap();
            panic!("{args:?} goes on after {signals:?}");
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

const INT: [Signal; 1] = [Signal::INT];
const TERM: [Signal; 1] = [Signal::TERM];
const HUP: [Signal; 1] = [Signal::HUP];

const COMPARE: &str = "compare a.obj b.obj --prompt x --run r";

async fn hanging() -> ChatServer {
    ChatServer::start(|_| reply(ANSWER, "stop").set_delay(Duration::from_secs(60))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_test_of_a_judge_is_cut_off() {
    for (signals, code) in [(INT, 130), (TERM, 143), (HUP, 143)] {
        // The test asks without a picture first, which the other server refuses.
        let requests = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&requests);
        let server = Mocks::chat(move |_: &Request| {
            seen.fetch_add(1, Ordering::SeqCst);
            reply(ANSWER, "stop").set_delay(Duration::from_secs(60))
        })
        .await;
        let args = format!("{COMPARE} {} --canary", server.flags());
        let is_asked = || requests.load(Ordering::SeqCst) > 0;
        let place = two_assets();
        let ended = code_after(&place, &args, &signals, is_asked);
        assert_eq!(ended.await, Some(code));
    }
}

/// It was paid for, perhaps: it is booked at its maximum, and asked again by the next call.
#[tokio::test(flavor = "multi_thread")]
async fn a_reply_in_flight_is_given_up_after_two_seconds_and_stays_booked() {
    let server = hanging().await;
    let place = two_assets();
    let prices = "dated = \"2026-11-25\"\n[[models]]\nnames = [\"m\"]\nroutes = [\"openai\"]\nusd_per_million = { input = 1.0, output = 1.0 }\n";
    place.write("models.toml", prices);
    let args = format!("{COMPARE} {} --models models.toml", server.flags());
    let ended = code_after(&place, &args, &INT, || server.requests() > 0);
    assert_eq!(ended.await, Some(130));
    place.run(&format!("{args} --max-requests 0"));
    let run = Store::read(&place.join("r")).unwrap();
    let (requests, booked_usd) = run.unsettled().unwrap();
    assert!(requests > 0 && booked_usd > 0.0, "{requests} {booked_usd}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_does_not_wait_for_replies_in_flight() {
    let server = hanging().await;
    let place = two_assets();
    let args = format!("{COMPARE} {}", server.flags());
    let signals = [Signal::INT, Signal::TERM];
    let ended = code_after(&place, &args, &signals, || server.requests() > 0);
    assert_eq!(ended.await, Some(143));
}

/// The paths of the demo's chairs.
fn chairs() -> [String; 2] {
    ["clean", "damaged"].map(|kind| demo(&format!("chair_{kind}.glb")).display().to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn rendering_and_measuring_are_cut_off() {
    let [clean, damaged] = chairs();
    let render = format!("render '{clean}' --size 4096 --views 64 --out o");
    let measure = format!("measure '{damaged}' --reference '{clean}' --samples 20000000");
    for (args, signals, code) in [(render, INT, 130), (measure, TERM, 143)] {
        assert_eq!(code_after(&Folder::new(), &args, &signals, || true).await, Some(code));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_generator_is_ended() {
    let place = two_assets();
    let made = "[[generators]]\nname = \"a\"\ncommand = [\"sh\", \"-c\", \"echo $$ > begun; exec sleep 60\", \"{out}\"]\nextension = \"obj\"\n";
    place.bench("\"x\"", &(generator("b", "b.obj") + made), "");
    let begun = place.join("begun");
    let is_begun = || std::fs::read_to_string(&begun).is_ok_and(|text| text.ends_with('\n'));
    let ended = code_after(&place, "bench bench.toml --run r", &HUP, is_begun);
    assert_eq!(ended.await, Some(143));
    let generator = std::fs::read_to_string(&begun).unwrap();
    let pid = Pid::from_raw(generator.trim().parse().unwrap()).unwrap();
    let gone = Instant::now();
    while rustix::process::test_kill_process(pid).is_ok() {
        assert!(gone.elapsed() < SOON, "the generator goes on");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_of_a_benchmark_end_and_what_was_measured_stays() {
    let place = Folder::new();
    let [clean, damaged] = chairs();
    let metrics = format!(
        "[[metrics]]\nreference = \"{clean}\"\nnames = [\"cd_l1_half\"]\nsamples = 9000000\n"
    );
    let generators = generator("a", &clean) + &generator("b", &damaged);
    place.bench("\"0\", \"1\", \"2\"", &generators, &metrics);
    let run = place.join("r");
    // The file is there before its layout is.
    let is_asked = || Store::read(&run).is_ok() && rows(&run).len() == 6;
    let ended = code_after(&place, "bench bench.toml --run r", &INT, is_asked);
    assert_eq!(ended.await, Some(130));
}

#[tokio::test(flavor = "multi_thread")]
async fn rating_and_reporting_are_cut_off() {
    let place = Folder::new();
    let plan = Plan {
        methods: (0..6).map(|i| format!("method {i}")).collect(),
        prompts: (0..10).map(|i| format!("thing number {i}")).collect(),
        ..Plan::small()
    };
    fill(&place, &plan);
    for (args, signals, code) in
        [("rate . --bootstraps 100000", INT, 130), ("report . --bootstraps 100000", TERM, 143)]
    {
        assert_eq!(code_after(&place, args, &signals, || true).await, Some(code));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_a_run_ends_with_every_signal() {
    let place = Folder::new();
    fill(&place, &Plan::small());
    for (signals, code) in [(INT, 130), (TERM, 143), (HUP, 143)] {
        let port = free_port().to_string();
        let args = format!("serve . --port {port}");
        let is_up = || std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_ok();
        assert_eq!(code_after(&place, &args, &signals, is_up).await, Some(code));
    }
}
