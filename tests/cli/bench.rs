//! The real program: `bench` on small meshes: failures as outcomes, resume, kills, schedules, and a
//! board that does not depend on any of it.

use crate::support::assets::{CUBE, Folder, demo, tetrahedron};
use crate::support::judge_server::{Mocks, pictures_of, reply};
use crate::support::program::{Run, Text as _, generator, kill_when, start};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use wiremock::{Mock, Request, ResponseTemplate};

/// `methods` × `prompts` OBJ files under `out/`, every one of another height.
fn workplace(methods: usize, prompts: usize) -> Folder {
    let folder = Folder::new();
    for m in 0..methods {
        for p in 0..prompts {
            let height = 1.0 + m as f32 * 0.05 + p as f32 * 0.01;
            folder.write(format!("out/m{m}/{p}.obj"), tetrahedron(height));
        }
    }
    folder
}

/// A benchmark file over that folder; `more` is before the generators, `after` behind them.
fn bench_file(methods: usize, prompts: usize, more: &str, after: &str) -> String {
    let prompts: String = (0..prompts).map(|p| format!("\"thing {p}\", ")).collect();
    bench_of(&prompts, methods, more, after)
}

/// The same with other prompts.
fn bench_of(prompts: &str, methods: usize, more: &str, after: &str) -> String {
    let generators: String = (0..methods)
        .map(|m| generator(&format!("m{m}"), &format!("out/m{m}/{{prompt_id}}.obj")))
        .collect();
    format!(
        "name = \"test\"\nprompts = [{prompts}]\n{more}\n{generators}\n[pictures]\nsize_px = 32\nviews = 1\n{after}"
    )
}

/// Writes such a file.
fn write_bench(place: &Folder, methods: usize, prompts: usize, more: &str, after: &str) {
    place.write("bench.toml", bench_file(methods, prompts, more, after));
}

/// The program with a key, which judges at an address want.
fn with_key(folder: &Folder, args: &str) -> Command {
    let mut command = folder.command(args);
    command.env("OPENAI_API_KEY", "sk-not-real");
    command
}

#[test]
fn numbers_that_need_no_judge_are_shown_where_the_judge_decides_nothing() {
    let place = workplace(1, 1);
    place.write("out/m1/0.obj", CUBE);
    let metrics = "[[metrics]]\nnames = [\"triangles\", \"watertight\"]\n";
    write_bench(&place, 2, 1, "", metrics);
    let board = "watertight (higher is better)";
    let run = place.ok("bench bench.toml --run r");
    run.shows([board, "measured facts"]).says("decided no criterion");
    place.ok("rate r").shows(board);
    place.read("r/report.html").must_have(["Nothing is rated", "watertight"]);
}

#[test]
fn what_would_be_noticed_after_the_last_question_is_refused_before_the_first() {
    let place = Folder::new();
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
        write_bench(&place, 2, 1, more, after);
        place.run("bench bench.toml --run r").refuses(said);
        assert!(!place.join("r").exists());
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

/// What `rate --json` says, apart from what a clock decides.
fn board(folder: &Folder, run_folder: &str) -> String {
    let rated = folder.ok(&format!("rate {run_folder} --json --bootstraps 200"));
    rated.shows("\"rating\"");
    rated.stdout
}

#[test]
fn a_failed_broken_or_blank_asset_is_a_loss_and_never_a_picture() {
    let place = workplace(1, 2);
    place.write("bad/0.obj", "this is no mesh");
    // One triangle of no area: it loads, or is refused, and nothing can be seen.
    place.write("bad/1.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n");
    let failing =
        generator("bad", "bad/{prompt_id}.obj") + &generator("gone", "gone/{prompt_id}.obj");
    write_bench(&place, 1, 2, "", &failing);
    // Nothing could be judged: no pair has two assets.
    let missing = ["bad has no asset", "gone has no asset", "no such file"];
    place.run("bench bench.toml --run r --json").fails(missing);
    assert_eq!(place.names("r/sheets").len(), 0);

    // With a second sound generator there are verdicts, and the missing assets lose.
    for p in 0..2 {
        // As good as m0: the same shape. Of other proportions the probe would not say which are
        // right.
        let height = 1.0 + p as f32 * 0.01;
        place.write(format!("out/m1/{p}.obj"), tetrahedron(height));
    }
    write_bench(&place, 2, 2, "", &failing);
    let output = place.run("bench bench.toml --run r --json").ends(1);
    // A scheduler would send it again for ever.
    place.ok("bench bench.toml --run r --ok-if-some-failed");
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
    forfeits_are_rows(&place);

    // The other rule.
    write_bench(&place, 2, 2, "missing_assets = \"leave-out\"", &failing);
    let output = place.run("bench bench.toml --run left --json");
    let overall =
        output.rows_of("criterion").into_iter().find(|row| row["criterion"] == "overall").unwrap();
    assert_eq!((&overall["forfeits"], &overall["games"]), (&0.into(), &2.into()));
}

/// Each of the 8 pairs is a row in which the missing asset has no hash and the other one its own.
fn forfeits_are_rows(folder: &Folder) {
    let rows = folder.ok("export r --format jsonl --out -").rows();
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
        folder.ok(&format!("export r --format {format} --out {format}"));
    }
    assert_eq!(folder.read("csv").matches(",forfeit,").count(), 8);
}

#[test]
fn an_over_long_prompt_is_named_and_left_out_and_the_rest_is_judged() {
    let place = workplace(2, 2);
    let long = "x".repeat(20_000);
    let file = bench_file(2, 2, "", "").replace("\"thing 1\"", &format!("{long:?}"));
    place.write("bench.toml", &file);
    let output = place.run("bench bench.toml --run r --json").ends(1);
    output.says("the prompt \"1\" is left out: it has 20000 characters");
    let plan = &output.rows_of("plan")[0];
    assert_eq!((&plan["prompts"], &plan["long_prompts"]), (&1.into(), &serde_json::json!(["1"])));
    assert_eq!(output.rows_of("criterion")[0]["games"], 1);

    place.write("bench.toml", file.replace("\"thing 0\", ", ""));
    place.run("bench bench.toml --run none").refuses("every prompt has more than 16384 characters");
}

