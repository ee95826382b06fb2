//! The tables in addition to the boards: agreement, judges, failures.

use super::show::{dollars, grouped, percent, seconds, title};
use crate::rate::{AgreementRates, Estimate};
use crate::results::{JudgeSpending, MethodMaking, PeopleAgreement, VoiceAgreement};
use crate::rubric::Order;
use crate::store::{Made, Record};
use serde::Serialize;

/// More failed assets or questions than this are counted, not listed.
pub(super) const FAILURES_LISTED_MAX: usize = 200;

/// Two voices on one criterion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct AgreementView {
    pub criterion: String,
    pub first: String,
    pub second: String,
    /// Pairs that both judged.
    pub pairs: usize,
    /// Same winner where both decided.
    pub on_decided: String,
    /// Same outcome on all pairs.
    pub with_ties: String,
    /// κ, or nothing where chance explains all.
    pub kappa: String,
    /// Kendall's τ-b of the methods' ratings.
    pub kendall: String,
    /// Spearman's ρ of the methods' ratings.
    pub spearman: String,
}

/// One line a criterion and two voices.
pub(super) fn agreement_view(found: &VoiceAgreement) -> AgreementView {
    AgreementView {
        kendall: plain(found.agreement.kendall),
        spearman: plain(found.agreement.spearman),
        ..sameness_view(
            &found.criterion,
            [found.first.to_string(), found.second.to_string()],
            &found.agreement.same,
        )
    }
}

/// People among themselves, each rater against each other one: the ceiling for a judge.
pub(super) fn people_view(found: &PeopleAgreement) -> AgreementView {
    let voices = ["one person", "another"].map(str::to_owned);
    sameness_view(&found.criterion, voices, &found.agreement.pairwise)
}

pub(super) fn sameness_view(
    criterion: &str,
    [first, second]: [String; 2],
    same: &AgreementRates,
) -> AgreementView {
    let share = |estimate: Option<Estimate>| {
        estimate.map_or(String::new(), |e| with_interval(percent(e.value), e, percent))
    };
    AgreementView {
        criterion: title(criterion),
        first,
        second,
        pairs: same.counts.all,
        on_decided: match share(same.on_decided) {
            none if none.is_empty() => none,
            some => format!("{some} of {}", same.counts.decided),
        },
        with_ties: share(same.with_ties),
        kappa: plain(same.kappa),
        kendall: String::new(),
        spearman: String::new(),
    }
}

/// A share or a coefficient of −1 to 1 with its interval, or nothing.
pub(super) fn plain(estimate: Option<Estimate>) -> String {
    let number = |value: f64| format!("{value:.2}").replace('-', "−");
    estimate.map_or(String::new(), |e| with_interval(number(e.value), e, number))
}

fn with_interval(value: String, estimate: Estimate, number: impl Fn(f64) -> String) -> String {
    match estimate.interval {
        Some(i) => format!("{value} ({} to {})", number(i.low), number(i.high)),
        None => value,
    }
}

/// Agreement on one rubric: a line for each two voices, a cell for each criterion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct AgreementBlock {
    pub rubric: String,
    pub criteria: Vec<String>,
    /// In order of first appearance.
    pub lines: Vec<AgreementLine>,
}

/// Two voices on every criterion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct AgreementLine {
    pub first: String,
    pub second: String,
    /// As long as the block's criteria; none where they share no pair.
    pub cells: Vec<Option<AgreementView>>,
}

/// All agreement, rubric by rubric; people among themselves come last.
pub(super) fn agreement_blocks(
    found: &[VoiceAgreement],
    people: &[PeopleAgreement],
) -> Vec<AgreementBlock> {
    let voices = found.iter().map(|one| (&one.rubric, agreement_view(one)));
    let people = people.iter().map(|one| (&one.rubric, people_view(one)));
    let mut blocks: Vec<AgreementBlock> = Vec::new();
    for (rubric, view) in voices.chain(people) {
        let block = match blocks.iter().position(|b| b.rubric == *rubric) {
            Some(at) => &mut blocks[at],
            None => blocks.push_mut(AgreementBlock {
                rubric: rubric.clone(),
                criteria: Vec::new(),
                lines: Vec::new(),
            }),
        };
        let column = match block.criteria.iter().position(|c| *c == view.criterion) {
            Some(column) => column,
            None => {
                block.criteria.push(view.criterion.clone());
                block.criteria.len() - 1
            }
        };
        let is_same = |l: &AgreementLine| l.first == view.first && l.second == view.second;
        let line = match block.lines.iter().position(is_same) {
            Some(at) => &mut block.lines[at],
            None => block.lines.push_mut(AgreementLine {
                first: view.first.clone(),
                second: view.second.clone(),
                cells: Vec::new(),
            }),
        };
        line.cells.resize(line.cells.len().max(column + 1), None);
        line.cells[column] = Some(view);
    }
    for block in &mut blocks {
        for line in &mut block.lines {
            line.cells.resize(block.criteria.len(), None);
        }
    }
    blocks
}

