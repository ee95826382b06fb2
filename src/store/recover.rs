//! A run's database, built again from its journal.

use super::database::{BUSY, create};
use super::folder::{JOURNAL_FILE, lock, lock_file, sync_folder};
use super::journal::{CHANGING, GROWING, each_line, read_line};
use super::{DATABASE_FILE, Store, StoreError};
use crate::save::NewFolder;
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, params_from_iter};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// What a journal gave back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recovered {
    /// Questions of the rebuilt run.
    pub questions: usize,
    /// Attempts at them.
    pub attempts: usize,
    /// Lines that are not what was written, and were left out.
    pub broken_lines: usize,
}

impl Store {
    /// Rebuilds the database of a run from its journal. One that is there already is kept beside it, under a name that ends in `.old`.
    /// Requests that were under way when the run ended are forgotten, with what they may have cost.
    ///
    /// # Errors
    /// No journal, a run that is being asked, a disk that fails.
    pub fn recover(folder: &Path) -> Result<Recovered, StoreError> {
        let journal = folder.join(JOURNAL_FILE);
        let unread = |e: std::io::Error| StoreError::file("read", &journal, &e);
        let file = match File::open(&journal) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(StoreError::NoJournal {
                    path: folder.to_owned(),
                });
            }
            Err(e) => return Err(unread(e)),
        };
        let _lock = lock(folder)?;
        // No vote is written into the file that is put aside.
        lock_file(&file, BUSY).map_err(|e| StoreError::lock(&journal, e))?;
        let path = folder.join(DATABASE_FILE);
        let made = NewFolder::create_in(folder, &path)
            .map_err(|e| StoreError::file("write", &path, &e))?;
        let part = made.path().join(DATABASE_FILE);
        let failed = |e: rusqlite::Error| StoreError::database(&part, &e);
        let mut connection = Connection::open(&part).map_err(failed)?;
        create(&mut connection).map_err(failed)?;
        let mut recovered = Recovered::default();
        let transaction = connection.transaction().map_err(failed)?;
        let mut tables = BTreeMap::new();
        let mut written = Ok(());
        each_line(&mut BufReader::with_capacity(1 << 20, &file), |bytes| {
            let Some(said) = read_line(bytes) else {
                recovered.broken_lines += 1;
                return Ok(());
            };
            if written.is_ok() && said.get("in").is_some() {
                written = insert(&transaction, &mut tables, &said);
            }
            Ok(())
        })
        .map_err(unread)?;
        written.map_err(failed)?;
        transaction.commit().map_err(failed)?;
        let count = |table: &str| -> Result<usize, StoreError> {
            let query = format!("SELECT count(*) FROM {table}");
            let count = connection.query_row(&query, [], |row| row.get::<_, i64>(0));
            count.map(|n| n.unsigned_abs() as usize).map_err(failed)
        };
        recovered.questions = count("questions")?;
        recovered.attempts = count("attempts")?;
        connection.close().map_err(|(_, e)| failed(e))?;
        for end in ["", "-wal", "-shm"] {
            let old = folder.join(format!("{DATABASE_FILE}{end}"));
            if old.exists() {
                let kept = folder.join(format!("{DATABASE_FILE}.old{end}"));
                std::fs::rename(&old, kept).map_err(|e| StoreError::file("write", &old, &e))?;
            }
        }
        std::fs::rename(&part, &path).map_err(|e| StoreError::file("write", &path, &e))?;
        sync_folder(folder)?;
        Ok(recovered)
    }
}

/// Puts a line's row into its table. Of what stands twice, the later counts; a table or column that this version lacks is left out.
fn insert(
    connection: &Connection,
    tables: &mut BTreeMap<String, BTreeMap<String, bool>>,
    said: &Value,
) -> rusqlite::Result<()> {
    let (Some(table), Some(cells)) = (said["in"].as_str(), said["row"].as_object()) else {
        return Ok(());
    };
    let is_known = |(known, _): &(&str, &str)| *known == table;
    if !GROWING.iter().any(is_known) && !CHANGING.contains(&table) {
        return Ok(());
    }
    if !tables.contains_key(table) {
        let mut statement =
            connection.prepare("SELECT name, type = 'REAL' FROM pragma_table_info(?)")?;
        let columns = statement.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?;
        tables.insert(table.to_owned(), columns.collect::<Result<_, _>>()?);
    }
    let columns = &tables[table];
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for (name, value) in cells {
        let Some(&is_real) = columns.get(name) else {
            continue;
        };
        names.push(format!("\"{name}\""));
        values.push(match value {
            Value::String(text) if is_real => Cell::Real(text.parse().unwrap_or(0.0)),
            Value::String(text) => Cell::Text(text.clone()),
            Value::Number(number) => number.as_i64().map_or(Cell::Null, Cell::Integer),
            _ => Cell::Null,
        });
    }
    let places = vec!["?"; names.len()].join(", ");
    let names = names.join(", ");
    connection
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO {table} ({names}) VALUES ({places})"
        ))?
        .execute(params_from_iter(values))?;
    Ok(())
}
