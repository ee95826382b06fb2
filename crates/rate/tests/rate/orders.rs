//! Whether orders are right as often as their chances say, in worlds whose order is known.

use meshjudge_rate::*;

/// Games of all pairs of methods, or of a share of them, on a number of prompts.
struct World {
    name: &'static str,
    /// In Elo points, drawn anew for each run.
    strengths: fn(&mut Random) -> Vec<f64>,
    /// Standard deviation of one asset about its method, in Elo points.
    asset_elo: f64,
    asked: f64,
    ties: f64,
}

fn drawn(k: usize, sd: f64, random: &mut Random) -> Vec<f64> {
    (0..k).map(|_| sd * random.normal()).collect()
}

/// Those by which the rule was chosen.
fn chosen_on() -> Vec<World> {
    let world =
        |name, strengths| World { name, strengths, asset_elo: 100.0, asked: 1.0, ties: 0.1 };
    vec![
        world("6 methods, N(0, 100)", |r| drawn(6, 100.0, r)),
        world("6 methods, N(0, 40)", |r| drawn(6, 40.0, r)),
        world("10 methods, evenly over 480", |_| {
            (0..10).map(|i| 480.0 * f64::from(i) / 9.0).collect()
        }),
    ]
}

/// Others, looked at once the rule stood.
fn measured_on() -> Vec<World> {
    let world =
        |name, strengths, asset_elo, asked, ties| World { name, strengths, asset_elo, asked, ties };
    vec![
        world("2 methods, N(0, 100)", |r| drawn(2, 100.0, r), 100.0, 1.0, 0.0),
        world("3 methods, N(0, 150)", |r| drawn(3, 150.0, r), 150.0, 1.0, 0.2),
        world("6 methods, N(0, 100), other seeds", |r| drawn(6, 100.0, r), 100.0, 1.0, 0.0),
        world(
            "13 published",
            |_| {
                vec![
                    1207.6, 1126.7, 1126.6, 1041.4, 1028.9, 1022.7, 999.8, 992.4, 990.6, 980.3,
                    962.4, 872.8, 647.8,
                ]
            },
            100.0,
            1.0,
            0.2,
        ),
        world(
            "8 methods, heavy tails, half of the pairs",
            |r| (0..8).map(|_| 60.0 * r.normal() / (r.unit() + 0.05).sqrt()).collect(),
            150.0,
            0.5,
            0.0,
        ),
        world(
            "8 methods in two groups",
            |r| (0..8).map(|i| f64::from(i % 2) * 250.0 + 20.0 * r.normal()).collect(),
            60.0,
            1.0,
            0.1,
        ),
        world(
            "20 methods, N(0, 120), a fifth of the pairs",
            |r| drawn(20, 120.0, r),
            80.0,
            0.2,
            0.3,
        ),
    ]
}

const RANGES: [(f64, f64); 4] = [(0.5, 0.8), (0.8, 0.95), (0.95, 0.99), (0.99, 1.01)];

/// For each range of chances: pairs, the sum of their stated chances to be wrong, wrong pairs.
type Counts = [[f64; 3]; RANGES.len()];

