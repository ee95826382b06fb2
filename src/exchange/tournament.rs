//! A run's assets as a GPTEval3D tournament: its folder layout, its 120 views, its configuration,
//! which its own package reads and judges.

use crate::ask::Drawing;
use crate::error::{Error, Kind};
use crate::load::{Choices, Options, load_asset};
use crate::options::ViewOptions;
use crate::render::{Channel, Renderer, Timings, draw_each};
use crate::rubric::Rubric;
use crate::save::{NewFolder, distinct_names, remove_leftovers, write_file};
use crate::store::Made;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The text that its judge reads, next to `config.json`.
const QUESTION_FILE: &str = "prompts/pairwise.txt";

/// Comparisons in the configuration: every pair of methods on every prompt, at most this many.
const COMPARISONS_MAX: usize = 100_000;

/// Counts of assets drawn, kept and left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exported {
    pub drawn: usize,
    /// Assets that an earlier export has drawn.
    pub kept: usize,
    /// Assets without pictures, and why.
    pub left_out: Vec<(PathBuf, String)>,
}

/// Writes the tournament: `prompts.json`, `config.json`,
/// `methods/<method>/<number of the prompt>/<seed>/rgb_0.png …`. An asset's folder under its final
/// name is complete, so repeating the call resumes the export.
///
/// # Errors
/// [`Error`]. An asset that cannot be read is left out and named.
pub fn export_tournament(
    made: &[Made],
    rubric: &Rubric,
    options: &Options,
    folder: &Path,
    renderer: Renderer,
    each: impl Fn(&Path),
) -> Result<Exported, Error> {
    if made.is_empty() {
        return Err(Error::run(
            "this run has no assets of generators; export a run of `meshjudge bench`",
        ));
    }
    let prompts = prompts(made);
    let numbers: BTreeMap<&str, usize> =
        prompts.iter().enumerate().map(|(number, (id, _))| (*id, number)).collect();
    let view_options = ViewOptions { renderer, ..ViewOptions::default() };
    let channels = [Channel::Rgb, Channel::Normal];
    let drawing = Drawing::new(&view_options, "gpteval3d", None, &channels)?;
    let mut exported = Exported::default();
    let methods: BTreeSet<&str> = made.iter().map(|asset| asset.method.as_str()).collect();
    let methods: Vec<&str> = methods.into_iter().collect();
    // Its package reads a method's name from the folder's.
    let names = distinct_names(&methods);
    let folders: BTreeMap<&str, &String> = methods.iter().copied().zip(&names).collect();
    remove_leftovers(folder);
    for asset in made {
        let place = folder
            .join("methods")
            .join(folders[asset.method.as_str()])
            .join(numbers[asset.prompt_id.as_str()].to_string())
            .join(asset.seed.to_string());
        let path = PathBuf::from(asset.path.clone().unwrap_or_default());
        each(&path);
        if let Some((_, reason)) = &asset.failure {
            exported.left_out.push((path, reason.clone()));
        } else if place.is_dir() {
            exported.kept += 1;
        } else {
            match draw_into(&path, asset, &drawing, options, (folder, &place))? {
                None => exported.drawn += 1,
                Some(reason) => exported.left_out.push((path, reason)),
            }
        }
    }
    write_texts(&prompts, &names, rubric, folder)?;
    Ok(exported)
}

/// Id and text in the order of ids; ids that are numbers, as GPTEval3D's own, in their order.
fn prompts(made: &[Made]) -> Vec<(&str, &str)> {
    let found: BTreeMap<&str, &str> =
        made.iter().map(|made| (made.prompt_id.as_str(), made.prompt.as_str())).collect();
    let mut prompts: Vec<(&str, &str)> = found.into_iter().collect();
    prompts.sort_by_key(|(id, _)| (id.parse::<u64>().unwrap_or(u64::MAX), *id));
    prompts
}

/// Why the asset is left out, where it is.
fn draw_into(
    path: &Path,
    asset: &Made,
    drawing: &Drawing,
    options: &Options,
    (folder, place): (&Path, &Path),
) -> Result<Option<String>, Error> {
    let failed = |e: std::io::Error, path: &Path| Error::cannot_write(Kind::Run, e, path);
    let hash = asset.hash.as_deref().unwrap_or_default();
    let loaded = match load_asset(path, options, Choices { hash: Some(hash), ..Choices::default() })
    {
        Ok(loaded) => loaded,
        Err(e) => return Ok(Some(e.to_string())),
    };
    // Its package takes every folder below a method's for a seed of a prompt.
    let made = NewFolder::create_in(folder, place).map_err(|e| failed(e, place))?;
    let written =
        draw_each(&loaded.scene, &drawing.rig, &drawing.settings, &Timings::default(), |frame| {
            for (channel, name) in [(Channel::Rgb, "rgb"), (Channel::Normal, "normal")] {
                let name = format!("{name}_{}.png", frame.view_idx);
                let png = frame.images[&channel].to_png().map_err(std::io::Error::other);
                png.and_then(|png| made.write(&name, &png))
                    .map_err(|e| failed(e, &place.join(&name)))?;
            }
            Ok::<(), Error>(())
        });
    match written {
        Ok(results) => results.into_iter().collect::<Result<(), _>>()?,
        Err(e) => return Ok(Some(e.to_string())),
    }
    made.replace(place).map_err(|e| failed(e, place))?;
    Ok(None)
}

fn write_texts(
    prompts: &[(&str, &str)],
    methods: &[String],
    rubric: &Rubric,
    folder: &Path,
) -> Result<(), Error> {
    let criteria = rubric.criteria(None);
    let numbers: Vec<usize> = (0..criteria.len()).collect();
    let texts: Vec<&str> = prompts.iter().map(|(_, text)| *text).collect();
    let pairs = methods.len() * methods.len().saturating_sub(1) / 2;
    let views = rubric.pictures().first().and_then(|p| p.views).unwrap_or(4);
    let config = json!({
        "criteria": criteria.iter().map(|c| [&c.title, &c.description]).collect::<Vec<_>>(),
        "methods": methods,
        "prompt_ids": (0..texts.len()).collect::<Vec<_>>(),
        "gpt_prompts": [QUESTION_FILE],
        "ensembles": [{
            "num_views": views, "rgb": 1, "normal": 1, "dimensions": numbers, "gpt_prompt": QUESTION_FILE,
            "num_comparisons": (pairs * texts.len()).clamp(1, COMPARISONS_MAX),
        }],
        "scores": criteria.iter().map(|_| json!({})).collect::<Vec<_>>(),
    });
    // Its package adds the prompt itself, so it gets the text before it.
    let question = rubric.text(None).unwrap_or_default().to_owned() + "\n";
    let indented = |value: &serde_json::Value| format!("{value:#}\n");
    for (name, text) in [
        ("prompts.json", indented(&json!(texts))),
        ("config.json", indented(&config)),
        (QUESTION_FILE, question),
    ] {
        let path = folder.join(name);
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
            write_file(&path, text.as_bytes())
        };
        write().map_err(|e| Error::cannot_write(Kind::Run, e, &path))?;
    }
    Ok(())
}
