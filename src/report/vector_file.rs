//! Stored vectors → a Parquet or an Arrow file: a row for each vector, with what it belongs to.

use super::arrow::{ArrowColumn, arrow_file};
use super::error::ReportError;
use super::page::written;
use super::parquet::vectors_as_parquet;
use crate::features::StoredVectors;
use crate::save::write_file;
use std::path::Path;

/// Writes all vectors in the format of the file's name: `.parquet`, or `.arrow`, `.feather` or
/// `.ipc`. The metadata has the feature's name, its definition as JSON and that text's hash.
///
/// # Errors
/// Another name, a build without Parquet, a file that cannot be written.
pub fn write_vectors(stored: &StoredVectors, name: &str, path: &Path) -> Result<(), ReportError> {
    let text = |of: fn(&crate::features::VectorRow) -> &str| {
        ArrowColumn::Text(stored.rows.iter().map(of).collect())
    };
    let columns = [
        ("method", text(|row| &row.method)),
        ("prompt_id", text(|row| &row.prompt_id)),
        ("seed", ArrowColumn::Count(stored.rows.iter().map(|row| row.seed).collect())),
        ("view", ArrowColumn::Count(stored.rows.iter().map(|row| row.view as u32).collect())),
        ("asset_hash", text(|row| &row.asset_hash)),
        ("key", text(|row| &row.key)),
        ("vector", ArrowColumn::Vectors(stored.dimension, &stored.values)),
    ];
    let definition = stored.definition.to_string();
    let hash = blake3::hash(definition.as_bytes()).to_hex();
    let metadata = [("feature", name), ("definition", &definition), ("definition_hash", &hash)];
    let extension = path.extension().map(|it| it.to_string_lossy().to_lowercase());
    let bytes = match extension.as_deref() {
        Some("parquet") => vectors_as_parquet(&columns, stored.rows.len(), &metadata)?,
        Some("arrow" | "feather" | "ipc") => arrow_file(&columns, stored.rows.len(), &metadata),
        _ => return Err(ReportError::VectorFile { path: path.to_owned() }),
    };
    written(path, write_file(path, &bytes))
}
