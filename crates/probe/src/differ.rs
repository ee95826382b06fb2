//! How two versions differ, in sentences that name no better one.

use super::differences::DIFFERS;
use super::percent::percent;
use super::signs::Case;

/// How the two differ in shape; none where all was seen and is equal.
pub(super) fn shapes_differ(case: &Case) -> Option<String> {
    let d = &case.differences;
    let off = d.same.map(|share| 1.0 - share);
    let off = off[0].max(off[1]);
    let counts = case.observed.map(|o| {
        let (parts, holes) = (&o.facts.parts, &o.facts.holes);
        [parts.components, parts.floaters, holes.count]
    });
    let scale = case.placement.scale;
    let stretch = f64::from(scale.max_element() / scale.min_element()) - 1.0;
    if stretch > 0.01 {
        let by = match stretch {
            large if large > 1.0 => format!("a factor of {:.1}", 1.0 + large),
            small => percent(small),
        };
        return Some(format!(
            "Their proportions differ by {by}; they were compared after stretching."
        ));
    }
    if d.is_same_shape() {
        return (counts[0] != counts[1]).then(|| {
            "Their surfaces coincide, but not their numbers of pieces or openings.".to_owned()
        });
    }
    Some(if off < 0.0005 {
        "Their surfaces coincide, but not their openings, facing or normals.".to_owned()
    } else {
        format!("Their surfaces do not coincide on {} of the area.", percent(off))
    })
}

/// The same for colours.
pub(super) fn colors_differ(case: &Case) -> Option<String> {
    let Some(found) = case.differences.agreement else {
        return Some("Too little of their surfaces coincides to compare colours.".to_owned());
    };
    let share = percent(found.share);
    if !found.is_same() {
        let by = percent(found.difference / 3.0_f64.sqrt());
        let changed = percent(found.changed);
        return Some(format!(
            "Their colours differ by {by} of the full range on average, visibly on {changed} of the surface that coincides."
        ));
    }
    (found.share < 1.0 - DIFFERS).then(|| {
        format!("Their colours are equal on the {share} of the area where they coincide; the rest was not compared.")
    })
}
