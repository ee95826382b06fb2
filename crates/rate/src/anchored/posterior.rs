//! The posterior of people's strengths, given their votes and the boards of judges: a hierarchical
//! model, fitted without sampling.
//!
//! `θ = Σ_s b_s r_s + δ` with `b_s ~ N(1/S, 0.5²)` and `δ_i` Student's t with 4 degrees of freedom
//! and squared scale `τ² + v_i`, where `v_i = Σ_s v_si / S²` is how unsure the boards are. Over a
//! grid of τ, each t is a mixture of normals with variational weights λ_i (Bishop 2006, 10.1), each
//! fit is Newton's method with a Laplace approximation, and the grid is averaged by its evidence
//! (empirical Bayes: Morris 1983; half-Cauchy-like prior of τ: Gelman 2006). All in natural
//! log-odds.

use super::super::elo::ELO_PER_NAT;
use super::super::linear::{Factor, centre, centre_matrix, shares_of};
use super::votes::Votes;

/// Values of τ, from wide to narrow, in Elo points.
const TAUS_ELO: [f64; 14] =
    [600.0, 420.0, 290.0, 200.0, 140.0, 95.0, 66.0, 46.0, 32.0, 22.0, 15.0, 10.0, 6.0, 3.0];
/// The median of the prior of τ, with judges and without.
const TAU_ELO: f64 = 50.0;
const TAU_ALONE_ELO: f64 = 300.0;
/// 1 / 0.5², the prior of slopes.
const SLOPE_PRECISION: f64 = 4.0;
/// Passes; each takes the design effect that the one before found.
const PASSES: usize = 3;
/// Most updates of λ for one τ, and the change that ends them.
const UPDATES_MAX: usize = 60;
const LAMBDA_TOLERANCE: f64 = 1e-4;
/// The same for passes that only seek the design effect.
const LAMBDA_TOLERANCE_EARLY: f64 = 1e-3;
/// Longest step of Newton's method, and the step that ends it: its error is the square of it.
const STEP_MAX: f64 = 2.0;
const STEP_TOLERANCE: f64 = 1e-5;

/// The posterior of the strengths. Lists of methods and judges are by index.
#[derive(Debug, Clone)]
pub(super) struct Posterior {
    /// Mean 0.
    pub theta: Vec<f64>,
    /// Of `theta`, row-major.
    pub covariance: Vec<f64>,
    /// Mean and standard deviation of each judge's slope.
    pub slopes: Vec<(f64, f64)>,
    /// How much of its own each method has beyond the judges' boards, and the weight that this is
    /// no outlier (below 0.5 it is one).
    pub apart: Vec<(f64, f64)>,
    /// Mean of τ.
    pub tau: f64,
    /// For each τ, from wide to narrow: how likely it is, and the trace of the covariance if it is
    /// that, as half fitted and half as if any method might be the outlier.
    pub traces: Vec<(f64, f64)>,
    pub phi: f64,
    pub nu: f64,
}

/// A judge's board in natural log-odds: strengths with mean 0, and their variances.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prior {
    pub strengths: Vec<f64>,
    pub variances: Vec<f64>,
}

struct Model<'a> {
    votes: &'a Votes,
    judges: &'a [Prior],
    /// v_i.
    variances: Vec<f64>,
}

/// One value of τ, fitted.
struct Point {
    log_weight: f64,
    theta: Vec<f64>,
    covariance: Vec<f64>,
    slopes: Vec<(f64, f64)>,
    apart: Vec<(f64, f64)>,
    tau: f64,
    trace: f64,
}

/// The posterior, with the design effect estimated on the way.
pub(super) fn posterior(votes: &Votes, judges: &[Prior]) -> Posterior {
    let model = Model::new(votes, judges);
    let mut states = Vec::new();
    let nu = votes.nu(&model.theta(&model.centre()));
    let mut found = model.pass((1.0, nu), &mut states, LAMBDA_TOLERANCE_EARLY);
    for left in (0..PASSES - 1).rev() {
        let phi = votes.design_effect(&found.theta, found.nu, &found.covariance, found.phi);
        let tolerance = if left == 0 { LAMBDA_TOLERANCE } else { LAMBDA_TOLERANCE_EARLY };
        found = model.pass((phi, votes.nu(&found.theta)), &mut states, tolerance);
    }
    found
}

