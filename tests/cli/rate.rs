//! The real program: `rate` on runs that `compare` and `score` made with the probe on the demo
//! objects.

use crate::support::assets::{Folder, demo};
use crate::support::program::{Text as _, generator, json_rows};
use serde_json::{Value, json};

/// The clean and the damaged object on two prompts, as two methods, in the runs `chair` and `vase`.
fn two_runs() -> Folder {
    let place = Folder::new();
    for thing in ["chair", "vase"] {
        for method in ["clean", "damaged"] {
            place.copy(demo(&format!("{thing}_{method}.glb")), format!("{thing}/{method}.glb"));
        }
        let pair = format!("{thing}/clean.glb {thing}/damaged.glb");
        place.ok(&format!("compare {pair} --prompt {thing} --size 64 --run run-{thing}"));
    }
    place
}

#[test]
fn the_clean_method_is_rated_above_the_damaged_one() {
    let place = two_runs();
    place.ok("rate run-chair run-vase").shows([
        "geometry_details (pairwise): 2 games on 2 prompts",
        "clean",
        "inconsistent: 0 of 2",
        "clean won every game against the others; the prior sets how far ahead",
        "no intervals: they need at least 5",
        "questions: 4 verdicts",
    ]);
    let json = place.ok("rate run-chair run-vase --json --anchor damaged").stdout;
    let found = json_rows(&json);
    let of = |method: &str| {
        let wanted = ["rating", "geometry_details", method];
        let is_it = |row: &&Value| ["kind", "criterion", "method"].map(|key| &row[key]) == wanted;
        found.iter().find(is_it).unwrap()["rating"].as_f64().unwrap()
    };
    assert_eq!(of("damaged"), 1000.0);
    assert!(of("clean") > 1100.0, "{json}");
    // The probe cannot read.
    assert!(found.iter().all(|row| row["criterion"] != "text_asset_alignment"), "{json}");
    // Neither the order of the folders nor a folder given twice changes anything.
    let again = place.ok("rate run-vase run-chair run-vase --json --anchor damaged").stdout;
    assert_eq!(again, json);
}

#[test]
fn what_cannot_be_rated_is_said() {
    let place = two_runs();
    let fails = |args: &str, part: &str| {
        let out = place.run(args);
        out.refuses(part);
        assert!(!out.stdout.contains("rating"), "{}", out.stdout);
    };
    fails("rate nowhere", "there is no run here");
    fails("rate run-chair --anchor nobody", "\"nobody\" is not among");
    place.run("rate run-chair --no-prior").refuses("infinite: clean");
    place.ok("compare chair/clean.glb chair/damaged.glb --prompt chair --size 96 --run larger");
    fails("rate run-chair larger", "2 protocols");
    place
        .ok("rate run-chair larger --mix-protocols")
        .shows(["2 games on 1 prompt", "no intervals"]);
}

/// A run of people's votes for or against `ours` on eight prompts, one letter each.
fn voted(place: &Folder, run: &str, votes: &str) {
    let only_here = "only here, ".repeat(2) + run;
    let lines = votes.chars().enumerate().map(|(prompt, vote)| {
        let vote = if vote == 't' { "tie".to_owned() } else { vote.to_string() };
        format!("thing {prompt},ours,theirs,overall,{vote},ann\nthing {prompt},ours,\"{only_here}\",overall,a,ann\n")
    });
    place.vote(run, &lines.collect::<String>());
}

