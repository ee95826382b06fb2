//! Reads lists and tables of choices, one a line: `1. 2`, `Plausibility: 2`,
//! `| Plausibility | left |`, or a bare `2`.

use super::super::reply::announcements;
use super::announcement::{announces, has};
use super::line::words;
use crate::rubric::Winner;

/// One line of a list: its criterion, and the number of its choice.
pub(crate) struct Item {
    label: Label,
    mark: String,
}

#[derive(PartialEq)]
enum Label {
    None,
    /// Counts from 1, and the text after the number, which may name the criterion.
    Number(usize, String),
    Name(String),
}

impl Item {
    /// Whether it is a number alone.
    pub(crate) fn is_bare(&self) -> bool {
        self.label == Label::None
    }

    /// Whether its label announces a choice and names no criterion: `Decision: 2`.
    pub(crate) fn is_announced(&self) -> bool {
        let last = |name: &str| name.rsplit(['.', '!', ';']).next().is_some_and(announces);
        matches!(&self.label, Label::Name(name) if last(name))
    }

    pub(crate) fn into_mark(self) -> String {
        self.mark
    }
}

/// The numbers of a list that is an answer: as many items as there are names, all labelled in one
/// way and in the order of the names. A list without labels is one only where it is announced or
/// ends the reply; so is one with labels in another language.
pub(crate) fn answer_of(
    items: &[Item],
    names: &[String],
    is_announced: bool,
    is_headed: bool,
) -> Option<Vec<String>> {
    if items.len() != names.len() || items.is_empty() {
        return None;
    }
    let is_foreign = |item: &Item| matches!(&item.label, Label::Name(name) if !name.is_ascii());
    let is_known = |(i, item): (usize, &Item)| matches!(&item.label, Label::Name(name) if is_name_of(name, i, names));
    // Foreign labels, or a third known and in place: the rest are the other criteria.
    let num_known = items.iter().enumerate().filter(|it| is_known(*it)).count();
    let is_overall = |item: &Item| matches!(&item.label, Label::Name(name) if names_overall(name));
    let is_free = if items.last().is_some_and(is_overall) {
        true
    } else if items.iter().any(is_foreign) {
        is_headed || (is_announced && num_known > 0)
    } else {
        3 * num_known >= items.len()
    };
    let is_unknown = |name: &str| names.iter().all(|known| in_common(name, known) == 0);
    let is_listed = |(i, item): (usize, &Item)| match &item.label {
        Label::None => is_announced && items[0].label == Label::None,
        Label::Number(number, name) => *number == i + 1 && !names_another(name, i, names),
        Label::Name(name) => is_name_of(name, i, names) || (is_free && is_unknown(name)),
    };
    let is_answer = items.iter().enumerate().all(is_listed);
    is_answer.then(|| items.iter().map(|item| item.mark.clone()).collect())
}

/// Whether a label is what the overall criterion is called in some language: `Gesamt`, `总体`.
pub(crate) fn names_overall(label: &str) -> bool {
    has(&label.to_lowercase(), &announcements().overall_names)
}

/// Whether no other name has more words in common with the text, and this one has some.
fn is_name_of(said: &str, place: usize, names: &[String]) -> bool {
    let here = in_common(said, &names[place]);
    here > 0 && names.iter().all(|name| in_common(said, name) <= here)
}

/// Whether a short text is the name of another criterion than the one at `place`.
pub(crate) fn names_another(said: &str, place: usize, names: &[String]) -> bool {
    const WORDS_MAX: usize = 8;
    let here = in_common(said, &names[place]);
    words(said).len() <= WORDS_MAX && names.iter().any(|name| in_common(said, name) > here)
}

/// Whether a line is the heading of the criterion at `place`, by its number or its name.
pub(crate) fn heads(line: &str, place: usize, names: &[String]) -> bool {
    const WORDS_MAX: usize = 8;
    let (number, rest) = numbered(line);
    let is_short = words(rest).len() <= WORDS_MAX;
    is_short && number.map_or_else(|| is_name_of(rest, place, names), |number| number == place + 1)
}

/// How many words of `said` are in the name.
fn in_common(said: &str, name: &str) -> usize {
    let name = words(name);
    let is_named = |word: &&String| name.iter().any(|other| is_alike(word, other));
    words(said).iter().filter(is_named).count()
}

/// The side that a text names: `left`, `Object 1`, `cannot decide`; `Object 1 (left) is better`, if
/// both names are those of one side.
pub(crate) fn side(text: &str) -> Option<Winner> {
    if let Some((before, rest)) = text.split_once('(')
        && let Some((inner, after)) = rest.split_once(')')
        && !words(after).is_empty()
    {
        return side(inner).filter(|it| side(&format!("{before} {after}")) == Some(*it));
    }
    let said = words(text).join(" ");
    let whole = said.strip_prefix("the ").unwrap_or(&said);
    let mut wins = announcements().better.iter();
    let bare = wins.find_map(|it| whole.strip_suffix(it.as_str())).unwrap_or(whole);
    let is_side = |names: &Vec<String>| {
        [said.as_str(), bare.trim_end()].iter().any(|said| names.iter().any(|it| it == said))
    };
    let place = announcements().sides.iter().position(is_side)?;
    [Winner::A, Winner::B, Winner::Tie].get(place).copied()
}

/// The same word, up to an ending.
pub(crate) fn is_alike(a: &str, b: &str) -> bool {
    let (stem, ending) = (a.len().min(b.len()), a.len().abs_diff(b.len()));
    // `positional`, `views`; not `textura` for `text`.
    let is_ending = (stem >= 5 && ending <= 5) || (stem >= 4 && ending <= 2);
    a == b || (is_ending && (a.starts_with(b) || b.starts_with(a)))
}

