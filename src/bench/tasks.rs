//! The thread that makes questions: tasks of a plan → units for the runner, as soon as their assets are there.

use super::ask::Work;
use super::file::MissingAssets;
use super::make::Pool;
use super::plan::{Plan, PlannedRubric};
use super::question::{
    Asking, Photo, Shown, category_unit, pair_unit, protocol, reconstruction_unit,
};
use super::run::Observer;
use super::schedule::Pair;
use super::sight::Sight;
use super::stock::{AssetFailure, Stock};
use crate::judge::Judge;
use crate::render::Image;
use crate::rubric::{Example, Kind, Order};
use crate::store::{Asset, PairResult, PlannedPair, planned};
use serde_json::json;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// How often a thread that waits for an asset looks whether it is to end.
const POLL: Duration = Duration::from_millis(50);

/// One thing to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Both orders of a pair; its `prompt` is a place of the plan.
    Pair { rubric: usize, pair: Pair },
    /// One object.
    One { rubric: usize, slot: usize },
}

impl Task {
    /// Questions of one judge, asked once.
    pub fn num_questions(&self) -> u64 {
        match self {
            Self::Pair { .. } => 2,
            Self::One { .. } => 1,
        }
    }

    fn slots(&self, num_methods: usize) -> [usize; 2] {
        match *self {
            Self::Pair { pair, .. } => {
                let first = pair.prompt * num_methods;
                [first + pair.a, first + pair.b]
            }
            Self::One { slot, .. } => [slot, slot],
        }
    }
}

/// The runner has ended; nothing more is to be made.
struct Closed;

/// Everything the thread needs.
pub struct Producer<'a, 'p> {
    pub plan: &'a Plan,
    pub stock: &'a mut Stock<'p>,
    pub pool: &'a mut Pool,
    pub judges: &'a [Judge],
    pub samples: u32,
    /// Judges that see pictures of one size.
    pub sights: &'a [(Sight, Vec<usize>)],
    /// By rubric and by sight: worked examples at the size of the judges.
    pub examples: &'a [Vec<Vec<Example>>],
    /// Planned questions with their verdict, and their ids.
    pub answered: &'a HashMap<String, String>,
    pub observer: &'a dyn Observer,
    /// Assets that are being made.
    pub pending: &'a AtomicUsize,
    /// Set when the runner has ended.
    pub ended: &'a AtomicBool,
    pub to: mpsc::Sender<Work>,
}

