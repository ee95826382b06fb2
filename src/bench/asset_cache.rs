//! A benchmark's assets: where each is, and whether it can be judged; its pictures while needed.
//!
//! A *slot* is one asset: a method, a prompt, a seed. Who reads and draws it is a [`Studio`], here
//! or on another machine, whose findings come as a [`Look`].

use super::cluster::Look;
use super::make::{Delivered, Job, Maker, Recipes, recipe_beside, star};
use super::plan::Plan;
use super::reading::{Reading, check_blank, read, side};
use super::slot::SlotIdx;
use crate::ask::{Side, Source, Studio, Template, Views, changed};
use crate::load::{Axis, Turn};
use crate::scene::{ViewScale, one_lies_on_its_side};
use crate::store::{FailedAt, Made};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Why an asset cannot be judged.
pub(super) type AssetFailure = (FailedAt, String);

/// The state of an asset.
#[derive(Debug, Clone)]
enum State {
    /// Its generator has not ended.
    Pending,
    /// Its file exists and was not read yet.
    There,
    /// Available, with its data.
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
    /// Its recipe, if a generator makes it.
    recipe: Option<String>,
    /// Whether an earlier session read it.
    was_read: bool,
    seconds: Option<f64>,
    /// Edges of its box, if it was read in this session.
    edges: Option<[f32; 3]>,
}

/// The state of every asset, and the studio of this process.
#[derive(Debug)]
pub(super) struct AssetCache<'a> {
    plan: &'a Plan,
    view_scale: Option<ViewScale>,
    studio: Studio,
    slots: Vec<Slot>,
    /// How many of them are pending.
    pending: usize,
    /// For assets that another machine looks at.
    stamps_before: HashMap<SlotIdx, Option<Stamp>>,
    /// Changes for the store, since they were last taken.
    pub changed: Vec<Made>,
    /// Warnings for the user, since they were last taken.
    pub warnings: Vec<String>,
    /// For each pair of generators, on how many prompts one asset seems turned by 90°, and on how
    /// many both were compared.
    axes: HashMap<[usize; 2], Axes>,
    /// Hashes of assets that keep the limits of the check.
    ready: BTreeSet<String>,
}

impl<'a> AssetCache<'a> {
    /// Looks where every asset is; what an earlier call knew of an unchanged file is believed. A
    /// generator that failed is tried again. `view_scale` is how large assets are shown, if nothing
    /// but pictures is asked of them.
    pub(super) fn new(
        plan: &'a Plan,
        run: &Path,
        known: Vec<Made>,
        view_scale: Option<ViewScale>,
    ) -> Self {
        let mut recipes = Recipes::default();
        let mut num_changed = 0;
        let mut known: HashMap<(String, String, u32), Made> = known
            .into_iter()
            .map(|made| ((made.method.clone(), made.prompt_id.clone(), made.seed), made))
            .collect();
        let mut cache = Self {
            plan,
            view_scale,
            studio: Studio::default(),
            slots: Vec::new(),
            pending: 0,
            stamps_before: HashMap::new(),
            changed: Vec::new(),
            warnings: Vec::new(),
            axes: HashMap::new(),
            ready: plan.check.as_ref().map(|check| check.known(run)).unwrap_or_default(),
        };
        for slot in plan.slots() {
            let (method, prompt, seed) = plan.slot(slot);
            let key = (method.name.clone(), prompt.id.clone(), seed);
            let before = known.remove(&key);
            let path = method.place(run, prompt, seed);
            let text_changed = before.as_ref().is_none_or(|made| made.prompt != prompt.text);
            let photo_changed =
                before.as_ref().is_some_and(|made| made.photo != plan.photos.key(prompt));
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
                    let failed = plan.failures.get(&method.name);
                    let reason = match (failed.and_then(|of| of.get(&prompt.id)), star(&path)) {
                        (Some(why), _) => why.clone(),
                        (None, Some(_)) => format!("no asset, or more than one, matches {shown:?}"),
                        (None, None) => format!("no such file: {shown:?}"),
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
                edges: None,
                path,
            };
            let is_failed = matches!(entry.state, State::Failed(_));
            if let Some(before) = before.as_ref().filter(|_| exists) {
                believe(&mut entry, before, method.turn_of(&prompt.id, seed));
            }
            cache.pending += usize::from(matches!(entry.state, State::Pending));
            cache.slots.push(entry);
            if is_failed || text_changed || photo_changed {
                cache.note(slot);
            }
        }
        if num_changed > 0 {
            cache.warnings.push(format!(
                "assets in the run folder from another prompt, photo, seed or command, which are made again: {num_changed}"
            ));
        }
        cache
    }

