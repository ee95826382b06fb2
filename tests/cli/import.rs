//! The real program: what others said of pairs comes in (`import`, `place`), our pictures go out
//! (`export --format gpteval3d`).

use crate::support::assets::{demo, repository, tetrahedron};
use crate::support::program::{meshjudge, ok, rows_of};
use serde_json::{Value, json};
use std::path::Path;

fn data(name: &str) -> String {
    let path = repository("tests/data").join(name);
    path.to_str().unwrap().to_owned()
}

/// Clean and damaged chair and vase, judged by the probe at a small size.
fn judged() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    judge(place.path(), &demo(""), "glb");
    place
}

/// Those of a folder, with this ending of their names.
fn judge(place: &Path, assets: &Path, ending: &str) {
    let file = format!(
        "name = \"demo\"\nprompts = [{{ id = \"chair\", text = \"a wooden chair\" }}, {{ id = \"vase\", text = \"a vase\" }}]\n\
        [[generators]]\nname = \"clean\"\npath = \"{0}/{{prompt_id}}_clean.{ending}\"\n\
        [[generators]]\nname = \"damaged\"\npath = \"{0}/{{prompt_id}}_damaged.{ending}\"\n[pictures]\nsize_px = 64\n",
        assets.display()
    );
    std::fs::write(place.join("bench.toml"), file).unwrap();
    ok(place, &["bench", "bench.toml", "--run", "r"]);
}

/// Who votes begins with a few pairs: that their board cannot be made yet is no failure of the run.
#[test]
fn a_person_whose_votes_do_not_connect_the_methods_yet_is_a_note() {
    let place = tempfile::tempdir().unwrap();
    let generator = |(name, kind): (&str, &str)| {
        let demo = demo("").display().to_string();
        format!("[[generators]]\nname = \"{name}\"\npath = \"{demo}/{{prompt_id}}_{kind}.glb\"\n")
    };
    let generators = [("v", "clean"), ("w", "damaged"), ("x", "clean"), ("y", "damaged")];
    let generators = generators.map(generator).concat();
    let prompts =
        "prompts = [{ id = \"chair\", text = \"a chair\" }, { id = \"vase\", text = \"a vase\" }]";
    let file = format!("name = \"t\"\n{prompts}\n{generators}[pictures]\nsize_px = 64\n");
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    ok(place.path(), &["bench", "bench.toml", "--run", "r"]);
    let votes =
        "prompt,a,b,criterion,vote,rater\nchair,v,w,overall,a,Ada\nvase,x,y,overall,b,Ada\n";
    std::fs::write(place.path().join("votes.csv"), votes).unwrap();
    ok(place.path(), &["import", "r", "--votes", "votes.csv"]);
    let rated = meshjudge(place.path(), &["rate", "r"]);
    assert_eq!(rated.code, Some(0), "{}", rated.stderr);
    let note = "overall (pairwise) is not rated by people yet";
    assert!(rated.stderr.contains(note), "{}", rated.stderr);
    // With nothing else to rate it is one.
    let people = ["import", "people", "--votes", "votes.csv", "--new-generators"];
    ok(place.path(), &people);
    let nothing = meshjudge(place.path(), &["rate", "people"]);
    assert_eq!(nothing.code, Some(2));
    assert!(nothing.stderr.contains(note), "{}", nothing.stderr);
}

#[test]
fn metrics_are_a_jury_against_people() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: String, text: &str| {
        let path = place.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    const PROMPTS: usize = 12;
    let mut votes = "prompt,a,b,criterion,vote,rater\n".to_owned();
    for p in 0..PROMPTS {
        write(format!("refs/{p}.obj"), &tetrahedron(1.0));
        for m in 0..3 {
            write(format!("out/m{m}/{p}.obj"), &tetrahedron(1.1 + 0.2 * m as f32));
        }
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            // People want the nearer shape, except on every fourth prompt.
            let vote = if p % 4 == 0 { "b" } else { "a" };
            votes.push_str(&format!("{p},m{a},m{b},overall,{vote},Ada\n"));
        }
    }
    write("votes.csv".to_owned(), &votes);
    let prompts: Vec<String> =
        (0..PROMPTS).map(|p| format!("{{ id = \"{p}\", text = \"thing {p}\" }}")).collect();
    let generators: String = (0..3)
        .map(|m| {
            format!("[[generators]]\nname = \"m{m}\"\npath = \"out/m{m}/{{prompt_id}}.obj\"\n")
        })
        .collect();
    let file = format!(
        "name = \"t\"\nprompts = [{}]\n{generators}[pictures]\nsize_px = 32\nviews = 1\n[[metrics]]\nreference = \"refs/{{prompt_id}}.obj\"\nnames = [\"cd_l1_half\", \"f@0.05\"]\nsamples = 200\nalign = \"none\"\n",
        prompts.join(", ")
    );
    write("bench.toml".to_owned(), &file);
    ok(place.path(), &["bench", "bench.toml", "--run", "r"]);
    ok(place.path(), &["import", "r", "--votes", "votes.csv"]);
    let rows = rows_of(&ok(place.path(), &["rate", "r", "--json"]), "jury");
    let names: Vec<&str> = rows.iter().map(|row| row["member"].as_str().unwrap()).collect();
    assert!(names.contains(&"cd_l1_half") && names.contains(&"f@0.05"), "{names:?}");
    let distance = rows.iter().find(|row| row["member"] == "cd_l1_half").unwrap();
    assert_eq!(distance["right"]["value"], json!(0.75), "{distance}");
    assert_eq!((&distance["pairs"], &distance["prompts"]), (&json!(36), &json!(12)));
    let shown = ok(place.path(), &["rate", "r"]);
    assert!(shown.contains("weighted jury") && shown.contains("agrees with people"), "{shown}");
    ok(place.path(), &["report", "r", "--out", "page.html"]);
    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    assert!(page.contains("<section id=\"jury\">"));
}

