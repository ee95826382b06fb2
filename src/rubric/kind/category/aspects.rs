//! Reads the JSON object that is a category reply.
//!
//! Code fences and text around the object do not matter. A key can be spelled as the aspect's title
//! or with a slip (`Positional Accuracy`, `seperation_clarity`). A missing aspect is an error,
//! never zero. Two objects that rate an aspect differently are no answer, unless the later one is
//! announced as the corrected one; a quoted object counts only where there is no other. Objects in
//! a row that rate one aspect each are one answer.

use crate::rubric::Scale;
use crate::rubric::keys::OVERALL_KEY;
use crate::rubric::read::announcement::{
    Standing, afterwards, announces, is_draft, is_unjudged, standing,
};
use crate::rubric::read::candidate::{Candidate, decided};
use crate::rubric::read::line::{line_before, lines, words};
use crate::rubric::read::list;
use crate::rubric::read::name::{key_words, matching};
use crate::rubric::read::no_answer::NoAnswer;
use crate::rubric::read::object::{Node, found, marked, marked_object, number_of};
use crate::rubric::read::scale::check_scale;
use crate::rubric::reply::announcements;
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Debug, PartialEq)]
pub(super) struct Answer {
    pub aspects: BTreeMap<String, f64>,
    pub overall: f64,
}

type Entries<'a> = Vec<(&'a str, &'a Node)>;

