//! Words that announce an answer, in several languages: `Final answer:`, `My scores (in order):`,
//! `最终答案：`; and those that take one back.
//!
//! The words are data, in `assets/replies.toml`.

use super::super::reply::announcements;
use super::line::{LINE_ENDS, Line, lines, unbracketed, words};
use super::no_answer::NoAnswer;

/// Whether `text` holds words, and they announce an answer.
pub(crate) fn announces(text: &str) -> bool {
    let words = words(text);
    words.iter().all(|word| is_announcing(word)) && words.iter().any(|word| names_answer(word))
}

/// How an announcement ranks its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Plain,
    Final,
    /// Final, and it replaces an earlier one.
    Corrected,
}

/// How the line before an answer ranks it: `Final answer:`, or
/// `Wait, criterion 4 is wrong. Here is my corrected answer:`. The last sentence counts, or its
/// last clause in a line that corrects something.
pub(crate) fn standing(line: &str) -> Standing {
    let (line, said) = (&unbracketed(line), announcements());
    let plain = plain(line);
    let corrects = begins(&plain, &said.doubts) || has(&plain, &said.corrections);
    let is_open =
        [&said.conditions, &said.hedges, &said.contrasts].iter().any(|it| has(&plain, it));
    let parts = if corrects || !is_open { 3 } else { 2 };
    let is_final = names_final(line) && final_parts(line).take(parts).any(|it| it);
    let ends = names_final(line) || line.trim_end().ends_with([':', '：']);
    let starts_over = begins(&plain, &said.doubts) && has(&plain, &said.corrections);
    let is_replacing = ends && (has(&plain, &said.replacements) || (starts_over && !is_open));
    match (is_final || is_replacing) && !has(&plain, &said.conditions) {
        true if is_replacing || corrects => Standing::Corrected,
        true => Standing::Final,
        false => Standing::Plain,
    }
}

/// Whether a line, its last sentence, and its last clause announce a final answer.
fn final_parts(line: &str) -> impl Iterator<Item = bool> {
    let line = line.trim_end_matches([':', '.', ' ']);
    let after = |marks: &[char]| line.rsplit(marks).next().unwrap_or_default();
    let sentence = after(&['.', '!', '?', ';']);
    let clause = after(&['.', ',', ':', '–', '—']);
    [line, sentence, clause].map(|it| announces(it) && names_final(it)).into_iter()
}

/// A line that only announces the final answer.
pub(crate) struct Heading<'t> {
    pub under: &'t str,
    /// Whether nothing above it is called final.
    pub is_first_final: bool,
}

/// The last heading of the final answer.
pub(crate) fn final_heading(text: &str) -> Option<Heading<'_>> {
    let is_heading = |raw: &str, line: &Line| {
        let opens = raw.contains(['"', '\u{201c}', '\u{201e}', '«', '「']);
        let is_other = opens || line.is_quoted || line.text.contains(char::is_numeric);
        !is_other && announces(&line.text) && names_final(&line.text)
    };
    let (mut end, mut is_first_final, mut found) = (0, true, None);
    for (raw, line) in text.split_inclusive(LINE_ENDS).zip(&lines(text)) {
        end += raw.len();
        if is_heading(raw, line) {
            found = Some(Heading { under: &text[end..], is_first_final });
        }
        is_first_final &= standing(&line.text) == Standing::Plain;
    }
    found
}

/// Whether an announcement calls its answer the final one.
pub(crate) fn names_final(text: &str) -> bool {
    let said = announcements();
    let is_listed = |word: &String| said.finals.contains(word);
    words(text).iter().any(is_listed) || said.finals_glued.iter().any(|word| text.contains(word))
}

