//! How well judges answer a checklist, against people.

use super::row::COEFFICIENT;
use super::section::{BoardKind, Boards, Section, csv_row, fields, tagged};
use crate::rate::Checked;
use crate::report::show::{plural, plural_with};
use crate::report::table::Cell::{Count, Estimate, Json, Text, Word};
use crate::report::table::{Column, Table, column, data, hinted, json_row};
use crate::results::{ChecklistBoard, Results, Voice};
use serde_json::json;

pub(super) static KIND: BoardKind = BoardKind {
    id: "checklists",
    menu: "Checklists",
    heading: "Checklists against people",
    hint: "How well the answers to each item agree with people’s majority: Matthews correlation (MCC: 0 by chance, 1 for full agreement; 0 where all answers are the same), F1 of the answer yes, and Cohen’s κ. “Partly” counts as yes. In brackets, 95 % intervals over assets.",
    class: "plain",
    is_detail: false,
    rows: &[("checklist", || fields(&columns()))],
    make,
};

/// An item, or all of them.
type ChecklistRow<'a> = (&'a ChecklistBoard, &'a str, &'a Checked);

fn make(results: &Results) -> Boards {
    let mut made = Boards::default();
    for on in &results.checklists {
        let lines = lines(on);
        made.csv.extend(lines.iter().zip(1..).map(|(row, at)| {
            let interval = row.2.mcc.and_then(|mcc| mcc.interval);
            let more = [
                ("criterion", json!(row.1)),
                ("rating", json!(row.2.mcc.map(|mcc| mcc.value))),
                ("low", json!(interval.map(|i| i.low))),
                ("high", json!(interval.map(|i| i.high))),
                ("games", json!(row.2.counts.iter().sum::<usize>())),
            ];
            csv_row("checklist", at, json_row(&columns(), row), more)
        }));
        made.sections.push(section(on, Table::new(&columns(), &lines, None)));
        made.rows.extend(tagged("checklist", &columns(), lines));
    }
    made
}

fn section(on: &ChecklistBoard, table: Table) -> Section {
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
    let of = (&*on.rubric, "checklist", Some(&on.voice));
    Section::new(of, "against people", basis, table).noted(notes)
}

/// Each item, then all of them.
fn lines(on: &ChecklistBoard) -> Vec<ChecklistRow<'_>> {
    let items = on.items.iter().map(|(item, found)| (item.as_str(), found));
    let all = items.chain([("mean of all items", &on.all)]);
    all.map(|(item, found)| (on, item, found)).collect()
}

fn columns<'a>() -> Vec<Column<ChecklistRow<'a>>> {
    let mcc = "Matthews correlation with people's majority; 0 where all answers are the same";
    vec![
        data(&["rubric"], Text(|r| &r.0.rubric)),
        data(&["judge"], Json(|r| Some(r.0.voice.to_string().into()))),
        column(&["item"], "item", Word(|r| r.1)),
        column(&["answers"], "answers", Count(|r| r.2.counts.iter().sum())),
        hinted("Both say yes", column(&["both_yes"], "both yes", Count(|r| r.2.counts[0]))),
        column(&["only_judge"], "only judge", Count(|r| r.2.counts[1])),
        column(&["only_people"], "only people", Count(|r| r.2.counts[2])),
        hinted(mcc, column(&["mcc"], "MCC", Estimate(COEFFICIENT, |r| r.2.mcc))),
        column(&["f1"], "F1", Estimate(COEFFICIENT, |r| r.2.f1)),
        column(&["kappa"], "κ", Estimate(COEFFICIENT, |r| r.2.kappa)),
        data(&["assets"], Count(|r| r.0.num_assets)),
        data(&["raters"], Count(|r| r.0.num_raters)),
    ]
}
