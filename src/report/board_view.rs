//! Boards and means as a page draws them: every number written, every position of the plot in per cent of its width.

use super::columns::Columns;
use super::ends::Ends;
use super::show::{percent, plural, title};
use super::words::SCORED;
use crate::rate::{Bound, CLUSTERS_MIN, ELO_PER_NAT, Interval, Line};
use crate::results::{CriterionBoard, CriterionMeans};
use serde::Serialize;

/// The approximate number of marks on an axis.
const TICKS: f64 = 5.0;
/// Steps of the heat map on each side of even.
const TINTS: f64 = 5.0;

/// A mark on the axis of a plot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Tick {
    /// Distance from the left, in per cent.
    pub at: f64,
    pub label: String,
    /// Whether this is the mean of all methods.
    pub is_base: bool,
}

/// A dot with its whisker, in per cent from the left.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Whisker {
    pub dot: f64,
    /// Ends of the interval.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// One method on a board.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LineView {
    /// Place, from 1.
    pub place: usize,
    pub method: String,
    pub whisker: Whisker,
    pub rating: String,
    /// `982 – 1044`, or nothing.
    pub interval: Ends,
    /// `1–3`, `2`, or nothing.
    pub ranks: Ends,
    /// The same for all methods together, or nothing.
    pub ranks_all: Ends,
    /// The probability that it is above the next line.
    pub above_next: String,
    pub games: usize,
    pub ties: usize,
    pub inconsistent: usize,
}

/// One cell of the win matrix.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CellView {
    /// `75 %`, or the share of wins where there are no intervals.
    pub share: String,
    /// `9–2`, and ties after it.
    pub record: String,
    /// −5 (always loses) to 5 (always wins); none on the diagonal and where the two never met.
    pub tint: Option<i32>,
    pub aria: String,
}

/// A leaderboard as it is drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct BoardView {
    /// The id of the page's element.
    pub id: String,
    pub rubric: String,
    pub criterion: String,
    /// The criterion in words.
    pub title: String,
    pub voice: String,
    pub is_primary: bool,
    /// `66 games on 12 prompts`.
    pub basis: String,
    /// Marks of the axis.
    pub ticks: Vec<Tick>,
    /// Best first.
    pub lines: Vec<LineView>,
    /// Rows and columns in the order of the lines.
    pub matrix: Vec<Vec<CellView>>,
    /// Whether the shares are how likely the row's rating is above the column's.
    pub has_beats: bool,
    /// Name and value of further figures.
    pub figures: Vec<(String, String)>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

pub(super) fn board_view(on: &CriterionBoard, number: usize, is_primary: bool) -> BoardView {
    let board = &on.board;
    let ends = board.lines.iter().flat_map(|line| {
        let interval = line.interval;
        [interval.map_or(line.rating, |i| i.low), interval.map_or(line.rating, |i| i.high)]
    });
    let axis = Axis::around(ends, Some(crate::rate::ELO_ORIGIN));
    let lines = board.lines.iter().enumerate().map(|(i, line)| LineView {
        place: i + 1,
        method: on.methods[line.method].clone(),
        whisker: axis.whisker(line.rating, line.interval),
        rating: rating_text(line),
        interval: Ends::interval(line.interval, 0),
        ranks: Ends::ranks(line.ranks),
        ranks_all: Ends::ranks(line.ranks_all),
        above_next: board
            .beats
            .as_ref()
            .zip(board.lines.get(i + 1))
            .map_or(String::new(), |(beats, next)| percent(beats[line.method][next.method])),
        games: line.games,
        ties: line.ties,
        inconsistent: line.inconsistent,
    });
    BoardView {
        id: format!("board-{number}"),
        rubric: on.rubric.clone(),
        criterion: on.criterion.clone(),
        title: title(&on.criterion),
        voice: on.voice.to_string(),
        is_primary,
        basis: format!(
            "{} on {}",
            plural(board.num_units, "game"),
            plural(board.num_prompts, "prompt")
        ),
        ticks: axis.ticks(),
        lines: lines.collect(),
        matrix: matrix(on),
        has_beats: board.beats.is_some(),
        figures: figures(on).into_iter().map(Figure::written).collect(),
        notes: notes(on).iter().map(Note::written).collect(),
    }
}

