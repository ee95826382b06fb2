//! A whole benchmark: makes assets, draws them, asks about them, all at the same time; what was done before is not done again.
//!
//! Questions are made on a thread of their own (`tasks`), in the order of the plan as far as assets are there, while the session asks.
//! Active scheduling goes in rounds, each chosen from the verdicts of those before; rounds are kept before they are asked, so that a
//! stopped benchmark resumes with the very same pairs.

use super::asset_cache::AssetCache;
use super::cluster::{Cluster, is_measured};
use super::file::{PairAim, PairSchedule, PairStop};
use super::make::{Job, Pool, Till};
use super::metrics::measure_made;
use super::observer::Observer;
use super::plan::Plan;
use super::remaining::field;
use super::remote::Remote;
use super::schedule::{
    Active, ActiveSettings, Aim, Done, Field, Goal, Next, Pair, Settling, all_pairs, round_robin,
};
use super::settled_text::settled_lines;
use super::slot::SlotIdx;
use super::tasks::{Producer, Task, planned_pair, protocols};
use crate::ask::{AskError, AskSettings, FittedExamples, Progress, Session, Summary};
use crate::judge::{Asset, Judge, Purse};
use crate::rate::{Answer, Game, RateError, Side, Winner, games, units};
use crate::render::ProtocolRecord;
use crate::results::answer_of;
use crate::rubric::Kind;
use crate::store::{PairResult, PlannedPair, Store, StoreError, booked_usd};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Why a benchmark ended without an end. What was answered is kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store, the network threads, or a question that no other asset would change.
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error("no pairs can be chosen: {0}")]
    Schedule(#[from] RateError),
}

impl From<StoreError> for RunError {
    fn from(error: StoreError) -> Self {
        Self::Ask(error.into())
    }
}

/// Runs the benchmark to its end, to its budget, or to the first Ctrl-C, and hands the run back.
///
/// # Errors
/// A disk that fails, a question that cannot be made. What was answered is kept.
pub fn run(
    plan: &Plan,
    judges: &[Judge],
    settings: &AskSettings,
    store: Store,
    observer: &dyn Observer,
) -> Result<(Store, Summary), RunError> {
    run_on(plan, judges, settings, store, observer, None)
}

/// The same with programs run, assets drawn and pictures composed by a cluster, if there is one. This process asks, and alone writes rows.
///
/// # Errors
/// As of [`run`], and a cluster that is lost.
pub fn run_on(
    plan: &Plan,
    judges: &[Judge],
    settings: &AskSettings,
    mut store: Store,
    observer: &dyn Observer,
    cluster: Option<&mut dyn Cluster>,
) -> Result<(Store, Summary), RunError> {
    let run_folder = store.folder().to_owned();
    // A judge that measures needs all of a scene, others see pictures.
    let is_measured = is_measured(judges);
    let view_scale = plan.view_scale().filter(|_| !is_measured);
    let made = store.forget_made(plan.lists())?;
    let assets = AssetCache::new(plan, &run_folder, made, view_scale);
    let made_before_usd = booked_usd(&run_folder).into_values().sum::<f64>().max(0.0);
    let purse = Purse::new(settings.cost_usd_max, store.spent()?.usd, made_before_usd);
    let purse = Arc::new(purse);
    let settings = AskSettings {
        purse: Arc::clone(&purse),
        ..settings.clone()
    };
    let session = Session::open(store, judges, &settings, plan.fit_px)?;
    let mut remote = cluster.map(|cluster| Remote::new(cluster, is_measured));
    let mut jobs = assets.jobs();
    if let Some(remote) = &mut remote {
        // Requests to a generator's server need no machine, and their pace and keys are those of this process.
        let (programs, requests) = jobs
            .into_iter()
            .partition(|job| job.method.maker.is_program());
        jobs = requests;
        let programs: Vec<Job> = programs;
        for job in programs {
            let (_, method) = job.slot.parts(plan.methods.len());
            let needs_gpu = job.method.maker.needs_gpu();
            (remote.make(job.slot, method, needs_gpu)).map_err(AskError::from)?;
        }
    }
    let pool = Pool::start(
        jobs,
        &run_folder,
        plan.workers,
        &plan.gpus,
        Arc::new(Till::new(&run_folder, Arc::clone(&purse))),
        session.interrupted(),
    );
    let planner = session.planner();
    let examples = (plan.rubrics.iter())
        .map(|rubric| planner.fit_examples(&rubric.examples))
        .collect::<Result<Vec<_>, _>>()
        .map_err(AskError::from)?;
    let mut bench = Bench {
        plan,
        observer,
        pool,
        to_make: assets.num_pending(),
        assets,
        session,
        examples,
        protocols: protocols(plan),
        remote,
    };
    bench.rounds()?;
    let Bench { session, pool, .. } = bench;
    drop(pool);
    let made_usd = purse.others_usd();
    if made_usd > 0.0 {
        observer.note(&format!(
            "generators have cost {:.2} USD in this call, {made_usd:.2} USD in the run",
            made_usd - made_before_usd
        ));
    }
    let (store, summary) = session.close();
    measure_made(plan, &store, &settings.stop, observer)?;
    Ok((store, summary))
}

