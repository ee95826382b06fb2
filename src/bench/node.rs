//! What another machine does for a benchmark: jobs of a [`Cluster`](super::Cluster), step by step, by the same code as in one process.
//!
//! The steps are separate so that the caller knows which asset crashed the process.

use super::cluster::{Look, NodeSetup};
use super::make::{Job, Recipes, Worker};
use super::plan::{Plan, PlanError};
use super::slot::SlotIdx;
use super::studio::{Reading, Studio, Views};
use crate::ask::{ComposedPictures, QuestionError, compose_pair, compose_single};
use crate::rubric::Kind;
use std::collections::HashMap;
use std::path::PathBuf;

/// Why a machine cannot work for a benchmark.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    #[error("invalid set-up ({0}); is the same version of meshjudge installed on every machine?")]
    Setup(#[from] serde_json::Error),
    #[error(
        "this machine cannot access the benchmark's folder ({reason}); put it on a disk that all machines share: {path:?}"
    )]
    Folder { reason: String, path: PathBuf },
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(
        "the benchmark on this machine differs from the one that was started; is the disk shared, and did files change since? {path:?}"
    )]
    OtherPlan { path: PathBuf },
    /// A photo, or pictures that do not go together.
    #[error(transparent)]
    Question(#[from] QuestionError),
    #[error("{0}")]
    Asset(String),
}

/// One process that works for a benchmark.
#[derive(Debug)]
pub struct Node {
    plan: Plan,
    setup: NodeSetup,
    studio: Studio,
    /// Assets that were read here, each once, as in one process.
    readings: HashMap<SlotIdx, Reading>,
    recipes: Recipes,
    /// Started at the first asset that is made here.
    worker: Option<Worker>,
}

impl Node {
    /// `setup` is a [`NodeSetup`] as JSON. Where the benchmark names relative paths, the process's working folder becomes that of the
    /// process that asks.
    ///
    /// # Errors
    /// [`NodeError`].
    pub fn open(setup: &str) -> Result<Self, NodeError> {
        let setup: NodeSetup = serde_json::from_str(setup)?;
        if setup.path.is_relative() || setup.run.is_relative() {
            let folder = &setup.working_folder;
            std::env::set_current_dir(folder)
                .map_err(|e| NodeError::Folder { reason: e.to_string(), path: folder.clone() })?;
        }
        let plan = Plan::new(&setup.file, &setup.path)?;
        if plan.fingerprint() != setup.fingerprint {
            return Err(NodeError::OtherPlan { path: setup.path });
        }
        let view_scale = plan.view_scale().filter(|_| !setup.is_measured);
        Ok(Self {
            plan,
            setup,
            studio: Studio::new(view_scale),
            readings: HashMap::new(),
            recipes: Recipes::default(),
            worker: None,
        })
    }

    /// Reads an asset and draws it for a rubric.
    pub fn look(&mut self, slot: usize, rubric: usize) -> Look {
        let reading = self.read(SlotIdx(slot));
        let drawn = match &reading.result {
            Ok(hash) => Some(self.draw(SlotIdx(slot), hash, rubric)),
            Err(_) => None,
        };
        Look {
            slot,
            reading: Some(reading),
            drawn: drawn.map(|drawn| drawn.map(|views| views.warning)),
        }
    }

    /// The pictures of one question, for every group of judges; assets that were looked at before are not drawn again.
    ///
    /// # Errors
    /// [`NodeError`].
    pub fn compose(
        &mut self,
        rubric: usize,
        slots: &[usize],
    ) -> Result<ComposedPictures, NodeError> {
        let mut sides = Vec::new();
        for &slot in slots {
            let slot = SlotIdx(slot);
            let hash = self.read(slot).result.map_err(NodeError::Asset)?;
            let drawn = self.draw(slot, &hash, rubric);
            sides.push(drawn.map_err(NodeError::Asset)?.frames);
        }
        let planned = &self.plan.rubrics[rubric];
        let (drawings, limits) = (&planned.drawings, &self.setup.limits);
        let composed = match sides.as_slice() {
            [a, b] => {
                let prompt = slots.first().map(|slot| self.plan.slot(SlotIdx(*slot)).1);
                let photo = match prompt.filter(|_| planned.rubric.shows_photo()) {
                    Some(prompt) => self.plan.photos.cut_out(prompt)?,
                    None => None,
                };
                let photo = photo.as_deref();
                compose_pair(&planned.rubric, drawings, limits, [a, b], photo)?
            }
            sides => {
                let frames = sides.first().map_or(&[][..], Vec::as_slice);
                let prompt = slots.first().map(|slot| self.plan.slot(SlotIdx(*slot)).1);
                let is_whole = planned.rubric.kind() == Kind::Reconstruction;
                let photo = match prompt.filter(|_| is_whole) {
                    Some(prompt) => self.plan.photos.whole(prompt)?,
                    None => None,
                };
                let photo = photo.as_deref();
                compose_single(&planned.rubric, drawings, limits, frames, photo)?
            }
        };
        Ok(composed)
    }

    /// Has an asset made, in all its tries; why there is none, and how many seconds it took. `gpu` is the card, as CUDA_VISIBLE_DEVICES
    /// names it.
    pub fn make(&mut self, slot: usize, gpu: Option<&str>) -> (Result<(), String>, f64) {
        let slot = SlotIdx(slot);
        let (method, prompt, seed) = self.plan.slot(slot);
        let job = Job {
            slot,
            method: method.clone(),
            prompt: prompt.clone(),
            seed,
            recipe: self.recipes.recipe(method, prompt, seed),
        };
        let run = &self.setup.run;
        let worker = self.worker.get_or_insert_with(|| Worker::start(run));
        let delivered = worker.make(&job, run, gpu);
        (delivered.result, delivered.seconds)
    }

    fn read(&mut self, slot: SlotIdx) -> Reading {
        if let Some(reading) = self.readings.get(&slot) {
            return reading.clone();
        }
        let path = self.place(slot);
        let reading = self.studio.read(&self.plan, slot, &path);
        self.readings.insert(slot, reading.clone());
        reading
    }

    fn draw(&mut self, slot: SlotIdx, hash: &str, rubric: usize) -> Result<Views, String> {
        let path = self.place(slot);
        self.studio.draw(&self.plan, (slot, &path, hash), rubric)
    }

    fn place(&self, slot: SlotIdx) -> PathBuf {
        let (method, prompt, seed) = self.plan.slot(slot);
        method.place(&self.setup.run, prompt, seed)
    }
}
