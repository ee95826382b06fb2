//! The real program: `bench` on small meshes: failures as outcomes, resume, kills, schedules, and a
//! board that does not depend on any of it.

use crate::support::assets::{demo, tetrahedron};
use crate::support::judge_server::{Mocks, reply};
use crate::support::program::{Run, command, json_rows, meshjudge, ok, start};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use wiremock::{Mock, Request, ResponseTemplate};

/// `methods` × `prompts` OBJ files under `out/`, every one of another height.
fn workplace(methods: usize, prompts: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for m in 0..methods {
        let place = folder.path().join(format!("out/m{m}"));
        std::fs::create_dir_all(&place).unwrap();
        for p in 0..prompts {
            let height = 1.0 + m as f32 * 0.05 + p as f32 * 0.01;
            std::fs::write(place.join(format!("{p}.obj")), tetrahedron(height)).unwrap();
        }
    }
    folder
}

/// A benchmark file over that folder; `more` is before the generators, `after` behind them.
fn bench_file(methods: usize, prompts: usize, more: &str, after: &str) -> String {
    let prompts: Vec<String> = (0..prompts).map(|p| format!("\"thing {p}\"")).collect();
    let generators: String = (0..methods)
        .map(|m| {
            format!("[[generators]]\nname = \"m{m}\"\npath = \"out/m{m}/{{prompt_id}}.obj\"\n")
        })
        .collect();
    format!(
        "name = \"test\"\nprompts = [{}]\n{more}\n{generators}\n[pictures]\nsize_px = 32\nviews = 1\n{after}",
        prompts.join(", ")
    )
}

/// The program with a key, which judges at an address want.
fn with_key(folder: &Path, args: &[&str]) -> Command {
    let mut command = command(folder, args);
    command.env("OPENAI_API_KEY", "sk-not-real");
    command
}

#[test]
fn numbers_that_need_no_judge_are_shown_where_the_judge_decides_nothing() {
    const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";
    let place = tempfile::tempdir().unwrap();
    for (method, asset) in [("m0", tetrahedron(1.0)), ("m1", CUBE.to_owned())] {
        std::fs::create_dir_all(place.path().join("out").join(method)).unwrap();
        std::fs::write(place.path().join(format!("out/{method}/0.obj")), asset).unwrap();
    }
    let metrics = "[[metrics]]\nnames = [\"triangles\", \"watertight\"]\n";
    std::fs::write(place.path().join("bench.toml"), bench_file(2, 1, "", metrics)).unwrap();
    let run = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]).ok();
    let board = "watertight (higher is better)";
    for said in [board, "measured facts"] {
        assert!(run.stdout.contains(said), "{said}: {}", run.stdout);
    }
    assert!(run.stderr.contains("decided no criterion"), "{}", run.stderr);
    let rated = ok(place.path(), &["rate", "r"]);
    assert!(rated.contains(board), "{rated}");
    let page = std::fs::read_to_string(place.path().join("r/report.html")).unwrap();
    assert!(page.contains("Nothing is rated") && page.contains("watertight"));
}

#[test]
fn what_would_be_noticed_after_the_last_question_is_refused_before_the_first() {
    let place = tempfile::tempdir().unwrap();
    for (more, after, said) in [
        ("seeds = [0, 1]\n", "", "the paths of m0, m1 have no {seed}"),
        (
            "",
            "[pairs]\nschedule = \"all\"\nstop = \"settled\"\ncriterion = \"Overall\"\n",
            "they have text_asset_alignment",
        ),
        (
            "",
            "[rating]\ncontrol = [\"trianglez\"]\n[[metrics]]\nnames = [\"triangles\"]\n",
            "none of the benchmark's figures (did you mean \"triangles\"?)",
        ),
    ] {
        std::fs::write(place.path().join("bench.toml"), bench_file(2, 1, more, after)).unwrap();
        let run = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]);
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        assert_eq!(run.code, Some(2));
        assert!(!place.path().join("r").exists());
    }
}

/// A judge whose answer follows from the request's bytes: the same question, the same answer,
/// whenever it is asked.
async fn scripted_judge() -> (Mocks, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let requests = Arc::clone(&count);
    let respond = move |request: &Request| {
        requests.fetch_add(1, Ordering::SeqCst);
        let hash = blake3::hash(&request.body);
        let digits: Vec<String> =
            hash.as_bytes()[..6].iter().map(|byte| (1 + byte % 3).to_string()).collect();
        reply(&format!("Words.\n\n{}", digits.join(" ")), "stop")
    };
    (Mocks::chat(respond).await, count)
}

fn judged_by(server: &Mocks) -> String {
    format!("judges = [{{ spec = \"openai:scripted\", base_url = \"{}/v1\" }}]", server.uri())
}

/// What `rate --json` says, apart from what a clock decides.
fn board(folder: &Path, run_folder: &str) -> String {
    let output = meshjudge(folder, &["rate", run_folder, "--json", "--bootstraps", "200"]).ok();
    assert!(output.stdout.contains("\"rating\""));
    output.stdout
}

