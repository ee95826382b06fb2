//! The ratings of one criterion in each category of prompts.

use super::row::{ELO, Row, interval, of, ranks, rows};
use super::section::{BoardKind, Boards, Section, fields, tagged};
use crate::rate::CategoryLine;
use crate::report::ends::Ends;
use crate::report::show::{plural, points};
use crate::report::table::Cell::{Count, Main, Name, Number, Points, Text};
use crate::report::table::{Column, Head, Marked, Shown, Style, Table, column, data};
use crate::results::{CriterionCategories, Results};

pub(super) static KIND: BoardKind = BoardKind {
    id: "by-category",
    menu: "Categories",
    heading: "Ratings by category",
    hint: "Ratings have a mean of 1000 in each category and are drawn towards the generator’s overall rating where a category has little data. Bold: the interval of ranks includes first place. The last line of a cell is the difference from the overall rating.",
    class: "plain",
    is_detail: true,
    rows: &[("category", || fields(&columns()))],
    make,
};

/// The category's index, and the line in it.
type CategoryRow<'a> = (usize, Row<'a, CriterionCategories, CategoryLine>);

fn make(results: &Results) -> Boards {
    let lines = results.categories.iter().flat_map(lines).flatten();
    Boards {
        rows: tagged("category", &columns(), lines),
        sections: results.categories.iter().map(section).collect(),
        ..Boards::default()
    }
}

/// The lines of each category.
fn lines(on: &CriterionCategories) -> Vec<Vec<CategoryRow<'_>>> {
    let mut all = Vec::new();
    for (category, lines) in on.found.categories.iter().enumerate() {
        let lines = rows(on, of(&on.key), lines, |line| &on.methods[line.method]);
        all.push(lines.into_iter().map(|line| (category, line)).collect());
    }
    all
}

fn columns<'a>() -> Vec<Column<CategoryRow<'a>>> {
    let effect_keys = &["effect", "effect_low", "effect_high"];
    vec![
        data(&["rubric"], Text(|(_, r)| r.rubric)),
        data(&["criterion"], Text(|(_, r)| r.criterion)),
        data(&["judge"], Text(|(_, r)| &r.judge)),
        data(&["category"], Text(|(at, r)| &r.on.categories[*at])),
        data(&["prompts"], Count(|(at, r)| r.on.found.num_prompts[*at])),
        column(&["method"], "generator", Name(|(_, r)| r.method)),
        column(&["rating"], "rating", Main(ELO, |(_, r)| (r.line.rating, None))),
        interval(ELO, |(_, r)| r.line.interval),
        ranks(|(_, r)| r.line.ranks_all),
        column(
            effect_keys,
            "difference from overall",
            Points(|(_, r)| (r.line.effect, r.line.effect_interval)),
        ),
        data(&["games"], Number(ELO, |(_, r)| r.line.games)),
        data(&["spread"], Number(ELO, |(_, r)| r.on.found.spread_elo)),
    ]
}

fn section(on: &CriterionCategories) -> Section {
    let rows = lines(on);
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
            ..Marked::default()
        })
    };
    let first = rows.first().into_iter().flatten();
    let names = first.map(|(_, row)| &on.methods[row.line.method]);
    let wide = Table::of_methods(names, heads.clone(), |name| {
        let is_same = |(_, row): &&CategoryRow<'_>| on.methods[row.line.method] == *name;
        rows.iter().filter_map(|rows| rows.iter().find(is_same).map(cell)).collect()
    });
    let tables = heads.iter().zip(&rows).map(|(head, rows)| {
        (format!("{} ({})", head.text, head.below), Table::new(&columns(), rows, None))
    });
    let typical = format!(
        "Ratings in a category typically differ by about {:.0} points from those over all categories.",
        on.found.spread_elo
    );
    Section {
        tables: tables.collect(),
        wide: Some(wide),
        ..Section::of(of(&on.key), "by category").noted([typical])
    }
}
