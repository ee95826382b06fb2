//! The fit: penalised likelihood of θ and β, its maximum.

use super::super::bradley_terry::anchored;
use super::super::elo::{ELO_ORIGIN, ELO_PER_NAT};
use super::super::error::RateError;
use super::super::likelihood::{curvature, shares};
use super::super::linear::{Concave, Factor, ITERATIONS_MAX, add_pair, climb};
use super::super::model::{Anchor, Fit, Prior};
use super::super::spread::{PARTS_MAX, Spread};
use super::rows::{Row, Rows};

/// Steps below this end a fit, in natural log-odds.
const TOLERANCE: f64 = 1e-11;

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
    climb(&Target { rows, prior }, &mut at, None, TOLERANCE)
        .ok_or(RateError::NotSettled { iterations: ITERATIONS_MAX })?;
    Ok(at)
}

/// What prompts add to θ about its mean and to β, in Elo points. None where the information has no
/// inverse.
pub(super) fn spread(rows: &Rows, at: &[f64], prior: Option<Prior>) -> Option<Spread> {
    let target = Target { rows, prior };
    let inverse = target.curved(at)?.inverse();
    let (size, n) = (at.len(), rows.num_methods);
    let num_parts = rows.num_clusters.min(PARTS_MAX);
    let mut scores = vec![0.0; num_parts * size];
    let mut weights = vec![0.0; size * num_parts];
    target.each(at, |row, z, p| {
        let part = row.cluster % num_parts;
        let score = &mut scores[part * size..(part + 1) * size];
        add_score(score, n, row, z, row.sum.beyond(p));
        let w = row.sum.games * curvature(p);
        weights[row.a * num_parts + part] += w;
        weights[row.b * num_parts + part] += w;
        for (k, z) in z.iter().enumerate() {
            weights[(n + k) * num_parts + part] += w * z * z;
        }
    });
    Some(Spread::of_scores(num_parts, n, &inverse, &scores, weights))
}

/// Log-likelihood. Parameters: θ by method, then β by covariate.
struct Target<'a> {
    rows: &'a Rows,
    prior: Option<Prior>,
}

impl Target<'_> {
    /// 1 / σ² in natural units; 0 without a prior.
    fn pull(&self) -> f64 {
        self.prior.map_or(0.0, Prior::precision)
    }

    /// Rows with their covariates and their outcome's probabilities.
    fn each(&self, at: &[f64], mut each: impl FnMut(&Row, &[f64], [f64; 3])) {
        let Rows { num_methods, nu, .. } = *self.rows;
        let (theta, beta) = at.split_at(num_methods);
        for (row, z) in (self.rows.rows.iter()).zip(self.rows.z.chunks_exact(beta.len())) {
            let style: f64 = beta.iter().zip(z).map(|(b, z)| b * z).sum();
            each(row, z, shares(theta[row.a] - theta[row.b] + style, nu));
        }
    }
}

/// Adds what a row says beyond expectation.
fn add_score(score: &mut [f64], num_methods: usize, row: &Row, z: &[f64], more: f64) {
    score[row.a] += more;
    score[row.b] -= more;
    score[num_methods..].iter_mut().zip(z).for_each(|(g, z)| *g += more * z);
}

impl Concave for Target<'_> {
    fn gradient(&self, at: &[f64], gradient: &mut [f64]) {
        let n = self.rows.num_methods;
        gradient.fill(0.0);
        self.each(at, |row, z, p| add_score(gradient, n, row, z, row.sum.beyond(p)));
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
        self.each(at, |row, z, p| {
            let w = row.sum.games * curvature(p);
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
