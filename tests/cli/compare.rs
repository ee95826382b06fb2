//! The real program: `compare`, `score` and `export` against a local server, with kills in between.

use crate::support::assets::two_assets;
use crate::support::judge_server::{ANSWER, ChatServer, reply, rows};
use crate::support::program::{Run, command, meshjudge, start};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use wiremock::ResponseTemplate;

const KEY: &str = "sk-never-to-be-seen-42";

fn program(folder: &Path, args: &[&str]) -> Command {
    let mut command = command(folder, args);
    command.env("OPENAI_API_KEY", KEY);
    command
}

/// `compare` at a small size, with whatever else.
fn compare<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["compare", "a.obj", "b.obj", "--prompt", "a thing", "--size", "64"];
    args.extend(more);
    args
}

fn only_run(folder: &Path) -> PathBuf {
    let runs: Vec<_> =
        std::fs::read_dir(folder.join("runs")).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs[0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn compare_asks_both_orders_once_and_says_what_it_found() {
    // Always "left": the plainest position bias there is.
    let server = ChatServer::start(|_| reply("1 1 1 1 1 1", "stop")).await;
    let place = two_assets();
    let url = server.base_url();
    let args = compare(&["--judge", "openai:m", "--base-url", &url]);
    let first = Run::of(&mut program(place.path(), &args)).ok();
    let shown = &first.stdout;
    assert!(shown.contains("inconsistent") && shown.contains("a.obj"), "{shown}");
    // Every picture has a name next to the run that says who is left, and asking again gives it no
    // second one.
    let pictures = || {
        let files = std::fs::read_dir(only_run(place.path())).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.ends_with(".png")).collect();
        names.sort();
        names
    };
    assert_eq!(pictures(), ["a-vs-b.png", "b-vs-a.png"]);
    assert!(shown.contains("a-vs-b.png") && shown.contains("meshjudge report"), "{shown}");
    // Four views in a square, colour above normals, two objects: 4 × 64 px a side.
    assert_eq!(server.seen.lock().unwrap().clone(), vec![("image/png".to_owned(), 256, 256); 2]);
    let again = Run::of(&mut program(place.path(), &args));
    assert_eq!((again.code, server.requests()), (Some(0), 2));
    assert_eq!(&again.stdout, shown);
    assert_eq!(pictures().len(), 2);
    // Another server under the same name may be another model.
    let other = ChatServer::start(|_| reply("2 2 2 2 2 2", "stop")).await;
    let other_url = other.base_url();
    let elsewhere = compare(&["--judge", "openai:m", "--base-url", &other_url, "--run", "other"]);
    Run::of(&mut program(place.path(), &elsewhere)).ok();
    let run = only_run(place.path());
    let rated = meshjudge(place.path(), &["rate", &run.to_string_lossy(), "other"]).ok();
    let words = "openai:m was asked at different addresses";
    assert!(rated.stderr.contains(words), "{}", rated.stderr);

    let run = only_run(place.path());
    let exported = Run::of(&mut program(
        place.path(),
        &["export", run.to_str().unwrap(), "--format", "jsonl"],
    ));
    let lines = exported.rows();
    assert_eq!(lines.len(), 2);
    assert_eq!(
        (&lines[0]["verdict"]["overall"], &lines[1]["verdict"]["overall"]),
        (&"a".into(), &"b".into())
    );
    let mut json_args = args.clone();
    json_args.push("--json");
    let json = Run::of(&mut program(place.path(), &json_args));
    assert_eq!(json.stdout, exported.stdout);
    let csv = Run::of(&mut program(
        place.path(),
        &["export", run.to_str().unwrap(), "--format", "csv", "--out", "rows.csv"],
    ));
    assert_eq!(csv.code, Some(0));
    assert!(
        std::fs::read_to_string(place.path().join("rows.csv")).unwrap().starts_with("id,rubric,")
    );
    let parquet = Run::of(&mut program(
        place.path(),
        &["export", run.to_str().unwrap(), "--format", "parquet"],
    ));
    assert_eq!(parquet.code, Some(2));

    let files = [run.join("run.toml"), run.join("run.sqlite")];
    for file in &files {
        assert!(!String::from_utf8_lossy(&std::fs::read(file).unwrap()).contains(KEY), "{file:?}");
    }
    for out in [&first, &again, &exported, &json] {
        assert!(!out.stdout.contains(KEY) && !out.stderr.contains(KEY));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_asset_ends_before_anything_is_asked() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = two_assets();
    std::fs::write(place.path().join("b.obj"), "").unwrap();
    let url = server.base_url();
    let out =
        Run::of(&mut program(place.path(), &compare(&["--judge", "openai:m", "--base-url", &url])));
    assert_eq!((out.code, server.requests()), (Some(2), 0));
    assert!(out.stderr.contains("b.obj"), "{}", out.stderr);
    assert!(!place.path().join("runs").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_fails_leaves_attempts_and_the_same_command_goes_on() {
    let place = two_assets();
    let server =
        ChatServer::start(
            |n| {
                if n < 2 { ResponseTemplate::new(401) } else { reply(ANSWER, "stop") }
            },
        )
        .await;
    let url = server.base_url();
    let args = compare(&["--judge", "openai:m", "--base-url", &url]);
    let first = Run::of(&mut program(place.path(), &args));
    assert_eq!(first.code, Some(2));
    assert!(first.stderr.contains("401"), "{}", first.stderr);
    let run = only_run(place.path());
    assert!(rows(&run).iter().all(|row| row.outcome == "provider_error" && row.attempts == 1));
    let asked = server.requests();
    Run::of(&mut program(place.path(), &args)).ok();
    assert_eq!(server.requests(), asked + 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn configuration_that_cannot_work_is_named_before_anything_happens() {
    let place = two_assets();
    let cases: [(&[&str], &str); 14] = [
        (
            &["--judge", "telegraph:x"],
            "use probe, openai:MODEL, openai-responses:MODEL, anthropic:MODEL or gemini:MODEL",
        ),
        (&["--judge", "openai"], "names no model"),
        (&["--judge", "openai:m", "--base-url", "http://u:p@127.0.0.1/v1"], "a user name"),
        (&["--judge", "openai:m", "--base-url", "http://example.com/v1"], "unencrypted"),
        (&["--judge", "openai:m", "--base-url", "ftp://x"], "http://"),
        (&["--judge", "openai:m", "--max-cost", "1"], "--max-requests"),
        // A forgotten judge: the answer would be probe's.
        (&["--base-url", "http://127.0.0.1:9/v1"], "leave out --base-url"),
        (&["--judge", "probe", "--effort", "low"], "leave out --effort"),
        (&["--judge", "probe", "--no-wait"], "add --batch"),
        (&["--judge", "probe", "--batch-size", "9"], "add --batch"),
        (&["--max-output-tokens", "9"], "leave out --max-output-tokens"),
        (&["--rubric", "beauty"], "defects, features, features-image"),
        (&["--rubric", "match_image"], "did you mean \"match-image\"?"),
        (&["--question", "missing.txt"], "missing.txt"),
    ];
    for (more, words) in cases {
        let out = Run::of(&mut program(place.path(), &compare(more)));
        let said = out.stderr;
        assert_eq!(out.code, Some(2), "{more:?}: {said}");
        assert!(said.contains(words), "{more:?}: {said}");
        assert!(!said.contains(KEY));
    }
    let mut keyless = program(place.path(), &compare(&["--judge", "openai:m"]));
    keyless.env_remove("OPENAI_API_KEY");
    let out = Run::of(&mut keyless);
    assert_eq!(out.code, Some(2));
    assert!(out.stderr.contains("OPENAI_API_KEY"));
    assert!(!place.path().join("runs").exists());
}

/// Waits until the server has had so many requests.
async fn until(server: &ChatServer, requests: usize) {
    for _ in 0..1000 {
        if server.requests() >= requests {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("only {} requests came", server.requests());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_loses_nothing_but_what_is_in_flight() {
    const SAMPLES: usize = 40;
    const CONCURRENCY: usize = 4;
    let server =
        ChatServer::start(|_| reply(ANSWER, "stop").set_delay(Duration::from_millis(15))).await;
    let place = two_assets();
    let url = server.base_url();
    let args = compare(&[
        "--judge",
        "openai:m",
        "--base-url",
        &url,
        "--samples",
        "40",
        "--concurrency",
        "4",
        "--run",
        "killed",
    ]);
    let run = place.path().join("killed");
    let mut kills = 0;
    for target in [7, 25, 48, 66] {
        let mut child = start(&mut program(place.path(), &args));
        until(&server, target).await;
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let stored = rows(&run).iter().filter(|row| row.outcome == "verdict").count();
        assert!(
            stored + kills * CONCURRENCY >= server.requests(),
            "{stored} stored of {}",
            server.requests()
        );
    }
    let stored = rows(&run).iter().filter(|row| row.outcome == "verdict").count();
    let before = server.requests();
    Run::of(&mut program(place.path(), &args)).ok();
    assert_eq!(
        server.requests() - before,
        2 * SAMPLES - stored,
        "what was stored is not asked again"
    );
    let rows = rows(&run);
    assert_eq!(rows.len(), 2 * SAMPLES);
    assert!(rows.iter().all(|row| row.outcome == "verdict"));
    let attempts: u32 = rows.iter().map(|row| row.attempts).sum();
    assert!(
        attempts as usize >= server.requests(),
        "a request that a kill interrupted is an attempt: {attempts} of {}",
        server.requests()
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_keeps_what_arrives_and_exits_with_130() {
    let server =
        ChatServer::start(|_| reply(ANSWER, "stop").set_delay(Duration::from_millis(400))).await;
    let place = two_assets();
    let url = server.base_url();
    let args = compare(&[
        "--judge",
        "openai:m",
        "--base-url",
        &url,
        "--samples",
        "20",
        "--concurrency",
        "3",
        "--run",
        "stopped",
    ]);
    let mut child = start(&mut program(place.path(), &args));
    // The first alone, since it decides on schemas, then three at a time.
    until(&server, 4).await;
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap();
    assert_eq!(status.code(), Some(130));
    let verdicts =
        rows(&place.path().join("stopped")).iter().filter(|row| row.outcome == "verdict").count();
    assert_eq!((verdicts, server.requests()), (4, 4), "replies in flight are awaited");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_question_and_a_fitted_sheet_reach_the_judge() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = two_assets();
    std::fs::write(
        place.path().join("mine.txt"),
        "\u{feff}Which one? {criteria} stays as it is.\n",
    )
    .unwrap();
    let url = server.base_url();
    let args = compare(&[
        "--judge",
        "openai:m",
        "--base-url",
        &url,
        "--question",
        "mine.txt",
        "--fit",
        "128",
    ]);
    Run::of(&mut program(place.path(), &args)).ok();
    assert_eq!(server.seen.lock().unwrap()[0], ("image/png".to_owned(), 128, 128));
    let sent = server.server.received_requests().await.unwrap();
    let body: Value = serde_json::from_slice(&sent[0].body).unwrap();
    let words = body["messages"][0]["content"][0]["text"].as_str().unwrap();
    assert!(words.starts_with("Which one? {criteria} stays as it is.\n"), "{words}");
    assert!(words.contains("\"a thing\""), "{words}");
}

/// A photo with a dark square, and its mask.
fn photo(folder: &Path) {
    use meshjudge::unstable::render::{Image, PixelFormat};
    let mut photo = Image::filled(96, 64, PixelFormat::Rgb8, &[220, 220, 220]);
    let mut mask = Image::filled(96, 64, PixelFormat::Grey8, &[0]);
    for y in 20..44 {
        for x in 30..60 {
            let i = y * 96 + x;
            photo.pixels[3 * i..3 * i + 3].copy_from_slice(&[40, 60, 40]);
            mask.pixels[i] = 255;
        }
    }
    std::fs::write(folder.join("photo.png"), photo.to_png().unwrap()).unwrap();
    std::fs::write(folder.join("mask.png"), mask.to_png().unwrap()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reconstruction_is_scored_after_worked_examples() {
    let server = ChatServer::start(|_| reply("It is a box.\n**2**", "stop")).await;
    let place = two_assets();
    photo(place.path());
    let reference =
        ["sheet", "reference", "--image", "photo.png", "--mask", "mask.png", "--out", "worked/1"];
    Run::of(&mut program(place.path(), &reference)).ok();
    std::fs::copy(place.path().join("photo.png"), place.path().join("worked/1/4_four_view.png"))
        .unwrap();
    std::fs::write(place.path().join("worked/1/answer.txt"), "A fine box.\n3\n").unwrap();
    let url = server.base_url();
    let args = [
        "score",
        "a.obj",
        "--rubric",
        "reconstruction",
        "--image",
        "photo.png",
        "--mask",
        "mask.png",
        "--size",
        "64",
        "--examples",
        "worked",
        "--judge",
        "openai:m",
        "--base-url",
        &url,
        "--json",
    ];
    let out = Run::of(&mut program(place.path(), &args)).ok();
    let row: Value = serde_json::from_str(out.stdout.trim()).unwrap();
    assert_eq!((&row["verdict"], row.get("b")), (&serde_json::json!({"score": 2}), None));
    assert_eq!(row["pictures"].as_array().unwrap().len(), 8);
    let sent = server.server.received_requests().await.unwrap();
    let body: Value = serde_json::from_slice(&sent[0].body).unwrap();
    let roles: Vec<_> =
        body["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_eq!(body["messages"][1]["content"], "A fine box.\n3");
    assert_eq!(server.seen.lock().unwrap().len(), 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_and_an_asset_are_scored_by_category() {
    let answer = r#"{"count_accuracy": {"explanation": "x", "score": 4}, "object_uniformity": "6", "spatial_legibility": 8, "overall_score": 9}"#;
    let server =
        ChatServer::start(move |_| reply(&format!("```json\n{answer}\n```"), "stop")).await;
    let place = two_assets();
    photo(place.path());
    let url = server.base_url();
    for input in ["photo.png", "a.obj"] {
        let args = [
            "score",
            input,
            "--rubric",
            "category",
            "--category",
            "counting",
            "--prompt",
            "three boxes",
            "--size",
            "64",
            "--judge",
            "openai:m",
            "--base-url",
            &url,
            "--json",
        ];
        let out = Run::of(&mut program(place.path(), &args)).ok();
        let row: Value = serde_json::from_str(out.stdout.trim()).unwrap();
        let aspects = serde_json::json!({"count_accuracy": 4, "object_uniformity": 6, "spatial_legibility": 8});
        assert_eq!(
            row["verdict"],
            serde_json::json!({"aspects": aspects, "overall": 9, "overall_recomputed": 6})
        );
        assert_eq!(row["category"], "counting");
    }
    let seen = server.seen.lock().unwrap().clone();
    assert_eq!(
        seen,
        [
            ("image/png".to_owned(), 96, 64),
            // An asset is shown by one view: four would be counted as four objects.
            ("image/png".to_owned(), 64, 64)
        ]
    );
    let unknown =
        ["score", "photo.png", "--rubric", "category", "--category", "taste", "--prompt", "x"];
    let out = Run::of(&mut program(place.path(), &unknown));
    assert_eq!(out.code, Some(2));
    assert!(out.stderr.contains("color_attr, colors, counting"), "{}", out.stderr);
}

#[test]
fn a_score_without_its_category_names_every_missing_flag() {
    let place = two_assets();
    let args = ["score", "a.obj"];
    let out = Run::of(&mut program(place.path(), &args));
    assert_eq!(out.code, Some(2));
    let said = "--category NAME and --prompt TEXT";
    assert!(out.stderr.contains(said), "{}", out.stderr);
}

/// The judge's words, and the report where one was written; a line of standard output may be named
/// `-`.
#[tokio::test(flavor = "multi_thread")]
async fn compare_prints_what_the_judge_said_and_export_writes_to_standard_output() {
    let words = format!("The left chair has\n all its legs. {}\n1 1 1 1 1 1", "so ".repeat(400));
    let server = ChatServer::start(move |_| reply(&words, "stop")).await;
    let place = two_assets();
    let url = server.base_url();
    let args = compare(&["--judge", "openai:m", "--base-url", &url, "--run", "r"]);
    let first = Run::of(&mut program(place.path(), &args)).ok().stdout;
    for order in ["a on the left", "b on the left"] {
        let line = format!("  {order}: The left chair has all its legs. so so");
        assert!(first.contains(&line), "{first}");
    }
    assert!(first.contains("…\n"), "{first}");
    assert!(first.contains("report  none yet; `meshjudge report r` writes it"), "{first}");
    let report = ["report", "r", "--out", "r/report.html"];
    Run::of(&mut program(place.path(), &report)).ok();
    let again = Run::of(&mut program(place.path(), &args)).ok().stdout;
    assert!(again.contains("report  r/report.html"), "{again}");

    let exported = |more: &[&str]| {
        let args = [&["export", "r", "--format", "csv"], more].concat();
        Run::of(&mut program(place.path(), &args)).ok().stdout
    };
    assert_eq!(exported(&["--out", "-"]), exported(&[]));
    assert!(!place.path().join("-").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_any_verdict_a_command_ends_with_2_and_a_flood_of_failures_is_counted() {
    let server = ChatServer::start(|_| reply("no idea", "stop")).await;
    let place = two_assets();
    let url = server.base_url();
    let args = compare(&["--judge", "openai:m", "--base-url", &url, "--samples", "15"]);
    let out = Run::of(&mut program(place.path(), &args));
    assert_eq!(out.code, Some(2), "{}", out.stderr);
    assert_eq!(out.stderr.matches("no verdict from openai:m").count(), 20);
    let said = "10 more questions have no verdict";
    assert!(out.stderr.contains(said), "{}", out.stderr);
}
