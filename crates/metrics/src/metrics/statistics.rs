//! Numbers from distances: means, shares, quantiles. a are the result's points to the reference, b
//! the reference's to the result.

/// Added in the order of the points, so that the last digit does not depend on threads.
pub fn mean(values: &[f64]) -> f64 {
    sum(values) / values.len().max(1) as f64
}

pub fn mean_square(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, v| sum + v * v) / values.len().max(1) as f64
}

fn sum(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, v| sum + v)
}

/// Share of values below a threshold: strictly, or with those equal to it.
pub fn share_within(values: &[f64], threshold: f64, is_strict: bool) -> f64 {
    let is_within = |v: &&f64| **v < threshold || !is_strict && **v == threshold;
    values.iter().filter(is_within).count() as f64 / values.len().max(1) as f64
}

/// Harmonic mean of precision and recall; 0 where both are 0.
pub fn f_score(precision: f64, recall: f64) -> f64 {
    if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
}

/// Linear between the two nearest, as numpy's default. 0 of nothing.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let place = share * (sorted.len().saturating_sub(1)) as f64;
    let below = place.floor() as usize;
    match (sorted.get(below), sorted.get(below + 1)) {
        (Some(low), Some(high)) => low + (high - low) * (place - below as f64),
        (Some(low), None) => *low,
        _ => 0.0,
    }
}