#[test]
fn ratings_become_811_decided_and_89_tied_pairs_and_the_order_of_the_means() {
    let place = tempfile::tempdir().unwrap();
    let file = data("stanfordt23d.json");
    let on = ["--criterion", "text_asset_alignment"];
    let args = [&["import", "people", "--ratings", &file, "--json"][..], &on[..]].concat();
    let imported = rows_of(&ok(place.path(), &args), "imported");
    assert_eq!((&imported[0]["decided"], &imported[0]["ties"]), (&json!(811), &json!(89)));
    let rated = ok(place.path(), &["rate", "people", "--json"]);
    let order: Vec<Value> =
        rows_of(&rated, "rating").into_iter().map(|row| row["method"].clone()).collect();
    // By the mean of 180 ratings: 3.76, 3.37, 3.34, 3.06, 2.77, 1.53.
    let by_mean = ["latent-nerf", "instant3d", "mvdream", "magic3d", "dreamfusion", "shap-e"];
    assert_eq!(order, by_mean);
    let shown = ok(place.path(), &["rate", "people"]);
    assert!(
        !shown.contains("inconsistent:") && !shown.contains("one order only"),
        "a vote is asked once: {shown}"
    );

    // Each rater by name: how far people agree is the ceiling.
    let args = [&["import", "raters", "--ratings", &file, "--by", "rater"][..], &on[..]].concat();
    ok(place.path(), &args);
    let people = rows_of(&ok(place.path(), &["rate", "raters", "--json"]), "people");
    let same = people[0]["pairwise"]["on_decided"]["value"].as_f64().unwrap();
    assert!((same - 0.906).abs() < 5e-4, "{people:#?}");

    // The scores keep their size: means, and each rater against the mean of the others, by a script
    // of a few lines.
    let found = ok(place.path(), &["rate", "raters", "--json"]);
    let means = rows_of(&found, "mos");
    assert_eq!((&means[0]["method"], &means[0]["scores"]), (&json!("latent-nerf"), &json!(180)));
    let among = &rows_of(&found, "mos_agreement")[0]["found"];
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
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let line = |prompt: usize| {
        let size = 1e-10 * (prompt + 1) as f64;
        format!("thing {prompt},a,{:e}\nthing {prompt},b,{size:e}\n", size * 1.5)
    };
    let lines: String = (0..6).map(line).collect();
    std::fs::write(place.join("tiny.csv"), format!("prompt,method,r0\n{lines}")).unwrap();
    let args = ["import", "tiny", "--ratings", "tiny.csv", "--json"];
    let imported = rows_of(&ok(place, &args), "imported");
    assert_eq!((&imported[0]["decided"], &imported[0]["ties"]), (&json!(6), &json!(0)));
    assert!(ok(place, &["rate", "tiny"]).contains("5.250e-10"));
    // About 0 the sum of equal scores is rounding alone.
    let centred = "prompt,method,r0,r1,r2\nthing,a,0.1,0.2,-0.3\nthing,b,0,0,0\n";
    std::fs::write(place.join("centred.csv"), centred).unwrap();
    let args = ["import", "centred", "--ratings", "centred.csv", "--json"];
    let imported = rows_of(&ok(place, &args), "imported");
    assert_eq!((&imported[0]["decided"], &imported[0]["ties"]), (&json!(0), &json!(1)));
}

