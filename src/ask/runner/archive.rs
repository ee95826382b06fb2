//! Recorded replies of this run and of others, by request.

use crate::ask::settings::AskSettings;
use crate::store::{Recorded, Store, StoreError};

/// The other runs, open to be read.
pub(super) struct Archive(Vec<Store>);

impl Archive {
    pub(super) fn open(settings: &AskSettings) -> Result<Self, StoreError> {
        let stores = settings.reuse.iter().map(|folder| Store::read(folder));
        stores.collect::<Result<_, _>>().map(Self)
    }

    /// The reply to a request, from `store` or else from another run.
    pub(super) fn find(
        &self,
        store: &Store,
        request: &str,
    ) -> Result<Option<Recorded>, StoreError> {
        for store in std::iter::once(store).chain(&self.0) {
            if let Some(recorded) = store.recorded(request)? {
                return Ok(Some(recorded));
            }
        }
        Ok(None)
    }
}
