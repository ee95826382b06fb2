//! Reads the choices that end a pairwise reply: a line of digits, a list or table with one choice a
//! line, or a JSON object.
//!
//! An answer line is only digits (`1 2 2`, `1, 2, 2`, `1-2-2`, `122`), or an announcement
//! (`Final answer:`) and digits. An answer announced as final wins over all others; two answers of
//! equal standing that differ are no answer, unless the later one is announced as corrected. A side
//! can be named (`left, right, cannot decide`). A quotation decides only where nothing else is an
//! answer. A line that announces itself as something else (`Confidence: 1 2 3`, `e.g., 1 2 2`) is
//! none, and neither is a list under a heading that names one side. An answer that the rest of the
//! reply contradicts is none either.

use super::digits::{Asked, announced, answer_numbers, is_list_item, joined, run, sides};
use super::stated;
use super::summary::agrees;
use crate::rubric::Criterion;
use crate::rubric::Winner;
use crate::rubric::read::announcement::{
    Afterwards, Standing, afterwards, announces, has, heads_quantities, is_draft, is_open,
    is_unjudged, leads_elsewhere, standing,
};
use crate::rubric::read::candidate::{Candidate, decided};
use crate::rubric::read::line::{Line, line_before, lines, words};
use crate::rubric::read::list::{
    Item, answer_of, heads, is_rule, item, names_another, names_overall, side,
};
use crate::rubric::read::name::matching;
use crate::rubric::read::no_answer::NoAnswer;
use crate::rubric::read::object::{Found, Node, found, marked, marked_object, number_of};
use crate::rubric::reply::announcements;
use std::collections::BTreeSet;
use std::ops::Range;

type Numbers = Candidate<Vec<String>>;

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
        names: criteria
            .iter()
            .map(|criterion| format!("{} {}", criterion.title, criterion.key))
            .collect(),
        menu,
    };
    let text = one_a_line(text, &asked);
    let objects = found(&text);
    // A list of plain numbers is a line like others.
    let counts = |it: &Found| {
        !it.is_in_prose
            && (it.node.is_object() || !matches!(object_answer(&it.node, &asked), Ok(None)))
    };
    let lines = lines(&marked(&text, &objects, &counts));
    if self::lines(&text).iter().any(|line| stated::contradicts(&line.text, menu)) {
        return Err(NoAnswer::Wrong(
            "the reply gives its digits other meanings than the menu".to_owned(),
        ));
    }
    let candidates = candidates(&lines, &objects, &asked)?;
    let last = candidates.is_empty().then(|| closing_line(&lines, &asked)).flatten();
    let candidates: Vec<Numbers> = candidates.into_iter().chain(last).collect();
    let is_corrected = candidates.iter().any(|it| it.standing == Standing::Corrected);
    let found = decided(candidates, |numbers| choices(numbers, &asked))?;
    let count = asked.keys.len();
    let is_overall = asked.names.last().is_some_and(|name| {
        names_overall(name) || has(&name.to_lowercase(), &announcements().wholes)
    });
    let is_contradicted = |found: &Vec<Winner>| {
        stated::in_remarks(&lines, count, menu).is_some_and(|remarks| remarks != *found)
            || (is_overall && stated::ends_otherwise(&lines, found))
    };
    if !is_corrected && found.as_ref().is_some_and(is_contradicted) {
        return Err(NoAnswer::two_answers());
    }
    found.ok_or_else(|| NoAnswer::Absent(format!("no line of {count} digits was found")))
}

fn choices(numbers: &[String], asked: &Asked<'_>) -> Result<Vec<Winner>, NoAnswer> {
    let count = asked.keys.len();
    if numbers.len() != count {
        return Err(NoAnswer::Wrong(format!(
            "the answer holds {} numbers where {count} are asked for",
            numbers.len()
        )));
    }
    numbers.iter().map(|number| choice(number, asked.menu)).collect()
}

