//! A board with its heading and notes, as all formats for people show it.

use super::show::title;
use super::table::Table;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Section {
    pub rubric: String,
    pub criterion: String,
    /// The criterion in words.
    pub title: String,
    /// Empty where the board is not one voice's.
    pub voice: String,
    /// The kind of board, such as `style-controlled`; empty for ratings.
    pub what: &'static str,
    /// `66 games on 12 prompts`.
    pub basis: String,
    pub table: Table,
    /// Sentences for the reader.
    pub notes: Vec<String>,
}

impl Section {
    pub(super) fn new(
        [rubric, criterion, voice]: [&str; 3],
        what: &'static str,
        basis: String,
        table: Table,
        notes: Vec<String>,
    ) -> Self {
        Self {
            rubric: rubric.to_owned(),
            criterion: criterion.to_owned(),
            title: title(criterion),
            voice: voice.to_owned(),
            what,
            basis,
            table,
            notes,
        }
    }

    /// `pairwise, judged by probe`.
    pub(super) fn asked(&self, names_voice: bool) -> String {
        let names_voice = names_voice && !self.voice.is_empty();
        let voice = if names_voice { format!("judged by {}", self.voice) } else { String::new() };
        joined([&self.rubric, &voice])
    }
}

/// Those that are not empty, with commas.
pub(super) fn joined<const N: usize>(parts: [&str; N]) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}
