//! Shares over objects, with intervals that allow for the correlation of answers on one object.

use super::bootstrap::Interval;
use super::confusion::Estimate;
use super::quantile::student_975;
use super::spread::{Scatter, mean_of, scatter};

/// 97.5 % point of the normal distribution.
const NORMAL_975: f64 = 1.959_963_984_540_054;

/// `Σ hits / Σ all` with a 95 % interval; `each` is (hits, all) by object. Agresti & Coull's
/// interval (1998) for as many independent answers as have the variance that is seen between
/// objects, with Student's quantile (Korn & Graubard 1998 do so for Clopper & Pearson's); where all
/// objects agree, Wilson's (1927) for their number. None without objects. Measured:
/// docs/runs/rating/2026-11-25-claims.md.
pub fn share(each: &[(f64, f64)]) -> Option<Estimate> {
    let (value, scatter, objects) = ratio(each)?;
    let answers: f64 = each.iter().map(|(_, all)| all).sum();
    let interval = match scatter {
        Some(Scatter { error, degrees }) => {
            let t = student_975(degrees);
            let alike = (value * (1.0 - value) / (error * error)).min(answers);
            agresti_coull(value, alike * (NORMAL_975 / t) * (NORMAL_975 / t))
        }
        None => wilson(value, objects as f64),
    };
    Some(Estimate { value, interval: Some(interval) })
}

/// `Σ differences / Σ all`, −1 to 1, with Student's interval; `each` is (difference, all) by
/// object. Where all objects say the same, up to `1 − 0.05^(1/objects)` of further ones may say
/// something else. None without anything.
pub fn share_difference(each: &[(f64, f64)]) -> Option<Estimate> {
    let (value, scatter, objects) = ratio(each)?;
    let unseen = 1.0 - libm::exp(libm::log(0.05) / objects as f64);
    let half = scatter.and_then(Scatter::half).unwrap_or(unseen);
    Some(Estimate {
        value,
        interval: Some(Interval { low: (value - half).max(-1.0), high: (value + half).min(1.0) }),
    })
}

/// The ratio, how it scatters over objects (none where nothing is seen of it), and their number.
fn ratio(each: &[(f64, f64)]) -> Option<(f64, Option<Scatter>, usize)> {
    let each: Vec<_> = each.iter().copied().filter(|(_, all)| *all > 0.0).collect();
    let all: f64 = each.iter().map(|(_, all)| all).sum();
    let (value, parts) = mean_of(&each)?;
    let found = scatter(parts.into_iter());
    let is_seen = each.len() > 1 && found.error * all > 1e-6;
    Some((value, is_seen.then_some(found), each.len()))
}

/// About the same middle as Wilson's, and never narrower.
fn agresti_coull(p: f64, n: f64) -> Interval {
    let all = n + NORMAL_975 * NORMAL_975;
    let middle = (p * n + 0.5 * NORMAL_975 * NORMAL_975) / all;
    let half = NORMAL_975 * (middle * (1.0 - middle) / all).sqrt();
    Interval { low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}

fn wilson(p: f64, n: f64) -> Interval {
    let z2 = NORMAL_975 * NORMAL_975;
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = NORMAL_975 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    Interval { low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn wilson_by_hand() {
        // 10 of 10: (1 + z²/20 ± z √(z²/400)) / (1 + z²/10), so 0.7225 to 1.
        let found = share(&[(1.0, 1.0); 10]).unwrap();
        let interval = found.interval.unwrap();
        assert_eq!(found.value, 1.0);
        assert!((interval.low - 0.722_467).abs() < 1e-5 && (interval.high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn objects_count_whole() {
        // Ten answers on each of two objects that disagree are two opinions, not twenty.
        let found = share(&[(10.0, 10.0), (0.0, 10.0)]).unwrap();
        let interval = found.interval.unwrap();
        assert_eq!(found.value, 0.5);
        assert!(interval.low < 0.01 && interval.high > 0.99, "{interval:?}");
        assert!(share(&[(0.0, 0.0)]).is_none());
    }

    #[test]
    fn few_objects_that_seldom_fail_are_covered() {
        let mut random = Random::new(3, 3);
        let mut held = 0;
        for _ in 0..400 {
            let each: Vec<(f64, f64)> = (0..8)
                .map(|_| {
                    let hits = (0..4).filter(|_| random.unit() < 0.95).count();
                    (hits as f64, 4.0)
                })
                .collect();
            let interval = share(&each).unwrap().interval.unwrap();
            held += usize::from(interval.low <= 0.95 && 0.95 <= interval.high);
        }
        assert!(held >= 372, "{held} of 400");
    }
}