#[cfg(unix)]
#[test]
fn commands_make_assets_once_with_log_retry_time_limit_and_graphics_card() {
    let place = workplace(1, 1);
    let script = "#!/bin/sh\n# $1 prompt id, $2 seed, $3 out, $4 prompt\necho \"card $CUDA_VISIBLE_DEVICES prompt $4\"\necho x >> calls.txt\nif [ ! -f tried ]; then touch tried; echo 'out of memory' >&2; exit 9; fi\ncp out/m0/0.obj \"$3\"\n";
    place.write("gen.sh", script);
    let file = "name = \"t\"\nprompts = [\"a; rm -rf 'x' $(y)\"]\n[[generators]]\nname = \"m0\"\npath = \"out/m0/{prompt_id}.obj\"\n\
        [[generators]]\nname = \"made\"\ncommand = \"sh gen.sh {prompt_id} {seed} {out} {prompt}\"\nextension = \"obj\"\ngpu = true\n\
        [[generators]]\nname = \"slow\"\ncommand = [\"sh\", \"-c\", \"sleep 60 & wait\"]\ntimeout_secs = 1\nretries = 0\n\
        [generation]\ngpus = [\"7\"]\n[pictures]\nsize_px = 32\nviews = 1\n";
    place.write("bench.toml", file);
    let start = std::time::Instant::now();
    let bench = || place.run("bench bench.toml --run r").ends(1);
    bench().says(["slow has no asset", "longer than 1 s"]);
    assert!(start.elapsed() < Duration::from_secs(40), "the sleeper was not ended");
    let num_calls = || place.read("calls.txt").lines().count();
    assert_eq!(num_calls(), 2, "one failure, one retry");
    let log = place.read("r/made/made/0/0/log.txt");
    // The prompt stayed one word and no shell read it.
    assert_eq!(log, "card 7 prompt a; rm -rf 'x' $(y)\n");
    bench();
    assert_eq!(num_calls(), 2, "nothing is made twice");
}

/// What ends a run before its time.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Kill,
    LimitOfRequests,
}

