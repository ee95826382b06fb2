//! The real program on the demo benchmark, with smaller pictures: the board is in the order of the
//! damage, and nothing is asked twice. `tests/meta/documents.rs` runs the file as it is committed.

use crate::support::assets::{Folder, demo};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Best first, by how much each is damaged.
const GENERATORS: [&str; 3] = ["atelier", "workshop", "sketch"];
const PROMPTS: usize = 8;

/// Ratings on a criterion, by generator.
fn ratings(rows: &[Value], criterion: &str) -> BTreeMap<String, f64> {
    let rows = rows.iter().filter(|row| row["kind"] == "rating" && row["criterion"] == criterion);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows.map(|row| (text(&row["method"]), row["rating"].as_f64().unwrap())).collect()
}

#[test]
fn the_demo_benchmark_ranks_by_damage_and_asks_nothing_twice() {
    let place = Folder::new();
    let file = std::fs::read_to_string(demo("bench.toml")).unwrap();
    // The probe measures the objects; how large their pictures are changes no verdict.
    let file = file.replace("path = \"bench", &format!("path = \"{}", demo("bench").display()))
        + "[pictures]\nsize_px = 64\nviews = 1\n";
    place.write("bench.toml", file);
    let first = place.ok("bench bench.toml --run r --json").rows();

    let plan = &first[0];
    let pairs = PROMPTS * GENERATORS.len();
    let numbers = ["pairs", "questions", "requests"].map(|key| &plan[key]);
    assert_eq!(numbers, [pairs, 2 * pairs, 0]);
    let overall = |kind: &str| -> Vec<&Value> {
        first.iter().filter(|row| row["kind"] == kind && row["criterion"] == "overall").collect()
    };
    let numbers =
        ["both_orders", "inconsistent", "undecided"].map(|key| &overall("criterion")[0][key]);
    assert_eq!(numbers, [pairs - 5, 0, 10], "five pairs are too alike for it, in both orders");
    // Rows are in the order of the board.
    let board = overall("rating");
    let order: Vec<&Value> = board.iter().map(|row| &row["method"]).collect();
    assert_eq!(order, GENERATORS);
    for row in &board[..2] {
        let [low, rating, high] = ["low", "rating", "high"].map(|key| row[key].as_f64().unwrap());
        assert!(low < rating && rating < high, "{row}");
    }
    // The third loses every game: its rating is a bound.
    assert_eq!(board[2]["bound"], "at_most");
    assert!(board.iter().all(|row| row["games"].as_u64() >= Some(11)), "{board:?}");
    for criterion in ["plausibility", "geometry_details"] {
        let ratings = ratings(&first, criterion);
        let [atelier, workshop, sketch] = GENERATORS.map(|name| ratings[name]);
        assert!(atelier > workshop && workshop > sketch, "{criterion}: {ratings:?}");
    }
    // Colours are compared where surfaces coincide, which they do in few of these pairs: one
    // blurred texture of each of two generators is found.
    let ratings = ratings(&first, "texture_details");
    assert!(ratings.len() == 2 && ratings["atelier"] == ratings["workshop"], "{ratings:?}");
    assert!(place.join("r/report.html").is_file());

    // Every pair is there once in each order.
    let asked = place.answers("r");
    assert_eq!(asked.len(), 2 * pairs);
    let mut orders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in &asked {
        let pair = format!("{} {}", row["a"]["path"], row["b"]["path"]);
        orders.entry(pair).or_default().insert(row["order"].to_string());
    }
    assert_eq!(orders.len(), pairs);
    assert!(orders.values().all(|orders| orders.len() == 2), "{orders:?}");

    let again = place.ok("bench bench.toml --run r");
    again.says("48 of 48 questions were answered before").shows("overall (pairwise)");
    assert!(again.stdout.lines().count() < 40, "{}", again.stdout);
    assert_eq!(place.answers("r"), asked, "asked again");
}
