//! Runs of machines sharing a benchmark, in a folder: `shard-1-of-4`, `shard-2-of-4`, …

use super::DATABASE_FILE;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Run folders, and the missing ones among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFolders {
    pub folders: Vec<PathBuf>,
    /// Parts of a whole whose other parts are there. A part that got no prompt has no run.
    pub missing: Vec<PathBuf>,
}

/// The folder of a part within the folder of the whole; `number` counts from 1.
pub fn shard_folder(whole: &Path, number: usize, count: usize) -> PathBuf {
    whole.join(format!("shard-{number}-of-{count}"))
}

/// The given folders, with a folder of shards replaced by its shards. A folder that is neither run
/// nor shards is kept, so that its reader refuses it.
pub fn run_folders(given: &[PathBuf]) -> RunFolders {
    let mut runs = RunFolders::default();
    for folder in given {
        let parts = parts_of(folder);
        if folder.join(DATABASE_FILE).exists() || parts.is_empty() {
            runs.folders.push(folder.clone());
        }
        if folder.join(DATABASE_FILE).exists() {
            continue;
        }
        for (count, numbers) in parts {
            for number in 1..=count {
                let part = shard_folder(folder, number, count);
                match numbers.contains(&number) {
                    true => runs.folders.push(part),
                    false if runs.missing.len() < MISSING_MAX => runs.missing.push(part),
                    false => {}
                }
            }
        }
    }
    runs
}

/// The other ways in which the folder of the whole is divided already, in words: a call with
/// another one would ask everything again.
pub(crate) fn other_division(whole: &Path, count: Option<usize>) -> Option<String> {
    let parts = parts_of(whole);
    let others: Vec<String> = parts
        .iter()
        .filter(|(other, _)| Some(**other) != count)
        .map(|(other, numbers)| format!("{} of {other} shards", numbers.len()))
        .collect();
    match (others.is_empty(), count) {
        (false, _) => Some(others.join(" and ")),
        (true, Some(_)) if whole.join(DATABASE_FILE).is_file() => {
            Some("a run without shards".to_owned())
        }
        (true, _) => None,
    }
}

/// More missing parts are not named: a folder's name is anybody's.
const MISSING_MAX: usize = 100;

/// The numbers of the parts that are there, by how many there are.
fn parts_of(folder: &Path) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut parts: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let numbers = name.to_str().and_then(|name| {
            let (number, count) = name.strip_prefix("shard-")?.split_once("-of-")?;
            Some((number.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
        });
        if let Some((number, count)) = numbers
            && (1..=count).contains(&number)
            && count <= PARTS_MAX
            && entry.path().join(DATABASE_FILE).is_file()
        {
            parts.entry(count).or_default().insert(number);
        }
    }
    parts
}

/// Most parts of one whole.
const PARTS_MAX: usize = 1 << 20;
