//! The JSON objects of a reply, and whether one is the object that a question asks for.
//!
//! JSON5 reads them: comments, trailing commas and single quotes are no reason to lose an answer. A
//! key with two values keeps both, so that such an object is no answer.

use super::slots::{Answer, Slots};
use crate::rubric::keys::{CHOICE_KEY, EXPLANATION_KEY, REASONING_KEY, SCORE_KEY};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt::Formatter;
use std::ops::Range;

/// A JSON value in which a key may be given twice.
#[derive(Debug, PartialEq)]
pub(crate) enum Node {
    Object(Vec<(String, Node)>),
    Text(String),
    Number(f64),
    Null,
    /// A list, true or false: never part of an answer.
    Other,
}

/// After so many brackets that begin no object, the rest of the text is not searched.
const STARTS_MAX: usize = 1_000;
/// No answer is longer.
const BYTES_MAX: usize = 200_000;
/// No answer is nested deeper.
const DEPTH_MAX: usize = 24;

/// Every object of a text that is not within another one, and its place in bytes.
pub(crate) fn objects(text: &str) -> Vec<(Range<usize>, Node)> {
    let (mut found, mut at) = (Vec::new(), 0);
    for _ in 0..STARTS_MAX {
        let Some(start) = text[at..].find('{') else { break };
        at += start;
        // Prose between the brackets can hold an apostrophe, and a string a bracket.
        let ends = [true, false].into_iter().filter_map(|quotes| len_of(&text[at..], quotes));
        let parsed = |len: usize| Some((len, json5::from_str(&text[at..at + len]).ok()?));
        match ends.filter_map(parsed).next() {
            Some((len, node)) => {
                found.push((at..at + len, node));
                at += len;
            }
            None => at += 1,
        }
    }
    found
}

/// How many bytes the object has that the text begins with; brackets within strings do not count
/// where `quotes` do.
fn len_of(text: &str, quotes: bool) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (0, None, false);
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < BYTES_MAX) {
        match (quote, c) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if quotes => quote = Some(c),
            (None, '{' | '[') if depth == DEPTH_MAX => return None,
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth -= 1,
            (None, _) => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

impl Node {
    /// The answer that the object is: exactly the keys, each with an allowed value. Reasoning, a
    /// text, may be next to a value and within the object of a value.
    pub(crate) fn answer(&self, slots: &Slots) -> Option<Answer> {
        let Self::Object(members) = self else { return None };
        let mut answer = vec![None; slots.keys.len()];
        for (key, value) in members.iter().filter(|(key, value)| !is_reasoning(key, value)) {
            let place = slots.keys.iter().position(|known| known == key)?;
            if answer[place].replace(value.decision(slots)?).is_some() {
                return None;
            }
        }
        answer.into_iter().collect()
    }

    fn decision(&self, slots: &Slots) -> Option<Option<f64>> {
        match self {
            Self::Number(value) => slots.value(&value.to_string()),
            Self::Text(word) => slots.value(word),
            Self::Null => slots.may_be_open.then_some(None),
            Self::Object(members) => {
                let mut values = members.iter().filter(|(key, value)| !is_reasoning(key, value));
                match (values.next(), values.next()) {
                    (Some((key, value)), None)
                        if [CHOICE_KEY, SCORE_KEY].contains(&key.as_str())
                            && !matches!(value, Self::Object(_)) =>
                    {
                        value.decision(slots)
                    }
                    _ => None,
                }
            }
            Self::Other => None,
        }
    }
}

fn is_reasoning(key: &str, value: &Node) -> bool {
    [REASONING_KEY, EXPLANATION_KEY].contains(&key) && matches!(value, Node::Text(_))
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
            fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
                Ok(Node::Number(value as f64))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
                Ok(Node::Number(value as f64))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
                Ok(Node::Number(value))
            }
            fn visit_str<E>(self, value: &str) -> Result<Node, E> {
                Ok(Node::Text(value.to_owned()))
            }
            fn visit_unit<E>(self) -> Result<Node, E> {
                Ok(Node::Null)
            }
            fn visit_none<E>(self) -> Result<Node, E> {
                Ok(Node::Null)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Node::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Node::Object(members))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
