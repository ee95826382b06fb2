//! Uncertainty of ratings: a bootstrap over clusters. Answers on one prompt are correlated, so
//! prompts are drawn with replacement and not single games (Davison & Hinkley 1997, 3.8; percentile
//! intervals: Efron & Tibshirani 1993, 13.3).
//!
//! Replicates run side by side in blocks of a fixed size, each with its own random stream, so the
//! number of threads changes nothing.

use super::bradley_terry::{anchored, maximise};
use super::connect::groups;
use super::error::RateError;
use super::likelihood::{Likelihood, Sum};
use super::linear::{Concave, Factor};
use super::model::{Anchor, Fit, Model, Prior};
use super::orders::order_chances;
use super::quantile::widening;
use super::random::Random;
use super::ranks::{Doubt, all_at_once, one_by_one};
use super::table::Table;
use rayon::prelude::*;
use wide::f64x4;

/// 95 % interval: 95 % of the replicates, widened about the estimate for the number of clusters.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Interval {
    /// 2.5 %.
    pub low: f64,
    /// 97.5 %.
    pub high: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// By method, in Elo points. The anchor's own has no width.
    pub ratings: Vec<Interval>,
    /// By method: best and worst rank within 95 % of the replicates, 1 is first.
    pub ranks: Vec<(usize, usize)>,
    /// By method: best and worst rank, right for all methods at once in 95 of 100 boards.
    pub ranks_all: Vec<(usize, usize)>,
    /// `beats[i][j]`: how likely `i` is better than `j`; see `orders.rs`.
    pub beats: Vec<Vec<f64>>,
    /// Of the left/right bias, where it was fitted.
    pub left_bias: Option<Interval>,
    pub replicates: usize,
}

/// Replicates per walk through the clusters. A constant, so sums do not depend on the machine.
const BLOCK: usize = 8;
/// With fewer clusters there is no interval: four prompts have 35 different samples, and their
/// spread says next to nothing.
pub const CLUSTERS_MIN: usize = 5;
/// Steps below this end a replicate's fit, in Elo points: far below the width of any interval.
const TOLERANCE_ELO: f64 = 1e-4;

/// Draws `replicates` samples of clusters and fits each from `fit`. None with fewer than
/// [`CLUSTERS_MIN`] clusters.
///
/// A sample may lack any loss of a method, so samples are always fitted with a prior: the model's,
/// else the default one.
///
/// # Errors
/// A replicate that does not settle.
pub fn bootstrap(
    table: &Table,
    model: &Model,
    anchor: Anchor,
    fit: &Fit,
    replicates: usize,
    seed: u64,
) -> Result<Option<Bootstrap>, RateError> {
    if table.num_clusters < CLUSTERS_MIN || replicates == 0 {
        return Ok(None);
    }
    let fits = replicates_of(table, model, anchor, fit, replicates, seed)?;
    Ok(Some(summary(&fits, fit, table)))
}

/// The fit of each replicate. Two tables of the same prompts and seed draw the same prompts.
pub(super) fn replicates_of(
    table: &Table,
    model: &Model,
    anchor: Anchor,
    fit: &Fit,
    replicates: usize,
    seed: u64,
) -> Result<Vec<Fit>, RateError> {
    let model = Model { prior: Some(model.prior.unwrap_or_default() as Prior), ..*model };
    let refits = Refits::new(table, model, anchor, fit);
    let blocks: Result<Vec<Vec<Fit>>, RateError> = (0..replicates.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            let first = block * BLOCK;
            let times = draw(table.num_clusters, seed, first);
            let fits = refits.block(&times, replicates - first);
            fits.into_iter().map(|(fit, _)| fit).collect()
        })
        .collect();
    Ok(blocks?.into_iter().flatten().collect())
}

/// The fit without each cluster in turn, about a mean of 1000; none where the rest has no ratings.
pub(super) fn without_each(table: &Table, model: &Model, fit: &Fit) -> Vec<Option<Fit>> {
    let refits = Refits::new(table, *model, Anchor::Mean, fit);
    let blocks = (0..table.num_clusters.div_ceil(BLOCK)).into_par_iter();
    let blocks: Vec<Vec<Option<Fit>>> = blocks
        .map(|block| {
            let first = block * BLOCK;
            let mut times = vec![[1.0; BLOCK]; table.num_clusters];
            for (k, times) in times[first..].iter_mut().take(BLOCK).enumerate() {
                times[k] = 0.0;
            }
            let fits = refits.block(&times, table.num_clusters - first);
            let linked = |(fit, sums): (Result<Fit, RateError>, Vec<Sum>)| {
                let cells = table.cells.iter().zip(&sums);
                let met = cells.filter(|(_, sum)| sum.games > 0.0);
                let is_one = groups(table.num_methods, met.map(|(cell, _)| cell)).len() == 1;
                fit.ok().filter(|_| is_one)
            };
            fits.into_iter().map(linked).collect()
        })
        .collect();
    blocks.into_iter().flatten().collect()
}

