//! Which orders of two methods are settled, however often one looked: an e-process whose
//! observations are prompts.
//!
//! **The claim.** `s_i` is method i's mean share of wins against all others over the prompts that
//! the benchmark's prompts are a sample of, a tie being half: with all pairs asked, the order of
//! the ratings. "i is above j" says `s_i > s_j`; its null hypothesis is `s_i ≤ s_j`.
//!
//! **The observation** of one prompt is `d = (2 x_ij − 1 + Σ_k (x_ik − x_jk)) / (K − 1)`, with
//! `x_ij` the score of i against j there. A mean of K − 1 terms within [−1, 1], so `|d| ≤ 1`
//! without clipping, and `E d = s_i − s_j` whatever the distribution of prompts, the ties, or
//! circles among the methods: it is linear in the scores, and nothing is doubled or cut off. To
//! spare questions, opponents against which i or j is settled are sampled: [`FAR_ASKED`] of them,
//! drawn anew on each prompt, count for all (stratified sampling: Cochran 1977). `E d` and its
//! bounds stay the same, because which opponents these are is known before the prompt and the draw
//! is blind to the answers.
//!
//! **Why false claims are rare.** Let `s_i ≤ s_j`, prompts in random order, `F` everything seen
//! before. Each stake `l` in [0, 1) is known before the prompt, so `1 + l d > 0` and
//! `E[1 + l d | F] = 1 + l (s_i − s_j) ≤ 1`: each product, and each mean of products, is a
//! non-negative supermartingale that begins at 1 (betting on a bounded mean: Waudby-Smith & Ramdas
//! 2024, prop. 2). By Ville's inequality (1939) `P(sup E ≥ x) ≤ 1/x`, at all looks together.
//! `1 / sup E` is thus a p-value at any time, and Holm's rule (1979) over all `K (K − 1)` orders
//! keeps the chance of any false claim at [`FALSE_CLAIMS`], however the pairs depend on each other:
//! before the first false claim, r claims are true, so at most `K (K − 1) − r` null hypotheses are,
//! and each passes `(K (K − 1) − r) / 0.05` with a chance of at most `0.05 / (K (K − 1) − r)`. What
//! follows from claims (`s` is a list of numbers) is true where they are.
//!
//! **What that asks of the caller.** Prompts come in an order that was drawn before their answers
//! were seen. A pair is observed only where everything was asked that [`Settled::duels`] names for
//! the prompt: a pair left out because of earlier results would change `E d`.
//!
//! **An answer that is missing** (an asset, a refusal) counts against every claim: a bet takes the
//! least d that the answer could have given. That is at most the d of the whole answers, so
//! `E[1 + l d | F] ≤ 1` as before, whatever the reason is; and all claims are about the same `s`,
//! over the same prompts, so that what follows from them is true where they are.

use super::ranks::ranks;
use std::collections::BTreeSet;

/// Probability that any claim of a run is false.
pub const FALSE_CLAIMS: f64 = 0.05;
/// Fixed stakes, in addition to one that follows the past.
const STAKES: [f64; 3] = [0.15, 0.45, 0.95];
/// Least and most that the adaptive stake is.
const STAKE_RANGE: (f64, f64) = (0.02, 0.96);

/// Of the opponents against which a method of a pair is settled, so many are asked on a prompt.
/// With 2, as many pairs are settled as with all: docs/runs/rating/2026-11-25-claims.md.
const FAR_ASKED: usize = 2;

/// Two methods; `a` < `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Duel {
    pub a: usize,
    pub b: usize,
}

/// What has to be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The order of every two methods.
    Order,
    /// Which method is first.
    First,
}

/// What one prompt said of two methods.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    pub duel: Duel,
    /// Share of the games on this prompt that `a` won, a tie being half: 0 to 1. The least and the
    /// most that it can be where some are missing.
    pub score: (f64, f64),
}

/// The state of a pair that is not settled.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Open {
    pub duel: Duel,
    /// 1 / E of the better-looking order times the number of orders that are open by Holm's rule,
    /// at most 1: the order is settled where this reaches [`FALSE_CLAIMS`].
    pub p: f64,
    /// Prompts until it is settled, if it goes on as so far; none if nothing points either way.
    pub prompts_left: Option<usize>,
}

/// The state of all pairs after some prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    num_methods: usize,
    goal: Goal,
    num_prompts: usize,
    num_incomplete: usize,
    pairs: Vec<Pair>,
    /// `above[i * n + j]`: whether it is settled that `i` is above `j`.
    above: Vec<bool>,
}

