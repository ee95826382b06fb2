//! The public name of `parquet.rs` in a build without the feature `parquet`.

use super::vector_column::VectorColumn;
use crate::error::Error;
use crate::store::Record;
use std::io::Write;

/// # Errors
/// Always.
pub fn parquet<W: Write + Send>(_: &[Record], _: W) -> Result<(), Error> {
    Err(Error::run(
        "this build cannot write Parquet; build it with the cargo feature `parquet`, use the Python package, or choose another format such as csv",
    ))
}

/// # Errors
/// Always.
pub(super) fn vectors_as_parquet(
    _: &[(&str, VectorColumn<'_>)],
    _: usize,
    _: &[(&str, &str)],
) -> Result<Vec<u8>, Error> {
    Err(Error::run(
        "this build cannot write Parquet; build it with the cargo feature `parquet`, use the Python package, or choose another format such as csv",
    ))
}
