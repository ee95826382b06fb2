//! Vectors in the run folder: chunks of rows, each a NumPy file and a JSON file with their keys. A
//! chunk is there whole or not at all, so that a kill loses at most the chunk in memory.

use super::error::bad_file;
use crate::error::Error;
use crate::save::{npy, write_file};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The folder in the run folder.
const FOLDER: &str = "features";
/// A chunk is written when it has so many rows, or is so old.
const ROWS_MAX: usize = 1000;
const AGE_MAX: Duration = Duration::from_secs(5);

/// What a vector is of.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VectorRow {
    pub key: String,
    /// Empty for a vector of a prompt.
    pub method: String,
    pub prompt_id: String,
    pub seed: u32,
    pub view: usize,
    /// Of the asset's content; empty for a vector of a photo or text, or from an earlier version.
    #[serde(default)]
    pub asset_hash: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Chunk {
    /// Everything that decides the vectors, except the inputs.
    definition: serde_json::Value,
    dimension: usize,
    rows: Vec<VectorRow>,
}

/// The vectors of a feature.
#[derive(Debug)]
pub struct VectorStore {
    /// Of its files, without number and extension.
    path: PathBuf,
    definition: serde_json::Value,
    known: HashMap<String, Vec<f32>>,
    unwritten: Vec<VectorRow>,
    since: Instant,
    num_chunks: usize,
}

impl VectorStore {
    /// Reads what earlier calls kept under that name, which must be one of a file.
    ///
    /// # Errors
    /// A file that cannot be read, or that is not ours.
    pub fn open(
        run_folder: &Path,
        name: &str,
        definition: &serde_json::Value,
    ) -> Result<Self, Error> {
        let folder = run_folder.join(FOLDER);
        let mut store = Self {
            path: folder.join(name),
            definition: definition.clone(),
            known: HashMap::new(),
            unwritten: Vec::new(),
            since: Instant::now(),
            num_chunks: 0,
        };
        std::fs::create_dir_all(&folder).map_err(|e| bad_file(&folder, e))?;
        store.keep_definition()?;
        while let Some((chunk, values)) = read_chunk(&store.path, store.num_chunks)? {
            let vectors = values.chunks_exact(chunk.dimension.max(1)).map(<[f32]>::to_vec);
            store.known.extend(chunk.rows.into_iter().map(|row| row.key).zip(vectors));
            store.num_chunks += 1;
        }
        Ok(store)
    }

    /// Says which vectors under that name are the present ones: those of earlier settings stay.
    fn keep_definition(&self) -> Result<(), Error> {
        let path = with_end(&self.path, ".json");
        let text = self.definition.to_string();
        match std::fs::read_to_string(&path) {
            Ok(known) if known == text => Ok(()),
            _ => write_file(&path, text.as_bytes()).map_err(|e| bad_file(&path, e)),
        }
    }

    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.known.keys()
    }

    pub fn get(&self, key: &str) -> Option<&[f32]> {
        self.known.get(key).map(Vec::as_slice)
    }

    /// Keeps a vector, and writes a chunk where one is due.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn push(&mut self, row: VectorRow, vector: Vec<f32>) -> Result<(), Error> {
        if self.unwritten.is_empty() {
            self.since = Instant::now();
        }
        self.known.insert(row.key.clone(), vector);
        self.unwritten.push(row);
        if self.unwritten.len() >= ROWS_MAX || self.since.elapsed() > AGE_MAX {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the vectors not yet written, then their keys, so that a key implies its chunk.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn flush(&mut self) -> Result<(), Error> {
        if self.unwritten.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.unwritten);
        let vectors: Vec<&[f32]> = rows.iter().filter_map(|row| self.get(&row.key)).collect();
        let dimension = vectors.first().map_or(0, |vector| vector.len());
        let data: Vec<u8> = vectors.concat().into_iter().flat_map(f32::to_le_bytes).collect();
        let [rows_path, vectors_path] = chunk_paths(&self.path, self.num_chunks);
        let write =
            |path: &Path, bytes: &[u8]| write_file(path, bytes).map_err(|e| bad_file(path, e));
        write(&vectors_path, &npy("<f4", &[rows.len(), dimension], &data))?;
        let chunk = Chunk { definition: self.definition.clone(), dimension, rows };
        let text = serde_json::to_vec(&chunk).map_err(|e| bad_file(&rows_path, e))?;
        write(&rows_path, &text)?;
        self.num_chunks += 1;
        Ok(())
    }
}

/// All vectors of a feature, as it was last defined, except those by which models are checked.
#[derive(Debug)]
pub struct StoredVectors {
    /// Everything that decides the vectors, except the inputs.
    pub definition: serde_json::Value,
    pub dimension: usize,
    pub rows: Vec<VectorRow>,
    /// `dimension` for each row.
    pub values: Vec<f32>,
}

/// Reads the vectors of a feature from the run folders of a benchmark.
///
/// # Errors
/// An unreadable file, folders without vectors of that feature, or with different definitions.
pub fn stored_vectors(run_folders: &[PathBuf], name: &str) -> Result<StoredVectors, Error> {
    let mut found: Option<StoredVectors> = None;
    for folder in run_folders {
        let path = folder.join(FOLDER).join(name);
        let file = with_end(&path, ".json");
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let present: serde_json::Value =
            serde_json::from_str(&text).map_err(|e| bad_file(&file, e))?;
        let mut number = 0;
        while let Some((chunk, values)) = read_chunk(&path, number)? {
            number += 1;
            if chunk.definition != present || chunk.dimension == 0 {
                continue;
            }
            let Chunk { dimension, rows, .. } = chunk;
            let definition = present.clone();
            let stored = found.get_or_insert_with(|| {
                let (rows, values) = (Vec::new(), Vec::new());
                StoredVectors { definition, dimension, rows, values }
            });
            if stored.definition != present || stored.dimension != dimension {
                return Err(bad_file(&file, "the runs have different definitions of this feature"));
            }
            for (row, vector) in rows.into_iter().zip(values.chunks_exact(dimension)) {
                if !row.prompt_id.is_empty() {
                    stored.rows.push(row);
                    stored.values.extend_from_slice(vector);
                }
            }
        }
    }
    let missing = || {
        bad_file(
            run_folders.first().map_or(Path::new(""), PathBuf::as_path),
            format!(
                "it has no vectors of a feature {name:?}; a benchmark with `features` makes them"
            ),
        )
    };
    found.filter(|found| !found.rows.is_empty()).ok_or_else(missing)
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(end);
    path.into()
}

fn chunk_paths(path: &Path, number: usize) -> [PathBuf; 2] {
    ["json", "npy"].map(|extension| with_end(path, &format!("-{number:04}.{extension}")))
}

/// A chunk with the values of its vectors; none after the last.
fn read_chunk(path: &Path, number: usize) -> Result<Option<(Chunk, Vec<f32>)>, Error> {
    let [rows, vectors] = chunk_paths(path, number);
    if !rows.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&rows).map_err(|e| bad_file(&rows, e))?;
    let chunk: Chunk = serde_json::from_str(&text).map_err(|e| bad_file(&rows, e))?;
    let bytes = std::fs::read(&vectors).map_err(|e| bad_file(&vectors, e))?;
    let wanted = chunk.dimension.saturating_mul(chunk.rows.len()).saturating_mul(4);
    let start = bytes.len().checked_sub(wanted);
    let start = start.ok_or_else(|| bad_file(&vectors, "it is too short"))?;
    let fours = bytes[start..].as_chunks::<4>().0.iter();
    let values = fours.map(|four| f32::from_le_bytes(*four)).collect();
    Ok(Some((chunk, values)))
}
