//! Few human votes and judges' boards → anchored ratings, with intervals that cover people's.
//!
//! A judge's board is a prior for the people's board, not more votes: how far it may be trusted is
//! estimated from the votes themselves. A judge that says nothing of use, or that ranks backwards,
//! costs next to nothing. The model is in [`posterior`].

mod judge;
mod posterior;
mod votes;

pub use judge::{JudgeBoard, judge_board};

use super::bootstrap::{CLUSTERS_MIN, Interval};
use super::confusion::Estimate;
use super::elo::{ELO_ORIGIN, ELO_PER_NAT};
use super::error::RateError;
use super::inter_rater::Vote;
use super::likelihood::shares;
use super::linear::Factor;
use super::model::Draws;
use super::quantile::widening;
use super::random::Random;
use super::ranks::{Draw, all_pairs, established, of_posterior, ranks};
use posterior::{Posterior, Prior, posterior, posterior_from};
pub(super) use votes::towards_one;
use votes::{Votes, information_of_one};

/// Below this weight, people and judges part ways on a method.
const APART_WEIGHT: f64 = 0.5;
/// Maximum number of votes that is proposed for separating two methods.
const VOTES_MAX: usize = 1_000_000;
/// Draws from the posterior for ranks.
const DRAWS: usize = 1000;
/// A standard error and a half of 95 %: the factor that was measured to cover.
const HALF_WIDTHS: f64 = 2.0;

/// One method's rating by people.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AnchoredLine {
    pub method: usize,
    /// In Elo points about a mean of 1000.
    pub rating: f64,
    /// None with votes on fewer than five prompts, and for a method without votes: how far a judge
    /// is off on one that nobody checked is unknown.
    pub interval: Option<Interval>,
    /// Best and worst rank such that all methods' are right together, in 95 of 100 boards. A method
    /// without votes may be above or below each other one.
    pub ranks_all: Option<(usize, usize)>,
    /// Votes it took part in; with 0, its rating comes from the judges.
    pub votes: usize,
    /// Set where people and judges disagree: how much higher people place it, in Elo points.
    pub apart_elo: Option<f64>,
}

/// The information that one judge adds to people's votes.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct JudgeWorth {
    /// The number of people's votes with as much information as this judge adds.
    pub votes: f64,
    /// The same if its board has the error of the 9th decile and of the 1st: an 80 % range.
    pub votes_range: (f64, f64),
    /// How far a difference in its ratings is one in people's, when it alone speaks: 1 is the same
    /// scale; negative is backwards.
    pub slope: f64,
    pub slope_sd: f64,
    /// Whether it ranks backwards with 97.5 % certainty.
    pub is_backwards: bool,
    /// By how much its board is off after rescaling, in Elo points.
    pub off_elo: f64,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AnchoredBoard {
    /// Best first; equal ratings by index.
    pub lines: Vec<AnchoredLine>,
    /// Orders that are established, the better method first, sorted; none without intervals.
    pub orders: Option<Vec<(usize, usize)>>,
    /// `win_rates[i][j]`: the expected share of people who prefer `i` to `j`, by index; no interval
    /// where one has no votes.
    pub win_rates: Vec<Vec<Estimate>>,
    pub num_votes: usize,
    pub num_prompts: usize,
    /// By how much votes scatter more than single votes would (below 1: less, as ties do).
    pub design_effect: f64,
    /// By how much the judges' boards together are off after rescaling, in Elo points.
    pub off_elo: f64,
    /// The number of votes with as much information as all judges together add.
    pub worth: f64,
    /// By judge, each as if it alone spoke.
    pub judges: Vec<JudgeWorth>,
    /// Slopes where all judges speak together: what each has of the board.
    pub slopes: Vec<f64>,
    /// By what share intervals would narrow with 50 more votes on random pairs.
    pub next_50_narrow: f64,
    /// More votes on random pairs until first place is separated from every other with 97.5 %
    /// certainty, were the ratings right; none where that takes more than a million, or where a
    /// method has no votes.
    pub votes_to_first: Option<usize>,
    /// Covariance of the ratings in squared Elo points, by index.
    #[serde(skip)]
    pub covariance: Vec<f64>,
}

impl AnchoredBoard {
    /// Whether the order of these methods is established.
    pub fn is_above(&self, better: usize, worse: usize) -> bool {
        self.orders.as_ref().is_some_and(|orders| orders.binary_search(&(better, worse)).is_ok())
    }
}

