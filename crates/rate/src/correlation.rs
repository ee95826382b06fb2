//! How two figures of the same things go together: Spearman's and Pearson's correlation, with
//! intervals over prompts.

use super::confusion::{Drawn, Estimate, Sampling, mean, places};
use std::collections::BTreeMap;

/// What a correlation can be.
const RANGE: (f64, f64) = (-1.0, 1.0);

/// The same things with both figures.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Correlations {
    pub num_pairs: usize,
    /// SROCC: of ranks, equal ones at their mean rank (Spearman 1904).
    pub spearman: Option<Estimate>,
    /// PLCC: as it is, without a curve fitted first (Pearson 1895).
    pub pearson: Option<Estimate>,
}

/// One pair of figures, and the cluster of its thing.
type Pair = (usize, f64, f64);

/// `lists` are of cluster and both figures. The mean over `lists` of each one's correlations, such
/// as several raters'; all are drawn with the same prompts. None where a figure does not differ.
pub fn correlations(lists: &[Vec<(usize, f64, f64)>], sampling: Sampling) -> Correlations {
    let prompts = places(lists.iter().flatten().map(|(prompt, ..)| *prompt));
    let drawn = Drawn::new(prompts.len(), sampling);
    let lists: Vec<List> = lists.iter().map(|list| List::new(list, &prompts)).collect();
    let estimate = |of: fn(&List, &[f64]) -> Option<f64>| {
        drawn.estimate(RANGE, |times| mean(lists.iter().filter_map(|list| of(list, times))))
    };
    Correlations {
        num_pairs: lists.iter().map(|list| list.x.len()).sum(),
        spearman: estimate(List::spearman),
        pearson: estimate(List::pearson),
    }
}

/// Pairs as columns, with the order of each that its ranks are counted along.
struct List {
    cluster: Vec<usize>,
    x: Vec<f64>,
    y: Vec<f64>,
    x_order: Vec<usize>,
    y_order: Vec<usize>,
}

impl List {
    fn new(pairs: &[Pair], prompts: &BTreeMap<usize, usize>) -> Self {
        let x: Vec<f64> = pairs.iter().map(|(_, x, _)| *x).collect();
        let y: Vec<f64> = pairs.iter().map(|(.., y)| *y).collect();
        Self {
            cluster: pairs.iter().map(|(prompt, ..)| prompts[prompt]).collect(),
            x_order: order(&x),
            y_order: order(&y),
            x,
            y,
        }
    }

    /// How often each pair counts.
    fn weights(&self, times: &[f64]) -> Vec<f64> {
        self.cluster.iter().map(|&cluster| times[cluster]).collect()
    }

    fn spearman(&self, times: &[f64]) -> Option<f64> {
        let weights = self.weights(times);
        let ranked = |values, order| ranks(values, order, &weights);
        pearson(&ranked(&self.x, &self.x_order), &ranked(&self.y, &self.y_order), &weights)
    }

    fn pearson(&self, times: &[f64]) -> Option<f64> {
        pearson(&self.x, &self.y, &self.weights(times))
    }
}

/// Spearman 1904: the correlation of ranks, ties at their mean rank. None where one side is all
/// ties, or the lengths differ.
pub(super) fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() != y.len() {
        return None;
    }
    let once = vec![1.0; x.len()];
    let [x, y] = [x, y].map(|values| ranks(values, &order(values), &once));
    pearson(&x, &y, &once)
}

/// Indices from the smallest value on.
fn order(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    order
}

/// Mean ranks, where a value counts `weights` often.
fn ranks(values: &[f64], order: &[usize], weights: &[f64]) -> Vec<f64> {
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0.0;
    for equal in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let weight: f64 = equal.iter().map(|&i| weights[i]).sum();
        let rank = below + 0.5 * (weight + 1.0);
        equal.iter().for_each(|&i| ranks[i] = rank);
        below += weight;
    }
    ranks
}

