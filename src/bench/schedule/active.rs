//! Rounds of pairs, each chosen to narrow the intervals most.
//!
//! Let Σ be the inverse Fisher information of the ratings (with the weak prior) and `v = 1ₐ − 1_b`.
//! A unit of `a` against `b` adds `w v vᵀ` with `w = p (1 − p)`, so Σ becomes
//! `Σ − w Σv (Σv)ᵀ / (1 + w vᵀΣv)` (Sherman & Morrison 1950), and the variance of method i about
//! the mean falls by `w uᵢ² / (1 + w vᵀΣv)`, `u = Σv` less its mean. The planner takes the pair
//! with the largest fall, summed over methods with the weights of its [`Aim`] (greedy A-optimality:
//! Atkinson, Donev & Tobias 2007, 10), updates Σ, and goes on, so that a round is not one pair many
//! times. p is taken at the current ratings, drawn in for their doubt (MacKay 1992, eq. 4): two
//! methods that only look far apart are still asked.

use super::ledger::Ledger;
use super::{Field, Pair};
use crate::rate::{ELO_PER_NAT, Game, Precision, Prior, RateError, Table, precision};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The goal of an active schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, schemars(rename = "PairAim"))]
pub enum Aim {
    /// The widest interval.
    #[default]
    Widest,
    /// The mean width of all intervals.
    Mean,
    /// The order of the generators; the interval of a generator whose place is clear stays wide.
    Order,
}

/// How pairs are chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActiveSettings {
    pub aim: Aim,
    /// Stop when every method's 95 % interval is at most this far from its rating, in Elo points.
    pub target_half_width: Option<f64>,
    /// Stop after this many units.
    pub budget: Option<usize>,
    /// Breaks ties.
    pub seed: u64,
}

/// What to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Ask these; never empty.
    Ask(Vec<Pair>),
    Done(Done),
}

/// Why no more is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// Every interval is narrow enough.
    Target,
    /// The units are spent.
    Budget,
    /// Every pair was asked.
    Exhausted,
}

/// The planner. It remembers nothing between rounds: a runner that was stopped replays its rounds
/// from the games that it kept.
pub struct Active<'a> {
    field: &'a Field,
    settings: ActiveSettings,
}

/// Games of one prompt are not proof against another's: no interval counts before so many prompts.
const PROMPTS_MIN: usize = crate::rate::CLUSTERS_MIN;
/// Power of a method's variance in its weight, for [`Aim::Widest`]: minimises the 7-norm of the
/// variances, within 1.44 of the largest of 13.
const WIDEST_POWER: usize = 6;

impl<'a> Active<'a> {
    pub fn new(field: &'a Field, settings: ActiveSettings) -> Self {
        Self { field, settings }
    }

    /// The next round, at most `len` pairs, never a pair with a game or in `closed` (asked without
    /// an answer, given up, in flight). `games` are those of the criterion that drives the choice,
    /// in any order. Until all methods are linked, only pairs that link come.
    ///
    /// # Errors
    /// A game outside the field's methods, a fit that does not settle.
    pub fn next(&self, games: &[Game], closed: &[Pair], len: usize) -> Result<Next, RateError> {
        let pair = |game: &Game| Pair {
            prompt: game.prompt,
            a: game.a.min(game.b),
            b: game.a.max(game.b),
        };
        let taken: BTreeSet<Pair> = games.iter().map(pair).chain(closed.iter().copied()).collect();
        let mut ledger = Ledger::new(self.field, &taken, self.settings.seed);
        let now = self.precision(games)?;
        let target = self.settings.target_half_width;
        let can_link = ledger.open().any(|duel| ledger.links(duel));
        if let (Some(now), Some(target)) = (&now, target)
            && !can_link
            && self.is_believed(games)
            && now.half_widths.iter().all(|width| *width <= target)
        {
            return Ok(Next::Done(Done::Target));
        }
        let budget = self.settings.budget.unwrap_or(usize::MAX);
        let len = len.max(1).min(budget.saturating_sub(taken.len()));
        if len == 0 {
            return Ok(Next::Done(Done::Budget));
        }
        let target = target.filter(|_| self.is_believed(games));
        let mut state = State::new(self.field.num_methods, now, self.settings.aim, target);
        let mut round = Vec::new();
        while round.len() < len {
            let is_linking = ledger.open().any(|duel| ledger.links(duel));
            let weights = state.weights();
            let mut best: Option<(f64, usize, Pair)> = None;
            for duel in ledger.open().filter(|d| !is_linking || ledger.links(*d)) {
                let Some(pair) = ledger.prompt(duel) else {
                    continue;
                };
                let gain = state.gain(pair, &weights);
                if best.is_none_or(|(most, ..)| gain > most) {
                    best = Some((gain, duel, pair));
                }
            }
            let Some((_, duel, pair)) = best else { break };
            ledger.take(duel, pair.prompt);
            state.ask(pair);
            round.push(pair);
        }
        if round.is_empty() {
            return Ok(Next::Done(Done::Exhausted));
        }
        Ok(Next::Ask(round))
    }

