//! One front per prompt: `fronts = "common"`; the side in its photo: `fronts = "photo"`.
//!
//! The first generator's asset keeps the front of its file; the others are rotated about the
//! vertical axis to the side that looks like it, where one rotation is clearly the best. Those that
//! then have one front are a group, which is rotated to the side that fits the photo best, if one
//! clearly does. A rotation is an entry of `axes` like one that a user writes, so that it is part
//! of the asset's identity, of the run's record, and of what other machines are given.

use super::asset_cache::{Stamp, stamp, turned};
use super::file::{AxesEntry, BenchFile};
use super::make::{AssetTurn, Maker};
use super::plan::Plan;
use super::slot::PlaceIdx;
use crate::error::{Error, Kind};
use crate::front::{Fronts, is_clear_in_photo, side_in_photo};
use crate::judge::PhotoKey;
use crate::load::Turn;
use crate::metrics::{AllSides, Yaw};
use crate::scene::Asset;
use crate::store::{FRONTS_FILE, FrontRow, front_rows, write_front_rows};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// One asset and the rotation to the front of another one, and of both to the photo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Found {
    #[serde(flatten)]
    row: FrontRow,
    /// Size, time and axes of both files: a rotation is taken again while they stay.
    stamps: [Stamp; 2],
    #[serde(flatten)]
    photo: Option<PhotoFront>,
}

/// What the photo says about a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct PhotoFront {
    /// Reused while these stay: the photo, and the generators whose assets have one front.
    photo: PhotoKey,
    photo_group: Vec<String>,
    /// The azimuth of the common front that looks like the photo.
    photo_yaw_degrees: u16,
    /// How much better it fits than any at least 30° away, as a mean over the group; the score of
    /// an azimuth is at most 2.5.
    photo_margin: f64,
}

impl PhotoFront {
    /// None where no side is clear.
    fn rotation(&self) -> Option<Yaw> {
        let yaw = Yaw { degrees: self.photo_yaw_degrees, margin: self.photo_margin };
        is_clear_in_photo(yaw).then_some(yaw)
    }
}

/// Prompt id, seed and method.
type Key = (String, u32, String);

/// The rotations of a benchmark.
#[derive(Debug, Default)]
pub struct CommonFronts(Vec<Found>);

impl CommonFronts {
    /// Finds the rotations of all assets, and gives them to the file and its plan. What an earlier
    /// call found of unchanged files is taken from the run folder. `hear` is called for each prompt
    /// and seed, from several threads.
    ///
    /// # Errors
    /// A generator that makes its assets.
    pub fn find(
        file: &mut BenchFile,
        plan: &mut Plan,
        run: &Path,
        hear: &(dyn Fn() + Sync),
    ) -> Result<Self, Error> {
        if file.pictures.fronts == Fronts::File {
            return Ok(Self::default());
        }
        if let Some(method) = plan.methods.iter().find(|it| !matches!(it.maker, Maker::Files(_))) {
            return Err(Error::bench(format!(
                "`fronts` needs files that exist, but the generator {:?} makes its assets; make them first, give their folder as its `path`, or leave `fronts` out",
                method.name
            )));
        }
        let known = front_rows(run).into_iter().map(|it: Found| (it.key(), it)).collect();
        let finder = Finder { plan, run, known };
        let by_photo = file.pictures.fronts == Fronts::Photo;
        let places: Vec<PlaceIdx> = plan.places().collect();
        let found = parallel::map(&places, |place| {
            let mut found = finder.of_place(*place);
            let front = if by_photo { finder.photo_front(*place, &found) } else { None };
            finder.face(*place, front, &mut found);
            hear();
            found
        });
        let found: Vec<Found> = found.into_iter().flatten().collect();
        for it in found.iter().filter(|it| it.row.is_rotated) {
            it.apply(file, plan);
        }
        Ok(Self(found))
    }

