//! Tables besides the boards: agreement, judges, assets, failures. Each is a list of columns.

use super::ends::Ends;
use super::show::{dollars, grouped, title};
use super::table::Cell::{
    Below, Clip, Count, Figures, Json, MaybeNumber, Name, Number, Text, Word, Words,
};
use super::table::{Cell, Column, Head, Marked, Shown, Style, Table, Unit, column, data};
use crate::rate::{Agreement, AgreementRates, Estimate};
use crate::results::{
    JudgeSpending, MethodMaking, MetricAgreement, PeopleAgreement, Results, Voice, VoiceAgreement,
};
use crate::rubric::Order;
use crate::store::{Made, Record};
use serde_json::json;

/// More failed assets or questions than this are counted, not listed.
pub(super) const FAILURES_LISTED_MAX: usize = 200;

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
        Self::new([&found.rubric, &found.criterion], voices, &found.agreement)
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

    /// Of all voices, and of people among themselves.
    pub(super) fn all(results: &'a Results) -> Vec<Self> {
        let people = results.people.iter().flat_map(Self::of_people);
        results.agreement.iter().map(Self::from).chain(people).collect()
    }

    pub(super) fn of_metric(metric: &str, found: &'a MetricAgreement) -> Self {
        let names = [metric.to_owned(), found.voice.to_string()];
        Self::new([&found.rubric, &found.criterion], names, &found.agreement)
    }

    /// People among themselves, the ceiling for a judge: against each other person, and against the
    /// majority of the others.
    fn of_people(found: &'a PeopleAgreement) -> [Self; 2] {
        let raters = &found.agreement;
        let others = [("another", &raters.pairwise), ("the others’ majority", &raters.rest)];
        others.map(|(second, same)| Self {
            rubric: &found.rubric,
            criterion: &found.criterion,
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
        Marked { value, is_best: true, interval: Ends::NONE, below, ranks: Ends::NONE }
    }
}

/// Of two voices.
pub(super) fn agreement_columns<'a>() -> Vec<Column<AgreementRow<'a>>> {
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
pub(super) fn metric_agreement_columns<'a>() -> Vec<Column<AgreementRow<'a>>> {
    let mut columns: Vec<Column<AgreementRow<'a>>> = vec![
        column(&[], "metric", Name(|r| &r.first)),
        column(&[], "with", Word(|r| &r.second)),
        column(&[], "on", Words(|r| title(r.criterion))),
    ];
    columns.extend(sameness(""));
    columns
}

const COEFFICIENT: Unit = Unit::Digits(2);

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

/// Rubrics with their agreement: a line for each two voices, a cell for each criterion.
pub(super) fn agreement_tables(rows: &[AgreementRow<'_>]) -> Vec<(String, Table)> {
    let mut tables: Vec<(String, Table)> = Vec::new();
    for row in rows {
        let at = tables.iter().position(|(rubric, _)| rubric == row.rubric);
        let at = at.unwrap_or_else(|| {
            let heads = vec![Head::new(row.rubric, Style::Name), Head::new("and", Style::Word)];
            tables.push((row.rubric.to_owned(), Table { heads, rows: Vec::new() }));
            tables.len() - 1
        });
        let Table { heads, rows } = &mut tables[at].1;
        let criterion = title(row.criterion);
        let column = heads.iter().position(|head| head.text == criterion).unwrap_or_else(|| {
            heads.push(Head::new(&criterion, Style::Group));
            heads.len() - 1
        });
        let voices = [&row.first, &row.second].map(|voice| Shown::Text(voice.clone()));
        let line = rows.iter().position(|line| line[..2] == voices).unwrap_or_else(|| {
            rows.push(voices.into());
            rows.len() - 1
        });
        let line = &mut rows[line];
        line.resize(line.len().max(column + 1), Shown::NONE);
        line[column] = Shown::Marked(row.marked());
    }
    for (_, Table { heads, rows }) in &mut tables {
        rows.iter_mut().for_each(|line| line.resize(heads.len(), Shown::NONE));
    }
    tables
}

/// Judges and their cost.
pub(super) fn judge_columns<'a>() -> Vec<Column<&'a JudgeSpending>> {
    vec![
        column(&[], "judge", Name(|j| j.judge.as_str())),
        column(&[], "models", Below(|j| j.models_reported.join(", "))),
        column(&[], "questions", Figures(|j| grouped(j.questions as u64))),
        column(&[], "verdicts", Figures(|j| grouped(j.verdicts as u64))),
        column(&[], "restated", Figures(|j| some(j.restated))),
        column(&[], "asked by", Words(|j| counts(&j.answers))),
        column(&[], "without verdict", Words(|j| counts(&j.failed))),
        column(&[], "requests", Figures(|j| grouped(j.attempts))),
        column(&[], "tokens in → out", Figures(tokens)),
        column(&[], "cost", Figures(|j| cost(j, j.cost_usd, "unknown"))),
        column(&[], "cost per verdict", Figures(|j| cost(j, j.cost_usd_per_verdict, ""))),
        column(&[], "median time", MaybeNumber(Unit::Seconds, |j| j.median_seconds)),
    ]
}

/// Nothing for 0.
fn some(count: usize) -> String {
    if count == 0 { String::new() } else { grouped(count as u64) }
}

/// `3 invalid, 1 provider error`.
fn counts(found: &std::collections::BTreeMap<String, usize>) -> String {
    let said = found.iter().map(|(what, n)| format!("{n} {}", what.replace('_', " ")));
    said.collect::<Vec<_>>().join(", ")
}

/// `1 while generating, 2 while loading`.
fn stages(found: &std::collections::BTreeMap<String, usize>) -> String {
    let said =
        found.iter().map(|(stage, n)| format!("{n} while {}ing", stage.trim_end_matches('e')));
    said.collect::<Vec<_>>().join(", ")
}

fn tokens(found: &&JudgeSpending) -> String {
    let one = |n: Option<u64>| n.map_or("?".to_owned(), grouped);
    match (found.input_tokens, found.output_tokens) {
        (None, None) => String::new(),
        (input, output) => format!("{} → {}", one(input), one(output)),
    }
}

/// Nothing for a person.
fn cost(found: &JudgeSpending, sum: Option<f64>, unknown: &str) -> String {
    let sum = sum.map_or(unknown.to_owned(), dollars);
    if found.judge.is_person() { String::new() } else { sum }
}

/// Generators and their assets; the cost only where something was paid.
pub(super) fn making_columns<'a>(has_cost: bool) -> Vec<Column<&'a MethodMaking>> {
    let cost = if has_cost { "cost" } else { "" };
    let seconds = MaybeNumber(Unit::Seconds, |m: &&MethodMaking| m.median_seconds);
    vec![
        column(&["method"], "generator", Name(|m| &m.method)),
        column(&["wanted"], "wanted", Count(|m| m.wanted)),
        column(&["failed"], "failed", Count(|m| m.failed)),
        column(&["failed_share"], "share", Number(Unit::Share, |m| m.failed_share())),
        column(&[], "where", Words(|m| stages(&m.failed_at))),
        data(&["failed_at"], Json(|m| Some(json!(m.failed_at)))),
        column(&["median_seconds"], "median time of making", seconds),
        column(&["cost_usd"], cost, MaybeNumber(Unit::Dollars, |m| m.cost_usd)),
    ]
}

pub(super) fn making_table(making: &[&MethodMaking]) -> Table {
    let has_cost = making.iter().any(|found| found.cost_usd.is_some());
    Table::new(&making_columns(has_cost), making, None)
}

/// An asset that cannot be judged, or a question without a verdict.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FailureView {
    /// The method, or both.
    pub who: String,
    pub prompt: String,
    /// `generate`, `load`, `draw`, `check`, or the judge.
    pub whose: String,
    pub outcome: String,
    pub reason: String,
}

/// Assets that cannot be judged.
pub(super) fn asset_failures(failures: &[Made]) -> Table {
    let failed = failures.iter().filter_map(|made| Some((made, made.failure.as_ref()?)));
    let rows = failed.take(FAILURES_LISTED_MAX).map(|(made, (stage, reason))| FailureView {
        who: made.method.clone(),
        prompt: made.prompt.clone(),
        whose: String::new(),
        outcome: stage.as_str().to_owned(),
        reason: reason.clone(),
    });
    let columns: [Column<FailureView>; 4] = [
        column(&[], "generator", Name(|f| &f.who)),
        column(&[], "prompt", Clip(|f| &f.prompt)),
        column(&[], "stage", Text(|f| &f.outcome)),
        column(&[], "why", Clip(|f| &f.reason)),
    ];
    Table::new(&columns, &rows.collect::<Vec<_>>(), None)
}

/// Questions without a verdict: the first of them, and how many there are.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Failures {
    pub listed: Vec<FailureView>,
    pub count: usize,
}

impl Failures {
    pub(super) fn add(&mut self, record: &Record) {
        if record.verdict().is_some() {
            return;
        }
        self.count += 1;
        if self.listed.len() == FAILURES_LISTED_MAX {
            return;
        }
        self.listed.push(FailureView {
            who: match (&record.b, record.order) {
                (None, _) => record.a.method.clone(),
                (Some(b), Order::Swapped) => format!("{} | {}", b.method, record.a.method),
                (Some(b), Order::AsListed) => format!("{} | {}", record.a.method, b.method),
            },
            prompt: record.prompt.clone().unwrap_or_default(),
            whose: record.judge.to_string(),
            outcome: record.outcome.name().replace('_', " "),
            reason: record.outcome.reason().unwrap_or_default().to_owned(),
        });
    }

    pub(super) fn table(&self) -> Table {
        let columns: [Column<FailureView>; 5] = [
            column(&[], "left | right", Name(|f| &f.who)),
            column(&[], "prompt", Clip(|f| &f.prompt)),
            column(&[], "judge", Word(|f| &f.whose)),
            column(&[], "outcome", Text(|f| &f.outcome)),
            column(&[], "why", Clip(|f| &f.reason)),
        ];
        Table::new(&columns, &self.listed, None)
    }
}
