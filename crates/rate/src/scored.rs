//! Methods' numbers → means, intervals and ranks over prompts, like those of ratings.
//!
//! Intervals never leave what the number can be: they are worked out on a scale without ends, the
//! logit between two bounds, the logarithm above one (delta method: Davison & Hinkley 1997, 2.7.1).

use super::bootstrap::{CLUSTERS_MIN, Interval};
use super::ranks::{orders, ranks};
use super::spread::{PARTS_MAX, Scatter, Spread, mean_of};

/// A number of a method on a prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    pub method: usize,
    /// The cluster.
    pub prompt: usize,
    pub value: f64,
}

/// A method's mean.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ScoredLine {
    /// Index of the method.
    pub method: usize,
    pub mean: f64,
    /// 95 %; none with fewer than [`CLUSTERS_MIN`] prompts, and where all prompts are equal: of
    /// their spread nothing is known.
    pub interval: Option<Interval>,
    /// Best and worst rank from 1, right for all methods together; none where no direction is
    /// better.
    pub ranks_all: Option<(usize, usize)>,
    pub num_values: usize,
}

/// Means, best first, or largest first where neither more nor less is better. Methods without a
/// number have no line. `range`: a number's least and most, infinite where nothing bounds it.
pub fn scored(
    numbers: &[Number],
    is_lower_better: Option<bool>,
    range: (f64, f64),
    replicates: usize,
    seed: u64,
) -> Vec<ScoredLine> {
    let num_methods = numbers.iter().map(|n| n.method + 1).max().unwrap_or(0);
    let num_prompts = numbers.iter().map(|n| n.prompt + 1).max().unwrap_or(0);
    let num_parts = num_prompts.min(PARTS_MAX);
    let mut sums = vec![(0.0, 0.0); num_methods * num_parts];
    for number in numbers {
        let (sum, count) = &mut sums[number.method * num_parts + number.prompt % num_parts];
        *sum += number.value;
        *count += 1.0;
    }
    let sign = if is_lower_better == Some(true) { -1.0 } else { 1.0 };
    let (mut known, mut means) = (Vec::new(), Vec::new());
    let (mut moves, mut weights) = (Vec::new(), Vec::new());
    for (method, sums) in sums.chunks_exact(num_parts.max(1)).enumerate() {
        let Some((mean, parts)) = mean_of(sums) else {
            continue;
        };
        known.push(method);
        means.push(mean);
        moves.extend(parts.iter().map(|(moved, _)| sign * moved));
        weights.extend(sums.iter().map(|(_, count)| *count));
    }
    let has_spread = num_prompts >= CLUSTERS_MIN && replicates > 0;
    let spread = has_spread.then(|| Spread::new(num_parts, moves, weights));
    let ranks = spread.as_ref().filter(|_| is_lower_better.is_some()).map(|spread| {
        let better: Vec<f64> = means.iter().map(|mean| sign * mean).collect();
        ranks(known.len(), &orders(&better, spread, replicates, seed))
    });
    let line = |(at, (&method, &mean)): (usize, (&usize, &f64))| ScoredLine {
        method,
        mean,
        interval: spread
            .as_ref()
            .filter(|spread| spread.is_seen(at))
            .and_then(|spread| within(mean, spread.one(at), range)),
        ranks_all: ranks.as_ref().map(|ranks| ranks[at]),
        num_values: numbers.iter().filter(|n| n.method == method).count(),
    };
    let mut lines: Vec<ScoredLine> = known.iter().zip(&means).enumerate().map(line).collect();
    lines.sort_by(|a, b| {
        let order = a.mean.total_cmp(&b.mean);
        if is_lower_better == Some(true) { order } else { order.reverse() }
    });
    lines
}

