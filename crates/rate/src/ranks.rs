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
    /// By method: prompts that decided a game of it.
    deciding: Vec<usize>,
    /// The standard error of the difference of each two, the later one first.
    errors: Vec<Vec<f64>>,
}

impl<'a> Doubt<'a> {
    pub(super) fn new(
        estimate: &'a [f64],
        drawn: &'a [Vec<f64>],
        clusters: usize,
        deciding: Vec<usize>,
    ) -> Self {
        let error = |i: usize, j: usize| {
            let gaps = drawn.iter().map(|d| d[i] - d[j]);
            let mean = gaps.clone().sum::<f64>() / drawn.len() as f64;
            let squares: f64 = gaps.map(|gap| (gap - mean) * (gap - mean)).sum();
            (squares / drawn.len() as f64).sqrt()
        };
        let errors = (0..estimate.len()).into_par_iter();
        let errors = errors.map(|i| (0..i).map(|j| error(i, j)).collect()).collect();
        Self { estimate, drawn, clusters, deciding, errors }
    }

    /// Of draws from a posterior, whose prior keeps the spread of a method with few games wide. One
    /// that is not `seen` is above or below none.
    pub(super) fn of_posterior(
        estimate: &'a [f64],
        drawn: &'a [Vec<f64>],
        clusters: usize,
        seen: impl Fn(usize) -> bool,
    ) -> Self {
        let deciding = |i| if seen(i) { usize::MAX } else { 0 };
        Self::new(estimate, drawn, clusters, (0..estimate.len()).map(deciding).collect())
    }

    fn error(&self, i: usize, j: usize) -> f64 {
        self.errors[i.max(j)][i.min(j)]
    }

    /// The chance that even odds on each prompt of the method with fewer give one order every time.
    fn luck(&self, i: usize, j: usize) -> f64 {
        libm::pow(0.5, self.deciding[i].min(self.deciding[j]) as f64)
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

impl Pair {
    /// The better method first.
    fn ordered(&self) -> (usize, usize) {
        if self.gap > 0.0 { (self.i, self.j) } else { (self.j, self.i) }
    }
}

/// No order is known that even odds on each prompt would give more often. A pair whose replicates
/// all say the same has nothing else to go by, and shares this with the other pairs.
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
    let of = |method: usize| {
        let others = (0..k).filter(|other| *other != method);
        let told = told_apart(doubt, others.map(|other| (method, other)));
        let below = told.iter().filter(|(better, _)| *better == method).count();
        (1 + told.len() - below, k - below)
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
    let all: Vec<Pair> = pairs.map(pair).collect();
    let luck_max = BY_LUCK_MAX / all.len().max(1) as f64;
    let (mut open, level): (Vec<_>, Vec<_>) = all
        .into_iter()
        .filter(|pair| doubt.luck(pair.i, pair.j) <= BY_LUCK_MAX)
        .partition(|pair| pair.error > SPREAD_MIN);
    let is_known =
        |pair: &&Pair| pair.gap.abs() > SPREAD_MIN && doubt.luck(pair.i, pair.j) <= luck_max;
    let mut found: Vec<_> = level.iter().filter(is_known).map(Pair::ordered).collect();
    let widening = widening(doubt.clusters);
    while !open.is_empty() {
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
                found.push(pair.ordered());
            }
            !is_told
        });
        if found.len() == before {
            break;
        }
    }
    found
}