/// Whether a line calls what follows a draft or an example: with a colon at its end, or in a short
/// last sentence. A long sentence that ends with a full stop is about something else.
pub(crate) fn is_draft(line: &str) -> bool {
    const WORDS_MAX: usize = 8;
    /// In scripts that do not part words.
    const CHARS_MAX: usize = 12;
    let line = line.trim();
    let last = &without_examples(sentences(line).last().unwrap_or(line));
    let num_unparted = last.chars().filter(|c| *c >= EAST_ASIAN).count();
    let is_short = words(last).len() <= WORDS_MAX && num_unparted <= CHARS_MAX;
    let line = match (line.ends_with([':', '：']), is_short) {
        (true, _) => line,
        (false, true) => last.as_str(),
        (false, false) => return false,
    };
    let said = announcements();
    let is_listed = |word: &String| said.drafts.contains(word);
    words(line).iter().any(is_listed) || said.drafts_glued.iter().any(|word| line.contains(word))
}

/// Without the words that give an example of something:
/// `the left one is better, for example its feet are sharp` is no example of an answer.
fn without_examples(sentence: &str) -> String {
    let said = &announcements().examples;
    said.iter().fold(sentence.to_lowercase(), |text, phrase| {
        let gives = |at: usize| text[at + phrase.len()..].starts_with(char::is_alphabetic);
        match text.find(phrase.as_str()) {
            Some(at) if gives(at) => text.replacen(phrase.as_str(), "", 1),
            _ => text,
        }
    })
}

/// Whether the words before an answer leave it open, or speak of something else than an answer.
pub(crate) fn is_open(label: &str) -> bool {
    let (text, said) = (plain(label), announcements());
    let lists = [&said.hedges, &said.conditions, &said.contrasts, &said.retractions];
    is_draft(&format!("{label}:"))
        || label.contains(['?', '？'])
        || begins(&text, &said.doubts)
        || names_others(&text)
        || lists.iter().any(|list| has(&text, list))
}

/// Whether a lower-case label is of something that has numbers as choices have.
pub(crate) fn names_others(label: &str) -> bool {
    let said = announcements();
    [&said.others, &said.foreign, &said.quantities].iter().any(|list| has(label, list))
}

/// Whether the heading above numbers is about something else than choices: `Confidence:`,
/// `| Criterion | Worse object |`.
pub(crate) fn heads_quantities(heading: &str) -> bool {
    let is_table = heading.starts_with('|');
    let Some(line) = heading.trim_end().strip_suffix(':').or(is_table.then_some(heading)) else {
        return false;
    };
    let clause =
        if is_table { line } else { line.rsplit(['.', ',', ';', ':']).next().unwrap_or(line) };
    let names_choices = |text: &str| words(text).iter().any(|word| names_answer(word));
    has(&plain(clause), &announcements().quantities) && !names_choices(clause)
}

/// Whether the line above digits leads into them and announces no answer: `Number of faults:`,
/// `How many legs does it show?`, and without a line between, `The die shows the numbers`.
pub(crate) fn leads_elsewhere(above: &[Line]) -> bool {
    let says = |line: &&Line| words(&line.text).iter().any(|word| word != "json");
    let Some(line) = above.iter().rev().find(says) else {
        return false;
    };
    let said = announcements();
    let text = line.text.trim_end();
    let is_last = above.last().is_some_and(|last| says(&last));
    // `Each digit is my confidence.`
    let subject: Vec<String> = words(text).into_iter().take(2).collect();
    let is_of_digits = has(&subject.join(" "), &said.digit_names);
    if is_of_digits && has(&plain(text), &said.quantities) {
        return true;
    }
    let leads_in = text.ends_with([':', '：', '?', '？']) || (is_last && runs_on(text));
    if !leads_in || has(&plain(text), &said.wins) {
        return false;
    }
    let is_mine = final_parts(text).any(|it| it) || has(&plain(text), &said.replacements);
    !is_mine && !introduces(text)
}

/// Whether a line ends in a word that needs another one after it: `the score is`.
fn runs_on(line: &str) -> bool {
    let is_linking = |word: &String| announcements().linking.contains(word);
    line.trim_end().ends_with(char::is_alphabetic) && words(line).last().is_some_and(is_linking)
}

