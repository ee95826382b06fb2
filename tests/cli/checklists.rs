//! The real program with checklists, from `bench init` to the board against people's labels, by a
//! judge whose answers are known.

use crate::support::assets::{Folder, demo};
use crate::support::judge_server::{Mocks, reply};
use crate::support::program::{Run, Text as _};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use std::sync::{Arc, Mutex};
use wiremock::Request;

/// What was asked, in order.
type Asked = Arc<Mutex<Vec<String>>>;

/// Lists four features of each prompt; says yes to all of them where its picture is the first of
/// three, and partly to all where it is the second; finds defects by a fixed pattern.
async fn judge() -> (Mocks, Asked) {
    let asked = Asked::default();
    let seen = Arc::clone(&asked);
    let respond = move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let parts = body["messages"].as_array().unwrap().last().unwrap()["content"].clone();
        let text: String =
            parts.as_array().unwrap().iter().filter_map(|it| it["text"].as_str()).collect();
        let mut seen = seen.lock().unwrap();
        let keys = |open: &str, close: &str| {
            let is_key = |key: &&str| key.chars().all(|c| c.is_alphanumeric() || c == '_');
            let after = text.split(open).skip(1).map(|it| it.split(close).next().unwrap());
            after.filter(is_key).map(str::to_owned).collect::<Vec<_>>()
        };
        let answer: BTreeMap<String, Value> = if text.contains("List the features") {
            let each = (1..=4).map(|n| (format!("feature_{n}"), format!("feature {n}; of it")));
            each.map(|(key, text)| (key, text.into())).collect()
        } else if text.contains("<features>") {
            let count = seen.iter().filter(|it| it.contains("<features>")).count();
            let word = ["yes", "partly", "no"][count % 3];
            let keys = keys("\nfeature_", ": \"").into_iter().map(|n| format!("feature_{n}"));
            keys.map(|key| (key, json!({"reasoning": "seen", "choice": word}))).collect()
        } else {
            let count = seen.iter().filter(|it| !it.contains("features")).count();
            let keys = keys("(`", "`)").into_iter().enumerate();
            keys.map(|(i, key)| (key, json!(if (count + i) % 3 == 0 { "yes" } else { "no" })))
                .collect()
        };
        seen.push(text);
        reply(&json!(answer).to_string(), "stop")
    };
    (Mocks::chat(respond).await, asked)
}

fn run(folder: &Folder, args: &str) -> Run {
    Run::of(folder.command(args).env("OPENAI_API_KEY", "key"))
}

/// A benchmark of the demo assets as `bench init` writes it, with that checklist.
fn write_bench(folder: &Folder, rubric: &str, server: &Mocks) {
    folder.ok(&format!("bench init '{}'", demo("bench").display()));
    let judges = server.judges(&["stub"]);
    let how = format!("rubrics = [{rubric:?}]\nconcurrency = 1\n{judges}");
    folder.edit("bench.toml", "judges = [\"probe\"]", &how);
    let small = "\n[pictures]\nsize_px = 64\nviews = 1\n";
    folder.write("bench.toml", folder.read("bench.toml") + small);
}