/// One judge's row in the table of spending.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct JudgeView {
    pub judge: String,
    /// Whether it is a person.
    pub is_human: bool,
    /// As servers named the models.
    pub models: String,
    pub questions: String,
    pub verdicts: String,
    /// `3 invalid, 1 refusal`.
    pub failed: String,
    pub attempts: String,
    pub tokens: String,
    pub cost: String,
    pub cost_per_verdict: String,
    pub median_seconds: String,
}

/// One line a judge.
pub(super) fn judge_view(found: &JudgeSpending) -> JudgeView {
    let failed: Vec<String> = found
        .failed
        .iter()
        .map(|(outcome, n)| format!("{n} {}", outcome.replace('_', " ")))
        .collect();
    let is_human = found.judge.is_person();
    let tokens = match (found.input_tokens, found.output_tokens) {
        (None, None) => String::new(),
        (input, output) => {
            let one = |n: Option<u64>| n.map_or("?".to_owned(), grouped);
            format!("{} → {}", one(input), one(output))
        }
    };
    let price = |sum: Option<f64>| match sum {
        _ if is_human => String::new(),
        Some(sum) => dollars(sum),
        None => "unknown".to_owned(),
    };
    JudgeView {
        judge: found.judge.to_string(),
        is_human,
        models: found.models_reported.join(", "),
        questions: grouped(found.questions as u64),
        verdicts: grouped(found.verdicts as u64),
        failed: failed.join(", "),
        attempts: grouped(found.attempts),
        tokens,
        cost: price(found.cost_usd),
        cost_per_verdict: found.cost_usd_per_verdict.map_or(String::new(), |c| price(Some(c))),
        median_seconds: seconds(found.median_seconds),
    }
}

/// One generator's row in the table of assets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MakingView {
    pub method: String,
    pub wanted: usize,
    /// Assets that cannot be judged.
    pub failed: usize,
    pub share: String,
    /// `2 generate, 1 load`.
    pub stages: String,
    pub median_seconds: String,
    /// Empty where nothing was paid.
    pub cost: String,
}

/// One line a generator.
pub(super) fn making_view(found: &MethodMaking) -> MakingView {
    let stages: Vec<String> =
        found.failed_at.iter().map(|(stage, n)| format!("{n} {stage}")).collect();
    MakingView {
        method: found.method.clone(),
        wanted: found.wanted,
        failed: found.failed,
        share: percent(found.failed_share()),
        stages: stages.join(", "),
        median_seconds: found.median_seconds.map_or(String::new(), seconds),
        cost: found.cost_usd.map_or(String::new(), dollars),
    }
}

/// An asset that cannot be judged, or a question without a verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct FailureView {
    /// The method, or both.
    pub who: String,
    pub prompt: String,
    /// `generate`, `load`, `draw`, or the judge.
    pub whose: String,
    pub outcome: String,
    pub reason: String,
}

/// Assets that cannot be judged.
pub(super) fn asset_failures(failures: &[Made]) -> Vec<FailureView> {
    failures
        .iter()
        .filter_map(|made| Some((made, made.failure.as_ref()?)))
        .take(FAILURES_LISTED_MAX)
        .map(|(made, (stage, reason))| FailureView {
            who: made.method.clone(),
            prompt: made.prompt.clone(),
            whose: String::new(),
            outcome: stage.as_str().to_owned(),
            reason: reason.clone(),
        })
        .collect()
}

/// Questions without a verdict: the first of them, and how many there are.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Failures {
    pub listed: Vec<FailureView>,
    pub count: usize,
}

impl Failures {
    pub(super) fn add(&mut self, record: &Record) {
        if record.verdict().is_some() {
            return;
        }
        self.count += 1;
        if self.listed.len() == FAILURES_LISTED_MAX {
            return;
        }
        self.listed.push(FailureView {
            who: match (&record.b, record.order) {
                (None, _) => record.a.method.clone(),
                (Some(b), Order::Swapped) => format!("{} | {}", b.method, record.a.method),
                (Some(b), Order::AsListed) => format!("{} | {}", record.a.method, b.method),
            },
            prompt: record.prompt.clone().unwrap_or_default(),
            whose: record.judge.to_string(),
            outcome: record.outcome.name().replace('_', " "),
            reason: record.outcome.reason().unwrap_or_default().to_owned(),
        });
    }
}
