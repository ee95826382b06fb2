//! Numbers and lists in the words of messages, and rows of a kind.

use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// A value as a row of that kind.
pub(super) fn row_of(kind: &str, value: impl Serialize) -> Value {
    let mut row = json!(value);
    row["kind"] = kind.into();
    row
}

/// More names of one kind are counted, not listed.
const NAMES_SHOWN_MAX: usize = 10;

/// `1 vertex`, `2 vertices`.
pub(super) fn several(count: usize, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{count} {noun}")
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// `1.000 × 2.000 × 0.500`.
pub(super) fn sizes(edges: [f64; 3]) -> String {
    edges.map(|edge| format!("{edge:.3}")).join(" × ")
}

/// Lines of cells aligned left, two spaces apart, without spaces at their ends.
pub(super) fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}  "));
        cells.collect::<String>().trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

/// The last part of a path; the path if it has none.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The first names, and how many more there are.
pub(super) fn some_of(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let shown = names[..names.len().min(NAMES_SHOWN_MAX)].join(", ");
    match names.len().saturating_sub(NAMES_SHOWN_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
