//! The level at which a judge is right three times of four: a psychometric curve without a formula.

use crate::rate::{Estimate, Interval, Random};

/// The share that counts as found.
pub(super) const FOUND: f64 = 0.75;

/// Samples of the bootstrap.
const REPLICATES: usize = 1000;

/// Where the rising curve through (level, share) first reaches [`FOUND`], between levels by a
/// straight line from (0, 0); with a 95 % interval by a bootstrap over objects.
/// `right[object][level]`: whether the object's pair was right, none where it was not asked. None
/// if the curve stays below; an end of the interval beyond the highest level becomes that level.
pub(super) fn threshold(levels: &[f64], right: &[Vec<Option<bool>>]) -> Option<Estimate> {
    let all: Vec<usize> = (0..right.len()).collect();
    let value = reached(levels, right, &all)?;
    let highest = levels.last().copied()?;
    let mut random = Random::new(0, levels.len() as u64);
    let mut drawn: Vec<f64> = (0..REPLICATES)
        .map(|_| {
            let sample: Vec<usize> = all.iter().map(|_| random.below(all.len())).collect();
            reached(levels, right, &sample).unwrap_or(highest)
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    let at = |share: f64| drawn[((drawn.len() - 1) as f64 * share).round() as usize];
    Some(Estimate { value, interval: Some(Interval { low: at(0.025), high: at(0.975) }) })
}

fn reached(levels: &[f64], right: &[Vec<Option<bool>>], objects: &[usize]) -> Option<f64> {
    let mut blocks: Vec<(f64, f64)> = Vec::new(); // (share, weight), pooled until it rises
    let mut sizes: Vec<usize> = Vec::new();
    for (level, _) in levels.iter().enumerate() {
        let known = objects.iter().filter_map(|&o| right[o][level]);
        let (hits, all) =
            known.fold((0.0, 0.0), |(h, a), is_right| (h + f64::from(u8::from(is_right)), a + 1.0));
        if all == 0.0 {
            return None;
        }
        blocks.push((hits / all, all));
        sizes.push(1);
        // Pool adjacent violators (Ayer et al. 1955).
        while let [.., before, last] = blocks[..]
            && before.0 > last.0
        {
            let weight = before.1 + last.1;
            let share = (before.0 * before.1 + last.0 * last.1) / weight;
            let size = sizes.pop().unwrap_or(0);
            blocks.pop();
            if let (Some(block), Some(count)) = (blocks.last_mut(), sizes.last_mut()) {
                *block = (share, weight);
                *count += size;
            }
        }
    }
    let shares =
        blocks.iter().zip(&sizes).flat_map(|((share, _), size)| std::iter::repeat_n(*share, *size));
    let (mut from, mut before) = (0.0, 0.0);
    for (&level, share) in levels.iter().zip(shares) {
        if share >= FOUND {
            let t = if share > before { (FOUND - before) / (share - before) } else { 0.0 };
            return Some(from + t.clamp(0.0, 1.0) * (level - from));
        }
        (from, before) = (level, share);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(counts: &[usize], of: usize) -> Vec<Vec<Option<bool>>> {
        (0..of).map(|o| counts.iter().map(|&n| Some(o < n)).collect()).collect()
    }

    #[test]
    fn between_two_levels() {
        // 50 % at 0.2 and 100 % at 0.4: 75 % half way.
        let found = threshold(&[0.2, 0.4], &objects(&[5, 10], 10)).unwrap();
        assert!((found.value - 0.3).abs() < 1e-12);
        let interval = found.interval.unwrap();
        assert!(interval.low < 0.3 && interval.high > 0.3);
    }

    #[test]
    fn a_dip_is_pooled_and_a_blind_judge_has_none() {
        // 8 and 4 of 10 pool to 60 %, then 100 %.
        let found = threshold(&[0.2, 0.4, 0.6], &objects(&[8, 4, 10], 10)).unwrap();
        assert!((found.value - (0.4 + 0.2 * 0.375)).abs() < 1e-12);
        assert!(threshold(&[0.5, 1.0], &objects(&[5, 7], 10)).is_none());
    }
}