/// Fits of the same table with clusters counted otherwise.
struct Refits<'a> {
    table: &'a Table,
    model: Model,
    anchor: Anchor,
    fit: &'a Fit,
    parts: Parts,
    near: Option<Factor>,
}

impl<'a> Refits<'a> {
    fn new(table: &'a Table, model: Model, anchor: Anchor, fit: &'a Fit) -> Self {
        let parts = Parts::new(table, &model);
        let whole = parts.whole(table);
        let likelihood = Likelihood::new(table, &whole, parts.ties.iter().sum(), &model);
        let near = likelihood.curved(&likelihood.parameters(fit));
        Self { table, model, anchor, fit, parts, near }
    }

    /// The first `count` of a block: each fit, with the sums that it rests on.
    fn block(
        &self,
        times: &[[f64; BLOCK]],
        count: usize,
    ) -> Vec<(Result<Fit, RateError>, Vec<Sum>)> {
        let (sums, ties) = self.parts.resample(times);
        let each = sums.chunks_exact(self.table.cells.len()).zip(ties);
        each.take(count)
            .map(|(sums, ties)| {
                let likelihood = Likelihood::new(self.table, sums, ties, &self.model);
                let found = maximise(&likelihood, self.fit, self.near.as_ref(), TOLERANCE_ELO);
                (found.map(|fit| anchored(fit, self.anchor)), sums.to_vec())
            })
            .collect()
    }
}

/// How often each cluster is in a replicate.
pub(super) fn sample(num_clusters: usize, seed: u64, replicate: usize) -> Vec<f64> {
    let mut random = Random::new(seed, replicate as u64);
    let mut times = vec![0.0; num_clusters];
    for _ in 0..num_clusters {
        times[random.below(num_clusters)] += 1.0;
    }
    times
}

/// The same of each replicate; none with fewer than [`CLUSTERS_MIN`] clusters.
pub(super) fn samples(
    num_clusters: usize,
    replicates: usize,
    seed: u64,
) -> impl Iterator<Item = Vec<f64>> {
    let replicates = if num_clusters < CLUSTERS_MIN { 0 } else { replicates };
    (0..replicates).map(move |replicate| sample(num_clusters, seed, replicate))
}

/// The same of the replicates of a block, cluster by cluster.
fn draw(num_clusters: usize, seed: u64, first: usize) -> Vec<[f64; BLOCK]> {
    let mut times = vec![[0.0; BLOCK]; num_clusters];
    for k in 0..BLOCK {
        let sample = sample(num_clusters, seed, first + k);
        times.iter_mut().zip(sample).for_each(|(times, drawn)| times[k] = drawn);
    }
    times
}

/// The likelihood's table by cluster: two numbers a share instead of three, in one flat list.
struct Parts {
    /// Cluster and sums of each share, by cell.
    shares: Vec<(u32, Sum)>,
    /// Where the shares of each cell end.
    ends: Vec<usize>,
    /// Weight of the draws, by cluster.
    ties: Vec<f64>,
}

impl Parts {
    fn new(table: &Table, model: &Model) -> Self {
        let mut parts = Self {
            shares: Vec::with_capacity(table.num_shares()),
            ends: Vec::with_capacity(table.cells.len()),
            ties: vec![0.0; table.num_clusters],
        };
        for cell in 0..table.cells.len() {
            for share in table.shares(cell) {
                let sum = Sum::new(&share.counts, model.draws);
                parts.shares.push((share.cluster, sum));
                parts.ties[share.cluster as usize] += share.counts.ties;
            }
            parts.ends.push(parts.shares.len());
        }
        parts
    }

    fn whole(&self, table: &Table) -> Vec<Sum> {
        let times = vec![[1.0; BLOCK]; table.num_clusters];
        let mut sums = self.resample(&times).0;
        sums.truncate(table.cells.len());
        sums
    }

