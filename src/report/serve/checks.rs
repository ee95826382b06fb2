//! Attention checks: an object of the run against itself with plain damage, as an audit asks
//! judges. The answer is known beforehand.

use super::super::invited::CheckAnswer;
use crate::damage::{DamageKind, kind};
use crate::rubric::Winner;

/// Seen at a glance, and possible on every asset: lumps in the air, holes, a rough surface. For
/// meshes and for splats, which lower the same criteria.
pub(super) const KINDS: [[&str; 2]; 3] =
    [["floaters", "splat-floaters"], ["holes", "splat-holes"], ["noise-coarse", "splat-needles"]];
/// Checks of a run; a rater sees each at most once.
pub(super) const CHECKS_MAX: usize = 30;
/// All that the kind can do.
pub(super) const LEVEL: f32 = 1.0;
/// Decides where the damage is.
pub(super) const SEED: u64 = 23;

/// The kind of damage of a run's check number `n`, for meshes.
pub(super) fn check_kind(n: usize) -> &'static DamageKind {
    kind(KINDS[n % KINDS.len()][0]).expect("a kind of ours")
}

/// The same for splats.
pub(super) fn splat_check_kind(n: usize) -> &'static DamageKind {
    kind(KINDS[n % KINDS.len()][1]).expect("a kind of ours")
}

/// The answers on the criteria that the damage lowers; the undamaged object is `a`.
pub(super) fn check_answer<'a>(
    kind: &DamageKind,
    choices: impl Iterator<Item = (&'a str, Winner)>,
) -> CheckAnswer {
    let balance: i32 = choices
        .filter(|(key, _)| kind.lowers.contains(key))
        .map(|(_, winner)| match winner {
            Winner::A => 1,
            Winner::B => -1,
            Winner::Tie => 0,
        })
        .sum();
    match balance.signum() {
        1 => CheckAnswer::Right,
        -1 => CheckAnswer::Wrong,
        _ => CheckAnswer::Tie,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_criteria_that_the_damage_lowers_count() {
        let holes = kind("holes").unwrap();
        let said = |all: &[(&'static str, Winner)]| check_answer(holes, all.iter().copied());
        assert_eq!(
            said(&[("overall", Winner::A), ("texture_details", Winner::B)]),
            CheckAnswer::Right
        );
        assert_eq!(
            said(&[("overall", Winner::B), ("plausibility", Winner::Tie)]),
            CheckAnswer::Wrong
        );
        assert_eq!(said(&[("overall", Winner::B), ("plausibility", Winner::A)]), CheckAnswer::Tie);
        for n in 0..KINDS.len() {
            assert!(!check_kind(n).lowers.is_empty());
            assert_eq!(check_kind(n).lowers, splat_check_kind(n).lowers);
        }
    }
}