fn choice(number: &str, menu: &[(u8, Winner)]) -> Result<Winner, NoAnswer> {
    let is_named = |(mark, winner): &&(u8, Winner)| {
        mark.to_string() == number || side(number) == Some(*winner)
    };
    let found = menu.iter().find(is_named).map(|(_, winner)| *winner);
    found.ok_or_else(|| {
        let marks: Vec<String> = menu.iter().map(|(mark, _)| mark.to_string()).collect();
        NoAnswer::Wrong(format!(
            "the answer holds {number}, which is not on the menu {}",
            marks.join(", ")
        ))
    })
}

/// A list in one line (`Plausibility: 2; Fine texture detail: 1; …`, `Final answer: C1=1, C2=2, …`)
/// with each of its items in a line, and so its announcement.
fn one_a_line(text: &str, asked: &Asked<'_>) -> String {
    let count = asked.keys.len();
    let is_list = |line: &str, separator: char| {
        let parts = || line.split(separator);
        let labelled =
            parts().filter(|part| part.contains([':', '=']) || is_list_item(part.trim()));
        let is_prose = separator == ',' && line.contains(['{', '"', '[']);
        count > 1 && !is_prose && parts().count() == count && labelled.count() == count
    };
    let lines = text.split('\n').map(|line| {
        let Some(separator) = [';', ',', '|'].into_iter().find(|it| is_list(line, *it)) else {
            return line.to_owned();
        };
        let (first, rest) = line.split_once(separator).unwrap_or((line, ""));
        let first = match first.split_once(':') {
            Some((before, item)) if item.contains([':', '=']) => format!("{before}:\n{item}"),
            _ => first.to_owned(),
        };
        format!("{first}\n{}", rest.replace(separator, "\n"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn numbers(said: Vec<String>, is_quoted: bool, standing: Standing) -> Numbers {
    Candidate { said, is_quoted, standing, after: Afterwards::Counts }
}

/// The numbers that an object gives, and how it ranks them; `None` where it gives none.
fn object_answer(
    node: &Node,
    asked: &Asked<'_>,
) -> Result<Option<(Vec<String>, Standing)>, NoAnswer> {
    let is_value = |node: &Node| {
        let is_plain = |item: &Node| !matches!(item, Node::Object(_) | Node::List(_));
        match node {
            Node::List(items) => items.iter().all(is_plain),
            _ => node.under(&announcements().choice_keys).is_some(),
        }
    };
    let entries = node.entries(&is_value);
    let mut numbers: Vec<Option<String>> = vec![None; asked.keys.len()];
    for (key, value) in &entries {
        let is_title = |title: &&str| words(title).concat() == words(key).concat();
        let by_key = asked.keys.iter().position(|known| matching(key, &[known]).is_some());
        let numbered = || key.trim().parse().ok().filter(|k| (1..=asked.keys.len()).contains(k));
        let by_title = || asked.titles.iter().position(is_title);
        let by_number = || numbered().map(|k: usize| k - 1);
        let Some(place) = by_key.or_else(by_title).or_else(by_number) else {
            continue;
        };
        let Some(number) = mark_of(value.under(&announcements().choice_keys).unwrap_or(value))
        else {
            continue;
        };
        if value.texts().any(|(_, text)| is_unjudged(text)) {
            let reason =
                format!("the reason for {} says that it was not judged", asked.keys[place]);
            return Err(NoAnswer::Wrong(reason));
        }
        if let Ok(winner) = choice(&number, asked.menu)
            && stated::reasons(value, asked.menu).any(|it| it != winner)
        {
            return Err(NoAnswer::Wrong(format!(
                "the reason for {} ends with another choice than {number}",
                asked.keys[place]
            )));
        }
        if numbers[place].as_ref().is_some_and(|known| *known != number) {
            return Err(NoAnswer::Wrong(format!(
                "{} is given twice, with different choices",
                asked.keys[place]
            )));
        }
        numbers[place] = Some(number);
    }
    let lines = entries.iter().filter_map(|(key, value)| {
        let numbers = announces(key).then(|| whole_answer(value, asked)).flatten()?;
        Some((numbers, standing(key)))
    });
    let mut lines: Vec<_> = lines.collect();
    let top = lines.iter().map(|(_, standing)| *standing).max();
    lines.retain(|(_, standing)| Some(*standing) == top);
    let num_given = numbers.iter().flatten().count();
    if num_given > 0 && num_given < numbers.len() && lines.is_empty() {
        let missing: Vec<&str> = asked
            .keys
            .iter()
            .zip(&numbers)
            .filter(|(_, number)| number.is_none())
            .map(|(key, _)| *key)
            .collect();
        return Err(NoAnswer::Wrong(format!("the answer lacks {}", missing.join(", "))));
    }
    // Reasons under the names of the criteria, next to the answer in one line.
    let is_reasons = |numbers: &Vec<String>| {
        numbers.iter().all(|it| !it.contains(|c: char| c.is_ascii_digit()) && side(it).is_none())
    };
    if let Some(numbers) = numbers.into_iter().collect::<Option<Vec<_>>>()
        && (lines.is_empty() || !is_reasons(&numbers))
    {
        lines.push((numbers, Standing::Plain));
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
    let plain = |number: f64| {
        if number.fract() == 0.0 && number.abs() < 1e9 {
            (number as i64).to_string()
        } else {
            number.to_string()
        }
    };
    match value {
        Node::Number(number) => Some(plain(*number)),
        Node::Text(text) if text.trim().is_empty() => None,
        Node::Text(text) => Some(number_of(text, 0).map_or_else(|| text.trim().to_owned(), plain)),
        _ => None,
    }
}

/// All candidates in the order of the text.
fn candidates(
    lines: &[Line],
    objects: &[Found],
    asked: &Asked<'_>,
) -> Result<Vec<Numbers>, NoAnswer> {
    let mut found = Vec::new();
    let mut block: Vec<Item> = Vec::new();
    // Where the block begins.
    let mut from = 0;
    for (i, line) in lines.iter().enumerate() {
        // A list goes on over blank lines and the rules of tables.
        if is_rule(&line.text) {
            continue;
        }
        if sides(&line.text, asked.keys.len(), asked.menu).is_none()
            && asked.keys.len() > 1
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
        let object = marked_object(line, objects);
        let (is_quoted, said) = match object {
            Some(object) => (object.is_quoted, object_answer(&object.node, asked)?),
            None => (line.is_quoted, answer_numbers(&line.text, asked)),
        };
        let above = &lines[..i];
        let is_elsewhere = object.is_none()
            && line.text.starts_with(|c: char| !c.is_alphabetic())
            && !is_unknown_label(&line_before(above), asked)
            && (leads_elsewhere(above) || is_of_one_side(&line_before(above)));
        let candidate = said.map(|(said, standing)| numbers(said, is_quoted, standing));
        let candidate = candidate.and_then(|it| between(it, lines, i..i + 1, asked));
        found.extend(candidate.map(|it| match it.standing {
            Standing::Plain if is_elsewhere => Numbers { after: Afterwards::Elsewhere, ..it },
            _ => it,
        }));
    }
    // What ends the reply needs no announcement.
    found.extend(listed(&block, lines, from..lines.len(), asked));
    if found.iter().all(|it| it.is_quoted) {
        found.extend(under_headings(lines, asked));
    }
    Ok(found)
}

/// A label in unknown words announces an answer of so many choices, and is no longer than this.
const COUNT_MIN: usize = 4;
const LABEL_CHARS_MAX: usize = 30;

/// A last line of a short label in unknown words and all choices, where the reply has no other
/// answer and no other such line: `Línea final: 2 2 1 2 1 2`. The label must not speak of a draft,
/// a doubt, or something else that has a number for each criterion.
fn closing_line(lines: &[Line], asked: &Asked<'_>) -> Option<Numbers> {
    let sentence = |line: &Line| {
        let found = around_digits(&line.text, asked.keys.len());
        found.filter(|(_, marks)| choices(marks, asked).is_ok())
    };
    let labelled = |line: &Line| -> Option<(String, Vec<String>)> {
        let (label, digits) = line.text.rsplit_once([':', '=', '→'])?;
        let marks = joined(digits.trim(), asked).or_else(|| {
            let run = run(digits);
            run.is_clean.then_some(run.numbers)
        });
        Some((label.to_owned(), marks.filter(|marks| choices(marks, asked).is_ok())?))
    };
    let last = lines.iter().rposition(|line| line.text.contains(char::is_alphanumeric))?;
    let said = |line: &Line| sentence(line).is_some() || labelled(line).is_some();
    if asked.keys.len() < COUNT_MIN || lines[last].is_quoted || lines[..last].iter().any(said) {
        return None;
    }
    let is_short = |(label, _): &(String, Vec<String>)| label.chars().count() <= LABEL_CHARS_MAX;
    let (label, marks) =
        sentence(&lines[last]).or_else(|| labelled(&lines[last]).filter(is_short))?;
    let is_label = label.contains(char::is_alphabetic) && !label.contains(char::is_numeric);
    if !is_label || is_open(&label) || names_one_side(&label) {
        return None;
    }
    between(numbers(marks, false, Standing::Plain), lines, last..last + 1, asked)
}

/// The words of a sentence around its digits, which are nothing but `count` numbers in a row:
/// `This gives 2 1 3 1 1 1 as the six decisions.`
fn around_digits(line: &str, count: usize) -> Option<(String, Vec<String>)> {
    const SENTENCE_BYTES_MAX: usize = 80;
    let start = line.find(|c: char| c.is_ascii_digit())?;
    let end = line.rfind(|c: char| c.is_ascii_digit())? + 1;
    let numbers: Vec<&str> =
        line[start..end].split([' ', ',', '-']).filter(|it| !it.is_empty()).collect();
    let is_row = numbers.len() == count && numbers.iter().all(|it| it.len() == 1);
    let around = format!("{}{}", &line[..start], &line[end..]);
    let numbers = numbers.into_iter().map(str::to_owned).collect();
    let said = words(&around);
    let is_answer = said.iter().any(|word| announcements().answers.contains(word));
    (around.len() < SENTENCE_BYTES_MAX
        && is_row
        && is_answer
        && line[end..].contains(char::is_alphabetic))
    .then_some((around, numbers))
}

/// One announced choice per criterion heading, if the reply has no other answer: `Decision: 2`.
fn under_headings(lines: &[Line], asked: &Asked<'_>) -> Option<Numbers> {
    const HEAD_CHARS_MAX: usize = 30;
    let count = asked.keys.len();
    let decision = |line: &Line| item(&line.text).filter(|it| it.is_announced() && !line.is_quoted);
    let decisions: Vec<(usize, Item)> =
        lines.iter().enumerate().filter_map(|(i, line)| Some((i, decision(line)?))).collect();
    let starts = std::iter::once(0).chain(decisions.iter().map(|(i, _)| i + 1));
    let is_headed = |(k, (start, (end, _))): (usize, (usize, &(usize, Item)))| {
        let own = lines[*end].text.split([':', '–', '—']).next().unwrap_or_default();
        let above = lines[start..*end].iter().map(|line| line.text.as_str());
        above.chain([own]).any(|text| heads(text, k, &asked.names))
    };
    let are_headed = starts.clone().zip(&decisions).enumerate().all(is_headed);
    // Headings in another language, the last of them for the whole.
    let are_foreign = || {
        let mut heads = starts.filter_map(|start| {
            let has_words = |line: &&Line| line.text.contains(char::is_alphabetic);
            lines[start..].iter().find(has_words).map(|line| &line.text)
        });
        heads
            .nth(count - 1)
            .is_some_and(|it| it.chars().count() <= HEAD_CHARS_MAX && names_overall(it))
    };
    if count < 2 || decisions.len() != count || !(are_headed || are_foreign()) {
        return None;
    }
    let place = decisions[0].0..decisions[count - 1].0 + 1;
    let said = decisions.into_iter().map(|(_, item)| item.into_mark()).collect();
    between(numbers(said, false, Standing::Plain), lines, place, asked)
}

/// The answer that a list is, if it is one.
fn listed(
    block: &[Item],
    lines: &[Line],
    place: Range<usize>,
    asked: &Asked<'_>,
) -> Option<Numbers> {
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
    let is_bare = block.iter().all(Item::is_bare);
    if names_one_side(&before) || (is_bare && leads_elsewhere(&lines[..place.start])) {
        return None;
    }
    let is_headed = before.split('|').any(announces);
    let is_announced = is_headed || place.end == lines.len();
    let said = answer_of(block, &asked.names, is_announced, is_headed)?;
    let is_quoted = lines[place.clone()].iter().any(|line| line.is_quoted);
    between(numbers(said, is_quoted, Standing::Plain), lines, place, asked)
}

/// With what the lines around it say of it; `None` where they call it a draft or an example.
fn between(
    candidate: Numbers,
    lines: &[Line],
    place: Range<usize>,
    asked: &Asked<'_>,
) -> Option<Numbers> {
    let before = line_before(&lines[..place.start]);
    let names = before.rsplit(':').next().filter(|it| it.contains(',')).unwrap_or(&before);
    let cells: Vec<&str> = names.trim_matches('|').split(['|', ',']).map(str::trim).collect();
    let is_moved = |(i, cell): (usize, &&str)| names_another(cell, i, &asked.names);
    let is_header = cells.len() == asked.names.len() && cells.len() > 1;
    if heads_quantities(&before)
        || is_another_order(&before, asked.names.len())
        || (is_header && cells.iter().enumerate().any(is_moved))
    {
        return None;
    }
    let standing = candidate.standing.max(standing(&before));
    // A draft in the line before is that line's own.
    let is_own = before.chars().filter(char::is_ascii_digit).count() >= candidate.said.len().max(2);
    // The other cells of a row are about the objects.
    let last = Some(&lines[place.end - 1].text).filter(|text| !text.starts_with('|'));
    let last = last.and_then(|text| announced(text));
    let remark = last.map_or("", |(_, from_digits)| from_digits);
    let winners = choices(&candidate.said, asked).ok();
    let agrees = |it: &str| agrees(it, winners.as_ref()?, asked.menu);
    let after = afterwards(&before, remark, &lines[place.end..], &agrees);
    (standing > Standing::Plain || is_own || !is_draft(&before)).then_some(Candidate {
        standing,
        after,
        ..candidate
    })
}

/// Whether a line gives the numbers of all criteria in another order: `Order: 6, 5, 4, 3, 2, 1`.
fn is_another_order(line: &str, count: usize) -> bool {
    let given: Vec<usize> = words(line).iter().filter_map(|word| word.parse().ok()).collect();
    let mut sorted = given.clone();
    sorted.sort_unstable();
    let is_order = count > 3 && sorted.iter().copied().eq(1..=count) && given != sorted;
    // `Left wins criteria 1, 2, 5 and 6; right wins 3 and 4.`
    is_order && !has(&line.to_lowercase(), &announcements().wins)
}

/// Whether a line is a short label in unknown words, above more digits than other things have.
fn is_unknown_label(line: &str, asked: &Asked<'_>) -> bool {
    line.ends_with(':')
        && asked.keys.len() >= COUNT_MIN
        && line.chars().count() <= LABEL_CHARS_MAX
        && !is_open(line)
        && !is_of_one_side(line)
}

/// `Left scores:`
fn is_of_one_side(heading: &str) -> bool {
    heading.ends_with(':') && names_one_side(heading)
}

/// Whether a heading is about one of the two objects, so that the numbers under it are scores of
/// that one and no choices.
fn names_one_side(heading: &str) -> bool {
    let words = words(heading);
    let named = |count| words.windows(count).filter_map(|it| side(&it.join(" ")));
    let sides: BTreeSet<Winner> =
        named(1).chain(named(2)).filter(|it| *it != Winner::Tie).collect();
    let is_about_scores = words.iter().any(|it| announcements().answers.contains(it));
    let wins = has(&heading.to_lowercase(), &announcements().wins);
    sides.len() == 1 && !wins && (words.len() <= 6 || is_about_scores)
}
