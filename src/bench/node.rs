//! What another machine does for a benchmark: jobs of a [`Cluster`](super::Cluster), step by step,
//! by the same code as in one process.
//!
//! The steps are separate so that the caller knows which asset crashed the process.

use super::cluster::{Look, NodeSetup};
use super::make::{Job, Recipes, Worker};
use super::plan::Plan;
use super::reading::{Reading, check_blank, read, side, templates};
use super::slot::SlotIdx;
use crate::ask::{ComposedPictures, Studio, Template, Views, compose_pictures};
use crate::error::Error;
use crate::scene::ViewScale;
use std::collections::HashMap;
use std::sync::Arc;

/// One process that works for a benchmark.
#[derive(Debug)]
pub struct Node {
    plan: Plan,
    setup: NodeSetup,
    templates: Vec<Arc<Template>>,
    view_scale: Option<ViewScale>,
    studio: Studio,
    /// Assets that were read here, each once, as in one process.
    readings: HashMap<SlotIdx, Reading>,
    recipes: Recipes,
    /// Started at the first asset that is made here.
    worker: Option<Worker>,
}

impl Node {
    /// `setup` is a [`NodeSetup`] as JSON. Where the benchmark names relative paths, the process's
    /// working folder becomes that of the process that asks.
    ///
    /// # Errors
    /// [`Error`].
    pub fn open(setup: &str) -> Result<Self, Error> {
        let setup: NodeSetup = serde_json::from_str(setup).map_err(|e| {
            Error::bench(format!(
                "invalid set-up ({e}); is the same version of meshjudge installed on every machine?"
            ))
        })?;
        if setup.path.is_relative() || setup.run.is_relative() {
            let folder = &setup.working_folder;
            std::env::set_current_dir(folder)
                .map_err(|e| Error::bench(format!("this machine cannot access the benchmark's folder ({e}); put it on a disk that all machines share")).at(folder))?;
        }
        let plan = Plan::new(&setup.file, &setup.path)?;
        if plan.fingerprint() != setup.fingerprint {
            return Err(Error::bench(format!(
                "the benchmark on this machine differs from the one that was started; is the disk shared, and did files change since? {:?}",
                setup.path
            )));
        }
        let view_scale = plan.view_scale().filter(|_| !setup.is_measured);
        Ok(Self {
            templates: templates(&plan),
            plan,
            setup,
            view_scale,
            studio: Studio::default(),
            readings: HashMap::new(),
            recipes: Recipes::default(),
            worker: None,
        })
    }

    /// Reads an asset and draws it for a rubric.
    pub fn look(&mut self, slot: usize, rubric: usize) -> Look {
        let reading = self.read(SlotIdx(slot));
        let hash = reading.result.as_ref().ok();
        let drawn = hash.map(|hash| self.draw(SlotIdx(slot), hash, rubric));
        let drawn = drawn.map(|drawn| drawn.map(|(_, warning)| warning));
        Look { slot, reading: Some(reading), drawn }
    }

    /// The pictures of one question, for every judge group; assets once drawn are not redrawn.
    ///
    /// # Errors
    /// [`Error`].
    pub fn compose(&mut self, rubric: usize, slots: &[usize]) -> Result<ComposedPictures, Error> {
        let mut frames = Vec::new();
        let mut photo = None;
        for slot in slots.iter().map(|&slot| SlotIdx(slot)) {
            let hash = self.read(slot).result.map_err(Error::bench)?;
            let (views, _) = self.draw(slot, &hash, rubric).map_err(Error::bench)?;
            frames.push(views.frames);
            photo = self.plan.photo(rubric, self.plan.slot(slot).1)?;
        }
        let (template, limits) = (&self.templates[rubric], &self.setup.limits);
        compose_pictures(template, limits, &frames, photo.as_deref())
    }

    /// Has an asset made, in all its tries; why there is none, and how many seconds it took. `gpu`
    /// is the card, as CUDA_VISIBLE_DEVICES names it.
    pub fn make(&mut self, slot: usize, gpu: Option<&str>) -> (Result<(), String>, f64) {
        let slot = SlotIdx(slot);
        let (method, prompt, seed) = self.plan.slot(slot);
        let recipe = self.recipes.recipe(method, prompt, seed);
        let Some(job) = Job::new(slot, (method, prompt, seed), recipe) else {
            return (Ok(()), 0.0);
        };
        let worker = self.worker.get_or_insert_with(|| Worker::start(&self.setup.run));
        worker.gpu = gpu.map(str::to_owned);
        let delivered = worker.make(&job);
        (delivered.result, delivered.seconds)
    }

    fn read(&mut self, slot: SlotIdx) -> Reading {
        if let Some(reading) = self.readings.get(&slot) {
            return reading.clone();
        }
        let path = self.plan.path(&self.setup.run, slot);
        let reading = read(&self.plan, slot, &path, self.view_scale, &mut self.studio);
        self.readings.insert(slot, reading.clone());
        reading
    }

    /// With a warning, if the pictures were drawn now.
    fn draw(
        &mut self,
        slot: SlotIdx,
        hash: &str,
        rubric: usize,
    ) -> Result<(Views, Option<String>), String> {
        let path = self.plan.path(&self.setup.run, slot);
        let side = side(&self.plan, slot, &path, hash.to_owned(), self.view_scale);
        let views = self.studio.views(&self.templates[rubric], &side)?;
        let warning = check_blank(&views.frames)?.filter(|_| views.is_new);
        Ok((views, warning))
    }
}
