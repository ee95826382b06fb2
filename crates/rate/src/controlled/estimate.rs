//! The fit: penalised likelihood of θ and β, its maximum, and that of samples of prompts.

use super::super::bootstrap::sample;
use super::super::bradley_terry::anchored;
use super::super::elo::{ELO_ORIGIN, ELO_PER_NAT};
use super::super::error::RateError;
use super::super::likelihood::{curvature, shares};
use super::super::linear::{Concave, Factor, ITERATIONS_MAX, add_pair, climb};
use super::super::model::{Anchor, Fit, Model, Prior};
use super::rows::{Row, Rows};
use rayon::prelude::*;

/// Steps below this end a fit, and that of a replicate, in natural log-odds.
const TOLERANCE: f64 = 1e-11;
const TOLERANCE_REPLICATE: f64 = 1e-6;

/// Ratings, about the anchor, and points for one standard deviation of each covariate.
#[derive(Debug, Clone)]
pub(super) struct Estimate {
    pub ratings: Vec<f64>,
    pub effects: Vec<f64>,
}

impl Estimate {
    /// θ and β → Elo points.
    pub(super) fn at(rows: &Rows, at: &[f64], anchor: Anchor) -> Self {
        let (theta, beta) = at.split_at(rows.num_methods);
        let found = anchored(
            Fit {
                ratings: theta.iter().map(|t| ELO_ORIGIN + t * ELO_PER_NAT).collect(),
                left_bias: None,
                tie: None,
                iterations: 0,
            },
            anchor,
        );
        Self { ratings: found.ratings, effects: beta.iter().map(|b| b * ELO_PER_NAT).collect() }
    }
}

/// The plain ratings, and no effect.
pub(super) fn start(rows: &Rows, plain: &Fit) -> Vec<f64> {
    let mean = plain.ratings.iter().sum::<f64>() / plain.ratings.len() as f64;
    let theta = plain.ratings.iter().map(|r| (r - mean) / ELO_PER_NAT);
    theta.chain((0..rows.num_covariates).map(|_| 0.0)).collect()
}

/// The maximum over all prompts.
pub(super) fn climbed(
    rows: &Rows,
    prior: Option<Prior>,
    mut at: Vec<f64>,
) -> Result<Vec<f64>, RateError> {
    let times = &vec![1.0; rows.num_clusters][..];
    let target = Weighted { rows, times, prior };
    climb(&target, &mut at, None, TOLERANCE)
        .ok_or(RateError::NotSettled { iterations: ITERATIONS_MAX })?;
    Ok(at)
}

/// A fit of each sample of prompts; the same prompts as those of the plain board.
pub(super) fn replicates(
    rows: &Rows,
    at: &[f64],
    model: &Model,
    anchor: Anchor,
    replicates: usize,
    seed: u64,
) -> Result<Vec<Estimate>, RateError> {
    // A sample may lack any loss of a method.
    let prior = Some(model.prior.unwrap_or_default());
    let times = &vec![1.0; rows.num_clusters][..];
    let near = Weighted { rows, times, prior }.curved(at);
    let refit = |replicate: usize| {
        let times = &sample(rows.num_clusters, seed, replicate)[..];
        let mut at = at.to_vec();
        climb(&Weighted { rows, times, prior }, &mut at, near.as_ref(), TOLERANCE_REPLICATE)
            .map(|_| Estimate::at(rows, &at, anchor))
            .ok_or(RateError::NotSettled { iterations: ITERATIONS_MAX })
    };
    (0..replicates).into_par_iter().map(refit).collect()
}

/// Log-likelihood with each cluster counted so often. Parameters: θ by method, then β by covariate.
struct Weighted<'a> {
    rows: &'a Rows,
    times: &'a [f64],
    prior: Option<Prior>,
}

impl Weighted<'_> {
    /// 1 / σ² in natural units; 0 without a prior.
    fn pull(&self) -> f64 {
        self.prior.map_or(0.0, Prior::precision)
    }

    /// Rows that count, with their weight, their place and their outcome's probabilities.
    fn each(&self, at: &[f64], mut each: impl FnMut(&Row, &[f64], f64, [f64; 3])) {
        let Rows { num_methods, nu, .. } = *self.rows;
        let (theta, beta) = at.split_at(num_methods);
        for (row, z) in (self.rows.rows.iter()).zip(self.rows.z.chunks_exact(beta.len())) {
            let times = self.times[row.cluster];
            if times > 0.0 {
                let style: f64 = beta.iter().zip(z).map(|(b, z)| b * z).sum();
                let x = theta[row.a] - theta[row.b] + style;
                each(row, z, times, shares(x, nu));
            }
        }
    }
}

impl Concave for Weighted<'_> {
    fn gradient(&self, at: &[f64], gradient: &mut [f64]) {
        let n = self.rows.num_methods;
        gradient.fill(0.0);
        self.each(at, |row, z, times, p| {
            let more = times * row.sum.beyond(p);
            gradient[row.a] += more;
            gradient[row.b] -= more;
            gradient[n..].iter_mut().zip(z).for_each(|(g, z)| *g += more * z);
        });
        let pull = self.pull();
        // Without a prior, `(Σθ)² / 2` holds the sum at 0, which the likelihood leaves free.
        let sum: f64 = at[..n].iter().sum();
        let gauge = if pull == 0.0 { sum } else { 0.0 };
        gradient[..n].iter_mut().for_each(|g| *g -= gauge);
        gradient.iter_mut().zip(at).for_each(|(g, at)| *g -= pull * at);
    }

    fn curved(&self, at: &[f64]) -> Option<Factor> {
        let n = self.rows.num_methods;
        let size = at.len();
        let pull = self.pull();
        let mut out = vec![0.0; size * size];
        if pull == 0.0 {
            for i in 0..n {
                out[i * size..i * size + n].fill(1.0);
            }
        }
        (0..size).for_each(|i| out[i * size + i] += pull);
        self.each(at, |row, z, times, p| {
            let w = times * row.sum.games * curvature(p);
            add_pair(&mut out, size, (row.a, row.b), w);
            for (k, z_k) in z.iter().enumerate() {
                // The factor reads the lower half only.
                let line = &mut out[(n + k) * size..(n + k + 1) * size];
                line[row.a] += w * z_k;
                line[row.b] -= w * z_k;
                line[n..].iter_mut().zip(&z[..=k]).for_each(|(to, z)| *to += w * z_k * z);
            }
        });
        Factor::new(size, out)
    }
}