/// The posterior from other judges' boards, in one pass with the known design effect.
pub(super) fn posterior_from(votes: &Votes, judges: &[Prior], known: &Posterior) -> Posterior {
    let found = (known.phi, known.nu);
    Model::new(votes, judges).pass(found, &mut Vec::new(), LAMBDA_TOLERANCE_EARLY)
}

/// Where a fit begins: parameters and variational weights, for one τ.
type State = (Vec<f64>, Vec<f64>);

impl<'a> Model<'a> {
    fn new(votes: &'a Votes, judges: &'a [Prior]) -> Self {
        let squared = (judges.len() * judges.len()).max(1) as f64;
        let mean = |i| judges.iter().map(|judge| judge.variances[i]).sum::<f64>() / squared;
        Self { votes, judges, variances: (0..votes.num_methods).map(mean).collect() }
    }

    /// One walk through the grid. Without `states`, each τ begins where the wider one ended and all
    /// weights are 1 at the widest; with them, where the last walk ended.
    fn pass(&self, (phi, nu): (f64, f64), states: &mut Vec<State>, tolerance: f64) -> Posterior {
        let (k, s) = (self.votes.num_methods, self.judges.len());
        let is_first = states.is_empty();
        let mut state = (self.centre(), vec![1.0; k]);
        let mut points = Vec::new();
        for (i, tau) in TAUS_ELO.iter().enumerate() {
            if !is_first {
                state.clone_from(&states[i]);
            }
            points.push(self.fit(tau / ELO_PER_NAT, (phi, nu), &mut state, tolerance));
            if is_first {
                states.push(state.clone());
            } else {
                states[i].clone_from(&state);
            }
        }
        mixed(&points, k, s, phi, nu)
    }

    /// The prior's centre: no effects of methods, every slope 1/S.
    fn centre(&self) -> Vec<f64> {
        let (k, s) = (self.votes.num_methods, self.judges.len());
        let mut out = vec![0.0; k];
        out.resize(k + s, 1.0 / s.max(1) as f64);
        out
    }

    fn theta(&self, at: &[f64]) -> Vec<f64> {
        let (own, slopes) = at.split_at(self.votes.num_methods);
        let of = |(i, own): (usize, &f64)| {
            let said = self.judges.iter().zip(slopes);
            own + said.map(|(judge, b)| b * judge.strengths[i]).sum::<f64>()
        };
        own.iter().enumerate().map(of).collect()
    }

    /// `F`: the log posterior of parameters, less its constants.
    fn value(&self, at: &[f64], phi: f64, nu: f64, precision: &[f64]) -> f64 {
        let pull: f64 = at
            .iter()
            .zip(&self.centre())
            .zip(precision)
            .map(|((u, centre), p)| p * (u - centre) * (u - centre))
            .sum();
        self.votes.value(&self.theta(at), nu) / phi - 0.5 * pull
    }

    /// `A` and the gradient of `F`.
    fn system(&self, at: &[f64], phi: f64, nu: f64, precision: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (k, s) = (self.votes.num_methods, self.judges.len());
        let n = k + s;
        let slopes = self.votes.slopes(&self.theta(at), nu);
        let h = &slopes.information;
        let mut matrix = vec![0.0; n * n];
        for (row, from) in matrix.chunks_exact_mut(n).zip(h.chunks_exact(k)) {
            row[..k].iter_mut().zip(from).for_each(|(to, h)| *to = h / phi);
        }
        let mut gradient: Vec<f64> = slopes.gradient.iter().map(|g| g / phi).collect();
        for (t, judge) in self.judges.iter().enumerate() {
            let r = &judge.strengths;
            let hr: Vec<f64> = h.chunks_exact(k).map(|row| dot(row, r) / phi).collect();
            for (u, other) in self.judges[..=t].iter().enumerate() {
                matrix[(k + t) * n + k + u] = dot(&hr, &other.strengths);
            }
            // The factor reads the lower half only.
            matrix[(k + t) * n..(k + t) * n + k].copy_from_slice(&hr);
            gradient.push(dot(&slopes.gradient, r) / phi);
        }
        for (i, p) in precision.iter().enumerate() {
            matrix[i * n + i] += p;
        }
        let centre = self.centre();
        for (((g, u), centre), p) in gradient.iter_mut().zip(at).zip(&centre).zip(precision) {
            *g -= p * (u - centre);
        }
        (matrix, gradient)
    }

