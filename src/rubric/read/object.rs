//! Finds the JSON objects of a reply and reads them tolerantly: comments, trailing commas, single
//! quotes, raw line breaks and what Markdown does to JSON are no reason to lose an answer. A key
//! with two values keeps both, so that nobody has to guess.
//!
//! JSON that is JSON is read by `serde_json`; the rest is mended here as far as it cannot be
//! misread, and read by `json5`.

use super::super::reply::announcements;
use super::announcement::{announces, is_draft};
use super::line::{Line, plain_digits, undecorated, words};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt::Formatter;
use std::ops::Range;

/// A JSON value in which a key may be given twice.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Object(Vec<(String, Node)>),
    List(Vec<Node>),
    Text(String),
    Number(f64),
    /// True, false or null.
    Other,
}

/// An object or a list of a reply.
pub(crate) struct Found {
    pub node: Node,
    /// Where it is in the text, in bytes.
    pub place: Range<usize>,
    /// Whether it is in a block quote, in a sentence, or right after a quotation mark.
    pub is_quoted: bool,
    /// Whether there are words before it on its line that do not announce an answer.
    pub is_in_prose: bool,
}

/// After so many brackets that begin nothing, the rest of the text is not searched.
const STARTS_MAX: usize = 1_000;
/// No answer is longer.
const BYTES_MAX: usize = 200_000;
/// No answer is nested deeper.
const DEPTH_MAX: usize = 24;

/// Every complete object or list of a text that is not within another one, in order.
pub(crate) fn found(text: &str) -> Vec<Found> {
    let mut all = Vec::new();
    let mut at = 0;
    for _ in 0..STARTS_MAX {
        let Some(start) = text[at..].find(['{', '[']) else {
            break;
        };
        at += start;
        match node_at(&text[at..]) {
            Some((node, len)) => {
                let from = all.last().map_or(0, |last: &Found| last.place.end);
                let before = text[from..at].trim_end_matches(' ');
                let line = before.rsplit('\n').next().unwrap_or_default();
                let is_sentence = line.contains(char::is_alphabetic)
                    && !line.ends_with([':', '：', '=', '`', '>', '{', '*']);
                let is_quoted = line.trim_start().starts_with('>')
                    || is_sentence
                    || (!line.is_empty() && line.ends_with(['"', '\'', '\u{201c}', '«', '「']));
                // The second of two in a sentence is as good as the first.
                let goes_on = all.last().filter(|_| !before.contains('\n') && is_sentence);
                let (is_quoted, is_in_prose) = match goes_on {
                    Some(last) => (last.is_quoted, last.is_in_prose),
                    None => (is_quoted, !announces_object(line)),
                };
                all.push(Found { node, place: at..at + len, is_quoted, is_in_prose });
                at += len;
            }
            None => at += 1,
        }
    }
    all
}

/// Whether the text before an object on its line is empty, decoration, or an announcement.
fn announces_object(line: &str) -> bool {
    let line = undecorated(line);
    let sentence = line
        .trim_end_matches([':', '=', ' '])
        .rsplit(['.', '!', '?', ';'])
        .next()
        .unwrap_or_default();
    let is_name = !sentence.trim().contains(' ') && line.ends_with(['=', ':']);
    is_name
        || words(sentence).iter().all(|word| !word.contains(char::is_alphabetic) || word == "json")
        || announces(sentence)
}

/// A line in place of an object begins with this, followed by its number among the objects.
const OBJECT_MARK: char = '\u{1}';

/// The text with a marked line, and its notes after it, in place of each object that may hold the
/// answer: one that `counts`, and is not quoted where another one is not.
pub(crate) fn marked(text: &str, found: &[Found], counts: &dyn Fn(&Found) -> bool) -> String {
    let has_own = found.iter().any(|it| !it.is_quoted && it.node.is_object());
    let (mut out, mut from) = (String::new(), 0);
    for (i, object) in found.iter().enumerate() {
        let mark = match has_own && object.is_quoted {
            // So that a line that quotes an object is a quotation.
            true if object.node.is_object() => "x 1".to_owned(),
            false if counts(object) => format!("\n{OBJECT_MARK}{i}\n{}\n", object.node.notes()),
            _ => continue,
        };
        out.push_str(&text[from..object.place.start]);
        out.push_str(&mark);
        from = object.place.end;
    }
    out + &text[from..]
}

/// The object that a line takes the place of.
pub(crate) fn marked_object<'a>(line: &Line, found: &'a [Found]) -> Option<&'a Found> {
    let number: usize = line.text.strip_prefix(OBJECT_MARK)?.parse().ok()?;
    found.get(number)
}

fn node_at(text: &str) -> Option<(Node, usize)> {
    let (mended, len) = mended(text)?;
    let strict = serde_json::from_str(&text[..len]);
    let node = strict.or_else(|_| json5::from_str(&mended)).ok()?;
    Some((node, len))
}

impl Node {
    pub(crate) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Keys and values; those of an object or list that only wraps others replace it. A list entry
    /// that names its topic (`{"aspect": "plausibility", "score": 2}`) is under that name.
    pub(crate) fn entries(&self, is_value: &dyn Fn(&Self) -> bool) -> Vec<(&str, &Self)> {
        let mut out = Vec::new();
        self.add_entries(is_value, &mut out);
        out
    }

