//! What every plan must keep: no pair twice, only pairs of the field, linked, balanced, within the
//! budget, and the same again.

use meshjudge::unstable::bench::schedule::{
    Active, ActiveSettings, Aim, Done, Field, Next, Pair, all_pairs, round_robin,
};
use meshjudge::unstable::rate::{Game, Random, RateError, Side, Winner};
use proptest::prelude::*;
use std::collections::BTreeSet;

const AIMS: [Aim; 3] = [Aim::Mean, Aim::Widest, Aim::Order];

fn settings(aim: Aim, seed: u64) -> ActiveSettings {
    ActiveSettings { aim, target_half_width: None, budget: None, seed }
}

fn full(num_methods: usize, num_prompts: usize) -> Field {
    Field { num_methods, num_prompts, num_seeds: 1 }
}

/// The smaller index wins three of four.
fn game(pair: &Pair) -> Game {
    let stream = (pair.prompt * 1_000 + pair.a * 100 + pair.b) as u64;
    let winner = if Random::new(3, stream).unit() < 0.75 { Winner::A } else { Winner::B };
    Game { a: pair.a, b: pair.b, prompt: pair.prompt, winner, side: Side::Neither, weight: 1.0 }
}

fn groups(num_methods: usize, pairs: &[Pair]) -> usize {
    let mut group: Vec<usize> = (0..num_methods).collect();
    for pair in pairs {
        let (to, from) = (group[pair.a], group[pair.b]);
        group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
    }
    group.iter().collect::<BTreeSet<_>>().len()
}

fn next(active: &Active<'_>, pairs: &[Pair], len: usize) -> Next {
    let games: Vec<Game> = pairs.iter().map(game).collect();
    active.next(&games, &[], len).unwrap()
}

/// All rounds to the end.
fn run(active: &Active<'_>, len: usize) -> (Vec<Pair>, Done) {
    let mut pairs = Vec::new();
    loop {
        match next(active, &pairs, len) {
            Next::Ask(round) => {
                assert!(!round.is_empty() && round.len() <= len);
                pairs.extend(round);
            }
            Next::Done(done) => return (pairs, done),
        }
    }
}

fn counts(n: usize, keys: impl Iterator<Item = usize>) -> (usize, usize) {
    let mut counts = vec![0; n];
    keys.for_each(|key| counts[key] += 1);
    (counts.iter().copied().min().unwrap(), counts.iter().copied().max().unwrap())
}

#[test]
fn all_pairs_come_prompt_by_prompt() {
    let field = full(3, 2);
    let found: Vec<(usize, usize, usize)> =
        all_pairs(&field).iter().map(|p| (p.prompt, p.a, p.b)).collect();
    assert_eq!(found, [(0, 0, 1), (0, 0, 2), (0, 1, 2), (1, 0, 1), (1, 0, 2), (1, 1, 2)]);
}

#[test]
fn round_robin_is_balanced_at_every_length() {
    let (n, prompts) = (13, 20);
    let all = round_robin(&full(n, prompts), usize::MAX, 5);
    assert_eq!(all.len(), 78 * prompts);
    for len in (12..all.len()).step_by(7) {
        let part = &all[..len];
        assert_eq!(groups(n, part), 1, "{len} units");
        let (_, most) = counts(n * n, part.iter().map(|p| p.a * n + p.b));
        assert_eq!(most, len.div_ceil(78), "pairs at {len}");
        let (low, high) = counts(n, part.iter().flat_map(|p| [p.a, p.b]));
        assert!(high - low <= 3, "methods at {len}: {low} to {high}");
        let (low, high) = counts(prompts, part.iter().map(|p| p.prompt));
        assert!(high - low <= 4, "prompts at {len}: {low} to {high}");
    }
    for cycle in 1..=prompts {
        let part = &all[..78 * cycle];
        let duels: BTreeSet<(usize, usize)> = part.iter().map(|p| (p.a, p.b)).collect();
        assert_eq!(duels.len(), 78);
        let (low, high) = counts(n, part.iter().flat_map(|p| [p.a, p.b]));
        assert_eq!((low, high), (12 * cycle, 12 * cycle));
    }
    assert_ne!(round_robin(&full(n, prompts), 50, 6), all[..50]);
}