    /// Fits one τ from `state` on, which is left at its end.
    fn fit(&self, tau: f64, (phi, nu): (f64, f64), state: &mut State, tolerance: f64) -> Point {
        let (at, lambda) = state;
        let (k, s) = (self.votes.num_methods, self.judges.len());
        let scale: Vec<f64> = self.variances.iter().map(|v| tau * tau + v).collect();
        let precision = |lambda: &[f64]| {
            let own = lambda.iter().zip(&scale).map(|(l, scale)| l / scale);
            own.chain((0..s).map(|_| SLOPE_PRECISION)).collect::<Vec<f64>>()
        };
        let mut p = precision(lambda);
        let mut value = self.value(at, phi, nu, &p);
        let mut factor = Factor::default();
        for _ in 0..UPDATES_MAX {
            let (matrix, mut step) = self.system(at, phi, nu, &p);
            let Some(found) = Factor::new(k + s, matrix) else {
                break;
            };
            factor = found;
            factor.solve(&mut step);
            let longest = step.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let mut share = (STEP_MAX / longest.max(f64::MIN_POSITIVE)).min(1.0);
            loop {
                let to: Vec<f64> = at.iter().zip(&step).map(|(u, x)| u + share * x).collect();
                let reached = self.value(&to, phi, nu, &p);
                if reached >= value || share * longest < STEP_TOLERANCE {
                    *at = to;
                    break;
                }
                share *= 0.5;
            }
            let mut moved = 0.0_f64;
            if s > 0 {
                let variances = factor.inverse_diagonal();
                for (i, weight) in lambda.iter_mut().enumerate() {
                    let square = (at[i] * at[i] + variances[i]) / scale[i];
                    let new = 5.0 / (4.0 + square);
                    moved = moved.max((new - *weight).abs());
                    *weight = new;
                }
                p = precision(lambda);
            }
            value = self.value(at, phi, nu, &p);
            if moved < tolerance && share * longest < STEP_TOLERANCE {
                break;
            }
        }
        self.point((tau, phi, nu), &factor, at, lambda, (value, &scale))
    }

    fn point(
        &self,
        (tau, phi, nu): (f64, f64, f64),
        factor: &Factor,
        at: &[f64],
        lambda: &[f64],
        (value, scale): (f64, &[f64]),
    ) -> Point {
        let (k, s) = (self.votes.num_methods, self.judges.len());
        let n = k + s;
        let tau_elo = tau * ELO_PER_NAT;
        let logs = |values: &[f64]| values.iter().map(|x| libm::log(*x)).sum::<f64>();
        let mut log_weight = value - 0.5 * factor.log_det() - 0.5 * logs(scale);
        log_weight += if s == 0 {
            let x = tau_elo / TAU_ALONE_ELO;
            libm::log(tau) - libm::log1p(x * x)
        } else {
            let of = |lambda: &f64| 2.5 - 2.5 * libm::log(2.5 / lambda) - 2.0 * lambda;
            let x = tau_elo / TAU_ELO;
            lambda.iter().map(of).sum::<f64>() + 2.0 * libm::log(tau) - libm::log1p(x * x)
        };
        let covariance = self.covariance(factor);
        let fitted = trace(&covariance, k);
        let any = self.trace_of_any(at, (phi, nu), scale).unwrap_or(fitted);
        let inverse = factor.inverse();
        let mut theta = self.theta(at);
        centre(&mut theta);
        let mut own = at[..k].to_vec();
        centre(&mut own);
        Point {
            log_weight,
            theta,
            covariance,
            slopes: (k..n).map(|i| (at[i], inverse[i * n + i].sqrt())).collect(),
            apart: own.into_iter().zip(lambda.iter().copied()).collect(),
            tau,
            trace: 0.5 * (fitted + any),
        }
    }

