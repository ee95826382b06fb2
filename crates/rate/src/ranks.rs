//! Ranks that are right for all methods at once: the pairs that are distinguishable when every pair is looked at together.
//!
//! A range of ranks for one method is right in 95 of 100 boards for that method; that all of a board's are right together happens in 45 to
//! 87 of 100. Here: `t* = |D* − D| / se` over all pairs and replicates, c the 95 % quantile of the largest; i is above j where
//! `D / (se · widening) > c`; those pairs are dropped, and c is found again among the rest, until nothing more is found
//! (step-down: Romano & Wolf 2005; ranks: Mogstad, Romano, Shaikh & Wilhelm 2024).

use rayon::prelude::*;

/// An estimate of each method and how it varies.
pub(super) struct Doubt<'a> {
    pub estimate: &'a [f64],
    /// Estimates of each replicate.
    pub drawn: &'a [Vec<f64>],
    /// Factor on standard errors for few clusters.
    pub widening: f64,
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

/// Best and worst rank of each method.
pub(super) fn all_at_once(doubt: &Doubt<'_>) -> Vec<(usize, usize)> {
    let k = doubt.estimate.len();
    let mut ranks = vec![(1, k); k];
    for (above, below) in told_apart(doubt) {
        ranks[below].0 += 1;
        ranks[above].1 -= 1;
    }
    ranks
}

/// Pairs, the better method first.
fn told_apart(doubt: &Doubt<'_>) -> Vec<(usize, usize)> {
    let (at, drawn) = (doubt.estimate, doubt.drawn);
    if drawn.is_empty() {
        return Vec::new();
    }
    let mut open: Vec<Pair> = Vec::new();
    for j in 0..at.len() {
        for i in 0..j {
            let gaps = drawn.iter().map(|d| d[i] - d[j]);
            let mean = gaps.clone().sum::<f64>() / drawn.len() as f64;
            let squares: f64 = gaps.map(|gap| (gap - mean) * (gap - mean)).sum();
            let error = (squares / drawn.len() as f64).sqrt();
            // Replicates that all say the same know nothing of the spread.
            if error > 1e-9 {
                open.push(Pair { i, j, gap: at[i] - at[j], error });
            }
        }
    }
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
            let is_told = pair.gap.abs() > c * pair.error * doubt.widening;
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