#[derive(Debug, Clone, PartialEq)]
struct Pair {
    duel: Duel,
    /// Of `a` above `b`, and of the contrary.
    bets: [Bet; 2],
    prompts: usize,
}

/// `E = ½ Π(1 + f_t d_t) + ⅙ Σ_l Π(1 + l d_t)` of one order, in logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bet {
    /// The adaptive product, then one for each of [`STAKES`].
    logs: [f64; 4],
    sum: f64,
    squares: f64,
    /// ln of the largest E so far: what Ville's inequality speaks of.
    most: f64,
}

impl Default for Bet {
    fn default() -> Self {
        Self { logs: [0.0; 4], sum: 0.0, squares: 0.0, most: 0.0 }
    }
}

impl Bet {
    fn stake(&self) -> f64 {
        ((0.15 + self.sum) / (0.45 + self.squares)).clamp(STAKE_RANGE.0, STAKE_RANGE.1)
    }

    /// `d` is −1 to 1.
    fn take(&mut self, d: f64) {
        self.logs[0] += libm::log1p(self.stake() * d);
        for (log, stake) in self.logs[1..].iter_mut().zip(STAKES) {
            *log += libm::log1p(stake * d);
        }
        self.sum += d;
        self.squares += d * d;
        self.most = self.most.max(self.log_e());
    }

    fn log_e(&self) -> f64 {
        let top = self.logs.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x));
        let of = |log: f64| libm::exp(log - top);
        let rest: f64 = self.logs[1..].iter().map(|log| of(*log)).sum();
        top + libm::log(0.5 * of(self.logs[0]) + rest / 6.0)
    }

    /// Mean growth of ln E a prompt, if the next are like those before; at the best stake.
    fn growth(&self, prompts: usize) -> f64 {
        let n = prompts.max(1) as f64;
        let (mean, square) = (self.sum / n, (self.squares / n).max(1e-9));
        let stake = (mean / square).clamp(0.0, STAKE_RANGE.1);
        stake * mean - 0.5 * stake * stake * square
    }
}

impl Settled {
    pub fn new(num_methods: usize, goal: Goal) -> Self {
        let n = num_methods;
        let duels = (0..n).flat_map(|a| (a + 1..n).map(move |b| Duel { a, b }));
        let pairs = duels.map(|duel| Pair { duel, bets: Default::default(), prompts: 0 });
        Self {
            num_methods,
            goal,
            num_prompts: 0,
            num_incomplete: 0,
            pairs: pairs.collect(),
            above: vec![false; n * n],
        }
    }

    /// Takes in all that was said on one prompt, the next in a random order, and settles what can
    /// be settled. Duels outside the methods are passed over; `draw` is as for [`Settled::duels`].
    pub fn observe(&mut self, shown: &[Shown], draw: &[usize]) {
        let n = self.num_methods;
        self.num_prompts += 1;
        // Nothing is known of a pair that is not shown.
        let mut scores = vec![(0.0, 1.0); n * n];
        for Shown { duel, score: (least, most) } in shown {
            if duel.a < duel.b && duel.b < n {
                scores[duel.a * n + duel.b] = (*least, *most);
                scores[duel.b * n + duel.a] = (1.0 - most, 1.0 - least);
            }
        }
        let all = (n - 1) as f64;
        let observed = self.pairs.iter().enumerate().filter(|(_, pair)| self.is_live(pair.duel));
        let observed = observed.map(|(at, pair)| {
            let Duel { a, b } = pair.duel;
            let (near, far, num_far) = self.opponents(pair.duel, draw);
            let weigh = |of: &[usize], weight: f64, (mut least, mut most): (f64, f64)| {
                for k in of {
                    let (x, y) = (scores[a * n + k], scores[b * n + k]);
                    least += weight * (x.0 - y.1);
                    most += weight * (x.1 - y.0);
                }
                (least, most)
            };
            let own = scores[a * n + b];
            let weight = num_far as f64 / far.len().max(1) as f64;
            let near = weigh(&near, 1.0, (2.0 * own.0 - 1.0, 2.0 * own.1 - 1.0));
            let (least, most) = weigh(&far, weight, near);
            (at, least / all, most / all)
        });
        let observed = observed.collect::<Vec<_>>();
        self.num_incomplete += usize::from(observed.iter().any(|(_, x, y)| y - x > 1e-9));
        for (at, least, most) in observed {
            let pair = &mut self.pairs[at];
            pair.prompts += 1;
            pair.bets[0].take(least);
            pair.bets[1].take(-most);
        }
        self.settle();
    }

