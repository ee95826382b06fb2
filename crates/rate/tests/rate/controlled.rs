//! Ratings with facts of the assets held equal: against an independent fit, in worlds where only a
//! fact decides, and what is refused.

use meshjudge_rate::*;

fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("m{i}")).collect()
}

fn counts(winner: Winner) -> Counts {
    let mut counts = Counts::default();
    match winner {
        Winner::A => counts.a_wins = 1.0,
        Winner::B => counts.b_wins = 1.0,
        Winner::Tie => counts.ties = 1.0,
    }
    counts
}

fn near(found: f64, want: f64, tolerance: f64) {
    assert!((found - want).abs() < tolerance, "{found}, want {want}");
}

/// Games of tests/data/controlled_vectors.py, fitted there game by game by its own Newton's method.
#[test]
fn an_independent_regression_finds_the_same() {
    let figure = |fact: usize, m: usize, p: usize| match fact {
        0 => ((7 * m + 3 * p + m * p) % 11) as f64 / 10.0,
        _ => ((5 * m + 2 * p + 2 * m * m * p) % 13) as f64 / 4.0,
    };
    let mut meetings = Vec::new();
    for p in 0..12 {
        for a in 0..4 {
            for b in a + 1..4 {
                let differences: Vec<f64> =
                    (0..2).map(|fact| figure(fact, a, p) - figure(fact, b, p)).collect();
                let winner = if differences[0].abs() > 0.45 {
                    if differences[0] > 0.0 { Winner::A } else { Winner::B }
                } else {
                    match (a * 131 + b * 17 + p * 29 + (a * b * p) % 13 * 7) % 5 {
                        0 | 1 => Winner::A,
                        2 => Winner::Tie,
                        _ => Winner::B,
                    }
                };
                meetings.push(Meeting {
                    a,
                    b,
                    prompt: p,
                    side: Side::Neither,
                    counts: counts(winner),
                    differences: differences.into_iter().map(Some).collect(),
                });
            }
        }
    }
    let fitted = |model: &Model| {
        let found = controlled(&names(4), &meetings, model, Anchor::Mean, 400, 0);
        let (board, refused) = found.unwrap();
        assert!(refused.is_empty(), "{refused:?}");
        board.unwrap()
    };
    let board = fitted(&Model::default());
    let want = [
        1_005.770_224_570_233_5,
        1_061.514_225_399_784_4,
        1_021.409_410_463_520_4,
        911.306_139_566_461_6,
    ];
    for line in &board.lines {
        near(line.rating, want[line.method], 1e-6);
        near(line.moved, line.rating - line.plain, 1e-9);
        let interval = line.interval.unwrap();
        assert!(interval.low < line.rating && line.rating < interval.high);
    }
    near(board.effects[0].elo, 300.090_394_160_965_3, 1e-6);
    near(board.effects[1].elo, 63.914_631_679_617_564, 1e-6);
    near(board.effects[0].sd, 0.447_524_052_736_585, 1e-12);
    let interval = board.effects[0].interval.unwrap();
    assert!(interval.low > 100.0, "{interval:?}");
    // The plain ratings are the board's own.
    let answers: Vec<Answer> = meetings
        .iter()
        .map(|m| Answer {
            a: m.a,
            b: m.b,
            prompt: m.prompt,
            key: 0,
            side: Side::Neither,
            winner: match m.counts {
                c if c.a_wins > 0.0 => Winner::A,
                c if c.b_wins > 0.0 => Winner::B,
                _ => Winner::Tie,
            },
        })
        .collect();
    let plain = meshjudge_rate::board(&names(4), &answers, &BoardSettings::default()).unwrap();
    for line in &plain.lines {
        let same = board.lines.iter().find(|l| l.method == line.method).unwrap();
        near(same.plain, line.rating, 1e-6);
    }
    // Twice as many games of each, no prior: a draw as a win for both changes only the scale of θ.
    let davidson = Model { draws: Draws::Davidson, ..Model::default() };
    let board = fitted(&davidson);
    assert!(board.effects[0].elo > 300.0, "{:?}", board.effects);
}

/// Asset figures: method 0 makes about twice the others' triangles, and every asset scatters.
fn triangles(random: &mut Random, method: usize) -> f64 {
    9.0 + if method == 0 { 0.7 } else { 0.0 } + 0.7 * random.normal()
}

/// 4 methods that are equally good on 40 prompts; who has more triangles wins.
fn world(seed: u64) -> Vec<Meeting> {
    let mut random = Random::new(seed, 5);
    let mut meetings = Vec::new();
    for prompt in 0..40 {
        let logs: Vec<f64> = (0..4).map(|m| triangles(&mut random, m)).collect();
        for b in 0..4 {
            for a in 0..b {
                let more = logs[a] - logs[b];
                let p = 1.0 / (1.0 + libm::exp(-1.5 * more));
                let winner = if random.unit() < p { Winner::A } else { Winner::B };
                meetings.push(Meeting {
                    a,
                    b,
                    prompt,
                    side: Side::Neither,
                    counts: counts(winner),
                    differences: vec![Some(more)],
                });
            }
        }
    }
    meetings
}