fn pearson(x: &[f64], y: &[f64], weights: &[f64]) -> Option<f64> {
    let all: f64 = weights.iter().sum();
    let mean = |values: &[f64]| {
        let each = values.iter().zip(weights);
        each.map(|(value, w)| w * value).sum::<f64>() / all
    };
    let (x_mean, y_mean) = (mean(x), mean(y));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for ((x, y), w) in x.iter().zip(y).zip(weights) {
        let (x, y) = (x - x_mean, y - y_mean);
        xx += w * x * x;
        xy += w * x * y;
        yy += w * y * y;
    }
    // Equal values leave but rounding.
    let least = 1e-20 * all * (x_mean * x_mean).max(y_mean * y_mean);
    (xx > least && yy > least).then(|| (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

/// Kendall 1945, τ-b: `(C − D) / √((N − Tₓ)(N − T_y))`. None where one side is all ties, or the
/// lengths differ.
pub(super) fn kendall_tau_b(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() != y.len() {
        return None;
    }
    let (mut balance, mut x_pairs, mut y_pairs) = (0_i64, 0_i64, 0_i64);
    for i in 0..x.len() {
        for j in 0..i {
            let dx = sign(x[i], x[j]);
            let dy = sign(y[i], y[j]);
            balance += dx * dy;
            x_pairs += dx.abs();
            y_pairs += dy.abs();
        }
    }
    let scale = (x_pairs as f64 * y_pairs as f64).sqrt();
    (scale > 0.0).then(|| balance as f64 / scale)
}

fn sign(x: f64, y: f64) -> i64 {
    i64::from(x > y) - i64::from(x < y)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_INTERVALS: Sampling = Sampling { replicates: 0, seed: 0 };

    #[test]
    fn both_correlations_by_hand() {
        // Σd² = 2 of 4: 1 − 6·2/(4·15). Pearson: 8 / √(5 · 14.75).
        let pairs = vec![(0, 1.0, 1.0), (1, 2.0, 3.5), (2, 3.0, 3.0), (3, 4.0, 6.5)];
        let found = correlations(std::slice::from_ref(&pairs), NO_INTERVALS);
        assert!((found.spearman.unwrap().value - 0.8).abs() < 1e-12);
        assert!((found.pearson.unwrap().value - 8.0 / (5.0 * 15.5_f64).sqrt()).abs() < 1e-12);
        // A twin of each on the same prompt changes nothing; a constant has no correlation.
        let twins: Vec<Pair> = pairs.iter().flat_map(|p| [*p, *p]).collect();
        let twice = correlations(&[twins], NO_INTERVALS);
        assert!((twice.pearson.unwrap().value - found.pearson.unwrap().value).abs() < 1e-12);
        let level: Vec<Pair> = pairs.iter().map(|(p, x, _)| (*p, *x, 0.1)).collect();
        assert_eq!(correlations(&[level], NO_INTERVALS).pearson, None);
        assert_eq!(correlations(&[], NO_INTERVALS).num_pairs, 0);
    }

    #[test]
    fn rank_correlations_by_hand() {
        let x = [1.0, 2.0, 3.0, 4.0];
        // One of six pairs turned; Σd² = 2, so ρ = 1 − 6·2/(4·15).
        let y = [1.0, 3.0, 2.0, 4.0];
        assert!((kendall_tau_b(&x, &y).unwrap() - 4.0 / 6.0).abs() < 1e-12);
        assert!((spearman(&x, &y).unwrap() - 0.8).abs() < 1e-12);
        // One tie in y: C = 5, D = 0, τ-b = 5 / √(6·5).
        let tied = [1.0, 2.0, 2.0, 4.0];
        assert!((kendall_tau_b(&x, &tied).unwrap() - 5.0 / 30.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(kendall_tau_b(&x, &[1.0; 4]), None);
        assert_eq!(spearman(&x, &[1.0; 4]), None);
        assert_eq!(kendall_tau_b(&x, &y[..2]), None);
    }

    #[test]
    fn an_interval_is_over_prompts() {
        let mut random = crate::Random::new(4, 4);
        let mut pairs = Vec::new();
        for prompt in 0..30 {
            let both = random.normal();
            for _ in 0..4 {
                pairs.push((prompt, both + random.normal(), both + random.normal()));
            }
        }
        let sampling = Sampling { replicates: 400, seed: 1 };
        let found = correlations(&[pairs.clone(), pairs], sampling);
        for estimate in [found.spearman, found.pearson] {
            let Estimate { value, interval } = estimate.unwrap();
            let interval = interval.unwrap();
            assert!(interval.low < value && value < interval.high);
            assert!(interval.low < 0.5 && 0.5 < interval.high, "{interval:?}");
        }
        assert_eq!(found.num_pairs, 240);
    }
}
