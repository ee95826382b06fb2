//! Tasks of a plan → work for a session, in the order of the plan as far as their assets are there.

use super::asset_cache::{AssetCache, AssetFailure};
use super::file::MissingAssets;
use super::make::Pool;
use super::observer::Observer;
use super::plan::{Plan, PlannedRubric};
use super::prompt::Prompt;
use super::schedule::Pair;
use super::slot::{PlaceIdx, SlotIdx};
use crate::ask::{
    FittedExamples, Photo, Planner, QuestionError, QuestionTemplate, Subject, Work, protocol_of,
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
    /// An asset is missing; whether it is the first or the second.
    Assets([Result<(), AssetFailure>; 2]),
    /// No other asset would change it.
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
    pub planner: Arc<Planner<'a>>,
    /// Worked examples, by rubric.
    pub examples: &'a [FittedExamples],
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
    /// Whether something in it is to be handed out now.
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
            if self.tasks.is_empty() || self.ended.load(Ordering::Relaxed) {
                // What the last tasks found out of their assets.
                if std::mem::take(&mut self.has_unaffordable) {
                    self.push(Work::Unaffordable);
                }
                if !self.ready.is_empty() {
                    continue;
                }
                return None;
            }
            let is_ready = |task: &Task| {
                let slots = task.slots(self.plan);
                slots.iter().all(|&slot| !self.assets.is_pending(slot))
            };
            // Nearly always the first.
            let place = self.tasks.iter().position(is_ready);
            let Some(task) = place.and_then(|place| self.tasks.remove(place)) else {
                if !self.ready.is_empty() {
                    self.is_due = true;
                    continue;
                }
                match self.pool.next_within(POLL) {
                    Some(delivered) => self.assets.deliver(delivered),
                    None if self.pool.is_over() => self.assets.give_up_pending(),
                    None => {}
                }
                continue;
            };
            let slots = task.slots(self.plan);
            if slots.iter().any(|&slot| self.assets.is_unaffordable(slot)) {
                self.has_unaffordable = true;
                continue;
            }
            let worked = self.work(task);
            for slot in task.slots(self.plan) {
                if let Some(uses) = self.uses.get_mut(&slot) {
                    *uses -= 1;
                    if *uses == 0 {
                        self.assets.forget(slot);
                    }
                }
            }
            match worked {
                Ok(work) => work.into_iter().for_each(|work| self.push(work)),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Producer<'_, '_> {
    fn note_changes(&mut self) {
        for warning in self.assets.take_warnings() {
            self.observer.warn(&warning);
        }
        self.pending
            .store(self.assets.num_pending(), Ordering::Relaxed);
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

    fn work(&mut self, task: Task) -> Result<Vec<Work>, QuestionError> {
        match task {
            Task::Pair { rubric, pair } => self.pair(rubric, pair),
            Task::One { rubric, slot } => self.one(rubric, slot),
        }
    }

    fn pair(&mut self, rubric: usize, pair: Pair) -> Result<Vec<Work>, QuestionError> {
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
        let template = QuestionTemplate {
            what: format!("{} against {} on {:?}", a.method, b.method, prompt.id),
            ..template(plan, asked, prompt)
        };
        let planner = Arc::clone(&self.planner);
        let work = planner.pair(&template, [&a, &b], || {
            match slots.map(|slot| self.assets.shown(slot, rubric)) {
                [Ok(a), Ok(b)] => Ok([a, b]),
                shown => Err(TaskFailure::Assets(shown.map(|asset| asset.map(|_| ())))),
            }
        });
        match work {
            Ok(work) => Ok([vec![keep(PairResult::Asked)], work].concat()),
            Err(TaskFailure::Assets(found)) => Ok(self.missing(keep, found)),
            Err(TaskFailure::Question(error)) => Err(error),
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

    fn one(&mut self, rubric: usize, slot: SlotIdx) -> Result<Vec<Work>, QuestionError> {
        let plan = self.plan;
        let (_, prompt, _) = plan.slot(slot);
        let asked = &plan.rubrics[rubric];
        let fewer = vec![Work::Fewer(self.planner.num_requests_per_question())];
        let Ok(asset) = self.assets.asset(slot) else {
            return Ok(fewer);
        };
        let photo = match (&prompt.image, &prompt.mask, asked.rubric.kind()) {
            (Some(image), Some(mask), Kind::Reconstruction) => Some(Photo::open(image, mask)?),
            _ => None,
        };
        let subject = photo
            .as_ref()
            .map_or(Subject::Category, Subject::Reconstruction);
        let template = QuestionTemplate {
            what: format!("{} on {:?}", asset.method, prompt.id),
            ..template(plan, asked, prompt)
        };
        let planner = Arc::clone(&self.planner);
        let examples = &self.examples[rubric];
        let work = planner.single(&template, examples, &asset, subject, || {
            let shown = self.assets.shown(slot, rubric);
            shown.map_err(|failure| TaskFailure::Assets([Err(failure), Ok(())]))
        });
        match work {
            Ok(work) => Ok(work),
            Err(TaskFailure::Assets(_)) => Ok(fewer),
            Err(TaskFailure::Question(error)) => Err(QuestionError::Asset {
                reason: format!("prompt {:?}: {error}", prompt.id),
            }),
        }
    }
}

fn template<'a>(plan: &Plan, asked: &'a PlannedRubric, prompt: &'a Prompt) -> QuestionTemplate<'a> {
    let category = prompt.category.as_deref().or(asked.category.as_deref());
    QuestionTemplate {
        rubric: &asked.rubric,
        category: category.filter(|_| asked.rubric.kind() == Kind::Category),
        prompt: Some(&prompt.text),
        drawings: &asked.drawings,
        protocol: protocol(plan, asked),
        what: String::new(),
    }
}

/// Ready pictures were drawn by others: their record says which views of them are shown.
fn protocol(plan: &Plan, asked: &PlannedRubric) -> Option<Arc<ProtocolRecord>> {
    if !plan.has_ready_pictures() {
        return protocol_of(&asked.drawings, &plan.load);
    }
    let views: Vec<usize> = (asked.drawings.iter().flatten())
        .map(|drawing| drawing.rig.views.len())
        .collect();
    let record = json!({"pictures": "drawn elsewhere", "views": views});
    Some(Arc::new(ProtocolRecord::new(record.to_string())))
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
