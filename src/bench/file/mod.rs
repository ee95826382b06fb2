//! The benchmark file: `bench.toml` → [`BenchFile`], as it is written; nothing is looked up yet.
//!
//! The JSON Schema for editors is made from these types and comments, so users read them.

mod features;
mod figures;
mod prompts;
mod template;

pub(super) use features::{
    Better, FeatureInput, FeatureNetwork, FeatureServer, FeaturesEntry, ScoresEntry,
};
pub(super) use figures::{CheckEntry, Failing, MetricsEntry};
pub(super) use prompts::{PromptTable, Prompts};
pub use template::{SCHEMA, SCHEMA_FILE, SERVICE_HELPER, SERVICES, TEMPLATE};

use super::schedule::Aim;
use crate::error::{Error, Kind};
use crate::features::ScoreSettings;
use crate::front::Fronts;
use crate::load::Axis;
use crate::options::{
    AskOptions, CompareOptions, LoadOptions, PairOptions, PointOptions, Tuning, ViewOptions, names,
};
use crate::results::RateSettings;
use crate::rubric::{read_text, toml_reason};
use crate::scene::nearest;
use crate::sheet::PhotoStyle;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Maximum size of a benchmark file: 16 MiB.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// A whole benchmark of 3D generators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BenchFile {
    /// Title of the report.
    pub name: String,
    /// The prompts: a list of texts or tables, or a file: GPTEval3D's prompts.json, .json (strings,
    /// tables, or an object from id to text), .jsonl, .csv, .tsv, or .txt with a prompt per line.
    #[serde(default)]
    pub prompts: Prompts,
    /// A folder of GPTEval3D: prompts.json has the prompts, and each folder in methods/ is a
    /// generator with its pictures.
    pub gpteval3d: Option<PathBuf>,
    /// Each prompt is generated once for each seed. Default: one seed, 0.
    #[serde(default = "one_seed")]
    pub seeds: Vec<u32>,
    /// The generators; at least two for the pairwise rubric.
    #[serde(default)]
    pub generators: Vec<GeneratorEntry>,
    /// The questions. Default: pairwise, or pairwise-image if all prompts are photos without text.
    #[serde(default)]
    pub rubrics: Vec<RubricEntry>,
    /// The judges; each gets every question. Default: probe, which measures offline.
    #[serde(default = "probe")]
    pub judges: Vec<JudgeEntry>,
    /// Limits and prices of models, over built-in ones; like assets/models.toml.
    pub models: Option<PathBuf>,
    /// `audit.json` files of `meshjudge audit`, relative to this file: the report then shows the
    /// reliability of each judge.
    #[serde(default)]
    pub audits: Vec<PathBuf>,
    /// Number of times that each judge gets each question. Default: 1.
    #[serde(default = "one")]
    #[cfg_attr(test, schemars(range(min = 1, max = 1000)))]
    pub samples: u32,
    /// Requests in flight to each judge. Default: 8.
    #[serde(default = "eight")]
    #[cfg_attr(test, schemars(range(min = 1, max = 1024)))]
    pub concurrency: u16,
    /// The pairs to ask.
    #[serde(default)]
    pub pairs: PairsEntry,
    /// Drawing of assets.
    #[serde(default)]
    pub pictures: PicturesEntry,
    /// Treatment of assets that are missing, unreadable or invisible.
    #[serde(default)]
    pub missing_assets: MissingAssets,
    /// Limits on requests and cost.
    #[serde(default)]
    pub budget: BudgetEntry,
    /// Running of generators.
    #[serde(default)]
    pub generation: GenerationEntry,
    /// Rating of verdicts.
    #[serde(default)]
    pub rating: RateSettings,
    /// Metrics of every asset against a reference, shown with the ratings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<MetricsEntry>,
    /// Limits on every asset; the board shows the share of assets that keep them.
    pub check: Option<CheckEntry>,
    /// Models that turn pictures, photos, texts or points into vectors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<FeaturesEntry>,
    /// Scores of assets and distances of sets from these vectors, shown with the ratings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<ScoresEntry>,
    /// What makes, draws and composes assets: ray, on a Ray cluster. Default: this machine.
    pub engine: Option<Engine>,
}

/// The engine of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// With the Python package: `pip install '.[ray]'` in a checkout.
    Ray,
}