    /// Writes the record into the run folder.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn write(&self, run: &Path) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        write_front_rows(run, &self.0)
            .map_err(|e| Error::cannot_write(Kind::Bench, e, run.join(FRONTS_FILE)))
    }

    /// What was done, in a sentence; `None` where every front is that of its file.
    pub fn sentence(&self, plan: &Plan) -> Option<String> {
        let first = &plan.methods.first().filter(|_| !self.0.is_empty())?.name;
        let others: Vec<&Found> = self.0.iter().filter(|it| it.row.method != *first).collect();
        let clear = others.iter().filter(|it| it.row.is_clear());
        let rotated = clear.clone().filter(|it| it.common_degrees() != 0).count();
        let unclear = others.len() - clear.clone().count();
        // The first asset is among the rotated ones of its group.
        let facing = self.0.len() - others.len();
        let left = clear.filter(|it| it.photo.as_ref().is_some_and(|it| it.rotation().is_none()));
        let left: HashSet<_> = left.map(|it| (&it.row.prompt_id, it.row.seed)).collect();
        let photos = match (facing, left.len()) {
            (0, 0) => String::new(),
            (facing, left) => format!(
                "; groups with one front and a photo: {facing} rotated to the side in the photo, {left} left as they are, without a clear side"
            ),
        };
        Some(format!(
            "fronts: {rotated} of {} assets rotated to the front of {first}; {unclear} without a clear rotation keep the front of their file{photos} ({FRONTS_FILE})",
            others.len(),
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

    /// By how much it was rotated to the front of the first asset.
    fn common_degrees(&self) -> u16 {
        let by_photo = self.photo.as_ref().and_then(PhotoFront::rotation);
        (self.row.yaw_degrees + 360 - by_photo.map_or(0, |yaw| yaw.degrees)) % 360
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

/// Looks for the rotations of one prompt and seed.
struct Finder<'a> {
    plan: &'a Plan,
    run: &'a Path,
    /// What an earlier call found.
    known: HashMap<Key, Found>,
}

impl Finder<'_> {
    /// The rotations to the front of the first asset; with what was known about the photo. An asset
    /// that cannot be read or drawn has none; the run says why.
    fn of_place(&self, place: PlaceIdx) -> Vec<Found> {
        let (prompt, seed) = self.plan.place(place);
        let sides = |method: usize| AllSides::new(&self.read(place, method)?).ok();
        let Some(first) = self.stamp(place, 0) else {
            return Vec::new();
        };
        let mut reference = None;
        let found = (1..self.plan.methods.len()).filter_map(|method| {
            let name = &self.plan.methods[method].name;
            let stamps = [first, self.stamp(place, method)?];
            let new = |yaw: Yaw, photo: Option<PhotoFront>| {
                let row = FrontRow::new(Some((&prompt.id, seed)), name, yaw);
                Some(Found { row, stamps, photo })
            };
            let key = (prompt.id.clone(), seed, name.clone());
            if let Some(before) = self.known.get(&key).filter(|before| before.stamps == stamps) {
                let yaw = Yaw { degrees: before.common_degrees(), margin: before.row.margin };
                return new(yaw, before.photo.clone());
            }
            let reference = reference.get_or_insert_with(|| sides(0)).as_ref()?;
            new(reference.yaw_of(&sides(method)?), None)
        });
        found.collect()
    }

    /// What the photo says about those that have a common front with the first asset; none where
    /// that is nobody, or no image shows the front.
    fn photo_front(&self, place: PlaceIdx, found: &[Found]) -> Option<PhotoFront> {
        let (prompt, _) = self.plan.place(place);
        let photo = self.plan.photos.key(prompt)?;
        let others: Vec<&Found> = found.iter().filter(|it| it.row.is_clear()).collect();
        let known = others.first()?.photo.clone();
        let mut photo_group = vec![self.plan.methods[0].name.clone()];
        photo_group.extend(others.iter().map(|it| it.row.method.clone()));
        let is_same = |it: &PhotoFront| it.photo == photo && it.photo_group == photo_group;
        if others.iter().all(|it| it.photo.as_ref().is_some_and(is_same)) {
            return known;
        }
        let evidence = self.plan.photos.cut_out(prompt).ok()??.front_evidence().ok()??;
        let yaws = std::iter::once(0).chain(others.iter().map(|it| it.row.yaw_degrees));
        let members = photo_group.iter().zip(yaws).map(|(name, yaw_degrees)| {
            let method = self.plan.methods.iter().position(|it| it.name == *name);
            (method.and_then(|method| self.read(place, method)), yaw_degrees)
        });
        let Yaw { degrees: photo_yaw_degrees, margin: photo_margin } =
            side_in_photo(members, &evidence)?;
        Some(PhotoFront { photo, photo_group, photo_yaw_degrees, photo_margin })
    }

    /// Rotates a group to the side in its photo, if that is clear; this includes the first asset.
    fn face(&self, place: PlaceIdx, front: Option<PhotoFront>, found: &mut Vec<Found>) {
        let (prompt, seed) = self.plan.place(place);
        let by = front.as_ref().and_then(PhotoFront::rotation);
        for Found { row, photo, .. } in &mut *found {
            *photo = front.clone().filter(|_| row.is_clear());
            if let (Some(by), Some(_)) = (by, photo) {
                row.yaw_degrees = (row.yaw_degrees + by.degrees) % 360;
                row.is_rotated = row.yaw_degrees != 0;
            }
        }
        if let (Some(by), Some(stamp)) = (by, self.stamp(place, 0)) {
            let name = &self.plan.methods[0].name;
            let row = FrontRow::new(Some((&prompt.id, seed)), name, by);
            found.insert(0, Found { row, stamps: [stamp; 2], photo: front });
        }
    }

    fn stamp(&self, place: PlaceIdx, method: usize) -> Option<Stamp> {
        let (prompt, seed) = self.plan.place(place);
        let turn = self.plan.methods[method].turn_of(&prompt.id, seed);
        let turn = turn.unwrap_or(turn_of_all(self.plan));
        let path = self.plan.path(self.run, self.plan.slot_at(place, method));
        Some(turned(stamp(&path)?, Some(turn)))
    }

    fn read(&self, place: PlaceIdx, method: usize) -> Option<Asset> {
        // The views for the photo are hardly larger.
        let scale = AllSides::view_scale();
        let slot = self.plan.slot_at(place, method);
        let path = self.plan.path(self.run, slot);
        Some(self.plan.read_slot(slot, &path, scale.as_ref()).ok()?.scene)
    }
}
