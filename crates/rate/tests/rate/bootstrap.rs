//! What the intervals are worth: simulated tournaments whose truth is known, and the same numbers
//! on any number of threads.

use meshjudge_rate::*;

const NUM_METHODS: usize = 13;
const NUM_PROMPTS: usize = 60;
/// Davidson's ν of the simulated judge: about a fifth of answers between equals are ties.
const TIE: f64 = 0.5;
/// Share of answers that are "left", whatever is shown.
const BIASED: f64 = 0.2;

fn names() -> Vec<String> {
    (0..NUM_METHODS).map(|i| format!("m{i:02}")).collect()
}

/// Strengths in natural log-odds, 480 Elo points from first to last.
fn strength(method: usize) -> f64 {
    (method as f64 - 6.0) * 40.0 / ELO_PER_NAT
}

/// P(a), P(b), P(tie) by Davidson.
fn outcomes(x: f64) -> [(Winner, f64); 3] {
    let half = libm::exp(0.5 * x);
    let sum = half + 1.0 / half + TIE;
    [(Winner::A, half / sum), (Winner::B, 1.0 / half / sum), (Winner::Tie, TIE / sum)]
}

fn draw(x: f64, random: &mut Random) -> Winner {
    let at = random.unit();
    let [(_, a), (_, b), _] = outcomes(x);
    if at < a {
        Winner::A
    } else if at < a + b {
        Winner::B
    } else {
        Winner::Tie
    }
}

fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..NUM_METHODS).flat_map(|b| (0..b).map(move |a| (a, b)))
}

/// Each order's answer is the judge's one opinion of a pair, or "left" in a fifth of cases.
fn lazy_judge(random: &mut Random) -> Vec<Answer> {
    let mut answers = Vec::new();
    for prompt in 0..NUM_PROMPTS {
        for (a, b) in pairs() {
            let opinion = draw(strength(a) - strength(b), random);
            for (side, left) in [(Side::ALeft, Winner::A), (Side::BLeft, Winner::B)] {
                let winner = if random.unit() < BIASED { left } else { opinion };
                let key = 0;
                answers.push(Answer { a, b, prompt, key, side, winner });
            }
        }
    }
    answers
}

/// What the lazy judge's ratings tend to as prompts grow without end: the fit of the expected
/// games, by enumeration. Inconsistent answers pull all ratings together, so this is the truth of
/// the procedure and not the strengths.
fn lazy_truth(draws: Draws) -> Vec<f64> {
    let mut expected = Vec::new();
    for (a, b) in pairs() {
        for (opinion, p) in outcomes(strength(a) - strength(b)) {
            for (first, second) in [(false, false), (false, true), (true, false), (true, true)] {
                let chance = |is_lazy: bool| if is_lazy { BIASED } else { 1.0 - BIASED };
                let said = |is_lazy, left| if is_lazy { left } else { opinion };
                let (x, y) = (said(first, Winner::A), said(second, Winner::B));
                let winner = if x == y { x } else { Winner::Tie };
                let weight = p * chance(first) * chance(second);
                expected.push(Game { a, b, prompt: 0, winner, side: Side::Neither, weight });
            }
        }
    }
    let table = Table::new(NUM_METHODS, &expected).unwrap();
    let model = Model { draws, prior: None, fits_bias: false };
    fit(&table, &names(), &model, Anchor::Mean).unwrap().ratings
}

/// (intervals that hold the truth, intervals).
fn lazy_coverage(draws: Draws, tournaments: u64, replicates: usize) -> (usize, usize) {
    let truth = lazy_truth(draws);
    let mut held = 0;
    for tournament in 0..tournaments {
        let answers = lazy_judge(&mut Random::new(tournament, 77));
        let table = Table::new(NUM_METHODS, &games(&units(&answers))).unwrap();
        let model = Model { draws, ..Model::default() };
        let found = fit(&table, &names(), &model, Anchor::Mean).unwrap();
        let spread = certainty(&table, &model, Anchor::Mean, &found, replicates, tournament);
        let ratings = spread.unwrap().ratings.into_iter().map(Option::unwrap);
        held += ratings.zip(&truth).filter(|(i, t)| (i.low..=i.high).contains(t)).count();
    }
    (held, tournaments as usize * NUM_METHODS)
}

