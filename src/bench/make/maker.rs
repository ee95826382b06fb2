//! Where a generator's assets come from.

use super::command::{Program, words};
use super::job::MADE_FOLDER;
use super::pattern::fill;
use super::wildcard::only_match;
use crate::bench::file::{GeneratorEntry, GeneratorSource};
use crate::bench::prompt::Prompt;
use crate::load::{Choices, LoadError, Loaded, Options, Turn, load_asset};
use crate::save::file_name;
use crate::scene::{Asset, ViewScale};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Placeholders of a path; none of them can lead out of its folder.
const PATH_PLACES: [&str; 3] = ["prompt_id", "seed", "method"];

/// Default of the longest time for one asset.
const TIMEOUT: Duration = Duration::from_secs(1800);

/// Default of the longest time until a generator that stays is ready: it reads its weights.
const START_TIMEOUT: Duration = Duration::from_secs(900);

/// Default of the jobs at a time of a service.
const IN_FLIGHT: usize = 4;

/// Each is a process.
const IN_FLIGHT_MAX: usize = 256;

/// Where a generator's assets come from.
#[derive(Debug, Clone)]
pub enum Maker {
    Files(String),
    /// Folders of existing pictures.
    Pictures(String),
    Program(Arc<Program>),
}

impl Maker {
    /// Checks an entry of the file; paths in it are relative to `folder`.
    ///
    /// # Errors
    /// In words.
    pub fn new(entry: &GeneratorEntry, folder: &Path) -> Result<Self, String> {
        let is_service = entry.cost_usd.is_some() || entry.in_flight.is_some();
        let stays = matches!(entry.source, GeneratorSource::Serve(_));
        if is_service && !stays {
            return Err("`cost_usd` and `in_flight` need `serve`".to_owned());
        }
        if entry.cost_usd.is_some_and(|usd| !(usd.is_finite() && usd >= 0.0)) {
            return Err("`cost_usd` must be 0 or more US dollars".to_owned());
        }
        if entry.in_flight.is_some_and(|jobs| !(1..=IN_FLIGHT_MAX).contains(&jobs)) {
            return Err(format!("`in_flight` must be between 1 and {IN_FLIGHT_MAX}"));
        }
        let timeout = entry.timeout_secs.map_or(TIMEOUT, Duration::from_secs);
        if timeout.is_zero() {
            return Err("`timeout_secs` must be at least 1".to_owned());
        }
        let joined = |pattern: &String| -> Result<String, String> {
            fill(pattern, &PATH_PLACES.map(|name| (name, "")))?;
            Ok(folder.join(pattern).to_string_lossy().into_owned())
        };
        let line = match &entry.source {
            GeneratorSource::Path(pattern) => return joined(pattern).map(Self::Files),
            GeneratorSource::Pictures(pattern) => return joined(pattern).map(Self::Pictures),
            GeneratorSource::Command(line) | GeneratorSource::Serve(line) => line,
        };
        let start_timeout = entry.start_secs.map_or(START_TIMEOUT, Duration::from_secs);
        let cwd = entry.cwd.as_ref();
        Ok(Self::Program(Arc::new(Program {
            words: words(line, stays)?,
            cwd: cwd.map_or(folder.to_owned(), |cwd| folder.join(cwd)),
            env: entry.env.clone(),
            needs_gpu: entry.gpu,
            extension: extension(entry.extension.as_deref())?,
            timeout,
            retries: entry.retries.unwrap_or(1),
            start_timeout: stays.then_some(start_timeout),
            cost_usd: entry.cost_usd,
            in_flight: is_service.then_some(entry.in_flight.unwrap_or(IN_FLIGHT)),
        })))
    }

    /// What is run for each asset; none where the assets exist.
    pub fn program(&self) -> Option<&Arc<Program>> {
        match self {
            Self::Program(program) => Some(program),
            Self::Files(_) | Self::Pictures(_) => None,
        }
    }
}