    /// By method: how far its 95 % interval reaches to each side, in Elo points, as the stop sees
    /// it. None before the first game.
    ///
    /// # Errors
    /// As [`Active::next`].
    pub fn half_widths(&self, games: &[Game]) -> Result<Option<Vec<f64>>, RateError> {
        Ok(self.precision(games)?.map(|now| now.half_widths))
    }

    fn precision(&self, games: &[Game]) -> Result<Option<Precision>, RateError> {
        if games.is_empty() {
            return Ok(None);
        }
        // Tries of one prompt are correlated.
        let of_prompt = |game: &Game| Game { prompt: game.prompt / self.field.num_seeds, ..*game };
        let mut games: Vec<Game> = games.iter().map(of_prompt).collect();
        // In one order, so that sums do not depend on when an answer arrived.
        games.sort_by_key(|g| (g.prompt, g.a, g.b, g.winner, g.side, g.weight.to_bits()));
        let table = Table::new(self.field.num_methods, &games)?;
        precision(&table, Prior::default()).map(Some)
    }

    fn is_believed(&self, games: &[Game]) -> bool {
        let seeds = self.field.num_seeds;
        let prompts: BTreeSet<usize> = games.iter().map(|game| game.prompt / seeds).collect();
        prompts.len() >= PROMPTS_MIN
    }
}

/// The weight of a reduction of variance.
enum Weights {
    /// By method, of its variance about the mean.
    Each(Vec<f64>),
    /// The matrix of a quadratic form in `u`: the variances of differences of two methods that are
    /// neither distinguished yet nor hopelessly level.
    Between(Vec<f64>),
}

/// The present information, and the information after the planned pairs are answered.
struct State {
    n: usize,
    aim: Aim,
    /// Natural log-odds.
    theta: Vec<f64>,
    covariance: Vec<f64>,
    /// By method: interval within the target already.
    is_narrow: Vec<bool>,
}

impl State {
    fn new(n: usize, now: Option<Precision>, aim: Aim, target: Option<f64>) -> Self {
        let Some(now) = now else {
            // Only the prior.
            let sd = Prior::default().sd_elo / ELO_PER_NAT;
            let mut covariance = vec![0.0; n * n];
            (0..n).for_each(|i| covariance[i * n + i] = sd * sd);
            return Self { n, aim, theta: vec![0.0; n], covariance, is_narrow: vec![false; n] };
        };
        let is_within = |width: &f64| target.is_some_and(|target| *width <= target);
        Self {
            n,
            aim,
            theta: now.ratings.iter().map(|r| r / ELO_PER_NAT).collect(),
            is_narrow: now.half_widths.iter().map(is_within).collect(),
            covariance: now.covariance,
        }
    }

    fn weights(&self) -> Weights {
        match self.aim {
            // Before the first answer all are level, and no order is in doubt more than another.
            Aim::Order if self.theta.iter().all(|t| *t == self.theta[0]) => {
                Weights::Each(vec![1.0; self.n])
            }
            Aim::Mean => Weights::Each(vec![1.0; self.n]),
            Aim::Widest => Weights::Each(self.widest()),
            Aim::Order => Weights::Between(self.between()),
        }
    }

