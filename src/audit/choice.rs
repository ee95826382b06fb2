//! Which objects are damaged, and how: names and folders → an [`AuditPlan`].

use super::finding::family_name;
use super::plan::{AuditPlan, CleanObject};
use crate::damage::{DamageKind, all_kinds};
use crate::error::Error;
use crate::front::has_extension;
use crate::load::{Choices, EXTENSIONS, Options, load_asset};
use crate::objects::assembled::Assembled;
use crate::objects::scenes::cases;
use crate::objects::{self, Split};
use crate::options::{AuditOptions, Half};
use crate::rubric::Rubric;
use crate::scene::one_of;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl AuditPlan {
    /// What `rubric` is asked about. `load` is how a folder's assets are read; `seed` decides where
    /// the damage is, and which objects are fresh.
    ///
    /// # Errors
    /// Unknown kinds, a folder with no or unreadable assets, a rubric without audit questions.
    pub fn new(
        options: &AuditOptions,
        load: &Options,
        seed: u64,
        rubric: &Rubric,
    ) -> Result<Self, Error> {
        if rubric.yes().is_some() {
            return Err(Error::audit(format!(
                "no right answers to the checklist {:?} are known; import people's answers to a run instead, and rate it",
                rubric.name()
            )));
        }
        let mut levels = options.levels.clone().unwrap_or_else(|| vec![0.25, 0.5, 1.0]);
        if levels.is_empty() || !levels.iter().all(|&level| level > 0.0 && level <= 1.0) {
            return Err(Error::audit("levels must be above 0 up to 1, such as 0.25,0.5,1"));
        }
        levels.sort_by(f32::total_cmp);
        levels.dedup();
        let objects_max = options.objects.map_or(usize::MAX, |n| n as usize);
        let (mut objects, mut scenes) = (Vec::new(), Vec::new());
        if !rubric.has_categories() {
            objects = match (&options.bases, options.fresh) {
                (Some(folder), None) => in_folder(folder, load)?,
                (None, Some(count)) => fresh(count, seed),
                (None, None) => own(options.split.unwrap_or_default()),
                (Some(_), Some(_)) => {
                    let text = "give a folder of assets or a number of fresh objects, not both";
                    return Err(Error::usage(text));
                }
            };
            objects.truncate(objects_max);
        } else if options.bases.is_none() && options.fresh.is_none() {
            scenes.extend(cases().iter().take(objects_max));
        } else {
            return Err(Error::audit(
                "the category rubric is audited with built-in scenes; leave out other objects, or use a pairwise rubric",
            ));
        }
        if objects.is_empty() && scenes.is_empty() {
            return Err(Error::audit("an audit needs objects; give at least 1"));
        }
        Ok(Self {
            kinds: chosen(options.kinds.as_deref().unwrap_or_default(), &objects, rubric)?,
            objects,
            cases: scenes,
            levels,
            seed,
            has_photos: rubric.shows_photo(),
            is_scored: rubric.needs_photo(),
        })
    }
}

fn own(half: Half) -> Vec<CleanObject> {
    let is_in = |split: Split| match half {
        Half::Held => split == Split::Held,
        Half::Fit => split == Split::Fit,
        Half::All => true,
    };
    let all = objects::all().iter();
    all.filter(|object| is_in(object.split)).map(CleanObject::Own).collect()
}

fn fresh(count: u32, seed: u64) -> Vec<CleanObject> {
    (0..count).map(|number| CleanObject::Assembled(Assembled { seed, number })).collect()
}

/// Every asset of the folder, by name; an unreadable asset is an error, so that the figures are of
/// exactly these objects.
fn in_folder(folder: &Path, options: &Options) -> Result<Vec<CleanObject>, Error> {
    let unreadable = |e: std::io::Error| {
        Error::audit(format!("cannot list the folder of clean assets ({e})")).at(folder)
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if has_extension(&path, &EXTENSIONS) {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(Error::audit(format!(
            "the folder of clean assets has no .{}",
            EXTENSIONS.join(", .")
        ))
        .at(folder));
    }
    paths.sort();
    let total = paths.len();
    let (mut objects, mut broken) = (Vec::new(), Vec::new());
    for path in paths {
        match load_asset(&path, options, Choices::default()) {
            Ok(loaded) => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                objects.push(CleanObject::File {
                    prompt: stem.replace(['_', '-'], " "),
                    asset: loaded.scene,
                    hash: loaded.hash,
                    path,
                });
            }
            Err(error) => broken.push(error.to_string()),
        }
    }
    if broken.is_empty() {
        return Ok(objects);
    }
    Err(Error::audit(format!(
            "{} of {total} clean assets cannot be read; move them out of the folder, so that the figures cover a known set of objects:\n  {}\n ",
            broken.len(),
            broken.join("\n  ")
        )).at(folder))
}

/// The kinds of these names or families, each once, out of those that the rubric's questions can be
/// about and that an object takes.
fn chosen(
    names: &[String],
    objects: &[CleanObject],
    rubric: &Rubric,
) -> Result<Vec<&'static DamageKind>, Error> {
    let possible: Vec<&'static DamageKind> = all_kinds()
        .filter(|kind| match rubric.has_categories() {
            true => kind.category().is_some(),
            false => objects.iter().any(|object| object.takes(kind)),
        })
        .collect();
    if names.is_empty() {
        return Ok(possible);
    }
    let mut chosen: Vec<&'static DamageKind> = Vec::new();
    for name in names {
        let is_it = |kind: &&DamageKind| [kind.name, family_name(kind.family)].contains(&&**name);
        let found: Vec<_> = possible.iter().copied().filter(is_it).collect();
        if found.is_empty() {
            let known = || possible.iter().map(|kind| kind.name);
            let text = format!(
                "{name:?} is not a kind of damage for this rubric and these objects, or a family (geometry, texture, harmless; scene for the category rubric); {}",
                one_of(name, known())
            );
            let known = known().map(str::to_owned).collect();
            return Err(Error::usage(text).unknown("kind of damage", name, known));
        }
        chosen.extend(found);
    }
    let mut seen = BTreeSet::new();
    chosen.retain(|kind| seen.insert(kind.name));
    Ok(chosen)
}
