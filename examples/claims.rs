//! The tables of docs/runs/rating/2026-11-25-claims.md: how often what a board, a settled order or an audit claims is false, in worlds that
//! are hard on purpose: `cargo run --release --example claims [settled|boards|anchored|shares] [RUNS]`.

use meshjudge::rate::*;
use rayon::prelude::*;

/// Scores of 13 text-to-3D methods on text–asset alignment, from tests/data/gpteval3d_leaderboard.json.
const PUBLISHED: [f64; 13] = [
    1270.5, 1261.8, 1222.3, 1199.6, 1152.3, 1130.2, 1100.6, 1067.9, 1041.2, 1000.0, 985.9, 842.8,
    725.2,
];
const SEED: u64 = 31;
/// Share of answers that are "left", whatever is shown.
const BIASED: f64 = 0.2;

/// How one asset differs from its method.
#[derive(Clone, Copy)]
enum Noise {
    /// N(0, 100²) Elo points.
    Normal,
    /// 50 Elo points times Cauchy.
    Cauchy,
}

/// What decides a pair on a prompt.
enum Kind {
    /// Strengths in Elo points; a share of prompts on which each fails outright.
    Strengths(Vec<f64>, Noise, Vec<f64>),
    /// Kinds of prompts with their weights: who beats whom, by pair (0, 1), (0, 2), (1, 2), (0, 3), …: score of the first, 0 to 1. A score
    /// strictly between is the chance of a win.
    Prompts(Vec<(f64, Vec<f64>)>),
}

struct World {
    name: &'static str,
    methods: usize,
    prompts: usize,
    kind: Kind,
    /// Share of answers that are "left".
    biased: f64,
    /// Share of pairs that end in a tie, whatever is shown.
    tied: f64,
    /// Whether the kinds of prompts are a list in random order with exact shares, instead of drawn.
    is_listed: bool,
    /// Share of wins of each method, in any unit; equals have equal numbers.
    truth: Vec<f64>,
}

/// Index of a pair, `i` < `j`.
fn at(i: usize, j: usize) -> usize {
    j * (j - 1) / 2 + i
}

fn strengths(name: &'static str, elo: Vec<f64>, prompts: usize) -> World {
    World {
        name,
        methods: elo.len(),
        prompts,
        truth: elo.clone(),
        kind: Kind::Strengths(elo.clone(), Noise::Normal, vec![0.0; elo.len()]),
        biased: BIASED,
        tied: 0.0,
        is_listed: false,
    }
}

/// Kinds of prompts in which the score of i against j is `score(kind, i, j)`.
fn kinds(
    name: &'static str,
    methods: usize,
    weights: &[f64],
    score: impl Fn(usize, usize, usize) -> f64,
) -> World {
    let pairs = |kind: usize| -> Vec<f64> {
        (0..methods)
            .flat_map(|j| (0..j).map(move |i| (i, j)))
            .map(|(i, j)| score(kind, i, j))
            .collect()
    };
    let kinds: Vec<(f64, Vec<f64>)> = (weights.iter().enumerate())
        .map(|(kind, weight)| (*weight, pairs(kind)))
        .collect();
    let mut truth = vec![0.0; methods];
    for (weight, pairs) in &kinds {
        for j in 0..methods {
            for i in 0..j {
                truth[i] += weight * pairs[at(i, j)];
                truth[j] += weight * (1.0 - pairs[at(i, j)]);
            }
        }
    }
    // So that equals are equal to the last bit.
    truth.iter_mut().for_each(|t| *t = (*t * 1e9).round());
    World {
        name,
        methods,
        prompts: 300,
        kind: Kind::Prompts(kinds),
        biased: 0.0,
        tied: 0.0,
        is_listed: false,
        truth,
    }
}

