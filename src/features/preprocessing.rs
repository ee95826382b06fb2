//! A `preprocessor_config.json` → the steps from a picture to a network's input.

use super::error::bad_file;
use crate::error::Error;
use meshjudge_features::{Preprocessing, Resampler};
use std::path::Path;

/// Maximum size of a description: 1 MiB.
const BYTES_MAX: u64 = 1 << 20;

/// Reads a description; `resampler` is a name of [`Resampler`], whose results differ.
///
/// # Errors
/// A file that cannot be read, a field that is unknown, missing or of an unsupported value, a
/// resampler that is none.
pub fn preprocessing(path: &Path, resampler: &str) -> Result<Preprocessing, Error> {
    let bad = |reason: String| bad_file(path, reason);
    // The error lists the names.
    let resampler: Resampler =
        serde_json::from_value(resampler.into()).map_err(|e| bad(format!("resampler: {e}")))?;
    let text = crate::rubric::read_text(path, BYTES_MAX).map_err(|e| bad(e.to_string()))?;
    let config = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
    Preprocessing::from_config(&config, resampler).map_err(|e| bad(e.to_string()))
}
