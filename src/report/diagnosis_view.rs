//! The sensitivity of a board's order, and the ratings in categories, as they are written.

use super::columns::Columns;
use super::ends::Ends;
use super::show::{plural, points, title};
use crate::rate::{ByCategory, CategoryLine, Diagnosis, Variant};
use crate::results::{CriterionCategories, CriterionDiagnosis};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct DiagnosisView {
    pub title: String,
    pub rubric: String,
    pub voice: String,
    /// The assumption, the first method, pairs whose order changed, largest move, scale.
    pub rows: Vec<[String; 5]>,
    pub notes: Vec<String>,
}

pub(super) fn diagnosis_view(on: &CriterionDiagnosis) -> DiagnosisView {
    let Diagnosis { variants, left_out, intransitivity } = &on.diagnosis;
    let name = |method: usize| on.methods[method].clone();
    let row = |v: &Variant| {
        [
            v.name.clone(),
            if v.is_level() { "all equal".to_owned() } else { name(v.first) },
            v.turned.to_string(),
            format!("{:.0}", v.moved_elo),
            format!("{:.2}", v.scale),
        ]
    };
    let mut notes = Vec::new();
    if let Some(found) = left_out {
        notes.push(format!(
            "without any one prompt: first place changes for {} of {}, the order for {}; the largest move is {} without {:?}, by {:.0} points",
            found.first_changes,
            found.num_prompts,
            found.order_changes,
            name(found.method),
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
    DiagnosisView {
        title: title(&on.criterion),
        rubric: on.rubric.clone(),
        voice: on.voice.to_string(),
        rows: variants.iter().map(row).collect(),
        notes,
    }
}

impl DiagnosisView {
    pub(super) fn columns(&self) -> Columns {
        let heads = ["if", "first", "orders changed", "largest move", "scale"];
        let rows = self.rows.iter();
        Columns::new(heads, rows.map(|row| row.each_ref().map(Into::into)))
    }
}

/// A method in a category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CategoryCell {
    pub rating: String,
    pub interval: Ends,
    pub ranks: Ends,
    /// `+12 (−3 to +27)`: difference from the rating over all categories.
    pub effect: String,
    /// Its interval of ranks reaches 1.
    pub is_best: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CategoriesView {
    pub title: String,
    pub rubric: String,
    pub voice: String,
    /// How far ratings in categories differ from those over all categories.
    pub basis: String,
    /// Category, and `12 prompts`.
    pub heads: Vec<(String, String)>,
    /// Method, and a cell for each category; in the order of the first.
    pub lines: Vec<(String, Vec<CategoryCell>)>,
}

impl CategoriesView {
    /// The columns of the category with this index.
    pub(super) fn columns(&self, category: usize) -> Columns {
        let row = |(method, cells): &(String, Vec<CategoryCell>)| {
            let cell = &cells[category];
            [
                method.into(),
                (&cell.rating).into(),
                (&cell.interval).into(),
                (&cell.ranks).into(),
                (&cell.effect).into(),
            ]
        };
        let heads = ["method", "rating", "95 % interval", "ranks", "difference from overall"];
        Columns::new(heads, self.lines.iter().map(row))
    }
}

pub(super) fn categories_view(on: &CriterionCategories) -> CategoriesView {
    let ByCategory { categories, num_prompts, spread_elo, .. } = &on.found;
    let cell = |line: &CategoryLine| CategoryCell {
        rating: format!("{:.0}", line.rating),
        interval: Ends::interval(line.interval, 0),
        ranks: Ends::ranks(line.ranks),
        effect: points(line.effect, line.effect_interval),
        is_best: line.ranks.is_some_and(|(best, _)| best == 1),
    };
    let first = categories.first().into_iter().flatten();
    let lines = first.map(|line| {
        let method = line.method;
        let same = categories.iter().filter_map(|lines| {
            let found = lines.iter().find(|line| line.method == method);
            found.map(cell)
        });
        (on.methods[method].clone(), same.collect())
    });
    let heads = on.categories.iter().zip(num_prompts);
    CategoriesView {
        title: title(&on.criterion),
        rubric: on.rubric.clone(),
        voice: on.voice.to_string(),
        basis: format!(
            "Ratings in a category typically differ by about {spread_elo:.0} points from those over all categories"
        ),
        heads: heads.map(|(name, prompts)| (name.clone(), plural(*prompts, "prompt"))).collect(),
        lines: lines.collect(),
    }
}