impl BoardView {
    pub(super) fn columns(&self) -> Columns {
        let row = |l: &LineView| {
            [
                (&l.method).into(),
                (&l.rating).into(),
                (&l.interval).into(),
                (&l.ranks).into(),
                (&l.ranks_all).into(),
                (&l.above_next).into(),
                l.games.into(),
                l.ties.into(),
                l.inconsistent.into(),
            ]
        };
        let heads = [
            "method",
            "rating",
            "95 % interval",
            "ranks",
            "at once",
            "above next",
            "games",
            "ties",
            "inconsistent",
        ];
        Columns::new(heads, self.lines.iter().map(row))
    }
}

/// `1094`, or `≥ 1094` where nothing but the prior keeps it there.
pub(super) fn rating_text(line: &Line) -> String {
    bounded(line.rating, line.bound)
}

pub(super) fn bounded(rating: f64, bound: Option<Bound>) -> String {
    let side = match bound {
        Some(Bound::AtLeast) => "≥\u{a0}",
        Some(Bound::AtMost) => "≤\u{a0}",
        Some(Bound::Neither) => "~\u{a0}",
        None => "",
    };
    format!("{side}{rating:.0}")
}

fn matrix(on: &CriterionBoard) -> Vec<Vec<CellView>> {
    let order: Vec<usize> = on.board.lines.iter().map(|line| line.method).collect();
    let cell = |i: usize, j: usize| {
        let (wins, losses, ties) = (on.wins[i][j], on.wins[j][i], on.ties[i][j]);
        let met = wins + losses + ties;
        if i == j || met == 0.0 {
            let aria = if i == j { "" } else { "never met" };
            return CellView {
                share: String::new(),
                record: String::new(),
                tint: None,
                aria: aria.to_owned(),
            };
        }
        let share = match &on.board.beats {
            Some(beats) => beats[i][j],
            None => (wins + 0.5 * ties) / met,
        };
        let (row, column) = (&on.methods[i], &on.methods[j]);
        CellView {
            share: percent(share),
            record: match ties {
                0.0 => format!("{}–{}", count(wins), count(losses)),
                _ => format!("{}–{}, {}\u{a0}=", count(wins), count(losses), count(ties)),
            },
            tint: Some(((share - 0.5) * 2.0 * TINTS).round() as i32),
            aria: format!(
                "{row} against {column}: {} won, {} lost, {} tied",
                count(wins),
                count(losses),
                count(ties)
            ),
        }
    };
    let row = |&i: &usize| order.iter().map(|&j| cell(i, j)).collect();
    order.iter().map(row).collect()
}

/// Half games appear where only one order was answered.
fn count(games: f64) -> String {
    if games.fract() == 0.0 { format!("{games:.0}") } else { format!("{games:.1}") }
}

/// A figure below a board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Figure {
    /// Pairs whose two orders contradict each other, of those asked in both.
    Inconsistent(usize, usize),
    /// The advantage of the left side, in Elo points.
    LeftBias(f64, Option<Interval>),
    /// Games asked in one order only.
    OneOrder(usize),
    /// Games lost by a missing asset.
    Forfeits(usize),
    /// Answers that the judge could not give.
    Undecided(usize),
    /// Ties because both objects are bad.
    BothBad(usize),
    /// Davidson's ν.
    TieShare(f64),
}

