//! Recorded replies of this run and of others, by request.

use crate::ask::settings::AskSettings;
use crate::error::Error;
use crate::judge::Judge;
use crate::store::{Recorded, Request, Store};
use std::collections::HashMap;
use std::path::PathBuf;

/// Another run, open to be read.
struct Other {
    store: Store,
    /// How each judge of the caller's was asked there. Whether a function is still the same judge
    /// is for its author to say, who says it by naming that run.
    settings: HashMap<String, Vec<String>>,
}

/// The other runs.
pub(super) struct Archive(Vec<Other>);

impl Archive {
    pub(super) fn open(settings: &AskSettings, judges: &[Judge]) -> Result<Self, Error> {
        let own = || judges.iter().filter(|judge| matches!(judge, Judge::Custom(_)));
        let open = |folder: &PathBuf| -> Result<Other, Error> {
            let store = Store::read(folder)?;
            let each = own().map(|judge| Ok((judge.name(), store.settings_of(&judge.name())?)));
            let settings = each.collect::<Result<_, Error>>()?;
            Ok(Other { store, settings })
        };
        settings.reuse.iter().map(open).collect::<Result<_, _>>().map(Self)
    }

    /// The reply to a request, from `store` or another run, which may order generators differently.
    pub(super) fn find(&self, store: &Store, request: &Request) -> Result<Option<Recorded>, Error> {
        for store in std::iter::once(store).chain(self.0.iter().map(|other| &other.store)) {
            if let Some(recorded) = store.recorded(&request.content_hash)? {
                return Ok(Some(recorded));
            }
        }
        // Not of this run: it asks about two equal assets twice.
        let swapped = request.swapped_hash().filter(|_| !self.0.is_empty());
        for Other { store, settings } in &self.0 {
            let earlier = settings.get(&request.judge).into_iter().flatten();
            let earlier = earlier.map(|settings| request.hash_with(settings));
            for hash in swapped.clone().into_iter().chain(earlier) {
                if let Some(recorded) = store.recorded(&hash)? {
                    return Ok(Some(recorded));
                }
            }
        }
        Ok(None)
    }
}