#[test]
fn a_failed_broken_or_blank_asset_is_a_loss_and_never_a_picture() {
    let place = workplace(1, 2);
    std::fs::create_dir(place.path().join("bad")).unwrap();
    std::fs::write(place.path().join("bad/0.obj"), "this is no mesh").unwrap();
    // One triangle of no area: it loads, or is refused, and nothing can be seen.
    std::fs::write(place.path().join("bad/1.obj"), "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n").unwrap();
    let file = bench_file(1, 2, "", "")
        .replace("[pictures]", "[[generators]]\nname = \"bad\"\npath = \"bad/{prompt_id}.obj\"\n[[generators]]\nname = \"gone\"\npath = \"gone/{prompt_id}.obj\"\n[pictures]");
    std::fs::write(place.path().join("bench.toml"), &file).unwrap();
    let output = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r", "--json"]);
    // Nothing could be judged: no pair has two assets.
    let said = output.stderr;
    assert_ne!(output.code, Some(0));
    for part in ["bad has no asset", "gone has no asset", "no such file"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(std::fs::read_dir(place.path().join("r/sheets")).unwrap().count(), 0);

    // With a second sound generator there are verdicts, and the missing assets lose.
    let second = place.path().join("out/m1");
    std::fs::create_dir_all(&second).unwrap();
    for p in 0..2 {
        // As good as m0: the same shape. Of other proportions the probe would not say which are
        // right.
        let height = 1.0 + p as f32 * 0.01;
        std::fs::write(second.join(format!("{p}.obj")), tetrahedron(height)).unwrap();
    }
    let file = file.replace(
        "[pictures]",
        "[[generators]]\nname = \"m1\"\npath = \"out/m1/{prompt_id}.obj\"\n[pictures]",
    );
    std::fs::write(place.path().join("bench.toml"), &file).unwrap();
    let output = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r", "--json"]);
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    // A scheduler would send it again for ever.
    let forgiving = ["bench", "bench.toml", "--run", "r", "--ok-if-some-failed"];
    assert_eq!(meshjudge(place.path(), &forgiving).code, Some(0));
    let mut overall = output.rows_of("criterion");
    overall.retain(|row| row["criterion"] == "overall");
    // bad and gone lose to m0 and m1 on both prompts; against each other they are left out.
    assert_eq!(overall[0]["forfeits"], 8, "{}", output.stdout);
    assert_eq!(overall[0]["games"], 10);
    let generators = output.rows_of("generator");
    let making: Vec<(&str, u64)> = generators
        .iter()
        .map(|row| (row["method"].as_str().unwrap(), row["failed"].as_u64().unwrap()))
        .collect();
    assert_eq!(making, [("bad", 2), ("gone", 2), ("m0", 0), ("m1", 0)]);
    forfeits_are_rows(place.path());

    // The other rule.
    std::fs::write(
        place.path().join("bench.toml"),
        format!("missing_assets = \"leave-out\"\n{file}"),
    )
    .unwrap();
    let output = meshjudge(place.path(), &["bench", "bench.toml", "--run", "left", "--json"]);
    let overall =
        output.rows_of("criterion").into_iter().find(|row| row["criterion"] == "overall").unwrap();
    assert_eq!((&overall["forfeits"], &overall["games"]), (&0.into(), &2.into()));
}

/// Each of the 8 pairs is a row in which the missing asset has no hash and the other one its own.
fn forfeits_are_rows(folder: &Path) {
    let rows = meshjudge(folder, &["export", "r", "--format", "jsonl", "--out", "-"]).ok();
    let rows: Vec<Value> =
        rows.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let forfeits: Vec<&Value> = rows.iter().filter(|row| row["outcome"] == "forfeit").collect();
    assert_eq!((forfeits.len(), rows.len()), (8, 12));
    for row in forfeits {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (missing, there) =
            if row["a"]["hash"] == "" { (&row["a"], &row["b"]) } else { (&row["b"], &row["a"]) };
        assert_eq!((&missing["hash"], &missing["path"]), (&"".into(), &"".into()));
        assert_eq!(text(&there["hash"]).len(), 64, "{row}");
        assert!(["bad", "gone"].contains(&missing["method"].as_str().unwrap()));
        let why = format!("{} has no asset: ", text(&missing["method"]));
        assert!(text(&row["reason"]).starts_with(&why), "{row}");
        assert!(["0", "1"].contains(&row["prompt_id"].as_str().unwrap()));
    }
    let formats = if cfg!(feature = "parquet") { &["csv", "parquet"][..] } else { &["csv"] };
    for format in formats {
        meshjudge(folder, &["export", "r", "--format", format, "--out", format]).ok();
    }
    let csv = std::fs::read_to_string(folder.join("csv")).unwrap();
    assert_eq!(csv.matches(",forfeit,").count(), 8);
}

#[test]
fn an_over_long_prompt_is_named_and_left_out_and_the_rest_is_judged() {
    let place = workplace(2, 2);
    let long = "x".repeat(20_000);
    let file = bench_file(2, 2, "", "").replace("\"thing 1\"", &format!("{long:?}"));
    std::fs::write(place.path().join("bench.toml"), &file).unwrap();
    let output = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r", "--json"]);
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    assert!(
        output.stderr.contains("the prompt \"1\" is left out: it has 20000 characters"),
        "{}",
        output.stderr
    );
    let plan = &output.rows_of("plan")[0];
    assert_eq!((&plan["prompts"], &plan["long_prompts"]), (&1.into(), &serde_json::json!(["1"])));
    assert_eq!(output.rows_of("criterion")[0]["games"], 1);

    let file = file.replace("\"thing 0\", ", "");
    std::fs::write(place.path().join("bench.toml"), &file).unwrap();
    let output = meshjudge(place.path(), &["bench", "bench.toml", "--run", "none"]);
    assert_eq!(output.code, Some(2));
    assert!(
        output.stderr.contains("every prompt has more than 16384 characters"),
        "{}",
        output.stderr
    );
}

#[cfg(unix)]
#[test]
fn commands_make_assets_once_with_log_retry_time_limit_and_graphics_card() {
    let place = workplace(1, 1);
    let script = "#!/bin/sh\n# $1 prompt id, $2 seed, $3 out, $4 prompt\necho \"card $CUDA_VISIBLE_DEVICES prompt $4\"\necho x >> calls.txt\nif [ ! -f tried ]; then touch tried; echo 'out of memory' >&2; exit 9; fi\ncp out/m0/0.obj \"$3\"\n";
    std::fs::write(place.path().join("gen.sh"), script).unwrap();
    let file = "name = \"t\"\nprompts = [\"a; rm -rf 'x' $(y)\"]\n[[generators]]\nname = \"m0\"\npath = \"out/m0/{prompt_id}.obj\"\n\
        [[generators]]\nname = \"made\"\ncommand = \"sh gen.sh {prompt_id} {seed} {out} {prompt}\"\nextension = \"obj\"\ngpu = true\n\
        [[generators]]\nname = \"slow\"\ncommand = [\"sh\", \"-c\", \"sleep 60 & wait\"]\ntimeout_secs = 1\nretries = 0\n\
        [generation]\ngpus = [\"7\"]\n[pictures]\nsize_px = 32\nviews = 1\n";
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let start = std::time::Instant::now();
    let output = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]);
    let said = output.stderr;
    assert_eq!(output.code, Some(1), "{said}");
    assert!(said.contains("slow has no asset") && said.contains("longer than 1 s"), "{said}");
    assert!(start.elapsed() < Duration::from_secs(40), "the sleeper was not ended");
    let calls = std::fs::read_to_string(place.path().join("calls.txt")).unwrap();
    assert_eq!(calls.lines().count(), 2, "one failure, one retry");
    let log = std::fs::read_to_string(place.path().join("r/made/made/0/0/log.txt")).unwrap();
    // The prompt stayed one word and no shell read it.
    assert_eq!(log, "card 7 prompt a; rm -rf 'x' $(y)\n");
    let again = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]);
    assert_eq!(again.code, Some(1));
    let calls = std::fs::read_to_string(place.path().join("calls.txt")).unwrap();
    assert_eq!(calls.lines().count(), 2, "what is there is not made again");
}

