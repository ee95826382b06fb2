//! Distances from both sides → the numbers that the table of metrics is made of. a are the
//! distances of the result's points, b those of the reference's.

use super::distances::Distances;
use super::statistics::{f_score, mean, mean_square, quantile, share_within};

/// Distances both ways.
#[derive(Clone, Copy)]
pub(super) struct BothWays<'a> {
    pub a: &'a Distances,
    pub b: &'a Distances,
    /// The length that is 1 in the numbers.
    pub unit: f64,
    /// In that unit.
    pub threshold: Option<f64>,
}

impl BothWays<'_> {
    /// Of a, of b.
    fn each(&self, of: impl Fn(&Distances) -> f64) -> [f64; 2] {
        [of(self.a), of(self.b)]
    }

    pub(super) fn means(&self) -> [f64; 2] {
        self.each(|side| mean(&side.lengths) / self.unit)
    }

    pub(super) fn squares(&self) -> [f64; 2] {
        self.each(|side| mean_square(&side.lengths) / (self.unit * self.unit))
    }

    pub(super) fn square_sums(&self) -> [f64; 2] {
        let [a, b] = self.squares();
        [a * self.a.lengths.len() as f64, b * self.b.lengths.len() as f64]
    }

    /// The larger of both quantiles.
    pub(super) fn larger(&self, share: f64) -> f64 {
        let [a, b] = self.each(|side| quantile(&side.lengths, share));
        a.max(b) / self.unit
    }

    /// Precision and recall.
    pub(super) fn within(&self, is_strict: bool) -> [f64; 2] {
        let threshold = self.threshold.unwrap_or(0.0) * self.unit;
        self.each(|side| share_within(&side.lengths, threshold, is_strict))
    }

    pub(super) fn f_score(&self, is_strict: bool) -> f64 {
        let [precision, recall] = self.within(is_strict);
        f_score(precision, recall)
    }

    /// Mean agreement of the normals.
    pub(super) fn cosines(&self, is_signed: bool) -> f64 {
        let [a, b] = self.each(|side| {
            let size = |cos: &f64| if is_signed { *cos } else { cos.abs() };
            let total = side.cosines.iter().fold(0.0, |sum, cos| sum + size(cos));
            total / side.cosines.len().max(1) as f64
        });
        0.5 * (a + b)
    }
}

/// Expected between two independent samples of one surface: the nearest of the others.
#[derive(Clone, Copy)]
pub(super) struct Resampled {
    /// Mean distance, ½ √(A/N) for an area A and N points.
    pub far: f64,
    /// Mean of the squares, A/(π N).
    pub square: f64,
    pub threshold: Option<f64>,
}

impl Resampled {
    /// The share within the threshold τ, 1 − exp(−π τ² N/A).
    pub(super) fn within(&self) -> Option<f64> {
        self.threshold.map(|threshold| 1.0 - libm::exp(-threshold * threshold / self.square))
    }
}
