//! The real program: what others said of pairs comes in (`import`, `place`), our pictures go out
//! (`export --format gpteval3d`).

use crate::support::assets::{Folder, demo, repository, tetrahedra, tetrahedron};
use crate::support::program::{Run, Text as _, generator};
use serde_json::{Value, json};
use std::path::Path;

/// How many pairs of an imported table are decided, and how many tied.
fn counted(imported: &Run) -> [u64; 2] {
    let row = &imported.rows_of("imported")[0];
    ["decided", "ties"].map(|key| row[key].as_u64().unwrap())
}

/// The head of a table of votes.
const HEAD: &str = "prompt,a,b,criterion,vote,rater\n";

/// Clean and damaged chair and vase, judged by the probe at a small size.
fn judged() -> Folder {
    let place = Folder::new();
    judge(&place, &demo(""), "glb");
    place
}

/// The prompts of the demo objects.
const PROMPTS: &str =
    "{ id = \"chair\", text = \"a wooden chair\" }, { id = \"vase\", text = \"a vase\" }";

/// Those of a folder, with this ending of their names.
fn judge(place: &Folder, assets: &Path, ending: &str) {
    let path = |kind| format!("{}/{{prompt_id}}_{kind}.{ending}", assets.display());
    let generators = ["clean", "damaged"].map(|kind| generator(kind, &path(kind))).concat();
    let file =
        format!("name = \"demo\"\nprompts = [{PROMPTS}]\n{generators}[pictures]\nsize_px = 64\n");
    place.write("bench.toml", file);
    place.ok("bench bench.toml --run r");
}

/// Who votes begins with a few pairs: that their board cannot be made yet is no failure of the run.
#[test]
fn a_person_whose_votes_do_not_connect_the_methods_yet_is_a_note() {
    let place = Folder::new();
    let path = |kind| format!("{}/{{prompt_id}}_{kind}.glb", demo("").display());
    let generators = [("v", "clean"), ("w", "damaged"), ("x", "clean"), ("y", "damaged")];
    let generators = generators.map(|(name, kind)| generator(name, &path(kind)));
    place.bench(PROMPTS, &generators.concat(), "");
    place.ok("bench bench.toml --run r");
    place.vote("r", "chair,v,w,overall,a,Ada\nvase,x,y,overall,b,Ada\n");
    let note = "overall (pairwise) is not rated by people yet";
    place.ok("rate r").says(note);
    // With nothing else to rate it is one.
    place.ok("import people --votes votes.csv --new-generators");
    place.run("rate people").refuses(note);
}

#[test]
fn metrics_are_a_jury_against_people() {
    let place = Folder::new();
    let mut votes = String::new();
    for p in 0..12 {
        place.write(format!("refs/{p}.obj"), tetrahedron(1.0));
        for m in 0..3 {
            place.write(format!("out/m{m}/{p}.obj"), tetrahedron(1.1 + 0.2 * m as f32));
        }
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            // People want the nearer shape, except on every fourth prompt.
            let vote = if p % 4 == 0 { "b" } else { "a" };
            votes += &format!("{p},m{a},m{b},overall,{vote},Ada\n");
        }
    }
    let prompt = |p| format!("{{ id = \"{p}\", text = \"thing {p}\" }}, ");
    let generators =
        [0, 1, 2].map(|m| generator(&format!("m{m}"), &format!("out/m{m}/{{prompt_id}}.obj")));
    let metrics = "[[metrics]]\nreference = \"refs/{prompt_id}.obj\"\nnames = [\"cd_l1_half\", \"f@0.05\"]\nsamples = 200\nalign = \"none\"\n";
    place.bench(&(0..12).map(prompt).collect::<String>(), &generators.concat(), metrics);
    place.ok("bench bench.toml --run r");
    place.vote("r", &votes);
    let rows = place.rated("r", "jury");
    let names: Vec<&str> = rows.iter().map(|row| row["member"].as_str().unwrap()).collect();
    assert!(names.contains(&"cd_l1_half") && names.contains(&"f@0.05"), "{names:?}");
    let distance = rows.iter().find(|row| row["member"] == "cd_l1_half").unwrap();
    assert_eq!(distance["right"]["value"], 0.75, "{distance}");
    assert_eq!([&distance["pairs"], &distance["prompts"]], [36, 12]);
    place.ok("rate r").shows(["weighted jury", "agrees with people"]);
    place.ok("report r --out page.html");
    place.read("page.html").must_have("<section id=\"jury\">");
}

