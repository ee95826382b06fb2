//! Records → tables: one row a question, or one a question and criterion.

use crate::table::{Kind, Table};
use meshjudge::unstable::report::{Column, RECORD_COLUMNS, forfeit_id};
use meshjudge::unstable::rubric::{Verdict, Winner};
use meshjudge::unstable::store::{PlannedPair, Rater, Record};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The columns of `meshjudge export --format csv`.
pub(crate) fn by_question(records: &[Record]) -> Table {
    let rows: Vec<Map<String, Value>> = records
        .iter()
        .map(|record| {
            let mut row = match serde_json::to_value(record) {
                Ok(Value::Object(row)) => row,
                _ => Map::new(),
            };
            for side in ["a", "b"] {
                if let Some(Value::Object(asset)) = row.remove(side) {
                    let fields = asset.into_iter();
                    row.extend(fields.map(|(key, value)| (format!("{side}_{key}"), value)));
                }
            }
            row
        })
        .collect();
    let fields = RECORD_COLUMNS.iter().flat_map(Column::fields);
    let fields: Vec<(&str, Kind)> = fields.map(|(name, kind)| (name, kind.into())).collect();
    Table::of_rows(&fields, &rows)
}

const CRITERIA: [(&str, Kind); 18] = [
    ("id", Kind::Text),
    ("rubric", Kind::Text),
    ("rubric_hash", Kind::Text),
    ("category", Kind::Text),
    ("prompt_id", Kind::Text),
    ("prompt", Kind::Text),
    ("seed", Kind::Int),
    ("a", Kind::Text),
    ("b", Kind::Text),
    ("a_hash", Kind::Text),
    ("b_hash", Kind::Text),
    ("order", Kind::Text),
    ("sample", Kind::Int),
    ("judge", Kind::Text),
    ("protocol", Kind::Text),
    ("criterion", Kind::Text),
    ("winner", Kind::Text),
    ("score", Kind::Float),
];

/// Verdicts in rows: the question, the criterion, and the winner (`a`, `b`, `tie`; empty if
/// undecided) or the score. As on boards, a pair with a missing asset is a game of each judge on
/// each criterion of that rubric that the judge decides, without an order.
pub(crate) fn by_criterion(records: &[Record], forfeits: &[PlannedPair]) -> Table {
    let mut rows: Vec<Map<String, Value>> = records.iter().flat_map(criteria_of).collect();
    let text = |row: &Map<String, Value>, key: &str| {
        row.get(key).and_then(Value::as_str).map(str::to_owned)
    };
    let mut decided: BTreeSet<[String; 3]> = BTreeSet::new();
    let asked = rows
        .iter()
        .filter(|row| text(row, "judge").is_some_and(|name| Rater::named(name).is_asked()));
    decided.extend(asked.filter(|row| row["winner"].is_string()).filter_map(|row| {
        Some([text(row, "rubric")?, text(row, "judge")?, text(row, "criterion")?])
    }));
    for pair in forfeits {
        let Some(winner) = pair.result.winner_by_forfeit() else {
            continue;
        };
        for [rubric, judge, criterion] in
            decided.iter().filter(|[rubric, ..]| *rubric == pair.rubric)
        {
            let row = json!({
                "id": forfeit_id(pair), "rubric": rubric, "prompt_id": pair.prompt_id, "prompt": pair.prompt, "seed": pair.seed,
                "a": pair.a, "b": pair.b, "judge": judge, "criterion": criterion, "winner": winner.as_str(),
            });
            rows.extend(row.as_object().cloned());
        }
    }
    Table::of_rows(&CRITERIA, &rows)
}

fn criteria_of(record: &Record) -> Vec<Map<String, Value>> {
    let row = |criterion: &str, winner: Option<Winner>, score: Option<f64>| {
        let row = json!({
            "id": record.id, "rubric": record.rubric, "rubric_hash": record.rubric_hash, "category": record.category,
            "prompt_id": record.prompt_id, "prompt": record.prompt, "seed": record.seed, "a": record.a.method,
            "b": record.b.as_ref().map(|b| &b.method), "a_hash": record.a.hash, "b_hash": record.b.as_ref().map(|b| &b.hash),
            "order": record.order, "sample": record.sample, "judge": record.judge, "protocol": record.protocol,
            "criterion": criterion, "winner": winner.map(Winner::as_str), "score": score,
        });
        match row {
            Value::Object(row) => row,
            _ => Map::new(),
        }
    };
    match record.verdict() {
        None => Vec::new(),
        Some(verdict @ Verdict::Pairwise { choices, .. }) => {
            (choices.iter()).map(|(key, _)| row(key, verdict.winner(key), None)).collect()
        }
        Some(Verdict::Reconstruction { score }) => vec![row("score", None, score.map(f64::from))],
        Some(Verdict::Category { aspects, overall, undecided }) => {
            let mut rows: Vec<_> =
                aspects.iter().map(|(key, score)| row(key, None, Some(*score))).collect();
            rows.extend(undecided.iter().map(|key| row(key, None, None)));
            rows.push(row("overall", None, overall.map(|o| o.stated)));
            rows.push(row("overall_recomputed", None, overall.map(|o| o.mean)));
            rows
        }
    }
}
