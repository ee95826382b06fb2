//! What the handlers share: the run's assets and pairs, and the page as it was last made.

use super::super::about::RunReport;
use super::super::error::ReportError;
use super::super::gallery::gallery;
use super::super::page::{Page, write_page};
use super::assets::Assets;
use super::ballot::{Ballot, Choice};
use super::settings::ServeSettings;
use crate::results::gather;
use crate::store::{DATABASE_FILE, ShownPicture, Store, StoreError};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// When and how large the database files were; another stamp means that something was written.
type Stamp = Vec<Option<(SystemTime, u64)>>;

/// Everything behind the pages.
pub(super) struct App {
    settings: ServeSettings,
    /// Where we listen.
    pub port: u16,
    /// For the 3D views.
    pub assets: Assets,
    ballot: Mutex<Ballot>,
    page: Mutex<Option<(Stamp, Arc<str>)>>,
}

/// What became of a vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voted {
    /// It is on the disk.
    Kept,
    /// Another process writes the run.
    Locked,
    /// Unknown pair, or answers missing.
    Unusable,
}

impl App {
    /// Reads the run once.
    ///
    /// # Errors
    /// No run.
    pub(super) fn new(settings: ServeSettings, port: u16) -> Result<Self, ReportError> {
        let gathered = gather(std::slice::from_ref(&settings.folder))?;
        let assets = Assets::new(&gathered.records, &gathered.made, settings.load);
        let gallery = gallery(&gathered.records);
        let ballot = Ballot::new(&gallery, settings.rubric.as_ref(), &assets, fresh_key());
        Ok(Self {
            settings,
            port,
            assets,
            ballot: Mutex::new(ballot),
            page: Mutex::new(None),
        })
    }

    /// The pairs; held for no longer than a look.
    pub(super) fn ballot(&self) -> MutexGuard<'_, Ballot> {
        self.ballot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The report, made anew when the run has grown. Rates and renders: not for an async thread.
    ///
    /// # Errors
    /// [`ReportError`].
    pub(super) fn page(&self) -> Result<Arc<str>, ReportError> {
        let stamp = self.stamp();
        let mut kept = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made_at, page)) = kept.as_ref()
            && *made_at == stamp
        {
            return Ok(Arc::clone(page));
        }
        let folders = [self.settings.folder.clone()];
        let report = RunReport::new(gather(&folders)?, &folders, &self.settings.rating)?;
        let has_votes = self.ballot().progress("").1 > 0;
        let page: Arc<str> = write_page(&report, Page::Served { has_votes })?.into();
        *kept = Some((stamp, Arc::clone(&page)));
        Ok(page)
    }

    fn stamp(&self) -> Stamp {
        let of = |name: String| -> Option<(SystemTime, u64)> {
            let found = std::fs::metadata(self.settings.folder.join(name)).ok()?;
            Some((found.modified().ok()?, found.len()))
        };
        vec![
            of(DATABASE_FILE.to_owned()),
            of(format!("{DATABASE_FILE}-wal")),
        ]
    }

    /// A picture that the run knows.
    ///
    /// # Errors
    /// The store's.
    pub(super) fn picture(&self, hash: &str) -> Result<Option<ShownPicture>, StoreError> {
        Store::read(&self.settings.folder)?.shown_picture(hash)
    }

    /// Whether a vote could be written now.
    pub(super) fn is_locked(&self) -> bool {
        matches!(
            Store::open(&self.settings.folder),
            Err(StoreError::Locked { .. })
        )
    }

    /// Writes a vote; the run is open for this moment only.
    ///
    /// # Errors
    /// The store's, but for the lock.
    pub(super) fn keep_vote(
        &self,
        rater: &str,
        pair: &str,
        choices: &BTreeMap<String, Choice>,
        seconds: f64,
    ) -> Result<Voted, StoreError> {
        // One vote at a time: two at once would each find the other's lock.
        let mut ballot = self.ballot();
        let Some(vote) = ballot.vote(rater, pair, choices, seconds, &self.assets) else {
            return Ok(Voted::Unusable);
        };
        match Store::open(&self.settings.folder) {
            Err(StoreError::Locked { .. }) => Ok(Voted::Locked),
            Err(e) => Err(e),
            Ok(mut store) => {
                store.keep_votes(&[vote])?;
                ballot.voted(rater, pair);
                Ok(Voted::Kept)
            }
        }
    }
}

/// Different in every process; it hides methods from voters and guards nothing else.
fn fresh_key() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..4 {
        hasher.update(
            &std::hash::RandomState::new()
                .build_hasher()
                .finish()
                .to_le_bytes(),
        );
    }
    *hasher.finalize().as_bytes()
}