    /// Assets that have to be made.
    pub(super) fn jobs(&self) -> Vec<Job> {
        let pending = self.plan.slots().filter(|&slot| self.is_pending(slot));
        let recipe = |slot: SlotIdx| self.slots[slot.0].recipe.clone();
        pending.filter_map(|slot| Job::new(slot, self.plan.slot(slot), recipe(slot))).collect()
    }

    /// Whether its generator has not ended.
    pub(super) fn is_pending(&self, slot: SlotIdx) -> bool {
        matches!(self.slots[slot.0].state, State::Pending)
    }

    /// Whether it was not made because the budget is spent: the next call may make it.
    pub(super) fn is_unaffordable(&self, slot: SlotIdx) -> bool {
        matches!(self.slots[slot.0].state, State::Unaffordable)
    }

    /// Takes an asset from a generator.
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
                let reason = "its generator ended without a message".to_owned();
                self.slots[slot.0].state = State::Failed((FailedAt::Generate, reason));
                self.note(slot);
            }
        }
        self.pending = 0;
    }

    /// The asset as a case shows it; reads it if it was not read before.
    ///
    /// # Errors
    /// Why it cannot be judged, as far as that is known without drawing.
    pub(super) fn side(&mut self, slot: SlotIdx) -> Result<Side, AssetFailure> {
        if matches!(self.slots[slot.0].state, State::There) {
            self.read(slot);
        }
        self.check(slot);
        let Slot { state, path, .. } = &self.slots[slot.0];
        match state {
            State::Known(hash) => Ok(side(self.plan, slot, path, hash.clone(), self.view_scale)),
            State::Failed(failure) => Err(failure.clone()),
            State::Pending | State::There | State::Unaffordable => {
                Err((FailedAt::Generate, "it is still being made".to_owned()))
            }
        }
    }

    /// With `failing = "missing"`, an asset that is not ready cannot be judged.
    fn check(&mut self, slot: SlotIdx) {
        let State::Known(hash) = &self.slots[slot.0].state else { return };
        let Some(check) = self.plan.check.as_ref().filter(|check| check.is_missing) else { return };
        if self.ready.contains(hash) {
            return;
        }
        // Pictures have nothing to check; an unreadable file is found when it is drawn.
        let loaded = self.plan.read_slot(slot, &self.slots[slot.0].path, None);
        match loaded.ok().and_then(|loaded| check.reason(&loaded.into_mesh().ok()?)) {
            None => _ = self.ready.insert(hash.clone()),
            Some(reason) => {
                self.slots[slot.0].state = State::Failed((FailedAt::Check, reason));
                self.note(slot);
            }
        }
    }

    /// The asset of a slot with its pictures.
    ///
    /// # Errors
    /// Why it cannot be judged; kept, so that it is found out once.
    pub(super) fn views(
        &mut self,
        slot: SlotIdx,
        template: &Arc<Template>,
        side: &Side,
    ) -> Result<Views, AssetFailure> {
        let drawn = self.studio.views(template, side).and_then(|views| {
            let warning = check_blank(&views.frames)?.filter(|_| views.is_new);
            Ok((views, warning))
        });
        self.drawn(slot, drawn)
    }

    /// The asset without pictures (composed elsewhere), with its scene if `is_measured`.
    ///
    /// # Errors
    /// As of [`views`](Self::views).
    pub(super) fn undrawn(
        &mut self,
        slot: SlotIdx,
        side: &Side,
        is_measured: bool,
    ) -> Result<Views, AssetFailure> {
        let mut specimen = None;
        if is_measured && !matches!(side.source, Source::Views(_)) {
            let read = self.studio.specimen(side);
            specimen = Some(self.drawn(slot, read.map(|specimen| (specimen, None)))?);
        }
        Ok(Views { specimen, ..Views::default() })
    }

    /// Whether nobody has read it yet.
    pub(super) fn is_unread(&self, slot: SlotIdx) -> bool {
        matches!(self.slots[slot.0].state, State::There)
    }

    /// Another machine will read the file; comparing it with its present state shows a change.
    pub(super) fn hand_out(&mut self, slot: SlotIdx) {
        if self.is_unread(slot) {
            let stamp = self.stamp_now(slot);
            self.stamps_before.entry(slot).or_insert(stamp);
        }
    }

    /// Takes what another machine found out of an asset.
    pub(super) fn looked(&mut self, look: Look) {
        let slot = SlotIdx(look.slot);
        let stamp = self.stamps_before.remove(&slot).flatten();
        match (&self.slots[slot.0].state, look.reading) {
            (State::There, Some(reading)) => self.note_reading(slot, reading, stamp),
            (State::Known(hash), Some(Reading { result: Ok(now), .. })) if *hash != now => {
                let reason = changed(&self.slots[slot.0].path);
                let _ = self.drawn::<()>(slot, Err(reason));
            }
            _ => {}
        }
        if let Some(drawn) = look.drawn
            && !self.is_failed(slot)
        {
            // Its failure is kept, and found when its turn comes.
            let _ = self.drawn(slot, drawn.map(|warning| ((), warning)));
        }
    }

    /// Reads again what an earlier session read, as its answers count only if it has not changed.
    pub(super) fn read_again(&mut self) {
        for slot in self.plan.slots() {
            let Slot { state, was_read, .. } = &self.slots[slot.0];
            if *was_read && matches!(state, State::There) {
                self.read(slot);
            }
        }
    }

    /// The asset's data, if it was looked at and can be judged.
    pub(super) fn hash(&self, slot: SlotIdx) -> Option<&str> {
        match &self.slots[slot.0].state {
            State::Known(hash) => Some(hash),
            _ => None,
        }
    }

    /// Whether the asset is known to be missing.
    pub(super) fn is_failed(&self, slot: SlotIdx) -> bool {
        matches!(self.slots[slot.0].state, State::Failed(_))
    }

    /// Assets that a generator has to make.
    pub(super) fn num_pending(&self) -> usize {
        self.pending
    }

    /// The files of assets that cannot be judged, as far as is known.
    pub(super) fn missing(&self) -> impl Iterator<Item = &Path> {
        let is_failed = |slot: &&Slot| matches!(slot.state, State::Failed(_));
        self.slots.iter().filter(is_failed).map(|slot| slot.path.as_path())
    }

    fn read(&mut self, slot: SlotIdx) {
        // Before it is read: a file that is written meanwhile then looks changed, not unchanged.
        let stamp = self.stamp_now(slot);
        let path = &self.slots[slot.0].path;
        let reading = read(self.plan, slot, path, self.view_scale, &mut self.studio);
        self.note_reading(slot, reading, stamp);
    }

    /// None where an equal stamp would not say that the content is equal.
    fn stamp_now(&self, slot: SlotIdx) -> Option<Stamp> {
        let (method, prompt, seed) = self.plan.slot(slot);
        let stamp = stamp(&self.slots[slot.0].path);
        let stamp = stamp.filter(|stamp| method.maker.program().is_some() || is_settled(stamp));
        stamp.map(|stamp| turned(stamp, method.turn_of(&prompt.id, seed)))
    }

    /// `stamp` is from before it was read.
    fn note_reading(&mut self, slot: SlotIdx, reading: Reading, stamp: Option<Stamp>) {
        reading.warnings.iter().for_each(|warning| self.warn(slot, warning));
        let entry = &mut self.slots[slot.0];
        entry.edges = reading.edges;
        (entry.state, entry.stamp) = match reading.result {
            Ok(hash) => {
                let is_whole = |(bytes, _): &Stamp| Some(*bytes) == reading.bytes_read;
                (State::Known(hash), stamp.filter(is_whole))
            }
            Err(reason) => (State::Failed((FailedAt::Load, reason)), stamp),
        };
        self.note(slot);
    }

    fn warn(&mut self, slot: SlotIdx, warning: &str) {
        let path = self.slots[slot.0].path.display().to_string();
        self.warnings.push(format!("{warning}: {path:?}"));
    }

    /// Keeps why an asset cannot be drawn, or that some of its views show nothing.
    fn drawn<T>(
        &mut self,
        slot: SlotIdx,
        drawn: Result<(T, Option<String>), String>,
    ) -> Result<T, AssetFailure> {
        match drawn {
            Ok((drawn, warning)) => {
                warning.iter().for_each(|warning| self.warn(slot, warning));
                Ok(drawn)
            }
            Err(reason) => {
                let failure = (FailedAt::Draw, reason);
                self.slots[slot.0].state = State::Failed(failure.clone());
                self.note(slot);
                Err(failure)
            }
        }
    }

    /// Warns, once for two generators, where one asset of a pair seems to have another axis up than
    /// the other; for prompts with photos, of which generators make quite different objects, only
    /// where that is so on most prompts.
    pub(super) fn compare_axes(&mut self, slots: [SlotIdx; 2]) {
        let [Some(a), Some(b)] = slots.map(|slot| self.slots[slot.0].edges) else {
            return;
        };
        let pair = slots.map(|slot| slot.parts(self.plan.methods.len()).1);
        let enough = match self.plan.slot(slots[0]).1.image() {
            Some(_) => self.plan.num_places().min(AXES_SEEN_MIN),
            None => 1,
        };
        let axes = self.axes.entry(pair).or_default();
        axes.compared += 1;
        axes.turned += usize::from(one_lies_on_its_side([a.into(), b.into()]));
        let is_most = axes.turned >= enough && (enough == 1 || 2 * axes.turned > axes.compared);
        if is_most && !std::mem::replace(&mut axes.is_said, true) {
            let [a, b] = pair.map(|method| self.plan.methods[method].name.as_str());
            let prompt = &self.plan.slot(slots[0]).1.id;
            self.warnings.push(format!("one asset seems rotated by 90° relative to the other on the prompt {prompt:?}: is {a} or {b} z-up? Both are judged unchanged; see `up` and `front` under [[generators]]"));
        }
    }

    /// Lets go of the scene and the pictures of an asset that no question is left for.
    pub(super) fn forget(&mut self, slot: SlotIdx) {
        let Slot { state, path, .. } = &self.slots[slot.0];
        if let State::Known(hash) = state {
            let side = side(self.plan, slot, path, hash.clone(), self.view_scale);
            self.studio.forget(&side.asset);
        }
    }

    fn note(&mut self, slot: SlotIdx) {
        let made = self.made(slot);
        self.changed.push(made);
    }

    /// The asset as it is now, as the store keeps it.
    pub(super) fn made(&self, slot: SlotIdx) -> Made {
        let entry = &self.slots[slot.0];
        let (method, prompt, seed) = self.plan.slot(slot);
        let (hash, failure) = match &entry.state {
            State::Known(hash) => (Some(hash.clone()), None),
            State::Failed(failure) => (None, Some(failure.clone())),
            State::Pending | State::There | State::Unaffordable => (None, None),
        };
        Made {
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
            photo: self.plan.photos.key(prompt),
        }
    }
}