/// The same ten scores, long and in each wide form: one criterion a column, one rater a column, one
/// method a column.
#[test]
fn scores_keep_their_size_however_the_table_lists_them() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let score = |prompt: usize, method: usize, rater: usize| 1 + (prompt + 2 * method + rater) % 5;
    let each = |line: &dyn Fn(usize, usize) -> String| -> String {
        let all = (0..6).flat_map(|p| (0..3).map(move |m| (p, m)));
        all.map(|(p, m)| line(p, m)).collect()
    };
    let by_rater = each(&|p, m| {
        (0..2).map(|r| format!("thing {p},m{m},overall,{},r{r}\n", score(p, m, r))).collect()
    });
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
    let criteria = each(&|p, m| {
        (0..2).map(|r| format!("thing {p},m{m},r{r},{},\n", score(p, m, r))).collect()
    });
    let json = each(&|p, m| {
        (0..2)
            .map(|r| format!("{{\"prompt\": \"thing {p}\", \"method\": \"m{m}\", \"rater\": \"r{r}\", \"score\": {}}}\n", score(p, m, r)))
            .collect()
    });
    let mut rows = Vec::new();
    for (file, text) in [
        ("long.csv", format!("prompt,method,criterion,score,rater\n{by_rater}{late}")),
        ("raters.csv", format!("prompt,method,r0,r1,late\n{raters}")),
        ("methods.csv", format!("prompt,rater,m0,m1,m2\n{methods}thing 5,late,,,4\n")),
        (
            "criteria.csv",
            format!("prompt,method,rater,overall,plausibility\n{criteria}thing 5,m2,late,4,2\n"),
        ),
        (
            "lines.jsonl",
            format!(
                "{json}{{\"prompt\": \"thing 5\", \"method\": \"m2\", \"rater\": \"late\", \"score\": 4}}\n"
            ),
        ),
    ] {
        std::fs::write(place.join(file), text).unwrap();
        ok(place, &["import", file.split('.').next().unwrap(), "--ratings", file]);
        let run = file.split('.').next().unwrap();
        // Again: nothing is added.
        ok(place, &["import", run, "--ratings", file]);
        let found = ok(place, &["rate", run, "--json"]);
        let of = |kind: &str| -> Vec<Value> {
            let all = rows_of(&found, kind).into_iter();
            all.filter(|row| row["criterion"] == "overall").collect()
        };
        rows.push((of("mos"), of("mos_agreement")));
    }
    assert_eq!(rows[0].0.len(), 3);
    assert_eq!(rows[0].0.iter().map(|r| r["scores"].as_u64().unwrap()).sum::<u64>(), 37);
    assert!(rows[0].0[0]["low"].as_f64() < rows[0].0[0]["mean"].as_f64());
    assert!(rows.iter().all(|other| *other == rows[0]), "{rows:#?}");
    // Another run takes them over, once, with the votes that were made of them.
    let joined = ["import", "joined", "--from", "long", "--from", "methods"];
    let said = ok(place, &joined);
    assert!(said.contains("and 37 scores by people"), "{said}");
    ok(place, &joined);
    let found = ok(place, &["rate", "joined", "--json"]);
    let scores = rows_of(&found, "mos").into_iter();
    // Two tables of the same scores are two tables.
    assert_eq!(scores.map(|row| row["scores"].as_u64().unwrap()).sum::<u64>(), 2 * 37);
    let shown = ok(place, &["rate", "criteria"]);
    assert!(
        shown.contains("overall, mean opinion scores: 37 scores of 18 assets by 3 raters"),
        "{shown}"
    );
    assert!(
        shown.contains("plausibility, mean opinion scores: 1 score of 1 asset by 1 rater"),
        "{shown}"
    );
    ok(place, &["report", "criteria", "--out", "page.html"]);
    let page = std::fs::read_to_string(place.join("page.html")).unwrap();
    assert!(page.contains("id=\"mos\"") && page.contains("SROCC"));
    for (text, said) in [
        ("prompt,method,r0\nthing 0,m0,good\n", "line 2: r0 is \"good\", which is not a score"),
        ("prompt,method,r0\n,m0,3\n", "line 2: it has no prompt"),
        ("method,r0\nm0,3\n", "line 2: it has no prompt"),
        ("prompt,method,r0\nthing 0,m0,1e308\n", "1e308 is not a score"),
    ] {
        std::fs::write(place.join("wrong.csv"), text).unwrap();
        let run = meshjudge(place, &["import", "w", "--ratings", "wrong.csv"]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

#[test]
fn votes_enter_a_run_and_agreement_with_them_is_told() {
    let place = judged();
    let csv = "prompt,a,b,criterion,vote,rater\nchair,damaged,clean,geometry_details,b,ann\na vase,clean,damaged,geometry_details,a,ann\n\
        vase,clean,damaged,geometry_details,tie,\"Bob, the second\"\n";
    std::fs::write(place.path().join("votes.csv"), csv).unwrap();
    ok(place.path(), &["import", "r", "--votes", "votes.csv"]);
    // The same file again changes nothing.
    ok(place.path(), &["import", "r", "--votes", "votes.csv"]);
    let line = "{\"prompt\":\"chair\",\"a\":\"clean\",\"b\":\"damaged\",\"criterion\":\"geometry_details\",\"vote\":\"both_bad\",\"rater\":\"cid\"}\n";
    std::fs::write(place.path().join("more.jsonl"), line).unwrap();
    ok(place.path(), &["import", "r", "--votes", "more.jsonl"]);
    let exported = ok(place.path(), &["export", "r", "--format", "jsonl"]);
    let human: Vec<Value> = exported
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|row| row["judge"].as_str().unwrap().starts_with("human:"))
        .collect();
    assert_eq!(human.len(), 4, "{human:#?}");
    let bad: Vec<&Value> =
        human.iter().filter(|row| !row["verdict"]["both_bad"].is_null()).collect();
    assert_eq!((bad.len(), &bad[0]["judge"]), (1, &json!("human:cid")));
    assert_eq!(bad[0]["verdict"]["geometry_details"], "tie");
    // A prompt's id and its text are the same prompt, and the votes are about the run's assets.
    for row in &human {
        assert_eq!(row["a"]["method"], "clean");
        assert_eq!(row["a"]["hash"].as_str().unwrap().len(), 64);
        assert!(["a wooden chair", "a vase"].contains(&row["prompt"].as_str().unwrap()));
    }
    let rated = ok(place.path(), &["rate", "r", "--json"]);
    let agreement: Vec<Value> = rows_of(&rated, "agreement")
        .into_iter()
        .filter(|row| row["criterion"] == "geometry_details")
        .collect();
    assert_eq!(agreement.len(), 1, "probe and people: {rated}");
    assert_eq!(agreement[0]["on_decided"]["value"], 1.0, "{agreement:#?}");
    // One wrong line: its place is named and nothing is written.
    std::fs::write(
        place.path().join("bad.csv"),
        "prompt,a,b,criterion,vote,rater\nchair,clean,damaged,,a,dora\nchair,clean,damaged,,maybe,dora\n",
    )
    .unwrap();
    let refused = meshjudge(place.path(), &["import", "r", "--votes", "bad.csv"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("line 3"));
    let after = ok(place.path(), &["export", "r", "--format", "jsonl"]);
    assert_eq!(after, exported);
}

/// One method that two tables spell differently is probably meant.
#[test]
fn names_that_are_spelt_alike_are_pointed_out() {
    let place = tempfile::tempdir().unwrap();
    let rows = "p,Caf\u{e9} 2,TripoSR,overall,a,ann\nq,cafe\u{301}-2,TripoSR,overall,b,ann\n";
    let csv = format!("prompt,a,b,criterion,vote,rater\n{rows}r,Tripo,TripoSR,overall,a,ann\n");
    std::fs::write(place.path().join("votes.csv"), csv).unwrap();
    ok(place.path(), &["import", "r", "--votes", "votes.csv"]);
    let shown = ok(place.path(), &["rate", "r"]);
    let notes: Vec<&str> = shown.lines().filter(|line| line.contains("rated apart")).collect();
    let [note] = notes[..] else { panic!("{shown}") };
    assert!(note.contains("Caf\u{e9} 2") && note.contains("cafe\u{301}-2"), "{note}");
    assert!(!note.contains("Tripo"), "{note}");
}

/// The same rater in two files: both answers stay, what differs is named, and a file that is
/// imported again adds nothing, under whatever name.
#[test]
fn votes_of_one_rater_from_two_files_both_stay_and_a_conflict_is_named() {
    let place = tempfile::tempdir().unwrap();
    let head = "prompt,a,b,criterion,vote,rater\n";
    let write = |name: &str, lines: &str| {
        std::fs::write(place.path().join(name), format!("{head}{lines}")).unwrap();
    };
    write("first.csv", "chair,x,y,overall,a,ann\nvase,x,y,overall,a,ann\n");
    write("second.csv", "chair,y,x,overall,a,ann\nvase,x,y,overall,a,ann\n");
    let import = |file: &str| meshjudge(place.path(), &["import", "r", "--votes", file, "--json"]);
    let counts = |run: &crate::support::program::Run| {
        let row = run.rows_of("imported").remove(0);
        ["votes", "added", "conflicts", "repeated"].map(|key| row[key].as_u64().unwrap())
    };
    let first = import("first.csv").ok();
    assert_eq!(counts(&first), [2, 2, 0, 0]);
    let second = import("second.csv").ok();
    assert_eq!(counts(&second), [2, 2, 1, 1], "{}", second.stderr);
    let said = "ann says y here and said x in first.csv (x or y, overall, \"chair\")";
    assert!(second.stderr.contains(said), "{}", second.stderr);
    let exported = ok(place.path(), &["export", "r", "--format", "jsonl"]);
    assert_eq!(exported.lines().count(), 4);
    for file in ["first.csv", "second.csv"] {
        std::fs::copy(place.path().join(file), place.path().join("copy.csv")).unwrap();
        assert_eq!(counts(&import("copy.csv").ok()), [2, 0, 0, 0]);
    }
    let again = ok(place.path(), &["export", "r", "--format", "jsonl"]);
    assert_eq!(again, exported);
    let rated = rows_of(&ok(place.path(), &["rate", "r", "--json"]), "rating");
    assert_eq!(rated[0]["games"], 4, "each vote is a game: {rated:#?}");
}

/// In a benchmark's run, votes of another file or of the page leave the earlier ones as they are,
/// and a corrected file replaces its own.
#[test]
fn a_second_file_of_votes_adds_to_the_first_and_a_corrected_one_replaces_it() {
    let place = judged();
    let head = "prompt,a,b,criterion,vote,rater\n";
    let write = |name: &str, lines: &str| {
        std::fs::write(place.path().join(name), format!("{head}{lines}")).unwrap();
    };
    let games = || {
        let rated = rows_of(&ok(place.path(), &["rate", "r", "--json"]), "rating");
        let of_people = |row: &&Value| row["judge"] == "people" && row["criterion"] == "overall";
        rated.iter().find(of_people).map(|row| row["games"].clone())
    };
    write("mon.csv", "chair,clean,damaged,overall,a,ada\n");
    ok(place.path(), &["import", "r", "--votes", "mon.csv"]);
    write("tue.csv", "vase,clean,damaged,overall,a,ada\n");
    ok(place.path(), &["import", "r", "--votes", "tue.csv"]);
    assert_eq!(games(), Some(json!(2)));
    write("tue.csv", "vase,clean,damaged,overall,b,ada\n");
    let added = meshjudge(place.path(), &["import", "r", "--votes", "tue.csv"]).ok();
    assert!(added.stderr.contains("both answers are kept"), "{}", added.stderr);
    assert_eq!(games(), Some(json!(3)));
    write("tue.csv", "vase,clean,damaged,overall,tie,ada\n");
    let replaced =
        meshjudge(place.path(), &["import", "r", "--votes", "tue.csv", "--replace"]).ok();
    assert!(replaced.stderr.contains("2 votes are withdrawn"), "{}", replaced.stderr);
    assert_eq!(games(), Some(json!(2)));
    let counted = ok(place.path(), &["rate", "r"]);
    assert!(!counted.contains("invalid"), "{counted}");
    // What was withdrawn comes back with its file, also after the run was rebuilt.
    write("tue.csv", "vase,clean,damaged,overall,a,ada\n");
    ok(place.path(), &["import", "r", "--votes", "tue.csv", "--replace"]);
    assert_eq!(games(), Some(json!(2)));
}

#[test]
fn a_misspelt_method_is_refused_with_the_nearest_and_a_new_one_needs_a_word() {
    let place = tempfile::tempdir().unwrap();
    let import = |methods: [&str; 2], more: &[&str]| {
        let [a, b] = methods;
        let lines = format!("prompt,a,b,criterion,vote,rater\nchair,{a},{b},overall,a,ann\n");
        std::fs::write(place.path().join("votes.csv"), lines).unwrap();
        let args = [&["import", "r", "--votes", "votes.csv"][..], more].concat();
        meshjudge(place.path(), &args)
    };
    import(["trellis", "hunyuan"], &[]).ok();
    let before = ok(place.path(), &["export", "r", "--format", "jsonl"]);
    let typo = import(["trelis", "hunyuan"], &[]);
    assert_eq!(typo.code, Some(2));
    let said = "no generator \"trelis\" (did you mean \"trellis\"?)";
    assert!(typo.stderr.contains(said), "{}", typo.stderr);
    let other = import(["sparc3d", "hunyuan"], &[]);
    assert_eq!(other.code, Some(2));
    assert!(!other.stderr.contains("did you mean"), "{}", other.stderr);
    assert!(other.stderr.contains("--new-generators"), "{}", other.stderr);
    assert_eq!(ok(place.path(), &["export", "r", "--format", "jsonl"]), before);
    import(["sparc3d", "hunyuan"], &["--new-generators"]).ok();
    let after = ok(place.path(), &["export", "r", "--format", "jsonl"]);
    assert_eq!(after.lines().count(), 2);
}

#[test]
fn the_results_of_gpteval3d_come_in_as_another_judges() {
    let place = tempfile::tempdir().unwrap();
    let list = |wins: usize, losses: usize| {
        let one = |result: i32| json!({"m1": "x", "m2": "y", "result": result});
        [vec![one(-1); wins], vec![one(1); losses], vec![one(0); 1]].concat()
    };
    let file = json!({"0": list(5, 2), "5": list(1, 3)}).to_string();
    std::fs::write(place.path().join("comparisons.json"), file).unwrap();
    ok(place.path(), &["import", "g", "--gpteval3d", "comparisons.json"]);
    let rated = rows_of(&ok(place.path(), &["rate", "g", "--json"]), "rating");
    // Best first, on two criteria.
    let first: Vec<(&str, &str)> = rated
        .iter()
        .step_by(2)
        .map(|row| (row["criterion"].as_str().unwrap(), row["method"].as_str().unwrap()))
        .collect();
    assert_eq!(first, [("text_asset_alignment", "x"), ("overall", "y")]);
    assert_eq!(rated[0]["judge"], "imported:gpteval3d");
    assert_eq!(rated[0]["games"], 8);
    let wrong = json!({"6": list(1, 1)}).to_string();
    std::fs::write(place.path().join("comparisons.json"), wrong).unwrap();
    let refused = meshjudge(place.path(), &["import", "g", "--gpteval3d", "comparisons.json"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("criterion 6"));
}

#[test]
fn another_runs_verdicts_are_taken_over_with_their_pictures() {
    let place = judged();
    ok(place.path(), &["import", "all", "--from", "r"]);
    ok(place.path(), &["import", "all", "--from", "r"]);
    let exported = |run: &str| ok(place.path(), &["export", run, "--format", "jsonl"]);
    assert_eq!(exported("all"), exported("r"));
    let names = |run: &str| {
        let listed = std::fs::read_dir(place.path().join(run).join("sheets")).unwrap();
        let mut names: Vec<_> = listed.map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names("all"), names("r"));
    assert_eq!(ok(place.path(), &["rate", "all"]), ok(place.path(), &["rate", "r"]));
}

#[test]
fn a_report_is_headed_by_the_name_of_the_benchmark() {
    let place = judged();
    let page = std::fs::read_to_string(place.path().join("r/report.html")).unwrap();
    assert!(page.contains("<h1>demo: 2 generators on 2 prompts</h1>"));
}

#[test]
fn the_documented_columns_are_those_of_an_export_and_name_prompt_and_seed() {
    let place = judged();
    let csv = ok(place.path(), &["export", "r", "--format", "csv"]);
    let document = std::fs::read_to_string(repository("docs/ROWS.md")).unwrap();
    let documented: Vec<&str> =
        document.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    assert_eq!(columns, documented);
    let exported = ok(place.path(), &["export", "r", "--format", "jsonl"]);
    for line in exported.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let id = if row["prompt"] == "a vase" { "vase" } else { "chair" };
        assert_eq!((&row["prompt_id"], &row["seed"]), (&json!(id), &json!(0)));
    }
}

#[test]
fn methods_that_share_the_highest_rating_are_both_named() {
    let place = tempfile::tempdir().unwrap();
    let mut csv = "prompt,a,b,criterion,vote,rater\n".to_owned();
    for prompt in 0..3 {
        csv += &format!("p{prompt},one,worst,overall,a,ann\np{prompt},two,worst,overall,a,ann\n");
    }
    std::fs::write(place.path().join("votes.csv"), csv).unwrap();
    ok(place.path(), &["import", "v", "--votes", "votes.csv"]);
    ok(place.path(), &["report", "v", "--out", "board.md"]);
    let said = std::fs::read_to_string(place.path().join("board.md")).unwrap();
    let headline = "**one** and **two** share the highest rating overall (1224) on 3 prompts.";
    assert!(said.contains(headline), "{said}");
    // The caption is longer than a cell.
    assert!(said.contains("rubric pairwise, judged by people."), "{said}");
}

#[test]
fn a_method_is_placed_among_published_scores_that_stay() {
    let place = tempfile::tempdir().unwrap();
    let mut csv = "prompt,a,b,criterion,vote,rater\n".to_owned();
    // Against an equal share of wins, a method has its opponent's rating.
    for (n, vote) in ["a", "b"].iter().cycle().take(20).enumerate() {
        csv += &format!("p{n},ours,mvdream,overall,{vote},ann\n");
    }
    csv += "p0,ours,unheard-of,overall,a,ann\n";
    std::fs::write(place.path().join("votes.csv"), csv).unwrap();
    ok(place.path(), &["import", "v", "--votes", "votes.csv"]);
    let scores = data("gpteval3d_leaderboard.json");
    let placed =
        ok(place.path(), &["place", "v", "--generator", "ours", "--scores", &scores, "--json"]);
    let placed = rows_of(&placed, "placement");
    let published: Value =
        serde_json::from_str(&std::fs::read_to_string(&scores).unwrap()).unwrap();
    let mvdream = published["scores"][5]["mvdream"].as_f64().unwrap();
    let rating = placed[0]["rating"].as_f64().unwrap();
    assert_eq!(placed.len(), 1);
    assert_eq!(placed[0]["criterion"], "overall");
    assert!((rating - mvdream).abs() < 1e-6, "{placed:#?}");
    assert_eq!(placed[0]["unknown"], 1);
    // Five prompts, of which the best is drawn five times in 8 of 100 samples: its rating is the
    // end of the plain percentiles, and a widened interval reaches further.
    let mut csv = "prompt,a,b,criterion,vote,rater\n".to_owned();
    for (n, wins) in [4, 4, 4, 1, 1].into_iter().enumerate() {
        for game in 0..5 {
            let vote = if game < wins { "a" } else { "b" };
            csv += &format!("p{n},ours,mvdream,overall,{vote},r{game}\n");
        }
    }
    std::fs::write(place.path().join("few.csv"), csv).unwrap();
    ok(place.path(), &["import", "few", "--votes", "few.csv"]);
    let placed =
        ok(place.path(), &["place", "few", "--generator", "ours", "--scores", &scores, "--json"]);
    let high = rows_of(&placed, "placement")[0]["interval"]["high"].as_f64().unwrap();
    assert!(high > mvdream + 400.0 * libm::log10(4.0) + 10.0, "{placed}");
    let missing =
        meshjudge(place.path(), &["place", "v", "--generator", "nobody", "--scores", &scores]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.stderr.contains("nobody"));
    let absurd = r#"{"criteria": ["overall"], "scores": [{"mvdream": 1e300}]}"#;
    std::fs::write(place.path().join("absurd.json"), absurd).unwrap();
    let refused =
        meshjudge(place.path(), &["place", "v", "--generator", "ours", "--scores", "absurd.json"]);
    assert!(refused.stderr.contains("1e300 of \"mvdream\""), "{}", refused.stderr);
}

/// Our pictures in GPTEval3D's layout, judged as ready pictures, are the same sheets as the assets'
/// own.
#[test]
fn a_tournament_is_read_back_as_the_same_pictures() {
    let place = tempfile::tempdir().unwrap();
    // A tournament has 240 pictures of each asset: small objects, with a colour at each vertex.
    const COLORS: [&str; 8] = [" 1 0 0", " 0 1 0", " 0 0 1", " 1 1 0", "", "", "", ""];
    for (k, name) in
        ["chair_clean", "chair_damaged", "vase_clean", "vase_damaged"].iter().enumerate()
    {
        let text = tetrahedron(1.0 + 0.5 * k as f32);
        let lines = text.lines().zip(COLORS).map(|(line, color)| format!("{line}{color}\n"));
        let text: String = lines.collect();
        std::fs::write(place.path().join(format!("{name}.obj")), text).unwrap();
    }
    judge(place.path(), place.path(), "obj");
    ok(place.path(), &["export", "r", "--format", "gpteval3d", "--out", "tour"]);
    let tour = place.path().join("tour");
    for (file, length) in [("prompts.json", 2), ("config.json", 6)] {
        let read = std::fs::read_to_string(tour.join(file)).unwrap();
        let value: Value = serde_json::from_str(&read).unwrap();
        let found = value["criteria"].as_array().or(value.as_array()).unwrap();
        assert_eq!(found.len(), length, "{file}");
    }
    for i in 0..120 {
        assert!(tour.join(format!("methods/clean/0/0/rgb_{i}.png")).is_file());
        assert!(tour.join(format!("methods/damaged/1/0/normal_{i}.png")).is_file());
    }
    let sheets = |name: &str, key: &str, clean: &str, damaged: &str| {
        let file = format!(
            "name = \"t\"\nprompts = [\"a wooden chair\"]\n[[generators]]\nname = \"clean\"\n{key} = \"{clean}\"\n\
            [[generators]]\nname = \"damaged\"\n{key} = \"{damaged}\"\n[pictures]\nrig = \"gpteval3d\"\n"
        );
        std::fs::write(place.path().join(format!("{name}.toml")), file).unwrap();
        meshjudge(place.path(), &["bench", &format!("{name}.toml"), "--run", name]);
        let listed = std::fs::read_dir(place.path().join(name).join("sheets")).unwrap();
        let mut found: Vec<_> = listed.map(|e| e.unwrap().file_name()).collect();
        found.sort();
        found
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
    let again =
        ok(place.path(), &["export", "r", "--format", "gpteval3d", "--out", "tour", "--json"]);
    let again = rows_of(&again, "tournament");
    assert_eq!((&again[0]["drawn"], &again[0]["kept"]), (&json!(0), &json!(4)));
}

/// Prompt ids count from 0 in each benchmark, so the same id means another prompt in each.
#[test]
fn two_benchmarks_in_one_run_are_both_rated() {
    let place = tempfile::tempdir().unwrap();
    for (name, height) in [("low", 1.0), ("high", 2.0)] {
        std::fs::write(place.path().join(name).with_extension("obj"), tetrahedron(height)).unwrap();
    }
    for (run, prompt) in [("r0", "a cup"), ("r1", "a plate")] {
        let file = format!(
            "name = \"t\"\nprompts = [\"{prompt}\"]\n[[generators]]\nname = \"low\"\npath = \"low.obj\"\n\
            [[generators]]\nname = \"high\"\npath = \"high.obj\"\n[pictures]\nsize_px = 32\nviews = 1\n"
        );
        std::fs::write(place.path().join("bench.toml"), file).unwrap();
        ok(place.path(), &["bench", "bench.toml", "--run", run]);
        ok(place.path(), &["import", "all", "--from", run]);
    }
    let games = |run: &str| {
        let rated = ok(place.path(), &["rate", run, "--json"]);
        rows_of(&rated, "rating")[0]["games"].as_u64().unwrap()
    };
    assert_eq!(games("all"), games("r0") + games("r1"));
}

#[test]
fn a_pair_lost_by_a_missing_asset_is_no_longer_rated_once_its_generator_is_gone() {
    let place = tempfile::tempdir().unwrap();
    for (name, height) in [("low", 1.0), ("high", 2.0)] {
        std::fs::write(place.path().join(name).with_extension("obj"), tetrahedron(height)).unwrap();
    }
    let lost = |generators: &[&str]| -> Vec<Value> {
        let generators = generators.iter();
        let generators: String = generators
            .map(|it| format!("[[generators]]\nname = \"{it}\"\npath = \"{it}.obj\"\n"))
            .collect();
        let file = format!(
            "name = \"t\"\nprompts = [\"a cup\"]\n{generators}[pictures]\nsize_px = 32\nviews = 1\n"
        );
        std::fs::write(place.path().join("bench.toml"), file).unwrap();
        meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]);
        let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).ok().rows();
        let rows = rows.iter().filter(|row| row["outcome"] == "forfeit");
        rows.map(|row| row["not_rated"].clone()).collect()
    };
    assert_eq!(lost(&["low", "high", "none"]), [Value::Null, Value::Null]);
    assert_eq!(lost(&["low", "high"]), [json!("method"), json!("method")]);
}

