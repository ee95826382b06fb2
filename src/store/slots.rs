//! The benchmark prompt ids and seeds that records belong to, and their assets' fronts.

use super::fronts::{FrontRow, ShownFronts};
use super::{Made, Record, Store};
use crate::error::Error;
use crate::judge::{Asset, PhotoKey};
use std::collections::HashMap;

/// Prompt text, prompt id and seed.
type Slot = (String, String, u32);

/// The slots of each asset of a benchmark.
#[derive(Debug, Default)]
pub struct Slots {
    /// By method and hash.
    of: HashMap<(String, String), Vec<Slot>>,
    /// The photos of each prompt, by its id.
    photos: HashMap<String, PhotoKey>,
    fronts: Vec<FrontRow>,
}

impl Slots {
    /// Of a run; none where it is not a benchmark's.
    ///
    /// # Errors
    /// [`Error`].
    pub fn read(store: &Store) -> Result<Self, Error> {
        let mut slots = Self { fronts: store.fronts(), ..Self::default() };
        slots.fronts.sort_by(|x, y| place_of(x).cmp(&place_of(y)));
        for made in store.made()? {
            slots.add(made);
        }
        Ok(slots)
    }

    fn add(&mut self, made: Made) {
        if let Some(photo) = made.photo {
            self.photos.insert(made.prompt_id.clone(), photo);
        }
        if let Some(hash) = made.hash {
            let slot = (made.prompt, made.prompt_id, made.seed);
            self.of.entry((made.method, hash)).or_default().push(slot);
        }
    }

    /// Writes prompt id and seed into a record, and the fronts of its assets.
    pub fn fill(&self, record: &mut Record) {
        record.fronts = self.fronts_of(record);
        if let Some((_, prompt_id, seed)) = self.slot_of(record) {
            (record.prompt_id, record.seed) = (Some(prompt_id.clone()), Some(*seed));
        }
    }

    /// The name of the photo that is a record's prompt; none where the prompt has a text.
    pub fn photo_of(&self, record: &Record) -> Option<&str> {
        let is_photo = record.prompt.is_none() && record.photo.is_some();
        Some(self.slot_of(record).filter(|_| is_photo)?.1.as_str())
    }

    /// How the assets of a record are shown.
    pub fn fronts_of(&self, record: &Record) -> ShownFronts {
        if self.fronts.is_empty() {
            return ShownFronts::default();
        }
        let slot = self.slot_of(record);
        let place = |asset: &Asset| {
            let method = asset.method.as_str();
            let place = (slot.map(|slot| slot.1.as_str()), slot.map(|slot| slot.2), method);
            let found = self.fronts.binary_search_by(|row| place_of(row).cmp(&place));
            found.ok().map(|at| &self.fronts[at])
        };
        ShownFronts::of([place(&record.a), record.b.as_ref().and_then(place)])
    }

    /// The first slot that has both assets of a record, and the photo that it shows if one has.
    /// Equal assets of several seeds are asked about once.
    fn slot_of(&self, record: &Record) -> Option<&Slot> {
        let of = |asset: &Asset| {
            let slots = self.of.get(&(asset.method.clone(), asset.hash.clone()));
            slots.map_or(&[][..], Vec::as_slice)
        };
        let is_here = |slot: &&Slot| {
            record.b.as_ref().is_none_or(|b| of(b).contains(slot))
                && (record.prompt.as_ref()).is_none_or(|prompt| *prompt == slot.0)
        };
        let is_shown = |slot: &&Slot| {
            let now = self.photos.get(&slot.1);
            record.photo.as_ref().is_none_or(|shown| now.is_some_and(|it| it.is_shown_by(shown)))
        };
        let mut here = of(&record.a).iter().filter(is_here);
        here.clone().find(is_shown).or_else(|| here.next())
    }
}

fn place_of(row: &FrontRow) -> (Option<&str>, Option<u32>, &str) {
    (row.prompt_id.as_deref(), row.seed, &row.method)
}
