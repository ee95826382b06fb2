//! Assets for the 3D views: assets of the run → GLB or SPZ files written by us, so that a browser
//! shows what the renderer drew.

use super::checks::{LEVEL, SEED, check_kind, splat_check_kind};
use super::stored::Stored;
use crate::damage::{damage, damage_splats};
use crate::error::Error;
use crate::load::{Choices, Options, load_asset};
use crate::save::{SaveError, SaveOptions, write_glb};
use crate::scene::{Asset, Scene, SplatScene};
use crate::store::{AssetPaths, Store};
use glam::{DAffine3, DVec3};
use meshjudge_splat::read::Loaded;
use meshjudge_splat::write;
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Assets kept on this machine's disk, in its folder for temporary files, all together: 4 GiB.
const CACHE_BYTES_MAX: u64 = 4 << 30;

/// Why an asset cannot be shown; paths are not sent to the browser.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::unstable::report) enum AssetError {
    /// No row of the run names it.
    #[error("the run has no such asset")]
    Unknown,
    /// The file is missing or no longer readable.
    #[error("the asset's file was moved or cannot be read")]
    Gone,
    /// It is another one than was judged.
    #[error("the asset's file has changed since it was judged, so it is not shown")]
    Changed,
    /// Splats that the encoding for the page does not have.
    #[error("the 3D view cannot show these Gaussian splats, but the pictures do: {0}")]
    Splats(String),
    #[error("this machine's disk has no room for a copy of the asset")]
    NoRoom,
}

/// The asset of a 3D view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::unstable::report) struct Content {
    /// Of the asset's file.
    pub hash: Arc<str>,
    /// Number of the attention check whose damage is done to it; none for the asset as it is.
    pub check: Option<usize>,
}

/// A file that was written for a page.
#[derive(Debug, Clone, Copy)]
pub(in crate::unstable::report) struct Written {
    bytes: u64,
    media_type: &'static str,
}

/// The assets of a run by content hash.
#[derive(Debug)]
pub(in crate::unstable::report) struct Assets {
    /// Their paths; several methods can have equal files.
    paths: Mutex<BTreeMap<String, Vec<PathBuf>>>,
    found: AssetPaths,
    load: Options,
    /// In order of use, latest last. Locked while an asset is read, so memory holds one at a time.
    cache: Mutex<VecDeque<(Content, Arc<Stored>)>>,
}

impl Assets {
    pub(in crate::unstable::report) fn new(load: Options, runs: &[PathBuf]) -> Self {
        let (paths, found, cache) = (Mutex::default(), AssetPaths::of(runs), Mutex::default());
        Self { paths, found, load, cache }
    }

    /// Reads which assets a run has now.
    ///
    /// # Errors
    /// [`Error`].
    pub(in crate::unstable::report) fn read(&self, store: &Store) -> Result<(), Error> {
        store.asset_files()?.iter().for_each(|(hash, path)| self.add(hash, path));
        Ok(())
    }

    fn add(&self, hash: &str, path: &str) {
        let mut paths = self.paths();
        if !paths.contains_key(hash) {
            paths.insert(hash.to_owned(), Vec::new());
        }
        if let Some(known) = paths.get_mut(hash)
            && !known.iter().any(|known| known.as_os_str() == path)
        {
            known.push(PathBuf::from(path));
        }
    }

    fn paths(&self) -> MutexGuard<'_, BTreeMap<String, Vec<PathBuf>>> {
        self.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The path of a vote's asset, from its row.
    pub(in crate::unstable::report) fn path(&self, hash: &str) -> String {
        let paths = self.paths();
        let first = paths.get(hash).and_then(|paths| paths.first());
        first.map_or_else(String::new, |path| path.display().to_string())
    }

