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

use super::bootstrap::{CLUSTERS_MIN, Interval};
use super::elo::ELO_PER_NAT;
use super::likelihood::{Likelihood, Sum, curvature};
use super::linear::{add_pair, times};
use super::model::{Fit, Model};
use super::normal::Normal;
use super::quantile::student_975;
use super::table::{Counts, Share, Table};
use crate::winner::Winner;
use std::collections::BTreeMap;

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
    /// Of people's votes.
    voters: Option<Box<Voters>>,
}

/// What voters add to ratings, beyond what single votes do.
#[derive(Debug, Clone)]
struct Voters {
    spread: Spread,
    /// Of ratings if each vote were a cluster.
    by_vote: Normal,
}

/// Voters may differ by luck as little as their votes do, or less: so much is theirs at least.
const OWN_MIN: f64 = 0.25;

/// What one cluster says in one row of a likelihood.
pub(super) struct Said {
    pub row: usize,
    pub cluster: usize,
    pub sum: Sum,
    /// Weight of draws.
    pub ties: f64,
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
        Self { num_parts, moves, shares: weights, information, voters: None }
    }

    /// Of ratings, by method, then of the left/right bias if it was fitted, in Elo points. None
    /// where the information has no inverse.
    pub(super) fn of_fit(table: &Table, model: &Model, fit: &Fit) -> Option<Self> {
        let likelihood = Likelihood::of_table(table, &table.totals, model);
        let said = (0..table.cells.len()).flat_map(|i| {
            let of = move |share: &Share| Said {
                row: i,
                cluster: share.cluster as usize,
                sum: Sum::new(&share.counts, model.draws),
                ties: share.counts.ties,
            };
            table.shares(i).iter().map(of)
        });
        Self::of(&likelihood, &likelihood.parameters(fit), table.num_clusters, said)
    }

    /// Of ratings, by method, then of each covariate; `said` is by rising row.
    pub(super) fn of(
        likelihood: &Likelihood,
        at: &[f64],
        num_clusters: usize,
        said: impl Iterator<Item = Said>,
    ) -> Option<Self> {
        let inverse = likelihood.curved(at)?.inverse();
        let (n, p) = (likelihood.num_methods, at.len());
        let num_parts = num_clusters.min(PARTS_MAX);
        let mut scores = vec![0.0; num_parts * p];
        let mut weights = vec![0.0; (n + likelihood.num_covariates) * num_parts];
        let mut said = said.peekable();
        let mut next = 0;
        likelihood.each(at, |row, z, expected| {
            let curve = curvature(expected);
            while let Some(Said { cluster, sum, ties, .. }) = said.next_if(|it| it.row == next) {
                let part = cluster % num_parts;
                let score = &mut scores[part * p..(part + 1) * p];
                let ties = ties - sum.games * expected[1];
                likelihood.add(score, row, z, sum.beyond(expected), ties);
                let w = sum.games * curve;
                weights[row.a * num_parts + part] += w;
                weights[row.b * num_parts + part] += w;
                for (k, z) in z.iter().enumerate() {
                    weights[(n + k) * num_parts + part] += w * z * z;
                }
            }
            next += 1;
        });
        let mut moves = vec![0.0; weights.len()];
        let moved = times(&scores, &inverse, (num_parts, p, p));
        for (part, moved) in moved.chunks_exact(p).enumerate() {
            // About the mean of all, as ratings are.
            let mean = moved[..n].iter().sum::<f64>() / n as f64;
            for (i, to) in moves.iter_mut().skip(part).step_by(num_parts).enumerate() {
                *to = ELO_PER_NAT * (moved[i] - if i < n { mean } else { 0.0 });
            }
        }
        Some(Self::new(num_parts, moves, weights))
    }

    /// The same for other voters too, if there are some: `voted` has the games with voters as
    /// clusters.
    pub(super) fn of_board(
        table: &Table,
        voted: Option<&Table>,
        model: &Model,
        fit: &Fit,
    ) -> Option<Self> {
        let own = Self::of_fit(table, model, fit)?;
        let Some(table) = voted else {
            return Some(own);
        };
        let spread = Self::of_fit(table, model, fit)?;
        let n = table.num_methods;
        let likelihood = Likelihood::of_table(table, &table.totals, model);
        let at = likelihood.parameters(fit);
        let inverse = likelihood.curved(&at)?.inverse();
        let p = at.len();
        let mut meat = vec![0.0; n * n];
        let mut totals = table.totals.iter();
        likelihood.each(&at, |row, _, expected| {
            let Counts { a_wins, b_wins, ties } = *totals.next().unwrap_or(&Counts::default());
            for (winner, weight) in [(Winner::A, a_wins), (Winner::B, b_wins), (Winner::Tie, ties)]
            {
                let more = Sum::new(&Counts::one(winner, 1.0), model.draws).beyond(expected);
                add_pair(&mut meat, n, (row.a, row.b), weight * more * more);
            }
        });
        let bread: Vec<f64> = (0..n * n).map(|at| inverse[at / n * p + at % n]).collect();
        let mut covariance = times(&times(&bread, &meat, (n, n, n)), &bread, (n, n, n));
        covariance.iter_mut().for_each(|x| *x *= ELO_PER_NAT * ELO_PER_NAT);
        let all: Vec<usize> = (0..n).collect();
        let by_vote = Normal { mean: fit.ratings.clone(), covariance }.about(&all);
        Some(Self { voters: Some(Box::new(Voters { spread, by_vote })), ..own })
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

    /// The part of other voters in one estimate, or in its difference from another.
    pub(super) fn of_voters(&self, i: usize, other: Option<usize>) -> Option<Scatter> {
        let Voters { spread, by_vote } = self.voters.as_deref()?;
        let scatter = spread.figure(i, other);
        let all = scatter.error * scatter.error;
        let by_vote = other.map_or(by_vote.variance(i), |j| by_vote.difference(i, j).1);
        Some(Scatter { error: (all - by_vote).max(OWN_MIN * all).sqrt(), ..scatter })
    }

    fn figure(&self, i: usize, other: Option<usize>) -> Scatter {
        other.map_or_else(|| self.one(i), |j| self.pair(i, j))
    }

    /// Half of the 95 % interval of one estimate, or of its difference from another; none where
    /// nothing is known of the spread.
    pub(super) fn half(&self, i: usize, other: Option<usize>) -> Option<f64> {
        let own = self.figure(i, other).half();
        match self.of_voters(i, other) {
            Some(voters) => Some(libm::hypot(own?, voters.half()?)),
            None => own,
        }
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

    /// The estimates as a sample of clusters would move them that has each so often.
    pub(super) fn moved(&self, estimates: &[f64], times: &[f64]) -> Vec<f64> {
        let moved = |i: usize| -> f64 {
            self.moves(i).iter().zip(times).map(|(x, times)| x * (times - 1.0)).sum()
        };
        estimates.iter().enumerate().map(|(i, at)| at + moved(i)).collect()
    }
}

/// Sum and number of the values of each cluster; sums of whole numbers are exact, in whatever order
/// they come.
pub(super) fn by_cluster(values: impl Iterator<Item = (usize, f64)>) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (cluster, value) in values {
        let (sum, count) = sums.entry(cluster).or_default();
        *sum += value;
        *count += 1.0;
    }
    sums.into_values().collect()
}

/// The mean over clusters, `Σ sum / Σ count` of (sum, count), and the move and share of each
/// (linearised: Cochran 1977, 6.3); none where nothing is counted.
pub(super) fn mean_of(clusters: &[(f64, f64)]) -> Option<(f64, Vec<(f64, f64)>)> {
    let (sum, all) = clusters.iter().fold((0.0, 0.0), |(s, n), (sum, count)| (s + sum, n + count));
    let mean = sum / all;
    let part = |(sum, count): &(f64, f64)| ((sum - mean * count) / all, count / all);
    (all > 0.0).then(|| (mean, clusters.iter().map(part).collect()))
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
