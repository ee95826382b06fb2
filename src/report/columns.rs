//! A board as columns of cells, which the terminal and Markdown write each in their own way.

use super::ends::Ends;
use super::text_table::dash_if_empty;
use std::fmt::{Display, Formatter};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Text(String),
    Ends(Ends),
}

/// Every row has as many cells as there are heads.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Columns {
    pub heads: Vec<&'static str>,
    pub rows: Vec<Vec<Cell>>,
}

impl Columns {
    pub(super) fn new<const N: usize>(
        heads: [&'static str; N],
        rows: impl IntoIterator<Item = [Cell; N]>,
    ) -> Self {
        Self { heads: heads.to_vec(), rows: rows.into_iter().map(Vec::from).collect() }
    }
}

impl Cell {
    /// Without typographic spaces and signs, `-` where there is nothing.
    pub(super) fn plain(&self) -> String {
        match self {
            Self::Text(text) => dash_if_empty(text),
            Self::Ends(ends) => ends.terminal(),
        }
    }
}

impl Display for Cell {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Ends(ends) => ends.fmt(f),
        }
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Text(count.to_string())
    }
}

impl From<&Ends> for Cell {
    fn from(ends: &Ends) -> Self {
        Self::Ends(ends.clone())
    }
}
