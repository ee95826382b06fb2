//! From estimates to what a reader gets: lines in order, effects, and their intervals.

use super::super::board::Bound;
use super::super::bootstrap::{CLUSTERS_MIN, Interval, widened};
use super::super::elo::LEVEL_ELO;
use super::super::model::{Anchor, Fit};
use super::super::quantile::widening;
use super::super::ranks::{Doubt, one_by_one};
use super::super::table::Evidence;
use super::estimate::Estimate;
use super::rows::Rows;

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
    /// Best and worst rank in 95 % of the replicates.
    pub ranks: Option<(usize, usize)>,
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
    pub replicates: usize,
}

/// All that the lines are written from.
pub(super) struct Fitted<'a> {
    pub rows: &'a Rows,
    pub estimate: &'a Estimate,
    pub plain: &'a [f64],
    /// With covariates and without, replicate by replicate.
    pub drawn: Option<&'a (Vec<Estimate>, Vec<Fit>)>,
    pub bounds: &'a [Option<Bound>],
    pub evidence: &'a [Evidence],
    pub covariates: &'a [usize],
    pub anchor: Anchor,
}

pub(super) fn summary(fitted: &Fitted<'_>) -> (Vec<ControlledLine>, Vec<Effect>) {
    let Fitted { estimate, plain, .. } = *fitted;
    let widening = widening(fitted.rows.num_clusters.max(2));
    let interval = |value: f64, of: &dyn Fn(&Estimate, &Fit) -> f64| {
        let (with, without) = fitted.drawn?;
        let values = with.iter().zip(without).map(|(x, y)| of(x, y)).collect();
        let found = widened(values, value, widening);
        (found.high - found.low > LEVEL_ELO).then_some(found)
    };
    let ranks = fitted.drawn.map(|(with, _)| {
        let drawn: Vec<Vec<f64>> = with.iter().map(|drawn| drawn.ratings.clone()).collect();
        let clusters = fitted.rows.num_clusters.max(2);
        let deciding = fitted.evidence.iter().map(|it| it.deciding).collect();
        one_by_one(&Doubt::new(&estimate.ratings, &drawn, clusters, deciding))
    });
    let line = |method: usize| {
        let rating = estimate.ratings[method];
        let moved = rating - plain[method];
        let is_open =
            fitted.bounds[method].is_some() || fitted.evidence[method].prompts < CLUSTERS_MIN;
        let is_anchor = fitted.anchor == Anchor::Method(method);
        ControlledLine {
            method,
            rating,
            interval: interval(rating, &|e, _| e.ratings[method])
                .filter(|_| !is_open && !is_anchor),
            bound: fitted.bounds[method],
            rank: rank(&estimate.ratings, method),
            ranks: ranks.as_ref().map(|ranks| ranks[method]),
            plain: plain[method],
            plain_rank: rank(plain, method),
            moved,
            moved_interval: interval(moved, &|e, f| e.ratings[method] - f.ratings[method])
                .filter(|_| !is_open),
        }
    };
    let mut lines: Vec<ControlledLine> = (0..plain.len()).map(line).collect();
    lines.sort_by(|x, y| x.rank.cmp(&y.rank).then(x.method.cmp(&y.method)));
    let effect = |(place, &covariate): (usize, &usize)| Effect {
        covariate,
        sd: fitted.rows.sds[place],
        elo: estimate.effects[place],
        interval: interval(estimate.effects[place], &|e, _| e.effects[place]),
    };
    (lines, fitted.covariates.iter().enumerate().map(effect).collect())
}

/// One more than those above it.
fn rank(ratings: &[f64], method: usize) -> usize {
    let above = ratings.iter().filter(|r| **r > ratings[method] + LEVEL_ELO);
    1 + above.count()
}
