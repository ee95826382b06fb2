//! The estimate of a whole benchmark, before anything is made or drawn.

use super::plan::Plan;
use super::prompt_features::lister_of;
use super::remaining::Remaining;
use crate::ask::{Estimate, Unmade, add_unmade, empty_estimates};
use crate::judge::Judge;

/// For a whole benchmark, before assets are made or drawn: the `left` part, or everything.
pub fn estimates(
    plan: &Plan,
    judges: &[Judge],
    samples: u32,
    left: Option<&Remaining>,
) -> Vec<Estimate> {
    let mut found = empty_estimates(judges);
    for (place, planned) in plan.rubrics.iter().enumerate() {
        // The mean prompt represents all.
        let images: usize = plan.prompts.iter().map(|prompt| prompt.images.len()).sum();
        let prompts: usize = plan.prompts.iter().map(|prompt| prompt.text.len()).sum();
        let own = planned.category.as_deref();
        let unmade = Unmade {
            rubric: &planned.rubric,
            drawings: &planned.drawings,
            category: own.or_else(|| plan.prompts.first()?.category.as_deref()),
            prompt_bytes: prompts / plan.prompts.len().max(1),
            examples: &planned.examples,
            fit_px: plan.fit_px,
            photos: (images.div_ceil(plan.prompts.len().max(1)), plan.photos.style.size_px()),
        };
        let all = plan.num_questions(planned) * u64::from(samples);
        add_unmade(&mut found, judges, &unmade, |judge| {
            left.map_or(all, |remaining| remaining.left[judge][place])
        });
        // All lists come first, so a question that is answered has them behind it.
        let is_begun = left.is_some_and(|it| it.left.iter().any(|of_judge| of_judge[place] < all));
        if let Some(lister) = planned.rubric.lister().filter(|_| !is_begun) {
            let unmade = Unmade { rubric: lister, drawings: &[], examples: &[], ..unmade };
            let lister = lister_of(judges).map(|(place, _)| place);
            add_unmade(&mut found, judges, &unmade, |judge| {
                if Some(judge) == lister { plan.prompts.len() as u64 } else { 0 }
            });
        }
    }
    found
}
