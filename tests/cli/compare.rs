//! The real program: `compare`, `score` and `export` against a local server, with kills in between.

use crate::support::assets::{Folder, two_assets};
use crate::support::judge_server::{ANSWER, ChatServer, reply, rows};
use crate::support::program::{Run, Text as _, kill_when, start};
use serde_json::json;
use std::process::Command;
use std::time::Duration;
use wiremock::ResponseTemplate;

const KEY: &str = "sk-never-to-be-seen-42";

fn program(folder: &Folder, args: &str) -> Command {
    let mut command = folder.command(args);
    command.env("OPENAI_API_KEY", KEY);
    command
}

/// Runs the program to its end, which must not show the key.
fn run(folder: &Folder, args: &str) -> Run {
    let run = Run::of(&mut program(folder, args));
    assert!(!run.stdout.contains(KEY) && !run.stderr.contains(KEY), "{run:?}");
    run
}

/// `compare` at a small size, with whatever else.
fn compare(more: &str) -> String {
    format!("compare a.obj b.obj --prompt 'a thing' --size 64 {more}")
}

fn only_run(folder: &Folder) -> String {
    let runs = folder.names("runs");
    assert_eq!(runs.len(), 1, "{runs:?}");
    format!("runs/{}", runs[0])
}

#[tokio::test(flavor = "multi_thread")]
async fn compare_asks_both_orders_once_and_says_what_it_found() {
    // Always "left": the plainest position bias there is.
    let server = ChatServer::start(|_| reply("1 1 1 1 1 1", "stop")).await;
    let place = two_assets();
    let args = compare(&server.flags());
    let shown = run(&place, &args).ok().stdout;
    shown.must_have(["inconsistent", "a.obj", "a-vs-b.png", "meshjudge report"]);
    // Every picture has a name next to the run that says who is left, and asking again gives it no
    // second one.
    let pictures = || {
        let mut names = place.names(&only_run(&place));
        names.retain(|name| name.ends_with(".png"));
        names
    };
    assert_eq!(pictures(), ["a-vs-b.png", "b-vs-a.png"]);
    // Four views in a square, colour above normals, two objects: 4 × 64 px a side.
    assert_eq!(server.seen.lock().unwrap().clone(), vec![("image/png".to_owned(), 256, 256); 2]);
    assert_eq!(run(&place, &args).ok().stdout, shown);
    assert_eq!((server.requests(), pictures().len()), (2, 2));
    // Another server under the same name may be another model.
    let other = ChatServer::start(|_| reply("2 2 2 2 2 2", "stop")).await;
    run(&place, &compare(&format!("{} --run other", other.flags()))).ok();
    let kept = only_run(&place);
    place.ok(&format!("rate {kept} other")).says("openai:m was asked at different addresses");

    let exported = run(&place, &format!("export {kept} --format jsonl"));
    let verdicts = exported.rows().into_iter().map(|row| row["verdict"]["overall"].clone());
    assert_eq!(verdicts.collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(run(&place, &format!("{args} --json")).stdout, exported.stdout);
    run(&place, &format!("export {kept} --format csv --out rows.csv")).ok();
    assert!(place.read("rows.csv").starts_with("id,rubric,"));
    run(&place, &format!("export {kept} --format parquet")).ends(2);

    for name in ["run.toml", "run.sqlite"] {
        let bytes = place.bytes(format!("{kept}/{name}"));
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_asset_ends_before_anything_is_asked() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = two_assets();
    place.write("b.obj", "");
    run(&place, &compare(&server.flags())).refuses("b.obj");
    assert_eq!(server.requests(), 0);
    assert!(!place.join("runs").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_fails_leaves_attempts_and_the_same_command_goes_on() {
    let place = two_assets();
    let server = ChatServer::start(|n| match n {
        0 | 1 => ResponseTemplate::new(401),
        _ => reply(ANSWER, "stop"),
    })
    .await;
    let args = compare(&server.flags());
    run(&place, &args).refuses("401");
    let kept = rows(&place.join(only_run(&place)));
    assert!(kept.iter().all(|row| row.outcome == "provider_error" && row.attempts == 1));
    let asked = server.requests();
    run(&place, &args).ok();
    assert_eq!(server.requests(), asked + 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn configuration_that_cannot_work_is_named_before_anything_happens() {
    let place = two_assets();
    for (more, words) in [
        (
            "--judge telegraph:x",
            "use probe, openai:MODEL, openai-responses:MODEL, anthropic:MODEL or gemini:MODEL",
        ),
        ("--judge openai", "names no model"),
        ("--judge openai:m --base-url http://u:p@127.0.0.1/v1", "a user name"),
        ("--judge openai:m --base-url http://example.com/v1", "unencrypted"),
        ("--judge openai:m --base-url ftp://x", "http://"),
        ("--judge openai:m --max-cost 1", "--max-requests"),
        // A forgotten judge: the answer would be probe's.
        ("--base-url http://127.0.0.1:9/v1", "leave out --base-url"),
        ("--judge probe --effort low", "leave out --effort"),
        ("--judge probe --no-wait", "add --batch"),
        ("--judge probe --batch-size 9", "add --batch"),
        ("--max-output-tokens 9", "leave out --max-output-tokens"),
        ("--rubric beauty", "defects, features, features-image"),
        ("--rubric match_image", "did you mean \"match-image\"?"),
        ("--question missing.txt", "missing.txt"),
    ] {
        run(&place, &compare(more)).refuses(words);
    }
    let mut keyless = program(&place, &compare("--judge openai:m"));
    keyless.env_remove("OPENAI_API_KEY");
    Run::of(&mut keyless).refuses("OPENAI_API_KEY");
    assert!(!place.join("runs").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_loses_nothing_but_what_is_in_flight() {
    const SAMPLES: usize = 40;
    const CONCURRENCY: usize = 4;
    let server =
        ChatServer::start(|_| reply(ANSWER, "stop").set_delay(Duration::from_millis(15))).await;
    let place = two_assets();
    let more = format!("--samples {SAMPLES} --concurrency {CONCURRENCY} --run killed");
    let args = compare(&format!("{} {more}", server.flags()));
    let verdicts = || num_verdicts(&place, "killed");
    for (kills, target) in [(1, 7), (2, 25), (3, 48), (4, 66)] {
        kill_when(start(&mut program(&place, &args)), || server.requests() >= target).await;
        let (stored, asked) = (verdicts(), server.requests());
        assert!(stored + kills * CONCURRENCY >= asked, "{stored} stored of {asked}");
    }
    let (stored, before) = (verdicts(), server.requests());
    run(&place, &args).ok();
    let asked = server.requests();
    assert_eq!(asked - before, 2 * SAMPLES - stored, "what was stored is not asked again");
    let rows = rows(&place.join("killed"));
    assert_eq!((verdicts(), rows.len()), (2 * SAMPLES, 2 * SAMPLES));
    // A request that a kill interrupted is an attempt.
    let attempts: u32 = rows.iter().map(|row| row.attempts).sum();
    assert!(attempts as usize >= asked, "{attempts} of {asked}");
}

fn num_verdicts(place: &Folder, run: &str) -> usize {
    rows(&place.join(run)).iter().filter(|row| row.outcome == "verdict").count()
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_keeps_what_arrives_and_exits_with_130() {
    let server =
        ChatServer::start(|_| reply(ANSWER, "stop").set_delay(Duration::from_millis(400))).await;
    let place = two_assets();
    let args = compare(&format!("{} --samples 20 --concurrency 3 --run stopped", server.flags()));
    let mut child = start(&mut program(&place, &args));
    // The first alone, since it decides on schemas, then three at a time.
    while server.requests() < 4 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap();
    assert_eq!(status.code(), Some(130));
    let verdicts = num_verdicts(&place, "stopped");
    assert_eq!((verdicts, server.requests()), (4, 4), "replies in flight are awaited");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_question_and_a_fitted_sheet_reach_the_judge() {
    let server = ChatServer::start(|_| reply(ANSWER, "stop")).await;
    let place = two_assets();
    place.write("mine.txt", "\u{feff}Which one? {criteria} stays as it is.\n");
    run(&place, &compare(&format!("{} --question mine.txt --fit 128", server.flags()))).ok();
    assert_eq!(server.seen.lock().unwrap()[0], ("image/png".to_owned(), 128, 128));
    let body = server.bodies().await.remove(0);
    let words = body["messages"][0]["content"][0]["text"].as_str().unwrap();
    assert!(words.starts_with("Which one? {criteria} stays as it is.\n"), "{words}");
    words.must_have("\"a thing\"");
}

/// A photo with a dark square, and its mask.
fn photo(folder: &Folder) {
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
    folder.write("photo.png", photo.to_png().unwrap());
    folder.write("mask.png", mask.to_png().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reconstruction_is_scored_after_worked_examples() {
    let server = ChatServer::start(|_| reply("It is a box.\n**2**", "stop")).await;
    let place = two_assets();
    photo(&place);
    run(&place, "sheet reference --image photo.png --mask mask.png --out worked/1").ok();
    place.copy(place.join("photo.png"), "worked/1/4_four_view.png");
    place.write("worked/1/answer.txt", "A fine box.\n3\n");
    let score = "score a.obj --rubric reconstruction --image photo.png --mask mask.png --size 64";
    let args = format!("{score} --examples worked {} --json", server.flags());
    let row = run(&place, &args).ok().rows().remove(0);
    assert_eq!((&row["verdict"], row.get("b")), (&json!({"score": 2}), None));
    assert_eq!(row["pictures"].as_array().unwrap().len(), 8);
    let messages = server.bodies().await[0]["messages"].as_array().unwrap().clone();
    let roles: Vec<_> = messages.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_eq!(messages[1]["content"], "A fine box.\n3");
    assert_eq!(server.seen.lock().unwrap().len(), 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_and_an_asset_are_scored_by_category() {
    let answer = r#"{"count_accuracy": {"explanation": "x", "score": 4}, "object_uniformity": "6", "spatial_legibility": 8, "overall_score": 9}"#;
    let server =
        ChatServer::start(move |_| reply(&format!("```json\n{answer}\n```"), "stop")).await;
    let place = two_assets();
    photo(&place);
    let scored = json!({
        "aspects": {"count_accuracy": 4, "object_uniformity": 6, "spatial_legibility": 8},
        "overall": 9,
        "overall_recomputed": 6,
    });
    for input in ["photo.png", "a.obj"] {
        let score = format!("score {input} --rubric category --category counting --size 64 --json");
        let args = format!("{score} --prompt 'three boxes' {}", server.flags());
        let row = run(&place, &args).ok().rows().remove(0);
        assert_eq!((&row["verdict"], &row["category"]), (&scored, &"counting".into()));
    }
    // An asset is shown by one view: four would be counted as four objects.
    let seen = [(96, 64), (64, 64)].map(|(width, height)| ("image/png".to_owned(), width, height));
    assert_eq!(*server.seen.lock().unwrap(), seen);
    run(&place, "score photo.png --rubric category --category taste --prompt x")
        .refuses("color_attr, colors, counting");
}

#[test]
fn a_score_without_its_category_names_every_missing_flag() {
    run(&two_assets(), "score a.obj").refuses("--category NAME and --prompt TEXT");
}

/// The judge's words, and the report where one was written; a line of standard output may be named
/// `-`.
#[tokio::test(flavor = "multi_thread")]
async fn compare_prints_what_the_judge_said_and_export_writes_to_standard_output() {
    let words = format!("The left chair has\n all its legs. {}\n1 1 1 1 1 1", "so ".repeat(400));
    let server = ChatServer::start(move |_| reply(&words, "stop")).await;
    let place = two_assets();
    let args = compare(&format!("{} --run r", server.flags()));
    run(&place, &args).ok().shows([
        "  a on the left: The left chair has all its legs. so so",
        "  b on the left: The left chair has all its legs. so so",
        "…\n",
        "report  none yet; `meshjudge report r` writes it",
    ]);
    run(&place, "report r --out r/report.html").ok();
    run(&place, &args).ok().shows("report  r/report.html");

    let exported = run(&place, "export r --format csv").ok().stdout;
    assert_eq!(run(&place, "export r --format csv --out -").ok().stdout, exported);
    assert!(!place.join("-").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_any_verdict_a_command_ends_with_2_and_a_flood_of_failures_is_counted() {
    let server = ChatServer::start(|_| reply("no idea", "stop")).await;
    let place = two_assets();
    let out = run(&place, &compare(&format!("{} --samples 15", server.flags())));
    out.refuses("10 more questions have no verdict");
    assert_eq!(out.stderr.matches("no verdict from openai:m").count(), 20);
}
