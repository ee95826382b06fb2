//! What a whole benchmark would take, before anything is made or drawn.

use super::plan::Plan;
use crate::ask::{Estimate, Weight, add_estimate, empty_estimates, judges_by_limits};
use crate::judge::Judge;
use crate::rubric::Kind;

/// Of a whole benchmark, before anything is made or drawn. What earlier calls asked is not taken off.
pub fn estimates(plan: &Plan, judges: &[Judge], samples: u32) -> Vec<Estimate> {
    let mut found = empty_estimates(judges);
    for planned in &plan.rubrics {
        let questions = match planned.rubric.kind() {
            Kind::Pairwise => 2 * plan.num_pairs(),
            Kind::Reconstruction | Kind::Category => plan.num_slots(),
        } as u64;
        // The mean prompt stands for all.
        let prompts: usize = plan.prompts.iter().map(|prompt| prompt.text.len()).sum();
        let category =
            (planned.category.as_deref()).or_else(|| plan.prompts.first()?.category.as_deref());
        let text = planned.rubric.text(category).map_or(0, str::len);
        let examples: usize = planned.examples.iter().map(|e| e.answer.len()).sum();
        /// What stands between the marks and around the pictures.
        const AROUND_BYTES: usize = 600;
        let bytes = text + prompts / plan.prompts.len().max(1) + examples + AROUND_BYTES;
        for (limits, places) in judges_by_limits(judges, plan.fit_px) {
            let mut pictures: Vec<(u32, u32)> = (limits.sizes(&planned.rubric, &planned.drawings))
                .iter()
                .map(|size| size.size_px)
                .collect();
            let shown = planned.examples.iter().flat_map(|e| &e.pictures);
            pictures.extend(shown.map(|picture| (picture.width_px, picture.height_px)));
            for place in places {
                let view_px = limits.view_px(&planned.rubric, &planned.drawings);
                let weight = Weight {
                    text_bytes: bytes as u64,
                    pictures: &pictures,
                    times: questions * u64::from(samples),
                    view_px: view_px.filter(|_| !judges[place].is_free()),
                };
                add_estimate(&mut found[place], &judges[place], &weight);
            }
        }
    }
    found
}
