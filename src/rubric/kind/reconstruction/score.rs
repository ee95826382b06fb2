//! Reads the number that ends a reconstruction reply.
//!
//! The last line holds the number and nothing else but decoration (`**2**`, `"2"`, `2.`), an
//! announcement (`Score: 2`), the top of the scale (`2/3`, `2 out of 3`: two of three points, never
//! "two or three", because 3 is the top), or a remark without digits (`2 (Fair)`, `2 - Fair`). A
//! line that announces a score elsewhere counts too, and a final score wins over others; scores of
//! equal standing that differ are no answer. Prose with a number in it is no score, and neither are
//! scores of single criteria. A JSON object holds the score under its key.

use crate::rubric::Scale;
use crate::rubric::keys::SCORE_KEY;
use crate::rubric::read::announcement::{
    Afterwards, Standing, afterwards, announces, grade, is_draft, is_unjudged, leads_elsewhere,
    names_final, standing,
};
use crate::rubric::read::candidate::{Candidate, decided};
use crate::rubric::read::line::{Line, lines, unbracketed, words};
use crate::rubric::read::no_answer::NoAnswer;
use crate::rubric::read::object::{Found, Node, found, marked, marked_object};
use crate::rubric::read::scale::check_scale;
use crate::rubric::reply::announcements;
use std::collections::BTreeSet;

/// Reads a whole number on the scale.
///
/// # Errors
/// The error in the score, or its absence.
pub(super) fn read(text: &str, scale: Scale) -> Result<u8, NoAnswer> {
    check_scale(text, scale)?;
    let mut lines = lines_of(text, scale)?;
    if lines.is_empty() {
        return Err(NoAnswer::absent("the reply holds no text"));
    }
    let is_score = |line: &Line| said(&line.text).is_some();
    // A quoted number counts where nobody else gives one: `"2"` is how the question shows it.
    let ranks: [&dyn Fn(&Line) -> bool; 2] =
        [&|line| !line.is_quoted, &|line| line.is_number_in_marks];
    if let Some(counts) =
        ranks.iter().find(|counts| lines.iter().any(|it| counts(it) && is_score(it)))
    {
        lines.retain(|line| counts(line) || (!line.is_quoted && !is_score(line)));
    }
    let mut scores = Vec::new();
    // Numbers alone in their line, further up.
    let mut bare: Vec<String> = Vec::new();
    let mut is_last_bare = false;
    let mut asked = None;
    let mut first_bare: Option<Candidate<String>> = None;
    for (i, line) in lines.iter().enumerate() {
        let before = if i == 0 { "" } else { &lines[i - 1].text };
        let (is_announced, standing_before) = match said(before) {
            Some(_) => (false, Standing::Plain),
            None => (announces(before), standing(before)),
        };
        let Some(said) = said(&line.text) else {
            continue;
        };
        let standing = said.standing.max(standing_before);
        let is_final = standing > Standing::Plain;
        let after = &lines[i + 1..];
        let counts = said.is_announced || is_announced || is_final || is_closing(after);
        if !is_final && is_draft(before) {
            continue;
        }
        if !counts {
            if i == 0 && said.is_bare {
                let after = afterwards(before, &said.remark, after, &|_| None);
                let number = said.number.clone();
                first_bare = Some(Candidate { said: number, is_quoted: false, standing, after });
            }
            bare.extend(said.is_bare.then_some(said.number));
            continue;
        }
        if let Some(grade) = grade(&said.remark)
            && scale.max - scale.min == 2
            && split_top(&said.number).0.parse() != Ok(usize::from(scale.min) + grade)
        {
            return Err(NoAnswer::Wrong(format!(
                "the score {} has the label of another score: {}",
                said.number, said.remark
            )));
        }
        is_last_bare = said.is_bare && !is_announced && !is_final;
        // The last line was asked for, so a score that is called final does not replace it.
        let is_elsewhere = is_last_bare && leads_elsewhere(&lines[..i]);
        if is_last_bare && !is_elsewhere && i + 1 == lines.len() {
            asked = on_scale(&said.number, scale).ok();
        }
        let after = match is_elsewhere {
            true => Afterwards::Elsewhere,
            false => afterwards(before, &said.remark, after, &|_| None),
        };
        scores.push(Candidate { said: said.number, is_quoted: false, standing, after });
    }
    // A reply that begins with a number alone, has no other, and then gives reasons.
    if scores.is_empty() && bare.len() == 1 {
        scores.extend(first_bare);
    }
    let read = |number: &String| on_scale(number, scale);
    let score = decided(scores, read)?
        .ok_or_else(|| NoAnswer::absent("the last line is not only the score"))?;
    // `1`, `2`, `3`, … over the criteria are their numbers.
    const HEADINGS_MIN: usize = 3;
    let is_counted = bare.iter().enumerate().all(|(i, it)| *it == (i + 1).to_string());
    if is_counted && bare.len() >= HEADINGS_MIN {
        bare.clear();
    }
    let mut bare = bare.iter().filter_map(|number| read(number).ok());
    if is_last_bare && bare.any(|other| other != score) {
        Err(NoAnswer::two_answers())
    } else if asked.is_some_and(|asked| asked != score) {
        let reason = "the last line holds another score than the one that is called final";
        Err(NoAnswer::Wrong(reason.to_owned()))
    } else {
        Ok(score)
    }
}

