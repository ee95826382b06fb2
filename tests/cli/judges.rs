//! The real program's flags for judges: estimates, forms of pictures, samples, canaries, proxies
//! and certificates.

use crate::support::assets::two_assets;
use crate::support::judge_server::{ANSWER, ChatServer, reply};
use crate::support::program::{Run, command};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

const KEY: &str = "sk-never-to-be-seen-43";

fn workplace() -> tempfile::TempDir {
    let folder = two_assets();
    let models = "dated = \"a test\"\n[[models]]\nnames = [\"small\"]\nroutes = [\"openai\"]\noutput_tokens_max = 4000\nusd_per_million = { input = 2.0, output = 10.0 }\npicture = { kind = \"patches\", patch_px = 32, patches_max = 64, tokens_per_patch = 1.0 }\n";
    std::fs::write(folder.path().join("models.toml"), models).unwrap();
    folder
}

/// `compare` of the two assets with a key, which must not be shown.
fn compare(folder: &Path, more: &[&str], environment: &[(&str, &str)]) -> Run {
    let mut command = command(folder, ["compare", "a.obj", "b.obj", "--prompt", "a thing"]);
    command.args(more).env("OPENAI_API_KEY", KEY).envs(environment.iter().copied());
    let run = Run::of(&mut command);
    let said = run.stdout.clone() + &run.stderr;
    assert!(!said.contains(KEY), "the key is told: {said}");
    run
}

/// With views of 64 px.
fn program(folder: &Path, more: &[&str], environment: &[(&str, &str)]) -> Run {
    compare(folder, &[&["--size", "64"], more].concat(), environment)
}

#[test]
fn a_dry_run_tells_what_each_judge_would_take_and_asks_nobody() {
    let place = workplace();
    // Nobody listens there.
    let judges =
        ["--judge", "openai:small", "--judge", "probe", "--base-url", "http://127.0.0.1:9/v1"];
    let mut args = judges.to_vec();
    args.extend(["--models", "models.toml", "--samples", "3", "--dry-run", "--json"]);
    let out = program(place.path(), &args, &[]).ok();
    let rows = out.rows();
    assert_eq!(rows.len(), 2);
    let (model, probe) = (&rows[0], &rows[1]);
    assert_eq!((&model["questions"], &model["pictures"]), (&6.into(), &6.into()));
    // 64 patches of 32 px: 256 px a side, where four views across leave 64 px each.
    assert_eq!(model["view_px"], 64);
    assert_eq!(model["output_tokens"], 6 * 1500);
    let (about, most) =
        (model["cost_usd"].as_f64().unwrap(), model["cost_usd_max"].as_f64().unwrap());
    assert!(about > 6.0 * 0.015 && about < most && most > 6.0 * 0.04, "{about} {most}");
    assert_eq!((&probe["questions"], &probe["cost_usd"]), (&6.into(), &0.0.into()));
    assert!(!place.path().join("runs").exists(), "nothing is written");
    args.pop();
    let shown = program(place.path(), &args, &[]).stdout;
    assert!(
        shown.contains("at most $")
            && shown.contains("probe: 6 questions")
            && shown.contains("free"),
        "{shown}"
    );
    // In batches, at a share of the price that the user states.
    let models = std::fs::read_to_string(place.path().join("models.toml")).unwrap();
    let shared = models.replace("usd_per_million", "batch_share = 0.25\nusd_per_million");
    std::fs::write(place.path().join("models.toml"), shared).unwrap();
    args.extend(["--batch", "--json"]);
    let batched = program(place.path(), &args, &[]).stdout;
    let model: Value = serde_json::from_str(batched.lines().next().unwrap()).unwrap();
    assert_eq!(model["in_batches"], true);
    assert!((model["cost_usd"].as_f64().unwrap() - about / 4.0).abs() < 1e-12);
    args.pop();
    let shown = program(place.path(), &args, &[]).stdout;
    assert!(shown.contains("openai:small: 6 questions in batches"), "{shown}");
    assert!(shown.contains("probe: 6 questions,"), "{shown}");
}

