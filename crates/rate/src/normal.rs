//! A normal distribution of several figures, such as the strengths of methods.

use super::linear::{Factor, of_difference};
use super::random::Random;

/// `covariance` is row-major.
#[derive(Debug, Clone)]
pub(super) struct Normal {
    pub mean: Vec<f64>,
    pub covariance: Vec<f64>,
}

impl Normal {
    pub(super) fn len(&self) -> usize {
        self.mean.len()
    }

    pub(super) fn variance(&self, i: usize) -> f64 {
        self.covariance[i * self.len() + i]
    }

    /// Sum of all variances.
    pub(super) fn trace(&self) -> f64 {
        (0..self.len()).map(|i| self.variance(i)).sum()
    }

    /// How far `i` is above `j`, and the variance of that.
    pub(super) fn difference(&self, i: usize, j: usize) -> (f64, f64) {
        let variance = of_difference(&self.covariance, self.len(), (i, j));
        (self.mean[i] - self.mean[j], variance)
    }

    /// The same about the mean of these figures.
    #[must_use]
    pub(super) fn about(self, which: &[usize]) -> Self {
        let k = self.len();
        let mean = |of: &dyn Fn(usize) -> f64| -> f64 {
            which.iter().map(|i| of(*i)).sum::<f64>() / which.len() as f64
        };
        let Self { mean: at, covariance: c } = &self;
        let rows: Vec<f64> = (0..k).map(|i| mean(&|j| c[i * k + j])).collect();
        let (centre, all) = (mean(&|i| at[i]), mean(&|i| rows[i]));
        Self {
            mean: at.iter().map(|x| x - centre).collect(),
            covariance: (0..k * k).map(|at| c[at] - rows[at / k] - rows[at % k] + all).collect(),
        }
    }

    /// Of one of these, each with its probability: variance within each, and between them.
    pub(super) fn mixed<'a>(each: impl Iterator<Item = (f64, &'a Self)> + Clone) -> Self {
        let mut all = Self { mean: Vec::new(), covariance: Vec::new() };
        for (w, one) in each.clone() {
            all.mean.resize(one.len(), 0.0);
            all.mean.iter_mut().zip(&one.mean).for_each(|(to, x)| *to += w * x);
        }
        let k = all.len();
        all.covariance.resize(k * k, 0.0);
        for (w, one) in each {
            let off: Vec<f64> = one.mean.iter().zip(&all.mean).map(|(x, y)| x - y).collect();
            for (at, (to, c)) in all.covariance.iter_mut().zip(&one.covariance).enumerate() {
                *to += w * (c + off[at / k] * off[at % k]);
            }
        }
        all
    }

    /// How far so many samples are from the mean; none where the covariance is none. Random
    /// numbers are given to figures by falling mean, not by index, so that names change nothing.
    pub(super) fn samples(&self, num: usize, seed: u64) -> Vec<Vec<f64>> {
        let k = self.len();
        let mut order: Vec<usize> = (0..k).collect();
        let level = |x: f64| -(x * 1e6).round();
        let key = |i: usize| [self.mean[i], self.variance(i)].map(level);
        order.sort_by(|x, y| key(*x).partial_cmp(&key(*y)).unwrap_or(std::cmp::Ordering::Equal));
        let place = |at: usize| order[at / k] * k + order[at % k];
        let mut covariance: Vec<f64> = (0..k * k).map(|at| self.covariance[place(at)]).collect();
        // The matrix may have no width along the mean.
        (0..k).for_each(|i| covariance[i * k + i] += 1e-9 * self.trace());
        let Some(factor) = Factor::new(k, covariance) else {
            return Vec::new();
        };
        let sample = |n: usize| {
            let mut random = Random::new(seed, n as u64);
            let z: Vec<f64> = (0..k).map(|_| random.normal()).collect();
            let mut out = vec![0.0; k];
            factor.lower_times(&z).iter().zip(&order).for_each(|(x, i)| out[*i] = *x);
            out
        };
        (0..num).map(sample).collect()
    }
}