/// The interval between two ends, each finite or infinite.
fn within(mean: f64, scatter: Scatter, (least, most): (f64, f64)) -> Option<Interval> {
    let half = scatter.half().filter(|half| *half > 1e-12 * mean.abs().max(1e-300))?;
    let odds = (mean - least) / (most - mean);
    let found = match (least.is_finite(), most.is_finite()) {
        // At an end nothing says how far it is from it.
        (true, _) if mean <= least => return None,
        (_, true) if mean >= most => return None,
        (true, true) => {
            let by = libm::exp(half / (mean - least) + half / (most - mean));
            let at = |odds: f64| least + (most - least) * odds / (1.0 + odds);
            Interval { low: at(odds / by), high: at(odds * by) }
        }
        (true, false) => {
            let by = libm::exp(half / (mean - least));
            Interval { low: least + (mean - least) / by, high: least + (mean - least) * by }
        }
        _ => Interval { low: mean - half, high: mean + half },
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    fn of_one(values: &[f64]) -> Vec<Number> {
        let number = |(prompt, &value): (usize, &f64)| Number { method: 0, prompt, value };
        values.iter().enumerate().map(number).collect()
    }

    #[test]
    fn intervals_stay_within_what_the_number_can_be() {
        let interval = |values: &[f64], range: (f64, f64)| {
            scored(&of_one(values), Some(false), range, 1000, 1)[0].interval
        };
        let share = [1.0, 1.0, 1.0, 0.0, 1.0, 1.0];
        assert!(interval(&share, FREE).unwrap().high > 1.0);
        let found = interval(&share, (0.0, 1.0)).unwrap();
        assert!(found.low > 0.0 && found.low < 0.5 && (0.9..1.0).contains(&found.high));
        let far = [0.01, 0.02, 0.01, 3.0, 0.02, 0.01];
        assert!(interval(&far, FREE).unwrap().low < 0.0);
        let found = interval(&far, (0.0, f64::INFINITY)).unwrap();
        assert!(found.low > 0.0 && found.high > 1.0, "{found:?}");
        // Far from the bounds the scale does not matter.
        let near = [0.50, 0.51, 0.49, 0.52, 0.48, 0.50, 0.53];
        let (a, b) = (interval(&near, FREE).unwrap(), interval(&near, (0.0, 1.0)).unwrap());
        assert!((a.low - b.low).abs() < 1e-4 && (a.high - b.high).abs() < 1e-4);
        assert_eq!(interval(&[1.0; 6], (0.0, 1.0)), None);
    }

    #[test]
    fn a_mean_and_its_interval_are_those_of_the_normal_theory() {
        let prompts = 60;
        let value = |p: usize| ((p * 37) % 11) as f64;
        let numbers: Vec<Number> = (0..prompts)
            .flat_map(|prompt| {
                [(0, 0.0), (1, 3.0)].map(|(method, off)| Number {
                    method,
                    prompt,
                    value: value(prompt) + off,
                })
            })
            .collect();
        let lines = scored(&numbers, Some(true), FREE, 2000, 1);
        let mean = (0..prompts).map(value).sum::<f64>() / prompts as f64;
        assert_eq!((lines[0].method, lines[1].method), (0, 1));
        assert!((lines[0].mean - mean).abs() < 1e-12);
        let squares: f64 = (0..prompts).map(|p| (value(p) - mean) * (value(p) - mean)).sum();
        let error = (squares / (prompts as f64 - 1.0) / prompts as f64).sqrt();
        let interval = lines[0].interval.unwrap();
        let half = 0.5 * (interval.high - interval.low);
        assert!((half / (2.0 * error) - 1.0).abs() < 0.1, "{half} {error}");
        // The same prompts are drawn for both, and one is always better.
        assert_eq!((lines[0].ranks_all, lines[1].ranks_all), (Some((1, 1)), Some((2, 2))));
        assert_eq!(scored(&numbers, Some(false), FREE, 0, 1)[0].method, 1);
        assert_eq!(scored(&numbers[..6], Some(true), FREE, 100, 1)[0].interval, None);
        assert_eq!(scored(&numbers, None, FREE, 100, 1)[0].ranks_all, None);
    }
}
