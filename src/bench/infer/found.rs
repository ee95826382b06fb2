//! The findings in a folder of results.

use super::texts::words;
use crate::ask::Sides;
use crate::bench::file::PromptTable;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The content of a folder of results.
#[derive(Debug, Clone)]
pub struct Inferred {
    /// Where it was looked, as it was given.
    pub folder: PathBuf,
    /// By name.
    pub generators: Vec<InferredGenerator>,
    /// By id.
    pub prompts: Vec<InferredPrompt>,
    /// In order; empty if no name contains a seed.
    pub seeds: Vec<u32>,
    /// Where the photos are.
    pub photos: Option<PathBuf>,
    /// The file that prompts' texts come from.
    pub texts_file: Option<PathBuf>,
    /// Files that are not assets of the benchmark.
    pub left_out: Vec<LeftOut>,
    /// What may be a slip.
    pub notes: Vec<String>,
}

/// A generator by its folder.
#[derive(Debug, Clone)]
pub struct InferredGenerator {
    pub name: String,
    /// As a benchmark file names its assets: the folder as it was given, `{prompt_id}`, `{seed}`.
    pub path: String,
    /// Prompts and seeds with assets; the seed is `None` if names contain none.
    pub assets: BTreeSet<(String, Option<u32>)>,
}

/// A prompt by the names of its assets.
#[derive(Debug, Clone)]
pub struct InferredPrompt {
    pub id: String,
    /// From the file of texts; `None` if the text is the id in words.
    pub from_file: Option<PromptTable>,
    /// The photo of its name, or those of its sides, with their masks; none where there are none.
    pub photos: Sides<PathBuf>,
}

/// A file or folder that is not taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Below the folder.
    pub path: String,
    pub why: String,
}

impl InferredPrompt {
    /// The text: that of the file, or the id in words; none for a prompt that is a photo.
    pub fn text(&self) -> Option<String> {
        match &self.from_file {
            Some(table) => Some(table.text.clone()).filter(|text| !text.is_empty()),
            None => self.photos.is_empty().then(|| words(&self.id)),
        }
    }
}

impl Inferred {
    /// The missing assets of each generator, in the order of the generators.
    pub fn missing(&self) -> Vec<(&str, Vec<String>)> {
        let lacks = |generator: &InferredGenerator| {
            let has = |id: &str, seed| generator.assets.contains(&(id.to_owned(), seed));
            let ids = self.prompts.iter().map(|prompt| prompt.id.as_str());
            let ids = ids.filter(|id| !has(id, None));
            if !generator.has_seeds() {
                return ids.map(str::to_owned).collect();
            }
            let each = ids.flat_map(|id| self.seeds.iter().map(move |seed| (id, *seed)));
            let missing = each.filter(|(id, seed)| !has(id, Some(*seed)));
            missing.map(|(id, seed)| format!("{id}, seed {seed}")).collect()
        };
        let each = self.generators.iter();
        each.map(|generator| (generator.name.as_str(), lacks(generator))).collect()
    }
}

impl InferredGenerator {
    pub(super) fn has_seeds(&self) -> bool {
        self.assets.iter().any(|(_, seed)| seed.is_some())
    }
}