/// Rates methods by people's votes, anchored in the boards of judges; without a judge, drawn
/// together by how far apart they seem to be.
///
/// # Errors
/// No votes, or one that names a method beyond `num_methods` or twice the same.
pub fn anchored(
    num_methods: usize,
    votes: &[Vote],
    judges: &[JudgeBoard],
    draws: Draws,
    seed: u64,
) -> Result<AnchoredBoard, RateError> {
    if votes.is_empty() {
        return Err(RateError::NoGames);
    }
    let is_bad = |vote: &Vote| vote.a == vote.b || vote.a.max(vote.b) >= num_methods;
    if let Some(game) = votes.iter().position(is_bad) {
        return Err(RateError::BadGame { game });
    }
    let sums = Votes::new(num_methods, votes, draws);
    let priors: Vec<Prior> = judges.iter().map(|judge| judge.prior.clone()).collect();
    // What can be asked of people is what the judges were asked, and a little of everything, so
    // that all methods are linked.
    let mut pairs: Vec<(usize, usize, f64)> =
        judges.iter().flat_map(|judge| judge.pairs.clone()).collect();
    let little = 1e-3 * pairs.iter().map(|(.., weight)| weight).sum::<f64>().max(1.0);
    pairs.extend(
        (0..num_methods).flat_map(|b| (0..b).map(move |a| (a, b, little / num_methods as f64))),
    );
    let found = posterior(&sums, &priors);
    // Each judge as if it alone spoke, and none.
    let mut others: Vec<&[Prior]> = vec![&[]];
    if priors.len() > 1 {
        others.extend(priors.chunks(1));
    }
    let others: Vec<Posterior> =
        parallel::map(&others, |judges| posterior_from(&sums, judges, &found));
    let alone = told(&pairs, &others[0]);
    let worth = |found: &Posterior| (told(&pairs, found) - alone).max(0.0);
    let worth_range = |found: &Posterior| {
        let all = told(&pairs, found) * trace_told(found);
        let at = |share| (all / quantile(&found.traces, share) - alone).max(0.0);
        (at(0.9), at(0.1))
    };
    let judges = priors
        .iter()
        .enumerate()
        .map(|(i, prior)| {
            let only = others.get(i + 1).unwrap_or(&found);
            let (slope, slope_sd) = only.slopes[0];
            // A board without differences says nothing, whatever its slope.
            let says = prior.strengths.iter().any(|r| r.abs() > 1e-9);
            JudgeWorth {
                votes: if says { worth(only) } else { 0.0 },
                votes_range: if says { worth_range(only) } else { (0.0, 0.0) },
                slope,
                slope_sd,
                is_backwards: says && slope + 1.96 * slope_sd < 0.0,
                off_elo: only.tau * ELO_PER_NAT,
            }
        })
        .collect();
    let outlook = Outlook::new(&found, &pairs, sums.num_prompts());
    let mut counts = vec![0; num_methods];
    votes.iter().for_each(|vote| [vote.a, vote.b].into_iter().for_each(|i| counts[i] += 1));
    let is_checked = !counts.contains(&0);
    let (lines, orders) = lines(&found, &counts, (sums.num_prompts(), !priors.is_empty()), seed);
    Ok(AnchoredBoard {
        next_50_narrow: outlook.narrowing(50),
        votes_to_first: outlook.votes_to_first().filter(|_| is_checked),
        worth: worth(&found),
        judges,
        slopes: found.slopes.iter().map(|(slope, _)| *slope).collect(),
        num_votes: votes.len(),
        num_prompts: sums.num_prompts(),
        design_effect: found.phi,
        off_elo: found.tau * ELO_PER_NAT,
        win_rates: win_rates(&found, &counts, sums.num_prompts()),
        lines,
        orders,
        covariance: found.covariance.iter().map(|c| c * ELO_PER_NAT * ELO_PER_NAT).collect(),
    })
}

/// How many votes would leave as small an error: `φ · tr(I₁⁺) / tr(C)`, `I₁` being the information
/// of one vote, and `tr(C)` the mean of [`Posterior::traces`].
fn told(pairs: &[(usize, usize, f64)], found: &Posterior) -> f64 {
    let k = found.theta.len();
    let mut one = information_of_one(&found.theta, found.nu, pairs);
    // Differences only: the matrix is 0 along the mean; a 1 there takes 1 off the inverse's trace.
    one.iter_mut().for_each(|x| *x += 1.0 / k as f64);
    let Some(factor) = Factor::new(k, one) else {
        return 0.0;
    };
    found.phi * (factor.inverse_diagonal().iter().sum::<f64>() - 1.0) / trace_told(found)
}