/// One generator: its name, the source of its assets, and how a program is run.
///
/// In texts, `{prompt_id}`, `{prompt}`, `{seed}`, `{method}`, `{out}`, `{image}` and `{mask}` are
/// replaced by their values; `{{` is a brace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GeneratorEntry {
    /// Its name on the leaderboard.
    pub name: String,
    #[serde(flatten)]
    pub source: GeneratorSource,
    /// Cost of one asset of a service in US dollars, for `serve`; it counts against the budget.
    #[cfg_attr(test, schemars(range(min = 0)))]
    pub cost_usd: Option<f64>,
    /// Parallel jobs of a service that `serve` asks, each by a process of its own. Default: 4 if
    /// `cost_usd` is given, else the number of workers.
    #[cfg_attr(test, schemars(range(min = 1, max = 256)))]
    pub in_flight: Option<usize>,
    /// Working directory of the command. Default: the folder of the benchmark file.
    pub cwd: Option<PathBuf>,
    /// Environment variables for the command.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Whether the command needs a graphics card: it waits for a free one of `generation.gpus`,
    /// which CUDA_VISIBLE_DEVICES contains.
    #[serde(default)]
    pub gpu: bool,
    /// Extension of the command's output: glb, gltf or obj. Default: glb.
    pub extension: Option<String>,
    /// Time limit for one asset, in seconds. Default: 1800.
    #[cfg_attr(test, schemars(range(min = 1, max = 604800)))]
    pub timeout_secs: Option<u64>,
    /// Time limit until a program that keeps running is ready, in seconds. Default: 900.
    #[cfg_attr(test, schemars(range(min = 1, max = 86400)))]
    pub start_secs: Option<u64>,
    /// Retries after a failure. Default: 1.
    #[cfg_attr(test, schemars(range(min = 0, max = 100)))]
    pub retries: Option<u32>,
    /// The up axis of its files, if it differs from `pictures.up`.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub up: Option<Axis>,
    /// The front axis of its files, if it differs from `pictures.front`.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub front: Option<Axis>,
    /// Axes of some of its files, if they differ from the others; if two entries match an asset,
    /// the later one applies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axes: Vec<AxesEntry>,
}

/// The source of a generator's assets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GeneratorSource {
    /// Existing assets: `out/trellis/{prompt_id}.glb`. Relative to the benchmark file. A `*` in its
    /// last part matches any characters of exactly one name.
    Path(String),
    /// A program that writes `{out}`: a list of arguments, or one line that is split like in a
    /// shell (no shell runs it).
    Command(CommandLine),
    /// A program that keeps running: it loads its weights once, or asks a service, and makes many
    /// assets, with orders as lines of JSON. `meshjudge.serving` of the Python package implements
    /// this protocol; `bench init --service NAME` writes programs for services.
    Serve(CommandLine),
    /// Existing pictures in GPTEval3D's layout: a folder with rgb_0.png … and normal_0.png ….
    Pictures(String),
}

impl Default for GeneratorSource {
    fn default() -> Self {
        Self::Path(String::new())
    }
}

impl GeneratorSource {
    /// The pattern of existing files.
    pub fn pattern(&self) -> Option<&String> {
        match self {
            Self::Path(pattern) | Self::Pictures(pattern) => Some(pattern),
            Self::Command(_) | Self::Serve(_) => None,
        }
    }
}

/// Axes of some assets of a generator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AxesEntry {
    /// Ids of their prompts.
    pub prompts: Vec<String>,
    /// Default: all seeds.
    #[serde(default)]
    pub seeds: Vec<u32>,
    /// The up axis. Default: that of the generator's other files.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub up: Option<Axis>,
    /// The front axis. Default: that of the generator's other files.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub front: Option<Axis>,
    /// Rotation about the vertical axis, in degrees: the azimuth, seen with these axes, that
    /// becomes the front. Default: 0.
    #[cfg_attr(test, schemars(range(max = 359)))]
    pub yaw: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a command: one text, or a list of the program and its arguments")]
pub enum CommandLine {
    /// Program and arguments, unchanged.
    Words(Vec<String>),
    /// Split into words like in a shell, with quotes; placeholders are filled in afterwards, so a
    /// prompt stays one word.
    Line(String),
}

/// A rubric: its name, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a rubric: its name as a text, or a table with `name` and any of `question`, `examples` and `category`"
)]
pub enum RubricEntry {
    /// pairwise(-image), match-image, reconstruction, category, defects, features(-image), or file.
    Name(String),
    /// With settings.
    Table(RubricTable),
}

/// A rubric with its settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RubricTable {
    /// pairwise(-image), match-image, reconstruction, category, defects, features(-image), or file.
    pub name: String,
    /// The judge's text instead of the rubric's: plain text, or for the category rubric a JSON map
    /// from category to text.
    pub question: Option<PathBuf>,
    /// Folder of worked examples.
    pub examples: Option<PathBuf>,
    /// For the category rubric: the category of prompts without one.
    pub category: Option<String>,
}

