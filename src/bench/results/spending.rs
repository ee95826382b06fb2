//! What each judge was asked, said and cost.

use crate::store::Row;
use std::collections::BTreeMap;

/// One judge over all its questions. People are judges too.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct JudgeSpending {
    /// Its spec, or `human:NAME`.
    pub judge: String,
    /// The models as servers named them.
    pub models_reported: Vec<String>,
    /// Questions with an outcome.
    pub questions: usize,
    /// Of these, with a verdict.
    pub verdicts: usize,
    /// The others, by outcome.
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
    /// Time waited for replies, added up over requests that may have run side by side.
    pub seconds: f64,
    /// Median time of a question.
    pub median_seconds: f64,
}

/// One line a judge, by name.
pub fn spending(rows: &[Row]) -> Vec<JudgeSpending> {
    let mut by_judge: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        by_judge.entry(&row.judge).or_default().push(row);
    }
    by_judge.into_iter().map(of_judge).collect()
}

fn of_judge((judge, rows): (&str, Vec<&Row>)) -> JudgeSpending {
    let mut found = JudgeSpending {
        judge: judge.to_owned(),
        questions: rows.len(),
        cost_usd: Some(0.0),
        ..JudgeSpending::default()
    };
    let mut seconds: Vec<f64> = Vec::new();
    for row in rows {
        if row.verdict.is_some() {
            found.verdicts += 1;
        } else {
            *found.failed.entry(row.outcome.clone()).or_default() += 1;
        }
        found.attempts += u64::from(row.attempts);
        found.seconds += row.seconds;
        seconds.push(row.seconds);
        add(&mut found.input_tokens, row.input_tokens);
        add(&mut found.output_tokens, row.output_tokens);
        // Where nothing was answered there is no price, and nothing to pay.
        let cost = row.cost_usd.or(row.raw.is_none().then_some(0.0));
        found.cost_usd = found.cost_usd.zip(cost).map(|(sum, n)| sum + n);
        if let Some(model) = &row.model_reported
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