#[test]
fn ratings_become_811_decided_and_89_tied_pairs_and_the_order_of_the_means() {
    let place = Folder::new();
    let file = repository("tests/data/stanfordt23d.json");
    let import = |run: &str, more: &str| {
        let ratings = format!("--ratings '{}' --criterion text_asset_alignment", file.display());
        place.ok(&format!("import {run} {ratings} {more} --json"))
    };
    assert_eq!(counted(&import("people", "")), [811, 89]);
    let order = place.rated("people", "rating");
    let order: Vec<&Value> = order.iter().map(|row| &row["method"]).collect();
    // By the mean of 180 ratings: 3.76, 3.37, 3.34, 3.06, 2.77, 1.53.
    let by_mean = ["latent-nerf", "instant3d", "mvdream", "magic3d", "dreamfusion", "shap-e"];
    assert_eq!(order, by_mean);
    // A vote is asked once.
    let shown = place.ok("rate people").stdout;
    assert!(!shown.contains("inconsistent:") && !shown.contains("one order only"), "{shown}");

    // Each rater by name: how far people agree is the ceiling.
    import("raters", "--by rater");
    let rated = place.ok("rate raters --json");
    let people = rated.rows_of("people");
    let same = people[0]["pairwise"]["on_decided"]["value"].as_f64().unwrap();
    assert!((same - 0.906).abs() < 5e-4, "{people:#?}");

    // The scores keep their size: means, and each rater against the mean of the others, by a script
    // of a few lines.
    let first = &rated.rows_of("mos")[0];
    assert!(first["method"] == "latent-nerf" && first["scores"] == 180, "{first}");
    let among = &rated.rows_of("mos_agreement")[0]["found"];
    for (key, want) in [("spearman", 0.761_243_662_230_909_4), ("pearson", 0.760_907_766_922_661_6)]
    {
        let value = among[key]["value"].as_f64().unwrap();
        assert!((value - want).abs() < 1e-9, "{key}: {among}");
        assert!(among[key]["interval"]["low"].as_f64() < Some(value));
    }
}

/// Scores of any scale: means that two digits after the point would hide, and differences that are
/// small only in absolute terms.
#[test]
fn tiny_scores_are_neither_zero_nor_ties() {
    let place = Folder::new();
    let line = |prompt: usize| {
        let size = 1e-10 * (prompt + 1) as f64;
        format!("thing {prompt},a,{:e}\nthing {prompt},b,{size:e}\n", size * 1.5)
    };
    let lines: String = (0..6).map(line).collect();
    place.write("tiny.csv", format!("prompt,method,r0\n{lines}"));
    assert_eq!(counted(&place.ok("import tiny --ratings tiny.csv --json")), [6, 0]);
    place.ok("rate tiny").shows("5.250e-10");
    // About 0 the sum of equal scores is rounding alone.
    let centred = "prompt,method,r0,r1,r2\nthing,a,0.1,0.2,-0.3\nthing,b,0,0,0\n";
    place.write("centred.csv", centred);
    assert_eq!(counted(&place.ok("import centred --ratings centred.csv --json")), [0, 1]);
}

