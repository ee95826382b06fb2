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

/// A body under its key; none where that is not what was written.
pub(super) fn read<T: DeserializeOwned>(key: &str, body: &str, sum: i64) -> Option<T> {
    let is_kept = sum == sum_of([Some(key), Some(body)]);
    is_kept.then(|| serde_json::from_str(body).ok()).flatten()
}

impl Store {
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
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
        let Some((body, sum)) = self.maybe_row(&query, [key], row)? else {
            return Ok(None);
        };
        let read = read(key, &body, sum);
        read.map(Some).ok_or_else(|| self.damaged(&format!("a row of {table}")))
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