/// No two methods share a prompt, so there is no pair.
#[test]
fn scores_without_pairs_have_means() {
    let place = tempfile::tempdir().unwrap();
    let scores: String = (0..6).map(|p| format!("p{p},x,0.{p}5\nq{p},y,0.{p}\n")).collect();
    std::fs::write(place.path().join("s.csv"), format!("prompt,method,score\n{scores}")).unwrap();
    ok(place.path(), &["import", "r", "--ratings", "s.csv", "--new-generators"]);
    let shown = ok(place.path(), &["rate", "r"]);
    assert!(shown.contains("mean opinion scores: 12 scores of 12 assets"), "{shown}");
    ok(place.path(), &["report", "r", "--out", "r.html"]);
    let page = std::fs::read_to_string(place.path().join("r.html")).unwrap();
    assert!(page.contains("ean opinion scores"), "{}", page.len());
    // Another version of the table replaces it, and so does the first one again.
    for score in [2, 3, 2] {
        let table = scores.replace(",0.", &format!(",{score}."));
        std::fs::write(place.path().join("s.csv"), format!("prompt,method,score\n{table}"))
            .unwrap();
        ok(place.path(), &["import", "r", "--ratings", "s.csv", "--replace"]);
        let shown = ok(place.path(), &["rate", "r"]);
        let mean = format!(" {score}.");
        assert!(shown.contains("12 scores of 12 assets") && shown.contains(&mean), "{shown}");
    }
}