/// Kills the program after so many answers.
async fn killed_after(mut child: Child, count: &AtomicUsize, answers: usize) {
    for _ in 0..6000 {
        if count.load(Ordering::SeqCst) >= answers || child.try_wait().unwrap().is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// An unkilled run and one that was killed several times: the same board, and nothing asked twice
/// but what was in flight.
async fn kill_and_resume(methods: usize, prompts: usize, after: &str, kills: &[usize]) {
    let (server, count) = scripted_judge().await;
    let place = workplace(methods, prompts);
    let file = bench_file(methods, prompts, &judged_by(&server), after);
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let bench = |run: &str| with_key(place.path(), &["bench", "bench.toml", "--run", run]);
    Run::of(&mut bench("whole")).ok();
    let questions = count.swap(0, Ordering::SeqCst);
    assert!(questions > kills.iter().sum(), "{questions} questions");
    for kill in kills {
        let before = count.load(Ordering::SeqCst);
        killed_after(start(&mut bench("killed")), &count, before + kill).await;
    }
    Run::of(&mut bench("killed")).ok();
    // In flight at a kill are at most `concurrency` replies.
    let asked = count.load(Ordering::SeqCst);
    assert!(asked >= questions && asked <= questions + 8 * kills.len(), "{asked} of {questions}");
    assert_eq!(board(place.path(), "whole"), board(place.path(), "killed"));
    Run::of(&mut bench("killed")).ok();
    assert_eq!(count.load(Ordering::SeqCst), asked, "nothing is asked twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_run_ends_with_the_same_board() {
    kill_and_resume(4, 6, "", &[3, 20]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_active_run_ends_with_the_same_board() {
    let pairs = "[pairs]\nschedule = \"active\"\ncount = 40\nround = 8\n";
    kill_and_resume(5, 8, pairs, &[3, 25]).await;
}

/// An undisturbed run and one that limits of requests stopped several times, in the middle of
/// rounds: the same board, and the same questions, each asked once.
async fn stop_and_resume(place: &tempfile::TempDir, file: &str, limits: &[usize]) {
    let (server, count) = scripted_judge().await;
    let file = file.replace("JUDGES", &judged_by(&server));
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let bench = |run: &str, limit: &[&str]| {
        let args = [&["bench", "bench.toml", "--run", run], limit].concat();
        Run::of(&mut with_key(place.path(), &args))
    };
    let whole = bench("whole", &[]).code;
    let questions = count.swap(0, Ordering::SeqCst);
    for limit in limits {
        let stopped = bench("stopped", &["--max-requests", &limit.to_string()]).stderr;
        assert!(stopped.contains("stopped by the budget"), "{stopped}");
        // The limit counts the test of the judge as well.
        let asked = count.load(Ordering::SeqCst);
        assert!((limit - 2..=*limit).contains(&asked), "{asked} of {limit}");
    }
    assert_eq!(bench("stopped", &[]).code, whole);
    assert_eq!(count.load(Ordering::SeqCst), questions);
    assert_eq!(board(place.path(), "whole"), board(place.path(), "stopped"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_active_run_that_a_limit_stops_within_a_round_ends_with_the_same_board() {
    let place = workplace(5, 8);
    let pairs = "[pairs]\nschedule = \"active\"\ncount = 40\nround = 8\n";
    stop_and_resume(&place, &bench_file(5, 8, "JUDGES", pairs), &[5, 22, 37]).await;
}

/// Two of the three pairs are settled on the way, since one generator has hardly any assets.
#[tokio::test(flavor = "multi_thread")]
async fn a_settled_run_that_a_limit_stops_within_a_round_ends_with_the_same_board() {
    let place = workplace(3, 24);
    for prompt in 4..24 {
        std::fs::remove_file(place.path().join(format!("out/m2/{prompt}.obj"))).unwrap();
    }
    let pairs = "[pairs]\nstop = \"settled\"\nround = 3\n";
    stop_and_resume(&place, &bench_file(3, 24, "JUDGES", pairs), &[7, 20, 33]).await;
}

/// `cargo test --release --test cli bench:: -- --ignored --nocapture`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; the small one always runs"]
async fn a_killed_run_of_20_methods_and_100_prompts_ends_with_the_same_board() {
    kill_and_resume(20, 100, "", &[500, 5000, 11_000]).await;
}

#[test]
fn shards_together_are_the_whole() {
    let place = workplace(3, 5);
    std::fs::write(place.path().join("bench.toml"), bench_file(3, 5, "", "")).unwrap();
    for part in ["1/2", "2/2"] {
        meshjudge(place.path(), &["bench", "bench.toml", "--run", "parts", "--shard", part]).ok();
    }
    meshjudge(place.path(), &["bench", "bench.toml", "--run", "whole"]).ok();
    let parts =
        meshjudge(place.path(), &["rate", "parts/shard-1-of-2", "parts/shard-2-of-2", "--json"]);
    let whole = meshjudge(place.path(), &["rate", "whole", "--json"]);
    assert_eq!(parts.stdout, whole.stdout);
    // The folder of the parts stands for them.
    let together = meshjudge(place.path(), &["rate", "parts", "--json"]);
    assert_eq!(together.stdout, whole.stdout);
    let rows = |run: &str| {
        let output = meshjudge(place.path(), &["export", run, "--format", "csv"]).ok();
        let mut lines: Vec<String> = output.stdout.lines().map(str::to_owned).collect();
        let header = lines.remove(0);
        lines.sort();
        (header, lines.len())
    };
    assert_eq!(rows("parts"), rows("whole"));
    meshjudge(place.path(), &["report", "parts"]).ok();
    assert!(place.path().join("parts/report.html").is_file());
    meshjudge(place.path(), &["import", "joined", "--from", "parts"]).ok();
    let joined = meshjudge(place.path(), &["rate", "joined", "--json"]);
    assert_eq!(joined.stdout, whole.stdout);
    // A forgotten or another division would pay for every answer again.
    for other in [
        &["--run", "parts"][..],
        &["--run", "parts", "--shard", "1/3"],
        &["--run", "whole", "--shard", "1/2"],
    ] {
        let run = meshjudge(place.path(), &[&["bench", "bench.toml"], other].concat());
        assert_eq!(run.code, Some(2), "{other:?}");
        assert!(
            run.stderr.contains("another number of shards would ask every question again"),
            "{}",
            run.stderr
        );
    }
    // A run next to the shards would hide them.
    std::fs::write(
        place.path().join("v.csv"),
        "prompt,a,b,criterion,vote,rater\nthing 0,m0,m1,overall,a,R\n",
    )
    .unwrap();
    let run = meshjudge(place.path(), &["import", "parts", "--votes", "v.csv"]);
    assert!(run.code == Some(2) && run.stderr.contains("2 of 2 shards"), "{}", run.stderr);
    assert!(!place.path().join("parts/run.sqlite").exists());
    // A part that is missing is named.
    std::fs::remove_dir_all(place.path().join("parts/shard-2-of-2")).unwrap();
    let part = meshjudge(place.path(), &["rate", "parts"]);
    assert!(part.stderr.contains("parts/shard-2-of-2"), "{}", part.stderr);
}

/// Another text or other pictures are other questions: the old verdicts are set aside, and count
/// again once the change is undone.
#[test]
fn verdicts_on_another_text_or_other_pictures_are_set_aside() {
    let place = workplace(2, 3);
    let file = bench_file(2, 3, "rubrics = [\"own.toml\"]", "");
    let (toml, text) = ("prompts/pairwise.toml", "prompts/pairwise.md");
    let own = |text: &str| place.path().join(text);
    std::fs::write(own("own.toml"), std::fs::read_to_string(toml).unwrap()).unwrap();
    let words = std::fs::read_to_string(text).unwrap();
    std::fs::write(own("pairwise.md"), &words).unwrap();
    std::fs::write(own("bench.toml"), &file).unwrap();
    let bench = |more: &[&str]| {
        let all = [&["bench", "bench.toml", "--run", "run", "--seed", "1"], more].concat();
        meshjudge(place.path(), &all)
    };
    let board = || meshjudge(place.path(), &["rate", "run", "--json"]).ok().stdout;
    bench(&[]).ok();
    let first = board();
    let reworded = words.replace("You are comparing", "You compare");
    assert_ne!(reworded, words);
    let larger = file.replace("size_px = 32", "size_px = 64");
    let fitted = file.replace("size_px = 32", "size_px = 32\nfit_px = 16");
    for (file, words) in [(&file, &reworded), (&larger, &words), (&fitted, &words)] {
        let before = board();
        let files = [("bench.toml", file), ("pairwise.md", words)];
        files.iter().for_each(|(name, text)| std::fs::write(own(name), text).unwrap());
        let plan = bench(&["--dry-run"]).ok().stdout;
        assert!(plan.contains("  0 questions are answered"), "{plan}");
        assert_eq!(board(), before, "a dry run changes nothing");
        let run = bench(&[]).ok();
        assert!(run.stdout.contains("6 verdicts"), "{}", run.stdout);
        let said = meshjudge(place.path(), &["rate", "run"]).ok().stderr;
        assert!(said.contains("with another text of the rubric or with other pictures"), "{said}");
        let rows = meshjudge(place.path(), &["export", "run", "--format", "jsonl"]).ok().stdout;
        let left_out = rows.lines().filter(|row| row.contains("\"not_rated\":\"question\""));
        assert_eq!(left_out.count(), rows.lines().count() - 6, "{rows}");
    }
    // In a run that knows nothing of the change they would count again.
    let copied = meshjudge(place.path(), &["import", "copy", "--from", "run"]).ok();
    assert!(copied.stdout.contains("6 questions copied"), "{}", copied.stdout);
    let copied = meshjudge(place.path(), &["rate", "copy", "--json"]).ok().stdout;
    assert_eq!(copied, board());
    std::fs::write(own("bench.toml"), &file).unwrap();
    let plan = bench(&["--dry-run"]).ok().stdout;
    assert!(plan.contains("6 questions are answered"), "{plan}");
    bench(&[]).ok();
    assert_eq!(board(), first);
}

/// A page that says what it would say anyway is left as it is: for a large run it is hundreds of
/// megabytes.
#[test]
fn a_report_is_written_again_only_where_something_has_changed() {
    let place = workplace(2, 6);
    let file = bench_file(2, 6, "", "");
    std::fs::write(place.path().join("bench.toml"), &file).unwrap();
    let page = place.path().join("run/report.html");
    let bench = || meshjudge(place.path(), &["bench", "bench.toml", "--run", "run"]).ok();
    let first = bench();
    let written = std::fs::read(&page).unwrap();
    // Nobody has looked at the objects yet, and the page says so.
    let words = String::from_utf8_lossy(&written);
    assert!(words.contains("it does not recognise objects"));
    let (_, answer) = words.split_once("<p class=\"answer\">").unwrap();
    let answer = answer.split("</p>").next().unwrap();
    assert_eq!(answer, "All generators have the same rating in texture details.");
    // Only a page that is not written again keeps a word of ours.
    let with_a_word = || {
        let mut text = std::fs::read(&page).unwrap();
        text.extend(b"<!-- a word -->");
        std::fs::write(&page, text).unwrap();
    };
    let has_the_word = || std::fs::read(&page).unwrap().ends_with(b"<!-- a word -->");
    with_a_word();
    assert_eq!(bench().stdout, first.stdout);
    assert!(has_the_word());
    for (what, change) in [
        ("a page with fewer pictures", &["report", "run", "--pictures", "1"][..]),
        ("a page with its gallery elsewhere", &["report", "run", "--gallery", "beside"]),
    ] {
        meshjudge(place.path(), change).ok();
        with_a_word();
        bench();
        assert!(!has_the_word(), "{what}");
        assert_eq!(std::fs::read(&page).unwrap(), written, "{what}");
    }
    // Its settings, a vote, a page that is gone.
    let other = file.replace("[pictures]", "[rating]\nbootstraps = 50\n[pictures]");
    std::fs::write(place.path().join("bench.toml"), other).unwrap();
    with_a_word();
    bench();
    assert!(!has_the_word(), "other settings");
    let table = "prompt,a,b,criterion,vote,rater\nthing 0,m0,m1,overall,a,Ada\n";
    std::fs::write(place.path().join("votes.csv"), table).unwrap();
    meshjudge(place.path(), &["import", "run", "--votes", "votes.csv"]).ok();
    with_a_word();
    bench();
    assert!(!has_the_word(), "a vote");
    std::fs::remove_file(&page).unwrap();
    bench();
    assert!(page.is_file());
}

#[test]
fn a_scheduler_names_the_part_and_limits_are_divided() {
    let place = workplace(3, 3);
    let limit = "[budget]\nmax_requests = 10\n";
    std::fs::write(place.path().join("bench.toml"), bench_file(3, 3, "", limit)).unwrap();
    let part = |number: &str, count: &str, last: &str| {
        // The file in this folder is the default.
        let mut command = command(place.path(), ["bench", "--run", "parts", "--shard", "auto"]);
        let variables = ["TASK_ID", "TASK_COUNT", "TASK_MIN", "TASK_MAX"];
        for (name, value) in variables.iter().zip([number, count, "1", last]) {
            command.env(format!("SLURM_ARRAY_{name}"), value);
        }
        Run::of(&mut command)
    };
    let second = part("2", "4", "4").ok();
    assert!(second.stderr.contains("shard 2 of 4, from SLURM_ARRAY_TASK_ID"), "{}", second.stderr);
    assert!(second.stderr.contains("limit of this shard: 3 requests"), "{}", second.stderr);
    assert!(place.path().join("parts/shard-2-of-4/run.sqlite").is_file());
    // More parts than prompts: the last has nothing to do, which is no failure.
    let last = part("4", "4", "4").ok();
    assert!(last.stderr.contains("has no prompts"), "{}", last.stderr);
    assert!(!place.path().join("parts/shard-4-of-4").exists());
    // Tasks 1 and 3 of an array sent again do not say how many there are.
    let again = part("3", "2", "3");
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("auto/1-3"), "{}", again.stderr);
    let nothing = meshjudge(&place.path().join("parts"), &["bench"]);
    assert!(nothing.stderr.contains("bench init"), "{}", nothing.stderr);
}

#[test]
fn a_budget_of_pairs_is_kept_and_a_limit_of_requests_stops() {
    let place = workplace(4, 5);
    let after = "[pairs]\nway = \"round-robin\"\ncount = 9\n";
    std::fs::write(place.path().join("bench.toml"), bench_file(4, 5, "", after)).unwrap();
    meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]).ok();
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]);
    assert_eq!(rows.rows().len(), 18);
    // An active run that would need a server it may not ask.
    let judges = "judges = [{ spec = \"openai:m\", base_url = \"http://127.0.0.1:9/v1\" }]";
    std::fs::write(
        place.path().join("bench.toml"),
        bench_file(4, 5, judges, "[budget]\nmax_requests = 0\n"),
    )
    .unwrap();
    let output = meshjudge(place.path(), &["bench", "bench.toml", "--run", "poor"]);
    assert_eq!(output.code, Some(3), "{}", output.stderr);
}

#[test]
fn a_run_stops_when_the_order_is_settled_and_asks_nothing_more() {
    let place = workplace(2, 30);
    for prompt in 2..30 {
        std::fs::remove_file(place.path().join(format!("out/m1/{prompt}.obj"))).unwrap();
    }
    let file = bench_file(2, 30, "", "[pairs]\nstop = \"settled\"\nround = 1\n");
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let bench = ["bench", "bench.toml", "--run", "r"];
    let settled = |said: &str| {
        let line = said.lines().find(|line| line.contains("pairs are settled after")).unwrap();
        let words: Vec<&str> = line.split("after ").nth(1).unwrap().split(' ').collect();
        assert!(line.contains("1 of 1 pairs") && words[2] == "30", "{line}");
        words[0].parse::<usize>().unwrap()
    };
    let first = meshjudge(place.path(), &bench);
    assert!((7..20).contains(&settled(&first.stderr)), "{}", first.stderr);
    assert!(first.stderr.contains("settled ranks: m0 1, m1 2"), "{}", first.stderr);
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).stdout;
    let again = meshjudge(place.path(), &bench);
    assert_eq!(settled(&again.stderr), settled(&first.stderr));
    assert_eq!(meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).stdout, rows);
}

/// The board of the judge has 12 ties, whatever people vote, and none of a judge at another
/// address.
#[tokio::test(flavor = "multi_thread")]
async fn only_what_the_board_of_the_judge_has_settles_a_pair() {
    let place = workplace(2, 12);
    let ties = Mocks::chat(|_: &Request| reply("Words.\n\n3 3 3 3 3 3", "stop")).await;
    let bench = |url: &str, after: &str| {
        let judge = format!("judges = [{{ spec = \"openai:m\", base_url = \"{url}\" }}]");
        let file = bench_file(2, 12, &judge, after);
        std::fs::write(place.path().join("bench.toml"), file).unwrap();
        let args = ["bench", "bench.toml", "--run", "r", "--no-canary"];
        Run::of(&mut with_key(place.path(), &args)).stderr
    };
    let url = format!("{}/v1", ties.uri());
    bench(&url, "");
    let votes = (0..12).map(|p| format!("thing {p},m0,m1,overall,a,ann\n"));
    let votes = "prompt,a,b,criterion,vote,rater\n".to_owned() + &votes.collect::<String>();
    std::fs::write(place.path().join("votes.csv"), votes).unwrap();
    ok(place.path(), &["import", "r", "--votes", "votes.csv"]);
    let stop = "[pairs]\nstop = \"settled\"\n";
    let said = bench(&url, stop);
    assert!(said.contains("0 of 1 pairs are settled after 0 of 12"), "{said}");
    assert!(said.contains("12 of the prompts were asked before an order"), "{said}");
    let elsewhere = "http://127.0.0.1:9/v1";
    let said = bench(elsewhere, &format!("{stop}[budget]\nmax_requests = 0\n"));
    assert!(said.contains("0 of 1 pairs are settled after 0 of 12"), "{said}");
}

/// Whether the left half of the sheet is more red than blue, and the request as JSON.
fn red_is_left(request: &Request) -> (bool, Value) {
    use base64::Engine;
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let parts = body["messages"][0]["content"].as_array().unwrap();
    let url = parts.iter().find_map(|part| part["image_url"]["url"].as_str()).unwrap();
    let data = url.split(',').nth(1).unwrap();
    let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
    let sheet = image::load_from_memory(&bytes).unwrap().to_rgb8();
    // The upper half has colours, the lower normals.
    let (width, height) = (sheet.width() / 2, sheet.height() / 2);
    let pixels = sheet.enumerate_pixels().filter(|(x, y, _)| *x < width && *y < height);
    let reds = pixels.map(|(.., pixel)| i64::from(pixel[0]) - i64::from(pixel[2]));
    (reds.sum::<i64>() > 0, body)
}

/// Two judges of the same taste: `m0` wins on even prompts. The shy one refuses all of these.
#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_refuses_where_one_generator_wins_is_named() {
    let place = workplace(2, 24);
    for (generator, color) in [("m0", " 1 0 0"), ("m1", " 0 0 1")] {
        let painted: String = tetrahedron(1.0)
            .lines()
            .map(|line| {
                if line.starts_with("v ") {
                    format!("{line}{color}\n")
                } else {
                    format!("{line}\n")
                }
            })
            .collect();
        for prompt in 0..24 {
            std::fs::write(place.path().join(format!("out/{generator}/{prompt}.obj")), &painted)
                .unwrap();
        }
    }
    let server = Mocks::chat(|request: &Request| {
        let (is_red_left, body) = red_is_left(request);
        let text = body.to_string();
        let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
        let number: usize = text.split("thing ").skip(1).find_map(number).unwrap();
        let wants_red = number.is_multiple_of(2);
        if wants_red && body["model"] == "shy" {
            let refusal = json!({"content": null, "refusal": "I can't do that."});
            let choice = json!({"message": refusal, "finish_reason": "stop"});
            return ResponseTemplate::new(200).set_body_json(json!({"choices": [choice]}));
        }
        let digit = if wants_red == is_red_left { "1" } else { "2" };
        reply(&format!("Words.\n\n{}", [digit; 6].join(" ")), "stop")
    })
    .await;
    let url = format!("{}/v1", server.uri());
    let bench = |models: &[&str], run: &str| {
        let judge = |model| format!("{{ spec = \"openai:{model}\", base_url = \"{url}\" }}");
        let judges: Vec<String> = models.iter().map(judge).collect();
        let file = bench_file(2, 24, &format!("judges = [{}]", judges.join(", ")), "");
        std::fs::write(place.path().join("bench.toml"), file).unwrap();
        let args = ["bench", "bench.toml", "--run", run, "--no-canary", "--ok-if-some-failed"];
        let said = Run::of(&mut with_key(place.path(), &args)).ok();
        let rated = meshjudge(place.path(), &["rate", run]).ok();
        (said, rated.stdout + &rated.stderr)
    };
    let wanted = "12 of 12 refusals of openai:shy are prompts that m0 wins elsewhere (0 % of the other prompts): what it left out favours the others";
    let (said, rated) = bench(&["bold", "shy"], "r");
    assert!(said.stderr.contains(wanted), "{}", said.stderr);
    assert!(rated.contains(wanted), "{rated}");
    let page = std::fs::read_to_string(place.path().join("r/report.html")).unwrap();
    assert!(page.contains("12 of 12 refusals of openai:shy"));
    // By itself it says nothing of these prompts, so nothing is known of them.
    let (_, rated) = bench(&["shy"], "alone");
    assert!(!rated.contains("refusals of"), "{rated}");
}

