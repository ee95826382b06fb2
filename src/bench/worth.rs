//! What the judges of a benchmark are worth, cited from the files that `meshjudge audit` writes.
//!
//! Kept in the run's `run.toml`, so that whoever tells of the run later tells it too, although the audit lies elsewhere.

use crate::store::CONFIG_FILE;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where it stands in `run.toml`.
pub const WORTH_KEY: &str = "worth";

/// An audit's file, as far as it is cited.
#[derive(Debug, Deserialize)]
struct Audited {
    judge: String,
    in_short: Vec<String>,
}

/// One judge's worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worth {
    /// Its name, as in rows.
    pub judge: String,
    /// What an audit found, most important first.
    pub lines: Vec<String>,
}

/// Reads audits; of each, the judges that are asked.
///
/// # Errors
/// A file that cannot be read, is no audit, or is of none of these judges.
pub fn worth(files: &[PathBuf], folder: &Path, judges: &[String]) -> Result<Vec<Worth>, String> {
    let mut found = Vec::new();
    for file in files {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path)
            .map_err(|e| format!("cannot read the audit ({e}): {path:?}"))?;
        let audited: Vec<Audited> = serde_json::from_str(&text).map_err(|e| {
            format!("is no audit ({e}); name the audit.json of an audit's run: {path:?}")
        })?;
        let before = found.len();
        for Audited { judge, in_short } in audited {
            if judges.contains(&judge) {
                found.push(Worth {
                    judge,
                    lines: in_short,
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
pub fn worth_of(folders: &[PathBuf]) -> Vec<Worth> {
    let mut found: Vec<Worth> = Vec::new();
    for worth in folders
        .iter()
        .filter_map(|folder| said_in(folder))
        .flatten()
    {
        if !found.contains(&worth) {
            found.push(worth);
        }
    }
    found
}

fn said_in(folder: &Path) -> Option<Vec<Worth>> {
    let text = std::fs::read_to_string(folder.join(CONFIG_FILE)).ok()?;
    let config: toml::Table = text.parse().ok()?;
    config.get(WORTH_KEY)?.clone().try_into().ok()
}
