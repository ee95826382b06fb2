//! Methods' numbers → means, intervals and ranks, bootstrapped over prompts like ratings.
//!
//! Intervals never leave what the number can be. A percentile interval does not, but its widening
//! for few prompts would: a share of 0.8 on six prompts came out as 0.34 to 1.12. So it is widened
//! on a scale without ends: the logit between two bounds, the logarithm above one.

use super::bootstrap::{Interval, samples, widened_within};
use super::quantile::widening;
use super::ranks::{Doubt, one_by_one};

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
    /// 95 %; none with fewer than [`CLUSTERS_MIN`](super::CLUSTERS_MIN) prompts, and where all
    /// replicates are equal: of their spread nothing is known.
    pub interval: Option<Interval>,
    /// Best and worst rank in 95 % of replicates, from 1; none where no direction is better.
    pub ranks: Option<(usize, usize)>,
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
    // Sums and counts by method and prompt.
    let mut sums = vec![(0.0, 0.0); num_methods * num_prompts];
    for number in numbers {
        let (sum, count) = &mut sums[number.method * num_prompts + number.prompt];
        *sum += number.value;
        *count += 1.0;
    }
    let mean = |method: usize, times: &[f64]| {
        let of = &sums[method * num_prompts..(method + 1) * num_prompts];
        let (mut sum, mut count) = (0.0, 0.0);
        for ((s, c), times) in of.iter().zip(times) {
            sum += times * s;
            count += times * c;
        }
        (count > 0.0).then(|| sum / count)
    };
    let once = vec![1.0; num_prompts];
    let means: Vec<Option<f64>> = (0..num_methods).map(|m| mean(m, &once)).collect();
    let mut spread: Vec<Vec<f64>> = vec![Vec::new(); num_methods];
    let known: Vec<usize> = (0..num_methods).filter(|m| means[*m].is_some()).collect();
    let better = |value: f64| if is_lower_better == Some(true) { -value } else { value };
    // Replicates in which each method has a value.
    let mut whole: Vec<Vec<f64>> = Vec::new();
    for times in samples(num_prompts, replicates, seed) {
        let drawn: Vec<Option<f64>> = (0..num_methods).map(|m| mean(m, &times)).collect();
        for (method, mine) in drawn.iter().enumerate() {
            spread[method].extend(*mine);
        }
        whole.extend(known.iter().map(|m| drawn[*m].map(better)).collect::<Option<Vec<f64>>>());
    }
    let estimate: Vec<f64> = known.iter().filter_map(|m| means[*m].map(better)).collect();
    let has_ranks = is_lower_better.is_some() && !whole.is_empty();
    let prompts = |m: &usize| sums[m * num_prompts..][..num_prompts].iter().filter(|s| s.1 > 0.0);
    let prompts = known.iter().map(|m| prompts(m).count()).collect();
    let ranks = has_ranks.then(|| one_by_one(&Doubt::new(&estimate, &whole, num_prompts, prompts)));
    let mut lines: Vec<ScoredLine> = (0..num_methods)
        .filter_map(|method| {
            let mean = means[method]?;
            let of = std::mem::take(&mut spread[method]);
            let has = !of.is_empty();
            let num_values = numbers.iter().filter(|n| n.method == method).count();
            Some(ScoredLine {
                method,
                mean,
                interval: has
                    .then(|| widened_within(of, mean, widening(num_prompts), range))
                    .filter(|i| i.high > i.low),
                ranks: ranks
                    .as_ref()
                    .and_then(|ranks| Some(ranks[known.iter().position(|m| *m == method)?])),
                num_values,
            })
        })
        .collect();
    lines.sort_by(|a, b| {
        let order = a.mean.total_cmp(&b.mean);
        if is_lower_better == Some(true) { order } else { order.reverse() }
    });
    lines
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
        assert!(found.low > 0.0 && found.low < 0.5 && found.high == 1.0, "{found:?}");
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
        assert_eq!((lines[0].ranks, lines[1].ranks), (Some((1, 1)), Some((2, 2))));
        assert_eq!(scored(&numbers, Some(false), FREE, 0, 1)[0].method, 1);
        assert_eq!(scored(&numbers[..6], Some(true), FREE, 100, 1)[0].interval, None);
        assert_eq!(scored(&numbers, None, FREE, 100, 1)[0].ranks, None);
    }
}