/// What an earlier call found out, if the file is as it was.
fn believe(slot: &mut Slot, before: &Made, turn: Option<Turn>) {
    let stamp_before = before.file_bytes.zip(before.file_modified_ns);
    let stamp_now = stamp(&slot.path).map(|stamp| turned(stamp, turn));
    if stamp_before.is_none() || stamp_now != stamp_before {
        return;
    }
    match (&before.hash, &before.failure) {
        (Some(hash), None) => slot.state = State::Known(hash.clone()),
        (_, Some((stage, reason))) if !matches!(stage, FailedAt::Generate | FailedAt::Check) => {
            slot.state = State::Failed((*stage, reason.clone()));
        }
        _ => return,
    }
    slot.stamp = stamp_before;
}

/// Prompts with photos on which assets of two generators must seem turned before that is said.
const AXES_SEEN_MIN: usize = 2;

/// How assets of two generators are placed.
#[derive(Debug, Default)]
struct Axes {
    compared: usize,
    turned: usize,
    is_said: bool,
}

/// Size of a file, and when it was last changed, in nanoseconds since 1970.
pub(super) type Stamp = (u64, i64);

/// A file that changed so shortly before it was read may change again and keep its time: 2 s, the
/// coarsest clock of a file system.
const CLOCK_TICK_NS: i64 = 2_000_000_000;

