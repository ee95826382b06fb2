//! A run's database, built again from its journal.

use super::database::{LAYOUT, create, open_to_write, other_layout};
use super::folder::{JOURNAL_FILE, lock, sync_folder};
use super::journal::{Tables, each_line, layout_of, lock_journal, read_line, tables};
use super::read_records::walk_to_damage;
use super::{DATABASE_FILE, Store, error};
use crate::error::Error;
use crate::save::NewFolder;
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use serde_json::Value;
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

/// Columns that name a row of another table, by its key. What has `question` is a part of one.
const REFERENCES: [(&str, &str, &str, &str); 7] = [
    ("questions", "a", "assets", "id"),
    ("questions", "b", "assets", "id"),
    ("questions", "protocol", "protocols", "hash"),
    ("questions", "photo", "texts", "hash"),
    ("parts", "text", "texts", "hash"),
    ("parts", "picture", "pictures", "hash"),
    ("parts", "example_answer", "texts", "hash"),
];

/// Tables whose rows belong to a question.
const OF_QUESTIONS: [&str; 4] = ["parts", "attempts", "sending", "batch_items"];

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
        let before = self.number("SELECT count(*) FROM questions")?;
        let mut script = String::new();
        for (table, column, parent, key) in REFERENCES {
            let number = if table == "questions" { "number" } else { "question" };
            script += &format!(
                "DELETE FROM questions WHERE number IN (SELECT {number} FROM {table} WHERE {column} IS NOT NULL AND {column} NOT IN (SELECT {key} FROM {parent}));"
            );
        }
        script += "DELETE FROM questions WHERE number IN (SELECT question FROM parts GROUP BY question HAVING count(*) <= max(place));
                   DELETE FROM batch_items WHERE batch NOT IN (SELECT id FROM batches);";
        let orphans: String = OF_QUESTIONS
            .iter()
            .map(|table| {
                format!("DELETE FROM {table} WHERE question NOT IN (SELECT number FROM questions);")
            })
            .collect();
        self.connection
            .execute_batch(&format!("BEGIN; {script} {orphans} COMMIT;"))
            .map_err(failed)?;
        let (first, last) = (
            self.number("SELECT coalesce(min(number), 0) FROM questions")?,
            self.number("SELECT coalesce(max(number), 0) FROM questions")?,
        );
        let mut damaged = Vec::new();
        self.find_damaged(first, last, &mut damaged)?;
        for number in damaged {
            self.connection
                .execute("DELETE FROM questions WHERE number = ?", [number])
                .map_err(failed)?;
        }
        self.connection.execute_batch(&orphans).map_err(failed)?;
        let after = self.number("SELECT count(*) FROM questions")?;
        Ok((before - after).unsigned_abs() as usize)
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
fn apply(connection: &Connection, tables: &Tables, said: &Value) -> rusqlite::Result<()> {
    let deed = ["put", "cut"].iter().find_map(|deed| {
        let table = said[deed].as_str()?;
        Some((*deed, table, tables.get(table)?))
    });
    let (Some((deed, table, columns)), Some(cells)) = (deed, said["row"].as_object()) else {
        return Ok(());
    };
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for column in columns {
        let Some(value) = cells.get(&column.name) else {
            continue;
        };
        names.push(format!("\"{}\"", column.name));
        values.push(match value {
            Value::String(text) if column.is_real => Cell::Real(text.parse().unwrap_or(0.0)),
            Value::String(text) => Cell::Text(text.clone()),
            Value::Number(number) => number.as_i64().map_or(Cell::Null, Cell::Integer),
            _ => Cell::Null,
        });
    }
    let statement = if deed == "cut" {
        format!("DELETE FROM {table} WHERE {} = ?", names.join(" = ? AND "))
    } else {
        let places = vec!["?"; names.len()].join(", ");
        let names = names.join(", ");
        format!("INSERT OR REPLACE INTO {table} ({names}) VALUES ({places})")
    };
    connection.prepare_cached(&statement)?.execute(params_from_iter(values))?;
    Ok(())
}
