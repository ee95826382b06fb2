//! Attention checks: an object of the run against itself with plain damage, as an audit asks judges. The answer is known beforehand.

use super::super::invited::CheckAnswer;
use crate::damage::{DamageKind, kind};
use crate::rubric::Winner;

/// Seen at a glance, and possible on every mesh: lumps in the air, holes, a lumpy surface.
const KINDS: [&str; 3] = ["floaters", "holes", "noise-coarse"];
/// Checks of a run; a rater sees each at most once.
pub(super) const CHECKS_MAX: usize = 30;
/// All that the kind can do.
pub(super) const LEVEL: f32 = 1.0;
/// Decides where the damage is.
pub(super) const SEED: u64 = 23;

/// The kind of damage of a run's check number `n`.
pub(super) fn check_kind(n: usize) -> &'static DamageKind {
    kind(KINDS[n % KINDS.len()]).expect("a kind of ours")
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
        assert!((0..KINDS.len()).all(|n| !check_kind(n).lowers.is_empty()));
    }
}
