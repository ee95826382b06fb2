//! The identity of a run of one question: `run.toml`, and the folder where it is resumed.

use crate::ask::AskSettings;
use crate::error::Error;
use crate::judge::{Asset, Judge};
use crate::load::Loaded;
use crate::options::AskOptions;
use crate::rubric::Rubric;
use crate::store::{Store, default_folder};
use std::path::{Path, PathBuf};

/// The folder of runs when the user names none.
const RUNS_FOLDER: &str = "runs";

/// The folder of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunPlace<'a> {
    /// In this folder.
    Folder(&'a Path),
    /// In a folder below this one: the newest that asked the same, else a new one.
    Below(&'a Path),
}

impl Default for RunPlace<'_> {
    fn default() -> Self {
        Self::Below(Path::new(RUNS_FOLDER))
    }
}

impl<'a, P: AsRef<Path> + ?Sized> From<Option<&'a P>> for RunPlace<'a> {
    fn from(folder: Option<&'a P>) -> Self {
        folder.map_or(Self::default(), |folder| Self::Folder(folder.as_ref()))
    }
}

/// What decides which questions are asked, and how. Commands that ask the same share a run.
#[derive(Debug, Clone)]
pub struct RunConfig<'a> {
    /// `compare`, `score`, `audit`: the prefix of the run's folder.
    pub command: &'static str,
    /// Where its questions come from: assets, prompt, rubric, protocol. Decides the run's identity,
    /// with judges and samples.
    pub about: toml::Table,
    /// Only the number of samples affects the questions.
    pub options: &'a AskOptions,
}

impl RunConfig<'_> {
    /// The run of that content, in the folder that `place` leads to. Writes `run.toml`.
    ///
    /// # Errors
    /// [`Error`](Error).
    pub fn open<'p>(
        &self,
        place: impl Into<RunPlace<'p>>,
        judges: &[Judge],
    ) -> Result<Store, Error> {
        let asked = self.asked(judges);
        let identity = identity(&asked);
        let folder = self.folder(place.into(), &asked);
        let mut config = toml::Table::new();
        let program = concat!("meshjudge ", env!("CARGO_PKG_VERSION"));
        config.insert("program".to_owned(), program.into());
        config.insert("identity".to_owned(), identity.into());
        config.insert("asked".to_owned(), asked.into());
        config.insert("how".to_owned(), self.how().into());
        let mut store = Store::open(&folder)?;
        store.keep_config(&config)?;
        Ok(store)
    }

    /// The run that [`RunConfig::open`] would resume, to read; `None` if it would begin a new one.
    ///
    /// # Errors
    /// A run that cannot be read.
    pub fn find<'p>(
        &self,
        place: impl Into<RunPlace<'p>>,
        judges: &[Judge],
    ) -> Result<Option<Store>, Error> {
        Store::find(&self.folder(place.into(), &self.asked(judges)))
    }

    fn folder(&self, place: RunPlace<'_>, asked: &toml::Table) -> PathBuf {
        let identity = identity(asked);
        match place {
            RunPlace::Folder(folder) => folder.to_owned(),
            RunPlace::Below(runs) => default_folder(runs, self.command, |config| {
                config.get("identity").and_then(toml::Value::as_str) == Some(&identity)
            }),
        }
    }

    fn asked(&self, judges: &[Judge]) -> toml::Table {
        let mut asked = self.about.clone();
        let names: Vec<toml::Value> = judges.iter().map(|judge| judge.name().into()).collect();
        asked.insert("command".to_owned(), self.command.into());
        asked.insert("judges".to_owned(), names.into());
        asked.insert("samples".to_owned(), i64::from(self.samples()).into());
        if let Some(url) = judges.iter().find_map(Judge::base_url) {
            asked.insert("base_url".to_owned(), url.into());
        }
        asked
    }

    fn samples(&self) -> u32 {
        self.options.samples.unwrap_or(AskSettings::default().samples)
    }

    /// The effective options.
    fn how(&self) -> toml::Table {
        let default = AskSettings::default();
        let options = self.options;
        let how = AskOptions {
            samples: Some(self.samples()),
            seed: Some(options.seed.unwrap_or(default.seed)),
            concurrency: options.concurrency.or(u16::try_from(default.concurrency).ok()),
            timeout_secs: Some(options.reply_timeout().as_secs_f64()),
            ..options.clone()
        };
        toml::Table::try_from(how).unwrap_or_default()
    }
}

fn identity(asked: &toml::Table) -> String {
    blake3::hash(asked.to_string().as_bytes()).to_hex().to_string()
}

/// A rubric's lines of `about`.
pub fn add_rubric(rubric: &Rubric, about: &mut toml::Table) {
    about.insert("rubric".to_owned(), rubric.name().into());
    about.insert("rubric_hash".to_owned(), rubric.hash().into());
}

/// A loaded asset as records name it, made by `method`.
pub fn asset_of<S>(loaded: &Loaded<S>, method: String) -> Asset {
    Asset { path: loaded.path.to_string_lossy().into_owned(), hash: loaded.hash.clone(), method }
}

/// Names of two assets' methods: of their files, with the folder's where both are the same.
pub fn method_names([a, b]: [&Path; 2]) -> [String; 2] {
    [method_name(a, Some(b)), method_name(b, Some(a))]
}

/// The name of one asset's method; it must differ from `other`.
pub fn method_name(path: &Path, other: Option<&Path>) -> String {
    let stem = |path: &Path| {
        let stem = path.file_stem();
        stem.map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let method = stem(path);
    let Some(other) = other.filter(|other| stem(other) == method && *other != path) else {
        return method;
    };
    let folder = |path: &Path| {
        let name = path.parent().and_then(Path::file_name);
        name.map(|s| s.to_string_lossy().into_owned())
    };
    match folder(path) {
        Some(name) if folder(other).as_ref() != Some(&name) => format!("{name}/{method}"),
        _ => path.to_string_lossy().into_owned(),
    }
}
