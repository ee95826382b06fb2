//! What a benchmark file must agree on with itself, checked before anything is made or asked.

use super::file::GeneratorEntry;
use super::planned_features::{PlannedFeature, PlannedScore};
use super::planned_metrics::PlannedMetrics;
use super::prompt::Prompt;
use crate::rubric::Rubric;
use crate::scene::one_of;

/// An asset that every seed shares would count once for each, as if it were several.
pub(super) fn checked_paths(seeds: &[u32], entries: &[GeneratorEntry]) -> Result<(), String> {
    let lacks = |entry: &&GeneratorEntry| {
        entry.source.pattern().is_some_and(|pattern| !pattern.contains("{seed}"))
    };
    let lacking = entries.iter().filter(lacks);
    let lacking: Vec<&str> = lacking.map(|entry| entry.name.as_str()).collect();
    // One such generator is a baseline for the seeds of the others.
    if seeds.len() < 2 || lacking.is_empty() || (lacking.len() == 1 && entries.len() > 1) {
        return Ok(());
    }
    Err(format!(
        "`seeds` has {} values, but the paths of {} have no {{seed}}, so that each asset would count as several; add {{seed}} to them, or leave `seeds` out",
        seeds.len(),
        lacking.join(", ")
    ))
}

pub(super) fn checked_criterion<'a>(
    wanted: Option<&str>,
    rubrics: impl Iterator<Item = &'a Rubric>,
) -> Result<(), String> {
    let pairs = rubrics.filter(|rubric| rubric.is_of_pairs());
    let keys: Vec<&str> =
        pairs.flat_map(|rubric| rubric.criteria(None)).map(|it| it.key.as_str()).collect();
    match wanted {
        Some(wanted) if !keys.contains(&wanted) => Err(format!(
            "`pairs.criterion` is {wanted:?}, which the rubrics do not have; they have {}",
            keys.join(", ")
        )),
        _ => Ok(()),
    }
}

/// The figures that are held equal must be computed.
pub(super) fn checked_controls(
    controls: &[String],
    metrics: &[PlannedMetrics],
    scores: &[PlannedScore],
) -> Result<(), String> {
    let mut known: Vec<String> = scores.iter().map(|score| score.name.clone()).collect();
    for planned in metrics {
        match planned {
            PlannedMetrics::Alone(all) => known.extend(all.iter().map(|it| it.name().to_owned())),
            PlannedMetrics::Against(of) => {
                known.extend(of.settings.metrics.iter().map(ToString::to_string));
            }
        }
    }
    let is_unknown =
        |name: &&String| !known.contains(&name.strip_prefix("log:").unwrap_or(name).to_owned());
    match controls.iter().find(is_unknown) {
        None => Ok(()),
        Some(name) => Err(format!(
            "`rating.control` has {name:?}, which is none of the benchmark's figures ({}); or add it to the names of [[metrics]]",
            match known.is_empty() {
                true => "there are none".to_owned(),
                false => one_of(name, known.iter().map(String::as_str)),
            }
        )),
    }
}

/// A feature of photos needs some.
pub(super) fn checked_photos(
    features: &[PlannedFeature],
    prompts: &[Prompt],
) -> Result<(), String> {
    let needs = features.iter().find(|feature| feature.origin.shows_photo());
    match needs.filter(|_| prompts.iter().all(|prompt| prompt.image().is_none())) {
        Some(feature) => Err(format!(
            "`features`, {:?}: no prompt has a photo; give prompts an `image`",
            feature.feature.name
        )),
        None => Ok(()),
    }
}
