//! How far two voices say the same: judge against judge, judge against people.

use super::Voice;
use super::boards::{is_judged, opinions};
use super::collect::{Collected, On};
use crate::rate::{Accuracy, Winner, accuracy, cohen_kappa};
use std::collections::BTreeMap;

/// Two voices on one criterion, over the pairs (prompt and two methods) that both judged.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct VoiceAgreement {
    /// The rubric's name.
    pub rubric: String,
    /// The criterion's key.
    pub criterion: String,
    /// The one voice.
    pub first: Voice,
    /// The other; people where people voted.
    pub second: Voice,
    /// Counts on decided pairs and on all.
    pub accuracy: Accuracy,
    /// Cohen's κ over better, worse, tie.
    pub kappa: Option<f64>,
}

/// Every two voices on every criterion; all judges together stand only against people.
pub fn agreement(collected: &Collected) -> Vec<VoiceAgreement> {
    let mut by_criterion: BTreeMap<&On, Vec<(&Voice, BTreeMap<_, Winner>)>> = BTreeMap::new();
    for ((on, voice), said) in &collected.games {
        let judged: Vec<_> = said.iter().filter(is_judged).cloned().collect();
        let opinions = opinions(&judged, collected.prompts.len());
        by_criterion.entry(on).or_default().push((voice, opinions));
    }
    let mut found = Vec::new();
    for (on, voices) in by_criterion {
        for (i, (first, x)) in voices.iter().enumerate() {
            for (second, y) in &voices[i + 1..] {
                if **second == Voice::AllJudges {
                    continue;
                }
                let pairs: Vec<(Winner, Winner)> = (x.iter())
                    .filter_map(|(key, w)| Some((*w, *y.get(key)?)))
                    .collect();
                if pairs.is_empty() {
                    continue;
                }
                found.push(VoiceAgreement {
                    rubric: on.rubric.clone(),
                    criterion: on.criterion.clone(),
                    first: (*first).clone(),
                    second: (*second).clone(),
                    accuracy: accuracy(&pairs),
                    kappa: cohen_kappa(&pairs),
                });
            }
        }
    }
    found
}
