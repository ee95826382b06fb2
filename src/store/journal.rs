//! The journal: every change of a run's database again, as checksummed plain-text lines in the same
//! folder. It rebuilds a run that lost its database, with open batches and what was under way.
//!
//! A line is 16 hexadecimal digits of the BLAKE3 hash of the rest, a space, and a JSON object:
//! `{"put": TABLE, "row": {…}}` for a written row, with its body as it is, `{"cut": TABLE,
//! "row": {…}}` with the key of a deleted row. The first line is `{"journal": LAYOUT}`. Of several
//! lines on a row the last counts.
//!
//! Nobody writes the journal by hand: triggers gather the changes of every table, and a transaction
//! appends its own before its commit, while it keeps other writers out. So the journal says all
//! that the database says; what a killed process appended without committing is overwritten next.
//! It is not synced at each commit: only a machine that fails can take from its end.

use super::database::LAYOUT;
use super::error;
use super::folder::{DATABASE_FILE, JOURNAL_FILE, lock_file, sync_folder};
use crate::error::Error;
use crate::save::NewFile;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// No line is longer: a reply of the greatest size that is accepted, escaped.
const LINE_BYTES_MAX: u64 = 256 << 20;

const SUM_DIGITS: usize = 16;

/// A vote waits so long for another vote, or for a run that is being rebuilt.
const VOTE_PATIENCE: Duration = Duration::from_secs(10);

/// The column whose text is JSON, and a part of the line as it is.
pub(super) const BODY: &str = "body";

/// What a line says.
#[derive(Debug, Deserialize)]
pub(super) struct Line<'a> {
    journal: Option<i64>,
    /// The table of a written row.
    pub put: Option<String>,
    /// The table of a deleted row.
    pub cut: Option<String>,
    #[serde(borrow, default)]
    pub row: HashMap<String, &'a RawValue>,
}

/// The changes of a transaction that is not committed yet, in memory.
const CHANGES: &str = "journal_changes";

/// The columns of each table.
pub(super) type Tables = BTreeMap<String, Vec<Column>>;

#[derive(Debug)]
pub(super) struct Column {
    pub name: String,
    pub is_key: bool,
}

#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    tables: Tables,
}

impl Journal {
    /// Begins to gather a database's changes; writes its journal if it has none of this version.
    pub(super) fn open(folder: &Path, connection: &Connection) -> Result<Self, Error> {
        let unread = |e: rusqlite::Error| error::database(&folder.join(DATABASE_FILE), &e);
        let tables = tables(connection).map_err(unread)?;
        gather(connection, &tables).map_err(unread)?;
        let path = folder.join(JOURNAL_FILE);
        let journal = Self { path, tables };
        if !journal.is_current() {
            // Nobody else writes it meanwhile, nor the database.
            connection.execute_batch("BEGIN IMMEDIATE").map_err(unread)?;
            let written =
                if journal.is_current() { Ok(()) } else { journal.write_whole(connection) };
            connection.execute_batch("ROLLBACK").map_err(unread)?;
            written?;
        }
        Ok(journal)
    }

    fn is_current(&self) -> bool {
        File::open(&self.path).is_ok_and(|file| layout_of(&file) == Some(LAYOUT))
    }

    /// Appends the changes of the open transaction, which is about to be committed.
    pub(super) fn append(&self, connection: &Connection) -> Result<(), Error> {
        let changes = self.changes(connection).map_err(|e| {
            let path = self.path.with_file_name(DATABASE_FILE);
            error::database(&path, &e)
        })?;
        if changes.is_empty() {
            return Ok(());
        }
        let appended =
            File::options().read(true).append(true).open(&self.path).and_then(|mut file| {
                // A torn line stays a line of its own.
                let mut last = [b'\n'];
                file.seek(SeekFrom::End(-1))?;
                file.read_exact(&mut last)?;
                let torn = if last == [b'\n'] { "" } else { "\n" };
                file.write_all(format!("{torn}{changes}").as_bytes())
            });
        match appended {
            // All rows are written again, and these with them.
            Err(e) if e.kind() == ErrorKind::NotFound => self.write_whole(connection),
            appended => appended.map_err(|e| error::file("write", &self.path, e)),
        }
    }

    /// The lines of the changes since the last call.
    fn changes(&self, connection: &Connection) -> rusqlite::Result<String> {
        let mut lines = String::new();
        let query = format!("SELECT * FROM {CHANGES} ORDER BY number");
        let mut statement = connection.prepare_cached(&query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (deed, table): (String, String) = (row.get(1)?, row.get(2)?);
            let is_cut = deed == "cut";
            let columns = self.tables[&table].iter().enumerate();
            let cells = columns.filter(|(_, column)| column.is_key || !is_cut);
            lines += &row_line(&deed, &table, row, cells.map(|(i, column)| (i + 3, column)))?;
        }
        if !lines.is_empty() {
            connection.prepare_cached(&format!("DELETE FROM {CHANGES}"))?.execute([])?;
        }
        Ok(lines)
    }

