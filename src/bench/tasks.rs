//! Tasks of a plan → cases → work for a session, in the order of the plan as far as their assets
//! are there. With a cluster, pictures are composed elsewhere, a few jobs ahead of the session.

use super::asset_cache::{AssetCache, AssetFailure};
use super::cluster::DrawTask;
use super::file::MissingAssets;
use super::make::Pool;
use super::observer::Observer;
use super::plan::Plan;
use super::remote::{Back, Remote, cluster_failed};
use super::schedule::Pair;
use super::slot::{PlaceIdx, SlotIdx};
use crate::ask::{Case, ComposedPictures, Drawn, Planner, Side, Template, Views, Work};
use crate::error::Error;
use crate::store::{PairResult, PlannedPair};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Between two checks whether a thread that waits for an asset is to end.
const POLL: Duration = Duration::from_millis(50);

/// Pieces of work that need no asking and are handed out together.
const NOTED_MAX: usize = 1_000;

/// Questions per composing job. Results wait in the cluster's memory: of 64 sheets, some 64 MB.
const JOB_TASKS_MAX: usize = 64;

/// Tasks that are looked through for others of one place.
const LOOKED_AHEAD_MAX: usize = 1_000;

/// One thing to be asked about, by the index of a rubric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// Both orders of a pair; its `prompt` is the index of a place.
    Pair {
        rubric: usize,
        pair: Pair,
    },
    One {
        rubric: usize,
        slot: SlotIdx,
    },
}

impl Task {
    /// Its questions, before judges and samples.
    pub(super) fn num_questions(&self) -> u64 {
        match self {
            Self::Pair { .. } => 2,
            Self::One { .. } => 1,
        }
    }

    fn place(&self, plan: &Plan) -> PlaceIdx {
        match *self {
            Self::Pair { pair, .. } => PlaceIdx(pair.prompt),
            Self::One { slot, .. } => slot.parts(plan.methods.len()).0,
        }
    }

    pub(super) fn slots(&self, plan: &Plan) -> [SlotIdx; 2] {
        match *self {
            Self::Pair { pair, .. } => {
                [pair.a, pair.b].map(|method| plan.slot_at(PlaceIdx(pair.prompt), method))
            }
            Self::One { slot, .. } => [slot, slot],
        }
    }
}

/// Which assets of a task can be judged, by slot; a single one comes twice.
type Showable = [Result<(), AssetFailure>; 2];

/// Walks tasks and makes their questions; waits for generators where no asset is there yet.
pub(super) struct Producer<'a, 'p> {
    pub plan: &'a Plan,
    pub assets: &'a mut AssetCache<'p>,
    pub pool: &'a mut Pool,
    /// Who draws and composes, if it is not this process.
    pub remote: Option<&'a mut Remote<'p>>,
    /// The tasks that it draws, by job.
    pub away: HashMap<u64, Vec<Task>>,
    pub planner: Arc<Planner<'a>>,
    /// By rubric.
    pub templates: &'a [Arc<Template>],
    /// By rubric and prompt, where the prompt decides the items of a checklist.
    pub features: &'a HashMap<usize, HashMap<String, String>>,
    pub observer: &'a dyn Observer,
    /// Assets that are being made.
    pub pending: &'a AtomicUsize,
    /// Set when nothing more is asked.
    pub ended: Arc<AtomicBool>,
    pub tasks: VecDeque<Task>,
    /// How many sides of tasks are still to come for each asset, where the tasks are all there are.
    pub uses: HashMap<SlotIdx, usize>,
    /// Made and not handed out yet.
    pub ready: VecDeque<Work>,
    /// Whether it has work to hand out now.
    pub is_due: bool,
    /// Whether tasks were left to the next call because an asset was not paid for.
    pub has_unaffordable: bool,
    /// Pieces of work that were put in line since the line was empty.
    pub num_noted: usize,
}

