//! Two versions of one asset: what differs between them is what was done to one of them.

use super::copies::is_copied;
use super::differences::Differences;
use super::evidence::More;
use super::look::Observed;
use super::model::{Fault, faults};
use super::overlay::{Overlay, Side};
use super::signs::{Case, Measured, signs};
use crate::scene::Scene;

/// The faults of two versions, left (0) and right (1); `None` for two assets that are not versions of one.
pub(super) fn compare(left: (&Observed, &Scene), right: (&Observed, &Scene)) -> Option<Vec<Fault>> {
    Some(faults(&measure(left, right)?.signs))
}

/// What is measured of two versions, left and right; `None` for two assets that are not versions of one.
///
/// The two are compared in an order that depends on what they are and not on where they stand, so that swapping mirrors the answer.
pub(super) fn measure(left: (&Observed, &Scene), right: (&Observed, &Scene)) -> Option<Measured> {
    let key = |(seen, _): &(&Observed, &Scene)| (seen.body.digest, seen.texels.hashes.clone());
    let is_swapped = key(&left) > key(&right);
    let [first, second] = if is_swapped {
        [right, left]
    } else {
        [left, right]
    };
    let ((a, a_scene), (b, b_scene)) = (first, second);
    let overlay = Overlay::of(
        Side {
            body: &a.body,
            scene: a_scene,
        },
        Side {
            body: &b.body,
            scene: b_scene,
        },
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
        color_difference: case.differences.paint.map_or(0.0, |p| p.difference),
        signs: if is_swapped {
            [second, first]
        } else {
            [first, second]
        },
    })
}
