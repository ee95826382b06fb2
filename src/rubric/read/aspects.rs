//! Reads the JSON object that is a category reply.
//!
//! Code fences and text around the object do not matter. A key can be spelled as the aspect's title or with a slip (`Positional Accuracy`,
//! `seperation_clarity`). A missing aspect is an error, never zero. Two objects that rate an aspect differently are no answer, and a
//! quoted object counts only where there is no other.

use super::super::Scale;
use super::super::schema::OVERALL_KEY;
use super::announcement::{afterwards, announces, is_draft, names_final};
use super::line::{lines, text_after, undecorated, words};
use super::no_answer::NoAnswer;
use super::object::{Node, found, number_of, unquoted};
use std::collections::BTreeMap;
use std::ops::Range;

/// The names under which a rating holds its number.
const SCORE_KEYS: [&str; 5] = ["score", "rating", "value", "points", "grade"];

#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub aspects: BTreeMap<String, f64>,
    pub overall: f64,
}

/// Reads every aspect in `keys`, and the overall score.
///
/// # Errors
/// The error in the object, or its absence.
pub(super) fn read(text: &str, keys: &[&str], scale: Scale) -> Result<Answer, NoAnswer> {
    // Some write the object as a text within quotation marks.
    let unescaped = text.replace("\\\"", "\"");
    let is_escaped = text.contains("{\\\"");
    let text = if is_escaped { unescaped.as_str() } else { text };
    let objects = found(text);
    let is_rating = |node: &Node| score_of(node).is_some();
    let mut end = 0;
    let line_before = |place: &Range<usize>| {
        let mut before = text[..place.start].rsplit('\n').map(undecorated);
        before
            .find(|line| words(line).iter().any(|word| word != "json"))
            .unwrap_or_default()
    };
    let mut rated: Vec<_> = unquoted(&objects)
        .filter(|object| !object.is_in_prose)
        .map(|object| (object.node.entries(&is_rating), &object.place))
        .filter(|(entries, _)| {
            // The form of an answer, repeated without numbers, is none.
            let is_rated = |value: &Node| {
                let score = score_of(value).unwrap_or(value);
                score.number(scale.max).is_some()
            };
            let mut rated = entries.iter().filter(|(_, value)| is_rated(value));
            rated.any(|(key, _)| matching(key, keys).is_some())
        })
        .collect();
    if rated.is_empty() {
        return in_lines(text, keys, scale);
    }
    let is_final = |place: &Range<usize>| {
        let line = line_before(place);
        let sentence = last_sentence(&line);
        announces(sentence) && names_final(sentence)
    };
    if rated.iter().any(|(_, place)| is_final(place)) {
        rated.retain(|(_, place)| is_final(place));
    } else {
        rated.retain(|(_, place)| !calls_draft(&line_before(place)));
    }
    let mut answers = rated.iter().map(|(entries, place)| {
        end = place.end;
        answer(entries, keys, scale)
    });
    let first = (answers.next()).ok_or_else(|| NoAnswer::absent("all objects are drafts"))??;
    for other in answers {
        if other? != first {
            return Err(NoAnswer::two_answers());
        }
    }
    afterwards(&text[end..]).checked()?;
    Ok(first)
}

/// Whether the line before an object calls it a draft. `Here is my evaluation in JSON format:` calls it none.
fn calls_draft(line: &str) -> bool {
    let line = line.to_lowercase();
    let last = last_sentence(&line);
    is_draft(&line.replace("format", " ")) || (is_draft(last) && !last.contains("json"))
}

fn last_sentence(line: &str) -> &str {
    let mut sentences = line.trim_end_matches([':', '.', ' ']).rsplit(['.', '!']);
    sentences.next().unwrap_or_default()
}

