//! How often voices agree, and people among themselves: the upper limit for a judge.

use super::row::COEFFICIENT;
use super::section::{BoardKind, Boards, Section, fields, tagged};
use crate::rate::{Agreement, AgreementRates, Estimate};
use crate::report::show::{plural, title};
use crate::report::table::Cell::{self, Count, Figures, Json, Name, Text, Word, Words};
use crate::report::table::{Column, Head, Marked, Shown, Style, Table, Unit, column, data};
use crate::results::{MetricAgreement, PeopleAgreement, Results, Voice, VoiceAgreement};
use serde_json::json;

pub(super) static KIND: BoardKind = BoardKind {
    id: "agreement",
    menu: "Agreement",
    heading: "Agreement",
    hint: "Cohen’s κ over better, worse and tie on the pairs that both judged: 0 means agreement by chance, 1 means full agreement. Below it: how often both name the same winner where both name one, then Kendall’s τ and Spearman’s ρ of the two orders of generators. In brackets, 95 % intervals over prompts. The agreement among people is the upper limit for a judge.",
    class: "plain",
    is_detail: false,
    rows: &[("agreement", || fields(&columns())), ("people", Vec::new)],
    make,
};

fn make(results: &Results) -> Boards {
    let voices = results.agreement.iter().map(AgreementRow::from);
    let people = results.people.iter().flat_map(AgreementRow::of_people);
    let all: Vec<AgreementRow<'_>> = voices.clone().chain(people).collect();
    let mut rubrics: Vec<&str> = Vec::new();
    for row in &all {
        if !rubrics.contains(&row.rubric) {
            rubrics.push(row.rubric);
        }
    }
    let section = |rubric: &&str| {
        let rows = all.iter().filter(|row| row.rubric == *rubric).cloned();
        let rows: Vec<AgreementRow<'_>> = rows.collect();
        let people = results.people.iter().filter(|found| found.on.rubric == *rubric);
        let basis = "95 % intervals over prompts".to_owned();
        Section {
            wide: Some(by_criterion(&rows)),
            ..Section::new(
                (rubric, "", None),
                "agreement",
                basis,
                Table::new(&columns(), &rows, None),
            )
            .noted(people.map(alpha))
        }
    };
    let mut rows = tagged("agreement", &columns(), voices);
    rows.extend(results.people.iter().map(|found| {
        let raters = &found.agreement;
        json!({
            "kind": "people", "rubric": found.on.rubric, "criterion": found.on.criterion, "raters": found.raters,
            "pairwise": raters.pairwise, "against_rest": raters.rest, "alpha": raters.alpha,
        })
    }));
    Boards { sections: rubrics.iter().map(section).collect(), rows, ..Boards::default() }
}

fn alpha(found: &PeopleAgreement) -> String {
    let alpha = COEFFICIENT.estimate(found.agreement.alpha);
    let raters = plural(found.raters.len(), "rater");
    let alpha = if alpha.is_empty() { "–" } else { &alpha };
    format!("Krippendorff's alpha of {raters} on {}: {alpha}", found.on.criterion)
}

/// Two voices, or a metric and a voice, on one criterion.
#[derive(Debug, Clone)]
pub(super) struct AgreementRow<'a> {
    pub rubric: &'a str,
    pub criterion: &'a str,
    pub first: String,
    pub second: String,
    pub same: &'a AgreementRates,
    /// Kendall’s τ-b and Spearman’s ρ of the methods' ratings.
    pub ranks: [Option<Estimate>; 2],
    num_methods: usize,
    num_prompts: usize,
}

impl<'a> From<&'a VoiceAgreement> for AgreementRow<'a> {
    fn from(found: &'a VoiceAgreement) -> Self {
        let voices = [&found.first, &found.second].map(Voice::to_string);
        Self::new([&found.on.rubric, &found.on.criterion], voices, &found.agreement)
    }
}

