//! The real program: `rate` on runs that `compare` and `score` made with the probe on the demo
//! objects.

use crate::support::assets::demo;
use crate::support::program::{json_rows, meshjudge, ok};

/// The clean and the damaged object on two prompts, as two methods, in the runs `chair` and `vase`.
fn two_runs() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for thing in ["chair", "vase"] {
        let folder = place.path().join(thing);
        std::fs::create_dir(&folder).unwrap();
        for method in ["clean", "damaged"] {
            let from = demo(&format!("{thing}_{method}.glb"));
            std::fs::copy(from, folder.join(format!("{method}.glb"))).unwrap();
        }
        let (a, b) = (format!("{thing}/clean.glb"), format!("{thing}/damaged.glb"));
        let run = format!("run-{thing}");
        ok(place.path(), &["compare", &a, &b, "--prompt", thing, "--size", "64", "--run", &run]);
    }
    place
}

#[test]
fn the_clean_method_is_rated_above_the_damaged_one() {
    let place = two_runs();
    let shown = ok(place.path(), &["rate", "run-chair", "run-vase"]);
    for part in [
        "geometry_details (pairwise): 2 games on 2 prompts",
        "clean",
        "inconsistent: 0 of 2",
        "clean won every game against the others; the prior sets how far ahead",
        "no intervals: they need at least 5",
        "questions: 4 verdicts",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let json =
        ok(place.path(), &["rate", "run-chair", "run-vase", "--json", "--anchor", "damaged"]);
    let found = json_rows(&json);
    let of = |method: &str| {
        let mut ratings =
            found.iter().filter(|r| r["kind"] == "rating" && r["criterion"] == "geometry_details");
        ratings.find(|r| r["method"] == method).unwrap()["rating"].as_f64().unwrap()
    };
    assert_eq!(of("damaged"), 1000.0);
    assert!(of("clean") > 1100.0, "{json}");
    assert!(
        found.iter().all(|r| r["criterion"] != "text_asset_alignment"),
        "the probe cannot read: {json}"
    );
    // Neither the order of the folders nor a folder given twice changes anything.
    let again = ok(
        place.path(),
        &["rate", "run-vase", "run-chair", "run-vase", "--json", "--anchor", "damaged"],
    );
    assert_eq!(again, json);
}

#[test]
fn what_cannot_be_rated_is_said() {
    let place = two_runs();
    let fails = |args: &[&str], part: &str| {
        let out = meshjudge(place.path(), args);
        let said = out.stderr;
        assert_eq!(out.code, Some(2), "{said}");
        assert!(said.contains(part), "{part}: {said}");
        assert!(out.stdout.is_empty() || !out.stdout.contains("rating"), "{}", out.stdout);
    };
    fails(&["rate", "nowhere"], "there is no run here");
    fails(&["rate", "run-chair", "--anchor", "nobody"], "\"nobody\" is not among");
    let out = meshjudge(place.path(), &["rate", "run-chair", "--no-prior"]);
    assert_eq!(out.code, Some(2), "{}", out.stderr);
    assert!(out.stderr.contains("infinite: clean"));
    let larger = [
        "compare",
        "chair/clean.glb",
        "chair/damaged.glb",
        "--prompt",
        "chair",
        "--size",
        "96",
        "--run",
        "larger",
    ];
    ok(place.path(), &larger);
    fails(&["rate", "run-chair", "larger"], "2 protocols");
    let mixed = ok(place.path(), &["rate", "run-chair", "larger", "--mix-protocols"]);
    assert!(mixed.contains("2 games on 1 prompt") && mixed.contains("no intervals"), "{mixed}");
}

/// A run of people's votes for or against `ours` on eight prompts, one letter each.
fn voted(place: &std::path::Path, run: &str, votes: &str) {
    let mut csv = "prompt,a,b,criterion,vote,rater\n".to_owned();
    for (prompt, vote) in votes.chars().enumerate() {
        let vote = if vote == 't' { "tie".to_owned() } else { vote.to_string() };
        csv += &format!(
            "thing {prompt},ours,theirs,overall,{vote},ann\nthing {prompt},ours,\"{}\",overall,a,ann\n",
            "only here, ".repeat(2) + run
        );
    }
    let file = format!("{run}.csv");
    std::fs::write(place.join(&file), csv).unwrap();
    ok(place, &["import", run, "--votes", &file, "--new-generators"]);
}

#[test]
fn two_runs_are_compared_prompt_by_prompt_and_a_worse_one_fails() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    voted(place, "before", "aaatabaa");
    voted(place, "after", "bbtbbbba");
    voted(place, "same", "aaataaab");
    let rows = |args: &[&str]| json_rows(&ok(place, &[args, &["--json"]].concat()));
    let found = rows(&["diff", "before", "after", "--generator", "ours"]);
    // 6.5 of 8 against 1.5: the method that one run has alone plays no part.
    assert_eq!(found.len(), 1);
    let row = &found[0];
    assert_eq!((&row["before"], &row["after"]), (&0.8125.into(), &0.1875.into()));
    assert_eq!((&row["change"], &row["difference"]["num_clusters"]), (&"worse".into(), &8.into()));
    // By hand: differences −1 −1 −.5 −.5 −1 0 −1 0, standard deviation 0.4432, t = 2.3646.
    let low = row["difference"]["interval"]["low"].as_f64().unwrap();
    assert!((low - (-0.625 - 2.3646 * 0.4432 / 8_f64.sqrt())).abs() < 1e-3, "{low}");
    let gate = ["diff", "before", "after", "--fail-if", "worse", "--generator", "ours"];
    let failed = meshjudge(place, &gate);
    assert_eq!(failed.code, Some(1));
    assert!(failed.stderr.contains("ours is worse on overall (people)"), "{}", failed.stderr);
    let same = meshjudge(place, &["diff", "before", "same", "--fail-if", "worse"]);
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert!(same.stdout.contains("ours") && !same.stdout.contains("only here"), "{}", same.stdout);
    let none = meshjudge(place, &["diff", "before", "after", "--criterion", "colour"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("in common"), "{}", none.stderr);
}

#[test]
fn a_report_names_a_first_only_where_its_rank_range_is_1() {
    let place = tempfile::tempdir().unwrap();
    for (name, prompts, answer) in [
        ("clear", 30, "**ours** is first overall."),
        ("open", 6, "No clear winner: the rank ranges of both generators overlap; **ours** has"),
        ("pair", 1, "**ours** is better overall."),
    ] {
        // One vote in ten is for the other.
        let vote = |prompt| if prompt % 10 == 1 { "b" } else { "a" };
        let line = |prompt| format!("thing {prompt},ours,theirs,overall,{},ann\n", vote(prompt));
        let lines: String = (0..prompts).map(line).collect();
        let csv = "prompt,a,b,criterion,vote,rater\n".to_owned() + &lines;
        std::fs::write(place.path().join("votes.csv"), csv).unwrap();
        ok(place.path(), &["import", name, "--votes", "votes.csv", "--new-generators"]);
        ok(place.path(), &["report", name, "--out", "board.md"]);
        let text = std::fs::read_to_string(place.path().join("board.md")).unwrap();
        assert!(text.contains(answer), "{name}: {text}");
    }
}

#[test]
fn a_report_names_nobody_first_where_all_are_level() {
    let place = tempfile::tempdir().unwrap();
    let lines = (0..6).map(|prompt| format!("thing {prompt},ours,theirs,overall,tie,ann\n"));
    let csv = "prompt,a,b,criterion,vote,rater\n".to_owned() + &lines.collect::<String>();
    std::fs::write(place.path().join("level.csv"), csv).unwrap();
    ok(place.path(), &["import", "level", "--votes", "level.csv", "--new-generators"]);
    ok(place.path(), &["report", "level", "--out", "level.md"]);
    let text = std::fs::read_to_string(place.path().join("level.md")).unwrap();
    assert!(text.contains("All generators have the same rating overall"), "{text}");
    assert!(!text.contains("is first"), "{text}");
    let shown = ok(place.path(), &["rate", "level", "--diagnose", "--anchor", "people"]);
    for part in [
        "sensitivity of the order: overall",
        "a draw is a win for each",
        "no anchored ratings: no judge has a board",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn scores_become_means() {
    let place = tempfile::tempdir().unwrap();
    for file in ["chair_clean.glb", "photo.png", "mask.png"] {
        std::fs::copy(demo(file), place.path().join(file)).unwrap();
    }
    let score = [
        "score",
        "chair_clean.glb",
        "--rubric",
        "reconstruction",
        "--image",
        "photo.png",
        "--mask",
        "mask.png",
        "--size",
        "64",
        "--run",
        "r",
    ];
    ok(place.path(), &score);
    let found = json_rows(&ok(place.path(), &["rate", "r", "--json"]));
    assert_eq!((&found[0]["kind"], &found[0]["scores"]), (&"mean".into(), &1.into()));
    assert!((1.0..=3.0).contains(&found[0]["mean"].as_f64().unwrap()));
    // Samples of one question are one score.
    ok(place.path(), &[&score[..score.len() - 1], &["r3", "--samples", "3"]].concat());
    let sampled = json_rows(&ok(place.path(), &["rate", "r3", "--json"]));
    assert_eq!(sampled[0]["scores"], 1);
    assert_eq!(sampled[0]["mean"], found[0]["mean"]);
}

#[test]
fn the_order_of_answers_moves_no_interval() {
    let place = tempfile::tempdir().unwrap();
    // Three methods, so that the replicates have many different ratings.
    let mut random = meshjudge::unstable::rate::Random::new(1, 0);
    let mut votes = String::from("prompt,a,b,criterion,vote,rater\n");
    for i in 0..12 {
        for (a, b) in [("one", "two"), ("one", "three"), ("two", "three")] {
            let vote = ["a", "a", "b", "tie"][random.below(4)];
            votes.push_str(&format!("prompt {i:02},{a},{b},overall,{vote},RATER\n"));
        }
    }
    let mut rated = Vec::new();
    // Answers are read in the order of their ids, and another rater's have other ids.
    for rater in ["ann", "bob", "cid"] {
        let csv = votes.replace("RATER", rater);
        std::fs::write(place.path().join("votes.csv"), csv).unwrap();
        ok(place.path(), &["import", rater, "--votes", "votes.csv"]);
        rated.push(ok(place.path(), &["rate", rater, "--json"]));
    }
    let first = &json_rows(&rated[0])[0];
    assert!(first["low"].as_f64() < first["high"].as_f64(), "{first}");
    assert!(rated.iter().all(|shown| *shown == rated[0]), "{rated:#?}");
}

/// Votes that only the number of triangles decides, of three methods on 12 prompts, and the table
/// of them.
fn voted_by_triangles(place: &std::path::Path) {
    let triangles = |m: usize, p: usize| (1 + (5 * m + 7 * p + m * p) % 9) * 1000 + 900 * (2 - m);
    let mut votes = "prompt,a,b,criterion,vote,rater\n".to_owned();
    let mut table = "method,prompt,tris,same,kind,note\n".to_owned();
    for p in 0..12 {
        for b in 0..3 {
            let known = if p == 3 { String::new() } else { triangles(b, p).to_string() };
            table += &format!("m{b},thing {p},{known},7,{b},\n");
            for a in 0..b {
                let vote = if triangles(a, p) > triangles(b, p) { "a" } else { "b" };
                votes += &format!("thing {p},m{a},m{b},overall,{vote},ann\n");
            }
        }
    }
    std::fs::write(place.join("votes.csv"), votes).unwrap();
    std::fs::write(place.join("facts.csv"), table).unwrap();
    ok(place, &["import", "run", "--votes", "votes.csv", "--new-generators"]);
}

#[test]
fn a_board_with_style_held_equal_stands_beside_the_plain_one() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    voted_by_triangles(place);
    fn with<'a>(first: &[&'a str]) -> Vec<&'a str> {
        [first, &["--control-from", "facts.csv", "--bootstraps", "200"]].concat()
    }
    let shown = ok(place, &with(&["rate", "run", "--control", "log:tris,same,kind"]));
    for part in [
        "overall (pairwise), style-controlled: 33 games on 11 prompts, controlled for log:tris",
        "doubling it adds",
        "same is not controlled for: the same for both assets",
        "kind is not controlled for: a trait of the generators",
        "3 games are left out of both columns of ratings",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let rows = json_rows(&ok(place, &with(&["rate", "run", "--control", "tris", "--json"])));
    let controlled = rows.iter().filter(|row| row["kind"] == "controlled");
    assert_eq!(controlled.count(), 3);
    let controls = rows.iter().find(|row| row["kind"] == "controls");
    let effect = &controls.unwrap()["effects"][0];
    assert_eq!((&effect["name"], &effect["scale"]), (&"tris".into(), &"x".into()));
    assert!(effect["elo_per_sd"].as_f64() > Some(100.0), "{effect}");
    for (name, parts) in [
        ("board.html", &["Style-controlled ratings", "href=\"#controlled\""][..]),
        ("board.md", &["style-controlled)"]),
        ("board.tex", &["differences of tris"]),
    ] {
        ok(place, &with(&["report", "run", "--control", "tris", "--out", name]));
        let text = std::fs::read_to_string(place.join(name)).unwrap();
        parts.iter().for_each(|part| assert!(text.contains(part), "{part}: {text}"));
    }
    let fails = |args: &[&str], part: &str| {
        let out = meshjudge(place, args);
        assert_eq!(out.code, Some(2));
        assert!(out.stderr.contains(part), "{part}: {}", out.stderr);
    };
    fails(
        &with(&["rate", "run", "--control", "colour"]),
        "no figure \"colour\" to control for: use one of kind, note, same, tris",
    );
    fails(&["rate", "run", "--control", "tris"], "no figure \"tris\"");
    for (line, part) in [
        ("m0,thing 0,many,1,1,", "line 2 of the table of figures: tris is \"many\""),
        (",thing 0,5,1,1,", "it has no method"),
    ] {
        std::fs::write(
            place.join("facts.csv"),
            format!("method,prompt,tris,same,kind,note\n{line}\n"),
        )
        .unwrap();
        fails(&with(&["rate", "run", "--control", "tris"]), part);
    }
    std::fs::write(
        place.join("facts.jsonl"),
        (0..36)
            .map(|i| {
                format!(
                    "{{\"method\": \"m{}\", \"prompt\": \"thing {}\", \"shiny\": {}}}\n",
                    i % 3,
                    i / 3,
                    i % 2 == 0
                )
            })
            .collect::<String>(),
    )
    .unwrap();
    let shown = ok(place, &["rate", "run", "--control", "shiny", "--control-from", "facts.jsonl"]);
    assert!(shown.contains("controlled for shiny"), "{shown}");
}

/// The same files under two prompts are no more evidence than under one, and a generator that has
/// another's files is no opponent.
#[test]
fn prompts_and_generators_with_the_same_assets_are_named() {
    let place = tempfile::tempdir().unwrap();
    let demo = demo("").display().to_string();
    let file = format!(
        "name = \"copies\"\nprompts = [{{ id = \"p1\", text = \"a chair\" }}, {{ id = \"p2\", text = \"a chair\" }}]\n\
        [[generators]]\nname = \"clean\"\npath = \"{demo}/chair_clean.glb\"\n\
        [[generators]]\nname = \"copy\"\npath = \"{demo}/chair_clean.glb\"\n\
        [[generators]]\nname = \"damaged\"\npath = \"{demo}/chair_damaged.glb\"\n[pictures]\nsize_px = 64\n"
    );
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let notes = [
        "2 prompts have the same files as another one (p1, p2)",
        "clean, copy: 2 assets are the same files",
    ];
    let bench = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]).ok();
    let rated = meshjudge(place.path(), &["rate", "r"]).ok();
    for note in notes {
        assert!(bench.stderr.contains(note), "{}", bench.stderr);
        assert!(format!("{}{}", rated.stdout, rated.stderr).contains(note), "{}", rated.stderr);
    }
}