/// Reads every aspect in `keys`, and the overall score.
///
/// # Errors
/// The error in the object, or its absence.
pub(super) fn read(text: &str, keys: &[&str], scale: Scale) -> Result<Answer, NoAnswer> {
    check_scale(text, scale)?;
    let objects = found(text);
    let all = lines(&marked(text, &objects, &|object| !object.is_in_prose));
    let is_rating = |node: &Node| score_of(node).is_some();
    // The form of an answer, repeated without numbers, is none.
    let rates = |(key, value): &(&str, &Node)| {
        let score = score_of(value).unwrap_or(value);
        (matching(key, keys).is_some() || is_overall(key)) && score.number(scale.max).is_some()
    };
    let mut answers: Vec<(Entries<'_>, Range<usize>)> = Vec::new();
    for (i, line) in all.iter().enumerate() {
        let entries = marked_object(line, &objects).map(|it| it.node.entries(&is_rating));
        let Some(entries) = entries.filter(|entries| entries.iter().any(rates)) else {
            continue;
        };
        match answers.last_mut() {
            // One object for each aspect.
            Some((known, lines))
                if line_before(&all[lines.end..i]).is_empty()
                    && answer(known, keys, scale).is_err() =>
            {
                known.extend(entries);
                lines.end = i + 1;
            }
            _ => answers.push((entries, i..i + 1)),
        }
    }
    if answers.is_empty() {
        return in_lines(text, keys, scale);
    }
    // An announcement is also that of an object right after its own.
    let mut above = (0, Standing::Plain);
    let candidates = answers.into_iter().filter_map(|(said, place)| {
        let before = line_before(&all[..place.start]);
        let follows = above.0 > 0 && line_before(&all[above.0..place.start]).is_empty();
        let standing = if follows { above.1 } else { standing(&before) };
        above = (place.end, standing);
        (standing > Standing::Plain || !calls_draft(&before)).then(|| Candidate {
            said,
            is_quoted: false,
            standing,
            after: afterwards(&before, "", &all[place.end..], &|_| None),
        })
    });
    decided(candidates.collect(), |said| answer(said, keys, scale))?
        .ok_or_else(|| NoAnswer::absent("all objects are drafts"))
}

/// Whether a line calls its object a draft; `Here is my evaluation in JSON format:` does not.
fn calls_draft(line: &str) -> bool {
    let line = line.to_lowercase();
    let last = last_sentence(&line);
    is_draft(&line.replace("format", " ")) || (is_draft(last) && !last.contains("json"))
}

fn last_sentence(line: &str) -> &str {
    let mut sentences = line.trim_end_matches([':', '.', ' ']).rsplit(['.', '!']);
    sentences.next().unwrap_or_default()
}

/// An answer without an object: a list, a table, or YAML, with the number right after each aspect.
fn in_lines(text: &str, keys: &[&str], scale: Scale) -> Result<Answer, NoAnswer> {
    let absent = || {
        NoAnswer::absent(if text.contains('{') {
            "no complete JSON object with the aspects was found"
        } else {
            "no JSON object was found"
        })
    };
    // Explanations in a block of YAML are no quotation.
    let text =
        ["```yaml", "```yml"].iter().fold(text.to_owned(), |text, fence| text.replace(fence, ""));
    let all = lines(&one_a_line(&text, keys));
    let mut found = Vec::new();
    // Every number with its label, or with the first line since the number before it.
    let mut labelled: Vec<(&str, Node, usize)> = Vec::new();
    let mut first: Option<&str> = None;
    // The aspect of a heading, whose number is on a line of its own.
    let mut heading: Option<&str> = None;
    let is_named = |key: &str| matching(key, keys).is_some() || is_overall(key);
    let top = scale.max.to_string();
    for (i, line) in all.iter().enumerate().filter(|(_, line)| !line.is_quoted) {
        let is_before = |c: char| "|( <.)".contains(c) || c.is_ascii_digit();
        let text = line.text.trim_start_matches(is_before);
        let (key, value) =
            match spoken(text).or_else(|| text.split_once([':', '|', '=', '–', '—', '>'])) {
                Some((key, value)) => (key.trim(), value.trim()),
                None => (text, ""),
            };
        let is_alone = !line.text.contains(char::is_alphabetic);
        let (key, value) = row(&line.text).unwrap_or((key, value));
        let number = match value.is_empty() {
            true => is_alone.then(|| number_in(&line.text, scale)).flatten(),
            false => number_in(value, scale)
                .or_else(|| with_top(value, scale))
                .or_else(|| at_the_end(value, scale)),
        };
        // `Position accuracy (8/10): The dog is left of the chair.`
        let (key, in_brackets) = key.split_once('(').unwrap_or((key, ""));
        let number = number
            .or_else(|| number_of(in_brackets.trim_end_matches([')', ' ']), scale.max))
            .or_else(|| first_number(value).filter(|_| in_brackets.contains(&top)));
        if let Some(number) = number {
            let label = if is_alone { first } else { Some(key) };
            labelled.extend(label.map(|label| (label, Node::Number(number), i)));
            first = None;
        } else if !is_alone && !line.text.starts_with("</") {
            first = first.or(Some(text));
        }
        if is_named(key) {
            heading = (number.is_none() && value.is_empty()).then_some(key);
        }
        let about = match heading {
            Some(heading)
                if value.is_empty()
                    || announcements().rating_keys.contains(&words(key).concat()) =>
            {
                heading
            }
            _ => key,
        };
        if let Some(number) = number.filter(|_| is_named(about)) {
            found.push((about, Node::Number(number), i));
        }
    }
    let is_foreign = !text.contains('{') && found.len() <= keys.len();
    if is_foreign && in_order(&mut labelled, keys) {
        found = labelled;
    }
    let Some(end) = found.iter().map(|(.., i)| i + 1).max() else {
        return Err(absent());
    };
    let entries: Vec<(&str, &Node)> = found.iter().map(|(key, node, _)| (*key, node)).collect();
    let answer = answer(&entries, keys, scale)?;
    afterwards("", "", &all[end..], &|_| None).checked()?;
    Ok(answer)
}

/// Labels numbers with the aspects where their labels are in another language: as many as are asked
/// for, in order, with the overall score at the end or at the start.
fn in_order<'k>(labelled: &mut [(&'k str, Node, usize)], keys: &[&'k str]) -> bool {
    let is_whole = |it: &(&str, Node, usize)| is_overall(it.0) || list::names_overall(it.0);
    if labelled.first().is_some_and(is_whole) {
        labelled.rotate_left(1);
    }
    let num_whole = labelled.iter().filter(|it| is_whole(it)).count();
    if labelled.len() != keys.len() + 1 || num_whole != 1 || !labelled.last().is_some_and(is_whole)
    {
        return false;
    }
    let names = || keys.iter().copied().chain([OVERALL_KEY]);
    let is_other = |(it, name): (&(&str, Node, usize), &str)| {
        matching(it.0, keys).is_some_and(|known| known != name)
    };
    if labelled.iter().zip(names()).any(is_other) {
        return false;
    }
    let names = names();
    labelled.iter_mut().zip(names).for_each(|(it, name)| it.0 = name);
    true
}

