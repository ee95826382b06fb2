//! Words that announce an answer, in several languages: `Final answer:`, `My scores (in order):`, `最终答案：`; and those that take one back.
//!
//! The words are data, in `assets/replies.toml`.

use super::super::reply::announcements;
use super::line::words;
use super::no_answer::NoAnswer;

/// Whether `text` holds words, and they announce an answer.
pub(super) fn announces(text: &str) -> bool {
    let words = words(text);
    words.iter().all(|word| is_announcing(word)) && words.iter().any(|word| names_answer(word))
}

/// Whether an announcement calls its answer the final one.
pub(super) fn names_final(text: &str) -> bool {
    let said = announcements();
    let is_listed = |word: &String| said.finals.contains(word);
    words(text).iter().any(is_listed) || said.finals_glued.iter().any(|word| text.contains(word))
}

/// Whether a line calls what follows a draft or an example.
pub(super) fn is_draft(line: &str) -> bool {
    let said = announcements();
    let is_listed = |word: &String| said.drafts.contains(word);
    words(line).iter().any(is_listed) || said.drafts_glued.iter().any(|word| line.contains(word))
}

/// What the text after an answer says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// Nothing, or something known: reasons, a polite closing.
    Counts,
    /// It speaks of the answer and is no known closing, so it may take it back.
    Unclear,
    TakenBack,
}

impl Afterwards {
    /// Whether the last answer counts.
    pub(super) fn checked(self) -> Result<(), NoAnswer> {
        match self {
            Self::Counts => Ok(()),
            Self::Unclear => Err(NoAnswer::commented()),
            Self::TakenBack => Err(NoAnswer::taken_back()),
        }
    }
}

/// What the text after an answer says of it.
pub(super) fn afterwards(after: &str) -> Afterwards {
    /// Words of doubt further down belong to something else.
    const HEAD_CHARS: usize = 120;
    const REMARK_CHARS_MAX: usize = 200;
    let plain: String = (after.chars().flat_map(char::to_lowercase))
        .map(|c| if c == '\u{2019}' { '\'' } else { c })
        .collect();
    let head: String = (plain
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .chars())
    .take(HEAD_CHARS)
    .collect();
    let said = announcements();
    let begins = |doubt: &String| {
        head.strip_prefix(doubt.as_str()).is_some_and(|rest| {
            !doubt.is_ascii() || doubt.contains(' ') || !rest.starts_with(char::is_alphanumeric)
        })
    };
    if said.doubts.iter().any(begins) || said.retractions.iter().any(|it| head.contains(it)) {
        return Afterwards::TakenBack;
    }
    // A quotation speaks of nothing.
    let own: Vec<&str> = plain
        .split(['"', '“', '”', '„', '«', '»', '「', '」'])
        .step_by(2)
        .collect();
    let own = own.join(" ");
    let has = |list: &[String]| list.iter().any(|it| holds(&own, it));
    // Longer texts give reasons, which speak of mistakes in the objects.
    let is_remark = after.trim().chars().count() <= REMARK_CHARS_MAX;
    match is_remark && has(&said.mentions) && !has(&said.closings) && !announces_more(&own) {
        true => Afterwards::Unclear,
        false => Afterwards::Counts,
    }
}

/// Whether a word of `text` begins with `start`; scripts that do not part words have it anywhere.
fn holds(text: &str, start: &str) -> bool {
    const EAST_ASIAN: char = '\u{2e80}';
    text.match_indices(start).any(|(at, _)| {
        start.starts_with(|c| c >= EAST_ASIAN) || !text[..at].ends_with(char::is_alphabetic)
    })
}

/// Whether a line ends its announcement of an answer, or of reasons, with a colon.
fn announces_more(text: &str) -> bool {
    let mut before = text.lines().filter_map(|line| line.split_once([':', '：']));
    before.any(|(before, _)| announces(before))
}

/// The place of the value that a remark names on a scale of three, from 0; `None` where it names none.
pub(super) fn grade(remark: &str) -> Option<usize> {
    let words = words(remark);
    (announcements().grades.iter()).position(|names| words.iter().any(|word| names.contains(word)))
}

/// Whether a word can be part of an announcement.
fn is_announcing(word: &str) -> bool {
    let said = announcements();
    let is_listed = |list: &[String]| list.iter().any(|it| it == word);
    is_listed(&said.answers)
        || is_listed(&said.around)
        || is_listed(&said.finals)
        || glued_parts(word).is_some()
}

fn names_answer(word: &str) -> bool {
    let said = announcements();
    let is_answer = |part: &&str| said.answers_glued.iter().any(|it| it == part);
    (said.answers.iter().chain(&said.finals)).any(|it| it == word)
        || glued_parts(word).is_some_and(|parts| parts.iter().any(is_answer))
}

/// The known words that `word` is made of, in a language that writes words together; `None` where one is not known.
fn glued_parts(word: &str) -> Option<Vec<&'static str>> {
    let said = announcements();
    let mut parts = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        let known = said
            .answers_glued
            .iter()
            .chain(&said.around_glued)
            .chain(&said.finals_glued);
        let fits = known.filter(|part| rest.starts_with(part.as_str()));
        let part = fits.max_by_key(|part| part.len())?;
        rest = &rest[part.len()..];
        parts.push(part.as_str());
    }
    (!parts.is_empty()).then_some(parts)
}
