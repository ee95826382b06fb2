//! People's scores of single assets as they are written: means, and correlations with other figures.

use super::board_view::{MeanLineView, MeansView, Tick, means_view};
use super::columns::Columns;
use super::show::{plural, title};
use super::table_view::plain;
use crate::rate::Correlations;
use crate::results::{CriterionMeans, MosBoard, Voice};
use serde::Serialize;

/// Over the columns of [`MosView::against`].
pub(super) const AGAINST_HEADS: [&str; 5] = ["with", "on", "pairs", "SROCC", "PLCC"];

/// The scores of one criterion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MosView {
    pub criterion: String,
    pub title: String,
    /// `1 200 scores of 300 assets by 4 raters`.
    pub basis: String,
    pub ticks: Vec<Tick>,
    /// As of [`MeansView`].
    pub lines: Vec<MeanLineView>,
    /// With what, on what, pairs, Spearman's and Pearson's correlation.
    pub against: Vec<[String; 5]>,
}

impl MosView {
    pub(super) fn against_columns(&self) -> Columns {
        let rows = self.against.iter();
        Columns::new(AGAINST_HEADS, rows.map(|row| row.each_ref().map(Into::into)))
    }
}

pub(super) fn mos_view(on: &MosBoard) -> MosView {
    let MeansView { ticks, lines, .. } = means_view(&CriterionMeans {
        rubric: String::new(),
        criterion: on.criterion.clone(),
        voice: Voice::People,
        means: on.means.clone(),
    });
    let row = |with: &str, about: String, found: &Correlations| {
        [
            with.to_owned(),
            about,
            found.num_pairs.to_string(),
            plain(found.spearman),
            plain(found.pearson),
        ]
    };
    let among = on.among.iter().map(|found| {
        let about = "assets, mean over raters".to_owned();
        row("each rater and the mean of the other raters", about, found)
    });
    let against = on.against.iter().map(|found| {
        let about = match found.on.as_str() {
            "" => found.of.to_owned(),
            criterion => format!("{}, {}", title(criterion), found.of),
        };
        row(&found.with, about, &found.found)
    });
    let num_scores = on.means.iter().map(|(_, mean)| mean.num_scores).sum();
    MosView {
        criterion: on.criterion.clone(),
        title: title(&on.criterion),
        basis: format!(
            "{} of {} by {}",
            plural(num_scores, "score"),
            plural(on.num_assets, "asset"),
            plural(on.num_raters, "rater")
        ),
        ticks,
        lines,
        against: among.chain(against).collect(),
    }
}
