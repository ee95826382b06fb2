//! The public name of `parquet.rs` in a build without the feature `parquet`.

use super::ReportError;
use super::vector_column::VectorColumn;
use crate::store::Record;
use std::io::Write;

/// # Errors
/// Always [`ReportError::ParquetNotBuilt`].
pub fn parquet<W: Write + Send>(_: &[Record], _: W) -> Result<(), ReportError> {
    Err(ReportError::ParquetNotBuilt)
}

/// # Errors
/// Always [`ReportError::ParquetNotBuilt`].
pub(super) fn vectors_as_parquet(
    _: &[(&str, VectorColumn<'_>)],
    _: usize,
    _: &[(&str, &str)],
) -> Result<Vec<u8>, ReportError> {
    Err(ReportError::ParquetNotBuilt)
}
