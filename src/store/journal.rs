//! The journal: every row of a run once more, as checksummed lines of plain text beside the database, from which a run whose database is
//! lost is rebuilt.
//!
//! A line is 16 hexadecimal digits of the BLAKE3 hash of the rest, a space, and a JSON object: `{"in": TABLE, "row": {…}}`, or
//! `{"marks": {…}}` after each group, which says how far the journal has come. Lines are appended after their group was committed, so the
//! journal never says more than the database. It is not synced: what a power failure takes from its end is written again when the run is
//! opened next. It holds what the database holds, and so no key.
//!
//! Several processes write it, each under a lock on the file and after what the others wrote: the one that asks, and those that keep votes.
//! Whoever comes next writes every row that is committed and not in it yet, its own or not.

use super::database::BUSY;
use super::error::StoreError;
use super::folder::{DATABASE_FILE, JOURNAL_FILE, lock_file};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

/// Tables whose rows never change, each with the key by which they grow.
pub(super) const GROWING: [(&str, &str); 10] = [
    ("commands", "id"),
    ("assets", "id"),
    ("protocols", "rowid"),
    ("pictures", "rowid"),
    ("texts", "rowid"),
    ("questions", "number"),
    ("parts", "question"),
    ("attempts", "id"),
    ("canaries", "id"),
    ("batches", "id"),
];

/// Tables whose rows change; a changed row stands in the journal again.
pub(super) const CHANGING: [&str; 2] = ["made", "pairs"];

/// So much of the journal's end is searched for the last marks before all of it is.
const TAIL_BYTES: u64 = 1 << 20;

/// No line is longer: a reply of the greatest size that is accepted, escaped.
const LINE_BYTES_MAX: u64 = 256 << 20;

const SUM_DIGITS: usize = 16;

/// Whoever asks questions waits so long for whoever keeps a vote; then these rows wait for the next group.
const FOLLOW_PATIENCE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    /// Where it ended after our last line; none before the first. Another end means that another process wrote.
    end: Option<u64>,
    /// How far each table of [`GROWING`] is written.
    marks: BTreeMap<String, i64>,
    /// Lines of changed rows that wait for their commit.
    pub changed: Vec<String>,
}

/// Opens or begins the journal of a folder, and locks it until the file is closed.
pub(super) fn lock_journal(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(JOURNAL_FILE);
    let file = (File::options().create(true).read(true).append(true))
        .open(&path)
        .map_err(|e| StoreError::file("write", &path, &e))?;
    lock_file(&file, BUSY).map_err(|e| StoreError::lock(&path, e))?;
    Ok(file)
}

impl Journal {
    /// Opens or begins the journal of a folder, and writes what the database has and it has not.
    pub(super) fn open(folder: &Path, connection: &Connection) -> Result<Self, StoreError> {
        let mut journal = Self::locked(lock_journal(folder)?, folder, connection)?;
        journal.unlock(folder)?;
        Ok(journal)
    }

    /// As [`Journal::open`], of a file that is locked, and stays so until this is dropped.
    pub(super) fn locked(
        file: File,
        folder: &Path,
        connection: &Connection,
    ) -> Result<Self, StoreError> {
        let mut journal = Self {
            file,
            end: None,
            marks: BTreeMap::new(),
            changed: Vec::new(),
        };
        journal.append_new(folder, connection)?;
        Ok(journal)
    }

    /// Appends what was committed since the last call.
    pub(super) fn follow(
        &mut self,
        folder: &Path,
        connection: &Connection,
    ) -> Result<(), StoreError> {
        match lock_file(&self.file, FOLLOW_PATIENCE) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(()),
            Err(e) => return Err(StoreError::lock(&folder.join(JOURNAL_FILE), e)),
        }
        let appended = self.append_new(folder, connection);
        self.unlock(folder).and(appended)
    }

    fn unlock(&mut self, folder: &Path) -> Result<(), StoreError> {
        let unlocked = self.file.unlock();
        unlocked.map_err(|e| StoreError::file("lock", &folder.join(JOURNAL_FILE), &e))
    }

    /// Goes to the end of the last whole group, whoever wrote it.
    fn catch_up(&mut self) -> std::io::Result<()> {
        let len = self.file.metadata()?.len();
        if self.end != Some(len) {
            let (end, marks) = last_marks(&mut self.file)?;
            // A torn line, or rows whose group has no end.
            self.file.set_len(end)?;
            (self.end, self.marks) = (Some(end), marks);
        }
        Ok(())
    }

    fn append_new(&mut self, folder: &Path, connection: &Connection) -> Result<(), StoreError> {
        let path = folder.join(JOURNAL_FILE);
        let failed = |e: std::io::Error| StoreError::file("write", &path, &e);
        let unread = |e: rusqlite::Error| StoreError::database(&folder.join(DATABASE_FILE), &e);
        self.catch_up().map_err(failed)?;
        // One state of all tables, so that no row is written without those it refers to.
        let snapshot = connection.unchecked_transaction().map_err(unread)?;
        if self.end == Some(0) {
            for table in CHANGING {
                self.changed
                    .extend(lines(&snapshot, table, "true", []).map_err(unread)?);
            }
        }
        // Known again when all of it is written.
        self.end = None;
        let mut out = BufWriter::with_capacity(1 << 16, &self.file);
        let mut has_grown = !self.changed.is_empty();
        for (table, key) in GROWING {
            let mark = self.marks.get(table).copied().unwrap_or(0);
            let newest = append(&snapshot, table, key, mark, &mut out)
                .map_err(unread)?
                .map_err(failed)?;
            if let Some(newest) = newest {
                self.marks.insert(table.to_owned(), newest);
                has_grown = true;
            }
        }
        for line in self.changed.drain(..) {
            out.write_all(line.as_bytes()).map_err(failed)?;
        }
        if has_grown {
            let marks = line(&json!({"marks": self.marks}));
            out.write_all(marks.as_bytes()).map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        drop(out);
        self.end = Some(self.file.metadata().map_err(failed)?.len());
        Ok(())
    }
}