    /// Sums by replicate of a block and then by cell, and the draws of each replicate.
    fn resample(&self, times: &[[f64; BLOCK]]) -> (Vec<Sum>, [f64; BLOCK]) {
        let num_cells = self.ends.len();
        let mut sums = vec![Sum::default(); BLOCK * num_cells];
        let mut start = 0;
        for (cell, &end) in self.ends.iter().enumerate() {
            let (mut games, mut score) = (Lanes::default(), Lanes::default());
            for (cluster, sum) in &self.shares[start..end] {
                let times = &times[*cluster as usize];
                games.add(times, sum.games);
                score.add(times, sum.score);
            }
            let (games, score) = (games.to_array(), score.to_array());
            for k in 0..BLOCK {
                let (games, score) = (games[k], score[k]);
                sums[k * num_cells + cell] = Sum { games, score };
            }
            start = end;
        }
        let mut ties = Lanes::default();
        for (times, weight) in times.iter().zip(&self.ties) {
            ties.add(times, *weight);
        }
        (sums, ties.to_array())
    }
}

/// A sum per replicate of a block, in vectors: the compiler turns a loop into scalar code.
#[derive(Default)]
struct Lanes([f64x4; BLOCK / 4]);

impl Lanes {
    fn add(&mut self, times: &[f64; BLOCK], weight: f64) {
        for (sum, times) in self.0.iter_mut().zip(times.as_chunks().0) {
            *sum += f64x4::new(*times) * f64x4::splat(weight);
        }
    }

    fn to_array(&self) -> [f64; BLOCK] {
        std::array::from_fn(|k| self.0[k / 4].to_array()[k % 4])
    }
}

fn summary(fits: &[Fit], estimate: &Fit, table: &Table) -> Bootstrap {
    let clusters = table.num_clusters;
    let widening = widening(clusters);
    let n = fits[0].ratings.len();
    let drawn: Vec<Vec<f64>> = fits.iter().map(|fit| fit.ratings.clone()).collect();
    let scale = if estimate.tie.is_some() { 1.0 } else { table.decided_share() };
    let beats = order_chances(&estimate.ratings, &drawn, table, scale);
    let deciding = table.evidence().iter().map(|it| it.deciding).collect();
    let doubt = Doubt::new(&estimate.ratings, &drawn, clusters, deciding);
    let ranks = one_by_one(&doubt);
    let all = all_at_once(&doubt);
    // An interval that is right for all methods together is right for each.
    let ranks_all = all.iter().zip(&ranks).map(|(all, own)| (all.0.min(own.0), all.1.max(own.1)));
    let biases: Vec<f64> = fits.iter().filter_map(|f| f.left_bias).collect();
    let of = |i: usize| {
        let values = fits.iter().map(|f| f.ratings[i]).collect();
        widened(values, estimate.ratings[i], widening)
    };
    Bootstrap {
        ratings: (0..n).map(of).collect(),
        ranks_all: ranks_all.collect(),
        ranks,
        beats,
        left_bias: estimate
            .left_bias
            .filter(|_| biases.len() == fits.len())
            .map(|bias| widened(biases, bias, widening)),
        replicates: fits.len(),
    }
}

/// The percentile interval, drawn out about the estimate.
pub(super) fn widened(values: Vec<f64>, estimate: f64, widening: f64) -> Interval {
    let Interval { low, high } = percentiles(values);
    Interval {
        low: (estimate - widening * (estimate - low)).min(estimate),
        high: (estimate + widening * (high - estimate)).max(estimate),
    }
}

/// The same between two ends, each finite or infinite: drawn out on a scale without ends.
pub(super) fn widened_within(
    values: Vec<f64>,
    estimate: f64,
    widening: f64,
    (least, most): (f64, f64),
) -> Interval {
    let to = |x: f64| match (least.is_finite(), most.is_finite()) {
        (true, true) => libm::log((x - least) / (most - x)),
        (true, false) => libm::log(x - least),
        _ => x,
    };
    let back = |t: f64| match (least.is_finite(), most.is_finite()) {
        (true, true) => least + (most - least) / (1.0 + libm::exp(-t)),
        (true, false) => least + libm::exp(t),
        _ => t,
    };
    let Interval { low, high } = percentiles(values);
    let out = |end: f64| match (end, to(estimate)) {
        // At an end already, as far out as it can be.
        (end, middle) if !to(end).is_finite() || !middle.is_finite() => end,
        (end, middle) => back(middle + widening * (to(end) - middle)),
    };
    Interval {
        low: out(low.clamp(least, most)).min(estimate),
        high: out(high.clamp(least, most)).max(estimate),
    }
}

/// 2.5 % and 97.5 % by linear interpolation (Hyndman & Fan 1996, type 7).
pub fn percentiles(mut values: Vec<f64>) -> Interval {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = share * (values.len() - 1) as f64;
        let below = place as usize;
        let above = (below + 1).min(values.len() - 1);
        values[below] + (place - below as f64) * (values[above] - values[below])
    };
    Interval { low: at(0.025), high: at(0.975) }
}