/// Each aspect of a paragraph or a row on a line of its own:
/// `Position accuracy: … Occlusion management: …`, `position_accuracy: 9, …`.
fn one_a_line(text: &str, keys: &[&str]) -> String {
    let is_aspect = |part: &str| {
        let label = part.split_once([':', '=']).map(|(label, _)| label.trim());
        label.is_some_and(|it| matching(it, keys).is_some() || is_overall(it))
    };
    let parted = |line: &str| {
        let is_row = |it: &&str| line.contains(*it) && line.split(*it).all(is_aspect);
        let mark = [", ", "; ", " | "].into_iter().find(is_row);
        mark.map_or_else(|| line.to_owned(), |mark| line.replace(mark, "\n"))
    };
    let text = text.split('\n').map(parted).collect::<Vec<_>>().join("\n");
    keys.iter().fold(text, |text, key| {
        let mut letters = key.chars();
        let first = letters.next().map_or_else(String::new, |c| c.to_uppercase().collect());
        let title = format!("{first}{}", letters.as_str().replace('_', " "));
        text.replace(&format!(". {title}:"), &format!(".\n{title}:"))
    })
}

/// The only number of a sentence that has the top of its scale:
/// `The dog is missing. I rate it 4 out of 10.`
fn with_top(text: &str, scale: Scale) -> Option<f64> {
    let tops = [format!(" out of {}", scale.max), format!("/{}", scale.max)];
    let mut found = tops.iter().flat_map(|top| text.match_indices(top.as_str()));
    let (at, top) = found.next().filter(|_| found.next().is_none())?;
    let ends = !text[at + top.len()..].starts_with(|c: char| c.is_ascii_digit());
    let number = text[..at].rsplit([' ', '(']).next()?;
    number.parse().ok().filter(|_| ends)
}

/// `Position accuracy gets 7.5 out of 10: …` as the aspect and what follows the verb.
fn spoken(text: &str) -> Option<(&str, &str)> {
    let is_verb =
        |word: &str| word == "is" || announcements().score_verbs.iter().any(|it| it == word);
    let verb = text.split(' ').find(|word| is_verb(word))?;
    let (key, value) = text.split_once(&format!(" {verb} "))?;
    let key =
        ["My ", "The ", "For "].iter().fold(key, |key, it| key.strip_prefix(it).unwrap_or(key));
    value.starts_with(|c: char| c.is_ascii_digit()).then_some((key, value))
}

/// The number that the last sentence announces: `The object is whole. Score: 6`.
fn at_the_end(text: &str, scale: Scale) -> Option<f64> {
    let (before, number) = text.rsplit_once(':')?;
    let last = before.rsplit(['.', '!', '。']).next()?;
    (announces(last) && !text.contains('{'))
        .then(|| number_of(number.trim_end_matches('.'), scale.max))
        .flatten()
}

/// The label of a table's row and its only number: `| Position accuracy | The cup is there. | 8 |`.
fn row(line: &str) -> Option<(&str, &str)> {
    let cells: Vec<&str> =
        line.strip_prefix('|')?.trim_end_matches(['|', ' ']).split('|').collect();
    let is_number = |cell: &&&str| cell.trim().parse::<f64>().is_ok();
    let mut numbers = cells.iter().skip(1).filter(is_number);
    let number = numbers.next().filter(|_| numbers.next().is_none() && cells.len() > 2)?;
    Some((cells[0].trim(), number.trim()))
}

/// The number that a text begins with, whatever follows:
/// `Position accuracy (0-10): 7 The cup is there.`
fn first_number(text: &str) -> Option<f64> {
    text.split(' ').next()?.parse().ok()
}

/// The number that a line gives, with the top of its scale or a remark after it.
fn number_in(text: &str, scale: Scale) -> Option<f64> {
    let text = text.split(['|', '–', '—', ';', '(', '<', ':']).next().unwrap_or_default();
    let text =
        [" - ", ". "].iter().fold(text, |text, mark| text.split(mark).next().unwrap_or_default());
    number_of(text.trim_end_matches(['分', '점', '点', ' ']), scale.max)
}