impl Iterator for Producer<'_, '_> {
    type Item = Result<Work, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let is_idle = self.tasks.is_empty() || self.ended.load(Ordering::Relaxed);
            if self.is_due || is_idle || self.num_noted >= NOTED_MAX {
                if let Some(work) = self.ready.pop_front() {
                    return Some(Ok(work));
                }
                (self.is_due, self.num_noted) = (false, 0);
            }
            while let Some(delivered) = self.pool.try_next() {
                self.assets.deliver(delivered);
            }
            self.note_changes();
            if self.is_due {
                continue;
            }
            let is_drawing = self.remote.as_ref().is_some_and(|remote| remote.is_drawing());
            let is_done = self.tasks.is_empty() && !is_drawing;
            if is_done || self.ended.load(Ordering::Relaxed) {
                // The findings of the last tasks about their assets.
                if std::mem::take(&mut self.has_unaffordable) {
                    self.push(Work::Unaffordable);
                }
                if !self.ready.is_empty() {
                    continue;
                }
                return None;
            }
            let worked = match self.next_task() {
                Some(task) => self.begin(task),
                None if !self.ready.is_empty() => {
                    self.is_due = true;
                    Ok(())
                }
                None => self.wait(),
            };
            if let Err(error) = worked {
                return Some(Err(error));
            }
        }
    }
}

