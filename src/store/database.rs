//! The database of a run: its layout, how it is made, and how it is opened to be read.

use super::disk::network_disk;
use super::error;
use super::folder::{DATABASE_FILE, was_asked};
use crate::error::Error;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `application_id`: "MJRN".
const APPLICATION_ID: i64 = 0x4d4a_524e;

/// `user_version`: the layout in `schema.sql`.
pub(super) const LAYOUT: i64 = 11;

/// A reader may hold the file for a moment.
pub(super) const BUSY: Duration = Duration::from_secs(10);

/// Without a write-ahead log a reader holds the file until it has read all; a million questions
/// took 18 s on a local disk.
const BUSY_WITH_READERS: Duration = Duration::from_secs(120);

/// How SQLite keeps a transaction whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// A write-ahead log: readers and the writer do not wait for each other.
    Log,
    /// A rollback journal, for shared disks; its file stays, so a commit changes no folder.
    Rollback,
}

impl Mode {
    fn of(folder: &Path) -> Self {
        match network_disk(folder) {
            None => Self::Log,
            Some(_) => Self::Rollback,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Log => "wal",
            Self::Rollback => "truncate",
        }
    }
}

/// Statements that stay prepared: more than there are.
const STATEMENTS_MAX: usize = 64;

/// Opens a database to write it, and lays it out where it is empty.
pub(super) fn open_to_write(folder: &Path, flags: OpenFlags) -> Result<Connection, Error> {
    open_in_mode(folder, flags, Mode::of(folder))
}

fn open_in_mode(folder: &Path, flags: OpenFlags, mode: Mode) -> Result<Connection, Error> {
    let path = folder.join(DATABASE_FILE);
    let failed = |e: rusqlite::Error| error::database(&path, &e);
    let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(&path, flags).map_err(failed)?;
    let patience = match mode {
        Mode::Log => BUSY,
        Mode::Rollback => BUSY_WITH_READERS,
    };
    connection.busy_timeout(patience).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    if !Found::of(&connection).map_err(failed)?.is_laid_out(&path)? {
        if was_asked(folder) {
            return Err(error::database_gone(folder));
        }
        create(&mut connection).map_err(failed)?;
    }
    let set: String = connection
        .pragma_update_and_check(None, "journal_mode", mode.name(), |row| row.get(0))
        .map_err(failed)?;
    if set != mode.name() {
        return Err(error::locked("", folder));
    }
    for (name, value) in [("synchronous", "FULL"), ("foreign_keys", "true")] {
        connection.pragma_update(None, name, value).map_err(failed)?;
    }
    Ok(connection)
}

/// Opens a database to read it, and says whether it is laid out. SQLite keeps files next to a
/// database that is written; if it cannot, nobody writes, and the file is read as it is. What a
/// killed writer left half written is settled first, as the next writer would.
pub(super) fn open_to_read(path: &Path) -> Result<(Connection, bool), Error> {
    let failed = |e: rusqlite::Error| error::database(path, &e);
    let open = |name: &Path, flags: OpenFlags| -> rusqlite::Result<_> {
        let connection = Connection::open_with_flags(
            name,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | flags,
        )?;
        connection.busy_timeout(BUSY)?;
        let found = Found::of(&connection)?;
        Ok((connection, found))
    };
    let opened = open(path, OpenFlags::empty());
    let is_unsettled = |suffix: &str| {
        let file = path.with_file_name(format!("{DATABASE_FILE}{suffix}"));
        std::fs::metadata(file).is_ok_and(|file| file.len() > 0)
    };
    let opened = match opened {
        Err(e) if error::is_of_file(&e) && is_unsettled("-journal") => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let settling = Connection::open_with_flags(path, flags).map_err(failed)?;
            settling.busy_timeout(BUSY).map_err(failed)?;
            Found::of(&settling).map_err(failed)?;
            open(path, OpenFlags::empty())
        }
        Err(e) if error::is_of_file(&e) && !is_unsettled("-wal") => {
            let name = path.to_string_lossy();
            let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            let uri = PathBuf::from(format!("file:{name}?immutable=1"));
            open(&uri, OpenFlags::SQLITE_OPEN_URI)
        }
        opened => opened,
    };
    let (connection, found) = opened.map_err(failed)?;
    Ok((connection, found.is_laid_out(path)?))
}

