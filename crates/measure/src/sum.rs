//! Sums in a fixed order, so that a result does not depend on the number of threads.

/// Triangles summed at once. The partial sums are added one after the other, so the result does not
/// depend on the threads.
pub(super) const CHUNK: usize = 4096;

/// Sum of `term` over 0..count in a fixed order, on all threads.
pub fn sum_fixed<const N: usize>(
    count: usize,
    term: impl Fn(usize) -> [f64; N] + Sync,
) -> [f64; N] {
    let add = |mut sum: [f64; N], term: [f64; N]| {
        sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += term);
        sum
    };
    let partial: Vec<[f64; N]> = parallel::of(count.div_ceil(CHUNK), |chunk| {
        (chunk * CHUNK..((chunk + 1) * CHUNK).min(count)).map(&term).fold([0.0; N], add)
    });
    partial.into_iter().fold([0.0; N], add)
}

/// Of values in order with weights; `None` without any.
pub(super) fn weighted_quantile(values: &[(f64, f64)], share: f64) -> Option<f64> {
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut passed = 0.0;
    let found = values.iter().find(|(_, weight)| {
        passed += weight;
        passed >= share * total
    });
    found.or(values.last()).map(|(value, _)| *value)
}

/// `part / whole`, and 0 where the whole is 0.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
