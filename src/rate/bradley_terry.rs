//! A win table → ratings by maximum likelihood: Bradley–Terry, with one of three rules for draws and an optional left/right bias.
//!
//! With `x = θₐ − θ_b + β·side` in natural log-odds (side is +1 where a stands left, −1 where b does):
//! - [`Draws::Half`], [`Draws::BothWin`]: `P(a) = 1 / (1 + e⁻ˣ)` (Bradley & Terry 1952); a draw adds ½ or 1 win to each side.
//! - [`Draws::Davidson`]: `P(a) : P(tie) : P(b) = e^{x/2} : ν : e^{−x/2}` (Davidson 1970, eq. 2.3, divided by √(πₐ π_b)); ν is fitted.
//!   Differs from Davidson & Beaver 1977 in the place of the bias: here it moves the tie's centre too, which keeps the likelihood concave.
//!
//! Newton's method on a concave function; the factor of an earlier step is kept while it still shrinks the step fourfold.

use super::linear::Factor;
use super::{Counts, ELO_ORIGIN, ELO_PER_NAT, RateError, Table, components, strong_components};

/// What a draw is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Draws {
    /// Half a win for each.
    #[default]
    Half,
    /// A win for each, as GPTEval3D counts: ratings move together.
    BothWin,
    /// An outcome of its own. Without any draw, or without any decided game, this is [`Draws::Half`].
    Davidson,
}

/// A weak normal prior on each rating, about the mean of all, and on the bias. Keeps a method that only wins finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// Standard deviation in Elo points; positive.
    pub sd_elo: f64,
}

impl Default for Prior {
    /// 800 points: odds of 100 to 1 are one standard deviation, and its pull equals about a fifth of one game at even odds.
    fn default() -> Self {
        Self { sd_elo: 800.0 }
    }
}

/// What stands at 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Anchor {
    /// The mean of all methods.
    #[default]
    Mean,
    /// The method of this index.
    Method(usize),
}

/// How games become ratings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// What a draw is.
    pub draws: Draws,
    /// None is exact maximum likelihood.
    pub prior: Option<Prior>,
    /// Whether the left/right bias is fitted; games without a side say nothing of it.
    pub fits_bias: bool,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            draws: Draws::Half,
            prior: Some(Prior::default()),
            fits_bias: false,
        }
    }
}

/// Ratings at the maximum.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Elo points, by method.
    pub ratings: Vec<f64>,
    /// Log-odds (natural) that standing left adds; positive favours the left.
    pub left_bias: Option<f64>,
    /// Davidson's ν: between equals, ties stand to wins of one side as ν to 1.
    pub tie: Option<f64>,
    /// Steps taken.
    pub iterations: usize,
}

/// The last step is below this, in Elo points.
const TOLERANCE_ELO: f64 = 1e-9;
/// Newton needs about 6 steps; a fit that needs so many is broken.
const ITERATIONS_MAX: usize = 500;
/// Longest step in natural log-odds, so that a far start cannot overshoot into flat parts.
const STEP_MAX: f64 = 2.0;
/// Shortest share of a step that is still tried.
const SHARE_MIN: f64 = 1e-6;

/// Finds the ratings.
///
/// # Errors
/// Methods that no game links; without a prior also a maximum at infinity; an anchor that is no method.
pub fn fit(
    table: &Table,
    methods: &[String],
    model: &Model,
    anchor: Anchor,
) -> Result<Fit, RateError> {
    let named = |group: &Vec<usize>| group.iter().map(|m| methods[*m].clone()).collect();
    if let Anchor::Method(i) = anchor
        && i >= table.num_methods
    {
        let anchor = i.to_string();
        let methods = methods.to_vec();
        return Err(RateError::UnknownAnchor { anchor, methods });
    }
    let groups = components(table);
    if groups.len() > 1 {
        let components = groups.iter().map(named).collect();
        return Err(RateError::Disconnected { components });
    }
    let groups = strong_components(table);
    if model.prior.is_none() && groups.len() > 1 {
        let methods = named(&groups[0]);
        return Err(RateError::Unbounded { methods });
    }
    let start = Fit {
        ratings: vec![ELO_ORIGIN; table.num_methods],
        left_bias: None,
        tie: None,
        iterations: 0,
    };
    maximise(table, &table.totals, model, &start, TOLERANCE_ELO).map(|fit| anchored(fit, anchor))
}

/// Moves all ratings so that the anchor stands at 1000.
pub(super) fn anchored(mut fit: Fit, anchor: Anchor) -> Fit {
    let at = match anchor {
        Anchor::Mean => fit.ratings.iter().sum::<f64>() / fit.ratings.len() as f64,
        Anchor::Method(i) => fit.ratings[i],
    };
    fit.ratings.iter_mut().for_each(|r| *r += ELO_ORIGIN - at);
    fit
}

