//! Shares over objects, with intervals that allow for the correlation of answers on one object.

use crate::rate::{Estimate, Interval, Random};

/// Samples of the bootstrap.
const REPLICATES: usize = 1000;

/// 97.5 % point of the normal distribution.
const NORMAL_975: f64 = 1.959_963_984_540_054;

/// `Σ hits / Σ all` with a 95 % interval by a bootstrap over objects; `each` is (hits, all) by object. Where all objects agree,
/// Wilson's interval (1927) for their number. None without objects.
pub(super) fn ratio(each: &[(f64, f64)]) -> Option<Estimate> {
    let each: Vec<(f64, f64)> = each.iter().copied().filter(|(_, all)| *all > 0.0).collect();
    let value = of(each.iter())?;
    let is_same = each.iter().all(|(hits, all)| hits / all == value);
    let interval = if is_same {
        wilson(value, each.len() as f64)
    } else {
        bootstrap(&each)
    };
    Some(Estimate {
        value,
        interval: Some(interval),
    })
}

/// `Σ differences / Σ all`, −1 to 1, with the bootstrap's interval; `each` is (difference, all) by object. None without anything.
pub(super) fn difference(each: &[(f64, f64)]) -> Option<Estimate> {
    let each: Vec<(f64, f64)> = each.iter().copied().filter(|(_, all)| *all > 0.0).collect();
    Some(Estimate {
        value: of(each.iter())?,
        interval: Some(bootstrap(&each)),
    })
}

/// 95 % of the ratios of as many objects, drawn with replacement.
fn bootstrap(each: &[(f64, f64)]) -> Interval {
    let mut random = Random::new(0, each.len() as u64);
    let mut drawn: Vec<f64> = (0..REPLICATES)
        .filter_map(|_| of((0..each.len()).map(|_| &each[random.below(each.len())])))
        .collect();
    drawn.sort_by(f64::total_cmp);
    let at = |share: f64| drawn[((drawn.len() - 1) as f64 * share).round() as usize];
    Interval {
        low: at(0.025),
        high: at(0.975),
    }
}

fn of<'a>(each: impl Iterator<Item = &'a (f64, f64)>) -> Option<f64> {
    let (hits, all) = each.fold((0.0, 0.0), |(h, a), (hits, all)| (h + hits, a + all));
    (all > 0.0).then(|| hits / all)
}

fn wilson(p: f64, n: f64) -> Interval {
    let z2 = NORMAL_975 * NORMAL_975;
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = NORMAL_975 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    Interval {
        low: (middle - half).max(0.0),
        high: (middle + half).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_by_hand() {
        // 10 of 10: (1 + z²/20 ± z √(z²/400)) / (1 + z²/10), so 0.7225 to 1.
        let found = ratio(&[(1.0, 1.0); 10]).unwrap();
        let interval = found.interval.unwrap();
        assert_eq!(found.value, 1.0);
        assert!((interval.low - 0.722_467).abs() < 1e-5 && (interval.high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn objects_are_drawn_whole() {
        // Ten answers on each of two objects that disagree are two opinions, not twenty.
        let found = ratio(&[(10.0, 10.0), (0.0, 10.0)]).unwrap();
        let interval = found.interval.unwrap();
        assert_eq!((found.value, interval.low, interval.high), (0.5, 0.0, 1.0));
        assert!(ratio(&[(0.0, 0.0)]).is_none());
    }
}
