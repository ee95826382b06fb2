//! Pictures of a run by their hash, for the report and the local page.

use super::asked::KeptPicture;
use super::{SHEETS_FOLDER, Store, error};
use crate::error::Error;
use crate::save::{file_name, write_file};
use std::path::{Path, PathBuf};

/// Hexadecimal digits of a BLAKE3 hash.
const HASH_DIGITS: usize = 64;

/// A picture that was sent to a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPicture {
    /// `image/png` or `image/jpeg`.
    pub media_type: String,
    pub width_px: u32,
    pub height_px: u32,
    /// Its path, in the run's folder of pictures.
    pub path: PathBuf,
}

/// The bytes of a picture of a run, if they are those that were sent: a file's name is the hash of
/// its content. A link is not followed.
///
/// # Errors
/// [`Error`].
pub fn read_picture(path: &Path) -> Result<Vec<u8>, Error> {
    let wrong = |reason: &str| error::file("read", path, reason);
    let failed = |e: std::io::Error| error::file("read", path, e);
    if !std::fs::symlink_metadata(path).map_err(failed)?.is_file() {
        return Err(wrong("it is a link or no file"));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    let name = path.file_stem().unwrap_or_default();
    if blake3::hash(&bytes).to_hex().as_str() != name {
        return Err(wrong("it was changed since it was recorded"));
    }
    Ok(bytes)
}

impl Store {
    /// Content hash and path of every asset that was asked about or made.
    ///
    /// # Errors
    /// [`Error`].
    pub fn asset_files(&self) -> Result<Vec<(String, String)>, Error> {
        let asked = "SELECT DISTINCT body ->> '$.a.hash', body ->> '$.a.path' FROM questions
            UNION SELECT body ->> '$.b.hash', body ->> '$.b.path' FROM questions WHERE body ->> '$.b' IS NOT NULL";
        let mut files: Vec<(String, String)> =
            self.rows(asked, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        files.retain(|(_, path)| !path.is_empty());
        files.extend(self.made()?.into_iter().filter_map(|made| made.hash.zip(made.path)));
        Ok(files)
    }

    /// The drawing record of the run's newest question; `None` where no question has one.
    ///
    /// # Errors
    /// [`Error`].
    pub fn newest_protocol(&self) -> Result<Option<String>, Error> {
        let newest = "SELECT p.body FROM questions q JOIN protocols p ON p.key = q.body ->> '$.protocol' ORDER BY q.number DESC LIMIT 1";
        self.maybe_row(newest, [], |row| row.get(0))
    }

    /// Gives a shown picture a second, readable name next to the run's database: `stem.png`, or
    /// `stem_2.png` and so on where other content has that name. `stem` is cut to letters, digits,
    /// `.`, `_` and `-`. Returns the path.
    ///
    /// # Errors
    /// [`Error`].
    pub fn name_picture(&self, picture: &ShownPicture, stem: &str) -> Result<PathBuf, Error> {
        let kept = |c: char| c.is_alphanumeric() || "._-".contains(c);
        let words = stem.split(|c| !kept(c)).filter(|word| !word.is_empty());
        let stem = file_name(&words.collect::<Vec<_>>().join("_"));
        let bytes = read_picture(&picture.path)?;
        let extension = picture.path.extension().unwrap_or_default().to_string_lossy();
        for count in 1.. {
            let path = match count {
                1 => self.folder.join(format!("{stem}.{extension}")),
                _ => self.folder.join(format!("{stem}_{count}.{extension}")),
            };
            match std::fs::symlink_metadata(&path) {
                Ok(found)
                    if found.is_file() && std::fs::read(&path).is_ok_and(|old| old == bytes) =>
                {
                    return Ok(path);
                }
                Ok(_) => {}
                // A file system without hard links gets a copy.
                Err(_) => {
                    return std::fs::hard_link(&picture.path, &path)
                        .or_else(|_| write_file(&path, &bytes))
                        .map(|()| path.clone())
                        .map_err(|e| error::file("write", &path, e));
                }
            }
        }
        unreachable!("a folder holds fewer files than there are numbers")
    }

    /// The picture with that hash, if a question of this run showed it. The path is made from the
    /// checked hash alone, so that neither a URL nor a forged database can lead out of the folder.
    ///
    /// # Errors
    /// [`Error`].
    pub fn shown_picture(&self, hash: &str) -> Result<Option<ShownPicture>, Error> {
        if hash.len() != HASH_DIGITS || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let folder = self.folder.join(SHEETS_FOLDER);
        let picture: Option<KeptPicture> = self.document("pictures", hash)?;
        Ok(picture.map(|KeptPicture { media_type, width_px, height_px, .. }| {
            let extension = if media_type == "image/jpeg" { "jpg" } else { "png" };
            let path = folder.join(format!("{hash}.{extension}"));
            ShownPicture { path, media_type, width_px, height_px }
        }))
    }
}