/// Photos to be rebuilt have one text; each is a prompt of its own, for judges and for people's
/// votes.
#[test]
fn prompts_of_one_text_are_told_apart_by_their_ids() {
    let place = workplace(2, 6);
    let listed = (0..6).map(|p| format!("{{ id = \"{p}\", text = \"the object in the photo\" }}"));
    let listed = listed.collect::<Vec<_>>().join(", ");
    let file = bench_file(2, 0, "", "").replace("prompts = []", &format!("prompts = [{listed}]"));
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    ok(place.path(), &["bench", "bench.toml", "--run", "r"]);
    let votes = (0..6).map(|p| format!("{p},m0,m1,overall,a,ann\n"));
    let votes = "prompt,a,b,criterion,vote,rater\n".to_owned() + &votes.collect::<String>();
    std::fs::write(place.path().join("votes.csv"), votes).unwrap();
    ok(place.path(), &["import", "r", "--votes", "votes.csv"]);
    let rated = ok(place.path(), &["rate", "r"]);
    assert!(rated.contains("6 games on 6 prompts"), "{rated}");
    assert!(!rated.contains("on 1 prompt"), "{rated}");
    let same = ok(place.path(), &["diff", "r", "r"]);
    assert!(same.contains("  6 "), "{same}");
    // Each of them alone in a run.
    for p in ["0", "1"] {
        let one = format!("prompts = [{{ id = \"{p}\", text = \"the object in the photo\" }}]");
        let file = bench_file(2, 0, "", "").replace("prompts = []", &one);
        std::fs::write(place.path().join("bench.toml"), file).unwrap();
        ok(place.path(), &["bench", "bench.toml", "--run", p]);
    }
    let rated = ok(place.path(), &["rate", "0", "1"]);
    assert!(rated.contains("2 games on 2 prompts"), "{rated}");
}

