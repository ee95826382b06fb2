//! The decisions that a question asks for: their keys in order, and the values that each may have.

/// The values of a decision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Allowed {
    /// One of these, written as here. The form in text is one line of them.
    Marks(Vec<u8>),
    /// Any number between these two, both included. There is no form in text.
    Numbers(u8, u8),
    /// One of [`WORDS`]. There is no form in text.
    Words,
}

/// The answers of a checklist, and their values.
pub(crate) const WORDS: [(&str, f64); 3] = [("yes", 1.0), ("partly", 0.5), ("no", 0.0)];

/// The value of an answer to an item of a checklist: 1 for yes, 0.5 for partly, 0 for no.
pub fn answer_value(word: &str) -> Option<f64> {
    let is_it = |(known, _): &&(&str, f64)| known.eq_ignore_ascii_case(word);
    WORDS.iter().find(is_it).map(|(_, value)| *value)
}

/// What an answer must hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slots {
    /// In the order of the answer.
    pub keys: Vec<String>,
    pub allowed: Allowed,
    /// Whether a decision may be left open: only in a restatement.
    pub may_be_open: bool,
}

/// A value for each key, in order; `None` for a decision that is left open.
pub(crate) type Answer = Vec<Option<f64>>;

impl Slots {
    /// The word for a decision that is left open: 0, unless 0 is a value.
    pub(crate) fn open_word(&self) -> &'static str {
        match &self.allowed {
            Allowed::Marks(marks) if !marks.contains(&0) => "0",
            Allowed::Marks(_) | Allowed::Words => "none",
            Allowed::Numbers(..) => "null",
        }
    }

    /// The decision that a word states.
    pub(crate) fn value(&self, word: &str) -> Option<Option<f64>> {
        let word = word.trim();
        if self.may_be_open && word == self.open_word() {
            return Some(None);
        }
        if self.allowed == Allowed::Words {
            return answer_value(word).map(Some);
        }
        // Rust also reads "inf", "1e3" and "2." as numbers.
        let is_plain = word.chars().all(|c| c.is_ascii_digit() || c == '.')
            && word.ends_with(|c: char| c.is_ascii_digit());
        let number = is_plain.then(|| word.parse().ok()).flatten()?;
        self.number(number).map(Some)
    }

    /// The value, if it is one of those allowed.
    pub(crate) fn number(&self, value: f64) -> Option<f64> {
        let is_allowed = match &self.allowed {
            Allowed::Marks(marks) => marks.iter().any(|mark| f64::from(*mark) == value),
            Allowed::Numbers(min, max) => (f64::from(*min)..=f64::from(*max)).contains(&value),
            Allowed::Words => WORDS.iter().any(|(_, known)| *known == value),
        };
        is_allowed.then_some(value)
    }
}
