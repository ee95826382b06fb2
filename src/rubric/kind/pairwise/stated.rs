//! What a pairwise reply states besides its answer and must agree with it: the meaning of its
//! digits, the choices that its numbered remarks end with, and those that reasons end with.

use super::summary::winner;
use crate::rubric::Winner;
use crate::rubric::read::announcement::{begins, has};
use crate::rubric::read::line::{Line, words};
use crate::rubric::read::list::{numbered, side};
use crate::rubric::read::object::Node;
use crate::rubric::reply::announcements;

/// Whether a line gives a digit another meaning than the menu does: `1 = right, 2 = left`,
/// `1 means that object 2 is better`, `(left = 2, right = 1)`.
pub(super) fn contradicts(line: &str, menu: &[(u8, Winner)]) -> bool {
    let is_end = |c: char| ",;().{}\"".contains(c);
    let parts = || line.split(is_end).flat_map(|part| part.split(" and "));
    let turned = |before: &str, after: &str| {
        let mark: Option<u8> = before.rsplit(' ').next().and_then(|mark| mark.parse().ok());
        let name = after.trim();
        let named = side(name.strip_prefix("that ").unwrap_or(name));
        let meant = menu.iter().find(|(known, _)| Some(*known) == mark);
        meant.zip(named).is_some_and(|((_, winner), named)| *winner != named)
    };
    let says = |part: &str, mark: &str| {
        part.split_once(mark).is_some_and(|(before, after)| turned(before.trim(), after))
    };
    // Of both sides, or it can be a score of one.
    let is_turned = |part: &&str| {
        let pair = part.split_once('=').or_else(|| part.split_once(" as "));
        pair.is_some_and(|(name, mark)| {
            turned(mark.trim(), name.rsplit(' ').find(|it| !it.is_empty()).unwrap_or(""))
        })
    };
    parts()
        .any(|part| ["=", " means ", " stands for ", " denotes "].iter().any(|it| says(part, it)))
        || parts().filter(is_turned).count() >= 2
}

/// The choices that numbered remarks end with, if all of them do:
/// `3. The left one is sharper. Option 1.`
pub(super) fn in_remarks(
    lines: &[Line],
    count: usize,
    menu: &[(u8, Winner)],
) -> Option<Vec<Winner>> {
    let mut remarks: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in lines.iter().filter(|line| !line.is_quoted) {
        match numbered(&line.text) {
            (Some(1), rest) => remarks = vec![rest.to_owned()],
            (Some(number), rest) if number == remarks.len() + 1 => remarks.push(rest.to_owned()),
            _ => {
                let last = remarks.last_mut().filter(|_| goes_on && !line.text.is_empty());
                goes_on = last.is_some();
                if let Some(last) = last {
                    *last = format!("{last} {}", line.text);
                }
                continue;
            }
        }
        goes_on = true;
    }
    let is_prose = |remark: &String| words(remark).len() > 2;
    let all: Option<Vec<Winner>> =
        remarks.iter().filter(|it| is_prose(it)).map(|it| closing(it, menu)).collect();
    all.filter(|all| count > 1 && all.len() == count)
}

/// The choices that the texts next to a choice end with.
pub(super) fn reasons(value: &Node, menu: &[(u8, Winner)]) -> impl Iterator<Item = Winner> {
    let texts = match value {
        Node::Object(entries) => entries.as_slice(),
        _ => &[],
    };
    let is_reason = |key: &str| !announcements().choice_keys.iter().any(|it| it == key);
    texts.iter().filter_map(move |(key, text)| match text {
        Node::Text(text) if is_reason(key) => closing(text, menu).or_else(|| changed(text)),
        _ => None,
    })
}

/// The side that a last sentence of second thoughts calls better: `Wait, the right one wins.`
fn changed(text: &str) -> Option<Winner> {
    let text = text.to_lowercase();
    let last = text.trim_end_matches(['.', '!', ' ']).rsplit(['.', '!', '。']).next()?;
    begins(last.trim(), &announcements().doubts).then(|| winner(last)).flatten()
}

/// The choice whose digit a text ends with: `… so option 2.`, `Right wins. **2**`, `→ 2`.
fn closing(text: &str, menu: &[(u8, Winner)]) -> Option<Winner> {
    let bare = text.trim_end_matches(['.', '!', ')', ']', '。', '*', ' ']);
    let before = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    let mark: u8 = bare[before.len()..].parse().ok()?;
    let before = before.trim_end_matches(['(', '[', '*', ' ']);
    let last = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let last = last.to_lowercase();
    let is_set_off = before.ends_with(['.', ':', '→', '>', '–', '—', '!', '。', '，']);
    let said = announcements();
    let is_named = last == "so" || said.answers.contains(&last) || has(&last, &said.choosing);
    let found = menu.iter().find(|(known, _)| *known == mark);
    found.filter(|_| is_set_off || is_named).map(|(_, winner)| *winner)
}