/// Lines with text, every form of the score as `score: 2`, without those that explain the scale.
fn lines_of(text: &str, scale: Scale) -> Result<Vec<Line>, NoAnswer> {
    let found = found(text);
    let counts =
        |it: &Found| !it.is_in_prose && it.node.is_object() && in_object(&it.node).is_some();
    let mut lines = lines(&marked(text, &found, &counts));
    for line in &mut lines {
        let node = marked_object(line, &found).map(|it| &it.node);
        let Some((node, said)) = node.and_then(|node| Some((node, in_object(node)?))) else {
            continue;
        };
        let number = said.number(scale.max).ok_or_else(|| {
            NoAnswer::Wrong(format!("\"{SCORE_KEY}\" of the answer holds no number"))
        })?;
        let is_other = |it: String| on_scale(&it, scale).is_ok() && it != number.to_string();
        if reasons(node).any(is_other) {
            return Err(NoAnswer::two_answers());
        }
        if node.texts().any(|(_, text)| is_unjudged(text)) {
            return Err(NoAnswer::Wrong("the reason says that nothing was judged".to_owned()));
        }
        // An object is as good as a line.
        line.text = format!("{SCORE_KEY}: {number}");
    }
    for line in &mut lines {
        let named = named_grade(&line.text).filter(|_| scale.max - scale.min == 2);
        if let Some(grade) = named {
            line.text = format!("final {SCORE_KEY}: {}", usize::from(scale.min) + grade);
        }
    }
    for line in &mut lines {
        if let Some(text) = with_digit(&line.text).filter(|_| scale.max - scale.min == 2) {
            line.text = text;
        }
    }
    // Lines without a letter or digit (a closing quote, a code fence, a rule) are no lines of text.
    lines.retain(|line| line.text.contains(char::is_alphanumeric));
    // `3 = good, 2 = fair, 1 = poor` explains the scale, and `1 = good, 3 = poor` another one.
    let is_turned = |part: &str| {
        let pair = part.split_once('=').and_then(|(n, name)| Some((n, grade(name)?)));
        pair.is_some_and(|(n, grade)| {
            n.trim().parse().is_ok_and(|n: usize| n != usize::from(scale.min) + grade)
        })
    };
    let is_scale_of_3 = scale.max - scale.min == 2;
    if is_scale_of_3 && lines.iter().any(|it| it.text.split([',', ';', '(', ')']).any(is_turned)) {
        return Err(NoAnswer::Wrong("the reply gives its scores other meanings".to_owned()));
    }
    lines.retain(|line| line.text.matches('=').count() < 2);
    // So do lines in a row with every number and its name: `3 – good: hardly a flaw.`
    let named = |line: &Line| -> Option<usize> {
        let end = line.text.find(|c: char| !c.is_ascii_digit())?;
        let (number, name) = line.text.split_at(end);
        let number = number.parse().ok()?;
        (usize::from(scale.min) + grade(name)? == number).then_some(number)
    };
    let count = usize::from(scale.max - scale.min) + 1;
    let names_all =
        |it: &[Line]| it.iter().filter_map(named).collect::<BTreeSet<_>>().len() == count;
    if let Some(at) = lines.windows(count).position(names_all) {
        lines.drain(at..at + count);
    }
    if let Some((at, line)) = closing_score(&lines) {
        lines.insert(at, line);
    }
    Ok(lines)
}

/// The scores that the texts of an object end with: `"reasoning": "… So I rate it 1."`.
fn reasons(node: &Node) -> impl Iterator<Item = String> {
    node.texts().filter_map(|(_, text)| {
        let text = text.trim_end_matches(['.', '!', ' ']);
        let (_, last) = text.rsplit_once(['.', '!']).unwrap_or(("", text));
        said(last).filter(|it| !it.is_bare).map(|it| it.number)
    })
}

