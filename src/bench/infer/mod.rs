//! A folder of results, as generators leave them (`out/METHOD/PROMPT.glb`) → a benchmark file.
//!
//! Every path is read in several ways; for each generator the pattern that names most of its assets
//! is taken, and the rest is left out by name. Nothing is loaded.

mod found;
mod photos;
mod reading;
mod scan;
mod texts;
mod toml_text;

use super::names::checked_name;
use crate::error::Error;
pub use found::{Inferred, InferredGenerator, InferredPrompt, LeftOut};
use photos::Photos;
use reading::{Reading, readings};
use scan::Scan;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use texts::{Texts, letters};

impl Inferred {
    /// Looks only at names.
    ///
    /// # Errors
    /// [`Error`].
    pub fn of(folder: &Path, photos: Option<&Path>) -> Result<Self, Error> {
        let unreadable = |reason: String| {
            Error::bench(format!("the folder cannot be read ({reason})")).at(folder)
        };
        let Some(prefix) = folder.to_str() else {
            return Err(unreadable("its name is not UTF-8".to_owned()));
        };
        let Scan { assets, mut left_out, .. } = Scan::of(folder).map_err(unreadable)?;
        let mut generators = Vec::new();
        for (name, files) in assets {
            if let Err(why) = checked_name("generator", &name) {
                left_out.push(LeftOut { path: name, why });
                continue;
            }
            generators.extend(generator(prefix, &name, &files, &mut left_out));
        }
        if generators.len() < 2 {
            let found = match generators.as_slice() {
                [] => "no generator with assets was found".to_owned(),
                [only, ..] => format!("only one generator was found, {:?}", only.name),
            };
            let found = match left_out.first() {
                Some(LeftOut { path, why }) => format!("{found} ({path:?} is left out: {why})"),
                None => found,
            };
            let path = folder.to_owned();
            return Err(Error::bench(format!("{found}, but a comparison needs two; put the assets of each generator into its own folder, such as GENERATOR/PROMPT.glb")).at(path));
        }
        let ids: BTreeSet<&String> = generators
            .iter()
            .flat_map(|generator| generator.assets.iter().map(|(prompt, _)| prompt))
            .collect();
        let ids: Vec<String> = ids.into_iter().cloned().collect();
        let seeds: BTreeSet<u32> = generators
            .iter()
            .flat_map(|generator| generator.assets.iter().filter_map(|(_, seed)| *seed))
            .collect();
        let texts = Texts::beside(folder);
        let mut notes = texts.problems.clone();
        notes.extend(alike(&ids));
        notes.extend(without_seeds(&generators, &seeds));
        let found = texts.of(&ids);
        let taken: BTreeSet<&str> =
            found.iter().flatten().map(|table| table.text.as_str()).collect();
        let unused = texts.tables.iter().filter(|table| !taken.contains(table.text.as_str()));
        if let Some(file) = &texts.file {
            let unused = unused.count();
            let unnamed = found.iter().filter(|table| table.is_none()).count();
            let mut note = |count: usize, what: &str| {
                let prompts = match count {
                    0 => return,
                    1 => "1 prompt is".to_owned(),
                    n => format!("{n} prompts are"),
                };
                notes.push(format!("{prompts} {what} {}", file.display()));
            };
            note(unused, "left out, because no generator has an asset for it, in");
            note(unnamed, "without a text, so the name is used; texts are from");
        }
        let names = generators.iter().map(|generator| generator.name.as_str());
        let photos = Photos::of(photos, folder, &names.collect(), &ids);
        notes.extend(photos.problems.clone());
        let of_prompt = ids.iter().zip(&photos.found);
        let without: Vec<&str> =
            of_prompt.filter(|(_, found)| found.is_empty()).map(|(id, _)| id.as_str()).collect();
        if let Some(at) = photos.folder.as_ref().filter(|_| !without.is_empty()) {
            notes.push(format!(
                "{} of {} prompts have no photo in {}: {}",
                without.len(),
                ids.len(),
                at.display(),
                without.join(", ")
            ));
        }
        let of_prompt = ids.iter().zip(&found).zip(photos.found);
        let prompts = of_prompt.map(|((id, table), photos)| {
            let (id, from_file) = (id.clone(), table.cloned());
            InferredPrompt { id, from_file, photos }
        });
        Ok(Self {
            folder: folder.to_owned(),
            generators,
            prompts: prompts.collect(),
            seeds: seeds.into_iter().collect(),
            photos: photos.folder,
            texts_file: texts.file.clone().filter(|_| found.iter().any(Option::is_some)),
            left_out,
            notes,
        })
    }

