//! Reads the number that ends a reconstruction reply.
//!
//! The last line holds the number and nothing else but decoration (`**2**`, `"2"`, `2.`), an announcement (`Score: 2`), the top of the
//! scale (`2/3`, `2 out of 3`: two of three points, never "two or three", because 3 is the top), or a remark without digits
//! (`2 (Fair)`, `2 - Fair`). A line that announces a score elsewhere counts too, and a final score wins over others; scores of equal
//! standing that differ are no answer. Prose with a number in it is no score, and neither are scores of single criteria. A JSON object
//! holds the score under its key.

use super::super::Scale;
use super::super::schema::SCORE_KEY;
use super::announcement::{Afterwards, afterwards, announces, grade, is_draft, names_final};
use super::line::{Line, lines, text_after, words};
use super::no_answer::NoAnswer;
use super::object::{Node, found, unquoted};

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

/// Keys under which an object holds the score, the final one first.
const KEYS: [&[&str]; 2] = [
    &["final_score", "final_rating", "final_answer", "final"],
    &[
        SCORE_KEY,
        "overall_score",
        "overall",
        "rating",
        "overall_rating",
        "answer",
    ],
];

/// Reads a whole number on the scale.
///
/// # Errors
/// The error in the score, or its absence.
pub(super) fn read(text: &str, scale: Scale) -> Result<u8, NoAnswer> {
    let found = found(text);
    let (mut outside, mut from) = (String::new(), 0);
    let mut score = None;
    for object in unquoted(&found).filter(|it| it.node.is_object() && !it.is_in_prose) {
        outside.push_str(&text[from..object.place.start]);
        from = object.place.end;
        let Some(said) = in_object(&object.node) else {
            continue;
        };
        let number = said.number(scale.max).ok_or_else(|| {
            NoAnswer::Wrong(format!("\"{SCORE_KEY}\" of the answer holds no number"))
        })?;
        let found = on_scale(&number.to_string(), scale)?;
        if score.replace(found).is_some_and(|before| before != found) {
            return Err(NoAnswer::two_answers());
        }
    }
    outside.push_str(&text[from..]);
    if score.is_some() {
        afterwards(&text[from..]).checked()?;
    }
    match (score, in_lines(&outside, scale)) {
        (Some(score), Ok(line)) if line != score => Err(NoAnswer::two_answers()),
        (Some(score), Ok(_) | Err(NoAnswer::Absent(_))) => Ok(score),
        (_, found) => found,
    }
}

fn in_object(node: &Node) -> Option<&Node> {
    let said = KEYS.iter().find_map(|keys| node.under(keys));
    match (said, node) {
        (Some(said), _) => Some(said.under(&[SCORE_KEY, "value", "rating"]).unwrap_or(said)),
        (None, Node::Object(entries)) if entries.len() == 1 => in_object(&entries[0].1),
        _ => None,
    }
}

fn in_lines(text: &str, scale: Scale) -> Result<u8, NoAnswer> {
    // Lines without a letter or digit (a closing quote, a code fence, a rule) are no lines of text.
    let mut lines: Vec<Line> = (lines(text).into_iter())
        .filter(|line| line.text.contains(char::is_alphanumeric))
        // `3 = good, 2 = fair, 1 = poor` explains the scale.
        .filter(|line| line.text.matches('=').count() < 2)
        .collect();
    if lines.is_empty() {
        return Err(NoAnswer::absent("the reply holds no text"));
    }
    let is_score = |line: &Line| said(&line.text).is_some();
    // A quoted number counts where nobody else gives one: `"2"` is how the question shows it.
    let ranks: [&dyn Fn(&Line) -> bool; 2] =
        [&|line| !line.is_quoted, &|line| line.is_number_in_marks];
    if let Some(counts) = ranks
        .iter()
        .find(|counts| lines.iter().any(|it| counts(it) && is_score(it)))
    {
        lines.retain(|line| counts(line) || (!line.is_quoted && !is_score(line)));
    }
    let mut scores = Vec::new();
    // Numbers alone in their line, further up.
    let mut bare: Vec<String> = Vec::new();
    let mut is_last_bare = false;
    for (i, line) in lines.iter().enumerate() {
        let before = match i {
            0 => "",
            _ => lines[i - 1].text.as_str(),
        };
        let is_announced = said(before).is_none() && announces(before);
        let Some(said) = said(&line.text) else {
            continue;
        };
        let is_final = said.is_final || (is_announced && names_final(before));
        let after = &lines[i + 1..];
        let counts = said.is_announced || is_announced || is_final || is_closing(after);
        if !counts && said.is_bare && !is_draft(before) {
            bare.push(said.number);
            continue;
        }
        if counts && (is_final || !is_draft(before)) {
            if let Some(grade) = grade(&said.remark)
                && scale.max - scale.min == 2
                && split_top(&said.number).0.parse() != Ok(usize::from(scale.min) + grade)
            {
                return Err(NoAnswer::Wrong(format!(
                    "the score {} is called by the name of another one: {}",
                    said.number, said.remark
                )));
            }
            is_last_bare = said.is_bare && !is_announced && !is_final;
            scores.push((said.number, is_final, afterwards(&text_after(after))));
        }
    }
    let end = scores.last().cloned();
    if scores.iter().any(|(_, is_final, _)| *is_final) {
        scores.retain(|(_, is_final, _)| *is_final);
    }
    if matches!(scores.last(), Some((_, _, after)) if *after != Afterwards::TakenBack) {
        scores.retain(|(_, _, after)| *after != Afterwards::TakenBack);
    }
    let (number, _, mut after) = scores
        .pop()
        .ok_or_else(|| NoAnswer::absent("the last line is not the score alone"))?;
    // Repeated, it is valid again.
    if let Some((_, _, end)) = end.filter(|(said, ..)| *said == number) {
        after = end;
    }
    after.checked()?;
    let score = on_scale(&top_checked(&number, scale)?, scale)?;
    let bare = bare.iter().filter(|_| is_last_bare);
    let others = scores.iter().map(|(number, ..)| number).chain(bare);
    for other in others {
        let other = top_checked(other, scale).and_then(|number| on_scale(&number, scale));
        if other.is_ok_and(|other| other != score) {
            return Err(NoAnswer::two_answers());
        }
    }
    Ok(score)
}