#[test]
fn where_triangles_alone_decide_the_plain_board_claims_a_lead_and_the_controlled_one_does_not() {
    const WORLDS: u64 = 40;
    let (mut led, mut leads, mut covered, mut truth) = (0, 0, 0, 0);
    for seed in 0..WORLDS {
        let found = controlled(&names(4), &world(seed), &Model::default(), Anchor::Mean, 200, seed);
        let board = found.unwrap().0.unwrap();
        let line = board.lines.iter().find(|l| l.method == 0).unwrap();
        // Where it stays above the mean in the interval of what it moved, the plain board would
        // have led by that much.
        led += usize::from(line.plain - 1000.0 > 60.0 && line.plain_rank == 1);
        leads += usize::from(line.interval.unwrap().low > 1000.0);
        covered += board
            .lines
            .iter()
            .filter(|l| {
                let i = l.interval.unwrap();
                i.low < 1000.0 && 1000.0 < i.high
            })
            .count();
        let effect = &board.effects[0];
        let per_log = effect.interval.unwrap();
        let want = 1.5 * ELO_PER_NAT * effect.sd;
        truth += usize::from(per_log.low < want && want < per_log.high);
        assert!(line.moved < -40.0, "{line:?}");
    }
    println!("led {led}, leads {leads}, covered {covered} of 160, effect {truth} of {WORLDS}");
    assert!(led as u64 >= WORLDS - 4, "{led}");
    assert!(leads <= 5, "{leads}");
    // 95 % of 160 and of 40, less two standard errors.
    assert!(covered >= 146, "{covered}");
    assert!(truth >= 35, "{truth}");
}

#[test]
fn what_cannot_be_held_equal_is_refused_with_the_reason() {
    let mut meetings = world(1);
    for (i, meeting) in meetings.iter_mut().enumerate() {
        let style = meeting.differences[0];
        let (a, b) = (meeting.a as f64, meeting.b as f64);
        meeting.differences = vec![
            style,
            Some(0.0),
            style.filter(|_| i % 3 == 0),
            Some(a * a - b * b),
            style.map(|s| 2.0 * s),
        ];
    }
    let found = controlled(&names(4), &meetings, &Model::default(), Anchor::Mean, 0, 0);
    let (board, refused) = found.unwrap();
    let board = board.unwrap();
    assert_eq!(board.effects.len(), 1);
    assert_eq!((board.left_out, board.lines[0].interval), (0.0, None));
    let facts: Vec<usize> = refused.iter().map(|(fact, _)| *fact).collect();
    assert_eq!(facts, [1, 2, 3, 4]);
    for ((_, why), said) in refused.iter().zip([
        "the same for both assets",
        "known of both assets in 33 %",
        "a trait of the generators",
        "a trait of the generators",
    ]) {
        assert!(why.to_string().contains(said), "{why}");
    }
    // A few without a figure are left out of both boards, and counted.
    for meeting in &mut meetings[..24] {
        meeting.differences = vec![None; 5];
    }
    let found = controlled(&names(4), &meetings, &Model::default(), Anchor::Mean, 0, 0);
    let board = found.unwrap().0.unwrap();
    assert_eq!((board.games, board.left_out, board.num_prompts), (216.0, 24.0, 36));
    // Nothing is left.
    meetings.iter_mut().for_each(|m| m.differences = vec![None]);
    let found = controlled(&names(4), &meetings, &Model::default(), Anchor::Mean, 0, 0);
    assert!(found.unwrap().0.is_none());
}

/// Six equal methods and a judge who prefers the left, asked in one order: the first is always on
/// the left. A figure that is equal for all is held equal.
#[test]
fn the_side_of_answers_in_one_order_is_in_no_controlled_rating_and_in_no_category() {
    const LEFT: f64 = 0.67;
    let mut random = Random::new(3, 0);
    let (mut meetings, mut answers) = (Vec::new(), Vec::new());
    for prompt in 0..300 {
        for b in 1..6 {
            for a in 0..b {
                let left_first = a == 0 || random.unit() < 0.5;
                let left_wins = random.unit() < LEFT;
                let answer = Answer {
                    a,
                    b,
                    prompt,
                    key: 0,
                    side: if left_first { Side::ALeft } else { Side::BLeft },
                    winner: if left_first == left_wins { Winner::A } else { Winner::B },
                };
                answers.push(answer);
                meetings.extend(Meeting::of(&[answer], &[Some(random.unit() - 0.5)]));
            }
        }
    }
    let methods: Vec<String> = (0..6).map(|i| format!("m{i}")).collect();
    let model = Model::default();
    let (found, refused) = controlled(&methods, &meetings, &model, Anchor::Mean, 0, 0).unwrap();
    let found = found.unwrap();
    assert!(refused.is_empty() && found.effects.len() == 1);
    for line in &found.lines {
        assert!((line.rating - ELO_ORIGIN).abs() < 40.0, "{line:?}");
    }
    let games = games(&units(&answers));
    let half = |rest: usize| games.iter().filter(move |g| g.prompt % 2 == rest).copied().collect();
    let halves: [Vec<Game>; 2] = [half(0), half(1)];
    let first = |bias: Option<f64>| {
        let found = by_category(6, &halves, Draws::Half, None, bias, 0).unwrap();
        found.categories[0].iter().find(|line| line.method == 0).unwrap().rating
    };
    let bias = libm::log(LEFT / (1.0 - LEFT));
    assert!((first(Some(bias)) - ELO_ORIGIN).abs() < 40.0);
    assert!(first(None) > ELO_ORIGIN + 60.0);
    // With the first always on the left of one other, nothing separates the two.
    let sided: Vec<Meeting> = meetings.into_iter().filter(|m| m.a == 0 && m.b == 1).collect();
    let refused = controlled(&methods[..2], &sided, &model, Anchor::Mean, 0, 0);
    assert!(matches!(refused, Err(RateError::OneSided)), "{refused:?}");
}
