//! A line of a reply without its harmless markup, and the answer that it states in the form that a
//! rubric's text asks for: the marks alone, or after one label and a colon.

use super::slots::{Allowed, Answer, Slots};
use crate::rubric::reply::labels;

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
    let is_markup = |c: char| "*_`~#$(){}[]\"'“”„‘’‚«»‹›「」『』│".contains(c);
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
    if matches!(slots.allowed, Allowed::Numbers(..)) {
        return None;
    }
    let marks = match plain.rsplit_once([':', '：']) {
        Some((label, marks)) if is_label(label) => marks,
        Some(_) => return None,
        None => plain,
    };
    marks_of(marks, slots)
}

/// Marks between blanks, commas or semicolons, or digits without anything between them.
fn marks_of(text: &str, slots: &Slots) -> Option<Answer> {
    let text = text.trim().trim_end_matches('.');
    let is_between = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '，' | '、');
    let mut words: Vec<&str> = text.split(is_between).filter(|word| !word.is_empty()).collect();
    let count = slots.keys.len();
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
    words.peek().is_some() && words.all(|word| labels().iter().any(|known| known == word))
}

/// The answers that a reply may state in other forms, where it has none in the form asked for: as
/// many marks as decisions next to each other, else as many lines as decisions that end in one.
/// They are never read as a verdict; a restatement that is none of them is not taken.
pub(crate) fn elsewhere(text: &str, slots: &Slots) -> Vec<Answer> {
    let count = slots.keys.len();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '|');
    let (mut runs, mut line_ends) = (Vec::new(), Vec::new());
    for line in text.lines().map(plain) {
        let mut run: Answer = Vec::new();
        for word in line.split(|c| !is_word(c)).filter(|word| !word.is_empty()) {
            match slots.value(word.trim_end_matches('.')) {
                Some(value) => run.push(value),
                None if count > 1 && run.len() == count => runs.push(std::mem::take(&mut run)),
                None => run.clear(),
            }
        }
        match run.len() {
            1 => line_ends.extend(run),
            len if len == count => runs.push(run),
            _ => {}
        }
    }
    match (runs.is_empty(), count) {
        (false, _) => runs,
        (true, 1) => line_ends.into_iter().map(|mark| vec![mark]).collect(),
        (true, _) if line_ends.len() == count => vec![line_ends],
        (true, _) => Vec::new(),
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
