//! From estimates to what a reader gets: lines in order, effects, and their intervals.

use super::super::board::Bound;
use super::super::bootstrap::{LEVEL_ELO, rank_range, widened, widening};
use super::super::model::{Anchor, Fit};
use super::estimate::Estimate;
use super::rows::Rows;
use super::{ControlledLine, Effect};

/// All that the lines are written from.
pub(super) struct Fitted<'a> {
    pub rows: &'a Rows,
    pub estimate: &'a Estimate,
    pub plain: &'a [f64],
    /// With covariates and without, replicate by replicate.
    pub drawn: Option<&'a (Vec<Estimate>, Vec<Fit>)>,
    pub bounds: &'a [Option<Bound>],
    pub covariates: &'a [usize],
    pub anchor: Anchor,
}

pub(super) fn summary(fitted: &Fitted<'_>) -> (Vec<ControlledLine>, Vec<Effect>) {
    let Fitted {
        estimate, plain, ..
    } = *fitted;
    let widening = widening(fitted.rows.num_clusters.max(2));
    let interval = |value: f64, of: &dyn Fn(&Estimate, &Fit) -> f64| {
        let (with, without) = fitted.drawn?;
        let values = with.iter().zip(without).map(|(x, y)| of(x, y)).collect();
        let found = widened(values, value, widening);
        (found.high - found.low > LEVEL_ELO).then_some(found)
    };
    let line = |method: usize| {
        let rating = estimate.ratings[method];
        let moved = rating - plain[method];
        let is_open = fitted.bounds[method].is_some();
        let is_anchor = fitted.anchor == Anchor::Method(method);
        let drawn_ranks = fitted
            .drawn
            .map(|(with, _)| rank_range(with.iter().map(|e| rank(&e.ratings, method)).collect()));
        ControlledLine {
            method,
            rating,
            interval: (interval(rating, &|e, _| e.ratings[method]))
                .filter(|_| !is_open && !is_anchor),
            bound: fitted.bounds[method],
            rank: rank(&estimate.ratings, method),
            ranks: drawn_ranks,
            plain: plain[method],
            plain_rank: rank(plain, method),
            moved,
            moved_interval: (interval(moved, &|e, f| e.ratings[method] - f.ratings[method]))
                .filter(|_| !is_open),
        }
    };
    let mut lines: Vec<ControlledLine> = (0..plain.len()).map(line).collect();
    lines.sort_by(|x, y| (x.rank.cmp(&y.rank)).then(x.method.cmp(&y.method)));
    let effect = |(place, &covariate): (usize, &usize)| Effect {
        covariate,
        sd: fitted.rows.sds[place],
        elo: estimate.effects[place],
        interval: interval(estimate.effects[place], &|e, _| e.effects[place]),
    };
    (
        lines,
        fitted.covariates.iter().enumerate().map(effect).collect(),
    )
}

/// One more than those above it.
fn rank(ratings: &[f64], method: usize) -> usize {
    let above = ratings.iter().filter(|r| **r > ratings[method] + LEVEL_ELO);
    1 + above.count()
}
