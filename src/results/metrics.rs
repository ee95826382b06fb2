//! Metrics of a benchmark's assets → a board each, and its agreement with judges and people.
//!
//! A metric is taken for one more voice: of two methods on a prompt it prefers the one with the
//! better number. So the figures are those of any two voices, with the same intervals over prompts.

use super::collect::Collected;
use super::key::Key;
use super::settings::RateSettings;
use super::voices::agreement_with;
use crate::metrics::{Metric, QualityMetric};
use crate::rate::{
    Agreement, Interval, Number, RateError, Sampling, ScoredLine, Vote, Winner, scored,
};
use crate::store::{ErrorMapRow, Made, MetricRow, MetricsKept, SetRow};
use std::collections::{BTreeMap, BTreeSet};

/// Cases that a board names at each end.
const CASES_MAX: usize = 3;

/// One metric over all prompts.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct MetricBoard {
    /// Its name, as in `f@0.02`.
    pub metric: String,
    /// Hash → definition: more than one where runs differ.
    pub definitions: BTreeMap<String, serde_json::Value>,
    /// None where neither more nor less is better by itself, as of the number of triangles: then
    /// nobody is first, and it prefers nothing.
    pub is_lower_better: Option<bool>,
    /// Whether it compares with a reference.
    pub has_reference: bool,
    /// Whether it is computed from vectors of a model.
    pub is_learned: bool,
    /// By method: of a number of whole sets, everything that belongs to it; else empty.
    pub sets: Vec<SetRow>,
    /// Sorted names; indices in `lines` are into these.
    pub methods: Vec<String>,
    /// Best first.
    pub lines: Vec<ScoredLine>,
    /// By method: assets without a number, which the rule on missing assets decides.
    pub missing: Vec<usize>,
    /// Whether these got the others' worst number on their prompt; otherwise they are left out.
    pub missing_is_worst: bool,
    /// None where neither more nor less is better.
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
    /// Where it differs from its reference.
    pub error_map: Option<ErrorMapRow>,
}

/// The metric against a voice on one criterion.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct MetricAgreement {
    #[serde(flatten)]
    pub key: Key,
    pub agreement: Agreement,
}

/// Boards, and each metric with a better end: name and preference of two methods, per prompt.
pub(super) type Measured = (Vec<MetricBoard>, Vec<(String, Vec<Vote>)>);

/// A board for every metric, in the order in which the run has them.
///
/// # Errors
/// A fit that does not converge.
pub(super) fn metric_boards(
    settings: &RateSettings,
    kept: &MetricsKept,
    made: &[Made],
    collected: &Collected,
) -> Result<Measured, RateError> {
    let mut names: Vec<&String> = Vec::new();
    for row in &kept.rows {
        if !names.contains(&&row.metric) {
            names.push(&row.metric);
        }
    }
    let boards = names.into_iter().filter_map(|name| {
        let kind = match (name.parse::<Metric>(), name.parse::<QualityMetric>()) {
            (Ok(metric), _) => Kind::measured(Some(metric.is_lower_better()), metric.range()),
            (_, Ok(metric)) => Kind::measured(metric.is_lower_better(), metric.range()),
            _ => checked(kept, name).or_else(|| learned(kept, name))?,
        };
        let rows: Vec<&MetricRow> = kept.rows.iter().filter(|row| row.metric == *name).collect();
        Some(one(settings, kept, kind, &rows, made, collected))
    });
    let (mut boards, votes): (Vec<_>, Vec<_>) =
        boards.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let names = boards.iter().map(|board| board.metric.clone());
    let votes = names.zip(votes).filter_map(|(name, votes)| Some((name, votes?))).collect();
    boards.extend(set_boards(kept));
    Ok((boards, votes))
}

/// Shares of assets that keep the limits of a profile, which their definition names.
fn checked(kept: &MetricsKept, name: &str) -> Option<Kind> {
    let row = kept.rows.iter().find(|row| row.metric == name)?;
    kept.definitions.get(&row.definition)?.get("profile")?;
    Some(Kind::measured(Some(false), (0.0, 1.0)))
}

