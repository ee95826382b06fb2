//! Each choice's place in a reply and its digits' meaning: for the token probabilities there.

use super::kind::Choice;
use super::{Order, Rubric, Verdict};
use serde_json::{Map, Value, json};

impl Rubric {
    /// The digits that each choice is made with.
    pub fn choice_marks(&self) -> Vec<String> {
        let choice = self.choices(Order::AsListed).into_iter().next();
        let options = choice.map(|choice| choice.options).unwrap_or_default();
        options.into_iter().map(|(mark, _)| mark).collect()
    }

    /// The choice digits that the rubric's text lacks, so that a judge cannot know their meaning.
    pub fn unexplained_marks(&self) -> Vec<String> {
        let mut marks = self.choice_marks();
        marks.retain(|mark| !self.texts.values().any(|text| text.contains(mark.as_str())));
        marks
    }

    /// The byte of each choice in the raw text of a verdict, in the rubric's order; `None` where
    /// the place is not certain. The marks at these places are those of the verdict.
    pub fn choice_places(&self, text: &str, verdict: &Verdict, order: Order) -> Option<Vec<usize>> {
        let choices = self.choices(order);
        let mark = |choice: &Choice| {
            let name = verdict.choice(&choice.key)?;
            let option = choice.options.iter().find(|(_, known)| *known == name)?;
            Some(option.0.clone())
        };
        let marks: Vec<String> = choices.iter().map(mark).collect::<Option<_>>()?;
        let places = if text.trim_end().ends_with(['}', '`']) {
            places_in_object(text, &choices)?
        } else {
            places_in_last_line(text, marks.len())?
        };
        let are_marks = places
            .iter()
            .zip(&marks)
            .all(|(place, mark)| text[*place..].starts_with(mark.as_str()));
        (places.len() == marks.len() && are_marks && !marks.is_empty()).then_some(places)
    }

    /// Named probabilities: criterion → `a`, `b`, `tie` in listed order, or `score` → each score.
    pub fn with_names(&self, found: &[Vec<f64>], order: Order) -> Value {
        let named = |choice: &Choice, shares: &[f64]| {
            let names = choice.options.iter().map(|(_, name)| name.clone());
            let named: Map<String, Value> = names.zip(shares.iter().map(|p| json!(p))).collect();
            (choice.key.clone(), Value::Object(named))
        };
        let choices = self.choices(order);
        let entries = choices.iter().zip(found).map(|(choice, shares)| named(choice, shares));
        Value::Object(entries.collect())
    }

    fn choices(&self, order: Order) -> Vec<Choice> {
        self.kind.form().choices(self, order)
    }
}

fn places_in_object(text: &str, choices: &[Choice]) -> Option<Vec<usize>> {
    let mut at = text.find('{')?;
    let mut place = |choice: &Choice| {
        for key in &choice.path {
            at += text[at..].find(&format!("\"{key}\""))?;
        }
        at += text[at..].find(':')?;
        at += text[at..].find(|c: char| c.is_ascii_digit())?;
        Some(at)
    };
    choices.iter().map(&mut place).collect()
}

/// The first digits of the last line that has any, after its announcement; `None` where it has
/// others that could be meant as well.
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
