//! Why a run folder cannot be used.

use rusqlite::ffi;
use std::path::PathBuf;

/// An error of a run folder.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("there is no run here (no run.sqlite); give the folder of a run: {path:?}")]
    NoRun { path: PathBuf },
    /// Asking anew would be paid anew.
    #[error(
        "the run's database (run.sqlite) is missing or empty, but its pictures or its journal exist; `meshjudge recover` rebuilds it from the journal, else restore the file or use another run folder: {path:?}"
    )]
    DatabaseGone { path: PathBuf },
    #[error("there is no such folder: {path:?}")]
    NoFolder { path: PathBuf },
    #[error(
        "there is no journal (run.journal) to rebuild the run from; restore run.sqlite from a copy: {path:?}"
    )]
    NoJournal { path: PathBuf },
    /// The disk, or somebody, changed what was written.
    #[error(
        "the run is damaged: {what} is not what was written; `meshjudge recover` rebuilds it from the journal, else restore the file from a copy: {path:?}"
    )]
    Damaged { what: String, path: PathBuf },
    /// Another process asks this run's questions.
    #[error(
        "another meshjudge process{holder} is working on this run; wait for it, or use another run folder: {path:?}"
    )]
    Locked {
        /// Empty, or ` (12345 on node7)`.
        holder: String,
        path: PathBuf,
    },
    /// Readers take the run of a folder before its shards.
    #[error(
        "the folder has {found}, which a run in the same folder would hide; use another run folder, and name both folders to rate them together: {path:?}"
    )]
    HoldsShards { found: String, path: PathBuf },
    /// Asking anew would be paid anew.
    #[error(
        "the folder has {found} of this benchmark, and another number of shards would ask every question again; give the shard as before, or use another run folder and reuse the answers that are there: {path:?}"
    )]
    Divided { found: String, path: PathBuf },
    /// As on some mounts of Lustre, GPFS and NFS.
    #[error(
        "this disk has no file locks ({reason}), so two processes could write one run; put the run on a disk of this machine, and copy it to the shared disk at the end: {path:?}"
    )]
    NoLocks { reason: String, path: PathBuf },
    /// The file is a database of something else, no database, or a broken one.
    #[error(
        "run.sqlite is not usable ({reason}); `meshjudge recover` rebuilds it from run.journal, else restore the file or use another run folder: {path:?}"
    )]
    NotOurs { reason: String, path: PathBuf },
    /// Another version wrote the run.
    #[error(
        "the run has layout {found}, and this version reads layout {expected}; use the version that wrote it, or a new folder: {path:?}"
    )]
    Version { found: i64, expected: i64, path: PathBuf },
    /// The folder or a file in it cannot be written or read.
    #[error(
        "cannot {action} ({reason}); check that the folder is writable and the disk not full: {path:?}"
    )]
    File {
        /// `create`, `write`, `read`, `lock`.
        action: &'static str,
        reason: String,
        path: PathBuf,
    },
    #[error(
        "the run could not be written or read ({reason}); check the disk, else `meshjudge recover` rebuilds run.sqlite from run.journal: {path:?}"
    )]
    Database { reason: String, path: PathBuf },
}

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

impl StoreError {
    pub(super) fn file(
        action: &'static str,
        path: &std::path::Path,
        error: &std::io::Error,
    ) -> Self {
        Self::File { action, reason: error.to_string(), path: path.to_owned() }
    }

    /// A file in a run's folder that could not be locked.
    pub(super) fn lock(path: &std::path::Path, error: std::fs::TryLockError) -> Self {
        match error {
            std::fs::TryLockError::WouldBlock => Self::Locked {
                holder: String::new(),
                path: path.parent().unwrap_or(path).to_owned(),
            },
            std::fs::TryLockError::Error(e) => {
                Self::NoLocks { reason: e.to_string(), path: path.to_owned() }
            }
        }
    }

    pub(super) fn database(path: &std::path::Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let (path, reason) = (path.to_owned(), error.to_string());
        let extended = error.sqlite_error().map(|error| error.extended_code);
        if extended.is_some_and(|code| LOCK_FAILURES.contains(&code)) {
            return Self::NoLocks { reason, path };
        }
        match error.sqlite_error_code() {
            Some(Code::NotADatabase | Code::DatabaseCorrupt) => Self::NotOurs { reason, path },
            Some(Code::DatabaseBusy) => Self::Locked {
                holder: String::new(),
                path: path.parent().unwrap_or(&path).to_owned(),
            },
            Some(
                Code::ReadOnly
                | Code::CannotOpen
                | Code::PermissionDenied
                | Code::DiskFull
                | Code::SystemIoFailure,
            ) => Self::File { action: "write", reason, path },
            _ => Self::Database { reason, path },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_disk_without_locks_is_named_with_its_remedy() {
        let path = Path::new("all/run.sqlite");
        let of_sqlite = |code| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            StoreError::database(path, &error).to_string()
        };
        let refused = std::io::Error::from(std::io::ErrorKind::Unsupported);
        let of_system = StoreError::lock(path, std::fs::TryLockError::Error(refused)).to_string();
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
