//! The tables of docs/runs/rating/2026-11-23-settled.md: how often a claim of a settled order is false at any look, how many duels are
//! asked, and how often rank ranges are right: `cargo run --release --example settled_tables 400`.

use meshjudge::Winner;
use meshjudge::rate::*;
use rayon::prelude::*;

/// Scores of 13 text-to-3D methods on text–asset alignment, from tests/data/gpteval3d_leaderboard.json.
const PUBLISHED: [f64; 13] = [
    1270.5, 1261.8, 1222.3, 1199.6, 1152.3, 1130.2, 1100.6, 1067.9, 1041.2, 1000.0, 985.9, 842.8,
    725.2,
];
/// Standard deviation of one asset about its method, in Elo points.
const ASSET_SD_ELO: f64 = 100.0;
/// Share of answers that are "left", whatever is shown.
const BIASED: f64 = 0.2;

struct World {
    name: &'static str,
    elo: Vec<f64>,
    prompts: usize,
    /// Share of prompts on which each method fails outright.
    fails: Vec<f64>,
}

fn worlds() -> Vec<World> {
    let world = |name, elo: Vec<f64>, prompts| World {
        name,
        fails: vec![0.0; elo.len()],
        elo,
        prompts,
    };
    let spread = |n: usize, over: f64| {
        (0..n)
            .map(|i| over * (1.0 - i as f64 / (n - 1) as f64))
            .collect::<Vec<f64>>()
    };
    let seven = [
        vec![600.0; 7],
        (0..6).map(|i| 500.0 - 100.0 * f64::from(i)).collect(),
    ]
    .concat();
    let mut worlds = vec![
        world("2 equal", vec![0.0; 2], 128),
        world("6 equal", vec![0.0; 6], 128),
        world("13 equal", vec![0.0; 13], 128),
        world("7 equal on top of 6", seven, 128),
        world("13 published", PUBLISHED.to_vec(), 60),
        world("13 published", PUBLISHED.to_vec(), 128),
        world("13 over 1,200 points", spread(13, 1200.0), 128),
        world("13 within 60 points", spread(13, 60.0), 60),
        world("13 published, few prompts", PUBLISHED.to_vec(), 20),
        world("2, 100 points apart", vec![100.0, 0.0], 128),
        world("2, 200 points apart", vec![200.0, 0.0], 128),
    ];
    // Those that fail win more elsewhere, so that all win half of their games.
    let fails: Vec<f64> = (0..6).map(|i| 0.04 * i as f64).collect();
    let strength = balanced(&fails);
    worlds.push(World {
        name: "6, some fail, equal on average",
        elo: strength,
        prompts: 128,
        fails,
    });
    worlds
}

fn expected(x_elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x_elo / ELO_PER_NAT))
}

/// Strengths with which every method's share of wins is a half although each fails on its share of prompts.
fn balanced(fails: &[f64]) -> Vec<f64> {
    let n = fails.len();
    let mut elo = vec![0.0; n];
    for _ in 0..300 {
        let mut moved = elo.clone();
        for i in 0..n {
            let share: f64 = (0..n)
                .filter(|j| *j != i)
                .map(|j| {
                    let (f, g) = (fails[i], fails[j]);
                    (1.0 - f) * (1.0 - g) * mean_share(elo[i] - elo[j])
                        + (1.0 - f) * g
                        + 0.5 * f * g
                })
                .sum::<f64>()
                / (n - 1) as f64;
            moved[i] += 200.0 * (0.5 - share);
        }
        elo = moved;
    }
    elo
}

/// Mean share of wins over assets, by a rule of 21 points of the normal distribution.
fn mean_share(x_elo: f64) -> f64 {
    let points = (-10..=10).map(|i| f64::from(i) * 0.4);
    let weight = |z: f64| libm::exp(-0.5 * z * z);
    let sum: f64 = points.clone().map(weight).sum();
    points
        .map(|z| weight(z) * expected(x_elo + z * ASSET_SD_ELO * std::f64::consts::SQRT_2))
        .sum::<f64>()
        / sum
}

