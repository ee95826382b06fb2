//! Tasks of a plan → work for a session, in the order of the plan as far as their assets are there. With a cluster, pictures are composed
//! elsewhere, a few jobs ahead of the session.

use super::asset_cache::{AssetCache, AssetFailure};
use super::cluster::DrawTask;
use super::file::MissingAssets;
use super::make::Pool;
use super::observer::Observer;
use super::plan::{Plan, PlannedRubric};
use super::prompt::Prompt;
use super::remote::{Back, Remote};
use super::schedule::Pair;
use super::slot::{PlaceIdx, SlotIdx};
use crate::ask::{
    ComposedPictures, Drawn, FittedExamples, Planner, QuestionError, QuestionTemplate, Shown,
    Subject, Work, protocol_of,
};
use crate::render::ProtocolRecord;
use crate::rubric::Kind;
use crate::store::{PairResult, PlannedPair};
use serde_json::json;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Between two checks whether a thread that waits for an asset is to end.
const POLL: Duration = Duration::from_millis(50);

/// Pieces of work that need no asking and are handed out together.
const NOTED_MAX: usize = 1_000;

/// Questions whose pictures one job composes. Results wait in the cluster's memory: of 64 sheets, some 64 MB.
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

/// Why a task makes no questions.
enum TaskFailure {
    /// Its pictures are still to be composed by a cluster.
    NotDrawn,
    /// An asset is missing; whether it is the first or the second.
    Assets([Result<(), AssetFailure>; 2]),
    /// The same for every asset.
    Question(QuestionError),
}

