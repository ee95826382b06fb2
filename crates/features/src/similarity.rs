//! Scores of single assets: cosines between their vectors and those of a text or photo, and how
//! often the own text ranks first.

use super::error::FeaturesError;
use super::interval::{Bootstrap, Draws};
use super::neighbours::mean_of;
use super::set::{FeatureSet, dot};
use meshjudge_rate::Estimate;

/// The cosine of two vectors, −1 to 1. ULIP, Uni3D and OpenShape scores are this number; CLIP
/// scores are often 100 × it.
///
/// # Errors
/// A zero vector; different lengths.
pub fn cosine(a: &[f64], b: &[f64]) -> Result<f64, FeaturesError> {
    if a.len() != b.len() {
        return Err(FeaturesError::Length { what: "a vector", wanted: a.len(), found: b.len() });
    }
    let lengths = [a, b].map(|vector| dot(vector, vector).sqrt());
    match lengths.iter().position(|length| *length == 0.0) {
        Some(row) => Err(FeaturesError::Zero { row }),
        None => Ok((dot(a, b) / (lengths[0] * lengths[1])).clamp(-1.0, 1.0)),
    }
}

/// How the views of an asset become one number. Each is a metric of its own name; the best view
/// rises with the number of views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Views {
    /// The mean of their cosines.
    Mean,
    /// The largest cosine.
    Max,
    /// The cosine of the mean of their unit vectors.
    Pooled,
}

/// Of each asset: the cosine between its views and its target, which has one vector, or one for
/// each view: then view by view.
///
/// # Errors
/// Different numbers of assets or lengths of vectors; a zero vector.
pub fn similarities(
    assets: &FeatureSet,
    targets: &FeatureSet,
    views: Views,
) -> Result<Vec<f64>, FeaturesError> {
    let (assets, targets) = paired(assets, targets)?;
    let of = |at: usize| similarity(&assets, at, &targets, at, views);
    (0..assets.num_assets()).map(of).collect()
}

fn paired(
    assets: &FeatureSet,
    targets: &FeatureSet,
) -> Result<(FeatureSet, FeatureSet), FeaturesError> {
    let lengths = [
        ("the list of targets", assets.num_assets(), targets.num_assets()),
        ("a vector", assets.dimension(), targets.dimension()),
    ];
    for (what, wanted, found) in lengths {
        if wanted != found {
            return Err(FeaturesError::Length { what, wanted, found });
        }
    }
    Ok((assets.unit()?, targets.unit()?))
}

/// Of unit vectors.
fn similarity(
    assets: &FeatureSet,
    asset: usize,
    targets: &FeatureSet,
    target: usize,
    views: Views,
) -> Result<f64, FeaturesError> {
    let [rows, wanted] = [assets.rows_of(asset), targets.rows_of(target)];
    if wanted.len() != 1 && (wanted.len() != rows.len() || views == Views::Pooled) {
        let (what, wanted, found) = ("a target", rows.len(), wanted.len());
        return Err(FeaturesError::Length { what, wanted, found });
    }
    let step = usize::from(wanted.len() > 1);
    let num = rows.len() as f64;
    let cosines = rows
        .clone()
        .enumerate()
        .map(|(view, row)| dot(assets.row(row), targets.row(wanted.start + view * step)));
    Ok(match views {
        Views::Mean => cosines.sum::<f64>() / num,
        Views::Max => cosines.fold(-1.0, f64::max),
        Views::Pooled => {
            let mut sum = vec![0.0; assets.dimension()];
            for row in rows {
                sum.iter_mut().zip(assets.row(row)).for_each(|(sum, value)| *sum += value);
            }
            let length = dot(&sum, &sum).sqrt();
            // Views that cancel each other have no direction, and so none towards the target.
            if length == 0.0 { 0.0 } else { dot(&sum, targets.row(wanted.start)) / length }
        }
    })
}

/// R-precision: the share of assets whose own text is among the `first` most similar of all texts
/// (Park et al. 2021 with CLIP). 0 to 1; by chance it is first / number of texts, so that number is
/// part of the result. Texts of equal similarity rank before the own one: a model that answers the
/// same to everything gets 0. The interval samples assets and leaves the texts.
///
/// # Errors
/// As of [`similarities`]; `first` is 0.
pub fn r_precision(
    assets: &FeatureSet,
    texts: &FeatureSet,
    views: Views,
    first: usize,
    bootstrap: Bootstrap,
) -> Result<Estimate, FeaturesError> {
    if first == 0 {
        return Err(FeaturesError::Impossible("R-precision counts ranks from 1".to_owned()));
    }
    let (assets, texts) = paired(assets, texts)?;
    let mut hits = Vec::with_capacity(assets.num_assets());
    for asset in 0..assets.num_assets() {
        let of = |text: usize| similarity(&assets, asset, &texts, text, views);
        let own = of(asset)?;
        let all = (0..texts.num_assets()).map(of).collect::<Result<Vec<f64>, _>>()?;
        let is_before = |(text, value): &(usize, &f64)| *text != asset && **value >= own;
        let before = all.iter().enumerate().filter(is_before).count();
        hits.push(f64::from(u8::from(before < first)));
    }
    let mut one_each = FeatureSet::one_row_each(hits.clone(), 1)?;
    if let Some(groups) = assets.groups() {
        one_each = one_each.in_groups(groups.to_vec())?;
    }
    let draws = Draws::new(&one_each, &one_each, bootstrap);
    Ok(mean_of(&one_each, &draws.x, &|row| hits[row]))
}
