//! Records of an audit → each judge's answers on each pair, with the right answers.

use super::plan::{CLEAN, SAME, of_method};
use crate::damage::DamageKind;
use crate::rubric::{Order, Verdict, Winner};
use crate::store::{Rater, Record};
use std::collections::{BTreeMap, BTreeSet};

/// An answer on one criterion of one pair in one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// The undamaged one; of two alike, the one listed first.
    Clean,
    /// The damaged one; of two alike, the one listed second.
    Damaged,
    Tie,
    /// The judge cannot answer the criterion.
    Undecided,
}

/// One pair as one judge answered it, both orders, all samples.
#[derive(Debug, Clone)]
pub struct Trial {
    pub base: String,
    /// The damage and its amount; none for the object against itself.
    pub damage: Option<(&'static DamageKind, f32)>,
    /// By criterion: the answers with the clean one left, and with it right; one entry a sample.
    /// For scores, the same answer twice, as there are no sides.
    pub said: BTreeMap<String, [Vec<Choice>; 2]>,
    /// By criterion: the score of the clean one less that of the damaged one, one entry a sample.
    /// Empty for pairs, which have no scores.
    pub drops: BTreeMap<String, Vec<f64>>,
}

impl Trial {
    /// Two objects side by side, not two scores.
    pub fn has_sides(&self) -> bool {
        self.drops.is_empty()
    }

