//! The prompts of a benchmark file, checked: each has an id of its own and a text, photos, or both.

use super::file::PromptTable;
use super::names::checked_name;
use super::prompt::Prompt;
use crate::ask::{Sides, ordered_sides};
use crate::save::distinct_names;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Refuses ids that occur twice, prompts without a text or an image, and masks without an image.
pub(super) fn checked_prompts(tables: Vec<PromptTable>) -> Result<Vec<Prompt>, String> {
    if tables.is_empty() {
        return Err("there are no prompts; give `prompts`".to_owned());
    }
    let mut seen = BTreeSet::new();
    let ids = tables.iter().map(|table| table.id.as_deref().unwrap_or_default());
    let folders = distinct_names(&ids.collect::<Vec<_>>());
    tables.into_iter().zip(folders)
        .map(|(table, folder)| {
            let id = table.id.clone().unwrap_or_default();
            checked_name("prompt id", &id)?;
            if !seen.insert(id.clone()) {
                return Err(format!("the prompt id {id:?} occurs twice"));
            }
            let images = images_of(&id, &table)?;
            if table.text.trim().is_empty() && images.is_empty() {
                return Err(format!(
                    "the prompt {id:?} has neither a text nor an image; give `text`, `image` or `images`"
                ));
            }
            Ok(Prompt {
                id,
                folder,
                text: table.text,
                category: table.category,
                images,
            })
        })
        .collect()
}

/// The photos of a prompt: its image, or its named images in their order.
fn images_of(id: &str, table: &PromptTable) -> Result<Sides<PathBuf>, String> {
    let wrong = |reason: &str| Err(format!("the prompt {id:?} has {reason}"));
    let PromptTable { image, mask, images, masks, .. } = table;
    match (image, mask) {
        (None, None) => {
            ordered_sides(images.clone(), masks.clone()).or_else(|reason| wrong(&reason))
        }
        (None, Some(_)) => wrong("a mask but no image"),
        (Some(_), _) if !images.is_empty() => wrong("`image` and `images`; give one of them"),
        (Some(_), _) if !masks.is_empty() => wrong("`image` and `masks`; give `mask`"),
        (Some(image), mask) => Ok(vec![(String::new(), image.clone(), mask.clone())]),
    }
}
