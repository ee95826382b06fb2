//! An entry `[[metrics]]` of a benchmark file, checked.

use super::file::MetricsEntry;
use super::make::{Values, fill};
use crate::metrics::{CompareSettings, Metric};
use std::path::{Path, PathBuf};

/// One entry, checked.
#[derive(Debug, Clone)]
pub struct PlannedMetrics {
    /// Path of a prompt's reference, with placeholders.
    reference: String,
    folder: PathBuf,
    pub(super) settings: CompareSettings,
}

impl PlannedMetrics {
    /// # Errors
    /// In words: a metric that is not known, a placeholder that is none, numbers out of range.
    pub(super) fn new(entry: &MetricsEntry, folder: &Path) -> Result<Self, String> {
        let defaults = CompareSettings::default();
        let metrics = match entry.names.is_empty() {
            true => defaults.metrics,
            false => (entry.names.iter())
                .map(|name| name.parse::<Metric>().map_err(|e| e.to_string()))
                .collect::<Result<_, _>>()?,
        };
        let settings = CompareSettings {
            metrics,
            samples: entry.samples.unwrap_or(defaults.samples),
            seed: entry.seed,
            unit: entry.unit,
            align: entry.align,
            cells: entry.cells.unwrap_or(defaults.cells),
            matched: entry.matched.unwrap_or(defaults.matched),
        };
        settings.check().map_err(|e| e.to_string())?;
        let planned = Self {
            reference: entry.reference.clone(),
            folder: folder.to_owned(),
            settings,
        };
        planned.path("id", "text", 0)?;
        Ok(planned)
    }

    /// Where a prompt's reference is.
    ///
    /// # Errors
    /// In words: a placeholder that is none.
    pub(super) fn path(&self, prompt_id: &str, prompt: &str, seed: u32) -> Result<PathBuf, String> {
        let seed = seed.to_string();
        let values = Values(vec![
            ("prompt_id", prompt_id),
            ("prompt", prompt),
            ("seed", &seed),
        ]);
        Ok(self.folder.join(fill(&self.reference, &values)?))
    }
}