/// On disks that ignore case, two of one folder would replace each other's assets; a folder of an
/// earlier version is kept.
#[cfg(unix)]
#[test]
fn generators_and_prompts_that_differ_only_in_capitals_have_folders_of_their_own() {
    let place = workplace(1, 1);
    let made = |method: &str| {
        format!(
            "[[generators]]\nname = \"{method}\"\ncommand = \"cp out/m0/0.obj {{out}}\"\nextension = \"obj\"\n"
        )
    };
    let file = |prompts: &str| {
        let (upper, lower) = (made("Maker"), made("maker"));
        let pictures = "[pictures]\nsize_px = 32\nviews = 1\n";
        let text = format!("name = \"t\"\nprompts = [{prompts}]\n{upper}{lower}{pictures}");
        std::fs::write(place.path().join("bench.toml"), text).unwrap();
    };
    let folders = |of: &str| {
        let listed = std::fs::read_dir(place.path().join(of)).unwrap();
        let names = listed.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<std::collections::BTreeSet<String>>()
    };
    let bench = ["bench", "bench.toml", "--run", "r"];
    file("{ id = \"chair\", text = \"a chair\" }");
    ok(place.path(), &bench);
    let methods = folders("r/made");
    let method = methods.iter().find(|name| name.starts_with("maker")).unwrap();
    assert!(methods.len() == 2 && *method != "maker", "{methods:?}");
    // As a version without this rule has named it.
    std::fs::rename(place.path().join("r/made").join(method), place.path().join("r/made/maker"))
        .unwrap();
    file("{ id = \"Chair\", text = \"another chair\" }, { id = \"chair\", text = \"a chair\" }");
    let said = meshjudge(place.path(), &bench);
    said.ok();
    let prompts = folders("r/made/maker");
    let folded: std::collections::BTreeSet<String> =
        prompts.iter().map(|name| name.to_lowercase()).collect();
    assert!(folded.len() == 2 && prompts.contains("chair"), "{prompts:?}");
    assert!(!prompts.contains("Chair"), "{prompts:?}");
    assert_eq!(folders("r/made").len(), 2, "no asset is made again under another name");
}

#[test]
fn a_dry_run_does_nothing_and_says_everything() {
    let place = workplace(3, 4);
    std::fs::write(place.path().join("bench.toml"), bench_file(3, 4, "samples = 2", "")).unwrap();
    let output = meshjudge(place.path(), &["bench", "bench.toml", "--dry-run", "--json"]).ok();
    let plan = &output.rows()[0];
    assert_eq!(
        (&plan["assets"], &plan["pairs"], &plan["questions"], &plan["requests"]),
        (&12.into(), &12.into(), &48.into(), &0.into())
    );
    assert!(!place.path().join("runs").exists());
}

#[test]
fn a_dry_run_takes_off_what_is_answered_and_what_missing_assets_decide() {
    let place = workplace(3, 4);
    let dry = |judges: &str, methods: usize, more: &str| {
        let file = bench_file(methods, 4, judges, more);
        std::fs::write(place.path().join("bench.toml"), file).unwrap();
        let args = ["bench", "bench.toml", "--dry-run", "--json", "--run", "r"];
        let mut keyless = command(place.path(), args);
        keyless.env_remove("OPENAI_API_KEY");
        let rows = Run::of(&mut keyless).ok().rows();
        let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
        let plan =
            ["questions", "answered", "missing", "requests"].map(|key| number(&rows[0], key));
        let estimates: Vec<u64> = rows[1..].iter().map(|row| number(row, "questions")).collect();
        (plan, estimates, rows)
    };
    let (plan, estimates, _) = dry("", 3, "");
    assert_eq!((plan, estimates), ([24, 0, 0, 0], vec![24]));
    meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]).ok();
    // Another judge has everything before it, and needs no key to be counted.
    let model = "judges = [\"probe\", \"openai:gpt-4o\"]";
    let (plan, estimates, rows) = dry(model, 3, "");
    assert_eq!((plan, estimates), ([48, 24, 0, 24], vec![0, 24]));
    assert!(rows[2]["input_tokens"].as_u64() > Some(1000), "{}", rows[2]);
    assert!(rows[2]["cost_usd_max"].as_f64() > rows[2]["cost_usd"].as_f64());
    // A method without assets loses each of its pairs, and nobody is asked.
    let (plan, estimates, _) = dry("", 4, "");
    assert_eq!((plan, estimates), ([48, 24, 24, 0], vec![0]));
    let said = ok(place.path(), &["bench", "bench.toml", "--dry-run", "--run", "r"]);
    let named = "24 questions cannot be asked (assets missing: out/m3/0.obj, out/m3/1.obj, ";
    assert!(said.contains(named), "{said}");
}

#[cfg(unix)]
#[test]
fn a_generator_does_not_inherit_the_keys_of_judges() {
    let place = workplace(1, 1);
    let told = "command = [\"sh\", \"-c\", \"env | grep -c sk-not-real; echo has $OTHER; exit 1\"]";
    let file = bench_file(1, 1, "", "").replace(
        "[pictures]",
        &format!("[[generators]]\nname = \"curious\"\n{told}\nretries = 0\n[pictures]"),
    );
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let mut bench = with_key(place.path(), &["bench", "bench.toml", "--run", "r"]);
    bench.envs([("ANTHROPIC_API_KEY", "sk-not-real"), ("GEMINI_API_KEY", "sk-not-real")]);
    let out = Run::of(bench.env("OTHER", "all else"));
    assert!(out.stderr.contains("0 | has all else"), "{}", out.stderr);
}

#[cfg(unix)]
#[test]
fn what_a_programs_words_and_environment_hold_is_shown_and_stored_nowhere() {
    let place = workplace(1, 1);
    let script = "echo '{\"type\":\"ready\"}'\nread -r order\n\
        printf '{\"type\":\"failed\",\"id\":1,\"retry\":\"never\",\"reason\":\"\\\\u001b[2J no: %s, %s, %s\"}\\n' \"$1\" \"$GENERATOR_KEY\" \"$OWN_TOKEN\"\n\
        read -r order\n";
    std::fs::write(place.path().join("gen.sh"), script).unwrap();
    let generator = "[[generators]]\nname = \"remote\"\nserve = \"sh gen.sh token=tok-0123456789\"\nenv = { OWN_TOKEN = \"own-0123456789\" }\n[pictures]";
    let file = bench_file(1, 1, "", "").replace("[pictures]", generator);
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let mut bench = command(place.path(), ["bench", "bench.toml", "--run", "r"]);
    let out = Run::of(bench.env("GENERATOR_KEY", "Bearer gen-0123456789"));
    assert!(out.stderr.contains("the service refused it"), "{}", out.stderr);
    assert!(!out.stderr.contains('\u{1b}'), "{:?}", out.stderr);
    let secrets = ["tok-0123456789", "gen-0123456789", "own-0123456789"];
    for secret in secrets {
        assert!(!out.stderr.contains(secret) && !out.stdout.contains(secret), "{}", out.stderr);
    }
    let mut looked_at = 0;
    for folder in ["r", "r/made/remote/0"] {
        for entry in std::fs::read_dir(place.path().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let bytes = std::fs::read(&path).unwrap();
                for secret in secrets {
                    let found = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
                    assert!(!found, "{secret} in {path:?}");
                }
                looked_at += 1;
            }
        }
    }
    assert!(looked_at >= 3);
    let kept = std::fs::read_to_string(place.path().join("r/run.toml")).unwrap();
    assert!(kept.contains("token=[redacted]"), "{kept}");
}

