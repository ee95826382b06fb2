//! A table of people's ratings (mean opinion scores): the scores, and a vote for each pair of
//! methods on a prompt, for the method that is rated higher.
//!
//! A score is a number, or the answer yes, partly or no to an item of a checklist.
//! CSV with a header or one JSON object a line: `prompt, method, score, rater` (and `criterion`);
//! or wide, one column a criterion, a rater or a method; or one JSON object of prompts as the
//! Stanford text-to-3D ratings have it:
//! `{"0": {"prompt": …, "models": {"shap-e": [2, 3, 2], …}}, …}`, one number a rater.

use super::answer::{ImportedAnswer, text_of, wrong};
use super::table_lines::table_lines;
use crate::error::Error;
use crate::rubric::{Winner, answer_value};
use crate::store::{Opinion, Rater};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::Path;

/// Whose ratings are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RatingsBy {
    /// The mean over raters: one vote a pair.
    #[default]
    Mean,
    /// Each rater's own: one vote a pair and rater, so that the raters' agreement can be measured.
    Rater,
}

/// Means closer than this share of the largest score are equal.
const SAME: f64 = 1e-9;

/// No scale goes farther.
const SCORE_MAX: f64 = 1e15;

const PROMPT: &str = "prompt";
const METHOD: &str = "method";
const SCORE: &str = "score";
const RATER: &str = "rater";
const CRITERION: &str = "criterion";
const NAMED: [&str; 5] = [PROMPT, METHOD, SCORE, RATER, CRITERION];

#[derive(Debug, Deserialize)]
struct Entry {
    prompt: String,
    models: BTreeMap<String, Vec<f64>>,
}

/// The meaning of the other columns.
#[derive(Clone, Copy, PartialEq)]
enum Wide {
    No,
    Criteria,
    Raters,
    Methods,
}

/// Reads the table. `criterion` is that of scores that name none; `criteria` may name columns.
///
/// A table without a column `score` is wide: without `method`, its other columns are methods; with
/// `rater`, or where one is named after a criterion, they are criteria; else they are raters. Every
/// column of every line is read, and an empty cell is no score.
///
/// # Errors
/// A file that cannot be read, a malformed line, a score that is not a number.
pub fn read_ratings(
    path: &Path,
    criterion: &str,
    criteria: &[&str],
) -> Result<Vec<Opinion>, Error> {
    let text = text_of(path)?;
    let wrong = |place: &dyn Display, reason: &dyn Display| wrong(place, reason, path);
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let opinions = if extension.eq_ignore_ascii_case("json") {
        let entries: BTreeMap<String, Entry> =
            serde_json::from_str(&text).map_err(|e| wrong(&format!("line {}", e.line()), &e))?;
        of_entries(entries, criterion)
    } else {
        let lines: Result<Vec<_>, _> = table_lines(path, &text, &NAMED).into_iter().collect();
        let lines = lines.map_err(|(n, reason)| wrong(&format!("line {n}"), &reason))?;
        of_lines(&lines, criterion, criteria)
            .map_err(|(n, reason)| wrong(&format!("line {n}"), &reason))?
    };
    if let Some(bad) =
        opinions.iter().find(|said| said.score.is_nan() || said.score.abs() > SCORE_MAX)
    {
        let place = format!("{} on {:?}", bad.method, bad.prompt);
        let reason = format!("{:e} is not a score (at most {SCORE_MAX:e})", bad.score);
        return Err(wrong(&place, &reason));
    }
    Ok(opinions)
}

fn of_entries(entries: BTreeMap<String, Entry>, criterion: &str) -> Vec<Opinion> {
    let mut opinions = Vec::new();
    for entry in entries.into_values() {
        for (method, scores) in entry.models {
            for (rater, score) in scores.into_iter().enumerate() {
                opinions.push(Opinion {
                    prompt: entry.prompt.clone(),
                    method: method.clone(),
                    criterion: criterion.to_owned(),
                    rater: Some(format!("rater {}", rater + 1)),
                    score,
                    file: None,
                });
            }
        }
    }
    opinions
}

