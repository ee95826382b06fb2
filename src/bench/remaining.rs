//! What of a plan is still to be asked: without what earlier calls answered, and without what
//! missing assets decide.

use super::asset_cache::AssetCache;
use super::file::PairSchedule;
use super::plan::Plan;
use super::reading::templates;
use super::schedule::{Field, Pair, all_pairs, round_robin};
use super::slot::{PlaceIdx, SlotIdx};
use crate::ask::Planner;
use crate::error::Error;
use crate::judge::{Asset, Judge};
use crate::rubric::Order;
use crate::store::{Record, Shown, Store};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Questions of a plan, counted over all orders and samples.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remaining {
    /// That have their verdict.
    pub answered: u64,
    /// Not asked because an asset is missing, as far as that is known before generators ran.
    pub missing: u64,
    /// The files of these assets.
    pub missing_assets: Vec<PathBuf>,
    /// Still to be asked: by judge, then by rubric.
    pub left: Vec<Vec<u64>>,
}

/// The identity of a question: rubric, the slots of its assets, order, sample.
type Key = (usize, SlotIdx, Option<SlotIdx>, &'static str, u32);

/// Looks into the run that an earlier call may have left in `run`. Makes, draws and asks nothing.
///
/// # Errors
/// A run that cannot be read.
pub fn remaining(
    plan: &Plan,
    judges: &[Judge],
    samples: u32,
    run: &Path,
) -> Result<Remaining, Error> {
    let store = Store::find(run)?;
    let made = store.as_ref().map(Store::made).transpose()?;
    let mut assets = AssetCache::new(plan, run, made.unwrap_or_default(), None);
    assets.read_again();
    let mut answered: Vec<HashSet<Key>> = vec![HashSet::new(); judges.len()];
    if let Some(store) = &store {
        let known =
            Known::new(plan, &assets, Planner::new(judges, samples, plan.fit_px, HashMap::new()));
        store.records(|record| {
            let name = record.judge.to_string();
            let judge = judges.iter().position(|judge| judge.name() == name);
            if let Some(judge) = judge
                && record.verdict().is_some()
                && record.sample < samples
            {
                answered[judge].extend(known.keys(plan, &record));
            }
            Ok(())
        })?;
    }
    let mut found = Remaining {
        missing_assets: assets.missing().map(Path::to_owned).collect(),
        left: vec![vec![0; plan.rubrics.len()]; judges.len()],
        ..Remaining::default()
    };
    for rubric in 0..plan.rubrics.len() {
        for (a, b) in questions(plan, rubric) {
            let is_missing = assets.is_failed(a) || b.is_some_and(|b| assets.is_failed(b));
            let orders = if b.is_some() { &Order::BOTH[..] } else { &Order::BOTH[..1] };
            for (answered, left) in answered.iter().zip(&mut found.left) {
                for sample in 0..samples {
                    for order in orders {
                        if answered.contains(&(rubric, a, b, order.as_str(), sample)) {
                            found.answered += 1;
                        } else if is_missing {
                            found.missing += 1;
                        } else {
                            left[rubric] += 1;
                        }
                    }
                }
            }
        }
    }
    Ok(found)
}

/// The assets of each question of a rubric. Active scheduling asks no more than these.
fn questions(plan: &Plan, rubric: usize) -> Vec<(SlotIdx, Option<SlotIdx>)> {
    if !plan.rubrics[rubric].rubric.is_of_pairs() {
        return plan.slots().map(|slot| (slot, None)).collect();
    }
    let slots = |Pair { prompt, a, b }| {
        let at = |method| plan.slot_at(PlaceIdx(prompt), method);
        (at(a), Some(at(b)))
    };
    listed_pairs(plan).into_iter().map(slots).collect()
}

/// The pairs of a schedule known from the start; of an active one, as many as it asks at most.
pub(super) fn listed_pairs(plan: &Plan) -> Vec<Pair> {
    let field = field(plan);
    match plan.pairs.schedule {
        PairSchedule::All => all_pairs(&field),
        PairSchedule::RoundRobin | PairSchedule::Active => {
            round_robin(&field, plan.pairs.count.unwrap_or(usize::MAX), plan.pairs.seed)
        }
    }
}

/// Every method is assumed to have an asset for every prompt; a missing asset is discovered later.
pub(super) fn field(plan: &Plan) -> Field {
    Field {
        num_methods: plan.methods.len(),
        num_prompts: plan.num_places(),
        num_seeds: plan.seeds.len(),
    }
}

/// What records say of a plan's questions.
struct Known<'a> {
    /// By prompt, method and hash. Two seeds may have made equal files.
    slots: HashMap<(&'a str, &'a str, &'a str), Vec<SlotIdx>>,
    /// By rubric.
    shown: Vec<Shown>,
}

impl<'a> Known<'a> {
    fn new(plan: &'a Plan, assets: &'a AssetCache<'_>, planner: Planner<'_>) -> Self {
        let mut slots: HashMap<_, Vec<SlotIdx>> = HashMap::new();
        for slot in plan.slots() {
            let (method, prompt, _) = plan.slot(slot);
            if let Some(hash) = assets.hash(slot) {
                let key = (prompt.text.as_str(), method.name.as_str(), hash);
                slots.entry(key).or_default().push(slot);
            }
        }
        let shown = templates(plan).iter().map(|template| planner.shown(template)).collect();
        Self { slots, shown }
    }

    fn slots(&self, plan: &Plan, record: &Record, asset: &Asset) -> Vec<SlotIdx> {
        let prompt = record.prompt.as_deref().unwrap_or_default();
        let key = (prompt, asset.method.as_str(), asset.hash.as_str());
        let mut slots = self.slots.get(&key).cloned().unwrap_or_default();
        if let Some(shown) = &record.photo {
            let now = |slot: &SlotIdx| plan.photos.key(plan.slot(*slot).1);
            slots.retain(|slot| now(slot).is_some_and(|now| now.is_shown_by(shown)));
        }
        slots
    }

    fn keys(&self, plan: &Plan, record: &Record) -> Vec<Key> {
        let found = plan.rubrics.iter().position(|r| r.rubric.name() == record.rubric);
        let Some(rubric) = found.filter(|&rubric| self.shown[rubric].is_of(record)) else {
            return Vec::new();
        };
        let key = |a, b| (rubric, a, b, record.order.as_str(), record.sample);
        let firsts = self.slots(plan, record, &record.a);
        let Some(b) = &record.b else {
            return firsts.iter().map(|&a| key(a, None)).collect();
        };
        let place = |slot: &SlotIdx| slot.parts(plan.methods.len()).0;
        let seconds = self.slots(plan, record, b);
        firsts
            .iter()
            .flat_map(|a| seconds.iter().map(move |b| (a, b)))
            .filter(|(a, b)| place(a) == place(b))
            .map(|(&a, &b)| key(a, Some(b)))
            .collect()
    }
}
