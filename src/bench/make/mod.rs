//! Generators: a prompt and a seed → an asset in a file, or why there is none.
//!
//! Ready files are looked up at once. Commands and requests are jobs for a few threads, so that drawing and judging go on meanwhile.
//! What was made lies in `made/<method>/<prompt id>/<seed>/` of the run; a folder under its final name is whole.

mod command;
mod http;
mod pattern;
mod pool;

pub use pattern::{Values, fill};
pub use pool::{Delivered, Job, Pool};

use super::file::GeneratorEntry;
use super::plan::{Prompt, words};
use command::Command;
use http::Endpoint;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Where made assets lie in a run.
pub const MADE_FOLDER: &str = "made";

/// What a command's words may hold.
pub(super) const COMMAND_PLACES: [&str; 8] = [
    "prompt_id",
    "prompt",
    "seed",
    "method",
    "out",
    "image",
    "mask",
    "gpu",
];

/// What a path may hold: nothing that could leave its folder.
const PATH_PLACES: [&str; 3] = ["prompt_id", "seed", "method"];

/// Longest time for one asset unless told otherwise.
const TIMEOUT: Duration = Duration::from_secs(1800);

/// Where a generator's assets come from.
#[derive(Debug, Clone)]
pub enum Maker {
    /// Files that are there already.
    Files(String),
    /// Folders of pictures that are there already.
    Pictures(String),
    /// A program.
    Command(Arc<Command>),
    /// A server.
    Endpoint(Arc<Endpoint>),
}

/// What one asset is made from.
#[derive(Debug, Clone)]
pub struct Order<'a> {
    /// The generator's name.
    pub method: &'a str,
    /// The prompt.
    pub prompt: &'a Prompt,
    /// The seed.
    pub seed: u32,
    /// The folder it is made in, which exists.
    pub folder: &'a Path,
    /// The graphics card, if it has one.
    pub gpu: Option<&'a str>,
    /// Set when everything is to end.
    pub stop: &'a AtomicBool,
}

impl Maker {
    /// Checks an entry of the file; paths in it are relative to `folder`.
    ///
    /// # Errors
    /// In words.
    pub fn new(entry: &GeneratorEntry, folder: &Path) -> Result<Self, String> {
        let given = [
            entry.path.is_some(),
            entry.command.is_some(),
            entry.url.is_some(),
            entry.pictures.is_some(),
        ];
        if given.iter().filter(|is_given| **is_given).count() != 1 {
            return Err("give exactly one of `path`, `command`, `url` and `pictures`".to_owned());
        }
        let timeout = entry.timeout_secs.map_or(TIMEOUT, Duration::from_secs);
        if timeout.is_zero() {
            return Err("`timeout_secs` must be at least 1".to_owned());
        }
        if let Some(pattern) = entry.path.as_ref().or(entry.pictures.as_ref()) {
            fill(
                pattern,
                &Values(PATH_PLACES.map(|name| (name, "")).to_vec()),
            )?;
            let joined = folder.join(pattern).to_string_lossy().into_owned();
            return Ok(if entry.path.is_some() {
                Self::Files(joined)
            } else {
                Self::Pictures(joined)
            });
        }
        if let Some(line) = &entry.command {
            let command = Command {
                words: words(line)?,
                cwd: entry
                    .cwd
                    .as_ref()
                    .map_or(folder.to_owned(), |cwd| folder.join(cwd)),
                env: entry.env.clone(),
                needs_gpu: entry.gpu,
                extension: extension(entry.extension.as_deref())?,
                timeout,
                retries: entry.retries.unwrap_or(1),
            };
            return Ok(Self::Command(Arc::new(command)));
        }
        let url = entry.url.as_deref().unwrap_or_default();
        Endpoint::new(url, entry, timeout).map(|endpoint| Self::Endpoint(Arc::new(endpoint)))
    }

    /// Where the asset is, or would be; `run` is the run's folder.
    pub fn place(&self, run: &Path, method: &str, prompt_id: &str, seed: u32) -> PathBuf {
        let number = seed.to_string();
        match self {
            Self::Files(pattern) | Self::Pictures(pattern) => {
                let values = [prompt_id, &number, method];
                let values = PATH_PLACES.into_iter().zip(values).collect();
                let filled = fill(pattern, &Values(values));
                PathBuf::from(filled.expect("the pattern was filled when it was read"))
            }
            Self::Command(command) => made_folder(run, method, prompt_id, seed)
                .join(format!("asset.{}", command.extension)),
            Self::Endpoint(_) => made_folder(run, method, prompt_id, seed).join("asset.glb"),
        }
    }

    /// Whether there is something to run.
    pub fn is_job(&self) -> bool {
        matches!(self, Self::Command(_) | Self::Endpoint(_))
    }

    /// Whether a graphics card is needed.
    pub fn needs_gpu(&self) -> bool {
        matches!(self, Self::Command(command) if command.needs_gpu)
    }

    /// Tries after a failed one.
    pub fn retries(&self) -> u32 {
        match self {
            Self::Files(_) | Self::Pictures(_) => 0,
            Self::Command(command) => command.retries,
            Self::Endpoint(endpoint) => endpoint.retries,
        }
    }

    /// One try. The asset is then in `order.folder`.
    ///
    /// # Errors
    /// In words.
    pub fn make(&self, order: &Order<'_>) -> Result<(), String> {
        match self {
            Self::Files(_) | Self::Pictures(_) => Ok(()),
            Self::Command(command) => command.run(order),
            Self::Endpoint(endpoint) => endpoint.request(order),
        }
    }
}

/// The folder of one made asset.
pub fn made_folder(run: &Path, method: &str, prompt_id: &str, seed: u32) -> PathBuf {
    run.join(MADE_FOLDER)
        .join(method)
        .join(prompt_id)
        .join(seed.to_string())
}

fn extension(wanted: Option<&str>) -> Result<String, String> {
    let extension = wanted
        .unwrap_or("glb")
        .trim_start_matches('.')
        .to_ascii_lowercase();
    if ["glb", "gltf", "obj"].contains(&extension.as_str()) {
        Ok(extension)
    } else {
        Err(format!(
            "`extension` is {extension:?}; use glb, gltf or obj"
        ))
    }
}
