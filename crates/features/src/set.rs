//! A set of feature vectors, each with the asset that it belongs to.

use super::error::FeaturesError;
use std::ops::Range;

/// Feature vectors of assets. The rows of one asset, one for each of its views, are consecutive.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureSet {
    /// Row-major, `num_rows × dimension`.
    values: Vec<f64>,
    dimension: usize,
    /// The first row of each asset, then the number of rows.
    starts: Vec<usize>,
    /// Of each asset; none where each is a group of its own.
    groups: Option<Vec<u64>>,
}

impl FeatureSet {
    /// Rows in row-major order; `rows_by_asset` has each asset's row count, in order, never 0.
    ///
    /// # Errors
    /// [`FeaturesError::Length`] for lists that do not fit together, [`FeaturesError::NotFinite`].
    pub fn new(
        values: Vec<f64>,
        dimension: usize,
        rows_by_asset: &[usize],
    ) -> Result<Self, FeaturesError> {
        let num_rows: usize = rows_by_asset.iter().sum();
        let (wanted, found) = (num_rows * dimension, values.len());
        if wanted != found || rows_by_asset.contains(&0) || dimension == 0 {
            return Err(FeaturesError::Length { what: "the features", wanted, found });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(FeaturesError::NotFinite { row: at / dimension });
        }
        let mut starts = vec![0];
        for rows in rows_by_asset {
            starts.push(starts[starts.len() - 1] + rows);
        }
        Ok(Self { values, dimension, starts, groups: None })
    }

    /// Every row is an asset of its own.
    ///
    /// # Errors
    /// As of [`FeatureSet::new`].
    pub fn one_row_each(values: Vec<f64>, dimension: usize) -> Result<Self, FeaturesError> {
        let num_rows = values.len() / dimension.max(1);
        Self::new(values, dimension, &vec![1; num_rows])
    }

    /// The same with a group of each asset, such as its prompt. The samples of an interval have all
    /// assets of a group or none, and the same groups in both sets.
    ///
    /// # Errors
    /// [`FeaturesError::Length`].
    pub fn in_groups(self, groups: Vec<u64>) -> Result<Self, FeaturesError> {
        let (wanted, found) = (self.num_assets(), groups.len());
        if wanted != found {
            return Err(FeaturesError::Length { what: "the list of groups", wanted, found });
        }
        Ok(Self { groups: Some(groups), ..self })
    }

    pub(super) fn groups(&self) -> Option<&[u64]> {
        self.groups.as_deref()
    }

    /// Number of vectors.
    pub fn num_rows(&self) -> usize {
        self.starts[self.num_assets()]
    }

    /// Number of assets.
    pub fn num_assets(&self) -> usize {
        self.starts.len() - 1
    }

    /// Length of each vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// One vector.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.dimension..][..self.dimension]
    }

    /// All vectors, in order.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.dimension)
    }

    /// The rows of an asset.
    pub fn rows_of(&self, asset: usize) -> Range<usize> {
        self.starts[asset]..self.starts[asset + 1]
    }

    /// Each vector divided by its length.
    ///
    /// # Errors
    /// [`FeaturesError::Zero`].
    pub fn unit(&self) -> Result<Self, FeaturesError> {
        let mut unit = self.clone();
        for (row, values) in unit.values.chunks_exact_mut(self.dimension).enumerate() {
            let length = dot(values, values).sqrt();
            if length == 0.0 {
                return Err(FeaturesError::Zero { row });
            }
            values.iter_mut().for_each(|value| *value /= length);
        }
        Ok(unit)
    }

    /// The assets of this list, in its order.
    pub fn chosen(&self, assets: &[usize]) -> Self {
        let (mut values, mut starts) = (Vec::new(), vec![0]);
        for &asset in assets {
            let rows = self.rows_of(asset);
            values.extend(&self.values[rows.start * self.dimension..rows.end * self.dimension]);
            starts.push(starts[starts.len() - 1] + rows.len());
        }
        let groups = self.groups.as_ref();
        let groups = groups.map(|all| assets.iter().map(|&asset| all[asset]).collect());
        Self { values, dimension: self.dimension, starts, groups }
    }
}

/// Both sets have vectors of one length, and each has at least `needed` assets.
pub(super) fn check_pair(
    metric: &'static str,
    x: &FeatureSet,
    y: &FeatureSet,
    needed: usize,
) -> Result<(), FeaturesError> {
    if x.dimension() != y.dimension() {
        let (wanted, found) = (x.dimension(), y.dimension());
        return Err(FeaturesError::Length { what: "a vector", wanted, found });
    }
    let found = x.num_assets().min(y.num_assets());
    if found < needed {
        return Err(FeaturesError::FewAssets { metric, needed, found });
    }
    Ok(())
}

/// The inner product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    summed(a, b, |a, b| a * b)
}

/// The square of the Euclidean distance.
pub(super) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    summed(a, b, |a, b| (a - b) * (a - b))
}

/// Summed in eight lanes, which compilers vectorise without a change of the result.
#[inline]
fn summed(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let (a_parts, b_parts) = (a.chunks_exact(8), b.chunks_exact(8));
    let (a_rest, b_rest) = (a_parts.remainder(), b_parts.remainder());
    for (a, b) in a_parts.zip(b_parts) {
        for k in 0..8 {
            lanes[k] += term(a[k], b[k]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| term(*a, *b)).sum();
    lanes.iter().sum::<f64>() + rest
}
