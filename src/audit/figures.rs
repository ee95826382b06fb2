//! Trials → a judge's reliability.

use super::amounts::Amounts;
use super::finding::{FamilyFigures, Finding, PLAIN_LEVEL, Sparing};
use super::look::photo_seen;
use super::plan::method;
use super::sheets::{SheetDifference, differences};
use super::summary::summary;
use super::threshold::threshold;
use super::trial::{Choice, SCORE, Together, Trial, by_base, together, trials};
use super::warning::{NEVER_DECIDES, warning};
use crate::damage::{DamageKind, Family, all_kinds};
use crate::judge::probe;
use crate::rate::{Estimate, share};
use crate::store::{Rater, RaterKind, Record};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

impl JudgeFigures {
    /// Judge, run and sheet, as far as they differ between figures.
    pub fn title(&self) -> String {
        let more: Vec<&str> =
            [&self.run, &self.sheet].into_iter().filter_map(|part| part.as_deref()).collect();
        if more.is_empty() {
            self.judge.to_string()
        } else {
            format!("{} ({})", self.judge, more.join("; "))
        }
    }
}

#[derive(Debug, Clone, Serialize)]
pub struct JudgeFigures {
    pub judge: Rater,
    /// The run's name, where several runs are compared.
    pub run: Option<String>,
    /// The pictures that it saw, where an audit shows several.
    pub sheet: Option<String>,
    /// What this sheet gains over the first one; empty for the first, and where there is only one.
    pub against_first_sheet: Vec<SheetDifference>,
    /// Objects that it was asked about.
    pub num_bases: usize,
    /// Families of damage; kinds that the judge claims to detect come first.
    pub families: Vec<FamilyFigures>,
    /// Kinds, in their order, and criteria, in the rubric's.
    pub findings: Vec<Finding>,
    /// The same for criteria that should be unaffected.
    pub sparings: Vec<Sparing>,
    /// Share of the left side among the answers that name a side.
    pub left: Option<Estimate>,
    /// Share of consistent orders among pairs answered in both orders and not undecided.
    pub consistent: Option<Estimate>,
    /// Share of ties among answers.
    pub ties: Option<Estimate>,
    /// Share of "cannot answer this criterion" among answers.
    pub undecided: Option<Estimate>,
    /// Clean against clean, an object against itself or after a harmless change: the share of
    /// criteria on which one of the two won in both orders, or the orders took a side each.
    pub false_alarms: Option<Estimate>,
    /// Share of questions whose samples all agree, among questions asked more than once.
    pub same_samples: Option<Estimate>,
    /// Words that command the judge: the share of pairs on which the object with the words won
    /// overall in both orders.
    pub injected: Option<Estimate>,
    /// With photos: the share of pairs of two objects on which the match with the photo goes to the
    /// other one when the other's photo is shown, among those that it decides; of scored objects,
    /// the share with a lower score then. A judge that does not look at the photo has 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photo_seen: Option<Estimate>,
    /// Outcomes of questions, by name; verdicts that are restatements are counted apart.
    pub outcomes: BTreeMap<String, usize>,
    /// US dollars per right pair and criterion; none if a price is unknown or nothing was right.
    pub cost_usd_per_right: Option<f64>,
    /// A reservation that a reader must see first.
    pub warning: Option<String>,
    /// The most important findings in words, for reports that quote this audit.
    pub summary: Vec<String>,
}

/// The name of verdicts that are restatements of replies in another form.
const RESTATED: &str = "restated_verdict";

/// Every judge of an audit's rows, by name; where it was shown several sheets, each by itself.
/// `sheets` are hashes of render protocols and in order; the others are compared with the first.
pub fn figures(
    rows: &[Record],
    amounts: &Amounts,
    sheets: &[(String, String)],
) -> Vec<JudgeFigures> {
    let place = |row: &Record| {
        let hash = row.protocol.as_ref();
        sheets.iter().position(|(known, _)| Some(known) == hash)
    };
    let mut by_sheet: BTreeMap<usize, Vec<&Record>> = BTreeMap::new();
    for row in rows {
        by_sheet.entry(place(row).unwrap_or(0)).or_default().push(row);
    }
    let has_several = by_sheet.len() > 1;
    let mut firsts: BTreeMap<Rater, Vec<Trial>> = BTreeMap::new();
    let mut all: Vec<JudgeFigures> = Vec::new();
    for (place, rows) in by_sheet {
        for (judge, trials) in trials(&rows) {
            let mut figures = of_judge(judge.clone(), &trials, &rows, amounts);
            if has_several {
                figures.sheet = sheets.get(place).map(|(_, label)| label.clone());
            }
            match firsts.get(&judge) {
                Some(first) => figures.against_first_sheet = differences(first, &trials),
                None => {
                    firsts.insert(judge, trials);
                }
            }
            all.push(figures);
        }
    }
    // A stable sort: sheets stay in their order.
    all.sort_by(|a, b| a.judge.cmp(&b.judge));
    all
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
    share(&by_base(trials, |trial| match trial.together(criterion) {
        Some(found) if is_counted(found) => (count(is_hit(found)), 1.0),
        _ => (0.0, 0.0),
    }))
}

