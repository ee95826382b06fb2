//! A jury: several judges, each of which says which of two methods wins a question, held against
//! what people decided. How often each is right, how often their majority is, and how often a
//! weighted sum is whose weights were learned from the votes on other prompts.
//!
//! A member that says a tie, or nothing, is right half of the time, as one that tosses a coin.
//! Weights w are those of a logistic regression without a constant,
//! `P(first wins) = 1 / (1 + exp(−w·x))` with x = 1, −1 or 0 for each member, and a normal prior of
//! standard deviation 1 on each weight. Prompts are dealt to at most ten folds; the questions of a
//! fold are decided by weights from the others.

use super::bradley_terry::{TOLERANCE_ELO, level, maximum};
use super::confusion::Estimate;
use super::elo::ELO_PER_NAT;
use super::likelihood::{Likelihood, Row, Sum, Ties};
use super::linear::dot;
use super::model::Prior;
use super::share::{share, share_difference};
use super::spread::by_cluster;
use std::collections::{BTreeMap, BTreeSet};

/// Fewer prompts or questions say nothing about weights.
const PROMPTS_MIN: usize = 10;
const QUESTIONS_MIN: usize = 30;
const FOLDS: usize = 10;
/// A smaller sum has no sign.
const LEVEL: f64 = 1e-9;

/// A question that people decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Index of the prompt, the cluster.
    pub prompt: usize,
    /// Whether the method listed first won.
    pub first_won: bool,
    /// Of each member: 1 for the first, −1 for the second, 0 for a tie or no answer.
    pub said: Vec<f64>,
}

/// How often somebody decides as people did.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct JuryLine {
    /// A member's weight, from all questions.
    pub weight: Option<f64>,
    /// The share of the questions, with an interval over prompts.
    pub right: Estimate,
    /// What it is above the best member's, with an interval over prompts; none for that member.
    pub gain: Option<Estimate>,
}

/// A jury with its members.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Jury {
    /// In the order of [`Trial::said`].
    pub members: Vec<JuryLine>,
    /// The member that is right most often on these questions, which favours it a little.
    pub best: usize,
    /// By the sign of the sum of what the members say.
    pub majority: JuryLine,
    /// By learned weights, each question by weights from other prompts.
    pub weighted: JuryLine,
    pub num_questions: usize,
    pub num_prompts: usize,
}

/// None with fewer than two members, ten prompts or 30 questions.
pub fn jury(trials: &[Trial]) -> Option<Jury> {
    let num_members = trials.first()?.said.len();
    let prompts: BTreeSet<usize> = trials.iter().map(|trial| trial.prompt).collect();
    if num_members < 2 || prompts.len() < PROMPTS_MIN || trials.len() < QUESTIONS_MIN {
        return None;
    }
    let of_member = |m: usize| trials.iter().map(|t| credit(t, t.said[m])).collect::<Vec<f64>>();
    let credits: Vec<Vec<f64>> = (0..num_members).map(of_member).collect();
    let sum = |credits: &Vec<f64>| credits.iter().sum::<f64>();
    let best =
        (0..num_members).rev().max_by(|x, y| sum(&credits[*x]).total_cmp(&sum(&credits[*y])))?;
    let line = |mine: &[f64], weight: Option<f64>| {
        let each = || trials.iter().map(|trial| trial.prompt).zip(mine).zip(&credits[best]);
        let right = by_cluster(each().map(|((prompt, mine), _)| (prompt, *mine)));
        let gain = by_cluster(each().map(|((prompt, mine), best)| (prompt, mine - best)));
        Some(JuryLine { weight, right: share(&right)?, gain: share_difference(&gain) })
    };
    let weights = learned(&trials.iter().collect::<Vec<_>>());
    let members = (0..num_members).map(|m| {
        let line = line(&credits[m], Some(weights[m]))?;
        Some(JuryLine { gain: line.gain.filter(|_| m != best), ..line })
    });
    let majority: Vec<f64> = trials.iter().map(|t| credit(t, t.said.iter().sum())).collect();
    Some(Jury {
        members: members.collect::<Option<_>>()?,
        best,
        majority: line(&majority, None)?,
        weighted: line(&held_out(trials, &prompts), None)?,
        num_questions: trials.len(),
        num_prompts: prompts.len(),
    })
}

/// Whether a sum has the sign of the people's decision; half for neither.
fn credit(trial: &Trial, sum: f64) -> f64 {
    if sum.abs() < LEVEL {
        return 0.5;
    }
    if (sum > 0.0) == trial.first_won { 1.0 } else { 0.0 }
}

