//! Groups of writes: one transaction each, however many questions and attempts are in it.
//!
//! A disk takes a few hundred syncs a second, so a sync for each write would limit a run to a few
//! dozen verdicts a second.

use super::group::write_pictures;
use super::{DATABASE_FILE, Store, error};
use crate::error::Error;
use rusqlite::Connection;

impl Store {
    /// Gathers writes from now on: all or none reach the disk at [`Store::commit_group`].
    pub fn begin_group(&mut self) {
        self.group.get_or_insert_default();
    }

    /// Writes what was gathered to disk, pictures first. Does nothing for an empty group.
    ///
    /// # Errors
    /// [`Error`]; nothing of the group is kept then.
    pub fn commit_group(&mut self) -> Result<(), Error> {
        let Some(group) = self.group.take() else {
            return Ok(());
        };
        let written = write_pictures(&self.folder, &group.pictures);
        if !group.is_begun {
            return written;
        }
        let ended = written.and_then(|()| self.commit());
        if ended.is_err() && !self.connection.is_autocommit() {
            // The first failure is the one to report.
            let _ = self.execute("ROLLBACK");
        }
        ended
    }

    /// Ends a transaction; its changes are in the journal before they are in the database.
    fn commit(&self) -> Result<(), Error> {
        if let Some(journal) = &self.journal {
            journal.append(&self.connection)?;
        }
        self.execute("COMMIT")
    }

    /// Puts what was gathered so far on the disk, for what must not wait for its group's end.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        if self.group.is_some() {
            self.commit_group()?;
            self.begin_group();
        }
        Ok(())
    }

    /// Writes all or nothing: a part of the open group, or a transaction of its own that is on the
    /// disk when this returns.
    pub(super) fn transaction<T>(
        &mut self,
        write: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let (begin, undo) = match &mut self.group {
            None => ("BEGIN IMMEDIATE", "ROLLBACK"),
            Some(group) => {
                let is_begun = std::mem::replace(&mut group.is_begun, true);
                if !is_begun {
                    self.execute("BEGIN IMMEDIATE")?;
                }
                ("SAVEPOINT write", "ROLLBACK TO write")
            }
        };
        self.execute(begin)?;
        let path = self.folder.join(DATABASE_FILE);
        let written = write(&self.connection).map_err(|e| error::database(&path, &e));
        let ended = written.and_then(|written| {
            match self.group {
                None => self.commit(),
                Some(_) => self.execute("RELEASE write"),
            }
            .map(|()| written)
        });
        if ended.is_err() && !self.connection.is_autocommit() {
            // The first failure is the one to report.
            let _ = self.execute(undo);
        }
        ended
    }

    fn execute(&self, statement: &str) -> Result<(), Error> {
        let executed = self.connection.prepare_cached(statement);
        executed
            .and_then(|mut statement| statement.execute([]))
            .map(drop)
            .map_err(|e| self.failed(&e))
    }
}
