//! Few human votes and judges' boards → anchored ratings, with intervals that cover people's.
//!
//! A judge's board is a prior for the people's board, not more votes: how far it may be trusted is
//! estimated from the votes themselves. A judge that says nothing of use, or that ranks backwards,
//! costs next to nothing.
//!
//! `θ = Σ_s b_s r_s + δ` with `b_s ~ N(1/S, 0.5²)` and `δ_i` Student's t with 4 degrees of
//! freedom and squared scale `τ² + v_i`, where `v_i = Σ_s v_si / S²` is how unsure the boards are;
//! fitted by [`super::hierarchy`]. Without a judge δ is normal.

mod judge;

pub use judge::{JudgeBoard, judge_board};

use super::board::win_rates;
use super::bootstrap::Interval;
use super::confusion::Estimate;
use super::elo::{ELO_PER_NAT, level};
use super::error::RateError;
use super::game::Game;
use super::hierarchy::{Claims, Hierarchy, Posterior, TAUS_ELO, claims, half_width};
use super::inter_rater::Vote;
use super::likelihood::{curvature, shares};
use super::linear::{Factor, add_pair, of_difference};
use super::model::Draws;
use super::normal::Normal;
use super::parts::Part;
use super::quantile::widening;
use judge::Prior;

/// The median of the prior of τ in Elo points, and the power of τ in it, with judges and without.
const TAU_PRIOR: (f64, i32) = (50.0, 2);
const TAU_PRIOR_ALONE: (f64, i32) = (300.0, 1);
/// 1 / 0.5², the prior of slopes.
const SLOPE_PRECISION: f64 = 4.0;
/// Below this weight, people and judges part ways on a method.
const APART_WEIGHT: f64 = 0.5;
/// Maximum number of votes that is proposed for separating two methods.
const VOTES_MAX: usize = 1_000_000;
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
    let games: Vec<Game> = votes.iter().map(Vote::game).collect();
    let voters: Vec<usize> = votes.iter().map(|vote| vote.source).collect();
    let part = &[Part::new(num_methods, &games, &voters, draws, 0.0)?];
    let priors: Vec<&Prior> = judges.iter().map(|judge| &judge.prior).collect();
    let nu = (draws != Draws::Davidson).then_some(0.0);
    let hierarchy = |judges: &[&Prior]| hierarchy(num_methods, part, judges, nu);
    // What can be asked of people is what the judges were asked, and a little of everything, so
    // that all methods are linked.
    let mut pairs: Vec<(usize, usize, f64)> =
        judges.iter().flat_map(|judge| judge.pairs.clone()).collect();
    let little = 1e-3 * pairs.iter().map(|(.., weight)| weight).sum::<f64>().max(1.0);
    pairs.extend(
        (0..num_methods).flat_map(|b| (0..b).map(move |a| (a, b, little / num_methods as f64))),
    );
    let found = hierarchy(&priors).posterior();
    // Each judge as if it alone spoke, and none.
    let mut others: Vec<&[&Prior]> = vec![&[]];
    if priors.len() > 1 {
        others.extend(priors.chunks(1));
    }
    let others: Vec<Posterior> =
        parallel::map(&others, |judges| hierarchy(judges).posterior_as(&found));
    let alone = in_votes(&pairs, &others[0]);
    let worth = |found: &Posterior| (in_votes(&pairs, found) - alone).max(0.0);
    let worth_range = |found: &Posterior| {
        let all = in_votes(&pairs, found) * mean_trace(found);
        let at = |share| (all / quantile(&found.traces, share) - alone).max(0.0);
        (at(0.9), at(0.1))
    };
    let judges = priors
        .iter()
        .enumerate()
        .map(|(i, prior)| {
            let only = others.get(i + 1).unwrap_or(&found);
            let (slope, slope_sd) = (only.shared.mean[0], only.shared.variance(0).sqrt());
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
    let num_prompts = part[0].num_prompts();
    let (next_50_narrow, votes_to_first) = outlook(&found, &pairs, num_prompts);
    let mut counts = vec![0; num_methods];
    votes.iter().for_each(|vote| [vote.a, vote.b].into_iter().for_each(|i| counts[i] += 1));
    let strengths = &found.parts[0].strengths;
    // About the mean of the methods with votes, so that a judge's error on a method that nobody
    // checked moves no other.
    let seen: Vec<usize> = (0..num_methods).filter(|i| counts[*i] > 0).collect();
    let claims = claims(&strengths.clone().about(&seen), |i| counts[i] > 0, num_prompts, seed);
    Ok(AnchoredBoard {
        next_50_narrow,
        votes_to_first: votes_to_first.filter(|_| seen.len() == num_methods),
        worth: worth(&found),
        judges,
        slopes: found.shared.mean.clone(),
        num_votes: votes.len(),
        num_prompts,
        design_effect: found.phi,
        off_elo: found.tau * ELO_PER_NAT,
        win_rates: rates(&found, &counts, num_prompts),
        lines: lines(&found, &claims, &counts, !priors.is_empty()),
        orders: claims.orders,
        covariance: strengths.covariance.iter().map(|c| c * ELO_PER_NAT * ELO_PER_NAT).collect(),
    })
}

/// One part, whose strengths follow the boards of these judges.
fn hierarchy<'a>(
    num_methods: usize,
    parts: &'a [Part],
    judges: &[&Prior],
    nu: Option<f64>,
) -> Hierarchy<'a> {
    let has_judges = !judges.is_empty();
    let s = judges.len().max(1) as f64;
    let unsure = |i| judges.iter().map(|judge| judge.variances[i]).sum::<f64>() / (s * s);
    Hierarchy {
        parts,
        num_methods,
        loadings: judges.iter().flat_map(|judge| judge.strengths.iter().copied()).collect(),
        shared: (1.0 / s, SLOPE_PRECISION),
        variances: (0..num_methods).map(unsure).collect(),
        has_outliers: has_judges,
        step_tolerance: 1e-5,
        taus_elo: &TAUS_ELO,
        tau_prior: if has_judges { TAU_PRIOR } else { TAU_PRIOR_ALONE },
        nu,
    }
}