impl<'a> Producer<'a, '_> {
    /// The first task whose assets are made, if another one can be begun now.
    fn next_task(&mut self) -> Option<Task> {
        if (self.remote.as_ref()).is_some_and(|remote| !remote.has_room()) {
            return None;
        }
        // Nearly always the first.
        let place = self.tasks.iter().position(|task| self.is_ready(task))?;
        self.tasks.remove(place)
    }

    fn is_ready(&self, task: &Task) -> bool {
        let slots = task.slots(self.plan);
        slots.iter().all(|&slot| !self.assets.is_pending(slot))
    }

    /// Makes a task's questions, or has a cluster draw them together with those of other tasks that
    /// show the same assets.
    fn begin(&mut self, task: Task) -> Result<(), Error> {
        let slots = task.slots(self.plan);
        if slots.iter().any(|&slot| self.assets.is_unaffordable(slot)) {
            self.has_unaffordable = true;
            return Ok(());
        }
        if self.put_in_line(task, None)? {
            return Ok(());
        }
        let place = task.place(self.plan);
        let mut together = vec![task];
        let mut i = 0;
        while i < self.tasks.len().min(LOOKED_AHEAD_MAX) && together.len() < JOB_TASKS_MAX {
            let other = self.tasks[i];
            let slots = other.slots(self.plan);
            let is_left_out = slots.iter().any(|&slot| self.assets.is_unaffordable(slot));
            if other.place(self.plan) != place || is_left_out || !self.is_ready(&other) {
                i += 1;
                continue;
            }
            self.tasks.remove(i);
            if !self.put_in_line(other, None)? {
                together.push(other);
            }
        }
        for slot in together.iter().flat_map(|task| task.slots(self.plan)) {
            self.assets.hand_out(slot);
        }
        let tasks = together
            .iter()
            .map(|task| {
                let mut slots: Vec<usize> = task.slots(self.plan).map(|slot| slot.0).to_vec();
                slots.dedup();
                let (Task::Pair { rubric, .. } | Task::One { rubric, .. }) = *task;
                DrawTask { rubric, slots }
            })
            .collect();
        if let Some(remote) = &mut self.remote {
            let job = remote.draw(place, tasks)?;
            self.away.insert(job, together);
        }
        Ok(())
    }

    /// Makes a task's questions; whether that was possible without its pictures.
    fn put_in_line(
        &mut self,
        task: Task,
        pictures: Option<ComposedPictures>,
    ) -> Result<bool, Error> {
        let Some(worked) = self.work(task, pictures)? else {
            return Ok(false);
        };
        for slot in task.slots(self.plan) {
            if let Some(uses) = self.uses.get_mut(&slot) {
                *uses -= 1;
                if *uses == 0 {
                    self.assets.forget(slot);
                }
            }
        }
        worked.into_iter().for_each(|work| self.push(work));
        Ok(true)
    }

    /// Waits a moment for an asset or for pictures.
    fn wait(&mut self) -> Result<(), Error> {
        let Some(remote) = &mut self.remote else {
            match self.pool.next_within(POLL) {
                Some(delivered) => self.assets.deliver(delivered),
                None if self.pool.is_over() => self.assets.give_up_pending(),
                None => {}
            }
            return Ok(());
        };
        if remote.is_idle() && self.pool.is_over() {
            // What its last thread delivered before it ended.
            match self.pool.try_next() {
                Some(delivered) => self.assets.deliver(delivered),
                None => self.assets.give_up_pending(),
            }
            return Ok(());
        }
        match remote.next(POLL)? {
            None => {}
            Some(Back::Made(delivered)) => self.assets.deliver(delivered),
            Some(Back::Drawn { job, looks, pictures }) => {
                looks.into_iter().for_each(|look| self.assets.looked(look));
                let tasks = self.away.remove(&job).unwrap_or_default();
                for (task, bytes) in tasks.into_iter().zip(pictures) {
                    let composed = bytes.and_then(|bytes| ComposedPictures::from_bytes(&bytes));
                    // By now the asset without pictures is known.
                    if !self.put_in_line(task, composed)? {
                        let reason = "a job returned no pictures; is the same version of meshjudge installed on every machine?";
                        return Err(cluster_failed(reason));
                    }
                }
            }
        }
        Ok(())
    }

    fn note_changes(&mut self) {
        self.assets.warnings.drain(..).for_each(|warning| self.observer.warn(&warning));
        self.pending.store(self.assets.num_pending(), Ordering::Relaxed);
        let changed = std::mem::take(&mut self.assets.changed);
        if !changed.is_empty() {
            self.push(Work::Made(changed));
        }
    }

    /// Puts work in line. What only has to be noted joins what waits already: a resumed run is
    /// mostly that, and each piece costs a turn of the session's loop.
    fn push(&mut self, work: Work) {
        self.num_noted += 1;
        for waiting in &mut self.ready {
            match (waiting, &work) {
                (Work::Answered(all), Work::Answered(more)) => return all.extend_from_slice(more),
                (Work::Pairs(all), Work::Pairs(more)) => return all.extend_from_slice(more),
                (Work::Fewer(all), Work::Fewer(more)) => {
                    *all += more;
                    return;
                }
                _ => {}
            }
        }
        self.is_due |= matches!(work, Work::Ask(_));
        self.ready.push_back(work);
    }

    /// A task's questions, phase by phase; `None` if a cluster must still compose its pictures.
    fn work(
        &mut self,
        task: Task,
        composed: Option<ComposedPictures>,
    ) -> Result<Option<Vec<Work>>, Error> {
        let is_unread = |slot: &SlotIdx| self.assets.is_unread(*slot);
        if self.remote.is_some() && task.slots(self.plan).iter().any(is_unread) {
            return Ok(None);
        }
        let case = match task.slots(self.plan).map(|slot| self.assets.side(slot)) {
            [Ok(a), Ok(b)] => self.case(task, [a, b])?,
            sides => return Ok(Some(self.undecided(task, sides.map(|side| side.map(|_| ()))))),
        };
        let found = self.planner.find_either_first(&case);
        let found = found.map_err(|e| self.of_prompt(task, e))?;
        let mut drawn = Drawn::default();
        if found.is_open() {
            if self.remote.is_some() && composed.is_none() {
                return Ok(None);
            }
            match self.draw(task, &case) {
                Ok(sides) => drawn = Drawn { sides, composed },
                Err(showable) => return Ok(Some(self.undecided(task, showable))),
            }
        }
        let asked = self.planner.compose(&case, found, &drawn);
        let asked = asked.map_err(|e| self.of_prompt(task, e))?;
        Ok(Some(self.kept(task, PairResult::Asked).into_iter().chain(asked).collect()))
    }

    /// A task as a case, whose assets are known.
    fn case(&mut self, task: Task, sides: [Side; 2]) -> Result<Case, Error> {
        let plan = self.plan;
        let (prompt, _) = plan.place(task.place(plan));
        let [a, b] = sides;
        let (rubric, sides, what) = match task {
            Task::Pair { rubric, .. } => {
                self.assets.compare_axes(task.slots(plan));
                let methods = format!("{} against {}", a.asset.method, b.asset.method);
                (rubric, vec![a, b], methods)
            }
            Task::One { rubric, .. } => {
                let method = a.asset.method.clone();
                (rubric, vec![a], method)
            }
        };
        let planned = &plan.rubrics[rubric];
        let category = prompt.category.as_ref().or(planned.category.as_ref());
        let category = category.filter(|_| planned.rubric.has_categories());
        let features = self.features.get(&rubric).and_then(|of| of.get(&prompt.id));
        Ok(Case {
            template: Arc::clone(&self.templates[rubric]),
            category: features.or(category).cloned(),
            prompt: prompt.text().map(str::to_owned),
            photo: plan.photo(rubric, prompt)?,
            sides,
            what: format!("{what} on {:?}", prompt.id),
        })
    }

    /// The assets of a case with their pictures, drawn here or composed elsewhere.
    fn draw(&mut self, task: Task, case: &Case) -> Result<Vec<Views>, Showable> {
        let mut sides = Vec::new();
        let mut showable = [Ok(()), Ok(())];
        let slots = task.slots(self.plan);
        for ((slot, side), showable) in slots.into_iter().zip(&case.sides).zip(&mut showable) {
            let views = match &self.remote {
                None => self.assets.views(slot, &case.template, side),
                Some(remote) => self.assets.undrawn(slot, side, remote.is_measured),
            };
            match views {
                Ok(views) => sides.push(views),
                Err(failure) => *showable = Err(failure),
            }
        }
        if sides.len() == case.sides.len() { Ok(sides) } else { Err(showable) }
    }

    /// A task with a missing asset: the rule on missing assets decides pairs, not a judge.
    fn undecided(&self, task: Task, showable: Showable) -> Vec<Work> {
        let result = match (showable, self.plan.missing_assets) {
            ([Ok(()), Err(_)], MissingAssets::Loss) => PairResult::AByForfeit,
            ([Err(_), Ok(())], MissingAssets::Loss) => PairResult::BByForfeit,
            _ => PairResult::LeftOut,
        };
        let fewer = task.num_questions() * self.planner.num_requests_per_question();
        self.kept(task, result).into_iter().chain([Work::Fewer(fewer)]).collect()
    }

    /// What became of a pair, for the store; a single asset has no such entry.
    fn kept(&self, task: Task, result: PairResult) -> Option<Work> {
        let Task::Pair { rubric, pair } = task else { return None };
        let name = self.plan.rubrics[rubric].rubric.name();
        Some(Work::Pairs(vec![planned_pair(self.plan, name, pair, result)]))
    }

    /// Names the prompt of a single asset, whose photo may be the cause.
    fn of_prompt(&self, task: Task, error: Error) -> Error {
        match task {
            Task::Pair { .. } => error,
            Task::One { .. } => {
                let (prompt, _) = self.plan.place(task.place(self.plan));
                error.within(format!("prompt {:?}", prompt.id))
            }
        }
    }
}

/// A pair as it is kept.
pub(super) fn planned_pair(
    plan: &Plan,
    rubric: &str,
    pair: Pair,
    result: PairResult,
) -> PlannedPair {
    let (prompt, seed) = plan.place(PlaceIdx(pair.prompt));
    PlannedPair {
        rubric: rubric.to_owned(),
        prompt_id: prompt.id.clone(),
        prompt: prompt.text.clone(),
        seed,
        a: plan.methods[pair.a].name.clone(),
        b: plan.methods[pair.b].name.clone(),
        result,
    }
}
