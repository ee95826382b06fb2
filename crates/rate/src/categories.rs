//! How each method does in each category of prompts: partial pooling, so that a category of five
//! prompts does not crown anybody by luck.
//!
//! In category c the strengths are `ψ_c = θ + γ_c` with `γ_ic ~ N(0, τ²)`: θ is how a method does
//! in general, γ what it does better or worse there. For each τ of a grid, θ and all ψ are found
//! together by Newton's method with Laplace's approximation; the grid is averaged by its evidence
//! with the prior `τ / (1 + (τ/100)²)` on its logarithm (empirical Bayes: Morris 1983; half-Cauchy:
//! Gelman 2006, 4.3), so the intervals know that τ is estimated. The likelihood is divided by φ, by
//! how much more prompts scatter than single games would (as in [`super::anchored`]), estimated
//! over all categories together: that is what a small category borrows.

use super::anchored::{drawn, towards_one};
use super::bootstrap::{CLUSTERS_MIN, Interval};
use super::elo::{ELO_ORIGIN, ELO_PER_NAT};
use super::game::{Game, Side, sorted};
use super::likelihood::{Sum, curvature, shares};
use super::linear::{Factor, add_pair, centre, centre_matrix, shares_of};
use super::model::{Draws, Prior};
use super::quantile::widening;
use super::ranks::{all_pairs, established, of_posterior, ranks};
use super::table::Counts;
use std::collections::BTreeMap;

/// Values of τ, from wide to narrow, in Elo points.
const TAUS_ELO: [f64; 13] =
    [420.0, 290.0, 200.0, 140.0, 95.0, 66.0, 46.0, 32.0, 22.0, 15.0, 10.0, 6.0, 3.0];
/// The median of the prior of τ.
const TAU_ELO: f64 = 100.0;
/// Passes; each takes the design effect that the one before found.
const PASSES: usize = 3;
const STEPS_MAX: usize = 60;
/// Longest step, the step that ends a fit, and the shortest that is tried, in natural log-odds.
const STEP_MAX: f64 = 2.0;
const STEP_TOLERANCE: f64 = 1e-6;
/// As of anchored ratings: the factor that was measured to cover.
const HALF_WIDTHS: f64 = 2.0;

/// One method in one category.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct CategoryLine {
    pub method: usize,
    /// In Elo points about a mean of 1000 of all methods in this category.
    pub rating: f64,
    /// None with games on fewer than five prompts in all categories together.
    pub interval: Option<Interval>,
    /// Best and worst rank in this category, right for all its methods together.
    pub ranks_all: Option<(usize, usize)>,
    /// How much better or worse than in general, in Elo points.
    pub effect: f64,
    pub effect_interval: Option<Interval>,
    /// Weight of its games there; with 0, its rating is the overall one.
    pub games: f64,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ByCategory {
    /// For each category, all methods, best first.
    pub categories: Vec<Vec<CategoryLine>>,
    /// Prompts of each.
    pub num_prompts: Vec<usize>,
    /// Mean of τ: how far a method's strength in a category is typically from its strength in
    /// general, in Elo points.
    pub spread_elo: f64,
    /// φ.
    pub design_effect: f64,
}

/// Rates `num_methods` methods in each category; a prompt is in one. `nu` is Davidson's and
/// `left_bias` the bias of answers in one order, as fitted on all games. None with fewer than two
/// categories that have games.
pub fn by_category(
    num_methods: usize,
    games: &[Vec<Game>],
    draws: Draws,
    nu: Option<f64>,
    left_bias: Option<f64>,
    seed: u64,
) -> Option<ByCategory> {
    if games.iter().filter(|of| !of.is_empty()).count() < 2 || num_methods < 2 {
        return None;
    }
    let parts: Vec<Part> = games.iter().map(|of| Part::new(of, draws)).collect();
    let model = Pooled {
        num_methods,
        parts: &parts,
        nu: nu.unwrap_or(0.0),
        left_bias: left_bias.unwrap_or(0.0),
    };
    let mut phi = 1.0;
    let mut found = model.posterior(phi);
    for _ in 1..PASSES {
        phi = model.design_effect(&found, phi);
        found = model.posterior(phi);
    }
    let num_prompts: Vec<usize> = parts.iter().map(|part| part.prompts.len()).collect();
    let all_prompts = num_prompts.iter().sum::<usize>();
    let has_intervals = all_prompts >= CLUSTERS_MIN;
    let half_width = |variance: f64| {
        HALF_WIDTHS * widening(all_prompts.max(2)) * variance.max(0.0).sqrt() * ELO_PER_NAT
    };
    let about = |value: f64, half: f64| {
        has_intervals.then_some(Interval { low: value - half, high: value + half })
    };
    let category = |(c, of): (usize, &InCategory)| {
        let samples = drawn(&of.strengths, &of.covariance, seed ^ c as u64);
        let wide = widening(all_prompts.max(2));
        let pairs = all_pairs(num_methods).into_iter();
        let pairs = pairs.map(|pair| of_posterior(&of.strengths, &of.covariance, wide, pair));
        let orders =
            (has_intervals && !samples.is_empty()).then(|| established(pairs.collect(), &samples));
        let ranks = orders.map(|orders| ranks(num_methods, &orders));
        let line = |i: usize| {
            let at = i * num_methods + i;
            let rating = ELO_ORIGIN + of.strengths[i] * ELO_PER_NAT;
            let effect = of.effects[i] * ELO_PER_NAT;
            let mine = games[c].iter().filter(|g| g.a == i || g.b == i);
            CategoryLine {
                method: i,
                rating,
                interval: about(rating, half_width(of.covariance[at])),
                ranks_all: ranks.as_ref().map(|ranks| ranks[i]),
                effect,
                effect_interval: about(effect, half_width(of.effect_variances[i])),
                // The sum of nothing is −0.
                games: 0.0 + mine.map(|g| g.weight).sum::<f64>(),
            }
        };
        let mut lines: Vec<CategoryLine> = (0..num_methods).map(line).collect();
        lines.sort_by(|x, y| y.rating.total_cmp(&x.rating).then(x.method.cmp(&y.method)));
        lines
    };
    Some(ByCategory {
        categories: found.categories.iter().enumerate().map(category).collect(),
        num_prompts,
        spread_elo: found.tau * ELO_PER_NAT,
        design_effect: phi,
    })
}

