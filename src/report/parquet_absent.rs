//! The public name of `parquet.rs` in a build without the feature `parquet`.

use super::ReportError;
use crate::store::Record;
use std::io::Write;

/// # Errors
/// Always [`ReportError::ParquetNotBuilt`].
pub fn parquet<W: Write + Send>(_: &[Record], _: W) -> Result<(), ReportError> {
    Err(ReportError::ParquetNotBuilt)
}
