//! From estimates to what a reader gets: lines in order, effects, and their intervals.

use super::super::board::Bound;
use super::super::bootstrap::Interval;
use super::super::certainty::Certainty;
use super::super::elo::LEVEL_ELO;
use super::super::model::Anchor;
use super::super::ranks::ranks;
use super::super::spread::{Scatter, Spread, scatter};

/// What one covariate does to a game.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Effect {
    /// Its index in the differences of the meetings.
    pub covariate: usize,
    /// Root mean square of its difference over the games: what "one standard deviation" is.
    pub sd: f64,
    /// Elo points for one standard deviation more.
    pub elo: f64,
    pub interval: Option<Interval>,
}

/// One method with style held equal.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ControlledLine {
    pub method: usize,
    pub rating: f64,
    /// None as on a plain board: too few prompts, or a rating that the prior alone bounds.
    pub interval: Option<Interval>,
    /// On which side its rating is open; as of the plain one.
    pub bound: Option<Bound>,
    /// Place on this board, from 1; equal ratings share one.
    pub rank: usize,
    /// Best and worst rank, right for all methods together.
    pub ranks_all: Option<(usize, usize)>,
    /// Rating and place by the same games without any covariate.
    pub plain: f64,
    pub plain_rank: usize,
    /// `rating − plain`.
    pub moved: f64,
    pub moved_interval: Option<Interval>,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Controlled {
    /// Best first.
    pub lines: Vec<ControlledLine>,
    pub effects: Vec<Effect>,
    /// Weight of the games that it rests on, and of those that lack a figure.
    pub games: f64,
    pub left_out: f64,
    pub num_prompts: usize,
}

/// Where the interval of a figure has a width.
pub(super) fn interval(value: f64, of: Scatter) -> Option<Interval> {
    of.interval(value).filter(|found| found.high - found.low > LEVEL_ELO)
}

/// The lines with the covariates and without, both about the anchor; `spreads` of both.
pub(super) fn lines(
    [with, plain]: [&[f64]; 2],
    spreads: Option<&[Spread; 2]>,
    certainty: Option<&Certainty>,
    bounds: &[Option<Bound>],
    anchor: Anchor,
) -> Vec<ControlledLine> {
    let k = plain.len();
    let ranks = certainty.map(|it| ranks(k, &it.orders));
    let moved_by = |[with, without]: &[Spread; 2], method: usize| {
        let moves = |spread: &Spread, g: usize| match anchor {
            Anchor::Mean => spread.moves(method)[g],
            Anchor::Method(anchor) => spread.moves(method)[g] - spread.moves(anchor)[g],
        };
        let shares = with.shares(method).iter().enumerate();
        scatter(shares.map(|(g, share)| (moves(with, g) - moves(without, g), *share)))
    };
    let line = |method: usize| {
        let moved = with[method] - plain[method];
        let known = spreads.filter(|[with, _]| bounds[method].is_none() && with.is_seen(method));
        let interval_of = certainty.filter(|_| anchor != Anchor::Method(method));
        ControlledLine {
            method,
            rating: with[method],
            interval: interval_of.and_then(|it| it.ratings[method]).filter(|_| known.is_some()),
            bound: bounds[method],
            rank: rank(with, method),
            ranks_all: ranks.as_ref().map(|ranks| ranks[method]),
            plain: plain[method],
            plain_rank: rank(plain, method),
            moved,
            moved_interval: known.and_then(|spreads| interval(moved, moved_by(spreads, method))),
        }
    };
    let mut lines: Vec<ControlledLine> = (0..k).map(line).collect();
    lines.sort_by(|x, y| x.rank.cmp(&y.rank).then(x.method.cmp(&y.method)));
    lines
}

/// One more than those above it.
fn rank(ratings: &[f64], method: usize) -> usize {
    1 + ratings.iter().filter(|r| **r > ratings[method] + LEVEL_ELO).count()
}
