//! Tests of the package: closed forms, encodings, the reference's pixels, hostile files.

mod closed;
mod encode;
mod encodings;
mod hostile;
mod reference;
mod shared;
mod silhouettes;
mod writing;

use meshjudge_splat::read::{Axes, Loaded, ReadError, read};
use std::path::Path;

/// Reads a file without neighbours, in its own axes.
fn read_alone(bytes: &[u8], name: &str) -> Result<Loaded, ReadError> {
    let none = |name: &str| Err(ReadError::Missing { name: name.to_owned() });
    read(bytes, Path::new(name), Axes::AsInFile, &none)
}
