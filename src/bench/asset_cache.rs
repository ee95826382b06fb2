//! The assets of a benchmark: where each one is, whether it can be judged, and its pictures while they are needed.
//!
//! A *slot* is one asset: a method, a prompt, a seed. Scenes and pictures are kept up to [`MEMORY_BYTES_MAX`], the ones used longest ago
//! go first, so a list of any length is judged in flat memory.

use super::make::{Delivered, Job, Maker, Recipes, recipe_beside, star};
use super::plan::Plan;
use super::slot::SlotIdx;
use crate::ask::{Shown, distinct, draw_all};
use crate::exchange::{PictureFolder, PictureFolderError, read_frames};
use crate::judge::{Asset, Specimen};
use crate::load::load_for;
use crate::render::{Frame, FrameProblem};
use crate::scene::{Scene, Texture, ViewScale};
use crate::store::{FailedAt, Made};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Scenes and pictures in memory: 2 GiB, about a hundred assets of a hundred thousand triangles with four views of 512 px.
pub(super) const MEMORY_BYTES_MAX: usize = 2 << 30;

/// Why an asset cannot be judged.
pub(super) type AssetFailure = (FailedAt, String);

/// What is known of an asset.
#[derive(Debug, Clone)]
enum State {
    /// Its generator has not ended.
    Pending,
    /// Its file exists and was not read yet.
    There,
    /// There, and what it is.
    Known(String),
    /// Not made, because the budget is spent.
    Unaffordable,
    Failed(AssetFailure),
}

#[derive(Debug)]
struct Slot {
    state: State,
    path: PathBuf,
    /// Size and time of the file when it was hashed, if one file is all of the asset.
    stamp: Option<Stamp>,
    /// What it is made from, if a generator makes it.
    recipe: Option<String>,
    /// Whether an earlier session read it.
    was_read: bool,
    seconds: Option<f64>,
}

/// What is in memory of an asset.
#[derive(Debug, Default)]
struct Held {
    specimen: Option<Arc<Specimen>>,
    /// By rubric, then by picture.
    frames: BTreeMap<usize, Vec<Arc<Vec<Frame>>>>,
    bytes: usize,
    used: u64,
}

/// The state of every asset, and the scenes and frames that are held in memory.
#[derive(Debug)]
pub(super) struct AssetCache<'a> {
    plan: &'a Plan,
    view_scale: Option<ViewScale>,
    slots: Vec<Slot>,
    /// How many of them are pending.
    pending: usize,
    held: HashMap<SlotIdx, Held>,
    bytes: usize,
    clock: u64,
    /// Changes for the store, since they were last taken.
    changed: Vec<Made>,
    /// Warnings for the user, since they were last taken.
    warnings: Vec<String>,
}