/// What a judge says of every pair on every prompt: 1, ½ or 0 for the first, after both orders.
fn matches(world: &World, random: &mut Random) -> Vec<Vec<Shown>> {
    let n = world.elo.len();
    (0..world.prompts)
        .map(|_| {
            let fails: Vec<bool> = world.fails.iter().map(|f| random.unit() < *f).collect();
            let own: Vec<f64> = world
                .elo
                .iter()
                .map(|elo| elo + ASSET_SD_ELO * random.normal())
                .collect();
            let mut shown = Vec::new();
            for b in 0..n {
                for a in 0..b {
                    let score = match (fails[a], fails[b]) {
                        (true, true) => 0.5,
                        (true, false) => 0.0,
                        (false, true) => 1.0,
                        (false, false) => {
                            let opinion = random.unit() < expected(own[a] - own[b]);
                            let mut order = |left| {
                                if random.unit() < BIASED {
                                    left
                                } else {
                                    opinion
                                }
                            };
                            match (order(true), order(false)) {
                                (true, true) => 1.0,
                                (false, false) => 0.0,
                                _ => 0.5,
                            }
                        }
                    };
                    shown.push(Shown {
                        duel: Duel { a, b },
                        score,
                    });
                }
            }
            shown
        })
        .collect()
}

/// What one run comes to.
#[derive(Default, Clone, Copy)]
struct Outcome {
    is_false: bool,
    settled: f64,
    asked: f64,
    ranks_wrong: [bool; 2],
}

fn one(world: &World, has_board: bool, run: u64) -> Outcome {
    let mut random = Random::new(31, run);
    let n = world.elo.len();
    let pairs = n * (n - 1) / 2;
    let all = matches(world, &mut random);
    let is_equal_on_average = world.fails.iter().any(|f| *f > 0.0);
    // Strictly better; equals may not be told apart.
    let is_better = |i: usize, j: usize| !is_equal_on_average && world.elo[i] > world.elo[j];
    let mut settled = Settled::new(n);
    let mut asked = 0;
    for prompt in &all {
        let open: Vec<Duel> = settled.open().iter().map(|open| open.duel).collect();
        if open.is_empty() {
            break;
        }
        let shown: Vec<Shown> = prompt
            .iter()
            .filter(|shown| open.contains(&shown.duel))
            .copied()
            .collect();
        asked += shown.len();
        settled.observe(&shown);
    }
    let claims = (0..n * n)
        .map(|at| (at / n, at % n))
        .filter(|(i, j)| settled.is_above(*i, *j));
    let mut out = Outcome {
        is_false: claims.clone().any(|(i, j)| !is_better(i, j)),
        settled: claims.count() as f64 / pairs as f64,
        asked: asked as f64 / (pairs * world.prompts) as f64,
        ranks_wrong: [false; 2],
    };
    if has_board {
        out.ranks_wrong = ranks_wrong(n, &all, is_better);
    }
    out
}

/// Whether any rank range of the full board is wrong: each by itself, all at once.
fn ranks_wrong(
    n: usize,
    all: &[Vec<Shown>],
    is_better: impl Fn(usize, usize) -> bool,
) -> [bool; 2] {
    let mut answers = Vec::new();
    for (prompt, shown) in all.iter().enumerate() {
        for Shown {
            duel: Duel { a, b },
            score,
        } in shown
        {
            let winner = match *score {
                1.0 => Winner::A,
                0.0 => Winner::B,
                _ => Winner::Tie,
            };
            answers.push(Answer {
                a: *a,
                b: *b,
                prompt,
                key: 0,
                side: Side::Neither,
                winner,
            });
        }
    }
    let names: Vec<String> = (0..n).map(|i| i.to_string()).collect();
    let board = board(&names, &answers, &BoardSettings::default()).expect("linked");
    [0, 1].map(|which| {
        board.lines.iter().any(|line| {
            let (best, worst) = [line.ranks, line.ranks_all][which].expect("enough prompts");
            let i = line.method;
            let above = (0..n).filter(|j| is_better(*j, i)).count();
            let below = (0..n).filter(|j| is_better(i, *j)).count();
            // Any rank among equals is right.
            best > n - below || worst < above + 1
        })
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs = std::env::args()
        .nth(1)
        .map_or(Ok(100), |text| text.parse::<u64>())?;
    let with_boards = std::env::args().nth(2).is_some_and(|word| word == "ranks");
    for world in worlds() {
        let has_board = with_boards && world.elo.len() > 2;
        let found: Vec<Outcome> = (0..runs)
            .into_par_iter()
            .map(|run| one(&world, has_board, run))
            .collect();
        let share = |of: &dyn Fn(&Outcome) -> f64| {
            100.0 * found.iter().map(of).sum::<f64>() / found.len() as f64
        };
        println!(
            "{:32} {:4} prompts: false {:4.1} %, settled {:5.1} %, asked {:5.1} %, ranks right each by itself {:5.1} %, all at once {:5.1} %",
            world.name,
            world.prompts,
            share(&|o| f64::from(o.is_false)),
            share(&|o| o.settled),
            share(&|o| o.asked),
            share(&|o| f64::from(!o.ranks_wrong[0])),
            share(&|o| f64::from(!o.ranks_wrong[1])),
        );
    }
    Ok(())
}