#[tokio::test(flavor = "multi_thread")]
async fn defects_are_scored_against_peoples_labels() {
    let place = Folder::new();
    let (server, asked) = judge().await;
    write_bench(&place, "defects", &server);
    run(&place, "bench --run r --json").ok();
    assert_eq!(asked.lock().unwrap().len(), 24);
    let answers = place.answers("r");
    let said = |row: &Value, item: &str| row["verdict"]["aspects"][item] == 1;
    let (item, other) = ("surface", "placement");
    // People contradict the judge on every fifth asset, two against one; on the first they are
    // divided. A fourth item has one answer only.
    let mut labels = vec!["prompt,method,rater,surface,placement,baked_light,handles".to_owned()];
    let mut counts = [0.0_f64; 4];
    for (i, row) in answers.iter().enumerate() {
        let label = said(row, item) != (i % 5 == 4);
        if i > 0 {
            counts[2 * usize::from(!said(row, item)) + usize::from(!label)] += 1.0;
        }
        for rater in 0..3 {
            let says = if rater == 2 { !label } else { label };
            let says = if i == 0 && rater == 1 { "" } else { word(says) };
            labels.push(format!(
                "{},{},rater {rater},{says},{},no,yes",
                row["prompt"].as_str().unwrap(),
                row["a"]["method"].as_str().unwrap(),
                word(said(row, other))
            ));
        }
    }
    labels.push("a spaceship,atelier,rater 0,yes,no,no,no".to_owned());
    place.write("labels.csv", labels.join("\n"));
    place
        .ok("import r --ratings labels.csv --rubric defects")
        .says(["handles", "atelier of \"a spaceship\""]);
    place
        .ok("import people --ratings labels.csv --rubric defects")
        .says("only runs of `bench` compare labels with judges");
    let rated = place.ok("rate r --json");
    let rows = rated.rows_of("checklist");
    let of = |judge: &str, item: &str| {
        rows.iter().find(|row| row["judge"] == judge && row["item"] == item).unwrap().clone()
    };
    let found = of("openai:stub", item);
    assert_eq!(found["answers"], 23, "the divided label is left out: {found}");
    let [tp, fp, fnn, tn] = counts;
    let mcc = (tp * tn - fp * fnn) / ((tp + fp) * (tp + fnn) * (tn + fp) * (tn + fnn)).sqrt();
    assert!((found["mcc"]["value"].as_f64().unwrap() - mcc).abs() < 1e-12, "{found} {counts:?}");
    assert!(found["mcc"]["interval"]["low"].as_f64().unwrap() < mcc);
    assert_eq!(of("openai:stub", other)["mcc"]["value"], 1.0);
    assert_eq!(of("openai:stub", "baked_light")["mcc"]["value"], 0.0);
    let mean = of("openai:stub", "mean of all items")["mcc"]["value"].as_f64().unwrap();
    assert!((mean - (mcc + 1.0) / 3.0).abs() < 1e-12);
    // The third rater contradicts both others, who agree with one another only in part.
    assert!(of("people", item)["mcc"]["value"].as_f64().unwrap() < 0.0);
    let mut shares = rated.rows_of("mean");
    shares.retain(|row| row["judge"] == "openai:stub" && row["criterion"] == item);
    let shares: Vec<_> = shares.iter().map(|row| row["mean"].as_f64()).collect();
    assert!(shares.is_sorted() && shares.len() == 3, "fewer defects come first: {shares:?}");
    for (file, words) in [
        ("b.md", "against people"),
        ("b.csv", "checklist"),
        ("b.html", "Checklists against people"),
    ] {
        place.ok(&format!("report r --out {file}"));
        place.read(file).must_have(words);
    }
}

fn word(says: bool) -> &'static str {
    if says { "yes" } else { "no" }
}

#[tokio::test(flavor = "multi_thread")]
async fn features_are_listed_once_a_prompt_and_then_verified() {
    let place = Folder::new();
    let (server, asked) = judge().await;
    write_bench(&place, "features", &server);
    run(&place, "bench --dry-run --run r").ok().shows("openai:stub: 32 questions");
    // Stopped among the lists, then among the answers.
    for (max, lists, all) in [("3", 3, 3), ("13", 8, 13), ("99", 8, 32), ("99", 8, 32)] {
        run(&place, &format!("bench --run r --max-requests {max} --samples 1"))
            .ends(if max == "99" { 0 } else { 3 });
        let asked = asked.lock().unwrap();
        let listed = asked.iter().filter(|text| text.contains("List the features")).count();
        assert_eq!((listed, asked.len()), (lists, all));
    }
    let rows = place.answers("r");
    let verified: Vec<&Value> = rows.iter().filter(|row| row["rubric"] == "features").collect();
    assert_eq!((rows.len(), verified.len()), (32, 24));
    for row in verified {
        assert_eq!(
            row["category"],
            "feature 1, of it; feature 2, of it; feature 3, of it; feature 4, of it"
        );
        assert_eq!(row["verdict"]["aspects"].as_object().unwrap().len(), 4);
    }
    let means = place.ok("rate r --json").rows_of("mean");
    assert!(means.iter().all(|row| row["criterion"] == "overall") && means.len() == 3);
    let sum: f64 = means.iter().map(|row| row["mean"].as_f64().unwrap()).sum();
    assert!((sum - 1.5).abs() < 1e-9, "yes, partly and no, equally often: {means:?}");
}

#[test]
fn the_probe_lists_no_features() {
    let place = Folder::new();
    let (chair, assets) = (demo("chair_clean.glb"), demo("bench"));
    place
        .run(&format!("score '{}' --rubric features --prompt 'a chair'", chair.display()))
        .says("which a benchmark lists");
    place.ok(&format!("bench init '{}'", assets.display()));
    place.edit("bench.toml", "judges =", "rubrics = [\"features\"]\njudges =");
    place.run("bench --run r").says("needs a judge that reads prompts");
    place.run("audit --rubric defects --judge probe").refuses("no right answers to the checklist");
}
