//! A line of a board of methods, and the columns that such boards share.

use crate::rate::{Estimate, Interval};
use crate::report::table::Cell::{Figures, Interval as Ends, Name, Plot, Ranks, Text};
use crate::report::table::{Cell, Column, Dot, Unit, column, data, hinted};
use crate::results::{Key, Voice};
use serde_json::{Value, json};

/// A line of a board, with what programs find in each row.
#[derive(Debug)]
pub(super) struct Row<'a, B, L> {
    pub on: &'a B,
    pub rubric: &'a str,
    pub criterion: &'a str,
    pub judge: String,
    pub method: &'a str,
    /// From 1.
    pub place: usize,
    pub line: &'a L,
}

/// What a board is about: its rubric, its criterion, and its voice.
pub(super) type Of<'a> = (&'a str, &'a str, Option<&'a Voice>);

pub(super) fn of(key: &Key) -> Of<'_> {
    (key.rubric(), key.criterion(), Some(&key.voice))
}

pub(super) fn rows<'a, B, L>(
    on: &'a B,
    (rubric, criterion, voice): Of<'a>,
    lines: &'a [L],
    method: impl Fn(&'a L) -> &'a str,
) -> Vec<Row<'a, B, L>> {
    let judge = voice.map_or(String::new(), Voice::to_string);
    let row = |(at, line)| {
        let (judge, method) = (judge.clone(), method(line));
        Row { on, rubric, criterion, judge, method, place: at + 1, line }
    };
    lines.iter().enumerate().map(row).collect()
}

pub(super) const ELO: Unit = Unit::Digits(0);
pub(super) const SCORE: Unit = Unit::Score;
pub(super) const COEFFICIENT: Unit = Unit::Digits(2);

pub(super) fn rubric<'a, B, L>() -> Column<Row<'a, B, L>> {
    data(&["rubric"], Text(|r| r.rubric))
}

pub(super) fn criterion<'a, B, L>() -> Column<Row<'a, B, L>> {
    data(&["criterion"], Text(|r| r.criterion))
}

pub(super) fn judge<'a, B, L>() -> Column<Row<'a, B, L>> {
    data(&["judge"], Text(|r| &r.judge))
}

pub(super) fn method<'a, B, L>() -> Column<Row<'a, B, L>> {
    column(&["method"], "generator", Name(|r| r.method))
}

pub(super) fn plot<R>(of: fn(&R) -> Option<Dot>) -> Column<R> {
    column(&[], "Rating with its 95 % interval, drawn", Plot(of))
}

pub(super) fn interval<R>(unit: Unit, of: fn(&R) -> Option<Interval>) -> Column<R> {
    column(&["low", "high"], "95 % interval", Ends(unit, of))
}

pub(super) fn ranks<R>(of: fn(&R) -> Option<(usize, usize)>) -> Column<R> {
    let ranks = column(&["rank_all_low", "rank_all_high"], "ranks", Ranks(of));
    hinted("With 95 % confidence, the ranks of all lines are right together", ranks)
}

/// Marks a line whose order with the next one is established.
pub(super) fn next_lower<R>(of: fn(&R) -> String) -> Column<R> {
    let hint = "lower: it is established that the next line is lower, with the same confidence";
    explained("next line", hint, Figures(of))
}

pub(super) fn lower_or_open(is_lower: bool) -> String {
    if is_lower { "lower" } else { "–" }.to_owned()
}

pub(super) fn explained<R>(heading: &'static str, hint: &'static str, cell: Cell<R>) -> Column<R> {
    hinted(hint, column(&[], heading, cell))
}

/// The expected shares of wins of a method against each other, with their intervals.
pub(super) fn win_rates(methods: &[String], rates: &[Vec<Estimate>], method: usize) -> Value {
    let others = methods.iter().zip(&rates[method]).enumerate();
    let others = others.filter(|(other, _)| *other != method);
    let one = |(_, (name, rate)): (usize, (&String, &Estimate))| {
        let ends = |end: fn(Interval) -> f64| rate.interval.map(end);
        let value = json!({"rate": rate.value, "low": ends(|i| i.low), "high": ends(|i| i.high)});
        (name.clone(), value)
    };
    Value::Object(others.map(one).collect())
}