impl From<QuestionError> for TaskFailure {
    fn from(error: QuestionError) -> Self {
        Self::Question(error)
    }
}

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
    /// Worked examples, by rubric.
    pub examples: &'a [FittedExamples],
    /// How pictures are drawn, by rubric: see [`protocols`].
    pub protocols: &'a [Option<Arc<ProtocolRecord>>],
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
    type Item = Result<Work, QuestionError>;

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
            let is_done = self.tasks.is_empty() && !self.is_waiting_for_drawings();
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
    fn is_waiting_for_drawings(&self) -> bool {
        self.remote.as_ref().is_some_and(|remote| remote.is_drawing())
    }

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

    /// Makes a task's questions, or has a cluster draw them together with those of other tasks that show the same assets.
    fn begin(&mut self, task: Task) -> Result<(), QuestionError> {
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
    ) -> Result<bool, QuestionError> {
        let worked = match self.work(task, pictures) {
            Ok(work) => work,
            Err(TaskFailure::Question(error)) => return Err(error),
            Err(TaskFailure::NotDrawn | TaskFailure::Assets(_)) => return Ok(false),
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
    fn wait(&mut self) -> Result<(), QuestionError> {
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
                        let reason = reason.to_owned();
                        return Err(QuestionError::Cluster { reason });
                    }
                }
            }
        }
        Ok(())
    }

    fn note_changes(&mut self) {
        for warning in self.assets.take_warnings() {
            self.observer.warn(&warning);
        }
        self.pending.store(self.assets.num_pending(), Ordering::Relaxed);
        let changed = self.assets.take_changed();
        if !changed.is_empty() {
            self.push(Work::Made(changed));
        }
    }

    /// Puts work in line. What only has to be noted joins what waits already: a resumed run is mostly that, and each piece costs a turn of
    /// the session's loop.
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

    fn work(
        &mut self,
        task: Task,
        pictures: Option<ComposedPictures>,
    ) -> Result<Vec<Work>, TaskFailure> {
        let is_unread = |slot: &SlotIdx| self.assets.is_unread(*slot);
        if self.remote.is_some() && task.slots(self.plan).iter().any(is_unread) {
            return Err(TaskFailure::NotDrawn);
        }
        match task {
            Task::Pair { rubric, pair } => self.pair(rubric, pair, pictures),
            Task::One { rubric, slot } => self.one(rubric, slot, pictures),
        }
    }

    /// An asset as its questions show it, its pictures drawn here or composed elsewhere.
    fn shown(
        &mut self,
        slot: SlotIdx,
        rubric: usize,
        composed: Option<&ComposedPictures>,
    ) -> Result<Result<Shown, AssetFailure>, TaskFailure> {
        match (&self.remote, composed) {
            (None, _) => Ok(self.assets.shown(slot, rubric)),
            (Some(_), None) => Err(TaskFailure::NotDrawn),
            (Some(remote), Some(_)) => Ok(self.assets.undrawn(slot, remote.is_measured)),
        }
    }

    fn pair(
        &mut self,
        rubric: usize,
        pair: Pair,
        composed: Option<ComposedPictures>,
    ) -> Result<Vec<Work>, TaskFailure> {
        let plan = self.plan;
        let slots = Task::Pair { rubric, pair }.slots(plan);
        let (prompt, _) = plan.place(PlaceIdx(pair.prompt));
        let asked = &plan.rubrics[rubric];
        let keep =
            |result| Work::Pairs(vec![planned_pair(plan, asked.rubric.name(), pair, result)]);
        let found = slots.map(|slot| self.assets.asset(slot));
        let [Ok(a), Ok(b)] = found else {
            return Ok(self.missing(keep, found.map(|asset| asset.map(|_| ()))));
        };
        self.assets.compare_axes(slots);
        let photo = if asked.rubric.shows_photo() { plan.photos.cut_out(prompt)? } else { None };
        let template = QuestionTemplate {
            what: format!("{} against {} on {:?}", a.method, b.method, prompt.id),
            photo: photo.as_deref(),
            ..self.template(rubric, prompt)
        };
        let planner = Arc::clone(&self.planner);
        let work = planner.pair(&template, [&a, &b], || {
            let [a, b] = slots.map(|slot| self.shown(slot, rubric, composed.as_ref()));
            match [a?, b?] {
                [Ok(a), Ok(b)] => Ok(Drawn { shown: [a, b], composed }),
                shown => Err(TaskFailure::Assets(shown.map(|asset| asset.map(|_| ())))),
            }
        });
        match work {
            Ok(work) => Ok([vec![keep(PairResult::Asked)], work].concat()),
            Err(TaskFailure::Assets(found)) => Ok(self.missing(keep, found)),
            Err(failure) => Err(failure),
        }
    }

    /// A pair with a missing asset: decided by the rule on missing assets, without a judge.
    fn missing(
        &self,
        keep: impl Fn(PairResult) -> Work,
        found: [Result<(), AssetFailure>; 2],
    ) -> Vec<Work> {
        let result = match (found, self.plan.missing_assets) {
            ([Ok(()), Err(_)], MissingAssets::Loss) => PairResult::AByForfeit,
            ([Err(_), Ok(())], MissingAssets::Loss) => PairResult::BByForfeit,
            _ => PairResult::LeftOut,
        };
        let fewer = 2 * self.planner.num_requests_per_question();
        vec![keep(result), Work::Fewer(fewer)]
    }

    fn template(&self, rubric: usize, prompt: &'a Prompt) -> QuestionTemplate<'a> {
        let asked = &self.plan.rubrics[rubric];
        let category = prompt.category.as_deref().or(asked.category.as_deref());
        QuestionTemplate {
            rubric: &asked.rubric,
            category: category.filter(|_| asked.rubric.kind() == Kind::Category),
            prompt: prompt.text(),
            photo: None,
            drawings: &asked.drawings,
            protocol: self.protocols[rubric].clone(),
            what: String::new(),
        }
    }

    fn one(
        &mut self,
        rubric: usize,
        slot: SlotIdx,
        composed: Option<ComposedPictures>,
    ) -> Result<Vec<Work>, TaskFailure> {
        let plan = self.plan;
        let (_, prompt, _) = plan.slot(slot);
        let asked = &plan.rubrics[rubric];
        let fewer = vec![Work::Fewer(self.planner.num_requests_per_question())];
        let Ok(asset) = self.assets.asset(slot) else {
            return Ok(fewer);
        };
        let photo = match asked.rubric.kind() {
            Kind::Reconstruction => plan.photos.whole(prompt)?,
            _ => None,
        };
        let subject = photo.as_deref().map_or(Subject::Category, Subject::Reconstruction);
        let template = QuestionTemplate {
            what: format!("{} on {:?}", asset.method, prompt.id),
            ..self.template(rubric, prompt)
        };
        let planner = Arc::clone(&self.planner);
        let examples = &self.examples[rubric];
        let work = planner.single(&template, examples, &asset, subject, || {
            let shown = self.shown(slot, rubric, composed.as_ref())?;
            let shown = shown.map_err(|failure| TaskFailure::Assets([Err(failure), Ok(())]))?;
            Ok(Drawn { shown, composed })
        });
        match work {
            Ok(work) => Ok(work),
            Err(TaskFailure::Assets(_)) => Ok(fewer),
            Err(TaskFailure::NotDrawn) => Err(TaskFailure::NotDrawn),
            Err(TaskFailure::Question(error)) => {
                Err(QuestionError::Asset { reason: format!("prompt {:?}: {error}", prompt.id) }
                    .into())
            }
        }
    }
}

/// The record of how the pictures of each rubric are drawn. Ready pictures were drawn by others: theirs says which views of them are shown.
pub(super) fn protocols(plan: &Plan) -> Vec<Option<Arc<ProtocolRecord>>> {
    let of = |asked: &PlannedRubric| {
        if !plan.has_ready_pictures() {
            return protocol_of(&asked.drawings, &plan.load);
        }
        let views: Vec<usize> =
            asked.drawings.iter().flatten().map(|drawing| drawing.rig.views.len()).collect();
        let record = json!({"pictures": "drawn elsewhere", "views": views});
        Some(Arc::new(ProtocolRecord::new(record.to_string())))
    };
    plan.rubrics.iter().map(of).collect()
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
