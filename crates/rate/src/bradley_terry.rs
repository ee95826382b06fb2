//! A win table → ratings by maximum likelihood: Bradley–Terry, with one of three rules for draws
//! and an optional left/right bias.
//!
//! With `x = θₐ − θ_b + β·side` in natural log-odds (side is +1 if a is on the left, −1 if b is):
//! - [`Draws::Half`](super::Draws::Half), [`Draws::BothWin`](super::Draws::BothWin):
//!   `P(a) = 1 / (1 + e⁻ˣ)` (Bradley & Terry 1952); a draw adds ½ or 1 win to each side.
//! - [`Draws::Davidson`](super::Draws::Davidson): `P(a) : P(tie) : P(b) = e^{x/2} : ν : e^{−x/2}`
//!   (Davidson 1970, eq. 2.3, divided by √(πₐ π_b)); ν is fitted. Unlike in Davidson & Beaver 1977,
//!   the bias moves the tie's centre too, which keeps the likelihood concave.
//!
//! Newton's method on a concave function.

use super::connect::{components, strong_components};
use super::elo::{ELO_ORIGIN, ELO_PER_NAT};
use super::error::RateError;
use super::likelihood::Likelihood;
use super::linear::{Factor, dot};
use super::model::{Anchor, Fit, Model};
use super::table::Table;

/// The last step is below this, in Elo points.
pub(super) const TOLERANCE_ELO: f64 = 1e-9;

/// Finds the ratings.
///
/// # Errors
/// Methods no game links; without a prior also a maximum at infinity; an unknown anchor.
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
    let likelihood = Likelihood::of_table(table, &table.totals, model);
    let at = maximum(&likelihood, &level(table.num_methods), None, TOLERANCE_ELO);
    at.map(|(at, iterations)| anchored(likelihood.fit(&at, iterations), anchor))
}

/// Moves all ratings so that the anchor is at 1000.
pub(super) fn anchored(mut fit: Fit, anchor: Anchor) -> Fit {
    let at = match anchor {
        Anchor::Mean => fit.ratings.iter().sum::<f64>() / fit.ratings.len() as f64,
        Anchor::Method(i) => fit.ratings[i],
    };
    fit.ratings.iter_mut().for_each(|r| *r += ELO_ORIGIN - at);
    fit
}

/// All methods equal.
pub(super) fn level(num_methods: usize) -> Fit {
    let ratings = vec![ELO_ORIGIN; num_methods];
    Fit { ratings, left_bias: None, tie: None, iterations: 0 }
}

/// The parameters at the maximum, from `start` on, and the steps there. Checks nothing. `near` is
/// the factor of a likelihood much like this one at `start`.
pub(super) fn maximum(
    likelihood: &Likelihood,
    start: &Fit,
    near: Option<&Factor>,
    tolerance_elo: f64,
) -> Result<(Vec<f64>, usize), RateError> {
    let mut at = likelihood.parameters(start);
    match climb(likelihood, &mut at, near, tolerance_elo / ELO_PER_NAT) {
        Some(iterations) => Ok((at, iterations)),
        None => Err(RateError::NotSettled { iterations: ITERATIONS_MAX }),
    }
}

/// Newton needs about 6 steps; a fit that needs so many is broken.
const ITERATIONS_MAX: usize = 500;
/// Longest step in natural log-odds, so that a far start cannot overshoot into flat parts.
const STEP_MAX: f64 = 2.0;
/// Shortest share of a step that is still tried.
const SHARE_MIN: f64 = 1e-6;

/// Moves `at` to the maximum, until a step is below `tolerance`; how many steps that took, or none
/// where it does not end. The factor of an earlier step is kept while it still shrinks the step
/// fourfold. `near` is the factor of a function much like this one at `at`: it replaces its own
/// while its steps shrink, which saves a replicate of 100 methods nine tenths of its time.
fn climb(
    target: &Likelihood,
    at: &mut [f64],
    near: Option<&Factor>,
    tolerance: f64,
) -> Option<usize> {
    let mut gradient = vec![0.0; at.len()];
    target.gradient(at, &mut gradient);
    let near = near.filter(|factor| factor.len() == at.len());
    let mut own = if near.is_none() { target.curved(at) } else { None };
    let mut step_before = f64::INFINITY;
    for iterations in 1..=ITERATIONS_MAX {
        let factor = own.as_ref().or(near)?;
        let mut step = gradient.clone();
        factor.solve(&mut step);
        let longest = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
        if !longest.is_finite() {
            return None;
        }
        let slope = dot(&gradient, &step);
        let mut share = (STEP_MAX / longest.max(f64::MIN_POSITIVE)).min(1.0);
        let origin = at.to_vec();
        loop {
            for ((to, from), s) in at.iter_mut().zip(&origin).zip(&step) {
                *to = from + share * s;
            }
            target.gradient(at, &mut gradient);
            // A concave function's slope falls along the step; far below 0 is far past the top.
            if dot(&gradient, &step) >= -0.5 * slope || share < SHARE_MIN {
                break;
            }
            share *= 0.5;
        }
        let size = share * longest;
        if size < tolerance {
            return Some(iterations);
        }
        if size > 0.25 * step_before {
            own = Some(target.curved(at)?);
            step_before = f64::INFINITY;
        } else {
            step_before = size;
        }
    }
    None
}
