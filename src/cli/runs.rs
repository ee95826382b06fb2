//! The run folders that a command reads: those given, and the parts of a benchmark that several machines shared.

use super::Printer;
use crate::store::run_folders;
use std::path::{Path, PathBuf};

/// The folders of runs; names parts that are missing.
pub(super) fn runs(given: &[PathBuf], printer: &Printer) -> Vec<PathBuf> {
    let found = run_folders(given);
    if !found.missing.is_empty() {
        let names = found.missing.iter().map(|part| part.display().to_string());
        printer.warn(&format!(
            "parts without a run are not counted (not begun, elsewhere, or without a prompt): {}",
            names.collect::<Vec<_>>().join(", ")
        ));
    }
    found.folders
}

/// What to do with a folder of parts where one run is needed; none for any other folder.
pub(super) fn refusal_of_parts(folder: &Path) -> Option<String> {
    let found = run_folders(&[folder.to_owned()]);
    (found.folders != [folder]).then(|| {
        format!(
            "this folder holds {} parts of a run, and one run is needed; join them with `meshjudge import whole --from {}`",
            found.folders.len(),
            folder.display()
        )
    })
}