    fn add_entries<'a>(
        &'a self,
        is_value: &dyn Fn(&Self) -> bool,
        out: &mut Vec<(&'a str, &'a Self)>,
    ) {
        match self {
            Self::Object(entries) => {
                for (key, value) in entries.iter().filter(|(key, _)| !is_draft(key)) {
                    match value {
                        Self::Object(_) | Self::List(_) if !is_value(value) => {
                            value.add_entries(is_value, out);
                        }
                        _ => out.push((key, value)),
                    }
                }
            }
            Self::List(items) => {
                for item in items {
                    match item.subject() {
                        Some(name) => out.push((name, item)),
                        None => item.add_entries(is_value, out),
                    }
                }
            }
            Self::Text(_) | Self::Number(_) | Self::Other => {}
        }
    }

    /// What an object says of itself: `{"score": 2, "note": "a first impression"}`.
    fn notes(&self) -> String {
        let Self::Object(entries) = self else {
            return String::new();
        };
        let is_note = |key: &str| announcements().note_keys.contains(&key.to_lowercase());
        let notes = entries.iter().filter_map(|(key, value)| match value {
            Self::Text(text) if is_note(key) => Some(format!("{key}: {text}")),
            _ => None,
        });
        notes.collect::<Vec<_>>().join("\n")
    }

    /// What an entry of a list says that it is about.
    fn subject(&self) -> Option<&str> {
        let Self::Object(entries) = self else {
            return None;
        };
        entries.iter().find_map(|(key, value)| match value {
            Self::Text(text) if announcements().subject_keys.contains(&key.to_lowercase()) => {
                Some(text.as_str())
            }
            _ => None,
        })
    }

    /// The only value under one of these keys; `None` where there is none, or values that differ.
    pub(crate) fn under(&self, keys: &[String]) -> Option<&Self> {
        let Self::Object(entries) = self else {
            return None;
        };
        let mut values = entries
            .iter()
            .filter(|(key, _)| keys.contains(&words(key).join("_")))
            .map(|(_, value)| value);
        let first = values.next()?;
        values.all(|value| value == first).then_some(first)
    }

    /// The texts in an object, with their keys.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let entries = match self {
            Self::Object(entries) => entries.as_slice(),
            _ => &[],
        };
        entries.iter().filter_map(|(key, value)| match value {
            Self::Text(text) => Some((key.as_str(), text.as_str())),
            _ => None,
        })
    }

    /// Its number: bare, as text, `2 (the right one)`, or `8/10` where the scale ends at 10.
    pub(crate) fn number(&self, top: u8) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => number_of(text, top),
            Self::Object(_) | Self::List(_) | Self::Other => None,
        }
    }
}

/// A text's leading number, if only the scale's top or a remark without digits follows.
pub(crate) fn number_of(text: &str, top: u8) -> Option<f64> {
    let text = plain_digits(text);
    let text = text.trim().trim_matches(['*', '_', '`']).trim();
    // `7,5/10`: a comma is a decimal one only before the top of the scale.
    let is_number = |text: &str| text.trim_end().bytes().all(|b| b.is_ascii_digit() || b == b',');
    let text = match text.split_once('/') {
        Some((number, _)) if is_number(number) => text.replacen(',', ".", 1),
        _ => text.to_owned(),
    };
    let end = text
        .char_indices()
        .find(|(i, c)| !(c.is_ascii_digit() || *c == '.' || (*i == 0 && *c == '-')))
        .map_or(text.len(), |(i, _)| i);
    let (number, rest) = text.split_at(end);
    let number = number.trim_end_matches('.').parse().ok()?;
    let mut rest = rest.trim_start();
    for mark in ["/", "out of", "of", "von", "sur", "de", "из", "su"] {
        if let Some(after) = rest.strip_prefix(mark) {
            let after = after.trim_start();
            rest = after.strip_prefix(&top.to_string())?;
            break;
        }
    }
    let is_remark = rest.is_empty() || !rest.starts_with(char::is_alphanumeric);
    let is_range = rest.trim_start().starts_with(['-', '–', '—', '~', '+', '%', '±'])
        && !rest.contains(char::is_alphabetic);
    let is_clear = !rest.contains(|c: char| c.is_numeric() || c == '?');
    (is_remark && !is_range && is_clear).then_some(number)
}

