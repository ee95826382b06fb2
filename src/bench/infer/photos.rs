//! The photos that assets were made from, found by the names of their files.

use super::texts::letters;
use crate::ask::{SIDE_NAMES, Sides};
use crate::front::has_extension;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Extensions of photos; the last two are refused later, with a remedy.
const EXTENSIONS: [&str; 6] = ["png", "jpg", "jpeg", "webp", "heic", "avif"];

/// Words that a mask's name adds: `chair_mask.png`, `chair.mask.png`, `chair-alpha.png`.
const MASK_WORDS: [&str; 3] = ["mask", "alpha", "matte"];

/// Of two folders with photos of as many prompts, such a name decides: others may hold renders.
const FOLDER_WORDS: [&str; 5] = ["photo", "image", "input", "prompt", "reference"];

/// Names of the photo next to an asset that was made of it; other pictures there show the asset.
const INPUT_WORDS: [&str; 3] = ["input", "inputimage", "photo"];

/// Photos and masks of prompts.
#[derive(Debug, Default)]
pub(super) struct Photos {
    /// Where the photos are.
    pub folder: Option<PathBuf>,
    /// By prompt, in the order of the ids that were looked for; empty for a prompt without a photo.
    pub found: Vec<Sides<PathBuf>>,
    /// Two files of one name.
    pub problems: Vec<String>,
}

impl Photos {
    /// Looks into `given`, or else next to and inside the folder of the results, for the folder
    /// with the photos of most prompts. Folders of generators hold renders of theirs.
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
            (photos.num_prompts(), is_named)
        });
        let mut photos = most.filter(|it| it.num_prompts() > 0).unwrap_or_default();
        photos.found.resize(ids.len(), Vec::new());
        photos.look_next_to_assets(results, generators, ids);
        let mut masks = photos.found.iter().flatten().map(|(_, _, mask)| mask);
        if masks.all(Option::is_none) {
            let masks = folders.iter().filter(|folder| is_of_masks(folder));
            let masks = masks.map(|folder| Self::in_folder(folder, ids));
            let most = masks.max_by_key(Self::num_prompts);
            for (photos, masks) in
                photos.found.iter_mut().zip(most.into_iter().flat_map(|it| it.found))
            {
                for (side, image, mask) in photos {
                    let own = masks.iter().find(|(of, it, _)| of == side && it != image);
                    *mask = own.map(|(_, it, _)| it.clone());
                }
            }
        }
        photos
    }

    /// For prompts without one, a photo that a generator kept with its asset:
    /// `out/METHOD/PROMPT/input.png`.
    fn look_next_to_assets(&mut self, results: &Path, generators: &BTreeSet<&str>, ids: &[String]) {
        for (id, found) in ids.iter().zip(&mut self.found).filter(|(_, found)| found.is_empty()) {
            let mut each = generators.iter().flat_map(|of| pictures_in(&results.join(of).join(id)));
            let is_input = |file: &PathBuf| INPUT_WORDS.contains(&letters(&stem(file)).as_str());
            if let Some(file) = each.find(is_input) {
                self.folder.get_or_insert_with(|| results.to_owned());
                self.problems.push(format!("{} is used as the photo of {id:?}", file.display()));
                found.push((String::new(), file, None));
            }
        }
    }

    fn num_prompts(&self) -> usize {
        self.found.iter().filter(|photos| !photos.is_empty()).count()
    }

    fn in_folder(folder: &Path, ids: &[String]) -> Self {
        let files = pictures_in(folder);
        let names: HashSet<String> = ids.iter().map(|id| letters(id)).collect();
        let mut by_prompt: HashMap<String, Vec<PathBuf>> = HashMap::new();
        for inside in folders_in(folder) {
            let name = inside.file_name().unwrap_or_default().to_string_lossy();
            by_prompt.entry(letters(&name)).or_default().extend(pictures_in(&inside));
        }
        let mut problems = Vec::new();
        let found = ids
            .iter()
            .map(|id| {
                let own = letters(id);
                // The name of another prompt is not a side of this one.
                let is_mine = |name: &str| letters(name) == own || !names.contains(&letters(name));
                let here = files.iter().filter_map(|file| {
                    let name = stem(file);
                    Some((view(&name, &own).filter(|_| is_mine(&name))?, file))
                });
                let inside = by_prompt.get(&own).into_iter().flatten().filter_map(|file| {
                    let name = stem(file);
                    Some((view(&name, "").or_else(|| view(&name, &own))?, file))
                });
                sides_of(id, here.chain(inside), &mut problems)
            })
            .collect();
        Self { folder: Some(folder.to_owned()), found, problems }
    }
}

/// A side, or nothing, and whether a mask of it.
type View = (Option<&'static str>, bool);

/// What a file shows of a prompt: `chair`, `chair-mask`, `chair_front`, `chair.front.mask`; `own`
/// is the prompt's name in letters.
fn view(name: &str, own: &str) -> Option<View> {
    let whole = letters(name);
    if !own.is_empty() && whole == own {
        return Some((None, false));
    }
    if MASK_WORDS.iter().any(|word| whole == format!("{own}{word}")) {
        return Some((None, true));
    }
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<String> = words.map(letters).collect();
    let is_mask = words.pop_if(|word| MASK_WORDS.contains(&word.as_str())).is_some();
    let last = words.pop()?;
    let side = SIDE_NAMES.into_iter().find(|side| *side == last)?;
    (words.concat() == own).then_some((Some(side), is_mask))
}

/// The one photo of a prompt, or those of its sides in their order. With other sides, a photo
/// without a name shows the front.
fn sides_of<'a>(
    id: &str,
    files: impl Iterator<Item = (View, &'a PathBuf)>,
    problems: &mut Vec<String>,
) -> Sides<PathBuf> {
    let mut first: HashMap<View, &PathBuf> = HashMap::new();
    for (view, file) in files {
        if let Some(known) = first.get(&view) {
            problems.push(format!(
                "{} and {} have the same name; the first is used as the photo of {id:?}",
                known.display(),
                file.display()
            ));
        } else {
            first.insert(view, file);
        }
    }
    let image = |side: Option<&'static str>| {
        let mask = first.get(&(side, true)).map(|mask| (*mask).clone());
        Some((side.unwrap_or_default().to_owned(), (*first.get(&(side, false))?).clone(), mask))
    };
    let mut sides: Sides<PathBuf> =
        SIDE_NAMES.into_iter().filter_map(|side| image(Some(side))).collect();
    match image(None) {
        Some(only) if sides.is_empty() => sides.push(only),
        Some((_, file, mask)) if sides[0].0 != SIDE_NAMES[0] => {
            sides.insert(0, (SIDE_NAMES[0].to_owned(), file, mask));
        }
        Some((_, file, _)) => problems.push(format!(
            "{} is left out, because {} shows the front of {id:?}",
            file.display(),
            sides[0].1.display()
        )),
        None => {}
    }
    if let [only] = sides.as_mut_slice() {
        only.0 = String::new();
    }
    sides
}

/// Whether all pictures of a folder are masks.
fn is_of_masks(folder: &Path) -> bool {
    let name = folder.file_name().map(|name| name.to_string_lossy().to_lowercase());
    name.is_some_and(|name| MASK_WORDS.iter().any(|word| name.contains(word)))
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
    let is_picture = |path: &PathBuf| has_extension(path, &EXTENSIONS) && path.is_file();
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