impl<'a> AssetCache<'a> {
    /// Looks where every asset is; what an earlier call knew of an unchanged file is believed. A generator that failed is tried again.
    /// `view_scale` is how large assets are shown, if nothing but pictures is asked of them.
    pub(super) fn new(
        plan: &'a Plan,
        run: &Path,
        known: Vec<Made>,
        view_scale: Option<ViewScale>,
    ) -> Self {
        let mut recipes = Recipes::default();
        let mut num_changed = 0;
        let mut known: HashMap<(String, String, u32), Made> = (known.into_iter())
            .map(|made| {
                (
                    (made.method.clone(), made.prompt_id.clone(), made.seed),
                    made,
                )
            })
            .collect();
        let mut cache = Self {
            plan,
            view_scale,
            slots: Vec::new(),
            pending: 0,
            held: HashMap::new(),
            bytes: 0,
            clock: 0,
            changed: Vec::new(),
            warnings: Vec::new(),
        };
        for slot in plan.slots() {
            let (method, prompt, seed) = plan.slot(slot);
            let key = (method.name.clone(), prompt.id.clone(), seed);
            let before = known.remove(&key);
            let path = method.maker.place(run, &method.name, &prompt.id, seed);
            let text_changed = (before.as_ref()).is_none_or(|made| made.prompt != prompt.text);
            let recipe = recipes.recipe(method, prompt, seed);
            let mut exists = path.exists();
            if exists && let Some(recipe) = &recipe {
                let is_current = match recipe_beside(&path) {
                    Some(beside) => beside == *recipe,
                    // Made by a version that kept no recipes.
                    None => !text_changed,
                };
                num_changed += usize::from(!is_current);
                exists = is_current;
            }
            let state = match (&method.maker, exists) {
                (_, true) => State::There,
                (Maker::Files(_) | Maker::Pictures(_), false) => {
                    let shown = path.display().to_string();
                    let reason = match star(&path) {
                        Some(_) => format!("not exactly one asset fits {shown:?}"),
                        None => format!("there is no file {shown:?}"),
                    };
                    State::Failed((FailedAt::Generate, reason))
                }
                (_, false) => State::Pending,
            };
            let mut entry = Slot {
                state,
                stamp: None,
                recipe,
                was_read: before.as_ref().is_some_and(|made| made.hash.is_some()),
                seconds: before.as_ref().and_then(|made| made.seconds),
                path,
            };
            let is_failed = matches!(entry.state, State::Failed(_));
            if let Some(before) = before.as_ref().filter(|_| exists) {
                believe(&mut entry, before);
            }
            cache.pending += usize::from(matches!(entry.state, State::Pending));
            cache.slots.push(entry);
            if is_failed || text_changed {
                cache.note(slot);
            }
        }
        if num_changed > 0 {
            cache.warnings.push(format!(
                "{num_changed} assets in the run folder were made from another prompt, photo, seed or command; they are made again"
            ));
        }
        cache
    }

    /// Assets that have to be made.
    pub(super) fn jobs(&self) -> Vec<Job> {
        (self.plan.slots())
            .filter(|&slot| self.is_pending(slot))
            .map(|slot| {
                let (method, prompt, seed) = self.plan.slot(slot);
                Job {
                    slot,
                    method: method.clone(),
                    prompt: prompt.clone(),
                    seed,
                    recipe: self.slots[slot.0].recipe.clone(),
                }
            })
            .collect()
    }

    /// Whether its generator has not ended.
    pub(super) fn is_pending(&self, slot: SlotIdx) -> bool {
        matches!(self.slots[slot.0].state, State::Pending)
    }

    /// Whether it was not made because the budget is spent: the next call may make it.
    pub(super) fn is_unaffordable(&self, slot: SlotIdx) -> bool {
        matches!(self.slots[slot.0].state, State::Unaffordable)
    }

    /// Takes what a generator delivered.
    pub(super) fn deliver(&mut self, delivered: Delivered) {
        self.pending -= usize::from(self.is_pending(delivered.slot));
        let slot = &mut self.slots[delivered.slot.0];
        slot.seconds = Some(delivered.seconds);
        slot.state = match delivered.result {
            Ok(()) => State::There,
            Err(_) if delivered.is_unaffordable => State::Unaffordable,
            Err(reason) => State::Failed((FailedAt::Generate, reason)),
        };
        self.note(delivered.slot);
    }

    /// Nothing more will be delivered.
    pub(super) fn give_up_pending(&mut self) {
        for slot in self.plan.slots() {
            if self.is_pending(slot) {
                let reason = "its generator ended without a word".to_owned();
                self.slots[slot.0].state = State::Failed((FailedAt::Generate, reason));
                self.note(slot);
            }
        }
        self.pending = 0;
    }

