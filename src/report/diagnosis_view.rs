//! The sensitivity of a board's order, and the ratings in categories, as they are written.

use super::board_columns::{CategoryRow, category_columns, category_rows, diagnosis_columns};
use super::ends::Ends;
use super::section::Section;
use super::show::{plural, points};
use super::table::{Head, Marked, Shown, Style, Table};
use crate::rate::Diagnosis;
use crate::results::{CriterionCategories, CriterionDiagnosis};
use serde::Serialize;

pub(super) fn diagnosis_section(on: &CriterionDiagnosis) -> Section {
    let Diagnosis { variants, left_out, intransitivity, ranks } = &on.diagnosis;
    let rows: Vec<_> = variants.iter().map(|variant| (on, variant)).collect();
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
    let table = Table::new(&diagnosis_columns(), &rows, None);
    let of = [&*on.rubric, &*on.criterion, &on.voice.to_string()];
    Section::new(of, "sensitivity of the order", String::new(), table, notes)
}

/// The ratings of one criterion in each category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CategoriesView {
    /// Methods by categories.
    #[serde(flatten)]
    pub section: Section,
    /// `chair (12 prompts)` and its ratings.
    pub categories: Vec<(String, Table)>,
}

pub(super) fn categories_view(on: &CriterionCategories) -> CategoriesView {
    let rows = category_rows(on);
    let heads = on.categories.iter().zip(&on.found.num_prompts).map(|(name, prompts)| Head {
        below: plural(*prompts, "prompt"),
        ..Head::new(name, Style::Group)
    });
    let heads: Vec<Head> = heads.collect();
    let cell = |(_, row): &CategoryRow<'_>| {
        let line = row.line;
        Shown::Marked(Marked {
            value: format!("{:.0}", line.rating),
            is_best: line.ranks_all.is_some_and(|(best, _)| best == 1),
            interval: Ends::interval(line.interval, |end| format!("{end:.0}")),
            below: vec![points(line.effect, line.effect_interval)],
            ranks: Ends::NONE,
        })
    };
    let first = rows.first().into_iter().flatten();
    let names = first.map(|(_, row)| &on.methods[row.line.method]);
    let table = Table::of_methods(names, heads.clone(), |name| {
        let is_same = |(_, row): &&CategoryRow<'_>| on.methods[row.line.method] == *name;
        rows.iter().filter_map(|rows| rows.iter().find(is_same).map(cell)).collect()
    });
    let basis = format!(
        "Ratings in a category typically differ by about {:.0} points from those over all categories",
        on.found.spread_elo
    );
    let of = [&*on.rubric, &*on.criterion, &on.voice.to_string()];
    let tables = heads.iter().zip(&rows).map(|(head, rows)| {
        (format!("{} ({})", head.text, head.below), Table::new(&category_columns(), rows, None))
    });
    CategoriesView {
        categories: tables.collect(),
        section: Section::new(of, "by category", basis, table, Vec::new()),
    }
}