/// `folder`, unless the own name of `text` is there in exactly these letters: the disk keeps
/// capitals apart, or the name that differs only in capitals is newer.
fn folder_in(parent: PathBuf, text: &str, folder: &str) -> PathBuf {
    let own = file_name(text);
    let is_own = |entry: std::fs::DirEntry| entry.file_name() == own.as_str();
    let is_there = own != folder && parent.read_dir().is_ok_and(|list| list.flatten().any(is_own));
    parent.join(if is_there { &own } else { folder })
}

fn extension(wanted: Option<&str>) -> Result<String, String> {
    let extension = wanted.unwrap_or("glb").trim_start_matches('.').to_ascii_lowercase();
    if ["glb", "gltf", "obj"].contains(&extension.as_str()) {
        Ok(extension)
    } else {
        Err(format!("`extension` is {extension:?}; use glb, gltf or obj"))
    }
}

/// A generator by name.
#[derive(Debug, Clone)]
pub struct Method {
    /// Its name on the leaderboard; unique.
    pub name: String,
    /// The name of the folder of what it makes, no other method's on any disk.
    pub folder: String,
    /// Where its assets come from.
    pub maker: Maker,
    /// Up and front of its files, where they have some of their own.
    pub turn: Option<Turn>,
    /// Axes of some of its files; the last matching entry applies.
    pub turns: Vec<AssetTurn>,
}

/// Up and front of some of a generator's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetTurn {
    pub prompt_ids: Vec<String>,
    /// None for all.
    pub seeds: Vec<u32>,
    pub turn: Turn,
}

impl Method {
    /// Where its asset is, or would be; `run` is the run's folder.
    pub fn place(&self, run: &Path, prompt: &Prompt, seed: u32) -> PathBuf {
        let number = seed.to_string();
        let extension = match &self.maker {
            Maker::Files(pattern) | Maker::Pictures(pattern) => {
                let values = [&prompt.id, &number, &self.name].map(String::as_str);
                let values: Vec<_> = PATH_PLACES.into_iter().zip(values).collect();
                let filled = fill(pattern, &values);
                let path = PathBuf::from(filled.expect("the pattern was filled when it was read"));
                return match self.maker {
                    Maker::Files(_) => only_match(path),
                    _ => path,
                };
            }
            Maker::Program(program) => &program.extension,
        };
        self.made_folder(run, prompt, seed).join(format!("asset.{extension}"))
    }

    /// The folder of an asset that it makes.
    pub(super) fn made_folder(&self, run: &Path, prompt: &Prompt, seed: u32) -> PathBuf {
        let all = folder_in(run.join(MADE_FOLDER), &self.name, &self.folder);
        folder_in(all, &prompt.id, &prompt.folder).join(seed.to_string())
    }

    /// Up and front axes of one of its files, if they differ from the benchmark's.
    pub(in crate::unstable::bench) fn turn_of(&self, prompt_id: &str, seed: u32) -> Option<Turn> {
        let fits = |of: &&AssetTurn| {
            of.prompt_ids.iter().any(|id| id == prompt_id)
                && (of.seeds.is_empty() || of.seeds.contains(&seed))
        };
        let of_asset = self.turns.iter().rev().find(fits).map(|of| of.turn);
        of_asset.or(self.turn)
    }

    /// Reads one of its assets, of this prompt and seed; `options` are the benchmark's.
    ///
    /// # Errors
    /// As [`load_asset`].
    pub(in crate::unstable::bench) fn read(
        &self,
        (prompt_id, seed): (&str, u32),
        path: &Path,
        options: &Options,
        view_scale: Option<&ViewScale>,
    ) -> Result<Loaded<Asset>, LoadError> {
        load_asset(
            path,
            options,
            Choices { turn: self.turn_of(prompt_id, seed), ..Choices::at(view_scale) },
        )
    }
}
