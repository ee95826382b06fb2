//! The real program's flags for judges: estimates, forms of pictures, samples, canaries, proxies
//! and certificates.

use crate::support::assets::{Folder, two_assets};
use crate::support::judge_server::{ANSWER, ChatServer, reply};
use crate::support::program::{Run, Text as _, generator};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};

const KEY: &str = "sk-never-to-be-seen-43";

fn workplace() -> Folder {
    let folder = two_assets();
    let models = "dated = \"a test\"\n[[models]]\nnames = [\"small\"]\nroutes = [\"openai\"]\noutput_tokens_max = 4000\nusd_per_million = { input = 2.0, output = 10.0 }\npicture = { kind = \"patches\", patch_px = 32, patches_max = 64, tokens_per_patch = 1.0 }\n";
    folder.write("models.toml", models);
    folder
}

/// `compare` of the two assets with a key, which must not be shown.
fn compare(folder: &Folder, more: &str, environment: &[(&str, &str)]) -> Run {
    let mut command = folder.command(&format!("compare a.obj b.obj --prompt 'a thing' {more}"));
    let run = Run::of(command.env("OPENAI_API_KEY", KEY).envs(environment.iter().copied()));
    assert!(!run.stdout.contains(KEY) && !run.stderr.contains(KEY), "the key is shown: {run:?}");
    run
}

/// With views of 64 px.
fn program(folder: &Folder, more: &str) -> Run {
    compare(folder, &format!("--size 64 {more}"), &[])
}

#[test]
fn a_dry_run_tells_what_each_judge_would_take_and_asks_nobody() {
    let place = workplace();
    // Nobody listens there.
    let judges = "--judge openai:small --judge probe --base-url http://127.0.0.1:9/v1";
    let args = format!("{judges} --models models.toml --samples 3 --dry-run");
    let rows = program(&place, &format!("{args} --json")).ok().rows();
    let [model, probe] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!([&model["questions"], &model["pictures"], &probe["questions"]], [6; 3]);
    // 64 patches of 32 px: 256 px a side, where four views across leave 64 px each.
    assert_eq!(model["view_px"], 64);
    assert_eq!(model["output_tokens"], 6 * 1500);
    let [about, most] = ["cost_usd", "cost_usd_max"].map(|key| model[key].as_f64().unwrap());
    assert!(about > 6.0 * 0.015 && about < most && most > 6.0 * 0.04, "{about} {most}");
    assert_eq!(probe["cost_usd"], 0.0);
    assert!(!place.join("runs").exists(), "nothing is written");
    program(&place, &args).shows(["at most $", "probe: 6 questions", "free"]);
    // In batches, at a share of the price that the user states.
    place.edit("models.toml", "usd_per_million", "batch_share = 0.25\nusd_per_million");
    let model = program(&place, &format!("{args} --batch --json")).rows().remove(0);
    assert_eq!(model["in_batches"], true);
    assert!((model["cost_usd"].as_f64().unwrap() - about / 4.0).abs() < 1e-12);
    program(&place, &format!("{args} --batch"))
        .shows(["openai:small: 6 questions in batches", "probe: 6 questions,"]);
}

