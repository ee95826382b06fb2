//! A run's `opinions.json`: people's imported scores of single assets. The database has votes.

use super::error::StoreError;
use super::folder::{read_json, write_json};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Its name in the run folder.
pub const OPINIONS_FILE: &str = "opinions.json";

/// A score of one asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// Text or id of the prompt.
    pub prompt: String,
    pub method: String,
    pub criterion: String,
    /// None where the table does not say.
    pub rater: Option<String>,
    pub score: f64,
}

/// What the file holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OpinionsKept {
    /// BLAKE3 of the tables that were imported.
    pub files: Vec<String>,
    pub rows: Vec<Opinion>,
}

impl OpinionsKept {
    /// What the run in `folder` holds; nothing for a run without scores.
    ///
    /// # Errors
    /// A file that cannot be read, or that is not ours.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        read_json(&folder.join(OPINIONS_FILE))
    }

    /// Adds a table to those in `folder`, unless it is there; how many scores that adds.
    ///
    /// # Errors
    /// [`StoreError::File`].
    pub fn add(folder: &Path, file: &str, rows: Vec<Opinion>) -> Result<usize, StoreError> {
        let mut kept = Self::read(folder)?;
        if kept.files.iter().any(|known| known == file) {
            return Ok(0);
        }
        let added = rows.len();
        kept.files.push(file.to_owned());
        kept.rows.extend(rows);
        write_json(&folder.join(OPINIONS_FILE), &kept)?;
        Ok(added)
    }

    /// Adds what the run in `from` holds to the run in `folder`; how many scores that adds. Of
    /// tables that both have, nothing is added.
    ///
    /// # Errors
    /// [`StoreError::File`].
    pub fn copy(from: &Path, folder: &Path) -> Result<usize, StoreError> {
        let (theirs, mut kept) = (Self::read(from)?, Self::read(folder)?);
        let is_new = |file: &String| !kept.files.contains(file);
        let files: Vec<String> = theirs.files.iter().filter(|f| is_new(f)).cloned().collect();
        if files.is_empty() {
            return Ok(0);
        }
        let key = |row: &Opinion| {
            let Opinion { prompt, method, criterion, rater, score } = row.clone();
            (prompt, method, criterion, rater, score.to_bits())
        };
        // Rows do not say which table they are of, but those of a table that both have are equal.
        let mut known = BTreeMap::new();
        if files.len() < theirs.files.len() {
            kept.rows.iter().for_each(|row| *known.entry(key(row)).or_insert(0) += 1);
        }
        let before = kept.rows.len();
        kept.rows.extend(theirs.rows.into_iter().filter(|row| {
            let Some(left) = known.get_mut(&key(row)).filter(|left| **left > 0) else {
                return true;
            };
            *left -= 1;
            false
        }));
        kept.files.extend(files);
        write_json(&folder.join(OPINIONS_FILE), &kept)?;
        Ok(kept.rows.len() - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_another_run_are_taken_over_once() {
        let [ours, theirs] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let row = |method: &str, score| Opinion {
            prompt: "a chair".to_owned(),
            method: method.to_owned(),
            criterion: "overall".to_owned(),
            rater: None,
            score,
        };
        let shared = vec![row("x", 3.0), row("x", 3.0), row("y", 4.0)];
        OpinionsKept::add(ours.path(), "shared", shared.clone()).unwrap();
        OpinionsKept::add(theirs.path(), "new", vec![row("x", 3.0), row("z", 1.0)]).unwrap();
        OpinionsKept::add(theirs.path(), "shared", shared).unwrap();
        let copy = || OpinionsKept::copy(theirs.path(), ours.path()).unwrap();
        assert_eq!((copy(), copy()), (2, 0));
        let kept = OpinionsKept::read(ours.path()).unwrap();
        assert_eq!((kept.files.len(), kept.rows.len()), (2, 5));
    }
}
