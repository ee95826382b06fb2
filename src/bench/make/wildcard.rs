//! `out/{prompt_id}/*.glb`: an asset with an unknown name, the only one in its folder.

use crate::front::has_extension;
use crate::load::EXTENSIONS;
use std::path::{Path, PathBuf};

/// The only asset that matches a path with a `*` (any characters) in its last part. The path itself
/// if there is a file of that very name, where nothing fits, and where more than one does.
pub(super) fn only_match(path: PathBuf) -> PathBuf {
    let Some((before, after)) = star(&path) else {
        return path;
    };
    if path.exists() {
        return path;
    }
    let fits = |name: &str| {
        let is_long = name.len() >= before.len() + after.len();
        has_extension(Path::new(name), &EXTENSIONS)
            && is_long
            && !name.starts_with('.')
            && name.starts_with(before)
            && name.ends_with(after)
    };
    let entries = std::fs::read_dir(path.parent().unwrap_or(Path::new(""))).ok();
    let mut found = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(fits))
        .map(|entry| entry.path())
        .filter(|path| path.is_file());
    match (found.next(), found.next()) {
        (Some(only), None) => only,
        _ => path,
    }
}

/// The text before and after the `*` of the last part.
pub(in crate::unstable::bench) fn star(path: &Path) -> Option<(&str, &str)> {
    path.file_name()?.to_str()?.split_once('*')
}