#[test]
fn a_limit_in_dollars_needs_a_price() {
    let place = workplace();
    let limited = ["--judge", "openai:m", "--base-url", "http://127.0.0.1:9/v1", "--max-cost", "1"];
    let out = program(place.path(), &limited, &[]);
    assert_eq!(out.code, Some(2));
    let said = out.stderr;
    assert!(
        said.contains("the price of openai:m is unknown") && said.contains("--allow-unpriced"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn all_judges_are_the_models_unless_probe_is_counted() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = workplace();
    let url = server.base_url();
    let judges = ["--judge", "openai:m", "--judge", "openai:n", "--judge", "probe"];
    program(place.path(), &[&judges[..], &["--run", "run", "--base-url", &url]].concat(), &[]).ok();
    for (flags, is_said) in [(&[][..], true), (&["--with-probe"], false)] {
        let rated = |more: &[&str]| {
            let args = [&["rate", "run"], flags, more].concat();
            Run::of(&mut command(place.path(), args)).ok()
        };
        let board = rated(&["--json"]);
        let all = |row: &&Value| row["judge"] == "all judges" && row["criterion"] == "overall";
        let rows = board.rows();
        let row = rows.iter().find(all).unwrap_or_else(|| panic!("{}", board.stdout));
        // Probe cannot decide on this pair.
        assert_eq!(row["games"], 2, "{row}");
        let said = rated(&[]).stdout;
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
        let url = server.base_url();
        program(
            place.path(),
            &["--judge", "openai:m", "--base-url", &url, "--pictures", form],
            &[],
        )
        .ok();
        let seen = server.seen.lock().unwrap().clone();
        assert_eq!(seen.len(), 2 * count, "{form}");
        assert!(seen.iter().all(|(_, w, h)| (*w, *h) == size), "{form}: {seen:?}");
        let sent = server.server.received_requests().await.unwrap();
        let bodies: Vec<Value> =
            sent.iter().map(|r| serde_json::from_slice(&r.body).unwrap()).collect();
        let parts = bodies[0]["messages"][0]["content"].as_array().unwrap();
        if form == "separate" {
            assert_eq!(parts[2]["text"], "Object 1, the left one, view 1 of 4, normal map:");
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
    let url = server.base_url();
    let args = [
        "--judge",
        "openai:small",
        "--judge",
        "openai:m",
        "--base-url",
        &url,
        "--models",
        "models.toml",
        "--size",
        "128",
        "--json",
    ];
    let out = compare(place.path(), &args, &[]).ok();
    let mut seen: Vec<u32> = server.seen.lock().unwrap().iter().map(|(_, w, _)| *w).collect();
    seen.sort_unstable();
    assert_eq!(seen, [256, 256, 512, 512]);
    let said = &out.stderr;
    assert!(said.contains("openai:small sees views of only 64 px"), "{said}");
    let view = |judge: &str| {
        out.rows()
            .iter()
            .filter(|r| r["judge"] == judge)
            .map(|r| r["view_px"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!((view("openai:small"), view("openai:m")), (vec![64, 64], vec![128, 128]));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_samples_are_told_as_a_majority_with_its_margin() {
    let server =
        ChatServer::start(|n| reply(if n < 4 { "1 1 1 1 1 1" } else { "2 2 2 2 2 2" }, "stop"))
            .await;
    let place = workplace();
    let url = server.base_url();
    let out = program(
        place.path(),
        &["--judge", "openai:m", "--base-url", &url, "--samples", "3", "--concurrency", "1"],
        &[],
    );
    let shown = out.stdout;
    assert!(shown.contains("majority of 3 samples (margin)"), "{shown}");
    assert!(shown.contains("a (0.33)") && shown.contains("b (0.33)"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blind_judge_is_refused_unless_told_otherwise() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = workplace();
    let url = server.base_url();
    let mut args = vec!["--judge", "openai:m", "--base-url", &url, "--canary"];
    let out = program(place.path(), &args, &[]);
    assert_eq!(out.code, Some(2));
    let said = out.stderr;
    // This server refuses a question without a picture, as its first canary is.
    assert!(said.contains("not asked") && said.contains("no picture"), "{said}");
    args.pop();
    args.push("--no-canary");
    assert_eq!(program(place.path(), &args, &[]).code, Some(0));
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
    let remote = [
        "--judge",
        "openai:m",
        "--base-url",
        "https://judge.example/v1",
        "--no-canary",
        "--max-requests",
        "2",
        "--timeout-secs",
        "5",
    ];
    let out = program(place.path(), &remote, &[("HTTPS_PROXY", &proxy)]);
    assert_ne!(out.code, Some(0));
    assert_eq!(heard.join().unwrap().trim(), "CONNECT judge.example:443 HTTP/1.1");

    std::fs::write(place.path().join("ca.pem"), "no certificate").unwrap();
    for (path, words) in [("ca.pem", "it holds no PEM certificate"), ("none.pem", "none.pem")] {
        let out = program(place.path(), &remote, &[("SSL_CERT_FILE", path)]);
        assert_eq!(out.code, Some(2));
        let said = out.stderr;
        assert!(said.contains("SSL_CERT_FILE") && said.contains(words), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_a_judge_are_sent_from_flags_and_from_a_file_and_a_slip_is_refused() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = workplace();
    let flags = [
        ["--effort", "low"],
        ["--body", "{\"top_p\": 0.5, \"detail\": {\"a\": 1}}"],
        ["--header", "x-own=$OWN_KEY"],
        ["--max-output-tokens", "77"],
    ];
    let url = server.base_url();
    let mut args = vec!["--judge", "openai:m", "--base-url", &url, "--run", "flags"];
    args.extend(flags.as_flattened());
    let environment = [("OWN_KEY", "own-0123456789")];
    program(place.path(), &args, &environment).ok();
    let table = format!(
        "spec = \"openai:m\", base_url = \"{url}\", effort = \"low\", body = {{ top_p = 0.5, detail = {{ a = 1 }} }}, headers = {{ x-own = \"$OWN_KEY\" }}, max_output_tokens = 77"
    );
    let bench = |table: &str| {
        let file = format!(
            "name = \"t\"\nprompts = [\"a thing\"]\njudges = [{{ {table} }}]\n[[generators]]\nname = \"a\"\npath = \"a.obj\"\n[[generators]]\nname = \"b\"\npath = \"b.obj\"\n[pictures]\nsize_px = 64\n"
        );
        std::fs::write(place.path().join("bench.toml"), file).unwrap();
        let args = ["bench", "bench.toml", "--run", "file"];
        Run::of(command(place.path(), args).envs(environment))
    };
    bench(&table).ok();
    let requests = server.server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 4);
    for request in &requests {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(body["reasoning_effort"], "low");
        assert_eq!((&body["top_p"], &body["detail"]["a"]), (&0.5.into(), &1.into()));
        assert_eq!(body["max_completion_tokens"], 77);
        assert_eq!(request.headers["x-own"], "own-0123456789");
        assert!(!request.headers.contains_key("authorization"), "the other key goes along");
    }
    let kept = std::fs::read_to_string(place.path().join("file/run.toml")).unwrap();
    assert!(
        kept.contains("$OWN_KEY") && kept.contains("top_p") && !kept.contains("own-0123456789"),
        "{kept}"
    );
    // The same again is answered; with another setting it is another question.
    bench(&table).ok();
    assert_eq!(server.requests(), 4);
    bench(&table.replace("0.5", "0.6")).ok();
    assert_eq!(server.requests(), 6);
    let slip = bench(&table.replace("effort", "efort"));
    assert!(slip.code == Some(2) && slip.stderr.contains("efort"), "{}", slip.stderr);
}
