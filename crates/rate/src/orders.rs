//! How likely an order of two methods is, from their ratings and from how those scatter over
//! replicates of the bootstrap.
//!
//! The share of replicates that have the order is too sure of itself in three ways, and each has
//! its remedy here. Few prompts know their own spread badly: pairs borrow of each other's (Smyth
//! 2004), and Student's tails cover the rest. Methods are drawn about one mean, so of two that seem
//! apart the difference is partly luck: it is shrunk as far as the ratings of the board say
//! (empirical Bayes: Morris 1983; prior of τ: Gelman 2006). And no number of games is more than the
//! prompts that decided any: if all D of them said the same, the order would be wrong with the
//! chance `2^−(D+1)` still (Laplace's rule of succession), so no order is reported as surer; D is
//! that of the method with fewer. A prompt on which all games are ties knows nothing of the order,
//! and so nothing of its spread. Replicates of a method with a handful of games may hardly differ:
//! its rating is never taken as better known than by as many games at even odds.

use super::elo::{ELO_PER_NAT, LEVEL_ELO};
use super::linear::shares_of;
use super::quantile::student;
use super::table::{Evidence, Table};
use rayon::prelude::*;
use std::f64::consts::SQRT_2;

/// Standard deviations of methods about their mean, in Elo points.
const TAUS_ELO: [f64; 14] =
    [600.0, 420.0, 290.0, 200.0, 140.0, 95.0, 66.0, 46.0, 32.0, 22.0, 15.0, 10.0, 6.0, 3.0];
/// The median of the prior of τ.
const TAU_ELO: f64 = 100.0;
/// A newcomer has fewer prompts that decided a game, and at most half of the board's.
const NEWCOMER_BELOW: usize = 10;
/// A pair's spread rests on its own prompts and on so many of all pairs.
const BORROWED: f64 = 4.0;

/// `out[i][j]`: how likely `i` is better than `j`. Ratings and replicates in Elo points, methods by
/// index. `scale` is the share of decided games where ties pull ratings together, else 1: methods
/// should be so much closer.
pub(super) fn order_chances(
    estimate: &[f64],
    drawn: &[Vec<f64>],
    table: &Table,
    scale: f64,
) -> Vec<Vec<f64>> {
    let k = estimate.len();
    let pairs: Vec<(usize, usize)> = (0..k).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
    let evidence = table.evidence();
    let clusters = table.num_clusters as f64;
    let fewer = |i: usize, j: usize| evidence[i].deciding.min(evidence[j].deciding) as f64;
    let own: Vec<f64> = pairs.iter().map(|&(i, j)| (fewer(i, j) - 1.0).max(0.0)).collect();
    let even = 4.0 * ELO_PER_NAT * ELO_PER_NAT * scale;
    let least: Vec<f64> = evidence.iter().map(|it| even / it.games).collect();
    let borrowed = if k > 2 { BORROWED } else { 0.0 };
    let squares: Vec<f64> = (pairs.par_iter())
        // A bootstrap's variance is too small by (G − 1)/G.
        .map(|&(i, j)| squared_error(estimate[i] - estimate[j], i, j, drawn))
        .map(|square| square * clusters / (clusters - 1.0))
        .collect();
    let mean = squares.iter().sum::<f64>() / squares.len().max(1) as f64;
    let errors: Vec<f64> = squares
        .iter()
        .zip(&own)
        .zip(&pairs)
        .map(|((square, own), &(i, j))| {
            let all = (own + borrowed).max(1.0);
            let own = all - borrowed;
            ((own * square + borrowed * mean) / all).max(least[i]).max(least[j])
        })
        .collect();
    // Half of the mean squared error of its differences to others.
    let mut variances = vec![0.0; k];
    for (&(i, j), error) in pairs.iter().zip(&errors) {
        variances[i] += 0.5 * error / (k as f64 - 1.0);
        variances[j] += 0.5 * error / (k as f64 - 1.0);
    }
    variances.iter_mut().zip(&least).for_each(|(variance, least)| *variance = variance.max(*least));
    let taus = TAUS_ELO.map(|tau| tau * scale);
    let is_newcomer =
        |it: &Evidence| it.deciding < NEWCOMER_BELOW && 2 * it.deciding <= table.num_clusters;
    // A newcomer's rating says little of how far apart methods are; two of the others say enough.
    let (old, new): (Vec<usize>, Vec<usize>) = (0..k).partition(|i| !is_newcomer(&evidence[*i]));
    let known = if old.len() < 2 { (0..k).collect() } else { old };
    let of = |values: &[f64]| known.iter().map(|i| values[*i]).collect::<Vec<f64>>();
    let weights = weights(&of(estimate), &of(&variances), &taus, TAU_ELO * scale);
    let mut out = vec![vec![0.5; k]; k];
    for ((&(i, j), error), own) in pairs.iter().zip(&errors).zip(&own) {
        let degrees = (own + borrowed) as usize;
        let most = 1.0 - libm::exp2(-(own + 2.0));
        let gap = estimate[i] - estimate[j];
        let chance = |tau: f64| {
            let prior = 2.0 * tau * tau;
            student(gap * (prior / (prior + error) / error).sqrt(), degrees)
        };
        let chance: f64 =
            taus.iter().zip(&weights).map(|(tau, weight)| weight * chance(*tau)).sum();
        out[i][j] = chance.clamp(1.0 - most, most);
        out[j][i] = 1.0 - out[i][j];
    }
    for i in new {
        let of_tau: Vec<Vec<f64>> = (taus.par_iter())
            .map(|tau| newcomer_chances(i, *tau, table, &evidence[i], estimate, &variances))
            .collect();
        for j in (0..k).filter(|j| *j != i) {
            let chance: f64 = of_tau.iter().zip(&weights).map(|(of, weight)| weight * of[j]).sum();
            if (chance - 0.5).abs() < (out[i][j] - 0.5).abs() {
                (out[i][j], out[j][i]) = (chance, 1.0 - chance);
            }
        }
    }
    out
}