fn one(world: &World, prompts: usize, (seed, stream): (u64, u64), counts: &mut Counts) {
    let mut random = Random::new(seed, stream);
    let strengths = (world.strengths)(&mut random);
    let k = strengths.len();
    let mut answers = Vec::new();
    for prompt in 0..prompts {
        let assets: Vec<f64> =
            strengths.iter().map(|s| s + world.asset_elo * random.normal()).collect();
        for b in 0..k {
            for a in 0..b {
                if random.unit() >= world.asked {
                    continue;
                }
                let share = 1.0 / (1.0 + libm::exp((assets[b] - assets[a]) / ELO_PER_NAT));
                let winner = match random.unit() < world.ties {
                    true => Winner::Tie,
                    false if random.unit() < share => Winner::A,
                    false => Winner::B,
                };
                answers.push(Answer { a, b, prompt, key: 0, side: Side::Neither, winner });
            }
        }
    }
    let names: Vec<String> = (0..k).map(|m| m.to_string()).collect();
    let settings = BoardSettings { seed, ..BoardSettings::default() };
    // With few prompts, some methods may never have met.
    let Ok(found) = board(&names, &answers, &settings) else {
        return;
    };
    let Some(beats) = found.beats else { return };
    for b in 0..k {
        for a in 0..b {
            let (chance, is_right) = if beats[a][b] >= 0.5 {
                (beats[a][b], strengths[a] > strengths[b])
            } else {
                (beats[b][a], strengths[b] > strengths[a])
            };
            let is_in = |(low, high): &(f64, f64)| (*low..*high).contains(&chance);
            let range = RANGES.iter().position(is_in).unwrap();
            let [count, told, wrong] = &mut counts[range];
            *count += 1.0;
            *told += 1.0 - chance;
            *wrong += f64::from(u8::from(!is_right));
        }
    }
}

fn counted(world: &World, prompts: usize, runs: u64, stream: u64) -> Counts {
    let mut counts = [[0.0; 3]; RANGES.len()];
    (0..runs).for_each(|seed| one(world, prompts, (seed, stream), &mut counts));
    counts
}

#[test]
fn orders_told_with_97_percent_are_wrong_about_so_often() {
    let worlds = measured_on();
    let world = worlds.iter().find(|world| world.name.starts_with("3 ")).unwrap();
    let [_, _, [count, told, wrong], [sure, _, wrong_sure]] = counted(world, 10, 150, 3);
    assert!(count + sure > 60.0, "{count} {sure}");
    // Shares of replicates were wrong twice as often as reported.
    let limit = told + 2.0 * told.sqrt();
    assert!(wrong <= limit && wrong_sure <= 2.0, "{wrong} {told} {wrong_sure}");
}

/// Ties pull ratings together, and with them what a gap is compared to.
#[test]
fn ties_do_not_hide_how_near_methods_are() {
    let strengths: fn(&mut Random) -> Vec<f64> = |r| drawn(3, 60.0, r);
    let world = World { name: "", strengths, asset_elo: 60.0, asked: 1.0, ties: 0.85 };
    let [count, told, wrong] = counted(&world, 60, 200, 21)
        .into_iter()
        .reduce(|x, y| std::array::from_fn(|k| x[k] + y[k]))
        .unwrap();
    assert!(wrong <= told + 2.0 * (count * 0.25_f64).sqrt(), "{count} {told} {wrong}");
}

#[test]
#[ignore = "minutes; its figures are quoted in docs/runs/rating/2026-11-24-orders.md"]
fn order_chances() {
    for (worlds, stream) in [(chosen_on(), 8), (measured_on(), 4711)] {
        for world in worlds {
            for prompts in [5, 10, 20, 60] {
                print!("| {} | {prompts} |", world.name);
                for [count, told, wrong] in counted(&world, prompts, 400, stream) {
                    let share = |x: f64| 100.0 * x / count.max(1.0);
                    print!(" {count:.0}: {:.2} / {:.2} |", share(told), share(wrong));
                }
                println!();
            }
        }
    }
}

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
        let board = voted(&winners);
        let beats = board.beats.unwrap()[0][1];
        assert!((0.5..=0.75).contains(&beats), "{num_prompts} prompts: {beats}");
        for line in board.lines {
            assert_eq!((line.ranks, line.ranks_all), (Some((1, 2)), Some((1, 2))));
        }
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
        firsts += u64::from(board.lines.iter().any(|line| line.ranks == Some((1, 1))));
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
        let beats = board.beats.unwrap()[0][1];
        claims += u64::from(!(0.05..=0.95).contains(&beats));
        for line in board.lines {
            let (own, all) = (line.ranks.unwrap(), line.ranks_all.unwrap());
            assert!(all.0 <= own.0 && own.1 <= all.1, "{own:?} is not within {all:?}");
        }
    }
    assert!(claims * 20 <= RUNS, "{claims} of {RUNS} order equal methods with 95 %");
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
    let [mut claims, mut firsts] = [0, 0];
    for run in 0..RUNS {
        let mut random = Random::new(23, run);
        let game = |_| match (random.below(3), random.unit() < 0.5) {
            (rival, true) => (rival, Winner::A),
            (rival, false) => (rival, Winner::B),
        };
        let games: Vec<_> = (0..4).map(game).collect();
        let board = with_newcomer(&games, &mut random);
        let beats = &board.beats.unwrap()[3];
        claims += (0..3).filter(|rival| !(0.25..=0.75).contains(&beats[*rival])).count();
        let line = board.lines.iter().find(|line| line.method == 3).unwrap();
        firsts += usize::from(line.ranks != Some((1, 4)) || line.ranks_all != Some((1, 4)));
        assert_eq!(line.interval, None);
    }
    let orders = 3 * RUNS as usize;
    assert!(claims * 15 <= orders, "{claims} of {orders} with 75 % from four games");
    assert_eq!(firsts, 0);
}

