//! Tables as plain text: for a terminal, and as Markdown.

use super::show::{cut, visible};
use super::table::{Marked, Shown, Table};
use std::fmt::Write;

/// Longer cells of Markdown are cut.
const CELL_CHARS_MAX: usize = 120;

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

impl Table {
    /// For a terminal.
    pub(super) fn text(&self) -> String {
        let columns = self.written();
        let heads = columns.iter().map(|&at| spelt(&self.heads[at].text)).collect();
        let cell = |cell: &Shown| match cell {
            Shown::Ends(ends) => ends.terminal(),
            Shown::Marked(Marked { value, interval, .. }) => match interval.to_string() {
                none if none.is_empty() => ascii(value),
                _ => format!("{} ({})", ascii(value), interval.terminal()),
            },
            cell => Some(ascii(&cell.to_string()))
                .filter(|text| !text.is_empty())
                .unwrap_or("-".to_owned()),
        };
        let rows = self.rows.iter().map(|row| columns.iter().map(|&at| cell(&row[at])).collect());
        text_table(&std::iter::once(heads).chain(rows).collect::<Vec<_>>())
    }

    pub(super) fn markdown(&self) -> String {
        let columns = self.written();
        let heads = columns.iter().map(|&at| {
            let head = &self.heads[at];
            format!("{} {}", escaped(&head.text), head.arrow).trim_end().to_owned()
        });
        let heads: Vec<String> = heads.collect();
        let mut out = format!("| {} |\n|{}\n", heads.join(" | "), " --- |".repeat(heads.len()));
        for row in &self.rows {
            let cells: Vec<String> = columns.iter().map(|&at| markdown_cell(&row[at])).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
        out
    }
}

/// Bold: the interval of ranks includes first place.
fn markdown_cell(cell: &Shown) -> String {
    let Shown::Marked(cell) = cell else {
        return escaped(&cell.to_string());
    };
    let value = escaped(&cell.value);
    let value = if cell.is_best { format!("**{value}**") } else { value };
    let notes = std::iter::once(cell.interval.to_string()).chain(cell.below.iter().cloned());
    let notes: Vec<String> = notes.filter(|note| !note.is_empty()).collect();
    if notes.is_empty() { value } else { format!("{value} ({})", escaped(&notes.join("; "))) }
}

/// As the terminal shows it: no typographic spaces and signs, no control characters.
pub fn ascii(text: &str) -> String {
    let text = text.replace('\u{a0}', " ");
    let text = text.replace(['−', '–'], "-").replace('→', "->").replace('’', "'");
    let text = text.replace('≥', ">=").replace('≤', "<=");
    visible(&text, false)
}

/// A heading without Greek letters.
fn spelt(heading: &str) -> String {
    ascii(&heading.replace('κ', "kappa").replace('τ', "tau").replace('ρ', "rho"))
}

/// One line that no Markdown reader takes for markup or HTML, cut to the width of a cell.
pub(super) fn escaped(text: &str) -> String {
    escaped_whole(&cut(text, CELL_CHARS_MAX))
}

/// The same of a text of any length.
pub(super) fn escaped_whole(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text, false).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
