//! People's scores of single assets as written: means and correlations with other figures.

use super::board_columns::{correlation_columns, mos_columns, mos_rows};
use super::section::Section;
use super::show::{plural, title};
use super::table::Table;
use crate::results::MosBoard;
use serde::Serialize;

/// The scores of one criterion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MosView {
    #[serde(flatten)]
    pub section: Section,
    /// Correlations with other figures.
    pub against: Table,
}

pub(super) fn mos_view(on: &MosBoard) -> MosView {
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
    let against: Vec<_> = among.chain(against).collect();
    let num_scores = on.means.iter().map(|(_, mean)| mean.num_scores).sum();
    let basis = format!(
        "{} of {} by {}",
        plural(num_scores, "score"),
        plural(on.num_assets, "asset"),
        plural(on.num_raters, "rater")
    );
    let table = Table::new(&mos_columns(), &mos_rows(on), None);
    let of = ["", &*on.criterion, ""];
    MosView {
        section: Section::new(of, "mean opinion scores", basis, table, Vec::new()),
        against: Table::new(&correlation_columns(), &against, None),
    }
}
