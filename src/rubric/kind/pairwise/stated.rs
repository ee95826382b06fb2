//! What a pairwise reply states apart from its answer, and must agree with: the meaning of its
//! digits, and the choices that its remarks, its reasons and its last sentence end with.

use super::summary::{whole, winner};
use crate::rubric::Winner;
use crate::rubric::read::announcement::{begins, has};
use crate::rubric::read::line::{Line, words};
use crate::rubric::read::list::{Item, item, side};
use crate::rubric::read::object::Node;
use crate::rubric::reply::announcements;

/// Whether a line gives a digit another meaning than the menu does: `1 = right, 2 = left`,
/// `1 means that object 2 is better`, `(left = 2, right = 1)`.
pub(super) fn contradicts(line: &str, menu: &[(u8, Winner)]) -> bool {
    let is_end = |c: char| ",;().{}\"".contains(c);
    let parts = || line.split(is_end).flat_map(|part| part.split(" and "));
    let turned = |before: &str, after: &str| {
        let mark: Option<u8> = before.parse().ok();
        let name = after.trim();
        let named = side(name.strip_prefix("that ").unwrap_or(name));
        let meant = menu.iter().find(|(known, _)| Some(*known) == mark);
        meant.zip(named).is_some_and(|((_, winner), named)| *winner != named)
    };
    let last_word = |text: &str| text.rsplit(' ').find(|it| !it.is_empty()).map(str::to_owned);
    // `Criterion 2 = left` says nothing of the digit 2.
    let is_equal =
        |part: &str| part.split_once('=').is_some_and(|(mark, name)| turned(mark.trim(), name));
    let says = |part: &str, verb: &str| {
        let pair = part.split_once(verb);
        pair.is_some_and(|(mark, name)| last_word(mark).is_some_and(|it| turned(&it, name)))
    };
    // Of both sides, or it can be a score of one.
    let is_turned = |part: &&str| {
        let pair = part.split_once('=').or_else(|| part.split_once(" as "));
        pair.is_some_and(|(name, mark)| {
            last_word(name).is_some_and(|name| turned(mark.trim(), &name))
        })
    };
    let verbs = [" means ", " stands for ", " denotes "];
    parts().any(|part| is_equal(part) || verbs.iter().any(|verb| says(part, verb)))
        || parts().filter(is_turned).count() >= 2
}

/// The choices that remarks end with, if there is one for each criterion:
/// `3. The left one is sharper. Option 1.`, `Decision: 1 (left)`.
pub(super) fn in_remarks(
    lines: &[Line],
    count: usize,
    menu: &[(u8, Winner)],
) -> Option<Vec<Winner>> {
    let labelled = |text: &str| {
        let mark = item(text).filter(Item::is_announced)?.into_mark();
        let is_meant = |(known, winner): &&(u8, Winner)| {
            known.to_string() == mark || side(&mark) == Some(*winner)
        };
        menu.iter().find(is_meant).map(|(_, winner)| *winner)
    };
    let said = |line: &Line| labelled(&line.text).or_else(|| closing(&line.text, menu));
    let all: Vec<Winner> = lines.iter().filter_map(said).collect();
    (count > 1 && all.len() == count).then_some(all)
}

/// Whether the last sentence of prose calls another side better as a whole than the answer does.
pub(super) fn ends_otherwise(lines: &[Line], choices: &[Winner]) -> bool {
    const WORDS_MIN: usize = 3;
    let is_prose = |line: &&Line| {
        let words = words(&line.text);
        words.iter().filter(|it| it.contains(char::is_alphabetic)).count() >= WORDS_MIN
    };
    let Some(line) = lines.iter().rev().find(is_prose).filter(|line| !line.is_quoted) else {
        return false;
    };
    let text = line.text.to_lowercase();
    let last = text.trim_end_matches(['.', '!', ' ']).rsplit(['.', '!', '。']).next();
    last.and_then(|last| whole(last, choices)) == Some(false)
}

/// The choices that the texts next to a choice end with.
pub(super) fn reasons(value: &Node, menu: &[(u8, Winner)]) -> impl Iterator<Item = Winner> {
    let is_reason = |key: &str| !announcements().choice_keys.iter().any(|it| it == key);
    let texts = value.texts().filter(move |(key, _)| is_reason(key));
    texts.filter_map(move |(_, text)| closing(text, menu).or_else(|| changed(text)))
}

/// The side that a last sentence of second thoughts calls better: `Wait, the right one wins.`
fn changed(text: &str) -> Option<Winner> {
    let text = text.to_lowercase();
    let last = text.trim_end_matches(['.', '!', ' ']).rsplit(['.', '!', '。']).next()?;
    begins(last.trim(), &announcements().doubts).then(|| winner(last)).flatten()
}

/// The choice whose digit a text ends with: `… so option 2.`, `Right wins. **2**`, `… → 2`,
/// `… (2)`, `… Option 2 (confidence: high).`
fn closing(text: &str, menu: &[(u8, Winner)]) -> Option<Winner> {
    const OTHERS: [&str; 7] = ["not", "over", "than", "nicht", "pas", "statt", "instead"];
    let ends = ['.', '!', '。', '*', '}', ' '];
    let text = text.trim_end_matches(ends);
    let text = text.strip_suffix(" follows").unwrap_or(text);
    let remark = text.strip_suffix(')').and_then(|it| it.rsplit_once('('));
    let text = match remark {
        Some((before, remark)) if remark.contains(char::is_alphabetic) => before,
        _ => text,
    };
    let bare = text.trim_end_matches(ends).trim_end_matches([')', ']']);
    let before = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    let mark: u8 = bare[before.len()..].parse().ok()?;
    let is_bracketed = before.ends_with(['(', '[']);
    let before = before.trim_end_matches(['(', '[', '{', '*', ' ']);
    let mut words_before = words(before);
    let last = words_before.pop().unwrap_or_default();
    // `Option 1, not option 2.`
    let is_other = |word: &String| OTHERS.contains(&word.as_str());
    if words_before.iter().rev().take(3).any(is_other) || is_other(&last) {
        return None;
    }
    let said = announcements();
    let is_named = last == "so" || said.answers.contains(&last) || has(&last, &said.choosing);
    // A mark alone, with the number of its item or without, is no remark.
    let is_set_off =
        is_bracketed || before.ends_with(['.', ':', '→', '>', '–', '—', '!', '。', '，']);
    let is_remark = is_named || (is_set_off && !words_before.is_empty());
    let found = menu.iter().find(|(known, _)| *known == mark);
    found.filter(|_| is_remark).map(|(_, winner)| *winner)
}
