//! The real program on the demo benchmark, with smaller pictures: the board is in the order of the
//! damage, and nothing is asked twice. `tests/meta/documents.rs` runs the file as it is committed.

use crate::support::assets::demo;
use crate::support::program::meshjudge;
use serde_json::Value;
use std::collections::BTreeMap;

/// Best first, by how much each is damaged.
const GENERATORS: [&str; 3] = ["atelier", "workshop", "sketch"];
const PROMPTS: usize = 8;

/// Ratings on a criterion, by generator.
fn ratings(rows: &[Value], criterion: &str) -> BTreeMap<String, f64> {
    rows.iter()
        .filter(|row| row["kind"] == "rating" && row["criterion"] == criterion)
        .map(|row| {
            let rating = row["rating"].as_f64().unwrap();
            (row["method"].as_str().unwrap().to_owned(), rating)
        })
        .collect()
}

#[test]
fn the_demo_benchmark_ranks_by_damage_and_asks_nothing_twice() {
    let place = tempfile::tempdir().unwrap();
    let file = std::fs::read_to_string(demo("bench.toml")).unwrap();
    // The probe measures the objects; how large their pictures are changes no verdict.
    let file = file.replace("path = \"bench", &format!("path = \"{}", demo("bench").display()))
        + "[pictures]\nsize_px = 64\nviews = 1\n";
    std::fs::write(place.path().join("bench.toml"), file).unwrap();
    let bench = ["bench", "bench.toml", "--run", "r", "--json"];
    let first = meshjudge(place.path(), &bench).ok().rows();

    let plan = &first[0];
    let pairs = PROMPTS * GENERATORS.len();
    assert_eq!(
        (&plan["pairs"], &plan["questions"], &plan["requests"]),
        (&pairs.into(), &(2 * pairs).into(), &0.into())
    );
    let overall = first
        .iter()
        .find(|row| row["kind"] == "criterion" && row["criterion"] == "overall")
        .unwrap();
    assert_eq!(
        (&overall["both_orders"], &overall["inconsistent"], &overall["undecided"]),
        (&(pairs - 5).into(), &0.into(), &10.into()),
        "five pairs are too alike for it, in both orders"
    );
    // Rows are in the order of the board.
    let board: Vec<&Value> = first
        .iter()
        .filter(|row| row["kind"] == "rating" && row["criterion"] == "overall")
        .collect();
    let order: Vec<&str> = board.iter().map(|r| r["method"].as_str().unwrap()).collect();
    assert_eq!(order, GENERATORS);
    for row in &board[..2] {
        let [low, rating, high] = ["low", "rating", "high"].map(|key| row[key].as_f64().unwrap());
        assert!(low < rating && rating < high, "{row}");
    }
    // The third loses every game: its rating is a bound.
    assert_eq!(board[2]["bound"], "at_most");
    assert!(
        board.iter().all(|row| row["games"].as_u64().unwrap() >= 11),
        "hardly decided: {board:?}"
    );
    for criterion in ["plausibility", "geometry_details"] {
        let ratings = ratings(&first, criterion);
        let [atelier, workshop, sketch] = GENERATORS.map(|name| ratings[name]);
        assert!(atelier > workshop && workshop > sketch, "{criterion}: {ratings:?}");
    }
    // Colours are compared where surfaces coincide, which they do in few of these pairs: one
    // blurred texture of each of two generators is found.
    let ratings = ratings(&first, "texture_details");
    assert!(ratings.len() == 2 && ratings["atelier"] == ratings["workshop"], "{ratings:?}");
    assert!(place.path().join("r/report.html").is_file());

    // Every pair is there once in each order.
    let export = ["export", "r", "--format", "jsonl"];
    let asked = meshjudge(place.path(), &export).ok().rows();
    assert_eq!(asked.len(), 2 * pairs);
    let mut orders: BTreeMap<[String; 2], Vec<&str>> = BTreeMap::new();
    for row in &asked {
        let pair = ["a", "b"].map(|side| row[side]["path"].as_str().unwrap().to_owned());
        orders.entry(pair).or_default().push(row["order"].as_str().unwrap());
    }
    assert_eq!(orders.len(), pairs);
    for (pair, mut orders) in orders {
        orders.sort_unstable();
        assert_eq!(orders, ["ab", "ba"], "{pair:?}");
    }

    let again = meshjudge(place.path(), &bench).ok();
    let people = meshjudge(place.path(), &bench[..4]).ok().stdout;
    assert!(people.contains("overall (pairwise)") && people.lines().count() < 40, "{people}");
    assert!(again.stderr.contains("48 of 48 questions were answered before"), "{}", again.stderr);
    assert_eq!(meshjudge(place.path(), &export).ok().rows(), asked, "asked again");
}
