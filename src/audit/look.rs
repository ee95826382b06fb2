//! Objects with the photos of others → whether a judge looks at the photo.

use super::plan::{CLEAN, LOOKS};
use super::trial::{Choice, SCORE, Together, choice, scores, together};
use crate::rate::{Estimate, share};
use crate::rubric::{Order, Verdict};
use crate::store::{Rater, Record};
use std::collections::BTreeMap;

/// Answers in both orders.
type Said = [Vec<Choice>; 2];

/// Whether a criterion is about the match with the photo.
pub(super) fn is_of_photo(criterion: &str) -> bool {
    criterion.ends_with("_fidelity") || criterion == "prompt_asset_alignment"
}

/// Of the object pairs on which it names a winner of the match with a photo, the share on which the
/// other one wins with the other's photo; of the objects that it scores, the share that has a lower
/// score with the photo of another one.
pub(super) fn photo_seen(rows: &[&Record], judge: &Rater) -> Option<Estimate> {
    let mut found: BTreeMap<(&str, &str), [Said; 2]> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.judge == *judge && row.a.method == CLEAN) {
        let method = row.b.as_ref().map(|b| b.method.as_str());
        let Some(photo) = LOOKS.iter().position(|look| Some(*look) == method) else {
            continue;
        };
        let Some(Verdict::Pairwise { choices, undecided, .. }) = row.verdict() else {
            continue;
        };
        let order = usize::from(row.order != Order::AsListed);
        for (criterion, winner) in choices.iter().filter(|(key, _)| is_of_photo(key)) {
            let said = found.entry((&row.a.path, criterion)).or_default();
            said[photo][order].push(choice(criterion, *winner, undecided));
        }
    }
    let mut by_object: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for ((object, _), [own, other]) in &found {
        let (Some(own), Some(other)) = (together(own), together(other)) else {
            continue;
        };
        if own == Together::Undecided || other == Together::Undecided {
            continue;
        }
        let (hits, all) = by_object.entry(object).or_default();
        *hits += f64::from(u8::from((own, other) == (Together::Clean, Together::Damaged)));
        *all += 1.0;
    }
    let mut by_object: Vec<(f64, f64)> = by_object.into_values().collect();
    for [own, other] in scored_with_photos(rows, judge).into_values() {
        if own.1 > 0.0 && other.1 > 0.0 {
            let is_lower = other.0 / other.1 < own.0 / own.1;
            by_object.push((f64::from(u8::from(is_lower)), 1.0));
        }
    }
    share(&by_object)
}

/// By object, the sum and number of its scores with its own photo and with another's.
fn scored_with_photos<'a>(
    rows: &[&'a Record],
    judge: &Rater,
) -> BTreeMap<&'a str, [(f64, f64); 2]> {
    let mut found: BTreeMap<&str, [(f64, f64); 2]> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.judge == *judge && row.b.is_none()) {
        let photo = [CLEAN, LOOKS[1]].iter().position(|method| *method == row.a.method);
        let score = scores(row).and_then(|(scores, _)| scores.get(SCORE).copied());
        if let (Some(photo), Some(score)) = (photo, score) {
            let (sum, count) = &mut found.entry(&row.a.path).or_default()[photo];
            (*sum, *count) = (*sum + score, *count + 1.0);
        }
    }
    found
}