/// An undisturbed run and one that ends early several times, in the middle of rounds, after these
/// numbers of answers: the same board, and nothing is asked twice but what was in flight at a kill.
async fn interrupt(methods: usize, prompts: usize, pairs: &str, end: End, answers: &[usize]) {
    let (server, count) = scripted_judge().await;
    let place = workplace(methods, prompts);
    // Pairs are settled on the way where one generator has hardly any assets.
    let are_settled = pairs.contains("settled");
    for prompt in (4..prompts).filter(|_| are_settled) {
        place.remove(format!("out/m2/{prompt}.obj"));
    }
    write_bench(&place, methods, prompts, &server.judges(&["scripted"]), pairs);
    let bench = |run: &str| with_key(&place, &format!("bench bench.toml --run {run}"));
    let whole = || Run::of(&mut bench("ended")).ends(i32::from(are_settled));
    Run::of(&mut bench("whole")).ends(i32::from(are_settled));
    let questions = count.swap(0, Ordering::SeqCst);
    for after in answers {
        let before = count.load(Ordering::SeqCst);
        if end == End::Kill {
            assert!(before + after < questions, "{questions} questions");
            let is_answered = || count.load(Ordering::SeqCst) >= before + after;
            kill_when(start(&mut bench("ended")), is_answered).await;
            continue;
        }
        let mut limited = bench(&format!("ended --max-requests {after}"));
        Run::of(&mut limited).says("stopped by the budget");
        // The limit counts the test of the judge as well.
        let asked = count.load(Ordering::SeqCst);
        assert!((after - 2..=*after).contains(&asked), "{asked} of {after}");
    }
    whole();
    // In flight at a kill are at most `concurrency` replies.
    let twice_max = if end == End::Kill { 8 * answers.len() } else { 0 };
    let asked = count.load(Ordering::SeqCst);
    assert!((questions..=questions + twice_max).contains(&asked), "{asked} of {questions}");
    assert_eq!(board(&place, "whole"), board(&place, "ended"), "{end:?} {pairs}");
    whole();
    assert_eq!(count.load(Ordering::SeqCst), asked, "nothing is asked twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_interrupted_ends_with_the_same_board() {
    const ACTIVE: &str = "[pairs]\nschedule = \"active\"\ncount = 40\nround = 8\n";
    const SETTLED: &str = "[pairs]\nstop = \"settled\"\nround = 3\n";
    for (methods, prompts, pairs, end, answers) in [
        (4, 6, "", End::Kill, &[3, 20][..]),
        (5, 8, ACTIVE, End::Kill, &[3, 25]),
        (5, 8, ACTIVE, End::LimitOfRequests, &[5, 22, 37]),
        (3, 24, SETTLED, End::LimitOfRequests, &[7, 20, 33]),
    ] {
        interrupt(methods, prompts, pairs, end, answers).await;
    }
}

/// `cargo test --release --test cli bench:: -- --ignored --nocapture`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; the small one always runs"]
async fn a_killed_run_of_20_methods_and_100_prompts_ends_with_the_same_board() {
    interrupt(20, 100, "", End::Kill, &[500, 5000, 11_000]).await;
}

#[test]
fn shards_together_are_the_whole() {
    let place = workplace(3, 5);
    write_bench(&place, 3, 5, "", "");
    for part in ["1/2", "2/2"] {
        place.ok(&format!("bench bench.toml --run parts --shard {part}"));
    }
    place.ok("bench bench.toml --run whole");
    place.ok("import joined --from parts");
    // The folder of the parts is as good as their names.
    let whole = place.ok("rate whole --json").stdout;
    for run in ["parts/shard-1-of-2 parts/shard-2-of-2", "parts", "joined"] {
        assert_eq!(place.ok(&format!("rate {run} --json")).stdout, whole, "{run}");
    }
    let rows = |run: &str| {
        let output = place.ok(&format!("export {run} --format csv"));
        let mut lines: Vec<String> = output.stdout.lines().map(str::to_owned).collect();
        let header = lines.remove(0);
        lines.sort();
        (header, lines.len())
    };
    assert_eq!(rows("parts"), rows("whole"));
    place.ok("report parts");
    assert!(place.join("parts/report.html").is_file());
    // A forgotten or another division would pay for every answer again.
    for other in ["--run parts", "--run parts --shard 1/3", "--run whole --shard 1/2"] {
        place
            .run(&format!("bench bench.toml {other}"))
            .refuses("another number of shards would ask every question again");
    }
    // A run next to the shards would hide them.
    place.write("v.csv", "prompt,a,b,criterion,vote,rater\nthing 0,m0,m1,overall,a,R\n");
    place.run("import parts --votes v.csv").refuses("2 of 2 shards");
    assert!(!place.join("parts/run.sqlite").exists());
    // A part that is missing is named.
    std::fs::remove_dir_all(place.join("parts/shard-2-of-2")).unwrap();
    place.run("rate parts").says("parts/shard-2-of-2");
}

/// Another text or other pictures are other questions: the old verdicts are set aside, and count
/// again once the change is undone.
#[test]
fn verdicts_on_another_text_or_other_pictures_are_set_aside() {
    let place = workplace(2, 3);
    let file = bench_file(2, 3, "rubrics = [\"own.toml\"]", "");
    place.copy("prompts/pairwise.toml", "own.toml");
    place.copy("prompts/pairwise.md", "pairwise.md");
    let words = place.read("pairwise.md");
    place.write("bench.toml", &file);
    let bench = |more: &str| place.run(&format!("bench bench.toml --run run --seed 1 {more}"));
    let board = || place.ok("rate run --json").stdout;
    bench("").ok();
    let first = board();
    let reworded = words.replace("You are comparing", "You compare");
    assert_ne!(reworded, words);
    let larger = file.replace("size_px = 32", "size_px = 64");
    let fitted = file.replace("size_px = 32", "size_px = 32\nfit_px = 16");
    for (file, words) in [(&file, &reworded), (&larger, &words), (&fitted, &words)] {
        let before = board();
        place.write("bench.toml", file);
        place.write("pairwise.md", words);
        bench("--dry-run").ok().shows("  0 questions are answered");
        assert_eq!(board(), before, "a dry run changes nothing");
        bench("").ok().shows("6 verdicts");
        place.ok("rate run").says("with another text of the rubric or with other pictures");
        let rows = place.answers("run");
        let left_out = rows.iter().filter(|row| row["not_rated"] == "question");
        assert_eq!(left_out.count(), rows.len() - 6, "{rows:?}");
    }
    // In a run that knows nothing of the change they would count again.
    place.ok("import copy --from run").shows("6 questions copied");
    assert_eq!(place.ok("rate copy --json").stdout, board());
    place.write("bench.toml", &file);
    bench("--dry-run").ok().shows("6 questions are answered");
    bench("").ok();
    assert_eq!(board(), first);
}

/// A page that says what it would say anyway is left as it is: for a large run it is hundreds of
/// megabytes.
#[test]
fn a_report_is_written_again_only_where_something_has_changed() {
    let place = workplace(2, 6);
    let file = bench_file(2, 6, "", "");
    place.write("bench.toml", &file);
    let page = "run/report.html";
    let bench = || place.ok("bench bench.toml --run run");
    let first = bench();
    let written = place.read(page);
    // Nobody has looked at the objects yet, and the page says so.
    written.must_have([
        "it does not recognise objects",
        "<p class=\"answer\">All generators have the same rating in texture details.</p>",
    ]);
    // Only a page that is not written again keeps a word of ours.
    let is_kept = || {
        place.write(page, place.read(page) + "<!-- a word -->");
        let said = bench().stdout;
        (place.read(page).ends_with("<!-- a word -->"), said)
    };
    assert_eq!(is_kept(), (true, first.stdout));
    for (what, change) in [
        ("a page with fewer pictures", "report run --pictures 1"),
        ("a page with its gallery elsewhere", "report run --gallery beside"),
    ] {
        place.ok(change);
        assert!(!is_kept().0 && place.read(page) == written, "{what}");
    }
    // Its settings, a vote, a page that is gone.
    place.edit("bench.toml", "[pictures]", "[rating]\nbootstraps = 50\n[pictures]");
    assert!(!is_kept().0, "other settings");
    place.vote("run", "thing 0,m0,m1,overall,a,Ada\n");
    assert!(!is_kept().0, "a vote");
    place.remove(page);
    bench();
    assert!(place.join(page).is_file());
}

#[test]
fn a_scheduler_names_the_part_and_limits_are_divided() {
    let place = workplace(3, 3);
    let limit = "[budget]\nmax_requests = 10\n";
    write_bench(&place, 3, 3, "", limit);
    let part = |number: &str, count: &str, last: &str| {
        // The file in this folder is the default.
        let mut command = place.command("bench --run parts --shard auto");
        let variables = ["TASK_ID", "TASK_COUNT", "TASK_MIN", "TASK_MAX"];
        for (name, value) in variables.iter().zip([number, count, "1", last]) {
            command.env(format!("SLURM_ARRAY_{name}"), value);
        }
        Run::of(&mut command)
    };
    let second = part("2", "4", "4").ok();
    second.says(["shard 2 of 4, from SLURM_ARRAY_TASK_ID", "limit of this shard: 3 requests"]);
    assert!(place.join("parts/shard-2-of-4/run.sqlite").is_file());
    // More parts than prompts: the last has nothing to do, which is no failure.
    part("4", "4", "4").ok().says("has no prompts");
    assert!(!place.join("parts/shard-4-of-4").exists());
    // Tasks 1 and 3 of an array sent again do not say how many there are.
    part("3", "2", "3").refuses("auto/1-3");
    Folder::new().run("bench").says("bench init");
}

#[test]
fn a_budget_of_pairs_is_kept_and_a_limit_of_requests_stops() {
    let place = workplace(4, 5);
    let after = "[pairs]\nway = \"round-robin\"\ncount = 9\n";
    write_bench(&place, 4, 5, "", after);
    place.ok("bench bench.toml --run r");
    assert_eq!(place.answers("r").len(), 18);
    // An active run that would need a server it may not ask.
    let judges = "judges = [{ spec = \"openai:m\", base_url = \"http://127.0.0.1:9/v1\" }]";
    write_bench(&place, 4, 5, judges, "[budget]\nmax_requests = 0\n");
    place.run("bench bench.toml --run poor").ends(3);
}

#[test]
fn a_run_stops_when_the_order_is_settled_and_asks_nothing_more() {
    let place = workplace(2, 30);
    for prompt in 2..30 {
        place.remove(format!("out/m1/{prompt}.obj"));
    }
    write_bench(&place, 2, 30, "", "[pairs]\nstop = \"settled\"\nround = 1\n");
    let bench = "bench bench.toml --run r";
    let settled = |said: &str| {
        let line = said.lines().find(|line| line.contains("pairs are settled after")).unwrap();
        let words: Vec<&str> = line.split("after ").nth(1).unwrap().split(' ').collect();
        assert!(line.contains("1 of 1 pairs") && words[2] == "30", "{line}");
        words[0].parse::<usize>().unwrap()
    };
    let first = place.run(bench);
    assert!((7..20).contains(&settled(&first.stderr)), "{}", first.stderr);
    first.says("settled ranks: m0 1, m1 2");
    let rows = place.answers("r");
    let again = place.run(bench);
    assert_eq!(settled(&again.stderr), settled(&first.stderr));
    assert_eq!(place.answers("r"), rows);
}

/// The board of the judge has 12 ties, whatever people vote, and none of a judge at another
/// address.
#[tokio::test(flavor = "multi_thread")]
async fn only_what_the_board_of_the_judge_has_settles_a_pair() {
    let place = workplace(2, 12);
    let ties = Mocks::chat(|_: &Request| reply("Words.\n\n3 3 3 3 3 3", "stop")).await;
    let bench = |judges: &str, after: &str| {
        write_bench(&place, 2, 12, judges, after);
        Run::of(&mut with_key(&place, "bench bench.toml --run r --no-canary"))
    };
    let judges = ties.judges(&["m"]);
    bench(&judges, "");
    let votes = (0..12).map(|p| format!("thing {p},m0,m1,overall,a,ann\n"));
    place.vote("r", &votes.collect::<String>());
    let stop = "[pairs]\nstop = \"settled\"\n";
    bench(&judges, stop).says([
        "0 of 1 pairs are settled after 0 of 12",
        "12 of the prompts were asked before an order",
    ]);
    let elsewhere = judges.replace(&ties.uri(), "http://127.0.0.1:9");
    bench(&elsewhere, &format!("{stop}[budget]\nmax_requests = 0\n"))
        .says("0 of 1 pairs are settled after 0 of 12");
}

/// Whether the left half of the sheet is more red than blue, and the request as JSON.
fn red_is_left(request: &Request) -> (bool, Value) {
    let body: Value = request.body_json().unwrap();
    let sheet = pictures_of(&body).remove(0).to_rgb8();
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
        let color = |line: &str| if line.starts_with("v ") { color } else { "" };
        let painted = tetrahedron(1.0);
        let painted = painted.lines().map(|line| format!("{line}{}\n", color(line)));
        let painted: String = painted.collect();
        for prompt in 0..24 {
            place.write(format!("out/{generator}/{prompt}.obj"), &painted);
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
    let bench = |models: &[&str], run: &str| {
        write_bench(&place, 2, 24, &server.judges(models), "");
        let args = format!("bench bench.toml --run {run} --no-canary --ok-if-some-failed");
        let said = Run::of(&mut with_key(&place, &args)).ok();
        let rated = place.ok(&format!("rate {run}"));
        (said, rated.stdout + &rated.stderr)
    };
    let wanted = "12 of 12 refusals of openai:shy are prompts that m0 wins elsewhere (0 % of the other prompts): what it left out favours the others";
    let (said, rated) = bench(&["bold", "shy"], "r");
    said.says(wanted);
    rated.must_have(wanted);
    place.read("r/report.html").must_have("12 of 12 refusals of openai:shy");
    // By itself it says nothing of these prompts, so nothing is known of them.
    let (_, rated) = bench(&["shy"], "alone");
    assert!(!rated.contains("refusals of"), "{rated}");
}

/// Photos to be rebuilt have one text; each is a prompt of its own, for judges and for people's
/// votes.
#[test]
fn prompts_of_one_text_are_told_apart_by_their_ids() {
    let place = workplace(2, 6);
    let listed = |p: usize| format!("{{ id = \"{p}\", text = \"the object in the photo\" }}, ");
    let bench = |prompts: &str, run: &str| {
        place.write("bench.toml", bench_of(prompts, 2, "", ""));
        place.ok(&format!("bench bench.toml --run {run}"));
    };
    bench(&(0..6).map(listed).collect::<String>(), "r");
    let votes = (0..6).map(|p| format!("{p},m0,m1,overall,a,ann\n"));
    place.vote("r", &votes.collect::<String>());
    let rated = place.ok("rate r").stdout;
    rated.must_have("6 games on 6 prompts");
    assert!(!rated.contains("on 1 prompt"), "{rated}");
    place.ok("diff r r").shows("  6 ");
    // Each of them alone in a run.
    bench(&listed(0), "0");
    bench(&listed(1), "1");
    place.ok("rate 0 1").shows("2 games on 2 prompts");
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
        place.write("bench.toml", text);
    };
    file("{ id = \"chair\", text = \"a chair\" }");
    place.ok("bench bench.toml --run r");
    let methods = place.names("r/made");
    let method = methods.iter().find(|name| name.starts_with("maker")).unwrap();
    assert!(methods.len() == 2 && *method != "maker", "{methods:?}");
    // As a version without this rule has named it.
    std::fs::rename(place.join("r/made").join(method), place.join("r/made/maker")).unwrap();
    file("{ id = \"Chair\", text = \"another chair\" }, { id = \"chair\", text = \"a chair\" }");
    place.ok("bench bench.toml --run r");
    let prompts = place.names("r/made/maker");
    let has = |name: &str| prompts.iter().any(|it| it == name);
    assert!(prompts.len() == 2 && has("chair") && !has("Chair"), "{prompts:?}");
    assert_eq!(place.names("r/made").len(), 2, "no asset is made again under another name");
}

#[test]
fn a_dry_run_does_nothing_and_says_everything() {
    let place = workplace(3, 4);
    write_bench(&place, 3, 4, "samples = 2", "");
    let plan = &place.ok("bench bench.toml --dry-run --json").rows()[0];
    assert_eq!(["assets", "pairs", "questions", "requests"].map(|key| &plan[key]), [12, 12, 48, 0]);
    assert!(!place.join("runs").exists());
}

#[test]
fn a_dry_run_takes_off_what_is_answered_and_what_missing_assets_decide() {
    let place = workplace(3, 4);
    let dry = |judges: &str, methods: usize, more: &str| {
        write_bench(&place, methods, 4, judges, more);
        let rows = place.ok("bench bench.toml --dry-run --json --run r").rows();
        let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
        let plan =
            ["questions", "answered", "missing", "requests"].map(|key| number(&rows[0], key));
        let estimates: Vec<u64> = rows[1..].iter().map(|row| number(row, "questions")).collect();
        (plan, estimates, rows)
    };
    let (plan, estimates, _) = dry("", 3, "");
    assert_eq!((plan, estimates), ([24, 0, 0, 0], vec![24]));
    place.ok("bench bench.toml --run r");
    // Another judge has everything before it, and needs no key to be counted.
    let model = "judges = [\"probe\", \"openai:gpt-4o\"]";
    let (plan, estimates, rows) = dry(model, 3, "");
    assert_eq!((plan, estimates), ([48, 24, 0, 24], vec![0, 24]));
    assert!(rows[2]["input_tokens"].as_u64() > Some(1000), "{}", rows[2]);
    assert!(rows[2]["cost_usd_max"].as_f64() > rows[2]["cost_usd"].as_f64());
    // A method without assets loses each of its pairs, and nobody is asked.
    let (plan, estimates, _) = dry("", 4, "");
    assert_eq!((plan, estimates), ([48, 24, 24, 0], vec![0]));
    place
        .ok("bench bench.toml --dry-run --run r")
        .shows("24 questions cannot be asked (assets missing: out/m3/0.obj, out/m3/1.obj, ");
}

#[cfg(unix)]
#[test]
fn a_generator_does_not_inherit_the_keys_of_judges() {
    let place = workplace(1, 1);
    let curious = "[[generators]]\nname = \"curious\"\nretries = 0\ncommand = [\"sh\", \"-c\", \"env | grep -c sk-not-real; echo has $OTHER; exit 1\"]\n";
    write_bench(&place, 1, 1, "", curious);
    let mut bench = with_key(&place, "bench bench.toml --run r");
    bench.envs([("ANTHROPIC_API_KEY", "sk-not-real"), ("GEMINI_API_KEY", "sk-not-real")]);
    Run::of(bench.env("OTHER", "all else")).says("0 | has all else");
}

#[cfg(unix)]
#[test]
fn what_a_programs_words_and_environment_hold_is_shown_and_stored_nowhere() {
    let place = workplace(1, 1);
    let script = "echo '{\"type\":\"ready\"}'\nread -r order\n\
        printf '{\"type\":\"failed\",\"id\":1,\"retry\":\"never\",\"reason\":\"\\\\u001b[2J no: %s, %s, %s\"}\\n' \"$1\" \"$GENERATOR_KEY\" \"$OWN_TOKEN\"\n\
        read -r order\n";
    place.write("gen.sh", script);
    let generator = "[[generators]]\nname = \"remote\"\nserve = \"sh gen.sh token=tok-0123456789\"\nenv = { OWN_TOKEN = \"own-0123456789\" }\n";
    write_bench(&place, 1, 1, "", generator);
    let mut bench = place.command("bench bench.toml --run r");
    let out = Run::of(bench.env("GENERATOR_KEY", "Bearer gen-0123456789"));
    out.says("the service refused it");
    assert!(!out.stderr.contains('\u{1b}'), "{:?}", out.stderr);
    kept_nowhere(&["tok-0123456789", "gen-0123456789", "own-0123456789"], &out, &place);
    place.read("r/run.toml").must_have("token=[redacted]");
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
        place.write("bench.toml", good.replace(from, to));
        place.run("bench bench.toml --run r").refuses(said);
        assert!(!place.join("r").exists(), "{to}");
    }
}