impl Producer<'_, '_> {
    /// Makes every task's questions, or stops when the runner does.
    ///
    /// # Errors
    /// In words: a question that cannot be made, whatever the assets.
    pub fn run(mut self, tasks: Vec<Task>) -> Result<(), String> {
        let mut tasks = VecDeque::from(tasks);
        if self.tell_changes().is_err() {
            return Ok(());
        }
        while !tasks.is_empty() {
            let Ok(task) = self.next_ready(&mut tasks) else {
                return Ok(());
            };
            let works = self.works(task)?;
            for work in works {
                if self.to.blocking_send(work).is_err() {
                    return Ok(());
                }
            }
            if self.tell_changes().is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The first task whose assets are all there or known to be missing; waits for generators where there is none.
    fn next_ready(&mut self, tasks: &mut VecDeque<Task>) -> Result<Task, Closed> {
        let num_methods = self.plan.methods.len();
        loop {
            while let Some(delivered) = self.pool.try_next() {
                self.stock.deliver(delivered);
            }
            self.tell_changes()?;
            let is_ready = |task: &Task| {
                let slots = task.slots(num_methods);
                slots.iter().all(|&slot| !self.stock.is_pending(slot))
            };
            if let Some(at) = tasks.iter().position(is_ready) {
                // Nearly always the first.
                return tasks.remove(at).ok_or(Closed);
            }
            if self.ended.load(Ordering::Relaxed) {
                return Err(Closed);
            }
            match self.pool.next_within(POLL) {
                Some(delivered) => self.stock.deliver(delivered),
                None if self.pool.is_over() => self.stock.give_up_pending(),
                None => {}
            }
        }
    }

    fn tell_changes(&mut self) -> Result<(), Closed> {
        for warning in self.stock.take_warnings() {
            self.observer.warn(&warning);
        }
        self.pending
            .store(self.stock.num_pending(), Ordering::Relaxed);
        let changed = self.stock.take_changed();
        if changed.is_empty() {
            return Ok(());
        }
        self.to
            .blocking_send(Work::Made(changed))
            .map_err(|_| Closed)
    }

    fn works(&mut self, task: Task) -> Result<Vec<Work>, String> {
        match task {
            Task::Pair { rubric, pair } => self.pair(rubric, pair),
            Task::One { rubric, slot } => self.one(rubric, slot),
        }
    }

    /// How often a question is asked in all.
    fn times(&self) -> u64 {
        self.judges.len() as u64 * u64::from(self.samples)
    }

    fn pair(&mut self, rubric: usize, pair: Pair) -> Result<Vec<Work>, String> {
        let plan = self.plan;
        let slots = Task::Pair { rubric, pair }.slots(plan.methods.len());
        let (prompt, _) = plan.place(pair.prompt);
        let asked = &plan.rubrics[rubric];
        let name = asked.rubric.name();
        let keep = |result| Work::Pairs(vec![planned_pair(plan, name, pair, result)]);
        let found = [self.stock.asset(slots[0]), self.stock.asset(slots[1])];
        let [Ok(a), Ok(b)] = found else {
            return Ok(self.missing(keep, found.map(|asset| asset.map(|_| ()))));
        };
        let protocol = protocol_of(plan, asked);
        let protocol_hash = protocol.as_ref().map(|p| p.hash.as_str());
        let side = |asset: &Asset| json!([asset.hash, asset.method]);
        let mut works = vec![keep(PairResult::Asked)];
        for (place, (sight, judges)) in self.sights.iter().enumerate() {
            let key = hash(&json!([
                "pair 2",
                asked.rubric.hash(),
                prompt.text,
                side(&a),
                side(&b),
                protocol_hash,
                sight.fit_px,
                sight.rule,
            ]));
            if let Some(ids) = self.answered_before(&key, &Order::BOTH, judges) {
                works.push(Work::Answered(ids));
                continue;
            }
            let shown = [
                self.stock.shown(slots[0], rubric),
                self.stock.shown(slots[1], rubric),
            ];
            let [Ok(a), Ok(b)] = shown else {
                return Ok(self.missing(keep, shown.map(|asset| asset.map(|_| ()))));
            };
            let asking = Asking {
                protocol: protocol.clone(),
                plan: Some(key),
                what: format!(
                    "{} against {} on {:?}",
                    a.asset.method, b.asset.method, prompt.id
                ),
                sight: *sight,
                judges: Some(judges.clone()),
                examples: &self.examples[rubric][place],
                ..asking_of(asked, prompt)
            };
            let unit = pair_unit(&asking, &[a, b]).map_err(|e| e.to_string())?;
            works.push(Work::Ask(unit));
        }
        Ok(works)
    }

    /// A pair with a missing asset: the rule decides it, and nobody is asked.
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
        vec![keep(result), Work::Fewer(2 * self.times())]
    }

    fn one(&mut self, rubric: usize, slot: usize) -> Result<Vec<Work>, String> {
        let plan = self.plan;
        let (_, prompt, _) = plan.slot(slot);
        let asked = &plan.rubrics[rubric];
        let fewer = vec![Work::Fewer(self.times())];
        let Ok(asset) = self.stock.asset(slot) else {
            return Ok(fewer);
        };
        let protocol = protocol_of(plan, asked);
        let photo = match (&prompt.image, &prompt.mask, asked.rubric.kind()) {
            (Some(image), Some(mask), Kind::Reconstruction) => Some([bytes(image)?, bytes(mask)?]),
            _ => None,
        };
        let photo_hash = (photo.as_ref()).map(|files| {
            files
                .each_ref()
                .map(|bytes| blake3::hash(bytes).to_hex().to_string())
        });
        let examples: Vec<String> = (asked.examples.iter())
            .map(|example| {
                blake3::hash(format!("{example:?}").as_bytes())
                    .to_hex()
                    .to_string()
            })
            .collect();
        let mut works = Vec::new();
        for (place, (sight, judges)) in self.sights.iter().enumerate() {
            let asking = Asking {
                protocol: protocol.clone(),
                what: format!("{} on {:?}", asset.method, prompt.id),
                sight: *sight,
                judges: Some(judges.clone()),
                examples: &self.examples[rubric][place],
                ..asking_of(asked, prompt)
            };
            let key = hash(&json!([
                "one 2",
                asked.rubric.hash(),
                asking.category,
                prompt.text,
                [&asset.hash, &asset.method],
                asking.protocol.as_ref().map(|p| p.hash.as_str()),
                photo_hash,
                examples,
                sight.rule,
            ]));
            if let Some(ids) = self.answered_before(&key, &[Order::AsListed], judges) {
                works.push(Work::Answered(ids));
                continue;
            }
            let Ok(shown) = self.stock.shown(slot, rubric) else {
                return Ok(fewer);
            };
            let asking = Asking {
                plan: Some(key),
                ..asking
            };
            let unit = one_unit(&asking, asked, &shown, photo.as_ref())
                .map_err(|reason| format!("prompt {:?}: {reason}", prompt.id))?;
            works.push(Work::Ask(unit));
        }
        Ok(works)
    }

    /// The ids of a planned unit's questions, if each of these judges has answered all of them.
    fn answered_before(
        &self,
        key: &str,
        orders: &[Order],
        judges: &[usize],
    ) -> Option<Vec<String>> {
        let mut ids = Vec::new();
        for sample in 0..self.samples {
            for judge in judges.iter().map(|&place| &self.judges[place]) {
                for &order in orders {
                    ids.push(
                        self.answered
                            .get(&planned(key, order, judge, sample))?
                            .clone(),
                    );
                }
            }
        }
        Some(ids)
    }
}

fn one_unit(
    asking: &Asking<'_>,
    asked: &PlannedRubric,
    shown: &Shown,
    photo: Option<&[Vec<u8>; 2]>,
) -> Result<super::ask::Unit, String> {
    let failed = |e: &dyn std::fmt::Display| e.to_string();
    if asked.rubric.kind() == Kind::Category {
        return category_unit(asking, shown, None).map_err(|e| failed(&e));
    }
    let Some([image, mask]) = photo else {
        return Err("it has no photo with a mask".to_owned());
    };
    let image = Image::decode(image).map_err(|e| failed(&e))?;
    let mask = Image::decode(mask).map_err(|e| failed(&e))?;
    let photo = Photo::new(&image, &mask).map_err(|e| failed(&e))?;
    reconstruction_unit(asking, shown, &photo).map_err(|e| failed(&e))
}

fn asking_of<'a>(asked: &'a PlannedRubric, prompt: &'a super::plan::Prompt) -> Asking<'a> {
    let category = prompt.category.as_deref().or(asked.category.as_deref());
    Asking {
        rubric: &asked.rubric,
        category: category.filter(|_| asked.rubric.kind() == Kind::Category),
        prompt: Some(&prompt.text),
        examples: &asked.examples,
        drawings: &asked.drawings,
        sight: Sight::default(),
        judges: None,
        protocol: None,
        plan: None,
        what: String::new(),
    }
}

/// Ready pictures were drawn by others: their record says which views of them are shown.
fn protocol_of(
    plan: &Plan,
    asked: &PlannedRubric,
) -> Option<std::sync::Arc<crate::store::Protocol>> {
    if !plan.has_ready_pictures() {
        return protocol(&asked.drawings, &plan.load);
    }
    let views: Vec<usize> = (asked.drawings.iter().flatten())
        .map(|drawing| drawing.rig.views.len())
        .collect();
    let record = json!({"pictures": "drawn elsewhere", "views": views}).to_string();
    Some(std::sync::Arc::new(crate::store::Protocol {
        hash: blake3::hash(record.as_bytes()).to_hex().to_string(),
        record,
    }))
}

/// A pair as it is kept.
pub fn planned_pair(plan: &Plan, rubric: &str, pair: Pair, result: PairResult) -> PlannedPair {
    let (prompt, seed) = plan.place(pair.prompt);
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

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("cannot read the photo or mask ({e}): {path:?}"))
}

fn hash(value: &serde_json::Value) -> String {
    blake3::hash(value.to_string().as_bytes())
        .to_hex()
        .to_string()
}