    /// Of θ, centred: `θ = M u`, `M = [I Z]`, so it is `M C Mᵀ`.
    fn covariance(&self, factor: &Factor) -> Vec<f64> {
        let (k, s) = (self.votes.num_methods, self.judges.len());
        let n = k + s;
        let inverse = factor.inverse();
        let mc: Vec<Vec<f64>> = (0..k)
            .map(|i| {
                let mut row = inverse[i * n..(i + 1) * n].to_vec();
                for (t, judge) in self.judges.iter().enumerate() {
                    let add = &inverse[(k + t) * n..(k + t + 1) * n];
                    let r = judge.strengths[i];
                    row.iter_mut().zip(add).for_each(|(x, y)| *x += r * y);
                }
                row
            })
            .collect();
        let mut covariance = vec![0.0; k * k];
        for (row, to) in mc.iter().zip(covariance.chunks_exact_mut(k)) {
            to.copy_from_slice(&row[..k]);
            for (t, judge) in self.judges.iter().enumerate() {
                to.iter_mut().zip(&judge.strengths).for_each(|(x, r)| *x += row[k + t] * r);
            }
        }
        centre_matrix(&mut covariance, k);
        covariance
    }

    /// The trace of the covariance before it is known which methods are outliers; with four degrees
    /// of freedom, Student's variance is twice its squared scale. The fitted weights take what they
    /// found for certain, so they make a weak judge seem worth twice what it is; by these a good
    /// judge seems half as informative. The reported number is between. None without judges.
    fn trace_of_any(&self, at: &[f64], (phi, nu): (f64, f64), scale: &[f64]) -> Option<f64> {
        if self.judges.is_empty() {
            return None;
        }
        let own = scale.iter().map(|scale| 0.5 / scale);
        let precision: Vec<f64> = own.chain(self.judges.iter().map(|_| SLOPE_PRECISION)).collect();
        let (matrix, _) = self.system(at, phi, nu, &precision);
        let factor = Factor::new(precision.len(), matrix)?;
        Some(trace(&self.covariance(&factor), self.votes.num_methods))
    }
}

fn trace(matrix: &[f64], k: usize) -> f64 {
    (0..k).map(|i| matrix[i * k + i]).sum()
}

/// The average over the grid, by weight.
fn mixed(points: &[Point], k: usize, s: usize, phi: f64, nu: f64) -> Posterior {
    let weights = shares_of(points.iter().map(|p| p.log_weight));
    let mut out = Posterior {
        theta: vec![0.0; k],
        covariance: vec![0.0; k * k],
        slopes: vec![(0.0, 0.0); s],
        apart: vec![(0.0, 0.0); k],
        tau: 0.0,
        traces: Vec::with_capacity(points.len()),
        phi,
        nu,
    };
    for (w, point) in weights.iter().zip(points) {
        out.theta.iter_mut().zip(&point.theta).for_each(|(to, x)| *to += w * x);
        for (to, (own, lambda)) in out.apart.iter_mut().zip(&point.apart) {
            to.0 += w * own;
            to.1 += w * lambda;
        }
        for (to, (slope, _)) in out.slopes.iter_mut().zip(&point.slopes) {
            to.0 += w * slope;
        }
        out.tau += w * point.tau;
        out.traces.push((*w, point.trace));
    }
    for (w, point) in weights.iter().zip(points) {
        let off: Vec<f64> = point.theta.iter().zip(&out.theta).map(|(x, y)| x - y).collect();
        for (i, row) in out.covariance.chunks_exact_mut(k).enumerate() {
            for (j, to) in row.iter_mut().enumerate() {
                *to += w * (point.covariance[i * k + j] + off[i] * off[j]);
            }
        }
        for (to, (slope, sd)) in out.slopes.iter_mut().zip(&point.slopes) {
            to.1 += w * (sd * sd + (slope - to.0) * (slope - to.0));
        }
    }
    out.slopes.iter_mut().for_each(|(_, square)| *square = square.sqrt());
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