/// The JSON value at the start of the text as JSON5 that cannot be read otherwise, and how many
/// bytes it has; `None` where it does not end.
fn mended(text: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let mut open: Vec<char> = Vec::new();
    let mut chars = text.char_indices().peekable();
    // The last character that is neither white space nor a comment, and whether a line ended since.
    let (mut last, mut has_break) = (' ', false);
    while let Some((at, c)) = chars.next() {
        if at > BYTES_MAX || open.len() > DEPTH_MAX {
            return None;
        }
        let rest = &text[at..];
        let is_place_of_text = matches!(last, '{' | '[' | ',' | ':' | ' ') || has_break;
        if let Some(close) = closing_quote(c).filter(|_| c == '"' || is_place_of_text) {
            // Between two entries on lines of their own a comma is often forgotten.
            if has_break && !matches!(last, '{' | '[' | ',' | ':') {
                out.push(',');
            }
            let end = at + quoted(rest, close, &mut out)?;
            while chars.next_if(|(i, _)| *i < end).is_some() {}
            (last, has_break) = ('"', false);
            continue;
        }
        let skipped = match c {
            '/' if rest.starts_with("//") => rest.find('\n')?,
            '/' if rest.starts_with("/*") => rest.find("*/")? + 2,
            '#' => rest.find('\n')?,
            _ => 0,
        };
        if skipped > 0 {
            while chars.next_if(|(i, _)| *i < at + skipped).is_some() {}
            continue;
        }
        if c.is_whitespace() {
            has_break |= c == '\n';
            out.push(c);
            continue;
        }
        // `"score": 8/10`.
        let run = |c: &char| c.is_ascii_digit() || ". /".contains(*c);
        let ratio: String = rest.chars().take_while(run).collect();
        if matches!(last, ':' | '[' | ',') && c.is_ascii_digit() && ratio.matches('/').count() == 1
        {
            out.push_str(&format!("\"{}\"", ratio.trim()));
            while chars.next_if(|(i, _)| *i < at + ratio.len()).is_some() {}
            (last, has_break) = ('"', false);
            continue;
        }
        if c.is_alphabetic() && !is_word(last) {
            let word: String = rest.chars().take_while(|c| is_word(*c)).collect();
            out.push_str(match word.as_str() {
                "None" | "undefined" => "null",
                "True" => "true",
                "False" => "false",
                other => other,
            });
            while chars.next_if(|(i, _)| *i < at + word.len()).is_some() {}
            (last, has_break) = ('x', false);
            continue;
        }
        match c {
            '{' | '[' => open.push(c),
            '}' | ']' => {
                let begun = open.pop()?;
                if (begun == '{') != (c == '}') {
                    return None;
                }
                out.push(c);
                if open.is_empty() {
                    return Some((out, at + 1));
                }
            }
            // Markdown's bold and code marks around a value, and its escapes.
            '*' | '`' | '\\' => continue,
            _ => {}
        }
        if c != '}' && c != ']' {
            out.push(c);
        }
        (last, has_break) = (c, false);
    }
    // Only the last brace is missing. A whole number at the very end may lack digits.
    let is_whole = || {
        let number = text.rsplit(|c: char| !(c.is_ascii_digit() || c == '.')).next();
        number.is_none_or(|number| number.is_empty() || number.contains('.'))
    };
    (open == ['{'] && is_whole()).then(|| (out + "}", text.len()))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn closing_quote(open: char) -> Option<char> {
    match open {
        '"' | '\'' => Some(open),
        '\u{201c}' | '\u{201d}' => Some('\u{201d}'),
        _ => None,
    }
}

/// Writes the text in quotation marks that `text` begins with, its line breaks escaped; how many
/// bytes were read. A mark that no end of a value follows is one of the text's own.
fn quoted(text: &str, close: char, out: &mut String) -> Option<usize> {
    out.push('"');
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if at > BYTES_MAX {
            return None;
        }
        match c {
            '\\' => {
                let (_, escaped) = chars.next()?;
                match escaped {
                    '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u' => {
                        out.push('\\');
                        out.push(escaped);
                    }
                    // Markdown escapes `_`, `*` and others.
                    other => out.push(other),
                }
            }
            c if c == close => {
                let after = &text[at + c.len_utf8()..];
                let next = after.trim_start();
                let is_line_end = after.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
                let ends = next.starts_with([':', '}', ']', '/', '#'])
                    || next.strip_prefix(',').is_some_and(goes_on)
                    || (is_line_end && next.starts_with(['"', '\'', '\u{201c}']));
                if ends {
                    out.push('"');
                    return Some(at + c.len_utf8());
                }
                out.push_str(if c == '"' { "\\\"" } else { "'" });
            }
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    None
}

/// Whether another value follows a comma, and not the rest of a sentence:
/// `"The prompt says "left of", and this is met."`.
fn goes_on(after_comma: &str) -> bool {
    let rest = after_comma.trim_start_matches([' ', '\t', '\r']);
    let word = rest.find(|c: char| !is_word(c)).map_or("", |end| &rest[..end]);
    let is_value = ["true", "false", "null", "None", "True", "False"].contains(&word);
    word.is_empty()
        || word.starts_with(|c: char| c.is_ascii_digit())
        || is_value
        || rest[word.len()..].trim_start().starts_with(':')
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Node;

            fn expecting(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }

            fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
                Ok(Node::Other)
            }

            fn visit_unit<E>(self) -> Result<Node, E> {
                Ok(Node::Other)
            }

            fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
                Ok(Node::Number(number as f64))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
                Ok(Node::Number(number as f64))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
                Ok(Node::Number(number))
            }

            fn visit_str<E>(self, text: &str) -> Result<Node, E> {
                Ok(Node::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(Node::List(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Node::Object(entries))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
