//! The texts of prompts that are known by the names of their files.

use crate::bench::file::{PromptTable, Prompts};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Looked for in this order.
const FILES: [&str; 3] = ["prompts.jsonl", "prompts.json", "prompts.txt"];

/// Minimum number of letters for a truncated file name to match the one text that starts with it.
const BEGINNING_MIN: usize = 16;

/// Prompts from a file in the folder of results.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub file: Option<PathBuf>,
    pub tables: Vec<PromptTable>,
    /// Why a file was not used.
    pub problems: Vec<String>,
}

impl Texts {
    pub(super) fn beside(folder: &Path) -> Self {
        let mut texts = Self::default();
        for name in FILES {
            let path = folder.join(name);
            if !path.is_file() {
                continue;
            }
            match Prompts::File(path.clone()).read(Path::new("")) {
                Ok(tables) => return Self { file: Some(path), tables, ..texts },
                Err(why) => texts.problems.push(why.to_string()),
            }
        }
        texts
    }

    /// The entry of each id: of the same id, or with a text that the id is made from
    /// (`A wooden chair!` → `a_wooden_chair`), also cut off.
    pub(super) fn of(&self, ids: &[String]) -> Vec<Option<&PromptTable>> {
        let by_id: HashMap<&str, &PromptTable> =
            self.tables.iter().filter_map(|table| Some((table.id.as_deref()?, table))).collect();
        let mut by_letters: HashMap<String, Option<&PromptTable>> = HashMap::new();
        for table in &self.tables {
            // A text that occurs twice names nothing.
            by_letters
                .entry(letters(&table.text))
                .and_modify(|known| *known = None)
                .or_insert(Some(table));
        }
        let found = |id: &String| {
            let own = letters(id);
            by_id
                .get(id.as_str())
                .copied()
                .or_else(|| by_letters.get(&own).copied().flatten())
                .or_else(|| {
                    let long = own.chars().count() >= BEGINNING_MIN;
                    let mut begins = self
                        .tables
                        .iter()
                        .filter(|table| long && letters(&table.text).starts_with(&own));
                    let first = begins.next()?;
                    begins.next().is_none().then_some(first)
                })
        };
        ids.iter().map(found).collect()
    }
}

/// The part of a text that every way of naming files keeps: letters and digits.
pub(super) fn letters(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// A name as words.
pub(super) fn words(id: &str) -> String {
    let spaced = id.replace(['_', '-'], " ");
    let text = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { id.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_find_their_texts() {
        let table = |id: &str, text: &str| PromptTable {
            id: Some(id.to_owned()),
            text: text.to_owned(),
            ..PromptTable::default()
        };
        let texts = Texts {
            tables: vec![
                table("0", "A wooden chair!"),
                table("vase", "A blue vase"),
                table("2", "An old lighthouse on a cliff in the evening light"),
            ],
            ..Texts::default()
        };
        let ids = ["a_wooden-chair", "vase", "An_old_lighthouse_on_a_cl", "An_old", "2"]
            .map(str::to_owned);
        let found = texts.of(&ids);
        let found: Vec<Option<&str>> =
            found.iter().map(|table| table.map(|table| table.text.as_str())).collect();
        assert_eq!(found[0], Some("A wooden chair!"));
        assert_eq!(found[1], Some("A blue vase"));
        assert!(found[2].is_some_and(|text| text.starts_with("An old lighthouse")));
        assert_eq!(found[3], None);
        assert_eq!(found[4], found[2]);
        assert_eq!(words("a_red--apple_"), "a red apple");
        assert_eq!(words("__"), "__");
    }
}
