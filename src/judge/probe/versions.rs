//! Two versions of one asset: what differs between them is what was done to one of them.

use super::copies::is_copied;
use super::differences::Differences;
use super::evidence::More;
use super::faults::{Case, Fault, faults};
use super::look::Observed;
use super::overlay::{Overlay, Side};
use crate::scene::Scene;

/// The faults of two versions, left (0) and right (1); `None` for two assets that are not versions of one.
///
/// The two are compared in an order that depends on what they are and not on where they stand, so that swapping mirrors the answer.
pub(super) fn compare(left: (&Observed, &Scene), right: (&Observed, &Scene)) -> Option<Vec<Fault>> {
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
    let mut found = faults(&case);
    if is_swapped {
        found
            .iter_mut()
            .for_each(|fault| fault.side = 1 - fault.side);
    }
    Some(found)
}
