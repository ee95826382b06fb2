//! A line of a reply without its harmless markup, and the answer that it states in the form that a
//! rubric's text asks for: the marks alone, or after one label and a colon.

use super::slots::{Allowed, Answer, Slots};
use crate::rubric::reply::{Labels, labels};

/// The line without fences, emphasis, headings, quotation marks, LaTeX boxes and HTML tags. Empty
/// where it holds nothing else.
pub(crate) fn plain(line: &str) -> String {
    let line = line.trim();
    if let Some(fence) = line.strip_prefix("```").or_else(|| line.strip_prefix("~~~"))
        && fence.chars().all(|c| c.is_alphabetic() || c == '`' || c == '~')
    {
        return String::new();
    }
    let line = without_commands(&without_tags(line));
    let is_markup = |c: char| "*_`#${}[]\"'“”„‘’‚«»‹›「」『』│".contains(c);
    let line: String = line.chars().filter(|c| !is_markup(*c)).collect();
    let line = line.trim_start_matches(['>', ' ', '\t', '•', '→', '➜']);
    let line = line.strip_prefix("- ").unwrap_or(line);
    let is_rule = |c: char| c.is_whitespace() || "-–—=.".contains(c);
    if line.chars().all(is_rule) { String::new() } else { line.trim().to_owned() }
}

/// Without `<b>`, `</answer>` and other names between angle brackets.
fn without_tags(line: &str) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let name = |c: char| c.is_ascii_alphabetic() || c == '/' || c == '_';
        rest = match after.split_once('>') {
            Some((tag, after)) if !tag.is_empty() && tag.chars().all(name) => after,
            _ => {
                out.push('<');
                after
            }
        };
    }
    out + rest
}

/// Without LaTeX commands: `\boxed`, `\text`, `\quad`, `\,`.
fn without_commands(line: &str) -> String {
    let mut parts = line.split('\\');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = part.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(part.len());
        let command = part.chars().next().map_or(0, |c| name.max(c.len_utf8()));
        out.push(' ');
        out.push_str(&part[command..]);
    }
    out
}

/// The answer that a plain line is.
pub(crate) fn answer(plain: &str, slots: &Slots) -> Option<Answer> {
    if !matches!(slots.allowed, Allowed::Marks(_)) {
        return None;
    }
    let marks = match plain.rsplit_once([':', '：']) {
        Some((label, marks)) if is_label(label) => marks,
        Some(_) => return None,
        None => plain,
    };
    marks_of(marks, slots)
}

/// Whether a plain line announces what follows, and does not announce an answer.
pub(crate) fn is_other_label(plain: &str) -> bool {
    let Some(label) = plain.strip_suffix([':', '：']) else { return false };
    let lower = label.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    !is_label(label) && !words.any(|word| labels().answers.iter().any(|known| known == word))
}

/// Marks between blanks, commas or semicolons, or digits without anything between them.
fn marks_of(text: &str, slots: &Slots) -> Option<Answer> {
    let text = text.trim();
    let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '，' | '、');
    let mut words: Vec<&str> = text.split(is_between).filter(|word| !word.is_empty()).collect();
    let count = slots.keys.len();
    // `2.` and `(2)` are the number of an item or a page.
    if count > 1
        && let Some(last) = words.last_mut()
    {
        *last = last.trim_end_matches('.');
    }
    if words == [slots.open_word()] && slots.may_be_open {
        return Some(vec![None; count]);
    }
    if let [digits] = words[..]
        && count > 1
        && digits.len() == count
        && digits.is_ascii()
    {
        words = digits.split("").filter(|digit| !digit.is_empty()).collect();
    }
    (words.len() == count).then(|| words.iter().map(|word| slots.value(word)).collect()).flatten()
}

/// Whether words announce an answer and say nothing else.
fn is_label(words: &str) -> bool {
    let lower = words.to_lowercase();
    let mut words = lower.split_whitespace().peekable();
    let Labels { answers, others } = labels();
    words.peek().is_some() && words.all(|word| answers.iter().chain(others).any(|it| it == word))
}

/// The answers that a reply may state in other forms, where it has none in the form asked for: of
/// several decisions as many marks in a line, else as many lines that end in one; of one decision
/// the marks of the last line that has any. They are never read as a verdict; a restatement that is
/// none of them is not taken.
pub(crate) fn elsewhere(text: &str, slots: &Slots) -> Vec<Answer> {
    let count = slots.keys.len();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '|');
    let (mut rows, mut line_ends) = (Vec::new(), Vec::new());
    for line in text.lines().map(plain) {
        // Each word's mark, so that marks next to each other are known from others.
        let words = line.split(|c| !is_word(c)).filter(|word| !word.is_empty());
        let words: Vec<_> = words.map(|word| slots.value(word.trim_end_matches('.'))).collect();
        let marks: Answer = words.iter().flatten().copied().collect();
        if count == 1 && !marks.is_empty() {
            rows = marks.into_iter().map(|mark| vec![mark]).collect();
            continue;
        }
        let runs = words.split(Option::is_none).map(|run| run.iter().flatten().copied().collect());
        rows.extend(runs.chain([marks]).filter(|row: &Answer| row.len() == count && count > 1));
        if let [.., None, Some(last)] | [Some(last)] = words[..] {
            line_ends.push(last);
        }
    }
    match rows.is_empty() && line_ends.len() == count {
        true => vec![line_ends],
        false => rows,
    }
}

/// The numbers of a text, those of its lists left out.
pub(crate) fn numbers(text: &str) -> Vec<f64> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || "#*-".contains(c));
        let listed = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = listed.strip_prefix(['.', ')']).filter(|rest| rest.starts_with(' '));
        let line = after.unwrap_or(line);
        let words = line.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        found.extend(words.filter_map(|word| word.trim_matches('.').parse::<f64>().ok()));
    }
    found
}
