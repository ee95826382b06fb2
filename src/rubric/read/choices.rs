//! Reads the choices that end a pairwise reply: a line of digits, a list or table with one choice a line, or a JSON object.
//!
//! An answer line is nothing but digits (`1 2 2`, `1, 2, 2`, `1-2-2`, `122`), or an announcement (`Final answer:`) and digits. An answer
//! that is announced as the final one wins over all others; two answers of equal standing that differ are no answer. A quotation decides
//! only where nothing else is an answer. A line that announces itself as something else (`Confidence: 1 2 3`, `e.g., 1 2 2`) is none, and
//! neither is a list under a heading that names one side.

use super::announcement::{Afterwards, afterwards, announces, is_draft, names_final};
use super::aspects::matching;
use super::line::{Line, lines, text_after, words};
use super::list::{Item, answer_of, is_rule, item};
use super::no_answer::NoAnswer;
use super::object::{Node, found, number_of, unquoted};
use crate::rubric::Criterion;
use crate::rubric::Winner;
use std::ops::Range;

/// The expected answer: a choice for each criterion, and the form of a choice.
struct Asked<'a> {
    keys: Vec<&'a str>,
    titles: Vec<&'a str>,
    /// All that a criterion is called, in one text each.
    names: Vec<String>,
    menu: &'a [(u8, Winner)],
}

/// Numbers at a place where an answer can be, right or wrong.
#[derive(Debug, Clone)]
struct Candidate {
    numbers: Vec<String>,
    is_quoted: bool,
    /// Whether it is announced as the final answer.
    is_final: bool,
    /// What the text after it says of it.
    after: Afterwards,
}

/// A line that takes the place of a JSON object begins with this, and its number among the objects follows.
const OBJECT_MARK: char = '\u{1}';

/// Names under which an object holds one choice.
const CHOICE_KEYS: [&str; 10] = [
    "choice",
    "answer",
    "verdict",
    "winner",
    "decision",
    "option",
    "selection",
    "preference",
    "score",
    "rating",
];

/// Reads one choice for each criterion, as they are shown, left being [`Winner::A`].
///
/// # Errors
/// The error in the answer, or its absence.
pub(super) fn read(
    text: &str,
    criteria: &[Criterion],
    menu: &[(u8, Winner)],
) -> Result<Vec<Winner>, NoAnswer> {
    let asked = Asked {
        keys: criteria.iter().map(|c| c.key.as_str()).collect(),
        titles: criteria.iter().map(|c| c.title.as_str()).collect(),
        names: (criteria.iter())
            .map(|criterion| format!("{} {}", criterion.title, criterion.key))
            .collect(),
        menu,
    };
    let (text, objects) = objects(&one_a_line(text, &asked), &asked)?;
    let mut candidates = candidates(&lines(&text), &objects, &asked);
    let end = candidates.last().cloned();
    if candidates.iter().any(|candidate| !candidate.is_quoted) {
        candidates.retain(|candidate| !candidate.is_quoted);
    }
    if candidates.iter().any(|candidate| candidate.is_final) {
        candidates.retain(|candidate| candidate.is_final);
    }
    // An answer that was taken back gives way to the one after it.
    let is_taken_back = |candidate: &Candidate| candidate.after == Afterwards::TakenBack;
    if (candidates.last()).is_some_and(|last| !is_taken_back(last)) {
        candidates.retain(|candidate| !is_taken_back(candidate));
    }
    let count = asked.keys.len();
    let mut last = candidates
        .pop()
        .ok_or_else(|| NoAnswer::Absent(format!("no line of {count} digits was found")))?;
    let choices = last.choices(&asked)?;
    // Repeated, it is valid again.
    if let Some(end) = end.filter(|end| end.numbers == last.numbers) {
        last.after = end.after;
    }
    last.after.checked()?;
    let mut others = candidates.iter().filter_map(|it| it.choices(&asked).ok());
    match others.all(|other| other == choices) {
        true => Ok(choices),
        false => Err(NoAnswer::two_answers()),
    }
}