#[test]
fn a_limit_in_dollars_needs_a_price() {
    program(&workplace(), "--judge openai:m --base-url http://127.0.0.1:9/v1 --max-cost 1")
        .refuses(["the price of openai:m is unknown", "--allow-unpriced"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_judges_are_the_models_unless_probe_is_counted() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = workplace();
    program(&place, &format!("{} --judge openai:n --judge probe --run run", server.flags())).ok();
    for (flags, is_said) in [("", true), ("--with-probe", false)] {
        let mut rows = place.ok(&format!("rate run {flags} --json")).rows();
        rows.retain(|row| row["judge"] == "all judges" && row["criterion"] == "overall");
        // Probe cannot decide on this pair.
        assert_eq!(rows[0]["games"], 2, "{rows:?}");
        let said = place.ok(&format!("rate run {flags}")).stdout;
        assert_eq!(said.contains("without probe, since models answered too"), is_said, "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pair_is_sent_as_a_sheet_by_object_or_by_view() {
    for (form, count, size) in
        [("sheet", 1, (256, 256)), ("object", 2, (128, 256)), ("separate", 16, (64, 64))]
    {
        let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
        let place = workplace();
        program(&place, &format!("{} --pictures {form}", server.flags())).ok();
        let seen = server.seen.lock().unwrap().clone();
        assert_eq!(seen.len(), 2 * count, "{form}");
        assert!(seen.iter().all(|(_, w, h)| (*w, *h) == size), "{form}: {seen:?}");
        let bodies = server.bodies().await;
        if form == "separate" {
            let text = &bodies[0]["messages"][0]["content"][2]["text"];
            assert_eq!(text, "Object 1, the left one, view 1 of 4, normal map:");
        }
        // Both orders show the same pictures in another order.
        let urls = |body: &Value| -> Vec<String> {
            let parts = body["messages"][0]["content"].as_array().unwrap();
            parts.iter().filter_map(|p| p["image_url"]["url"].as_str()).map(str::to_owned).collect()
        };
        let (mut first, mut second) = (urls(&bodies[0]), urls(&bodies[1]));
        assert_ne!(first, second);
        if form != "sheet" {
            first.sort();
            second.sort();
            assert_eq!(first, second, "{form}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_with_little_eyes_gets_little_pictures_and_the_user_a_word() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = workplace();
    let judges = format!("--judge openai:small {}", server.flags());
    let args = format!("{judges} --models models.toml --size 128 --json");
    let out = compare(&place, &args, &[]).ok();
    let mut seen: Vec<u32> = server.seen.lock().unwrap().iter().map(|(_, w, _)| *w).collect();
    seen.sort_unstable();
    assert_eq!(seen, [256, 256, 512, 512]);
    out.says("openai:small sees views of only 64 px");
    let mut views: Vec<String> =
        out.rows().iter().map(|row| format!("{} {}", row["judge"], row["view_px"])).collect();
    views.sort();
    let [m, small] = ["\"openai:m\" 128", "\"openai:small\" 64"];
    assert_eq!(views, [m, m, small, small]);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_samples_are_told_as_a_majority_with_its_margin() {
    let answer = |n| if n < 4 { "1 1 1 1 1 1" } else { "2 2 2 2 2 2" };
    let server = ChatServer::start(move |n| reply(answer(n), "stop")).await;
    program(&workplace(), &format!("{} --samples 3 --concurrency 1", server.flags())).shows([
        "majority of 3 samples (margin)",
        "a (0.33)",
        "b (0.33)",
    ]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blind_judge_is_refused_unless_told_otherwise() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = workplace();
    // This server refuses a question without a picture, as its first canary is.
    program(&place, &format!("{} --canary", server.flags())).refuses(["not asked", "no picture"]);
    program(&place, &format!("{} --no-canary", server.flags())).ok();
}

#[test]
fn proxies_and_certificates_come_from_the_environment() {
    let place = workplace();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let heard = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
        let _ = stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
        line
    });
    let remote = "--size 64 --judge openai:m --base-url https://judge.example/v1 --no-canary \
        --max-requests 2 --timeout-secs 5";
    let out = compare(&place, remote, &[("HTTPS_PROXY", &proxy)]);
    assert_ne!(out.code, Some(0), "{}", out.stderr);
    assert_eq!(heard.join().unwrap().trim(), "CONNECT judge.example:443 HTTP/1.1");

    place.write("ca.pem", "no certificate");
    for (path, words) in [("ca.pem", "it holds no PEM certificate"), ("none.pem", "none.pem")] {
        compare(&place, remote, &[("SSL_CERT_FILE", path)]).refuses(["SSL_CERT_FILE", words]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_a_judge_are_sent_from_flags_and_from_a_file_and_a_slip_is_refused() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = workplace();
    let how = "--effort low --body '{\"top_p\": 0.5, \"detail\": {\"a\": 1}}' --header 'x-own=$OWN_KEY' \
        --max-output-tokens 77";
    let environment = [("OWN_KEY", "own-0123456789")];
    let args = format!("--size 64 {} {how} --run flags", server.flags());
    compare(&place, &args, &environment).ok();
    let table = format!(
        "spec = \"openai:m\", base_url = \"{}\", effort = \"low\", body = {{ top_p = 0.5, detail = {{ a = 1 }} }}, headers = {{ x-own = \"$OWN_KEY\" }}, max_output_tokens = 77",
        server.base_url()
    );
    let generators = ["a", "b"].map(|name| generator(name, &format!("{name}.obj"))).concat();
    let bench = |table: &str| {
        let judges = format!("judges = [{{ {table} }}]\n");
        place.bench("\"a thing\"", &(judges + &generators), "");
        Run::of(place.command("bench bench.toml --run file").envs(environment))
    };
    bench(&table).ok();
    let requests = server.server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 4);
    for request in &requests {
        let body: Value = request.body_json().unwrap();
        let sent = ["reasoning_effort", "top_p", "detail", "max_completion_tokens"];
        assert_eq!(json!(sent.map(|key| &body[key])), json!(["low", 0.5, {"a": 1}, 77]));
        assert_eq!(request.headers["x-own"], "own-0123456789");
        assert!(!request.headers.contains_key("authorization"), "the other key goes along");
    }
    let kept = place.read("file/run.toml");
    kept.must_have(["$OWN_KEY", "top_p"]);
    assert!(!kept.contains("own-0123456789"), "{kept}");
    // The same again is answered; with another setting it is another question.
    bench(&table).ok();
    assert_eq!(server.requests(), 4);
    bench(&table.replace("0.5", "0.6")).ok();
    assert_eq!(server.requests(), 6);
    bench(&table.replace("effort", "efort")).refuses("efort");
}
