//! A table of votes: CSV with a header, or one JSON object a line;
//! `prompt, a, b, criterion, vote, rater`.

use super::answer::{ImportedAnswer, text_of, wrong};
use super::table_lines::table_lines;
use crate::error::Error;
use crate::rubric::Winner;
use crate::store::Rater;
use std::collections::BTreeMap;
use std::path::Path;

const COLUMNS: [&str; 6] = ["prompt", "a", "b", "criterion", "vote", "rater"];

/// The rater of votes that name none.
pub const ANYBODY: &str = "people";

/// Reads the table; `.jsonl`, `.ndjson` and `.json` are JSON, everything else CSV.
///
/// # Errors
/// A file that cannot be read, a line that is not of the form, a vote that is none of `a`, `b`,
/// `tie` and `both_bad`.
pub fn read_votes(path: &Path) -> Result<Vec<ImportedAnswer>, Error> {
    let text = text_of(path)?;
    let wrong = |line: usize, reason: String| wrong(format!("line {line}"), reason, path);
    let lines = table_lines(path, &text, &COLUMNS);
    if lines.is_empty() {
        let reason = format!("it has no votes; a table of votes has {}", COLUMNS.join(", "));
        return Err(wrong(1, reason));
    }
    lines
        .into_iter()
        .map(|line| {
            let (number, cells) = line.map_err(|(number, reason)| wrong(number, reason))?;
            said(cells).map_err(|reason| wrong(number, reason))
        })
        .collect()
}

/// One line. `prompt` may be a text or an id of the run, and be empty; `criterion` is `overall` and
/// `rater` `people` where they are left out.
fn said(mut cells: BTreeMap<String, String>) -> Result<ImportedAnswer, String> {
    if let Some(column) = ["a", "b", "vote"].iter().find(|name| !cells.contains_key(**name)) {
        return Err(format!(
            "it has no column {column}; a table of votes has {}",
            COLUMNS.join(", ")
        ));
    }
    let mut cell = |column: &str| cells.remove(column).unwrap_or_default().trim().to_owned();
    let [prompt, a, b, criterion, said, rater] = COLUMNS.map(&mut cell);
    let or = |text: String, other: &str| {
        if text.is_empty() { other.to_owned() } else { text }
    };
    if a == b || a.is_empty() || b.is_empty() {
        return Err(format!("a is {a:?} and b {b:?}; a vote needs two generators"));
    }
    let vote = said.to_lowercase();
    let is_both_bad = ["both_bad", "both bad", "bad"].contains(&vote.as_str());
    let by_word = match vote.as_str() {
        _ if is_both_bad => Some(Winner::Tie),
        "a" => Some(Winner::A),
        "b" => Some(Winner::B),
        "tie" | "draw" | "equal" => Some(Winner::Tie),
        _ => None,
    };
    let by_name = [(&a, Winner::A), (&b, Winner::B)].into_iter().find(|(name, _)| **name == said);
    let by_name = by_name.map(|(_, winner)| winner);
    let winner = match (by_word, by_name) {
        (Some(word), Some(name)) if word != name => {
            return Err(format!(
                "the vote {said:?} is a generator's name but also means another vote, so the generator needs another name"
            ));
        }
        (Some(winner), _) | (None, Some(winner)) => winner,
        (None, None) => return Err(format!("the vote {said:?} is not a, b, tie or both_bad")),
    };
    Ok(ImportedAnswer {
        prompt: Some(prompt).filter(|text| !text.is_empty()),
        a,
        b,
        criterion: or(criterion, "overall"),
        winner,
        is_both_bad,
        judge: Rater::person(&or(rater, ANYBODY)),
    })
}