/// Whether what follows a number is nothing or a polite closing, without numbers.
fn is_closing(after: &[Line]) -> bool {
    const LINES_MAX: usize = 2;
    after.len() <= LINES_MAX
        && !after
            .iter()
            .any(|line| line.text.contains(char::is_numeric))
}

/// The number without the top of its scale.
fn top_checked(number: &str, scale: Scale) -> Result<String, NoAnswer> {
    match split_top(number) {
        (_, Some(top)) if top.parse() != Ok(scale.max) => Err(NoAnswer::Wrong(format!(
            "the score counts to {top}, and the scale ends at {}",
            scale.max
        ))),
        (number, _) => Ok(number.to_owned()),
    }
}

fn on_scale(number: &str, scale: Scale) -> Result<u8, NoAnswer> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    (whole.parse().ok())
        .filter(|score| {
            fraction.bytes().all(|b| b == b'0') && (scale.min..=scale.max).contains(score)
        })
        .ok_or_else(|| {
            NoAnswer::Wrong(format!(
                "the score {number} is not one of {} to {}",
                scale.min, scale.max
            ))
        })
}

/// What a line says: a number with the top of its scale, if it names one.
struct Said {
    number: String,
    remark: String,
    /// Nothing else is in the line.
    is_bare: bool,
    is_announced: bool,
    is_final: bool,
}

/// The number of a line that is an announcement and a number, without brackets, a full stop and a remark.
fn said(line: &str) -> Option<Said> {
    let turned = turned(line);
    let line = turned.as_deref().unwrap_or(line);
    let start = match line.rfind([':', '=']) {
        Some(colon) if line[colon..].contains(|c: char| c.is_ascii_digit()) => colon + 1,
        _ => line.find(|c: char| c.is_ascii_digit())?,
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
    let all = words(&before);
    let named: Vec<&str> = (all.iter().map(String::as_str))
        .filter(|word| !ANNOUNCING.contains(word))
        .collect();
    let is_sentence = ends_in_score(&all);
    if !named.is_empty() && !is_sentence && !announces(&named.join(" ")) {
        return None;
    }
    let after = after
        .trim_start_matches(|c: char| c == ' ' || "()[]{}<>_".contains(c))
        .trim();
    let end = (after.find(|c: char| !(c.is_ascii_digit() || c == '.'))).unwrap_or(after.len());
    let (number, rest) = after.split_at(end);
    let number = number.trim_end_matches('.');
    let rest = rest.trim_start_matches([')', ']', '}', '>', '_', ' ', '!', '|', '分']);
    let (number, rest) = match split_top(rest.trim_start_matches('(')) {
        ("", Some(top)) => {
            let end = (top.find(|c: char| !c.is_ascii_digit())).unwrap_or(top.len());
            (
                format!("{number}/{}", &top[..end]),
                top[end..].trim_matches([')', ']', '.', ' ']),
            )
        }
        _ => (number.to_owned(), rest),
    };
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    // `2 (Fair)`, `2 - Fair`, `2, fair`: no other number, and no sentence that goes on.
    let is_set_off = rest.starts_with(['(', '-', '–', '—', ',', ';', '.'])
        || (rest.starts_with([':', '=']) && !all.is_empty());
    let is_remark =
        is_set_off && !rest.contains(char::is_numeric) && rest.contains(char::is_alphabetic);
    let is_remark = is_remark || !rest.contains(char::is_alphanumeric);
    (is_number && is_remark).then(|| Said {
        number,
        is_bare: all.is_empty() && rest.is_empty(),
        remark: rest.to_owned(),
        is_announced: !named.is_empty() || all.iter().any(|word| word == "overall"),
        is_final: names_final(&before),
    })
}

/// `Rating: Good (3)` as `Rating: 3 (Good)`.
fn turned(line: &str) -> Option<String> {
    let (before, after) = line.split_once([':', '='])?;
    let (word, number) = after
        .trim_end_matches(['.', ' '])
        .strip_suffix(')')?
        .split_once('(')?;
    let is_number = number.chars().all(|c| c.is_ascii_digit() || c == '/') && !number.is_empty();
    (is_number && words(word).len() == 1 && grade(word).is_some())
        .then(|| format!("{before}: {number} ({})", word.trim()))
}

/// Whether a sentence ends with the words that name a score: `I therefore give it a final score of`.
fn ends_in_score(words: &[String]) -> bool {
    const HEDGES: [&str; 8] = [
        "not", "never", "t", "or", "between", "might", "would", "could",
    ];
    let links = ["of", "is", "rated", "at"];
    let names = ["score", "rating", "rated"];
    let is_link = (words.last()).is_some_and(|word| links.contains(&word.as_str()));
    let is_score = is_link && words.iter().any(|word| names.contains(&word.as_str()));
    is_score && !words.iter().any(|word| HEDGES.contains(&word.as_str()))
}

fn split_top(number: &str) -> (&str, Option<&str>) {
    ["/", "out of", "of"]
        .iter()
        .find_map(|mark| number.split_once(mark))
        .map_or((number, None), |(number, top)| {
            (number.trim(), Some(top.trim()))
        })
}