    /// Writes all rows of the database to a new journal.
    fn write_whole(&self, connection: &Connection) -> Result<(), Error> {
        let failed = |e: std::io::Error| error::file("write", &self.path, e);
        let unread = |e: rusqlite::Error| error::database(&self.path, &e);
        let file = NewFile::create(&self.path).map_err(failed)?;
        let mut out = BufWriter::with_capacity(1 << 16, file);
        out.write_all(line(&json!({"journal": LAYOUT}).to_string()).as_bytes()).map_err(failed)?;
        for (table, columns) in &self.tables {
            let mut statement = connection
                .prepare(&format!("SELECT {} FROM {table}", names(columns)))
                .map_err(unread)?;
            let mut rows = statement.query([]).map_err(unread)?;
            while let Some(row) = rows.next().map_err(unread)? {
                let line = row_line("put", table, row, columns.iter().enumerate());
                out.write_all(line.map_err(unread)?.as_bytes()).map_err(failed)?;
            }
        }
        let file = out.into_inner().map_err(|e| failed(e.into_error()))?;
        file.finish().map_err(failed)?;
        sync_folder(self.path.parent().unwrap_or(Path::new(".")))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // A line that is not on the disk yet is in the database.
        let _ = File::open(&self.path).and_then(|file| file.sync_data());
    }
}

/// Opens a folder's journal, locked until closed: no vote is written while the run is rebuilt.
pub(super) fn lock_journal(folder: &Path) -> Result<File, Error> {
    let path = folder.join(JOURNAL_FILE);
    let file = File::options().create(true).read(true).append(true).open(&path);
    let file = file.map_err(|e| error::file("write", &path, e))?;
    lock_file(&file, VOTE_PATIENCE).map_err(|e| error::lock("", &path, e))?;
    Ok(file)
}

/// The tables of a database, each with its columns in their order, without those that SQLite makes.
pub(super) fn tables(connection: &Connection) -> rusqlite::Result<Tables> {
    let mut tables = Tables::new();
    let mut statement = connection.prepare(
        "SELECT m.name, c.name, c.pk > 0 FROM main.sqlite_master m JOIN pragma_table_info(m.name, 'main') c
         WHERE m.type = 'table' ORDER BY m.name, c.cid",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let column = Column { name: row.get(1)?, is_key: row.get(2)? };
        tables.entry(row.get(0)?).or_default().push(column);
    }
    Ok(tables)
}

/// Lets every change of these tables be gathered, as a part of the transaction that makes it.
fn gather(connection: &Connection, tables: &Tables) -> rusqlite::Result<()> {
    let widest = tables.values().map(Vec::len).max().unwrap_or(0);
    let cells: String = (0..widest).map(|i| format!(", c{i}")).collect();
    let mut script = format!(
        "PRAGMA temp_store = MEMORY;
         CREATE TEMP TABLE {CHANGES} (number INTEGER PRIMARY KEY, deed, name{cells});"
    );
    for (table, columns) in tables {
        let places: String = (0..columns.len()).map(|i| format!(", c{i}")).collect();
        for (event, deed, state) in
            [("INSERT", "put", "NEW"), ("UPDATE", "put", "NEW"), ("DELETE", "cut", "OLD")]
        {
            let values: String =
                columns.iter().map(|column| format!(", {state}.\"{}\"", column.name)).collect();
            script += &format!(
                "CREATE TEMP TRIGGER journal_{table}_{event} AFTER {event} ON main.{table} BEGIN
                    INSERT INTO {CHANGES} (deed, name{places}) VALUES ('{deed}', '{table}'{values});
                 END;"
            );
        }
    }
    connection.execute_batch(&script)
}

fn names(columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    names.join(", ")
}

fn row_line<'a>(
    deed: &str,
    table: &str,
    row: &Row<'_>,
    columns: impl Iterator<Item = (usize, &'a Column)>,
) -> rusqlite::Result<String> {
    let mut cells = Vec::new();
    for (place, Column { name, .. }) in columns {
        let value = match row.get_ref(place)? {
            ValueRef::Text(text) => {
                let text = String::from_utf8_lossy(text);
                if name == BODY { text.into_owned() } else { json!(text).to_string() }
            }
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => continue,
        };
        cells.push(format!("\"{name}\":{value}"));
    }
    Ok(line(&format!("{{\"{deed}\":\"{table}\",\"row\":{{{}}}}}", cells.join(","))))
}

fn line(text: &str) -> String {
    format!("{} {text}\n", sum(text.as_bytes()))
}

fn sum(text: &[u8]) -> String {
    blake3::hash(text).to_hex()[..SUM_DIGITS].to_owned()
}

/// The layout of a journal's rows, by its first line; none where that line is damaged.
pub(super) fn layout_of(file: &File) -> Option<i64> {
    let mut line = Vec::new();
    BufReader::new(file.take(1 << 10)).read_until(b'\n', &mut line).ok()?;
    Some(read_line(&line)?.journal.unwrap_or_default())
}

/// What a line says; none where it is torn or changed. One that lacks only its end is whole, as it
/// is when the next line is written after it.
pub(super) fn read_line(line: &[u8]) -> Option<Line<'_>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let (kept, text) = (line.get(..SUM_DIGITS)?, line.get(SUM_DIGITS + 1..)?);
    if line[SUM_DIGITS] != b' ' || kept != sum(text).as_bytes() {
        return None;
    }
    serde_json::from_slice(text).ok()
}

/// Hands every line on with its end; the last one may be torn.
pub(super) fn each_line(
    from: &mut impl BufRead,
    mut each: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        each(&line)?;
    }
}