    /// What has to be asked on the next prompt: each pair that the goal still needs, and both of
    /// its methods against their opponents. `draw` lists all methods in an order that was drawn for
    /// this prompt, whatever was answered.
    pub fn duels(&self, draw: &[usize]) -> BTreeSet<Duel> {
        let mut found = BTreeSet::new();
        for duel in self.pairs.iter().map(|pair| pair.duel).filter(|duel| self.is_live(*duel)) {
            found.insert(duel);
            let (near, far, _) = self.opponents(duel, draw);
            for k in near.into_iter().chain(far) {
                found.extend([duel.a, duel.b].map(|i| Duel { a: i.min(k), b: i.max(k) }));
            }
        }
        found
    }

    /// The opponents of a pair: those against which neither of the two is settled; those of the
    /// others that are asked; how many others there are. A pair that is settled later only moves
    /// opponents to the others, so that everything needed then was asked.
    fn opponents(&self, Duel { a, b }: Duel, draw: &[usize]) -> (Vec<usize>, Vec<usize>, usize) {
        let others = draw.iter().copied().filter(|k| *k != a && *k != b);
        let (mut far, near): (Vec<usize>, Vec<usize>) =
            others.partition(|k| self.is_settled(a, *k) || self.is_settled(b, *k));
        let num_far = far.len();
        far.truncate(FAR_ASKED);
        (near, far, num_far)
    }

    /// Whether the goal needs more of a pair. Where it once does not, it never will again.
    fn is_live(&self, Duel { a, b }: Duel) -> bool {
        let is_beaten = |i: usize| (0..self.num_methods).any(|j| self.is_above(j, i));
        let is_wanted = self.goal == Goal::Order || !is_beaten(a) && !is_beaten(b);
        is_wanted && !self.is_settled(a, b)
    }

    /// Holm's rule from the largest E on; then the consequences of settled pairs.
    fn settle(&mut self) {
        let n = self.num_methods;
        loop {
            let open = self.pairs.iter().filter(|it| !self.is_settled(it.duel.a, it.duel.b));
            let bets = open.flat_map(|Pair { duel: Duel { a, b }, bets: [x, y], .. }| {
                [(x.most, *a, *b), (y.most, *b, *a)]
            });
            let best = bets.rev().max_by(|x, y| x.0.total_cmp(&y.0));
            let Some((_, i, j)) = best.filter(|(most, ..)| *most >= self.log_needed()) else {
                return;
            };
            // Who is above the one is above all that are below the other.
            let tops: Vec<usize> = (0..n).filter(|k| *k == i || self.is_above(*k, i)).collect();
            let bottoms: Vec<usize> = (0..n).filter(|k| *k == j || self.is_above(j, *k)).collect();
            for top in tops {
                bottoms.iter().for_each(|bottom| self.above[top * n + bottom] = true);
            }
        }
    }

    /// ln of the E that settles the next pair.
    fn log_needed(&self) -> f64 {
        let orders = (self.num_methods * self.num_methods.saturating_sub(1)) as f64;
        libm::log((orders - self.num_settled() as f64) / FALSE_CLAIMS)
    }

    fn is_settled(&self, i: usize, j: usize) -> bool {
        self.is_above(i, j) || self.is_above(j, i)
    }

    /// Whether it is settled that `i` is above `j`.
    pub fn is_above(&self, i: usize, j: usize) -> bool {
        self.above[i * self.num_methods + j]
    }

    /// Pairs whose order is settled.
    pub fn num_settled(&self) -> usize {
        self.above.iter().filter(|above| **above).count()
    }

    /// Prompts taken in.
    pub fn num_prompts(&self) -> usize {
        self.num_prompts
    }

    /// Those of them on which an answer is missing.
    pub fn num_incomplete(&self) -> usize {
        self.num_incomplete
    }

    /// The method that is above all others, if that is settled.
    pub fn first(&self) -> Option<usize> {
        let n = self.num_methods;
        (0..n).find(|i| (0..n).all(|j| j == *i || self.is_above(*i, j)))
    }

    /// Pairs that are not settled, with how far each has come.
    pub fn open(&self) -> Vec<Open> {
        let needed = self.log_needed();
        let open = self.pairs.iter().filter(|it| !self.is_settled(it.duel.a, it.duel.b));
        let state = |Pair { duel, bets: [x, y], prompts }: &Pair| {
            let better = if x.most >= y.most { x } else { y };
            let growth = better.growth(*prompts);
            let left = (needed - better.most).max(0.0) / growth;
            Open {
                duel: *duel,
                p: (FALSE_CLAIMS * libm::exp(needed - better.most)).min(1.0),
                prompts_left: (growth > 1e-4).then_some(left.ceil() as usize),
            }
        };
        open.map(state).collect()
    }