#[test]
fn assets_are_found_from_another_folder() {
    let place = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    for (name, height) in [("low", 1.0), ("high", 2.0)] {
        std::fs::write(place.path().join(name).with_extension("obj"), tetrahedron(height)).unwrap();
    }
    let args = ["compare", "low.obj", "high.obj", "--prompt", "a cup", "--run", "r"];
    assert_ne!(meshjudge(place.path(), &args).code, Some(2));
    let run = place.path().join("r").display().to_string();
    let said = meshjudge(other.path(), &["report", &run, "--bundle", "site"]).ok();
    assert!(!said.stderr.contains("no 3D view"), "{}", said.stderr);
    std::fs::remove_file(place.path().join("low.obj")).unwrap();
    let said = meshjudge(other.path(), &["report", &run, "--bundle", "site"]).ok();
    assert!(said.stderr.contains("1 asset has no 3D view"), "{}", said.stderr);
}

#[test]
fn votes_from_a_spreadsheet_are_read_however_it_saved_them() {
    let place = tempfile::tempdir().unwrap();
    let head = "prompt,a,b,criterion,vote,rater\n";
    let row = "chair,clean,damaged,overall,a,Ada\n";
    let wide = |text: &str| -> Vec<u8> {
        let text = format!("\u{feff}{}", text.replace(',', "\t"));
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let files = [
        ("semicolons", format!("{head}{row}").replace(',', ";").into_bytes()),
        ("tabs", format!("{head}{row}").replace(',', "\t").into_bytes()),
        ("utf16", wide(&format!("{head}{row}"))),
        ("mark", format!("\u{feff}{head}{row}").into_bytes()),
        ("capitals", format!("Prompt, A,B,CRITERION,Vote,Rater\n{row}").into_bytes()),
        ("empty rows", format!("{head}{row},,,,,\n\n,,,,,\n").into_bytes()),
        ("separator", format!("sep=,\n{head}{row}").into_bytes()),
    ];
    for (name, bytes) in files {
        std::fs::write(place.path().join("votes.csv"), bytes).unwrap();
        let said = ok(place.path(), &["import", name, "--votes", "votes.csv", "--new-generators"]);
        let rows = ok(place.path(), &["export", name, "--format", "jsonl"]);
        assert_eq!(rows.lines().count(), 1, "{name}: {said}");
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
        std::fs::write(place.path().join("votes.csv"), text).unwrap();
        let failed = meshjudge(place.path(), &["import", "x", "--votes", "votes.csv"]);
        assert!(failed.code == Some(2) && failed.stderr.contains(words), "{}", failed.stderr);
    }
    std::fs::write(place.path().join("votes.json"), "[{\"a\": \"x\"}]").unwrap();
    let failed = meshjudge(place.path(), &["import", "x", "--votes", "votes.json"]);
    assert!(failed.stderr.contains("line 1: it is not one JSON object"), "{}", failed.stderr);
    // A table that was pasted twice; without raters it may be two people.
    for (name, rater, is_said) in [("twice", "ann", true), ("anybody", "", false)] {
        let row = format!("chair,clean,damaged,,a,{rater}\n");
        std::fs::write(place.path().join("votes.csv"), format!("{head}{row}{row}")).unwrap();
        let args = ["import", name, "--votes", "votes.csv", "--new-generators"];
        let said = meshjudge(place.path(), &args).stderr;
        assert_eq!(
            said.contains("1 answer is by a rater who answered the same"),
            is_said,
            "{said}"
        );
    }
}
