//! What an audit would take, before anything is made or drawn.

use super::ask::AuditSheet;
use super::plan::AuditPlan;
use crate::ask::{Estimate, Unmade, add_unmade, empty_estimates};
use crate::judge::Judge;
use crate::rubric::Rubric;
use crate::sheet::PhotoStyle;
use std::collections::HashMap;

/// For all sheets together, without the questions that were `answered`, by judge.
pub fn estimates(
    plan: &AuditPlan,
    rubric: &Rubric,
    sheets: &[AuditSheet],
    judges: &[Judge],
    samples: u32,
    fit_px: Option<u32>,
    answered: &HashMap<String, u64>,
) -> Vec<Estimate> {
    let prompts: Vec<&str> = plan
        .objects
        .iter()
        .map(super::plan::CleanObject::prompt)
        .chain(plan.cases.iter().map(|case| case.prompt))
        .collect();
    // The mean prompt represents all.
    let bytes: usize = prompts.iter().map(|prompt| prompt.len()).sum();
    let each = plan.num_questions() as u64 * u64::from(samples);
    let mut answered: Vec<u64> =
        judges.iter().map(|judge| answered.get(&judge.name()).copied().unwrap_or(0)).collect();
    let mut found = empty_estimates(judges);
    for sheet in sheets {
        let unmade = Unmade {
            rubric,
            drawings: &sheet.drawings,
            category: plan.cases.first().map(|case| case.category),
            prompt_bytes: bytes / prompts.len().max(1),
            examples: &[],
            fit_px,
            photos: (1, PhotoStyle::default().size_px()),
        };
        // Sheets are asked one after the other.
        let done: Vec<u64> = answered.iter().map(|count| each.min(*count)).collect();
        add_unmade(&mut found, judges, &unmade, |judge| each - done[judge]);
        for (count, done) in answered.iter_mut().zip(done) {
            *count -= done;
        }
    }
    found
}