#[test]
fn active_links_first_and_stops_for_each_reason() {
    let field = full(8, 30);
    for aim in AIMS {
        let active = Active::new(&field, settings(aim, 1));
        let Next::Ask(first) = next(&active, &[], 7) else { panic!("nothing was asked") };
        assert_eq!(groups(8, &first), 1, "{aim:?}");
        let (pairs, done) = run(&active, 40);
        assert_eq!((pairs.len(), done), (28 * 30, Done::Exhausted));
        let budget = Some(33);
        let short = ActiveSettings { budget, ..settings(aim, 1) };
        let (pairs, done) = run(&Active::new(&field, short), 10);
        assert_eq!((pairs.len(), done), (33, Done::Budget));
        let target = ActiveSettings { target_half_width: Some(80.0), ..settings(aim, 1) };
        let active = Active::new(&field, target);
        let (pairs, done) = run(&active, 28);
        assert_eq!(done, Done::Target, "{aim:?}");
        let games: Vec<Game> = pairs.iter().map(game).collect();
        let widths = active.half_widths(&games).unwrap().unwrap();
        assert!(widths.iter().all(|w| *w <= 80.0), "{widths:?}");
        assert!(pairs.len() > 28 * 2, "{} units", pairs.len());
    }
}

#[test]
fn a_round_is_not_one_pair_many_times_and_closed_pairs_stay_closed() {
    let field = full(6, 40);
    let games: Vec<Game> = round_robin(&field, 60, 1).iter().map(game).collect();
    for aim in AIMS {
        let active = Active::new(&field, settings(aim, 2));
        let Next::Ask(round) = active.next(&games, &[], 30).unwrap() else {
            panic!("nothing was asked")
        };
        let duels: BTreeSet<(usize, usize)> = round.iter().map(|p| (p.a, p.b)).collect();
        assert!(duels.len() >= 3, "{aim:?}: {duels:?}");
        let (_, most) = counts(40, round.iter().map(|p| p.prompt));
        assert!(most <= 3, "{aim:?}: {most} units on one prompt");
        let Next::Ask(other) = active.next(&games, &round, 30).unwrap() else {
            panic!("nothing was asked")
        };
        assert!(other.iter().all(|pair| !round.contains(pair)));
        let mut turned = games.clone();
        turned.reverse();
        assert_eq!(active.next(&turned, &[], 30).unwrap(), Next::Ask(round));
    }
}

#[test]
fn a_game_of_an_unknown_method_is_an_error() {
    let field = full(3, 5);
    let active = Active::new(&field, settings(Aim::Mean, 0));
    let stranger = game(&Pair { prompt: 0, a: 1, b: 7 });
    let failure = active.next(&[stranger], &[], 3).unwrap_err();
    assert_eq!(failure, RateError::BadGame { game: 0 });
}

/// Up to 7 methods and 9 prompts.
fn fields() -> impl Strategy<Value = Field> {
    (2_usize..8, 1_usize..10).prop_map(|(n, prompts)| full(n, prompts))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn plans_keep_their_promises(field in fields(), seed in 0_u64..100, budget in 0_usize..60, len in 1_usize..9) {
        let all = all_pairs(&field);
        let n = field.num_methods;
        let least = groups(n, &all);
        let mut plans = vec![round_robin(&field, budget, seed)];
        prop_assert_eq!(&plans[0], &round_robin(&field, budget, seed));
        for aim in AIMS {
            let bounded = ActiveSettings { budget: Some(budget), ..settings(aim, seed) };
            let (pairs, done) = run(&Active::new(&field, bounded), len);
            prop_assert!(matches!(done, Done::Budget | Done::Exhausted));
            prop_assert_eq!(&pairs, &run(&Active::new(&field, bounded), len).0);
            plans.push(pairs);
        }
        for pairs in plans {
            prop_assert_eq!(pairs.len(), budget.min(all.len()));
            let different: BTreeSet<&Pair> = pairs.iter().collect();
            prop_assert_eq!(different.len(), pairs.len());
            prop_assert!(pairs.iter().all(|pair| field.has(*pair)));
            let links = pairs.len().min(n - least);
            prop_assert_eq!(groups(n, &pairs), n - links);
        }
    }
}
