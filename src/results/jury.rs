//! What judges and metrics are worth together: a jury of all of them, held against people's
//! decisions on the same pairs.

use super::collect::{Collected, raters_of};
use super::key::{Key, On};
use super::voice::Voice;
use super::voices::votes;
use crate::rate::{Jury, Trial, Vote, Winner, jury, majority};
use std::collections::BTreeMap;

/// The jury on one criterion.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CriterionJury {
    #[serde(flatten)]
    pub on: On,
    /// Judges and metrics, in the order of the members of `jury`.
    pub members: Vec<String>,
    pub jury: Jury,
}

/// Prompt and methods, the smaller index first.
type Question = (usize, usize, usize);

/// One per criterion that people decided often enough and two judges or metrics also decided.
pub(super) fn juries(collected: &Collected, metrics: &[(String, Vec<Vote>)]) -> Vec<CriterionJury> {
    let all: Vec<usize> = (0..collected.methods.names.len()).collect();
    let people = collected.games.iter().filter(|(Key { voice, .. }, _)| *voice == Voice::People);
    let of = |on: &On, people: &[Vote]| {
        let people = signs(&majority(people));
        let judges =
            collected.games.iter().filter_map(|(Key { on: other, voice }, said)| match voice {
                Voice::Judge(rater) if other == on => {
                    Some((rater.to_string(), signs(&votes(collected.said(said), &all, &[]))))
                }
                _ => None,
            });
        let metrics = metrics.iter().map(|(name, votes)| (name.clone(), signs(votes)));
        let decided: Vec<(&Question, bool)> = people
            .iter()
            .filter(|(_, sign)| **sign != 0.0)
            .map(|(question, sign)| (question, *sign > 0.0))
            .collect();
        // Who said little is no member, or others would be compared on questions it never saw.
        let says_enough = |(_, said): &(String, BTreeMap<Question, f64>)| {
            2 * decided.iter().filter(|(question, _)| said.contains_key(*question)).count()
                >= decided.len()
        };
        let (members, said): (Vec<_>, Vec<_>) = judges.chain(metrics).filter(says_enough).unzip();
        let trial = |(question, first_won): &(&Question, bool)| Trial {
            prompt: question.0,
            first_won: *first_won,
            said: said.iter().map(|said| said.get(*question).copied().unwrap_or(0.0)).collect(),
        };
        let trials: Vec<Trial> = decided.iter().map(trial).collect();
        Some(CriterionJury { on: on.clone(), members, jury: jury(&trials)? })
    };
    let each = people.filter_map(|(Key { on, .. }, choices)| {
        let said = collected.said(choices);
        let raters = raters_of(said.clone());
        of(on, &votes(said, &all, &raters))
    });
    each.collect()
}

/// 1 where the method with the smaller index wins, −1 where the other does, 0 for a tie.
fn signs(votes: &[Vote]) -> BTreeMap<Question, f64> {
    let sign = |vote: &Vote| {
        let first = match vote.winner {
            Winner::A => 1.0,
            Winner::B => -1.0,
            Winner::Tie => 0.0,
        };
        let question = (vote.prompt, vote.a.min(vote.b), vote.a.max(vote.b));
        (question, if vote.a <= vote.b { first } else { -first })
    };
    votes.iter().map(sign).collect()
}
