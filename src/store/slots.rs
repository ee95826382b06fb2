//! The prompt ids and seeds of a benchmark that its records belong to.

use super::{Made, Record, Store, StoreError};
use crate::judge::Asset;
use std::collections::HashMap;

/// Prompt text, prompt id and seed.
type Slot = (String, String, u32);

/// The slots of each asset of a benchmark.
#[derive(Debug, Default)]
pub struct Slots(HashMap<(String, String), Vec<Slot>>);

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
        if let Some(hash) = made.hash {
            let slot = (made.prompt, made.prompt_id, made.seed);
            self.0.entry((made.method, hash)).or_default().push(slot);
        }
    }

    /// Writes prompt id and seed into a record: the first that have both of its assets. Equal assets of several seeds are asked about
    /// once.
    pub fn fill(&self, record: &mut Record) {
        let of = |asset: &Asset| {
            let slots = self.0.get(&(asset.method.clone(), asset.hash.clone()));
            slots.map_or(&[][..], Vec::as_slice)
        };
        let is_here = |slot: &&Slot| {
            (record.b.as_ref()).is_none_or(|b| of(b).contains(slot))
                && (record.prompt.as_ref()).is_none_or(|prompt| *prompt == slot.0)
        };
        let found = of(&record.a).iter().find(is_here);
        if let Some((_, prompt_id, seed)) = found {
            (record.prompt_id, record.seed) = (Some(prompt_id.clone()), Some(*seed));
        }
    }
}
