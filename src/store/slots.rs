//! The prompt ids and seeds of a benchmark that its records belong to.

use super::{Made, Record, Store, StoreError};
use crate::judge::{Asset, PhotoKey};
use std::collections::HashMap;

/// Prompt text, prompt id and seed.
type Slot = (String, String, u32);

/// The photos of each prompt, by its id.
type Photos = HashMap<String, PhotoKey>;

/// The slots of each asset of a benchmark.
#[derive(Debug, Default)]
pub struct Slots(HashMap<(String, String), Vec<Slot>>, Photos);

impl Slots {
    /// Of a run; none where it is not a benchmark's.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn read(store: &Store) -> Result<Self, StoreError> {
        let mut slots = Self::default();
        for made in store.made()? {
            slots.add(made);
        }
        Ok(slots)
    }

    fn add(&mut self, made: Made) {
        if let Some(photo) = made.photo {
            self.1.insert(made.prompt_id.clone(), photo);
        }
        if let Some(hash) = made.hash {
            let slot = (made.prompt, made.prompt_id, made.seed);
            self.0.entry((made.method, hash)).or_default().push(slot);
        }
    }

    /// Writes prompt id and seed into a record: the first that have both of its assets, and the photo that it shows if one has. Equal assets
    /// of several seeds are asked about once.
    pub fn fill(&self, record: &mut Record) {
        let of = |asset: &Asset| {
            let slots = self.0.get(&(asset.method.clone(), asset.hash.clone()));
            slots.map_or(&[][..], Vec::as_slice)
        };
        let is_here = |slot: &&Slot| {
            record.b.as_ref().is_none_or(|b| of(b).contains(slot))
                && (record.prompt.as_ref()).is_none_or(|prompt| *prompt == slot.0)
        };
        let is_shown = |slot: &&Slot| {
            let now = self.1.get(&slot.1);
            record.photo.as_ref().is_none_or(|shown| now.is_some_and(|it| it.is_shown_by(shown)))
        };
        let mut here = of(&record.a).iter().filter(is_here);
        let found = here.clone().find(is_shown).or_else(|| here.next());
        if let Some((_, prompt_id, seed)) = found {
            (record.prompt_id, record.seed) = (Some(prompt_id.clone()), Some(*seed));
        }
    }
}
