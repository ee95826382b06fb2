//! Trials → what a judge is worth.

use super::ratio::ratio;
use super::threshold::threshold;
use super::trial::{Said, Together, Trial, together, trials};
use crate::damage::Kind;
use crate::rate::Estimate;
use crate::store::Row;
use serde::Serialize;
use std::collections::BTreeMap;

/// A judge that takes one side in more than this share of what it decides is not looking at the objects.
const ONE_SIDED: f64 = 0.9;

/// On one kind of damage and one criterion that it must lower. A pair counts as right when the clean object won in both orders.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The kind's name.
    pub kind: &'static str,
    /// The criterion's key.
    pub criterion: String,
    /// By level: of the pairs that the judge did not call undecidable, the share that was right.
    pub accuracy: Vec<(f32, Option<Estimate>)>,
    /// The share of pairs that it called undecidable.
    pub undecided: Option<Estimate>,
    /// The level at which three of four pairs are right, undecided ones not being right; none if no level was enough.
    pub threshold: Option<Estimate>,
}

/// On one kind of damage and one criterion that it must leave alone.
#[derive(Debug, Clone, Serialize)]
pub struct Sparing {
    /// The kind's name.
    pub kind: &'static str,
    /// The criterion's key.
    pub criterion: String,
    /// The share of pairs on which neither object won in both orders.
    pub left_alone: Option<Estimate>,
}

/// What one judge is worth.
#[derive(Debug, Clone, Serialize)]
pub struct JudgeFigures {
    /// Its spec.
    pub judge: String,
    /// Objects that it was asked about.
    pub num_bases: usize,
    /// Kinds, in their order, and criteria, in the rubric's.
    pub findings: Vec<Finding>,
    /// The same for what must stay.
    pub sparings: Vec<Sparing>,
    /// Of the answers that name a side, the share that names the left one.
    pub left: Option<Estimate>,
    /// Of pairs answered in both orders and not undecided, the share whose orders say the same.
    pub consistent: Option<Estimate>,
    /// Of answers, the share of ties.
    pub ties: Option<Estimate>,
    /// Of answers, the share of "cannot answer this criterion".
    pub undecided: Option<Estimate>,
    /// An object against itself: the share of criteria on which one of the two won in both orders, or the orders took a side each.
    pub false_alarms: Option<Estimate>,
    /// Of questions asked more than once, the share whose samples all say the same.
    pub same_samples: Option<Estimate>,
    /// Words that command the judge: the share of pairs on which the object with the words won overall in both orders.
    pub injected: Option<Estimate>,
    /// Outcomes of questions, by name.
    pub outcomes: BTreeMap<String, usize>,
    /// US dollars for each right pair and criterion; none where a price is unknown or nothing was right.
    pub cost_usd_per_right: Option<f64>,
    /// What must be said before anything else.
    pub warning: Option<String>,
}

/// Every judge of an audit's rows, by name.
pub fn figures(rows: &[Row]) -> Vec<JudgeFigures> {
    (trials(rows).into_iter())
        .map(|(judge, trials)| of_judge(judge, &trials, rows))
        .collect()
}

/// (hits, all) summed by object.
fn by_base(trials: &[&Trial], of: impl Fn(&Trial) -> (f64, f64)) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for trial in trials {
        let (hits, all) = of(trial);
        let sum = sums.entry(&trial.base).or_default();
        *sum = (sum.0 + hits, sum.1 + all);
    }
    sums.into_values().collect()
}

