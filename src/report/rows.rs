//! Rows for programs: what `rate --json` prints, and a run's records as JSON lines or CSV.

use super::csv::{csv_cell, csv_line};
use super::record_columns::RECORD_COLUMNS;
use super::run_rows::run_rows;
use super::sections::{Fields, KINDS, RowKind, board_rows, fields, tagged};
use super::table::json_row;
use super::table_view::making_columns;
use crate::error::Error;
use crate::results::Results;
use crate::store::{Pseudonyms, Store};
use serde_json::{Value, json};

/// The kinds of rows that are no boards.
const OTHER_ROWS: [RowKind; 2] =
    [("generator", || fields(&making_columns(true))), ("outcomes", Vec::new)];

fn row_kinds() -> impl Iterator<Item = RowKind> {
    KINDS.iter().flat_map(|kind| kind.rows).chain(&OTHER_ROWS).copied()
}

/// Kinds of [`result_rows`].
pub fn result_kinds() -> Vec<&'static str> {
    row_kinds().map(|(kind, _)| kind).collect()
}

/// One row for each rating, criterion, mean, agreement and generator, and one for the outcomes.
pub fn result_rows(results: &Results) -> Vec<Value> {
    let mut rows: Vec<Value> = board_rows(results).collect();
    rows.extend(tagged("generator", &making_columns(true), results.making.iter()));
    rows.push(json!({"kind": "outcomes", "outcomes": results.outcomes}));
    rows
}

/// Names and types of the rows of a kind that are lines of a board; none for the others.
pub fn row_fields(kind: &str) -> Fields {
    row_kinds().find(|(name, _)| *name == kind).map_or(Vec::new(), |(_, fields)| fields())
}

/// Every row as one JSON object a line, people under their names or `hidden`. Returns how many
/// questions have no reply yet and are left out.
///
/// # Errors
/// A run that cannot be read; whatever `line` fails with.
pub fn jsonl(
    store: &Store,
    mut hidden: Option<&mut Pseudonyms>,
    mut line: impl FnMut(&str) -> Result<(), Error>,
) -> Result<usize, Error> {
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
pub fn csv(
    store: &Store,
    mut hidden: Option<&mut Pseudonyms>,
    mut line: impl FnMut(&str) -> Result<(), Error>,
) -> Result<usize, Error> {
    let names: Vec<&str> = RECORD_COLUMNS.iter().flat_map(|column| column.keys).copied().collect();
    line(&names.join(","))?;
    run_rows(store, |mut row| {
        hidden.as_mut().into_iter().for_each(|names| names.hide(&mut row));
        let cells: Vec<String> = json_row(&RECORD_COLUMNS, &row).values().map(csv_cell).collect();
        line(&csv_line(&cells))
    })
}
