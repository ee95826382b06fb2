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
    let known = |half: Option<f64>| half.filter(|half| *half > LEVEL_ELO);
    let about = |value: f64, half: f64| Interval { low: value - half, high: value + half };
    let gap = |i: usize, j: usize| {
        let is_seen = i != j && spread.is_seen(i) && spread.is_seen(j);
        let half = known(spread.half(i, Some(j)).filter(|_| is_seen))?;
        Some(about(ratings[i] - ratings[j], half))
    };
    let rating = |i: usize| match anchor {
        Anchor::Mean => {
            let half = known(spread.half(i, None).filter(|_| spread.is_seen(i)))?;
            Some(about(ratings[i], half))
        }
        Anchor::Method(anchor) if anchor == i => Some(about(ratings[i], 0.0)),
        Anchor::Method(anchor) => {
            gap(i, anchor).map(|gap| about(ratings[i], 0.5 * (gap.high - gap.low)))
        }
    };
    let below = |i: usize| (0..i).map(|j| gap(i, j)).collect::<Vec<_>>();
    let below: Vec<Vec<_>> = parallel::of(k, below);
    let turned = |gap: Interval| Interval { low: -gap.high, high: -gap.low };
    let at = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Less => below[j][i].map(turned),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => below[i][j],
    };
    Some(Certainty {
        ratings: (0..k).map(rating).collect(),
        gaps: (0..k).map(|i| (0..k).map(|j| at(i, j)).collect()).collect(),
        left_bias: fit
            .left_bias
            .and_then(|bias| Some(about(bias, known(spread.half(k, None))? / ELO_PER_NAT))),
        orders: orders(ratings, spread, replicates, seed),
    })
}
