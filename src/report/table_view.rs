//! Tables that are no boards: judges, assets, failures, differences of runs. Each is a list of
//! columns.

use super::show::{dollars, grouped, title};
use super::table::Cell::{
    Below, Clip, Count, Figures, Json, MaybeNumber, Name, Number, Text, Word, Words,
};
use super::table::{Cell, Column, Table, Unit, column, data};
use crate::results::{Change, Difference, JudgeSpending, MethodMaking};
use crate::rubric::Order;
use crate::store::{Made, Record};
use serde_json::json;

/// More failed assets or questions than this are counted, not listed.
pub(super) const FAILURES_LISTED_MAX: usize = 200;

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

/// Differences of two runs; a terminal and a page name criteria differently.
fn difference_columns(criterion: Cell<&Difference>) -> Vec<Column<&Difference>> {
    vec![
        column(&[], "generator", Name(|d| &d.method)),
        column(&[], "criterion", criterion),
        column(&[], "judge", Words(|d| d.key.voice.to_string())),
        column(&[], "prompts", Count(|d| d.difference.num_clusters)),
        column(&[], "before", Figures(|d| d.shown(d.before))),
        column(&[], "after", Figures(|d| d.shown(d.after))),
        column(&[], "difference", Figures(|d| d.signed(d.difference.mean))),
        column(&[], "95 % interval", Figures(|d| d.interval().unwrap_or_default())),
    ]
}

/// Those of one change, for a page.
pub(super) fn difference_table(differences: &[&Difference]) -> Table {
    let columns = difference_columns(Words(|d| title(d.key.criterion())));
    Table::new(&columns, differences, None)
}

/// All of them as a table for a terminal.
pub fn differences_text(differences: &[Difference]) -> String {
    let mut columns = difference_columns(Text(|d| d.key.criterion()));
    let change = |d: &&Difference| match d.change() {
        Change::Better => "better",
        Change::Worse => "worse",
        Change::NotTold => "",
    };
    columns.push(column(&[], "change", Text(change)));
    Table::new(&columns, &differences.iter().collect::<Vec<_>>(), None).text()
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
