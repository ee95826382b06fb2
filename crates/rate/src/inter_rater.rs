//! Inter-rater agreement with its uncertainty: votes of two sources, or of several raters → figures
//! with 95 % intervals, by a bootstrap over prompts.
//!
//! A vote is what one source said of two methods on one prompt; a question is a pair on a prompt. A
//! replicate draws prompts with replacement, the same for both sources, and works every figure out
//! anew; rankings move as the prompts move both fits. Intervals are widened for few prompts as
//! those of ratings are, and cut at what the figure can be. A figure that cannot be worked out, or
//! did not differ between replicates, has none. κ and α count each question in both orientations,
//! so that the names of methods change nothing.

use super::bradley_terry::fit;
use super::confusion::{
    AgreementRates, AnswerPair, CELLS, Clusters, Drawn, Estimate, Question, Sampling,
    agreement_rates, all, all_same, both_orientations, places, ratio,
};
use super::connect::components;
use super::correlation::{kendall_tau_b, spearman};
use super::error::RateError;
use super::game::{Game, Side};
use super::model::{Anchor, Model};
use super::spread::Spread;
use super::table::Table;
use crate::winner::Winner;
use std::collections::BTreeMap;

/// What a source said of two methods on a prompt; its votes on one question count together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vote {
    /// Index of the prompt, the cluster.
    pub prompt: usize,
    /// Index of the method listed first.
    pub a: usize,
    pub b: usize,
    /// Who says so: a rater, a judge.
    pub source: usize,
    /// Who won, in the listed order.
    pub winner: Winner,
}

impl Vote {
    pub(super) fn game(&self) -> Game {
        let Self { prompt, a, b, winner, .. } = *self;
        Game { a, b, prompt, winner, side: Side::Neither, weight: 1.0 }
    }
}

/// Two sources on the questions that both answered.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Agreement {
    pub same: AgreementRates,
    /// Kendall's τ-b of the methods' ratings.
    pub kendall: Option<Estimate>,
    /// Spearman's ρ of the methods' ratings.
    pub spearman: Option<Estimate>,
    pub num_methods: usize,
    pub num_prompts: usize,
}

/// Raters among themselves: the ceiling for a judge.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Raters {
    /// Every two raters on every question both answered, pooled; κ is the mean of theirs.
    pub pairwise: AgreementRates,
    /// By rising source: against the majority of the others.
    pub against_rest: Vec<(usize, AgreementRates)>,
    /// All of these pooled: a judge's standard against the majority; κ is the mean of theirs.
    pub rest: AgreementRates,
    /// Krippendorff's α for nominal data (Krippendorff 2019, 12.3).
    pub alpha: Option<Estimate>,
}

/// One vote a question: who has more of the votes, each voter's own votes put together first.
/// Sorted by prompt and methods.
pub fn majority(votes: &[Vote]) -> Vec<Vote> {
    let mut sums: BTreeMap<Question, i64> = BTreeMap::new();
    for ((question, _), winner) in opinions(votes) {
        *sums.entry(question).or_default() += sign(winner);
    }
    let vote = |((prompt, a, b), sum): (Question, i64)| Vote {
        prompt,
        a,
        b,
        source: 0,
        winner: winner(sum),
    };
    sums.into_iter().map(vote).collect()
}

/// Compares two sources by their voters' majorities. Rankings are Bradley–Terry ratings with the
/// weak prior, draws as half wins, fitted to the common questions alone, so both rest on the same
/// ones; no rankings where these do not link the methods. None without a common question.
///
/// # Errors
/// A method against itself, a fit that does not settle.
pub fn agreement(
    x: &[Vote],
    y: &[Vote],
    sampling: Sampling,
) -> Result<Option<Agreement>, RateError> {
    let of = |votes: &[Vote]| -> BTreeMap<Question, Winner> {
        let all = majority(votes).into_iter();
        all.map(|v| ((v.prompt, v.a, v.b), v.winner)).collect()
    };
    let (x, y) = (of(x), of(y));
    let both: Vec<AnswerPair> =
        x.iter().filter_map(|(question, x)| Some((*question, *x, *y.get(question)?))).collect();
    if both.is_empty() {
        return Ok(None);
    }
    let prompts = places(both.iter().map(|((prompt, ..), ..)| *prompt));
    let methods = places(both.iter().flat_map(|((_, a, b), ..)| [*a, *b]));
    let clusters = Clusters::of(&prompts, [&both]);
    let [kendall, spearman] = rankings(&both, &methods, sampling)?;
    Ok(Some(Agreement {
        same: agreement_rates(&clusters, &Drawn::new(prompts.len(), sampling)),
        kendall,
        spearman,
        num_methods: methods.len(),
        num_prompts: prompts.len(),
    }))
}

