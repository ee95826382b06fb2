//! A run's `opinions.json`: people's imported scores of single assets. The database has votes.

use super::folder::{read_json, write_json};
use crate::error::Error;
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
    /// BLAKE3 of its table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// What the file holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OpinionsKept {
    /// BLAKE3 of the tables that were imported.
    pub files: Vec<String>,
    /// Their names, by BLAKE3.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    pub rows: Vec<Opinion>,
}

impl OpinionsKept {
    /// What the run in `folder` holds; nothing for a run without scores.
    ///
    /// # Errors
    /// A file that cannot be read, or that is not ours.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        read_json(&folder.join(OPINIONS_FILE))
    }

    /// Adds a table to those in `folder`, unless it is there; how many scores that adds. With
    /// `replace`, earlier scores of a table of that name are left out.
    ///
    /// # Errors
    /// [`Error`].
    pub fn add(
        folder: &Path,
        (hash, name): (&str, &str),
        mut rows: Vec<Opinion>,
        replace: bool,
    ) -> Result<usize, Error> {
        let mut kept = Self::read(folder)?;
        if replace {
            let is_old = |file: &String, it: &mut String| it == name && file != hash;
            let old: BTreeMap<String, String> = kept.names.extract_if(.., is_old).collect();
            kept.files.retain(|file| !old.contains_key(file));
            kept.rows.retain(|row| row.file.as_ref().is_none_or(|file| !old.contains_key(file)));
        }
        if kept.files.iter().any(|known| known == hash) {
            rows.clear();
        } else {
            kept.files.push(hash.to_owned());
            kept.names.insert(hash.to_owned(), name.to_owned());
        }
        let added = rows.len();
        rows.iter_mut().for_each(|row| row.file = Some(hash.to_owned()));
        kept.rows.extend(rows);
        write_json(&folder.join(OPINIONS_FILE), &kept)?;
        Ok(added)
    }

    /// Adds what the run in `from` holds to the run in `folder`; how many scores that adds. Of
    /// tables that both have, nothing is added.
    ///
    /// # Errors
    /// [`Error`].
    pub fn copy(from: &Path, folder: &Path) -> Result<usize, Error> {
        let (theirs, mut kept) = (Self::read(from)?, Self::read(folder)?);
        let is_new = |file: &String| !kept.files.contains(file);
        let files: Vec<String> = theirs.files.iter().filter(|f| is_new(f)).cloned().collect();
        if files.is_empty() {
            return Ok(0);
        }
        let key = |row: &Opinion| {
            let Opinion { prompt, method, criterion, rater, score, file: _ } = row.clone();
            (prompt, method, criterion, rater, score.to_bits())
        };
        // Older rows do not say which table they are of, but those that both have are equal.
        let mut known = BTreeMap::new();
        if files.len() < theirs.files.len() {
            kept.rows.iter().for_each(|row| *known.entry(key(row)).or_insert(0) += 1);
        }
        let before = kept.rows.len();
        kept.rows.extend(theirs.rows.into_iter().filter(|row| {
            if let Some(file) = &row.file {
                return files.contains(file);
            }
            let Some(left) = known.get_mut(&key(row)).filter(|left| **left > 0) else {
                return true;
            };
            *left -= 1;
            false
        }));
        kept.files.extend(files);
        kept.names.extend(theirs.names);
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
            file: None,
        };
        let add = |folder: &Path, file, rows, replace| {
            OpinionsKept::add(folder, file, rows, replace).unwrap()
        };
        let shared = vec![row("x", 3.0), row("x", 3.0), row("y", 4.0)];
        add(ours.path(), ("shared", "s.csv"), shared.clone(), false);
        add(theirs.path(), ("new", "n.csv"), vec![row("x", 3.0), row("z", 1.0)], false);
        add(theirs.path(), ("shared", "s.csv"), shared, false);
        let copy = || OpinionsKept::copy(theirs.path(), ours.path()).unwrap();
        assert_eq!((copy(), copy()), (2, 0));
        let kept = OpinionsKept::read(ours.path()).unwrap();
        assert_eq!((kept.files.len(), kept.rows.len()), (2, 5));
        // Both versions of a table, until the newer one replaces the other.
        for (replace, added, rows) in [(false, 1, 6), (true, 0, 3)] {
            let count = add(ours.path(), ("newer", "s.csv"), vec![row("x", 1.0)], replace);
            let kept = OpinionsKept::read(ours.path()).unwrap();
            assert_eq!((count, kept.rows.len()), (added, rows));
        }
    }
}