/// The figures that are not trivial.
pub(super) fn figures(on: &CriterionBoard) -> Vec<Figure> {
    let board = &on.board;
    let some = |count: usize| (count > 0).then_some(count);
    let points = |nats: f64| nats * ELO_PER_NAT;
    let bias = board.left_bias.map(|(bias, interval)| {
        let interval = interval
            .map(|Interval { low, high }| Interval { low: points(low), high: points(high) });
        Figure::LeftBias(points(bias), interval)
    });
    let inconsistent = |of| Figure::Inconsistent(board.num_inconsistent, of);
    [
        some(board.num_both_orders).map(inconsistent),
        bias,
        some(board.num_one_order).map(Figure::OneOrder),
        some(on.forfeits).map(Figure::Forfeits),
        some(on.undecided).map(Figure::Undecided),
        some(on.both_bad).map(Figure::BothBad),
        board.tie.map(Figure::TieShare),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl Figure {
    /// Name and value, as the page shows them.
    fn written(self) -> (String, String) {
        let (name, value) = match self {
            Self::Inconsistent(found, of) => (
                "Inconsistent between orders",
                format!("{} ({found} of {of})", percent(found as f64 / of as f64)),
            ),
            Self::LeftBias(bias, interval) => {
                let points = |points: f64| format!("{points:+.0}").replace('-', "−");
                let interval = interval.map_or(String::new(), |Interval { low, high }| {
                    format!(" (95\u{a0}% {} to {})", points(low), points(high))
                });
                let bias = points(bias);
                ("Advantage of the left side", format!("{bias} points{interval}"))
            }
            Self::OneOrder(games) => {
                ("Asked in one order only, counted half", plural(games, "game"))
            }
            Self::Forfeits(games) => ("Lost by a missing asset", plural(games, "game")),
            Self::Undecided(answers) => ("Undecided, not counted", plural(answers, "answer")),
            Self::BothBad(answers) => ("Both are bad, counted as ties", plural(answers, "answer")),
            Self::TieShare(nu) => ("Davidson’s ν", format!("{nu:.2}")),
        };
        (name.to_owned(), value)
    }
}

/// A note about a board.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Note {
    /// Too few prompts, or no bootstrap samples.
    NoIntervals,
    /// Some methods have none, because every prompt said the same.
    SomeWithoutInterval,
    /// Methods whose rating only the prior bounds.
    OnlyWon(Vec<String>),
}

/// The notes that apply.
pub(super) fn notes(on: &CriterionBoard) -> Vec<Note> {
    let board = &on.board;
    let mut notes = Vec::new();
    if board.beats.is_none() {
        notes.push(Note::NoIntervals);
    } else if board.lines.iter().any(|line| line.interval.is_none()) {
        notes.push(Note::SomeWithoutInterval);
    }
    if !board.only_won.is_empty() {
        let names = board.only_won.iter().map(|m| on.methods[*m].clone());
        notes.push(Note::OnlyWon(names.collect()));
    }
    notes
}

impl Note {
    fn written(&self) -> String {
        match self {
            Self::NoIntervals => format!(
                "No intervals: they need at least {CLUSTERS_MIN} prompts and bootstrap samples."
            ),
            Self::SomeWithoutInterval => {
                "A hollow dot has no interval: all prompts agree, so the spread is unknown, not 0."
                    .to_owned()
            }
            Self::OnlyWon(names) => format!(
                "Won every game against the rest, so the size of the lead depends on the prior: {}.",
                names.join(", ")
            ),
        }
    }
}

/// Means of one criterion as they are drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MeansView {
    pub rubric: String,
    /// The criterion in words.
    pub title: String,
    pub voice: String,
    /// Marks of the axis.
    pub ticks: Vec<Tick>,
    /// Best first.
    pub lines: Vec<MeanLineView>,
    /// Caveats.
    pub notes: Vec<&'static str>,
}

/// The mean of one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MeanLineView {
    pub method: String,
    pub whisker: Whisker,
    pub mean: String,
    pub interval: Ends,
    pub num_scores: usize,
    pub num_prompts: usize,
}

