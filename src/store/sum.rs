//! A checksum of a row's content, kept in the row, so that reading notices a changed file.
//!
//! SQLite notices broken pages and keys, and not a flipped bit in a text or a number.

use rusqlite::types::{FromSql, Value, ValueRef};
use rusqlite::{Row, types::FromSqlError};

/// Values in order, each with its type and length, so that no two lists look alike.
#[derive(Default)]
pub(super) struct Sum(Vec<u8>);

impl Sum {
    pub(super) fn add(&mut self, value: ValueRef<'_>) {
        let mut tagged = |tag: u8, bytes: &[u8]| {
            self.0.push(tag);
            self.0.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            self.0.extend_from_slice(bytes);
        };
        match value {
            ValueRef::Null => tagged(0, &[]),
            ValueRef::Integer(number) => tagged(1, &number.to_le_bytes()),
            ValueRef::Real(number) => tagged(2, &number.to_bits().to_le_bytes()),
            ValueRef::Text(text) => tagged(3, text),
            ValueRef::Blob(bytes) => tagged(4, bytes),
        }
    }

    pub(super) fn add_text(&mut self, text: &str) {
        self.add(ValueRef::Text(text.as_bytes()));
    }

    /// The checksum as a column holds it; the values are forgotten and their memory is used again.
    pub(super) fn finish(&mut self) -> i64 {
        let hash = blake3::hash(&self.0);
        self.0.clear();
        let (first, _) = hash.as_bytes().split_at(8);
        i64::from_le_bytes(first.try_into().expect("eight bytes"))
    }
}

/// The checksum of values that are about to be written.
pub(super) fn sum_of<'a>(values: impl IntoIterator<Item = &'a Value>) -> i64 {
    let mut sum = Sum::default();
    values.into_iter().for_each(|value| sum.add(value.into()));
    sum.finish()
}

/// The columns of a row one after the other, added up as they are read.
pub(super) struct Columns<'a> {
    row: &'a Row<'a>,
    at: usize,
    sum: &'a mut Sum,
}

impl<'a> Columns<'a> {
    pub(super) fn of(row: &'a Row<'a>, first: usize, sum: &'a mut Sum) -> Self {
        Self { row, at: first, sum }
    }

    pub(super) fn next<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let value = self.row.get_ref(self.at)?;
        self.sum.add(value);
        self.at += 1;
        T::column_result(value).map_err(|e| match e {
            FromSqlError::Other(e) => {
                rusqlite::Error::FromSqlConversionFailure(self.at - 1, value.data_type(), e)
            }
            e => rusqlite::Error::FromSqlConversionFailure(
                self.at - 1,
                value.data_type(),
                Box::new(e),
            ),
        })
    }

    /// A column that nobody reads, but for the checksum.
    pub(super) fn skip(&mut self) -> rusqlite::Result<()> {
        self.sum.add(self.row.get_ref(self.at)?);
        self.at += 1;
        Ok(())
    }

    /// Adds what another table holds of the row.
    pub(super) fn add_text(&mut self, text: &str) {
        self.sum.add_text(text);
    }

    /// Reads the column that holds the checksum, and compares.
    pub(super) fn check(self) -> rusqlite::Result<bool> {
        let kept: i64 = self.row.get(self.at)?;
        Ok(kept == self.sum.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_differ_have_different_sums() {
        let text = |s: &str| Value::Text(s.to_owned());
        let lists = [
            vec![],
            vec![Value::Null],
            vec![text("")],
            vec![text("ab"), text("c")],
            vec![text("a"), text("bc")],
            vec![Value::Integer(0)],
            vec![Value::Real(0.0)],
            vec![Value::Real(-0.0)],
        ];
        let sums: std::collections::BTreeSet<i64> = lists.iter().map(sum_of).collect();
        assert_eq!(sums.len(), lists.len());
    }
}
