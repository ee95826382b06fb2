//! What each generator made, and how much of it can be judged.

use crate::store::Made;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct MethodMaking {
    pub method: String,
    /// Assets wanted: prompts × seeds.
    pub wanted: usize,
    /// Assets that cannot be judged.
    pub failed: usize,
    /// Where they failed: `generate`, `load`, `draw`, `check`.
    pub failed_at: BTreeMap<String, usize>,
    /// Median time of making one; none where the files were there already.
    pub median_seconds: Option<f64>,
    /// US dollars for its service, at the benchmark file's price; none if nothing was booked.
    pub cost_usd: Option<f64>,
}

impl MethodMaking {
    /// Share of assets that cannot be judged, 0 to 1.
    pub fn failed_share(&self) -> f64 {
        if self.wanted == 0 { 0.0 } else { self.failed as f64 / self.wanted as f64 }
    }
}

/// Sorted by generator; `booked_usd` is what each one's service was paid.
pub fn making(made: &[Made], booked_usd: &BTreeMap<String, f64>) -> Vec<MethodMaking> {
    let mut by_method: BTreeMap<&str, (MethodMaking, Vec<f64>)> = BTreeMap::new();
    for item in made {
        let (found, seconds) = by_method.entry(&item.method).or_default();
        found.method.clone_from(&item.method);
        found.wanted += 1;
        if let Some((stage, _)) = &item.failure {
            found.failed += 1;
            *found.failed_at.entry(stage.as_str().to_owned()).or_default() += 1;
        }
        seconds.extend(item.seconds);
    }
    let median = |mut seconds: Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        seconds.get(seconds.len() / 2).copied()
    };
    by_method
        .into_values()
        .map(|(found, seconds)| MethodMaking {
            median_seconds: median(seconds),
            cost_usd: booked_usd.get(&found.method).copied(),
            ..found
        })
        .collect()
}
