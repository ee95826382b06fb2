//! Run folders → everything in them, each question once.

use super::error::ResultsError;
use crate::store::{Made, PlannedPair, Record, Store};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What runs hold.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// Every question once, with its verdict if any run has one; sorted by id, so that the order of folders changes nothing.
    pub records: Vec<Record>,
    /// Assets of benchmarks.
    pub made: Vec<Made>,
    /// Pairs of benchmarks.
    pub pairs: Vec<PlannedPair>,
    /// Questions that stand in more than one run.
    pub repeated: usize,
    /// Questions whose first reply has not come.
    pub without_reply: usize,
}

/// Reads runs, also while they are being asked.
///
/// # Errors
/// A folder that is no run.
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
