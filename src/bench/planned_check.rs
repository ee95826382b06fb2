//! `[check]` of a benchmark: every asset against a profile; the share of ready assets is a figure
//! on the board, and with `failing = "missing"` an asset that is not ready counts as missing.

use super::file::{CheckEntry, Failing};
use crate::check::{CheckOptions, Checked, Profile, check, is_ready};
use crate::load::Loaded;
use crate::store::{Made, MetricRow, MetricsKept};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The profile, and what follows from a failure.
#[derive(Debug, Clone)]
pub struct PlannedCheck {
    profile: Profile,
    pub(super) is_missing: bool,
    /// The name of its figure.
    metric: String,
    pub(super) definition: Value,
    /// The key of its rows.
    pub(super) hash: String,
}

impl PlannedCheck {
    /// # Errors
    /// In words: a profile that cannot be used.
    pub(super) fn new(entry: &CheckEntry, folder: &Path) -> Result<Self, String> {
        let name = match entry.profile.strip_suffix(".toml") {
            Some(_) => folder.join(&entry.profile).display().to_string(),
            None => entry.profile.clone(),
        };
        let profile = Profile::open(&name).map_err(|e| e.to_string())?;
        let metric = format!("ready_{}", profile.name.replace(' ', "_"));
        let definition = json!({
            "metric": metric,
            "formula": format!("1 where the asset keeps every limit of the profile {}, else 0", profile.name),
            "profile": profile.hash,
            "version": 1,
        });
        let hash = blake3::hash(definition.to_string().as_bytes()).to_hex().to_string();
        let is_missing = entry.failing == Failing::Missing;
        Ok(Self { profile, is_missing, metric, definition, hash })
    }

    /// Hashes of the assets that an earlier call found to be ready.
    pub(super) fn known(&self, run: &Path) -> BTreeSet<String> {
        let rows = MetricsKept::read(run).map(|kept| kept.rows).unwrap_or_default();
        let ready = rows.into_iter().filter(|r| r.definition == self.hash && r.value == Some(1.0));
        ready.map(|row| row.asset).collect()
    }

    /// Why an asset is not ready; none for one that is.
    pub(super) fn reason(&self, loaded: &Loaded) -> Option<String> {
        let file_bytes = std::fs::metadata(&loaded.path).map_or(0, |file| file.len());
        let limits = check(loaded, file_bytes, &self.profile, &CheckOptions::default());
        let broken = |limit: &Checked| {
            format!("{} is {}, but must be {}", limit.figure, limit.found, limit.limit)
        };
        let broken: Vec<String> = limits.iter().filter(|it| it.is_blocking).map(broken).collect();
        let name = &self.profile.name;
        (!is_ready(&limits)).then(|| format!("not ready for {name}: {}", broken.join("; ")))
    }

    /// Of a figure of this check; `why` an asset is not ready.
    pub(super) fn row(&self, made: &Made, asset: String, why: Option<String>) -> MetricRow {
        MetricRow {
            value: Some(f64::from(u8::from(why.is_none()))),
            why,
            asset,
            definition: self.hash.clone(),
            ..MetricRow::of(made, self.metric.clone())
        }
    }

    /// How many are ready, by method.
    pub(super) fn summary(&self, rows: &[MetricRow]) -> Vec<String> {
        let own = || rows.iter().filter(|row| row.definition == self.hash);
        let methods: BTreeSet<&String> = own().map(|row| &row.method).collect();
        let line = |method: &String| {
            let of_method = || own().filter(|row| row.method == *method);
            let ready = of_method().filter(|row| row.value == Some(1.0)).count();
            let name = &self.profile.name;
            format!("{method}: ready for {name}: {ready} of {}", of_method().count())
        };
        methods.into_iter().map(line).collect()
    }
}
