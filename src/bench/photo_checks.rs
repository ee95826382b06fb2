//! Photos of a benchmark, before anything is made or asked: those that cannot be used, and those
//! that look like another prompt's assets instead of their own, because files were swapped or
//! shifted.
//!
//! Assets are drawn coarsely, once each, and compared with all photos. A photo is displaced if, in
//! every generator, the same other prompt's asset fits it clearly better than its own does, and
//! clearly better than it fits that prompt's photo. One displaced photo alone can be right, of
//! assets that failed. Two that fit each other's prompts, or a quarter of all, are named: of right
//! photos none was, in 15,000 draws from 32 objects and 30,000 from 60 others
//! (docs/runs/python/2026-11-30-photos.md).

use super::asset_cache::{Stamp, stamp, turned};
use super::make::Maker;
use super::plan::Plan;
use super::slot::PlaceIdx;
use crate::error::Error;
use crate::judge::PhotoKey;
use meshjudge_probe::{PhotoObject, coarse_fits};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Prompts whose photos and assets are compared with each other; of more, those that are listed
/// next to each other.
const PROMPTS_MAX: usize = 256;

/// Generators whose assets are drawn: the first of those that have files.
const METHODS_MAX: usize = 3;

/// By how much the asset of another prompt fits a photo better than the asset of its own prompt,
/// and better than it fits the photo of that other prompt. A fit is at most 2.5.
const MARGIN_MIN: f64 = 0.2;

/// Displaced photos that are named though no two were swapped: at least so many, and a quarter.
const SHIFTED_MIN: usize = 3;

/// In a run's folder: what was found, so that the next call draws nothing.
const FOUND_FILE: &str = "photos/resembled.json";

#[derive(Debug, Serialize, Deserialize)]
struct Found {
    /// BLAKE3 of what identifies the photos and the assets.
    key: String,
    /// Ids of prompts: whose photo, and whose assets it resembles.
    resembled: Vec<(String, String)>,
}

/// Decodes every photo once; returns warnings about them. `hear` is called for each prompt whose
/// assets were drawn, from several threads.
///
/// # Errors
/// Names every photo that cannot be used.
pub fn check_photos(
    plan: &Plan,
    run: &Path,
    hear: &(dyn Fn() + Sync),
) -> Result<Vec<String>, Error> {
    let checked = plan.photos.check(&plan.prompts, run);
    let mut notes =
        checked.map_err(|reason| Error::bench(format!("photos that cannot be used:\n{reason}")))?;
    let has_photos = plan.prompts.iter().any(|prompt| prompt.image().is_some());
    if has_photos && !plan.rubrics.iter().any(|it| it.rubric.shows_photo()) {
        notes.push("no rubric shows the photos of the prompts; pairwise-image, match-image and reconstruction do".to_owned());
    }
    if plan.prompts.iter().filter(|prompt| prompt.image().is_some()).count() > 1 {
        let key = key(plan, run);
        let file = run.join(FOUND_FILE);
        let known = std::fs::read(&file).ok().and_then(|it| serde_json::from_slice(&it).ok());
        let found = known.filter(|known: &Found| known.key == key).unwrap_or_else(|| {
            let places: Vec<PlaceIdx> = plan.places().step_by(plan.seeds.len().max(1)).collect();
            let blocks = places.chunks(PROMPTS_MAX);
            let resembled = blocks.flat_map(|it| resembled_in(plan, run, it, hear)).collect();
            Found { key, resembled }
        });
        // Before a run is opened, its folder does not exist; then it is written at the next call.
        if run.is_dir() {
            _ = serde_json::to_vec(&found).map(|found| std::fs::write(&file, found));
        }
        notes.extend(sentence(&found.resembled));
    }
    Ok(notes)
}

fn sentence(resembled: &[(String, String)]) -> Option<String> {
    const SHOWN_MAX: usize = 5;
    let shown = resembled.iter().take(SHOWN_MAX);
    let shown: Vec<String> =
        shown.map(|(id, other)| format!("{id:?} those of {other:?}")).collect();
    let more = match resembled.len() {
        0 => return None,
        all if all > SHOWN_MAX => format!(", … ({all} in all)"),
        _ => String::new(),
    };
    Some(format!(
        "photos that resemble the assets of another prompt more than their own: {}{more}; check which photo belongs to which prompt",
        shown.join(", ")
    ))
}