/// The sort of a score, from its definition.
fn learned(kept: &MetricsKept, name: &str) -> Option<Kind> {
    let row = kept.rows.iter().find(|row| row.metric == name)?;
    let definition = kept.definitions.get(&row.definition)?;
    let bound = |at: usize, none: f64| definition["range"][at].as_f64().unwrap_or(none);
    Some(Kind {
        is_lower_better: Some(definition["is_lower_better"].as_bool()?),
        range: (bound(0, f64::NEG_INFINITY), bound(1, f64::INFINITY)),
        is_learned: true,
    })
}

/// A board for each number of whole sets. There is one number for a method and none for a prompt,
/// so it agrees with nobody and has no ranks.
fn set_boards(kept: &MetricsKept) -> Vec<MetricBoard> {
    let mut boards: Vec<MetricBoard> = Vec::new();
    for row in &kept.sets {
        let known = boards.iter().position(|board| board.metric == row.metric);
        let at = known.unwrap_or_else(|| {
            let definition = kept.definitions.get(&row.definition);
            boards.push(MetricBoard {
                metric: row.metric.clone(),
                definitions: definition
                    .map(|it| (row.definition.clone(), it.clone()))
                    .into_iter()
                    .collect(),
                is_lower_better: definition.and_then(|it| it["is_lower_better"].as_bool()),
                has_reference: true,
                is_learned: true,
                missing_is_worst: false,
                ..MetricBoard::default()
            });
            boards.len() - 1
        });
        let board = &mut boards[at];
        // A set is that of one run: numbers of several runs cannot be added.
        if board.methods.contains(&row.method) {
            continue;
        }
        board.lines.push(ScoredLine {
            method: board.methods.len(),
            mean: row.value,
            interval: row.interval.map(|[low, high]| Interval { low, high }),
            ranks_all: None,
            num_values: row.num_assets,
        });
        board.methods.push(row.method.clone());
        board.missing.push(0);
        board.sets.push(row.clone());
    }
    for board in &mut boards {
        board.lines.sort_by(|a, b| {
            let order = a.mean.total_cmp(&b.mean);
            if board.is_lower_better == Some(true) { order } else { order.reverse() }
        });
    }
    boards
}

/// The best and the worst rows, at most [`CASES_MAX`] of each, the best and the worst first.
pub(crate) fn extremes<'a>(
    rows: impl Iterator<Item = &'a MetricRow>,
    is_lower_better: bool,
) -> [Vec<&'a MetricRow>; 2] {
    let mut found: Vec<(f64, &MetricRow)> =
        rows.filter_map(|row| Some((row.value?, row))).collect();
    found.sort_by(|(a, _), (b, _)| {
        let order = a.total_cmp(b);
        if is_lower_better { order } else { order.reverse() }
    });
    let named = |(_, row): &(f64, &'a MetricRow)| *row;
    [
        found.iter().take(CASES_MAX).map(named).collect(),
        found.iter().rev().take(CASES_MAX).map(named).collect(),
    ]
}

/// A prompt's try: its id and its seed.
type Place<'a> = (&'a str, u32);

/// What a metric is, whatever it measures.
#[derive(Clone, Copy)]
struct Kind {
    is_lower_better: Option<bool>,
    /// Least and most that it can be.
    range: (f64, f64),
    is_learned: bool,
}

impl Kind {
    fn measured(is_lower_better: Option<bool>, range: (f64, f64)) -> Self {
        Self { is_lower_better, range, is_learned: false }
    }
}