fn trace_told(found: &Posterior) -> f64 {
    found.traces.iter().map(|(weight, trace)| weight * trace).sum()
}

/// The trace of the covariance below which that share of the probability is. Traces fall with τ.
fn quantile(traces: &[(f64, f64)], share: f64) -> f64 {
    // Each represents the middle of its own part.
    let mut seen = 0.0;
    let mut before: Option<(f64, f64)> = None;
    for &(weight, trace) in traces.iter().rev() {
        let at = seen + 0.5 * weight;
        if at >= share {
            return before.map_or(trace, |(from, lower)| {
                lower + (trace - lower) * (share - from) / (at - from).max(f64::MIN_POSITIVE)
            });
        }
        seen += weight;
        before = Some((at, trace));
    }
    before.map_or(f64::NAN, |(_, trace)| trace)
}

/// What more votes on random pairs would do, by the curvature at the ratings as they are.
struct Outlook<'a> {
    found: &'a Posterior,
    /// Inverse of the covariance, and what one vote adds to it. Both have a 1 along the mean, where
    /// differences say nothing.
    precision: Vec<f64>,
    one: Vec<f64>,
    /// As intervals are widened; votes on more prompts would need less.
    wide: f64,
}

impl<'a> Outlook<'a> {
    fn new(found: &'a Posterior, pairs: &[(usize, usize, f64)], num_prompts: usize) -> Self {
        let k = found.theta.len();
        let whole: Vec<f64> = found.covariance.iter().map(|c| c + 1.0 / k as f64).collect();
        Self {
            found,
            precision: Factor::new(k, whole).map_or_else(Vec::new, |factor| factor.inverse()),
            one: information_of_one(&found.theta, found.nu, pairs),
            wide: widening(num_prompts.max(2)),
        }
    }

    fn covariance_after(&self, votes: usize) -> Option<Vec<f64>> {
        let weight = votes as f64 / self.found.phi;
        let matrix = self.precision.iter().zip(&self.one).map(|(p, one)| p + weight * one);
        let k = self.found.theta.len();
        Some(Factor::new(k, matrix.collect())?.inverse())
    }

    fn narrowing(&self, votes: usize) -> f64 {
        let k = self.found.theta.len();
        let width = |covariance: &[f64]| {
            let own = |i: usize| (covariance[i * k + i] - 1.0 / k as f64).max(0.0).sqrt();
            (0..k).map(own).sum::<f64>()
        };
        let (now, then) = (self.covariance_after(0), self.covariance_after(votes));
        now.zip(then).map_or(0.0, |(now, then)| 1.0 - width(&then) / width(&now))
    }

    fn is_first_told(&self, votes: usize) -> bool {
        let (theta, k) = (&self.found.theta, self.found.theta.len());
        let Some(c) = self.covariance_after(votes) else {
            return false;
        };
        let first = (0..k).fold(0, |best, i| if theta[i] > theta[best] { i } else { best });
        (0..k).filter(|i| *i != first).all(|i| {
            let variance = c[first * k + first] + c[i * k + i] - 2.0 * c[first * k + i];
            theta[first] - theta[i] > 1.96 * self.wide * variance.max(0.0).sqrt()
        })
    }

