//! The sensitivity of a board's order to what it rests on.

use super::row::{ELO, explained, of};
use super::section::{BoardKind, Boards, Section};
use crate::rate::{Diagnosis, Variant};
use crate::report::ends::Ends;
use crate::report::table::Cell::{Count, Name, Number, Word};
use crate::report::table::{Column, Table, Unit, column};
use crate::results::{CriterionDiagnosis, Results};
use serde_json::json;

pub(super) static KIND: BoardKind = BoardKind {
    id: "sensitivity",
    menu: "Sensitivity",
    heading: "Sensitivity of the order",
    hint: "",
    class: "plain stack",
    is_detail: true,
    rows: &[("diagnosis", Vec::new)],
    make,
};

fn make(results: &Results) -> Boards {
    let row = |on: &CriterionDiagnosis| {
        let mut row = json!(on);
        row["kind"] = "diagnosis".into();
        row["voice"] = on.key.voice.to_string().into();
        row
    };
    Boards {
        sections: results.diagnoses.iter().map(section).collect(),
        rows: results.diagnoses.iter().map(row).collect(),
        ..Boards::default()
    }
}

fn section(on: &CriterionDiagnosis) -> Section {
    let rows: Vec<_> = on.diagnosis.variants.iter().map(|variant| (on, variant)).collect();
    let table = Table::new(&columns(), &rows, None);
    Section::new(of(&on.key), "sensitivity of the order", String::new(), table).noted(notes(on))
}

/// Under other assumptions.
fn columns<'a>() -> Vec<Column<(&'a CriterionDiagnosis, &'a Variant)>> {
    let turned = "Pairs of generators whose order is reversed";
    let moved =
        "Largest change of a rating, in points, after both boards are scaled to the same spread";
    let scale = "Spread of the ratings divided by that of the board";
    vec![
        column(&[], "if", Name(|(_, v)| &v.name)),
        column(
            &[],
            "first",
            Word(|(on, v)| if v.is_level() { "all equal" } else { &on.methods[v.first] }),
        ),
        explained("orders changed", turned, Count(|(_, v)| v.turned)),
        explained("largest move", moved, Number(ELO, |(_, v)| v.moved_elo)),
        explained("scale", scale, Number(Unit::Digits(2), |(_, v)| v.scale)),
    ]
}

fn notes(on: &CriterionDiagnosis) -> Vec<String> {
    let Diagnosis { left_out, intransitivity, ranks, .. } = &on.diagnosis;
    let mut notes = Vec::new();
    if let Some(found) = left_out {
        notes.push(format!(
            "without any one prompt: first place changes for {} of {}, the order for {}; the largest move is {} without {:?}, by {:.0} points",
            found.first_changes,
            found.num_prompts,
            found.order_changes,
            on.methods[found.method],
            on.prompt.as_deref().unwrap_or(""),
            found.moved_elo
        ));
    }
    if let Some(found) = intransitivity {
        notes.push(format!(
            "circular wins: {:.1}, where chance gives {:.1} (p = {:.3}); pairs differ from the ratings by about {:.0} points beyond chance",
            found.x2, found.expected, found.p, found.beyond_elo
        ));
    }
    if let Some(ranks) = ranks {
        let ranked = on.methods.iter().zip(ranks);
        let ranked = ranked.map(|(name, ranks)| format!("{name} {}", Ends::ranks(Some(*ranks))));
        notes.push(format!(
            "ranks of one generator that was chosen before its games were seen: {}",
            ranked.collect::<Vec<_>>().join(", ")
        ));
    }
    notes
}
