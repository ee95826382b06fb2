//! Documents: bodies that serde writes and reads, each in a row with its key and the checksum of
//! both. SQLite notices broken pages and keys, and not a flipped bit in a text.

use rusqlite::{Connection, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The body of a document.
pub(super) fn to_body(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("plain data")
}

/// The checksum of a row: the CRC-32 of its texts in order, each after its length.
pub(super) fn sum_of<'a>(texts: impl IntoIterator<Item = Option<&'a str>>) -> i64 {
    let mut sum = crc32fast::Hasher::new();
    for text in texts {
        let length = text.map_or(-1, |text| text.len() as i64);
        sum.update(&length.to_le_bytes());
        sum.update(text.unwrap_or_default().as_bytes());
    }
    sum.finalize().into()
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