/// How well raters agree among themselves. None with fewer than two on any question.
pub fn raters(votes: &[Vote], sampling: Sampling) -> Option<Raters> {
    let said = opinions(votes);
    let prompts = places(votes.iter().map(|vote| vote.prompt));
    // By question, so that only raters who have one in common meet.
    let mut by_question: BTreeMap<Question, Vec<(usize, Winner)>> = BTreeMap::new();
    for ((question, source), winner) in said {
        by_question.entry(question).or_default().push((source, winner));
    }
    let mut pairs: BTreeMap<(usize, usize), Vec<AnswerPair>> = BTreeMap::new();
    let mut rests: BTreeMap<usize, Vec<AnswerPair>> = BTreeMap::new();
    for (question, all) in &by_question {
        let sum: i64 = all.iter().map(|(_, winner)| sign(*winner)).sum();
        for (k, (source, mine)) in all.iter().enumerate() {
            for (other, theirs) in &all[..k] {
                pairs.entry((*source, *other)).or_default().push((*question, *theirs, *mine));
            }
            let rest = rests.entry(*source).or_default();
            if all.len() > 1 {
                rest.push((*question, *mine, winner(sum - sign(*mine))));
            }
        }
    }
    if pairs.is_empty() {
        return None;
    }
    let drawn = Drawn::new(prompts.len(), sampling);
    let rates = |clusters: Clusters| agreement_rates(&clusters, &drawn);
    let against_rest =
        rests.iter().map(|(source, both)| (*source, rates(Clusters::of(&prompts, [both]))));
    Some(Raters {
        pairwise: rates(Clusters::of(&prompts, pairs.values())),
        rest: rates(Clusters::of(&prompts, rests.values())),
        against_rest: against_rest.collect(),
        alpha: alpha(&by_question, &prompts, &drawn),
    })
}

/// What each source says of each question, `a` < `b`, its votes put together.
fn opinions(votes: &[Vote]) -> BTreeMap<(Question, usize), Winner> {
    let mut sums: BTreeMap<(Question, usize), i64> = BTreeMap::new();
    for vote in votes {
        let (a, b) = (vote.a.min(vote.b), vote.a.max(vote.b));
        let turn = if vote.a < vote.b { 1 } else { -1 };
        *sums.entry(((vote.prompt, a, b), vote.source)).or_default() += turn * sign(vote.winner);
    }
    sums.into_iter().map(|(key, sum)| (key, winner(sum))).collect()
}

fn sign(winner: Winner) -> i64 {
    match winner {
        Winner::A => 1,
        Winner::B => -1,
        Winner::Tie => 0,
    }
}

fn winner(sum: i64) -> Winner {
    match sum.signum() {
        1 => Winner::A,
        -1 => Winner::B,
        _ => Winner::Tie,
    }
}

/// `α = 1 − (n − 1) Σ_{c≠k} o_ck / Σ_{c≠k} n_c n_k` with the coincidences `o_ck` of all raters of a
/// question, each question weighing as many as its votes, in both orientations.
fn alpha(
    said: &BTreeMap<Question, Vec<(usize, Winner)>>,
    place: &BTreeMap<usize, usize>,
    drawn: &Drawn,
) -> Option<Estimate> {
    let mut counts = BTreeMap::new();
    for ((prompt, ..), all) in said.iter().filter(|(_, all)| all.len() > 1) {
        let mut n = [0.0; 3];
        all.iter().for_each(|(_, winner)| n[*winner as usize] += 1.0);
        for cell in 0..CELLS {
            let (i, j) = (cell / 3, cell % 3);
            let others = if i == j { n[j] - 1.0 } else { n[j] };
            let more = n[i] * others / (all.len() as f64 - 1.0);
            *counts.entry((place[prompt], cell)).or_insert(0.0) += more;
        }
    }
    let clusters = Clusters::new(place.len(), 1, counts);
    drawn.estimate((-1.0, 1.0), |times| {
        let o = &both_orientations(&clusters.added(times)[0]);
        let n = all(o);
        let margins = o.map(|row| row.iter().sum::<f64>());
        let squares: f64 = margins.iter().map(|m| m * m).sum();
        Some(1.0 - (n - 1.0) * ratio(n - all_same(o), n * n - squares)?)
    })
}

/// Kendall's τ-b and Spearman's ρ of the ratings from both sources; `place` has the methods.
fn rankings(
    both: &[AnswerPair],
    place: &BTreeMap<usize, usize>,
    sampling: Sampling,
) -> Result<[Option<Estimate>; 2], RateError> {
    let table = |of: fn(&AnswerPair) -> Winner| {
        let game = |said: &AnswerPair| {
            let (prompt, a, b) = said.0;
            Vote { prompt, a: place[&a], b: place[&b], source: 0, winner: of(said) }.game()
        };
        Table::gathered(place.len(), both.iter().map(game))
    };
    // The same questions, so the same clusters: a replicate draws the same prompts from both.
    let tables = [table(|said| said.1)?, table(|said| said.2)?];
    if components(&tables[0]).len() > 1 {
        return Ok([None; 2]);
    }
    let names: Vec<String> = place.keys().map(usize::to_string).collect();
    let fitted = |table: &Table| {
        let found = fit(table, &names, &Model::default(), Anchor::Mean)?;
        let spread = Spread::of_fit(table, &Model::default(), &found);
        let iterations = found.iterations;
        Ok((found.ratings, spread.ok_or(RateError::NotSettled { iterations })?))
    };
    let (x, y) = (fitted(&tables[0])?, fitted(&tables[1])?);
    let drawn = Drawn::new(x.1.num_parts(), sampling);
    let figure = |of: fn(&[f64], &[f64]) -> Option<f64>| {
        drawn.estimate((-1.0, 1.0), |times| {
            let at = |(ratings, spread): &(Vec<f64>, Spread)| level(&spread.moved(ratings, times));
            of(&at(&x), &at(&y))
        })
    };
    Ok([figure(kendall_tau_b), figure(spearman)])
}

/// Rounded to thousandths of a point, so ratings equal but for the fit's tolerance tie.
fn level(ratings: &[f64]) -> Vec<f64> {
    ratings.iter().map(|r| (r * 1e3).round()).collect()
}
