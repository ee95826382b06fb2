//! What a run's generators cost: one JSON object a line, written before a job is submitted.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What one asset costs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Booking {
    pub generator: String,
    pub prompt_id: String,
    pub seed: u32,
    /// US dollars; below 0 for what was booked and is not charged.
    pub usd: f64,
}

/// The file of a run that holds them.
pub fn bookings_path(run: &Path) -> PathBuf {
    run.join("spending.jsonl")
}

/// US dollars by generator. A line that was torn when a disk filled up is left out.
pub fn booked_usd(run: &Path) -> BTreeMap<String, f64> {
    let text = std::fs::read_to_string(bookings_path(run)).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Booking>(line).ok());
    let mut by_generator = BTreeMap::new();
    for line in lines {
        *by_generator.entry(line.generator).or_insert(0.0) += line.usd;
    }
    by_generator
}
