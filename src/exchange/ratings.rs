//! A table of people's ratings (mean opinion scores): every two methods on a prompt become a vote for the one that is rated higher.
//!
//! CSV with a header or one JSON object a line: `prompt, method, score, rater` (and `criterion`); or one JSON object of prompts as the
//! Stanford text-to-3D ratings have it: `{"0": {"prompt": …, "models": {"shap-e": [2, 3, 2], …}}, …}`, one number a rater.

use super::answer::{ImportError, ImportedAnswer, text_of};
use crate::rubric::Winner;
use crate::store::Rater;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Whose ratings are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RatingsBy {
    /// The mean over raters: one vote a pair.
    #[default]
    Mean,
    /// Each rater's own: one vote a pair and rater, so that the raters' agreement can be measured.
    Rater,
}

/// Means closer than this are equal; ratings are small whole numbers, so theirs differ by far more.
const SAME: f64 = 1e-9;

#[derive(Debug, Deserialize)]
struct Line {
    prompt: String,
    method: String,
    score: f64,
    rater: Option<String>,
    criterion: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    prompt: String,
    models: BTreeMap<String, Vec<f64>>,
}

/// Reads the table. `criterion` applies to lines that name none.
///
/// # Errors
/// A file that cannot be read, a malformed line, a score that is not a number.
pub fn read_ratings(
    path: &Path,
    by: RatingsBy,
    criterion: &str,
) -> Result<Vec<ImportedAnswer>, ImportError> {
    let text = text_of(path)?;
    let wrong = |place: String, reason: String| ImportError::Content {
        place,
        reason,
        path: path.to_owned(),
    };
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let mut lines = Vec::new();
    match extension.to_ascii_lowercase().as_str() {
        "json" => {
            let entries: BTreeMap<String, Entry> = serde_json::from_str(&text)
                .map_err(|e| wrong(format!("line {}", e.line()), e.to_string()))?;
            for entry in entries.into_values() {
                for (method, scores) in entry.models {
                    for (rater, score) in scores.into_iter().enumerate() {
                        lines.push(Line {
                            prompt: entry.prompt.clone(),
                            method: method.clone(),
                            score,
                            rater: Some(format!("rater {}", rater + 1)),
                            criterion: None,
                        });
                    }
                }
            }
        }
        "jsonl" => {
            for (i, line) in text.lines().enumerate() {
                if !line.trim().is_empty() {
                    let read = serde_json::from_str(line);
                    lines.push(read.map_err(|e| wrong(format!("line {}", i + 1), e.to_string()))?);
                }
            }
        }
        _ => {
            let mut reader = csv::ReaderBuilder::new()
                .trim(csv::Trim::All)
                .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
            for (i, record) in reader.deserialize().enumerate() {
                lines.push(record.map_err(|e| wrong(format!("line {}", i + 2), e.to_string()))?);
            }
        }
    }
    if let Some(line) = lines.iter().find(|line| !line.score.is_finite()) {
        let place = format!("{} on {:?}", line.method, line.prompt);
        return Err(wrong(place, format!("{} is no score", line.score)));
    }
    Ok(said(&lines, by, criterion))
}

/// Scores that one rater, or the mean of all, gave to methods.
type Scores<'a> = BTreeMap<&'a str, Vec<f64>>;

fn said(lines: &[Line], by: RatingsBy, criterion: &str) -> Vec<ImportedAnswer> {
    let mut rated: BTreeMap<(&str, &str, &str), Scores<'_>> = BTreeMap::new();
    let raters: BTreeSet<&str> = lines.iter().filter_map(|l| l.rater.as_deref()).collect();
    let mean = format!("mean of {}", raters.len().max(1));
    for line in lines {
        let rater = match by {
            RatingsBy::Mean => mean.as_str(),
            RatingsBy::Rater => line.rater.as_deref().unwrap_or("people"),
        };
        let on = line.criterion.as_deref().unwrap_or(criterion);
        let scores = rated.entry((&line.prompt, on, rater)).or_default();
        scores.entry(&line.method).or_default().push(line.score);
    }
    let mut said = Vec::new();
    for ((prompt, criterion, rater), scores) in rated {
        let means: Vec<(&str, f64)> = (scores.into_iter())
            .map(|(method, scores)| (method, scores.iter().sum::<f64>() / scores.len() as f64))
            .collect();
        for (i, (a, x)) in means.iter().enumerate() {
            for (b, y) in &means[i + 1..] {
                said.push(ImportedAnswer {
                    prompt: Some(prompt.to_owned()),
                    a: (*a).to_owned(),
                    b: (*b).to_owned(),
                    criterion: criterion.to_owned(),
                    winner: match x - y {
                        d if d > SAME => Winner::A,
                        d if d < -SAME => Winner::B,
                        _ => Winner::Tie,
                    },
                    judge: Rater::person(rater),
                });
            }
        }
    }
    said
}