/// From `start` to the maximum for `counts` (one for each cell of `table`); mean 1000. Checks nothing.
pub(super) fn maximise(
    table: &Table,
    counts: &[Counts],
    model: &Model,
    start: &Fit,
    tolerance_elo: f64,
) -> Result<Fit, RateError> {
    let likelihood = Likelihood::new(table, counts, model);
    let mut at = likelihood.parameters(start);
    let mut gradient = vec![0.0; at.len()];
    let mut step_before = f64::INFINITY;
    let mut factor = likelihood.factor(&at, &mut gradient);
    for iterations in 1..=ITERATIONS_MAX {
        let Some(kept) = &factor else { break };
        let mut step = gradient.clone();
        kept.solve(&mut step);
        let longest = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
        if !longest.is_finite() {
            break;
        }
        let slope = dot(&gradient, &step);
        let mut share = (STEP_MAX / longest.max(f64::MIN_POSITIVE)).min(1.0);
        let origin = at.clone();
        loop {
            for ((to, from), s) in at.iter_mut().zip(&origin).zip(&step) {
                *to = from + share * s;
            }
            likelihood.gradient(&at, &mut gradient);
            // The slope of a concave function falls along the step; far below zero is far past the top.
            if dot(&gradient, &step) >= -0.5 * slope || share < SHARE_MIN {
                break;
            }
            share *= 0.5;
        }
        let size = share * longest;
        if size * ELO_PER_NAT < tolerance_elo {
            return Ok(likelihood.fit(&at, iterations));
        }
        if size > 0.25 * step_before {
            factor = likelihood.factor(&at, &mut gradient);
            step_before = f64::INFINITY;
        } else {
            step_before = size;
        }
    }
    Err(RateError::NotSettled {
        iterations: ITERATIONS_MAX,
    })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The log-likelihood with its prior. Parameters: θ for each method, then β if fitted, then ln ν if fitted.
struct Likelihood<'a> {
    table: &'a Table,
    counts: &'a [Counts],
    num_parameters: usize,
    bias_at: Option<usize>,
    tie_at: Option<usize>,
    /// Wins that a draw is worth to each side, where draws are no outcome of their own.
    draw_wins: f64,
    /// 1 / σ² of the prior, in natural units; 0 without one.
    pull: f64,
}

/// First and second derivatives of one cell's log-likelihood, by the margin x and by ln ν.
#[derive(Default)]
struct Slopes {
    x: f64,
    tie: f64,
    xx: f64,
    x_tie: f64,
    tie_tie: f64,
}

impl<'a> Likelihood<'a> {
    fn new(table: &'a Table, counts: &'a [Counts], model: &Model) -> Self {
        let mut num_parameters = table.num_methods;
        let mut next = |is_fitted: bool| {
            let at = num_parameters;
            num_parameters += usize::from(is_fitted);
            is_fitted.then_some(at)
        };
        let has_sides = table.cells.iter().any(|cell| cell.left() != 0.0);
        let bias_at = next(model.fits_bias && has_sides);
        let ties: f64 = counts.iter().map(|c| c.ties).sum();
        let all: f64 = counts.iter().map(Counts::total).sum();
        let tie_at = next(model.draws == Draws::Davidson && ties > 0.0 && ties < all);
        Self {
            table,
            counts,
            num_parameters,
            bias_at,
            tie_at,
            draw_wins: if model.draws == Draws::BothWin {
                1.0
            } else {
                0.5
            },
            pull: model.prior.map_or(0.0, |p| {
                let sd = p.sd_elo / ELO_PER_NAT;
                1.0 / (sd * sd)
            }),
        }
    }

    fn parameters(&self, start: &Fit) -> Vec<f64> {
        let n = self.table.num_methods;
        let mean = start.ratings.iter().sum::<f64>() / n as f64;
        let mut at: Vec<f64> = (start.ratings.iter())
            .map(|r| (r - mean) / ELO_PER_NAT)
            .collect();
        at.resize(self.num_parameters, 0.0);
        if let (Some(i), Some(bias)) = (self.bias_at, start.left_bias) {
            at[i] = bias;
        }
        if let (Some(i), Some(tie)) = (self.tie_at, start.tie) {
            at[i] = libm::log(tie);
        }
        at
    }

    fn fit(&self, at: &[f64], iterations: usize) -> Fit {
        let theta = &at[..self.table.num_methods];
        let mean = theta.iter().sum::<f64>() / theta.len() as f64;
        Fit {
            ratings: (theta.iter())
                .map(|t| ELO_ORIGIN + (t - mean) * ELO_PER_NAT)
                .collect(),
            left_bias: self.bias_at.map(|i| at[i]),
            tie: self.tie_at.map(|i| libm::exp(at[i])),
            iterations,
        }
    }

