//! Reads the number that ends a reconstruction reply.
//!
//! The last line holds the number and nothing else but decoration (`**2**`, `"2"`, `2.`), an announcement (`Score: 2`), or the top
//! of the scale (`2/3`, `2 out of 3`: two of three points, never "two or three", because 3 is the top). Prose with a number in it is no score.

use super::super::Scale;
use super::announcement::announces;
use super::line::{Line, lines, words};
use super::no_answer::NoAnswer;

/// An announcement may also be made of these alone.
const ANNOUNCING: [&str; 11] = [
    "final",
    "overall",
    "numerical",
    "numeric",
    "output",
    "the",
    "my",
    "is",
    "so",
    "reconstruction",
    "quality",
];

/// Reads a whole number on the scale.
///
/// # Errors
/// What is wrong with the last line.
pub(super) fn read(text: &str, scale: Scale) -> Result<u8, NoAnswer> {
    // Lines without a letter or digit (a closing quote, a code fence, a rule) are no lines of text.
    let lines: Vec<Line> = (lines(text).into_iter())
        .filter(|line| line.text.contains(char::is_alphanumeric))
        .collect();
    let last = lines
        .last()
        .ok_or_else(|| NoAnswer::absent("the reply holds no text"))?;
    // What quotes somebody after the score does not hide it.
    let said = lines.iter().rev().find(|line| !line.is_quoted);
    let line = match said {
        Some(said) if last.is_quoted && announced(&said.text).is_some() => &said.text,
        _ => &last.text,
    };
    let not_alone = || NoAnswer::absent("the last line is not the score alone");
    let number = announced(line).ok_or_else(not_alone)?;
    let (number, top) = split_top(number);
    if let Some(top) = top
        && top.parse() != Ok(scale.max)
    {
        return Err(NoAnswer::Wrong(format!(
            "the last line counts to {top}, and the scale ends at {}",
            scale.max
        )));
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_number =
        !whole.is_empty() && (whole.bytes().chain(fraction.bytes())).all(|b| b.is_ascii_digit());
    if !is_number {
        return Err(not_alone());
    }
    let off_scale = || {
        NoAnswer::Wrong(format!(
            "the score {number} is not one of {} to {}",
            scale.min, scale.max
        ))
    };
    if fraction.bytes().any(|b| b != b'0') {
        return Err(off_scale());
    }
    let score: u8 = whole.parse().map_err(|_| off_scale())?;
    if !(scale.min..=scale.max).contains(&score) {
        return Err(off_scale());
    }
    Ok(score)
}

/// What follows the announcement, if there is one, without brackets and a full stop.
fn announced(line: &str) -> Option<&str> {
    let start = match line.rfind([':', '=']) {
        Some(colon) => colon + 1,
        None => line.find(|c: char| c.is_ascii_digit())?,
    };
    let (before, after) = line.split_at(start);
    // `Score (1-3): 2` announces its scale.
    let before = match (before.find('('), before.rfind(')')) {
        (Some(open), Some(close)) if open < close => {
            format!("{}{}", &before[..open], &before[close + 1..])
        }
        _ => before.to_owned(),
    };
    if before.trim_end().ends_with(['-', '−', '.', '~', '<', '>']) && !before.contains(':') {
        return None;
    }
    let named: Vec<String> = (words(&before).into_iter())
        .filter(|word| !ANNOUNCING.contains(&word.as_str()))
        .collect();
    if !named.is_empty() && !announces(&named.join(" ")) {
        return None;
    }
    Some(
        after
            .trim_matches(|c: char| c == ' ' || "()[]{}<>_".contains(c))
            .trim_end_matches(['.', '!', '分'])
            .trim(),
    )
}

fn split_top(number: &str) -> (&str, Option<&str>) {
    ["/", "out of", "of"]
        .iter()
        .find_map(|mark| number.split_once(mark))
        .map_or((number, None), |(number, top)| {
            (number.trim(), Some(top.trim()))
        })
}
