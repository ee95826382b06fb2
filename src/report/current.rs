//! Whether the report next to a run is current, that is, would be the same if written again: a run
//! that is resumed with nothing to ask does not write hundreds of megabytes once more.

use super::extent::{GalleryPlace, PictureCount};
use crate::error::Error;
use crate::results::{RateSettings, reliability_of};
use crate::store::{CONFIG_FILE, METRICS_FILE, OPINIONS_FILE, Store};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The parts of a page that is too large for one file, in a folder next to it.
pub(super) fn parts_folder(page: &Path) -> PathBuf {
    let stem = page.file_stem().unwrap_or_default().to_string_lossy();
    page.with_file_name(format!("{stem}.files"))
}

/// The mark is in the head of the page, before any long part.
const HEAD_BYTES: u64 = 4096;

/// The sources of a report: program, runs, settings and judges' audits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportSource(String);

impl ReportSource {
    /// None where a run cannot say whether it has changed.
    ///
    /// # Errors
    /// A folder that is no run.
    pub fn of(
        folders: &[PathBuf],
        settings: &RateSettings,
        gallery: GalleryPlace,
    ) -> Result<Option<Self>, Error> {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        add(env!("CARGO_PKG_VERSION"));
        add(&format!("{settings:?} {gallery:?}"));
        add(&format!("{:?}", reliability_of(folders)));
        for folder in folders {
            let Some(state) = Store::read(folder)?.state()? else {
                return Ok(None);
            };
            add(&folder.to_string_lossy());
            add(&state);
            // A run without a mark is identified by its answers.
            for file in [CONFIG_FILE, METRICS_FILE, OPINIONS_FILE] {
                add(&std::fs::read_to_string(folder.join(file)).unwrap_or_default());
            }
        }
        Ok(Some(Self(hasher.finalize().to_hex().to_string())))
    }

    /// The mark in a page with this many pictures.
    pub(super) fn mark(&self, count: PictureCount) -> String {
        format!("{}-{count:?}", self.0)
    }

    /// Whether the report at a path was made from this, with this number of pictures.
    pub fn is_of(&self, path: &Path, count: PictureCount) -> bool {
        let mut head = Vec::new();
        let read =
            std::fs::File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
        let (head, mark) = (String::from_utf8_lossy(&head), self.mark(count));
        let has_parts = head.contains(&format!("{mark} with parts"));
        read.is_ok() && head.contains(&mark) && (!has_parts || parts_folder(path).is_dir())
    }
}
