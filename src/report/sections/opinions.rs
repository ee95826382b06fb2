//! People's scores of single assets: means, and correlations with other figures.

use super::means::{MeanRow, method_means};
use super::row::{COEFFICIENT, Of, criterion, rows};
use super::section::{BoardKind, Boards, Section, fields, tagged};
use crate::rate::Correlations;
use crate::report::show::{plural, title};
use crate::report::table::Cell::{Count, Estimate, Word};
use crate::report::table::{Column, Table, column};
use crate::results::{MosBoard, Results};
use serde_json::json;

pub(super) static KIND: BoardKind = BoardKind {
    id: "mos",
    menu: "Opinions",
    heading: "Mean opinion scores",
    hint: "Scores that people gave to single assets, with 95 % intervals over prompts, and their correlation with other figures of the same assets: Spearman’s (SROCC) and Pearson’s (PLCC). The correlation of each rater with the mean of the others is the upper limit for a judge.",
    class: "plot",
    is_detail: false,
    rows: &[("mos", || fields(&columns())), ("mos_agreement", Vec::new)],
    make,
};

fn make(results: &Results) -> Boards {
    let mut made = Boards::default();
    for on in &results.mos {
        let of: Of<'_> = ("", &on.criterion, None);
        let rows = rows(on, of, &on.means, |(method, _)| method);
        let num_scores = on.means.iter().map(|(_, mean)| mean.num_scores).sum();
        let basis = format!(
            "{} of {} by {}",
            plural(num_scores, "score"),
            plural(on.num_assets, "asset"),
            plural(on.num_raters, "rater")
        );
        let table = Table::new(&columns(), &rows, None);
        let mut section = Section::new(of, "mean opinion scores", basis, table);
        let against = correlations(on);
        if !against.rows.is_empty() {
            section.tables.push(("correlations with other figures".to_owned(), against));
        }
        made.sections.push(section);
        made.rows.extend(tagged("mos", &columns(), rows));
        made.rows.extend(on.among.iter().map(|found| {
            json!({"kind": "mos_agreement", "criterion": on.criterion, "with": "each rater and the others", "of": "assets", "found": found})
        }));
        made.rows.extend(on.against.iter().map(|found| {
            json!({
                "kind": "mos_agreement", "criterion": on.criterion, "with": found.with, "on": found.on, "of": found.of, "found": found.found,
            })
        }));
    }
    made
}

fn columns<'a>() -> Vec<Column<MeanRow<'a, MosBoard>>> {
    let mut columns = vec![criterion()];
    columns.extend(method_means());
    columns
}

fn correlations(on: &MosBoard) -> Table {
    let among = on.among.iter().map(|found| {
        let about = "assets, mean over raters".to_owned();
        ("each rater and the mean of the other raters", about, found)
    });
    let against = on.against.iter().map(|found| {
        let about = match found.on.as_str() {
            "" => found.of.to_owned(),
            criterion => format!("{}, {}", title(criterion), found.of),
        };
        (&*found.with, about, &found.found)
    });
    let rows: Vec<_> = among.chain(against).collect();
    // With what, on what, and the correlations.
    let columns: [Column<(&str, String, &Correlations)>; 5] = [
        column(&[], "with", Word(|r| r.0)),
        column(&[], "on", Word(|r| &r.1)),
        column(&[], "pairs", Count(|r| r.2.num_pairs)),
        column(&[], "SROCC", Estimate(COEFFICIENT, |r| r.2.spearman)),
        column(&[], "PLCC", Estimate(COEFFICIENT, |r| r.2.pearson)),
    ];
    Table::new(&columns, &rows, None)
}