/// What a file says of itself.
struct Found {
    tables: i64,
    application: i64,
    layout: i64,
}

impl Found {
    fn of(connection: &Connection) -> rusqlite::Result<Self> {
        let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get(0));
        let tables = "SELECT count(*) FROM sqlite_master";
        Ok(Self {
            tables: connection.query_row(tables, [], |row| row.get(0))?,
            application: pragma("application_id")?,
            layout: pragma("user_version")?,
        })
    }

    /// Whether a run's database has its tables: not while it is still empty.
    fn is_laid_out(&self, path: &Path) -> Result<bool, Error> {
        match *self {
            Self { tables: 0, application: 0, layout: 0 } => Ok(false),
            Self { application: APPLICATION_ID, layout: LAYOUT, .. } => Ok(true),
            Self { application: APPLICATION_ID, layout, .. } => Err(other_layout(layout, path)),
            _ => Err(error::unusable("it is the database of another program", path)),
        }
    }
}

pub(super) fn other_layout(found: i64, path: &Path) -> Error {
    let text = format!(
        "the run has layout {found}, and this version reads layout {LAYOUT}; use the version that wrote it, or a new folder"
    );
    Error::run(text).at(path)
}

/// Bodies have one to two thousand bytes: few of them in a page leave much of it empty.
const PAGE_BYTES: i64 = 8192;

/// Lays out an empty file, as a whole or not at all.
pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    transaction.execute_batch(include_str!("schema.sql"))?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", LAYOUT)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;
    use crate::store::Store;

    const INSERT: &str = "INSERT INTO commands (key, body, sum) VALUES (random(), ?, 0)";

    fn num_commands(connection: &Connection) -> i64 {
        let count = "SELECT count(*) FROM commands";
        connection.query_row(count, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_run_that_came_to_a_network_disk_is_written_with_a_rollback_journal_and_read_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let open = |mode| open_in_mode(folder.path(), OpenFlags::SQLITE_OPEN_CREATE, mode).unwrap();
        open(Mode::Log).execute(INSERT, ["local"]).unwrap();
        let writer = open(Mode::Rollback);
        let beside = open(Mode::Rollback);
        writer.execute(INSERT, ["shared"]).unwrap();
        beside.execute(INSERT, ["a vote"]).unwrap();
        assert_eq!(num_commands(&Store::read(folder.path()).unwrap().connection), 3);
        for gone in ["run.sqlite-wal", "run.sqlite-shm"] {
            assert!(!folder.path().join(gone).exists(), "{gone}");
        }
        drop((writer, beside));
        assert_eq!(num_commands(&open(Mode::Log)), 3, "back on a local disk");
    }

    #[test]
    fn a_mode_that_another_process_keeps_is_no_mode_to_write_in() {
        let folder = tempfile::tempdir().unwrap();
        let open = |mode| open_in_mode(folder.path(), OpenFlags::SQLITE_OPEN_CREATE, mode);
        let reader = open(Mode::Rollback).unwrap();
        reader.execute_batch("BEGIN; SELECT * FROM commands").unwrap();
        reader.busy_timeout(Duration::ZERO).unwrap();
        let refused = open(Mode::Log).unwrap_err();
        assert_eq!(refused.kind(), Kind::Locked, "{refused}");
    }

    #[test]
    fn a_reader_settles_what_a_killed_writer_left_half_written() {
        let folder = tempfile::tempdir().unwrap();
        let writer = open_in_mode(folder.path(), OpenFlags::SQLITE_OPEN_CREATE, Mode::Rollback);
        let writer = writer.unwrap();
        writer.execute(INSERT, ["whole"]).unwrap();
        // Pages reach the file before the commit.
        writer.execute_batch("PRAGMA cache_size = 2; BEGIN").unwrap();
        for _ in 0..50 {
            writer.execute(INSERT, ["x".repeat(4000)]).unwrap();
        }
        let copy = tempfile::tempdir().unwrap();
        for name in ["run.sqlite", "run.sqlite-journal"] {
            std::fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
        }
        assert!(copy.path().join("run.sqlite").metadata().unwrap().len() > 150_000);
        assert_eq!(num_commands(&Store::read(copy.path()).unwrap().connection), 1);
    }
}
