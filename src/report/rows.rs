//! Rows for programs: what `rate --json` prints, and a run's records as JSON lines or CSV.

use super::board_columns::{
    anchored_columns, anchored_rows, category_columns, category_rows, checklist_columns,
    checklist_rows, controlled_columns, controlled_rows, jury_columns, jury_rows, mean_columns,
    mean_rows, mos_columns, mos_rows, rating_columns, rating_rows,
};
use super::csv::{csv_cell, csv_line};
use super::record_columns::RECORD_COLUMNS;
use super::run_rows::run_rows;
use super::table::{Column, Kind, json_row};
use super::table_view::{AgreementRow, agreement_columns, making_columns};
use crate::rate::ELO_PER_NAT;
use crate::results::{CriterionAnchored, CriterionBoard, CriterionControlled, MosBoard, Results};
use crate::store::{Pseudonyms, Store, StoreError};
use serde_json::{Value, json};

/// The kinds of the rows of [`result_rows`].
pub const RESULT_KINDS: [&str; 19] = [
    "rating",
    "criterion",
    "anchored",
    "anchors",
    "unanchored",
    "controlled",
    "controls",
    "uncontrolled",
    "diagnosis",
    "category",
    "mean",
    "mos",
    "mos_agreement",
    "agreement",
    "people",
    "jury",
    "checklist",
    "generator",
    "outcomes",
];

/// One row for each rating, criterion, mean, agreement and generator, and one for the outcomes.
pub fn result_rows(results: &Results) -> Vec<Value> {
    let mut rows: Vec<Value> = results.boards.iter().flat_map(board_rows).collect();
    rows.extend(results.anchored.iter().flat_map(all_of_anchored));
    rows.extend(results.unanchored.iter().map(|on| {
        json!({"kind": "unanchored", "rubric": on.rubric, "criterion": on.criterion, "reason": on.reason.to_string()})
    }));
    rows.extend(results.controlled.iter().flat_map(all_of_controlled));
    rows.extend(results.uncontrolled.iter().map(|on| {
        json!({"kind": "uncontrolled", "rubric": on.rubric, "criterion": on.criterion, "judge": on.voice.to_string(), "reason": on.reason})
    }));
    rows.extend(results.diagnoses.iter().map(|on| {
        let mut row = json!(on);
        row["kind"] = "diagnosis".into();
        row["voice"] = on.voice.to_string().into();
        row
    }));
    let categories = results.categories.iter().flat_map(category_rows).flatten();
    rows.extend(tagged("category", &category_columns(), categories));
    rows.extend(tagged("mean", &mean_columns(), results.means.iter().flat_map(mean_rows)));
    rows.extend(results.mos.iter().flat_map(all_of_mos));
    let agreement = results.agreement.iter().map(AgreementRow::from);
    rows.extend(tagged("agreement", &agreement_columns(), agreement));
    rows.extend(results.people.iter().map(|found| {
        let raters = &found.agreement;
        json!({
            "kind": "people", "rubric": found.rubric, "criterion": found.criterion, "raters": found.raters,
            "pairwise": raters.pairwise, "against_rest": raters.rest, "alpha": raters.alpha,
        })
    }));
    rows.extend(tagged("jury", &jury_columns(), results.juries.iter().flat_map(jury_rows)));
    let checklists = results.checklists.iter().flat_map(checklist_rows);
    rows.extend(tagged("checklist", &checklist_columns(), checklists));
    rows.extend(tagged("generator", &making_columns(true), results.making.iter()));
    rows.push(json!({"kind": "outcomes", "outcomes": results.outcomes}));
    rows
}

/// Names and types of the rows of a kind that are lines of a board; none for the others.
pub fn row_fields(kind: &str) -> Vec<(&'static str, Kind)> {
    fn of<R>(columns: Vec<Column<R>>) -> Vec<(&'static str, Kind)> {
        columns.iter().flat_map(Column::fields).collect()
    }
    match kind {
        "rating" => of(rating_columns()),
        "anchored" => of(anchored_columns()),
        "controlled" => of(controlled_columns()),
        "category" => of(category_columns()),
        "mean" => of(mean_columns()),
        "mos" => of(mos_columns()),
        "agreement" => of(agreement_columns()),
        "jury" => of(jury_columns()),
        "checklist" => of(checklist_columns()),
        "generator" => of(making_columns(true)),
        _ => Vec::new(),
    }
}

fn tagged<R>(kind: &str, columns: &[Column<R>], rows: impl IntoIterator<Item = R>) -> Vec<Value> {
    let row = |row: R| {
        let kind = std::iter::once(("kind".to_owned(), Value::from(kind)));
        Value::Object(kind.chain(json_row(columns, &row)).collect())
    };
    rows.into_iter().map(row).collect()
}