#[test]
fn two_runs_are_compared_prompt_by_prompt_and_a_worse_one_fails() {
    let place = Folder::new();
    voted(&place, "before", "aaatabaa");
    voted(&place, "after", "bbtbbbba");
    voted(&place, "same", "aaataaab");
    let found = place.ok("diff before after --generator ours --json").rows();
    // 6.5 of 8 against 1.5: the method that one run has alone plays no part.
    let [row] = &found[..] else { panic!("{found:?}") };
    assert!(row["before"] == 0.8125 && row["after"] == 0.1875, "{row}");
    assert!(row["change"] == "worse" && row["difference"]["num_clusters"] == 8, "{row}");
    // By hand: differences −1 −1 −.5 −.5 −1 0 −1 0, standard deviation 0.4432, t = 2.3646.
    let low = row["difference"]["interval"]["low"].as_f64().unwrap();
    assert!((low - (-0.625 - 2.3646 * 0.4432 / 8_f64.sqrt())).abs() < 1e-3, "{low}");
    place
        .run("diff before after --fail-if worse --generator ours")
        .ends(1)
        .says("ours is worse on overall (people)");
    let same = place.ok("diff before same --fail-if worse").stdout;
    assert!(same.contains("ours") && !same.contains("only here"), "{same}");
    place.run("diff before after --criterion colour").refuses("in common");
}

#[test]
fn a_report_names_a_first_only_where_its_rank_range_is_1() {
    let place = Folder::new();
    for (name, prompts, answer) in [
        ("clear", 30, "**ours** is first overall."),
        ("open", 6, "No clear winner: the rank ranges of both generators overlap; **ours** has"),
        ("pair", 1, "**ours** is better overall."),
    ] {
        // One vote in ten is for the other.
        let vote = |prompt| if prompt % 10 == 1 { "b" } else { "a" };
        let line = |prompt| format!("thing {prompt},ours,theirs,overall,{},ann\n", vote(prompt));
        place.vote(name, &(0..prompts).map(line).collect::<String>());
        place.ok(&format!("report {name} --out board.md"));
        place.read("board.md").must_have(answer);
    }
}

#[test]
fn a_report_names_nobody_first_where_all_are_level() {
    let place = Folder::new();
    let lines = (0..6).map(|prompt| format!("thing {prompt},ours,theirs,overall,tie,ann\n"));
    place.vote("level", &lines.collect::<String>());
    place.ok("report level --out level.md");
    let text = place.read("level.md");
    text.must_have("All generators have the same rating overall");
    assert!(!text.contains("is first"), "{text}");
    place.ok("rate level --diagnose --anchor people").shows([
        "sensitivity of the order: overall",
        "a draw is a win for each",
        "no anchored ratings: no judge has a board",
    ]);
}

#[test]
fn scores_become_means() {
    let place = Folder::new();
    for file in ["chair_clean.glb", "photo.png", "mask.png"] {
        place.copy(demo(file), file);
    }
    let score = "score chair_clean.glb --rubric reconstruction --image photo.png --mask mask.png";
    place.ok(&format!("{score} --size 64 --run r"));
    let found = &place.rated("r", "mean")[0];
    assert_eq!(found["scores"], 1);
    assert!((1.0..=3.0).contains(&found["mean"].as_f64().unwrap()));
    // Samples of one question are one score.
    place.ok(&format!("{score} --size 64 --run r3 --samples 3"));
    let sampled = &place.rated("r3", "mean")[0];
    assert_eq!([&sampled["scores"], &sampled["mean"]], [&json!(1), &found["mean"]]);
}

#[test]
fn the_order_of_answers_moves_no_interval() {
    let place = Folder::new();
    // Three methods, so that the replicates have many different ratings.
    let mut random = meshjudge::unstable::rate::Random::new(1, 0);
    let mut votes = String::new();
    for i in 0..12 {
        for (a, b) in [("one", "two"), ("one", "three"), ("two", "three")] {
            let vote = ["a", "a", "b", "tie"][random.below(4)];
            votes.push_str(&format!("prompt {i:02},{a},{b},overall,{vote},RATER\n"));
        }
    }
    let mut rated = Vec::new();
    // Answers are read in the order of their ids, and another rater's have other ids.
    for rater in ["ann", "bob", "cid"] {
        place.vote(rater, &votes.replace("RATER", rater));
        rated.push(place.ok(&format!("rate {rater} --json")).stdout);
    }
    let first = &json_rows(&rated[0])[0];
    assert!(first["low"].as_f64() < first["high"].as_f64(), "{first}");
    assert!(rated.iter().all(|shown| *shown == rated[0]), "{rated:#?}");
}

