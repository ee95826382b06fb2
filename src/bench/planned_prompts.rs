//! The prompts of a benchmark file, checked: each has an id of its own and a text, photos, or both.

use super::file::PromptTable;
use super::names::checked_name;
use super::prompt::{Prompt, PromptImage};
use crate::save::distinct_names;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Characters in the name of an image.
const SIDE_CHARS_MAX: usize = 32;

/// Sides in the order in which a judge sees them; others follow by name.
const SIDES: [&str; 6] = ["front", "left", "back", "right", "top", "bottom"];

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
fn images_of(id: &str, table: &PromptTable) -> Result<Vec<PromptImage>, String> {
    let wrong = |reason: String| Err(format!("the prompt {id:?} {reason}"));
    let PromptTable { image, mask, images, masks, .. } = table;
    if let Some(side) = masks.keys().find(|side| !images.contains_key(*side)) {
        return wrong(format!("has a mask {side:?} in `masks` but no such image in `images`"));
    }
    match (image, mask) {
        (Some(_), _) if !images.is_empty() => {
            return wrong("has `image` and `images`; give one of them".to_owned());
        }
        (None, Some(_)) => return wrong("has a mask but no image".to_owned()),
        (Some(image), mask) => {
            let (image, mask) = (image.clone(), mask.clone());
            let side = String::new();
            return Ok(vec![PromptImage { side, image, mask }]);
        }
        (None, None) => {}
    }
    // A judge reads them.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_".contains(c);
    if let Some(side) = images
        .keys()
        .find(|side| side.is_empty() || side.len() > SIDE_CHARS_MAX || !side.chars().all(is_plain))
    {
        return wrong(format!(
            "has an image called {side:?}; give a short name of letters and digits, such as front"
        ));
    }
    let place = |side: &str| SIDES.iter().position(|known| *known == side);
    let mut sides: Vec<(&String, &PathBuf)> = images.iter().collect();
    sides.sort_by_key(|(side, _)| place(side).unwrap_or(SIDES.len()));
    let image = |(side, image): (&String, &PathBuf)| PromptImage {
        side: side.clone(),
        image: image.clone(),
        mask: masks.get(side).cloned(),
    };
    Ok(sides.into_iter().map(image).collect())
}