/// A row for each method, and one for the board with each judge's information in votes.
fn all_of_anchored(on: &CriterionAnchored) -> Vec<Value> {
    let CriterionAnchored { rubric, criterion, board, .. } = on;
    let mut rows = tagged("anchored", &anchored_columns(), anchored_rows(on));
    let judges: Vec<Value> = on
        .judges
        .iter()
        .zip(&board.judges)
        .map(|(voice, worth)| json!({"judge": voice.to_string(), "worth": worth}))
        .collect();
    rows.push(json!({
        "kind": "anchors", "rubric": rubric, "criterion": criterion, "votes": board.num_votes, "prompts": board.num_prompts,
        "design_effect": board.design_effect, "worth": board.worth, "off_elo": board.off_elo, "judges": judges,
        "next_50_narrow": board.next_50_narrow, "votes_to_first": board.votes_to_first,
        "refused": on.refused.iter().map(|(voice, why)| json!({"judge": voice.to_string(), "reason": why})).collect::<Vec<_>>(),
    }));
    rows
}

/// A row for each method, and one for the board with the effect of each figure.
fn all_of_controlled(on: &CriterionControlled) -> Vec<Value> {
    let CriterionControlled { rubric, criterion, board, .. } = on;
    let judge = on.voice.to_string();
    let mut rows = tagged("controlled", &controlled_columns(), controlled_rows(on));
    let effects = board.effects.iter().map(|effect| {
        let control = &on.controls[effect.covariate];
        json!({
            "name": control.name, "scale": control.scale, "sd": effect.sd, "elo_per_sd": effect.elo,
            "low": effect.interval.map(|i| i.low), "high": effect.interval.map(|i| i.high),
        })
    });
    let refused = on.refused.iter().map(|(name, why)| json!({"name": name, "reason": why}));
    rows.push(json!({
        "kind": "controls", "rubric": rubric, "criterion": criterion, "judge": judge, "effects": effects.collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(), "games": board.games, "left_out": board.left_out, "prompts": board.num_prompts,
    }));
    rows
}

fn board_rows(on: &CriterionBoard) -> Vec<Value> {
    let CriterionBoard { rubric, criterion, methods, board, .. } = on;
    let judge = on.voice.to_string();
    let mut rows = tagged("rating", &rating_columns(), rating_rows(on));
    let bias = board.left_bias;
    let interval = bias.and_then(|(_, interval)| interval);
    let points = |nats: f64| nats * ELO_PER_NAT;
    rows.push(json!({
        "kind": "criterion", "rubric": rubric, "criterion": criterion, "judge": judge, "prompts": board.num_prompts, "games": board.num_units,
        "both_orders": board.num_both_orders, "inconsistent": board.num_inconsistent, "undecided": on.undecided, "both_bad": on.both_bad, "forfeits": on.forfeits,
        "left_bias_elo": bias.map(|(b, _)| points(b)),
        "left_bias_low": interval.map(|i| points(i.low)), "left_bias_high": interval.map(|i| points(i.high)),
        "davidson_nu": board.tie, "only_won": board.only_won.iter().map(|m| &methods[*m]).collect::<Vec<_>>(),
    }));
    rows
}

fn all_of_mos(on: &MosBoard) -> Vec<Value> {
    let mut rows = tagged("mos", &mos_columns(), mos_rows(on));
    let among = on.among.iter().map(|found| {
        json!({"kind": "mos_agreement", "criterion": on.criterion, "with": "each rater and the others", "of": "assets", "found": found})
    });
    let against = on.against.iter().map(|found| {
        json!({
            "kind": "mos_agreement", "criterion": on.criterion, "with": found.with, "on": found.on, "of": found.of, "found": found.found,
        })
    });
    rows.extend(among.chain(against));
    rows
}

/// Every row as one JSON object a line, people under their names or `hidden`. Returns how many
/// questions have no reply yet and are left out.
///
/// # Errors
/// A run that cannot be read; whatever `line` fails with.
pub fn jsonl<E: From<StoreError> + From<serde_json::Error>>(
    store: &Store,
    mut hidden: Option<&mut Pseudonyms>,
    mut line: impl FnMut(&str) -> Result<(), E>,
) -> Result<usize, E> {
    run_rows(store, |mut row| {
        hidden.as_mut().into_iter().for_each(|names| names.hide(&mut row));
        line(&serde_json::to_string(&row)?)
    })
}

/// Every row as one line of RFC 4180, after a header. A list is space-separated in its cell, a
/// verdict is JSON, null is empty. Returns how many questions have no reply yet and are left out.
///
/// # Errors
/// As [`jsonl`].
pub fn csv<E: From<StoreError> + From<serde_json::Error>>(
    store: &Store,
    mut hidden: Option<&mut Pseudonyms>,
    mut line: impl FnMut(&str) -> Result<(), E>,
) -> Result<usize, E> {
    let names: Vec<&str> = RECORD_COLUMNS.iter().flat_map(|column| column.keys).copied().collect();
    line(&names.join(","))?;
    run_rows(store, |mut row| {
        hidden.as_mut().into_iter().for_each(|names| names.hide(&mut row));
        let cells: Vec<String> = json_row(&RECORD_COLUMNS, &row).values().map(csv_cell).collect();
        line(&csv_line(&cells))
    })
}