fn one(
    settings: &RateSettings,
    kept: &MetricsKept,
    Kind { is_lower_better, range, is_learned }: Kind,
    rows: &[&MetricRow],
    made: &[Made],
    collected: &Collected,
) -> Result<(MetricBoard, Option<Vec<Vote>>), RateError> {
    let failed = made.iter().filter(|made| made.failure.is_some());
    let named = rows.iter().map(|row| &row.method);
    let methods: BTreeSet<&String> = named.chain(failed.clone().map(|m| &m.method)).collect();
    let methods: Vec<&String> = methods.into_iter().collect();
    let index = |method: &String| methods.binary_search(&method).unwrap_or_default();
    let mut values: BTreeMap<Place<'_>, BTreeMap<usize, f64>> = BTreeMap::new();
    let has_reference = rows.iter().any(|row| !row.reference.is_empty());
    let mut lacking: Vec<(Place<'_>, usize)> = Vec::new();
    let mut missing = vec![0; methods.len()];
    for row in rows {
        let place = (row.prompt_id.as_str(), row.seed);
        match row.value {
            Some(value) => _ = values.entry(place).or_default().insert(index(&row.method), value),
            // A learned score that could not be computed says nothing about the asset.
            None if has_reference && !is_learned => lacking.push((place, index(&row.method))),
            // An asset that is there and has no texture coordinates is not the worst at them.
            None => missing[index(&row.method)] += 1,
        }
    }
    lacking.extend(failed.map(|m| ((m.prompt_id.as_str(), m.seed), index(&m.method))));
    for (place, method) in lacking {
        // A check has a number for assets that are missing, too.
        if values.get(&place).is_some_and(|of| of.contains_key(&method)) {
            continue;
        }
        missing[method] += 1;
        if let Some(of) = values.get_mut(&place).filter(|_| kept.missing_is_worst) {
            let all = of.values().copied();
            let worst = match is_lower_better {
                Some(true) => all.reduce(f64::max),
                Some(false) => all.reduce(f64::min),
                None => None,
            };
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
            of.iter().map(move |(&method, &value)| Number { method, prompt, value })
        })
        .collect();
    let [best, worst] = match is_lower_better {
        Some(is_lower_better) => extremes(rows.iter().copied(), is_lower_better),
        None => Default::default(),
    };
    let [best, worst] =
        [best, worst].map(|rows| rows.into_iter().filter_map(|row| case(row, kept)).collect());
    let votes = is_lower_better.map(|is_lower| votes(is_lower, &values, &methods, collected));
    let Sampling { replicates, seed } = settings.sampling();
    let board = MetricBoard {
        metric: rows.first().map_or(String::new(), |row| row.metric.clone()),
        definitions: rows
            .iter()
            .filter_map(|row| kept.definitions.get_key_value(&row.definition))
            .map(|(hash, definition)| (hash.clone(), definition.clone()))
            .collect(),
        is_lower_better,
        has_reference,
        is_learned,
        sets: Vec::new(),
        lines: scored(&numbers, is_lower_better, range, replicates, seed),
        missing,
        missing_is_worst: kept.missing_is_worst,
        best,
        worst,
        agreement: match &votes {
            Some(votes) => agreement(settings, votes, collected)?,
            None => Vec::new(),
        },
        methods: methods.into_iter().cloned().collect(),
    };
    Ok((board, votes))
}

fn case(row: &MetricRow, kept: &MetricsKept) -> Option<MetricCase> {
    let is_of_row = |map: &&ErrorMapRow| {
        (&map.method, &map.prompt_id, map.seed) == (&row.method, &row.prompt_id, row.seed)
            && (&map.asset, &map.reference) == (&row.asset, &row.reference)
            && map.definitions.contains(&row.definition)
    };
    Some(MetricCase {
        method: row.method.clone(),
        prompt_id: row.prompt_id.clone(),
        seed: row.seed,
        value: row.value?,
        error_map: kept.error_maps.iter().find(is_of_row).cloned(),
    })
}

/// Which of two methods has the better number, on every prompt.
fn votes(
    is_lower_better: bool,
    values: &BTreeMap<Place<'_>, BTreeMap<usize, f64>>,
    methods: &[&String],
    collected: &Collected,
) -> Vec<Vote> {
    let place = |names: &[String], name: &str| names.iter().position(|known| known == name);
    let known: Vec<Option<usize>> =
        methods.iter().map(|name| place(&collected.methods.names, name)).collect();
    let mut votes = Vec::new();
    for ((id, _), of) in values {
        let name = collected.prompts_by_id.get(*id);
        let Some(prompt) = name.and_then(|name| place(&collected.prompts.names, name)) else {
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
                votes.push(Vote { prompt, a, b, source: 0, winner });
            }
        }
    }
    votes
}

fn agreement(
    settings: &RateSettings,
    votes: &[Vote],
    collected: &Collected,
) -> Result<Vec<MetricAgreement>, RateError> {
    let found = agreement_with(settings, collected, votes)?.into_iter();
    let of = |(key, agreement): (&Key, Agreement)| MetricAgreement { key: key.clone(), agreement };
    Ok(found.map(of).collect())
}
