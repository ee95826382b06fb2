//! Runs → a folder for any web host: the report, its pictures and the 3D views, with only relative
//! links. Nothing in it asks for anything outside the folder, and people are numbers.

use super::RunReport;
use super::extent::{GalleryPlace, PictureCount};
use super::page::{Page, write_parts, written};
use super::serve::assets::{AssetError, Assets, Content};
use super::static_files::static_files;
use crate::error::Error;
use crate::load::Options;
use crate::results::RateSettings;
use crate::save::{NewFolder, is_unfinished, remove_leftovers};
use crate::store::{Pseudonyms, Store};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The page.
const PAGE: &str = "index.html";
/// Identifies a bundle among other folders.
const MARK: &str = "meshjudge-bundle.json";
/// Pictures and parts of the gallery.
const PARTS: &str = "part";
/// Where the page's script looks for assets, by their hashes.
const ASSETS: &str = "asset";

/// Goes with every copy of the viewer.
const VIEWER_LICENCE: &str = include_str!("../../assets/viewer/LICENSE");

/// Statistics of the bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bundled {
    pub files: usize,
    /// Total of all files.
    pub bytes: u64,
    /// Assets with a 3D view.
    pub assets: usize,
    /// Assets that cannot be shown: their files are missing, or differ from the judged files.
    pub lacking: usize,
}

/// The folders of a run's assets.
#[derive(Debug)]
pub struct BundleAssets(Assets);

/// Reads and rates runs for a bundle.
///
/// # Errors
/// As [`RunReport::read`].
pub fn read_bundle(
    folders: &[PathBuf],
    settings: &RateSettings,
) -> Result<(RunReport, BundleAssets), Error> {
    let assets = Assets::new(Options::default(), folders);
    let mut names = Pseudonyms::default();
    let gallery = GalleryPlace::Beside;
    let report = RunReport::read_with(folders, settings, gallery, Some(&mut names), |_| ())?;
    for folder in folders {
        assets.read(&Store::read(folder)?)?;
    }
    Ok((report, BundleAssets(assets)))
}

/// Writes the site into `folder`, which is new, empty, or a bundle of ours that is replaced.
///
/// # Errors
/// A folder with other files in it, or that cannot be written.
pub fn write_bundle(
    report: &RunReport,
    assets: &BundleAssets,
    folder: &Path,
    pictures: PictureCount,
) -> Result<Bundled, Error> {
    remove_leftovers(folder);
    let is_empty = std::fs::read_dir(folder).map_or(true, |mut found| found.next().is_none());
    if !is_empty && !folder.join(MARK).is_file() && !is_unfinished(folder) {
        let path = folder.to_owned();
        return Err(Error::run("the folder contains files that are not part of a report bundle; give a new or empty folder").at(path));
    }
    let made = written(folder, NewFolder::create(folder))?;
    let write = |name: &str, bytes: &[u8]| written(&folder.join(name), made.write(name, bytes));
    let about = serde_json::json!({"meshjudge": env!("CARGO_PKG_VERSION"), "provenance": report.provenance()});
    write(MARK, about.to_string().as_bytes())?;
    for (name, _, text) in static_files() {
        // Those of the voting page stay on the server.
        if name.starts_with("viewer/") || name.ends_with("3d.js") {
            write(name, text.as_bytes())?;
        }
    }
    write("viewer/LICENSE", VIEWER_LICENCE.as_bytes())?;
    let hashes: BTreeSet<&Arc<str>> = report
        .gallery
        .items
        .iter()
        .flat_map(|item| std::iter::once(&item.a).chain(&item.b))
        .map(|object| &object.hash)
        .collect();
    let asset = |hash: &Arc<str>| -> Result<bool, Error> {
        let wanted = Content { hash: Arc::clone(hash), check: None };
        // The bytes are those of this hash, so it is one, and no path.
        let name = format!("{ASSETS}/{hash}");
        let mut file = written(&folder.join(&name), made.file(&name))?;
        match assets.0.write(&wanted, &mut file) {
            Ok(_) => Ok(true),
            Err(e @ AssetError::NoRoom) => {
                written(&folder.join(&name), Err(std::io::Error::other(e)))
            }
            Err(_) => {
                let gone = std::fs::remove_file(made.path().join(&name));
                written(&folder.join(&name), gone).map(|()| false)
            }
        }
    };
    let shown = hashes.into_iter().map(asset).collect::<Result<Vec<bool>, _>>()?;
    let part = |name: &str, bytes: &[u8]| write(&format!("{PARTS}/{name}"), bytes);
    let page = write_parts(report, &part, PARTS, Page::Site(pictures))?;
    write(PAGE, page.as_bytes())?;
    written(folder, made.merge(&[PARTS, ASSETS].map(str::to_owned), PAGE))?;
    let (files, bytes) = written(folder, size(folder))?;
    let num_shown = shown.iter().filter(|is_shown| **is_shown).count();
    Ok(Bundled { files, bytes, assets: num_shown, lacking: shown.len() - num_shown })
}

/// Number and bytes of all files below a folder.
fn size(folder: &Path) -> std::io::Result<(usize, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.metadata()?;
        if kind.is_dir() {
            let (more, many) = size(&entry.path())?;
            files += more;
            bytes += many;
        } else {
            files += 1;
            bytes += kind.len();
        }
    }
    Ok((files, bytes))
}
