//! What a run says, as a short text that changes with it.

use super::Store;
use super::document::{sum_of, to_body};
use crate::error::Error;

/// An attempt that takes the place of another, as a corrected vote does, gets a number of its own;
/// the checksums of pairs change with what they say.
const COUNTS: &str = "
SELECT (SELECT max(number) FROM questions) || ' ' || (SELECT count(*) FROM questions) || ' ' || (SELECT max(id) FROM attempts)
    || ' ' || (SELECT count(*) FROM attempts)
    || ' ' || (SELECT count(*) || ' ' || coalesce(sum(sum), 0) FROM pairs)";

impl Store {
    /// Equal for two readings of a run between which nothing was asked, made or scheduled. None for
    /// a run without any answer.
    ///
    /// # Errors
    /// [`Error`].
    pub fn state(&self) -> Result<Option<String>, Error> {
        let counts: Option<String> = self.row(COUNTS, [], |row| row.get(0))?;
        let Some(counts) = counts else {
            return Ok(None);
        };
        let mut made = self.made()?;
        for made in &mut made {
            // A later look at the file may add these.
            (made.file_bytes, made.file_modified_ns) = (None, None);
        }
        Ok(Some(format!("{counts} {}", sum_of([Some(&*to_body(&made))]))))
    }
}
