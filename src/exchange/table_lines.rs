//! A table from outside, CSV with a header or one JSON object a line → cells by column. A column
//! that any line has counts.
//!
//! Spreadsheets save CSV in the way of their country: with commas, semicolons or tabs, with names
//! of columns as people write them, and with rows that are empty.

use std::collections::BTreeMap;
use std::path::Path;

/// Cells by column, with the number of their line; or the error.
pub(crate) type Line = Result<(usize, BTreeMap<String, String>), (usize, String)>;

/// Parses the file's text; `.jsonl`, `.ndjson` and `.json` are JSON, everything else CSV. A column
/// that differs from one of `known` only in capitals is that one.
pub(crate) fn table_lines(path: &Path, text: &str, known: &[&str]) -> Vec<Line> {
    let is_json = path.extension().is_some_and(|e| {
        ["jsonl", "ndjson", "json"].iter().any(|json| e.eq_ignore_ascii_case(json))
    });
    let lines = if is_json { json_lines(text) } else { csv_lines(text) };
    let name = |column: String| {
        let column = column.trim();
        let same = known.iter().find(|known| known.eq_ignore_ascii_case(column));
        same.map_or_else(|| column.to_owned(), |known| (*known).to_owned())
    };
    let named = |(number, cells): (usize, Cells)| {
        let mut by_name = BTreeMap::new();
        for (column, cell) in cells {
            let column = name(column);
            if !column.is_empty() && by_name.contains_key(&column) {
                return Err((number, format!("two columns are named {column:?}")));
            }
            by_name.insert(column, cell);
        }
        Ok((number, by_name))
    };
    let is_full = |line: &Raw| match line {
        Ok((_, cells)) => cells.iter().any(|(_, cell)| !cell.is_empty()),
        Err(_) => true,
    };
    lines.into_iter().filter(is_full).map(|line| line.and_then(named)).collect()
}

/// The cells of a line with the names of their columns as the file has them.
type Cells = Vec<(String, String)>;

/// Such a line with its number; or the error.
type Raw = Result<(usize, Cells), (usize, String)>;

fn csv_lines(text: &str) -> Vec<Raw> {
    // Excel's own first line.
    let (text, lines_before) = match text.split_once('\n') {
        Some((first, rest)) if first.starts_with("sep=") => (rest, 1),
        _ => (text, 0),
    };
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(e) => return vec![Err((1, e.to_string()))],
    };
    let each = reader.records().map(|record| {
        let record = record.map_err(|e| {
            let line = e.position().map_or(1, csv::Position::line);
            (line as usize + lines_before, e.to_string())
        })?;
        let number = record.position().map_or(1, csv::Position::line) as usize + lines_before;
        let cells = header.iter().zip(&record);
        let cells = cells.map(|(column, cell)| (column.to_owned(), cell.to_owned()));
        Ok((number, cells.collect()))
    });
    each.collect()
}

/// What separates the names of the columns, outside quotes.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    let plain: String = header.split('"').step_by(2).collect();
    let count = |mark: &u8| plain.bytes().filter(|byte| byte == mark).count();
    // The last of equals, so a table of one column has commas.
    let marks = [b'\t', b';', b','];
    marks.into_iter().max_by_key(count).unwrap_or(b',')
}

fn json_lines(text: &str) -> Vec<Raw> {
    let full = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    full.map(|(i, line)| {
        let cells: BTreeMap<String, serde_json::Value> = serde_json::from_str(line)
            .map_err(|e| (i + 1, format!("it is not one JSON object ({e})")))?;
        let cell = |(column, value)| match value {
            serde_json::Value::String(text) => (column, text),
            serde_json::Value::Null => (column, String::new()),
            other => (column, other.to_string()),
        };
        Ok((i + 1, cells.into_iter().map(cell).collect()))
    })
    .collect()
}
