//! Basis of an order: games no rating explains, prompts that carry a lead, rules that turn nothing.

use meshjudge_rate::*;

fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("m{i}")).collect()
}

fn answers(
    num_methods: usize,
    prompts: usize,
    mut winner: impl FnMut(usize, usize, usize) -> Winner,
) -> Vec<Answer> {
    let mut out = Vec::new();
    for prompt in 0..prompts {
        for b in 0..num_methods {
            for a in 0..b {
                let winner = winner(a, b, prompt);
                out.push(Answer { a, b, prompt, key: 0, side: Side::Neither, winner });
            }
        }
    }
    out
}

#[test]
fn a_circle_of_winners_is_found_and_chance_is_not() {
    // 0 beats 1, 1 beats 2, 2 beats 0, four times of five.
    let mut random = Random::new(1, 0);
    let mut play = |p: f64| {
        if random.unit() < p { Winner::A } else { Winner::B }
    };
    let circle = answers(3, 40, |a, b, _| play(if b - a == 1 { 0.8 } else { 0.2 }));
    let found = diagnose(&names(3), &circle, &[], &Model::default(), 0, &[])
        .unwrap()
        .intransitivity
        .unwrap();
    assert!(found.p < 0.01 && found.beyond_elo > 100.0, "{found:?}");
    let mut few = 0;
    for seed in 0..40 {
        let mut random = Random::new(2, seed);
        // Whole prompts lean one way, which is no circle.
        let mut lean = 0.0;
        let chance = answers(4, 20, |a, b, _| {
            if (a, b) == (0, 1) {
                lean = random.normal();
            }
            let x = 0.5 * (b as f64 - a as f64) + lean;
            if random.unit() < 1.0 / (1.0 + libm::exp(-x)) { Winner::A } else { Winner::B }
        });
        let found = diagnose(&names(4), &chance, &[], &Model::default(), seed, &[]).unwrap();
        few += usize::from(found.intransitivity.unwrap().p < 0.05);
    }
    assert!(few <= 7, "{few} of 40 at 5 %");
}

#[test]
fn a_lead_that_one_prompt_carries_is_named() {
    // Level but for prompt 3, which decides the first place.
    let one = answers(3, 6, |a, _, prompt| match (a, prompt) {
        (0, 3) => Winner::A,
        (1, 5) => Winner::A,
        _ => Winner::Tie,
    });
    let found = diagnose(&names(3), &one, &[], &Model::default(), 0, &[]).unwrap();
    let left_out = found.left_out.unwrap();
    assert_eq!((left_out.first_changes, left_out.prompt, left_out.num_prompts), (1, 3, 6));
    assert!(left_out.moved_elo > 10.0);
    // Every rule for draws keeps the order; where draws are two games, ratings move together.
    let rule = |name: &str| found.variants.iter().find(|v| v.name.contains(name)).unwrap();
    assert!(found.variants.iter().all(|variant| variant.turned == 0), "{:?}", found.variants);
    assert!(rule("half a win").moved_elo < 1e-6 && (rule("half a win").scale - 1.0).abs() < 1e-9);
    assert!(rule("is a win").scale < 0.9 && rule("Davidson").scale > 1.1);
}

#[test]
fn no_circle_is_told_of_games_that_only_the_prior_explains() {
    // The first wins every game, the rest by chance: what the prior expects of it is no circle.
    let sweep = |others: usize, seed: u64| {
        let mut random = Random::new(3, seed);
        let games = answers(1 + others, 20, |a, _, _| match a {
            0 => Winner::A,
            _ if random.unit() < 0.5 => Winner::A,
            _ => Winner::B,
        });
        let found = diagnose(&names(1 + others), &games, &[], &Model::default(), seed, &[]);
        found.unwrap().intransitivity
    };
    assert_eq!(sweep(2, 0), None, "two methods are no circle");
    let few: usize = (0..40).map(|seed| usize::from(sweep(4, seed).unwrap().p < 0.05)).sum();
    assert!(few <= 7, "{few} of 40 at 5 %");
    // The third is beaten by all, the others by each other: that is a circle.
    let circle = answers(4, 40, |a, b, prompt| match (a, b) {
        (_, 3) => Winner::A,
        (0, 2) if prompt % 5 > 0 => Winner::B,
        (0, 2) => Winner::A,
        _ if prompt % 5 > 0 => Winner::A,
        _ => Winner::B,
    });
    let found = diagnose(&names(4), &circle, &[], &Model::default(), 0, &[]).unwrap();
    assert!(found.intransitivity.unwrap().p < 0.01);
}

#[test]
fn a_board_of_draws_has_no_first() {
    let draws = answers(3, 6, |_, _, _| Winner::Tie);
    let found = diagnose(&names(3), &draws, &[], &Model::default(), 0, &[]).unwrap();
    assert!(found.variants.iter().all(Variant::is_level), "{:?}", found.variants);
    let led = answers(3, 6, |a, _, _| if a == 0 { Winner::A } else { Winner::Tie });
    let found = diagnose(&names(3), &led, &[], &Model::default(), 0, &[]).unwrap();
    let mut all = found.variants.iter();
    assert!(all.all(|v| !v.is_level() && v.first == 0), "{:?}", found.variants);
}

/// Two raters always prefer the first method, the third the second: 40 of 60 prompts say that the
/// first is better, and three raters say nothing of others.
#[test]
fn single_ranks_of_peoples_votes_allow_for_other_raters() {
    let answer = |prompt| Answer {
        a: 0,
        b: 1,
        prompt,
        key: 0,
        side: Side::Neither,
        winner: if prompt % 3 == 2 { Winner::B } else { Winner::A },
    };
    let answers: Vec<Answer> = (0..60).map(answer).collect();
    let voters: Vec<usize> = (0..60).map(|prompt| prompt % 3).collect();
    let ranks = |voters: &[usize]| {
        diagnose(&names(2), &answers, voters, &Model::default(), 0, &[]).unwrap().ranks.unwrap()
    };
    assert_eq!(ranks(&[]), [(1, 1), (2, 2)]);
    assert_eq!(ranks(&[7; 60]), ranks(&[]), "of one rater, for this one");
    assert_eq!(ranks(&voters), [(1, 2), (1, 2)]);
}
