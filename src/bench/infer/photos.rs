//! The photos that assets were made from, found by the names of their files.

use super::texts::letters;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Extensions of photos; the last two are refused later, with a remedy.
const EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "webp", "heic", "avif"];

/// Words that set a mask's name apart from its photo's: `chair_mask.png`, `chair.mask.png`, `chair-alpha.png`.
const MASK_WORDS: [&str; 3] = ["mask", "alpha", "matte"];

/// Of two folders with photos of as many prompts, the one with such a name is taken: others may hold renders.
const FOLDER_WORDS: [&str; 5] = ["photo", "image", "input", "prompt", "reference"];

/// Photos and masks of prompts.
#[derive(Debug, Default)]
pub(super) struct Photos {
    /// Where the photos are.
    pub folder: Option<PathBuf>,
    /// By prompt, in the order of the ids that were looked for.
    pub found: Vec<Option<PathBuf>>,
    pub masks: Vec<Option<PathBuf>>,
    /// Two files of one name.
    pub problems: Vec<String>,
}

impl Photos {
    /// Looks into `given`, or else next to and inside the folder of the results, for the folder with the photos of most prompts.
    /// Folders of generators hold renders of theirs.
    pub(super) fn of(
        given: Option<&Path>,
        results: &Path,
        generators: &BTreeSet<&str>,
        ids: &[String],
    ) -> Self {
        let folders = match given {
            Some(given) => [vec![given.to_owned()], folders_in(given)].concat(),
            None => around(results, generators),
        };
        let looked = folders.iter().map(|folder| Self::in_folder(folder, ids));
        let most = looked.max_by_key(|photos| {
            let folder = photos.folder.as_deref().and_then(Path::file_name);
            let name = folder.unwrap_or_default().to_string_lossy().to_lowercase();
            let is_named = FOLDER_WORDS.iter().any(|word| name.contains(word));
            (photos.found.iter().flatten().count(), is_named)
        });
        let mut photos = most.filter(|it| it.found.iter().any(Option::is_some)).unwrap_or_default();
        photos.found.resize(ids.len(), None);
        photos.masks.resize(ids.len(), None);
        if photos.masks.iter().all(Option::is_none) {
            let masks = folders.iter().map(|folder| masks_in(folder, ids, true));
            let most = masks.max_by_key(|masks| masks.iter().flatten().count());
            photos.masks = most.unwrap_or_else(|| vec![None; ids.len()]);
        }
        // A mask without its photo says nothing.
        for (mask, photo) in photos.masks.iter_mut().zip(&photos.found) {
            mask.take_if(|mask| photo.as_ref().is_none_or(|photo| photo == mask));
        }
        photos
    }

    fn in_folder(folder: &Path, ids: &[String]) -> Self {
        let mut by_name: HashMap<String, Vec<PathBuf>> = HashMap::new();
        for file in pictures_in(folder) {
            by_name.entry(letters(&stem(&file))).or_default().push(file);
        }
        let mut problems = Vec::new();
        let found = ids
            .iter()
            .map(|id| {
                let files = by_name.get(&letters(id))?;
                if let [first, second, ..] = files.as_slice() {
                    problems.push(format!(
                        "{} and {} have the same name; the first is used as the photo of {id:?}",
                        first.display(),
                        second.display()
                    ));
                }
                files.first().cloned()
            })
            .collect();
        Self {
            folder: Some(folder.to_owned()),
            found,
            masks: masks_in(folder, ids, false),
            problems,
        }
    }
}

/// The masks of prompts: files whose names say so, or all of a folder whose name does.
fn masks_in(folder: &Path, ids: &[String], by_folder: bool) -> Vec<Option<PathBuf>> {
    let name = folder.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let is_of_masks = name.is_some_and(|name| MASK_WORDS.iter().any(|word| name.contains(word)));
    let files = pictures_in(folder);
    let is_mask_of = |file: &PathBuf, id: &String| {
        let (name, id) = (letters(&stem(file)), letters(id));
        if by_folder {
            is_of_masks && name == id
        } else {
            MASK_WORDS.iter().any(|word| name == format!("{id}{word}"))
        }
    };
    ids.iter().map(|id| files.iter().find(|file| is_mask_of(file, id)).cloned()).collect()
}

/// The folder of the results, its content and its neighbours.
fn around(results: &Path, generators: &BTreeSet<&str>) -> Vec<PathBuf> {
    let is_generator = |folder: &PathBuf| {
        let name = folder.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| generators.contains(&*name))
    };
    let inside = folders_in(results).into_iter().filter(|folder| !is_generator(folder));
    let parent = match results.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        Some(_) => PathBuf::from("."),
        None => return inside.collect(),
    };
    let next_to = folders_in(&parent)
        .into_iter()
        .filter(|folder| folder.canonicalize().ok() != results.canonicalize().ok());
    let mut all: Vec<PathBuf> = std::iter::once(results.to_owned()).chain(inside).collect();
    all.extend(next_to);
    // `max_by_key` takes the last of equals.
    all.reverse();
    all
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

fn pictures_in(folder: &Path) -> Vec<PathBuf> {
    let is_picture = |path: &PathBuf| {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        extension.is_some_and(|e| EXTENSIONS.contains(&e.as_str())) && path.is_file()
    };
    entries(folder).into_iter().filter(is_picture).collect()
}

/// By name; hidden ones and those whose names are not UTF-8 are left out.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let plain = |path: PathBuf| path.strip_prefix("./").map(Path::to_owned).unwrap_or(path);
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| plain(entry.path()))
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| !name.starts_with('.'))
        })
        .collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
