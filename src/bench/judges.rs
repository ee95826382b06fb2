//! The judges of a benchmark file → judges that can be asked.

use super::file::{BenchFile, JudgeTable};
use crate::judge::{Judge, JudgeError, Limits, OpenSettings};
use std::time::Duration;

/// Why the judges of a benchmark cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum BenchJudgesError {
    /// A name, a key, an address.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// Two entries name one judge.
    #[error("the judge {judge} is listed twice, and rows could not distinguish them; list it once")]
    Twice { judge: String },
    #[error("`judges` is empty; give at least one, such as \"probe\"")]
    Nobody,
    /// A number out of range.
    #[error("`samples` must be 1 to 1000 and `concurrency` 1 to 1024")]
    OutOfRange,
}

/// All judges in the file, opened with `settings` unless their entries override them.
///
/// # Errors
/// [`BenchJudgesError`].
pub fn open_judges(
    file: &BenchFile,
    settings: &OpenSettings,
) -> Result<Vec<Judge>, BenchJudgesError> {
    let mut judges: Vec<Judge> = Vec::new();
    for entry in &file.judges {
        let JudgeTable { spec, base_url, timeout_secs, batch, tuning } = entry.table();
        let settings = OpenSettings {
            limits: Limits {
                total: timeout_secs.map_or(settings.limits.total, Duration::from_secs),
                ..settings.limits
            },
            in_batches: batch.unwrap_or(settings.in_batches),
            tuning: tuning.or(&settings.tuning),
            ..settings.clone()
        };
        let judge = Judge::open(&spec.parse()?, base_url.as_deref(), &settings)?;
        if judges.iter().any(|known| known.name() == judge.name()) {
            return Err(BenchJudgesError::Twice { judge: judge.name() });
        }
        judges.push(judge);
    }
    if judges.is_empty() {
        return Err(BenchJudgesError::Nobody);
    }
    if !(1..=1000).contains(&file.samples) || !(1..=1024).contains(&file.concurrency) {
        return Err(BenchJudgesError::OutOfRange);
    }
    Ok(judges)
}
