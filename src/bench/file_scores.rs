//! The `[[features]]` and `[[scores]]` of a file for single assets, without a benchmark: the same
//! vectors and numbers, and nothing is asked.

use super::features::{open_models, score_made};
use super::file::{FeaturesEntry, PicturesEntry, ScoresEntry, syntax, text_of};
use super::observer::Observer;
use super::plan::Plan;
use super::prompt::Prompt;
use crate::ask::{Sides, StopSwitch};
use crate::error::Error;
use crate::features::{StoredVectors, stored_vectors};
use crate::load::Options;
use crate::rubric::toml_reason;
use crate::store::{Made, MetricsKept};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The parts of a benchmark file that count here; it may have the others too.
#[derive(Debug, Deserialize)]
struct FeatureFile {
    #[serde(default)]
    features: Vec<FeaturesEntry>,
    #[serde(default)]
    scores: Vec<ScoresEntry>,
    #[serde(default)]
    pictures: PicturesEntry,
}

/// Computes everything that the file lists, of assets with the hashes of their content; vectors are
/// by the name of the feature, and the generator of a row is the path of its asset. The stem of an
/// asset is the id of its prompt, for patterns such as `scans/{prompt_id}.glb`; `text` is empty for
/// none.
///
/// # Errors
/// A file with errors, a score of sets of assets, a model that cannot be used.
pub fn score_files(
    file: &Path,
    assets: &[(PathBuf, String)],
    (text, images): (&str, Sides<PathBuf>),
    load: &Options,
    observer: &dyn Observer,
) -> Result<(MetricsKept, Vec<(String, StoredVectors)>), Error> {
    let FeatureFile { features, scores, pictures } =
        toml::from_str(&text_of("file of features", file)?)
            .map_err(|e| syntax("file of features", &toml_reason(&e), file))?;
    let id = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let ids: BTreeSet<String> = assets.iter().map(|(path, _)| id(path)).collect();
    let prompts = ids.into_iter().map(|id| Prompt {
        folder: id.clone(),
        id,
        text: text.to_owned(),
        category: None,
        images: images.clone(),
    });
    let plan =
        Plan::of_features((&features, &scores), pictures.photo, prompts.collect(), load, file)?;
    let made = assets.iter().map(|(path, hash)| Made {
        method: path.display().to_string(),
        prompt_id: id(path),
        prompt: text.to_owned(),
        path: Some(path.display().to_string()),
        hash: Some(hash.clone()),
        ..Made::default()
    });
    let made: Vec<Made> = made.collect();
    let folder = tempfile::tempdir().map_err(|e| {
        Error::bench(format!(
            "cannot make a folder for the vectors ({e}); check the disk and its permissions"
        ))
    })?;
    let mut opened = open_models(&plan, folder.path(), observer).map_err(Error::bench)?;
    let mut kept = MetricsKept::default();
    let (stop, before) = (StopSwitch::default(), MetricsKept::default());
    score_made(&plan, &mut opened, &made, &stop, observer, &before, &mut kept);
    let folders = [folder.path().to_owned()];
    let named = features.into_iter().filter_map(|entry| {
        // A feature of assets that all failed has no vectors, which was reported.
        let stored = stored_vectors(&folders, &entry.name).ok()?;
        Some((entry.name, stored))
    });
    Ok((kept, named.collect()))
}
