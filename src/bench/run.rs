//! A whole benchmark: makes assets, draws them, asks about them, all at the same time; what was done before is not done again.
//!
//! Questions are made by one thread (`tasks`), in the order of the plan as far as assets are there; the runner ([`super::ask()`]) asks them
//! and alone writes the store. Active scheduling goes in rounds, each chosen from the verdicts of those before; rounds are kept before
//! they are asked, so that a stopped benchmark goes on with the very same pairs.

use super::ask::{AskSettings, ask};
use super::canary::canaries;
use super::file::{PairAim, PairWay};
use super::make::Pool;
use super::plan::Plan;
use super::progress::{Progress, Summary};
use super::results::answer_of;
use super::schedule::{
    Active, ActiveSettings, Aim, Done, Field, Next, Pair, all_pairs, round_robin,
};
use super::sight::{Sight, sights};
use super::stock::Stock;
use super::stop_signal::stop_signal;
use super::tasks::{Producer, Task};
use crate::judge::Judge;
use crate::rate::{Game, RateError, Side, Winner};
use crate::rubric::{Example, Kind};
use crate::store::{PairResult, PlannedPair, Store, StoreError};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Units on their way to the runner; each holds its pictures.
const WORK_WAITING_MAX: usize = 4;

/// Who watches a benchmark.
pub trait Observer: Sync {
    /// Something changed; `made` and `to_make` are assets.
    fn progress(&self, progress: &Progress, made: usize, to_make: usize);
    /// Something that a user should know.
    fn warn(&self, warning: &str);
    /// How far an active schedule is.
    fn note(&self, note: &str);
}

/// Why a benchmark ended without an end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The schedule.
    #[error("no pairs can be chosen: {0}")]
    Schedule(#[from] RateError),
    /// The system gives no threads.
    #[error("no network threads ({0})")]
    Threads(#[from] std::io::Error),
    /// A question cannot be made, which no other asset would change.
    #[error("{reason}")]
    Question {
        /// What, why, what helps.
        reason: String,
    },
}

/// How many of what a plan comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Assets.
    pub assets: usize,
    /// Of these, that are there.
    pub there: usize,
    /// Of these, that a generator has to make.
    pub to_make: usize,
    /// Pairs; for active scheduling at most.
    pub pairs: usize,
    /// Questions to all judges: both orders, all samples, one-object rubrics too.
    pub questions: u64,
}

/// Counts without making, drawing or asking anything.
pub fn extent(plan: &Plan, num_judges: usize, samples: u32, store: &std::path::Path) -> Extent {
    let stock = Stock::new(plan, store, Vec::new(), None);
    let times = num_judges as u64 * u64::from(samples);
    let (mut pairs, mut singles) = (0, 0);
    for rubric in &plan.rubrics {
        match rubric.rubric.kind() {
            Kind::Pairwise => pairs += num_pairs(plan),
            Kind::Reconstruction | Kind::Category => singles += plan.num_slots(),
        }
    }
    let to_make = stock.num_pending();
    Extent {
        assets: plan.num_slots(),
        there: plan.num_slots() - to_make - stock.num_missing(),
        to_make,
        pairs,
        questions: (2 * pairs as u64 + singles as u64) * times,
    }
}

/// Pairs of one rubric, at most.
pub(super) fn num_pairs(plan: &Plan) -> usize {
    let methods = plan.methods.len();
    let all = plan.num_places() * methods * methods.saturating_sub(1) / 2;
    plan.pairs.count.map_or(all, |count| count.min(all))
}

/// Runs the benchmark to its end, to its budget, or to the first Ctrl-C.
///
/// # Errors
/// A disk that fails, a question that cannot be made. What was answered is kept.
pub fn run(
    plan: &Plan,
    judges: &[Judge],
    settings: &AskSettings,
    store: &mut Store,
    observer: &dyn Observer,
) -> Result<Summary, RunError> {
    let run_folder = store.folder().to_owned();
    // A judge that measures needs all of a scene, others see pictures.
    let is_measured = judges.iter().any(|judge| matches!(judge, Judge::Probe));
    let view_scale = plan.view_scale().filter(|_| !is_measured);
    let stock = Stock::new(plan, &run_folder, store.made()?, view_scale);
    let pool = Pool::start(stock.jobs(), &run_folder, plan.workers, &plan.gpus);
    let to_make = stock.num_pending();
    let sights = sights(judges, plan.fit_px);
    let examples = (plan.rubrics.iter())
        .map(|rubric| {
            let fitted = (sights.iter()).map(|(sight, _)| sight.fitted_examples(&rubric.examples));
            fitted.collect::<Result<Vec<_>, _>>()
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| RunError::Question {
            reason: e.to_string(),
        })?;
    let mut bench = Bench {
        plan,
        judges,
        settings: settings.clone(),
        observer,
        pool,
        stock,
        to_make,
        runtime: Arc::new(
            tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()?,
        ),
        summary: Summary::default(),
        interrupted: Arc::new(AtomicBool::new(false)),
        sights,
        examples,
    };
    bench.listen();
    let result = bench.look(store).and_then(|()| bench.rounds(store));
    let Bench {
        runtime,
        summary,
        pool,
        ..
    } = bench;
    drop(pool);
    if let Ok(runtime) = Arc::try_unwrap(runtime) {
        // A measurement that cannot be stopped must not hold up an interrupted program.
        runtime.shutdown_background();
    }
    result.map(|()| summary)
}

struct Bench<'a> {
    plan: &'a Plan,
    judges: &'a [Judge],
    settings: AskSettings,
    observer: &'a dyn Observer,
    pool: Pool,
    stock: Stock<'a>,
    to_make: usize,
    runtime: Arc<tokio::runtime::Runtime>,
    summary: Summary,
    interrupted: Arc<AtomicBool>,
    sights: Vec<(Sight, Vec<usize>)>,
    /// By rubric, then by sight.
    examples: Vec<Vec<Vec<Example>>>,
}