    /// The asset as rows name it; reads it if it was not read before.
    ///
    /// # Errors
    /// Why it cannot be judged, as far as that is known without drawing.
    pub(super) fn asset(&mut self, slot: SlotIdx) -> Result<Asset, AssetFailure> {
        if matches!(self.slots[slot.0].state, State::There) {
            self.read(slot);
        }
        match &self.slots[slot.0].state {
            State::Known(hash) => Ok(Asset {
                path: self.slots[slot.0].path.to_string_lossy().into_owned(),
                hash: hash.clone(),
                method: self.plan.slot(slot).0.name.clone(),
            }),
            State::Failed(failure) => Err(failure.clone()),
            State::Pending | State::There | State::Unaffordable => {
                Err((FailedAt::Generate, "it is still being made".to_owned()))
            }
        }
    }

    /// The asset with its pictures for a rubric.
    ///
    /// # Errors
    /// Why it cannot be judged; kept, so that it is found out once.
    pub(super) fn shown(&mut self, slot: SlotIdx, rubric: usize) -> Result<Shown, AssetFailure> {
        let asset = self.asset(slot)?;
        self.clock += 1;
        let clock = self.clock;
        let has_frames = |held: &Held| held.frames.contains_key(&rubric);
        if !self.held.get(&slot).is_some_and(has_frames) {
            if let Err(reason) = self.draw(slot, rubric) {
                let failure = (FailedAt::Draw, reason);
                self.slots[slot.0].state = State::Failed(failure.clone());
                self.note(slot);
                return Err(failure);
            }
            self.make_room(slot);
        }
        let held = self.held.entry(slot).or_default();
        held.used = clock;
        Ok(Shown {
            asset,
            specimen: held.specimen.clone(),
            frames: held.frames[&rubric].clone(),
        })
    }

    /// Reads again what an earlier session read and what may have changed since: its answers count only if it has not.
    pub(super) fn read_again(&mut self) {
        for slot in self.plan.slots() {
            let Slot {
                state, was_read, ..
            } = &self.slots[slot.0];
            if *was_read && matches!(state, State::There) {
                self.read(slot);
            }
        }
    }

    /// What the asset is, if it was looked at and can be judged.
    pub(super) fn hash(&self, slot: SlotIdx) -> Option<&str> {
        match &self.slots[slot.0].state {
            State::Known(hash) => Some(hash),
            _ => None,
        }
    }

    /// Whether it is known that there is nothing to judge.
    pub(super) fn is_failed(&self, slot: SlotIdx) -> bool {
        matches!(self.slots[slot.0].state, State::Failed(_))
    }

    /// What changed since the last call.
    pub(super) fn take_changed(&mut self) -> Vec<Made> {
        std::mem::take(&mut self.changed)
    }

    /// What was noticed since the last call.
    pub(super) fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Assets that a generator has to make.
    pub(super) fn num_pending(&self) -> usize {
        self.pending
    }

    /// Of these, by the index of the generator.
    pub(super) fn num_pending_by_method(&self) -> Vec<usize> {
        let mut counts = vec![0; self.plan.methods.len()];
        for slot in self.plan.slots().filter(|&slot| self.is_pending(slot)) {
            counts[slot.parts(self.plan.methods.len()).1] += 1;
        }
        counts
    }

    /// Assets that cannot be judged, as far as is known.
    pub(super) fn num_missing(&self) -> usize {
        let is_failed = |slot: &&Slot| matches!(slot.state, State::Failed(_));
        self.slots.iter().filter(is_failed).count()
    }

