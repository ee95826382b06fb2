//! What a run says, as a short text that changes with it.

use super::{Store, StoreError};

/// Rows of these are only ever added; the checksums of the others change with what they say.
const STATE: &str = "
SELECT (SELECT max(number) FROM questions) || ' ' || (SELECT count(*) FROM questions) || ' ' || (SELECT max(id) FROM attempts)
    || ' ' || (SELECT count(*) FROM attempts)
    || ' ' || (SELECT count(*) || ' ' || coalesce(sum(sum & 0xffffffff), 0) FROM made)
    || ' ' || (SELECT count(*) || ' ' || coalesce(sum(sum & 0xffffffff), 0) FROM pairs)";

impl Store {
    /// Equal for two readings of a run between which nothing was asked, made or scheduled. None for a run without any answer, and for those
    /// of older versions, whose rows have no checksums.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn state(&self) -> Result<Option<String>, StoreError> {
        if !self.has_sums {
            return Ok(None);
        }
        (self.connection)
            .query_row(STATE, [], |row| row.get(0))
            .map_err(|e| self.failed(&e))
    }
}