impl Bench<'_> {
    /// Ctrl-C ends commands at once, wherever the benchmark is.
    fn listen(&self) {
        let (stop, interrupted) = (self.pool.stopper(), Arc::clone(&self.interrupted));
        self.runtime.spawn(async move {
            if stop_signal().await.is_ok() {
                interrupted.store(true, Ordering::Relaxed);
                stop.store(true, Ordering::Relaxed);
            }
        });
    }

    /// Finds out which judges see, before the first question.
    fn look(&mut self, store: &mut Store) -> Result<(), RunError> {
        let runtime = Arc::clone(&self.runtime);
        let looking = canaries(self.judges, self.settings.canary, &self.settings, store);
        self.settings.refused = runtime.block_on(looking)?.into_iter().collect();
        Ok(())
    }

    fn rounds(&mut self, store: &mut Store) -> Result<(), RunError> {
        let field = self.field();
        let mut first = Vec::new();
        for (rubric, planned) in self.plan.rubrics.iter().enumerate() {
            match planned.rubric.kind() {
                Kind::Reconstruction | Kind::Category => {
                    first.extend((0..self.plan.num_slots()).map(|slot| Task::One { rubric, slot }));
                }
                Kind::Pairwise => {
                    let pairs = match self.plan.pairs.way {
                        PairWay::All => all_pairs(&field),
                        PairWay::RoundRobin => {
                            let count = self.plan.pairs.count.unwrap_or(usize::MAX);
                            round_robin(&field, count, self.plan.pairs.seed)
                        }
                        // Rounds of earlier calls come first, as they were chosen.
                        PairWay::Active => self.kept(store, rubric)?,
                    };
                    first.extend(pairs.into_iter().map(|pair| Task::Pair { rubric, pair }));
                }
            }
        }
        self.round(first, store)?;
        if self.plan.pairs.way == PairWay::Active {
            for rubric in 0..self.plan.rubrics.len() {
                if self.plan.rubrics[rubric].rubric.kind() == Kind::Pairwise {
                    self.active(rubric, &field, store)?;
                }
            }
        }
        Ok(())
    }

    /// Every method is taken to have an asset for every prompt; one that has none is found out when its turn comes.
    fn field(&self) -> Field {
        let methods = self.plan.methods.len();
        let available = vec![(0..methods).collect(); self.plan.num_places()];
        Field::new(methods, available).expect("indices are below the number of methods")
    }

    fn active(&mut self, rubric: usize, field: &Field, store: &mut Store) -> Result<(), RunError> {
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
        while self.summary.stop.is_none() && !self.interrupted.load(Ordering::Relaxed) {
            let closed = self.kept(store, rubric)?;
            let games = self.games(store, rubric)?;
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
            let name = self.plan.rubrics[rubric].rubric.name();
            let planned: Vec<PlannedPair> = (pairs.iter())
                .map(|pair| super::tasks::planned_pair(self.plan, name, *pair, PairResult::Asked))
                .collect();
            store.keep_pairs(&planned)?;
            let tasks = pairs.into_iter().map(|pair| Task::Pair { rubric, pair });
            self.round(tasks.collect(), store)?;
        }
        Ok(())
    }

    /// Pairs that earlier rounds chose, in their order.
    fn kept(&self, store: &Store, rubric: usize) -> Result<Vec<Pair>, StoreError> {
        let kept = self.kept_with_result(store, rubric)?;
        Ok(kept.into_iter().map(|(pair, _)| pair).collect())
    }

    /// Pairs that the rule on missing assets decided.
    fn forfeits(&self, store: &Store, rubric: usize) -> Result<Vec<(Pair, Winner)>, StoreError> {
        let kept = self.kept_with_result(store, rubric)?;
        let decided = kept.into_iter().filter_map(|(pair, result)| match result {
            PairResult::AByForfeit => Some((pair, Winner::A)),
            PairResult::BByForfeit => Some((pair, Winner::B)),
            PairResult::Asked | PairResult::LeftOut => None,
        });
        Ok(decided.collect())
    }

    /// What the plan no longer has is left out. Pairs are listed as the plan lists their methods.
    fn kept_with_result(
        &self,
        store: &Store,
        rubric: usize,
    ) -> Result<Vec<(Pair, PairResult)>, StoreError> {
        let plan = self.plan;
        let name = plan.rubrics[rubric].rubric.name();
        let methods: HashMap<&str, usize> = (plan.methods.iter().enumerate())
            .map(|(i, method)| (method.name.as_str(), i))
            .collect();
        let places: HashMap<(&str, u32), usize> = (0..plan.num_places())
            .map(|place| {
                let (prompt, seed) = plan.place(place);
                ((prompt.id.as_str(), seed), place)
            })
            .collect();
        let pair = |kept: &PlannedPair| {
            let prompt = *places.get(&(kept.prompt_id.as_str(), kept.seed))?;
            let a = *methods.get(kept.a.as_str())?;
            let b = *methods.get(kept.b.as_str())?;
            (a < b).then_some((Pair { prompt, a, b }, kept.result))
        };
        Ok((store.pairs()?.iter())
            .filter(|kept| kept.rubric == name)
            .filter_map(pair)
            .collect())
    }

    /// What all verdicts so far say on the driving criterion. Places stand for prompts: two seeds of one prompt are asked apart.
    fn games(&mut self, store: &Store, rubric: usize) -> Result<Vec<Game>, RunError> {
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
        let mut places = HashMap::new();
        for slot in 0..plan.num_slots() {
            let (method, prompt, _) = plan.slot(slot);
            if let Some(hash) = self.stock.hash(slot) {
                let key = (prompt.text.clone(), method.name.clone(), hash.to_owned());
                places.insert(key, slot);
            }
        }
        let mut answers = Vec::new();
        let num_methods = plan.methods.len();
        store.rows(|row| -> Result<(), StoreError> {
            if row.rubric == planned.name() {
                let slot_of = |side: &crate::store::RowAsset| {
                    let prompt = row.prompt.clone().unwrap_or_default();
                    let key = (prompt, side.method.clone(), side.hash.clone());
                    places.get(&key).copied()
                };
                let a = slot_of(&row.a);
                let b = row.b.as_ref().and_then(slot_of);
                if let Some((a, b)) = a.zip(b)
                    && let Some(answer) = answer_of(&row, &criterion)
                {
                    answers.push(crate::rate::Answer {
                        a: a % num_methods,
                        b: b % num_methods,
                        prompt: a / num_methods,
                        ..answer
                    });
                }
            }
            Ok(())
        })?;
        let mut games = crate::rate::games(&crate::rate::units(&answers));
        for (pair, winner) in self.forfeits(store, rubric)? {
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
    fn round(&mut self, tasks: Vec<Task>, store: &mut Store) -> Result<(), RunError> {
        if self.interrupted.load(Ordering::Relaxed) {
            self.summary.stop = Some(super::Stop::Interrupted);
            return Ok(());
        }
        let times = self.judges.len() as u64 * u64::from(self.settings.samples);
        let questions: u64 = tasks.iter().map(|task| task.num_questions() * times).sum();
        let settings = AskSettings {
            total: Some(self.summary.questions + questions),
            requests_max: (self.settings.requests_max)
                .map(|max| max.saturating_sub(self.summary.requests)),
            ..self.settings.clone()
        };
        let answered = store.answered_as_planned()?;
        let ended = AtomicBool::new(false);
        let (to, from) = tokio::sync::mpsc::channel(WORK_WAITING_MAX);
        let (stop_to, stop_from) = tokio::sync::mpsc::channel(2);
        let before = self.summary.clone();
        let (observer, to_make) = (self.observer, self.to_make);
        let pending = std::sync::atomic::AtomicUsize::new(self.stock.num_pending());
        let producer = Producer {
            plan: self.plan,
            stock: &mut self.stock,
            pool: &mut self.pool,
            judges: self.judges,
            samples: self.settings.samples,
            sights: &self.sights,
            examples: &self.examples,
            answered: &answered,
            observer,
            pending: &pending,
            ended: &ended,
            to,
        };
        let runtime = Arc::clone(&self.runtime);
        let (summary, produced) = std::thread::scope(|scope| {
            let producing = scope.spawn(|| producer.run(tasks));
            let signals = runtime.spawn(async move {
                while stop_signal().await.is_ok() && stop_to.send(()).await.is_ok() {}
            });
            let progress = |progress: &Progress| {
                let progress = Progress {
                    done: progress.done + before.questions,
                    failed: progress.failed + before.failed_count(),
                    ..*progress
                };
                let made = to_make - pending.load(Ordering::Relaxed);
                observer.progress(&progress, made, to_make);
            };
            let asking = ask(from, self.judges, &settings, store, stop_from, progress);
            let summary = runtime.block_on(asking);
            ended.store(true, Ordering::Relaxed);
            signals.abort();
            (
                summary,
                producing.join().expect("the producer does not panic"),
            )
        });
        // A store that fails is the first cause; the producer only saw its end.
        self.summary.add(summary?);
        // What was found out after the runner had ended is kept as well.
        store.keep_made(&self.stock.take_changed())?;
        produced.map_err(|reason| RunError::Question { reason })
    }
}
