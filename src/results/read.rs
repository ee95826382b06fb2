//! Run folders → everything in them, each question once.

use super::error::ResultsError;
use crate::store::{Made, PlannedPair, Record, Store};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The content of several runs.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// Every question once, with its verdict if any run has one; sorted by id, so that the order of folders does not matter.
    pub records: Vec<Record>,
    pub made: Vec<Made>,
    pub pairs: Vec<PlannedPair>,
    /// Questions that are in more than one run.
    pub repeated: usize,
    /// Questions without any reply yet.
    pub without_reply: usize,
}

/// Reads runs, also while another process works on them.
///
/// # Errors
/// [`ResultsError::Store`], for example for a folder that is not a run.
pub fn gather(folders: &[PathBuf]) -> Result<Gathered, ResultsError> {
    let mut records: BTreeMap<String, Record> = BTreeMap::new();
    let mut made = BTreeMap::new();
    let mut pairs = BTreeMap::new();
    let mut gathered = Gathered::default();
    for folder in folders {
        let store = Store::read(folder)?;
        gathered.without_reply += store.records(|record| -> Result<(), ResultsError> {
            if let Some(known) = records.get(&record.id) {
                gathered.repeated += 1;
                if known.verdict().is_some() {
                    return Ok(());
                }
            }
            records.insert(record.id.clone(), record);
            Ok(())
        })?;
        for item in store.made()? {
            let key = (item.method.clone(), item.prompt_id.clone(), item.seed);
            made.insert(key, item);
        }
        for pair in store.pairs()? {
            let key = (
                pair.rubric.clone(),
                pair.prompt_id.clone(),
                pair.seed,
                pair.a.clone(),
                pair.b.clone(),
            );
            pairs.insert(key, pair);
        }
    }
    gathered.records = records.into_values().collect();
    gathered.made = made.into_values().collect();
    gathered.pairs = pairs.into_values().collect();
    Ok(gathered)
}