/// Answers drawn from Davidson with its own left bias, so the strengths are the truth.
fn model_coverage(tournaments: u64, replicates: usize) -> [(usize, usize); 2] {
    let bias = 0.9;
    let (mut held, mut bias_held) = (0, 0);
    for tournament in 0..tournaments {
        let random = &mut Random::new(tournament, 78);
        let mut all = Vec::new();
        for prompt in 0..NUM_PROMPTS {
            for (a, b) in pairs() {
                for (side, sign) in [(Side::ALeft, 1.0), (Side::BLeft, -1.0)] {
                    let winner = draw(strength(a) - strength(b) + sign * bias, random);
                    all.push(Game { a, b, prompt, winner, side, weight: 1.0 });
                }
            }
        }
        let table = Table::new(NUM_METHODS, &all).unwrap();
        let model = Model { draws: Draws::Davidson, fits_bias: true, ..Model::default() };
        let found = fit(&table, &names(), &model, Anchor::Mean).unwrap();
        let spread = certainty(&table, &model, Anchor::Mean, &found, replicates, tournament);
        let spread = spread.unwrap();
        for (i, interval) in spread.ratings.iter().flatten().enumerate() {
            let truth = 1000.0 + strength(i) * ELO_PER_NAT;
            held += usize::from((interval.low..=interval.high).contains(&truth));
        }
        let interval = spread.left_bias.unwrap();
        bias_held += usize::from((interval.low..=interval.high).contains(&bias));
    }
    let n = tournaments as usize;
    [(held, n * NUM_METHODS), (bias_held, n)]
}

fn share((held, all): (usize, usize)) -> f64 {
    held as f64 / all as f64
}

#[test]
fn intervals_hold_the_truth_about_as_often_as_they_say() {
    // 30 tournaments, 390 intervals: 95 % ± 3 standard errors (intervals of one tournament hang
    // together) is 90 to 99 %.
    let found = share(lazy_coverage(Draws::Half, 30, 200));
    assert!((0.90..0.99).contains(&found), "{found}");
}

#[test]
#[ignore = "minutes; its figures are quoted in docs/runs/rating/2026-11-21-coverage.md"]
fn full_coverage() {
    for draws in [Draws::Half, Draws::BothWin, Draws::Davidson] {
        let found = lazy_coverage(draws, 500, 400);
        println!("lazy judge, {draws:?}: {found:?} = {:.4}", share(found));
        assert!((0.93..0.97).contains(&share(found)));
    }
    let [ratings, bias] = model_coverage(500, 400);
    println!(
        "Davidson with bias: ratings {ratings:?} = {:.4}, bias {bias:?} = {:.4}",
        share(ratings),
        share(bias)
    );
    assert!((0.93..0.97).contains(&share(ratings)));
}

#[test]
fn the_number_of_threads_and_the_order_of_answers_change_nothing() {
    let mut answers = lazy_judge(&mut Random::new(5, 5));
    let settings = BoardSettings {
        model: Model::default(),
        anchor: Anchor::Method(3),
        replicates: 61,
        seed: 9,
    };
    let on = |threads: usize, answers: &[Answer]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| board(&names(), answers, &settings).unwrap())
    };
    let one = on(1, &answers);
    for threads in [2, 5] {
        assert_eq!(on(threads, &answers), one);
    }
    answers.reverse();
    assert_eq!(on(2, &answers), one);
}

#[test]
fn ranks_win_rates_and_intervals_belong_together() {
    let answers = lazy_judge(&mut Random::new(6, 6));
    let settings = BoardSettings {
        model: Model::default(),
        anchor: Anchor::Method(0),
        replicates: 200,
        seed: 3,
    };
    let found = board(&names(), &answers, &settings).unwrap();
    let rate = |i: usize, j: usize| found.win_rates[i][j];
    for (place, line) in found.lines.iter().enumerate() {
        let (best, worst) = line.ranks_all.unwrap();
        assert!(best <= place + 1 && place < worst, "{line:?}");
        let interval = line.interval.unwrap();
        assert!((interval.low..=interval.high).contains(&line.rating), "{line:?}");
        for other in (0..NUM_METHODS).filter(|other| *other != line.method) {
            let (own, theirs) = (rate(line.method, other), rate(other, line.method));
            assert!((own.value + theirs.value - 1.0).abs() < 1e-12);
            let (own, theirs) = (own.interval.unwrap(), theirs.interval.unwrap());
            assert!((own.low + theirs.high - 1.0).abs() < 1e-12);
            // An order of all pairs together is one of each.
            assert!(!found.is_above(line.method, other) || own.low > 0.5, "{own:?}");
        }
    }
    // 12 strengths apart is far more than any interval.
    assert!(found.is_above(12, 0) && rate(12, 0).interval.unwrap().low > 0.8);
    let anchor = found.lines.iter().find(|l| l.method == 0).unwrap();
    assert_eq!(anchor.interval, Some(Interval { low: 1000.0, high: 1000.0 }));
    let (bias, interval) = found.left_bias.unwrap();
    assert!(bias > 0.1 && interval.unwrap().low > 0.0);
}

