//! How many assets, pairs and questions a plan has.

use super::asset_cache::AssetCache;
use super::plan::Plan;
use crate::rubric::Kind;

/// The size of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
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
pub fn extent(plan: &Plan, num_judges: usize, samples: u32, run: &std::path::Path) -> Extent {
    let assets = AssetCache::new(plan, run, Vec::new(), None);
    let times = num_judges as u64 * u64::from(samples);
    let (mut pairs, mut singles) = (0, 0);
    for rubric in &plan.rubrics {
        match rubric.rubric.kind() {
            Kind::Pairwise => pairs += plan.num_pairs(),
            Kind::Reconstruction | Kind::Category => singles += plan.num_slots(),
        }
    }
    let to_make = assets.num_pending();
    Extent {
        assets: plan.num_slots(),
        there: plan.num_slots() - to_make - assets.num_missing(),
        to_make,
        pairs,
        questions: (2 * pairs as u64 + singles as u64) * times,
    }
}
