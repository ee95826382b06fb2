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
use crate::metrics::AllSides;
use crate::store::{FRONTS_FILE, FrontRow, front_rows, write_front_rows};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// One asset and the rotation to the front of another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Found {
    #[serde(flatten)]
    row: FrontRow,
    /// Size, time and axes of both files: a rotation is taken again while they stay.
    stamps: [Stamp; 2],
}

/// Prompt id, seed and method.
type Key = (String, u32, String);

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
        for it in found.iter().filter(|it| it.row.is_rotated) {
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
        write_front_rows(run, &self.0).map_err(|error| FrontsError::Write {
            reason: error.to_string(),
            path: run.join(FRONTS_FILE),
        })
    }

    /// What was done, in a sentence; `None` where every front is that of its file.
    pub fn sentence(&self, plan: &Plan) -> Option<String> {
        let first = plan.methods.first().filter(|_| !self.0.is_empty())?;
        let rotated = self.0.iter().filter(|it| it.row.is_rotated).count();
        let unclear = self.0.iter().filter(|it| !it.row.is_clear()).count();
        Some(format!(
            "fronts: {rotated} of {} assets rotated to the front of {}; {unclear} without a clear rotation keep the front of their file ({FRONTS_FILE})",
            self.0.len(),
            first.name
        ))
    }
}

impl Found {
    fn apply(&self, file: &mut BenchFile, plan: &mut Plan) {
        let default = turn_of_all(plan);
        let (prompt_id, seed, name) = self.key();
        let method = plan.methods.iter_mut().find(|method| method.name == name);
        let entry = file.generators.iter_mut().find(|entry| entry.name == name);
        if let (Some(method), Some(entry)) = (method, entry) {
            let before = method.turn_of(&prompt_id, seed).unwrap_or(default);
            let yaw_degrees = (before.yaw_degrees + self.row.yaw_degrees) % 360;
            let turn = Turn { yaw_degrees, ..before };
            let (prompts, seeds) = (vec![prompt_id], vec![seed]);
            let (prompt_ids, of) = (prompts.clone(), seeds.clone());
            method.turns.push(AssetTurn { prompt_ids, seeds: of, turn });
            entry.axes.push(AxesEntry {
                prompts,
                seeds,
                up: Some(turn.up),
                front: Some(turn.front),
                yaw: Some(turn.yaw_degrees),
            });
        }
    }

    /// Prompt id, seed and method.
    fn key(&self) -> Key {
        let FrontRow { prompt_id, seed, method, .. } = &self.row;
        (prompt_id.clone().unwrap_or_default(), seed.unwrap_or_default(), method.clone())
    }
}

/// The axes of assets that have none of their own.
fn turn_of_all(plan: &Plan) -> Turn {
    Turn { up: plan.load.up, front: plan.load.front, yaw_degrees: 0 }
}

/// What an earlier call found.
fn known(run: &Path) -> HashMap<Key, Found> {
    front_rows(run).into_iter().map(|it: Found| (it.key(), it)).collect()
}

/// The rotations of the assets of one prompt and seed. An asset that cannot be read or drawn has none; the run says why.
fn of_place(plan: &Plan, place: PlaceIdx, run: &Path, known: &HashMap<Key, Found>) -> Vec<Found> {
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
        Some(Found { row: FrontRow::new(Some((&prompt.id, seed)), name, yaw), stamps })
    });
    found.collect()
}