    fn votes_to_first(&self) -> Option<usize> {
        if self.is_first_told(0) {
            return Some(0);
        }
        let (mut low, mut high) = (0, VOTES_MAX);
        if !self.is_first_told(high) {
            return None;
        }
        while high - low > 1 + low / 50 {
            let middle = low.midpoint(high);
            if self.is_first_told(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }
}

/// With intervals like those of the ratings.
fn win_rates(found: &Posterior, counts: &[usize], num_prompts: usize) -> Vec<Vec<Estimate>> {
    let k = found.theta.len();
    let wide = HALF_WIDTHS * widening(num_prompts.max(2));
    let c = |i: usize, j: usize| found.covariance[i * k + j];
    let at = |x: f64| {
        let [win, tie, _] = shares(x, found.nu);
        win + 0.5 * tie
    };
    let of = |i: usize, j: usize| {
        let half = wide * (c(i, i) + c(j, j) - 2.0 * c(i, j)).max(0.0).sqrt();
        let x = found.theta[i] - found.theta[j];
        let has = i != j && num_prompts >= CLUSTERS_MIN && counts[i].min(counts[j]) > 0;
        let interval = has.then(|| Interval { low: at(x - half), high: at(x + half) });
        Estimate { value: at(x), interval }
    };
    (0..k).map(|i| (0..k).map(|j| of(i, j)).collect()).collect()
}

type Lines = (Vec<AnchoredLine>, Option<Vec<(usize, usize)>>);

fn lines(
    found: &Posterior,
    counts: &[usize],
    (num_prompts, has_judges): (usize, bool),
    seed: u64,
) -> Lines {
    let k = found.theta.len();
    let (theta, covariance) = centred(found, counts);
    let has_intervals = num_prompts >= CLUSTERS_MIN;
    let wide = widening(num_prompts.max(2));
    let orders = has_intervals.then(|| {
        let seen = all_pairs(k).into_iter().filter(|&(i, j)| counts[i].min(counts[j]) > 0);
        let pairs = seen.map(|pair| of_posterior(&theta, &covariance, wide, pair)).collect();
        established(pairs, &drawn(&theta, &covariance, seed))
    });
    let ranks = orders.as_ref().map(|orders| ranks(k, orders));
    let line = |i: usize| {
        let rating = ELO_ORIGIN + theta[i] * ELO_PER_NAT;
        let half = HALF_WIDTHS * wide * covariance[i * k + i].max(0.0).sqrt() * ELO_PER_NAT;
        let (own, weight) = found.apart[i];
        AnchoredLine {
            method: i,
            rating,
            interval: (has_intervals && counts[i] > 0)
                .then_some(Interval { low: rating - half, high: rating + half }),
            ranks_all: ranks.as_ref().map(|ranks| ranks[i]),
            votes: counts[i],
            apart_elo: (has_judges && weight < APART_WEIGHT).then_some(own * ELO_PER_NAT),
        }
    };
    let mut lines: Vec<AnchoredLine> = (0..k).map(line).collect();
    lines.sort_by(|x, y| y.rating.total_cmp(&x.rating).then(x.method.cmp(&y.method)));
    (lines, orders)
}

/// Ratings and their covariance about the mean of the methods with votes, so that a judge's error
/// on a method that nobody checked moves no other.
fn centred(found: &Posterior, counts: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let (theta, covariance, k) = (&found.theta, &found.covariance, found.theta.len());
    let seen: Vec<usize> = (0..k).filter(|i| counts[*i] > 0).collect();
    if seen.len() == k {
        return (theta.clone(), covariance.clone());
    }
    let mean =
        |of: &dyn Fn(usize) -> f64| seen.iter().map(|i| of(*i)).sum::<f64>() / seen.len() as f64;
    let of_row: Vec<f64> = (0..k).map(|i| mean(&|j| covariance[i * k + j])).collect();
    let (center, of_all) = (mean(&|i| theta[i]), mean(&|i| of_row[i]));
    let of = |at: usize| covariance[at] - of_row[at / k] - of_row[at % k] + of_all;
    (theta.iter().map(|t| t - center).collect(), (0..k * k).map(of).collect())
}

/// How far samples of a posterior are from its mean, as if normal, in the form of
/// [`super::ranks::signed`]; none where the covariance is none. Random numbers are given to methods
/// by falling rating, not by index, so that names change no rank.
pub(super) fn drawn(theta: &[f64], covariance: &[f64], seed: u64) -> Vec<Draw> {
    let k = theta.len();
    let mut order: Vec<usize> = (0..k).collect();
    let level = |x: f64| -(x * 1e6).round();
    let key = |i: usize| [theta[i], covariance[i * k + i]].map(level);
    order.sort_by(|x, y| key(*x).partial_cmp(&key(*y)).unwrap_or(std::cmp::Ordering::Equal));
    let place = |at: usize| order[at / k] * k + order[at % k];
    let mut covariance: Vec<f64> = (0..k * k).map(|at| covariance[place(at)]).collect();
    let trace: f64 = (0..k).map(|i| covariance[i * k + i]).sum();
    // The matrix has no width along the mean.
    (0..k).for_each(|i| covariance[i * k + i] += 1e-9 * trace);
    let Some(factor) = Factor::new(k, covariance) else {
        return Vec::new();
    };
    (0..DRAWS)
        .map(|n| {
            let mut random = Random::new(seed, n as u64);
            let z: Vec<f64> = (0..k).map(|_| random.normal()).collect();
            let mut sums = vec![0.0; k];
            factor.lower_times(&z).iter().zip(&order).for_each(|(x, i)| sums[*i] = *x);
            Draw { sums, shares: vec![0.0; k], signs: Vec::new() }
        })
        .collect()
}