    fn read(&mut self, slot: SlotIdx) {
        let entry = &self.slots[slot.0];
        let path = entry.path.clone();
        let maker = &self.plan.slot(slot).0.maker;
        let (state, stamp) = if let Maker::Pictures(_) = maker {
            match PictureFolder::open(&path).and_then(|folder| folder.hash(&self.plan.views())) {
                Ok(hash) => (State::Known(hash), None),
                Err(e) => (State::Failed((FailedAt::Load, e.to_string())), None),
            }
        } else {
            // Before it is read: a file that is written meanwhile then looks changed, not unchanged.
            let stamp = stamp(&path).filter(|stamp| maker.is_job() || is_settled(stamp));
            match load_for(&path, &self.plan.load, self.view_scale.as_ref()) {
                Err(_) if path.is_dir() => {
                    let reason =
                        "it is a folder; for ready pictures write `pictures` instead of `path`";
                    (State::Failed((FailedAt::Load, reason.to_owned())), None)
                }
                Ok(loaded) => {
                    for warning in &loaded.warnings {
                        self.warnings
                            .push(format!("{warning}: {:?}", path.display().to_string()));
                    }
                    let is_whole = stamp.is_some_and(|(bytes, _)| bytes == loaded.bytes_read);
                    let bytes = scene_bytes(&loaded.scene);
                    let held = self.held.entry(slot).or_default();
                    held.specimen = Some(Arc::new(Specimen::new(loaded.scene)));
                    held.bytes += bytes;
                    self.bytes += bytes;
                    (State::Known(loaded.hash), stamp.filter(|_| is_whole))
                }
                Err(e) => (State::Failed((FailedAt::Load, e.to_string())), stamp),
            }
        };
        let entry = &mut self.slots[slot.0];
        entry.state = state;
        entry.stamp = stamp;
        self.clock += 1;
        let clock = self.clock;
        if let Some(held) = self.held.get_mut(&slot) {
            held.used = clock;
        }
        self.note(slot);
        self.make_room(slot);
    }

    /// Draws every picture of the rubric.
    fn draw(&mut self, slot: SlotIdx, rubric: usize) -> Result<(), String> {
        let drawings = &self.plan.rubrics[rubric].drawings;
        let path = self.slots[slot.0].path.clone();
        let frames = if let Maker::Pictures(_) = self.plan.slot(slot).0.maker {
            let folder = PictureFolder::open(&path).map_err(|e| e.to_string())?;
            let read = |drawing: &Option<_>| match drawing {
                Some(drawing) => read_frames(&folder, drawing).map(Arc::new),
                None => Ok(Arc::default()),
            };
            let read: Result<_, PictureFolderError> = drawings.iter().map(read).collect();
            read.map_err(|e| e.to_string())?
        } else {
            let specimen = self.specimen(slot)?;
            draw_all(specimen.scene(), drawings).map_err(|e| e.to_string())?
        };
        let is_blank = |frame: &Frame| frame.problems.contains(&FrameProblem::Blank);
        let (mut total, mut blank) = (0, 0);
        for frame in distinct(&frames) {
            total += 1;
            blank += usize::from(is_blank(frame));
        }
        if total > 0 && blank == total {
            return Err("every view is blank".to_owned());
        }
        if blank > 0 {
            self.warnings.push(format!(
                "{blank} of {total} views are blank: {:?}",
                path.display().to_string()
            ));
        }
        let bytes: usize = distinct(&frames).map(frame_bytes).sum();
        let held = self.held.entry(slot).or_default();
        held.frames.insert(rubric, frames);
        held.bytes += bytes;
        self.bytes += bytes;
        Ok(())
    }

    /// The scene, read again where it had to go.
    fn specimen(&mut self, slot: SlotIdx) -> Result<Arc<Specimen>, String> {
        if let Some(specimen) = self.held.get(&slot).and_then(|held| held.specimen.clone()) {
            return Ok(specimen);
        }
        let path = &self.slots[slot.0].path;
        let loaded =
            load_for(path, &self.plan.load, self.view_scale.as_ref()).map_err(|e| e.to_string())?;
        if !matches!(&self.slots[slot.0].state, State::Known(hash) if *hash == loaded.hash) {
            return Err(format!(
                "the file was changed during the run; repeat the command: {path:?}"
            ));
        }
        let bytes = scene_bytes(&loaded.scene);
        let specimen = Arc::new(Specimen::new(loaded.scene));
        let held = self.held.entry(slot).or_default();
        held.specimen = Some(Arc::clone(&specimen));
        held.bytes += bytes;
        self.bytes += bytes;
        Ok(specimen)
    }

