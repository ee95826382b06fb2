//! Reads the line of digits that ends a pairwise reply.
//!
//! An answer line is nothing but digits, or an announcement (`Final answer:`) and digits. The last such line decides, so an example
//! that the reply repeats from the question does not. A line that announces itself as something else (`Confidence: 1 2 3`,
//! `e.g., 1 2 2`), a list (`1. 2`) and a table row are no answer lines.

use super::line::{lines, undecorated, words};
use super::no_answer::NoAnswer;
use crate::rubric::verdict::Winner;

/// All words of an announcement are among these.
const ANNOUNCING: [&str; 34] = [
    "final",
    "answer",
    "answers",
    "decision",
    "decisions",
    "verdict",
    "verdicts",
    "summary",
    "result",
    "results",
    "choice",
    "choices",
    "conclusion",
    "output",
    "row",
    "line",
    "last",
    "overall",
    "my",
    "the",
    "our",
    "is",
    "are",
    "so",
    "thus",
    "therefore",
    "hence",
    "in",
    "of",
    "for",
    "all",
    "criteria",
    "here",
    "and",
];

/// And one of these, or it announces nothing.
const ANNOUNCED: [&str; 15] = [
    "answer",
    "answers",
    "decision",
    "decisions",
    "verdict",
    "verdicts",
    "summary",
    "result",
    "results",
    "choice",
    "choices",
    "conclusion",
    "output",
    "thus",
    "therefore",
];

/// Reads `count` choices as they stand, left being [`Winner::A`].
///
/// # Errors
/// What is wrong with the last answer line, or that there is none.
pub(super) fn read(
    text: &str,
    count: usize,
    menu: &[(u8, Winner)],
) -> Result<Vec<Winner>, NoAnswer> {
    let numbers = lines(text)
        .rev()
        .find_map(|line| answer_numbers(line, count))
        .ok_or_else(|| NoAnswer::Absent(format!("no line of {count} digits was found")))?;
    if numbers.len() != count {
        return Err(NoAnswer::Wrong(format!(
            "the answer line holds {} numbers where {count} are asked for",
            numbers.len()
        )));
    }
    let marks: Vec<String> = menu.iter().map(|(mark, _)| mark.to_string()).collect();
    numbers
        .iter()
        .map(|number| {
            let place = marks.iter().position(|mark| mark == number);
            place.map(|i| menu[i].1).ok_or_else(|| {
                NoAnswer::Wrong(format!(
                    "the answer line holds {number}, which is not on the menu {}",
                    marks.join(", ")
                ))
            })
        })
        .collect()
}

/// The numbers at the start of a line, and how they end.
struct Run {
    numbers: Vec<String>,
    /// Nothing but punctuation follows.
    is_clean: bool,
    /// Punctuation stands between the last number and the prose that follows.
    has_boundary: bool,
}

/// The numbers of a line that is an answer line, right or wrong; `None` for any other line.
fn answer_numbers(line: &str, count: usize) -> Option<Vec<String>> {
    let line = undecorated(line);
    let start = line.find(|c: char| c.is_ascii_digit())?;
    let (before, digits) = line.split_at(start);
    let announcement = words(before);
    if announcement.is_empty() {
        if before.contains('|') || is_list_item(&line) {
            return None;
        }
    } else {
        let is_among = |list: &[&str], word: &String| list.contains(&word.as_str());
        if !announcement.iter().all(|word| is_among(&ANNOUNCING, word))
            || !announcement.iter().any(|word| is_among(&ANNOUNCED, word))
        {
            return None;
        }
    }
    // `-1` is no choice.
    if before.ends_with(['-', '−', '.']) {
        return None;
    }
    let run = run(digits);
    let is_whole = run.numbers.len() == count;
    let is_answer = if announcement.is_empty() {
        // One number alone is a heading, a page, a list: not an answer, unless one is asked for.
        (run.is_clean && (run.numbers.len() >= 2 || is_whole))
            || (is_whole && count >= 2 && run.has_boundary)
    } else {
        let is_final = announcement.iter().any(|word| word == "final");
        is_whole && (run.is_clean || run.has_boundary || count >= 2)
            || (run.is_clean && (run.numbers.len() >= 2 || is_final))
    };
    is_answer.then_some(run.numbers)
}

/// `1. …`, `2) …`, `3: …`, and the same alone.
fn is_list_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let Some(after) = rest.strip_prefix(['.', ')', ':']) else {
        return false;
    };
    rest.len() < line.len() && after.starts_with(' ')
}

fn run(text: &str) -> Run {
    let is_separator = |c: char| c == ' ' || ",;/()[]{}<>".contains(c);
    let mut numbers = Vec::new();
    let mut rest = text;
    let mut gap = String::new();
    loop {
        let token_start = rest.find(|c| !is_separator(c)).unwrap_or(rest.len());
        gap = rest[..token_start].to_owned() + &gap;
        rest = &rest[token_start..];
        let token = rest.split(is_separator).next().unwrap_or("");
        let number = token.trim_end_matches(['.', '!', ':']);
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        numbers.push(number.to_owned());
        rest = &rest[token.len()..];
        gap = token[number.len()..].to_owned();
        if !gap.is_empty() {
            break;
        }
    }
    let gap_end = rest.find(char::is_alphanumeric).unwrap_or(rest.len());
    gap.push_str(&rest[..gap_end]);
    Run {
        is_clean: gap_end == rest.len(),
        has_boundary: gap.contains(|c: char| ".!:,;()[]–—-".contains(c)),
        numbers,
    }
}
