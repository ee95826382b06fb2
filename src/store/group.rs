//! What a group has gathered and is not on the disk yet.

use super::folder::{SHEETS_FOLDER, sync_folder, write_part};
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that are written at a time. File systems put syncs that run side by side into one.
const WRITERS: usize = 16;

/// Data that is not on the disk yet.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// Pictures by path; written before the transaction that names them is committed.
    pub pictures: BTreeMap<PathBuf, Arc<[u8]>>,
    /// Whether the transaction began, with the first write: an empty group locks nobody out.
    pub is_begun: bool,
}

pub(super) fn write_pictures(
    folder: &Path,
    pictures: &BTreeMap<PathBuf, Arc<[u8]>>,
) -> Result<(), Error> {
    if pictures.is_empty() {
        return Ok(());
    }
    let files: Vec<_> = pictures.iter().collect();
    let per_writer = files.len().div_ceil(WRITERS);
    std::thread::scope(|scope| {
        let writers: Vec<_> = files
            .chunks(per_writer)
            .map(|files| {
                scope.spawn(|| {
                    files.iter().try_for_each(|(path, bytes)| write_part(folder, path, bytes))
                })
            })
            .collect();
        writers.into_iter().try_for_each(|writer| {
            writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })?;
    sync_folder(&folder.join(SHEETS_FOLDER))
}
