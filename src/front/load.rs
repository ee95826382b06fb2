//! A file → an asset in memory, read with the default options.

use crate::load::{LoadError, Loaded, Options};
use std::path::Path;

/// Reads an asset with the default options: the file's own normals, +y up, the front towards +z. For others see
/// [`load::load`](crate::load::load()).
///
/// # Errors
/// Any [`LoadError`].
pub fn load(path: impl AsRef<Path>) -> Result<Loaded, LoadError> {
    crate::load::load(path.as_ref(), &Options::default())
}