/// Whether the last clause of a line has words for an answer and none for somebody else's.
fn introduces(text: &str) -> bool {
    let said = announcements();
    let text = unbracketed(text);
    let clause = text.trim_end_matches([':', '：', '?', '？', ' ']);
    let sentence = clause.rsplit(['.', ';', '!', '。']).next().unwrap_or(clause);
    let clause = sentence.rsplit(',').next().unwrap_or(sentence);
    // `The six decisions on one last line, separated by spaces:`
    let from = sentence.rmatch_indices(',').nth(1).map_or(0, |(at, _)| at + 1);
    let (words, clause) = (words(&sentence[from..]), plain(clause));
    let is_answer = words.iter().any(|word| names_answer(word))
        || [&said.choosing, &said.corrections].iter().any(|list| has(&clause, list));
    let is_other = has(&clause, &said.foreign) || has(&format!("{clause} "), &said.contrasts);
    !is_other && (is_answer || words.iter().all(|word| is_announcing(word)))
}

/// What the text after an answer says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Afterwards {
    /// Nothing, or something known: reasons, a polite closing.
    Counts,
    /// It speaks of the answer and is no known closing, so it may take it back.
    Unclear,
    TakenBack,
    /// See [`leads_elsewhere`].
    Elsewhere,
}

impl Afterwards {
    /// Whether the last answer counts.
    pub(crate) fn checked(self) -> Result<(), NoAnswer> {
        match self {
            Self::Counts => Ok(()),
            Self::Unclear => Err(NoAnswer::commented()),
            Self::TakenBack => Err(NoAnswer::taken_back()),
            Self::Elsewhere => Err(NoAnswer::elsewhere()),
        }
    }
}

/// Whether a line that announces an answer puts it under a condition: `If geometry counts most:`.
fn is_conditional(line: &str) -> bool {
    let (line, said) = (&unbracketed(line), announcements());
    let plain = plain(line);
    (line.trim_end().ends_with(':') || runs_on(line))
        && !final_parts(line).any(|it| it)
        && !has(&plain, &said.replacements)
        && (has(&plain, &said.conditions) || has(&plain, &said.hedges))
}

/// Whether a remark right after an answer, on its line, leaves it open: `(tentative)`.
fn is_doubtful(remark: &str) -> bool {
    let (text, said) = (plain(remark), announcements());
    let bracketed = remark.split_once('(').is_some_and(|(_, it)| begins(&plain(it), &said.doubts));
    let is_open = has(&text, &said.hedges) || has(&text, &said.conditions);
    bracketed || is_open || remark.contains(['?', '？'])
}

/// Whether the judge says near the start of its reply that it has no pictures, or that it guesses.
pub(crate) fn is_blind(text: &str) -> bool {
    const HEAD_CHARS: usize = 400;
    let said = announcements();
    // The texts of a JSON object are sentences of their own.
    let head: String = text.replace('"', "\n").chars().take(HEAD_CHARS).collect();
    let bare = |text: String, adverb: &String| text.replace(&format!(" {adverb} "), " ");
    let head = said.adverbs.iter().fold(plain(&head), bare);
    has(&head, &said.blind) || sentences(&head).any(sees_no_picture)
}

/// `I can't view or analyze the image you've shared`: the picture itself is not seen, and not
/// merely something in it.
fn sees_no_picture(sentence: &str) -> bool {
    /// Words from the negation to the verb.
    const APART_MAX: usize = 7;
    let said = announcements();
    let words = words(sentence);
    let is_unseen = |at: usize| {
        let ends = words.get(at + 1).is_none_or(|next| said.after_pictures.contains(next));
        let verb = (0..at).rev().find(|&k| !said.articles.contains(&words[k]));
        let verb = verb.filter(|&k| ends && said.seeing.contains(&words[k]));
        let before = |k: usize| &words[k.saturating_sub(APART_MAX)..k];
        verb.is_some_and(|k| before(k).iter().any(|word| said.without.contains(word)))
    };
    (0..words.len()).any(|at| said.pictures.contains(&words[at]) && is_unseen(at))
}

