//! The columns of boards: ratings, anchored and controlled ratings, categories, means, and the
//! sensitivity of an order. A new column of a board is one line here.

use super::table::Cell::{
    Count, Estimate, Figures, Interval, Json, Main, MaybeNumber, MaybeText, Name, Number, Place,
    Plot, Points, Ranks, Rating, Text, Word,
};
use super::table::{Cell, Column, Unit, bound_word, column, data, hinted};
use crate::rate::{
    self, AnchoredLine, CategoryLine, Checked, ControlledLine, Correlations, JuryLine, Line, Mean,
    Variant,
};
use crate::results::{
    ChecklistBoard, CriterionAnchored, CriterionBoard, CriterionCategories, CriterionControlled,
    CriterionDiagnosis, CriterionJury, CriterionMeans, MosBoard, Voice,
};
use serde_json::{Value, json};

/// A line of a board, with what programs find in each row.
#[derive(Debug)]
pub(super) struct Row<'a, B, L> {
    pub on: &'a B,
    rubric: &'a str,
    criterion: &'a str,
    judge: String,
    method: &'a str,
    /// From 1.
    pub place: usize,
    pub line: &'a L,
}

pub(super) type RatingRow<'a> = Row<'a, CriterionBoard, Line>;
pub(super) type AnchoredRow<'a> = Row<'a, CriterionAnchored, AnchoredLine>;
pub(super) type ControlledRow<'a> = Row<'a, CriterionControlled, ControlledLine>;
pub(super) type MeanRow<'a, B> = Row<'a, B, (String, Mean)>;
/// A member's name, or what decides in its place.
pub(super) type JuryRow<'a> = (&'a CriterionJury, &'a str, &'a JuryLine);
/// An item, or all of them.
pub(super) type ChecklistRow<'a> = (&'a ChecklistBoard, &'a str, &'a Checked);
/// The category's index, and the line in it.
pub(super) type CategoryRow<'a> = (usize, Row<'a, CriterionCategories, CategoryLine>);

fn rows<'a, B, L>(
    on: &'a B,
    (rubric, criterion, voice): (&'a str, &'a str, Option<&Voice>),
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

const ELO: Unit = Unit::Digits(0);
const SCORE: Unit = Unit::Score;
const COEFFICIENT: Unit = Unit::Digits(2);

fn rubric<'a, B, L>() -> Column<Row<'a, B, L>> {
    data(&["rubric"], Text(|r| r.rubric))
}

fn criterion<'a, B, L>() -> Column<Row<'a, B, L>> {
    data(&["criterion"], Text(|r| r.criterion))
}

fn judge<'a, B, L>() -> Column<Row<'a, B, L>> {
    data(&["judge"], Text(|r| &r.judge))
}

fn method<'a, B, L>() -> Column<Row<'a, B, L>> {
    column(&["method"], "generator", Name(|r| r.method))
}

fn plot<R>(of: fn(&R) -> (f64, Option<rate::Interval>, f64)) -> Column<R> {
    column(&[], "Rating with its 95 % interval, drawn", Plot(of))
}

fn interval<R>(unit: Unit, of: fn(&R) -> Option<rate::Interval>) -> Column<R> {
    column(&["low", "high"], "95 % interval", Interval(unit, of))
}

pub(super) fn ranks<R>(of: fn(&R) -> Option<(usize, usize)>) -> Column<R> {
    let ranks = column(&["rank_all_low", "rank_all_high"], "ranks", Ranks(of));
    hinted("With 95 % confidence, the ranks of all lines are right together", ranks)
}

/// Marks a line whose order with the next one is established.
fn next_lower<R>(of: fn(&R) -> String) -> Column<R> {
    let hint = "lower: it is established that the next line is lower, with the same confidence";
    explained("next line", hint, Figures(of))
}

fn lower_or_open(is_lower: bool) -> String {
    if is_lower { "lower" } else { "–" }.to_owned()
}

fn explained<R>(heading: &'static str, hint: &'static str, cell: Cell<R>) -> Column<R> {
    hinted(hint, column(&[], heading, cell))
}