/// The lines of the rows of a table that meet a condition.
pub(super) fn lines<const N: usize>(
    connection: &Connection,
    table: &str,
    condition: &str,
    values: [&dyn rusqlite::ToSql; N],
) -> rusqlite::Result<Vec<String>> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT * FROM {table} WHERE {condition}"))?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let found = statement.query_map(values.as_slice(), |row| row_line(table, &names, row, 0))?;
    found.collect()
}

/// Writes the rows after `mark`; the key of the last one.
fn append(
    connection: &Connection,
    table: &str,
    key: &str,
    mark: i64,
    out: &mut impl Write,
) -> rusqlite::Result<std::io::Result<Option<i64>>> {
    let query = format!("SELECT {key}, * FROM {table} WHERE {key} > ? ORDER BY {key}");
    let mut statement = connection.prepare_cached(&query)?;
    let names: Vec<String> = statement
        .column_names()
        .skip(1)
        .map(str::to_owned)
        .collect();
    let mut rows = statement.query([mark])?;
    let mut newest = None;
    while let Some(row) = rows.next()? {
        newest = Some(row.get(0)?);
        if let Err(e) = out.write_all(row_line(table, &names, row, 1)?.as_bytes()) {
            return Ok(Err(e));
        }
    }
    Ok(Ok(newest))
}

/// Reals stand as text: JSON readers round them.
fn row_line(
    table: &str,
    names: &[String],
    row: &Row<'_>,
    first: usize,
) -> rusqlite::Result<String> {
    let mut cells = Map::new();
    for (i, name) in names.iter().enumerate() {
        let value = match row.get_ref(first + i)? {
            ValueRef::Null | ValueRef::Blob(_) => continue,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.to_string().into(),
            ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        };
        cells.insert(name.clone(), value);
    }
    Ok(line(&json!({"in": table, "row": cells})))
}

fn line(said: &Value) -> String {
    let text = said.to_string();
    format!("{} {text}\n", sum(text.as_bytes()))
}

fn sum(text: &[u8]) -> String {
    blake3::hash(text).to_hex()[..SUM_DIGITS].to_owned()
}

/// What a line says; none where it is torn or changed.
pub(super) fn read_line(line: &[u8]) -> Option<Value> {
    let line = line.strip_suffix(b"\n")?;
    let (kept, text) = (line.get(..SUM_DIGITS)?, line.get(SUM_DIGITS + 1..)?);
    if line[SUM_DIGITS] != b' ' || kept != sum(text).as_bytes() {
        return None;
    }
    serde_json::from_slice(text).ok()
}

/// Where the last whole group ends, and its marks.
fn last_marks(file: &mut File) -> std::io::Result<(u64, BTreeMap<String, i64>)> {
    let len = file.metadata()?.len();
    for from in [len.saturating_sub(TAIL_BYTES), 0] {
        file.seek(SeekFrom::Start(from))?;
        let mut found = None;
        let mut at = from;
        each_line(&mut BufReader::new(&mut *file), |bytes| {
            at += bytes.len() as u64;
            let marks =
                read_line(bytes).and_then(|mut said| said.get_mut("marks").map(Value::take));
            if let Some(marks) = marks.and_then(|marks| serde_json::from_value(marks).ok()) {
                found = Some((at, marks));
            }
            Ok(())
        })?;
        if let Some(found) = found {
            return Ok(found);
        }
    }
    Ok((0, BTreeMap::new()))
}

/// Hands every line on with its end; the last one may be torn.
pub(super) fn each_line(
    from: &mut impl BufRead,
    mut each: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if from
            .by_ref()
            .take(LINE_BYTES_MAX)
            .read_until(b'\n', &mut line)?
            == 0
        {
            return Ok(());
        }
        each(&line)?;
    }
}
