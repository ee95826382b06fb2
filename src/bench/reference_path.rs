//! The path of a prompt's reference, with placeholders.

use super::make::fill;
use crate::load::{Choices, Loaded, Options, load_asset};
use crate::scene::Asset;
use crate::store::Made;
use std::path::{Path, PathBuf};

/// Such as `scans/{prompt_id}.glb`, in the folder of the benchmark file.
#[derive(Debug, Clone)]
pub(super) struct ReferencePath {
    pattern: String,
    folder: PathBuf,
}

impl ReferencePath {
    /// # Errors
    /// In words: a placeholder that is none.
    pub(super) fn new(pattern: &str, folder: &Path) -> Result<Self, String> {
        let path = Self { pattern: pattern.to_owned(), folder: folder.to_owned() };
        path.of("id", "text", 0)?;
        Ok(path)
    }

    /// The reference of an asset's prompt, for measurements of its surfaces.
    ///
    /// # Errors
    /// In words: a file that cannot be loaded.
    pub(super) fn read(&self, made: &Made, options: &Options) -> Result<Loaded, String> {
        self.read_shown(made, options)?.into_mesh().map_err(|e| e.to_string())
    }

    /// The same, for pictures of it.
    ///
    /// # Errors
    /// In words: a file that cannot be loaded.
    pub(super) fn read_shown(
        &self,
        made: &Made,
        options: &Options,
    ) -> Result<Loaded<Asset>, String> {
        let path = self.of(&made.prompt_id, &made.prompt, made.seed)?;
        load_asset(&path, options, Choices::default()).map_err(|e| e.to_string())
    }

    fn of(&self, prompt_id: &str, prompt: &str, seed: u32) -> Result<PathBuf, String> {
        let seed = seed.to_string();
        let values = [("prompt_id", prompt_id), ("prompt", prompt), ("seed", &seed)];
        Ok(self.folder.join(fill(&self.pattern, &values)?))
    }
}
