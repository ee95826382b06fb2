//! Which file is compared with which: results and references by paths, folders by equal names.

use crate::error::{Error, Kind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A result and its reference; `None` where the folder of references has none of its name.
pub type Pair = (PathBuf, Option<PathBuf>);

/// The files of the given paths: a file itself, or the files of a folder with one of these
/// lower-case extensions, by name.
///
/// # Errors
/// Folders that cannot be read, or that hold none.
pub fn files_of(paths: &[PathBuf], extensions: &[&str]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path)
            .and_then(|entries| entries.collect::<Result<Vec<_>, _>>())
            .map_err(|e| Error::cannot_read(Kind::Rubric, "folder", e, path))?;
        let mut inside: Vec<PathBuf> = entries
            .into_iter()
            .map(|entry| entry.path())
            .filter(|file| has_extension(file, extensions) && file.is_file())
            .collect();
        if inside.is_empty() {
            let list = extensions.join(", ");
            return Err(Error::rubric(format!("no file of {list} in the folder")).at(path));
        }
        inside.sort();
        files.append(&mut inside);
    }
    Ok(files)
}

/// Pairs each result with the one reference, or its stem's file in a reference folder.
///
/// # Errors
/// As [`files_of`], and two references of one stem.
pub fn pair_up(
    results: &[PathBuf],
    reference: &Path,
    extensions: &[&str],
) -> Result<Vec<Pair>, Error> {
    let results = files_of(results, extensions)?;
    if !reference.is_dir() {
        let with = |result| (result, Some(reference.to_path_buf()));
        return Ok(results.into_iter().map(with).collect());
    }
    let mut by_stem: BTreeMap<Option<std::ffi::OsString>, PathBuf> = BTreeMap::new();
    let stem = |path: &Path| path.file_stem().map(std::ffi::OsStr::to_os_string);
    for file in files_of(&[reference.to_path_buf()], extensions)? {
        if let Some(earlier) = by_stem.insert(stem(&file), file.clone()) {
            return Err(Error::rubric(format!(
                "two references have the same name; remove one: {earlier:?}, {file:?}"
            )));
        }
    }
    let with = |result: PathBuf| {
        let found = by_stem.get(&stem(&result)).cloned();
        (result, found)
    };
    Ok(results.into_iter().map(with).collect())
}

/// Whether a file has one of these lower-case extensions, in whatever letters.
pub fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension()
        .is_some_and(|found| extensions.iter().any(|known| found.eq_ignore_ascii_case(known)))
}
