//! How sure estimates are: what each cluster adds to each estimate, in closed form. Intervals,
//! orders, win rates and differences all come from these parts.
//!
//! With `Σ` the inverse information of a fit and `s_g` the score of cluster g at it, cluster g
//! moves the estimates by `u_g = Σ s_g`. The variance of a figure that is linear in them is the sum
//! of its squared parts, each without what its own cluster explains of itself, `1 − h_g` (clusters:
//! Liang & Zeger 1986; leverage: MacKinnon & White 1985; Cameron & Miller 2015, VI.B). `h_g` is the
//! cluster's share of the information; Student's t has `1 / Σ h_g² − 1` degrees of freedom, which
//! is one less than the clusters where all have the same share (Carter, Schnepel & Steigerwald
//! 2017).

use super::bootstrap::{CLUSTERS_MIN, Interval, sample};
use super::elo::ELO_PER_NAT;
use super::likelihood::{Likelihood, Sum, curvature, shares};
use super::linear::{Concave, add_pair, centre_matrix};
use super::model::{Fit, Model};
use super::quantile::student_975;
use super::table::{Counts, Table};

/// Clusters that are kept apart; more are pooled, which leaves them independent.
pub(super) const PARTS_MAX: usize = 1024;

/// What clusters add to estimates; to ratings in Elo points.
#[derive(Debug, Clone)]
pub(super) struct Spread {
    num_parts: usize,
    /// `moves[i * num_parts + g]`: how far g moves estimate i.
    moves: Vec<f64>,
    /// The share of the information on i that g has; 1 in all.
    shares: Vec<f64>,
    /// Information on each estimate.
    information: Vec<f64>,
}

/// Standard error of a figure, and the degrees of freedom of its Student's t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scatter {
    pub error: f64,
    pub degrees: f64,
}

impl Spread {
    /// Of `moves` and information by estimate and cluster.
    pub(super) fn new(num_parts: usize, moves: Vec<f64>, mut weights: Vec<f64>) -> Self {
        let each = weights.chunks_exact_mut(num_parts);
        let information = each.map(|shares| {
            let all = shares.iter().sum::<f64>().max(f64::MIN_POSITIVE);
            shares.iter_mut().for_each(|share| *share /= all);
            all
        });
        let information = information.collect();
        Self { num_parts, moves, shares: weights, information }
    }

    /// Of ratings, by method, then of the left/right bias if it was fitted, in Elo points. None
    /// where the information has no inverse.
    pub(super) fn of_fit(table: &Table, model: &Model, fit: &Fit) -> Option<Self> {
        let (inverse, at) = inverse_at(table, model, fit)?;
        let (n, p) = (table.num_methods, at.len());
        let num_parts = table.num_clusters.min(PARTS_MAX);
        let num_estimates = n + usize::from(fit.left_bias.is_some());
        let mut scores = vec![0.0; num_parts * p];
        let mut weights = vec![0.0; num_estimates * num_parts];
        for (i, cell) in table.cells.iter().enumerate() {
            let (left, nu) = (cell.left(), fit.tie.unwrap_or(0.0));
            let x = at[cell.a] - at[cell.b] + fit.left_bias.unwrap_or(0.0) * left;
            let expected = shares(x, nu);
            let curve = curvature(expected);
            for share in table.shares(i) {
                let part = share.cluster as usize % num_parts;
                let sum = Sum::new(&share.counts, model.draws);
                let more = sum.beyond(expected);
                let score = &mut scores[part * p..(part + 1) * p];
                score[cell.a] += more;
                score[cell.b] -= more;
                if num_estimates > n {
                    score[n] += left * more;
                    weights[n * num_parts + part] += left * left * sum.games * curve;
                }
                if fit.tie.is_some() {
                    score[p - 1] += share.counts.ties - sum.games * expected[1];
                }
                for method in [cell.a, cell.b] {
                    weights[method * num_parts + part] += sum.games * curve;
                }
            }
        }
        Some(Self::of_scores(num_parts, n, &inverse, &scores, weights))
    }