fn worlds() -> Vec<World> {
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
    let mut all = vec![
        strengths("2 equal", vec![0.0; 2], 128),
        strengths("6 equal", vec![0.0; 6], 128),
        strengths("13 equal", vec![0.0; 13], 128),
        strengths("7 equal on top of 6", seven.clone(), 128),
        strengths("13 published", PUBLISHED.to_vec(), 60),
        strengths("13 published", PUBLISHED.to_vec(), 128),
        strengths("13 over 1,200 points", spread(13, 1200.0), 128),
        strengths("13 within 60 points", spread(13, 60.0), 60),
        strengths("13 published, few prompts", PUBLISHED.to_vec(), 20),
        strengths("2, 100 points apart", vec![100.0, 0.0], 128),
        strengths("2, 200 points apart", vec![200.0, 0.0], 128),
    ];
    for (name, n) in [
        ("3 equal", 3),
        ("4 equal", 4),
        ("8 equal", 8),
        ("20 equal", 20),
    ] {
        all.push(strengths(name, vec![0.0; n], 300));
    }
    for n in [3, 6, 20] {
        let noise = |name, elo: Vec<f64>, noise, biased, tied| World {
            kind: Kind::Strengths(elo.clone(), noise, vec![0.0; n]),
            biased,
            tied,
            ..strengths(name, elo, 300)
        };
        let (level, grouped) = (
            vec![0.0; n],
            (0..n).map(|i| if i < n / 2 { 150.0 } else { 0.0 }),
        );
        all.push(noise(
            "equal, heavy tails",
            level.clone(),
            Noise::Cauchy,
            BIASED,
            0.0,
        ));
        all.push(noise(
            "equal, 8 of 10 tied",
            level.clone(),
            Noise::Normal,
            BIASED,
            0.8,
        ));
        all.push(noise(
            "equal, 7 of 10 answers left",
            level,
            Noise::Normal,
            0.7,
            0.0,
        ));
        all.push(noise(
            "two groups, heavy tails",
            grouped.collect(),
            Noise::Cauchy,
            0.5,
            0.2,
        ));
        // The first is a little better on two thirds of the prompts and fails on the rest.
        let skewed = |kind, i: usize| match (i, kind) {
            (0, 0) => 0.75,
            (0, _) => 0.0,
            _ => 0.5,
        };
        all.push(kinds(
            "equal, skewed prompts",
            n,
            &[2.0, 1.0],
            |kind, i, _| skewed(kind, i),
        ));
        let own = |kind, i, j| match (i == kind, j == kind) {
            (true, _) => 0.0,
            (_, true) => 1.0,
            _ => 0.5,
        };
        all.push(kinds(
            "equal, each fails on its own prompts",
            n,
            &vec![1.0; n],
            own,
        ));
        // i beats the next one in the circle, and so on: all have equal shares of wins.
        let circle = |n: usize| {
            move |_: usize, i: usize, j: usize| match (j - i) % n {
                _ if (j - i) * 2 == n => 0.5,
                d if 2 * d < n => 0.85,
                _ => 0.15,
            }
        };
        all.push(kinds("a circle of winners", n, &[1.0], circle(n)));
    }
    // Of two equals the first beats one weak method always and the other seldom: what is dropped once it is settled shifts the rest.
    let uneven = [0.5, 1.0, 0.6, 0.3, 0.7, 0.5];
    all.push(kinds(
        "2 equal by unlike opponents",
        4,
        &[1.0],
        |_, i, j| uneven[at(i, j)],
    ));
    // A circle of three above three weak ones.
    all.push(kinds(
        "a circle above 3 weak",
        6,
        &[1.0],
        |_, i, j| match (i, j) {
            (0, 1) | (1, 2) => 0.9,
            (0, 2) => 0.1,
            (_, 3..) if i < 3 => 0.95,
            _ => 0.5,
        },
    ));
    // Kinds of prompts that are skewed, each pair even: drawn, and as a list in random order.
    let lead = [
        [1.0, 1.0, 0.5, 0.5, 0.5, 0.5],
        [1.0, 0.5, 0.5, 1.0, 0.5, 0.5],
        [0.5, 1.0, 0.0, 0.5, 0.0, 0.5],
        [0.5, 0.5, 0.0, 1.0, 0.0, 0.5],
    ];
    let fail = [0.0, 0.0, 1.0, 0.0, 1.0, 0.5];
    let even = |kind: usize| lead.get(kind).unwrap_or(&fail);
    for (name, is_listed, prompts) in [
        ("4 equal, kinds drawn", false, 300),
        ("4 equal, kinds listed", true, 150),
        ("4 equal, kinds listed", true, 300),
    ] {
        all.push(World {
            prompts,
            is_listed,
            ..kinds(name, 4, &[1.0, 1.0, 1.0, 1.0, 2.0], |kind, i, j| {
                even(kind)[at(i, j)]
            })
        });
    }
    let small = [1.0, 0.5, 0.5, 0.5, 0.0, 0.5];
    all.push(kinds(
        "4, two equal by shares",
        4,
        &[2.0, 1.0],
        |kind, i, j| [small, fail][kind][at(i, j)],
    ));
    // Those that fail win more elsewhere, so that all win half of their games.
    let fails: Vec<f64> = (0..6).map(|i| 0.04 * f64::from(i)).collect();
    let elo = balanced(&fails);
    all.push(World {
        kind: Kind::Strengths(elo, Noise::Normal, fails),
        ..strengths("6, some fail, equal on average", vec![0.0; 6], 128)
    });
    all
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
        .map(|z| weight(z) * expected(x_elo + z * 100.0 * std::f64::consts::SQRT_2))
        .sum::<f64>()
        / sum
}

