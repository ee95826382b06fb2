//! Metrics of a benchmark's assets → a board for each, and how each agrees with the judges and with people.
//!
//! A metric is taken for one more voice: of two methods on a prompt it prefers the one with the better number. So the figures are those of
//! any two voices, with the same intervals over prompts.

use super::collect::Collected;
use super::settings::RateSettings;
use super::voice::Voice;
use super::voices::agreement_with;
use crate::metrics::Metric;
use crate::rate::{Agreement, Number, RateError, ScoredLine, Vote, Winner, scored};
use crate::store::{Made, MetricRow, MetricsKept};
use std::collections::{BTreeMap, BTreeSet};

/// Cases that a board names at each end.
const CASES_MAX: usize = 3;

/// One metric over all prompts.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct MetricBoard {
    /// Its name, as in `f@0.02`.
    pub metric: String,
    /// Hash → definition: more than one where runs differ.
    pub definitions: BTreeMap<String, serde_json::Value>,
    pub is_lower_better: bool,
    /// Sorted names; indices in `lines` are into these.
    pub methods: Vec<String>,
    /// Best first.
    pub lines: Vec<ScoredLine>,
    /// By method: assets without a number, which the rule on missing assets decides.
    pub missing: Vec<usize>,
    /// Whether these got the worst number of the others on their prompt; otherwise they are left out.
    pub missing_is_worst: bool,
    pub best: Vec<MetricCase>,
    pub worst: Vec<MetricCase>,
    pub agreement: Vec<MetricAgreement>,
}

/// One asset's number.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct MetricCase {
    pub method: String,
    pub prompt_id: String,
    pub seed: u32,
    pub value: f64,
}

/// The metric against a voice on one criterion.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct MetricAgreement {
    pub rubric: String,
    pub criterion: String,
    pub voice: Voice,
    pub agreement: Agreement,
}

/// A board for every metric, in the order in which the run has them.
///
/// # Errors
/// A fit that does not converge.
pub(super) fn metric_boards(
    settings: &RateSettings,
    kept: &MetricsKept,
    made: &[Made],
    collected: &Collected,
) -> Result<Vec<MetricBoard>, RateError> {
    let mut names: Vec<&String> = Vec::new();
    for row in &kept.rows {
        if !names.contains(&&row.metric) {
            names.push(&row.metric);
        }
    }
    let boards = names.into_iter().filter_map(|name| {
        let metric: Metric = name.parse().ok()?;
        let rows: Vec<&MetricRow> = kept.rows.iter().filter(|row| row.metric == *name).collect();
        Some(one(settings, kept, metric, &rows, made, collected))
    });
    boards.collect()
}

/// A prompt's try: its id and its seed.
type Place<'a> = (&'a str, u32);

fn one(
    settings: &RateSettings,
    kept: &MetricsKept,
    metric: Metric,
    rows: &[&MetricRow],
    made: &[Made],
    collected: &Collected,
) -> Result<MetricBoard, RateError> {
    let is_lower_better = metric.is_lower_better();
    let failed = made.iter().filter(|made| made.failure.is_some());
    let named = rows.iter().map(|row| &row.method);
    let methods: BTreeSet<&String> = named.chain(failed.clone().map(|m| &m.method)).collect();
    let methods: Vec<&String> = methods.into_iter().collect();
    let index = |method: &String| methods.binary_search(&method).unwrap_or_default();
    let mut values: BTreeMap<Place<'_>, BTreeMap<usize, f64>> = BTreeMap::new();
    let mut lacking: Vec<(Place<'_>, usize)> = Vec::new();
    let mut texts: BTreeMap<&str, &str> = BTreeMap::new();
    for row in rows {
        let place = (row.prompt_id.as_str(), row.seed);
        texts.insert(&row.prompt_id, &row.prompt);
        match row.value {
            Some(value) => {
                _ = values
                    .entry(place)
                    .or_default()
                    .insert(index(&row.method), value)
            }
            None => lacking.push((place, index(&row.method))),
        }
    }
    lacking.extend(failed.map(|m| ((m.prompt_id.as_str(), m.seed), index(&m.method))));
    let mut missing = vec![0; methods.len()];
    for (place, method) in lacking {
        missing[method] += 1;
        if let Some(of) = values.get_mut(&place).filter(|_| kept.missing_is_worst) {
            let worst = of.values().copied().reduce(|a, b| match is_lower_better {
                true => a.max(b),
                false => a.min(b),
            });
            if let Some(worst) = worst {
                of.insert(method, worst);
            }
        }
    }
    let ids: BTreeSet<&str> = values.keys().map(|(id, _)| *id).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let numbers: Vec<Number> = values
        .iter()
        .flat_map(|((id, _), of)| {
            let prompt = ids.binary_search(id).unwrap_or_default();
            of.iter().map(move |(&method, &value)| Number {
                method,
                prompt,
                value,
            })
        })
        .collect();
    let mut cases: Vec<MetricCase> = rows
        .iter()
        .filter_map(|row| {
            Some(MetricCase {
                method: row.method.clone(),
                prompt_id: row.prompt_id.clone(),
                seed: row.seed,
                value: row.value?,
            })
        })
        .collect();
    cases.sort_by(|a, b| {
        let order = a.value.total_cmp(&b.value);
        if is_lower_better {
            order
        } else {
            order.reverse()
        }
    });
    let worst = cases.iter().rev().take(CASES_MAX).cloned().collect();
    cases.truncate(CASES_MAX);
    Ok(MetricBoard {
        metric: metric.to_string(),
        definitions: (rows.iter())
            .filter_map(|row| kept.definitions.get_key_value(&row.definition))
            .map(|(hash, definition)| (hash.clone(), definition.clone()))
            .collect(),
        is_lower_better,
        lines: scored(
            &numbers,
            is_lower_better,
            settings.replicates,
            settings.seed,
        ),
        missing,
        missing_is_worst: kept.missing_is_worst,
        best: cases,
        worst,
        agreement: agreement(
            settings,
            is_lower_better,
            &values,
            &texts,
            &methods,
            collected,
        )?,
        methods: methods.into_iter().cloned().collect(),
    })
}

/// Which of two methods has the better number, on every prompt.
fn agreement(
    settings: &RateSettings,
    is_lower_better: bool,
    values: &BTreeMap<Place<'_>, BTreeMap<usize, f64>>,
    texts: &BTreeMap<&str, &str>,
    methods: &[&String],
    collected: &Collected,
) -> Result<Vec<MetricAgreement>, RateError> {
    let place = |names: &[String], name: &str| names.iter().position(|known| known == name);
    let known: Vec<Option<usize>> = (methods.iter())
        .map(|name| place(&collected.methods.names, name))
        .collect();
    let mut votes = Vec::new();
    for ((id, _), of) in values {
        let text = texts.get(id).copied().unwrap_or_default();
        let Some(prompt) = place(&collected.prompts.names, text) else {
            continue;
        };
        for (&x, &first) in of {
            for (&y, &second) in of.range(x + 1..) {
                let (Some(a), Some(b)) = (known[x], known[y]) else {
                    continue;
                };
                let winner = if first == second {
                    Winner::Tie
                } else if (first < second) == is_lower_better {
                    Winner::A
                } else {
                    Winner::B
                };
                votes.push(Vote {
                    prompt,
                    a,
                    b,
                    source: 0,
                    winner,
                });
            }
        }
    }
    agreement_with(settings, collected, &votes, |on, voice, agreement| {
        MetricAgreement {
            rubric: on.rubric.clone(),
            criterion: on.criterion.clone(),
            voice: voice.clone(),
            agreement,
        }
    })
}
