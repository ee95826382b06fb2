//! Means of scores of single objects: by judges, and by people as they were imported.

use super::row::{Row, SCORE, criterion, interval, judge, method, of, rows, rubric};
use super::section::{BoardKind, Boards, Note, Section, csv_row, fields, tagged};
use crate::rate::Mean;
use crate::report::show::plural;
use crate::report::table::Cell::{Count, Main, MaybeNumber, Plot};
use crate::report::table::{Column, Table, column, data, json_row};
use crate::report::words::SCORED;
use crate::results::{CriterionMeans, Results};
use serde_json::json;

pub(super) static KIND: BoardKind = BoardKind {
    id: "means",
    menu: "Scores",
    heading: "Scores of single objects",
    hint: "",
    class: "plot",
    is_detail: false,
    rows: &[("mean", || fields(&columns()))],
    make,
};

pub(super) type MeanRow<'a, B> = Row<'a, B, (String, Mean)>;

fn make(results: &Results) -> Boards {
    let mut made = Boards::default();
    for on in &results.means {
        let rows = rows(on, of(&on.key), &on.means, |(method, _)| method);
        made.csv.extend(rows.iter().map(|row| {
            let mean = &row.line.1;
            let more = [
                ("rating", json!(mean.mean)),
                ("games", json!(mean.num_scores)),
                ("prompts", json!(mean.num_clusters)),
            ];
            csv_row("mean", row.place, json_row(&columns(), row), more)
        }));
        let num_scores = on.means.iter().map(|(_, mean)| mean.num_scores).sum();
        let lower = if on.is_lower_better { ", share of defects: lower is better" } else { "" };
        let basis = plural(num_scores, "score") + lower;
        let caveats: &[&str] = if on.key.voice.is_measured() { &SCORED } else { &[] };
        let caveats = caveats.iter().map(|text| Note { is_common: true, ..Note::new(*text) });
        made.sections.push(Section {
            notes: caveats.collect(),
            ..Section::new(of(&on.key), "", basis, Table::new(&columns(), &rows, None))
        });
        made.rows.extend(tagged("mean", &columns(), rows));
    }
    made
}

fn columns<'a>() -> Vec<Column<MeanRow<'a, CriterionMeans>>> {
    let mut columns = vec![rubric(), criterion(), judge()];
    columns.extend(method_means());
    columns
}

pub(super) fn method_means<'a, B>() -> [Column<MeanRow<'a, B>>; 7] {
    let plot = "Mean with its 95 % interval, drawn";
    [
        method(),
        column(&[], plot, Plot(|r| Some((r.line.1.mean, r.line.1.interval, r.line.1.mean)))),
        column(&["mean"], "mean", Main(SCORE, |r| (r.line.1.mean, None))),
        data(&["standard_error"], MaybeNumber(SCORE, |r| r.line.1.standard_error)),
        interval(SCORE, |r| r.line.1.interval),
        column(&["scores"], "scores", Count(|r| r.line.1.num_scores)),
        column(&["clusters"], "prompts", Count(|r| r.line.1.num_clusters)),
    ]
}