/// A judge: its spec, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a judge: its spec as a text, or a table with `spec` and any of `base_url`, `timeout_secs` and `batch`"
)]
pub enum JudgeEntry {
    /// probe, openai:MODEL, …
    Spec(String),
    /// With settings.
    Table(JudgeTable),
}

/// A judge with its server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct JudgeTable {
    /// probe, openai:MODEL, …
    pub spec: String,
    /// Address of a server with the judge's protocol.
    pub base_url: Option<String>,
    /// Time limit for one reply. Default: 300.
    #[cfg_attr(test, schemars(range(min = 1, max = 86400)))]
    pub timeout_secs: Option<u64>,
    /// Whether it is asked in batches, which are answered within a day at a lower price. Default:
    /// according to `--batch`.
    pub batch: Option<bool>,
    #[serde(flatten)]
    pub tuning: Tuning,
}

/// The pairs to ask, each in both orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PairSchedule {
    /// Every two generators on every prompt.
    #[default]
    All,
    /// `count` pairs, spread evenly over generators, pairs of generators and prompts.
    RoundRobin,
    /// `count` pairs, chosen in rounds so that the ratings' intervals shrink most.
    Active,
}

/// When to stop before all pairs are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PairStop {
    /// When the order of every two generators is settled; settled pairs are not asked again.
    Settled,
    /// When first place is settled.
    FirstSettled,
}

/// The pairs to ask.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PairsEntry {
    /// all, round-robin or active. Default: all. (`way` is its old name.)
    #[serde(default, alias = "way")]
    pub schedule: PairSchedule,
    /// Pairs for round-robin or active; each judge gets each in both orders `samples` times.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub count: Option<usize>,
    /// For active: widest, mean or order. Default: widest.
    #[serde(default)]
    pub aim: Aim,
    /// For active: stop when each side of every 95 % interval is at most this, in Elo points.
    pub half_width_elo: Option<f64>,
    /// For all: go through prompts in random order and stop when the order is settled: settled or
    /// first-settled. Default: ask everything.
    pub stop: Option<PairStop>,
    /// For active and stop: the criterion whose intervals shrink, or whose order is settled.
    /// Default: overall if the rubric has it, else the first.
    pub criterion: Option<String>,
    /// For active and stop: pairs per round. Default: two for each generator.
    #[cfg_attr(test, schemars(range(min = 1, max = 10000)))]
    pub round: Option<usize>,
    /// Seed of all random choices. Default: 0.
    #[serde(default)]
    pub seed: u64,
}

/// Drawing of assets.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PicturesEntry {
    #[serde(flatten)]
    pub views: ViewOptions,
    #[serde(flatten)]
    pub pair: PairOptions,
    /// How the photo of a prompt is cropped and scaled: plain, trellis or hunyuan3d. Default:
    /// plain, a white square of 512 px.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "String"))]
    pub photo: PhotoStyle,
    #[serde(flatten)]
    pub load: LoadOptions,
    /// file (every asset as it is), common (rotated about the vertical axis to the front of the
    /// first generator's asset, where that is clear) or photo (common, then all that have one front
    /// to the side in their prompt's photo, where that is clear). Default: file.
    #[serde(default, skip_serializing_if = "Fronts::is_file")]
    pub fronts: Fronts,
}

/// Treatment of a pair with one missing, unreadable or invisible asset. With two, it is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MissingAssets {
    /// The generator without an asset loses the pair on each criterion judged for other pairs.
    #[default]
    Loss,
    /// The pair is left out, and the report shows the share of missing assets.
    LeaveOut,
}

/// Limits on requests and cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BudgetEntry {
    /// Maximum requests to servers in the run, over all calls, including retries.
    pub max_requests: Option<u64>,
    /// Maximum cost of the run in US dollars, over all calls. Needs known prices.
    pub max_cost_usd: Option<f64>,
}

/// Running of generators.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GenerationEntry {
    /// Parallel commands and requests. Default: 1, or the number of `gpus`.
    #[cfg_attr(test, schemars(range(min = 1, max = 256)))]
    pub workers: Option<usize>,
    /// Graphics cards, as in CUDA_VISIBLE_DEVICES; each runs one command at a time. Default: ["0"].
    pub gpus: Option<Vec<String>>,
}

fn one_seed() -> Vec<u32> {
    vec![0]
}

fn one() -> u32 {
    1
}

fn eight() -> u16 {
    8
}

fn probe() -> Vec<JudgeEntry> {
    vec![JudgeEntry::Spec("probe".to_owned())]
}

impl RubricEntry {
    /// The table; a name becomes a table with defaults.
    pub fn table(&self) -> RubricTable {
        match self {
            Self::Table(table) => table.clone(),
            Self::Name(name) => RubricTable { name: name.clone(), ..RubricTable::default() },
        }
    }
}