/// An answer without an object: a list, a table, or YAML, with the number right after each aspect.
fn in_lines(text: &str, keys: &[&str], scale: Scale) -> Result<Answer, NoAnswer> {
    let absent = || {
        NoAnswer::absent(if text.contains('{') {
            "no complete JSON object with the aspects was found"
        } else {
            "no JSON object was found"
        })
    };
    // Explanations in a block of YAML are no quotation.
    let text = ["```yaml", "```yml"]
        .iter()
        .fold(text.to_owned(), |text, fence| text.replace(fence, ""));
    let all = lines(&text);
    let mut found = Vec::new();
    // The aspect of a heading, whose number is on a line of its own.
    let mut heading: Option<&str> = None;
    let is_named = |key: &str| matching(key, keys).is_some() || is_overall(key);
    for (i, line) in all.iter().enumerate().filter(|(_, line)| !line.is_quoted) {
        let is_before = |c: char| "|( <.)".contains(c) || c.is_ascii_digit();
        let text = line.text.trim_start_matches(is_before);
        let (key, value) = match text.split_once([':', '|', '=', '–', '—', '>']) {
            Some((key, value)) => (key.trim(), value.trim()),
            None => (text, ""),
        };
        let number = number_in(if value.is_empty() { &line.text } else { value }, scale);
        if is_named(key) {
            heading = (number.is_none() && value.is_empty()).then_some(key);
        }
        let about = match heading {
            Some(heading)
                if value.is_empty() || SCORE_KEYS.contains(&words(key).concat().as_str()) =>
            {
                heading
            }
            _ => key,
        };
        if let Some(number) = number.filter(|_| is_named(about)) {
            found.push((about, Node::Number(number), i));
        }
    }
    let Some(end) = found.last().map(|(.., i)| i + 1) else {
        return Err(absent());
    };
    let entries: Vec<(&str, &Node)> = found.iter().map(|(key, node, _)| (*key, node)).collect();
    let answer = answer(&entries, keys, scale)?;
    afterwards(&text_after(&all[end..])).checked()?;
    Ok(answer)
}

/// The number that a line gives, with the top of its scale or a remark after it.
fn number_in(text: &str, scale: Scale) -> Option<f64> {
    let text = text
        .split(['|', '–', '—', ';', '(', '<'])
        .next()
        .unwrap_or_default();
    let text = [" - ", ". "].iter().fold(text, |text, mark| {
        text.split(mark).next().unwrap_or_default()
    });
    number_of(text, scale.max)
}

fn answer(entries: &[(&str, &Node)], keys: &[&str], scale: Scale) -> Result<Answer, NoAnswer> {
    let mut aspects = BTreeMap::new();
    let mut overall = None;
    for (key, value) in entries {
        let (name, slot) = if let Some(name) = matching(key, keys) {
            (name, &mut *aspects.entry(name.to_owned()).or_insert(None))
        } else if is_overall(key) {
            (OVERALL_KEY, &mut overall)
        } else {
            continue;
        };
        // Explanations under the same names, apart from the numbers.
        let is_words = matches!(value, Node::Text(_)) && value.number(scale.max).is_none();
        if is_words && entries.iter().filter(|(other, _)| other == key).count() > 1 {
            continue;
        }
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

/// The value with the number of a rating: the score of an object, also within another rating, or the only number of a list.
fn score_of(node: &Node) -> Option<&Node> {
    match node {
        Node::Object(_) => {
            let inner = node.under(&SCORE_KEYS)?;
            match inner {
                Node::Object(_) | Node::List(_) => score_of(inner),
                _ => Some(inner),
            }
        }
        Node::List(items) => {
            let mut numbers = items.iter().filter(|it| matches!(it, Node::Number(_)));
            let has_lists = items
                .iter()
                .any(|it| matches!(it, Node::Object(_) | Node::List(_)));
            match (numbers.next(), numbers.next()) {
                (Some(only), None) if !has_lists => Some(only),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A number on the scale.
fn rating(name: &str, value: &Node, scale: Scale) -> Result<f64, String> {
    let number = score_of(value).unwrap_or(value).number(scale.max);
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

fn is_overall(key: &str) -> bool {
    const NAMES: [&str; 6] = [
        "overall",
        "overall_rating",
        "total_score",
        "final_score",
        "overall_quality",
        "total",
    ];
    let key = key_words(key).join("_");
    key == OVERALL_KEY || NAMES.contains(&key.as_str())
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
    let mut words = words(&spaced);
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
