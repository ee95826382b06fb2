//! Ranks by the pairs of methods that are distinguishable: for one method, those with it; for all
//! methods at once, every pair.
//!
//! `t* = |D* − D| / se` over the pairs and replicates, c the 95 % quantile of the largest; i is
//! above j where `D / (se · widening) > c`; those pairs are dropped, and c is found again among the
//! rest, until nothing more is found (step-down: Romano & Wolf 2005; ranks: Mogstad, Romano, Shaikh
//! & Wilhelm 2024). Ranks in replicates, taken off 2.5 % at each end, were wrong for up to 19 in
//! 100 methods that are nearly equal (docs/runs/rating/2026-11-28-ranks.md).

use super::quantile::widening;
use rayon::prelude::*;

/// An estimate of each method and how it varies.
pub(super) struct Doubt<'a> {
    estimate: &'a [f64],
    /// Estimates of each replicate.
    drawn: &'a [Vec<f64>],
    /// Prompts: with few, standard errors are widened.
    clusters: usize,
    /// The standard error of the difference of each two, the later one first.
    errors: Vec<Vec<f64>>,
}

impl<'a> Doubt<'a> {
    pub(super) fn new(estimate: &'a [f64], drawn: &'a [Vec<f64>], clusters: usize) -> Self {
        let error = |i: usize, j: usize| {
            let gaps = drawn.iter().map(|d| d[i] - d[j]);
            let mean = gaps.clone().sum::<f64>() / drawn.len() as f64;
            let squares: f64 = gaps.map(|gap| (gap - mean) * (gap - mean)).sum();
            (squares / drawn.len() as f64).sqrt()
        };
        let errors = (0..estimate.len()).into_par_iter();
        let errors = errors.map(|i| (0..i).map(|j| error(i, j)).collect()).collect();
        Self { estimate, drawn, clusters, errors }
    }

    fn error(&self, i: usize, j: usize) -> f64 {
        self.errors[i.max(j)][i.min(j)]
    }
}

/// Share of boards of which all claims are right.
const CONFIDENCE: f64 = 0.95;

struct Pair {
    i: usize,
    j: usize,
    /// Difference of the estimates.
    gap: f64,
    /// Its standard error.
    error: f64,
}

/// A pair whose replicates all say the same has no spread to go by. Its order is known if even odds
/// on each prompt would rarely give it.
const BY_LUCK_MAX: f64 = 0.025;

/// Best and worst rank of each method, all right together.
pub(super) fn all_at_once(doubt: &Doubt<'_>) -> Vec<(usize, usize)> {
    let k = doubt.estimate.len();
    let mut ranks = vec![(1, k); k];
    let pairs = (0..k).flat_map(|j| (0..j).map(move |i| (i, j)));
    for (above, below) in told_apart(doubt, pairs) {
        ranks[below].0 += 1;
        ranks[above].1 -= 1;
    }
    ranks
}

/// Best and worst rank of each method, each right by itself.
pub(super) fn one_by_one(doubt: &Doubt<'_>) -> Vec<(usize, usize)> {
    let k = doubt.estimate.len();
    let is_no_luck = libm::pow(0.5, doubt.clusters as f64) <= BY_LUCK_MAX;
    let of = |method: usize| {
        let others = (0..k).filter(|other| *other != method);
        let told = told_apart(doubt, others.clone().map(|other| (method, other)));
        let mut below = told.iter().filter(|(better, _)| *better == method).count();
        let mut above = told.len() - below;
        let level = |other: &usize| is_no_luck && doubt.error(method, *other) <= SPREAD_MIN;
        for other in others.filter(level) {
            let gap = doubt.estimate[method] - doubt.estimate[other];
            below += usize::from(gap > SPREAD_MIN);
            above += usize::from(gap < -SPREAD_MIN);
        }
        (1 + above, k - below)
    };
    (0..k).into_par_iter().map(of).collect()
}

/// Replicates that all say the same know nothing of the spread.
const SPREAD_MIN: f64 = 1e-9;

/// Those of these pairs whose order is known, the better method first.
fn told_apart(
    doubt: &Doubt<'_>,
    pairs: impl Iterator<Item = (usize, usize)>,
) -> Vec<(usize, usize)> {
    let (at, drawn) = (doubt.estimate, doubt.drawn);
    if drawn.is_empty() {
        return Vec::new();
    }
    let pair = |(i, j)| Pair { i, j, gap: at[i] - at[j], error: doubt.error(i, j) };
    let mut open: Vec<Pair> = pairs.map(pair).filter(|pair| pair.error > SPREAD_MIN).collect();
    let widening = widening(doubt.clusters);
    let mut found = Vec::new();
    loop {
        let mut largest: Vec<f64> = drawn
            .par_iter()
            .map(|d| {
                let t = |pair: &Pair| ((d[pair.i] - d[pair.j]) - pair.gap).abs() / pair.error;
                open.iter().map(t).fold(0.0, f64::max)
            })
            .collect();
        largest.sort_by(f64::total_cmp);
        let place = (CONFIDENCE * largest.len() as f64).ceil() as usize;
        let c = largest[place.clamp(1, largest.len()) - 1];
        let before = found.len();
        open.retain(|pair| {
            let is_told = pair.gap.abs() > c * pair.error * widening;
            if is_told {
                let pair = if pair.gap > 0.0 { (pair.i, pair.j) } else { (pair.j, pair.i) };
                found.push(pair);
            }
            !is_told
        });
        if found.len() == before || open.is_empty() {
            return found;
        }
    }
}