/// The last sentence of a line near the end as a line of its own, and its place, if it says of the
/// whole that it gets a score and no other line ends so:
/// `… Nothing is missing. I would therefore rate this reconstruction a 2.`
fn closing_score(lines: &[Line]) -> Option<(usize, Line)> {
    let last_sentence = |line: &Line| -> Option<String> {
        let (_, sentence) = line.text.trim_end_matches(['.', ' ']).rsplit_once(['.', '!'])?;
        let start = sentence.find(|c: char| c.is_ascii_digit())?;
        let all = words(&sentence[..start]);
        (ends_in_score(&all) || gives_score(&all)).then(|| sentence.trim().to_owned())
    };
    let own = lines.iter().enumerate().filter(|(_, line)| !line.is_quoted);
    let mut found = own.filter_map(|(i, line)| Some((i, last_sentence(line)?)));
    let (i, text) = found.next().filter(|_| found.next().is_none())?;
    let line = Line { text, is_quoted: false, is_number_in_marks: false };
    let after = &lines[i + 1..];
    let is_bare = |line: &Line| said(&line.text).is_some_and(|it| it.is_bare);
    (is_closing(after) || (after.len() == 1 && is_bare(&after[0]))).then_some((i + 1, line))
}

/// The grade of a line that gives the final score as the name of a grade: `Final score: Good`.
fn named_grade(line: &str) -> Option<usize> {
    let (before, after) = line.split_once([':', '：'])?;
    let is_final = announces(before) && names_final(before);
    (is_final && words(after).len() == 1).then(|| grade(after)).flatten()
}

fn in_object(node: &Node) -> Option<&Node> {
    let keys = &announcements().score_keys;
    let said = keys.iter().find_map(|keys| node.under(keys));
    match (said, node) {
        (Some(said), _) => Some(said.under(&announcements().rating_keys).unwrap_or(said)),
        (None, Node::Object(entries)) if entries.len() == 1 => in_object(&entries[0].1),
        _ => None,
    }
}

/// Whether what follows a number is nothing or a polite closing, without numbers.
fn is_closing(after: &[Line]) -> bool {
    const LINES_MAX: usize = 2;
    after.len() <= LINES_MAX && !after.iter().any(|line| line.text.contains(char::is_numeric))
}

fn on_scale(said: &str, scale: Scale) -> Result<u8, NoAnswer> {
    let (number, top) = split_top(said);
    if let Some(top) = top.filter(|top| top.parse() != Ok(scale.max)) {
        return Err(NoAnswer::Wrong(format!(
            "the score counts to {top}, and the scale ends at {}",
            scale.max
        )));
    }
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    whole
        .parse()
        .ok()
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
    standing: Standing,
}

