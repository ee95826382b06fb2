//! What a run says, as a short text that changes with it.

use super::Store;
use super::sum::Sum;
use crate::error::Error;

/// An attempt that takes the place of another, as a corrected vote does, gets a number of its own;
/// the checksums of pairs change with what they say.
const COUNTS: &str = "
SELECT (SELECT max(number) FROM questions) || ' ' || (SELECT count(*) FROM questions) || ' ' || (SELECT max(id) FROM attempts)
    || ' ' || (SELECT count(*) FROM attempts)
    || ' ' || (SELECT count(*) || ' ' || coalesce(sum(sum & 0xffffffff), 0) FROM pairs)";

/// Without size and time of the file, which a later look may add.
const MADE: &str = "
SELECT method, prompt_id, seed, prompt, path, hash, seconds, failed_at, reason, photo FROM made ORDER BY method, prompt_id, seed";

impl Store {
    /// Equal for two readings of a run between which nothing was asked, made or scheduled. None for
    /// a run without any answer.
    ///
    /// # Errors
    /// [`Error`].
    pub fn state(&self) -> Result<Option<String>, Error> {
        let made = || -> rusqlite::Result<i64> {
            let mut statement = self.connection.prepare(MADE)?;
            let num_columns = statement.column_count();
            let mut rows = statement.query([])?;
            // Of each row and of those before it.
            let mut all = 0;
            while let Some(row) = rows.next()? {
                let mut sum = Sum::default();
                sum.add(rusqlite::types::ValueRef::Integer(all));
                for column in 0..num_columns {
                    sum.add(row.get_ref(column)?);
                }
                all = sum.finish();
            }
            Ok(all)
        };
        let state = || -> rusqlite::Result<Option<String>> {
            let counts: Option<String> = self.connection.query_row(COUNTS, [], |row| row.get(0))?;
            let Some(counts) = counts else {
                return Ok(None);
            };
            Ok(Some(format!("{counts} {}", made()?)))
        };
        state().map_err(|e| self.failed(&e))
    }
}
