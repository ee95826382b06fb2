//! Two runs → what became better or worse between them, prompt by prompt.
//!
//! Both runs' answers on one prompt are correlated, so the difference is taken on each prompt and
//! averaged: an effect that makes a prompt hard is in both and cancels. For pairs, a method's value
//! on a prompt is its share of wins there against methods that both runs have, a tie being half;
//! for single objects, its mean score.

use super::collect::Collected;
use super::key::Key;
use super::read::Gathered;
use super::settings::RateSettings;
use crate::error::Error;
use crate::rate::{Answer, Mean, Score, Winner, games, mean, units};
use std::collections::{BTreeMap, BTreeSet};

/// One method on one criterion in two runs.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Difference {
    #[serde(flatten)]
    pub key: Key,
    pub method: String,
    /// Whether values are shares of wins (0 to 1) or scores of the rubric.
    pub is_share: bool,
    /// Means over the prompts that both runs have.
    pub before: f64,
    pub after: f64,
    /// After less before.
    pub difference: Mean,
    /// The same on each prompt that both runs have.
    #[serde(skip)]
    pub prompts: Vec<(String, f64)>,
}

/// What an interval says of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Better,
    Worse,
    /// The interval holds 0, or there are too few prompts for one.
    NotTold,
}

impl Difference {
    /// A value as people read it.
    pub fn shown(&self, value: f64) -> String {
        if self.is_share { format!("{:.0} %", 100.0 * value) } else { format!("{value:.2}") }
    }

    /// A difference of values.
    pub fn signed(&self, value: f64) -> String {
        if self.is_share { format!("{:+.0} %", 100.0 * value) } else { format!("{value:+.2}") }
    }

    /// `+2 % to +9 %`.
    pub fn interval(&self) -> Option<String> {
        let interval = self.difference.interval?;
        Some(format!("{} to {}", self.signed(interval.low), self.signed(interval.high)))
    }

    pub fn change(&self) -> Change {
        match self.difference.interval {
            Some(i) if i.low > 0.0 => Change::Better,
            Some(i) if i.high < 0.0 => Change::Worse,
            _ => Change::NotTold,
        }
    }
}

/// Value and weight by prompt.
type Values = BTreeMap<String, (f64, f64)>;

/// Every method, criterion and voice that both runs have on a common prompt. The answers that were
/// gathered are used up.
///
/// # Errors
/// Nothing to rate in one of them; a run that mixes protocols.
pub fn differences(
    before: &mut Gathered,
    after: &mut Gathered,
    settings: &RateSettings,
) -> Result<Vec<Difference>, Error> {
    let (x, y) = (before.finish(settings)?, after.finish(settings)?);
    let methods = |of: &Collected| of.methods.names.iter().cloned().collect::<BTreeSet<String>>();
    let common: BTreeSet<String> = methods(&x).intersection(&methods(&y)).cloned().collect();
    let (x, y) = (values(&x, &common), values(&y, &common));
    let mut found = Vec::new();
    for ((key, is_share), before) in &x {
        let Some(after) = y.get(&(key.clone(), *is_share)) else {
            continue;
        };
        let both: Vec<(f64, f64)> = before
            .iter()
            .filter_map(|(prompt, x)| Some((x.0 / x.1, after.get(prompt).map(|y| y.0 / y.1)?)))
            .collect();
        let differences: Vec<Score> = both
            .iter()
            .enumerate()
            .map(|(prompt, (x, y))| Score { prompt, value: y - x })
            .collect();
        let Some(difference) = mean(&differences) else {
            continue;
        };
        let prompts = before.keys().filter(|prompt| after.contains_key(*prompt)).cloned();
        let prompts = prompts.zip(both.iter().map(|(x, y)| y - x)).collect();
        let n = both.len() as f64;
        let (key, method) = key.clone();
        found.push(Difference {
            key,
            method,
            is_share: *is_share,
            before: both.iter().map(|(x, _)| x).sum::<f64>() / n,
            after: both.iter().map(|(_, y)| y).sum::<f64>() / n,
            difference,
            prompts,
        });
    }
    Ok(found)
}

fn values(
    collected: &Collected,
    common: &BTreeSet<String>,
) -> BTreeMap<((Key, String), bool), Values> {
    let name = |method: usize| collected.methods.names[method].clone();
    let mut found: BTreeMap<((Key, String), bool), Values> = BTreeMap::new();
    let mut add = |key: &Key, method, is_share: bool, prompt: usize, value: f64, weight: f64| {
        let prompt = collected.prompts.names[prompt].clone();
        let sum = found
            .entry(((key.clone(), name(method)), is_share))
            .or_default()
            .entry(prompt)
            .or_default();
        sum.0 += weight * value;
        sum.1 += weight;
    };
    for (key, choices) in &collected.games {
        let answers: Vec<Answer> = collected
            .said(choices)
            .map(|said| said.answer)
            .filter(|answer| common.contains(&name(answer.a)) && common.contains(&name(answer.b)))
            .collect();
        for game in games(&units(&answers)) {
            let share = match game.winner {
                Winner::A => 1.0,
                Winner::Tie => 0.5,
                Winner::B => 0.0,
            };
            add(key, game.a, true, game.prompt, share, game.weight);
            add(key, game.b, true, game.prompt, 1.0 - share, game.weight);
        }
    }
    for (key, scores) in &collected.scores {
        for scored in scores.iter().filter(|scored| common.contains(&name(scored.method))) {
            add(key, scored.method, false, scored.score.prompt, scored.score.value, 1.0);
        }
    }
    found
}
