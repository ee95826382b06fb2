//! Answers to the items of checklists → how well each judge agrees with people, and people among
//! themselves.

use super::collect::{Collected, Scored};
use super::key::{Key, On};
use super::settings::RateSettings;
use super::voice::Voice;
use crate::rate::{Checked, CheckedAnswer, checked};
use crate::rubric::Yes;
use std::collections::{BTreeMap, BTreeSet};

/// One voice's answers to the items of a checklist, against people's.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ChecklistBoard {
    pub rubric: String,
    /// [`Voice::People`]: each person against the majority of the others.
    pub voice: Voice,
    pub num_assets: usize,
    /// People with answers.
    pub num_raters: usize,
    /// Labels without a majority among people, which are left out.
    pub num_split: usize,
    /// Item and its figures.
    pub items: Vec<(String, Checked)>,
    /// Means over items.
    pub all: Checked,
}

/// Item, method, prompt.
type Cell = (usize, usize, usize);

/// One for each voice on each checklist that people answered.
pub(super) fn checklist_boards(
    settings: &RateSettings,
    collected: &Collected,
    checklists: &BTreeMap<String, Yes>,
) -> Vec<ChecklistBoard> {
    let of = |rubric: &String| boards(settings, collected, rubric);
    checklists.keys().flat_map(of).collect()
}

fn boards(settings: &RateSettings, collected: &Collected, rubric: &str) -> Vec<ChecklistBoard> {
    let said = collected.scores.iter().filter(|(Key { on, .. }, _)| on.rubric == rubric);
    let items: BTreeSet<&On> = said.clone().map(|(Key { on, .. }, _)| on).collect();
    let items: Vec<&On> = items.into_iter().collect();
    // By voice and cell, the answers of each rater.
    let mut voices: BTreeMap<&Voice, BTreeMap<Cell, BTreeMap<u32, Vec<f64>>>> = BTreeMap::new();
    for (Key { on, voice }, scores) in said {
        let item = items.binary_search(&on).unwrap_or_default();
        for Scored { method, score, rater, .. } in scores {
            let cell = (item, *method, score.prompt);
            let answers = voices.entry(voice).or_default().entry(cell).or_default();
            answers.entry(*rater).or_default().push(score.value);
        }
    }
    let Some(people) = voices.remove(&Voice::People) else { return Vec::new() };
    let assets: BTreeSet<_> = people.keys().map(|(_, method, prompt)| (*method, *prompt)).collect();
    let assets: Vec<_> = assets.into_iter().collect();
    let answer = |(item, method, prompt): &Cell, said, label| CheckedAnswer {
        item: *item,
        asset: assets.binary_search(&(*method, *prompt)).unwrap_or_default(),
        said,
        label,
    };
    let labels: BTreeMap<&Cell, Option<bool>> =
        people.iter().map(|(cell, raters)| (cell, majority(raters.values()))).collect();
    let raters: BTreeSet<u32> = people.values().flat_map(|raters| raters.keys().copied()).collect();
    let board = |voice: &Voice, answers: &[CheckedAnswer], num_split| {
        let (each, all) = checked(answers, settings.sampling());
        let named = each.into_iter().map(|(item, it)| (items[item].criterion.clone(), it));
        Some(ChecklistBoard {
            rubric: rubric.to_owned(),
            voice: voice.clone(),
            num_assets: answers.iter().map(|it| it.asset).collect::<BTreeSet<_>>().len(),
            num_raters: raters.len(),
            num_split,
            items: named.collect(),
            all: all?,
        })
    };
    let mut found = Vec::new();
    for (voice, said) in &voices {
        let labelled = said.iter().filter_map(|(cell, raters)| {
            let said = raters.values().flatten();
            let mean = said.clone().sum::<f64>() / said.count() as f64;
            Some((cell, mean >= HALF, *labels.get(cell)?))
        });
        let answers =
            labelled.clone().filter_map(|(cell, said, label)| Some(answer(cell, said, label?)));
        let num_split = labelled.clone().filter(|(.., label)| label.is_none()).count();
        found.extend(board(voice, &answers.collect::<Vec<_>>(), num_split));
    }
    let (mut among, mut num_split) = (Vec::new(), 0);
    for (cell, raters) in people.iter().filter(|(_, raters)| raters.len() > 1) {
        for rater in raters.keys() {
            let others = raters.iter().filter(|(other, _)| *other != rater);
            match (majority([&raters[rater]]), majority(others.map(|(_, said)| said))) {
                (Some(said), Some(label)) => among.push(answer(cell, said, label)),
                _ => num_split += 1,
            }
        }
    }
    found.extend(board(&Voice::People, &among, num_split));
    found
}

/// From here on an answer counts as yes: partly does.
const HALF: f64 = 0.5;

/// The answer of most people; each counts once. None for a tie.
fn majority<'a>(raters: impl IntoIterator<Item = &'a Vec<f64>>) -> Option<bool> {
    let says_yes = |said: &Vec<f64>| said.iter().sum::<f64>() / said.len() as f64 >= HALF;
    let balance: i64 = raters.into_iter().map(|said| if says_yes(said) { 1 } else { -1 }).sum();
    (balance != 0).then_some(balance > 0)
}
