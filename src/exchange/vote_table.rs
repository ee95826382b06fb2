//! A table of votes: CSV with a header, or one JSON object a line; `prompt, a, b, criterion, vote, rater`.

use super::answer::{ImportError, ImportedAnswer, text_of};
use crate::rubric::Winner;
use crate::store::Rater;
use serde::Deserialize;
use std::path::Path;

/// One line. `prompt` may be a text or an id of the run, and be empty; `criterion` is `overall` and `rater` `people` where they are left out.
#[derive(Debug, Deserialize)]
struct Line {
    prompt: Option<String>,
    a: String,
    b: String,
    criterion: Option<String>,
    vote: String,
    rater: Option<String>,
}

/// Reads the table; `.jsonl` is JSON, everything else CSV.
///
/// # Errors
/// A file that cannot be read, a line that is not of the form, a vote that is neither `a`, `b` nor `tie`.
pub fn read_votes(path: &Path) -> Result<Vec<ImportedAnswer>, ImportError> {
    let text = text_of(path)?;
    let wrong = |line: usize, reason: String| ImportError::Content {
        place: format!("line {line}"),
        reason,
        path: path.to_owned(),
    };
    let is_json = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("jsonl"));
    let mut lines: Vec<(usize, Line)> = Vec::new();
    if is_json {
        for (i, line) in text.lines().enumerate() {
            if !line.trim().is_empty() {
                let read = serde_json::from_str(line);
                lines.push((i + 1, read.map_err(|e| wrong(i + 1, e.to_string()))?));
            }
        }
    } else {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
        for (i, record) in reader.deserialize().enumerate() {
            lines.push((i + 2, record.map_err(|e| wrong(i + 2, e.to_string()))?));
        }
    }
    (lines.into_iter())
        .map(|(number, line)| said(line).map_err(|reason| wrong(number, reason)))
        .collect()
}

fn said(line: Line) -> Result<ImportedAnswer, String> {
    let full = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    if line.a == line.b || line.a.is_empty() || line.b.is_empty() {
        return Err(format!(
            "a is {:?} and b {:?}; a vote needs two methods",
            line.a, line.b
        ));
    }
    let vote = line.vote.to_lowercase();
    let winner = match vote.as_str() {
        "a" => Winner::A,
        "b" => Winner::B,
        "tie" | "draw" | "equal" => Winner::Tie,
        _ if line.vote == line.a => Winner::A,
        _ if line.vote == line.b => Winner::B,
        _ => return Err(format!("the vote {:?} is none of a, b, tie", line.vote)),
    };
    Ok(ImportedAnswer {
        prompt: full(line.prompt),
        a: line.a,
        b: line.b,
        criterion: full(line.criterion).unwrap_or_else(|| "overall".to_owned()),
        winner,
        judge: Rater::person(full(line.rater).as_deref().unwrap_or("people")),
    })
}
