//! The judges of a benchmark file → judges that can be asked.

use super::file::{BenchFile, JudgeTable};
use crate::error::Error;
use crate::judge::{Judge, Limits, OpenSettings};
use crate::options::or;
use std::time::Duration;

/// All judges in the file, opened with `settings` unless their entries override them.
///
/// # Errors
/// [`Error`].
pub fn open_judges(file: &BenchFile, settings: &OpenSettings) -> Result<Vec<Judge>, Error> {
    let mut judges: Vec<Judge> = Vec::new();
    for entry in &file.judges {
        let JudgeTable { spec, base_url, timeout_secs, batch, tuning } = entry.table();
        let settings = OpenSettings {
            limits: Limits {
                total: timeout_secs.map_or(settings.limits.total, Duration::from_secs),
                ..settings.limits
            },
            in_batches: batch.unwrap_or(settings.in_batches),
            tuning: or(&tuning, &settings.tuning).expect("texts and numbers"),
            ..settings.clone()
        };
        let judge = Judge::open(&spec.parse()?, base_url.as_deref(), &settings);
        // What helps is a key of the entry, since flags are for judges given by flags.
        let judge = judge.map_err(Error::without_options)?;
        if judges.iter().any(|known| known.name() == judge.name()) {
            return Err(Error::bench(format!(
                "the judge {} is listed twice, and rows could not distinguish them; list it once",
                judge.name()
            )));
        }
        judges.push(judge);
    }
    if judges.is_empty() {
        return Err(Error::bench("`judges` is empty; give at least one, such as \"probe\""));
    }
    if !(1..=1000).contains(&file.samples) || !(1..=1024).contains(&file.concurrency) {
        return Err(Error::bench("`samples` must be 1 to 1000 and `concurrency` 1 to 1024"));
    }
    Ok(judges)
}