    /// `inverse` is that of the information of all parameters, `scores` are theirs by cluster; the
    /// first `n` parameters are strengths, and `weights` has the information on the first ones.
    pub(super) fn of_scores(
        num_parts: usize,
        n: usize,
        inverse: &[f64],
        scores: &[f64],
        weights: Vec<f64>,
    ) -> Self {
        let p = scores.len() / num_parts;
        let mut moves = vec![0.0; weights.len()];
        let mut moved = vec![0.0; p];
        for (part, score) in scores.chunks_exact(p).enumerate() {
            moved.fill(0.0);
            for (row, s) in inverse.chunks_exact(p).zip(score).filter(|(_, s)| **s != 0.0) {
                moved.iter_mut().zip(row).for_each(|(to, x)| *to += s * x);
            }
            // About the mean of all, as ratings are.
            let mean = moved[..n].iter().sum::<f64>() / n as f64;
            for (i, to) in moves.iter_mut().skip(part).step_by(num_parts).enumerate() {
                *to = ELO_PER_NAT * (moved[i] - if i < n { mean } else { 0.0 });
            }
        }
        Self::new(num_parts, moves, weights)
    }

    pub(super) fn num_parts(&self) -> usize {
        self.num_parts
    }

    pub(super) fn moves(&self, i: usize) -> &[f64] {
        &self.moves[i * self.num_parts..(i + 1) * self.num_parts]
    }

    pub(super) fn shares(&self, i: usize) -> &[f64] {
        &self.shares[i * self.num_parts..(i + 1) * self.num_parts]
    }

    /// Of one estimate.
    pub(super) fn one(&self, i: usize) -> Scatter {
        scatter(self.moves(i).iter().copied().zip(self.shares(i).iter().copied()))
    }

    /// Of the difference of two, to which each adds variance by its information.
    pub(super) fn pair(&self, i: usize, j: usize) -> Scatter {
        scatter(self.parts(i, j))
    }

    /// How much of the variance of a difference is due to each of the two.
    pub(super) fn halves(&self, i: usize, j: usize) -> [f64; 2] {
        let (x, y) = (self.information[j], self.information[i]);
        [x / (x + y), y / (x + y)]
    }

    /// Move and share of each cluster.
    pub(super) fn parts(&self, i: usize, j: usize) -> impl Iterator<Item = (f64, f64)> + '_ {
        let [x, y] = self.halves(i, j);
        let moves = self.moves(i).iter().zip(self.moves(j)).map(|(i, j)| i - j);
        let shares = self.shares(i).iter().zip(self.shares(j));
        moves.zip(shares.map(move |(i, j)| x * i + y * j))
    }

    /// Whether enough clusters say something of an estimate.
    pub(super) fn is_seen(&self, i: usize) -> bool {
        self.shares(i).iter().filter(|share| **share > 0.0).count() >= CLUSTERS_MIN
    }

    /// The estimates as a sample of clusters would move them.
    pub(super) fn resampled(&self, estimates: &[f64], seed: u64, replicate: usize) -> Vec<f64> {
        let times = sample(self.num_parts, seed, replicate);
        let moved = |i: usize| -> f64 {
            self.moves(i).iter().zip(&times).map(|(x, times)| x * (times - 1.0)).sum()
        };
        estimates.iter().enumerate().map(|(i, at)| at + moved(i)).collect()
    }
}

/// The inverse information of all parameters, and the parameters.
fn inverse_at(table: &Table, model: &Model, fit: &Fit) -> Option<(Vec<f64>, Vec<f64>)> {
    let sums: Vec<Sum> = table.totals.iter().map(|c| Sum::new(c, model.draws)).collect();
    let ties = table.totals.iter().map(|counts| counts.ties).sum();
    let likelihood = Likelihood::new(table, &sums, ties, model);
    let at = likelihood.parameters(fit);
    Some((likelihood.curved(&at)?.inverse(), at))
}