impl<'a> AgreementRow<'a> {
    fn new(
        [rubric, criterion]: [&'a str; 2],
        [first, second]: [String; 2],
        found: &'a Agreement,
    ) -> Self {
        Self {
            rubric,
            criterion,
            first,
            second,
            same: &found.same,
            ranks: [found.kendall, found.spearman],
            num_methods: found.num_methods,
            num_prompts: found.num_prompts,
        }
    }

    pub(super) fn of_metric(metric: &str, found: &'a MetricAgreement) -> Self {
        let names = [metric.to_owned(), found.key.voice.to_string()];
        Self::new([found.key.rubric(), found.key.criterion()], names, &found.agreement)
    }

    /// People among themselves, the ceiling for a judge: against each other person, and against the
    /// majority of the others.
    fn of_people(found: &'a PeopleAgreement) -> [Self; 2] {
        let raters = &found.agreement;
        let others = [("another", &raters.pairwise), ("the others’ majority", &raters.rest)];
        others.map(|(second, same)| Self {
            rubric: &found.on.rubric,
            criterion: &found.on.criterion,
            first: "one person".to_owned(),
            second: second.to_owned(),
            same,
            ranks: [None; 2],
            num_methods: 0,
            num_prompts: 0,
        })
    }

    fn on_decided(&self) -> String {
        match Unit::Share.estimate(self.same.on_decided) {
            none if none.is_empty() => none,
            some => format!("{some} of {}", self.same.counts.decided),
        }
    }

    fn marked(&self) -> Marked {
        let number = |estimate| Unit::Digits(2).estimate(estimate);
        let or = |text: String, none: &str| if text.is_empty() { none.to_owned() } else { text };
        let mut below = vec![or(self.on_decided(), "none decided")];
        if let [Some(kendall), spearman] = self.ranks {
            below.push(format!("τ {}", number(Some(kendall))));
            below.push(format!("ρ {}", number(spearman)));
        }
        let value = or(number(self.same.kappa), "–");
        Marked { value, is_best: true, below, ..Marked::default() }
    }
}

/// Of two voices.
fn columns<'a>() -> Vec<Column<AgreementRow<'a>>> {
    let mut columns: Vec<Column<AgreementRow<'a>>> = vec![
        data(&["rubric"], Text(|r| r.rubric)),
        data(&["criterion"], Text(|r| r.criterion)),
        column(&[], "criterion", Words(|r| format!("{} ({})", r.criterion, r.rubric))),
        column(&["first"], "between", Text(|r| &r.first)),
        column(&["second"], "and", Text(|r| &r.second)),
    ];
    columns.extend(sameness("same with ties"));
    columns.push(data(&["methods"], Count(|r| r.num_methods)));
    columns.push(data(&["prompts"], Count(|r| r.num_prompts)));
    columns
}

/// Of a metric and a voice.
pub(super) fn columns_of_metrics<'a>() -> Vec<Column<AgreementRow<'a>>> {
    let mut columns: Vec<Column<AgreementRow<'a>>> = vec![
        column(&[], "metric", Name(|r| &r.first)),
        column(&[], "with", Word(|r| &r.second)),
        column(&[], "on", Words(|r| title(r.criterion))),
    ];
    columns.extend(sameness(""));
    columns
}

/// `with_ties` is the heading of the share that counts ties; empty where people do not see it.
fn sameness<'a>(with_ties: &'static str) -> [Column<AgreementRow<'a>>; 8] {
    [
        data(&["counts"], Json(|r| Some(json!(r.same.counts)))),
        column(&[], "pairs", Count(|r| r.same.counts.all)),
        column(&[], "same where both decided", Figures(AgreementRow::on_decided)),
        data(&["on_decided"], Cell::Estimate(Unit::Share, |r| r.same.on_decided)),
        column(&["with_ties"], with_ties, Cell::Estimate(Unit::Share, |r| r.same.with_ties)),
        column(&["kappa"], "κ", Cell::Estimate(COEFFICIENT, |r| r.same.kappa)),
        column(&["kendall"], "Kendall’s τ", Cell::Estimate(COEFFICIENT, |r| r.ranks[0])),
        column(&["spearman"], "Spearman’s ρ", Cell::Estimate(COEFFICIENT, |r| r.ranks[1])),
    ]
}

/// A line for each two voices, a cell for each criterion.
fn by_criterion(rows: &[AgreementRow<'_>]) -> Table {
    let mut heads = vec![Head::new("between", Style::Name), Head::new("and", Style::Word)];
    let mut lines: Vec<Vec<Shown>> = Vec::new();
    for row in rows {
        let criterion = title(row.criterion);
        let column = heads.iter().position(|head| head.text == criterion).unwrap_or_else(|| {
            heads.push(Head::new(&criterion, Style::Group));
            heads.len() - 1
        });
        let voices = [&row.first, &row.second].map(|voice| Shown::Text(voice.clone()));
        let line = lines.iter().position(|line| line[..2] == voices).unwrap_or_else(|| {
            lines.push(voices.into());
            lines.len() - 1
        });
        let line = &mut lines[line];
        line.resize(line.len().max(column + 1), Shown::NONE);
        line[column] = Shown::Marked(row.marked());
    }
    lines.iter_mut().for_each(|line| line.resize(heads.len(), Shown::NONE));
    Table { heads, rows: lines }
}
