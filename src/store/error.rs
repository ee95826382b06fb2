//! Why a run folder cannot be used.

use crate::error::Error;
use rusqlite::{ErrorCode, ffi};
use std::fs::TryLockError;
use std::path::Path;

/// SQLite's error for a disk without locks, or without shared memory for a file.
const LOCK_FAILURES: [i32; 8] = [
    ffi::SQLITE_PROTOCOL,
    ffi::SQLITE_IOERR_LOCK,
    ffi::SQLITE_IOERR_RDLOCK,
    ffi::SQLITE_IOERR_UNLOCK,
    ffi::SQLITE_IOERR_CHECKRESERVEDLOCK,
    ffi::SQLITE_IOERR_SHMOPEN,
    ffi::SQLITE_IOERR_SHMLOCK,
    ffi::SQLITE_IOERR_SHMMAP,
];

pub(super) fn no_run(folder: &Path) -> Error {
    Error::run("there is no run here (no run.sqlite); give the folder of a run").at(folder)
}

/// Asking anew would be paid anew.
pub(super) fn database_gone(folder: &Path) -> Error {
    Error::run("the run's database (run.sqlite) is missing or empty, but its pictures or its journal exist; `meshjudge recover` rebuilds it from the journal, else restore the file or use another run folder").at(folder).option("run")
}

/// Another process works on the run; `holder` is empty, or ` (12345 on node7)`.
pub(super) fn locked(holder: &str, folder: &Path) -> Error {
    let text = format!(
        "another meshjudge process{holder} is working on this run; wait for it, or use another run folder"
    );
    Error::locked(text).at(folder).option("run")
}

/// The file is a database of something else, no database, or a broken one.
pub(super) fn unusable(reason: &str, path: &Path) -> Error {
    let text = format!(
        "run.sqlite is not usable ({reason}); `meshjudge recover` rebuilds it from run.journal, else restore the file or use another run folder"
    );
    Error::run(text).at(path).option("run")
}

/// `action` is `create`, `write` or `read`.
pub(super) fn file(action: &str, path: &Path, reason: impl std::fmt::Display) -> Error {
    let text = format!(
        "cannot {action} ({reason}); check that the folder is writable and the disk not full"
    );
    Error::run(text).at(path)
}

/// As on some mounts of Lustre, GPFS and NFS.
fn no_locks(reason: impl std::fmt::Display, path: &Path) -> Error {
    let text = format!(
        "this disk has no file locks ({reason}), so two processes could write one run; put the run on a disk of this machine, and copy it to the shared disk at the end"
    );
    Error::run(text).at(path)
}

/// A file in a run's folder that could not be locked.
pub(super) fn lock(holder: &str, path: &Path, error: TryLockError) -> Error {
    match error {
        TryLockError::WouldBlock => locked(holder, path.parent().unwrap_or(path)),
        TryLockError::Error(e) => no_locks(e, path),
    }
}

/// Whether SQLite could not read or write the file, or one next to it.
pub(super) fn is_of_file(error: &rusqlite::Error) -> bool {
    use ErrorCode as Code;
    !has_no_locks(error)
        && matches!(
            error.sqlite_error_code(),
            Some(
                Code::ReadOnly
                    | Code::CannotOpen
                    | Code::PermissionDenied
                    | Code::DiskFull
                    | Code::SystemIoFailure
            )
        )
}

fn has_no_locks(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| LOCK_FAILURES.contains(&error.extended_code))
}

pub(super) fn database(path: &Path, error: &rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        _ if has_no_locks(error) => no_locks(error, path),
        _ if is_of_file(error) => file("write", path, error),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            unusable(&error.to_string(), path)
        }
        Some(ErrorCode::DatabaseBusy) => locked("", path.parent().unwrap_or(path)),
        _ => Error::run(format!(
            "the run could not be written or read ({error}); check the disk, else `meshjudge recover` rebuilds run.sqlite from run.journal"
        ))
        .at(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_locks_is_named_with_its_remedy() {
        let path = Path::new("all/run.sqlite");
        let of_sqlite = |code| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            database(path, &error).to_string()
        };
        let refused = std::io::Error::from(std::io::ErrorKind::Unsupported);
        let of_system = lock("", path, TryLockError::Error(refused)).to_string();
        for words in [of_sqlite(ffi::SQLITE_PROTOCOL), of_sqlite(ffi::SQLITE_IOERR_LOCK), of_system]
        {
            assert!(
                words.contains("no file locks") && words.contains("disk of this machine"),
                "{words}"
            );
        }
        assert!(!of_sqlite(ffi::SQLITE_IOERR_WRITE).contains("lock"));
    }
}
