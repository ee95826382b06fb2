//! The recipe of an asset: a hash of all its inputs. It is stored next to the asset, so that a
//! change makes the asset again.

use super::command::Program;
use super::maker::Method;
use crate::bench::prompt::Prompt;
use serde_json::json;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The name of the recipe's file, next to the asset.
pub(super) const RECIPE_FILE: &str = "recipe.txt";

/// Recipes, with each photo read once.
#[derive(Debug, Default)]
pub(in crate::unstable::bench) struct Recipes {
    photos: HashMap<PathBuf, String>,
}

impl Recipes {
    /// BLAKE3, hexadecimal, over everything in the benchmark file that decides a generator's
    /// output: command line and environment; prompt, photo, mask, seed. None
    /// for assets not made by us. A change of the program behind a command line is not noticed.
    pub(in crate::unstable::bench) fn recipe(
        &mut self,
        method: &Method,
        prompt: &Prompt,
        seed: u32,
    ) -> Option<String> {
        let Program { words, env, extension, start_timeout, .. } = &**method.maker.program()?;
        let how = match start_timeout {
            None => json!([words, env, extension]),
            Some(_) => json!(["serve", words, env, extension]),
        };
        let photos = [prompt.image(), prompt.mask()].map(|path| self.photo(path?));
        let mut all = json!(["recipe 1", how, method.name, prompt.id, prompt.text, photos, seed]);
        if let [_, others @ ..] = prompt.images.as_slice()
            && !others.is_empty()
        {
            let keys = others.iter().map(|(side, image, mask)| {
                let mask = mask.as_deref().map(|mask| self.photo(mask));
                json!([side, self.photo(image), mask])
            });
            all = json!([all, keys.collect::<Vec<_>>()]);
        }
        let hash = blake3::hash(all.to_string().as_bytes());
        Some(hash.to_hex().to_string())
    }

    /// BLAKE3 of a photo; none for an unreadable photo, for which its generator reports the error.
    fn photo(&mut self, path: &Path) -> Option<String> {
        if let Some(hash) = self.photos.get(path) {
            return Some(hash.clone());
        }
        let bytes = std::fs::read(path).ok()?;
        let hash = blake3::hash(&bytes).to_hex().to_string();
        self.photos.insert(path.to_owned(), hash.clone());
        Some(hash)
    }
}

/// The recipe of an asset that was made; none where an older version of this program made it.
pub(in crate::unstable::bench) fn recipe_beside(asset: &Path) -> Option<String> {
    std::fs::read_to_string(asset.with_file_name(RECIPE_FILE)).ok()
}
