//! Other machines that make, draw, compose for a benchmark, as seen here: jobs out, results back.
//!
//! The caller starts them ([`Cluster`]); they run a [`Node`](super::Node). Files are not sent:
//! assets, benchmark file and run folder are on a disk that all machines see under the same paths.

use super::file::BenchFile;
use super::plan::Plan;
use super::reading::Reading;
use crate::ask::{PictureLimits, judges_by_limits};
use crate::judge::Judge;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Who runs jobs elsewhere. Every job comes back once, in any order; what became of a machine that
/// died is no concern of this process.
pub trait Cluster: Send {
    /// How many [`Job::Draw`] to have under way, so that no machine waits for its next.
    fn draw_jobs(&self) -> usize;

    /// Begins a job and returns at once.
    ///
    /// # Errors
    /// In words: the cluster is gone.
    fn submit(&mut self, id: u64, job: &Job) -> Result<(), String>;

    /// A job that has ended, if one does within that time.
    ///
    /// # Errors
    /// In words: the cluster is gone, or a job failed for a reason that is not its asset's.
    fn next(&mut self, wait: Duration) -> Result<Option<(u64, JobDone)>, String>;
}

/// Opens the cluster that a benchmark file names; why there is none, in words.
pub type OpenCluster<'a> = dyn Fn(&NodeSetup) -> Result<Box<dyn Cluster>, String> + 'a;

/// What another machine is to do. Slots and rubrics are indices of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub enum Job {
    /// Have an asset made, all tries of it.
    Make {
        slot: usize,
        /// A machine that keeps a generator running should get others of the same.
        method: usize,
        needs_gpu: bool,
    },
    /// Read and draw assets, and compose the pictures of questions about them.
    Draw {
        /// Tasks of a place show the same assets: a machine that drew some should get the rest.
        place: usize,
        tasks: Vec<DrawTask>,
    },
}

/// The pictures of one question, in both orders if it is about a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawTask {
    pub rubric: usize,
    /// Two for a pair, one for a single object.
    pub slots: Vec<usize>,
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq)]
pub enum JobDone {
    Made {
        /// Why there is no asset.
        result: Result<(), String>,
        seconds: f64,
    },
    Drawn {
        /// For every asset of the job.
        looks: Vec<Look>,
        /// For every task: [`ComposedPictures::to_bytes`](crate::ask::ComposedPictures::to_bytes);
        /// none if an asset cannot be shown.
        pictures: Vec<Option<Vec<u8>>>,
    },
}

/// A machine's findings about an asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Look {
    pub slot: usize,
    /// None where the process that read it died.
    pub reading: Option<Reading>,
    /// A warning, or why there is nothing to see of it; none where it cannot be read.
    pub drawn: Option<Result<Option<String>, String>>,
}

/// The data that a machine needs for jobs; written as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NodeSetup {
    /// With everything that overrides it laid over it.
    pub file: BenchFile,
    /// The path of the file, whether or not it exists.
    pub path: PathBuf,
    pub run: PathBuf,
    /// Paths of the plan may be relative to it.
    pub working_folder: PathBuf,
    /// For each group of judges.
    pub limits: Vec<PictureLimits>,
    /// Whether a judge measures the assets, so that all of their textures are read.
    pub is_measured: bool,
    /// Of the plan; a machine with other files reports it.
    pub fingerprint: String,
}

impl NodeSetup {
    /// `file` is what `plan` was made of, as the file at `path`.
    ///
    /// # Errors
    /// There is no working folder any more.
    pub fn new(
        file: &BenchFile,
        path: &Path,
        plan: &Plan,
        run: &Path,
        judges: &[Judge],
    ) -> std::io::Result<Self> {
        let groups = judges_by_limits(judges, plan.fit_px);
        Ok(Self {
            file: file.clone(),
            path: path.to_owned(),
            run: run.to_owned(),
            working_folder: std::env::current_dir()?,
            limits: groups.into_iter().map(|(limits, _)| limits).collect(),
            is_measured: is_measured(judges),
            fingerprint: plan.fingerprint(),
        })
    }
}

/// Whether someone measures assets, while others see pictures.
pub(super) fn is_measured(judges: &[Judge]) -> bool {
    judges.iter().any(|judge| matches!(judge, Judge::Probe))
}
