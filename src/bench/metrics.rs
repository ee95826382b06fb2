//! `[[metrics]]` of a benchmark: every asset made, measured by itself or against its prompt's
//! reference. Earlier measurements of the same files by the same definition are not repeated.

use super::error_maps::draw_extremes;
use super::features::{Opened, score_made};
use super::file::MissingAssets;
use super::observer::Observer;
use super::plan::Plan;
use super::planned_check::PlannedCheck;
use super::planned_metrics::{PlannedMetrics, PlannedReference};
use crate::ask::StopSwitch;
use crate::error::Error;
use crate::load::Loaded;
use crate::metrics::{QualityMetric, Reference, quality_values};
use crate::store::{Made, MetricRow, MetricsKept, Store};
use std::collections::{BTreeMap, BTreeSet};

/// In the bar of progress.
const MEASURED: &str = "metrics";

/// The key of a measurement: method, prompt, seed, definition.
type Key = (String, String, u32, String);

fn key(made: &Made, definition: &str) -> Key {
    (made.method.clone(), made.prompt_id.clone(), made.seed, definition.to_owned())
}

fn key_of(row: &MetricRow) -> Key {
    let MetricRow { method, prompt_id, seed, definition, .. } = row;
    (method.clone(), prompt_id.clone(), *seed, definition.clone())
}

/// The earlier measurements.
struct Before(BTreeMap<Key, MetricRow>);

impl Before {
    fn of(kept: &MetricsKept) -> Self {
        let rows = kept.rows.iter().map(|row| (key_of(row), row.clone()));
        Self(rows.collect())
    }

    /// All of these definitions of the asset as it is now; none where one is missing.
    fn rows(&self, made: &Made, definitions: &[String], reference: &str) -> Option<Vec<MetricRow>> {
        let each = definitions.iter().map(|definition| {
            let row = self.0.get(&key(made, definition))?;
            let is_same = made.hash.as_ref() == Some(&row.asset) && row.reference == reference;
            is_same.then(|| row.clone())
        });
        each.collect()
    }
}

