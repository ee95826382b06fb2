//! A run's database, built again from its journal.

use super::asked::{ASKED, Asked};
use super::database::{LAYOUT, create, open_to_write, other_layout};
use super::folder::{JOURNAL_FILE, lock, sync_folder};
use super::journal::{BODY, Line, Tables, each_line, layout_of, lock_journal, read_line, tables};
use super::read_records::walk_to_damage;
use super::{DATABASE_FILE, Store, error};
use crate::error::Error;
use crate::save::NewFolder;
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::io::{BufReader, Seek};
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
    /// Questions of which a part is lost, left out with their attempts.
    pub incomplete: usize,
}

/// Removes what belongs to no question or no batch.
const ORPHANS: &str = "
DELETE FROM attempts WHERE question NOT IN (SELECT number FROM questions);
DELETE FROM sending WHERE question NOT IN (SELECT number FROM questions);
DELETE FROM batch_items WHERE question NOT IN (SELECT number FROM questions) OR batch NOT IN (SELECT number FROM batches);
";

impl Store {
    /// Rebuilds the database of a run from its journal. An existing database is kept next to it,
    /// under a name that ends in `.old`. Questions that are not whole are left out, and the journal
    /// is then written anew, with the old one kept in the same way. Requests that were under way
    /// when the run ended count at their maximum when it is next opened.
    ///
    /// # Errors
    /// No journal, a run that is being asked, a disk that fails.
    pub fn recover(folder: &Path) -> Result<Recovered, Error> {
        let journal = folder.join(JOURNAL_FILE);
        let unread = |e: std::io::Error| error::file("read", &journal, e);
        if !folder.is_dir() {
            return Err(Error::run("there is no such folder").at(folder));
        }
        if !journal.is_file() {
            return Err(Error::run("there is no journal (run.journal) to rebuild the run from; restore run.sqlite from a copy").at(folder));
        }
        let _lock = lock(folder)?;
        // No vote is written into the file that is put aside.
        let mut file = lock_journal(folder)?;
        if let Some(found) = layout_of(&file).filter(|found| *found != LAYOUT) {
            return Err(other_layout(found, &journal));
        }
        file.rewind().map_err(unread)?;
        let path = folder.join(DATABASE_FILE);
        let made =
            NewFolder::create_in(folder, &path).map_err(|e| error::file("write", &path, e))?;
        let part = made.path().join(DATABASE_FILE);
        let failed = |e: rusqlite::Error| error::database(&part, &e);
        let mut connection = Connection::open(&part).map_err(failed)?;
        create(&mut connection).map_err(failed)?;
        // Lines come in the order of writing; of those on one row only the last counts.
        connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
        let tables = tables(&connection).map_err(failed)?;
        let mut recovered = Recovered::default();
        let transaction = connection.transaction().map_err(failed)?;
        let mut written = Ok(());
        each_line(&mut BufReader::with_capacity(1 << 20, &file), |bytes| {
            let Some(said) = read_line(bytes) else {
                recovered.broken_lines += 1;
                return Ok(());
            };
            if written.is_ok() {
                written = apply(&transaction, &tables, &said);
            }
            Ok(())
        })
        .map_err(unread)?;
        written.map_err(failed)?;
        transaction.commit().map_err(failed)?;
        let store = Self::of(connection, folder);
        recovered.incomplete = store.drop_incomplete()?;
        let connection = store.connection;
        let count = |table: &str| -> Result<usize, Error> {
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
                std::fs::rename(&old, kept).map_err(|e| error::file("write", &old, e))?;
            }
        }
        std::fs::rename(&part, &path).map_err(|e| error::file("write", &path, e))?;
        if recovered.incomplete > 0 {
            // Its rows of those questions would come back, under numbers that others will have.
            let kept = folder.join(format!("{JOURNAL_FILE}.old"));
            std::fs::rename(&journal, kept).map_err(|e| error::file("write", &journal, e))?;
            Self::with_journal(open_to_write(folder, OpenFlags::empty())?, folder)?;
        }
        sync_folder(folder)?;
        Ok(recovered)
    }

    /// Removes incomplete or damaged questions and what belongs to none; the number of questions.
    fn drop_incomplete(&self) -> Result<usize, Error> {
        let failed = |e: rusqlite::Error| self.failed(&e);
        self.connection.execute_batch(ORPHANS).map_err(failed)?;
        let mut kept = HashMap::new();
        for table in ["texts", "pictures", "protocols"] {
            let keys = format!("SELECT key FROM {table}");
            let keys: HashSet<String> = self.rows(&keys, [], |row| row.get(0))?;
            kept.insert(table, keys);
        }
        let questions = format!("SELECT {ASKED} ORDER BY number");
        let mut incomplete = Vec::new();
        let mut last = 0;
        self.rows::<(), ()>(&questions, [], |row| {
            last = row.get(0)?;
            let asked = Asked::read(row)?;
            let is_whole =
                asked.is_some_and(|it| it.named().all(|(table, key)| kept[table].contains(key)));
            if !is_whole {
                incomplete.push(last);
            }
            Ok(())
        })?;
        self.find_damaged(0, last, &mut incomplete)?;
        incomplete.sort_unstable();
        incomplete.dedup();
        for number in &incomplete {
            let delete = "DELETE FROM questions WHERE number = ?";
            self.connection.execute(delete, [number]).map_err(failed)?;
        }
        self.connection.execute_batch(ORPHANS).map_err(failed)?;
        Ok(incomplete.len())
    }

    /// The questions with these numbers, both included, that differ from their checksum.
    fn find_damaged(&self, first: i64, last: i64, damaged: &mut Vec<i64>) -> Result<(), Error> {
        let walked = walk_to_damage(self, first, last, |_| Ok(()))?;
        if walked.is_ok() {
            return Ok(());
        }
        if first == last {
            damaged.push(first);
            return Ok(());
        }
        let middle = first.midpoint(last);
        self.find_damaged(first, middle, damaged)?;
        self.find_damaged(middle + 1, last, damaged)
    }
}

/// Writes or deletes the row of a line. A table or column that this version lacks is left out.
fn apply(connection: &Connection, tables: &Tables, said: &Line<'_>) -> rusqlite::Result<()> {
    let Some(table) = said.put.as_ref().or(said.cut.as_ref()) else {
        return Ok(());
    };
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for column in tables.get(table).into_iter().flatten() {
        let Some(value) = said.row.get(&column.name) else {
            continue;
        };
        names.push(&*column.name);
        values.push(match serde_json::from_str(value.get()) {
            _ if column.name == BODY => Cell::Text(value.get().to_owned()),
            Ok(Value::String(text)) => Cell::Text(text),
            Ok(Value::Number(number)) => number.as_i64().map_or(Cell::Null, Cell::Integer),
            _ => Cell::Null,
        });
    }
    let statement = if names.is_empty() {
        return Ok(());
    } else if said.cut.is_some() {
        format!("DELETE FROM {table} WHERE {} = ?", names.join(" = ? AND "))
    } else {
        let places = vec!["?"; names.len()].join(", ");
        let names = names.join(", ");
        format!("INSERT OR REPLACE INTO {table} ({names}) VALUES ({places})")
    };
    connection.prepare_cached(&statement)?.execute(params_from_iter(values))?;
    Ok(())
}
