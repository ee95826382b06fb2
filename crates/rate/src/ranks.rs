//! Orders that are established all together, and the ranks that follow from them.
//!
//! Every cluster's part of a difference gets a random sign. If the two methods are equal, a
//! cluster could as well have said the contrary, so the differences with random signs are what
//! chance gives; if clusters are alike, exactly so, for any number of clusters, of ties and of
//! pairs (Fisher 1935; Canay, Romano & Shaikh 2017). `r = |Σ d_g| / √Σ d_g²`. From the pair with
//! the largest r on: it is established where the largest r among it and the pairs after it reaches
//! its own in few enough draws (step-down: Westfall & Young 1993, 2.8; Romano & Wolf 2005; ranks:
//! Mogstad, Romano, Shaikh & Wilhelm 2024).

use super::normal::Normal;
use super::quantile::{between_degrees, student_quantile};
use super::random::Random;
use super::spread::Spread;

/// Claims are right together on 95 of 100 boards. A fit is linear only about its maximum, so chance
/// may reach them in a little less.
const BY_CHANCE_MAX: f64 = 0.03;
/// A part of a difference below this share of the largest is what ties leave after a fit: none.
const PART_MIN: f64 = 0.15;
/// Draws from a posterior.
const DRAWS: usize = 1000;
/// Draws that a thread counts at once.
const DRAWS_AT_ONCE: usize = 32;
/// With more parts than this, such remains no longer matter.
const FEW_PARTS: usize = 12;

/// The difference of two methods, and how chance moves it.
pub(super) struct Pair {
    better: usize,
    worse: usize,
    /// The r that chance must not reach.
    bar: f64,
    /// 1 / √Σ d².
    scale: f64,
    /// What the shares of each method in a draw add to its difference.
    pulls: [f64; 2],
    /// Parts of the difference, where only a few clusters have one.
    few: Vec<(u32, f64)>,
}

impl Pair {
    /// Of two methods with this difference, of the first less the second.
    fn new((i, j): (usize, usize), gap: f64, square: f64, pulls: [f64; 2]) -> Self {
        let scale = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
        let bar = gap.abs() * scale * (1.0 - 1e-9);
        let [x, y] = pulls;
        match gap > 0.0 {
            true => Self { better: i, worse: j, bar, scale, pulls, few: Vec::new() },
            false => Self { better: j, worse: i, bar, scale, pulls: [-y, -x], few: Vec::new() },
        }
    }

    fn drawn(&self, Draw { sums, shares, signs }: &Draw) -> f64 {
        let (i, j, [x, y]) = (self.better, self.worse, self.pulls);
        let gap = if self.few.is_empty() {
            sums[i] - sums[j] + x * shares[i] + y * shares[j]
        } else {
            self.few.iter().map(|(part, d)| signs[*part as usize] * d).sum::<f64>()
        };
        (gap * self.scale).abs()
    }
}

/// The pairs of `which`, as their clusters say; with voters, what other voters would say too.
fn pairs(estimates: &[f64], spread: &Spread, which: &[(usize, usize)]) -> Vec<Pair> {
    let num_pairs = (estimates.len() * (estimates.len() - 1) / 2) as f64;
    let of = |&(i, j): &(usize, usize)| {
        let apart = estimates[i] - estimates[j];
        let parts = || spread.parts(i, j).map(|(moved, share)| moved + apart * share);
        let add =
            |(sum, all, most): (f64, f64, f64), d: f64| (sum + d, all + d * d, d.abs().max(most));
        let (mut gap, mut square, most) = parts().fold((0.0, 0.0, 0.0), add);
        let num_parts = spread.num_parts() as f64;
        // Parts that count, at least: the others have at most `least²` each.
        let least = PART_MIN * most;
        let kept_min = (square - num_parts * least * least) / (most * most);
        let mut few = Vec::new();
        if kept_min <= FEW_PARTS as f64 {
            few.extend((0..).zip(parts()).filter(|(_, d): &(u32, f64)| d.abs() >= least));
            if few.len() > FEW_PARTS || few.len() == spread.num_parts() {
                few = Vec::new();
            } else {
                (gap, square, _) = few.iter().map(|(_, d)| *d).fold((0.0, 0.0, 0.0), add);
            }
        }
        let pulls = spread.halves(i, j).map(|half| half * apart);
        let mut pair = Pair { few, ..Pair::new((i, j), gap, square, pulls) };
        if let Some(by_voter) = spread.of_voters(i, Some(j)) {
            // Both sources of chance at once: voters, who are few, by Student's t and Bonferroni;
            // the rest is for prompts, `r² = t² (ν + 1) / (t² + ν)`.
            let by_prompt = spread.pair(i, j);
            let share = 1.0 - 0.5 * BY_CHANCE_MAX / num_pairs;
            let t = between_degrees(by_voter.degrees, |nu| student_quantile(share, nu));
            let left = gap * gap - t * t * by_voter.error * by_voter.error;
            let t2 = (left / (by_prompt.error * by_prompt.error)).max(0.0);
            let r = (t2 * (by_prompt.degrees + 1.0) / (t2 + by_prompt.degrees)).sqrt();
            pair.bar = if by_voter.is_known() { pair.bar.min(r) } else { 0.0 };
        }
        pair
    };
    parallel::map(which, of)
}