    /// The benchmark file; paths in it hold where the folder was given from.
    pub fn to_toml(&self) -> String {
        toml_text::toml_text(self)
    }
}

/// The pattern that matches most assets, and the assets that it does not match.
fn generator(
    folder: &str,
    name: &str,
    files: &[Vec<String>],
    left_out: &mut Vec<LeftOut>,
) -> Option<InferredGenerator> {
    let shown = |file: &[String]| format!("{name}/{}", file.join("/"));
    // By pattern: its rank among a file's readings, and how many files each prompt and seed has.
    type Named = BTreeMap<(String, Option<u32>), usize>;
    let mut patterns: BTreeMap<String, (usize, Named)> = BTreeMap::new();
    let mut read = Vec::new();
    for file in files {
        let parts: Vec<&str> = file.iter().map(String::as_str).collect();
        let (mut good, mut bad) = (Vec::new(), None);
        for reading in readings(&parts) {
            match checked_name("prompt id", &reading.prompt) {
                Ok(()) => good.push(reading),
                Err(why) => bad = bad.or(Some(why)),
            }
        }
        if good.is_empty() {
            let deep = "its folder has no seed in its name; expected GENERATOR/PROMPT/FILE or GENERATOR/PROMPT/SEED/FILE";
            left_out.push(LeftOut { path: shown(file), why: bad.unwrap_or(deep.to_owned()) });
            continue;
        }
        for (rank, reading) in good.iter().enumerate() {
            let (best, named) = patterns.entry(reading.pattern.clone()).or_default();
            *best = (*best).max(rank);
            *named.entry((reading.prompt.clone(), reading.seed)).or_default() += 1;
        }
        read.push((file, good));
    }
    let count = |named: &Named| named.values().filter(|files| **files == 1).count();
    // A wildcard only where names differ; formats in the order of `load`, complete materials first.
    let format = |pattern: &str| {
        let known = crate::load::EXTENSIONS;
        let place = known.iter().position(|e| pattern.ends_with(e));
        place.unwrap_or(known.len())
    };
    let (pattern, (_, named)) = patterns.iter().min_by_key(|(pattern, (rank, named))| {
        let num_assets = std::cmp::Reverse(count(named));
        (num_assets, pattern.contains('*'), *rank, format(pattern), (*pattern).clone())
    })?;
    let assets: BTreeSet<(String, Option<u32>)> =
        named.iter().filter(|(_, files)| **files == 1).map(|(asset, _)| asset.clone()).collect();
    let path = format!(
        "{}/{}/{pattern}",
        super::make::escaped(folder.trim_end_matches(['/', std::path::MAIN_SEPARATOR])),
        super::make::escaped(name),
    );
    for (file, readings) in read {
        let taken = |reading: &Reading| {
            reading.pattern == *pattern && assets.contains(&(reading.prompt.clone(), reading.seed))
        };
        if !readings.iter().any(taken) {
            left_out.push(LeftOut {
                path: shown(file),
                why: format!("{path:?} links to another file"),
            });
        }
    }
    Some(InferredGenerator { name: name.to_owned(), path, assets })
}

/// Prompts whose names differ only in punctuation are probably the same.
fn alike(ids: &[String]) -> Vec<String> {
    let mut by_letters: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for id in ids {
        by_letters.entry(letters(id)).or_default().push(id);
    }
    let same = by_letters.into_iter().filter(|(key, ids)| !key.is_empty() && ids.len() > 1);
    same.map(|(_, ids)| {
        format!("{ids:?} count as different prompts; if they are the same prompt, give their files the same name")
    })
    .collect()
}

fn without_seeds(generators: &[InferredGenerator], seeds: &BTreeSet<u32>) -> Vec<String> {
    let without = generators.iter().filter(|generator| !generator.has_seeds());
    let note = |generator: &InferredGenerator| {
        format!(
            "files of {:?} have no seed in their names, so its one asset per prompt is used for each of the {} seeds of the others",
            generator.name,
            seeds.len()
        )
    };
    without.filter(|_| seeds.len() > 1).map(note).collect()
}