struct Bench<'a> {
    plan: &'a Plan,
    observer: &'a dyn Observer,
    pool: Pool,
    assets: AssetCache<'a>,
    to_make: usize,
    session: Session<'a>,
    /// Worked examples, by rubric.
    examples: Vec<FittedExamples>,
    /// How pictures are drawn, by rubric.
    protocols: Vec<Option<Arc<ProtocolRecord>>>,
    remote: Option<Remote<'a>>,
}

impl Bench<'_> {
    fn rounds(&mut self) -> Result<(), RunError> {
        let field = field(self.plan);
        let mut first = Vec::new();
        for (rubric, planned) in self.plan.rubrics.iter().enumerate() {
            match planned.rubric.kind() {
                Kind::Reconstruction | Kind::Category => {
                    first.extend(self.plan.slots().map(|slot| Task::One { rubric, slot }));
                }
                Kind::Pairwise => {
                    let pairs = match self.plan.pairs.schedule {
                        PairSchedule::All if self.plan.pairs.stop.is_none() => all_pairs(&field),
                        PairSchedule::RoundRobin => {
                            let count = self.plan.pairs.count.unwrap_or(usize::MAX);
                            round_robin(&field, count, self.plan.pairs.seed)
                        }
                        // Rounds of earlier calls come first, as they were chosen.
                        PairSchedule::All | PairSchedule::Active => self.kept(rubric)?,
                    };
                    first.extend(pairs.into_iter().map(|pair| Task::Pair { rubric, pair }));
                }
            }
        }
        self.round(first)?;
        let goal = self.plan.pairs.stop.map(|stop| match stop {
            PairStop::Settled => Goal::Order,
            PairStop::FirstSettled => Goal::First,
        });
        for rubric in 0..self.plan.rubrics.len() {
            if self.plan.rubrics[rubric].rubric.kind() != Kind::Pairwise {
                continue;
            }
            match (goal, self.plan.pairs.schedule) {
                (Some(goal), _) => self.settling(rubric, &field, goal)?,
                (None, PairSchedule::Active) => self.active(rubric, &field)?,
                (None, PairSchedule::All | PairSchedule::RoundRobin) => {}
            }
        }
        Ok(())
    }

    fn settling(&mut self, rubric: usize, field: &Field, goal: Goal) -> Result<(), RunError> {
        let planner = Settling {
            field,
            places_per_prompt: self.plan.seeds.len(),
            goal,
            seed: self.plan.pairs.seed,
        };
        let len = self.plan.pairs.round.unwrap_or(1);
        let interrupted = self.session.interrupted();
        loop {
            let closed = self.kept(rubric)?;
            let games = self.games(rubric)?;
            let round = planner.next(&games, &closed, len);
            let is_stopped = self.session.summary().stop.is_some();
            if round.ask.is_empty() || is_stopped || interrupted.load(Ordering::Relaxed) {
                let names: Vec<&str> = self.plan.methods.iter().map(|m| m.name.as_str()).collect();
                let prompts = self.plan.prompts.len();
                for line in settled_lines(&round.settled, &names, prompts) {
                    self.observer.note(&line);
                }
                return Ok(());
            }
            self.chosen(rubric, round.ask)?;
        }
    }

    /// Asks pairs that a planner chose, and keeps the choice first.
    fn chosen(&mut self, rubric: usize, pairs: Vec<Pair>) -> Result<(), RunError> {
        let name = self.plan.rubrics[rubric].rubric.name();
        let planned: Vec<PlannedPair> = (pairs.iter())
            .map(|pair| planned_pair(self.plan, name, *pair, PairResult::Asked))
            .collect();
        self.session.store().keep_pairs(&planned)?;
        let tasks = pairs.into_iter().map(|pair| Task::Pair { rubric, pair });
        self.round(tasks.collect())
    }

    fn active(&mut self, rubric: usize, field: &Field) -> Result<(), RunError> {
        let planner = Active::new(
            field,
            ActiveSettings {
                target_half_width: self.plan.pairs.half_width_elo,
                budget: self.plan.pairs.count,
                seed: self.plan.pairs.seed,
                aim: match self.plan.pairs.aim {
                    PairAim::Widest => Aim::Widest,
                    PairAim::Mean => Aim::Mean,
                    PairAim::Order => Aim::Order,
                },
            },
        );
        let len = self.plan.pairs.round.unwrap_or(1);
        let interrupted = self.session.interrupted();
        while self.session.summary().stop.is_none() && !interrupted.load(Ordering::Relaxed) {
            let closed = self.kept(rubric)?;
            let games = self.games(rubric)?;
            let pairs = match planner.next(&games, &closed, len)? {
                Next::Ask(pairs) => pairs,
                Next::Done(done) => {
                    let why = match done {
                        Done::Target => "every interval is narrow enough",
                        Done::Budget => "the pairs are spent",
                        Done::Exhausted => "every pair was asked",
                    };
                    self.observer
                        .note(&format!("{} pairs asked; {why}", closed.len()));
                    return Ok(());
                }
            };
            self.chosen(rubric, pairs)?;
        }
        Ok(())
    }

    /// Pairs that earlier rounds chose, in their order.
    fn kept(&mut self, rubric: usize) -> Result<Vec<Pair>, StoreError> {
        let kept = self.kept_with_result(rubric)?;
        Ok(kept.into_iter().map(|(pair, _)| pair).collect())
    }

    /// Pairs that the rule on missing assets decided.
    fn forfeits(&mut self, rubric: usize) -> Result<Vec<(Pair, Winner)>, StoreError> {
        let kept = self.kept_with_result(rubric)?;
        let decided = kept.into_iter().filter_map(|(pair, result)| match result {
            PairResult::AByForfeit => Some((pair, Winner::A)),
            PairResult::BByForfeit => Some((pair, Winner::B)),
            PairResult::Asked | PairResult::LeftOut => None,
        });
        Ok(decided.collect())
    }

    /// What the plan no longer has is left out. Pairs are listed as the plan lists their methods.
    fn kept_with_result(&mut self, rubric: usize) -> Result<Vec<(Pair, PairResult)>, StoreError> {
        let plan = self.plan;
        let name = plan.rubrics[rubric].rubric.name();
        let methods: HashMap<&str, usize> = (plan.methods.iter().enumerate())
            .map(|(i, method)| (method.name.as_str(), i))
            .collect();
        let places: HashMap<(&str, u32), usize> = (plan.places())
            .map(|place| {
                let (prompt, seed) = plan.place(place);
                ((prompt.id.as_str(), seed), place.0)
            })
            .collect();
        let pair = |kept: &PlannedPair| {
            let prompt = *places.get(&(kept.prompt_id.as_str(), kept.seed))?;
            let a = *methods.get(kept.a.as_str())?;
            let b = *methods.get(kept.b.as_str())?;
            (a < b).then_some((Pair { prompt, a, b }, kept.result))
        };
        Ok((self.session.store().pairs()?.iter())
            .filter(|kept| kept.rubric == name)
            .filter_map(pair)
            .collect())
    }

    /// What all verdicts so far say on the driving criterion. Places stand for prompts: two seeds of one prompt are asked apart.
    fn games(&mut self, rubric: usize) -> Result<Vec<Game>, RunError> {
        let plan = self.plan;
        let planned = &plan.rubrics[rubric].rubric;
        let criteria = planned.criteria(None);
        let criterion = match &plan.pairs.criterion {
            Some(key) => key.clone(),
            None => {
                let overall = criteria.iter().find(|c| c.key == "overall");
                let chosen = overall.or(criteria.first());
                chosen.map_or(String::new(), |c| c.key.clone())
            }
        };
        self.assets.read_again();
        // Equal assets of several places share their record.
        let mut slots: HashMap<(String, String, String), Vec<SlotIdx>> = HashMap::new();
        for slot in plan.slots() {
            let (method, prompt, _) = plan.slot(slot);
            if let Some(hash) = self.assets.hash(slot) {
                let key = (prompt.text.clone(), method.name.clone(), hash.to_owned());
                slots.entry(key).or_default().push(slot);
            }
        }
        let mut answers = Vec::new();
        let num_methods = plan.methods.len();
        self.session
            .store()
            .records(|record| -> Result<(), StoreError> {
                if record.rubric != planned.name() {
                    return Ok(());
                }
                let slots_of = |side: &Asset| {
                    let prompt = record.prompt.clone().unwrap_or_default();
                    let key = (prompt, side.method.clone(), side.hash.clone());
                    let slots = slots.get(&key).into_iter().flatten();
                    slots.map(|slot| slot.parts(num_methods))
                };
                let Some(answer) = answer_of(&record, &criterion) else {
                    return Ok(());
                };
                for (place, a) in slots_of(&record.a) {
                    let mut others = record.b.as_ref().into_iter().flat_map(slots_of);
                    if let Some((_, b)) = others.find(|(other, _)| *other == place) {
                        answers.push(Answer {
                            a,
                            b,
                            prompt: place.0,
                            ..answer
                        });
                    }
                }
                Ok(())
            })?;
        let mut games = games(&units(&answers));
        for (pair, winner) in self.forfeits(rubric)? {
            games.push(Game {
                a: pair.a,
                b: pair.b,
                prompt: pair.prompt,
                winner,
                side: Side::Neither,
                weight: 1.0,
            });
        }
        Ok(games)
    }

    /// Asks so many tasks, whatever they are.
    fn round(&mut self, tasks: Vec<Task>) -> Result<(), RunError> {
        let planner = self.session.planner();
        let questions: u64 = tasks.iter().map(Task::num_questions).sum();
        let num_requests = questions * planner.num_requests_per_question();
        let (observer, to_make) = (self.observer, self.to_make);
        let pending = AtomicUsize::new(self.assets.num_pending());
        let mut uses: HashMap<SlotIdx, usize> = HashMap::new();
        // Rounds that are chosen one after the other come back to the same assets.
        if self.plan.pairs.schedule != PairSchedule::Active && self.plan.pairs.stop.is_none() {
            for slot in tasks.iter().flat_map(|task| task.slots(self.plan)) {
                *uses.entry(slot).or_default() += 1;
            }
        }
        let producer = Producer {
            uses,
            plan: self.plan,
            assets: &mut self.assets,
            pool: &mut self.pool,
            remote: self.remote.as_mut(),
            away: HashMap::new(),
            planner,
            examples: &self.examples,
            protocols: &self.protocols,
            observer,
            pending: &pending,
            ended: self.session.ended(),
            tasks: tasks.into(),
            ready: VecDeque::new(),
            is_due: false,
            num_noted: 0,
            has_unaffordable: false,
        };
        let asked = self
            .session
            .ask(producer, num_requests, |progress: &Progress| {
                let made = to_make - pending.load(Ordering::Relaxed);
                observer.progress(progress, made, to_make);
            });
        // What was found out after the session had ended is kept as well.
        let changed = self.assets.take_changed();
        self.session.store().keep_made(&changed)?;
        Ok(asked?)
    }
}