/// A blank line, or one that rules a table or a list off.
pub(crate) fn is_rule(line: &str) -> bool {
    line.chars().all(|c| " -–—=_|:+".contains(c))
}

/// The item that an undecorated line is.
pub(crate) fn item(line: &str) -> Option<Item> {
    if line.starts_with('|') {
        return row(line);
    }
    if let Some((name, mark)) = tagged(line) {
        let label = Label::Name(name.replace('_', " "));
        return Some(Item { label, mark });
    }
    let line = line.trim_start_matches('(');
    let (number, rest) = numbered(line);
    if let Some(number) = number
        && let Some(mark) = mark(rest)
    {
        return Some(Item { label: Label::Number(number, String::new()), mark });
    }
    if let Some(mark) = mark(line) {
        let label = Label::None;
        return Some(Item { label, mark });
    }
    // A column of numbers is set off by blanks.
    let marks = ["->", " - ", " – ", "   "];
    let at = rest.rfind([':', '=', '→']).or_else(|| marks.iter().find_map(|it| rest.rfind(it)))?;
    let (name, after) = rest.split_at(at);
    let after = after.trim_start_matches([':', '=', '→', ' ', '-', '–', '>']);
    let has_words = name.contains(char::is_alphabetic);
    let mark = mark(after).filter(|_| has_words)?;
    let name = name.to_owned();
    let label = match number {
        Some(number) => Label::Number(number, name),
        None => Label::Name(name),
    };
    Some(Item { label, mark })
}

/// `<plausibility>2</plausibility>`.
fn tagged(line: &str) -> Option<(String, String)> {
    let (name, rest) = line.strip_prefix('<')?.split_once('>')?;
    let value = rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
    Some((name.to_owned(), mark(value)?))
}

/// A row of a table in which one cell after the first is a number.
fn row(line: &str) -> Option<Item> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let (first, rest) = cells.split_first()?;
    let marks = rest.iter().filter_map(|cell| {
        mark(cell).filter(|mark| mark.len() == cell.len() || cell.contains('('))
    });
    let (numbers, sides): (Vec<String>, Vec<String>) =
        marks.partition(|mark| mark.starts_with(|c: char| c.is_ascii_digit()));
    let [mark] = if numbers.is_empty() { sides } else { numbers }.try_into().ok()?;
    let label = match numbered(first) {
        (Some(number), name) => Label::Number(number, name.to_owned()),
        (None, _) => match first.parse() {
            Ok(number) => Label::Number(number, rest.first().copied().unwrap_or("").to_owned()),
            Err(_) if first.contains(char::is_alphabetic) => Label::Name((*first).to_owned()),
            Err(_) => return None,
        },
    };
    Some(Item { label, mark })
}

/// A line's list number (`1. …`, `(2) …`, `Criterion 3: …`, `C4=…`, `#5: …`), and what follows it.
fn numbered(line: &str) -> (Option<usize>, &str) {
    let named =
        ["criterion ", "Criterion ", "CRITERION "].iter().find_map(|word| line.strip_prefix(word));
    let coded = || {
        let rest = line.strip_prefix(['C', 'c', 'Q', 'q', '#'])?;
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        (after.len() < rest.len() && after.trim_start().starts_with([':', '='])).then_some(rest)
    };
    let named = named.or_else(coded);
    let start = named.unwrap_or(line);
    let end = start.find(|c: char| !c.is_ascii_digit()).unwrap_or(start.len());
    let (digits, rest) = start.split_at(end);
    let after = rest.trim_start_matches(['.', ')', ':', '=', '-', ',']);
    let is_divided = after.len() < rest.len() || named.is_some();
    // `2.5` is no number of a list.
    let is_fraction = rest.starts_with('.') && after.starts_with(|c: char| c.is_ascii_digit());
    match digits.parse() {
        Ok(number) if is_divided && !is_fraction => (Some(number), after.trim_start()),
        _ => (None, line),
    }
}

/// The number that a text is, a remark in brackets or after a dash aside.
fn mark(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches(['[', '(', '<']);
    // `option 2 (right is better)`.
    let lower = text.get(..7).map(str::to_lowercase);
    let is_word = lower.is_some_and(|lower| lower == "option " || lower == "choice ");
    let text = if is_word { &text[7..] } else { text };
    // `Right (2)`.
    let turned = text.strip_suffix(')').and_then(|text| text.split_once('('));
    let text = match turned {
        Some((word, number)) if word.trim().chars().all(char::is_alphabetic) => number,
        _ => text,
    };
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let rest = rest.trim_start_matches([']', ')', '>', '.', ';', ',', '|']).trim_start();
    let remark = rest.trim_start_matches(['(', '–', '—', '-', ' ']);
    // `1 (3D plausibility)` begins with a digit.
    let in_brackets = rest.starts_with('(') && rest.contains(char::is_alphabetic);
    let is_remark =
        in_brackets || (remark.len() < rest.len() && remark.starts_with(char::is_alphabetic));
    if digits.is_empty() {
        let (name, remark) = rest.split_at(rest.find(['(', '–', '—']).unwrap_or(rest.len()));
        // `Object 1 (left) suffers from …` is about that side and chooses none.
        let after = remark.strip_prefix('(').and_then(|it| it.split_once(')'));
        let goes_on =
            after.is_some_and(|(_, it)| it.trim_start().starts_with(char::is_alphanumeric));
        // `Object 1 (left) is better`.
        let name = if side(rest).is_some() { rest.trim() } else { name.trim() };
        return side(name).filter(|_| !goes_on || name == rest.trim()).map(|_| name.to_owned());
    }
    let is_number = digits.len() <= 3;
    (is_number && (rest.is_empty() || is_remark)).then(|| digits.to_owned())
}