    /// Lets go of the scene and the pictures of an asset that no question is left for.
    pub(super) fn forget(&mut self, slot: SlotIdx) {
        if let Some(held) = self.held.remove(&slot) {
            self.bytes -= held.bytes;
        }
    }

    /// Drops what was used longest ago; never `keep`, and never the one before it, which is in the same pair.
    fn make_room(&mut self, keep: SlotIdx) {
        let newest = self.held.values().map(|held| held.used).max().unwrap_or(0);
        while self.bytes > MEMORY_BYTES_MAX {
            let oldest = (self.held.iter())
                .filter(|(slot, held)| **slot != keep && held.used < newest)
                .min_by_key(|(slot, held)| (held.used, **slot))
                .map(|(slot, _)| *slot);
            let Some(held) = oldest.and_then(|slot| self.held.remove(&slot)) else {
                return;
            };
            self.bytes -= held.bytes;
        }
    }

    fn note(&mut self, slot: SlotIdx) {
        let entry = &self.slots[slot.0];
        let (method, prompt, seed) = self.plan.slot(slot);
        let (hash, failure) = match &entry.state {
            State::Known(hash) => (Some(hash.clone()), None),
            State::Failed(failure) => (None, Some(failure.clone())),
            State::Pending | State::There | State::Unaffordable => (None, None),
        };
        self.changed.push(Made {
            method: method.name.clone(),
            prompt_id: prompt.id.clone(),
            seed,
            prompt: prompt.text.clone(),
            path: Some(entry.path.to_string_lossy().into_owned()),
            hash,
            file_bytes: entry.stamp.map(|(bytes, _)| bytes),
            file_modified_ns: entry.stamp.map(|(_, modified)| modified),
            seconds: entry.seconds,
            failure,
        });
    }
}

/// What an earlier call found out, if the file is as it was.
fn believe(slot: &mut Slot, before: &Made) {
    let stamp_before = before.file_bytes.zip(before.file_modified_ns);
    let is_same = stamp_before.is_some() && stamp(&slot.path) == stamp_before;
    if !is_same {
        return;
    }
    match (&before.hash, &before.failure) {
        (Some(hash), None) => slot.state = State::Known(hash.clone()),
        (_, Some((stage, reason))) if *stage != FailedAt::Generate => {
            slot.state = State::Failed((*stage, reason.clone()));
        }
        _ => return,
    }
    slot.stamp = stamp_before;
}

/// Size of a file, and when it was last changed, in nanoseconds since 1970.
type Stamp = (u64, i64);

/// A file that changed so shortly before it was read may change again and keep its time: 2 s, the coarsest clock of a file system.
const CLOCK_TICK_NS: i64 = 2_000_000_000;

/// On Unix the time is that of the inode, which no program can set: a file that was replaced by one of the same size and date has another.
fn stamp(path: &Path) -> Option<Stamp> {
    let file = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let changed_ns = {
        use std::os::unix::fs::MetadataExt;
        file.ctime()
            .checked_mul(1_000_000_000)?
            .checked_add(file.ctime_nsec())?
    };
    #[cfg(not(unix))]
    let changed_ns = nanoseconds(file.modified().ok()?)?;
    Some((file.len(), changed_ns))
}

/// Whether an equal stamp will say that the content is equal.
fn is_settled((_, changed_ns): &Stamp) -> bool {
    nanoseconds(SystemTime::now()).is_some_and(|now| now - changed_ns > CLOCK_TICK_NS)
}

fn nanoseconds(time: SystemTime) -> Option<i64> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

fn frame_bytes(frame: &Frame) -> usize {
    let images = frame.images.values();
    images.map(|image| image.pixels.len()).sum()
}

/// About what a scene takes: its vertices with everything they can have, its triangles, its texels.
fn scene_bytes(scene: &Scene) -> usize {
    const VERTEX: usize = 64;
    let texels: usize = scene.textures().iter().map(Texture::bytes).sum();
    scene.vertex_count() * VERTEX + scene.triangle_count() * 12 + texels
}
