//! Queries to a run's database, with the errors of a run.

use super::Store;
use super::document::read;
use crate::error::Error;
use rusqlite::{OptionalExtension, Params, Row};
use serde::de::DeserializeOwned;

impl Store {
    /// What every row says.
    pub(super) fn rows<T, C: FromIterator<T>>(
        &self,
        query: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C, Error> {
        self.connection
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_map(params, read)?.collect())
            .map_err(|e| self.failed(&e))
    }

    /// What the first row says; an error where there is none.
    pub(super) fn row<T>(
        &self,
        query: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let row = self.maybe_row(query, params, read)?;
        row.ok_or_else(|| self.failed(&rusqlite::Error::QueryReturnedNoRows))
    }

    /// What the first row says; none where there is none.
    pub(super) fn maybe_row<T>(
        &self,
        query: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        self.connection
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_row(params, read).optional())
            .map_err(|e| self.failed(&e))
    }

    /// The one number that a query has.
    pub(super) fn number(&self, query: &str) -> Result<i64, Error> {
        self.row(query, [], |row| row.get(0))
    }

    /// Whether there is such a row.
    pub(super) fn exists(&self, query: &str, params: impl Params) -> Result<bool, Error> {
        self.connection
            .prepare_cached(query)
            .and_then(|mut statement| statement.exists(params))
            .map_err(|e| self.failed(&e))
    }

    /// Hands on number, key and document of every row with a number after `after`, in the order in
    /// which keys were first kept.
    pub(super) fn each_document<T: DeserializeOwned>(
        &self,
        table: &str,
        after: i64,
        mut each: impl FnMut(i64, &str, T),
    ) -> Result<(), Error> {
        let query =
            format!("SELECT number, key, body, sum FROM {table} WHERE number > ? ORDER BY number");
        let mut walk = || -> rusqlite::Result<bool> {
            let mut statement = self.connection.prepare_cached(&query)?;
            let mut rows = statement.query([after])?;
            while let Some(row) = rows.next()? {
                let (key, body) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
                match read(key, body, row.get(3)?) {
                    Some(document) => each(row.get(0)?, key, document),
                    None => return Ok(false),
                }
            }
            Ok(true)
        };
        match walk().map_err(|e| self.failed(&e))? {
            true => Ok(()),
            false => Err(self.damaged(&format!("a row of {table}"))),
        }
    }

    /// All documents of a table, in that order.
    pub(super) fn documents<T: DeserializeOwned>(&self, table: &str) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        self.each_document(table, 0, |_, _, document| all.push(document))?;
        Ok(all)
    }

    /// All documents of a table by their key.
    pub(super) fn documents_by_key<T: DeserializeOwned, C: Default + Extend<(String, T)>>(
        &self,
        table: &str,
    ) -> Result<C, Error> {
        let mut all = C::default();
        self.each_document(table, 0, |_, key, it| all.extend([(key.to_owned(), it)]))?;
        Ok(all)
    }

    /// The document under that key.
    pub(super) fn document<T: DeserializeOwned>(
        &self,
        table: &str,
        key: &str,
    ) -> Result<Option<T>, Error> {
        let query = format!("SELECT body, sum FROM {table} WHERE key = ?");
        let row = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
        let Some((body, sum)) = self.maybe_row(&query, [key], row)? else {
            return Ok(None);
        };
        let read = read(key, &body, sum);
        read.map(Some).ok_or_else(|| self.damaged(&format!("a row of {table}")))
    }
}
