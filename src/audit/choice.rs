//! Which objects are damaged, and how: names and folders → an [`AuditPlan`].

use super::plan::{AuditPlan, CleanObject};
use crate::damage::{DamageKind, Family, all_kinds, kind};
use crate::error::Error;
use crate::front::has_extension;
use crate::load::{Choices, EXTENSIONS, Options, load_asset};
use crate::objects::assembled::Assembled;
use crate::objects::scenes::cases;
use crate::objects::{self, Split};
use crate::rubric::Rubric;
use crate::scene::one_of;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where the clean objects come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Bases {
    /// Our own; of one half, or all.
    Own(Option<Split>),
    /// Number of objects, assembled at random from the seed.
    Fresh(u32),
    /// Every asset of a folder, loaded with these options.
    Folder(PathBuf, Options),
}

/// What an audit is to ask about.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditChoice {
    /// For pairs and photos; the category rubric has scenes of its own.
    pub bases: Bases,
    /// Objects or scenes at most.
    pub objects_max: usize,
    /// Names of kinds or of families; empty for all.
    pub kinds: Vec<String>,
    /// Each above 0 to 1.
    pub levels: Vec<f32>,
    /// Where the damage is, and which objects are fresh.
    pub seed: u64,
}

impl AuditPlan {
    /// What `rubric` is asked about.
    ///
    /// # Errors
    /// Unknown kinds, a folder with no or unreadable assets, a rubric without audit questions.
    pub fn new(choice: &AuditChoice, rubric: &Rubric) -> Result<Self, Error> {
        if rubric.yes().is_some() {
            return Err(Error::audit(format!(
                "no right answers to the checklist {:?} are known; import people's answers to a run instead, and rate it",
                rubric.name()
            )));
        }
        let mut levels = choice.levels.clone();
        levels.sort_by(f32::total_cmp);
        levels.dedup();
        let (mut objects, mut scenes) = (Vec::new(), Vec::new());
        if !rubric.has_categories() {
            objects = match &choice.bases {
                Bases::Own(split) => own(*split),
                Bases::Fresh(count) => fresh(*count, choice.seed),
                Bases::Folder(folder, options) => in_folder(folder, options)?,
            };
            objects.truncate(choice.objects_max);
        } else if matches!(choice.bases, Bases::Own(_)) {
            scenes.extend(cases().iter().take(choice.objects_max));
        } else {
            return Err(Error::audit(
                "the category rubric is audited with built-in scenes; leave out other objects, or use a pairwise rubric",
            ));
        }
        Ok(Self {
            kinds: chosen(&choice.kinds, &objects, rubric)?,
            objects,
            cases: scenes,
            levels,
            seed: choice.seed,
            has_photos: rubric.shows_photo(),
            is_scored: rubric.needs_photo(),
        })
    }
}

fn own(split: Option<Split>) -> Vec<CleanObject> {
    let all = objects::all().iter();
    all.filter(|object| split.is_none_or(|split| object.split == split))
        .map(CleanObject::Own)
        .collect()
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
    let of_family =
        |family: Family| possible.iter().copied().filter(|k| k.family == family).collect();
    let mut chosen: Vec<&'static DamageKind> = Vec::new();
    for name in names {
        let found: Vec<&'static DamageKind> = match name.as_str() {
            "geometry" => of_family(Family::Geometry),
            "texture" => of_family(Family::Texture),
            "harmless" => of_family(Family::Harmless),
            "scene" => of_family(Family::Scene),
            name => (kind(name).into_iter()).filter(|kind| possible.contains(kind)).collect(),
        };
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