/// Measures the assets, draws the best and the worst, and stores the results in the run's folder. A
/// failed measurement is reported, and has no row. Once the switch is set nothing more is measured,
/// and earlier measurements are kept.
///
/// # Errors
/// A disk that fails.
pub(super) fn measure_made(
    plan: &Plan,
    features: &mut [Opened<'_>],
    store: &Store,
    stop: &StopSwitch,
    observer: &dyn Observer,
) -> Result<(), Error> {
    if plan.metrics.is_empty() && plan.features.is_empty() && plan.check.is_none() {
        return Ok(());
    }
    let kept_before = MetricsKept::read(store.folder())?;
    let before = Before::of(&kept_before);
    let mut made = store.made()?;
    made.sort_by(|x, y| (&x.prompt_id, x.seed, &x.method).cmp(&(&y.prompt_id, y.seed, &y.method)));
    let all_made = made.clone();
    made.retain(|made| made.failure.is_none() && made.path.is_some());
    let mut kept = MetricsKept {
        missing_is_worst: plan.missing_assets == MissingAssets::Loss,
        ..MetricsKept::default()
    };
    if let Some(check) = &plan.check {
        kept.definitions.insert(check.hash.clone(), check.definition.clone());
        for (at, one) in all_made.iter().enumerate().take_while(|_| !stop.is_pressed()) {
            let known = before.0.get(&key(one, &check.hash));
            kept.rows.push(checked(check, one, plan, known));
            observer.computed("checks", at + 1, all_made.len());
        }
        check.summary(&kept.rows).iter().for_each(|line| observer.note(line));
    }
    for planned in &plan.metrics {
        kept.definitions.extend(planned.definitions());
        match planned {
            PlannedMetrics::Alone(metrics) => {
                for (at, one) in made.iter().enumerate().take_while(|_| !stop.is_pressed()) {
                    match alone(metrics, one, plan, &before) {
                        Ok(mut rows) => kept.rows.append(&mut rows),
                        Err(reason) => observer.warn(&not_measured(one, &reason)),
                    }
                    observer.computed(MEASURED, at + 1, made.len());
                }
            }
            PlannedMetrics::Against(planned) => {
                let (first, mut num_done) = (kept.rows.len(), 0);
                // Assets of one prompt share their reference.
                for there in (made
                    .chunk_by(|x, y| (&x.prompt_id, x.seed) == (&y.prompt_id, y.seed)))
                .take_while(|_| !stop.is_pressed())
                {
                    let found = planned.path.read(&there[0], &plan.load).and_then(|read| {
                        against(planned, &read, there, plan, &before, stop, observer)
                    });
                    match found {
                        Ok(mut rows) => kept.rows.append(&mut rows),
                        Err(reason) => observer.warn(&format!(
                            "no metrics on the prompt {:?}: {reason}",
                            there[0].prompt_id
                        )),
                    }
                    num_done += there.len();
                    observer.computed(MEASURED, num_done, made.len());
                }
                if stop.is_pressed() {
                    continue;
                }
                let rows = &kept.rows[first..];
                let maps = draw_extremes(
                    planned,
                    rows,
                    &made,
                    plan,
                    store.folder(),
                    &kept_before.error_maps,
                    observer,
                )?;
                kept.error_maps.extend(maps);
            }
        }
    }
    score_made(plan, features, &made, stop, observer, &kept_before, &mut kept);
    if stop.is_pressed() {
        let now: BTreeSet<Key> = kept.rows.iter().map(key_of).collect();
        let unseen = kept_before.rows.iter().filter(|row| !now.contains(&key_of(row)));
        kept.rows.extend(unseen.cloned());
        kept.definitions.extend(kept_before.definitions);
        kept.error_maps = kept_before.error_maps;
        kept.sets = kept_before.sets;
        return kept.write(store.folder());
    }
    kept.write(store.folder())?;
    for map in &kept_before.error_maps {
        if !kept.error_maps.iter().any(|now| now.picture == map.picture) {
            // Leftover files do no harm.
            let _ = std::fs::remove_file(map.path(store.folder()));
        }
    }
    Ok(())
}

/// The row of an asset; one that could not be made or read is not ready.
fn checked(
    check: &PlannedCheck,
    made: &Made,
    plan: &Plan,
    before: Option<&MetricRow>,
) -> MetricRow {
    if let Some(before) = before.filter(|row| made.hash.as_ref() == Some(&row.asset)) {
        return before.clone();
    }
    let (asset, why) = match &made.failure {
        Some((_, reason)) => (String::new(), Some(reason.clone())),
        None => match plan.read_made(made) {
            Ok(loaded) => (loaded.hash.clone(), check.reason(&loaded)),
            Err(reason) => (String::new(), Some(reason)),
        },
    };
    check.row(made, asset, why)
}

fn not_measured(made: &Made, reason: &str) -> String {
    let Made { method, prompt_id, .. } = made;
    format!("no metrics for {method} on the prompt {prompt_id:?}: {reason}")
}

fn alone(
    metrics: &[QualityMetric],
    made: &Made,
    plan: &Plan,
    before: &Before,
) -> Result<Vec<MetricRow>, String> {
    let definitions: Vec<String> = metrics.iter().map(|m| m.definition().hash()).collect();
    if let Some(known) = before.rows(made, &definitions, "") {
        return Ok(known);
    }
    let loaded = plan.read_made(made)?;
    let file = std::fs::metadata(made.path.as_deref().unwrap_or_default());
    let file_bytes = file.map_err(|e| e.to_string())?.len();
    let values = quality_values(&loaded, file_bytes, metrics);
    let rows = metrics.iter().zip(values).zip(definitions);
    Ok(rows
        .map(|((metric, value), definition)| MetricRow {
            value: value.ok(),
            why: value.err().map(str::to_owned),
            asset: loaded.hash.clone(),
            definition,
            ..MetricRow::of(made, metric.name().to_owned())
        })
        .collect())
}

/// The rows of a prompt's assets; the reference is made ready only where something is new.
fn against(
    planned: &PlannedReference,
    read: &Loaded,
    there: &[Made],
    plan: &Plan,
    before: &Before,
    stop: &StopSwitch,
    observer: &dyn Observer,
) -> Result<Vec<MetricRow>, String> {
    let PlannedReference { settings, hashes, .. } = planned;
    let mut reference: Option<Reference> = None;
    let mut rows = Vec::new();
    for made in there.iter().take_while(|_| !stop.is_pressed()) {
        if let Some(known) = before.rows(made, hashes, &read.hash) {
            rows.extend(known);
            continue;
        }
        let ready = match &reference {
            Some(ready) => ready,
            None => {
                reference.insert(Reference::new(&read.scene, settings).map_err(|e| e.to_string())?)
            }
        };
        let compared = plan.read_made(made).and_then(|loaded| {
            let compared = ready.compare(&loaded.scene).map_err(|e| e.to_string())?;
            Ok((loaded.hash, compared))
        });
        match compared {
            Ok((asset, compared)) => {
                rows.extend(compared.values.into_iter().map(|value| MetricRow {
                    value: value.value,
                    why: value.why,
                    asset: asset.clone(),
                    reference: read.hash.clone(),
                    definition: value.definition,
                    ..MetricRow::of(made, value.metric.to_string())
                }));
            }
            Err(reason) => observer.warn(&not_measured(made, &reason)),
        }
    }
    Ok(rows)
}