pub(super) fn mean_columns(lines: &[MeanLineView]) -> Columns {
    let row = |l: &MeanLineView| {
        [
            (&l.method).into(),
            (&l.mean).into(),
            (&l.interval).into(),
            l.num_scores.into(),
            l.num_prompts.into(),
        ]
    };
    let heads = ["method", "mean", "95 % interval", "scores", "prompts"];
    Columns::new(heads, lines.iter().map(row))
}

pub(super) fn means_view(on: &CriterionMeans) -> MeansView {
    let ends = on
        .means
        .iter()
        .flat_map(|(_, mean)| mean.interval.map_or([mean.mean; 2], |i| [i.low, i.high]));
    let axis = Axis::around(ends, None);
    let line = |(method, mean): &(String, crate::rate::Mean)| MeanLineView {
        method: method.clone(),
        whisker: axis.whisker(mean.mean, mean.interval),
        mean: format!("{:.2}", mean.mean),
        interval: Ends::interval(mean.interval, 2),
        num_scores: mean.num_scores,
        num_prompts: mean.num_clusters,
    };
    MeansView {
        rubric: on.rubric.clone(),
        title: title(&on.criterion),
        voice: on.voice.to_string(),
        ticks: axis.ticks(),
        lines: on.means.iter().map(line).collect(),
        notes: if on.voice.is_measured() { SCORED.to_vec() } else { Vec::new() },
    }
}

/// A linear axis with a little air at both ends.
pub(super) struct Axis {
    low: f64,
    high: f64,
    step: f64,
    base: Option<f64>,
}

impl Axis {
    pub(super) fn around(values: impl Iterator<Item = f64>, base: Option<f64>) -> Self {
        let (mut low, mut high) =
            values.chain(base).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low < 1e-9 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let air = 0.04 * (high - low);
        (low, high) = (low - air, high + air);
        Self { low, high, step: nice_step((high - low) / TICKS), base }
    }

    /// To a tenth of a per cent, which is less than a pixel.
    fn at(&self, value: f64) -> f64 {
        (1000.0 * (value - self.low) / (self.high - self.low)).round() / 10.0
    }

    pub(super) fn whisker(&self, value: f64, interval: Option<Interval>) -> Whisker {
        Whisker {
            dot: self.at(value),
            low: interval.map(|i| self.at(i.low)),
            high: interval.map(|i| self.at(i.high)),
        }
    }

    pub(super) fn ticks(&self) -> Vec<Tick> {
        let (first, last) = ((self.low / self.step).ceil(), (self.high / self.step).floor());
        // Steps are 1, 2 or 5 times a power of ten.
        let (mut digits, mut unit) = (0, self.step);
        while unit < 0.99 && digits < 9 {
            unit *= 10.0;
            digits += 1;
        }
        // A label hangs on both sides of its mark; near an end it would be cut.
        (first as i64..=last as i64)
            .map(|n| n as f64 * self.step)
            .map(|value| Tick {
                at: self.at(value),
                label: format!("{value:.digits$}"),
                is_base: self.base == Some(value),
            })
            .filter(|tick| (4.0..=96.0).contains(&tick.at))
            .collect()
    }
}

/// 1, 2 or 5 times a power of ten, at least `rough`.
fn nice_step(rough: f64) -> f64 {
    let mut power = 1e-6;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if factor * power >= rough {
                return factor * power;
            }
        }
        power *= 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_holds_its_values_and_marks_round_numbers() {
        let axis = Axis::around([873.0, 1131.0].into_iter(), Some(1000.0));
        assert!(axis.at(873.0) > 0.0 && axis.at(1131.0) < 100.0);
        let labels: Vec<String> = axis.ticks().into_iter().map(|t| t.label).collect();
        assert_eq!(labels, ["900", "1000", "1100"]);
        assert!(axis.ticks()[1].is_base);
        let flat = Axis::around([1000.0].into_iter(), Some(1000.0));
        assert_eq!(flat.at(1000.0), 50.0);
        assert!(!Axis::around(std::iter::empty(), None).ticks().is_empty());
    }
}
