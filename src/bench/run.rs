//! A whole benchmark: makes assets, draws them, asks about them, all at the same time; finished
//! work is not repeated.
//!
//! Questions are made on a thread of their own (`tasks`), in the order of the plan as far as assets
//! are there, while the session asks. Active scheduling goes in rounds, each chosen from the
//! verdicts of those before; rounds are kept before they are asked, so that a stopped benchmark
//! resumes with the very same pairs.

use super::asset_cache::AssetCache;
use super::cluster::{Cluster, is_measured};
use super::features::open_models;
use super::file::{PairSchedule, PairStop};
use super::make::{Job, Pool, Till};
use super::metrics::measure_made;
use super::observer::Observer;
use super::plan::Plan;
use super::prompt_features::list_features;
use super::prompt_order::prompt_order;
use super::reading::templates;
use super::remaining::{field, listed_pairs};
use super::remote::Remote;
use super::schedule::{Active, ActiveSettings, Done, Field, Next, Pair, Settling};
use super::settled_text::settled_lines;
use super::slot::{PlaceIdx, SlotIdx};
use super::tasks::{Producer, Task, planned_pair};
use crate::ask::{AskSettings, Progress, Session, Summary, Template};
use crate::error::Error;
use crate::judge::{Judge, Purse};
use crate::rate::{Game, Goal, Side};
use crate::results::{Followed, FollowedQuestion};
use crate::store::{
    JudgeSetup, Made, PairResult, PlannedPair, Rater, RaterKind, Store, booked_usd,
};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs the benchmark to its end, to its budget, or to the first Ctrl-C, and hands the run back;
/// with a cluster, if there is one, for programs, drawing and composing. This process asks and is
/// the only writer of rows.
///
/// # Errors
/// A failing disk, a question that cannot be made, a cluster that is lost. Answers are kept.
pub fn run(
    plan: &Plan,
    judges: &[Judge],
    settings: &AskSettings,
    mut store: Store,
    observer: &dyn Observer,
    cluster: Option<&mut dyn Cluster>,
) -> Result<(Store, Summary), Error> {
    let run_folder = store.folder().to_owned();
    let mut features = open_models(plan, &run_folder, observer).map_err(Error::bench)?;
    // A judge that measures needs all of a scene, others see pictures.
    let is_measured = is_measured(judges);
    let view_scale = plan.view_scale().filter(|_| !is_measured);
    let made = store.forget_made(plan.lists())?;
    let assets = AssetCache::new(plan, &run_folder, made, view_scale);
    let made_before_usd = booked_usd(&run_folder).into_values().sum::<f64>().max(0.0);
    let purse = Purse::new(settings.cost_usd_max, store.spent()?.usd, made_before_usd);
    let purse = Arc::new(purse);
    let settings = AskSettings { purse: Arc::clone(&purse), ..settings.clone() };
    let mut session = Session::open(store, judges, &settings, plan.fit_px)?;
    let mut remote = cluster.map(|cluster| Remote::new(cluster, is_measured));
    let mut jobs = assets.jobs();
    if let Some(remote) = &mut remote {
        let (services, programs): (Vec<Job>, Vec<Job>) =
            jobs.into_iter().partition(|job| job.program.in_flight.is_some());
        jobs = services;
        for job in programs {
            let (_, method) = job.slot.parts(plan.methods.len());
            remote.make(job.slot, method, job.program.needs_gpu)?;
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
    let templates = templates(plan);
    for template in &templates {
        session.planner().check_examples(template)?;
    }
    let planner = session.planner();
    let shown = templates.iter().map(|it| (it.rubric.name().to_owned(), planner.shown(it)));
    session.store().keep_shown(shown.collect())?;
    let mut bench = Bench {
        plan,
        judges,
        observer,
        pool,
        to_make: assets.num_pending(),
        assets,
        session,
        templates,
        remote,
        features: HashMap::new(),
    };
    bench.rounds()?;
    let Bench { session, pool, .. } = bench;
    drop(pool);
    let made_usd = purse.others_usd();
    if made_usd > 0.0 {
        observer.note(&format!(
            "generators cost {:.2} USD in this call, {made_usd:.2} USD in the run",
            made_usd - made_before_usd
        ));
    }
    let (store, summary) = session.close();
    measure_made(plan, &mut features, &store, &settings.stop, observer)?;
    Ok((store, summary))
}

struct Bench<'a> {
    plan: &'a Plan,
    judges: &'a [Judge],
    observer: &'a dyn Observer,
    pool: Pool,
    assets: AssetCache<'a>,
    to_make: usize,
    session: Session<'a>,
    /// By rubric.
    templates: Vec<Arc<Template>>,
    remote: Option<Remote<'a>>,
    /// By rubric and prompt: the features to ask about, where a checklist is made from the prompt.
    features: HashMap<usize, HashMap<String, String>>,
}

/// Pairs that rounds chose, and their state.
struct Chosen {
    followed: Followed,
    pairs: Vec<Pair>,
    /// Those that the rule on missing assets decided, as games.
    forfeits: Vec<Game>,
    /// The last scheduled pair that was read.
    newest: i64,
}

impl Bench<'_> {
    fn rounds(&mut self) -> Result<(), Error> {
        let field = field(self.plan);
        let mut first = Vec::new();
        let mut chosen: Vec<Vec<Pair>> = vec![Vec::new(); self.plan.rubrics.len()];
        for (rubric, planned) in self.plan.rubrics.iter().enumerate() {
            if !planned.rubric.is_of_pairs() {
                if let Some(lister) = planned.rubric.lister() {
                    let session = &mut self.session;
                    let found =
                        list_features(session, self.judges, self.plan, lister, self.observer)?;
                    self.features.insert(rubric, found);
                }
                let features = self.features.get(&rubric);
                let is_asked = |slot: &SlotIdx| {
                    features.is_none_or(|it| it.contains_key(&self.plan.slot(*slot).1.id))
                };
                let slots = self.plan.slots().filter(is_asked);
                first.extend(slots.map(|slot| Task::One { rubric, slot }));
                continue;
            }
            let schedule = self.plan.pairs.schedule;
            let is_settled = schedule == PairSchedule::All && self.plan.pairs.stop.is_some();
            let pairs = if is_settled || schedule == PairSchedule::Active {
                // Rounds of earlier calls come first, as they were chosen.
                chosen[rubric] = self.chosen_before(rubric)?;
                chosen[rubric].clone()
            } else {
                listed_pairs(self.plan)
            };
            first.extend(pairs.into_iter().map(|pair| Task::Pair { rubric, pair }));
        }
        self.round(first)?;
        let goal = self.plan.pairs.stop.map(|stop| match stop {
            PairStop::Settled => Goal::Order,
            PairStop::FirstSettled => Goal::First,
        });
        for (rubric, chosen) in chosen.into_iter().enumerate() {
            if !self.plan.rubrics[rubric].rubric.is_of_pairs() {
                continue;
            }
            match (goal, self.plan.pairs.schedule) {
                (Some(goal), _) => self.settling(rubric, &field, goal, chosen)?,
                (None, PairSchedule::Active) => self.active(rubric, &field, chosen)?,
                (None, PairSchedule::All | PairSchedule::RoundRobin) => {}
            }
        }
        Ok(())
    }

    fn settling(
        &mut self,
        rubric: usize,
        field: &Field,
        goal: Goal,
        pairs: Vec<Pair>,
    ) -> Result<(), Error> {
        let seed = self.plan.pairs.seed;
        let asked = pairs.iter().map(|pair| pair.prompt / field.num_seeds).collect();
        let ids: Vec<&str> = self.plan.prompts.iter().map(|prompt| prompt.id.as_str()).collect();
        let name = self.plan.rubrics[rubric].rubric.name();
        let folder = self.session.store().folder().to_owned();
        let drawn = prompt_order(&folder, name, &ids, &asked, seed)?;
        let not_drawn = asked.iter().filter(|prompt| !drawn.contains(prompt)).count();
        let weight = self.num_followed() as f64;
        let planner = Settling { field, goal, seed, drawn: &drawn, weight };
        let len = self.plan.pairs.round.unwrap_or(1);
        let interrupted = self.session.interrupted();
        let mut chosen = self.chosen(rubric, pairs)?;
        loop {
            let games = self.games(rubric, &mut chosen)?;
            let round = planner.next(&games, &chosen.pairs, len);
            let is_stopped = self.session.summary().stop.is_some();
            if round.ask.is_empty() || is_stopped || interrupted.load(Ordering::Relaxed) {
                let names: Vec<&str> = self.plan.methods.iter().map(|m| m.name.as_str()).collect();
                let (settled, criterion) = (&round.settled, self.criterion(rubric));
                let lines = settled_lines(settled, &criterion, &names, ids.len(), not_drawn);
                lines.iter().for_each(|line| self.observer.note(line));
                return Ok(());
            }
            chosen.pairs.extend(&round.ask);
            self.keep_and_ask(rubric, round.ask)?;
        }
    }

    /// Asks pairs that a planner chose, and keeps the choice first.
    fn keep_and_ask(&mut self, rubric: usize, pairs: Vec<Pair>) -> Result<(), Error> {
        let name = self.plan.rubrics[rubric].rubric.name();
        let planned: Vec<PlannedPair> = pairs
            .iter()
            .map(|pair| planned_pair(self.plan, name, *pair, PairResult::Asked))
            .collect();
        self.session.store().keep_pairs(&planned)?;
        let tasks = pairs.into_iter().map(|pair| Task::Pair { rubric, pair });
        self.round(tasks.collect())
    }

    fn active(&mut self, rubric: usize, field: &Field, pairs: Vec<Pair>) -> Result<(), Error> {
        let planner = Active::new(
            field,
            ActiveSettings {
                target_half_width: self.plan.pairs.half_width_elo,
                budget: self.plan.pairs.count,
                seed: self.plan.pairs.seed,
                aim: self.plan.pairs.aim,
            },
        );
        let len = self.plan.pairs.round.unwrap_or(1);
        let interrupted = self.session.interrupted();
        let mut chosen = self.chosen(rubric, pairs)?;
        while self.session.summary().stop.is_none() && !interrupted.load(Ordering::Relaxed) {
            let games = self.games(rubric, &mut chosen)?;
            let next = planner.next(&games, &chosen.pairs, len);
            let pairs = match next.map_err(|e| Error::from(e).within("no pairs can be chosen"))? {
                Next::Ask(pairs) => pairs,
                Next::Done(done) => {
                    let why = match done {
                        Done::Target => "every interval is narrow enough",
                        Done::Budget => "the number of pairs is reached",
                        Done::Exhausted => "every pair was asked",
                    };
                    self.observer.note(&format!("{} pairs asked; {why}", chosen.pairs.len()));
                    return Ok(());
                }
            };
            chosen.pairs.extend(&pairs);
            self.keep_and_ask(rubric, pairs)?;
        }
        Ok(())
    }

    /// Pairs that earlier calls chose, in their order: those that a missing asset decided, those
    /// that a judge of this call was asked as it is asked now, and the rest of a round that was
    /// interrupted. Pairs that were asked only in another way are left to new rounds.
    fn chosen_before(&mut self, rubric: usize) -> Result<Vec<Pair>, Error> {
        self.assets.read_again();
        let mut followed = self.followed(rubric);
        let mut kept = Vec::new();
        self.scheduled_after(0, rubric, |pair, result| kept.push((pair, result)))?;
        if !kept.is_empty() {
            let made = self.made();
            followed.read(self.session.store(), &made)?;
        }
        let is_unknown = |method, pair: &Pair| {
            let slot = self.plan.slot_at(PlaceIdx(pair.prompt), method);
            self.assets.hash(slot).is_none() && !self.assets.is_failed(slot)
        };
        let has = |pair: &Pair| followed.has(pair.prompt, [pair.a, pair.b]);
        let newest = kept.iter().rposition(|(pair, _)| has(pair));
        let len = self.plan.pairs.round.unwrap_or(1);
        let is_of_newest_round = |at: usize| newest.is_some_and(|it| it.abs_diff(at) < len);
        let is_chosen = |(at, (pair, result)): &(usize, (Pair, PairResult))| {
            *result != PairResult::Asked
                || has(pair)
                || is_of_newest_round(*at)
                || is_unknown(pair.a, pair)
                || is_unknown(pair.b, pair)
        };
        let chosen = kept.into_iter().enumerate().filter(is_chosen);
        Ok(chosen.map(|(_, (pair, _))| pair).collect())
    }

    fn chosen(&mut self, rubric: usize, pairs: Vec<Pair>) -> Result<Chosen, Error> {
        self.assets.read_again();
        Ok(Chosen { followed: self.followed(rubric), pairs, forfeits: Vec::new(), newest: 0 })
    }

    /// The criterion whose order is settled, or whose intervals shrink.
    fn criterion(&self, rubric: usize) -> String {
        let criteria = self.plan.rubrics[rubric].rubric.criteria(None);
        let overall = criteria.iter().find(|c| c.key == "overall");
        let driving = overall.or(criteria.first()).map(|c| c.key.clone());
        self.plan.pairs.criterion.clone().or(driving).unwrap_or_default()
    }

    /// How many judges have a game of each pair.
    fn num_followed(&self) -> usize {
        let is_model = |judge: &&Judge| Rater::named(judge.name()).kind() != RaterKind::Probe;
        match self.judges.iter().filter(is_model).count() {
            models if models > 0 && !self.plan.with_probe => models,
            _ => self.judges.len(),
        }
    }

    /// The verdicts on the driving criterion, none of which is read yet.
    fn followed(&self, rubric: usize) -> Followed {
        let plan = self.plan;
        let setup = |judge: &Judge| JudgeSetup {
            base_url: judge.base_url().map(str::to_owned),
            settings: judge.settings(),
        };
        Followed::new(
            FollowedQuestion {
                shown: self.session.planner().shown(&self.templates[rubric]),
                criterion: self.criterion(rubric),
                judges: self.judges.iter().map(|judge| (judge.name(), setup(judge))).collect(),
                with_probe: plan.with_probe,
            },
            plan.methods.iter().map(|method| method.name.as_str()),
            plan.places().map(|place| {
                let (prompt, seed) = plan.place(place);
                (prompt.id.as_str(), seed)
            }),
        )
    }

    /// The assets as they are now.
    fn made(&self) -> Vec<Made> {
        self.plan.slots().map(|slot| self.assets.made(slot)).collect()
    }

    /// Calls `each` with the plan's pairs scheduled after `number`; returns the last number.
    fn scheduled_after(
        &mut self,
        number: i64,
        rubric: usize,
        mut each: impl FnMut(Pair, PairResult),
    ) -> Result<i64, Error> {
        let plan = self.plan;
        let name = plan.rubrics[rubric].rubric.name();
        let methods: HashMap<&str, usize> =
            plan.methods.iter().enumerate().map(|(i, method)| (method.name.as_str(), i)).collect();
        let places: HashMap<(&str, u32), usize> = plan
            .places()
            .map(|place| {
                let (prompt, seed) = plan.place(place);
                ((prompt.id.as_str(), seed), place.0)
            })
            .collect();
        let pair = |kept: &PlannedPair| {
            let prompt = *places.get(&(kept.prompt_id.as_str(), kept.seed))?;
            let a = *methods.get(kept.a.as_str())?;
            let b = *methods.get(kept.b.as_str())?;
            (a < b).then_some(Pair { prompt, a, b })
        };
        self.session.store().each_pair_after(number, |kept| {
            if let Some(pair) = pair(&kept).filter(|_| kept.rubric == name) {
                each(pair, kept.result);
            }
        })
    }

    /// The games of all pairs, including new ones; their prompts are places.
    fn games(&mut self, rubric: usize, chosen: &mut Chosen) -> Result<Vec<Game>, Error> {
        let made = self.made();
        chosen.followed.read(self.session.store(), &made)?;
        // A missing asset decides for every judge.
        let weight = self.num_followed() as f64;
        let forfeits = &mut chosen.forfeits;
        chosen.newest = self.scheduled_after(chosen.newest, rubric, |pair, result| {
            forfeits.extend(result.winner_by_forfeit().map(|winner| Game {
                a: pair.a,
                b: pair.b,
                prompt: pair.prompt,
                winner,
                side: Side::Neither,
                weight,
            }));
        })?;
        let mut games = chosen.followed.games();
        games.extend(chosen.forfeits.iter().copied());
        Ok(games)
    }

    /// Asks this many tasks.
    fn round(&mut self, tasks: Vec<Task>) -> Result<(), Error> {
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
            templates: &self.templates,
            features: &self.features,
            observer,
            pending: &pending,
            ended: self.session.ended(),
            tasks: tasks.into(),
            ready: VecDeque::new(),
            is_due: false,
            num_noted: 0,
            has_unaffordable: false,
        };
        let asked = self.session.ask(producer, num_requests, |progress: &Progress| {
            let made = to_make - pending.load(Ordering::Relaxed);
            observer.progress(progress, made, to_make);
        });
        // Findings after the end of the session are kept as well.
        let changed = std::mem::take(&mut self.assets.changed);
        self.session.store().keep_made(&changed)?;
        asked
    }
}
