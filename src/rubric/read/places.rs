//! The place of each choice in a reply, and the meaning of its options: for the probabilities of the tokens there.

use super::super::schema::{CHOICE_KEY, SCORE_KEY};
use crate::rubric::{Kind, Order, Rubric, Verdict, Winner};
use serde_json::{Map, Value, json};

impl Rubric {
    /// The marks that a choice is made with, as they are written.
    pub fn choice_marks(&self) -> Vec<String> {
        match self.kind {
            Kind::Pairwise => [self.options.left, self.options.right, self.options.tie]
                .iter()
                .map(u8::to_string)
                .collect(),
            Kind::Reconstruction | Kind::Category => {
                (self.scale.min..=self.scale.max).map(|n| n.to_string()).collect()
            }
        }
    }

    /// The byte of each choice in the raw text of a verdict, in the rubric's order; `None` where the place is not certain. The marks at
    /// these places are those of the verdict.
    pub fn choice_places(&self, text: &str, verdict: &Verdict, order: Order) -> Option<Vec<usize>> {
        let marks: Vec<String> = match verdict {
            Verdict::Pairwise { choices, undecided, .. } if undecided.is_empty() => {
                let mark = |winner: &Winner| {
                    let shown = order.listed(*winner);
                    let of = self.menu().into_iter().find(|(_, of)| *of == shown);
                    of.map(|(mark, _)| mark.to_string())
                };
                choices.iter().map(|(_, winner)| mark(winner)).collect::<Option<_>>()?
            }
            Verdict::Reconstruction { score } => vec![(*score)?.to_string()],
            // A number of 0 to 10 has two digits and a fraction; it is never a single token.
            Verdict::Pairwise { .. } | Verdict::Category { .. } => return None,
        };
        let places = if text.trim_end().ends_with(['}', '`']) {
            self.places_in_object(text)?
        } else {
            places_in_last_line(text, marks.len())?
        };
        let are_marks = places
            .iter()
            .zip(&marks)
            .all(|(place, mark)| text[*place..].starts_with(mark.as_str()));
        (places.len() == marks.len() && are_marks).then_some(places)
    }

    fn places_in_object(&self, text: &str) -> Option<Vec<usize>> {
        let mut at = text.find('{')?;
        let mut place = |keys: &[&str]| {
            for key in keys {
                at += text[at..].find(&format!("\"{key}\""))?;
            }
            at += text[at..].find(':')?;
            at += text[at..].find(|c: char| c.is_ascii_digit())?;
            Some(at)
        };
        match self.kind {
            Kind::Pairwise => (self.criteria.iter())
                .map(|criterion| place(&[&criterion.key, CHOICE_KEY]))
                .collect(),
            Kind::Reconstruction => Some(vec![place(&[SCORE_KEY])?]),
            Kind::Category => None,
        }
    }

    /// Probabilities with their names: criterion → `a`, `b`, `tie` in the listed order, or `score` → each score.
    pub fn with_names(&self, found: &[Vec<f64>], order: Order) -> Value {
        let entries: Map<String, Value> = match self.kind {
            Kind::Pairwise => {
                let names = [Winner::A, Winner::B, Winner::Tie].map(|w| order.listed(w).as_str());
                let named = |shares: &Vec<f64>| {
                    let pairs = names.iter().zip(shares);
                    pairs.map(|(name, p)| ((*name).to_owned(), json!(p))).collect()
                };
                self.criteria
                    .iter()
                    .zip(found)
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

/// The first digits of the last line that has any, after its announcement; `None` where it has others that could be meant as well.
fn places_in_last_line(text: &str, count: usize) -> Option<Vec<usize>> {
    let last = text.rfind(|c: char| c.is_ascii_digit())?;
    let start = text[..last].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line = &text[start..=last];
    let start = start + line.rfind([':', '=']).map_or(0, |at| at + 1);
    let digits = text[start..].char_indices().filter(|(_, c)| c.is_ascii_digit());
    let mut places: Vec<usize> = digits.map(|(at, _)| start + at).collect();
    // `2/3` counts to the top of its scale.
    if count == 1 && places.len() == 2 && text[places[0]..places[1]].contains(['/', 'o']) {
        places.truncate(1);
    }
    (places.len() == count).then_some(places)
}