/// Two methods, the smaller first, and its side.
type Pair = (usize, usize, Side);

/// The games of one category.
struct Part {
    /// Sums by pair, `a` < `b`.
    cells: BTreeMap<Pair, Sum>,
    /// The same, prompt by prompt.
    prompts: BTreeMap<usize, BTreeMap<Pair, Sum>>,
    games: f64,
}

impl Part {
    fn new(games: &[Game], draws: Draws) -> Self {
        let mut part = Self { cells: BTreeMap::new(), prompts: BTreeMap::new(), games: 0.0 };
        for game in games {
            let (a, b, side, winner) = sorted((game.a, game.b), game.side, game.winner);
            let sum = Sum::new(&Counts::one(winner, game.weight), draws);
            let here = part.prompts.entry(game.prompt).or_default();
            for to in [part.cells.entry((a, b, side)), here.entry((a, b, side))] {
                to.or_default().add(sum);
            }
            part.games += game.weight;
        }
        part
    }
}

struct Pooled<'a> {
    num_methods: usize,
    parts: &'a [Part],
    nu: f64,
    left_bias: f64,
}

/// Strengths of one category, about their mean, in natural log-odds.
struct InCategory {
    strengths: Vec<f64>,
    /// Of `strengths`, row-major.
    covariance: Vec<f64>,
    /// Less those in general.
    effects: Vec<f64>,
    effect_variances: Vec<f64>,
    /// As found, with the mean that the prior leaves: for expected scores.
    mode: Vec<f64>,
}

struct Posterior {
    categories: Vec<InCategory>,
    tau: f64,
}

/// One value of τ, fitted.
struct Point {
    log_weight: f64,
    tau: f64,
    categories: Vec<InCategory>,
}

/// θ, and ψ of each category.
struct State {
    theta: Vec<f64>,
    psi: Vec<Vec<f64>>,
}

/// The curved surroundings of a state: `A_c = H_c/φ + I/τ²`, and `S` of θ once each ψ follows it.
struct Curved {
    blocks: Vec<Factor>,
    inverses: Vec<Vec<f64>>,
    theta: Factor,
}