impl Candidate {
    fn choices(&self, asked: &Asked<'_>) -> Result<Vec<Winner>, NoAnswer> {
        let count = asked.keys.len();
        if self.numbers.len() != count {
            return Err(NoAnswer::Wrong(format!(
                "the answer holds {} numbers where {count} are asked for",
                self.numbers.len()
            )));
        }
        let marks: Vec<String> = asked
            .menu
            .iter()
            .map(|(mark, _)| mark.to_string())
            .collect();
        (self.numbers.iter())
            .map(|number| {
                let place = marks.iter().position(|mark| mark == number);
                place.map(|i| asked.menu[i].1).ok_or_else(|| {
                    NoAnswer::Wrong(format!(
                        "the answer holds {number}, which is not on the menu {}",
                        marks.join(", ")
                    ))
                })
            })
            .collect()
    }
}

/// A list in one line (`Plausibility: 2; Fine texture detail: 1; …`) with each of its items in a line.
fn one_a_line(text: &str, asked: &Asked<'_>) -> String {
    let count = asked.keys.len();
    let lines = text.split('\n').map(|line| {
        let parts = line.split(';').filter(|part| part.contains([':', '=']));
        match count > 1 && line.matches(';').count() + 1 >= count && parts.count() == count {
            true => line.replace(';', "\n"),
            false => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The text with a marked line in place of each JSON object, and the answers that the objects are.
fn objects(text: &str, asked: &Asked<'_>) -> Result<(String, Vec<Option<Candidate>>), NoAnswer> {
    let found = found(text);
    let mut out = String::new();
    let (mut answers, mut from) = (Vec::new(), 0);
    for object in unquoted(&found).filter(|object| !object.is_in_prose) {
        let answer = object_answer(&object.node, asked)?;
        // A list of plain numbers is a line like others.
        if answer.is_none() && !object.node.is_object() {
            continue;
        }
        out.push_str(&text[from..object.place.start]);
        out.push_str(&format!("\n{OBJECT_MARK}{}\n", answers.len()));
        from = object.place.end;
        answers.push(answer.map(|(numbers, is_final)| Candidate {
            numbers,
            is_quoted: object.is_quoted,
            is_final,
            after: Afterwards::Counts,
        }));
    }
    out.push_str(&text[from..]);
    Ok((out, answers))
}

/// The numbers that an object gives, and whether it calls them final; `None` where it gives none.
fn object_answer(node: &Node, asked: &Asked<'_>) -> Result<Option<(Vec<String>, bool)>, NoAnswer> {
    let is_value = |node: &Node| {
        let is_plain = |item: &Node| !matches!(item, Node::Object(_) | Node::List(_));
        match node {
            Node::List(items) => items.iter().all(is_plain),
            _ => node.under(&CHOICE_KEYS).is_some(),
        }
    };
    let entries = node.entries(&is_value);
    let mut numbers: Vec<Option<String>> = vec![None; asked.keys.len()];
    for (key, value) in &entries {
        let is_title = |title: &&str| words(title).concat() == words(key).concat();
        let by_key = (asked.keys.iter()).position(|known| matching(key, &[known]).is_some());
        let numbered = || (key.trim().parse().ok()).filter(|k| (1..=asked.keys.len()).contains(k));
        let by_title = || asked.titles.iter().position(is_title);
        let by_number = || numbered().map(|k: usize| k - 1);
        let Some(place) = by_key.or_else(by_title).or_else(by_number) else {
            continue;
        };
        let Some(number) = mark_of(value.under(&CHOICE_KEYS).unwrap_or(value)) else {
            continue;
        };
        if numbers[place]
            .as_ref()
            .is_some_and(|known| *known != number)
        {
            return Err(NoAnswer::Wrong(format!(
                "{} is given twice, with different choices",
                asked.keys[place]
            )));
        }
        numbers[place] = Some(number);
    }
    let lines = entries.iter().filter_map(|(key, value)| {
        let numbers = announces(key)
            .then(|| whole_answer(value, asked))
            .flatten()?;
        Some((numbers, names_final(key)))
    });
    let mut lines: Vec<_> = lines.collect();
    if lines.iter().any(|(_, is_final)| *is_final) {
        lines.retain(|(_, is_final)| *is_final);
    }
    let num_given = numbers.iter().flatten().count();
    if num_given > 0 && num_given < numbers.len() && lines.is_empty() {
        let missing: Vec<&str> = (asked.keys.iter().zip(&numbers))
            .filter(|(_, number)| number.is_none())
            .map(|(key, _)| *key)
            .collect();
        return Err(NoAnswer::Wrong(format!(
            "the answer lacks {}",
            missing.join(", ")
        )));
    }
    if let Some(numbers) = numbers.into_iter().collect::<Option<Vec<_>>>() {
        lines.push((numbers, false));
    }
    match lines.first() {
        Some((first, _)) if lines.iter().any(|(numbers, _)| numbers != first) => {
            Err(NoAnswer::two_answers())
        }
        _ => Ok(lines.pop()),
    }
}

/// A whole answer under one key: `"1 2 2"`, `[1, 2, 2]`.
fn whole_answer(value: &Node, asked: &Asked<'_>) -> Option<Vec<String>> {
    match value {
        Node::Text(text) => {
            let all = lines(text);
            let last = all.iter().rev().find(|line| !line.text.is_empty())?;
            answer_numbers(&last.text, asked).map(|(numbers, _)| numbers)
        }
        Node::List(items) => items.iter().map(mark_of).collect(),
        _ => None,
    }
}

/// A choice as it is written: a whole number, or the text that takes its place.
fn mark_of(value: &Node) -> Option<String> {
    let plain = |number: f64| match number.fract() == 0.0 && number.abs() < 1e9 {
        true => (number as i64).to_string(),
        false => number.to_string(),
    };
    match value {
        Node::Number(number) => Some(plain(*number)),
        Node::Text(text) if text.trim().is_empty() => None,
        Node::Text(text) => Some(number_of(text, 0).map_or_else(|| text.trim().to_owned(), plain)),
        _ => None,
    }
}

/// All candidates in the order of the text.
fn candidates(lines: &[Line], objects: &[Option<Candidate>], asked: &Asked<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut block: Vec<Item> = Vec::new();
    // Where the block begins.
    let mut from = 0;
    for (i, line) in lines.iter().enumerate() {
        // A list goes on over blank lines and the rules of tables.
        if is_rule(&line.text) {
            continue;
        }
        if asked.keys.len() > 1
            && let Some(item) = item(&line.text)
        {
            if block.is_empty() {
                from = i;
            }
            block.push(item);
            continue;
        }
        let block = std::mem::take(&mut block);
        found.extend(listed(&block, lines, from..i, asked));
        let candidate = match line.text.strip_prefix(OBJECT_MARK) {
            Some(number) => (number.parse().ok()).and_then(|i: usize| objects.get(i)?.clone()),
            None => answer_numbers(&line.text, asked).map(|(numbers, is_final)| Candidate {
                numbers,
                is_quoted: line.is_quoted,
                is_final,
                after: Afterwards::Counts,
            }),
        };
        found.extend(candidate.and_then(|candidate| candidate.between(lines, i..i + 1)));
    }
    // What ends the reply needs no announcement.
    found.extend(listed(&block, lines, from..lines.len(), asked));
    found
}

/// The answer that a list is, if it is one.
fn listed(
    block: &[Item],
    lines: &[Line],
    place: Range<usize>,
    asked: &Asked<'_>,
) -> Option<Candidate> {
    // Bare numbers at the end, after the remarks on each criterion.
    let bare = block.len().saturating_sub(asked.keys.len());
    let block = match block.split_at(bare) {
        ([.., last], end) if !last.is_bare() && end.iter().all(Item::is_bare) => end,
        _ => block,
    };
    if block.len() != asked.keys.len() {
        return None;
    }
    let before = line_before(&lines[..place.start]);
    if names_one_side(&before) {
        return None;
    }
    let is_announced = announces(&before) || place.end == lines.len();
    let candidate = Candidate {
        numbers: answer_of(block, &asked.names, is_announced)?,
        is_quoted: lines[place.clone()].iter().any(|line| line.is_quoted),
        is_final: false,
        after: Afterwards::Counts,
    };
    candidate.between(lines, place)
}

impl Candidate {
    /// What the lines around it say of it; `None` where they call it a draft or an example.
    fn between(self, lines: &[Line], place: Range<usize>) -> Option<Self> {
        let before = line_before(&lines[..place.start]);
        let after = text_after(&lines[place.end..]);
        let is_final = self.is_final || (announces(&before) && names_final(&before));
        // A draft in the line before is that line's own.
        let is_own =
            before.chars().filter(char::is_ascii_digit).count() >= self.numbers.len().max(2);
        (is_final || is_own || !is_draft(&before)).then(|| Self {
            is_final,
            after: afterwards(&after),
            ..self
        })
    }
}

/// The last line before that has letters or digits.
fn line_before(before: &[Line]) -> String {
    (before.iter().rev().map(|line| &line.text))
        .find(|text| text.contains(char::is_alphanumeric))
        .cloned()
        .unwrap_or_default()
}

/// Whether a heading is about one of the two objects, so that the numbers under it are scores of that one and no choices.
fn names_one_side(heading: &str) -> bool {
    const LEFT: [&str; 4] = ["left", "first", "1", "a"];
    const RIGHT: [&str; 4] = ["right", "second", "2", "b"];
    const NOUNS: [&str; 7] = [
        "object", "asset", "model", "image", "picture", "option", "side",
    ];
    const SCORES: [&str; 8] = [
        "score", "scores", "rating", "ratings", "points", "grade", "grades", "object",
    ];
    let words = words(heading);
    let names = |side: &[&str; 4]| {
        let has = |word: &str| words.iter().any(|it| it == word);
        // `left` and `right` say it by themselves; a number or letter does after a noun.
        has(side[0])
            || has(side[1])
            || words.windows(2).any(|pair| {
                NOUNS.contains(&pair[0].as_str()) && side[2..].contains(&pair[1].as_str())
            })
    };
    let is_short = words.len() <= 6;
    let is_about_scores = words.iter().any(|word| SCORES.contains(&word.as_str()));
    names(&LEFT) != names(&RIGHT) && (is_short || is_about_scores)
}

/// The numbers at the start of a line, and how they end.
struct Run {
    numbers: Vec<String>,
    /// Nothing but punctuation follows.
    is_clean: bool,
    /// Punctuation is between the last number and the prose that follows.
    has_boundary: bool,
}

/// The numbers of a line that is an answer line, right or wrong, and whether it calls itself final; `None` for any other line.
fn answer_numbers(line: &str, asked: &Asked<'_>) -> Option<(Vec<String>, bool)> {
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
    let is_final = is_announced && names_final(&before);
    if let Some(numbers) = joined(digits, asked) {
        return Some((numbers, is_final));
    }
    let run = run(digits);
    // `1 2 2 3 2 1 or 1 2 2 3 2 2`: two answers in a line are none.
    let after = digits.chars().filter(char::is_ascii_digit).count();
    if count > 1 && after >= 2 * count && run.numbers.len() == count && !run.is_clean {
        return Some((Vec::new(), is_final));
    }
    let is_whole = run.numbers.len() == count;
    let is_answer = if !is_announced {
        // One number alone is a heading, a page, a list: not an answer, unless one is asked for. A row of a table counts if it is whole.
        (run.is_clean && (is_whole || (run.numbers.len() >= 2 && !line.contains('|'))))
            || (is_whole && count >= 2 && run.has_boundary && !line.contains('|'))
    } else {
        is_whole && (run.is_clean || run.has_boundary || count >= 2)
            || (run.is_clean && (run.numbers.len() >= 2 || is_final))
    };
    is_answer.then_some((run.numbers, is_final))
}

/// The part before the digits of a line, without remarks in brackets (`(criteria 1–6)`), and the digits with the rest.
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
    let bare = digits.trim_end_matches(['.', '!', ' ', ')', ']', '}', '|']);
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