/// Each question by weights from the prompts of other folds.
fn held_out(trials: &[Trial], prompts: &BTreeSet<usize>) -> Vec<f64> {
    let fold: BTreeMap<usize, usize> =
        prompts.iter().enumerate().map(|(place, prompt)| (*prompt, place % FOLDS)).collect();
    let weights: Vec<Vec<f64>> = (0..FOLDS)
        .map(|out| {
            let others: Vec<&Trial> = trials.iter().filter(|t| fold[&t.prompt] != out).collect();
            learned(&others)
        })
        .collect();
    let sum = |trial: &Trial| dot(&weights[fold[&trial.prompt]], &trial.said);
    trials.iter().map(|trial| credit(trial, sum(trial))).collect()
}

/// One method that meets itself: only the covariates, what members say, decide. Weights that do not
/// settle are 0.
fn learned(trials: &[&Trial]) -> Vec<f64> {
    let row = |trial: &&Trial| {
        let score = f64::from(u8::from(trial.first_won));
        Row { a: 0, b: 0, sum: Sum { games: 1.0, score } }
    };
    let said: Vec<f64> = trials.iter().flat_map(|trial| trial.said.iter().copied()).collect();
    let rows: Vec<Row> = trials.iter().map(row).collect();
    let prior = Prior { sd_elo: ELO_PER_NAT };
    let likelihood = Likelihood::new(1, rows, said, Ties::Known(0.0), Some(prior));
    match maximum(&likelihood, &level(1), None, TOLERANCE_ELO) {
        Ok((at, _)) => at[1..].to_vec(),
        Err(_) => vec![0.0; likelihood.num_covariates],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    /// Members right with these chances, independently, and silent on a tenth of the questions.
    fn trials(num_prompts: usize, chances: &[f64], seed: u64) -> Vec<Trial> {
        let mut random = Random::new(seed, 1);
        let mut trial = |prompt: usize| {
            let first_won = random.unit() < 0.5;
            let mut say = |chance: &f64| {
                if random.unit() < 0.1 {
                    return 0.0;
                }
                if (random.unit() < *chance) == first_won { 1.0 } else { -1.0 }
            };
            Trial { prompt, first_won, said: chances.iter().map(&mut say).collect() }
        };
        (0..num_prompts).flat_map(|prompt| [prompt; 5]).map(&mut trial).collect()
    }

    #[test]
    fn a_jury_of_equals_is_better_than_each() {
        let found = jury(&trials(200, &[0.7; 5], 1)).unwrap();
        let low = |line: &JuryLine| line.gain.unwrap().interval.unwrap().low;
        assert!(low(&found.majority) > 0.05, "{:?}", found.majority);
        assert!(low(&found.weighted) > 0.05, "{:?}", found.weighted);
    }

    #[test]
    fn weights_find_who_knows_and_who_says_the_opposite() {
        let found = jury(&trials(200, &[0.85, 0.5, 0.5, 0.5, 0.2], 2)).unwrap();
        let weights: Vec<f64> = found.members.iter().map(|line| line.weight.unwrap()).collect();
        assert_eq!(found.best, 0);
        // The logit of the chance, as members speak by themselves.
        assert!((weights[0] - 1.73).abs() < 0.3 && (weights[4] + 1.39).abs() < 0.3, "{weights:?}");
        assert!(weights[1..4].iter().all(|weight| weight.abs() < 0.3), "{weights:?}");
        let gain = |line: JuryLine| line.gain.unwrap().value;
        assert!(gain(found.weighted) > 0.02 && gain(found.majority) < -0.1);
        assert!(found.members[0].gain.is_none());
    }

    #[test]
    fn weights_learned_from_nothing_gain_nothing() {
        // The same questions decide on weights and are not asked with them: members that know
        // nothing stay at a half.
        let mut total = 0.0;
        for seed in 0..20 {
            let found = jury(&trials(20, &[0.5; 6], 10 + seed)).unwrap();
            total += found.weighted.right.value;
        }
        assert!((total / 20.0 - 0.5).abs() < 0.03, "{total}");
    }

    #[test]
    fn few_questions_have_no_jury() {
        assert!(jury(&trials(5, &[0.7; 3], 3)).is_none());
        assert!(jury(&trials(50, &[0.7], 3)).is_none());
        assert!(jury(&[]).is_none());
    }
}
