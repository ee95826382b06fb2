//! Pictures of a run by their hash, for the report and the local page.

use super::{SHEETS_FOLDER, Store, StoreError};
use rusqlite::OptionalExtension;
use std::path::PathBuf;

/// Hexadecimal digits of a BLAKE3 hash.
const HASH_DIGITS: usize = 64;

/// A picture that was sent to a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPicture {
    /// `image/png` or `image/jpeg`.
    pub media_type: String,
    pub width_px: u32,
    pub height_px: u32,
    /// Where it lies, in the run's own folder of pictures.
    pub path: PathBuf,
}

impl Store {
    /// The picture with that hash, if a question of this run showed it. The path is made from the checked hash alone, so that
    /// neither a URL nor a forged database can lead out of the folder.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn shown_picture(&self, hash: &str) -> Result<Option<ShownPicture>, StoreError> {
        if hash.len() != HASH_DIGITS || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let folder = self.folder.join(SHEETS_FOLDER);
        self.connection
            .prepare_cached("SELECT media_type, width_px, height_px FROM pictures WHERE hash = ?")
            .and_then(|mut statement| {
                let read = |row: &rusqlite::Row<'_>| {
                    let media_type: String = row.get(0)?;
                    let extension = if media_type == "image/jpeg" {
                        "jpg"
                    } else {
                        "png"
                    };
                    Ok(ShownPicture {
                        path: folder.join(format!("{hash}.{extension}")),
                        media_type,
                        width_px: row.get(1)?,
                        height_px: row.get(2)?,
                    })
                };
                statement.query_row([hash], read).optional()
            })
            .map_err(|e| self.failed(&e))
    }
}
