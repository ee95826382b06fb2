//! The decisions that a question asks for: their keys in order, and the values that each may have.

/// The values of a decision.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Allowed {
    /// One of these, written as here. The form in text is one line of them.
    Marks(Vec<u8>),
    /// Any number between these two, both included. There is no form in text.
    Numbers(u8, u8),
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
            Allowed::Marks(_) => "none",
            Allowed::Numbers(..) => "null",
        }
    }

    /// The decision that a word states.
    pub(crate) fn value(&self, word: &str) -> Option<Option<f64>> {
        let word = word.trim();
        if self.may_be_open && word == self.open_word() {
            return Some(None);
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
        };
        is_allowed.then_some(value)
    }
}