impl JudgeEntry {
    /// The table; a spec becomes a table with defaults.
    pub fn table(&self) -> JudgeTable {
        match self {
            Self::Table(table) => table.clone(),
            Self::Spec(spec) => JudgeTable { spec: spec.clone(), ..JudgeTable::default() },
        }
    }
}

impl BenchFile {
    /// Reads the file.
    ///
    /// # Errors
    /// [`Error`], with line and column for errors in the text.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let text = text_of("benchmark file", path)?;
        let file: Self = toml::from_str(&text)
            .map_err(|e| syntax("benchmark file", &named_way(toml_reason(&e)), path))?;
        // Some escapes are letters of a path: `\t` of `"out\trellis"` is a tab.
        let mut patterns = file.generators.iter().filter_map(|entry| entry.source.pattern());
        if let Some(wrong) = patterns.find(|path| path.contains(char::is_control)) {
            return Err(Error::bench(format!(
                "the path {wrong:?} has a control character, because a backslash in double quotes starts an escape; write a Windows path in single quotes or with forward slashes"
            ))
            .at(path));
        }
        Ok(file)
    }

    /// Lays a caller's options over the file's, so that `run.toml` has the effective ones; returns
    /// these.
    pub fn lay_over(&mut self, given: &AskOptions) -> AskOptions {
        self.samples = given.samples.unwrap_or(self.samples);
        self.concurrency = given.concurrency.unwrap_or(self.concurrency);
        self.pairs.seed = given.seed.unwrap_or(self.pairs.seed);
        self.budget.max_requests = given.max_requests.or(self.budget.max_requests);
        self.budget.max_cost_usd = given.max_cost_usd.or(self.budget.max_cost_usd);
        AskOptions {
            samples: Some(self.samples),
            concurrency: Some(self.concurrency),
            seed: Some(self.pairs.seed),
            max_requests: self.budget.max_requests,
            max_cost_usd: self.budget.max_cost_usd,
            ..given.clone()
        }
    }

    /// Converts a table to the file at `path`; paths in it are relative to that file's folder.
    ///
    /// # Errors
    /// [`Error`].
    pub fn from_table(table: toml::Table, path: &Path) -> Result<Self, Error> {
        table.try_into().map_err(|e: toml::de::Error| {
            syntax("benchmark", &named_way(e.to_string().trim_end().to_owned()), path)
        })
    }
}

/// Names the keys that fit, where the reader names none because groups of them share a table, and
/// the replacement of keys that described services.
fn named_way(reason: String) -> String {
    const GONE: [&str; 8] = [
        "api",
        "url",
        "steps",
        "base_url",
        "key_from_env",
        "values",
        "json_files",
        "headers_from_env",
    ];
    const NO_SOURCE: &str = "no variant of enum GeneratorSource found in flattened data";
    const SERVICE: &str = "\na service is asked by a small program instead, which `meshjudge bench init` writes for the services that it knows: `serve = \"python3 meshy.py\"`; see \"A service\" in docs/BENCH.md";
    let sources = names::<GeneratorSource>();
    let unknown = reason.split_once("unknown field `").filter(|_| !reason.contains("expected"));
    let unknown = unknown.map(|(_, rest)| rest.split('`').next().unwrap_or_default());
    if reason.contains(NO_SOURCE) || unknown.is_some_and(|key| sources.contains(&key)) {
        let reason = reason.replace(NO_SOURCE, "a generator without a source");
        return format!("{reason}; give exactly one of {}{SERVICE}", sources.join(", "));
    }
    let Some(key) = unknown else { return reason };
    if GONE.contains(&key) {
        return reason + SERVICE;
    }
    let known = [
        names::<ViewOptions>(),
        names::<LoadOptions>(),
        names::<PairOptions>(),
        names::<PointOptions>(),
        names::<CompareOptions>(),
        names::<ScoreSettings>(),
        names::<Tuning>(),
    ];
    let help = match nearest(key, known.concat()) {
        Some(nearest) => format!("did you mean {nearest:?}?"),
        None => "`meshjudge bench schema` prints the keys of each table".to_owned(),
    };
    format!("{reason}; {help}")
}

/// `reason` has line and column.
pub(super) fn syntax(what: &str, reason: &str, path: &Path) -> Error {
    let text = format!(
        "invalid {what}: {reason}; compare it with an example, which `meshjudge bench init` writes"
    );
    Error::bench(text).at(path)
}

/// The text of a file within the size limit.
pub(super) fn text_of(what: &'static str, path: &Path) -> Result<String, Error> {
    read_text(path, FILE_BYTES_MAX).map_err(|e| Error::cannot_read(Kind::Bench, what, e, path))
}