/// Compares the photos and the assets of some prompts.
fn resembled_in(
    plan: &Plan,
    run: &Path,
    places: &[PlaceIdx],
    hear: &(dyn Fn() + Sync),
) -> Vec<(String, String)> {
    let objects = parallel::map(places, |&place| {
        let photo = plan.photos.cut_out(plan.place(place).0).ok()??;
        Some((place, PhotoObject::new(&*photo.evidence().ok()?)?))
    });
    let (places, photos): (Vec<PlaceIdx>, Vec<PhotoObject>) = objects.into_iter().flatten().unzip();
    let is_there = |method: &usize| {
        let exists = |&place: &PlaceIdx| plan.path(run, plan.slot_at(place, *method)).exists();
        !matches!(plan.methods[*method].maker, Maker::Pictures(_)) && places.iter().any(exists)
    };
    let methods: Vec<usize> = (0..plan.methods.len()).filter(is_there).take(METHODS_MAX).collect();
    let fits = parallel::map(&places, |&place| {
        let fits = methods.iter().map(|&method| {
            let slot = plan.slot_at(place, method);
            let loaded = plan.read_slot(slot, &plan.path(run, slot), None).ok()?;
            coarse_fits(&loaded.scene, &photos).ok()
        });
        let fits: Vec<Option<Vec<f64>>> = fits.collect();
        hear();
        fits
    });
    let id = |at: usize| plan.place(places[at]).0.id.clone();
    resembled(&fits).into_iter().map(|(photo, other)| (id(photo), id(other))).collect()
}

/// Places of photos, and of the prompts whose assets they resemble. `fits` has, for each prompt and
/// generator, the fits of the asset to each photo.
fn resembled(fits: &[Vec<Option<Vec<f64>>>]) -> Vec<(usize, usize)> {
    let displaced: Vec<Option<usize>> =
        (0..fits.len()).map(|photo| better_prompt(fits, photo)).collect();
    let count = displaced.iter().flatten().count();
    let is_shifted = count >= SHIFTED_MIN && 4 * count >= fits.len();
    let pairs = displaced.iter().enumerate().filter_map(|(photo, other)| Some((photo, (*other)?)));
    pairs.filter(|&(photo, other)| is_shifted || displaced[other] == Some(photo)).collect()
}

/// The prompt whose assets fit that photo best, if clearly better than its own, in every generator.
fn better_prompt(fits: &[Vec<Option<Vec<f64>>>], photo: usize) -> Option<usize> {
    let margin = |other: usize| {
        let by_method = fits[photo].iter().zip(&fits[other]).filter_map(|(own, others)| {
            let (own, others) = (own.as_ref()?, others.as_ref()?);
            Some((others[photo] - own[photo]).min(others[photo] - others[other]))
        });
        by_method.reduce(f64::min).unwrap_or(0.0)
    };
    let best = (0..fits.len()).max_by(|&a, &b| margin(a).total_cmp(&margin(b)))?;
    (margin(best) >= MARGIN_MIN).then_some(best)
}

/// Identifies photos and assets as they are now.
fn key(plan: &Plan, run: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    for place in plan.places().step_by(plan.seeds.len().max(1)) {
        let (prompt, seed) = plan.place(place);
        let photo: Option<PhotoKey> = plan.photos.key(prompt);
        let stamps = plan.methods.iter().map(|method| {
            let stamp = stamp(&method.place(run, prompt, seed))?;
            Some(turned(stamp, method.turn_of(&prompt.id, seed)))
        });
        let stamps: Vec<Option<Stamp>> = stamps.collect();
        hasher.update(format!("{:?}", (&prompt.id, photo, stamps)).as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two generators' assets of four prompts; the photo at each place shows the prompt of that
    /// number.
    fn shown(photos: [usize; 4]) -> Vec<Vec<Option<Vec<f64>>>> {
        let fit = |asset: usize, photo: &usize| if asset == *photo { 1.8 } else { 1.1 };
        let asset = |asset| Some(photos.iter().map(|photo| fit(asset, photo)).collect());
        (0..4).map(|prompt| vec![asset(prompt), asset(prompt)]).collect()
    }

    #[test]
    fn swapped_and_shifted_photos_are_found_and_right_ones_never_named() {
        assert!(resembled(&shown([0, 1, 2, 3])).is_empty());
        assert_eq!(resembled(&shown([1, 0, 2, 3])), [(0, 1), (1, 0)]);
        assert_eq!(resembled(&shown([1, 2, 3, 0])), [(0, 1), (1, 2), (2, 3), (3, 0)]);
        let mut one_asset_is_missing = shown([1, 0, 2, 3]);
        one_asset_is_missing[0][1] = None;
        assert_eq!(resembled(&one_asset_is_missing), [(0, 1), (1, 0)]);
    }

    #[test]
    fn one_displaced_photo_or_one_generator_is_not_enough() {
        // The assets of prompt 0 failed, and those of prompt 1 look more like its photo.
        let mut failed = shown([0, 1, 2, 3]);
        failed[0] = vec![Some(vec![0.9; 4]); 2];
        failed[1] = vec![Some(vec![2.1, 1.8, 1.0, 1.0]); 2];
        assert_eq!(better_prompt(&failed, 0), Some(1));
        assert!(resembled(&failed).is_empty());
        // The second generator's asset of prompt 1 does not look like the photo of prompt 0.
        let mut unsure = shown([1, 0, 2, 3]);
        unsure[1][1] = Some(vec![1.15, 1.1, 1.1, 1.1]);
        assert_eq!(better_prompt(&unsure, 0), None);
        assert!(resembled(&unsure).is_empty());
    }
}
