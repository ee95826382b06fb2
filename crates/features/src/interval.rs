//! Samples of assets with replacement, and the interval that a metric's values in them give.

use super::set::FeatureSet;
use meshjudge_rate::{Estimate, Interval, Random, percentiles};
use std::collections::{BTreeMap, BTreeSet};

/// With fewer assets, or groups of them, there is no interval.
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

/// How often each sample has each asset of two sets. Sample 0 is the sets, each asset once.
pub(super) struct Draws {
    pub(super) x: Vec<Vec<f64>>,
    pub(super) y: Vec<Vec<f64>>,
}

impl Draws {
    /// Groups in both sets are drawn together; those in one set, with numbers of their own.
    pub(super) fn new(x: &FeatureSet, y: &FeatureSet, bootstrap: Bootstrap) -> Self {
        let own = |set: &FeatureSet, side: u64| {
            (0..set.num_assets() as u64).map(|i| 2 * i + side).collect()
        };
        let [of_x, of_y]: [Vec<u64>; 2] = match (x.groups(), y.groups()) {
            (Some(of_x), Some(of_y)) => [of_x.to_vec(), of_y.to_vec()],
            _ => [own(x, 0), own(y, 1)],
        };
        let [all_x, all_y] = [&of_x, &of_y].map(|of| of.iter().copied().collect::<BTreeSet<u64>>());
        let strata: [Vec<u64>; 3] = [
            all_x.difference(&all_y).copied().collect(),
            all_y.difference(&all_x).copied().collect(),
            all_x.intersection(&all_y).copied().collect(),
        ];
        let is_enough = all_x.len().min(all_y.len()) >= ASSETS_MIN;
        let replicates = if is_enough { bootstrap.replicates } else { 0 };
        let once = [&of_x, &of_y].map(|of| vec![1.0; of.len()]);
        let replicate = |k: usize| {
            let mut times: BTreeMap<u64, f64> = BTreeMap::new();
            for (stratum, groups) in strata.iter().enumerate() {
                let mut random = Random::new(bootstrap.seed, (3 * k + stratum) as u64);
                for _ in groups {
                    *times.entry(groups[random.below(groups.len())]).or_default() += 1.0;
                }
            }
            [&of_x, &of_y]
                .map(|of| of.iter().map(|group| times.get(group).copied().unwrap_or(0.0)).collect())
        };
        let (x, y) = std::iter::once(once)
            .chain((0..replicates).map(replicate))
            .map(|[x, y]| (x, y))
            .unzip();
        Self { x, y }
    }

    pub(super) fn len(&self) -> usize {
        self.x.len()
    }
}

/// From the value of each sample: percentiles (Efron & Tibshirani 1993, 13.3), moved so that their
/// mean is the value of the sets. A sample with replacement has fewer different assets, so a metric
/// with a bias has more of it there; that shift is no doubt about the value. The interval is thus
/// for the metric at this number of assets; see [`super::infinity`] for one without the bias.
pub(super) fn estimate(values: &[f64]) -> Estimate {
    let (value, rest) = (values[0], values[1..].to_vec());
    if rest.is_empty() {
        return Estimate { value, interval: None };
    }
    let shift = value - rest.iter().sum::<f64>() / rest.len() as f64;
    let Interval { low, high } = percentiles(rest);
    Estimate { value, interval: Some(Interval { low: low + shift, high: high + shift }) }
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
    fn assets_of_one_group_are_drawn_together_in_both_sets() {
        let set = |groups: &[u64]| {
            let set = FeatureSet::one_row_each(vec![0.5; groups.len()], 1).unwrap();
            set.in_groups(groups.to_vec()).unwrap()
        };
        // Five prompts with two assets and one target each, and one with a target alone.
        let assets = set(&[7, 7, 8, 8, 1, 1, 2, 2, 3, 3]);
        let targets = set(&[3, 2, 1, 8, 7, 9]);
        let draws = Draws::new(&assets, &targets, Bootstrap { replicates: 50, seed: 3 });
        assert_eq!(draws.len(), 51);
        for (x, y) in draws.x.iter().zip(&draws.y) {
            assert!(x.chunks(2).all(|pair| pair[0] == pair[1]));
            let by_prompt: Vec<f64> = [8, 6, 4, 2, 0].map(|i| x[i]).to_vec();
            assert_eq!((by_prompt.as_slice(), y[5]), (&y[..5], 1.0));
            assert_eq!(y.iter().sum::<f64>(), 6.0);
        }
        assert!(draws.x[1..].iter().any(|x| x.contains(&0.0) && x.contains(&2.0)));
        assert!(set(&[1]).in_groups(vec![1, 2]).is_err());
        // Four prompts are too few, however many assets they have.
        let few = set(&[1, 1, 2, 2, 3, 3, 4, 4]);
        assert_eq!(Draws::new(&few, &targets, Bootstrap::default()).len(), 1);
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
