//! Documents: bodies that serde writes and reads, each in a row with its key and the checksum of
//! both. SQLite notices broken pages and keys, and not a flipped bit in a text.

use super::Store;
use crate::error::Error;
use rusqlite::{Connection, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The body of a document.
pub(super) fn to_body(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("plain data")
}

/// The checksum of a row: of its texts in order, each with its length.
pub(super) fn sum_of<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> i64 {
    let mut all = Vec::new();
    for text in texts {
        let length = text.map_or(-1, |text| text.len() as i64);
        all.extend_from_slice(&length.to_le_bytes());
        all.extend_from_slice(text.unwrap_or_default().as_bytes());
    }
    let hash = blake3::hash(&all);
    let (first, _) = hash.as_bytes().split_at(8);
    i64::from_le_bytes(first.try_into().expect("eight bytes"))
}

/// Writes a document; one under the same key gets the new body.
pub(super) fn keep(
    t: &Connection,
    table: &str,
    key: &str,
    document: &impl Serialize,
) -> rusqlite::Result<()> {
    keep_body(t, table, key, &to_body(document))
}

/// As [`keep`].
pub(super) fn keep_body(
    t: &Connection,
    table: &str,
    key: &str,
    body: &str,
) -> rusqlite::Result<()> {
    let insert = format!(
        "INSERT INTO {table} (key, body, sum) VALUES (?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET body = excluded.body, sum = excluded.sum WHERE body <> excluded.body"
    );
    let sum = sum_of([Some(key), Some(body)]);
    t.prepare_cached(&insert)?.execute(params![key, body, sum]).map(drop)
}

impl Store {
    /// Hands every document of a table with a number after `after` on, in the order in which their
    /// keys were first kept; returns the number of the last.
    pub(super) fn each_document<T: DeserializeOwned>(
        &self,
        table: &str,
        after: i64,
        mut each: impl FnMut(T),
    ) -> Result<i64, Error> {
        let mut last = after;
        self.each_body(table, after, |number, body| {
            last = number;
            Some(each(serde_json::from_str(body).ok()?))
        })?;
        Ok(last)
    }

    /// All documents of a table, as [`each_document`](Self::each_document).
    pub(super) fn documents<T: DeserializeOwned>(&self, table: &str) -> Result<Vec<T>, Error> {
        let mut all = Vec::new();
        self.each_document(table, 0, |document| all.push(document))?;
        Ok(all)
    }

    /// The document under that key.
    pub(super) fn document<T: DeserializeOwned>(
        &self,
        table: &str,
        key: &str,
    ) -> Result<Option<T>, Error> {
        let query = format!("SELECT body, sum FROM {table} WHERE key = ?");
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
        let Some((body, sum)) = self.maybe_row(&query, [key], row)? else {
            return Ok(None);
        };
        let is_kept = sum == sum_of([Some(key), Some(&body)]);
        let read = is_kept.then(|| serde_json::from_str(&body).ok()).flatten();
        read.map(Some).ok_or_else(|| self.damaged(&format!("a row of {table}")))
    }

    /// Hands on the body of every row that is what was written; `each` gives none for a body that
    /// it cannot read.
    fn each_body(
        &self,
        table: &str,
        after: i64,
        mut each: impl FnMut(i64, &str) -> Option<()>,
    ) -> Result<(), Error> {
        let query =
            format!("SELECT number, key, body, sum FROM {table} WHERE number > ? ORDER BY number");
        let mut walk = || -> rusqlite::Result<bool> {
            let mut statement = self.connection.prepare_cached(&query)?;
            let mut rows = statement.query([after])?;
            while let Some(row) = rows.next()? {
                let (key, body) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
                let is_kept = row.get::<_, i64>(3)? == sum_of([Some(key), Some(body)]);
                if !is_kept || each(row.get(0)?, body).is_none() {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        match walk().map_err(|e| self.failed(&e))? {
            true => Ok(()),
            false => Err(self.damaged(&format!("a row of {table}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_differ_have_different_sums() {
        let lists: [&[Option<&str>]; 5] =
            [&[], &[None], &[Some("")], &[Some("ab"), Some("c")], &[Some("a"), Some("bc")]];
        let sums: std::collections::BTreeSet<i64> =
            lists.iter().map(|list| sum_of(list.iter().copied())).collect();
        assert_eq!(sums.len(), lists.len());
    }
}