/// All answers on all criteria: the share of `is_hit` among `is_counted`; the flag says whether the
/// clean object was on the left.
fn answers(
    trials: &[&Trial],
    is_counted: impl Fn(Choice) -> bool,
    is_hit: impl Fn(Choice, bool) -> bool,
) -> Option<Estimate> {
    share(&by_base(trials, |trial| {
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

fn of_judge(judge: Rater, trials: &[Trial], rows: &[&Record], amounts: &Amounts) -> JudgeFigures {
    let all: Vec<&Trial> = trials.iter().collect();
    let sided: Vec<&Trial> = trials.iter().filter(|t| t.has_sides()).collect();
    let mut kinds: BTreeMap<usize, (&'static DamageKind, Vec<&Trial>)> = BTreeMap::new();
    let place = |kind: &DamageKind| all_kinds().take_while(|other| *other != kind).count();
    for trial in trials {
        if let Some((kind, _)) = trial.damage {
            let entry = kinds.entry(place(kind)).or_insert((kind, Vec::new()));
            entry.1.push(trial);
        }
    }
    let said = trials.iter().flat_map(|trial| trial.said.keys());
    let asked: BTreeSet<&str> = said.map(String::as_str).collect();
    let (mut findings, mut sparings) = (Vec::new(), Vec::new());
    for (kind, of_kind) in kinds.values() {
        for criterion in lowered(kind).chain(fidelity(kind.family)) {
            if asked.contains(criterion) {
                findings.push(finding(kind, criterion, of_kind, amounts));
            }
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
    let is_harmless = |t: &&Trial| t.damage.is_none_or(|(kind, _)| kind.family == Family::Harmless);
    let clean: Vec<&Trial> = trials.iter().filter(is_harmless).collect();
    let words = kinds.values().find(|(kind, _)| kind.name == "text");
    let names_side = |said: Choice| matches!(said, Choice::Clean | Choice::Damaged);
    let left =
        answers(&sided, names_side, |said, is_clean_left| (said == Choice::Clean) == is_clean_left);
    let mine: Vec<&Record> = rows.iter().copied().filter(|row| row.judge == judge).collect();
    let mut outcomes = BTreeMap::new();
    for row in &mine {
        let name = if row.restated { RESTATED } else { row.outcome.name() };
        *outcomes.entry(name.to_owned()).or_default() += 1;
    }
    let num_bases = by_base(&all, |_| (0.0, 0.0)).len();
    let families = families(&judge, &all);
    let consistent = share(&by_base(&sided, |trial| {
        let found: Vec<Together> = trial.said.values().filter_map(together).collect();
        let asked = found.iter().filter(|t| **t != Together::Undecided).count();
        let differ = found.iter().filter(|t| **t == Together::Inconsistent).count();
        ((asked - differ) as f64, asked as f64)
    }));
    let photo_seen = photo_seen(rows, &judge);
    let undecided = answers(&all, |_| true, |said, _| said == Choice::Undecided);
    let warning = match undecided {
        Some(share) if share.value == 1.0 => Some(NEVER_DECIDES.to_owned()),
        _ => warning(left, consistent, &families, sided.len(), photo_seen),
    };
    JudgeFigures {
        run: None,
        sheet: None,
        against_first_sheet: Vec::new(),
        summary: summary(num_bases, warning.as_deref(), &families, &findings),
        families,
        num_bases,
        left,
        consistent,
        ties: answers(&all, |_| true, |said, _| said == Choice::Tie),
        undecided,
        false_alarms: share(&by_base(&clean, |trial| {
            let found: Vec<Together> = trial.said.values().filter_map(together).collect();
            let alarms = found.iter().filter(|t| !matches!(t, Together::Tie | Together::Undecided));
            (alarms.count() as f64, found.len() as f64)
        })),
        same_samples: share(&by_base(&all, |trial| {
            let asked = trial.said.values().flatten().filter(|said| said.len() > 1);
            asked.fold((0.0, 0.0), |(hits, all), said| {
                let is_same = said.iter().all(|s| *s == said[0]);
                (hits + count(is_same), all + 1.0)
            })
        })),
        injected: words.and_then(|(_, of_kind)| {
            pairs(of_kind, "overall", |_| true, |t| t == Together::Damaged)
        }),
        photo_seen,
        cost_usd_per_right: cost_per_right(&mine, &all),
        warning,
        outcomes,
        findings,
        sparings,
        judge,
    }
}

/// Kinds that a judge claims to see, and the others, by family; without claims, whole families.
fn families(judge: &Rater, trials: &[&Trial]) -> Vec<FamilyFigures> {
    // They are about pairs.
    let has_claims =
        judge.kind() == RaterKind::Probe && trials.iter().all(|trial| trial.has_sides());
    let claims = |kind: &DamageKind| has_claims && probe::SEES.contains(&kind.name);
    // Criteria that a judge never decides, such as the match with the prompt for a measuring judge,
    // are not in its figures.
    let decided: BTreeSet<&str> = trials
        .iter()
        .flat_map(|trial| &trial.said)
        .filter(|(_, orders)| together(orders).is_some_and(|t| t != Together::Undecided))
        .map(|(key, _)| key.as_str())
        .collect();
    let mut found = Vec::new();
    let each = [Family::Geometry, Family::Texture, Family::Scene];
    let groups = [true, false].map(|is_claimed| each.map(|family| (family, is_claimed)));
    for (family, is_claimed) in groups.into_iter().flatten() {
        let is_mine = |t: &&&Trial| {
            t.damage.is_some_and(|(kind, level)| {
                kind.family == family
                    && level >= PLAIN_LEVEL
                    && claims(kind) == is_claimed
                    && !kind.lowers.is_empty()
            })
        };
        let mine: Vec<&Trial> = trials.iter().filter(is_mine).copied().collect();
        if mine.is_empty() {
            continue;
        }
        let mut names: Vec<&'static str> = Vec::new();
        for (kind, _) in mine.iter().filter_map(|t| t.damage) {
            if !names.contains(&kind.name) {
                names.push(kind.name);
            }
        }
        let share = |wanted: Together| {
            share(&by_base(&mine, |trial| {
                let lowers = trial.damage.into_iter().flat_map(|(kind, _)| lowered(kind));
                let can_decide = lowers.filter(|key| decided.contains(*key));
                let said: Vec<Together> =
                    can_decide.filter_map(|key| trial.together(key)).collect();
                let hits = said.iter().filter(|t| **t == wanted).count();
                (hits as f64, said.len() as f64)
            }))
        };
        found.push(FamilyFigures {
            family,
            // Claims are about assets.
            is_claimed: (has_claims && family != Family::Scene).then_some(is_claimed),
            right: share(Together::Clean),
            wrong: share(Together::Damaged),
            undecided: share(Together::Undecided),
            kinds: names,
        });
    }
    found
}

/// The criteria that a kind of damage lowers, of rubrics that have them.
pub(super) fn lowered(kind: &DamageKind) -> impl Iterator<Item = &'static str> {
    let is_of_object = matches!(kind.family, Family::Geometry | Family::Texture);
    kind.lowers.iter().copied().chain(is_of_object.then_some(SCORE))
}

/// The match with the photo that damage of a family lowers, where a rubric asks about it.
fn fidelity(family: Family) -> Option<&'static str> {
    match family {
        Family::Geometry => Some("geometry_fidelity"),
        Family::Texture => Some("texture_fidelity"),
        Family::Harmless | Family::Scene => None,
    }
}

fn finding(
    kind: &'static DamageKind,
    criterion: &str,
    of_kind: &[&Trial],
    amounts: &Amounts,
) -> Finding {
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
    let right: Vec<Vec<Option<bool>>> = bases
        .iter()
        .map(|base| {
            let at_level = |level: &f32| {
                let trial = at(*level).into_iter().find(|t| t.base == *base)?;
                Some(trial.together(criterion)? == Together::Clean)
            };
            levels.iter().map(at_level).collect()
        })
        .collect();
    let exact: Vec<f64> = levels.iter().map(|l| f64::from(*l)).collect();
    Finding {
        kind: kind.name,
        criterion: criterion.to_owned(),
        accuracy: levels
            .iter()
            .map(|&level| {
                let is_decidable = |t: Together| t != Together::Undecided;
                let share = pairs(&at(level), criterion, is_decidable, |t| t == Together::Clean);
                (level, share)
            })
            .collect(),
        amounts: levels
            .iter()
            .filter_map(|&level| Some((level, amounts.mean(&method(kind, level))?)))
            .collect(),
        drops: levels
            .iter()
            .filter_map(|&level| {
                let here = at(level);
                let drops = here.iter().filter_map(|t| t.drops.get(criterion)).flatten();
                mean(drops.copied()).map(|drop| (level, drop))
            })
            .collect(),
        undecided: pairs(of_kind, criterion, |_| true, |t| t == Together::Undecided),
        wrong: pairs(of_kind, criterion, |_| true, |t| t == Together::Damaged),
        threshold: threshold(&exact, &right),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    (count > 0.0).then(|| sum / count)
}

fn cost_per_right(rows: &[&Record], trials: &[&Trial]) -> Option<f64> {
    let cost: f64 = rows.iter().map(|row| row.cost_usd).sum::<Option<f64>>()?;
    let right = trials.iter().filter_map(|trial| {
        let (kind, _) = trial.damage?;
        let is_right = |key: &&str| trial.together(key) == Some(Together::Clean);
        Some(lowered(kind).filter(is_right).count())
    });
    let right: usize = right.sum();
    (right > 0).then(|| cost / right as f64)
}
