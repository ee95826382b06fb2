//! How many assets, pairs and questions a plan has.

use super::asset_cache::AssetCache;
use super::plan::Plan;

/// The size of a plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extent {
    pub assets: usize,
    /// Available ones among them.
    pub there: usize,
    /// Those that a generator must make.
    pub to_make: usize,
    /// What services will be paid for these.
    pub paid: Vec<PaidAssets>,
    /// Pairs; for active scheduling at most.
    pub pairs: usize,
    /// Questions to all judges: both orders, all samples, one-object rubrics too.
    pub questions: u64,
}

/// Assets of a generator that each cost money.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct PaidAssets {
    pub generator: String,
    pub assets: usize,
    /// US dollars for each, without further tries.
    pub cost_usd: f64,
}

/// Counts without making, drawing or asking anything.
pub fn extent(plan: &Plan, num_judges: usize, samples: u32, run: &std::path::Path) -> Extent {
    let assets = AssetCache::new(plan, run, Vec::new(), None);
    let times = num_judges as u64 * u64::from(samples);
    let pairwise = plan.rubrics.iter().filter(|planned| planned.rubric.is_of_pairs());
    let questions: u64 = plan.rubrics.iter().map(|planned| plan.num_questions(planned)).sum();
    let to_make = assets.num_pending();
    let paid = plan.methods.iter().enumerate().filter_map(|(at, method)| {
        let cost_usd = method.maker.program()?.cost_usd.filter(|usd| *usd > 0.0)?;
        let slots = plan.places().map(|place| plan.slot_at(place, at));
        let (generator, assets) =
            (method.name.clone(), slots.filter(|&slot| assets.is_pending(slot)).count());
        (assets > 0).then_some(PaidAssets { generator, assets, cost_usd })
    });
    Extent {
        assets: plan.num_slots(),
        there: plan.num_slots() - to_make - assets.missing().count(),
        to_make,
        paid: paid.collect(),
        pairs: pairwise.count() * plan.num_pairs(),
        questions: questions * times,
    }
}
