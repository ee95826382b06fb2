//! Which orders of two methods are settled, however often one looked: an e-process whose observations are prompts.
//!
//! Prompts are exchangeable where they are taken in random order; games are not, for all games on one prompt stand and fall together. For
//! each pair, E grows while one method keeps winning and, if it is not better, is above x at any time with probability 1/x at most (Ville
//! 1939; betting on a bounded mean: Waudby-Smith & Ramdas 2024). Claims are corrected for the number of pairs (Holm 1979), so that all of
//! them are right together in 95 of 100 runs, at every look. Which pairs are asked on the next prompt may depend on everything so far.

/// Probability that any claim of a run is false.
pub const FALSE_CLAIMS: f64 = 0.05;
/// Fixed stakes, beside one that follows the past.
const STAKES: [f64; 3] = [0.15, 0.45, 0.95];
/// Most that the adaptive stake is, and least.
const STAKE_RANGE: (f64, f64) = (0.02, 0.96);

/// Two methods; `a` < `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Duel {
    pub a: usize,
    pub b: usize,
}

/// What one prompt said of two methods.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    pub duel: Duel,
    /// Share of the games on this prompt that `a` won, a tie being half: 0 to 1.
    pub score: f64,
}

/// What is known of a pair that is not settled.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Open {
    pub duel: Duel,
    /// Probability below which its order would have to be random for what was seen: 1 / E of the better-looking order, at most 1.
    pub p: f64,
    /// More prompts until it is settled, if it goes on as so far; none where nothing points either way.
    pub prompts_left: Option<usize>,
}

/// The state of all pairs after some prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    num_methods: usize,
    num_prompts: usize,
    pairs: Vec<Pair>,
    /// `above[i * n + j]`: whether it is settled that `i` is above `j`.
    above: Vec<bool>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Pair {
    duel: Option<Duel>,
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
        Self {
            logs: [0.0; 4],
            sum: 0.0,
            squares: 0.0,
            most: 0.0,
        }
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

    /// Mean growth of ln E a prompt, were the next prompts like those before; at the best of all stakes.
    fn growth(&self, prompts: usize) -> f64 {
        let n = prompts.max(1) as f64;
        let (mean, square) = (self.sum / n, (self.squares / n).max(1e-9));
        let stake = (mean / square).clamp(0.0, STAKE_RANGE.1);
        stake * mean - 0.5 * stake * stake * square
    }
}

impl Settled {
    pub fn new(num_methods: usize) -> Self {
        let n = num_methods;
        let pairs = (0..n * n).map(|i| Pair {
            duel: (i / n < i % n).then_some(Duel { a: i / n, b: i % n }),
            ..Pair::default()
        });
        Self {
            num_methods,
            num_prompts: 0,
            pairs: pairs.collect(),
            above: vec![false; n * n],
        }
    }

    /// Takes in all that was said on one prompt, the next in a random order, and settles what can be settled. Duels outside the methods
    /// and settled ones are passed over.
    pub fn observe(&mut self, shown: &[Shown]) {
        let n = self.num_methods;
        self.num_prompts += 1;
        let mut scores: Vec<Option<f64>> = vec![None; n * n];
        for Shown { duel, score } in shown {
            if duel.a < duel.b && duel.b < n {
                scores[duel.a * n + duel.b] = Some(*score);
                scores[duel.b * n + duel.a] = Some(1.0 - *score);
            }
        }
        for at in 0..self.pairs.len() {
            let Some(Duel { a, b }) = self.pairs[at].duel else {
                continue;
            };
            let Some(own) = scores[a * n + b] else {
                continue;
            };
            if self.is_settled(a, b) {
                continue;
            }
            // The difference of their win shares against everyone whom both met here, each other included.
            let (mut sum, mut others) = (2.0 * own - 1.0, 0.0);
            for k in (0..n).filter(|k| *k != a && *k != b) {
                if let (Some(x), Some(y)) = (scores[a * n + k], scores[b * n + k]) {
                    sum += x - y;
                    others += 1.0;
                }
            }
            let mut d = sum / (1.0 + others);
            // Differences of many games are small; no prompt counts for more than half of its range.
            if others >= 2.0 {
                d = (2.0 * d).clamp(-1.0, 1.0);
            }
            let pair = &mut self.pairs[at];
            pair.prompts += 1;
            pair.bets[0].take(d);
            pair.bets[1].take(-d);
        }
        self.settle();
    }

    /// Holm's rule from the largest E on; then what follows from what is settled.
    fn settle(&mut self) {
        let n = self.num_methods;
        loop {
            let mut best: Option<(f64, usize, usize)> = None;
            for pair in &self.pairs {
                let Some(Duel { a, b }) = pair.duel else {
                    continue;
                };
                if self.is_settled(a, b) {
                    continue;
                }
                for (bet, (i, j)) in pair.bets.iter().zip([(a, b), (b, a)]) {
                    if best.is_none_or(|(most, ..)| bet.most > most) {
                        best = Some((bet.most, i, j));
                    }
                }
            }
            let Some((most, i, j)) = best.filter(|(most, ..)| *most >= self.log_needed()) else {
                return;
            };
            debug_assert!(most > 0.0);
            self.above[i * n + j] = true;
            for middle in 0..n {
                for top in 0..n {
                    for bottom in 0..n {
                        if self.above[top * n + middle]
                            && self.above[middle * n + bottom]
                            && top != bottom
                        {
                            self.above[top * n + bottom] = true;
                        }
                    }
                }
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

    /// The method that is above all others, if that is settled.
    pub fn first(&self) -> Option<usize> {
        let n = self.num_methods;
        (0..n).find(|i| (0..n).all(|j| j == *i || self.is_above(*i, j)))
    }

    /// Pairs that are still to be asked, with how far each has come.
    pub fn open(&self) -> Vec<Open> {
        let needed = self.log_needed();
        let open = self.pairs.iter().filter_map(|pair| {
            let duel = pair.duel?;
            if self.is_settled(duel.a, duel.b) {
                return None;
            }
            let [x, y] = &pair.bets;
            let better = if x.most >= y.most { x } else { y };
            let growth = better.growth(pair.prompts);
            let left = (needed - better.most).max(0.0) / growth;
            Some(Open {
                duel,
                p: libm::exp(-better.most).min(1.0),
                prompts_left: (growth > 1e-4).then_some(left.ceil() as usize),
            })
        });
        open.collect()
    }

    /// Best and worst rank of each method by what is settled: right for all together.
    pub fn ranks(&self) -> Vec<(usize, usize)> {
        let n = self.num_methods;
        let count = |of: &dyn Fn(usize) -> bool| (0..n).filter(|j| of(*j)).count();
        (0..n)
            .map(|i| {
                let best = 1 + count(&|j| self.is_above(j, i));
                (best, n - count(&|j| self.is_above(i, j)))
            })
            .collect()
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
}
