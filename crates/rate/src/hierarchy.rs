//! Strengths of methods that are drawn towards what a few shared numbers lead to expect, as far as
//! the games say that they should be: the one hierarchy behind anchored ratings and categories.
//!
//! In each part of the games the strengths are `ψ = Z g + δ`: `g` are the shared numbers, with a
//! normal prior, `Z` is what each of them adds to each method, and `δ_i` is normal with the
//! variance `τ² + v_i`, or Student's t with 4 degrees of freedom and that squared scale. Over a
//! grid of τ, each t is a mixture of normals with variational weights λ_i (Bishop 2006, 10.1), each
//! fit is Newton's method with a Laplace approximation, and the grid is averaged by its evidence
//! (empirical Bayes: Morris 1983; half-Cauchy-like prior of τ: Gelman 2006), so that intervals know
//! that τ is estimated. The likelihood is divided by φ, by how much more clusters scatter than
//! single games would, estimated over all parts together. All in natural log-odds.

use super::bootstrap::{CLUSTERS_MIN, Interval};
use super::elo::{ELO_ORIGIN, ELO_PER_NAT};
use super::linear::{Factor, dot, shares_of, times, transposed};
use super::normal::Normal;
use super::parts::{Part, design_effect};
use super::quantile::widening;
use super::ranks::{all_pairs, drawn, established, of_posterior, ranks};

/// Values of τ, from wide to narrow, in Elo points.
pub(super) const TAUS_ELO: [f64; 14] =
    [600.0, 420.0, 290.0, 200.0, 140.0, 95.0, 66.0, 46.0, 32.0, 22.0, 15.0, 10.0, 6.0, 3.0];
/// Passes; each takes the design effect that the one before found.
const PASSES: usize = 3;
/// Most steps for one τ, and the change of λ that ends them.
const STEPS_MAX: usize = 60;
const LAMBDA_TOLERANCE: f64 = 1e-4;
/// The same for passes that only seek the design effect.
const LAMBDA_TOLERANCE_EARLY: f64 = 1e-3;
/// Longest step of Newton's method.
const STEP_MAX: f64 = 2.0;
/// A standard error and a half of 95 %: the factor that was measured to cover.
const HALF_WIDTHS: f64 = 2.0;

/// The games of each part, and the prior of their strengths.
pub(super) struct Hierarchy<'a> {
    pub parts: &'a [Part],
    pub num_methods: usize,
    /// Zᵀ: one row of methods for each shared number.
    pub loadings: Vec<f64>,
    /// Mean and precision of each shared number.
    pub shared: (f64, f64),
    /// v_i.
    pub variances: Vec<f64>,
    /// Whether δ is Student's t, so that single methods can be far off.
    pub has_outliers: bool,
    /// The step of Newton's method that ends it: its error is the square of it, and that of the
    /// curvature, from which probabilities of τ follow, as large.
    pub step_tolerance: f64,
    pub taus_elo: &'a [f64],
    /// The prior of ln τ is `τ^power / (1 + (τ / median)²)`.
    pub tau_prior: (f64, i32),
    /// Davidson's ν; none to estimate it from the first part.
    pub nu: Option<f64>,
}

/// The posterior of strengths.
#[derive(Debug, Clone)]
pub(super) struct Posterior {
    pub parts: Vec<Fitted>,
    pub shared: Normal,
    /// Mean of τ.
    pub tau: f64,
    /// For each τ, from wide to narrow: how likely it is, and the trace of the first part's
    /// covariance if it is that, as half fitted and half as if any method might be the outlier.
    pub traces: Vec<(f64, f64)>,
    pub phi: f64,
    pub nu: f64,
}

/// One part, by method, about the mean of all.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    pub strengths: Normal,
    /// δ.
    pub effects: Normal,
    /// λ: the weight that a method is no outlier (below 0.5 it is one).
    pub weights: Vec<f64>,
}

/// One value of τ, fitted.
struct Point {
    log_weight: f64,
    tau: f64,
    trace: f64,
    shared: Normal,
    parts: Vec<Fitted>,
}

