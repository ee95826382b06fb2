//! Rows of an audit → what each judge said of each pair, with the right answer beside it.

use super::plan::{CLEAN, SAME, of_method};
use crate::damage::Kind;
use crate::rubric::{Verdict, Winner};
use crate::store::Row;
use std::collections::BTreeMap;

/// What was said on one criterion of one pair in one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Said {
    /// The undamaged one; of two alike, the one listed first.
    Clean,
    /// The damaged one; of two alike, the one listed second.
    Damaged,
    /// Neither.
    Tie,
    /// The judge cannot answer the criterion.
    Undecided,
}

/// One pair as one judge answered it, both orders, all samples.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The object.
    pub base: String,
    /// What was done and how much; none for the object against itself.
    pub damage: Option<(&'static Kind, f32)>,
    /// By criterion: what was said with the clean one left, and with it right; one entry a sample.
    pub said: BTreeMap<String, [Vec<Said>; 2]>,
}

/// Every judge's trials; rows of other commands are left out.
pub fn trials(rows: &[Row]) -> BTreeMap<String, Vec<Trial>> {
    let mut found: BTreeMap<(String, String, String), Trial> = BTreeMap::new();
    for row in rows {
        let Some(b) = row.b.as_ref().filter(|_| row.a.method == CLEAN) else {
            continue;
        };
        let damage = of_method(&b.method);
        if damage.is_none() && b.method != SAME {
            continue;
        }
        let verdict = row.verdict.as_ref().and_then(Verdict::from_json);
        let Some(Verdict::Pairwise { choices, undecided }) = verdict else {
            continue;
        };
        let key = (row.judge.clone(), row.a.path.clone(), b.method.clone());
        let trial = found.entry(key).or_insert_with(|| Trial {
            base: row.a.path.clone(),
            damage,
            said: BTreeMap::new(),
        });
        let order = usize::from(row.order != "ab");
        for (criterion, winner) in choices {
            let said = match winner {
                _ if undecided.contains(&criterion) => Said::Undecided,
                Winner::A => Said::Clean,
                Winner::B => Said::Damaged,
                Winner::Tie => Said::Tie,
            };
            trial.said.entry(criterion).or_default()[order].push(said);
        }
    }
    let mut by_judge: BTreeMap<String, Vec<Trial>> = BTreeMap::new();
    for ((judge, _, _), trial) in found {
        by_judge.entry(judge).or_default().push(trial);
    }
    by_judge
}

/// The most frequent of some answers; two that are equally frequent are a tie.
pub fn majority(said: &[Said]) -> Option<Said> {
    let count = |which: Said| said.iter().filter(|s| **s == which).count();
    let all = [Said::Clean, Said::Damaged, Said::Tie, Said::Undecided];
    let most = all.into_iter().max_by_key(|which| count(*which))?;
    let is_shared = all.iter().filter(|w| count(**w) == count(most)).count() > 1;
    match (said.is_empty(), is_shared) {
        (true, _) => None,
        (false, true) => Some(Said::Tie),
        (false, false) => Some(most),
    }
}

/// What both orders say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Together {
    /// The clean one, both times.
    Clean,
    /// The damaged one, both times.
    Damaged,
    /// A tie, both times.
    Tie,
    /// Not answerable, at least once.
    Undecided,
    /// The orders differ.
    Inconsistent,
}

/// None while an order has no verdict.
pub fn together(said: &[Vec<Said>; 2]) -> Option<Together> {
    Some(match (majority(&said[0])?, majority(&said[1])?) {
        (Said::Undecided, _) | (_, Said::Undecided) => Together::Undecided,
        (Said::Clean, Said::Clean) => Together::Clean,
        (Said::Damaged, Said::Damaged) => Together::Damaged,
        (Said::Tie, Said::Tie) => Together::Tie,
        _ => Together::Inconsistent,
    })
}