#[test]
fn four_prompts_have_no_interval() {
    let answers: Vec<Answer> =
        lazy_judge(&mut Random::new(6, 6)).into_iter().filter(|a| a.prompt < 4).collect();
    let settings =
        BoardSettings { model: Model::default(), anchor: Anchor::Mean, replicates: 50, seed: 3 };
    let found = board(&names(), &answers, &settings).unwrap();
    assert!(found.orders.is_none() && found.lines.iter().all(|l| l.interval.is_none()));
}

#[test]
fn prompts_that_all_say_the_same_have_no_interval_and_the_winner_is_named() {
    let answer = |prompt, side| Answer { a: 0, b: 1, prompt, key: 0, side, winner: Winner::A };
    let answers: Vec<Answer> =
        (0..8).flat_map(|p| [answer(p, Side::ALeft), answer(p, Side::BLeft)]).collect();
    let settings =
        BoardSettings { model: Model::default(), anchor: Anchor::Mean, replicates: 50, seed: 3 };
    let found = board(&names()[..2], &answers, &settings).unwrap();
    assert!(found.lines.iter().all(|l| l.interval.is_none()));
    assert_eq!(found.only_won, [0]);
}

/// 0 and 1 draw, 2 and 3 each won once: one against 0, the other against 4, which lost to 1. Only 2
/// is above the largest group.
#[test]
fn all_unbeaten_methods_are_named_and_only_links_to_the_largest_group_are_bounds() {
    let answer = |a, b, winner| Answer { a, b, prompt: 0, key: 0, side: Side::Neither, winner };
    let answers = [
        answer(0, 1, Winner::Tie),
        answer(2, 0, Winner::A),
        answer(3, 4, Winner::A),
        answer(1, 4, Winner::A),
    ];
    let names: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
    let settings =
        BoardSettings { model: Model::default(), anchor: Anchor::Mean, replicates: 0, seed: 3 };
    let found = board(&names, &answers, &settings).unwrap();
    assert_eq!(found.only_won, [2, 3]);
    let bound = |method| found.lines.iter().find(|line| line.method == method).unwrap().bound;
    let bounds: Vec<_> = (0..5).map(bound).collect();
    let [above, below] = [Some(Bound::AtLeast), Some(Bound::AtMost)];
    assert_eq!(bounds, [None, None, above, Some(Bound::Neither), below]);
}

/// 150 wins of 150 say that a method is at least so good: its lead depends on the prior, and five
/// prompts establish no order.
#[test]
fn an_unbeaten_method_has_a_bound_and_few_prompts_establish_no_order() {
    let names: Vec<String> = ["first", "second", "third"].map(str::to_owned).to_vec();
    let mut answers = Vec::new();
    for prompt in 0..5 {
        for key in 0..30 {
            let answer = |a, b, winner| Answer { a, b, prompt, key, side: Side::Neither, winner };
            let upset = if key % 10 == 0 { Winner::B } else { Winner::A };
            answers.extend([answer(0, 1, Winner::A), answer(0, 2, Winner::A), answer(1, 2, upset)]);
        }
    }
    let board = board(&names, &answers, &BoardSettings::default()).unwrap();
    let bounds: Vec<Option<Bound>> = board.lines.iter().map(|line| line.bound).collect();
    assert_eq!(bounds, [Some(Bound::AtLeast), None, None]);
    assert_eq!(board.lines[0].interval, None);
    // Every prompt has 1 above 2, but of 16 choices of signs one says the same: more than 5 %.
    assert_eq!(board.orders, Some(Vec::new()));
}

/// Groups of equal size have no middle to measure from: the first is open above, the last below,
/// and those between on both sides.
#[test]
fn a_chain_of_clean_wins_is_open_at_both_ends() {
    let chain = |n: usize| {
        let names: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        let pairs = (0..n).flat_map(|b| (0..b).map(move |a| (a, b)));
        let answers: Vec<Answer> = (0..12)
            .flat_map(|prompt| pairs.clone().map(move |(a, b)| (prompt, a, b)))
            .map(|(prompt, a, b)| Answer {
                a,
                b,
                prompt,
                key: 0,
                side: Side::Neither,
                winner: Winner::A,
            })
            .collect();
        board(&names, &answers, &BoardSettings::default()).unwrap()
    };
    for n in [2, 3, 5] {
        let lines = chain(n).lines;
        assert!(lines.iter().all(|line| line.interval.is_none()));
        let bounds: Vec<Option<Bound>> = lines.iter().map(|line| line.bound).collect();
        let mut expected = vec![Some(Bound::Neither); n];
        (expected[0], expected[n - 1]) = (Some(Bound::AtLeast), Some(Bound::AtMost));
        assert_eq!(bounds, expected);
    }
}