type Cells = BTreeMap<String, String>;

fn of_lines(
    lines: &[(usize, Cells)],
    criterion: &str,
    criteria: &[&str],
) -> Result<Vec<Opinion>, (usize, String)> {
    let columns: BTreeSet<&str> =
        lines.iter().flat_map(|(_, cells)| cells.keys().map(String::as_str)).collect();
    let others = || columns.iter().filter(|column| !NAMED.contains(column));
    let wide = match columns.contains(SCORE) {
        true => Wide::No,
        false if !columns.contains(METHOD) => Wide::Methods,
        false if columns.contains(RATER) => Wide::Criteria,
        false if others().any(|column| criteria.contains(column)) => Wide::Criteria,
        false => Wide::Raters,
    };
    let mut opinions = Vec::new();
    for (number, cells) in lines {
        let cell = |name: &str| cells.get(name).filter(|cell| !cell.is_empty()).cloned();
        let needed = |name: &str| cell(name).ok_or((*number, format!("it has no {name}")));
        let score = |column: &str, text: &str| {
            let found = answer_value(text).or_else(|| text.parse().ok());
            found.ok_or_else(|| (*number, format!("{column} is {text:?}, which is not a score")))
        };
        let on = || cell(CRITERION).unwrap_or_else(|| criterion.to_owned());
        if wide == Wide::No {
            opinions.push(Opinion {
                prompt: needed(PROMPT)?,
                method: needed(METHOD)?,
                criterion: on(),
                rater: cell(RATER),
                score: score(SCORE, &needed(SCORE)?)?,
                file: None,
            });
            continue;
        }
        for (column, text) in cells {
            if NAMED.contains(&column.as_str()) || text.is_empty() {
                continue;
            }
            let is = |what: Wide| (wide == what).then(|| column.clone());
            opinions.push(Opinion {
                prompt: needed(PROMPT)?,
                method: is(Wide::Methods).map_or_else(|| needed(METHOD), Ok)?,
                criterion: is(Wide::Criteria).unwrap_or_else(on),
                rater: is(Wide::Raters).or_else(|| cell(RATER)),
                score: score(column, text)?,
                file: None,
            });
        }
    }
    Ok(opinions)
}

/// Scores that one rater, or the mean of all, gave to methods.
type Scores<'a> = BTreeMap<&'a str, Vec<f64>>;

/// For each two methods on a prompt, a vote for the higher rating.
pub fn ratings_as_votes(lines: &[Opinion], by: RatingsBy) -> Vec<ImportedAnswer> {
    let mut rated: BTreeMap<(&str, &str, &str), Scores<'_>> = BTreeMap::new();
    let raters: BTreeSet<&str> = lines.iter().filter_map(|l| l.rater.as_deref()).collect();
    let mean = format!("mean of {}", raters.len().max(1));
    for line in lines {
        let rater = match by {
            RatingsBy::Mean => mean.as_str(),
            RatingsBy::Rater => line.rater.as_deref().unwrap_or("people"),
        };
        let on = line.criterion.as_str();
        let scores = rated.entry((&line.prompt, on, rater)).or_default();
        scores.entry(&line.method).or_default().push(line.score);
    }
    let mut said = Vec::new();
    for ((prompt, criterion, rater), scores) in rated {
        let largest = scores.values().flatten().fold(0.0, |most: f64, score| most.max(score.abs()));
        let means: Vec<(&str, f64)> = scores
            .into_iter()
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
                        d if d.abs() <= SAME * largest => Winner::Tie,
                        d if d > 0.0 => Winner::A,
                        _ => Winner::B,
                    },
                    is_both_bad: false,
                    judge: Rater::person(rater),
                });
            }
        }
    }
    said
}