    /// Best and worst rank of each method by the settled pairs: right for all together.
    pub fn ranks(&self) -> Vec<(usize, usize)> {
        let n = self.num_methods;
        let orders = (0..n * n).filter(|at| self.above[*at]).map(|at| (at / n, at % n));
        ranks(n, &orders.collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published check of the formula.
    #[test]
    fn twelve_steps_by_hand() {
        let mut bet = Bet::default();
        let d = [1.0, 0.0, 1.0, -1.0, 1.0, 0.5, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0];
        let want = [
            1.425, 1.425, 2.4, 0.5581, 0.7519, 0.9074, 1.3194, 1.9942, 1.9942, 3.1247, 5.0619,
            8.451,
        ];
        for (d, want) in d.into_iter().zip(want) {
            bet.take(d);
            let e = libm::exp(bet.log_e());
            assert!((e - want).abs() < 6e-4 * want, "{e} {want}");
        }
        assert!((libm::exp(bet.most) - 8.451).abs() < 1e-2);
    }

    /// Three pairs of equals, large games: a clipped or doubled d nearly always finds an order.
    #[test]
    fn equal_methods_on_skewed_prompts_are_settled_in_five_runs_of_a_hundred_at_most() {
        // Pairs (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3): on two thirds of the prompts 0 is a
        // little better, on the rest it fails.
        let kinds = [
            [1.0, 1.0, 0.5, 0.5, 0.5, 0.5],
            [0.0, 0.0, 1.0, 0.0, 1.0, 0.5],
            [1.0, 0.5, 0.5, 1.0, 0.5, 0.5],
            [0.5, 1.0, 0.0, 0.5, 0.0, 0.5],
            [0.0, 0.0, 1.0, 0.0, 1.0, 0.5],
            [0.5, 0.5, 0.0, 1.0, 0.0, 0.5],
        ];
        let all: Vec<Duel> = (0..4).flat_map(|b| (0..b).map(move |a| Duel { a, b })).collect();
        let mut num_false = 0;
        for run in 0..40 {
            let mut random = crate::Random::new(5, run);
            let mut settled = Settled::new(4, Goal::Order);
            for _ in 0..200 {
                let mut draw = vec![0, 1, 2, 3];
                random.shuffle(&mut draw);
                let scores = &kinds[random.below(kinds.len())];
                let shown = all
                    .iter()
                    .zip(scores)
                    .map(|(duel, score)| Shown { duel: *duel, score: (*score, *score) });
                settled.observe(&shown.collect::<Vec<_>>(), &draw);
            }
            num_false += usize::from(settled.num_settled() > 0);
            assert!(settled.open().iter().all(|open| open.p > FALSE_CLAIMS));
        }
        assert!(num_false <= 4, "{num_false} of 40");
    }

    /// A prompt's questions suffice for each pair still open, whatever was settled meanwhile.
    #[test]
    fn all_that_an_observation_needs_was_asked_before() {
        let mut random = crate::Random::new(7, 7);
        let mut settled = Settled::new(6, Goal::Order);
        for _ in 0..80 {
            let mut draw: Vec<usize> = (0..6).collect();
            random.shuffle(&mut draw);
            let asked = settled.duels(&draw);
            let shown: Vec<Shown> = asked
                .iter()
                .map(|duel| {
                    let has_won = random.unit() < 0.5 + 0.1 * (duel.b - duel.a) as f64;
                    let score = f64::from(u8::from(has_won));
                    Shown { duel: *duel, score: (score, score) }
                })
                .collect();
            settled.observe(&shown, &draw);
            assert!(settled.duels(&draw).is_subset(&asked));
        }
        assert!((1..15).contains(&settled.num_settled()), "{settled:?}");
    }

    /// A judge that refuses half of what the second method wins: the rest alone would say that the
    /// first is better.
    #[test]
    fn refusals_on_one_side_settle_nothing() {
        let all: Vec<Duel> = (0..3).flat_map(|b| (0..b).map(move |a| Duel { a, b })).collect();
        let mut random = crate::Random::new(9, 9);
        let mut settled = Settled::new(3, Goal::Order);
        for _ in 0..300 {
            let mut draw = vec![0, 1, 2];
            random.shuffle(&mut draw);
            let answers = all.iter().filter_map(|duel| {
                let score = if random.unit() < 0.5 { 1.0 } else { 0.0 };
                let is_refused = score == 0.0 && random.unit() < 0.5;
                (!is_refused).then_some(Shown { duel: *duel, score: (score, score) })
            });
            settled.observe(&answers.collect::<Vec<_>>(), &draw);
        }
        assert!(settled.num_settled() == 0 && settled.num_incomplete() > 100);
    }
}
