//! Reads the JSON object that is a category reply.
//!
//! The last complete object that names an aspect counts; code fences and text around it do not matter. A key may be spelled as the
//! aspect's title or with a slip (`Positional Accuracy`, `seperation_clarity`). A missing aspect is an error, never zero. An object in a
//! quotation counts only where there is no other.

use super::super::Scale;
use super::super::schema::OVERALL_KEY;
use super::no_answer::NoAnswer;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// After so many opening braces that begin no object, the rest of the text is not searched.
const STARTS_MAX: usize = 10_000;

/// The names under which a rating holds its number.
const SCORE_KEYS: [&str; 4] = ["score", "rating", "value", "points"];

pub(super) struct Answer {
    pub aspects: BTreeMap<String, f64>,
    pub overall: f64,
}

/// Reads every aspect in `keys`, and the overall score.
///
/// # Errors
/// What is wrong with the object, or that there is none.
pub(super) fn read(text: &str, keys: &[&str], scale: Scale) -> Result<Answer, NoAnswer> {
    let objects = objects(text);
    let (quoted, said): (Vec<_>, Vec<_>) = objects.iter().partition(|object| object.is_quoted);
    let entries = (said.iter().rev().chain(quoted.iter().rev()))
        .map(|object| flattened(&object.entries))
        .find(|entries| entries.iter().any(|(key, _)| matching(key, keys).is_some()))
        .ok_or_else(|| {
            NoAnswer::absent(if text.contains('{') {
                "no complete JSON object with the aspects was found"
            } else {
                "no JSON object was found"
            })
        })?;
    let mut aspects = BTreeMap::new();
    let mut overall = None;
    for (key, value) in &entries {
        let (name, slot) = if let Some(name) = matching(key, keys) {
            (name, &mut *aspects.entry(name.to_owned()).or_insert(None))
        } else if is_overall(key) {
            (OVERALL_KEY, &mut overall)
        } else {
            continue;
        };
        let number = rating(name, value, scale).map_err(NoAnswer::Wrong)?;
        if slot.is_some_and(|before: f64| before != number) {
            return Err(NoAnswer::Wrong(format!(
                "{name} is given twice, with different numbers"
            )));
        }
        *slot = Some(number);
    }
    let missing: Vec<&str> = (keys.iter().copied())
        .filter(|key| !aspects.contains_key(*key))
        .chain(overall.is_none().then_some(OVERALL_KEY))
        .collect();
    if !missing.is_empty() {
        return Err(NoAnswer::Wrong(format!(
            "the answer lacks {}",
            missing.join(", ")
        )));
    }
    Ok(Answer {
        aspects: (aspects.into_iter())
            .filter_map(|(key, number)| Some((key, number?)))
            .collect(),
        overall: overall.unwrap_or_default(),
    })
}

/// An object of a text.
struct Object {
    entries: Map<String, Value>,
    /// Whether it stands in a block quote, or right behind a quotation mark.
    is_quoted: bool,
}

/// Every complete object of a text that does not lie within another one, in order.
fn objects(text: &str) -> Vec<Object> {
    let mut found = Vec::new();
    let mut rest = text;
    for _ in 0..STARTS_MAX {
        let Some(start) = rest.find('{') else { break };
        rest = &rest[start..];
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
        match stream.next() {
            Some(Ok(entries)) => {
                let before = text[..text.len() - rest.len()].trim_end_matches(' ');
                let line = before.rsplit('\n').next().unwrap_or_default();
                let is_quoted = line.trim_start().starts_with('>')
                    || (!line.is_empty() && line.ends_with(['"', '\'', '\u{201c}', '«', '「']));
                rest = &rest[stream.byte_offset()..];
                found.push(Object { entries, is_quoted });
            }
            _ => rest = &rest[1..],
        }
    }
    found
}

/// The entries of an object; those of an object that only wraps ratings (`{"scores": {…}}`) stand in its place.
fn flattened(object: &Map<String, Value>) -> Vec<(&String, &Value)> {
    object
        .iter()
        .flat_map(|(key, value)| match value {
            Value::Object(inner) if score_of(inner).is_none() => flattened(inner),
            _ => vec![(key, value)],
        })
        .collect()
}

fn score_of(object: &Map<String, Value>) -> Option<&Value> {
    object
        .iter()
        .find(|(key, _)| SCORE_KEYS.contains(&key.to_lowercase().as_str()))
        .map(|(_, value)| value)
}

/// A number on the scale: bare, in a string, `8/10`, or the score of an object.
fn rating(name: &str, value: &Value, scale: Scale) -> Result<f64, String> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text_number(text, scale),
        Value::Object(object) => match score_of(object) {
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) => text_number(text, scale),
            _ => None,
        },
        Value::Null | Value::Bool(_) | Value::Array(_) => None,
    };
    let number = number.ok_or_else(|| format!("{name} holds no number"))?;
    if !(f64::from(scale.min)..=f64::from(scale.max)).contains(&number) {
        return Err(format!(
            "{name} is {number}, which is outside {} to {}",
            scale.min, scale.max
        ));
    }
    // So that −0 is written as 0.
    Ok(number + 0.0)
}

fn text_number(text: &str, scale: Scale) -> Option<f64> {
    let (number, top) = text.split_once('/').unwrap_or((text, ""));
    if !top.is_empty() && top.trim().parse() != Ok(scale.max) {
        return None;
    }
    number.trim().parse().ok()
}

fn is_overall(key: &str) -> bool {
    let key = key_words(key).join("_");
    [OVERALL_KEY, "overall", "overall_rating", "total_score"].contains(&key.as_str())
}

/// The aspect that a key means.
pub(super) fn matching<'a>(key: &str, keys: &[&'a str]) -> Option<&'a str> {
    let words = key_words(key);
    let exact = keys
        .iter()
        .find(|aspect| aspect.replace('_', "") == words.concat());
    exact
        .or_else(|| keys.iter().find(|aspect| is_alike(&words, aspect)))
        .copied()
}

/// Lower-case words; `camelCase` is split, a list letter ahead and a `score` behind are dropped.
fn key_words(key: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut was_lower = false;
    for c in key.chars() {
        if c.is_uppercase() && was_lower {
            spaced.push(' ');
        }
        was_lower = c.is_lowercase();
        spaced.push(c);
    }
    let mut words = super::line::words(&spaced);
    if words.len() > 1 && words[0].len() == 1 {
        words.remove(0);
    }
    if words.len() > 1
        && words[0] != "overall"
        && words.last().is_some_and(|w| w == "score" || w == "rating")
    {
        words.pop();
    }
    words
}

/// Word by word the same, up to an ending (`positional`) or a slip of the pen.
fn is_alike(words: &[String], aspect: &str) -> bool {
    /// Shorter words are too like others.
    const STEM_CHARS_MIN: usize = 4;
    const SLIP_CHARS_MIN: usize = 5;
    let parts: Vec<&str> = aspect.split('_').collect();
    words.len() == parts.len()
        && words.iter().zip(parts).all(|(word, part)| {
            let stem = word.len().min(part.len());
            word == part
                || (stem >= STEM_CHARS_MIN
                    && (word.starts_with(part) || part.starts_with(word.as_str())))
                || (stem >= SLIP_CHARS_MIN && slips(word, part) <= 2)
        })
}

/// Levenshtein's distance.
fn slips(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let changed = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