    fn gradient(&self, at: &[f64], gradient: &mut [f64]) {
        self.derive(at, gradient, &mut []);
    }

    /// Factor of the negative Hessian; sets the gradient as well. None where it is not positive definite.
    fn factor(&self, at: &[f64], gradient: &mut [f64]) -> Option<Factor> {
        let n = self.num_parameters;
        let mut hessian = vec![0.0; n * n];
        self.derive(at, gradient, &mut hessian);
        Factor::new(n, hessian)
    }

    /// `hessian` is empty, or takes the lower half of the negative Hessian, row-major.
    fn derive(&self, at: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        let (n, p) = (self.table.num_methods, self.num_parameters);
        self.derive_prior(at, gradient, hessian);
        let bias = self.bias_at.map_or(0.0, |i| at[i]);
        let tie = self.tie_at.map(|i| libm::exp(at[i]));
        for (cell, counts) in self.table.cells.iter().zip(self.counts) {
            if counts.total() == 0.0 {
                continue;
            }
            let left = cell.left();
            let x = at[cell.a] - at[cell.b] + bias * left;
            let slopes = match tie {
                None => logistic(x, counts, self.draw_wins),
                Some(nu) => davidson(x, counts, nu),
            };
            gradient[cell.a] += slopes.x;
            gradient[cell.b] -= slopes.x;
            if let Some(i) = self.bias_at {
                gradient[i] += left * slopes.x;
            }
            if let Some(i) = self.tie_at {
                gradient[i] += slopes.tie;
            }
            if hessian.is_empty() {
                continue;
            }
            hessian[cell.a * p + cell.a] += slopes.xx;
            hessian[cell.b * p + cell.b] += slopes.xx;
            hessian[cell.b * p + cell.a] -= slopes.xx;
            if let Some(i) = self.bias_at {
                hessian[i * p + cell.a] += left * slopes.xx;
                hessian[i * p + cell.b] -= left * slopes.xx;
                hessian[i * p + i] += left * left * slopes.xx;
            }
            if let Some(i) = self.tie_at {
                hessian[i * p + cell.a] += slopes.x_tie;
                hessian[i * p + cell.b] -= slopes.x_tie;
                if let Some(b) = self.bias_at {
                    hessian[i * p + b] += left * slopes.x_tie;
                }
                hessian[i * p + i] += slopes.tie_tie;
            }
        }
        debug_assert!(n <= p);
    }

    /// The prior's part. Without one, `(Σθ)² / 2` holds the sum at 0, which the likelihood leaves free.
    fn derive_prior(&self, at: &[f64], gradient: &mut [f64], hessian: &mut [f64]) {
        let (n, p) = (self.table.num_methods, self.num_parameters);
        gradient.fill(0.0);
        let pulled = n + usize::from(self.bias_at.is_some());
        for i in 0..pulled {
            gradient[i] = -self.pull * at[i];
        }
        let sum: f64 = at[..n].iter().sum();
        let gauge = if self.pull == 0.0 { 1.0 } else { 0.0 };
        gradient[..n].iter_mut().for_each(|g| *g -= gauge * sum);
        if hessian.is_empty() {
            return;
        }
        for i in 0..n {
            hessian[i * p..=i * p + i].fill(gauge);
        }
        for i in 0..pulled {
            hessian[i * p + i] += self.pull;
        }
    }
}

fn logistic(x: f64, counts: &Counts, draw_wins: f64) -> Slopes {
    let wins = counts.a_wins + draw_wins * counts.ties;
    let all = counts.a_wins + counts.b_wins + 2.0 * draw_wins * counts.ties;
    let p = 1.0 / (1.0 + libm::exp(-x));
    Slopes {
        x: wins - all * p,
        xx: all * p * (1.0 - p),
        ..Slopes::default()
    }
}

/// `ln L = (wₐ − w_b) x/2 + t ln ν − n ln(e^{x/2} + e^{−x/2} + ν)`.
fn davidson(x: f64, counts: &Counts, nu: f64) -> Slopes {
    let half = libm::exp(0.5 * x);
    let (a, b) = (half, 1.0 / half);
    let sum = a + b + nu;
    let (pa, pb, pt) = (a / sum, b / sum, nu / sum);
    let all = counts.total();
    Slopes {
        x: 0.5 * (counts.a_wins - counts.b_wins) - 0.5 * all * (pa - pb),
        tie: counts.ties - all * pt,
        xx: 0.25 * all * (pa + pb - (pa - pb) * (pa - pb)),
        x_tie: -0.5 * all * pt * (pa - pb),
        tie_tie: all * pt * (1.0 - pt),
    }
}
