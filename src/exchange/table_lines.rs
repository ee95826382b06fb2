//! A table from outside, CSV with a header or one JSON object a line → cells by column. A column that any line has counts.

use std::collections::BTreeMap;
use std::path::Path;

/// Cells by column, and the number of their line; or what is wrong with it.
pub(super) type Line = Result<(usize, BTreeMap<String, String>), (usize, String)>;

/// Of the file's text; `.jsonl` is JSON, everything else CSV.
pub(super) fn table_lines(path: &Path, text: &str) -> Vec<Line> {
    let is_json = (path.extension()).is_some_and(|e| e.eq_ignore_ascii_case("jsonl"));
    match is_json {
        true => json_lines(text),
        false => csv_lines(text),
    }
}

fn csv_lines(text: &str) -> Vec<Line> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let each = reader.deserialize().enumerate();
    each.map(|(i, line)| match line {
        Ok(cells) => Ok((i + 2, cells)),
        Err(e) => Err((i + 2, csv::Error::to_string(&e))),
    })
    .collect()
}

fn json_lines(text: &str) -> Vec<Line> {
    let full = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    full.map(|(i, line)| {
        let cells: BTreeMap<String, serde_json::Value> =
            serde_json::from_str(line).map_err(|e| (i + 1, e.to_string()))?;
        let cell = |(column, value)| match value {
            serde_json::Value::String(text) => (column, text),
            serde_json::Value::Null => (column, String::new()),
            other => (column, other.to_string()),
        };
        Ok((i + 1, cells.into_iter().map(cell).collect()))
    })
    .collect()
}
