//! A table of figures of assets that a run did not measure: CSV with a header, or one JSON object a
//! line; `method, prompt` and any columns.

use super::table_lines::table_lines;
use crate::error::{Error, Kind};
use crate::results::ControlTable;
use crate::rubric::read_text;
use std::collections::BTreeMap;
use std::path::Path;

/// Larger files are refused: 256 MiB.
const FILE_BYTES_MAX: u64 = 256 << 20;
const METHOD: &str = "method";
const PROMPT: &str = "prompt";

/// By method and prompt: the sum of a column's figures, and how many there are.
type Sums = BTreeMap<(String, String), (f64, f64)>;

/// Reads the table; `.jsonl` is JSON, everything else CSV. A cell is a number, `true` or `false`,
/// or empty where nothing is known; several lines of one method and prompt, such as those of
/// several seeds, are averaged.
///
/// # Errors
/// A file that cannot be read, a line without method or prompt, a cell that is no number.
pub fn read_control_table(path: &Path) -> Result<ControlTable, Error> {
    let text = read_text(path, FILE_BYTES_MAX)
        .map_err(|e| Error::cannot_read(Kind::Run, "table of figures", e, path))?;
    let wrong = |line: usize, reason: String| {
        Error::run(format!("line {line} of the table of figures: {reason}; correct the file"))
            .at(path)
    };
    let mut sums: BTreeMap<String, Sums> = BTreeMap::new();
    for line in table_lines(path, &text, &[METHOD, PROMPT]) {
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
    let means = |sums: Sums| {
        let mean = |(place, (sum, count))| (place, sum / count);
        sums.into_iter().map(mean).collect()
    };
    let columns = sums.into_iter().map(|(column, sums)| (column, means(sums))).collect();
    Ok(ControlTable { columns })
}

fn figure(cell: &str) -> Result<Option<f64>, &'static str> {
    match cell {
        "" => Ok(None),
        "true" | "True" | "TRUE" => Ok(Some(1.0)),
        "false" | "False" | "FALSE" => Ok(Some(0.0)),
        text => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err("which is not a number, true or false"),
        },
    }
}
