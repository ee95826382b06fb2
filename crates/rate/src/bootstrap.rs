//! Uncertainty of figures that are no means, such as κ and correlations: a bootstrap over clusters.
//! Answers on one prompt are correlated, so prompts are drawn with replacement and not single
//! answers (Davison & Hinkley 1997, 3.8; percentile intervals: Efron & Tibshirani 1993, 13.3).
//! Ratings, ranks and means have a closed form instead: `spread.rs`.

use super::random::Random;

/// 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Interval {
    /// 2.5 %.
    pub low: f64,
    /// 97.5 %.
    pub high: f64,
}

/// With fewer clusters there is no interval: four prompts have 35 different samples, and their
/// spread says next to nothing.
pub const CLUSTERS_MIN: usize = 5;

/// How often each cluster is in each replicate; none with fewer than [`CLUSTERS_MIN`] clusters.
pub(super) fn samples(num_clusters: usize, replicates: usize, seed: u64) -> Vec<Vec<f64>> {
    let replicates = if num_clusters < CLUSTERS_MIN { 0 } else { replicates };
    let sample = |replicate: usize| {
        let mut random = Random::new(seed, replicate as u64);
        let mut times = vec![0.0; num_clusters];
        (0..num_clusters).for_each(|_| times[random.below(num_clusters)] += 1.0);
        times
    };
    (0..replicates).map(sample).collect()
}

/// The percentile interval, drawn out about the estimate.
pub(super) fn widened(values: Vec<f64>, estimate: f64, widening: f64) -> Interval {
    let Interval { low, high } = percentiles(values);
    Interval {
        low: (estimate - widening * (estimate - low)).min(estimate),
        high: (estimate + widening * (high - estimate)).max(estimate),
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