/// The same ten scores, long and in each wide form: one criterion a column, one rater a column, one
/// method a column.
#[test]
fn scores_keep_their_size_however_the_table_lists_them() {
    let place = Folder::new();
    let score = |prompt: usize, method: usize, rater: usize| 1 + (prompt + 2 * method + rater) % 5;
    let each = |line: &dyn Fn(usize, usize) -> String| -> String {
        let all = (0..6).flat_map(|p| (0..3).map(move |m| (p, m)));
        all.map(|(p, m)| line(p, m)).collect()
    };
    let of_both = |line: &dyn Fn(usize, usize, usize) -> String| -> String {
        each(&|p, m| (0..2).map(|r| line(p, m, r)).collect())
    };
    let by_rater = of_both(&|p, m, r| format!("thing {p},m{m},overall,{},r{r}\n", score(p, m, r)));
    // The last column is empty but in the last line.
    let raters = each(&|p, m| {
        let late = if (p, m) == (5, 2) { "4" } else { "" };
        format!("thing {p},m{m},{},{},{late}\n", score(p, m, 0), score(p, m, 1))
    });
    let late = "thing 5,m2,overall,4,late\n";
    let mut methods = String::new();
    for (p, r) in (0..6).flat_map(|p| (0..2).map(move |r| (p, r))) {
        let scores = [0, 1, 2].map(|m| score(p, m, r).to_string());
        methods += &format!("thing {p},r{r},{}\n", scores.join(","));
    }
    let criteria = of_both(&|p, m, r| format!("thing {p},m{m},r{r},{},\n", score(p, m, r)));
    let json = |prompt: usize, method: usize, rater: &str, score: usize| {
        let prompt = format!("thing {prompt}");
        json!({"prompt": prompt, "method": format!("m{method}"), "rater": rater, "score": score})
    };
    let lines = of_both(&|p, m, r| format!("{}\n", json(p, m, &format!("r{r}"), score(p, m, r))));
    let mut rows = Vec::new();
    for (file, text) in [
        ("long.csv", format!("prompt,method,criterion,score,rater\n{by_rater}{late}")),
        ("raters.csv", format!("prompt,method,r0,r1,late\n{raters}")),
        ("methods.csv", format!("prompt,rater,m0,m1,m2\n{methods}thing 5,late,,,4\n")),
        (
            "criteria.csv",
            format!("prompt,method,rater,overall,plausibility\n{criteria}thing 5,m2,late,4,2\n"),
        ),
        ("lines.jsonl", format!("{lines}{}\n", json(5, 2, "late", 4))),
    ] {
        place.write(file, text);
        let run = file.split('.').next().unwrap();
        // The second time, nothing is added.
        for _ in 0..2 {
            place.ok(&format!("import {run} --ratings {file}"));
        }
        let of = |kind: &str| -> Vec<Value> {
            let all = place.rated(run, kind).into_iter();
            all.filter(|row| row["criterion"] == "overall").collect()
        };
        rows.push((of("mos"), of("mos_agreement")));
    }
    let num_scores =
        |rows: &[Value]| rows.iter().map(|r| r["scores"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(rows[0].0.len(), 3);
    assert_eq!(num_scores(&rows[0].0), 37);
    assert!(rows[0].0[0]["low"].as_f64() < rows[0].0[0]["mean"].as_f64());
    assert!(rows.iter().all(|other| *other == rows[0]), "{rows:#?}");
    // Another run takes them over, once, with the votes that were made of them.
    let joined = "import joined --from long --from methods";
    place.ok(joined).shows("and 37 scores by people");
    place.ok(joined);
    // Two tables of the same scores are two tables.
    assert_eq!(num_scores(&place.rated("joined", "mos")), 2 * 37);
    place.ok("rate criteria").shows([
        "overall, mean opinion scores: 37 scores of 18 assets by 3 raters",
        "plausibility, mean opinion scores: 1 score of 1 asset by 1 rater",
    ]);
    place.ok("report criteria --out page.html");
    place.read("page.html").must_have(["id=\"mos\"", "SROCC"]);
    for (text, said) in [
        ("prompt,method,r0\nthing 0,m0,good\n", "line 2: r0 is \"good\", which is not a score"),
        ("prompt,method,r0\n,m0,3\n", "line 2: it has no prompt"),
        ("method,r0\nm0,3\n", "line 2: it has no prompt"),
        ("prompt,method,r0\nthing 0,m0,1e308\n", "1e308 is not a score"),
    ] {
        place.write("wrong.csv", text);
        place.run("import w --ratings wrong.csv").refuses(said);
    }
}

#[test]
fn votes_enter_a_run_and_agreement_with_them_is_told() {
    let place = judged();
    let lines = "chair,damaged,clean,geometry_details,b,ann\na vase,clean,damaged,geometry_details,a,ann\n\
        vase,clean,damaged,geometry_details,tie,\"Bob, the second\"\n";
    // The same file again changes nothing.
    place.vote("r", lines);
    place.vote("r", lines);
    let bad = json!({
        "prompt": "chair", "a": "clean", "b": "damaged", "criterion": "geometry_details",
        "vote": "both_bad", "rater": "cid",
    });
    place.write("more.jsonl", bad.to_string());
    place.ok("import r --votes more.jsonl");
    let exported = place.answers("r");
    let is_human = |row: &&Value| row["judge"].as_str().unwrap().starts_with("human:");
    let human: Vec<&Value> = exported.iter().filter(is_human).collect();
    assert_eq!(human.len(), 4, "{human:#?}");
    let bad: Vec<_> = human.iter().filter(|row| !row["verdict"]["both_bad"].is_null()).collect();
    assert!(bad.len() == 1 && bad[0]["judge"] == "human:cid", "{bad:#?}");
    assert_eq!(bad[0]["verdict"]["geometry_details"], "tie");
    // A prompt's id and its text are the same prompt, and the votes are about the run's assets.
    for row in human {
        assert_eq!(row["a"]["method"], "clean");
        assert_eq!(row["a"]["hash"].as_str().unwrap().len(), 64);
        assert!(["a wooden chair", "a vase"].contains(&row["prompt"].as_str().unwrap()));
    }
    // Probe and people.
    let mut agreement = place.rated("r", "agreement");
    agreement.retain(|row| row["criterion"] == "geometry_details");
    assert!(agreement.len() == 1 && agreement[0]["on_decided"]["value"] == 1.0, "{agreement:#?}");
    // One wrong line: its place is named and nothing is written.
    place.write(
        "bad.csv",
        format!("{HEAD}chair,clean,damaged,,a,dora\nchair,clean,damaged,,maybe,dora\n"),
    );
    place.run("import r --votes bad.csv").refuses("line 3");
    assert_eq!(place.answers("r"), exported);
}

/// One method that two tables spell differently is probably meant.
#[test]
fn names_that_are_spelt_alike_are_pointed_out() {
    let place = Folder::new();
    let rows = "p,Caf\u{e9} 2,TripoSR,overall,a,ann\nq,cafe\u{301}-2,TripoSR,overall,b,ann\n";
    place.vote("r", &format!("{rows}r,Tripo,TripoSR,overall,a,ann\n"));
    let shown = place.ok("rate r").stdout;
    let notes: Vec<&str> = shown.lines().filter(|line| line.contains("rated apart")).collect();
    let [note] = notes[..] else { panic!("{shown}") };
    note.must_have(["Caf\u{e9} 2", "cafe\u{301}-2"]);
    assert!(!note.contains("Tripo"), "{note}");
}

/// The same rater in two files: both answers stay, what differs is named, and a file that is
/// imported again adds nothing, under whatever name.
#[test]
fn votes_of_one_rater_from_two_files_both_stay_and_a_conflict_is_named() {
    let place = Folder::new();
    let write = |name: &str, lines: &str| place.write(name, format!("{HEAD}{lines}"));
    write("first.csv", "chair,x,y,overall,a,ann\nvase,x,y,overall,a,ann\n");
    write("second.csv", "chair,y,x,overall,a,ann\nvase,x,y,overall,a,ann\n");
    // Votes that the file has, that were added, that differ from earlier ones, that repeat them.
    let import = |file: &str, counts: [u64; 4]| {
        let run = place.ok(&format!("import r --votes {file} --json"));
        let row = &run.rows_of("imported")[0];
        assert_eq!(["votes", "added", "conflicts", "repeated"].map(|key| &row[key]), counts);
        run
    };
    import("first.csv", [2, 2, 0, 0]);
    import("second.csv", [2, 2, 1, 1])
        .says("ann says y here and said x in first.csv (x or y, overall, \"chair\")");
    let exported = place.answers("r");
    assert_eq!(exported.len(), 4);
    for file in ["first.csv", "second.csv"] {
        place.copy(place.join(file), "copy.csv");
        import("copy.csv", [2, 0, 0, 0]);
    }
    assert_eq!(place.answers("r"), exported);
    assert_eq!(place.rated("r", "rating")[0]["games"], 4, "each vote is a game");
}

/// In a benchmark's run, votes of another file or of the page leave the earlier ones as they are,
/// and a corrected file replaces its own.
#[test]
fn a_second_file_of_votes_adds_to_the_first_and_a_corrected_one_replaces_it() {
    let place = judged();
    let write = |name: &str, lines: &str| place.write(name, format!("{HEAD}{lines}"));
    let games = || {
        let rated = place.rated("r", "rating");
        let of_people = |row: &&Value| row["judge"] == "people" && row["criterion"] == "overall";
        rated.iter().find(of_people).map(|row| row["games"].clone())
    };
    let vote = |file: &str, line: &str, flag: &str, num_games: u64| {
        write(file, &format!("{line},ada\n"));
        let run = place.ok(&format!("import r --votes {file} {flag}"));
        assert_eq!(games(), Some(json!(num_games)));
        run
    };
    vote("mon.csv", "chair,clean,damaged,overall,a", "", 1);
    vote("tue.csv", "vase,clean,damaged,overall,a", "", 2);
    vote("tue.csv", "vase,clean,damaged,overall,b", "", 3).says("both answers are kept");
    vote("tue.csv", "vase,clean,damaged,overall,tie", "--replace", 2).says("2 votes are withdrawn");
    let counted = place.ok("rate r").stdout;
    assert!(!counted.contains("invalid"), "{counted}");
    // What was withdrawn comes back with its file, also after the run was rebuilt.
    vote("tue.csv", "vase,clean,damaged,overall,a", "--replace", 2);
}

#[test]
fn a_misspelt_method_is_refused_with_the_nearest_and_a_new_one_needs_a_word() {
    let place = Folder::new();
    let import = |methods: &str, more: &str| {
        place.write("votes.csv", format!("{HEAD}chair,{methods},overall,a,ann\n"));
        place.run(&format!("import r --votes votes.csv {more}"))
    };
    import("trellis,hunyuan", "").ok();
    let before = place.answers("r");
    import("trelis,hunyuan", "").refuses("no generator \"trelis\" (did you mean \"trellis\"?)");
    let other = import("sparc3d,hunyuan", "");
    other.refuses("--new-generators");
    assert!(!other.stderr.contains("did you mean"), "{}", other.stderr);
    assert_eq!(place.answers("r"), before);
    import("sparc3d,hunyuan", "--new-generators").ok();
    assert_eq!(place.answers("r").len(), 2);
}

#[test]
fn the_results_of_gpteval3d_come_in_as_another_judges() {
    let place = Folder::new();
    let list = |wins: usize, losses: usize| {
        let one = |result: i32| json!({"m1": "x", "m2": "y", "result": result});
        [vec![one(-1); wins], vec![one(1); losses], vec![one(0); 1]].concat()
    };
    place.write("comparisons.json", json!({"0": list(5, 2), "5": list(1, 3)}).to_string());
    place.ok("import g --gpteval3d comparisons.json");
    let rated = place.rated("g", "rating");
    // Best first, on two criteria.
    let first = rated.iter().step_by(2).map(|row| [&row["criterion"], &row["method"]]);
    assert_eq!(first.collect::<Vec<_>>(), [["text_asset_alignment", "x"], ["overall", "y"]]);
    assert_eq!(rated[0]["judge"], "imported:gpteval3d");
    assert_eq!(rated[0]["games"], 8);
    place.write("comparisons.json", json!({"6": list(1, 1)}).to_string());
    place.run("import g --gpteval3d comparisons.json").refuses("criterion 6");
}

#[test]
fn another_runs_verdicts_are_taken_over_with_their_pictures() {
    let place = judged();
    place.ok("import all --from r");
    place.ok("import all --from r");
    assert_eq!(place.answers("all"), place.answers("r"));
    assert_eq!(place.names("all/sheets"), place.names("r/sheets"));
    assert_eq!(place.ok("rate all").stdout, place.ok("rate r").stdout);
}

#[test]
fn a_report_is_headed_by_the_name_of_the_benchmark_and_the_columns_of_an_export_are_documented() {
    let place = judged();
    place.read("r/report.html").must_have("<h1>demo: 2 generators on 2 prompts</h1>");
    let csv = place.ok("export r --format csv").stdout;
    let document = std::fs::read_to_string(repository("docs/ROWS.md")).unwrap();
    let documented: Vec<&str> =
        document.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    assert_eq!(columns, documented);
    for row in place.answers("r") {
        let id = if row["prompt"] == "a vase" { "vase" } else { "chair" };
        assert!(row["prompt_id"] == id && row["seed"] == 0, "{row}");
    }
}

#[test]
fn methods_that_share_the_highest_rating_are_both_named() {
    let place = Folder::new();
    let votes = |p| format!("p{p},one,worst,overall,a,ann\np{p},two,worst,overall,a,ann\n");
    place.vote("v", &(0..3).map(votes).collect::<String>());
    place.ok("report v --out board.md");
    place.read("board.md").must_have([
        "**one** and **two** share the highest rating overall (1224) on 3 prompts.",
        // The caption is longer than a cell.
        "rubric pairwise, judged by people.",
    ]);
}

#[test]
fn a_method_is_placed_among_published_scores_that_stay() {
    let place = Folder::new();
    let mut votes = String::new();
    // Against an equal share of wins, a method has its opponent's rating.
    for (n, vote) in ["a", "b"].iter().cycle().take(20).enumerate() {
        votes += &format!("p{n},ours,mvdream,overall,{vote},ann\n");
    }
    place.vote("v", &(votes + "p0,ours,unheard-of,overall,a,ann\n"));
    let scores = repository("tests/data/gpteval3d_leaderboard.json");
    place.copy(scores, "scores.json");
    let placed = |run: &str| {
        let placed = place.ok(&format!("place {run} --generator ours --scores scores.json --json"));
        placed.rows_of("placement")
    };
    let mvdream = place.json("scores.json")["scores"][5]["mvdream"].as_f64().unwrap();
    let [found] = &placed("v")[..] else { panic!("not one placement") };
    assert!((found["rating"].as_f64().unwrap() - mvdream).abs() < 1e-6, "{found:#?}");
    assert!(found["criterion"] == "overall" && found["unknown"] == 1, "{found:#?}");
    // Five prompts, of which the best is drawn five times in 8 of 100 samples: its rating is the
    // end of the plain percentiles, and a widened interval reaches further.
    let mut votes = String::new();
    for (n, wins) in [4, 4, 4, 1, 1].into_iter().enumerate() {
        for game in 0..5 {
            let vote = if game < wins { "a" } else { "b" };
            votes += &format!("p{n},ours,mvdream,overall,{vote},r{game}\n");
        }
    }
    place.vote("few", &votes);
    let high = placed("few")[0]["interval"]["high"].as_f64().unwrap();
    assert!(high > mvdream + 400.0 * libm::log10(4.0) + 10.0, "{high}");
    place.run("place v --generator nobody --scores scores.json").refuses("nobody");
    let absurd = r#"{"criteria": ["overall"], "scores": [{"mvdream": 1e300}]}"#;
    place.write("absurd.json", absurd);
    place.run("place v --generator ours --scores absurd.json").says("1e300 of \"mvdream\"");
}

/// Our pictures in GPTEval3D's layout, judged as ready pictures, are the same sheets as the assets'
/// own.
#[test]
fn a_tournament_is_read_back_as_the_same_pictures() {
    let place = Folder::new();
    // A tournament has 240 pictures of each asset: small objects, with a colour at each vertex.
    const COLORS: [&str; 8] = [" 1 0 0", " 0 1 0", " 0 0 1", " 1 1 0", "", "", "", ""];
    for (k, name) in
        ["chair_clean", "chair_damaged", "vase_clean", "vase_damaged"].iter().enumerate()
    {
        let text = tetrahedron(1.0 + 0.5 * k as f32);
        let lines = text.lines().zip(COLORS).map(|(line, color)| format!("{line}{color}\n"));
        let text: String = lines.collect();
        place.write(format!("{name}.obj"), text);
    }
    judge(&place, &place, "obj");
    place.ok("export r --format gpteval3d --out tour");
    assert_eq!(place.json("tour/prompts.json").as_array().unwrap().len(), 2);
    assert_eq!(place.json("tour/config.json")["criteria"].as_array().unwrap().len(), 6);
    let tour = place.join("tour");
    for i in 0..120 {
        assert!(tour.join(format!("methods/clean/0/0/rgb_{i}.png")).is_file());
        assert!(tour.join(format!("methods/damaged/1/0/normal_{i}.png")).is_file());
    }
    let sheets = |name: &str, key: &str, clean: &str, damaged: &str| {
        let file = format!(
            "name = \"t\"\nprompts = [\"a wooden chair\"]\n[[generators]]\nname = \"clean\"\n{key} = \"{clean}\"\n\
            [[generators]]\nname = \"damaged\"\n{key} = \"{damaged}\"\n[pictures]\nrig = \"gpteval3d\"\n"
        );
        place.write(format!("{name}.toml"), file);
        place.run(&format!("bench {name}.toml --run {name}"));
        place.names(&format!("{name}/sheets"))
    };
    let drawn = sheets("drawn", "path", "chair_clean.obj", "chair_damaged.obj");
    assert_eq!(drawn.len(), 2, "both orders");
    let ready = sheets(
        "ready",
        "pictures",
        "tour/methods/clean/{prompt_id}/{seed}",
        "tour/methods/damaged/{prompt_id}/{seed}",
    );
    assert_eq!(ready, drawn);
    // A second export draws nothing again.
    let again = place.ok("export r --format gpteval3d --out tour --json").rows_of("tournament");
    assert_eq!([&again[0]["drawn"], &again[0]["kept"]], [0, 4]);
}

/// Prompt ids count from 0 in each benchmark, so the same id means another prompt in each.
#[test]
fn two_benchmarks_in_one_run_are_both_rated() {
    let place = tetrahedra(&[("low.obj", 1.0), ("high.obj", 2.0)]);
    let generators = ["low", "high"].map(|name| generator(name, &format!("{name}.obj"))).concat();
    for (run, prompt) in [("r0", "\"a cup\""), ("r1", "\"a plate\"")] {
        place.bench(prompt, &generators, "");
        place.ok(&format!("bench bench.toml --run {run}"));
        place.ok(&format!("import all --from {run}"));
    }
    let games = |run: &str| place.rated(run, "rating")[0]["games"].as_u64().unwrap();
    assert_eq!(games("all"), games("r0") + games("r1"));
}

#[test]
fn a_pair_lost_by_a_missing_asset_is_no_longer_rated_once_its_generator_is_gone() {
    let place = tetrahedra(&[("low.obj", 1.0), ("high.obj", 2.0)]);
    let lost = |generators: &[&str]| -> Vec<Value> {
        let generators = generators.iter().map(|name| generator(name, &format!("{name}.obj")));
        place.bench("\"a cup\"", &generators.collect::<String>(), "");
        place.run("bench bench.toml --run r");
        let mut rows = place.answers("r");
        rows.retain(|row| row["outcome"] == "forfeit");
        rows.into_iter().map(|row| row["not_rated"].clone()).collect()
    };
    assert_eq!(lost(&["low", "high", "none"]), [Value::Null, Value::Null]);
    assert_eq!(lost(&["low", "high"]), ["method", "method"]);
}

/// No two methods share a prompt, so there is no pair.
#[test]
fn scores_without_pairs_have_means() {
    let place = Folder::new();
    let scores: String = (0..6).map(|p| format!("p{p},x,0.{p}5\nq{p},y,0.{p}\n")).collect();
    place.write("s.csv", format!("prompt,method,score\n{scores}"));
    place.ok("import r --ratings s.csv --new-generators");
    place.ok("rate r").shows("mean opinion scores: 12 scores of 12 assets");
    place.ok("report r --out r.html");
    place.read("r.html").must_have("ean opinion scores");
    // Another version of the table replaces it, and so does the first one again.
    for score in [2, 3, 2] {
        let table = scores.replace(",0.", &format!(",{score}."));
        place.write("s.csv", format!("prompt,method,score\n{table}"));
        place.ok("import r --ratings s.csv --replace");
        place.ok("rate r").shows(["12 scores of 12 assets", &format!(" {score}.")]);
    }
}

#[test]
fn assets_are_found_from_another_folder() {
    let place = tetrahedra(&[("low.obj", 1.0), ("high.obj", 2.0)]);
    let compared = place.run("compare low.obj high.obj --prompt 'a cup' --run r");
    assert_ne!(compared.code, Some(2), "{}", compared.stderr);
    let other = Folder::new();
    let report = || other.ok(&format!("report '{}' --bundle site", place.join("r").display()));
    let said = report().stderr;
    assert!(!said.contains("no 3D view"), "{said}");
    place.remove("low.obj");
    report().says("1 asset has no 3D view");
}

#[test]
fn votes_from_a_spreadsheet_are_read_however_it_saved_them() {
    let place = Folder::new();
    let row = "chair,clean,damaged,overall,a,Ada\n";
    let table = format!("{HEAD}{row}");
    let wide = format!("\u{feff}{}", table.replace(',', "\t"));
    for (name, bytes) in [
        ("semicolons", table.replace(',', ";").into_bytes()),
        ("tabs", table.replace(',', "\t").into_bytes()),
        ("utf16", wide.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("mark", format!("\u{feff}{table}").into_bytes()),
        ("capitals", format!("Prompt, A,B,CRITERION,Vote,Rater\n{row}").into_bytes()),
        ("empty-rows", format!("{table},,,,,\n\n,,,,,\n").into_bytes()),
        ("separator", format!("sep=,\n{table}").into_bytes()),
    ] {
        place.write("votes.csv", bytes);
        let said = place.ok(&format!("import {name} --votes votes.csv --new-generators")).stdout;
        assert_eq!(place.answers(name).len(), 1, "{name}: {said}");
    }
    for (text, words) in [
        (
            "a,b,vote\nb,a,a\n",
            "line 2: the vote \"a\" is a generator's name but also means another vote",
        ),
        ("prompt,a,vote\nchair,clean,a\n", "line 2: it has no column b"),
        ("a,b,vote,Vote\nx,y,a,b\n", "line 2: two columns are named \"vote\""),
        ("a,b,vote\n", "it has no votes; a table of votes has prompt, a, b"),
        ("", "it has no votes"),
    ] {
        place.write("votes.csv", text);
        place.run("import x --votes votes.csv").refuses(words);
    }
    place.write("votes.json", "[{\"a\": \"x\"}]");
    place.run("import x --votes votes.json").says("line 1: it is not one JSON object");
    // A table that was pasted twice; without raters it may be two people.
    for (name, rater, is_said) in [("twice", "ann", true), ("anybody", "", false)] {
        let row = format!("chair,clean,damaged,,a,{rater}\n");
        let said = place.vote(name, &format!("{row}{row}")).stderr;
        let repeated = "1 answer is by a rater who answered the same";
        assert_eq!(said.contains(repeated), is_said, "{said}");
    }
}
