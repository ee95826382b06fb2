//! Records → tables: one row a question, or one a question and criterion.

use crate::table::{Kind, Table};
use meshjudge::report::{RECORD_COLUMNS, RecordCell};
use meshjudge::rubric::{Verdict, Winner};
use meshjudge::store::Record;
use serde_json::{Map, Value, json};

/// The columns of `meshjudge export --format csv`.
pub(crate) fn by_question(records: &[Record]) -> Table {
    let rows: Vec<Map<String, Value>> = (records.iter())
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
    let kind = |cell: RecordCell| match cell {
        RecordCell::Count(_) | RecordCell::MaybeCount(_) | RecordCell::Tokens(_) => Kind::Int,
        RecordCell::Number(_) | RecordCell::MaybeNumber(_) => Kind::Float,
        _ => Kind::Text,
    };
    Table::of_rows(
        &RECORD_COLUMNS.map(|(name, cell)| (name, kind(cell))),
        &rows,
    )
}

const CRITERIA: [(&str, Kind); 13] = [
    ("id", Kind::Text),
    ("rubric", Kind::Text),
    ("category", Kind::Text),
    ("prompt_id", Kind::Text),
    ("prompt", Kind::Text),
    ("seed", Kind::Int),
    ("a", Kind::Text),
    ("b", Kind::Text),
    ("order", Kind::Text),
    ("judge", Kind::Text),
    ("criterion", Kind::Text),
    ("winner", Kind::Text),
    ("score", Kind::Float),
];

/// Verdicts in rows: the question, the criterion, and the winner (`a`, `b`, `tie`; empty if undecided) or the score.
pub(crate) fn by_criterion(records: &[Record]) -> Table {
    let rows: Vec<Map<String, Value>> = records.iter().flat_map(criteria_of).collect();
    Table::of_rows(&CRITERIA, &rows)
}

fn criteria_of(record: &Record) -> Vec<Map<String, Value>> {
    let row = |criterion: &str, winner: Option<Winner>, score: Option<f64>| {
        let row = json!({
            "id": record.id, "rubric": record.rubric, "category": record.category, "prompt_id": record.prompt_id,
            "prompt": record.prompt, "seed": record.seed, "a": record.a.method, "b": record.b.as_ref().map(|b| &b.method),
            "order": record.order, "judge": record.judge, "criterion": criterion,
            "winner": winner.map(Winner::as_str), "score": score,
        });
        match row {
            Value::Object(row) => row,
            _ => Map::new(),
        }
    };
    match record.verdict() {
        None => Vec::new(),
        Some(verdict @ Verdict::Pairwise { choices, .. }) => (choices.iter())
            .map(|(key, _)| row(key, verdict.winner(key), None))
            .collect(),
        Some(Verdict::Reconstruction { score }) => vec![row("score", None, Some((*score).into()))],
        Some(Verdict::Category {
            aspects,
            overall,
            overall_recomputed,
            undecided,
        }) => {
            let mut rows: Vec<_> = (aspects.iter())
                .map(|(key, score)| row(key, None, Some(*score)))
                .collect();
            rows.extend(undecided.iter().map(|key| row(key, None, None)));
            rows.push(row("overall", None, Some(*overall)));
            rows.push(row("overall_recomputed", None, Some(*overall_recomputed)));
            rows
        }
    }
}
