//! Questions to a run's database, with the errors of a run.

use super::Store;
use crate::error::Error;
use rusqlite::{OptionalExtension, Params, Row};

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
}