#[test]
fn what_is_wrong_with_a_file_is_said_before_anything_is_done() {
    let place = workplace(2, 2);
    let good = bench_file(2, 2, "", "");
    for (from, to, said) in [
        ("name = \"test\"", "nam = \"test\"", "unknown field `nam`"),
        ("[pictures]", "[pictures]\nrig = \"round\"", "round"),
        ("size_px", "sice_px", "unknown field `sice_px`; did you mean \"size_px\"?"),
        ("[pictures]", "[pictures]\nelevation_degrees = 91", "from -90 to 90 degrees"),
        ("{prompt_id}", "{promt}", "{promt}"),
        ("name = \"m1\"", "name = \"m0\"", "occurs twice"),
        ("name = \"m1\"", "name = \"../m1\"", "cannot name a file"),
        ("path = \"out/m1/{prompt_id}.obj\"", "", "exactly one of"),
        ("[pictures]", "[pairs]\nway = \"active\"\n[pictures]", "active needs"),
        (
            "[pictures]",
            "[pairs]\nschedule = \"round-robin\"\ncount = 3\nstop = \"settled\"\n[pictures]",
            "goes through all pairs",
        ),
        ("[pictures]", "[rating]\nanchor = \"nobody\"\n[pictures]", "nobody"),
        ("prompts = [", "judges = [\"probe\", \"probe\"]\nprompts = [", "listed twice"),
        (
            "prompts = [",
            "rubrics = [\"reconstruction\"]\nprompts = [",
            "shows the photo that objects were made from",
        ),
    ] {
        std::fs::write(place.path().join("bench.toml"), good.replace(from, to)).unwrap();
        let output = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]);
        assert_eq!(output.code, Some(2), "{to}");
        let error = output.stderr;
        assert!(error.contains(said), "{said}: {error}");
        assert!(!place.path().join("r").exists(), "{to}");
    }
}

#[test]
fn init_writes_a_file_that_is_understood_and_a_schema_that_is_current() {
    let place = tempfile::tempdir().unwrap();
    meshjudge(place.path(), &["bench", "init"]).ok();
    meshjudge(place.path(), &["bench", "bench.toml", "--dry-run"]).ok();
    let schema = std::fs::read_to_string(place.path().join("bench.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    // Every key of the template is one of the schema's.
    let template: toml::Table =
        std::fs::read_to_string(place.path().join("bench.toml")).unwrap().parse().unwrap();
    for key in template.keys() {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
    assert!(schema["properties"]["prompts"]["description"].as_str().unwrap().contains("GPTEval3D"));
    let again = meshjudge(place.path(), &["bench", "init"]);
    assert_eq!(again.code, Some(2), "what is there is not overwritten");
}

/// Reconstruction and category questions in one file, with photos.
#[test]
fn one_object_rubrics_are_asked_of_every_asset() {
    let place = tempfile::tempdir().unwrap();
    let demo = demo("");
    let file = format!(
        "name = \"t\"\nprompts = [{{ id = \"chair\", text = \"a wooden chair\", image = \"{0}/photo.png\", mask = \"{0}/mask.png\" }}]\n\
        rubrics = [\"reconstruction\", {{ name = \"category\", category = \"single_object\" }}]\n[[generators]]\nname = \"clean\"\npath = \"{0}/{{prompt_id}}_clean.glb\"\n\
        [[generators]]\nname = \"damaged\"\npath = \"{0}/{{prompt_id}}_damaged.glb\"\n[pictures]\nsize_px = 128\n",
        demo.display()
    );
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let output = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r", "--json"]);
    let means = output.rows_of("mean");
    let score: Vec<(&str, f64)> = means
        .iter()
        .filter(|row| row["criterion"] == "score")
        .map(|row| (row["method"].as_str().unwrap(), row["mean"].as_f64().unwrap()))
        .collect();
    // An outline by itself is no 3, and the chair has one colour.
    assert_eq!(score, [("clean", 2.0), ("damaged", 1.0)], "{}", output.stderr);
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]);
    assert_eq!(rows.rows().len(), 4);
}

/// What the file says of ratings holds for `rate` and `report` as well, until a flag says
/// otherwise.
#[test]
fn ratings_follow_the_file_of_the_benchmark() {
    let place = workplace(3, 6);
    let after = "[rating]\nties = \"davidson\"\nanchor = \"m1\"\nbootstraps = 50\n";
    std::fs::write(place.path().join("bench.toml"), bench_file(3, 6, "", after)).unwrap();
    // The probe sees no difference between these; a lost asset makes games that are no ties.
    std::fs::remove_file(place.path().join("out/m0/0.obj")).unwrap();
    let output = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]);
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    let rated = |args: &[&str]| {
        let output = meshjudge(place.path(), &[&["rate", "r", "--json"], args].concat());
        let anchored = output
            .rows_of("rating")
            .iter()
            .filter(|row| row["method"] == "m1")
            .all(|row| row["rating"] == 1000.0);
        let is_davidson =
            output.rows_of("criterion").iter().any(|row| !row["davidson_nu"].is_null());
        (anchored, is_davidson)
    };
    assert_eq!(rated(&[]), (true, true));
    assert_eq!(rated(&["--ties", "half"]), (true, false));
    assert!(!rated(&["--anchor", "m0"]).0);
}