    /// None for a criterion that lacks a verdict in one order.
    pub(super) fn together(&self, criterion: &str) -> Option<Together> {
        together(self.said.get(criterion)?)
    }
}

/// Every judge's trials; rows of other commands are left out.
pub fn trials(records: &[&Record]) -> BTreeMap<Rater, Vec<Trial>> {
    let mut found: BTreeMap<(Rater, String, String), Trial> = BTreeMap::new();
    for record in records {
        let Some(b) = record.b.as_ref().filter(|_| record.a.method == CLEAN) else {
            continue;
        };
        let damage = of_method(&b.method);
        if damage.is_none() && b.method != SAME {
            continue;
        }
        let Some(Verdict::Pairwise { choices, undecided, .. }) = record.verdict() else {
            continue;
        };
        let key = (record.judge.clone(), record.a.path.clone(), b.method.clone());
        let trial = found.entry(key).or_insert_with(|| Trial {
            base: record.a.path.clone(),
            damage,
            said: BTreeMap::new(),
            drops: BTreeMap::new(),
        });
        let order = usize::from(record.order != Order::AsListed);
        for (criterion, winner) in choices {
            let said = choice(criterion, *winner, undecided);
            trial.said.entry(criterion.clone()).or_default()[order].push(said);
        }
    }
    let mut by_judge: BTreeMap<Rater, Vec<Trial>> = BTreeMap::new();
    for ((judge, _, _), trial) in found {
        by_judge.entry(judge).or_default().push(trial);
    }
    for (judge, trial) in scored(records) {
        by_judge.entry(judge).or_default().push(trial);
    }
    by_judge
}

/// The answer on a criterion of a pair whose first object is the clean one.
pub(super) fn choice(criterion: &String, winner: Winner, undecided: &[String]) -> Choice {
    match winner {
        _ if undecided.contains(criterion) => Choice::Undecided,
        Winner::A => Choice::Clean,
        Winner::B => Choice::Damaged,
        Winner::Tie => Choice::Tie,
    }
}

/// The criterion of a rubric that scores an object by its photo.
pub(super) const SCORE: &str = "score";

/// Scores closer than this tie: on a scale of ten, and on a reconstruction's three steps.
const SCORES_DIFFER: f64 = 0.5;

/// Scores of one scene by (judge, scene, sample): aspects, and undecided aspects.
type Scores<'a> = BTreeMap<(&'a Rater, &'a str, u32), (BTreeMap<String, f64>, Vec<String>)>;

/// Rows of damaged scenes and objects, with their sample, by (judge, scene, method).
type Damaged<'a> = BTreeMap<(&'a Rater, &'a str, &'a str), Vec<(u32, &'a Record)>>;

/// Each damaged scene or object against the same as its prompt or photo says, sample by sample.
fn scored(records: &[&Record]) -> Vec<(Rater, Trial)> {
    let mut clean = Scores::new();
    let mut damaged = Damaged::new();
    for &record in records.iter().filter(|record| record.b.is_none()) {
        let key = (&record.judge, record.a.path.as_str());
        if record.a.method == CLEAN {
            if let Some(scores) = scores(record) {
                clean.insert((key.0, key.1, record.sample), scores);
            }
        } else if of_method(&record.a.method).is_some() {
            let method = record.a.method.as_str();
            let all = damaged.entry((key.0, key.1, method)).or_default();
            all.push((record.sample, record));
        }
    }
    let mut found = Vec::new();
    for ((judge, base, method), rows) in damaged {
        let mut trial = Trial {
            base: base.to_owned(),
            damage: of_method(method),
            said: BTreeMap::new(),
            drops: BTreeMap::new(),
        };
        for (sample, record) in rows {
            let (Some((before, unsaid)), Some((after, unsaid_after))) =
                (clean.get(&(judge, base, sample)), scores(record))
            else {
                continue;
            };
            for (criterion, score) in before {
                let Some(other) = after.get(criterion) else {
                    continue;
                };
                let said = match score - other {
                    drop if drop >= SCORES_DIFFER => Choice::Clean,
                    drop if drop <= -SCORES_DIFFER => Choice::Damaged,
                    _ => Choice::Tie,
                };
                trial.say(criterion, said);
                let drops = trial.drops.entry(criterion.clone()).or_default();
                drops.push(score - other);
            }
            // A pair that only one judge answered does not count towards the difference.
            let unsaid: BTreeSet<&String> = unsaid.iter().chain(&unsaid_after).collect();
            for criterion in unsaid {
                trial.say(criterion, Choice::Undecided);
                trial.drops.entry(criterion.clone()).or_default();
            }
        }
        found.push((judge.clone(), trial));
    }
    found
}

pub(super) fn scores(record: &Record) -> Option<(BTreeMap<String, f64>, Vec<String>)> {
    match record.verdict()? {
        Verdict::Category { aspects, undecided, .. } => Some((aspects.clone(), undecided.clone())),
        Verdict::Reconstruction { score: Some(score) } => {
            Some((BTreeMap::from([(SCORE.to_owned(), f64::from(*score))]), Vec::new()))
        }
        Verdict::Reconstruction { score: None } => Some((BTreeMap::new(), vec![SCORE.to_owned()])),
        Verdict::Pairwise { .. } => None,
    }
}

impl Trial {
    fn say(&mut self, criterion: &str, said: Choice) {
        let orders = self.said.entry(criterion.to_owned()).or_default();
        orders.iter_mut().for_each(|order| order.push(said));
    }
}

/// The most frequent of some answers; two that are equally frequent are a tie.
pub(super) fn majority(said: &[Choice]) -> Option<Choice> {
    let count = |which: Choice| said.iter().filter(|s| **s == which).count();
    let all = [Choice::Clean, Choice::Damaged, Choice::Tie, Choice::Undecided];
    let most = all.into_iter().max_by_key(|which| count(*which))?;
    let is_shared = all.iter().filter(|w| count(**w) == count(most)).count() > 1;
    match (said.is_empty(), is_shared) {
        (true, _) => None,
        (false, true) => Some(Choice::Tie),
        (false, false) => Some(most),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Together {
    /// The clean one, both times.
    Clean,
    /// The damaged one, both times.
    Damaged,
    /// A tie, both times.
    Tie,
    /// Not answerable, at least once.
    Undecided,
    Inconsistent,
}

/// None while an order has no verdict.
pub(super) fn together(said: &[Vec<Choice>; 2]) -> Option<Together> {
    Some(match (majority(&said[0])?, majority(&said[1])?) {
        (Choice::Undecided, _) | (_, Choice::Undecided) => Together::Undecided,
        (Choice::Clean, Choice::Clean) => Together::Clean,
        (Choice::Damaged, Choice::Damaged) => Together::Damaged,
        (Choice::Tie, Choice::Tie) => Together::Tie,
        _ => Together::Inconsistent,
    })
}

/// (hits, all) summed by object.
pub(super) fn by_base(trials: &[&Trial], of: impl Fn(&Trial) -> (f64, f64)) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for trial in trials {
        let (hits, all) = of(trial);
        let sum = sums.entry(&trial.base).or_default();
        *sum = (sum.0 + hits, sum.1 + all);
    }
    sums.into_values().collect()
}