/// Where a fit begins and ends: shared numbers, then δ and λ of each part.
#[derive(Clone)]
struct State {
    shared: Vec<f64>,
    effects: Vec<f64>,
    weights: Vec<f64>,
}

/// The surroundings of a state: its negative Hessian by blocks, inverted.
struct Curved {
    blocks: Vec<Block>,
    /// Covariance of the shared numbers.
    shared: Vec<f64>,
    log_det: f64,
}

/// One part. `A = H/φ + P` with the prior's precision `P`.
struct Block {
    /// A⁻¹.
    inverse: Vec<f64>,
    /// How strengths follow the shared numbers, `Zᵀ P A⁻¹`, and how effects make up for the rest,
    /// `Zᵀ` less that.
    follows: Vec<f64>,
    lags: Vec<f64>,
    /// Gradient of the log-likelihood by strengths.
    scores: Vec<f64>,
}

impl Hierarchy<'_> {
    /// The posterior, with the design effect estimated on the way.
    pub(super) fn posterior(&self) -> Posterior {
        let mut states = Vec::new();
        let nu = self.nu_at(&self.strengths(&self.centre())[0]);
        let mut found = self.pass((1.0, nu), &mut states, LAMBDA_TOLERANCE_EARLY);
        for left in (0..PASSES - 1).rev() {
            let strengths = found.parts.iter().map(|part| &part.strengths);
            let phi = design_effect(self.parts, strengths, found.nu, found.phi);
            let nu = self.nu_at(&found.parts[0].strengths.mean);
            let tolerance = if left == 0 { LAMBDA_TOLERANCE } else { LAMBDA_TOLERANCE_EARLY };
            found = self.pass((phi, nu), &mut states, tolerance);
        }
        found
    }

    /// The same in one pass, with the design effect and ν of another posterior from these games.
    pub(super) fn posterior_as(&self, known: &Posterior) -> Posterior {
        self.pass((known.phi, known.nu), &mut Vec::new(), LAMBDA_TOLERANCE_EARLY)
    }

    fn nu_at(&self, strengths: &[f64]) -> f64 {
        self.nu.unwrap_or_else(|| self.parts[0].nu(strengths))
    }

    fn num_shared(&self) -> usize {
        self.loadings.len() / self.num_methods
    }

    /// The prior's centre.
    fn centre(&self) -> State {
        let n = self.num_methods * self.parts.len();
        let shared = vec![self.shared.0; self.num_shared()];
        State { shared, effects: vec![0.0; n], weights: vec![1.0; n] }
    }

    /// ψ of each part.
    fn strengths(&self, at: &State) -> Vec<Vec<f64>> {
        let (k, s) = (self.num_methods, self.num_shared());
        let expected = times(&at.shared, &self.loadings, (1, s, k));
        let of = |own: &[f64]| own.iter().zip(&expected).map(|(x, y)| x + y).collect();
        at.effects.chunks_exact(k).map(of).collect()
    }

    /// One walk through the grid. Without `states`, each τ begins where the wider one ended; with
    /// them, where the last walk ended.
    fn pass(&self, scale: (f64, f64), states: &mut Vec<State>, tolerance: f64) -> Posterior {
        let is_first = states.is_empty();
        let mut state = self.centre();
        let mut points = Vec::new();
        for (i, tau) in self.taus_elo.iter().enumerate() {
            if !is_first {
                state.clone_from(&states[i]);
            }
            points.extend(self.fit(tau / ELO_PER_NAT, scale, &mut state, tolerance));
            if is_first {
                states.push(state.clone());
            } else {
                states[i].clone_from(&state);
            }
        }
        self.mixed(&points, scale)
    }

    /// The log posterior of parameters, less its constants.
    fn value(&self, at: &State, (phi, nu): (f64, f64), precision: &[f64]) -> f64 {
        let (mean, own) = self.shared;
        let parts = self.parts.iter().zip(self.strengths(at));
        let said: f64 = parts.map(|(part, strengths)| part.value(&strengths, nu)).sum();
        let pull: f64 = at.effects.iter().zip(precision).map(|(x, p)| p * x * x).sum();
        let shared: f64 = at.shared.iter().map(|x| own * (x - mean) * (x - mean)).sum();
        said / phi - 0.5 * (pull + shared)
    }

    /// None where the numbers give out. The shared numbers' precision, each part following them, is
    /// `P_g + Σ Zᵀ (P − P A⁻¹ P) Z`.
    fn curved(&self, at: &State, (phi, nu): (f64, f64), precision: &[f64]) -> Option<Curved> {
        let (k, s) = (self.num_methods, self.num_shared());
        let mut shared = vec![0.0; s * s];
        (0..s).for_each(|i| shared[i * s + i] = self.shared.1);
        let (mut blocks, mut log_det) = (Vec::new(), 0.0);
        let parts = self.parts.iter().zip(self.strengths(at)).zip(precision.chunks_exact(k));
        for ((part, strengths), precision) in parts {
            let (mut scores, mut matrix) = part.slopes(&strengths, nu);
            scores.iter_mut().chain(&mut matrix).for_each(|x| *x /= phi);
            (0..k).for_each(|i| matrix[i * k + i] += precision[i]);
            let factor = Factor::new(k, matrix)?;
            log_det += factor.log_det();
            let inverse = factor.inverse();
            let pulls = self.loadings.iter().zip(precision.iter().cycle());
            let pulls: Vec<f64> = pulls.map(|(z, p)| z * p).collect();
            let follows = times(&pulls, &inverse, (s, k, k));
            let lags: Vec<f64> = self.loadings.iter().zip(&follows).map(|(z, m)| z - m).collect();
            let more = times(&pulls, &transposed(&lags, s), (s, k, s));
            shared.iter_mut().zip(more).for_each(|(to, x)| *to += x);
            blocks.push(Block { inverse, follows, lags, scores });
        }
        let factor = Factor::new(s, shared)?;
        log_det += factor.log_det();
        Some(Curved { blocks, shared: factor.inverse(), log_det })
    }

    /// Newton's step: of the shared numbers first, with every part taken out of the equations, then
    /// of each part.
    fn step(&self, at: &State, curved: &Curved, precision: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (k, s) = (self.num_methods, self.num_shared());
        let (mean, own) = self.shared;
        let mut right: Vec<f64> = at.shared.iter().map(|x| own * (mean - x)).collect();
        let mut effects = Vec::with_capacity(at.effects.len());
        let parts = at.effects.chunks_exact(k).zip(precision.chunks_exact(k));
        for (block, (own, precision)) in curved.blocks.iter().zip(parts) {
            let pulled: Vec<f64> = own.iter().zip(precision).map(|(x, p)| p * x).collect();
            let slope: Vec<f64> = block.scores.iter().zip(&pulled).map(|(s, p)| s - p).collect();
            let rows = block.follows.chunks_exact(k).zip(block.lags.chunks_exact(k));
            for (to, (follows, lags)) in right.iter_mut().zip(rows) {
                *to += dot(follows, &block.scores) + dot(lags, &pulled);
            }
            effects.extend(times(&slope, &block.inverse, (1, k, k)));
        }
        let shared = times(&right, &curved.shared, (1, s, s));
        for (block, effects) in curved.blocks.iter().zip(effects.chunks_exact_mut(k)) {
            let lags = times(&shared, &block.lags, (1, s, k));
            effects.iter_mut().zip(lags).for_each(|(x, lag)| *x -= lag);
        }
        (shared, effects)
    }

    /// `A⁻¹ + X Σ Xᵀ`, given Xᵀ: the covariance of strengths, or of effects.
    fn covariance(&self, curved: &Curved, block: &Block, x: &[f64]) -> Vec<f64> {
        let (k, s) = (self.num_methods, self.num_shared());
        let half = times(&curved.shared, x, (s, s, k));
        let mut all = times(&transposed(x, s), &half, (k, s, k));
        all.iter_mut().zip(&block.inverse).for_each(|(to, x)| *to += x);
        all
    }

    /// Fits one τ from `at` on, which is left at its end; none where the numbers give out.
    fn fit(&self, tau: f64, scale: (f64, f64), at: &mut State, tolerance: f64) -> Option<Point> {
        let squares: Vec<f64> = self.variances.iter().map(|v| tau * tau + v).collect();
        let precision = |weights: &[f64]| -> Vec<f64> {
            weights.iter().zip(squares.iter().cycle()).map(|(l, square)| l / square).collect()
        };
        let mut p = precision(&at.weights);
        let mut value = self.value(at, scale, &p);
        let mut last = None;
        for _ in 0..STEPS_MAX {
            let curved = self.curved(at, scale, &p)?;
            let (shared, effects) = self.step(at, &curved, &p);
            let longest = shared.iter().chain(&effects).fold(0.0_f64, |m, x| m.max(x.abs()));
            let mut share = (STEP_MAX / longest.max(f64::MIN_POSITIVE)).min(1.0);
            let moved = |from: &[f64], step: &[f64], share: f64| -> Vec<f64> {
                from.iter().zip(step).map(|(x, s)| x + share * s).collect()
            };
            loop {
                let to = State {
                    shared: moved(&at.shared, &shared, share),
                    effects: moved(&at.effects, &effects, share),
                    weights: at.weights.clone(),
                };
                let reached = self.value(&to, scale, &p);
                if reached >= value || share * longest < self.step_tolerance {
                    (*at, value) = (to, reached);
                    break;
                }
                share *= 0.5;
            }
            let change = if self.has_outliers { self.weigh(at, &curved, &squares) } else { 0.0 };
            if self.has_outliers {
                p = precision(&at.weights);
                value = self.value(at, scale, &p);
            }
            last = Some(curved);
            if change < tolerance && share * longest < self.step_tolerance {
                break;
            }
        }
        Some(self.point((tau, value), scale, at, last?, &squares))
    }

    /// Sets λ by the effects and their variances; the largest change.
    fn weigh(&self, at: &mut State, curved: &Curved, squares: &[f64]) -> f64 {
        let k = self.num_methods;
        let of = |block: &Block| self.covariance(curved, block, &block.lags);
        let variances = curved.blocks.iter().flat_map(|it| of(it).into_iter().step_by(k + 1));
        let each =
            at.weights.iter_mut().zip(&at.effects).zip(variances).zip(squares.iter().cycle());
        each.fold(0.0, |most, (((weight, x), variance), square)| {
            let before = std::mem::replace(weight, 5.0 / (4.0 + (x * x + variance) / square));
            f64::max(most, (*weight - before).abs())
        })
    }

    /// The evidence by Laplace's approximation, with the prior of τ.
    fn point(
        &self,
        (tau, value): (f64, f64),
        scale: (f64, f64),
        at: &State,
        curved: Curved,
        squares: &[f64],
    ) -> Point {
        let (median, power) = self.tau_prior;
        let x = tau * ELO_PER_NAT / median;
        let logs: f64 = squares.iter().map(|x| libm::log(*x)).sum();
        let lambda = |l: &f64| 2.5 - 2.5 * libm::log(2.5 / l) - 2.0 * l;
        let outliers = at.weights.iter().filter(|_| self.has_outliers).map(lambda).sum::<f64>();
        let parts = self.fitted(at, &curved);
        let fitted = parts[0].strengths.trace();
        let any = self.any(at, scale, squares);
        Point {
            log_weight: value - 0.5 * (curved.log_det + self.parts.len() as f64 * logs)
                + outliers
                + f64::from(power) * libm::log(tau)
                - libm::log1p(x * x),
            tau,
            trace: 0.5 * (fitted + any.map_or(fitted, |parts| parts[0].strengths.trace())),
            shared: Normal { mean: at.shared.clone(), covariance: curved.shared },
            parts,
        }
    }

    /// The strengths before it is known which methods are outliers; with four degrees of freedom,
    /// Student's variance is twice its squared scale. The fitted weights take what they found for
    /// certain, so they make a weak judge seem worth twice what it is; by these a good judge seems
    /// half as informative. The reported number is between. None where none is an outlier.
    fn any(&self, at: &State, scale: (f64, f64), squares: &[f64]) -> Option<Vec<Fitted>> {
        let precision: Vec<f64> = squares.iter().map(|square| 0.5 / square).collect();
        let all = precision.repeat(self.parts.len());
        let curved = self.has_outliers.then(|| self.curved(at, scale, &all))??;
        Some(self.fitted(at, &curved))
    }

    fn fitted(&self, at: &State, curved: &Curved) -> Vec<Fitted> {
        let k = self.num_methods;
        let all: Vec<usize> = (0..k).collect();
        let parts = self.strengths(at).into_iter().zip(at.effects.chunks_exact(k));
        let blocks = curved.blocks.iter().zip(at.weights.chunks_exact(k));
        let fitted = blocks.zip(parts).map(|((block, weights), (strengths, effects))| {
            let normal = |mean: Vec<f64>, x: &[f64]| {
                Normal { mean, covariance: self.covariance(curved, block, x) }.about(&all)
            };
            Fitted {
                strengths: normal(strengths, &block.follows),
                effects: normal(effects.to_vec(), &block.lags),
                weights: weights.to_vec(),
            }
        });
        fitted.collect()
    }

    /// The average over the grid, by weight.
    fn mixed(&self, points: &[Point], (phi, nu): (f64, f64)) -> Posterior {
        let weights = shares_of(points.iter().map(|p| p.log_weight));
        let each = || weights.iter().copied().zip(points);
        let mean = |of: &dyn Fn(&Point) -> f64| each().map(|(w, point)| w * of(point)).sum();
        let part = |c: usize| Fitted {
            strengths: Normal::mixed(each().map(|(w, point)| (w, &point.parts[c].strengths))),
            effects: Normal::mixed(each().map(|(w, point)| (w, &point.parts[c].effects))),
            weights: (0..self.num_methods).map(|i| mean(&|it| it.parts[c].weights[i])).collect(),
        };
        Posterior {
            parts: (0..self.parts.len()).map(part).collect(),
            shared: Normal::mixed(each().map(|(w, point)| (w, &point.shared))),
            tau: mean(&|point| point.tau),
            traces: each().map(|(w, point)| (w, point.trace)).collect(),
            phi,
            nu,
        }
    }
}

