//! The run folders that a command reads: the given folders, and the shards of a benchmark.

use super::Printer;
use super::words::some_of;
use crate::report::plural;
use crate::store::run_folders;
use std::path::{Path, PathBuf};

/// The folders of runs; prints the missing shards.
pub(super) fn runs(given: &[PathBuf], printer: &Printer) -> Vec<PathBuf> {
    let found = run_folders(given);
    if !found.missing.is_empty() {
        let names = found.missing.iter().map(|part| part.display().to_string());
        printer.warn(&format!(
            "shards without a run are not counted (not started, elsewhere, or without a prompt): {}",
            some_of(names)
        ));
    }
    found.folders
}

/// The error for a folder of shards where one run is needed; none for any other folder.
pub(super) fn refusal_of_parts(folder: &Path) -> Option<String> {
    let found = run_folders(&[folder.to_owned()]);
    (found.folders != [folder]).then(|| {
        format!(
            "this folder has {} of a run, but the command needs one run; join them with `meshjudge import whole --from {}`",
            plural(found.folders.len(), "shard"),
            folder.display()
        )
    })
}
