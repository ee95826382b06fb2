//! Judges that refuse mostly where one method wins: what they leave out favours the others.

use super::collect::{Collected, Said};
use super::key::Key;
use crate::rate::Winner;
use crate::store::{Rater, Record};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer prompts with a refusal say nothing.
const PROMPTS_MIN: usize = 8;
/// Named where chance alone would have as many with a smaller probability; several methods and
/// judges are looked at.
const CHANCE_MAX: f64 = 0.001;

/// Refused pairs: judge and prompt, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Refusals(BTreeMap<Rater, BTreeSet<String>>);

impl Refusals {
    pub(super) fn add(&mut self, record: &Record, prompts: impl Iterator<Item = String>) {
        if record.outcome.name() == "refusal" && record.b.is_some() {
            self.0.entry(record.judge.clone()).or_default().extend(prompts);
        }
    }

    /// A sentence for each judge and method where it is so.
    pub(super) fn texts(&self, collected: &Collected) -> Vec<String> {
        if self.0.is_empty() {
            return Vec::new();
        }
        // Score and games by prompt and method, of every answer of judges on any criterion.
        let mut sums: BTreeMap<usize, BTreeMap<usize, (f64, f64)>> = BTreeMap::new();
        let choices = collected.games.iter().filter(|(Key { voice, .. }, _)| !voice.is_human());
        for Said { answer, rater, .. } in choices.flat_map(|(_, it)| collected.said(it)) {
            if rater.is_none() {
                continue; // a missing asset decided it
            }
            let score = match answer.winner {
                Winner::A => 1.0,
                Winner::Tie => 0.5,
                Winner::B => 0.0,
            };
            let here = sums.entry(answer.prompt).or_default();
            for (method, score) in [(answer.a, score), (answer.b, 1.0 - score)] {
                let sum = here.entry(method).or_default();
                (sum.0, sum.1) = (sum.0 + score, sum.1 + 1.0);
            }
        }
        let wins = |method: usize, prompt: usize| {
            sums[&prompt].get(&method).map(|(score, games)| *score > 0.5 * games)
        };
        let mut texts = Vec::new();
        for (judge, refused) in &self.0 {
            let name = |prompt: usize| &collected.prompts.names[prompt];
            let here: Vec<usize> =
                sums.keys().copied().filter(|p| refused.contains(name(*p))).collect();
            for (method, named) in collected.methods.names.iter().enumerate() {
                let known = |prompts: &mut dyn Iterator<Item = usize>| {
                    let each: Vec<bool> = prompts.filter_map(|p| wins(method, p)).collect();
                    (each.iter().filter(|wins| **wins).count(), each.len())
                };
                let (hits, all) = known(&mut here.iter().copied());
                let mut others = sums.keys().copied().filter(|p| !refused.contains(name(*p)));
                let (other_hits, others) = known(&mut others);
                // Half a prompt more on each side: nothing is certain after a few prompts.
                let usual = (other_hits as f64 + 0.5) / (others as f64 + 1.0);
                if all >= PROMPTS_MIN && 2 * hits > all && tail(hits, all, usual) < CHANCE_MAX {
                    texts.push(format!(
                        "{hits} of {all} refusals of {judge} are prompts that {named} wins elsewhere ({:.0} % of the other prompts): what it left out favours the others",
                        100.0 * other_hits as f64 / others.max(1) as f64
                    ));
                }
            }
        }
        texts
    }
}

/// How likely `hits` or more of `all` are, each with this chance.
fn tail(hits: usize, all: usize, chance: f64) -> f64 {
    let mut term = libm::pow(1.0 - chance, all as f64);
    let mut below = 0.0;
    for k in 0..hits {
        below += term;
        term *= (all - k) as f64 / (k + 1) as f64 * chance / (1.0 - chance);
    }
    (1.0 - below).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binomial_tail_by_hand() {
        // 3 or 4 of 4 at even odds: 5 of 16.
        assert!((tail(3, 4, 0.5) - 5.0 / 16.0).abs() < 1e-12);
        assert!((tail(0, 4, 0.3) - 1.0).abs() < 1e-12);
    }
}
