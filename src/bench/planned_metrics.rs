//! An entry `[[metrics]]` of a benchmark file, checked.

use super::file::MetricsEntry;
use super::reference_path::ReferencePath;
use crate::metrics::{CompareSettings, Definition, Metric, MetricError, QualityMetric};
use serde_json::Value;
use std::path::Path;
use std::str::FromStr;

/// One entry, checked.
#[derive(Debug, Clone)]
pub enum PlannedMetrics {
    /// Figures of each asset.
    Alone(Vec<QualityMetric>),
    /// Metrics of each asset against the reference of its prompt.
    Against(PlannedReference),
}

/// References, and their metrics.
#[derive(Debug, Clone)]
pub struct PlannedReference {
    pub(super) path: ReferencePath,
    pub(super) settings: CompareSettings,
    /// Hashes of the definitions of its metrics.
    pub(super) hashes: Vec<String>,
}

impl PlannedMetrics {
    /// The definitions of the metrics, by their hashes.
    pub(super) fn definitions(&self) -> Vec<(String, Value)> {
        match self {
            Self::Alone(metrics) => {
                let each = metrics.iter().map(|metric| metric.definition());
                each.map(|it| (it.hash(), serde_json::to_value(it).unwrap_or_default())).collect()
            }
            Self::Against(PlannedReference { settings, .. }) => {
                let each = settings.metrics.iter().map(|metric| Definition::of(metric, settings));
                each.map(|it| (it.hash(), serde_json::to_value(it).unwrap_or_default())).collect()
            }
        }
    }

    /// # Errors
    /// In words: a metric that is not known, a placeholder that is none, numbers out of range.
    pub(super) fn new(entry: &MetricsEntry, folder: &Path) -> Result<Self, String> {
        let MetricsEntry { reference, names, align, unit, samples, seed, cells, matched } = entry;
        let Some(reference) = reference else {
            let sizes = [*samples, *cells, *matched].iter().any(Option::is_some);
            if align.is_some() || unit.is_some() || seed.is_some() || sizes {
                return Err(
                    "`align`, `unit`, `samples`, `seed`, `cells` and `matched` say how an asset is compared; give a `reference`, or leave them out"
                        .to_owned(),
                );
            }
            return Ok(Self::Alone(if names.is_empty() {
                QualityMetric::defaults().collect()
            } else {
                parsed(names)?
            }));
        };
        let defaults = CompareSettings::default();
        let settings = CompareSettings {
            metrics: if names.is_empty() { defaults.metrics } else { parsed::<Metric>(names)? },
            samples: samples.unwrap_or(defaults.samples),
            seed: seed.unwrap_or(defaults.seed),
            unit: unit.unwrap_or(defaults.unit),
            align: align.unwrap_or(defaults.align),
            cells: cells.unwrap_or(defaults.cells),
            matched: matched.unwrap_or(defaults.matched),
        };
        settings.check().map_err(|e| e.to_string())?;
        let path = ReferencePath::new(reference, folder)?;
        let hash = |metric| Definition::of(metric, &settings).hash();
        let hashes = settings.metrics.iter().map(hash).collect();
        Ok(Self::Against(PlannedReference { path, settings, hashes }))
    }
}

fn parsed<T: FromStr<Err = MetricError>>(names: &[String]) -> Result<Vec<T>, String> {
    let each = names.iter().map(|name| name.parse());
    each.collect::<Result<_, _>>().map_err(|e: MetricError| e.to_string())
}
