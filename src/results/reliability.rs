//! How reliable the judges of a benchmark are, quoted from the files that `meshjudge audit` writes.
//!
//! Kept in the run's `run.toml`, so later reports quote it, although the audit is elsewhere.

use crate::error::{Error, Kind};
use crate::store::config_of;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Its key in `run.toml`.
pub const RELIABILITY_KEY: &str = "judge_reliability";

/// An audit's file, as far as it is quoted.
#[derive(Debug, Deserialize)]
struct Audited {
    judge: String,
    summary: Vec<String>,
}

/// What an audit found about one judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeReliability {
    /// Its name, as in records.
    pub judge: String,
    /// Findings, most important first.
    pub lines: Vec<String>,
}

/// Reads audits, paths being relative to `folder`; of each, what it found about `judges`.
///
/// # Errors
/// [`Error`].
pub fn read_reliability(
    files: &[PathBuf],
    folder: &Path,
    judges: &[String],
) -> Result<Vec<JudgeReliability>, Error> {
    let mut found = Vec::new();
    for file in files {
        let path = folder.join(file);
        let text = std::fs::read_to_string(&path)
            .map_err(|e| Error::cannot_read(Kind::Bench, "audit", e, &path))?;
        let audited: Vec<Audited> = serde_json::from_str(&text).map_err(|e| {
            let text =
                format!("the file is not an audit ({e}); give the audit.json of an audit's run");
            Error::bench(text).at(&path)
        })?;
        let before = found.len();
        for Audited { judge, summary } in audited {
            if judges.contains(&judge) {
                found.push(JudgeReliability { judge, lines: summary });
            }
        }
        if found.len() == before {
            let judges = judges.to_vec();
            return Err(Error::bench(format!(
                "the audit covers none of the judges that are asked ({})",
                judges.join(", ")
            ))
            .at(path));
        }
    }
    Ok(found)
}

/// What the `run.toml`s of these runs quote about their judges; nothing for a run without audits.
pub fn reliability_of(folders: &[PathBuf]) -> Vec<JudgeReliability> {
    let mut found: Vec<JudgeReliability> = Vec::new();
    for reliability in folders.iter().filter_map(|folder| quoted_in(folder)).flatten() {
        if !found.contains(&reliability) {
            found.push(reliability);
        }
    }
    found
}

fn quoted_in(folder: &Path) -> Option<Vec<JudgeReliability>> {
    let config = config_of(folder)?;
    let quoted = config.get(RELIABILITY_KEY)?;
    quoted.clone().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_audits_are_quoted() {
        let place = tempfile::tempdir().unwrap();
        let line = "it finds holes".to_owned();
        let text = format!("[[{RELIABILITY_KEY}]]\njudge = \"probe\"\nlines = [{line:?}]\n");
        std::fs::write(place.path().join(crate::store::CONFIG_FILE), text).unwrap();
        let found = reliability_of(&[place.path().to_owned()]);
        assert_eq!(found[0].lines, [line.as_str()]);
        let text = format!(r#"[{{"judge": "probe", "summary": [{line:?}]}}]"#);
        std::fs::write(place.path().join("audit.json"), text).unwrap();
        let files = [PathBuf::from("audit.json")];
        let found = read_reliability(&files, place.path(), &["probe".to_owned()]).unwrap();
        assert_eq!(found[0].lines, [line.as_str()]);
        assert!(read_reliability(&["none.json".into()], place.path(), &[]).is_err());
    }
}
