//! Tables of plain text, as terminals show them.

use super::show::visible;
use std::fmt::Write;

/// Columns wide enough for every cell, two spaces apart; the first aligned left, the rest right.
pub fn text_table(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let mut out = String::new();
    for row in rows {
        for (i, cell) in row.iter().enumerate() {
            let width = width(i);
            let _ = match i {
                0 => write!(out, "  {cell:<width$}"),
                _ => write!(out, "  {cell:>width$}"),
            };
        }
        out.push('\n');
    }
    out
}

/// As the terminal shows it: no typographic spaces and signs, no control characters.
pub(super) fn ascii(text: &str) -> String {
    let text = text.replace('\u{a0}', " ").replace('\u{202f}', "");
    let text = text.replace('−', "-").replace('→', "->");
    let text = text.replace('≥', ">=").replace('≤', "<=");
    visible(&text, false)
}

pub(super) fn dash_if_empty(text: &str) -> String {
    match text {
        "" => "-".to_owned(),
        text => ascii(text),
    }
}

pub(super) fn words(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}