    /// A method's variance to the sixth power, or none where its interval is within the target.
    fn widest(&self) -> Vec<f64> {
        let variances: Vec<f64> = (0..self.n).map(|i| self.about_mean(i)).collect();
        let largest = variances.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(*v));
        let weight = |(variance, is_narrow): (&f64, &bool)| {
            let share = variance / largest;
            let power = (0..WIDEST_POWER).fold(1.0, |product, _| product * share);
            if *is_narrow { 0.0 } else { power }
        };
        let weights: Vec<f64> = variances.iter().zip(&self.is_narrow).map(weight).collect();
        if weights.iter().all(|w| *w == 0.0) {
            return vec![1.0; self.n];
        }
        weights
    }

    /// With z the difference of two ratings by its standard deviation, `Φ(−|z|)` is the chance that
    /// their order is wrong. It falls with the variance s² by `|z| φ(z) / (2 s²)` for each unit of
    /// s². The matrix `L` of `Σ_{i<j} weight_ij (uᵢ − uⱼ)² = uᵀ L u`.
    fn between(&self) -> Vec<f64> {
        let n = self.n;
        let mut out = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..i {
                let variance = self.doubt(i, j);
                let gap = self.theta[i] - self.theta[j];
                let z2 = gap * gap / variance;
                let weight = z2.sqrt() * libm::exp(-0.5 * z2) / variance;
                out[i * n + i] += weight;
                out[j * n + j] += weight;
                out[i * n + j] -= weight;
                out[j * n + i] -= weight;
            }
        }
        out
    }

    /// Variance of the difference of two methods.
    fn doubt(&self, a: usize, b: usize) -> f64 {
        let at = |i: usize, j: usize| self.covariance[i * self.n + j];
        at(a, a) - 2.0 * at(a, b) + at(b, b)
    }

    fn about_mean(&self, i: usize) -> f64 {
        let n = self.n as f64;
        let row = &self.covariance[i * self.n..(i + 1) * self.n];
        let all: f64 = self.covariance.iter().sum::<f64>() / (n * n);
        row[i] - 2.0 * row.iter().sum::<f64>() / n + all
    }

    /// `(Σv, vᵀΣv, w)` of a pair.
    fn effect(&self, pair: Pair) -> (impl Iterator<Item = f64> + '_, f64, f64) {
        let n = self.n;
        let (a, b) = (pair.a, pair.b);
        let of = |i: usize| &self.covariance[i * n..(i + 1) * n];
        let doubt = self.doubt(a, b);
        let x = (self.theta[a] - self.theta[b]) / (1.0 + std::f64::consts::PI / 8.0 * doubt).sqrt();
        let p = 1.0 / (1.0 + libm::exp(-x));
        let moved = of(a).iter().zip(of(b)).map(|(x, y)| x - y);
        (moved, doubt, p * (1.0 - p))
    }

    fn gain(&self, pair: Pair, weights: &Weights) -> f64 {
        let (moved, doubt, w) = self.effect(pair);
        let moved: Vec<f64> = moved.collect();
        let mean = moved.iter().sum::<f64>() / self.n as f64;
        let fall: f64 = match weights {
            Weights::Each(weights) => (moved.iter().zip(weights))
                .map(|(u, weight)| weight * (u - mean) * (u - mean))
                .sum(),
            Weights::Between(matrix) => (matrix.chunks_exact(self.n).zip(&moved))
                .map(|(row, u)| u * row.iter().zip(&moved).map(|(l, x)| l * x).sum::<f64>())
                .sum(),
        };
        fall * w / (1.0 + w * doubt)
    }

    fn ask(&mut self, pair: Pair) {
        let (moved, doubt, w) = self.effect(pair);
        let moved: Vec<f64> = moved.collect();
        let factor = w / (1.0 + w * doubt);
        for (row, x) in self.covariance.chunks_exact_mut(self.n).zip(&moved) {
            row.iter_mut().zip(&moved).for_each(|(value, y)| *value -= factor * x * y);
        }
    }
}