/// On Unix the time is that of the inode, which no program can set: a file that was replaced by one
/// of the same size and date has another.
pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    let file = std::fs::metadata(path).ok().filter(|file| file.is_file())?;
    #[cfg(unix)]
    let changed_ns = {
        use std::os::unix::fs::MetadataExt;
        file.ctime().checked_mul(1_000_000_000)?.checked_add(file.ctime_nsec())?
    };
    #[cfg(not(unix))]
    let changed_ns = nanoseconds(file.modified().ok()?)?;
    Some((file.len(), changed_ns))
}

/// A file that is read with other axes is another asset: its stamp is below zero, and the last
/// digits say which axes.
pub(super) fn turned((bytes, changed_ns): Stamp, turn: Option<Turn>) -> Stamp {
    /// Above 36 pairs of axes × 360 degrees.
    const TURNS: i64 = 1 << 14;
    let Some(Turn { up, front, yaw_degrees }) = turn else {
        return (bytes, changed_ns);
    };
    let place = |axis| Axis::ALL.iter().position(|(known, _)| *known == axis);
    let axes = place(up).unwrap_or(0) * Axis::ALL.len() + place(front).unwrap_or(0);
    let which = axes as i64 * 360 + i64::from(yaw_degrees);
    (bytes, -(changed_ns / TURNS * TURNS + which))
}

/// Whether an equal stamp will say that the content is equal.
fn is_settled((_, changed_ns): &Stamp) -> bool {
    nanoseconds(SystemTime::now()).is_some_and(|now| now - changed_ns > CLOCK_TICK_NS)
}

fn nanoseconds(time: SystemTime) -> Option<i64> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}
