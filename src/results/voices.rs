//! Agreement of two voices: judge against judge, judge against people; and of people among
//! themselves, the ceiling for a judge.

use super::collect::{Choice, Collected, Said, methods_of, raters_of};
use super::key::{Key, On};
use super::settings::RateSettings;
use super::voice::Voice;
use crate::rate::{
    Agreement, Answer, Consistency, RateError, Raters, Vote, Winner, agreement, raters, units,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Agreement of two voices on one criterion, over pairs (prompt and two methods) both judged.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct VoiceAgreement {
    #[serde(flatten)]
    pub on: On,
    pub first: Voice,
    /// [`Voice::People`] where people voted.
    pub second: Voice,
    /// Shares, κ and correlations of rankings, with intervals.
    pub agreement: Agreement,
}

/// Agreement of people among themselves on one criterion.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PeopleAgreement {
    #[serde(flatten)]
    pub on: On,
    /// Names of raters; sources in `agreement` are indices into these.
    pub raters: Vec<String>,
    pub agreement: Raters,
}

/// Every two voices on every criterion; all judges together are compared only with people.
///
/// # Errors
/// A fit that does not converge.
pub(super) fn agreements(
    settings: &RateSettings,
    collected: &Collected,
) -> Result<Vec<VoiceAgreement>, RateError> {
    let mut found = Vec::new();
    for (on, voices) in collected.by_criterion() {
        for (i, (first, x)) in voices.iter().enumerate() {
            for (second, y) in &voices[i + 1..] {
                if **second == Voice::AllJudges {
                    continue;
                }
                // A judge says much more than people do: what only one of them was asked is left
                // out before it is put together.
                let fewer = if x.len() < y.len() { x } else { y };
                let asked: HashSet<_> = collected.said(fewer).map(place).collect();
                let [x, y] = [x, y]
                    .map(|said| collected.said(said).filter(|said| asked.contains(&place(*said))));
                let used = methods_of(x.clone().chain(y.clone()));
                let (x, y) = (votes(x, &used, &[]), votes(y, &used, &[]));
                if let Some(agreement) = agreement(&x, &y, settings.sampling())? {
                    found.push(VoiceAgreement {
                        on: on.clone(),
                        first: (*first).clone(),
                        second: (*second).clone(),
                        agreement,
                    });
                }
            }
        }
    }
    Ok(found)
}

/// Votes of something that is no voice against every voice on every criterion.
///
/// # Errors
/// A fit that does not converge.
pub(super) fn agreement_with<'a>(
    settings: &RateSettings,
    collected: &'a Collected,
    theirs: &[Vote],
) -> Result<Vec<(&'a Key, Agreement)>, RateError> {
    let mut found = Vec::new();
    for (key, choices) in &collected.games {
        let said = collected.said(choices);
        let named = theirs.iter().flat_map(|vote| [vote.a, vote.b]);
        let methods: BTreeSet<usize> = methods_of(said.clone()).into_iter().chain(named).collect();
        let methods: Vec<usize> = methods.into_iter().collect();
        let index = |method: usize| methods.binary_search(&method).unwrap_or_default();
        let theirs: Vec<Vote> = theirs
            .iter()
            .map(|vote| Vote { a: index(vote.a), b: index(vote.b), ..*vote })
            .collect();
        let ours = votes(said, &methods, &[]);
        let agreement = agreement(&theirs, &ours, settings.sampling())?;
        found.extend(agreement.map(|agreement| (key, agreement)));
    }
    Ok(found)
}

/// The ceiling, on every criterion that two people or more voted on.
pub(super) fn people(settings: &RateSettings, collected: &Collected) -> Vec<PeopleAgreement> {
    let each = collected.games.iter().filter(|(Key { voice, .. }, _)| *voice == Voice::People);
    let of = |(Key { on, .. }, choices): (&Key, &Vec<Choice>)| {
        let said = collected.said(choices);
        let named = raters_of(said.clone());
        let votes = votes(said.clone(), &methods_of(said), &named);
        Some(PeopleAgreement {
            on: on.clone(),
            raters: named
                .iter()
                .map(|&rater| collected.raters.names[rater as usize].clone())
                .collect(),
            agreement: raters(&votes, settings.sampling())?,
        })
    };
    each.filter_map(of).collect()
}

/// Prompt and methods, the smaller index first.
fn place(said: Said) -> (usize, usize, usize) {
    let Answer { a, b, prompt, .. } = said.answer;
    (prompt, a.min(b), a.max(b))
}

/// One vote a unit; an inconsistent unit is a tie. Sources index `raters`; 0 if nobody asks.
pub(super) fn votes(
    said: impl Iterator<Item = Said>,
    methods: &[usize],
    raters: &[u32],
) -> Vec<Vote> {
    let mut by_source: BTreeMap<usize, Vec<Answer>> = BTreeMap::new();
    for said in said {
        // What a rule decided is nobody's vote.
        let Some(rater) = said.rater else { continue };
        let source = raters.binary_search(&rater).unwrap_or_default();
        by_source.entry(source).or_default().push(said.among(methods));
    }
    let mut votes = Vec::new();
    for (source, answers) in by_source {
        for unit in units(&answers) {
            votes.push(Vote {
                prompt: unit.prompt,
                a: unit.a,
                b: unit.b,
                source,
                winner: match unit.consistency {
                    Consistency::Agreed(winner)
                    | Consistency::OneOrder(winner)
                    | Consistency::Sideless(winner) => winner,
                    Consistency::Inconsistent => Winner::Tie,
                },
            });
        }
    }
    votes
}
