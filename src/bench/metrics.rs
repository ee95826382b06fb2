//! `[[metrics]]` of a benchmark: every asset that was made, measured against the reference of its prompt. What was measured before, of the
//! same files by the same definition, is not measured again.

use super::file::MissingAssets;
use super::observer::Observer;
use super::plan::Plan;
use super::planned_metrics::PlannedMetrics;
use crate::load::{Loaded, load};
use crate::metrics::{Comparison, Definition, Reference};
use crate::store::{Made, MetricRow, MetricsKept, Store, StoreError};
use std::collections::BTreeMap;
use std::path::Path;

/// What is measured of one asset is known by these.
type Key = (String, String, u32, String);

fn key(row: &MetricRow) -> Key {
    (
        row.method.clone(),
        row.prompt_id.clone(),
        row.seed,
        row.definition.clone(),
    )
}

/// Measures what is there and keeps it in the run's folder. What cannot be measured is told, and has no row.
///
/// # Errors
/// A disk that fails.
pub(super) fn measure_made(
    plan: &Plan,
    store: &Store,
    observer: &dyn Observer,
) -> Result<(), StoreError> {
    if plan.metrics.is_empty() {
        return Ok(());
    }
    let before: BTreeMap<Key, MetricRow> = (MetricsKept::read(store.folder())?.rows.into_iter())
        .map(|row| (key(&row), row))
        .collect();
    let mut made = store.made()?;
    made.sort_by(|x, y| (&x.prompt_id, x.seed, &x.method).cmp(&(&y.prompt_id, y.seed, &y.method)));
    let mut kept = MetricsKept {
        missing_is_worst: plan.missing_assets == MissingAssets::Loss,
        ..MetricsKept::default()
    };
    for planned in &plan.metrics {
        for metric in &planned.settings.metrics {
            let definition = Definition::of(metric, &planned.settings);
            let json = serde_json::to_value(&definition).unwrap_or_default();
            kept.definitions.insert(definition.hash(), json);
        }
        // Assets of one prompt share their reference.
        for of_prompt in made.chunk_by(|x, y| (&x.prompt_id, x.seed) == (&y.prompt_id, y.seed)) {
            let there: Vec<&Made> = of_prompt
                .iter()
                .filter(|made| made.failure.is_none() && made.path.is_some())
                .collect();
            let Some(first) = there.first() else { continue };
            let path = planned.path(&first.prompt_id, &first.prompt, first.seed);
            let found = path.and_then(|path| {
                let read = load(&path, &plan.load).map_err(|e| e.to_string())?;
                measure_prompt(planned, &read, &there, plan, &before, observer)
            });
            match found {
                Ok(mut rows) => kept.rows.append(&mut rows),
                Err(reason) => observer.warn(&format!(
                    "nothing is measured on the prompt {:?}: {reason}",
                    first.prompt_id
                )),
            }
        }
    }
    kept.write(store.folder())
}

/// The rows of a prompt's assets; the reference is made ready only where something is new.
fn measure_prompt(
    planned: &PlannedMetrics,
    read: &Loaded,
    there: &[&Made],
    plan: &Plan,
    before: &BTreeMap<Key, MetricRow>,
    observer: &dyn Observer,
) -> Result<Vec<MetricRow>, String> {
    let settings = &planned.settings;
    let definitions: Vec<String> = (settings.metrics.iter())
        .map(|metric| Definition::of(metric, settings).hash())
        .collect();
    let mut reference: Option<Reference> = None;
    let mut rows = Vec::new();
    for made in there {
        let known: Vec<&MetricRow> = (definitions.iter())
            .filter_map(|definition| {
                let key = (
                    made.method.clone(),
                    made.prompt_id.clone(),
                    made.seed,
                    definition.clone(),
                );
                let row = before.get(&key)?;
                let is_same = made.hash.as_ref() == Some(&row.asset) && row.reference == read.hash;
                is_same.then_some(row)
            })
            .collect();
        if known.len() == definitions.len() {
            rows.extend(known.into_iter().cloned());
            continue;
        }
        let ready = match &reference {
            Some(ready) => ready,
            None => {
                reference.insert(Reference::new(&read.scene, settings).map_err(|e| e.to_string())?)
            }
        };
        let path = made.path.as_deref().unwrap_or_default();
        let compared = load(Path::new(path), &plan.load)
            .map_err(|e| e.to_string())
            .and_then(|loaded| {
                let compared = ready.compare(&loaded.scene).map_err(|e| e.to_string())?;
                Ok((loaded.hash, compared))
            });
        match compared {
            Ok((asset, compared)) => rows.extend(rows_of(made, &asset, &read.hash, compared)),
            Err(reason) => observer.warn(&format!(
                "{} is not measured on the prompt {:?}: {reason}",
                made.method, made.prompt_id
            )),
        }
    }
    Ok(rows)
}

fn rows_of(
    made: &Made,
    asset: &str,
    reference: &str,
    compared: Comparison,
) -> impl Iterator<Item = MetricRow> {
    let [asset, reference] = [asset, reference].map(str::to_owned);
    let made = made.clone();
    (compared.values.into_iter()).map(move |value| MetricRow {
        method: made.method.clone(),
        prompt_id: made.prompt_id.clone(),
        prompt: made.prompt.clone(),
        seed: made.seed,
        metric: value.metric.to_string(),
        value: value.value,
        why: value.why,
        asset: asset.clone(),
        reference: reference.clone(),
        definition: value.definition,
    })
}