fn answer(entries: &[(&str, &Node)], keys: &[&str], scale: Scale) -> Result<Answer, NoAnswer> {
    let mut aspects = BTreeMap::new();
    let mut overall = None;
    for (key, value) in entries {
        let (name, slot) = if let Some(name) = matching(key, keys) {
            (name, &mut *aspects.entry(name.to_owned()).or_insert(None))
        } else if is_overall(key) {
            (OVERALL_KEY, &mut overall)
        } else {
            continue;
        };
        // Explanations under the same names, apart from the numbers.
        let is_words = matches!(value, Node::Text(_)) && value.number(scale.max).is_none();
        if is_words && entries.iter().filter(|(other, _)| other == key).count() > 1 {
            continue;
        }
        let number = rating(name, value, scale).map_err(NoAnswer::Wrong)?;
        if value.texts().any(|(_, text)| is_unjudged(text)) {
            return Err(NoAnswer::Wrong(format!("the words on {name} say that it was not judged")));
        }
        if explained(value).is_some_and(|stated| stated != number) {
            return Err(NoAnswer::Wrong(format!("the words on {name} end with another score")));
        }
        if slot.is_some_and(|before: f64| before != number) {
            return Err(NoAnswer::Wrong(format!("{name} is given twice, with different numbers")));
        }
        *slot = Some(number);
    }
    let missing: Vec<&str> = keys
        .iter()
        .copied()
        .filter(|key| !aspects.contains_key(*key))
        .chain(overall.is_none().then_some(OVERALL_KEY))
        .collect();
    if !missing.is_empty() {
        return Err(NoAnswer::Wrong(format!("the answer lacks {}", missing.join(", "))));
    }
    Ok(Answer {
        aspects: aspects.into_iter().filter_map(|(key, number)| Some((key, number?))).collect(),
        overall: overall.unwrap_or_default(),
    })
}

/// The score that the words next to a rating end with: `Five chairs, so this gets 0.`
fn explained(value: &Node) -> Option<f64> {
    let said = announcements();
    let is_of_scores =
        |word: &&String| said.score_verbs.contains(word) || said.rating_keys.contains(word);
    let is_known = |word: &String| {
        is_of_scores(&word) || said.score_words.contains(word) || said.score_subjects.contains(word)
    };
    value.texts().find_map(|(_, text)| {
        let text = text.to_lowercase();
        let last =
            text.trim_end_matches(['.', '!', ' ']).rsplit(['.', '!', ',', ';', ':']).next()?;
        let words = words(last);
        let mut numbers = words.iter().filter_map(|word| word.parse::<f64>().ok());
        let number = numbers.next().filter(|_| numbers.next().is_none())?;
        let mut others = words.iter().filter(|word| word.parse::<f64>().is_err());
        (words.iter().any(|word| is_of_scores(&word)) && others.all(is_known)).then_some(number)
    })
}

/// The value with the number of a rating: the score of an object, also within another rating, or
/// the only number of a list.
fn score_of(node: &Node) -> Option<&Node> {
    match node {
        Node::Object(_) => {
            let inner = node.under(&announcements().rating_keys)?;
            match inner {
                Node::Object(_) | Node::List(_) => score_of(inner),
                _ => Some(inner),
            }
        }
        Node::List(items) => {
            let mut numbers = items.iter().filter(|it| matches!(it, Node::Number(_)));
            let has_lists = items.iter().any(|it| matches!(it, Node::Object(_) | Node::List(_)));
            match (numbers.next(), numbers.next()) {
                (Some(only), None) if !has_lists => Some(only),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A number on the scale.
fn rating(name: &str, value: &Node, scale: Scale) -> Result<f64, String> {
    let number = score_of(value).unwrap_or(value).number(scale.max);
    let number = number.ok_or_else(|| format!("{name} holds no number"))?;
    if !(f64::from(scale.min)..=f64::from(scale.max)).contains(&number) {
        return Err(format!("{name} is {number}, which is outside {} to {}", scale.min, scale.max));
    }
    // So that −0 is written as 0.
    Ok(number + 0.0)
}

fn is_overall(key: &str) -> bool {
    announcements().overall_keys.contains(&key_words(key).join("_"))
}