/// Whether a reason is none: `N/A`, `Placeholder.`
pub(crate) fn is_unjudged(reason: &str) -> bool {
    const WORDS_MAX: usize = 4;
    words(reason).len() <= WORDS_MAX && has(&plain(reason), &announcements().unjudged)
}

/// Whether a reply begins by declining; an answer after that is none.
pub(crate) fn begins_with_refusal(text: &str) -> bool {
    let first = text.lines().find(|line| line.contains(char::is_alphanumeric));
    let first = plain(first.unwrap_or_default());
    sentences(&first).next().is_some_and(|first| has(first, &announcements().refusals))
}

/// Whether an answer counts by the line before it, the remark on its line and the lines after it.
///
/// `agrees` says of a sentence that repeats the answer whether it does so rightly. A short remark
/// must be known: a polite closing, reasons, or words on the objects without a doubt. Longer texts
/// give reasons, which speak of mistakes in the objects, so that only doubts about the answer
/// count, and only in the last lines.
pub(crate) fn afterwards(
    before: &str,
    remark: &str,
    after: &[Line],
    agrees: &dyn Fn(&str) -> Option<bool>,
) -> Afterwards {
    const LINES_SEEN_MAX: usize = 200;
    /// Only a longer line's start or end is read: it may follow tens of thousands of answers.
    const LINE_BYTES_MAX: usize = 2000;
    const REMARK_LINES_MAX: usize = 4;
    const REMARK_CHARS_MAX: usize = 200;
    /// Words of retraction further down belong to something else.
    const HEAD_CHARS: usize = 120;
    // A quotation and an object speak of nothing.
    let speaks = |line: &&Line| {
        !line.is_quoted
            && !line.text.starts_with(['{', '<'])
            && line.text.contains(char::is_alphabetic)
    };
    let seen = || after.iter().take(LINES_SEEN_MAX).filter(speaks);
    let text = |line: &Line| plain(&line.text[..boundary(&line.text, LINE_BYTES_MAX)]);
    let end = |line: &Line| {
        let from = line.text.len().saturating_sub(LINE_BYTES_MAX);
        plain(&line.text[boundary(&line.text, from)..])
    };
    let first: Vec<String> = seen().take(REMARK_LINES_MAX).map(text).collect();
    let text = first.join("\n");
    let said = announcements();
    let head: String = text.chars().take(HEAD_CHARS).collect();
    if begins(&text, &said.doubts) || said.retractions.iter().any(|it| head.contains(it)) {
        return Afterwards::TakenBack;
    }
    if is_conditional(before) || is_doubtful(remark) {
        return Afterwards::Unclear;
    }
    let is_remark = seen().count() <= REMARK_LINES_MAX
        && text.chars().count() <= REMARK_CHARS_MAX
        && !announces_more(&text);
    let is_unclear = |sentence: &str| {
        let has = |list| has(sentence, list);
        let offers = has(&said.offers) && !has(&said.contrasts);
        if let Some(agrees) = agrees(sentence).or(offers.then_some(true)) {
            return !agrees;
        }
        let closes = has(&said.closings) && !has(&said.contrasts);
        let is_hedged = has(&said.hedges);
        if is_hedged || (has(&said.conditions) && !closes) {
            return is_remark || has(&said.mentions);
        }
        let is_known = closes || (has(&said.reasons) && !has(&said.contrasts)) || labels(sentence);
        let speaks_of_it = has(&said.mentions) || has(&said.corrections);
        is_remark && !is_known && (speaks_of_it || !has(&said.subjects))
    };
    let last = after.iter().rev().take(LINES_SEEN_MAX).filter(speaks);
    let last: Vec<String> = last.take(2).map(end).collect();
    let text = if is_remark { text } else { last.join("\n") };
    if sentences(&text).any(is_unclear) { Afterwards::Unclear } else { Afterwards::Counts }
}

