//! Results → chapters of sections: the one form of boards, from which every format is written.
//!
//! A kind of board is one file in this folder (columns, rows for programs, and a function from
//! results to sections) and one line in [`KINDS`]. The terminal, Markdown, the page, CSV, the rows
//! of `--json` and Python's frames walk the chapters, and none of them asks for the kind.

mod agreement;
mod anchored;
mod audit;
mod categories;
mod checklists;
mod controlled;
mod diagnoses;
mod juries;
mod means;
mod metrics;
mod opinions;
mod ratings;
mod row;
mod section;

pub(super) use audit::{Verdict, audit_sections, verdict};
pub(super) use metrics::{MetricTable, asset_name, metric_tables};
pub(super) use ratings::{notes_of, rating_text};
pub(super) use section::{BoardKind, Boards, Fields, RowKind, Section, fields, joined, tagged};

use crate::results::Results;
use serde::Serialize;
use serde_json::Value;

/// All kinds, in the order of a report.
pub(super) static KINDS: [&BoardKind; 11] = [
    &ratings::KIND,
    &anchored::KIND,
    &controlled::KIND,
    &diagnoses::KIND,
    &categories::KIND,
    &means::KIND,
    &opinions::KIND,
    &metrics::KIND,
    &agreement::KIND,
    &juries::KIND,
    &checklists::KIND,
];

#[derive(Debug, Serialize)]
pub(super) struct Chapter {
    #[serde(flatten)]
    pub kind: &'static BoardKind,
    #[serde(flatten)]
    pub boards: Boards,
    /// Whether headings must say who judged.
    pub names_voices: bool,
}

/// The chapters that have a board, or a reason why not.
pub(super) fn chapters(results: &Results) -> Vec<Chapter> {
    let made = KINDS.iter().map(|&kind| {
        let boards = (kind.make)(results);
        let mut voices = boards.sections.iter().map(|section| &section.voice);
        let first = voices.next();
        let names_voices = results.spending.len() > 1 || voices.any(|voice| Some(voice) != first);
        Chapter { kind, boards, names_voices }
    });
    made.filter(|it| !it.boards.sections.is_empty() || !it.boards.missing.is_empty()).collect()
}

/// The chapters without the notes that were `said` before.
pub(super) fn chapters_after(said: &[String], results: &Results) -> Vec<Chapter> {
    let mut chapters = chapters(results);
    let sections = chapters.iter_mut().flat_map(|chapter| &mut chapter.boards.sections);
    sections.for_each(|section| section.notes.retain(|note| !said.contains(&note.written())));
    chapters
}

/// The rows of all boards for programs.
pub(super) fn board_rows(results: &Results) -> impl Iterator<Item = Value> + '_ {
    KINDS.iter().flat_map(|kind| (kind.make)(results).rows)
}
