//! Prompts as they are written: in place, or in a file of their own.

use super::{BenchFileError, text_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A file, or a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Prompts {
    /// Relative to the benchmark file.
    File(PathBuf),
    /// In place.
    List(Vec<PromptEntry>),
}

impl Default for Prompts {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

/// A text alone, or with more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PromptEntry {
    /// Its id is its place in the list, from 0.
    Text(String),
    /// With more.
    Table(PromptTable),
}

/// A prompt with more than its text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptTable {
    /// Names files, so it may not hold slashes. Default: the place in the list, from 0.
    pub id: Option<String>,
    /// The text.
    #[serde(alias = "prompt")]
    pub text: String,
    /// For the category rubric.
    pub category: Option<String>,
    /// Reference photo, for image-to-3D.
    pub image: Option<PathBuf>,
    /// Where the object is in the photo.
    pub mask: Option<PathBuf>,
}

impl PromptEntry {
    fn table(self, place: usize) -> PromptTable {
        let table = match self {
            Self::Text(text) => PromptTable {
                text,
                ..PromptTable::default()
            },
            Self::Table(table) => table,
        };
        PromptTable {
            id: Some(table.id.unwrap_or_else(|| place.to_string())),
            ..table
        }
    }
}

impl Prompts {
    /// Every prompt with its id; photos and masks relative to `folder`, or to the folder of the prompts' own file.
    ///
    /// # Errors
    /// A file that cannot be read or understood.
    pub fn read(&self, folder: &Path) -> Result<Vec<PromptTable>, BenchFileError> {
        let (entries, folder) = match self {
            Self::List(entries) => (entries.clone(), folder.to_owned()),
            Self::File(file) => {
                let path = folder.join(file);
                let parent = path.parent().unwrap_or(folder).to_owned();
                (read_file(&path)?, parent)
            }
        };
        let resolved = entries.into_iter().enumerate().map(|(place, entry)| {
            let table = entry.table(place);
            let join = |path: Option<PathBuf>| path.map(|path| folder.join(path));
            PromptTable {
                image: join(table.image),
                mask: join(table.mask),
                ..table
            }
        });
        Ok(resolved.collect())
    }
}

fn read_file(path: &Path) -> Result<Vec<PromptEntry>, BenchFileError> {
    let text = text_of("prompts", path)?;
    let syntax = |reason: String| BenchFileError::Syntax {
        what: "prompts",
        reason,
        path: path.to_owned(),
    };
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    match extension.to_ascii_lowercase().as_str() {
        "json" => serde_json::from_str(&text).map_err(|e| syntax(e.to_string())),
        "jsonl" => lines()
            .enumerate()
            .map(|(i, line)| {
                serde_json::from_str(line).map_err(|e| syntax(format!("line {}: {e}", i + 1)))
            })
            .collect(),
        "txt" => Ok(lines().map(|l| PromptEntry::Text(l.to_owned())).collect()),
        _ => Err(syntax(
            "its name ends in none of .json, .jsonl, .txt".to_owned(),
        )),
    }
}
