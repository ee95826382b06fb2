//! What each judge was asked, how it answered, and what it cost.

use crate::store::{Rater, Record};
use std::collections::BTreeMap;

/// One judge over all its questions; also a person or another program.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct JudgeSpending {
    /// The judge, person or other program.
    pub judge: Rater,
    /// The models as servers named them.
    pub models_reported: Vec<String>,
    /// Questions with an outcome.
    pub questions: usize,
    /// Of these, with a verdict.
    pub verdicts: usize,
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
    /// Median over the questions.
    pub median_seconds: f64,
}

/// Sorted by judge.
pub fn spending(records: &[Record]) -> Vec<JudgeSpending> {
    let mut by_judge: BTreeMap<&Rater, Vec<&Record>> = BTreeMap::new();
    for record in records {
        by_judge.entry(&record.judge).or_default().push(record);
    }
    by_judge.into_iter().map(of_judge).collect()
}

fn of_judge((judge, records): (&Rater, Vec<&Record>)) -> JudgeSpending {
    let mut found = JudgeSpending {
        judge: judge.clone(),
        models_reported: Vec::new(),
        questions: records.len(),
        verdicts: 0,
        failed: BTreeMap::new(),
        attempts: 0,
        input_tokens: None,
        output_tokens: None,
        cost_usd: Some(0.0),
        cost_usd_per_verdict: None,
        seconds: 0.0,
        median_seconds: 0.0,
    };
    let mut seconds: Vec<f64> = Vec::new();
    for record in records {
        if record.verdict().is_some() {
            found.verdicts += 1;
        } else {
            *found
                .failed
                .entry(record.outcome.name().to_owned())
                .or_default() += 1;
        }
        found.attempts += u64::from(record.attempts);
        found.seconds += record.seconds;
        seconds.push(record.seconds);
        add(&mut found.input_tokens, record.input_tokens);
        add(&mut found.output_tokens, record.output_tokens);
        // Where nothing was answered there is no price, and nothing to pay.
        let cost = record.cost_usd.or(record.raw.is_none().then_some(0.0));
        found.cost_usd = found.cost_usd.zip(cost).map(|(sum, n)| sum + n);
        if let Some(model) = &record.model_reported
            && !found.models_reported.contains(model)
        {
            found.models_reported.push(model.clone());
        }
    }
    found.models_reported.sort();
    seconds.sort_by(f64::total_cmp);
    found.median_seconds = seconds.get(seconds.len() / 2).copied().unwrap_or(0.0);
    found.cost_usd_per_verdict = (found.cost_usd)
        .filter(|_| found.verdicts > 0)
        .map(|cost| cost / found.verdicts as f64);
    found
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0) + more);
    }
}
