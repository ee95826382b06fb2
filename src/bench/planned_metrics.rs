//! An entry `[[metrics]]` of a benchmark file, checked.

use super::file::MetricsEntry;
use super::make::{Values, fill};
use crate::load::{Loaded, Options, load};
use crate::metrics::{CompareSettings, Metric, MetricError, QualityMetric};
use crate::store::Made;
use std::path::{Path, PathBuf};
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
    /// Path of a prompt's reference, with placeholders.
    path: String,
    folder: PathBuf,
    pub(super) settings: CompareSettings,
}

impl PlannedMetrics {
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
                QualityMetric::all().collect()
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
        let planned =
            PlannedReference { path: reference.clone(), folder: folder.to_owned(), settings };
        planned.of("id", "text", 0)?;
        Ok(Self::Against(planned))
    }
}

fn parsed<T: FromStr<Err = MetricError>>(names: &[String]) -> Result<Vec<T>, String> {
    let each = names.iter().map(|name| name.parse());
    each.collect::<Result<_, _>>().map_err(|e: MetricError| e.to_string())
}

impl PlannedReference {
    /// The reference of an asset's prompt.
    ///
    /// # Errors
    /// In words: a file that cannot be loaded.
    pub(super) fn read(&self, made: &Made, options: &Options) -> Result<Loaded, String> {
        let path = self.of(&made.prompt_id, &made.prompt, made.seed)?;
        load(&path, options).map_err(|e| e.to_string())
    }

    /// Where a prompt's reference is.
    ///
    /// # Errors
    /// In words: a placeholder that is none.
    fn of(&self, prompt_id: &str, prompt: &str, seed: u32) -> Result<PathBuf, String> {
        let seed = seed.to_string();
        let values = Values(vec![("prompt_id", prompt_id), ("prompt", prompt), ("seed", &seed)]);
        Ok(self.folder.join(fill(&self.path, &values)?))
    }
}