/// How likely a newcomer is better than each, by its games: no normal curve is like the likelihood
/// of a handful, all won. Methods are `N(mean, τ²)`; games on one prompt count as one.
fn newcomer_chances(
    newcomer: usize,
    tau: f64,
    table: &Table,
    evidence: &Evidence,
    estimate: &[f64],
    variances: &[f64],
) -> Vec<f64> {
    let others = || (0..estimate.len()).filter(|i| *i != newcomer);
    let weight = |i: usize| 1.0 / (tau * tau + variances[i]);
    let mean = others().map(|i| weight(i) * estimate[i]).sum::<f64>();
    let mean = mean / others().map(weight).sum::<f64>();
    let drawn_in = |i: usize| mean + (estimate[i] - mean) * tau * tau * weight(i);
    let met: Vec<(f64, f64, f64)> = (table.cells.iter().zip(&table.totals))
        .filter_map(|(cell, of)| match newcomer {
            it if it == cell.a => Some((drawn_in(cell.b), of.a_wins, of.b_wins, of.ties)),
            it if it == cell.b => Some((drawn_in(cell.a), of.b_wins, of.a_wins, of.ties)),
            _ => None,
        })
        .map(|(at, won, lost, ties)| (at, won + 0.5 * ties, lost + 0.5 * ties))
        .collect();
    let power = evidence.prompts as f64 / evidence.games;
    let places: Vec<f64> = (-40..=40).map(|z| mean + tau * 0.1 * f64::from(z)).collect();
    let log_share = |place: &f64| {
        let log_odds = |at: f64| (place - at) / ELO_PER_NAT;
        let log = |x: f64| -libm::log1p(libm::exp(-x));
        let each =
            met.iter().map(|(at, won, lost)| won * log(log_odds(*at)) + lost * log(-log_odds(*at)));
        let z = (place - mean) / tau;
        power * each.sum::<f64>() - 0.5 * z * z
    };
    let shares = shares_of(places.iter().map(log_share));
    let better_than = |i: usize| {
        let error = (variances[i] * tau * tau * weight(i)).sqrt();
        let chance = |place: f64| 0.5 * libm::erfc((drawn_in(i) - place) / error / SQRT_2);
        places.iter().zip(&shares).map(|(place, share)| share * chance(*place)).sum()
    };
    (0..estimate.len()).map(better_than).collect()
}

/// Of a difference, by the 2.5 % of replicates nearest to the contrary order, or of it. The other
/// side says nothing of the order, and is wide where a replicate lacks any loss of a method. Of
/// equal ratings, each side is one: the wider.
fn squared_error(gap: f64, i: usize, j: usize, drawn: &[Vec<f64>]) -> f64 {
    let beyond = |sign: f64| {
        let mut gaps: Vec<f64> = drawn.iter().map(|d| sign * (d[i] - d[j])).collect();
        let place = gaps.len() * 25 / 1000;
        let (_, low, _) = gaps.select_nth_unstable_by(place, f64::total_cmp);
        let error = ((sign * gap - *low) / 1.96).max(0.0);
        error * error
    };
    if gap.abs() < LEVEL_ELO { beyond(1.0).max(beyond(-1.0)) } else { beyond(gap.signum()) }
}

/// Likelihood of the `taus` by the ratings, each `N(mean, τ² + its variance)` with any mean.
fn weights(ratings: &[f64], variances: &[f64], taus: &[f64], median: f64) -> Vec<f64> {
    let log_weight = |tau: &f64| {
        let each: Vec<f64> = variances.iter().map(|v| 1.0 / (tau * tau + v)).collect();
        let sum: f64 = each.iter().sum();
        let weighted = ratings.iter().zip(&each);
        let mean = weighted.clone().map(|(r, w)| r * w).sum::<f64>() / sum;
        let misfit: f64 = weighted.map(|(r, w)| (r - mean) * (r - mean) * w).sum();
        let logs: f64 = each.iter().map(|w| libm::log(*w)).sum();
        let x = tau / median;
        // The prior of τ is half-Cauchy; the grid is one of its logarithm.
        0.5 * (logs - libm::log(sum) - misfit) + libm::log(*tau) - libm::log1p(x * x)
    };
    shares_of(taus.iter().map(log_weight))
}