/// How many votes would leave as small an error: `φ · tr(I₁⁺) / tr(C)`, `I₁` being the information
/// of one vote, and `tr(C)` the mean of [`Posterior::traces`].
fn in_votes(pairs: &[(usize, usize, f64)], found: &Posterior) -> f64 {
    let mut one = information_of_one(found, pairs);
    let k = found.parts[0].strengths.len();
    // Differences only: the matrix is 0 along the mean; a 1 there takes 1 off the inverse's trace.
    one.iter_mut().for_each(|x| *x += 1.0 / k as f64);
    let Some(factor) = Factor::new(k, one) else {
        return 0.0;
    };
    found.phi * (factor.inverse().iter().step_by(k + 1).sum::<f64>() - 1.0) / mean_trace(found)
}

fn mean_trace(found: &Posterior) -> f64 {
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

/// By what share 50 more votes on random pairs would narrow intervals, and the votes until first
/// place is separated; by the curvature at the ratings as they are. Intervals are widened as now;
/// votes on more prompts would need less.
fn outlook(
    found: &Posterior,
    pairs: &[(usize, usize, f64)],
    num_prompts: usize,
) -> (f64, Option<usize>) {
    let Normal { mean: theta, covariance } = &found.parts[0].strengths;
    let k = theta.len();
    // Inverse of the covariance, with a 1 along the mean, where differences say nothing; what one
    // vote adds to it has none there.
    let whole: Vec<f64> = covariance.iter().map(|c| c + 1.0 / k as f64).collect();
    let Some(factor) = Factor::new(k, whole) else {
        return (0.0, None);
    };
    let precision = factor.inverse();
    let one = information_of_one(found, pairs);
    let after = |votes: usize| {
        let weight = votes as f64 / found.phi;
        let matrix = precision.iter().zip(&one).map(|(p, one)| p + weight * one).collect();
        Some(Factor::new(k, matrix)?.inverse())
    };
    let width = |votes: usize| -> Option<f64> {
        let own = after(votes)?.into_iter().step_by(k + 1);
        Some(own.map(|own| (own - 1.0 / k as f64).max(0.0).sqrt()).sum())
    };
    let narrowed = width(0).zip(width(50)).map_or(0.0, |(now, then)| 1.0 - then / now);
    let first = (0..k).fold(0, |best, i| if theta[i] > theta[best] { i } else { best });
    let bar = 1.96 * widening(num_prompts.max(2));
    let is_separated = |votes: usize| {
        after(votes).is_some_and(|c| {
            let error = |i: usize| of_difference(&c, k, (first, i)).max(0.0).sqrt();
            (0..k).filter(|i| *i != first).all(|i| theta[first] - theta[i] > bar * error(i))
        })
    };
    let (mut low, mut high) = (0, VOTES_MAX);
    if is_separated(0) {
        return (narrowed, Some(0));
    } else if !is_separated(high) {
        return (narrowed, None);
    }
    while high - low > 1 + low / 50 {
        let middle = low.midpoint(high);
        *if is_separated(middle) { &mut high } else { &mut low } = middle;
    }
    (narrowed, Some(high))
}

/// Information of one vote, averaged over pairs `(a, b, weight)`.
fn information_of_one(found: &Posterior, pairs: &[(usize, usize, f64)]) -> Vec<f64> {
    let theta = &found.parts[0].strengths.mean;
    let k = theta.len();
    let all: f64 = pairs.iter().map(|(.., weight)| weight).sum();
    let mut out = vec![0.0; k * k];
    for &(a, b, weight) in pairs {
        let w = curvature(shares(theta[a] - theta[b], found.nu)) * weight / all;
        add_pair(&mut out, k, (a, b), w);
    }
    out
}

/// With intervals like those of the ratings.
fn rates(found: &Posterior, counts: &[usize], num_prompts: usize) -> Vec<Vec<Estimate>> {
    win_rates(counts.len(), found.nu, |i, j| {
        let (x, variance) = found.parts[0].strengths.difference(i, j);
        let is_known = i != j && counts[i].min(counts[j]) > 0;
        let half = half_width(variance, num_prompts).filter(|_| is_known);
        (x, half.map(|half| Interval { low: x - half, high: x + half }))
    })
}

fn lines(
    found: &Posterior,
    claims: &Claims,
    counts: &[usize],
    has_judges: bool,
) -> Vec<AnchoredLine> {
    let it = &found.parts[0];
    let line = |i: usize| AnchoredLine {
        method: i,
        rating: claims.ratings[i],
        interval: claims.intervals[i],
        ranks_all: claims.ranks.as_ref().map(|ranks| ranks[i]),
        votes: counts[i],
        apart_elo: (has_judges && it.weights[i] < APART_WEIGHT)
            .then_some(it.effects.mean[i] * ELO_PER_NAT),
    };
    let mut lines: Vec<AnchoredLine> = (0..counts.len()).map(line).collect();
    lines.sort_by(|x, y| level(y.rating).total_cmp(&level(x.rating)).then(x.method.cmp(&y.method)));
    lines
}
