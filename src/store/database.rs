//! The database of a run: its layout, how it is made, and how it is opened to be read.

use super::error::StoreError;
use super::folder::{DATABASE_FILE, was_asked};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `application_id`: "MJRN".
const APPLICATION_ID: i64 = 0x4d4a_524e;

/// `user_version`: the layout in `schema.sql`.
const LAYOUT: i64 = 5;

/// Without checksums of rows. It is read as it is, and gets the columns when it is next written.
pub(super) const LAYOUT_WITHOUT_SUMS: i64 = 4;

const ADD_SUMS: &str = "
ALTER TABLE questions ADD COLUMN sum INTEGER;
ALTER TABLE attempts ADD COLUMN sum INTEGER;
ALTER TABLE made ADD COLUMN sum INTEGER;
ALTER TABLE pairs ADD COLUMN sum INTEGER;
";

/// A reader may hold the file for a moment.
pub(super) const BUSY: Duration = Duration::from_secs(10);

/// Statements that stay prepared: more than there are.
const STATEMENTS_MAX: usize = 64;

/// SQLite's integers are signed; no count comes near.
pub(super) fn to_i64(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Opens a database to write it, and creates or renews its layout.
pub(super) fn open_to_write(folder: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let path = folder.join(DATABASE_FILE);
    let failed = |e: rusqlite::Error| StoreError::database(&path, &e);
    let flags = flags | OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(&path, flags).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    match layout(&connection, &path)? {
        None if was_asked(folder) => {
            return Err(StoreError::DatabaseGone {
                path: folder.to_owned(),
            });
        }
        None => create(&mut connection).map_err(failed)?,
        Some(LAYOUT_WITHOUT_SUMS) => add_sums(&mut connection).map_err(failed)?,
        Some(_) => {}
    }
    for (name, value) in [
        ("journal_mode", "WAL"),
        ("synchronous", "FULL"),
        ("foreign_keys", "true"),
    ] {
        (connection.pragma_update(None, name, value)).map_err(failed)?;
    }
    Ok(connection)
}

/// Opens a database to read it, with its layout. SQLite keeps files of its own beside a database that is written; where it cannot, nobody
/// writes, and the file is read as it is.
pub(super) fn open_to_read(path: &Path) -> Result<(Connection, Option<i64>), StoreError> {
    let failed = |e: rusqlite::Error| StoreError::database(path, &e);
    let open = |name: &Path, flags: OpenFlags| -> Result<_, StoreError> {
        let connection = Connection::open_with_flags(
            name,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | flags,
        )
        .map_err(failed)?;
        connection.busy_timeout(BUSY).map_err(failed)?;
        let layout = layout(&connection, path)?;
        Ok((connection, layout))
    };
    let opened = open(path, OpenFlags::empty());
    let wal = path.with_file_name(format!("{DATABASE_FILE}-wal"));
    let has_unsettled = std::fs::metadata(wal).is_ok_and(|wal| wal.len() > 0);
    match opened {
        Err(StoreError::File { .. }) if !has_unsettled => {
            let name = path.to_string_lossy();
            let name = name
                .replace('%', "%25")
                .replace('?', "%3f")
                .replace('#', "%23");
            let uri = PathBuf::from(format!("file:{name}?immutable=1"));
            open(&uri, OpenFlags::SQLITE_OPEN_URI)
        }
        opened => opened,
    }
}

/// The layout of a run's database; none for one that is still empty.
fn layout(connection: &Connection, path: &Path) -> Result<Option<i64>, StoreError> {
    let failed = |e: rusqlite::Error| StoreError::database(path, &e);
    let pragma = |name: &str| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(failed)
    };
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))
        .map_err(failed)?;
    let (application, layout) = (pragma("application_id")?, pragma("user_version")?);
    if tables == 0 && application == 0 && layout == 0 {
        return Ok(None);
    }
    if application != APPLICATION_ID {
        return Err(StoreError::NotOurs {
            reason: "it is the database of another program".to_owned(),
            path: path.to_owned(),
        });
    }
    if ![LAYOUT, LAYOUT_WITHOUT_SUMS].contains(&layout) {
        return Err(StoreError::Version {
            found: layout,
            expected: LAYOUT,
            path: path.to_owned(),
        });
    }
    Ok(Some(layout))
}

fn add_sums(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let layout: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    // Another process may have done it meanwhile.
    if layout == LAYOUT_WITHOUT_SUMS {
        transaction.execute_batch(ADD_SUMS)?;
        transaction.pragma_update(None, "user_version", LAYOUT)?;
    }
    transaction.commit()
}

/// Lays out an empty file, as a whole or not at all.
pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    transaction.execute_batch(include_str!("schema.sql"))?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", LAYOUT)?;
    transaction.commit()
}
