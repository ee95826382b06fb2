//! Prompts as they are written: in place, or in a file of their own.

use super::text_of;
use crate::error::Error;
use crate::exchange::table_lines;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file, or a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "prompts: the name of a file, or a list of texts and of tables with `text`, `image` or `images` and any of `id`, `category`, `mask` and `masks`"
)]
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

/// A text, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a prompt: a text, or a table with `text`, `image` or `images` and any of `id`, `category`, `mask` and `masks`"
)]
pub enum PromptEntry {
    /// Its id is its position in the list, from 0.
    Text(String),
    /// With settings.
    Table(PromptTable),
}

/// A prompt with settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PromptTable {
    /// Names files, so it must not contain slashes; a number becomes its digits. Default: the
    /// position in the list, from 0.
    #[serde(default, deserialize_with = "text_or_number")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub id: Option<String>,
    /// The text; may be left out where there is an image.
    #[serde(default, alias = "prompt")]
    pub text: String,
    /// For the category rubric.
    pub category: Option<String>,
    /// Reference photo, for image-to-3D.
    pub image: Option<PathBuf>,
    /// The mask of the object in the photo.
    pub mask: Option<PathBuf>,
    /// Instead of `image`: several photos of the object by the side that they show, such as
    /// `{ front = "a.png", back = "b.png" }`.
    #[serde(default)]
    pub images: BTreeMap<String, PathBuf>,
    /// Their masks, by the same names.
    #[serde(default)]
    pub masks: BTreeMap<String, PathBuf>,
}

impl PromptEntry {
    fn table(self, place: usize) -> PromptTable {
        let table = match self {
            Self::Text(text) => PromptTable { text, ..PromptTable::default() },
            Self::Table(table) => table,
        };
        PromptTable { id: Some(table.id.unwrap_or_else(|| place.to_string())), ..table }
    }
}

impl Prompts {
    /// Every prompt with its id; photos and masks relative to `folder`, or to the prompt file.
    ///
    /// # Errors
    /// An unreadable or invalid file.
    pub fn read(&self, folder: &Path) -> Result<Vec<PromptTable>, Error> {
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
            let join_all = |paths: BTreeMap<String, PathBuf>| {
                let joined = paths.into_iter().map(|(side, path)| (side, folder.join(path)));
                joined.collect()
            };
            PromptTable {
                image: join(table.image),
                mask: join(table.mask),
                images: join_all(table.images),
                masks: join_all(table.masks),
                ..table
            }
        });
        Ok(resolved.collect())
    }
}

fn read_file(path: &Path) -> Result<Vec<PromptEntry>, Error> {
    let text = text_of("prompts", path)?;
    let syntax = |reason: String| super::syntax("prompts", &reason, path);
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    match extension.to_ascii_lowercase().as_str() {
        "json" => (serde_json::from_str(&text).map_err(|e| e.to_string()))
            .and_then(entries)
            .map_err(syntax),
        "jsonl" => lines()
            .enumerate()
            .map(|(i, line)| {
                let value = serde_json::from_str(line).map_err(|e| e.to_string());
                let entry = value.and_then(entry);
                entry.map_err(|reason| syntax(format!("line {}: {reason}", i + 1)))
            })
            .collect(),
        "csv" | "tsv" => (table_lines(path, &text, &COLUMNS).into_iter())
            .map(|line| {
                let (number, cells) = line?;
                let full = cells.into_iter().filter(|(_, cell)| !cell.is_empty());
                let table = full.map(|(column, cell)| (column, Value::String(cell)));
                entry(Value::Object(table.collect())).map_err(|reason| (number, reason))
            })
            .collect::<Result<_, _>>()
            .map_err(|(number, reason)| syntax(format!("line {number}: {reason}"))),
        "txt" => Ok(lines().map(|l| PromptEntry::Text(l.to_owned())).collect()),
        _ => Err(syntax("its name must end in .json, .jsonl, .csv, .tsv or .txt".to_owned())),
    }
}

/// Columns of a table of prompts.
const COLUMNS: [&str; 6] = ["id", "text", "prompt", "category", "image", "mask"];

/// A list of prompts, or an object from id to prompt.
fn entries(value: Value) -> Result<Vec<PromptEntry>, String> {
    match value {
        Value::Array(list) => (list.into_iter().enumerate())
            .map(|(i, value)| entry(value).map_err(|reason| format!("prompt {i}: {reason}")))
            .collect(),
        Value::Object(map) => (map.into_iter())
            .map(|(id, value)| {
                let entry = entry(value).map_err(|reason| format!("prompt {id:?}: {reason}"))?;
                let mut table = entry.table(0);
                table.id = Some(id);
                Ok(PromptEntry::Table(table))
            })
            .collect(),
        other => Err(format!("expected a list, or an object from id to prompt; found {other}")),
    }
}

/// One prompt, or its error.
fn entry(value: Value) -> Result<PromptEntry, String> {
    match value {
        Value::String(text) => Ok(PromptEntry::Text(text)),
        Value::Object(_) => {
            serde_json::from_value(value).map(PromptEntry::Table).map_err(|e| e.to_string())
        }
        other => Err(format!("expected a text, or a table with `text` or `image`; found {other}")),
    }
}

fn text_or_number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "an id: a text or a whole number")]
    enum Id {
        Text(String),
        Number(i64),
    }
    Ok(Option::<Id>::deserialize(from)?.map(|id| match id {
        Id::Text(text) => text,
        Id::Number(number) => number.to_string(),
    }))
}
