//! Maximum mean discrepancies: KD (KID when the features are Inception's) and CMMD.

use super::error::FeaturesError;
use super::interval::{Bootstrap, Draws, estimate};
use super::set::{FeatureSet, check_pair, dot, squared_distance};
use meshjudge_rate::Estimate;

/// Assets whose sums are computed side by side before they are added in order.
const BLOCK: usize = 64;
/// CMMD's kernel is exp(−|x − y|² / (2·10²)), and its unit a thousandth (Jayasumana et al. 2024,
/// and its published code).
const CMMD_GAMMA: f64 = 1.0 / 200.0;
const CMMD_SCALE: f64 = 1000.0;

/// Whether a vector is compared with itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagonal {
    /// No: the unbiased estimate, which can be negative; of a set against itself it is.
    Without,
    /// Yes: the biased one, at least 0.
    With,
}

/// Kernel distance (Bińkowski et al. 2018): the squared maximum mean discrepancy with k(x, y) =
/// (x·y/d + 1)³, over all rows at once. Published values are often × 100 or × 1000. The mean over
/// 100 random subsets (torch-fidelity) has the same expectation; its spread is no interval.
///
/// # Errors
/// Fewer than two assets; vectors of different lengths.
pub fn kernel_distance(
    x: &FeatureSet,
    y: &FeatureSet,
    diagonal: Diagonal,
    bootstrap: Bootstrap,
) -> Result<Estimate, FeaturesError> {
    check_pair("KD", x, y, 2)?;
    let dimension = x.dimension() as f64;
    let kernel = |a: &[f64], b: &[f64]| {
        let base = dot(a, b) / dimension + 1.0;
        base * base * base
    };
    Ok(discrepancy(x, y, &kernel, diagonal, bootstrap))
}

/// 1000 × the biased squared maximum mean discrepancy with a Gaussian kernel of σ = 10 between CLIP
/// ViT-L/14-336 features (Jayasumana et al. 2024). Give unit vectors ([`FeatureSet::unit`]) for
/// published numbers. At least 0; 0 for equal sets.
///
/// # Errors
/// Fewer than two assets; vectors of different lengths.
pub fn cmmd(
    x: &FeatureSet,
    y: &FeatureSet,
    bootstrap: Bootstrap,
) -> Result<Estimate, FeaturesError> {
    check_pair("CMMD", x, y, 2)?;
    let kernel =
        |a: &[f64], b: &[f64]| CMMD_SCALE * libm::exp(-CMMD_GAMMA * squared_distance(a, b));
    Ok(discrepancy(x, y, &kernel, Diagonal::With, bootstrap))
}

fn discrepancy(
    x: &FeatureSet,
    y: &FeatureSet,
    kernel: &(dyn Fn(&[f64], &[f64]) -> f64 + Sync),
    diagonal: Diagonal,
    bootstrap: Bootstrap,
) -> Estimate {
    let draws = Draws::new(x, y, bootstrap);
    let within_x = means([x, x], [&draws.x, &draws.x], kernel, diagonal);
    let within_y = means([y, y], [&draws.y, &draws.y], kernel, diagonal);
    let across = means([x, y], [&draws.x, &draws.y], kernel, Diagonal::With);
    let value = |k: usize| within_x[k] + within_y[k] - 2.0 * across[k];
    estimate(&(0..draws.len()).map(value).collect::<Vec<_>>())
}

/// The kernel's mean over pairs of rows, for each sample. Without the diagonal, two copies of a
/// vector in one sample are no pair either, or samples with replacement would be closer to
/// themselves than sets are.
fn means(
    sets: [&FeatureSet; 2],
    draws: [&[Vec<f64>]; 2],
    kernel: &(dyn Fn(&[f64], &[f64]) -> f64 + Sync),
    diagonal: Diagonal,
) -> Vec<f64> {
    let [x, y] = sets;
    let mut totals = vec![(0.0, 0.0); draws[0].len()];
    let assets: Vec<usize> = (0..x.num_assets()).collect();
    for block in assets.chunks(BLOCK) {
        let sums: Vec<Vec<(f64, f64)>> = parallel::map(block, |&a| {
            (0..y.num_assets()).map(|b| pair_sum(x, a, y, b, kernel, diagonal)).collect()
        });
        parallel::each_mut(&mut totals, |draw, total| {
            let (of_x, of_y) = (&draws[0][draw], &draws[1][draw]);
            for (&a, sums) in block.iter().zip(&sums) {
                for (b, (sum, num)) in sums.iter().enumerate() {
                    // Copies of an asset are not compared with each other: each copy counts once.
                    let is_own = a == b && diagonal == Diagonal::Without;
                    let times = if is_own { of_x[a] } else { of_x[a] * of_y[b] };
                    total.0 += times * sum;
                    total.1 += times * num;
                }
            }
        });
    }
    totals.iter().map(|(sum, num)| sum / num).collect()
}

/// The kernel's sum over the rows of two assets, and the number of pairs.
fn pair_sum(
    x: &FeatureSet,
    a: usize,
    y: &FeatureSet,
    b: usize,
    kernel: &dyn Fn(&[f64], &[f64]) -> f64,
    diagonal: Diagonal,
) -> (f64, f64) {
    let (mut sum, mut num) = (0.0, 0.0);
    for i in x.rows_of(a) {
        for j in y.rows_of(b) {
            if a == b && i == j && diagonal == Diagonal::Without {
                continue;
            }
            sum += kernel(x.row(i), y.row(j));
            num += 1.0;
        }
    }
    (sum, num)
}
