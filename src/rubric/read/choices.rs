//! Reads the choices that end a pairwise reply: a line of digits, or a list or table with one choice a line.
//!
//! An answer line is nothing but digits (`1 2 2`, `1, 2, 2`, `1-2-2`, `122`), or an announcement (`Final answer:`) and digits. The last
//! answer decides, so an example that the reply repeats from the question does not; a quotation decides only where nothing else is an
//! answer. A line that announces itself as something else (`Confidence: 1 2 3`, `e.g., 1 2 2`) is none.

use super::announcement::announces;
use super::line::{Line, lines, words};
use super::list::{Item, answer_of, is_rule, item};
use super::no_answer::NoAnswer;
use crate::rubric::verdict::Winner;

/// What is asked for: a choice for each name, and how a choice is written.
struct Asked<'a> {
    names: &'a [String],
    menu: &'a [(u8, Winner)],
}

/// Numbers that stand where an answer may stand, right or wrong.
struct Candidate {
    numbers: Vec<String>,
    is_quoted: bool,
}

/// Reads one choice for each of `names`, as they stand, left being [`Winner::A`]. A name is all that a criterion is called.
///
/// # Errors
/// What is wrong with the last answer, or that there is none.
pub(super) fn read(
    text: &str,
    names: &[String],
    menu: &[(u8, Winner)],
) -> Result<Vec<Winner>, NoAnswer> {
    let count = names.len();
    let mut found = candidates(&lines(text), &Asked { names, menu });
    let last = found.iter().rposition(|candidate| !candidate.is_quoted);
    let answer = match last {
        Some(last) => Some(found.swap_remove(last)),
        None => found.pop(),
    };
    let numbers = answer
        .ok_or_else(|| NoAnswer::Absent(format!("no line of {count} digits was found")))?
        .numbers;
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

/// All candidates in the order of the text.
fn candidates(lines: &[Line], asked: &Asked<'_>) -> Vec<Candidate> {
    let count = asked.names.len();
    let mut found = Vec::new();
    let mut block: Vec<Item> = Vec::new();
    let (mut is_announced, mut is_quoted) = (false, false);
    for (i, line) in lines.iter().enumerate() {
        // A list goes on over blank lines and the rules of tables.
        if is_rule(&line.text) {
            continue;
        }
        if count > 1
            && let Some(item) = item(&line.text)
        {
            if block.is_empty() {
                (is_announced, is_quoted) = (follows_announcement(&lines[..i]), false);
            }
            is_quoted |= line.is_quoted;
            block.push(item);
            continue;
        }
        let block = std::mem::take(&mut block);
        if let Some(numbers) = answer_of(&block, asked.names, is_announced) {
            found.push(Candidate { numbers, is_quoted });
        }
        if let Some(numbers) = answer_numbers(&line.text, asked) {
            found.push(Candidate {
                numbers,
                is_quoted: line.is_quoted,
            });
        }
    }
    // What ends the reply needs no announcement.
    if let Some(numbers) = answer_of(&block, asked.names, true) {
        found.push(Candidate { numbers, is_quoted });
    }
    found
}

fn follows_announcement(before: &[Line]) -> bool {
    let mut texts = before.iter().rev().map(|line| &line.text);
    texts
        .find(|text| text.contains(char::is_alphanumeric))
        .is_some_and(|text| announces(text))
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
fn answer_numbers(line: &str, asked: &Asked<'_>) -> Option<Vec<String>> {
    let count = asked.names.len();
    let (before, digits) = announced(line)?;
    let is_announced = !words(&before).is_empty();
    if is_announced {
        if !announces(&before) {
            return None;
        }
    } else if is_list_item(line) {
        return None;
    }
    // `-1` is no choice.
    if before.ends_with(['-', '−', '.']) {
        return None;
    }
    if let Some(numbers) = joined(digits, asked) {
        return Some(numbers);
    }
    let run = run(digits);
    let is_whole = run.numbers.len() == count;
    let is_answer = if !is_announced {
        // One number alone is a heading, a page, a list: not an answer, unless one is asked for. A row of a table counts if it is whole.
        (run.is_clean && (is_whole || (run.numbers.len() >= 2 && !line.contains('|'))))
            || (is_whole && count >= 2 && run.has_boundary && !line.contains('|'))
    } else {
        let is_final = words(&before).iter().any(|word| word == "final");
        is_whole && (run.is_clean || run.has_boundary || count >= 2)
            || (run.is_clean && (run.numbers.len() >= 2 || is_final))
    };
    is_answer.then_some(run.numbers)
}

/// What stands before the digits of a line, without remarks in brackets (`(criteria 1–6)`), and the digits with what follows.
fn announced(line: &str) -> Option<(String, &str)> {
    let colon = line.rfind(':').filter(|colon| {
        let (before, after) = line.split_at(*colon);
        after[1..]
            .trim_start_matches([' ', '[', '('])
            .starts_with(|c: char| c.is_ascii_digit())
            && before.contains('(')
    });
    let start = match colon {
        Some(colon) => colon + 1,
        None => line.find(|c: char| c.is_ascii_digit())?,
    };
    let (before, digits) = line.split_at(start);
    let before = match (before.find('('), before.rfind(')')) {
        (Some(open), Some(close)) if open < close => {
            let (remark, rest) = (&before[open + 1..close], &before[close + 1..]);
            // `(in order)` is part of the announcement; so are the numbers of the criteria.
            let remark = remark.trim_matches(|c: char| c.is_ascii_digit() || " -–—".contains(c));
            format!("{} {remark} {rest}", &before[..open])
        }
        _ => before.to_owned(),
    };
    Some((before, digits.trim_start()))
}

/// Choices written together: `1-2-2-3-2-1`, `122321`. Every one must be on the menu, or it is some other number.
fn joined(digits: &str, asked: &Asked<'_>) -> Option<Vec<String>> {
    /// `12` and `1-2` are a number and a range.
    const COUNT_MIN: usize = 3;
    let count = asked.names.len();
    let bare = digits.trim_end_matches(['.', '!', ' ', ')', ']', '|']);
    let parts: Vec<String> = if bare.contains(['-', '–', '—', '−']) {
        bare.split(['-', '–', '—', '−'])
            .map(|part| part.trim().to_owned())
            .collect()
    } else {
        bare.chars().map(String::from).collect()
    };
    let is_mark = |part: &String| asked.menu.iter().any(|(mark, _)| mark.to_string() == *part);
    (count >= COUNT_MIN && parts.len() == count && parts.iter().all(is_mark)).then_some(parts)
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
    let is_separator = |c: char| c == ' ' || ",;/|()[]{}<>".contains(c);
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
