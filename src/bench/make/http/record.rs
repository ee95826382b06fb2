//! The state of a running job, in a file next to its asset: after a kill, the run polls the same
//! job again instead of paying another one.

use crate::store::write_whole;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// About to be submitted, or submitted without a reply.
    Submitting,
    /// Its id is known.
    Running,
    /// Refused for its content.
    Refused,
}

/// A job as the file has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// The recipe of the asset: a job with another recipe is not this one's.
    pub recipe: String,
    /// The step, from 0.
    pub step: usize,
    pub state: State,
    /// Values taken from replies, by placeholder.
    #[serde(default)]
    pub taken: BTreeMap<String, Value>,
    /// The reason of a refusal.
    #[serde(default)]
    pub reason: String,
}

/// The file of the asset that will be in `folder`, or is there.
pub(in crate::unstable::bench::make) fn record_path(folder: &Path) -> PathBuf {
    folder.with_extension("job.json")
}

impl Record {
    pub(super) fn new(recipe: &str) -> Self {
        Self {
            recipe: recipe.to_owned(),
            step: 0,
            state: State::Submitting,
            taken: BTreeMap::new(),
            reason: String::new(),
        }
    }

    /// What an earlier call left, if it is about the same asset.
    pub(super) fn read(folder: &Path, recipe: &str) -> Option<Self> {
        let bytes = std::fs::read(record_path(folder)).ok()?;
        let record: Self = serde_json::from_slice(&bytes).ok()?;
        (record.recipe == recipe).then_some(record)
    }

    /// On the disk when this returns.
    ///
    /// # Errors
    /// In words.
    pub(super) fn keep(&self, folder: &Path) -> Result<(), String> {
        let path = record_path(folder);
        let text = serde_json::to_vec(self).expect("plain data");
        write_whole(&path, &text).map_err(|e| format!("its job cannot be recorded: {e}"))
    }

    pub(super) fn remove(folder: &Path) {
        // There may be none.
        let _ = std::fs::remove_file(record_path(folder));
    }
}