/// A pair by a posterior, whose errors are `wide` times as large as they seem.
pub(super) fn of_posterior(strengths: &Normal, wide: f64, (i, j): (usize, usize)) -> Pair {
    let (gap, square) = strengths.difference(i, j);
    let mut pair = Pair::new((i, j), gap, square, [0.0; 2]);
    pair.bar /= wide;
    pair
}

/// All pairs of methods.
pub(super) fn all_pairs(k: usize) -> Vec<(usize, usize)> {
    (0..k).flat_map(|j| (0..j).map(move |i| (i, j))).collect()
}

/// What chance gives.
pub(super) struct Draw {
    /// By estimate: its moves, and its shares of information, each with the sign of its cluster.
    pub sums: Vec<f64>,
    pub shares: Vec<f64>,
    pub signs: Vec<f64>,
}

/// Draws of a random sign for each cluster; every choice of signs once if there are no more than
/// `replicates`.
fn signed(spread: &Spread, num: usize, replicates: usize, seed: u64) -> Vec<Draw> {
    let parts = spread.num_parts();
    // The opposite of all signs gives the same.
    let all = 1_usize.checked_shl(parts as u32 - 1).filter(|all| *all <= replicates);
    let draw = |n: usize| {
        let mut random = Random::new(seed, n as u64);
        let sign = |g: usize| match all {
            Some(_) if n >> g & 1 == 1 => -1.0,
            Some(_) => 1.0,
            None => 1.0 - 2.0 * (random.next_u64() >> 63) as f64,
        };
        let signs: Vec<f64> = (0..parts).map(sign).collect();
        let dot = |x: &[f64]| signs.iter().zip(x).map(|(sign, x)| sign * x).sum::<f64>();
        let sums = (0..num).map(|i| dot(spread.moves(i))).collect();
        let shares = (0..num).map(|i| dot(spread.shares(i))).collect();
        Draw { sums, shares, signs }
    };
    parallel::of(all.unwrap_or(replicates), draw)
}

/// Draws from a posterior, as if normal.
pub(super) fn drawn(strengths: &Normal, seed: u64) -> Vec<Draw> {
    let shares = vec![0.0; strengths.len()];
    let of = |sums| Draw { sums, shares: shares.clone(), signs: Vec::new() };
    strengths.samples(DRAWS, seed).into_iter().map(of).collect()
}

/// The pairs whose order is established, the better method first, sorted; right together on 95 of
/// 100 boards.
pub(super) fn established(mut pairs: Vec<Pair>, draws: &[Draw]) -> Vec<(usize, usize)> {
    if draws.is_empty() {
        return Vec::new();
    }
    pairs.sort_by(|x, y| x.bar.total_cmp(&y.bar));
    // By pair: the draws whose largest r, from the pair with the smallest on, reaches its bar.
    let reached = |_, draws: &[Draw]| {
        let mut counts = vec![0_u32; pairs.len()];
        for draw in draws {
            let mut most = 0.0_f64;
            for (count, pair) in counts.iter_mut().zip(&pairs) {
                most = most.max(pair.drawn(draw));
                *count += u32::from(most >= pair.bar);
            }
        }
        counts
    };
    let mut counts = vec![0_u32; pairs.len()];
    for some in parallel::map_chunks(draws, DRAWS_AT_ONCE, reached) {
        counts.iter_mut().zip(some).for_each(|(sum, some)| *sum += some);
    }
    let most = (BY_CHANCE_MAX * draws.len() as f64) as u32;
    let known = pairs.iter().zip(&counts).rev();
    let known = known.take_while(|(pair, count)| **count <= most && pair.bar > 0.0);
    let mut found: Vec<_> = known.map(|(pair, _)| (pair.better, pair.worse)).collect();
    found.sort_unstable();
    found
}

/// The established orders of all methods with these estimates, the first ones of a spread.
pub(super) fn orders(
    estimates: &[f64],
    spread: &Spread,
    replicates: usize,
    seed: u64,
) -> Vec<(usize, usize)> {
    let draws = signed(spread, estimates.len(), replicates, seed);
    established(pairs(estimates, spread, &all_pairs(estimates.len())), &draws)
}

/// Best and worst rank of each of `k` methods, by the orders that are established.
pub(super) fn ranks(k: usize, orders: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut ranks = vec![(1, k); k];
    for &(above, below) in orders {
        ranks[below].0 += 1;
        ranks[above].1 -= 1;
    }
    ranks
}

/// Best and worst rank of each method, each right by itself: only its own pairs count.
pub(super) fn one_by_one(
    estimates: &[f64],
    spread: &Spread,
    replicates: usize,
    seed: u64,
) -> Vec<(usize, usize)> {
    let k = estimates.len();
    let draws = signed(spread, k, replicates, seed);
    let of = |method: usize| {
        let own = (0..k).filter(|other| *other != method).map(|other| (method, other));
        let pairs = pairs(estimates, spread, &own.collect::<Vec<_>>());
        ranks(k, &established(pairs, &draws))[method]
    };
    parallel::of(k, of)
}
