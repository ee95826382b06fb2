//! An entry `[[metrics]]` of a benchmark file, checked.

use super::file::MetricsEntry;
use super::reference_path::ReferencePath;
use crate::metrics::{CompareSettings, Definition, Metric, MetricError, QualityMetric};
use crate::options::{CompareOptions, names as key_names};
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
        let MetricsEntry { reference, names, options } = entry;
        let Some(reference) = reference else {
            if *options != CompareOptions::default() {
                return Err(format!(
                    "{} say how an asset is compared; give a `reference`, or leave them out",
                    key_names::<CompareOptions>().join(", ")
                ));
            }
            return Ok(Self::Alone(if names.is_empty() {
                QualityMetric::defaults().collect()
            } else {
                parsed(names)?
            }));
        };
        let metrics = (!names.is_empty()).then(|| parsed::<Metric>(names)).transpose()?;
        let settings = options.settings(metrics);
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
