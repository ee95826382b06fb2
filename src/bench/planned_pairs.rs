//! `[pairs]` of a benchmark file, checked, with its defaults.

use super::file::{PairSchedule, PairsEntry};

/// # Errors
/// Keys that contradict each other, in words.
pub(super) fn checked_pairs(entry: &PairsEntry, num_methods: usize) -> Result<PairsEntry, String> {
    let is_bounded = entry.count.is_some() || entry.half_width_elo.is_some();
    let has_width = |w: f64| w.is_finite() && w > 0.0;
    let wrong = match entry.schedule {
        PairSchedule::All if is_bounded => {
            "`pairs.count` and `pairs.half_width_elo` belong to round-robin and active; set `schedule`, or leave them out"
        }
        PairSchedule::RoundRobin if entry.count.is_none() => "round-robin needs `pairs.count`",
        PairSchedule::Active if !is_bounded => {
            "active needs `pairs.count`, or `pairs.half_width_elo`, or both"
        }
        PairSchedule::RoundRobin | PairSchedule::Active if entry.stop.is_some() => {
            "`pairs.stop` goes through all pairs prompt by prompt; leave out `schedule` or set it to all"
        }
        _ if !entry.half_width_elo.is_none_or(has_width) => {
            "`pairs.half_width_elo` must be above 0"
        }
        _ => {
            let round = Some(entry.round.unwrap_or(2 * num_methods).max(1));
            return Ok(PairsEntry { round, ..entry.clone() });
        }
    };
    Err(wrong.to_owned())
}