#[test]
fn figures_without_a_reference_stand_on_the_board_and_errors_are_drawn() {
    let place = workplace(3, 4);
    let references = place.path().join("refs");
    std::fs::create_dir(&references).unwrap();
    for p in 0..4 {
        std::fs::write(references.join(format!("{p}.obj")), tetrahedron(1.0)).unwrap();
    }
    let metrics = "[[metrics]]\nnames = [\"watertight\", \"uv_stretch\", \"triangles\", \"edge_manifold\"]\n\n[[metrics]]\nreference = \"refs/{prompt_id}.obj\"\nnames = [\"cd_l1_half\"]\nsamples = 100\n\n[rating]\ncontrol = [\"triangles\"]\n";
    let file = bench_file(3, 4, "", metrics);
    std::fs::write(place.path().join("bench.toml"), &file).unwrap();
    let bench = ["bench", "bench.toml", "--run", "r"];
    let text = ok(place.path(), &bench);
    assert!(text.contains("watertight (higher is better)"), "{text}");
    // Every asset has four triangles, and each generator its own distance, whatever the prompt.
    let votes = (0..4).map(|p| format!("{p},m0,m1,overall,a,ann\n{p},m1,m2,overall,b,ann\n"));
    let votes = "prompt,a,b,criterion,vote,rater\n".to_owned() + &votes.collect::<String>();
    std::fs::write(place.path().join("votes.csv"), votes).unwrap();
    ok(place.path(), &["import", "r", "--votes", "votes.csv"]);
    let text = ok(place.path(), &["rate", "r"]);
    let refused = "no style-controlled ratings: triangles: the same for both assets of every game";
    assert!(text.contains(refused), "{text}");
    let text = ok(place.path(), &["rate", "r", "--control", "cd_l1_half"]);
    assert!(text.contains("cd_l1_half: a trait of the generators"), "{text}");
    assert!(text.contains("\ntriangles\n"), "{text}");
    let report = |name: &str| {
        meshjudge(place.path(), &["report", "r", "--out", name]).ok();
        std::fs::read_to_string(place.path().join(name)).unwrap()
    };
    let board: Value = serde_json::from_str(&report("board.json")).unwrap();
    let [watertight, stretch, triangles, chamfer] =
        [0, 1, 2, 4].map(|k| board["results"]["metrics"][k].clone());
    assert_eq!(watertight["lines"][0]["mean"], 1.0);
    assert_eq!(stretch["lines"], serde_json::json!([]), "no coordinates");
    assert_eq!(stretch["missing"], serde_json::json!([4, 4, 4]));
    // Neither more nor fewer triangles are better by themselves.
    assert_eq!(triangles["is_lower_better"], Value::Null);
    assert_eq!(triangles["lines"][0]["mean"], 4.0);
    assert_eq!(triangles["lines"][0]["ranks_all"], Value::Null);
    assert_eq!(triangles["agreement"], serde_json::json!([]));
    let worst = &chamfer["worst"][0]["error_map"];
    assert_eq!(worst["unit"], "longest");
    let hash = worst["picture"].as_str().unwrap();
    let picture = place.path().join(format!("r/error-maps/{hash}.png"));
    assert!(picture.is_file(), "{worst}");
    let page = report("board.html");
    assert!(page.contains("data:image/") && page.contains("worst cd_l1_half ("));
    assert!(page.contains("of the reference’s longest side"));
    // What no metric here is about is neither said nor cited.
    let latex = report("board.tex");
    assert!(latex.contains("sander2001") && !latex.contains("chen2022"), "{latex}");
    let markdown = report("board.md");
    assert!(markdown.contains("## Figures of the assets"), "{markdown}");
    assert!(
        markdown.contains("| generator | watertight ↑ | uv\\_stretch ↓ | triangles |"),
        "{markdown}"
    );

    // What is there is neither measured nor drawn again; what is gone is.
    let written = || std::fs::metadata(&picture).unwrap().modified().unwrap();
    let first = written();
    ok(place.path(), &bench);
    assert_eq!(written(), first);
    std::fs::remove_file(&picture).unwrap();
    ok(place.path(), &bench);
    assert!(picture.is_file());
    for (wrong, said) in [
        ("names = [\"iou\"]", "(without a reference); use one of watertight"),
        ("samples = 10", "say how an asset is compared"),
    ] {
        let file = bench_file(3, 4, "", &format!("[[metrics]]\n{wrong}\n"));
        std::fs::write(place.path().join("wrong.toml"), file).unwrap();
        let run = meshjudge(place.path(), &["bench", "wrong.toml", "--run", "w"]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

/// Ann and Ben vote; m0 is better at chairs, m1 at lamps.
#[test]
fn the_diagnosis_tells_categories_and_each_rater_left_out() {
    let place = workplace(3, 8);
    let prompts: Vec<String> = (0..8)
        .map(|p| {
            let category = ["chair", "<lamp>"][p % 2];
            format!("{{ text = \"thing {p}\", category = \"{category}\" }}")
        })
        .collect();
    let file = bench_file(3, 0, "", "")
        .replace("prompts = []", &format!("prompts = [{}]", prompts.join(", ")));
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]);
    let mut votes = "prompt,a,b,criterion,vote,rater\n".to_owned();
    for p in 0..8 {
        for rater in ["ann", "ben"] {
            let vote = if p % 2 == 0 { "a" } else { "b" };
            votes += &format!("{p},m0,m1,overall,{vote},{rater}\n{p},m1,m2,overall,a,{rater}\n");
        }
        votes += &format!("{p},m0,m2,overall,tie,ann\n");
    }
    std::fs::write(place.path().join("votes.csv"), votes).unwrap();
    ok(place.path(), &["import", "r", "--votes", "votes.csv"]);
    let shown = ok(place.path(), &["rate", "r", "--diagnose"]);
    for part in [
        "without human:ann",
        "without human:ben",
        "by category: overall (pairwise, judged by people)",
        "chair (4 prompts)",
        "<lamp> (4 prompts)",
        "without any one prompt:",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let rows = json_rows(&ok(place.path(), &["rate", "r", "--diagnose", "--json"]));
    let effect = |category: &str, method: &str| {
        let found = rows.iter().find(|row| {
            ["kind", "judge", "category", "method"].map(|key| &row[key])
                == ["category", "people", category, method]
        });
        found.unwrap()["effect"].as_f64().unwrap()
    };
    assert!(effect("chair", "m0") > 0.1 && effect("<lamp>", "m1") > 0.1);
    assert!(effect("chair", "m1") < -0.1 && effect("<lamp>", "m0") < -0.1);
    ok(place.path(), &["report", "r", "--out", "page.html"]);
    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    for part in ["Sensitivity of the order", "&lt;lamp&gt;", "without human:ann", "Circular wins"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!ok(place.path(), &["rate", "r"]).contains("by category"));
}

/// Of the shorter the better: the reference is the shortest, so the metric orders the methods, and
/// agrees with itself in another run.
/// Six assets of each method; one of `m2` is missing, one of `m1` breaks the limit.
#[test]
fn a_check_is_a_figure_of_the_board_and_may_decide_pairs() {
    let place = workplace(3, 6);
    std::fs::remove_file(place.path().join("out/m2/4.obj")).unwrap();
    let path = place.path().join("out/m1/0.obj");
    let (own, more) = (std::fs::read_to_string(&path).unwrap(), "v 9 9 9\nf 1 2 5\n");
    std::fs::write(&path, own + more).unwrap();
    let profile = "name = 'tiny'\n[[limits]]\nfigure = 'triangles'\nat_most = 4\nwhy = 'x'\n";
    std::fs::write(place.path().join("tiny.toml"), profile).unwrap();
    for failing in ["count", "missing"] {
        let check = format!("[check]\nprofile = \"tiny.toml\"\nfailing = \"{failing}\"\n");
        std::fs::write(place.path().join("bench.toml"), bench_file(3, 6, "", &check)).unwrap();
        let run = meshjudge(place.path(), &["bench", "bench.toml", "--run", failing]);
        assert_eq!(run.code, Some(1), "an asset is missing: {}", run.stderr);
        assert!(run.stderr.contains("m1: ready for tiny: 5 of 6"), "{}", run.stderr);
        let is_said = run.stderr.contains("not ready for tiny: triangles is 5");
        assert_eq!(is_said, failing == "missing", "{}", run.stderr);
        meshjudge(place.path(), &["report", failing, "--out", "board.json"]).ok();
        let text = std::fs::read_to_string(place.path().join("board.json")).unwrap();
        let board: Value = serde_json::from_str(&text).unwrap();
        let metric = &board["results"]["metrics"][0];
        assert_eq!(metric["metric"], "ready_tiny");
        let lines = metric["lines"].as_array().unwrap();
        let means: Vec<f64> = lines.iter().map(|l| l["mean"].as_f64().unwrap()).collect();
        assert_eq!(means, [1.0, 5.0 / 6.0, 5.0 / 6.0], "{failing}");
        assert!(lines[1]["interval"]["low"].as_f64().unwrap() < 0.8);
        std::fs::remove_file(place.path().join("board.json")).unwrap();
    }
}

#[test]
fn metrics_stand_on_the_board_and_are_measured_once() {
    let place = workplace(3, 6);
    let references = place.path().join("refs");
    std::fs::create_dir(&references).unwrap();
    for p in 0..6 {
        let height = 1.0 + p as f32 * 0.01;
        std::fs::write(references.join(format!("{p}.obj")), tetrahedron(height)).unwrap();
    }
    // One asset of the worst method is missing.
    std::fs::remove_file(place.path().join("out/m2/4.obj")).unwrap();
    let metrics = "[[metrics]]\nreference = \"refs/{prompt_id}.obj\"\nnames = [\"cd_l1_half\", \"f@0.01\"]\nsamples = 500\n";
    let file = bench_file(3, 6, "", metrics);
    std::fs::write(place.path().join("bench.toml"), &file).unwrap();
    let bench = ["bench", "bench.toml", "--run", "r"];
    let run = meshjudge(place.path(), &bench);
    assert_eq!(run.code, Some(1), "an asset is missing: {}", run.stderr);
    let text = run.stdout;
    assert!(text.contains("cd_l1_half (lower is better)"), "{text}");
    // The probe decides nothing here but what a missing asset decides, and that is no verdict.
    assert!(
        text.contains("no pair was decided by both a voice and the metric: cd_l1_half, f@0.01"),
        "{text}"
    );
    assert!(!text.contains("agreement of metrics with judges and people"), "{text}");
    let kept = || std::fs::read_to_string(place.path().join("r/metrics.json")).unwrap();
    let first = kept();
    let json: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 2 * (3 * 6 - 1));
    assert_eq!(json["definitions"].as_object().unwrap().len(), 2);

    let report = |name: &str| {
        meshjudge(place.path(), &["report", "r", "--out", name]).ok();
        std::fs::read_to_string(place.path().join(name)).unwrap()
    };
    let board: Value = serde_json::from_str(&report("board.json")).unwrap();
    let metric = &board["results"]["metrics"][0];
    assert_eq!(
        (&metric["metric"], &metric["is_lower_better"]),
        (&"cd_l1_half".into(), &true.into())
    );
    let lines = metric["lines"].as_array().unwrap();
    let order: Vec<u64> = lines.iter().map(|l| l["method"].as_u64().unwrap()).collect();
    assert_eq!(order, [0, 1, 2]);
    assert_eq!(lines[0]["mean"], 0.0, "m0 is the reference");
    assert!(lines[1]["interval"]["low"].as_f64() < lines[1]["interval"]["high"].as_f64());
    assert_eq!(metric["missing"], serde_json::json!([0, 0, 1]));
    // The missing asset has the worst number of the others on its prompt.
    assert_eq!(lines[2]["num_values"], 6);
    let agreement = metric["agreement"].as_array().unwrap();
    assert!(agreement.iter().any(|a| a["criterion"] == "texture_details"), "{metric}");
    let markdown = report("board.md");
    assert!(markdown.contains("| m0 | **0** |"), "{markdown}");
    let csv = report("board.csv");
    assert!(csv.contains("metric,,cd_l1_half,,1,m0,0,"));
    // Lines of metrics once had two cells less than the header.
    let cells = |line: &str| line.matches(',').count();
    assert!(csv.lines().all(|line| cells(line) == 17), "{csv}");
    let page = report("board.html");
    assert!(page.contains("id=\"metrics\""));
    let latex = report("board.tex");
    assert!(
        latex
            .contains("\\toprule\nMethod & cd\\_l1\\_half $\\downarrow$ & f@0.01 $\\uparrow$ \\\\"),
        "{latex}"
    );
    assert!(latex.contains("m0 & \\textbf{0} & \\textbf{1.000} \\\\"), "{latex}");
    assert!(latex.contains("500 points on each surface, seed 0"), "{latex}");
    for (open, close) in [('{', '}'), ('[', ']')] {
        let count = |c: char| latex.replace("\\{", "").replace("\\}", "").matches(c).count();
        assert_eq!(count(open), count(close), "{latex}");
    }
    // What a reader needs to make the numbers again.
    for said in [
        "1000 draws (seed 0) of random signs",
        "a tie counts as half a win for each",
        "output $i$ (from 0) of SplitMix64",
    ] {
        assert!(latex.contains(said), "{said}: {latex}");
    }
    // All criteria next to each other, and the plots: the first where it was asked for, the others
    // next to it.
    assert!(markdown.contains("\n## Ratings by probe"), "{markdown}");
    let svg = report("plot.svg");
    assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
    let beside = std::fs::read_to_string(place.path().join("plot-cd-l1-half.svg")).unwrap();
    assert!(beside.contains("lower is better"), "{beside}");
    let num_plots = std::fs::read_dir(place.path()).unwrap();
    let num_plots = num_plots
        .filter(|file| file.as_ref().unwrap().path().extension() == Some("svg".as_ref()))
        .count();
    let figures = latex.matches("\\begin{tikzpicture}").count();
    assert_eq!(figures, num_plots, "the figures of board.tex are the plots");
    assert!(page.contains(">Copy LaTeX<") && page.contains("\\toprule"));
    let bibtex = report("board.bib");
    for cited in latex.split("\\cite{").skip(1).filter_map(|rest| rest.split('}').next()) {
        assert!(bibtex.contains(&format!("{{{cited},")), "{cited}: {bibtex}");
    }

    // People prefer what the metric prefers on four prompts of six.
    let votes =
        (0..6).map(|p| format!("thing {p},m0,m1,overall,{},ann\n", if p < 4 { "a" } else { "b" }));
    let votes = "prompt,a,b,criterion,vote,rater\n".to_owned() + &votes.collect::<String>();
    std::fs::write(place.path().join("votes.csv"), votes).unwrap();
    ok(place.path(), &["import", "r", "--votes", "votes.csv"]);
    let rated = meshjudge(place.path(), &["rate", "r"]).stdout;
    let (_, table) = rated
        .split_once("agreement of metrics with judges and people, with 95 % intervals")
        .expect(&rated);
    let line = |metric: &str| {
        let mut lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        lines.find(|words| words.first() == Some(&metric)).expect(table)
    };
    for metric in ["cd_l1_half", "f@0.01"] {
        assert_eq!(line(metric)[..6], [metric, "people", "Overall", "6", "67", "%"], "{table}");
        assert!(table.lines().any(|l| l.contains(metric) && l.contains(" of 6 ")), "{table}");
    }
    assert!(!rated.contains("no pair was decided by both a voice and the metric"), "{rated}");

    // Nothing is measured again: a changed number stays, as long as the files do.
    let marked = first.replacen(r#""value":"0""#, r#""value":"0.125""#, 1);
    assert_ne!(marked, first);
    std::fs::write(place.path().join("r/metrics.json"), &marked).unwrap();
    meshjudge(place.path(), &bench);
    // Which assets are worst, and so which errors are drawn, follows the numbers.
    let numbers = |text: &str| text.split("\"error_maps\"").next().unwrap().to_owned();
    assert_eq!(numbers(&kept()), numbers(&marked));
    // Another definition is.
    let more = file.replace("samples = 500", "samples = 600");
    std::fs::write(place.path().join("bench.toml"), more).unwrap();
    meshjudge(place.path(), &bench);
    assert!(!kept().contains("0.125"));
    for (wrong, said) in [
        ("names = [\"chamfer\"]", "unknown metric"),
        ("names = [\"f@0.01\"]\nsamples = 0", "number of samples"),
    ] {
        let file = bench_file(
            3,
            6,
            "",
            &format!("[[metrics]]\nreference = \"refs/{{prompt_id}}.obj\"\n{wrong}\n"),
        );
        std::fs::write(place.path().join("wrong.toml"), file).unwrap();
        let run = meshjudge(place.path(), &["bench", "wrong.toml", "--run", "w"]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_written_into_commands_bodies_and_redirects_are_kept_nowhere() {
    const SECRETS: [&str; 4] = [
        "sk-flag0123456789abcdef",
        "plain-flag-secret",
        "redirect-secret-01",
        "header-secret-012345",
    ];
    let [flag, plain_flag, of_redirect, of_header] = SECRETS;
    let server = Mocks::start().await;
    let away = format!(
        "https://user:{of_redirect}@elsewhere.example/login?token={of_redirect}#{of_redirect}"
    );
    Mock::given(wiremock::matchers::path("/v1/chat/completions"))
        .and(wiremock::matchers::header("api-key", of_header))
        .respond_with(ResponseTemplate::new(307).insert_header("location", away.as_str()))
        .mount(&server)
        .await;
    let place = workplace(2, 1);
    let address = server.uri();
    let judges = format!(
        "judges = [{{ spec = \"openai:m\", base_url = \"{address}/v1?api-version=1\", headers = {{ api-key = \"$THE_KEY\" }} }}]"
    );
    let generators = format!(
        "[[generators]]\nname = \"made\"\nretries = 0\ncommand = [\"false\", \"--api-key\", \"{plain_flag}\", \"--x={flag}\", \"Authorization: Bearer {plain_flag}\", \"{{out}}\"]\n\
        [[generators]]\nname = \"echo\"\nretries = 0\ncommand = [\"sh\", \"-c\", \"echo $API_TOKEN >&2; exit 1\", \"{{out}}\"]\nenv = {{ API_TOKEN = \"{plain_flag}\" }}\n\
        [[generators]]\nname = \"line\"\nretries = 0\ncommand = \"false --token={plain_flag} {flag} '{{prompt}}' {{out}}\"\n"
    );
    let file = bench_file(2, 1, &judges, &generators);
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let folder = place.path().to_owned();
    let out = tokio::task::spawn_blocking(move || {
        let args = ["bench", "bench.toml", "--run", "r", "--no-canary"];
        Run::of(command(&folder, args).env("THE_KEY", of_header))
    })
    .await
    .unwrap();
    let said = "redirects (307) to https://elsewhere.example/login?";
    assert!(out.stderr.contains(said), "{}", out.stderr);
    let mut folders = vec![place.path().join("r")];
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // What a program writes to its log is its own affair.
            if path.ends_with("log.txt") {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            for secret in SECRETS {
                let found = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
                assert!(!found, "{secret} in {path:?}");
            }
            looked_at += 1;
        }
    }
    assert!(looked_at >= 4, "{looked_at}");
    for secret in SECRETS {
        assert!(!out.stderr.contains(secret) && !out.stdout.contains(secret), "{}", out.stderr);
    }
    let kept = std::fs::read_to_string(place.path().join("r/run.toml")).unwrap();
    for word in ["$THE_KEY", "{prompt}", "--api-key", "api-version=1"] {
        assert!(kept.contains(word), "{word}: {kept}");
    }
}

#[test]
fn prompts_are_understood_in_many_forms_and_else_the_mistake_is_named() {
    let place = crate::support::assets::two_assets();
    let run = |prompts: &str, path: &str| {
        let file = format!(
            "name = \"t\"\n{prompts}\njudges = [\"probe\"]\n[pictures]\nsize_px = 32\n[[generators]]\nname = \"a\"\npath = {path}\n\
            [[generators]]\nname = \"b\"\npath = \"b.obj\"\n"
        );
        std::fs::write(place.path().join("b.toml"), file).unwrap();
        meshjudge(place.path(), &["bench", "b.toml", "--dry-run", "--run", "r"])
    };
    for (name, text) in [
        ("p.jsonl", "{\"id\": 1, \"prompt\": \"a chair\"}\n"),
        ("p.json", "{\"p1\": \"a chair\", \"p2\": {\"text\": \"a vase\"}}"),
        ("p.csv", "\u{feff}ID;Prompt;Category\n1;a chair;\n;;\n"),
        ("p.tsv", "text\ta\n"),
    ] {
        std::fs::write(place.path().join(name), text).unwrap();
        let done = run(&format!("prompts = {name:?}"), "\"a.obj\"");
        let is_wrong = name == "p.tsv";
        assert_eq!(done.code, Some(if is_wrong { 2 } else { 0 }), "{name}: {}", done.stderr);
    }
    for (prompts, path, help) in [
        ("prompts = [5]", "\"a.obj\"", "a list of texts"),
        ("prompts = [\"x\"]\nrubrics = [7]", "\"a.obj\"", "a rubric: its name"),
        ("prompts = [\"x\"]", "\"C:\\assets\\{prompt_id}.glb\"", "single quotes"),
        ("prompts = [\"x\"]", "\"out\\trellis.glb\"", "single quotes"),
    ] {
        let said = run(prompts, path);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        assert!(said.stderr.contains(help) && !said.stderr.contains("untagged"), "{}", said.stderr);
    }
}
