//! One front for all assets of a prompt: `fronts = "common"`.
//!
//! The first generator's asset keeps the front of its file; the others are rotated about the vertical axis to the side that looks like it,
//! where one rotation is clearly the best. A rotation is an entry of `axes` like one that a user writes, so that it is part of the asset's
//! identity, of the run's record, and of what other machines are given.

use super::asset_cache::{Stamp, stamp, turned};
use super::file::{AxesEntry, BenchFile, Fronts};
use super::make::{AssetTurn, Maker};
use super::plan::Plan;
use super::slot::PlaceIdx;
use crate::load::Turn;
use crate::metrics::{AllSides, Yaw};
use crate::save::write_file;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The record of a run's rotations: one JSON object a line.
const FILE: &str = "fronts.jsonl";

/// One asset and the rotation to the front of another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Found {
    prompt_id: String,
    seed: u32,
    method: String,
    /// The azimuth that looks like the reference's front.
    yaw_degrees: u16,
    margin: f64,
    /// Whether it is shown so; not where the margin is too small.
    is_rotated: bool,
    /// Size, time and axes of both files: a rotation is taken again while they stay.
    stamps: [Stamp; 2],
}

/// The rotations of a benchmark.
#[derive(Debug, Default)]
pub struct CommonFronts(Vec<Found>);

/// Why there is no common front.
#[derive(Debug, thiserror::Error)]
pub enum FrontsError {
    #[error(
        "`fronts = \"common\"` needs files that exist, but the generator {generator:?} makes its assets; make them first, give their folder as its `path`, or leave `fronts` out"
    )]
    Made { generator: String },
    #[error("cannot write ({reason}); check the space and the permissions: {path:?}")]
    Write { reason: String, path: PathBuf },
}

impl CommonFronts {
    /// Finds the rotations of all assets, and gives them to the file and its plan. What an earlier call found of unchanged files is taken
    /// from the run folder. `hear` is called for each prompt and seed, from several threads.
    ///
    /// # Errors
    /// A generator that makes its assets.
    pub fn find(
        file: &mut BenchFile,
        plan: &mut Plan,
        run: &Path,
        hear: &(dyn Fn() + Sync),
    ) -> Result<Self, FrontsError> {
        if file.pictures.fronts == Fronts::File {
            return Ok(Self::default());
        }
        if let Some(method) = plan.methods.iter().find(|it| !matches!(it.maker, Maker::Files(_))) {
            return Err(FrontsError::Made { generator: method.name.clone() });
        }
        let known = known(run);
        let places: Vec<PlaceIdx> = plan.places().collect();
        let found = places.par_iter().flat_map_iter(|place| {
            let found = of_place(plan, *place, run, &known);
            hear();
            found
        });
        let found: Vec<Found> = found.collect();
        for it in found.iter().filter(|it| it.is_rotated) {
            it.apply(file, plan);
        }
        Ok(Self(found))
    }

    /// Writes the record into the run folder.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn write(&self, run: &Path) -> Result<(), FrontsError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let line = |it: &Found| serde_json::to_string(it).expect("a row is JSON") + "\n";
        let (text, path) = (self.0.iter().map(line).collect::<String>(), run.join(FILE));
        write_file(&path, text.as_bytes())
            .map_err(|error| FrontsError::Write { reason: error.to_string(), path })
    }

    /// What was done, in a sentence; `None` where every front is that of its file.
    pub fn sentence(&self, plan: &Plan) -> Option<String> {
        let first = plan.methods.first().filter(|_| !self.0.is_empty())?;
        let rotated = self.0.iter().filter(|it| it.is_rotated).count();
        let unclear = self.0.iter().filter(|it| it.margin < Yaw::MARGIN_MIN).count();
        Some(format!(
            "fronts: {rotated} of {} assets rotated to the front of {}; {unclear} without a clear rotation keep the front of their file ({FILE})",
            self.0.len(),
            first.name
        ))
    }
}

impl Found {
    fn apply(&self, file: &mut BenchFile, plan: &mut Plan) {
        let default = turn_of_all(plan);
        let method = plan.methods.iter_mut().find(|method| method.name == self.method);
        let entry = file.generators.iter_mut().find(|entry| entry.name == self.method);
        if let (Some(method), Some(entry)) = (method, entry) {
            let before = method.turn_of(&self.prompt_id, self.seed).unwrap_or(default);
            let turn =
                Turn { yaw_degrees: (before.yaw_degrees + self.yaw_degrees) % 360, ..before };
            method.turns.push(AssetTurn {
                prompt_ids: vec![self.prompt_id.clone()],
                seeds: vec![self.seed],
                turn,
            });
            entry.axes.push(AxesEntry {
                prompts: vec![self.prompt_id.clone()],
                seeds: vec![self.seed],
                up: Some(turn.up),
                front: Some(turn.front),
                yaw: Some(turn.yaw_degrees),
            });
        }
    }
}

/// The axes of assets that have none of their own.
fn turn_of_all(plan: &Plan) -> Turn {
    Turn { up: plan.load.up, front: plan.load.front, yaw_degrees: 0 }
}

/// What an earlier call found, by prompt, seed and method.
fn known(run: &Path) -> HashMap<(String, u32, String), Found> {
    let text = std::fs::read_to_string(run.join(FILE)).unwrap_or_default();
    let found = text.lines().filter_map(|line| serde_json::from_str::<Found>(line).ok());
    found.map(|it| ((it.prompt_id.clone(), it.seed, it.method.clone()), it)).collect()
}

/// The rotations of the assets of one prompt and seed. An asset that cannot be read or drawn has none; the run says why.
fn of_place(
    plan: &Plan,
    place: PlaceIdx,
    run: &Path,
    known: &HashMap<(String, u32, String), Found>,
) -> Vec<Found> {
    let (prompt, seed) = plan.place(place);
    let path = |method: usize| plan.methods[method].place(run, prompt, seed);
    let sides = |method: usize, path: &PathBuf| {
        let scale = AllSides::view_scale();
        let loaded = plan.read_slot(plan.slot_at(place, method), path, scale.as_ref()).ok()?;
        AllSides::new(&loaded.scene).ok()
    };
    let stamp_of = |method: usize, path: &PathBuf| {
        let turn = plan.methods[method].turn_of(&prompt.id, seed).unwrap_or(turn_of_all(plan));
        stamp(path).map(|stamp| turned(stamp, Some(turn)))
    };
    let Some(first) = stamp_of(0, &path(0)) else {
        return Vec::new();
    };
    let mut reference = None;
    let found = (1..plan.methods.len()).filter_map(|method| {
        let (name, path_of_it) = (&plan.methods[method].name, path(method));
        let stamps = [first, stamp_of(method, &path_of_it)?];
        let key = (prompt.id.clone(), seed, name.clone());
        if let Some(before) = known.get(&key).filter(|before| before.stamps == stamps) {
            return Some(before.clone());
        }
        let reference = reference.get_or_insert_with(|| sides(0, &path(0))).as_ref()?;
        let yaw = reference.yaw_of(&sides(method, &path_of_it)?);
        Some(Found {
            prompt_id: prompt.id.clone(),
            seed,
            method: name.clone(),
            yaw_degrees: yaw.degrees,
            margin: yaw.margin,
            is_rotated: yaw.is_clear() && yaw.degrees != 0,
            stamps,
        })
    });
    found.collect()
}
