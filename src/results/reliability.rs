//! How reliable the judges of a benchmark are, quoted from the files that `meshjudge audit` writes.
//!
//! Kept in the run's `run.toml`, so that later reports of the run quote it too, although the audit lies elsewhere.

use crate::store::config_of;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where it stands in `run.toml`.
pub const RELIABILITY_KEY: &str = "worth";

/// An audit's file, as far as it is cited.
#[derive(Debug, Deserialize)]
struct Audited {
    judge: String,
    #[serde(rename = "in_short")]
    summary: Vec<String>,
}

/// What an audit found of one judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeReliability {
    /// Its name, as in rows.
    pub judge: String,
    /// What an audit found, most important first.
    pub lines: Vec<String>,
}

/// Reads audits; of each, the judges that are asked.
///
/// # Errors
/// A file that cannot be read, is no audit, or is of none of these judges.
pub fn read_reliability(
    files: &[PathBuf],
    folder: &Path,
    judges: &[String],
) -> Result<Vec<JudgeReliability>, String> {
    let mut found = Vec::new();
    for file in files {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path)
            .map_err(|e| format!("cannot read the audit ({e}): {path:?}"))?;
        let audited: Vec<Audited> = serde_json::from_str(&text).map_err(|e| {
            format!("is no audit ({e}); name the audit.json of an audit's run: {path:?}")
        })?;
        let before = found.len();
        for Audited { judge, summary } in audited {
            if judges.contains(&judge) {
                found.push(JudgeReliability {
                    judge,
                    lines: summary,
                });
            }
        }
        if found.len() == before {
            let names = judges.join(", ");
            return Err(format!(
                "is an audit of none of the judges that are asked ({names}): {path:?}"
            ));
        }
    }
    Ok(found)
}

/// What these runs say of their judges; nothing for a run of another command.
pub fn reliability_of(folders: &[PathBuf]) -> Vec<JudgeReliability> {
    let mut found: Vec<JudgeReliability> = Vec::new();
    for reliability in folders
        .iter()
        .filter_map(|folder| said_in(folder))
        .flatten()
    {
        if !found.contains(&reliability) {
            found.push(reliability);
        }
    }
    found
}

fn said_in(folder: &Path) -> Option<Vec<JudgeReliability>> {
    let config = config_of(folder)?;
    config.get(RELIABILITY_KEY)?.clone().try_into().ok()
}
