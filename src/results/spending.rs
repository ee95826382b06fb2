//! What each judge was asked, how it answered, and what it cost.

use crate::store::{Rater, Record};
use std::collections::BTreeMap;

/// One judge over all its questions; also a person or another program.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct JudgeSpending {
    /// The judge, person or other program.
    pub judge: Rater,
    /// The models as servers named them.
    pub models_reported: Vec<String>,
    /// Questions with an outcome.
    pub questions: usize,
    /// Of these, with a verdict.
    pub verdicts: usize,
    /// Of these, restatements of replies in another form.
    pub restated: usize,
    /// Questions by the form of the answer that was asked for: `schema`, `text`.
    pub answers: BTreeMap<String, usize>,
    /// Questions without a verdict, by outcome.
    pub failed: BTreeMap<String, usize>,
    /// Requests, retries included.
    pub attempts: u64,
    /// Where servers counted them.
    pub input_tokens: Option<u64>,
    /// Where servers counted them.
    pub output_tokens: Option<u64>,
    /// US dollars, failed attempts included; none where a price is unknown.
    pub cost_usd: Option<f64>,
    /// Dollars for each verdict; none without either.
    pub cost_usd_per_verdict: Option<f64>,
    /// Sum of the response times, also of requests that ran side by side.
    pub seconds: f64,
    /// Median over the questions; none where it is 0, as for votes of a file.
    pub median_seconds: Option<f64>,
}

/// What each judge was asked, added up record by record.
#[derive(Debug, Clone, Default)]
pub(super) struct Spending(BTreeMap<Rater, Spent>);

#[derive(Debug, Clone, Default)]
struct Spent {
    found: JudgeSpending,
    /// Per question. Sums round in the order of their parts, which must not be arrival order.
    seconds: Vec<f64>,
    costs_usd: Vec<f64>,
    /// Whether the price of any reply is unknown.
    is_unpriced: bool,
}

impl Spending {
    pub(super) fn add(&mut self, record: &Record) {
        if !self.0.contains_key(&record.judge) {
            let judge = record.judge.clone();
            let found = JudgeSpending { judge: judge.clone(), ..JudgeSpending::default() };
            self.0.insert(judge, Spent { found, ..Spent::default() });
        }
        let Some(spent) = self.0.get_mut(&record.judge) else {
            return;
        };
        let found = &mut spent.found;
        found.questions += 1;
        if record.verdict().is_some() {
            found.verdicts += 1;
            found.restated += usize::from(record.restated);
        } else {
            let outcome = record.outcome.name().to_owned();
            *found.failed.entry(outcome).or_default() += 1;
        }
        if let Some(answers) = &record.answers {
            *found.answers.entry(answers.clone()).or_default() += 1;
        }
        found.attempts += u64::from(record.attempts);
        spent.seconds.push(record.seconds);
        add(&mut found.input_tokens, record.input_tokens);
        add(&mut found.output_tokens, record.output_tokens);
        match record.cost_usd {
            Some(usd) => spent.costs_usd.push(usd),
            // Where nothing was answered there is no price, and nothing to pay.
            None => spent.is_unpriced |= record.raw.is_some(),
        }
        if let Some(model) = &record.model_reported
            && !found.models_reported.contains(model)
        {
            found.models_reported.push(model.clone());
        }
    }

    /// Sorted by judge.
    pub(super) fn finish(&self) -> Vec<JudgeSpending> {
        self.0.values().cloned().map(Spent::finish).collect()
    }
}

impl Spent {
    fn finish(mut self) -> JudgeSpending {
        let mut found = self.found;
        found.models_reported.sort();
        self.seconds.sort_by(f64::total_cmp);
        self.costs_usd.sort_by(f64::total_cmp);
        found.seconds = self.seconds.iter().sum();
        let middle = self.seconds.get(self.seconds.len() / 2);
        found.median_seconds = middle.copied().filter(|seconds| *seconds > 0.0);
        // The sum of nothing is −0.
        found.cost_usd = (!self.is_unpriced).then(|| 0.0 + self.costs_usd.iter().sum::<f64>());
        found.cost_usd_per_verdict =
            found.cost_usd.filter(|_| found.verdicts > 0).map(|cost| cost / found.verdicts as f64);
        found
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}