pub(super) fn rating_rows(on: &CriterionBoard) -> Vec<RatingRow<'_>> {
    let head = (&*on.rubric, &*on.criterion, Some(&on.voice));
    rows(on, head, &on.board.lines, |line| &on.methods[line.method])
}

pub(super) fn rating_columns<'a>() -> Vec<Column<RatingRow<'a>>> {
    let inconsistent = "The two orders contradict each other; counted as a tie";
    vec![
        rubric(),
        criterion(),
        judge(),
        column(&[], "place", Place(|r| r.place)),
        method(),
        plot(|r| (r.line.rating, r.line.interval, r.line.rating)),
        column(&["rating"], "rating", Main(ELO, |r| (r.line.rating, r.line.bound))),
        data(&["bound"], MaybeText(|r| r.line.bound.map(bound_word))),
        interval(ELO, |r| r.line.interval),
        ranks(|r| r.line.ranks_all),
        next_lower(|r| lower_or_open(r.is_next_lower())),
        data(&["next_lower"], Json(|r| Some(r.is_next_lower().into()))),
        column(&["games"], "games", Count(|r| r.line.games)),
        hinted("Both orders say tie", column(&["ties"], "ties", Count(|r| r.line.ties))),
        hinted(
            inconsistent,
            column(&["inconsistent"], "inconsistent", Count(|r| r.line.inconsistent)),
        ),
        data(
            &["win_rates"],
            Json(|r| Some(win_rates(&r.on.methods, &r.on.board.win_rates, r.line.method))),
        ),
    ]
}

impl RatingRow<'_> {
    /// Whether it is established that the next line is lower.
    pub(super) fn is_next_lower(&self) -> bool {
        let next = self.on.board.lines.get(self.place);
        next.is_some_and(|next| self.on.board.is_above(self.line.method, next.method))
    }
}

/// The expected shares of wins of a method against each other, with their intervals.
fn win_rates(methods: &[String], rates: &[Vec<rate::Estimate>], method: usize) -> Value {
    let others = methods.iter().zip(&rates[method]).enumerate();
    let others = others.filter(|(other, _)| *other != method);
    let one = |(_, (name, rate)): (usize, (&String, &rate::Estimate))| {
        let ends = |end: fn(rate::Interval) -> f64| rate.interval.map(end);
        let value = json!({"rate": rate.value, "low": ends(|i| i.low), "high": ends(|i| i.high)});
        (name.clone(), value)
    };
    Value::Object(others.map(one).collect())
}

pub(super) fn anchored_rows(on: &CriterionAnchored) -> Vec<AnchoredRow<'_>> {
    let head = (&*on.rubric, &*on.criterion, None);
    rows(on, head, &on.board.lines, |line| &on.methods[line.method])
}

pub(super) fn anchored_columns<'a>() -> Vec<Column<AnchoredRow<'a>>> {
    vec![
        rubric(),
        criterion(),
        method(),
        plot(|r| (r.line.rating, r.line.interval, r.line.rating)),
        column(&["rating"], "rating", Main(ELO, |r| (r.line.rating, None))),
        interval(ELO, |r| r.line.interval),
        ranks(|r| r.line.ranks_all),
        next_lower(|r| lower_or_open(r.is_next_lower())),
        column(&["votes"], "votes", Count(|r| r.line.votes)),
        data(&["apart"], MaybeNumber(ELO, |r| r.line.apart_elo)),
        data(&["next_lower"], Json(|r| Some(r.is_next_lower().into()))),
        data(
            &["win_rates"],
            Json(|r| Some(win_rates(&r.on.methods, &r.on.board.win_rates, r.line.method))),
        ),
    ]
}

impl AnchoredRow<'_> {
    fn is_next_lower(&self) -> bool {
        let next = self.on.board.lines.get(self.place);
        next.is_some_and(|next| self.on.board.is_above(self.line.method, next.method))
    }
}

