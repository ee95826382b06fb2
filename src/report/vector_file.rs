//! Stored vectors → Parquet or JSON Lines: a row for each vector, with what it belongs to.

use super::page::written;
use super::parquet::vectors_as_parquet;
use super::vector_column::VectorColumn;
use crate::error::Error;
use crate::features::StoredVectors;
use crate::save::write_file;
use serde_json::{Value, json};
use std::path::Path;

/// Writes all vectors in the format of the file's name, `.parquet` or `.jsonl`. Parquet's metadata
/// has the feature's name, its definition as JSON and that text's hash; in JSON Lines each row has
/// that hash.
///
/// # Errors
/// Another name, a build without Parquet, a file that cannot be written.
pub fn write_vectors(stored: &StoredVectors, name: &str, path: &Path) -> Result<(), Error> {
    let text = |of: fn(&crate::features::VectorRow) -> &str| {
        VectorColumn::Text(stored.rows.iter().map(of).collect())
    };
    let columns = [
        ("method", text(|row| &row.method)),
        ("prompt_id", text(|row| &row.prompt_id)),
        ("seed", VectorColumn::Count(stored.rows.iter().map(|row| row.seed).collect())),
        ("view", VectorColumn::Count(stored.rows.iter().map(|row| row.view as u32).collect())),
        ("asset_hash", text(|row| &row.asset_hash)),
        ("key", text(|row| &row.key)),
        ("vector", VectorColumn::Vectors(stored.dimension, &stored.values)),
    ];
    let definition = stored.definition.to_string();
    let hash = blake3::hash(definition.as_bytes()).to_hex();
    let metadata = [("feature", name), ("definition", &definition), ("definition_hash", &hash)];
    let extension = path.extension().map(|it| it.to_string_lossy().to_lowercase());
    let bytes = match extension.as_deref() {
        Some("parquet") => vectors_as_parquet(&columns, stored.rows.len(), &metadata)?,
        Some("jsonl") => json_lines(&columns, stored.rows.len(), &hash),
        _ => {
            return Err(Error::run(
                "vectors are written to a file with the extension .parquet or .jsonl",
            )
            .at(path));
        }
    };
    written(path, write_file(path, &bytes))
}

fn json_lines(columns: &[(&str, VectorColumn<'_>)], num_rows: usize, definition: &str) -> Vec<u8> {
    let cell = |column: &VectorColumn<'_>, row: usize| match column {
        VectorColumn::Text(texts) => json!(texts[row]),
        VectorColumn::Count(counts) => json!(counts[row]),
        VectorColumn::Vectors(size, values) => json!(values[row * size..][..*size]),
    };
    let line = |row: usize| {
        let cells = columns.iter().map(|(name, column)| ((*name).to_owned(), cell(column, row)));
        let hash = ("definition_hash".to_owned(), json!(definition));
        format!("{}\n", Value::Object(cells.chain([hash]).collect()))
    };
    (0..num_rows).map(line).collect::<String>().into_bytes()
}