/// `completeness: nothing is missing`: a finding under a label of its own.
fn labels(sentence: &str) -> bool {
    const WORDS_MAX: usize = 3;
    /// `3 of 10` is a number, and `one of 4 legs is missing` a finding.
    const FINDING_WORDS_MIN: usize = 4;
    let said = announcements();
    sentence.split_once(':').is_some_and(|(label, finding)| {
        (1..=WORDS_MAX).contains(&words(label).len())
            && !announces(label)
            && ![&said.mentions, &said.corrections].iter().any(|list| has(sentence, list))
            && finding.contains(char::is_alphabetic)
            && (!finding.contains(char::is_numeric) || words(finding).len() >= FINDING_WORDS_MIN)
    })
}

/// The last boundary of characters up to this byte.
fn boundary(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// In lower case, from the first word on, without apostrophes.
fn plain(text: &str) -> String {
    text.to_lowercase()
        .replace(['\'', '\u{2019}'], "")
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .to_owned()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let marks = ['!', '?', '。', '！', '？', '；', ';', '\n'];
    // A full stop has a space after it, except in scripts that do not part words.
    let is_stop = |part: &str, at: usize| {
        part[at + 1..].chars().next().is_none_or(|next| next == ' ' || next >= EAST_ASIAN)
    };
    let parts = text.split(marks).flat_map(move |part| {
        let mut from = 0;
        let stops = part.match_indices('.').filter(move |(at, _)| is_stop(part, *at));
        let mut ends: Vec<usize> = stops.map(|(at, _)| at + 1).collect();
        ends.push(part.len());
        ends.into_iter().map(move |end| {
            let sentence = &part[from..end];
            from = end;
            sentence
        })
    });
    parts.filter(|part| part.contains(char::is_alphabetic))
}

pub(crate) fn begins(text: &str, list: &[String]) -> bool {
    let ends_word = |start: &String, rest: &str| {
        !start.is_ascii() || start.contains(' ') || !rest.starts_with(char::is_alphanumeric)
    };
    let mut rests =
        list.iter().filter_map(|start| Some((start, text.strip_prefix(start.as_str())?)));
    rests.any(|(start, rest)| ends_word(start, rest))
}

/// The first character of the scripts that do not part words.
const EAST_ASIAN: char = '\u{2e80}';

/// Whether a word of `text` begins with one of the list; East Asian ones count anywhere.
pub(crate) fn has(text: &str, list: &[String]) -> bool {
    let is_start = |start: &String, at: usize| {
        start.starts_with(|c| c >= EAST_ASIAN) || !text[..at].ends_with(char::is_alphabetic)
    };
    list.iter().any(|start| text.match_indices(start.as_str()).any(|(at, _)| is_start(start, at)))
}

/// Whether a line ends its announcement of an answer, or of reasons, with a colon.
fn announces_more(text: &str) -> bool {
    let is_note = |before: &str| announcements().note_keys.iter().any(|key| key == before.trim());
    let mut before = text.lines().filter_map(|line| line.split_once([':', '：']));
    before.any(|(before, after)| {
        !after.contains(char::is_alphabetic) && announces(before) && !is_note(before)
    })
}

/// The place of the value a remark names on a scale of three, from 0; `None` if it names none.
pub(crate) fn grade(remark: &str) -> Option<usize> {
    let words = words(remark);
    // `2 - not perfect` names none.
    let is_denied = words.iter().any(|word| word == "not" || word == "nicht");
    let is_named = |names: &Vec<String>| words.iter().any(|word| names.contains(word));
    announcements().grades.iter().position(is_named).filter(|_| !is_denied)
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
    said.answers.iter().chain(&said.finals).any(|it| it == word)
        || glued_parts(word).is_some_and(|parts| parts.iter().any(is_answer))
}

/// The known words that form `word`, in a language that joins words; `None` if one is unknown.
fn glued_parts(word: &str) -> Option<Vec<&'static str>> {
    let said = announcements();
    let mut parts = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        let known = said.answers_glued.iter().chain(&said.around_glued).chain(&said.finals_glued);
        let fits = known.filter(|part| rest.starts_with(part.as_str()));
        let part = fits.max_by_key(|part| part.len())?;
        rest = &rest[part.len()..];
        parts.push(part.as_str());
    }
    (!parts.is_empty()).then_some(parts)
}
