//! Two objects with the photo of either → whether a judge looks at the photo.

use super::plan::{CLEAN, LOOKS};
use super::trial::{Choice, Together, choice, together};
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

/// Of the object pairs on which it names a winner of the match with a photo, the share on which the other one wins with the other's photo.
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
    share(&by_object.into_values().collect::<Vec<_>>())
}
