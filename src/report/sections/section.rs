//! A kind of board, its boards as sections, and their rows: the words that every kind uses.

use super::row::Of;
use crate::report::plot::Plot;
use crate::report::show::{capital, title};
use crate::report::table::{Column, Kind, Table, json_row};
use crate::results::{Results, Voice};
use serde::Serialize;
use serde_json::{Map, Value};

/// Keys and types of a row for programs.
pub(in super::super) type Fields = Vec<(&'static str, Kind)>;

/// The name of a kind of rows, and their columns; without columns where rows are nested.
pub(in super::super) type RowKind = (&'static str, fn() -> Fields);

/// One kind of board: how a report announces it, and how it is made.
#[derive(Debug, Serialize)]
pub(in super::super) struct BoardKind {
    /// Its place in the page's address.
    pub id: &'static str,
    /// Its name in the page's menu.
    pub menu: &'static str,
    pub heading: &'static str,
    /// How to read it.
    pub hint: &'static str,
    /// How the page draws its tables.
    pub class: &'static str,
    /// Whether it explains another board, and is left out where there is little room.
    pub is_detail: bool,
    /// Its rows for programs.
    #[serde(skip)]
    pub rows: &'static [RowKind],
    #[serde(skip)]
    pub make: fn(&Results) -> Boards,
}

/// The boards of one kind.
#[derive(Debug, Default, Serialize)]
pub(in super::super) struct Boards {
    pub sections: Vec<Section>,
    /// Those that were asked for and cannot be made.
    pub missing: Vec<Missing>,
    /// For programs, each with its `kind`.
    #[serde(skip)]
    pub rows: Vec<Value>,
    /// Lines of the CSV of all boards, by its keys.
    #[serde(skip)]
    pub csv: Vec<Map<String, Value>>,
}

/// A board with its heading and notes. Without a criterion it is about all of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(in super::super) struct Section {
    pub rubric: String,
    pub criterion: String,
    /// The criterion in words.
    pub title: String,
    /// Empty where the board is not one voice's.
    pub voice: String,
    /// The kind of board, such as `style-controlled`; empty for ratings and means.
    pub what: &'static str,
    /// `66 games on 12 prompts`.
    pub basis: String,
    /// One figure a cell; several tables have headings.
    pub tables: Vec<(String, Table)>,
    /// The same tables as one, with an interval and notes in each cell, for a page.
    pub wide: Option<Table>,
    /// Long tables for those who look, the most important lines first.
    pub further: Vec<(String, Table)>,
    /// Names and values of further figures.
    pub figures: Vec<(String, String)>,
    pub notes: Vec<Note>,
    /// Each method against each other, in the order of the board.
    pub matrix: Option<Table>,
    /// Plots other than those of its tables.
    pub plots: Vec<Plot>,
}

/// A sentence that a reader of a board must know.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(into = "String")]
pub(in super::super) struct Note {
    pub text: String,
    /// The generators that it is about, the subject of the sentence; often none.
    pub methods: String,
    /// Whether other boards of its kind often have it: a terminal prints it once, after all boards.
    pub is_common: bool,
}

/// A board that was asked for, and why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(in super::super) struct Missing {
    pub criterion: String,
    pub title: String,
    /// `pairwise, judged by people`.
    pub asked: String,
    /// `no style-controlled ratings: …`.
    pub text: String,
}

impl Section {
    pub(super) fn new(of: Of<'_>, what: &'static str, basis: String, table: Table) -> Self {
        Self { basis, tables: vec![(String::new(), table)], ..Self::of(of, what) }
    }

    pub(super) fn of((rubric, criterion, voice): Of<'_>, what: &'static str) -> Self {
        Self {
            rubric: rubric.to_owned(),
            criterion: criterion.to_owned(),
            title: title(criterion),
            voice: voice.map_or(String::new(), Voice::to_string),
            what,
            ..Self::default()
        }
    }

    pub(super) fn noted(self, notes: impl IntoIterator<Item = String>) -> Self {
        Self { notes: notes.into_iter().map(Note::new).collect(), ..self }
    }

    /// `pairwise, judged by probe`.
    pub(in super::super) fn asked(&self, names_voice: bool) -> String {
        let names_voice = names_voice && !self.voice.is_empty();
        let voice = if names_voice { format!("judged by {}", self.voice) } else { String::new() };
        joined([&self.rubric, &voice])
    }
}

impl Note {
    pub(in super::super) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), methods: String::new(), is_common: false }
    }

    pub(in super::super) fn written(&self) -> String {
        let space = if self.methods.is_empty() { "" } else { " " };
        format!("{}{space}{}", self.methods, self.text)
    }

    pub(in super::super) fn sentence(&self) -> String {
        // A name is written as it is.
        let written = match &*self.methods {
            "" => capital(&self.text),
            _ => self.written(),
        };
        if written.ends_with('.') { written } else { written + "." }
    }
}

impl From<Note> for String {
    fn from(note: Note) -> Self {
        note.sentence()
    }
}

/// Rows of a kind for programs.
pub(in super::super) fn tagged<R>(
    kind: &str,
    columns: &[Column<R>],
    rows: impl IntoIterator<Item = R>,
) -> Vec<Value> {
    let row = |row: R| {
        let kind = std::iter::once(("kind".to_owned(), Value::from(kind)));
        Value::Object(kind.chain(json_row(columns, &row)).collect())
    };
    rows.into_iter().map(row).collect()
}

/// A line of the CSV of all boards.
pub(super) fn csv_row<const N: usize>(
    kind: &str,
    place: usize,
    row: Map<String, Value>,
    more: [(&str, Value); N],
) -> Map<String, Value> {
    let first = [("kind", Value::from(kind)), ("place", Value::from(place))];
    let more = first.into_iter().chain(more).map(|(key, value)| (key.to_owned(), value));
    row.into_iter().chain(more).collect()
}

/// The keys and types of such rows.
pub(in super::super) fn fields<R>(columns: &[Column<R>]) -> Fields {
    columns.iter().flat_map(Column::fields).collect()
}

/// Those that are not empty, with commas.
pub(in super::super) fn joined<const N: usize>(parts: [&str; N]) -> String {
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}
