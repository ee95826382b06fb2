//! Recorded replies of this run and of others, by request.

use crate::ask::settings::AskSettings;
use crate::store::{Recorded, Request, Store, StoreError};

/// The other runs, open to be read.
pub(super) struct Archive(Vec<Store>);

impl Archive {
    pub(super) fn open(settings: &AskSettings) -> Result<Self, StoreError> {
        let stores = settings.reuse.iter().map(|folder| Store::read(folder));
        stores.collect::<Result<_, _>>().map(Self)
    }

    /// The reply to a request, from `store` or another run, which may order generators differently.
    pub(super) fn find(
        &self,
        store: &Store,
        request: &Request,
    ) -> Result<Option<Recorded>, StoreError> {
        for store in std::iter::once(store).chain(&self.0) {
            if let Some(recorded) = store.recorded(&request.content_hash)? {
                return Ok(Some(recorded));
            }
        }
        // Not of this run: it asks about two equal assets twice.
        let Some(swapped) = request.swapped_hash().filter(|_| !self.0.is_empty()) else {
            return Ok(None);
        };
        let found = self.0.iter().find_map(|store| store.recorded(&swapped).transpose());
        found.transpose()
    }
}
