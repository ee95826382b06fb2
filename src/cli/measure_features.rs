//! `measure --features`: vectors and scores of assets by the user's models.

use super::draw_args::warn_of_asset;
use super::measure_text::{Line, table};
use super::watch::Watch;
use super::{Exit, Printer};
use crate::bench::{in_threads, score_files, threads_max};
use crate::error::Error;
use crate::load::{Choices, Options, load_asset};
use crate::report::plural;
use clap::Args;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Your models")]
pub(super) struct FeatureArgs {
    /// A file with [[features]] and [[scores]] as in a benchmark (docs/FEATURES.md): compute these;
    /// --json prints the vectors too
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["reference", "metrics"])]
    pub features: Option<PathBuf>,

    /// The text from which the assets were made
    #[arg(long, value_name = "TEXT", requires = "features")]
    prompt: Option<String>,

    /// The photo from which the assets were made
    #[arg(long, value_name = "PHOTO", requires = "features")]
    image: Option<PathBuf>,

    /// Where the object is in the photo: white or opaque
    #[arg(long, value_name = "MASK", requires = "image")]
    mask: Option<PathBuf>,
}

pub(super) fn measure_features(
    args: &FeatureArgs,
    file: &Path,
    assets: &[PathBuf],
    load: &Options,
    printer: &Printer,
) -> Result<Exit, Error> {
    let text = args.prompt.as_deref().unwrap_or_default();
    let image = |image: &PathBuf| (String::new(), image.clone(), args.mask.clone());
    let images = args.image.iter().map(image).collect();
    let bar = printer.with_progress(assets.len() as u64, "reading");
    let read = |path: &PathBuf| {
        let read =
            load_asset(path, load, Choices::default()).map(|loaded| (loaded.hash, loaded.warnings));
        bar.step();
        read
    };
    let mut readable = Vec::new();
    let some = assets.chunks(threads_max());
    let each = some.flat_map(|some| some.iter().zip(in_threads(some, read)));
    for (path, loaded) in each {
        match loaded {
            Ok((hash, warnings)) => {
                warn_of_asset(&bar, path, &warnings);
                readable.push((path.clone(), hash));
            }
            Err(failure) => bar.input_error(path, &failure.into()),
        }
    }
    let watch = Watch::new(bar);
    let found = score_files(file, &readable, (text, images), load, &watch);
    let has_failed = watch.finish();
    let (kept, vectors_by_feature) = found?;
    for (feature, stored) in &vectors_by_feature {
        let vectors = stored.values.chunks_exact(stored.dimension);
        let vectors = stored.rows.iter().zip(vectors).map(|(row, vector)| {
            json!({
                "kind": "vector", "feature": feature, "path": row.method, "prompt_id": row.prompt_id,
                "view": row.view, "hash": row.asset_hash, "vector": vector,
            })
        });
        let (count, dimension) = (plural(stored.rows.len(), "vector"), stored.dimension);
        printer.show(format!("{feature}: {count} of {dimension} numbers"), vectors);
    }
    let definitions = kept.definitions.iter().map(|(hash, definition)| {
        json!({ "kind": "definition", "hash": hash, "definition": definition })
    });
    printer.show("", definitions);
    let rows = &kept.rows;
    for row in rows {
        let scored = json!({
            "kind": "score", "score": row.metric, "path": row.method, "value": row.value, "why": row.why,
            "hash": row.asset, "definition": row.definition,
        });
        printer.show("", [scored]);
        if let Some(why) = &row.why {
            printer.fail(&format!("no {} of {:?}: {why}", row.metric, row.method));
        }
    }
    let mut seen = BTreeSet::new();
    let names: Vec<String> =
        rows.iter().map(|row| row.metric.clone()).filter(|it| seen.insert(it.clone())).collect();
    let line = |(path, _): &(PathBuf, String)| {
        let path = path.display().to_string();
        let of = |name: &String| {
            rows.iter().find(|it| it.method == path && it.metric == *name).and_then(|it| it.value)
        };
        Line { values: names.iter().map(of).collect(), name: path, channel: None }
    };
    if !names.is_empty() {
        printer.show(table(&names, &readable.iter().map(line).collect::<Vec<_>>()), []);
    }
    let num_failed = rows.iter().filter(|row| row.value.is_none()).count();
    Ok(match num_failed + assets.len() - readable.len() {
        _ if readable.is_empty() || vectors_by_feature.is_empty() => Exit::Nothing,
        0 if !has_failed => Exit::Done,
        _ => Exit::SomeFailed,
    })
}
