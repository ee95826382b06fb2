//! Vectors of assets and of their prompts → a number of each asset, or one of a whole set.

use crate::options::names;
use meshjudge_features::{
    Bootstrap, Diagonal, Estimate, Extrapolation, FeatureSet, FeaturesError, Infinity, Interval,
    Rank, Views, cmmd, frechet, infinity, kernel_distance, neighbours, noise_floor, r_precision,
    similarities,
};
use serde::{Deserialize, Serialize};

/// Splits of the reference for the noise floor.
const SPLITS: usize = 10;
const NO_INTERVAL: Bootstrap = Bootstrap { replicates: 0, seed: 0 };

/// How vectors become a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Formula {
    /// Mean over the views of the number that the model gives.
    Value,
    /// Mean over the views of the cosine to the prompt's vector.
    #[default]
    Mean,
    /// The largest cosine of a view; it rises with the number of views.
    Max,
    /// The cosine of the mean of the views' unit vectors.
    Pooled,
    /// The share of a generator's assets whose own prompt is among the most similar of all.
    RPrecision,
    /// Fréchet distance.
    Fd,
    /// Kernel distance, unbiased.
    Kd,
    /// CMMD of unit vectors.
    Cmmd,
    Precision,
    Recall,
    Density,
    Coverage,
}

impl Formula {
    /// Whether it is one number of a method's whole set, not of each asset.
    pub fn is_of_set(self) -> bool {
        !matches!(self, Self::Value | Self::Mean | Self::Max | Self::Pooled)
    }

    pub fn is_lower_better(self) -> bool {
        matches!(self, Self::Fd | Self::Kd | Self::Cmmd)
    }

    /// Least and most that it can be.
    pub fn range(self) -> (f64, f64) {
        match self {
            Self::Mean | Self::Max | Self::Pooled => (-1.0, 1.0),
            Self::Value | Self::Kd => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Fd | Self::Cmmd | Self::Density => (0.0, f64::INFINITY),
            Self::RPrecision | Self::Precision | Self::Recall | Self::Coverage => (0.0, 1.0),
        }
    }

    /// Whether a set's size is part of the number, so that sets of unequal sizes are not compared.
    pub fn depends_on_size(self) -> bool {
        self.is_of_set() && self != Self::Kd && self != Self::RPrecision
    }

    /// As in files.
    pub fn name(self) -> &'static str {
        names::<Self>()[self as usize]
    }
}

/// The settings of a score; each belongs to some formulas, and to their definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ScoreSettings {
    /// value (the mean of the numbers that the model gives), mean, max, pooled, r_precision, fd,
    /// kd, cmmd, precision, recall, density or coverage. Default: mean.
    pub formula: Formula,
    /// Nearest neighbours, for precision, recall, density and coverage. Default: 3.
    #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
    pub k: usize,
    /// Ranks that count, for r_precision. Default: 1.
    #[cfg_attr(test, schemars(range(min = 1, max = 100)))]
    pub first: usize,
    /// Samples of assets for the interval of a set's number. Default: 1000.
    #[cfg_attr(test, schemars(range(max = 100000)))]
    pub replicates: usize,
    /// Random seed of these samples. Default: 0.
    pub seed: u64,
    /// Compute fd of fewer vectors than dimensions; it is then mostly bias.
    pub allow_rank_deficient: bool,
}

impl Default for ScoreSettings {
    fn default() -> Self {
        let formula = Formula::default();
        let (k, first, replicates, seed) = (3, 1, 1000, 0);
        Self { formula, k, first, replicates, seed, allow_rank_deficient: false }
    }
}

/// One number of a set.
#[derive(Debug, Clone, PartialEq)]
pub struct SetValue {
    pub estimate: Estimate,
    /// FD∞ with its fit.
    pub infinity: Option<Infinity>,
    /// The mean over splits of the reference into halves; none where it has too few assets.
    pub floor: Option<f64>,
}

/// A number per asset. `targets` has a vector per asset, or one per view: then view by view.
///
/// # Errors
/// As of [`similarities`].
pub fn scores(
    formula: Formula,
    assets: &FeatureSet,
    targets: &FeatureSet,
) -> Result<Vec<f64>, FeaturesError> {
    let views = match formula {
        Formula::Max => Views::Max,
        Formula::Pooled => Views::Pooled,
        _ => Views::Mean,
    };
    similarities(assets, targets, views)
}

/// The number of a method's set against the reference.
///
/// # Errors
/// The refusals of the formulas: too few assets, fewer vectors than dimensions.
pub fn set_value(
    settings: &ScoreSettings,
    generated: &FeatureSet,
    reference: &FeatureSet,
) -> Result<SetValue, FeaturesError> {
    let bootstrap = Bootstrap { replicates: settings.replicates, seed: settings.seed };
    let mut estimate = estimate(settings, generated, reference, bootstrap)?;
    if let Some(interval) = &mut estimate.interval {
        let (low, high) = settings.formula.range();
        *interval = Interval { low: interval.low.max(low), high: interval.high.min(high) };
    }
    let floor = settings.formula.is_lower_better().then(|| {
        noise_floor(reference, SPLITS, settings.seed, |a, b| {
            let halves = ScoreSettings { allow_rank_deficient: true, ..*settings };
            Ok(self::estimate(&halves, a, b, NO_INTERVAL)?.value)
        })
    });
    let infinity = (settings.formula == Formula::Fd).then(|| {
        let fit = Extrapolation { seed: settings.seed, ..Extrapolation::default() };
        infinity(reference, generated, rank(settings), fit)
    });
    Ok(SetValue {
        estimate,
        // Sets that are large enough for the number can be too small for its limit or for halves.
        infinity: infinity.and_then(Result::ok),
        floor: floor.and_then(Result::ok).map(|floor| floor.mean()),
    })
}

fn rank(settings: &ScoreSettings) -> Rank {
    match settings.allow_rank_deficient {
        true => Rank::DeficientAllowed,
        false => Rank::Full,
    }
}

fn estimate(
    settings: &ScoreSettings,
    generated: &FeatureSet,
    reference: &FeatureSet,
    bootstrap: Bootstrap,
) -> Result<Estimate, FeaturesError> {
    let near = || neighbours(reference, generated, settings.k, bootstrap);
    Ok(match settings.formula {
        Formula::Fd => frechet(reference, generated, rank(settings), bootstrap)?,
        Formula::Kd => kernel_distance(reference, generated, Diagonal::Without, bootstrap)?,
        Formula::Cmmd => cmmd(&reference.unit()?, &generated.unit()?, bootstrap)?,
        Formula::Precision => near()?.precision,
        Formula::Recall => near()?.recall,
        Formula::Density => near()?.density,
        Formula::Coverage => near()?.coverage,
        Formula::RPrecision | Formula::Value | Formula::Mean | Formula::Max | Formula::Pooled => {
            r_precision(generated, reference, Views::Mean, settings.first, bootstrap)?
        }
    })
}