/// Of a figure with these moves and shares of information.
pub(super) fn scatter(parts: impl Iterator<Item = (f64, f64)>) -> Scatter {
    // `Σ ((x − h Σx) / (1 − h))²` in one pass.
    let (mut total, mut squared, mut xx, mut xh, mut hh) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (x, h) in parts {
        let own = 1.0 / (1.0 - h).max(1e-6);
        let (x_own, h_own) = (x * own, h * own);
        total += x;
        squared += h * h;
        xx += x_own * x_own;
        xh += x_own * h_own;
        hh += h_own * h_own;
    }
    let all = (xx - 2.0 * total * xh + total * total * hh).max(0.0);
    Scatter { error: (all * (1.0 - squared).max(0.0)).sqrt(), degrees: 1.0 / squared - 1.0 }
}

/// What voters add to ratings, beyond what single votes do.
pub(super) struct ByVoter {
    spread: Spread,
    /// Of ratings, if each vote were a cluster; row-major.
    by_vote: Vec<f64>,
}

/// Voters may differ by luck as little as their votes do, or less: so much is theirs at least.
const OWN_MIN: f64 = 0.25;

impl ByVoter {
    /// `table` has voters as clusters. None as of [`Spread::of_fit`].
    pub(super) fn new(table: &Table, model: &Model, fit: &Fit) -> Option<Self> {
        let spread = Spread::of_fit(table, model, fit)?;
        let each = table.cells.iter().zip(&table.totals).flat_map(|(cell, counts)| {
            let Counts { a_wins, b_wins, ties } = *counts;
            let one = |won, drawn| Counts { a_wins: won, b_wins: 1.0 - won - drawn, ties: drawn };
            [(a_wins, one(1.0, 0.0)), (b_wins, one(0.0, 0.0)), (ties, one(0.0, 1.0))]
                .map(|(weight, counts)| (*cell, weight, counts))
        });
        let n = table.num_methods;
        let (inverse, at) = inverse_at(table, model, fit)?;
        let p = at.len();
        let mut meat = vec![0.0; n * n];
        for (cell, weight, one) in each {
            let x = at[cell.a] - at[cell.b] + fit.left_bias.unwrap_or(0.0) * cell.left();
            let more = Sum::new(&one, model.draws).beyond(shares(x, fit.tie.unwrap_or(0.0)));
            add_pair(&mut meat, n, (cell.a, cell.b), weight * more * more);
        }
        let times = |x: &[f64], of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            (0..n * n).map(|at| (0..n).map(|k| x[at / n * n + k] * of(k, at % n)).sum()).collect()
        };
        let bread: Vec<f64> = (0..n * n).map(|at| inverse[at / n * p + at % n]).collect();
        let half = times(&bread, &|k, j| meat[k * n + j]);
        let mut by_vote = times(&half, &|k, j| bread[k * n + j]);
        centre_matrix(&mut by_vote, n);
        by_vote.iter_mut().for_each(|x| *x *= ELO_PER_NAT * ELO_PER_NAT);
        Some(Self { spread, by_vote })
    }

    fn own(scatter: Scatter, by_vote: f64) -> Scatter {
        let all = scatter.error * scatter.error;
        Scatter { error: (all - by_vote).max(OWN_MIN * all).sqrt(), ..scatter }
    }

    pub(super) fn one(&self, i: usize) -> Scatter {
        let n = self.by_vote.len().isqrt();
        Self::own(self.spread.one(i), self.by_vote[i * n + i])
    }

    pub(super) fn pair(&self, i: usize, j: usize) -> Scatter {
        let n = self.by_vote.len().isqrt();
        let c = |i: usize, j: usize| self.by_vote[i * n + j];
        Self::own(self.spread.pair(i, j), c(i, i) + c(j, j) - 2.0 * c(i, j))
    }
}

impl Scatter {
    pub(super) fn is_known(self) -> bool {
        self.degrees > 1.0 - 1e-6 && self.error > 0.0
    }

    /// Half of the 95 % interval; none where nothing is known of the spread.
    pub(super) fn half(self) -> Option<f64> {
        self.is_known().then(|| student_975(self.degrees) * self.error)
    }

    /// The 95 % interval about a value.
    pub(super) fn interval(self, value: f64) -> Option<Interval> {
        self.half().map(|half| Interval { low: value - half, high: value + half })
    }
}
