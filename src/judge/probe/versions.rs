//! Two versions of one asset: what differs between them is what was done to one of them.

use super::copies::is_copied;
use super::differences::{DIFFERS, Differences};
use super::evidence::More;
use super::look::Observed;
use super::model::{Fault, faults};
use super::overlay::{Overlay, Side};
use super::signs::{Case, Measured, VISIBLE, signs};
use crate::scene::Scene;

/// Two versions of one asset.
pub(super) struct Versions {
    /// Of the left one (0) and of the right one (1).
    pub faults: Vec<Fault>,
    pub is_same_shape: bool,
    pub has_same_colors: bool,
}

/// `None` for two assets that are not versions of one.
pub(super) fn compare(left: (&Observed, &Scene), right: (&Observed, &Scene)) -> Option<Versions> {
    let measured = measure(left, right)?;
    let textured = [left, right].map(|(seen, _)| seen.facts.texture.textured_area_share);
    Some(Versions {
        faults: faults(&measured.signs),
        is_same_shape: measured.is_same_shape,
        has_same_colors: measured.color_difference < VISIBLE
            && (textured[0] - textured[1]).abs() < DIFFERS,
    })
}

/// The measurements of two versions, left and right; `None` for two assets that are not versions of one.
///
/// The two are compared in an order that depends on their content and not on their sides, so that swapping mirrors the answer.
pub(super) fn measure(left: (&Observed, &Scene), right: (&Observed, &Scene)) -> Option<Measured> {
    let key = |(seen, _): &(&Observed, &Scene)| (seen.body.digest, seen.texels.hashes.clone());
    let is_swapped = key(&left) > key(&right);
    let [first, second] = if is_swapped { [right, left] } else { [left, right] };
    let ((a, a_scene), (b, b_scene)) = (first, second);
    let overlay = Overlay::of(
        Side { body: &a.body, scene: a_scene },
        Side { body: &b.body, scene: b_scene },
    )?;
    let differences = Differences::of(&overlay);
    let case = Case {
        observed: [a, b],
        placement: overlay.placement,
        is_copied: [0, 1].map(|side| differences.loose[side] > 0.0 && is_copied(&overlay, side)),
        more: More::of(&overlay),
        differences,
    };
    let [first, second] = [0, 1].map(|side| signs(&case, side));
    Some(Measured {
        is_same_shape: case.differences.is_same_shape(),
        color_difference: case.differences.paint.map_or(0.0, |p| p.difference),
        signs: if is_swapped { [second, first] } else { [first, second] },
    })
}