/// The number of a line of announcement and number, without brackets, full stop and remark.
fn said(line: &str) -> Option<Said> {
    let turned = turned(line);
    let line = turned.as_deref().unwrap_or(line);
    let colon = line.rfind([':', '=']).map_or(0, |at| at + 1);
    let digit = |from: usize| Some(from + line[from..].find(|c: char| c.is_ascii_digit())?);
    let start = match digit(colon) {
        Some(at) if colon > 0 && !line[colon..at].contains(char::is_alphabetic) => colon,
        Some(at) => at,
        None => digit(0)?,
    };
    let (before, after) = line.split_at(start);
    // `Score (1-3): 2` announces its scale.
    let before = unbracketed(before);
    let bound = before.trim_end().trim_end_matches('=');
    let is_bound = bound.is_empty() && before.contains('=');
    if is_bound || bound.ends_with(['-', '−', '.', '~', '<', '>', '≤', '≥']) {
        return None;
    }
    let (all, announcing) = (words(&before), &announcements().score_words);
    let named: Vec<&str> = all
        .iter()
        .map(String::as_str)
        .filter(|word| !announcing.iter().any(|it| it == word))
        .collect();
    let is_sentence = ends_in_score(&all) || gives_score(&all);
    let ranks =
        if names_final(&before) { standing(&before).max(Standing::Final) } else { Standing::Plain };
    let is_known = named.is_empty() || is_sentence || announces(&named.join(" "));
    if !is_known && standing(&before) == Standing::Plain {
        return None;
    }
    let after = after.trim_start_matches(|c: char| c == ' ' || "()[]{}<>_".contains(c)).trim();
    let end = after.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(after.len());
    let (number, rest) = after.split_at(end);
    // `My score is 2. Here is why.`
    let ends = number.ends_with('.') && !all.is_empty();
    let number = number.trim_end_matches('.');
    let rest = rest.trim_start_matches([')', ']', '}', '>', '_', ' ', '!', '|', '分', '점', '点']);
    let rest =
        ["입니다", "です"].iter().fold(rest, |rest, end| rest.strip_prefix(end).unwrap_or(rest));
    let (number, rest) = match split_top(rest.trim_start_matches('(')) {
        ("", Some(top)) => {
            let end = top.find(|c: char| !c.is_ascii_digit()).unwrap_or(top.len());
            (format!("{number}/{}", &top[..end]), top[end..].trim_matches([')', ']', '.', ' ']))
        }
        _ => (number.to_owned(), rest),
    };
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    // `2 (Fair)`, `2 - Fair`, `2, fair`: no other number, and no sentence that goes on.
    let is_set_off = rest.starts_with(['(', '-', '–', '—', ',', ';', '.'])
        || (rest.starts_with([':', '=']) && !all.is_empty())
        || (ends && !rest.is_empty());
    let is_remark =
        is_set_off && !rest.contains(char::is_numeric) && rest.contains(char::is_alphabetic);
    // `Final score: 3/3 满分`: announced, with a grade's name, which must match the number.
    let is_graded = !all.is_empty() && words(rest).len() == 1 && grade(rest).is_some();
    // `This one gets a 1 from me.`
    let is_tail =
        is_sentence && words(rest).iter().all(|word| announcements().score_subjects.contains(word));
    let is_remark = is_remark
        || is_graded
        || is_tail
        || !rest.contains(|c: char| c.is_alphanumeric() || "+?±~%".contains(c));
    (is_number && is_remark).then(|| Said {
        number,
        is_bare: all.is_empty() && rest.is_empty(),
        remark: rest.to_owned(),
        is_announced: !named.is_empty() || all.iter().any(|word| word == "overall"),
        standing: ranks,
    })
}

/// `Rating: Good (3)` and `Rating: Good → 3` as `Rating: 3 (Good)`.
fn turned(line: &str) -> Option<String> {
    let (before, after) = line.split_once([':', '=']).unwrap_or(("score", line));
    let after = after.trim_end_matches(['.', ' ']);
    let bracketed = || after.strip_suffix(')')?.split_once('(');
    let (word, number) = ["→", "->", "–", " - "]
        .iter()
        .fold(bracketed(), |it, mark| it.or(after.split_once(*mark)))?;
    let number = number.trim();
    let is_number = number.chars().all(|c| c.is_ascii_digit() || c == '/') && !number.is_empty();
    (is_number && words(word).len() == 1 && grade(word).is_some())
        .then(|| format!("{before}: {number} ({})", word.trim()))
}

/// Whether a sentence ends with the words that name a score:
/// `I therefore give it a final score of`.
fn ends_in_score(words: &[String]) -> bool {
    let links = ["of", "is", "rated", "at"];
    let names = ["score", "rating", "rated", "places"];
    let is_link = words.last().is_some_and(|word| links.contains(&word.as_str()));
    let is_score = is_link && words.iter().any(|word| names.contains(&word.as_str()));
    is_score && !words.iter().any(|word| announcements().score_hedges.contains(word))
}

/// Whether a sentence says of the whole that it gets a score: `I would give this reconstruction a`.
fn gives_score(words: &[String]) -> bool {
    let said = announcements();
    let is_verb = |word: &String| said.score_verbs.contains(word);
    words.iter().any(is_verb)
        && words.iter().all(|word| is_verb(word) || said.score_subjects.contains(word))
}

/// A line that gives the score as a word, with its digit: `Final score: two`.
fn with_digit(line: &str) -> Option<String> {
    let bare = line.trim_end_matches(['.', '!', ' ']);
    let word = bare.rsplit(|c: char| !c.is_alphabetic()).next()?;
    let before = &bare[..bare.len() - word.len()];
    let numerals = &announcements().numerals;
    let place = numerals.iter().position(|names| names.contains(&word.to_lowercase()))?;
    let all = words(before);
    let is_score = announces(before) || ends_in_score(&all) || gives_score(&all);
    (is_score && !before.contains(char::is_numeric)).then(|| format!("{before}{}", place + 1))
}

fn split_top(number: &str) -> (&str, Option<&str>) {
    ["/", "out of", "of"]
        .iter()
        .find_map(|mark| number.split_once(mark))
        .map_or((number, None), |(number, top)| (number.trim(), Some(top.trim())))
}
