//! Precision, recall, density and coverage: how many vectors of one set are near the other.

use super::error::FeaturesError;
use super::interval::{Bootstrap, Draws, estimate};
use super::set::{FeatureSet, check_pair, squared_distance};
use meshjudge_rate::Estimate;

/// Four shares, of which only density can exceed 1.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Neighbours {
    /// Share of the generated vectors inside some ball of the reference (Kynkäänniemi et al. 2019).
    pub precision: Estimate,
    /// Share of the reference inside some ball of the generated set.
    pub recall: Estimate,
    /// Mean number of reference balls around a generated vector, over k (Naeem et al. 2020).
    pub density: Estimate,
    /// Share of the reference whose ball has a generated vector inside.
    pub coverage: Estimate,
}

/// The ball of a vector reaches to its `k`-th nearest neighbour in its own set, itself not counted.
/// Inside is strictly nearer, as in the published code of Naeem et al.; Kynkäänniemi et al. include
/// the surface. Papers use k = 3 or 5.
///
/// Intervals sample the vectors that are counted, by asset, and leave the balls as they are: copies
/// in a sample would shrink the balls.
///
/// # Errors
/// Fewer than two assets, or no more than k rows in a set; k = 0; vectors of different lengths.
pub fn neighbours(
    reference: &FeatureSet,
    generated: &FeatureSet,
    k: usize,
    bootstrap: Bootstrap,
) -> Result<Neighbours, FeaturesError> {
    check_pair("precision and recall", reference, generated, 2)?;
    let num_rows = reference.num_rows().min(generated.num_rows());
    if k == 0 || num_rows <= k {
        let reason = format!("k = {k} neighbours need a k from 1 to {}", num_rows - 1);
        return Err(FeaturesError::Impossible(reason));
    }
    let [of_reference, of_generated] = [reference, generated].map(|set| radii(set, k));
    // For each generated vector: the number of balls of the reference around it.
    let balls: Vec<f64> = parallel::of(generated.num_rows(), |j| {
        let near = reference.rows().zip(&of_reference);
        near.filter(|(row, radius)| squared_distance(row, generated.row(j)) < **radius).count()
            as f64
    });
    // For each vector of the reference: whether a ball of the generated set is around it, and
    // whether its own has something inside.
    let seen: Vec<(f64, f64)> = parallel::of(reference.num_rows(), |i| {
        let (mut is_inside, mut is_covered) = (false, false);
        for (row, radius) in generated.rows().zip(&of_generated) {
            let apart = squared_distance(reference.row(i), row);
            is_inside |= apart < *radius;
            is_covered |= apart < of_reference[i];
        }
        (f64::from(u8::from(is_inside)), f64::from(u8::from(is_covered)))
    });
    let draws = Draws::new(reference, generated, bootstrap);
    let over_generated = |term: &dyn Fn(usize) -> f64| mean_of(generated, &draws.y, term);
    let over_reference = |term: &dyn Fn(usize) -> f64| mean_of(reference, &draws.x, term);
    Ok(Neighbours {
        precision: over_generated(&|j| balls[j].min(1.0)),
        recall: over_reference(&|i| seen[i].0),
        density: over_generated(&|j| balls[j] / k as f64),
        coverage: over_reference(&|i| seen[i].1),
    })
}

/// Of each row: the square of the distance to its k-th nearest neighbour.
fn radii(set: &FeatureSet, k: usize) -> Vec<f64> {
    let radius = |i: usize| {
        let others = set.rows().enumerate().filter(|(j, _)| *j != i);
        let mut apart: Vec<f64> =
            others.map(|(_, row)| squared_distance(set.row(i), row)).collect();
        *apart.select_nth_unstable_by(k - 1, f64::total_cmp).1
    };
    parallel::of(set.num_rows(), radius)
}

/// The mean of a number of each row, for each sample of assets.
pub(super) fn mean_of(
    set: &FeatureSet,
    draws: &[Vec<f64>],
    term: &dyn Fn(usize) -> f64,
) -> Estimate {
    let by_asset: Vec<(f64, f64)> = (0..set.num_assets())
        .map(|asset| (set.rows_of(asset).map(term).sum(), set.rows_of(asset).len() as f64))
        .collect();
    let mean = |counts: &Vec<f64>| {
        let (mut sum, mut num) = (0.0, 0.0);
        for ((of_asset, rows), count) in by_asset.iter().zip(counts) {
            sum += count * of_asset;
            num += count * rows;
        }
        sum / num
    };
    estimate(&draws.iter().map(mean).collect::<Vec<_>>())
}
