//! A table of figures of assets that a run did not measure: CSV with a header, or one JSON object a line; `method, prompt` and any columns.

use crate::rubric::read_text;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Larger files are refused: 256 MiB.
const FILE_BYTES_MAX: u64 = 256 << 20;
const METHOD: &str = "method";
const PROMPT: &str = "prompt";

/// Figures by column, then by method and prompt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ControlTable {
    pub(super) columns: BTreeMap<String, BTreeMap<(String, String), f64>>,
}

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ControlTableError {
    #[error("cannot read the table of figures ({reason}); check the path: {path:?}")]
    Unreadable { reason: String, path: PathBuf },
    #[error("line {line} of the table of figures: {reason}; correct the file: {path:?}")]
    Content {
        line: usize,
        reason: String,
        path: PathBuf,
    },
}

impl ControlTable {
    /// Reads the table; `.jsonl` is JSON, everything else CSV. A cell is a number, `true` or `false`, or empty where nothing is known; several
    /// lines of one method and prompt, such as those of several seeds, are averaged.
    ///
    /// # Errors
    /// A file that cannot be read, a line without method or prompt, a cell that is no number.
    pub fn read(path: &Path) -> Result<Self, ControlTableError> {
        let text = read_text(path, FILE_BYTES_MAX).map_err(|e| ControlTableError::Unreadable {
            reason: e.to_string(),
            path: path.to_owned(),
        })?;
        let wrong = |line: usize, reason: String| ControlTableError::Content {
            line,
            reason,
            path: path.to_owned(),
        };
        let is_json = (path.extension()).is_some_and(|e| e.eq_ignore_ascii_case("jsonl"));
        let lines = match is_json {
            true => json_lines(&text),
            false => csv_lines(&text),
        };
        let mut sums: BTreeMap<String, BTreeMap<(String, String), (f64, f64)>> = BTreeMap::new();
        for line in lines {
            let (number, mut cells) = line.map_err(|(number, reason)| wrong(number, reason))?;
            let mut name = |column: &str| {
                let found = cells.remove(column).filter(|cell| !cell.is_empty());
                found.ok_or_else(|| wrong(number, format!("it has no {column}")))
            };
            let place = (name(METHOD)?, name(PROMPT)?);
            for (column, cell) in cells {
                let values = sums.entry(column.clone()).or_default();
                let value = figure(&cell)
                    .map_err(|reason| wrong(number, format!("{column} is {cell:?}, {reason}")))?;
                if let Some(value) = value {
                    let (sum, count) = values.entry(place.clone()).or_default();
                    *sum += value;
                    *count += 1.0;
                }
            }
        }
        let means = |sums: BTreeMap<(String, String), (f64, f64)>| {
            let mean = |(place, (sum, count))| (place, sum / count);
            sums.into_iter().map(mean).collect()
        };
        Ok(Self {
            columns: (sums.into_iter())
                .map(|(column, sums)| (column, means(sums)))
                .collect(),
        })
    }
}

/// Cells by column, and the number of their line; or what is wrong with it.
type Line = Result<(usize, BTreeMap<String, String>), (usize, String)>;

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

fn figure(cell: &str) -> Result<Option<f64>, &'static str> {
    match cell {
        "" => Ok(None),
        "true" | "True" | "TRUE" => Ok(Some(1.0)),
        "false" | "False" | "FALSE" => Ok(Some(0.0)),
        text => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err("which is neither a number nor true or false"),
        },
    }
}