pub(super) fn controlled_rows(on: &CriterionControlled) -> Vec<ControlledRow<'_>> {
    let head = (&*on.rubric, &*on.criterion, Some(&on.voice));
    rows(on, head, &on.board.lines, |line| &on.methods[line.method])
}

pub(super) fn controlled_columns<'a>() -> Vec<Column<ControlledRow<'a>>> {
    let moved = "Rating minus the plain rating, with its 95 % interval";
    let moved_keys = &["moved", "moved_low", "moved_high"];
    let plain = "From the same games, without style control";
    vec![
        rubric(),
        criterion(),
        judge(),
        method(),
        plot(|r| (r.line.rating, r.line.interval, r.line.plain)),
        column(&["rating"], "rating", Main(ELO, |r| (r.line.rating, r.line.bound))),
        data(&["bound"], MaybeText(|r| r.line.bound.map(bound_word))),
        interval(ELO, |r| r.line.interval),
        data(&["rank"], Count(|r| r.line.rank)),
        ranks(|r| r.line.ranks_all),
        hinted(plain, column(&["plain"], "plain", Rating(|r| (r.line.plain, r.line.bound)))),
        data(&["plain_rank"], Count(|r| r.line.plain_rank)),
        hinted(
            moved,
            column(moved_keys, "moved", Points(|r| (r.line.moved, r.line.moved_interval))),
        ),
        explained("place", "On the plain board and on this one", Figures(Row::places)),
    ]
}

impl ControlledRow<'_> {
    fn places(&self) -> String {
        match (self.line.plain_rank, self.line.rank) {
            (plain, rank) if plain == rank => rank.to_string(),
            (plain, rank) => format!("{plain} → {rank}"),
        }
    }
}

/// The lines of each category.
pub(super) fn category_rows(on: &CriterionCategories) -> Vec<Vec<CategoryRow<'_>>> {
    let head = (&*on.rubric, &*on.criterion, Some(&on.voice));
    let mut all = Vec::new();
    for (category, lines) in on.found.categories.iter().enumerate() {
        let lines = rows(on, head, lines, |line| &on.methods[line.method]);
        all.push(lines.into_iter().map(|line| (category, line)).collect());
    }
    all
}

pub(super) fn category_columns<'a>() -> Vec<Column<CategoryRow<'a>>> {
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

pub(super) fn mean_rows(on: &CriterionMeans) -> Vec<MeanRow<'_, CriterionMeans>> {
    rows(on, (&on.rubric, &on.criterion, Some(&on.voice)), &on.means, |(method, _)| method)
}

pub(super) fn mos_rows(on: &MosBoard) -> Vec<MeanRow<'_, MosBoard>> {
    rows(on, ("", &on.criterion, None), &on.means, |(method, _)| method)
}

pub(super) fn mean_columns<'a>() -> Vec<Column<MeanRow<'a, CriterionMeans>>> {
    let mut columns = vec![rubric(), criterion(), judge()];
    columns.extend(method_means());
    columns
}

pub(super) fn mos_columns<'a>() -> Vec<Column<MeanRow<'a, MosBoard>>> {
    let mut columns = vec![criterion()];
    columns.extend(method_means());
    columns
}

fn method_means<'a, B>() -> [Column<MeanRow<'a, B>>; 7] {
    let plot = "Mean with its 95 % interval, drawn";
    [
        method(),
        column(&[], plot, Plot(|r| (r.line.1.mean, r.line.1.interval, r.line.1.mean))),
        column(&["mean"], "mean", Main(SCORE, |r| (r.line.1.mean, None))),
        data(&["standard_error"], MaybeNumber(SCORE, |r| r.line.1.standard_error)),
        interval(SCORE, |r| r.line.1.interval),
        column(&["scores"], "scores", Count(|r| r.line.1.num_scores)),
        column(&["clusters"], "prompts", Count(|r| r.line.1.num_clusters)),
    ]
}