/// Votes that only the number of triangles decides, of three methods on 12 prompts, and the table
/// of them.
fn voted_by_triangles(place: &Folder) {
    let triangles = |m: usize, p: usize| (1 + (5 * m + 7 * p + m * p) % 9) * 1000 + 900 * (2 - m);
    let mut votes = String::new();
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
    place.vote("run", &votes);
    place.write("facts.csv", table);
}

#[test]
fn a_board_with_style_held_equal_stands_beside_the_plain_one() {
    let place = Folder::new();
    voted_by_triangles(&place);
    let with = |line: &str| format!("{line} --control-from facts.csv --bootstraps 200");
    place.ok(&with("rate run --control log:tris,same,kind")).shows([
        "overall (pairwise), style-controlled: 33 games on 11 prompts, controlled for log:tris",
        "doubling it adds",
        "same is not controlled for: the same for both assets",
        "kind is not controlled for: a trait of the generators",
        "3 games are left out of both columns of ratings",
    ]);
    let rated = place.ok(&with("rate run --control tris --json"));
    assert_eq!(rated.rows_of("controlled").len(), 3);
    let effect = &rated.rows_of("controls")[0]["effects"][0];
    assert!(effect["name"] == "tris" && effect["scale"] == "x", "{effect}");
    assert!(effect["elo_per_sd"].as_f64() > Some(100.0), "{effect}");
    for (name, parts) in [
        ("board.html", &["Style-controlled ratings", "href=\"#controlled\""][..]),
        ("board.md", &["style-controlled)"]),
        ("board.tex", &["differences of tris"]),
    ] {
        place.ok(&with(&format!("report run --control tris --out {name}")));
        place.read(name).must_have(parts);
    }
    place
        .run(&with("rate run --control colour"))
        .refuses("no figure \"colour\" to control for: use one of kind, note, same, tris");
    place.run("rate run --control tris").refuses("no figure \"tris\"");
    for (line, part) in [
        ("m0,thing 0,many,1,1,", "line 2 of the table of figures: tris is \"many\""),
        (",thing 0,5,1,1,", "it has no method"),
    ] {
        place.write("facts.csv", format!("method,prompt,tris,same,kind,note\n{line}\n"));
        place.run(&with("rate run --control tris")).refuses(part);
    }
    let figure = |i: usize| {
        let (method, prompt) = (format!("m{}", i % 3), format!("thing {}", i / 3));
        format!("{}\n", json!({"method": method, "prompt": prompt, "shiny": i.is_multiple_of(2)}))
    };
    place.write("facts.jsonl", (0..36).map(figure).collect::<String>());
    place.ok("rate run --control shiny --control-from facts.jsonl").shows("controlled for shiny");
}

/// The same files under two prompts are no more evidence than under one, and a generator that has
/// another's files is no opponent.
#[test]
fn prompts_and_generators_with_the_same_assets_are_named() {
    let place = Folder::new();
    let asset = |name: &str, file: &str| generator(name, &demo(file).display().to_string());
    let generators = [
        asset("clean", "chair_clean.glb"),
        asset("copy", "chair_clean.glb"),
        asset("damaged", "chair_damaged.glb"),
    ];
    let prompts = "{ id = \"p1\", text = \"a chair\" }, { id = \"p2\", text = \"a chair\" }";
    place.bench(prompts, &generators.concat(), "");
    let notes = [
        "2 prompts have the same files as another one (p1, p2)",
        "clean, copy: 2 assets are the same files",
    ];
    place.ok("bench bench.toml --run r").says(notes);
    let rated = place.ok("rate r");
    (rated.stdout + &rated.stderr).must_have(notes);
}
