//! Samples of assets with replacement, and the interval that a metric's values in them give.

use super::set::FeatureSet;
use meshjudge_rate::Random;

/// With fewer assets there is no interval.
pub const ASSETS_MIN: usize = 5;

/// How intervals are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrap {
    /// Number of samples; 0 makes no interval.
    pub replicates: usize,
    /// The same samples for the same seed, on every machine.
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Self {
        Self { replicates: 1000, seed: 0 }
    }
}

/// A 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Interval {
    /// 2.5 %.
    pub low: f64,
    /// 97.5 %.
    pub high: f64,
}

/// A number with its interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// Of the sets as they are.
    pub value: f64,
    /// Over samples of assets, all views of an asset together; none with fewer than [`ASSETS_MIN`] assets in a set.
    pub interval: Option<Interval>,
}

/// How often each asset of two sets is in each sample. Sample 0 is the sets themselves, each asset once.
pub(super) struct Draws {
    pub(super) x: Vec<Vec<f64>>,
    pub(super) y: Vec<Vec<f64>>,
}

impl Draws {
    /// Both sets are drawn, each with its own numbers.
    pub(super) fn new(x: &FeatureSet, y: &FeatureSet, bootstrap: Bootstrap) -> Self {
        let is_enough = x.num_assets().min(y.num_assets()) >= ASSETS_MIN;
        let replicates = if is_enough { bootstrap.replicates } else { 0 };
        let drawn = |num_assets: usize, side: u64| {
            let replicate = |k: usize| {
                let mut random = Random::new(bootstrap.seed, 2 * k as u64 + side);
                let mut counts = vec![0.0; num_assets];
                (0..num_assets).for_each(|_| counts[random.below(num_assets)] += 1.0);
                counts
            };
            let all = std::iter::once(vec![1.0; num_assets]);
            all.chain((0..replicates).map(replicate)).collect()
        };
        Self { x: drawn(x.num_assets(), 0), y: drawn(y.num_assets(), 1) }
    }

    pub(super) fn len(&self) -> usize {
        self.x.len()
    }
}

/// From the value of each sample: percentiles (Efron & Tibshirani 1993, 13.3), moved so that their mean is the value of the sets. A
/// sample with replacement has fewer different assets, so that a metric with a bias has more of it there; that shift is no doubt about
/// the value. The interval is thus one for the metric at this number of assets; see [`super::infinity`] for one without the bias.
pub(super) fn estimate(values: &[f64]) -> Estimate {
    let (value, mut rest) = (values[0], values[1..].to_vec());
    if rest.is_empty() {
        return Estimate { value, interval: None };
    }
    let shift = value - rest.iter().sum::<f64>() / rest.len() as f64;
    rest.sort_by(f64::total_cmp);
    // Linear between neighbours (Hyndman & Fan 1996, definition 7).
    let at = |share: f64| {
        let place = share * (rest.len() - 1) as f64;
        let (below, part) = (place as usize, place.fract());
        rest[below] + part * (rest[(below + 1).min(rest.len() - 1)] - rest[below])
    };
    let interval = Interval { low: at(0.025) + shift, high: at(0.975) + shift };
    Estimate { value, interval: Some(interval) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_have_as_many_assets_as_the_sets_and_start_with_the_sets() {
        let set = FeatureSet::new(vec![0.5; 26], 2, &[1, 2, 3, 1, 2, 4]).unwrap();
        let small = set.chosen(&[1, 3, 0, 5, 4]);
        let draws = Draws::new(&set, &small, Bootstrap { replicates: 20, seed: 3 });
        assert_eq!((draws.len(), &draws.x[0]), (21, &vec![1.0; 6]));
        assert!(draws.x.iter().all(|counts| counts.iter().sum::<f64>() == 6.0));
        assert!(draws.y.iter().all(|counts| counts.iter().sum::<f64>() == 5.0));
        assert!(draws.y[1..].iter().any(|counts| counts.contains(&0.0)));
        let few = Draws::new(&set, &set.chosen(&[0, 1, 2, 3]), Bootstrap::default());
        assert_eq!(few.len(), 1);
    }

    #[test]
    fn an_interval_is_about_the_value_of_the_sets() {
        let mut values = vec![7.0];
        values.extend((0..=100).map(f64::from));
        let found = estimate(&values);
        assert_eq!(found.interval, Some(Interval { low: 2.5 - 43.0, high: 97.5 - 43.0 }));
        assert_eq!(estimate(&[7.0]), Estimate { value: 7.0, interval: None });
    }
}
