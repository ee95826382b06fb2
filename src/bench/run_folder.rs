//! The run folder of a benchmark file, and the content of its `run.toml`.

use super::file::{BenchFile, GeneratorSource, JudgeEntry, JudgeTable};
use super::make::{redact_object, redacted_command};
use super::plan::Plan;
use super::shard::Shard;
use crate::error::Error;
use crate::front::RunPlace;
use crate::results::CATEGORIES_KEY;
use crate::results::{JudgeReliability, RELIABILITY_KEY};
use crate::store::{Store, default_folder, other_division, shard_folder};
use std::path::{Path, PathBuf};

/// The run's folder: the given one, else the newest of the same file and shard, also after the file
/// was changed, else a new one. Not created yet.
pub fn run_folder<'p>(
    path: &Path,
    shard: Option<Shard>,
    place: impl Into<RunPlace<'p>>,
) -> PathBuf {
    match (place.into(), shard) {
        (RunPlace::Folder(folder), None) => folder.to_owned(),
        (RunPlace::Folder(folder), Some(Shard { number, count })) => {
            shard_folder(folder, number, count)
        }
        (RunPlace::Below(runs), _) => {
            let identity = identity(path, shard);
            default_folder(runs, "bench", |config| {
                config.get("identity").and_then(toml::Value::as_str) == Some(&identity)
            })
        }
    }
}

/// Opens the run in `folder` and writes its `run.toml`.
///
/// # Errors
/// A folder that is unusable, used by another process, or has the benchmark in another division.
pub fn open_run(
    folder: &Path,
    file: &BenchFile,
    plan: &Plan,
    path: &Path,
    shard: Option<Shard>,
    reliability: &[JudgeReliability],
) -> Result<Store, Error> {
    let whole = if shard.is_some() { folder.parent().unwrap_or(folder) } else { folder };
    if let Some(found) = other_division(whole, shard.map(|shard| shard.count)) {
        return Err(Error::run(format!("the folder has {found} of this benchmark, and another number of shards would ask every question again; give the shard as before, or use another run folder and reuse the answers that are there")).at(whole));
    }
    let mut store = Store::open(folder)?;
    let mut config = config(file, plan, path, &identity(path, shard));
    if let Ok(reliability) = toml::Value::try_from(reliability) {
        config.insert(RELIABILITY_KEY.to_owned(), reliability);
    }
    store.keep_config(&config)?;
    Ok(store)
}

fn identity(path: &Path, shard: Option<Shard>) -> String {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    // The form of 0.1.0, whose runs are resumed.
    let shard = match shard {
        None => "None".to_owned(),
        Some(Shard { number, count }) => format!("Some(({number}, {count}))"),
    };
    let text = format!("bench\n{}\n{shard}", path.display());
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The file as it was understood. Values of environment variables may be keys and are left out, and
/// so is what looks like a key.
fn config(file: &BenchFile, plan: &Plan, path: &Path, identity: &str) -> toml::Table {
    let mut file = file.clone();
    for judge in &mut file.judges {
        if let JudgeEntry::Table(JudgeTable { tuning, .. }) = judge {
            tuning.body.iter_mut().for_each(redact_object);
        }
    }
    for generator in &mut file.generators {
        if let GeneratorSource::Command(line) | GeneratorSource::Serve(line) = &mut generator.source
        {
            *line = redacted_command(line);
        }
        generator.env.values_mut().for_each(|value| *value = "(not kept)".to_owned());
    }
    let prompts: Vec<String> = plan.prompts.iter().map(|p| p.id.clone()).collect();
    let rubrics: Vec<String> =
        plan.rubrics.iter().map(|r| format!("{} {}", r.rubric.name(), r.rubric.hash())).collect();
    let mut config = toml::Table::new();
    let program = concat!("meshjudge ", env!("CARGO_PKG_VERSION"));
    config.insert("program".to_owned(), program.into());
    config.insert("identity".to_owned(), identity.into());
    config.insert("file".to_owned(), path.to_string_lossy().as_ref().into());
    config.insert("prompt_ids".to_owned(), prompts.into());
    let categories = plan
        .prompts
        .iter()
        .filter_map(|p| Some((p.id.clone(), toml::Value::from(p.category.clone()?))));
    let categories: toml::Table = categories.collect();
    if !categories.is_empty() {
        config.insert(CATEGORIES_KEY.to_owned(), categories.into());
    }
    config.insert("rubric_hashes".to_owned(), rubrics.into());
    if let Ok(table) = toml::Table::try_from(&file) {
        config.insert("bench".to_owned(), table.into());
    }
    config
}
