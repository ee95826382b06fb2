//! Who answered: a model, the probe, a person or another program. Decided once, on reading a name.

use serde::{Serialize, Serializer};
use std::fmt;

/// What a person's name begins with in the `judge` of a record.
pub const PERSON_PREFIX: &str = "human:";

/// What another program's name begins with.
const IMPORTED_PREFIX: &str = "imported:";

/// The source of an answer. Ordered by full name, which is also how it serialises.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rater {
    full_name: String,
    kind: RaterKind,
}

/// What kind of rater it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum RaterKind {
    /// A model on a server, named by its spec.
    #[default]
    Model,
    /// The judge that measures.
    Probe,
    /// `human:NAME`: votes of the page or of an imported file.
    Person,
    /// `imported:NAME`: another program's answers.
    Imported,
}

impl Rater {
    /// Decides the kind by the name's prefix.
    pub fn named(full_name: impl Into<String>) -> Self {
        let full_name = full_name.into();
        let kind = if full_name.starts_with(PERSON_PREFIX) {
            RaterKind::Person
        } else if full_name.starts_with(IMPORTED_PREFIX) {
            RaterKind::Imported
        } else if full_name == "probe" {
            RaterKind::Probe
        } else {
            RaterKind::Model
        };
        Self { full_name, kind }
    }

    /// The person of that name.
    pub fn person(name: &str) -> Self {
        Self::named(format!("{PERSON_PREFIX}{name}"))
    }

    /// The other program of that name.
    pub fn imported(name: &str) -> Self {
        Self::named(format!("{IMPORTED_PREFIX}{name}"))
    }

    /// As records hold it.
    pub fn as_str(&self) -> &str {
        &self.full_name
    }

    /// The name without its prefix.
    pub fn short_name(&self) -> &str {
        let prefix = match self.kind {
            RaterKind::Person => PERSON_PREFIX.len(),
            RaterKind::Imported => IMPORTED_PREFIX.len(),
            RaterKind::Model | RaterKind::Probe => 0,
        };
        &self.full_name[prefix..]
    }

    /// What kind of rater it is.
    pub fn kind(&self) -> RaterKind {
        self.kind
    }

    /// Whether it is a person.
    pub fn is_person(&self) -> bool {
        self.kind == RaterKind::Person
    }

    /// Whether this program asked it, in both orders and with its own pictures.
    pub fn is_asked(&self) -> bool {
        matches!(self.kind, RaterKind::Model | RaterKind::Probe)
    }
}

impl fmt::Display for Rater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.full_name)
    }
}

impl Serialize for Rater {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.full_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_once_what_it_is() {
        let kinds = ["human:ann", "imported:gpteval3d", "probe", "openai:gpt-5"]
            .map(|name| Rater::named(name).kind());
        let expected = [RaterKind::Person, RaterKind::Imported, RaterKind::Probe, RaterKind::Model];
        assert_eq!(kinds, expected);
        assert_eq!(Rater::person("ann").short_name(), "ann");
        assert_eq!(Rater::named("openai:gpt-5").short_name(), "openai:gpt-5");
        assert!(Rater::named("human:b") < Rater::named("openai:a"));
    }
}
