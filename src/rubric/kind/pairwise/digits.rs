//! Reads one line of a pairwise reply: its digits or the names of its sides, behind an announcement
//! or alone. Does not look at other lines.

use crate::rubric::Winner;
use crate::rubric::read::announcement::{Standing, announces, standing};
use crate::rubric::read::line::words;
use crate::rubric::read::list::side;
use crate::rubric::reply::announcements;

/// The expected answer: a choice for each criterion, and the form of a choice.
pub(super) struct Asked<'a> {
    pub keys: Vec<&'a str>,
    pub titles: Vec<&'a str>,
    /// All that a criterion is called, in one text each.
    pub names: Vec<String>,
    pub menu: &'a [(u8, Winner)],
}

/// The numbers at the start of a line, and how they end.
pub(super) struct Run {
    pub numbers: Vec<String>,
    /// Nothing but punctuation follows.
    pub is_clean: bool,
    /// Punctuation is between the last number and the prose that follows.
    has_boundary: bool,
}

/// The numbers of an answer line, right or wrong, and its standing; `None` for other lines.
pub(super) fn answer_numbers(line: &str, asked: &Asked<'_>) -> Option<(Vec<String>, Standing)> {
    let count = asked.names.len();
    let is_announcement = |before: &str| announces(before) || standing(before) > Standing::Plain;
    if let Some((before, sides)) = sides(line, count, asked.menu) {
        let counts = words(before).is_empty() || is_announcement(before);
        return counts.then(|| (sides, standing(before)));
    }
    let (before, digits) = announced(line)?;
    // `for the 7 criteria`, `for the seven criteria`.
    let named = announcements().counts.get(count).map_or("", |name| name.as_str());
    let before = before.replace(&format!(" {count} "), " ").replace(&format!(" {named} "), " ");
    let is_announced = !words(&before).is_empty();
    if is_announced {
        if !is_announcement(&before) {
            return None;
        }
    } else if is_list_item(line) {
        return None;
    }
    // `-1` is no choice.
    if before.ends_with(['-', '−', '.']) {
        return None;
    }
    let standing = standing(&before);
    if let Some(numbers) = joined(digits, asked) {
        return Some((numbers, standing));
    }
    let run = run(digits);
    // `1 2 2 3 2 1 or 1 2 2 3 2 2`: two answers in a line are none.
    let after = digits.chars().filter(char::is_ascii_digit).count();
    if count > 1 && after >= 2 * count && run.numbers.len() == count && !run.is_clean {
        return Some((Vec::new(), standing));
    }
    let is_whole = run.numbers.len() == count;
    let is_answer = if !is_announced {
        // One number alone is a heading, a page, a list: not an answer, unless one is asked for. A
        // row of a table counts if it is whole.
        (run.is_clean && (is_whole || (run.numbers.len() >= 2 && !line.contains('|'))))
            || (is_whole && count >= 2 && run.has_boundary && !line.contains('|'))
    } else {
        is_whole && (run.is_clean || run.has_boundary || count >= 2)
            || (run.is_clean && (run.numbers.len() >= 2 || standing > Standing::Plain))
            // `Final answer: 1 2 2 3 2.5 2` is a wrong answer, and no line among others.
            || (standing > Standing::Plain && run.numbers.len() >= 3)
    };
    is_answer.then_some((run.numbers, standing))
}

/// An announcement, which can be empty, and the names of as many sides:
/// `Decisions: left, right, right, tie, right, left`.
pub(super) fn sides<'t>(
    line: &'t str,
    count: usize,
    menu: &[(u8, Winner)],
) -> Option<(&'t str, Vec<String>)> {
    let (before, said) = line.rsplit_once([':', '=']).unwrap_or(("", line));
    let said = said.trim_matches(['[', ']', '.', ' ']).trim_start_matches('(');
    let said = if said.contains('(') { said } else { said.trim_end_matches(')') };
    let separators: &[char] =
        if said.contains([',', ';', '|', '/']) { &[',', ';', '|', '/'] } else { &[' '] };
    // `1 (left) 2 (right)`: a bracket belongs to the digit before it.
    let spaced = said.replace(" (", "(");
    let mut depth = 0;
    let is_separator = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && separators.contains(&c)
    };
    let parts: Vec<&str> = spaced.split(is_separator).collect();
    // `1 (left), 3 (tie)`: the names are those of the digits, or the line contradicts itself.
    let part = |part: &&str| {
        let (mark, name) = part.trim_end_matches(')').split_once('(').unwrap_or((part, part));
        let mark_of_side = side(name).and_then(|it| menu.iter().find(|(_, winner)| *winner == it));
        let is_same = mark_of_side.is_some_and(|(known, _)| known.to_string() == mark.trim());
        (mark == *part || is_same).then(|| mark.trim().to_owned()).filter(|_| side(name).is_some())
    };
    let sides: Vec<String> = parts.iter().map_while(part).collect();
    (count > 1 && parts.len() == count && sides.len() == count).then_some((before, sides))
}

/// The part before the digits of a line, without remarks in brackets (`(criteria 1–6)`), and the
/// digits with the rest.
pub(super) fn announced(line: &str) -> Option<(String, &str)> {
    let colon = line.rfind(':').filter(|colon| {
        let (before, after) = line.split_at(*colon);
        after[1..].trim_start_matches([' ', '[', '(']).starts_with(|c: char| c.is_ascii_digit())
            && before.contains(|c: char| c == '(' || c.is_ascii_digit())
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

/// Joined choices: `1-2-2-3-2-1`, `122321`. Each must be on the menu, or it is some other number.
pub(super) fn joined(digits: &str, asked: &Asked<'_>) -> Option<Vec<String>> {
    /// `12` and `1-2` are a number and a range.
    const COUNT_MIN: usize = 3;
    let count = asked.names.len();
    let bare = digits.trim_end_matches(['.', '!', ' ', ')', ']', '}', '|']);
    let parts: Vec<String> = if bare.contains(['-', '–', '—', '−']) {
        bare.split(['-', '–', '—', '−']).map(|part| part.trim().to_owned()).collect()
    } else {
        bare.chars().map(String::from).collect()
    };
    let is_mark = |part: &String| asked.menu.iter().any(|(mark, _)| mark.to_string() == *part);
    (count >= COUNT_MIN && parts.len() == count && parts.iter().all(is_mark)).then_some(parts)
}

/// `1. …`, `2) …`, `3: …`, and the same alone.
pub(super) fn is_list_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let Some(after) = rest.strip_prefix(['.', ')', ':']) else {
        return false;
    };
    rest.len() < line.len() && after.starts_with(' ')
}

pub(super) fn run(text: &str) -> Run {
    let is_separator = |c: char| c == ' ' || ",;/|()[]{}<>~".contains(c);
    let mut numbers = Vec::new();
    let mut rest = text;
    let mut gap = String::new();
    loop {
        let token_start = rest.find(|c| !is_separator(c)).unwrap_or(rest.len());
        gap = rest[..token_start].to_owned() + &gap;
        rest = &rest[token_start..];
        let token = rest.split(is_separator).next().unwrap_or("");
        let written = token.trim_end_matches(['.', '!', ':']);
        // `2.0` is 2.
        let number = match written.split_once('.') {
            Some((whole, zeros)) if zeros.bytes().all(|b| b == b'0') => whole,
            _ => written,
        };
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
            break;
        }
        numbers.push(number.to_owned());
        rest = &rest[token.len()..];
        gap = token[written.len()..].to_owned();
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