/// A single tie puts it next to its rival in every replicate that has the game, which is no spread.
#[test]
fn one_tie_gives_no_interval_and_no_order() {
    let board = with_newcomer(&[(0, Winner::Tie)], &mut Random::new(29, 0));
    let line = board.lines.iter().find(|line| line.method == 3).unwrap();
    assert_eq!((line.interval, line.ranks, line.ranks_all), (None, Some((1, 4)), Some((1, 4))));
    assert!(board.beats.unwrap()[3].iter().all(|chance| (0.25..=0.75).contains(chance)));
}

/// Both ranges of ranks know what clean games say, and neither does where luck could say it.
#[test]
fn clean_games_give_ranks_that_agree() {
    for (num_prompts, ranks) in [(5, (1, 2)), (10, (1, 1))] {
        let board = voted(&vec![Winner::A; num_prompts]);
        let line = &board.lines[0];
        assert_eq!((line.ranks, line.ranks_all), (Some(ranks), Some(ranks)), "{num_prompts}");
    }
}

/// Two that beat a third on every prompt, and never met: no replicate has a spread.
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
        assert_eq!((line.ranks, line.ranks_all), (ranks, ranks));
    }
}

#[test]
#[ignore = "its figures are quoted in docs/runs/rating/2026-11-28-newcomers.md"]
fn newcomer_orders() {
    let strengths = [0.0, 50.0, 100.0];
    for (games, truth, ties) in [
        (1, 200.0, 0.4),
        (3, 30.0, 0.0),
        (4, 30.0, 0.0),
        (5, 75.0, 0.0),
        (4, 150.0, 0.1),
        (8, 0.0, 0.1),
    ] {
        let mut counts = [[0.0; 3]; 3];
        for run in 0..400 {
            let mut random = Random::new(31, run);
            let game = |_| {
                let rival = random.below(3);
                let share = 1.0 / (1.0 + libm::exp((strengths[rival] - truth) / ELO_PER_NAT));
                let winner = match random.unit() < ties {
                    true => Winner::Tie,
                    false if random.unit() < share => Winner::A,
                    false => Winner::B,
                };
                (rival, winner)
            };
            let met: Vec<_> = (0..games).map(game).collect();
            let beats = with_newcomer(&met, &mut random).beats.unwrap();
            for (rival, strength) in strengths.iter().enumerate() {
                let chance = beats[3][rival].max(beats[rival][3]);
                let is_right = (beats[3][rival] > 0.5) == (truth > *strength);
                let range = [0.95, 0.9, 0.75].iter().position(|least| chance >= *least);
                if let Some(range) = range {
                    counts[range][0] += 1.0;
                    counts[range][1] += 1.0 - chance;
                    counts[range][2] += f64::from(u8::from(!is_right));
                }
            }
        }
        println!("{games} games, true {truth}, {ties} ties: {counts:.1?}");
    }
}