/// What a board claims of strengths with this covariance.
pub(super) struct Claims {
    pub ratings: Vec<f64>,
    pub intervals: Vec<Option<Interval>>,
    /// None with too few prompts.
    pub orders: Option<Vec<(usize, usize)>>,
    pub ranks: Option<Vec<(usize, usize)>>,
}

/// Half of the 95 % interval of a figure with this variance; none with too few prompts.
pub(super) fn half_width(variance: f64, num_prompts: usize) -> Option<f64> {
    (num_prompts >= CLUSTERS_MIN)
        .then(|| HALF_WIDTHS * widening(num_prompts) * variance.max(0.0).sqrt())
}

/// The interval about a value in Elo points; the variance is in log-odds².
pub(super) fn about(value: f64, variance: f64, num_prompts: usize) -> Option<Interval> {
    let half = half_width(variance, num_prompts)? * ELO_PER_NAT;
    Some(Interval { low: value - half, high: value + half })
}

/// Methods that were not seen have neither intervals nor orders.
pub(super) fn claims(
    strengths: &Normal,
    is_seen: impl Fn(usize) -> bool,
    num_prompts: usize,
    seed: u64,
) -> Claims {
    let k = strengths.len();
    let ratings: Vec<f64> = strengths.mean.iter().map(|x| ELO_ORIGIN + x * ELO_PER_NAT).collect();
    let interval = |i: usize| about(ratings[i], strengths.variance(i), num_prompts);
    let orders = (num_prompts >= CLUSTERS_MIN).then(|| {
        let pairs = all_pairs(k).into_iter().filter(|(i, j)| is_seen(*i) && is_seen(*j));
        let of = |pair| of_posterior(strengths, widening(num_prompts), pair);
        established(pairs.map(of).collect(), &drawn(strengths, seed))
    });
    Claims {
        intervals: (0..k).map(|i| interval(i).filter(|_| is_seen(i))).collect(),
        ranks: orders.as_ref().map(|orders| ranks(k, orders)),
        ratings,
        orders,
    }
}