impl World {
    /// What a judge says of every pair on each prompt: 1, ½ or 0 for the first, after both orders.
    fn play(&self, prompts: usize, random: &mut Random) -> Vec<Vec<f64>> {
        let n = self.methods;
        let mut list: Vec<usize> = Vec::new();
        (0..prompts)
            .map(|_| {
                let shares: Box<dyn Fn(usize, usize) -> f64> = match &self.kind {
                    Kind::Strengths(elo, noise, fails) => {
                        let fails: Vec<bool> = fails.iter().map(|f| random.unit() < *f).collect();
                        let own: Vec<f64> = (elo.iter())
                            .map(|elo| match noise {
                                Noise::Normal => elo + 100.0 * random.normal(),
                                Noise::Cauchy => elo + 50.0 * random.normal() / random.normal(),
                            })
                            .collect();
                        Box::new(move |i, j| match (fails[i], fails[j]) {
                            (true, true) => 0.5,
                            (true, false) => 0.0,
                            (false, true) => 1.0,
                            (false, false) => expected(own[i] - own[j]),
                        })
                    }
                    Kind::Prompts(kinds) => {
                        if list.is_empty() {
                            list = self.kinds_of(kinds, prompts, random);
                        }
                        let pairs = &kinds[list.pop().expect("one for each prompt")].1;
                        Box::new(|i, j| pairs[at(i, j)])
                    }
                };
                let mut said = Vec::with_capacity(n * n / 2);
                for j in 0..n {
                    for i in 0..j {
                        said.push(self.both_orders(shares(i, j), random));
                    }
                }
                said
            })
            .collect()
    }

    fn kinds_of(
        &self,
        kinds: &[(f64, Vec<f64>)],
        prompts: usize,
        random: &mut Random,
    ) -> Vec<usize> {
        let all: f64 = kinds.iter().map(|(weight, _)| weight).sum();
        let kind_at = |share: f64| {
            let mut below = 0.0;
            let reaches = |(weight, _): &(f64, Vec<f64>)| {
                below += weight / all;
                below > share
            };
            kinds.iter().position(reaches).unwrap_or(kinds.len() - 1)
        };
        let mut list: Vec<usize> = (0..prompts)
            .map(|i| match self.is_listed {
                true => kind_at((i as f64 + 0.5) / prompts as f64),
                false => kind_at(random.unit()),
            })
            .collect();
        random.shuffle(&mut list);
        list
    }

    fn both_orders(&self, share: f64, random: &mut Random) -> f64 {
        if random.unit() < self.tied || share == 0.5 && self.biased == 0.0 {
            return 0.5;
        }
        let opinion = random.unit() < share;
        let mut order = |left| {
            if random.unit() < self.biased {
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

    fn is_better(&self, i: usize, j: usize) -> bool {
        self.truth[i] > self.truth[j]
    }
}

/// A run that is looked at after every prompt and asks only what is open: whether any claim is false, the share of pairs that are settled,
/// and the share that is asked.
fn settled(world: &World, run: u64) -> [f64; 3] {
    let n = world.methods;
    let mut settled = Settled::new(n, Goal::Order);
    let mut asked = 0;
    let mut random = Random::new(SEED, 1 << 40 | run);
    for said in world.play(world.prompts, &mut Random::new(SEED, run)) {
        let mut draw: Vec<usize> = (0..n).collect();
        random.shuffle(&mut draw);
        let duels = settled.duels(&draw);
        if duels.is_empty() {
            break;
        }
        asked += duels.len();
        let shown = duels.into_iter().map(|duel| Shown {
            duel,
            score: said[at(duel.a, duel.b)],
        });
        settled.observe(&shown.collect::<Vec<_>>(), &draw);
    }
    let claims = (0..n * n).map(|k| (k / n, k % n));
    let is_false = |(i, j)| settled.is_above(i, j) && !world.is_better(i, j);
    let pairs = n * (n - 1) / 2;
    [
        f64::from(claims.into_iter().any(is_false)),
        settled.num_settled() as f64 / pairs as f64,
        asked as f64 / (pairs * world.prompts) as f64,
    ]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let what = args.next().unwrap_or_else(|| "settled".to_owned());
    let runs = args.next().map_or(Ok(400), |text| text.parse::<u64>())?;
    for world in worlds() {
        let found: Vec<[f64; 3]> = (0..runs)
            .into_par_iter()
            .map(|run| settled(&world, run))
            .collect();
        let share = |k: usize| 100.0 * found.iter().map(|f| f[k]).sum::<f64>() / found.len() as f64;
        println!(
            "{:36} {:2} methods {:3} prompts: false {:4.1} %, settled {:5.1} %, asked {:5.1} %",
            world.name,
            world.methods,
            world.prompts,
            share(0),
            share(1),
            share(2)
        );
    }
    let _ = what;
    Ok(())
}
