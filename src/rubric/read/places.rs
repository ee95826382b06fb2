//! Where in a reply each choice stands, and what its options mean: for the probabilities of the tokens there.

use super::super::schema::{CHOICE_KEY, SCORE_KEY};
use super::{after_thinking, choices, object};
use crate::rubric::verdict::Winner;
use crate::rubric::{Kind, Order, Rubric};
use serde_json::{Map, Value, json};

impl Rubric {
    /// The marks that a choice is made with, as they are written.
    pub fn choice_marks(&self) -> Vec<String> {
        match self.kind {
            Kind::Pairwise => [self.options.left, self.options.right, self.options.tie]
                .iter()
                .map(u8::to_string)
                .collect(),
            Kind::Reconstruction | Kind::Category => (self.scale.min..=self.scale.max)
                .map(|n| n.to_string())
                .collect(),
        }
    }

    /// The byte of each choice in the raw text of a verdict, in the rubric's order; `None` where they cannot be told for sure.
    pub fn choice_places(&self, text: &str) -> Option<Vec<usize>> {
        let keys: Vec<&str> = match self.kind {
            Kind::Pairwise => self.criteria.iter().map(|c| c.key.as_str()).collect(),
            Kind::Reconstruction => vec![SCORE_KEY],
            // A number of 0 to 10 has two digits and a fraction; no single token stands for it.
            Kind::Category => return None,
        };
        if object::whole(text).is_some() {
            return self.places_in_object(text, &keys);
        }
        // The last digits of the text are the answer line, or it cannot be told which are.
        let mut places: Vec<usize> = (text.char_indices().rev())
            .filter(|(_, c)| c.is_ascii_digit())
            .take(keys.len())
            .map(|(at, _)| at)
            .collect();
        places.reverse();
        let (first, last) = (*places.first()?, *places.last()?);
        let is_line = !text[first..last].contains(['\n', '\r']);
        let marks: String = places.iter().map(|&at| &text[at..=at]).collect();
        let is_read = self.kind != Kind::Pairwise || self.marks_read(text)? == marks;
        (places.len() == keys.len() && is_line && is_read).then_some(places)
    }

    /// The marks of the choices that are read from a text, one after the other.
    fn marks_read(&self, text: &str) -> Option<String> {
        let menu = self.menu();
        let read = choices::read(after_thinking(text).ok()?, &self.names(), &menu).ok()?;
        let mark = |winner| {
            menu.iter()
                .find(|(_, of)| *of == winner)
                .map(|(mark, _)| mark.to_string())
        };
        read.into_iter().map(mark).collect()
    }

    fn places_in_object(&self, text: &str, keys: &[&str]) -> Option<Vec<usize>> {
        let mut at = 0;
        (keys.iter())
            .map(|key| {
                at += text[at..].find(&format!("\"{key}\""))?;
                if self.kind == Kind::Pairwise {
                    at += text[at..].find(&format!("\"{CHOICE_KEY}\""))?;
                }
                at += text[at..].find(':')?;
                at += text[at..].find(|c: char| c.is_ascii_digit())?;
                Some(at)
            })
            .collect()
    }

    /// Probabilities with their names: criterion → `a`, `b`, `tie` in the listed order, or `score` → each score.
    pub fn with_names(&self, found: &[Vec<f64>], order: Order) -> Value {
        let entries: Map<String, Value> = match self.kind {
            Kind::Pairwise => {
                let names = [Winner::A, Winner::B, Winner::Tie].map(|w| w.listed(order).as_str());
                let named = |shares: &Vec<f64>| {
                    let pairs = names.iter().zip(shares);
                    pairs
                        .map(|(name, p)| ((*name).to_owned(), json!(p)))
                        .collect()
                };
                (self.criteria.iter().zip(found))
                    .map(|(criterion, shares)| {
                        (criterion.key.clone(), Value::Object(named(shares)))
                    })
                    .collect()
            }
            Kind::Reconstruction | Kind::Category => {
                let marks = self.choice_marks();
                let named = |shares: &Vec<f64>| {
                    let pairs = marks.iter().zip(shares);
                    pairs.map(|(mark, p)| (mark.clone(), json!(p))).collect()
                };
                found
                    .first()
                    .map(|shares| (SCORE_KEY.to_owned(), Value::Object(named(shares))))
                    .into_iter()
                    .collect()
            }
        };
        Value::Object(entries)
    }
}
