//! Fréchet distance of two sets (FID when the features are Inception's, FD otherwise), its limit
//! for infinitely many assets, and its noise floor.

use super::error::FeaturesError;
use super::interval::{Bootstrap, Draws, estimate};
use super::set::{FeatureSet, check_pair, dot, squared_distance};
use super::singular::Matrix;
use meshjudge_rate::{Estimate, Interval, Random};

const NAME: &str = "FD";

/// Whether to measure sets with fewer rows than dimensions. The distance is then mostly bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rank {
    /// Refuse them.
    #[default]
    Full,
    /// Measure them.
    DeficientAllowed,
}

/// |μ₁ − μ₂|² + tr Σ₁ + tr Σ₂ − 2 tr √(Σ₁Σ₂) with N − 1 (Dowson & Landau 1982; Heusel et al. 2017),
/// 0 for equal sets, in the square of the features' unit. Larger is further.
///
/// tr √(Σ₁Σ₂) is the sum of the singular values of X_c·Y_cᵀ / √((n − 1)(m − 1)), the centred sets,
/// so that no covariance is squared and no root of a singular matrix is taken: the packages that
/// take one (torch-fidelity, pytorch-fid, clean-fid) differ by 10⁻⁸ to 10⁻⁶ of the value where N <
/// d, and by 10⁻¹⁴ elsewhere.
///
/// The bias is about ∝ 1/N: compare equal sizes ([`super::check_sizes`]), or use [`infinity`].
///
/// # Errors
/// Fewer than 2 assets; fewer rows than dimensions unless `rank` allows; unequal vector lengths.
pub fn frechet(
    x: &FeatureSet,
    y: &FeatureSet,
    rank: Rank,
    bootstrap: Bootstrap,
) -> Result<Estimate, FeaturesError> {
    check(x, y, rank)?;
    let draws = Draws::new(x, y, bootstrap);
    let values: Vec<f64> = parallel::of(draws.len(), |k| {
        distance(&Moments::of(x, &draws.x[k]), &Moments::of(y, &draws.y[k]))
    });
    Ok(estimate(&values))
}

fn check(x: &FeatureSet, y: &FeatureSet, rank: Rank) -> Result<(), FeaturesError> {
    check_pair(NAME, x, y, 2)?;
    let (rows, dimension) = (x.num_rows().min(y.num_rows()), x.dimension());
    if rows < dimension && rank == Rank::Full {
        return Err(FeaturesError::RankDeficient { rows, dimension });
    }
    Ok(())
}

/// Mean, and a factor F of the covariance FᵀF.
struct Moments {
    mean: Vec<f64>,
    trace: f64,
    factor: Matrix,
}

impl Moments {
    /// `counts`: how often each asset is there.
    fn of(set: &FeatureSet, counts: &[f64]) -> Self {
        let weighted = || {
            let rows = |asset: usize| set.rows_of(asset).map(move |row| (row, counts[asset]));
            (0..set.num_assets()).flat_map(rows).filter(|(_, count)| *count > 0.0)
        };
        let num: f64 = weighted().map(|(_, count)| count).sum();
        let mut mean = vec![0.0; set.dimension()];
        for (row, count) in weighted() {
            mean.iter_mut().zip(set.row(row)).for_each(|(mean, value)| *mean += count * value);
        }
        mean.iter_mut().for_each(|mean| *mean /= num);
        let mut values = Vec::with_capacity(set.num_rows() * set.dimension());
        for (row, count) in weighted() {
            let scale = (count / (num - 1.0)).sqrt();
            values
                .extend(set.row(row).iter().zip(&mean).map(|(value, mean)| (value - mean) * scale));
        }
        let trace = dot(&values, &values);
        let factor = Matrix { values, num_columns: set.dimension() }.triangle();
        Self { mean, trace, factor }
    }
}

fn distance(x: &Moments, y: &Moments) -> f64 {
    let shared: f64 = x.factor.times_transposed(&y.factor).singular_values().iter().sum();
    // Rounding may leave a negative number of the order of 10⁻¹⁵ of the traces.
    (squared_distance(&x.mean, &y.mean) + x.trace + y.trace - 2.0 * shared).max(0.0)
}

/// How FD is extrapolated to infinitely many assets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extrapolation {
    /// Numbers of assets between a quarter and all, evenly spaced; at least 2.
    pub sizes: usize,
    /// Draws of each size except the largest.
    pub draws: usize,
    /// The same draws for the same seed.
    pub seed: u64,
}

impl Default for Extrapolation {
    fn default() -> Self {
        Self { sizes: 8, draws: 5, seed: 0 }
    }
}

/// FD at infinitely many assets, with its fit.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Infinity {
    /// Number of assets of each set and their FD, for each draw, in ascending order.
    pub points: Vec<(usize, f64)>,
    /// Least squares of FD on 1/N.
    pub line: FittedLine,
    /// Of the intercept: a jackknife over [`GROUPS`] groups of assets, with Student's quantile;
    /// none with fewer assets than four for each group.
    pub interval: Option<Interval>,
}

/// value = intercept + slope / N.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct FittedLine {
    /// FD∞.
    pub intercept: f64,
    /// FD's bias at N assets is about slope / N.
    pub slope: f64,
}

/// Groups of the jackknife.
pub const GROUPS: usize = 10;
/// Student's 97.5 % with `GROUPS` − 1 degrees of freedom.
const STUDENT: f64 = 2.262_157_162_740_992;