    /// The asset as a file on the disk. Reads and encodes: not for an async thread.
    ///
    /// # Errors
    /// [`AssetError`].
    pub(super) fn stored(&self, wanted: &Content) -> Result<Arc<Stored>, AssetError> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = cache.iter().position(|(known, _)| known == wanted)
            && let Some(found) = cache.remove(at)
        {
            cache.push_back(found.clone());
            return Ok(found.1);
        }
        let mut file = tempfile::tempfile().map_err(|_| AssetError::NoRoom)?;
        let Written { bytes, media_type } = self.write(wanted, &mut file)?;
        let stored = Arc::new(Stored { file, bytes, media_type });
        cache.push_back((wanted.clone(), Arc::clone(&stored)));
        while cache.len() > 1 && cache.iter().map(|(_, s)| s.bytes).sum::<u64>() > CACHE_BYTES_MAX {
            cache.pop_front();
        }
        Ok(stored)
    }

    /// Writes GLB or SPZ without material and texture names, which may reveal the generator.
    ///
    /// # Errors
    /// [`AssetError`].
    pub(in crate::unstable::report) fn write(
        &self,
        wanted: &Content,
        out: &mut impl Write,
    ) -> Result<Written, AssetError> {
        let hash = &*wanted.hash;
        let mut why = AssetError::Gone;
        for path in self.files(hash).ok_or(AssetError::Unknown)? {
            let Ok(loaded) =
                load_asset(&path, &self.load, Choices { hash: Some(hash), ..Choices::default() })
            else {
                continue;
            };
            if loaded.hash != hash {
                why = AssetError::Changed;
                continue;
            }
            return match &loaded.scene {
                Asset::Mesh(scene) => write_mesh(scene, wanted.check, out),
                Asset::Splats(splats) => write_splats(splats, wanted.check, out),
            };
        }
        Err(why)
    }

    /// Where the run's files with this content may be.
    fn files(&self, hash: &str) -> Option<Vec<PathBuf>> {
        let paths = self.paths().get(hash).cloned()?;
        Some(paths.iter().flat_map(|path| self.found.places(path)).collect())
    }

    /// How many assets have no file, and how many there are.
    pub(in crate::unstable::report) fn lacking(&self) -> (usize, usize) {
        let hashes: Vec<String> = self.paths().keys().cloned().collect();
        (hashes.iter().filter(|hash| !self.has_file(hash)).count(), hashes.len())
    }

    pub(in crate::unstable::report) fn has_file(&self, hash: &str) -> bool {
        self.files(hash).is_some_and(|files| files.iter().any(|file| file.is_file()))
    }
}

fn write_mesh(
    scene: &Scene,
    check: Option<usize>,
    out: &mut impl Write,
) -> Result<Written, AssetError> {
    let damaged = check.map(|n| damage(scene, check_kind(n), LEVEL, SEED));
    let damaged = damaged.transpose().map_err(|_| AssetError::Gone)?;
    let scene = damaged.as_ref().map_or(scene, |damaged| &damaged.scene);
    let options = SaveOptions { has_names: false };
    let written = write_glb(scene, options, &mut BufWriter::new(out));
    let bytes = written.map_err(|e| match e {
        SaveError::Write { .. } => AssetError::NoRoom,
        _ => AssetError::Gone,
    })?;
    Ok(Written { bytes, media_type: "model/gltf-binary" })
}

/// Around the origin, with radius 1: the page cannot tell floaters from the rest.
fn write_splats(
    splats: &SplatScene,
    check: Option<usize>,
    out: &mut impl Write,
) -> Result<Written, AssetError> {
    let damaged = check.map(|n| damage_splats(splats, splat_check_kind(n), LEVEL, SEED));
    let damaged = damaged.transpose().map_err(|_| AssetError::Gone)?;
    let splats = damaged.as_ref().map_or(splats, |damaged| &damaged.scene);
    if splats.surfaces().is_some() {
        return Err(AssetError::Splats("there are surfaces among them".to_owned()));
    }
    let (extent, read) = (splats.extent(), splats.read());
    let place = DAffine3::from_scale(DVec3::splat(1.0 / extent.radius))
        * DAffine3::from_translation(-extent.center);
    let placed = read.splats.clone().mapped(&place).ok_or(AssetError::Gone)?;
    let written =
        write::write(&Loaded { splats: placed, ignored: Vec::new(), ..*read }, write::Target::Spz)
            .map_err(|e| AssetError::Splats(e.to_string()))?;
    out.write_all(&written.bytes).map_err(|_| AssetError::NoRoom)?;
    Ok(Written { bytes: written.bytes.len() as u64, media_type: "model/spz" })
}
