//! From estimates to what a reader gets: lines in order, effects, and their intervals.

use super::super::board::Bound;
use super::super::bootstrap::Interval;
use super::super::certainty::Certainty;
use super::super::elo::LEVEL_ELO;
use super::super::model::{Anchor, Fit};
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

/// All that the lines are written from.
pub(super) struct Fitted<'a> {
    /// With the covariates: ratings about the anchor; points for one standard deviation of each.
    pub fit: &'a Fit,
    pub effects: &'a [f64],
    pub sds: &'a [f64],
    /// The ratings without them.
    pub plain: &'a [f64],
    /// With covariates and without.
    pub spreads: Option<&'a (Spread, Spread)>,
    pub certainty: Option<&'a Certainty>,
    pub bounds: &'a [Option<Bound>],
    pub covariates: &'a [usize],
    pub anchor: Anchor,
}

pub(super) fn summary(fitted: &Fitted<'_>) -> (Vec<ControlledLine>, Vec<Effect>) {
    let Fitted { plain, bounds, certainty, .. } = *fitted;
    let ratings = &fitted.fit.ratings;
    let k = plain.len();
    let interval = |value: f64, of: &dyn Fn(&Spread, &Spread) -> Scatter| {
        let (with, without) = fitted.spreads?;
        of(with, without).interval(value).filter(|found| found.high - found.low > LEVEL_ELO)
    };
    let ranks = certainty.map(|it| ranks(k, &it.orders));
    let moved_by = |with: &Spread, without: &Spread, method: usize| {
        let moves = |spread: &Spread, g: usize| match fitted.anchor {
            Anchor::Mean => spread.moves(method)[g],
            Anchor::Method(anchor) => spread.moves(method)[g] - spread.moves(anchor)[g],
        };
        let parts = (0..with.num_parts())
            .map(|g| (moves(with, g) - moves(without, g), with.shares(method)[g]));
        scatter(parts)
    };
    let line = |method: usize| {
        let moved = ratings[method] - plain[method];
        let is_open =
            bounds[method].is_some() || !fitted.spreads.is_some_and(|of| of.0.is_seen(method));
        let is_anchor = fitted.anchor == Anchor::Method(method);
        ControlledLine {
            method,
            rating: ratings[method],
            interval: certainty
                .and_then(|it| it.ratings[method])
                .filter(|_| !is_open && !is_anchor),
            bound: bounds[method],
            rank: rank(ratings, method),
            ranks_all: ranks.as_ref().map(|ranks| ranks[method]),
            plain: plain[method],
            plain_rank: rank(plain, method),
            moved,
            moved_interval: interval(moved, &|with, without| moved_by(with, without, method))
                .filter(|_| !is_open),
        }
    };
    let mut lines: Vec<ControlledLine> = (0..k).map(line).collect();
    lines.sort_by(|x, y| x.rank.cmp(&y.rank).then(x.method.cmp(&y.method)));
    let effect = |(place, &covariate): (usize, &usize)| Effect {
        covariate,
        sd: fitted.sds[place],
        elo: fitted.effects[place],
        interval: interval(fitted.effects[place], &|with, _| with.one(k + place)),
    };
    (lines, fitted.covariates.iter().enumerate().map(effect).collect())
}

/// One more than those above it.
fn rank(ratings: &[f64], method: usize) -> usize {
    let above = ratings.iter().filter(|r| **r > ratings[method] + LEVEL_ELO);
    1 + above.count()
}