impl Pooled<'_> {
    /// By how much the smaller method of a pair leads, its side included.
    fn lead(&self, strengths: &[f64], &(a, b, side): &Pair) -> f64 {
        strengths[a] - strengths[b] + side.left() * self.left_bias
    }

    /// 1 / σ² of the weak prior on θ.
    fn pull() -> f64 {
        Prior::default().precision()
    }

    fn value(&self, at: &State, phi: f64, precision: f64) -> f64 {
        let squares = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let of = |(part, psi): (&Part, &Vec<f64>)| {
            let said = part
                .cells
                .iter()
                .map(|(pair, sum)| sum.log_likelihood(self.lead(psi, pair), self.nu));
            let apart: f64 = psi.iter().zip(&at.theta).map(|(p, t)| (p - t) * (p - t)).sum();
            said.sum::<f64>() / phi - 0.5 * precision * apart
        };
        let parts = self.parts.iter().zip(&at.psi).map(of).sum::<f64>();
        parts - 0.5 * Self::pull() * squares(&at.theta)
    }

    fn curved(&self, at: &State, phi: f64, precision: f64) -> Option<Curved> {
        let k = self.num_methods;
        let mut of_theta = vec![0.0; k * k];
        (0..k).for_each(|i| of_theta[i * k + i] = Self::pull());
        let (mut blocks, mut inverses) = (Vec::new(), Vec::new());
        for (part, psi) in self.parts.iter().zip(&at.psi) {
            let mut matrix = vec![0.0; k * k];
            for (pair @ &(a, b, _), sum) in &part.cells {
                let w = sum.games * curvature(shares(self.lead(psi, pair), self.nu)) / phi;
                add_pair(&mut matrix, k, (a, b), w);
            }
            (0..k).for_each(|i| matrix[i * k + i] += precision);
            let factor = Factor::new(k, matrix)?;
            let inverse = factor.inverse();
            for (to, x) in of_theta.iter_mut().zip(&inverse) {
                *to -= precision * precision * x;
            }
            (0..k).for_each(|i| of_theta[i * k + i] += precision);
            blocks.push(factor);
            inverses.push(inverse);
        }
        Some(Curved { blocks, inverses, theta: Factor::new(k, of_theta)? })
    }

    /// Newton's step: of θ first, with every ψ taken out of the equations, then of each ψ.
    fn step(&self, at: &State, curved: &Curved, phi: f64, precision: f64) -> State {
        let mut right: Vec<f64> = at.theta.iter().map(|t| -Self::pull() * t).collect();
        let mut steps = Vec::new();
        for ((part, psi), block) in self.parts.iter().zip(&at.psi).zip(&curved.blocks) {
            let mut gradient: Vec<f64> =
                psi.iter().zip(&at.theta).map(|(p, t)| precision * (t - p)).collect();
            right.iter_mut().zip(&gradient).for_each(|(to, g)| *to -= g);
            for (pair @ &(a, b, _), sum) in &part.cells {
                let more = sum.beyond(shares(self.lead(psi, pair), self.nu)) / phi;
                gradient[a] += more;
                gradient[b] -= more;
            }
            block.solve(&mut gradient);
            right.iter_mut().zip(&gradient).for_each(|(to, g)| *to += precision * g);
            steps.push(gradient);
        }
        curved.theta.solve(&mut right);
        for (step, block) in steps.iter_mut().zip(&curved.blocks) {
            let mut follows: Vec<f64> = right.iter().map(|t| precision * t).collect();
            block.solve(&mut follows);
            step.iter_mut().zip(&follows).for_each(|(to, x)| *to += x);
        }
        State { theta: right, psi: steps }
    }

    fn posterior(&self, phi: f64) -> Posterior {
        let mut at = State {
            theta: vec![0.0; self.num_methods],
            psi: vec![vec![0.0; self.num_methods]; self.parts.len()],
        };
        let taus = TAUS_ELO.iter().map(|tau| tau / ELO_PER_NAT);
        let points: Vec<Point> = taus.filter_map(|tau| self.fit(tau, phi, &mut at)).collect();
        self.mixed(points)
    }

    /// Moves `at` to the maximum for this τ; none where the numbers give out.
    fn fit(&self, tau: f64, phi: f64, at: &mut State) -> Option<Point> {
        let precision = 1.0 / (tau * tau);
        let mut value = self.value(at, phi, precision);
        for _ in 0..STEPS_MAX {
            let curved = self.curved(at, phi, precision)?;
            let step = self.step(at, &curved, phi, precision);
            let all = step.theta.iter().chain(step.psi.iter().flatten());
            let longest = all.fold(0.0_f64, |m, x| m.max(x.abs()));
            let mut share = (STEP_MAX / longest.max(f64::MIN_POSITIVE)).min(1.0);
            let moved = |from: &[f64], step: &[f64], share: f64| -> Vec<f64> {
                from.iter().zip(step).map(|(x, s)| x + share * s).collect()
            };
            loop {
                let psi = at.psi.iter().zip(&step.psi);
                let to = State {
                    theta: moved(&at.theta, &step.theta, share),
                    psi: psi.map(|(x, s)| moved(x, s, share)).collect(),
                };
                let reached = self.value(&to, phi, precision);
                if reached >= value || share * longest < STEP_TOLERANCE {
                    (*at, value) = (to, reached);
                    break;
                }
                share *= 0.5;
            }
            if share * longest < STEP_TOLERANCE {
                break;
            }
        }
        let curved = self.curved(at, phi, precision)?;
        let (k, c) = (self.num_methods as f64, self.parts.len() as f64);
        let tau_elo = tau * ELO_PER_NAT / TAU_ELO;
        let log_det: f64 = curved.blocks.iter().map(Factor::log_det).sum();
        Some(Point {
            log_weight: value - 0.5 * (log_det + curved.theta.log_det()) - k * c * libm::log(tau)
                + libm::log(tau)
                - libm::log1p(tau_elo * tau_elo),
            tau,
            categories: self.in_categories(at, &curved, precision),
        })
    }

    /// `Cov ψ = A⁻¹ + M Σ Mᵀ` with `M = A⁻¹/τ²` and `Σ = S⁻¹`; of `ψ − θ` the same with `M − I`.
    fn in_categories(&self, at: &State, curved: &Curved, precision: f64) -> Vec<InCategory> {
        let k = self.num_methods;
        let sigma = curved.theta.inverse();
        let with = |inverse: &[f64], off: f64| -> Vec<f64> {
            let m = |i: usize, j: usize| {
                precision * inverse[i * k + j] - if i == j { off } else { 0.0 }
            };
            let half: Vec<f64> = (0..k * k)
                .map(|at| (0..k).map(|l| m(at / k, l) * sigma[l * k + at % k]).sum())
                .collect();
            let mut out: Vec<f64> = (0..k * k)
                .map(|at| {
                    let (i, j) = (at / k, at % k);
                    inverse[at] + (0..k).map(|l| half[i * k + l] * m(j, l)).sum::<f64>()
                })
                .collect();
            centre_matrix(&mut out, k);
            out
        };
        let of = |(psi, inverse): (&Vec<f64>, &Vec<f64>)| {
            let mut strengths = psi.clone();
            centre(&mut strengths);
            let mut effects: Vec<f64> = psi.iter().zip(&at.theta).map(|(p, t)| p - t).collect();
            centre(&mut effects);
            let of_effects = with(inverse, 1.0);
            InCategory {
                strengths,
                covariance: with(inverse, 0.0),
                effects,
                effect_variances: (0..k).map(|i| of_effects[i * k + i]).collect(),
                mode: psi.clone(),
            }
        };
        at.psi.iter().zip(&curved.inverses).map(of).collect()
    }

    /// The average over the grid, by weight.
    fn mixed(&self, points: Vec<Point>) -> Posterior {
        let k = self.num_methods;
        let weights = shares_of(points.iter().map(|p| p.log_weight));
        let mean = |of: &dyn Fn(&Point) -> f64| -> f64 {
            let each = weights.iter().zip(&points);
            each.map(|(w, point)| w * of(point)).sum()
        };
        let category = |c: usize| {
            let each = |of: &dyn Fn(&InCategory, usize) -> f64, n: usize| -> Vec<f64> {
                (0..n).map(|i| mean(&|point| of(&point.categories[c], i))).collect()
            };
            let strengths = each(&|of, i| of.strengths[i], k);
            let effects = each(&|of, i| of.effects[i], k);
            // Variance within each point, and between them.
            let covariance = each(
                &|of, at| {
                    let off = |i: usize| of.strengths[i] - strengths[i];
                    of.covariance[at] + off(at / k) * off(at % k)
                },
                k * k,
            );
            let effect_variances = each(
                &|of, i| {
                    let off = of.effects[i] - effects[i];
                    of.effect_variances[i] + off * off
                },
                k,
            );
            InCategory {
                mode: each(&|of, i| of.mode[i], k),
                strengths,
                covariance,
                effects,
                effect_variances,
            }
        };
        Posterior {
            categories: (0..self.parts.len()).map(category).collect(),
            tau: mean(&|point| point.tau),
        }
    }

    /// φ: one observation a prompt. Of anchored ratings, with each category's covariance.
    fn design_effect(&self, found: &Posterior, phi: f64) -> f64 {
        let k = self.num_methods;
        let (mut seen, mut trace, mut g, mut n) = (0.0, 0.0, 0.0, 0.0);
        for (part, of) in self.parts.iter().zip(&found.categories) {
            let expected = |pair: &Pair| shares(self.lead(&of.mode, pair), self.nu);
            for (pair @ &(a, b, _), sum) in &part.cells {
                let c = |i: usize, j: usize| of.covariance[i * k + j];
                let spread = c(a, a) + c(b, b) - 2.0 * c(a, b);
                trace += sum.games * curvature(expected(pair)) * spread;
            }
            n += part.games;
            g += part.prompts.len() as f64;
            for cells in part.prompts.values() {
                let mut scores = vec![0.0; k];
                for (pair @ &(a, b, _), sum) in cells {
                    let more = sum.beyond(expected(pair));
                    scores[a] += more;
                    scores[b] -= more;
                }
                for (i, x) in scores.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                    for (j, y) in scores.iter().enumerate() {
                        seen += x * of.covariance[i * k + j] * y;
                    }
                }
            }
        }
        if g < 2.0 || trace <= 0.0 {
            return 1.0;
        }
        let free = (n - trace / phi).max(0.2 * n);
        towards_one(seen / trace * g / (g - 1.0) * (n - 1.0) / free, g)
    }
}
