//! Whether orders that are established are true, where luck could say them.

use meshjudge_rate::*;

/// Two methods, a vote on each prompt.
fn voted(winners: &[Winner]) -> Board {
    let votes: Vec<(usize, Winner)> = winners.iter().copied().enumerate().collect();
    voted_on(&votes)
}

/// Votes on prompts.
fn voted_on(votes: &[(usize, Winner)]) -> Board {
    let vote = |(key, (prompt, winner)): (usize, &(usize, Winner))| Answer {
        prompt: *prompt,
        a: 0,
        b: 1,
        side: Side::Neither,
        winner: *winner,
        key: key as u64,
    };
    let answers: Vec<Answer> = votes.iter().enumerate().map(vote).collect();
    let settings = BoardSettings { replicates: 300, ..BoardSettings::default() };
    board(&["a".to_owned(), "b".to_owned()], &answers, &settings).unwrap()
}

/// One decided game is one toss of a coin, however many ties come with it.
#[test]
fn ties_make_no_order_surer() {
    for num_prompts in [5, 10, 100] {
        let mut winners = vec![Winner::Tie; num_prompts];
        winners[0] = Winner::A;
        assert_eq!(voted(&winners).orders, Some(Vec::new()), "{num_prompts} prompts");
    }
}

/// Prompts on which all raters see it one way say little, however many raters there are.
#[test]
fn few_prompts_seldom_make_one_of_two_equal_methods_first() {
    const RUNS: u64 = 200;
    let mut firsts = 0;
    for run in 0..RUNS {
        let mut random = Random::new(11, run);
        let mut votes = Vec::new();
        for prompt in 0..5 {
            let share = if random.unit() < 0.5 { 0.85 } else { 0.15 };
            for _ in 0..3 {
                let winner = if random.unit() < share { Winner::A } else { Winner::B };
                votes.push((prompt, winner));
            }
        }
        let board = voted_on(&votes);
        firsts += u64::from(board.lines.iter().any(|line| line.ranks_all == Some((1, 1))));
    }
    assert!(firsts * 20 <= RUNS, "{firsts} of {RUNS} have a sole first");
}

#[test]
fn equal_methods_that_mostly_tie_are_seldom_ordered() {
    const RUNS: u64 = 200;
    let mut claims = 0;
    for run in 0..RUNS {
        let mut random = Random::new(7, run);
        let winner = |_| match random.unit() {
            u if u < 0.025 => Winner::A,
            u if u < 0.05 => Winner::B,
            _ => Winner::Tie,
        };
        let board = voted(&(0..30).map(winner).collect::<Vec<_>>());
        claims += u64::from(!board.orders.unwrap().is_empty());
    }
    assert!(claims * 20 <= RUNS, "{claims} of {RUNS} order equal methods");
}

/// Three methods that met on every prompt, and a newcomer with a few games.
fn with_newcomer(newcomer: &[(usize, Winner)], random: &mut Random) -> Board {
    let strengths = [0.0, 50.0, 100.0];
    let mut answers = Vec::new();
    let mut add = |a: usize, b: usize, prompt: usize, winner: Winner| {
        answers.push(Answer { a, b, prompt, key: 0, side: Side::Neither, winner });
    };
    for prompt in 0..20 {
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let share = 1.0 / (1.0 + libm::exp((strengths[b] - strengths[a]) / ELO_PER_NAT));
            add(a, b, prompt, if random.unit() < share { Winner::A } else { Winner::B });
        }
    }
    for (prompt, (rival, winner)) in newcomer.iter().enumerate() {
        add(3, *rival, prompt, *winner);
    }
    let names: Vec<String> = (0..4).map(|m| m.to_string()).collect();
    board(&names, &answers, &BoardSettings { replicates: 300, ..BoardSettings::default() }).unwrap()
}

/// Games of the others say nothing of a newcomer, who is as good as they are here.
#[test]
fn a_handful_of_games_gives_no_certain_order() {
    const RUNS: u64 = 100;
    let mut claims = 0;
    for run in 0..RUNS {
        let mut random = Random::new(23, run);
        let game = |_| match (random.below(3), random.unit() < 0.5) {
            (rival, true) => (rival, Winner::A),
            (rival, false) => (rival, Winner::B),
        };
        let games: Vec<_> = (0..4).map(game).collect();
        let board = with_newcomer(&games, &mut random);
        let line = board.lines.iter().find(|line| line.method == 3).unwrap();
        claims += usize::from(line.ranks_all != Some((1, 4)));
        assert_eq!(line.interval, None);
    }
    assert_eq!(claims, 0);
}

/// A single tie puts it next to its rival, and nothing says how near.
#[test]
fn one_tie_gives_no_interval_and_no_order() {
    let board = with_newcomer(&[(0, Winner::Tie)], &mut Random::new(29, 0));
    let line = board.lines.iter().find(|line| line.method == 3).unwrap();
    assert_eq!((line.interval, line.ranks_all), (None, Some((1, 4))));
}

/// Ranks know what clean games say, and not where luck could say it.
#[test]
fn clean_games_give_ranks_from_enough_prompts() {
    for (num_prompts, ranks) in [(5, (1, 2)), (10, (1, 1))] {
        let board = voted(&vec![Winner::A; num_prompts]);
        let line = &board.lines[0];
        assert_eq!(line.ranks_all, Some(ranks), "{num_prompts}");
    }
}

/// Two that beat a third on every prompt, and never met: nothing has a spread.
#[test]
fn equals_without_a_spread_have_no_order() {
    let mut answers = Vec::new();
    for prompt in 0..20 {
        for a in [0, 1] {
            let (side, winner) = (Side::Neither, Winner::A);
            answers.push(Answer { a, b: 2, prompt, key: 0, side, winner });
        }
    }
    let names = ["a", "b", "c"].map(str::to_owned);
    let board = board(&names, &answers, &BoardSettings::default()).unwrap();
    for line in &board.lines {
        let ranks = Some(if line.method == 2 { (3, 3) } else { (1, 2) });
        assert_eq!(line.ranks_all, ranks);
    }
}

/// Raters of different taste: three say nothing of others, twenty who agree do.
#[test]
fn orders_of_people_hold_for_other_raters() {
    let claims = |raters: usize, taste: f64, lead: f64| {
        let one = |run: u64| {
            let mut random = Random::new(41, run);
            let tastes: Vec<f64> = (0..raters).map(|_| lead + taste * random.normal()).collect();
            let (mut answers, mut voters) = (Vec::new(), Vec::new());
            for prompt in 0..60 {
                let rater = prompt % raters;
                let share = 1.0 / (1.0 + libm::exp(-tastes[rater] / ELO_PER_NAT));
                let winner = if random.unit() < share { Winner::A } else { Winner::B };
                let side = Side::Neither;
                answers.push(Answer { a: 0, b: 1, prompt, key: 0, side, winner });
                voters.push(rater);
            }
            let names = ["a", "b"].map(str::to_owned);
            let settings = BoardSettings { replicates: 300, ..BoardSettings::default() };
            let of = |voters: &[usize]| people_board(&names, &answers, voters, &settings).unwrap();
            [&voters[..], &[]].map(|it| usize::from(!of(it).orders.unwrap().is_empty()))
        };
        (0..100).map(one).fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]])
    };
    let [with_raters, prompts_only] = claims(3, 300.0, 0.0);
    assert!(with_raters <= 8 && prompts_only > 30, "{with_raters} {prompts_only}");
    assert!(claims(20, 20.0, 200.0)[0] > 90);
}
