//! How sure a fit is: intervals of ratings, of their differences and of the left/right bias, and
//! the orders that are established. All from what clusters add to it: `spread.rs`.

use super::bootstrap::{CLUSTERS_MIN, Interval};
use super::elo::{ELO_PER_NAT, LEVEL_ELO};
use super::model::{Anchor, Fit, Model};
use super::ranks::orders;
use super::spread::Spread;
use super::table::Table;

/// Intervals are none where too few clusters, or none that differ, say something.
#[derive(Debug, Clone, PartialEq)]
pub struct Certainty {
    /// By method, in Elo points. The anchor's own has no width.
    pub ratings: Vec<Option<Interval>>,
    /// `gaps[i][j]`: of the rating of `i` less that of `j`.
    pub gaps: Vec<Vec<Option<Interval>>>,
    /// Of the left/right bias, in natural log-odds, where it was fitted.
    pub left_bias: Option<Interval>,
    /// The better method first, sorted; right together on 95 of 100 boards.
    pub orders: Vec<(usize, usize)>,
}

/// Of a fit of these games. None with fewer than [`CLUSTERS_MIN`] clusters or without `replicates`,
/// the number of random signs that orders are held against.
pub fn certainty(
    table: &Table,
    model: &Model,
    anchor: Anchor,
    fit: &Fit,
    replicates: usize,
    seed: u64,
) -> Option<Certainty> {
    certainty_of(&Spread::of_fit(table, model, fit)?, anchor, fit, replicates, seed)
}

/// The same of a fit whose spread is known.
pub(super) fn certainty_of(
    spread: &Spread,
    anchor: Anchor,
    fit: &Fit,
    replicates: usize,
    seed: u64,
) -> Option<Certainty> {
    if spread.num_parts() < CLUSTERS_MIN || replicates == 0 {
        return None;
    }
    let ratings = &fit.ratings;
    let k = ratings.len();
    let half = |i: usize, other: Option<usize>| {
        let is_seen = other.into_iter().chain([i]).all(|i| spread.is_seen(i));
        spread.half(i, other).filter(|half| is_seen && *half > LEVEL_ELO)
    };
    let gap = |i: usize, j: usize| {
        let half = if i == j { None } else { half(i, Some(j)) };
        Some(about(ratings[i] - ratings[j], half?))
    };
    let rating = |i: usize| match anchor {
        Anchor::Mean => Some(about(ratings[i], half(i, None)?)),
        Anchor::Method(anchor) if anchor == i => Some(about(ratings[i], 0.0)),
        Anchor::Method(anchor) => Some(about(ratings[i], half(i, Some(anchor))?)),
    };
    Some(Certainty {
        ratings: (0..k).map(rating).collect(),
        gaps: parallel::of(k, |i| (0..k).map(|j| gap(i, j)).collect()),
        left_bias: bias_interval(spread, fit),
        orders: orders(ratings, spread, replicates, seed),
    })
}

fn about(value: f64, half: f64) -> Interval {
    Interval { low: value - half, high: value + half }
}

/// Of the left/right bias, in natural log-odds, where it was fitted.
pub(super) fn bias_interval(spread: &Spread, fit: &Fit) -> Option<Interval> {
    let bias = fit.left_bias?;
    let half = spread.half(fit.ratings.len(), None).filter(|half| *half > LEVEL_ELO)?;
    Some(about(bias, half / ELO_PER_NAT))
}
