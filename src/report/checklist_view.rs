//! How well judges answer a checklist, as it is written.

use super::board_columns::{checklist_columns, checklist_rows};
use super::section::Section;
use super::show::{plural, plural_with};
use super::table::Table;
use crate::results::{ChecklistBoard, Voice};

pub(super) fn checklist_section(on: &ChecklistBoard) -> Section {
    let basis = format!(
        "{} with answers of {}",
        plural(on.num_assets, "asset"),
        plural(on.num_raters, "rater")
    );
    let mut notes = Vec::new();
    if on.voice == Voice::People {
        notes.push(
            "Each person against the majority of the others: the ceiling for a judge.".to_owned(),
        );
    }
    if on.num_split > 0 {
        let split = plural_with(on.num_split, "answer", ["is", "are"]);
        notes.push(format!("{split} left out, because people are divided equally."));
    }
    let table = Table::new(&checklist_columns(), &checklist_rows(on), None);
    let voice = on.voice.to_string();
    Section::new([&on.rubric, "checklist", &voice], "against people", basis, table, notes)
}