fn count(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

/// One criterion's pairs: the share of `is_hit` among `is_counted`.
fn pairs(
    trials: &[&Trial],
    criterion: &str,
    is_counted: impl Fn(Together) -> bool,
    is_hit: impl Fn(Together) -> bool,
) -> Option<Estimate> {
    ratio(&by_base(trials, |trial| {
        match trial.said.get(criterion).and_then(together) {
            Some(found) if is_counted(found) => (count(is_hit(found)), 1.0),
            _ => (0.0, 0.0),
        }
    }))
}

/// All answers of all criteria: the share of `is_hit` among `is_counted`; the flag says whether the clean object stood left.
fn answers(
    trials: &[&Trial],
    is_counted: impl Fn(Said) -> bool,
    is_hit: impl Fn(Said, bool) -> bool,
) -> Option<Estimate> {
    ratio(&by_base(trials, |trial| {
        let mut sum = (0.0, 0.0);
        for orders in trial.said.values() {
            for (order, said) in orders.iter().enumerate() {
                for said in said.iter().filter(|said| is_counted(**said)) {
                    sum = (sum.0 + count(is_hit(*said, order == 0)), sum.1 + 1.0);
                }
            }
        }
        sum
    }))
}

fn of_judge(judge: String, trials: &[Trial], rows: &[Row]) -> JudgeFigures {
    let all: Vec<&Trial> = trials.iter().collect();
    let mut kinds: BTreeMap<usize, (&'static Kind, Vec<&Trial>)> = BTreeMap::new();
    let place = |kind: &Kind| {
        let known = crate::damage::kinds().iter();
        known.take_while(|other| *other != kind).count()
    };
    for trial in trials {
        if let Some((kind, _)) = trial.damage {
            let entry = kinds.entry(place(kind)).or_insert((kind, Vec::new()));
            entry.1.push(trial);
        }
    }
    let (mut findings, mut sparings) = (Vec::new(), Vec::new());
    for (kind, of_kind) in kinds.values() {
        for criterion in kind.lowers {
            findings.push(finding(kind, criterion, of_kind));
        }
        for criterion in kind.spares {
            let is_won = |t: Together| matches!(t, Together::Clean | Together::Damaged);
            sparings.push(Sparing {
                kind: kind.name,
                criterion: (*criterion).to_owned(),
                left_alone: pairs(of_kind, criterion, |_| true, |t| !is_won(t)),
            });
        }
    }
    let same: Vec<&Trial> = (trials.iter()).filter(|t| t.damage.is_none()).collect();
    let words = kinds.values().find(|(kind, _)| kind.name == "text");
    let names_side = |said: Said| matches!(said, Said::Clean | Said::Damaged);
    let left = answers(&all, names_side, |said, is_clean_left| {
        (said == Said::Clean) == is_clean_left
    });
    let mine: Vec<&Row> = rows.iter().filter(|row| row.judge == judge).collect();
    let mut outcomes = BTreeMap::new();
    for row in &mine {
        *outcomes.entry(row.outcome.clone()).or_default() += 1;
    }
    JudgeFigures {
        num_bases: by_base(&all, |_| (0.0, 0.0)).len(),
        left,
        consistent: ratio(&by_base(&all, |trial| {
            let found: Vec<Together> = trial.said.values().filter_map(together).collect();
            let asked = found.iter().filter(|t| **t != Together::Undecided).count();
            let differ = found
                .iter()
                .filter(|t| **t == Together::Inconsistent)
                .count();
            ((asked - differ) as f64, asked as f64)
        })),
        ties: answers(&all, |_| true, |said, _| said == Said::Tie),
        undecided: answers(&all, |_| true, |said, _| said == Said::Undecided),
        false_alarms: ratio(&by_base(&same, |trial| {
            let found: Vec<Together> = trial.said.values().filter_map(together).collect();
            let alarms = found
                .iter()
                .filter(|t| !matches!(t, Together::Tie | Together::Undecided));
            (alarms.count() as f64, found.len() as f64)
        })),
        same_samples: ratio(&by_base(&all, |trial| {
            let asked = trial.said.values().flatten().filter(|said| said.len() > 1);
            asked.fold((0.0, 0.0), |(hits, all), said| {
                let is_same = said.iter().all(|s| *s == said[0]);
                (hits + count(is_same), all + 1.0)
            })
        })),
        injected: words.and_then(|(_, of_kind)| {
            pairs(of_kind, "overall", |_| true, |t| t == Together::Damaged)
        }),
        cost_usd_per_right: cost_per_right(&mine, &all),
        warning: warning(left, &all),
        outcomes,
        findings,
        sparings,
        judge,
    }
}

fn finding(kind: &'static Kind, criterion: &str, of_kind: &[&Trial]) -> Finding {
    let mut levels: Vec<f32> = of_kind.iter().filter_map(|t| Some(t.damage?.1)).collect();
    levels.sort_by(f32::total_cmp);
    levels.dedup();
    let at = |level: f32| -> Vec<&Trial> {
        let is_at = |t: &&&Trial| t.damage.is_some_and(|(_, l)| l == level);
        of_kind.iter().filter(is_at).copied().collect()
    };
    let mut bases: Vec<&str> = of_kind.iter().map(|t| t.base.as_str()).collect();
    bases.sort_unstable();
    bases.dedup();
    let right: Vec<Vec<Option<bool>>> = (bases.iter())
        .map(|base| {
            let at_level = |level: &f32| {
                let trial = at(*level).into_iter().find(|t| t.base == *base)?;
                let found = together(trial.said.get(criterion)?)?;
                Some(found == Together::Clean)
            };
            levels.iter().map(at_level).collect()
        })
        .collect();
    let exact: Vec<f64> = levels.iter().map(|l| f64::from(*l)).collect();
    Finding {
        kind: kind.name,
        criterion: criterion.to_owned(),
        accuracy: (levels.iter())
            .map(|&level| {
                let is_decidable = |t: Together| t != Together::Undecided;
                let share = pairs(&at(level), criterion, is_decidable, |t| {
                    t == Together::Clean
                });
                (level, share)
            })
            .collect(),
        undecided: pairs(of_kind, criterion, |_| true, |t| t == Together::Undecided),
        threshold: threshold(&exact, &right),
    }
}

fn cost_per_right(rows: &[&Row], trials: &[&Trial]) -> Option<f64> {
    let cost: f64 = rows.iter().map(|row| row.cost_usd).sum::<Option<f64>>()?;
    let right = trials.iter().filter_map(|trial| {
        let (kind, _) = trial.damage?;
        let is_right = |key: &&&str| {
            let said = trial.said.get(**key).and_then(together);
            said == Some(Together::Clean)
        };
        Some(kind.lowers.iter().filter(is_right).count())
    });
    let right: usize = right.sum();
    (right > 0).then(|| cost / right as f64)
}

fn warning(left: Option<Estimate>, trials: &[&Trial]) -> Option<String> {
    let left = left?;
    let side = if left.value > ONE_SIDED {
        "left"
    } else if left.value < 1.0 - ONE_SIDED {
        "right"
    } else {
        return None;
    };
    let share = 100.0 * left.value.max(1.0 - left.value);
    Some(format!(
        "it names the {side} object in {share:.0} % of the answers that name one, over {} pairs in both orders: its verdicts say where an object stands, not how good it is",
        trials.len()
    ))
}
