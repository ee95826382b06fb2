//! What the tests share: the folder of licensed splats, where there is one.

use std::path::PathBuf;

/// The folder that `MESHJUDGE_SPLATS` names, which then must exist, or the one next to the
/// repository; `None`, with a message, without any.
pub(crate) fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("MESHJUDGE_SPLATS").map(PathBuf::from) {
        assert!(folder.is_dir(), "MESHJUDGE_SPLATS names {}, which is no folder", folder.display());
        return Some(folder);
    }
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/splats"));
    if !folder.is_dir() {
        eprintln!("skipped: no folder of splats; name one in MESHJUDGE_SPLATS");
        return None;
    }
    Some(folder)
}
