//! Why a text is no answer.

/// Why a text is no answer.
#[derive(Debug, PartialEq)]
pub(crate) enum NoAnswer {
    /// Nothing in it looks like one; it may be a refusal.
    Absent(String),
    /// There is one, and it is off the menu.
    Wrong(String),
}

impl NoAnswer {
    pub(crate) fn absent(reason: &str) -> Self {
        Self::Absent(reason.to_owned())
    }

    /// Answers that contradict each other, none of which is marked as the final one.
    pub(crate) fn two_answers() -> Self {
        Self::Wrong("the reply holds two different answers".to_owned())
    }

    /// An answer after which the judge begins to doubt it.
    pub(crate) fn taken_back() -> Self {
        Self::Wrong("the reply goes on to doubt its answer, and gives no other".to_owned())
    }

    /// An answer after which the judge says something of it that is not understood.
    pub(crate) fn elsewhere() -> Self {
        Self::Wrong("the line above the digits announces something else than an answer".to_owned())
    }

    pub(crate) fn commented() -> Self {
        Self::Wrong("the reply goes on to speak of its answer, and may take it back".to_owned())
    }
}
