//! Reads an answer that was asked for by schema: one JSON object and nothing else.
//!
//! Every choice is checked here, whether or not the server held the judge to the schema.

use super::super::schema::{CHOICE_KEY, SCORE_KEY};
use super::no_answer::NoAnswer;
use crate::rubric::Scale;
use crate::rubric::verdict::Winner;
use serde_json::{Map, Value};

/// The object that the whole text is, a code fence around it aside; `None` for any other text.
pub(super) fn whole(text: &str) -> Option<Map<String, Value>> {
    let text = text.trim();
    let inner = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .map_or(text, |rest| rest.strip_prefix("json").unwrap_or(rest));
    serde_json::from_str(inner.trim()).ok()
}

/// The choice of each criterion, in the order of `keys`, left being [`Winner::A`].
///
/// # Errors
/// What is missing or off the menu.
pub(super) fn choices(
    object: &Map<String, Value>,
    keys: &[&str],
    menu: &[(u8, Winner)],
) -> Result<Vec<Winner>, NoAnswer> {
    let wrong = |reason: String| NoAnswer::Wrong(reason);
    (keys.iter())
        .map(|key| {
            let entry = object
                .get(*key)
                .ok_or_else(|| wrong(format!("the answer lacks {key}")))?;
            let said = entry.get(CHOICE_KEY).and_then(digits);
            let said = said.ok_or_else(|| wrong(format!("{key} holds no \"{CHOICE_KEY}\"")))?;
            (menu.iter())
                .find(|(mark, _)| mark.to_string() == said)
                .map(|(_, winner)| *winner)
                .ok_or_else(|| wrong(format!("{key} is {said}, which is not on the menu")))
        })
        .collect()
}

/// The score.
///
/// # Errors
/// A score that is missing or off the scale.
pub(super) fn score(object: &Map<String, Value>, scale: Scale) -> Result<u8, NoAnswer> {
    let said = object.get(SCORE_KEY).and_then(digits);
    let said = said.ok_or_else(|| NoAnswer::Wrong(format!("the answer lacks \"{SCORE_KEY}\"")))?;
    let score: Option<u8> = said.parse().ok();
    score
        .filter(|score| (scale.min..=scale.max).contains(score))
        .ok_or_else(|| {
            NoAnswer::Wrong(format!(
                "the score {said} is not one of {} to {}",
                scale.min, scale.max
            ))
        })
}

/// A whole number, also in quotation marks.
fn digits(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
