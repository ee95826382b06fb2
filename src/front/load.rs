//! A file → an asset in memory, read with the default options.

use crate::load::{Choices, LoadError, Loaded, Options};
use crate::scene::Asset;
use std::path::Path;

/// Reads an asset that has surfaces with the default options: the file's own normals, +y up, the
/// front towards +z. For others see [`load::load`](crate::load::load()).
///
/// # Errors
/// Any [`LoadError`].
pub fn load(path: impl AsRef<Path>) -> Result<Loaded, LoadError> {
    crate::load::load(path.as_ref(), &Options::default())
}

/// As [`load`], also of Gaussian splats: for drawing, and for judges that look at pictures.
///
/// # Errors
/// Any [`LoadError`].
pub fn load_asset(path: impl AsRef<Path>) -> Result<Loaded<Asset>, LoadError> {
    crate::load::load_asset(path.as_ref(), &Options::default(), Choices::default())
}