/// Under other assumptions.
pub(super) fn diagnosis_columns<'a>() -> Vec<Column<(&'a CriterionDiagnosis, &'a Variant)>> {
    let turned = "Pairs of generators whose order is reversed";
    let moved =
        "Largest change of a rating, in points, after both boards are scaled to the same spread";
    let scale = "Spread of the ratings divided by that of the board";
    vec![
        column(&[], "if", Name(|(_, v)| &v.name)),
        column(
            &[],
            "first",
            Word(|(on, v)| if v.is_level() { "all equal" } else { &on.methods[v.first] }),
        ),
        explained("orders changed", turned, Count(|(_, v)| v.turned)),
        explained("largest move", moved, Number(ELO, |(_, v)| v.moved_elo)),
        explained("scale", scale, Number(Unit::Digits(2), |(_, v)| v.scale)),
    ]
}

/// With what, on what, and the correlations.
pub(super) fn correlation_columns<'a>() -> Vec<Column<(&'a str, String, &'a Correlations)>> {
    vec![
        column(&[], "with", Word(|r| r.0)),
        column(&[], "on", Word(|r| &r.1)),
        column(&[], "pairs", Count(|r| r.2.num_pairs)),
        column(&[], "SROCC", Estimate(COEFFICIENT, |r| r.2.spearman)),
        column(&[], "PLCC", Estimate(COEFFICIENT, |r| r.2.pearson)),
    ]
}

/// Members, then their majority and their weighted sum.
pub(super) fn jury_rows(on: &CriterionJury) -> Vec<JuryRow<'_>> {
    let CriterionJury { members, jury, .. } = on;
    let members = members.iter().map(String::as_str).zip(&jury.members);
    let together = [("majority", &jury.majority), ("weighted jury", &jury.weighted)];
    members.chain(together).map(|(name, line)| (on, name, line)).collect()
}

/// Each item, then all of them.
pub(super) fn checklist_rows(on: &ChecklistBoard) -> Vec<ChecklistRow<'_>> {
    let items = on.items.iter().map(|(item, found)| (item.as_str(), found));
    let all = items.chain([("mean of all items", &on.all)]);
    all.map(|(item, found)| (on, item, found)).collect()
}

pub(super) fn checklist_columns<'a>() -> Vec<Column<ChecklistRow<'a>>> {
    let mcc = "Matthews correlation with people's majority; 0 where all answers are the same";
    vec![
        data(&["rubric"], Text(|r| &r.0.rubric)),
        data(&["judge"], Json(|r| Some(r.0.voice.to_string().into()))),
        column(&["item"], "item", Word(|r| r.1)),
        column(&["answers"], "answers", Count(|r| r.2.counts.iter().sum())),
        hinted("Both say yes", column(&["both_yes"], "both yes", Count(|r| r.2.counts[0]))),
        column(&["only_judge"], "only judge", Count(|r| r.2.counts[1])),
        column(&["only_people"], "only people", Count(|r| r.2.counts[2])),
        hinted(mcc, column(&["mcc"], "MCC", Estimate(COEFFICIENT, |r| r.2.mcc))),
        column(&["f1"], "F1", Estimate(COEFFICIENT, |r| r.2.f1)),
        column(&["kappa"], "κ", Estimate(COEFFICIENT, |r| r.2.kappa)),
        data(&["assets"], Count(|r| r.0.num_assets)),
        data(&["raters"], Count(|r| r.0.num_raters)),
    ]
}

pub(super) fn jury_columns<'a>() -> Vec<Column<JuryRow<'a>>> {
    let weight = "Learned from the votes; 0 for a member that adds nothing";
    vec![
        data(&["rubric"], Text(|r| &r.0.rubric)),
        data(&["criterion"], Text(|r| &r.0.criterion)),
        column(&["member"], "member", Word(|r| r.1)),
        hinted(weight, column(&["weight"], "weight", MaybeNumber(COEFFICIENT, |r| r.2.weight))),
        column(&["right"], "agrees with people", Estimate(Unit::Share, |r| Some(r.2.right))),
        column(&["gain"], "more than the best member", Estimate(Unit::Share, |r| r.2.gain)),
        data(&["pairs"], Count(|r| r.0.jury.num_questions)),
        data(&["prompts"], Count(|r| r.0.jury.num_prompts)),
    ]
}
