//! The records of one pair → each judge's finding on each criterion, and whether both orders agree.

use crate::results::majority;
use crate::rubric::{Order, Rubric, Winner};
use crate::store::{Rater, Record};
use std::collections::{BTreeMap, BTreeSet};

/// A judge's answer on one criterion in one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// Who is better, in the listed order.
    Winner(Winner),
    /// The judge cannot answer this criterion.
    Undecided,
    /// There is no verdict.
    None,
}

impl Finding {
    /// `a`, `b`, `tie`, `undecided` or `none`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Winner(winner) => winner.as_str(),
            Self::Undecided => "undecided",
            Self::None => "none",
        }
    }
}

/// A judge's answers on one criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriterionFinding {
    pub criterion: String,
    /// With `a` on the left, and with `b` on the left.
    pub orders: [Finding; 2],
}

impl CriterionFinding {
    /// The finding of both orders; `None` where they differ or one is missing.
    pub fn agreed(&self) -> Option<Finding> {
        let [listed, swapped] = self.orders;
        (listed == swapped).then_some(listed)
    }

    /// [`CriterionFinding::agreed`] in a word, else `incomplete` or `inconsistent`.
    pub fn as_str(&self) -> &'static str {
        match self.agreed() {
            Some(finding) => finding.as_str(),
            None if self.orders.contains(&Finding::None) => "incomplete",
            None => "inconsistent",
        }
    }
}

/// One judge's answers in its `sample`th try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgeFindings {
    pub judge: Rater,
    /// Counts from 0.
    pub sample: u32,
    /// In the rubric's order.
    pub criteria: Vec<CriterionFinding>,
}

/// The majority of one judge's samples on a criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct MajorityFinding {
    pub criterion: String,
    /// By order: the winner, and its share of samples less the runner-up's; none without verdict.
    pub orders: [Option<(Winner, f64)>; 2],
}

/// The majorities of one judge's samples.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleMajorities {
    pub judge: Rater,
    /// How often it was asked.
    pub num_samples: usize,
    /// In the rubric's order.
    pub criteria: Vec<MajorityFinding>,
}

/// All judges' findings on one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// By judge and sample.
    pub findings: Vec<JudgeFindings>,
    /// Every request with its evidence, in the order of asking.
    pub records: Vec<Record>,
}

impl Comparison {
    /// Reads the records of one pair.
    pub fn new(rubric: &Rubric, records: Vec<Record>) -> Self {
        let mut asked: BTreeMap<(&Rater, u32), Vec<&Record>> = BTreeMap::new();
        for record in &records {
            let key = (&record.judge, record.sample);
            asked.entry(key).or_default().push(record);
        }
        let findings = asked
            .into_iter()
            .map(|((judge, sample), records)| JudgeFindings {
                judge: judge.clone(),
                sample,
                criteria: rubric
                    .criteria(None)
                    .iter()
                    .map(|criterion| CriterionFinding {
                        criterion: criterion.key.clone(),
                        orders: Order::BOTH.map(|order| {
                            let record = records.iter().find(|record| record.order == order);
                            record.map_or(Finding::None, |record| finding(record, &criterion.key))
                        }),
                    })
                    .collect(),
            })
            .collect();
        Self { findings, records }
    }

    /// Who wins a criterion in both orders of every judge and sample; `None` if any differs.
    pub fn winner(&self, criterion: &str) -> Option<Winner> {
        let mut said = self
            .findings
            .iter()
            .flat_map(|findings| &findings.criteria)
            .filter(|finding| finding.criterion == criterion)
            .map(CriterionFinding::agreed);
        let Some(Finding::Winner(first)) = said.next()? else {
            return None;
        };
        said.all(|next| next == Some(Finding::Winner(first))).then_some(first)
    }

    /// The majorities of each judge that was asked more than once.
    pub fn majorities(&self) -> Vec<SampleMajorities> {
        let judges: BTreeSet<&Rater> = self.findings.iter().map(|found| &found.judge).collect();
        judges
            .into_iter()
            .filter_map(|judge| {
                let of_judge = self.findings.iter().filter(|found| found.judge == *judge);
                let samples: Vec<&JudgeFindings> = of_judge.collect();
                (samples.len() > 1).then(|| SampleMajorities {
                    judge: judge.clone(),
                    num_samples: samples.len(),
                    criteria: (0..samples[0].criteria.len())
                        .map(|place| MajorityFinding {
                            criterion: samples[0].criteria[place].criterion.clone(),
                            orders: [0, 1].map(|order| most(&samples, place, order)),
                        })
                        .collect(),
                })
            })
            .collect()
    }
}

fn most(samples: &[&JudgeFindings], criterion: usize, order: usize) -> Option<(Winner, f64)> {
    let mut counts = [0; 3];
    for sample in samples {
        if let Finding::Winner(winner) = sample.criteria[criterion].orders[order] {
            counts[winner as usize] += 1;
        }
    }
    (counts != [0; 3]).then(|| majority(counts))
}

fn finding(record: &Record, criterion: &str) -> Finding {
    let Some(verdict) = record.verdict() else {
        return Finding::None;
    };
    match verdict.winner(criterion) {
        Some(winner) => Finding::Winner(winner),
        None if verdict.undecided().iter().any(|key| key == criterion) => Finding::Undecided,
        None => Finding::None,
    }
}
