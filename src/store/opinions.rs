//! `opinions.json` of a run: scores that people gave to single assets, as they were imported. Their votes stand in the database beside it.

use super::error::StoreError;
use super::folder::{read_json, write_json};
use serde::{Deserialize, Serialize};
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
}