/// FD∞ (Chong & Forsyth 2020): the intercept of FD on 1/N over draws without replacement of N
/// assets of each set. The paper draws 15 sizes from 5,000 on; ours begin at a quarter of the
/// smaller set, because sets of 3D assets are small.
///
/// # Errors
/// As of [`frechet`], for a quarter of the smaller set; fewer than two sizes.
pub fn infinity(
    x: &FeatureSet,
    y: &FeatureSet,
    rank: Rank,
    settings: Extrapolation,
) -> Result<Infinity, FeaturesError> {
    if settings.sizes < 2 || settings.draws == 0 {
        let reason = "FD∞ needs at least two sizes and one draw".to_owned();
        return Err(FeaturesError::Impossible(reason));
    }
    let points = curve(x, y, rank, settings)?;
    let whole = fitted_line(&points);
    let fewest = x.num_assets().min(y.num_assets());
    let interval =
        if fewest < 4 * GROUPS { None } else { Some(jackknife(x, y, settings, whole.intercept)?) };
    Ok(Infinity { points, line: whole, interval })
}

/// FD of draws of rising size.
fn curve(
    x: &FeatureSet,
    y: &FeatureSet,
    rank: Rank,
    settings: Extrapolation,
) -> Result<Vec<(usize, f64)>, FeaturesError> {
    let largest = x.num_assets().min(y.num_assets());
    let smallest = largest.div_ceil(4);
    let first =
        |set: &FeatureSet| set.chosen(&(0..smallest.min(set.num_assets())).collect::<Vec<_>>());
    check(&first(x), &first(y), rank)?;
    let mut draws = Vec::new();
    for step in 0..settings.sizes {
        let num = smallest + (largest - smallest) * step / (settings.sizes - 1);
        let is_all = x.num_assets() == y.num_assets() && num == largest;
        let times = if is_all { 1 } else { settings.draws };
        draws.extend((0..times).map(|_| num));
    }
    let value = |k: usize| {
        let num = draws[k];
        let [x, y] = [x, y].map(|set| drawn(set, num, settings.seed, 2 * k as u64));
        let all = vec![1.0; num];
        (num, distance(&Moments::of(&x, &all), &Moments::of(&y, &all)))
    };
    Ok(parallel::of(draws.len(), value))
}

/// Assets without replacement. Sets of the same size draw the same places: the two assets of a
/// prompt stay together.
fn drawn(set: &FeatureSet, num: usize, seed: u64, stream: u64) -> FeatureSet {
    let mut assets: Vec<usize> = (0..set.num_assets()).collect();
    Random::new(seed, stream).shuffle(&mut assets);
    set.chosen(&assets[..num])
}

/// Leaves out each tenth of the assets once (Efron & Tibshirani 1993, 11.5, by groups). Samples
/// with replacement would repeat assets, which itself raises FD.
fn jackknife(
    x: &FeatureSet,
    y: &FeatureSet,
    settings: Extrapolation,
    intercept: f64,
) -> Result<Interval, FeaturesError> {
    let without = |set: &FeatureSet, group: usize| {
        let mut assets: Vec<usize> = (0..set.num_assets()).collect();
        Random::new(settings.seed, u64::MAX).shuffle(&mut assets);
        let kept = assets.iter().enumerate().filter(|(at, _)| at % GROUPS != group);
        set.chosen(&kept.map(|(_, asset)| *asset).collect::<Vec<_>>())
    };
    let left_out = |group: usize| {
        let points =
            curve(&without(x, group), &without(y, group), Rank::DeficientAllowed, settings)?;
        Ok(fitted_line(&points).intercept)
    };
    let found = (0..GROUPS).map(left_out).collect::<Result<Vec<f64>, FeaturesError>>()?;
    let mean = found.iter().sum::<f64>() / GROUPS as f64;
    let spread: f64 = found.iter().map(|value| (value - mean) * (value - mean)).sum();
    let half = STUDENT * (spread * (GROUPS - 1) as f64 / GROUPS as f64).sqrt();
    Ok(Interval { low: intercept - half, high: intercept + half })
}

/// Least squares of values on 1/N.
pub fn fitted_line(points: &[(usize, f64)]) -> FittedLine {
    let num = points.len() as f64;
    let mean_x = points.iter().map(|(n, _)| 1.0 / *n as f64).sum::<f64>() / num;
    let mean_y = points.iter().map(|(_, value)| value).sum::<f64>() / num;
    let (mut both, mut own) = (0.0, 0.0);
    for (n, value) in points {
        let x = 1.0 / *n as f64 - mean_x;
        both += x * (value - mean_y);
        own += x * x;
    }
    let slope = both / own;
    FittedLine { intercept: mean_y - slope * mean_x, slope }
}

/// What a distance shows between two halves of one set: a method whose distance is no larger cannot
/// be distinguished from the reference.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct NoiseFloor {
    /// Of each split, in the order of the draws.
    pub values: Vec<f64>,
    /// Assets of the smaller half. A biased metric has the bias of this size.
    pub num_assets: usize,
}

impl NoiseFloor {
    /// Mean over the splits.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }
}

/// Splits a set's assets at random into halves, `splits` times, and measures each by `metric`.
///
/// # Errors
/// Of the metric, which has half as many assets.
pub fn noise_floor(
    reference: &FeatureSet,
    splits: usize,
    seed: u64,
    metric: impl Fn(&FeatureSet, &FeatureSet) -> Result<f64, FeaturesError>,
) -> Result<NoiseFloor, FeaturesError> {
    let num_assets = reference.num_assets() / 2;
    let split = |k: usize| {
        let mut assets: Vec<usize> = (0..reference.num_assets()).collect();
        Random::new(seed, k as u64).shuffle(&mut assets);
        let (a, b) = assets.split_at(num_assets);
        metric(&reference.chosen(a), &reference.chosen(b))
    };
    let values = (0..splits).map(split).collect::<Result<Vec<f64>, FeaturesError>>()?;
    Ok(NoiseFloor { values, num_assets })
}
