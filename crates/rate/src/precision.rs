//! How sure ratings are without a bootstrap: the matrix that a planner needs, and intervals that
//! cost one solve a cluster.
//!
//! The shipped default fit: draws as half wins, a weak prior, no bias. Unconnected groups are
//! placed about the mean by the prior alone instead of failing, as a planner must look at them too.

use super::bradley_terry::{level, maximum};
use super::elo::ELO_PER_NAT;
use super::error::RateError;
use super::likelihood::Likelihood;
use super::model::{Draws, Model, Prior};
use super::normal::Normal;
use super::quantile::widening;
use super::spread::Spread;
use super::table::Table;

/// Ratings with their covariance.
#[derive(Debug, Clone, PartialEq)]
pub struct Precision {
    /// By method, in Elo points about a mean of 1000.
    pub ratings: Vec<f64>,
    /// Inverse Fisher information with prior, `methods × methods`, row-major, in natural log-odds².
    pub covariance: Vec<f64>,
    /// By method, in Elo points: half the 95 % interval about the mean of all. See [`precision`].
    pub half_widths: Vec<f64>,
}

/// Steps below this end the fit, in Elo points.
const TOLERANCE_ELO: f64 = 1e-6;

/// Fits the games and says how sure the ratings are.
///
/// The variance is that of a board, over clusters. A method seen on few prompts would look too sure
/// by it, so it is at least `φ Σ`, with Σ the inverse information and φ the mean squared Pearson
/// residual (McCullagh & Nelder 1989, 4.5.2). Half a width is 1.96 standard errors, widened for few
/// clusters.
///
/// # Errors
/// A fit that does not settle.
pub fn precision(table: &Table, prior: Prior) -> Result<Precision, RateError> {
    let n = table.num_methods;
    let model = Model { draws: Draws::Half, prior: Some(prior), fits_bias: false };
    let likelihood = Likelihood::of_table(table, &table.totals, &model);
    let (at, iterations) = maximum(&likelihood, &level(n), None, TOLERANCE_ELO)?;
    let fit = likelihood.fit(&at, iterations);
    let factor = likelihood.curved(&at).ok_or(RateError::NotSettled { iterations })?;
    let found = Normal { mean: at.clone(), covariance: factor.inverse() };
    let about_mean = found.clone().about(&(0..n).collect::<Vec<_>>());
    let expected: Vec<f64> =
        table.cells.iter().map(|cell| 1.0 / (1.0 + libm::exp(at[cell.b] - at[cell.a]))).collect();
    let phi = dispersion(table, &expected);
    let spread = Spread::of_fit(table, &model, &fit);
    let half_width = |i: usize| {
        let modelled = (phi * about_mean.variance(i)).sqrt() * ELO_PER_NAT;
        let error = spread.as_ref().map_or(0.0, |spread| spread.one(i).error);
        1.96 * widening(table.num_clusters.max(2)) * error.max(modelled)
    };
    Ok(Precision {
        half_widths: (0..n).map(half_width).collect(),
        ratings: fit.ratings,
        covariance: found.covariance,
    })
}

/// φ: scatter of the games relative to Bradley–Terry's `p (1 − p)`; below 1 with many draws.
fn dispersion(table: &Table, expected: &[f64]) -> f64 {
    let (mut seen, mut modelled, mut games) = (0.0, 0.0, 0.0);
    for (counts, p) in table.totals.iter().zip(expected) {
        let q = 1.0 - p;
        seen += counts.a_wins * q * q + counts.b_wins * p * p + counts.ties * (0.5 - p) * (0.5 - p);
        modelled += counts.total() * p * q;
        games += counts.total();
    }
    let parameters = (table.num_methods - 1) as f64;
    // Fewer games than twice the parameters fit too well to say anything of their scatter:
    // Bradley–Terry's own is taken.
    if games < 2.0 * parameters {
        return 1.0;
    }
    seen / modelled * games / (games - parameters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Anchor, Game, Random, Side, Winner, certainty, fit};

    fn game(a: usize, b: usize, prompt: usize, winner: Winner) -> Game {
        Game { a, b, prompt, winner, side: Side::Neither, weight: 1.0 }
    }

    #[test]
    fn two_methods_by_hand() {
        // 60 wins and 40 losses, each on a prompt of its own: p = 0.6, information 100 · 0.24, gap
        // twice the distance to the mean.
        let winner = |i| if i < 60 { Winner::A } else { Winner::B };
        let games: Vec<Game> = (0..100).map(|i| game(0, 1, i, winner(i))).collect();
        let table = Table::new(2, &games).unwrap();
        let found = precision(&table, Prior { sd_elo: 1e6 }).unwrap();
        let gap = (found.ratings[0] - found.ratings[1]) / ELO_PER_NAT;
        assert!((gap - libm::log(1.5)).abs() < 1e-6);
        // Residuals scatter as Bradley–Terry says, so clustered and plain differ by their
        // small-sample factors alone, 100/99 both.
        let error = (1.0 / 24.0 * 100.0 / 99.0_f64).sqrt() / 2.0;
        let want = 1.96 * widening(100) * error * ELO_PER_NAT;
        for width in &found.half_widths {
            assert!((width - want).abs() < 1e-4, "{width} {want}");
        }
    }

    /// 60 prompts, six pairs of four methods three times each, 30 % draws.
    fn drawn_games(seed: u64) -> Vec<Game> {
        let mut random = Random::new(seed, 4);
        let mut games = Vec::new();
        for prompt in 0..60 {
            for (a, b) in [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3), (0, 3)] {
                for _ in 0..3 {
                    let at = random.unit();
                    let p = 0.7 / (1.0 + libm::exp((a as f64 - b as f64) * 0.6));
                    let winner = if at < p {
                        Winner::A
                    } else if at < 0.7 {
                        Winner::B
                    } else {
                        Winner::Tie
                    };
                    games.push(game(a, b, prompt, winner));
                }
            }
        }
        games
    }

    /// The larger of two estimates, so above a board's on average, and hardly ever below it.
    #[test]
    fn half_widths_err_on_the_wide_side_of_a_boards() {
        let names: Vec<String> = (0..4).map(|i| i.to_string()).collect();
        let model = Model::default();
        let mut ratios = Vec::new();
        for seed in 0..20 {
            let table = Table::new(4, &drawn_games(seed)).unwrap();
            let fitted = fit(&table, &names, &model, Anchor::Mean).unwrap();
            let certainty = certainty(&table, &model, Anchor::Mean, &fitted, 1, 1).unwrap();
            let found = precision(&table, Prior::default()).unwrap();
            let intervals = certainty.ratings.into_iter().flatten();
            ratios.extend(
                found.half_widths.iter().zip(intervals).map(|(w, i)| 2.0 * w / (i.high - i.low)),
            );
        }
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let least = ratios.iter().fold(f64::INFINITY, |m, r| m.min(*r));
        let most = ratios.iter().fold(0.0_f64, |m, r| m.max(*r));
        println!("mean {mean:.3}, {least:.3} to {most:.3}");
        assert!((1.0..1.12).contains(&mean), "{mean}");
        assert!(least > 0.9 && most < 1.4, "{least} to {most}");
    }
}