#[test]
fn init_writes_a_file_that_is_understood_and_a_schema_that_is_current() {
    let place = Folder::new();
    place.ok("bench init");
    place.ok("bench bench.toml --dry-run");
    let schema = place.json("bench.schema.json");
    // Every key of the template is one of the schema's.
    let template: toml::Table = place.read("bench.toml").parse().unwrap();
    for key in template.keys() {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
    assert!(schema["properties"]["prompts"]["description"].as_str().unwrap().contains("GPTEval3D"));
    // A file is not overwritten.
    place.run("bench init").refuses("--force");
}

/// Reconstruction and category questions in one file, with photos.
#[test]
fn one_object_rubrics_are_asked_of_every_asset() {
    let place = Folder::new();
    let demo = demo("");
    let file = format!(
        "name = \"t\"\nprompts = [{{ id = \"chair\", text = \"a wooden chair\", image = \"{0}/photo.png\", mask = \"{0}/mask.png\" }}]\n\
        rubrics = [\"reconstruction\", {{ name = \"category\", category = \"single_object\" }}]\n[[generators]]\nname = \"clean\"\npath = \"{0}/{{prompt_id}}_clean.glb\"\n\
        [[generators]]\nname = \"damaged\"\npath = \"{0}/{{prompt_id}}_damaged.glb\"\n[pictures]\nsize_px = 128\n",
        demo.display()
    );
    place.write("bench.toml", file);
    let output = place.run("bench bench.toml --run r --json");
    let means = output.rows_of("mean");
    let score: Vec<(&str, f64)> = means
        .iter()
        .filter(|row| row["criterion"] == "score")
        .map(|row| (row["method"].as_str().unwrap(), row["mean"].as_f64().unwrap()))
        .collect();
    // An outline by itself is no 3, and the chair has one colour.
    assert_eq!(score, [("clean", 2.0), ("damaged", 1.0)], "{}", output.stderr);
    assert_eq!(place.answers("r").len(), 4);
}

/// What the file says of ratings holds for `rate` and `report` as well, until a flag says
/// otherwise.
#[test]
fn ratings_follow_the_file_of_the_benchmark() {
    let place = workplace(3, 6);
    let after = "[rating]\nties = \"davidson\"\nanchor = \"m1\"\nbootstraps = 50\n";
    write_bench(&place, 3, 6, "", after);
    // The probe sees no difference between these; a lost asset makes games that are no ties.
    place.remove("out/m0/0.obj");
    place.run("bench bench.toml --run r").ends(1);
    let rated = |args: &str| {
        let rated = place.ok(&format!("rate r --json {args}"));
        let mut ratings = rated.rows_of("rating");
        ratings.retain(|row| row["method"] == "m1");
        let is_davidson = |row: &Value| !row["davidson_nu"].is_null();
        (
            ratings.iter().all(|row| row["rating"] == 1000.0),
            rated.rows_of("criterion").iter().any(is_davidson),
        )
    };
    assert_eq!(rated(""), (true, true));
    assert_eq!(rated("--ties half"), (true, false));
    assert!(!rated("--anchor m0").0);
}

#[test]
fn figures_without_a_reference_stand_on_the_board_and_errors_are_drawn() {
    let place = workplace(3, 4);
    for p in 0..4 {
        place.write(format!("refs/{p}.obj"), tetrahedron(1.0));
    }
    let metrics = "[[metrics]]\nnames = [\"watertight\", \"uv_stretch\", \"triangles\", \"edge_manifold\"]\n\n[[metrics]]\nreference = \"refs/{prompt_id}.obj\"\nnames = [\"cd_l1_half\"]\nsamples = 100\n\n[rating]\ncontrol = [\"triangles\"]\n";
    write_bench(&place, 3, 4, "", metrics);
    place.ok("bench bench.toml --run r").shows("watertight (higher is better)");
    // Every asset has four triangles, and each generator its own distance, whatever the prompt.
    let votes = (0..4).map(|p| format!("{p},m0,m1,overall,a,ann\n{p},m1,m2,overall,b,ann\n"));
    place.vote("r", &votes.collect::<String>());
    place
        .ok("rate r")
        .shows("no style-controlled ratings: triangles: the same for both assets of every game");
    place
        .ok("rate r --control cd_l1_half")
        .shows(["cd_l1_half: a trait of the generators", "\ntriangles\n"]);
    let report = |name: &str| {
        place.ok(&format!("report r --out {name}"));
        place.read(name)
    };
    let board: Value = serde_json::from_str(&report("board.json")).unwrap();
    let [watertight, stretch, triangles, chamfer] =
        [0, 1, 2, 4].map(|k| board["results"]["metrics"][k].clone());
    assert_eq!(watertight["lines"][0]["mean"], 1.0);
    assert_eq!(stretch["lines"], json!([]), "no coordinates");
    assert_eq!(stretch["missing"], json!([4, 4, 4]));
    // Neither more nor fewer triangles are better by themselves.
    assert_eq!(triangles["is_lower_better"], Value::Null);
    assert_eq!(triangles["lines"][0]["mean"], 4.0);
    assert_eq!(triangles["lines"][0]["ranks_all"], Value::Null);
    assert_eq!(triangles["agreement"], json!([]));
    let worst = &chamfer["worst"][0]["error_map"];
    assert_eq!(worst["unit"], "longest");
    let hash = worst["picture"].as_str().unwrap();
    let picture = place.join(format!("r/error-maps/{hash}.png"));
    assert!(picture.is_file(), "{worst}");
    let page = report("board.html");
    page.must_have(["data:image/", "worst cd_l1_half (", "of the reference’s longest side"]);
    // What no metric here is about is neither said nor cited.
    let latex = report("board.tex");
    assert!(latex.contains("sander2001") && !latex.contains("chen2022"), "{latex}");
    let markdown = report("board.md");
    markdown.must_have([
        "## Figures of the assets",
        "| generator | watertight ↑ | uv\\_stretch ↓ | triangles |",
    ]);

    // What is there is neither measured nor drawn again; what is gone is.
    let written = || std::fs::metadata(&picture).unwrap().modified().unwrap();
    let first = written();
    place.ok("bench bench.toml --run r");
    assert_eq!(written(), first);
    std::fs::remove_file(&picture).unwrap();
    place.ok("bench bench.toml --run r");
    assert!(picture.is_file());
    for (wrong, said) in [
        ("names = [\"iou\"]", "(without a reference); use one of watertight"),
        ("samples = 10", "say how an asset is compared"),
    ] {
        let file = bench_file(3, 4, "", &format!("[[metrics]]\n{wrong}\n"));
        place.write("wrong.toml", file);
        place.run("bench wrong.toml --run w").refuses(said);
    }
}

/// Ann and Ben vote; m0 is better at chairs, m1 at lamps.
#[test]
fn the_diagnosis_tells_categories_and_each_rater_left_out() {
    let place = workplace(3, 8);
    let category = |p: usize| ["chair", "<lamp>"][p % 2];
    let prompt = |p| format!("{{ text = \"thing {p}\", category = \"{}\" }}, ", category(p));
    let prompts: String = (0..8).map(prompt).collect();
    place.write("bench.toml", bench_of(&prompts, 3, "", ""));
    place.run("bench bench.toml --run r");
    let mut votes = String::new();
    for p in 0..8 {
        for rater in ["ann", "ben"] {
            let vote = if p % 2 == 0 { "a" } else { "b" };
            votes += &format!("{p},m0,m1,overall,{vote},{rater}\n{p},m1,m2,overall,a,{rater}\n");
        }
        votes += &format!("{p},m0,m2,overall,tie,ann\n");
    }
    place.vote("r", &votes);
    place.ok("rate r --diagnose").shows([
        "without human:ann",
        "without human:ben",
        "by category: overall (pairwise, judged by people)",
        "chair (4 prompts)",
        "<lamp> (4 prompts)",
        "without any one prompt:",
    ]);
    let rows = place.ok("rate r --diagnose --json").rows();
    let effect = |category: &str, method: &str| {
        let found = rows.iter().find(|row| {
            ["kind", "judge", "category", "method"].map(|key| &row[key])
                == ["category", "people", category, method]
        });
        found.unwrap()["effect"].as_f64().unwrap()
    };
    assert!(effect("chair", "m0") > 0.1 && effect("<lamp>", "m1") > 0.1);
    assert!(effect("chair", "m1") < -0.1 && effect("<lamp>", "m0") < -0.1);
    place.ok("report r --out page.html");
    place.read("page.html").must_have([
        "Sensitivity of the order",
        "&lt;lamp&gt;",
        "without human:ann",
        "Circular wins",
    ]);
    assert!(!place.ok("rate r").stdout.contains("by category"));
}

/// Six assets of each method; one of `m2` is missing, one of `m1` breaks the limit.
#[test]
fn a_check_is_a_figure_of_the_board_and_may_decide_pairs() {
    let place = workplace(3, 6);
    place.remove("out/m2/4.obj");
    place.write("out/m1/0.obj", place.read("out/m1/0.obj") + "v 9 9 9\nf 1 2 5\n");
    let profile = "name = 'tiny'\n[[limits]]\nfigure = 'triangles'\nat_most = 4\nwhy = 'x'\n";
    place.write("tiny.toml", profile);
    for failing in ["count", "missing"] {
        let check = format!("[check]\nprofile = \"tiny.toml\"\nfailing = \"{failing}\"\n");
        write_bench(&place, 3, 6, "", &check);
        // An asset is missing.
        let run = place.run(&format!("bench bench.toml --run {failing}")).ends(1);
        run.says("m1: ready for tiny: 5 of 6");
        let is_said = run.stderr.contains("not ready for tiny: triangles is 5");
        assert_eq!(is_said, failing == "missing", "{}", run.stderr);
        place.ok(&format!("report {failing} --out board.json"));
        let board = place.json("board.json");
        let metric = &board["results"]["metrics"][0];
        assert_eq!(metric["metric"], "ready_tiny");
        let lines = metric["lines"].as_array().unwrap();
        let means: Vec<f64> = lines.iter().map(|l| l["mean"].as_f64().unwrap()).collect();
        assert_eq!(means, [1.0, 5.0 / 6.0, 5.0 / 6.0], "{failing}");
        assert!(lines[1]["interval"]["low"].as_f64().unwrap() < 0.8);
        place.remove("board.json");
    }
}

/// The first method's assets are the references, so the metric orders the methods.
#[test]
fn metrics_stand_on_the_board_and_are_measured_once() {
    let place = workplace(3, 6);
    for p in 0..6 {
        place.copy(place.join(format!("out/m0/{p}.obj")), format!("refs/{p}.obj"));
    }
    // One asset of the worst method is missing.
    place.remove("out/m2/4.obj");
    let metrics = "[[metrics]]\nreference = \"refs/{prompt_id}.obj\"\nnames = [\"cd_l1_half\", \"f@0.01\"]\nsamples = 500\n";
    let file = bench_file(3, 6, "", metrics);
    place.write("bench.toml", &file);
    let bench = || place.run("bench bench.toml --run r").ends(1);
    let run = bench();
    run.shows([
        "cd_l1_half (lower is better)",
        // The probe decides nothing here but what a missing asset decides, and that is no verdict.
        "no pair was decided by both a voice and the metric: cd_l1_half, f@0.01",
    ]);
    assert!(!run.stdout.contains("agreement of metrics with judges and people"), "{}", run.stdout);
    let kept = || place.read("r/metrics.json");
    let first = kept();
    let json = place.json("r/metrics.json");
    assert_eq!(json["rows"].as_array().unwrap().len(), 2 * (3 * 6 - 1));
    assert_eq!(json["definitions"].as_object().unwrap().len(), 2);

    let report = |name: &str| {
        place.ok(&format!("report r --out {name}"));
        place.read(name)
    };
    let board: Value = serde_json::from_str(&report("board.json")).unwrap();
    let metric = &board["results"]["metrics"][0];
    assert!(metric["metric"] == "cd_l1_half" && metric["is_lower_better"] == true, "{metric}");
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
    markdown.must_have("| m0 | **0** |");
    let csv = report("board.csv");
    csv.must_have("metric,,cd_l1_half,,1,m0,0,");
    // Lines of metrics once had two cells less than the header.
    let cells = |line: &str| line.matches(',').count();
    assert!(csv.lines().all(|line| cells(line) == 17), "{csv}");
    let page = report("board.html");
    page.must_have("id=\"metrics\"");
    let latex = report("board.tex");
    latex.must_have([
        "\\toprule\nMethod & cd\\_l1\\_half $\\downarrow$ & f@0.01 $\\uparrow$ \\\\",
        "m0 & \\textbf{0} & \\textbf{1.000} \\\\",
        "500 points on each surface, seed 0",
    ]);
    for (open, close) in [('{', '}'), ('[', ']')] {
        let count = |c: char| latex.replace("\\{", "").replace("\\}", "").matches(c).count();
        assert_eq!(count(open), count(close), "{latex}");
    }
    // What a reader needs to make the numbers again.
    latex.must_have([
        "1000 draws (seed 0) of random signs",
        "a tie counts as half a win for each",
        "output $i$ (from 0) of SplitMix64",
    ]);
    // All criteria next to each other, and the plots: the first where it was asked for, the others
    // next to it.
    markdown.must_have("\n## Ratings by probe");
    let svg = report("plot.svg");
    assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
    place.read("plot-cd-l1-half.svg").must_have("lower is better");
    let num_plots = place.names("").iter().filter(|name| name.ends_with(".svg")).count();
    let figures = latex.matches("\\begin{tikzpicture}").count();
    assert_eq!(figures, num_plots, "the figures of board.tex are the plots");
    page.must_have([">Copy LaTeX<", "\\toprule"]);
    let bibtex = report("board.bib");
    for cited in latex.split("\\cite{").skip(1).filter_map(|rest| rest.split('}').next()) {
        bibtex.must_have(&format!("{{{cited},"));
    }

    // People prefer what the metric prefers on four prompts of six.
    let votes =
        (0..6).map(|p| format!("thing {p},m0,m1,overall,{},ann\n", if p < 4 { "a" } else { "b" }));
    place.vote("r", &votes.collect::<String>());
    let rated = place.ok("rate r").stdout;
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
    place.write("r/metrics.json", &marked);
    bench();
    // Which assets are worst, and so which errors are drawn, follows the numbers.
    let numbers = |text: &str| text.split("\"error_maps\"").next().unwrap().to_owned();
    assert_eq!(numbers(&kept()), numbers(&marked));
    // Another definition is.
    place.edit("bench.toml", "samples = 500", "samples = 600");
    bench();
    assert!(!kept().contains("0.125"));
    for (wrong, said) in [
        ("names = [\"chamfer\"]", "unknown metric"),
        ("names = [\"f@0.01\"]\nsamples = 0", "number of samples"),
    ] {
        let metrics = format!("[[metrics]]\nreference = \"refs/{{prompt_id}}.obj\"\n{wrong}\n");
        place.write("wrong.toml", bench_file(3, 6, "", &metrics));
        place.run("bench wrong.toml --run w").refuses(said);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_written_into_commands_bodies_and_redirects_are_kept_nowhere() {
    let secrets =
        ["sk-flag0123456789abcdef", "plain-flag-secret", "redirect-secret-01", "header-secret-012"];
    let [flag, plain_flag, of_redirect, of_header] = secrets;
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
    write_bench(&place, 2, 1, &judges, &generators);
    let mut bench = place.command("bench bench.toml --run r --no-canary");
    let out = Run::of(bench.env("THE_KEY", of_header));
    out.says("redirects (307) to https://elsewhere.example/login?");
    kept_nowhere(&secrets, &out, &place);
    let words = ["$THE_KEY", "{prompt}", "--api-key", "api-version=1"];
    place.read("r/run.toml").must_have(words);
}

/// None of these words is in what the program said, nor in a file of the run `r`.
fn kept_nowhere(secrets: &[&str], out: &Run, place: &Folder) {
    for secret in secrets {
        assert!(!out.stderr.contains(secret) && !out.stdout.contains(secret), "{}", out.stderr);
    }
    let mut looked_at = 0;
    for path in place.files("r") {
        // What a program writes to its log is its own affair.
        if !path.ends_with("log.txt") {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            secrets.iter().for_each(|it| assert!(!text.contains(it), "{it} in {path:?}"));
            looked_at += 1;
        }
    }
    assert!(looked_at >= 4, "{looked_at}");
}

#[test]
fn prompts_are_understood_in_many_forms_and_else_the_mistake_is_named() {
    let place = crate::support::assets::two_assets();
    let run = |prompts: &str, path: &str| {
        let file = format!(
            "name = \"t\"\n{prompts}\njudges = [\"probe\"]\n[pictures]\nsize_px = 32\n[[generators]]\nname = \"a\"\npath = {path}\n\
            [[generators]]\nname = \"b\"\npath = \"b.obj\"\n"
        );
        place.write("b.toml", file);
        place.run("bench b.toml --dry-run --run r")
    };
    for (name, text) in [
        ("p.jsonl", "{\"id\": 1, \"prompt\": \"a chair\"}\n"),
        ("p.json", "{\"p1\": \"a chair\", \"p2\": {\"text\": \"a vase\"}}"),
        ("p.csv", "\u{feff}ID;Prompt;Category\n1;a chair;\n;;\n"),
        ("p.tsv", "text\ta\n"),
    ] {
        place.write(name, text);
        let done = run(&format!("prompts = {name:?}"), "\"a.obj\"");
        done.ends(if name == "p.tsv" { 2 } else { 0 });
    }
    for (prompts, path, help) in [
        ("prompts = [5]", "\"a.obj\"", "a list of texts"),
        ("prompts = [\"x\"]\nrubrics = [7]", "\"a.obj\"", "a rubric: its name"),
        ("prompts = [\"x\"]", "\"C:\\assets\\{prompt_id}.glb\"", "single quotes"),
        ("prompts = [\"x\"]", "\"out\\trellis.glb\"", "single quotes"),
    ] {
        let said = run(prompts, path);
        said.refuses(help);
        assert!(!said.stderr.contains("untagged"), "{}", said.stderr);
    }
}
