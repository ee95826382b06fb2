//! The tables of docs/runs/rating/2026-11-25-claims.md: how often what a board, a settled order or
//! an audit claims is false, in worlds that are hard on purpose:
//! `cargo run --release -p meshjudge-lab-rating --bin claims [settled|boards|anchored|shares]
//! [RUNS]`.

use meshjudge_rate::*;
use rayon::prelude::*;

/// Scores of 13 text-to-3D methods on text–asset alignment, from
/// tests/data/gpteval3d_leaderboard.json.
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
    /// Kinds of prompts with their weights: who beats whom, by pair (0, 1), (0, 2), (1, 2), (0, 3),
    /// …: score of the first, 0 to 1. A score strictly between is the chance of a win.
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
    let kinds: Vec<(f64, Vec<f64>)> =
        weights.iter().enumerate().map(|(kind, weight)| (*weight, pairs(kind))).collect();
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
        (0..n).map(|i| over * (1.0 - i as f64 / (n - 1) as f64)).collect::<Vec<f64>>()
    };
    let seven = [vec![600.0; 7], (0..6).map(|i| 500.0 - 100.0 * f64::from(i)).collect()].concat();
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
    for (name, n) in [("3 equal", 3), ("4 equal", 4), ("8 equal", 8), ("20 equal", 20)] {
        all.push(strengths(name, vec![0.0; n], 300));
    }
    for n in [3, 6, 20] {
        let noise = |name, elo: Vec<f64>, noise, biased, tied| World {
            kind: Kind::Strengths(elo.clone(), noise, vec![0.0; n]),
            biased,
            tied,
            ..strengths(name, elo, 300)
        };
        let (level, grouped) = (vec![0.0; n], (0..n).map(|i| if i < n / 2 { 150.0 } else { 0.0 }));
        all.push(noise("equal, heavy tails", level.clone(), Noise::Cauchy, BIASED, 0.0));
        all.push(noise("equal, 8 of 10 tied", level.clone(), Noise::Normal, BIASED, 0.8));
        all.push(noise("equal, 7 of 10 answers left", level, Noise::Normal, 0.7, 0.0));
        all.push(noise("two groups, heavy tails", grouped.collect(), Noise::Cauchy, 0.5, 0.2));
        // The first is a little better on two thirds of the prompts and fails on the rest.
        let skewed = |kind, i: usize| match (i, kind) {
            (0, 0) => 0.75,
            (0, _) => 0.0,
            _ => 0.5,
        };
        all.push(kinds("equal, skewed prompts", n, &[2.0, 1.0], |kind, i, _| skewed(kind, i)));
        let own = |kind, i, j| match (i == kind, j == kind) {
            (true, _) => 0.0,
            (_, true) => 1.0,
            _ => 0.5,
        };
        all.push(kinds("equal, each fails on its own prompts", n, &vec![1.0; n], own));
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
    // The first of two equals always beats one weak method and seldom the other: dropping settled
    // pairs shifts the rest.
    let uneven = [0.5, 1.0, 0.6, 0.3, 0.7, 0.5];
    all.push(kinds("2 equal by unlike opponents", 4, &[1.0], |_, i, j| uneven[at(i, j)]));
    // A circle of three above three weak ones.
    all.push(kinds("a circle above 3 weak", 6, &[1.0], |_, i, j| match (i, j) {
        (0, 1) | (1, 2) => 0.9,
        (0, 2) => 0.1,
        (_, 3..) if i < 3 => 0.95,
        _ => 0.5,
    }));
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
            ..kinds(name, 4, &[1.0, 1.0, 1.0, 1.0, 2.0], |kind, i, j| even(kind)[at(i, j)])
        });
    }
    let small = [1.0, 0.5, 0.5, 0.5, 0.0, 0.5];
    all.push(kinds("4, two equal by shares", 4, &[2.0, 1.0], |kind, i, j| {
        [small, fail][kind][at(i, j)]
    }));
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

/// Strengths with which every method's share of wins is a half although each fails on its share of
/// prompts.
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
    points.map(|z| weight(z) * expected(x_elo + z * 100.0 * std::f64::consts::SQRT_2)).sum::<f64>()
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
                        let own: Vec<f64> = elo
                            .iter()
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
            .map(|i| {
                if self.is_listed {
                    kind_at((i as f64 + 0.5) / prompts as f64)
                } else {
                    kind_at(random.unit())
                }
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
            if random.unit() < self.biased { left } else { opinion }
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

/// A run that is checked after every prompt and asks only open pairs: whether any claim is false,
/// the share of pairs that are settled, and the share that is asked.
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
        let shown = duels.into_iter().map(|duel| Shown { duel, score: said[at(duel.a, duel.b)] });
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

/// What a board claims in one run: intervals and how many hold the limit, whether any range of
/// ranks is wrong (each by itself, all at once), and of orders reported with 95 to 99 % and with
/// more: how many, the chance of being wrong that is reported, and how many are wrong, half of
/// those between equals.
fn boards(world: &World, prompts: usize, limit: &[f64], run: u64) -> [f64; 10] {
    let n = world.methods;
    let mut answers = Vec::new();
    for (prompt, said) in world.play(prompts, &mut Random::new(SEED, run)).iter().enumerate() {
        answers.extend(answers_of(n, prompt, said));
    }
    let names: Vec<String> = (0..n).map(|i| i.to_string()).collect();
    let settings = BoardSettings { replicates: 400, ..BoardSettings::default() };
    let board = board(&names, &answers, &settings).expect("all methods met");
    let mut out = [0.0; 10];
    for line in &board.lines {
        let i = line.method;
        if let Some(Interval { low, high }) = line.interval {
            out[0] += 1.0;
            out[1] += f64::from(low <= limit[i] && limit[i] <= high);
        }
        let above = (0..n).filter(|j| world.is_better(*j, i)).count();
        let below = (0..n).filter(|j| world.is_better(i, *j)).count();
        for (place, ranks) in [(2, line.ranks), (3, line.ranks_all)] {
            let (best, worst) = ranks.expect("enough prompts");
            // Any rank among equals is right.
            if best > n - below || worst < above + 1 {
                out[place] = 1.0;
            }
        }
    }
    let beats = board.beats.expect("enough prompts");
    for (i, j) in (0..n * n).map(|k| (k / n, k % n)).filter(|(i, j)| i != j) {
        let place = match beats[i][j] {
            chance if chance > 0.99 => 7,
            chance if chance >= 0.95 => 4,
            _ => continue,
        };
        out[place] += 1.0;
        out[place + 1] += 1.0 - beats[i][j];
        out[place + 2] += match (world.is_better(i, j), world.is_better(j, i)) {
            (true, _) => 0.0,
            (_, true) => 1.0,
            _ => 0.5,
        };
    }
    out
}

fn answers_of(n: usize, prompt: usize, said: &[f64]) -> impl Iterator<Item = Answer> {
    let pairs = (0..n).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs.map(move |(a, b)| Answer {
        a,
        b,
        prompt,
        key: 0,
        side: Side::Neither,
        winner: match said[at(a, b)] {
            1.0 => Winner::A,
            0.0 => Winner::B,
            _ => Winner::Tie,
        },
    })
}

/// Ratings after ever more prompts.
fn limit(world: &World) -> Vec<f64> {
    let said = world.play(4000, &mut Random::new(SEED + 1, 0));
    let answers: Vec<Answer> = said
        .iter()
        .enumerate()
        .flat_map(|(prompt, said)| answers_of(world.methods, prompt, said))
        .collect();
    let names: Vec<String> = (0..world.methods).map(|i| i.to_string()).collect();
    let settings = BoardSettings { replicates: 0, ..BoardSettings::default() };
    let board = board(&names, &answers, &settings).expect("all methods met");
    let mut ratings = vec![0.0; world.methods];
    board.lines.iter().for_each(|line| ratings[line.method] = line.rating);
    ratings
}

/// Of an anchored board of 300 votes on 60 prompts and a judge: intervals, and how many hold the
/// limit. The judge is one of the same world, or names the methods in their order without an
/// exception.
fn anchored_run(world: &World, is_clean: bool, limit: &[f64], run: u64) -> [f64; 2] {
    let n = world.methods;
    let random = &mut Random::new(SEED, run);
    let people = world.play(60, random);
    let votes: Vec<Vote> = (0..300)
        .map(|i| {
            let b = 1 + random.below(n - 1);
            let a = random.below(b);
            let prompt = i % 60;
            let winner = match people[prompt][at(a, b)] {
                1.0 => Winner::A,
                0.0 => Winner::B,
                _ => Winner::Tie,
            };
            Vote { prompt, a, b, source: i, winner }
        })
        .collect();
    let clean = vec![vec![1.0; n * (n - 1) / 2]; 60];
    let judged = if is_clean { clean } else { world.play(60, random) };
    let answers: Vec<Answer> =
        judged.iter().enumerate().flat_map(|(prompt, said)| answers_of(n, prompt, said)).collect();
    let judge = judge_board(n, &answers, Draws::Half, 200, 0).expect("all methods met");
    let board = anchored(n, &votes, &[judge], Draws::Half, 0).expect("all methods met");
    let held = board.lines.iter().filter_map(|line| {
        let Interval { low, high } = line.interval?;
        Some(f64::from(low <= limit[line.method] && limit[line.method] <= high))
    });
    held.fold([0.0, 0.0], |[all, held], one| [all + 1.0, held + one])
}

/// Whether the interval of an audit's share holds the share; answers on one object have the
/// correlation `rho`.
fn share_run(objects: usize, answers: usize, p: f64, rho: f64, run: u64) -> f64 {
    let mut random = Random::new(SEED, run);
    let each: Vec<(f64, f64)> = (0..objects)
        .map(|_| {
            let own = random.unit() < p;
            let answer = |random: &mut Random| {
                if random.unit() < rho.sqrt() { own } else { random.unit() < p }
            };
            let hits = (0..answers).filter(|_| answer(&mut random)).count();
            (hits as f64, answers as f64)
        })
        .collect();
    let Interval { low, high } = share(&each).expect("objects").interval.expect("objects");
    f64::from(low <= p && p <= high)
}

/// Sums over runs.
fn over<const N: usize>(runs: u64, one: impl Fn(u64) -> [f64; N] + Sync) -> [f64; N] {
    let all = (0..runs).into_par_iter().map(&one).collect::<Vec<_>>();
    std::array::from_fn(|k| all.iter().map(|found| found[k]).sum())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let what = args.next().unwrap_or_else(|| "settled".to_owned());
    let runs = args.next().map_or(Ok(400), |text| text.parse::<u64>())?;
    let percent = |part: f64, all: f64| 100.0 * part / all.max(1e-9);
    if what == "shares" {
        for (objects, rho) in [5, 8, 12, 30, 100].map(|n| [0.0, 0.3, 1.0].map(|r| (n, r))).concat()
        {
            let held = [0.5, 0.8, 0.95, 0.99].map(|p| {
                percent(over(runs, |run| [share_run(objects, 4, p, rho, run)])[0], runs as f64)
            });
            println!(
                "{objects:3} objects, correlation {rho}: share 0.5, 0.8, 0.95, 0.99 held {held:5.1?} %"
            );
        }
        return Ok(());
    }
    for world in worlds() {
        let name = format!("{:36} {:2} methods", world.name, world.methods);
        match what.as_str() {
            "settled" => {
                let [is_false, settled, asked] =
                    over(runs, |run| settled(&world, run)).map(|x| percent(x, runs as f64));
                println!(
                    "{name} {:3} prompts: false {is_false:4.1} %, settled {settled:5.1} %, asked {asked:5.1} %",
                    world.prompts
                );
            }
            "boards" => {
                let limit = limit(&world);
                for prompts in [10, 20, 60] {
                    let found = over(runs, |run| boards(&world, prompts, &limit, run));
                    let [all, held, each, at_once, n95, said95, wrong95, n99, said99, wrong99] =
                        found;
                    println!(
                        "{name} {prompts:3} prompts: intervals hold {:5.1} %, ranks wrong each {:5.1} % at once {:5.1} %; orders 95-99 %: {n95} said {:4.2} wrong {:5.2} %, above: {n99} said {:4.2} wrong {:5.2} %",
                        percent(held, all),
                        percent(each, runs as f64),
                        percent(at_once, runs as f64),
                        percent(said95, n95),
                        percent(wrong95, n95),
                        percent(said99, n99),
                        percent(wrong99, n99)
                    );
                }
            }
            _ => {
                let limit = limit(&world);
                let held = [false, true].map(|is_clean| {
                    let [all, held] = over(runs, |run| anchored_run(&world, is_clean, &limit, run));
                    percent(held, all)
                });
                println!(
                    "{name}: anchored intervals hold {:5.1} % with a judge of the same world, {:5.1} % with a clean order",
                    held[0], held[1]
                );
            }
        }
    }
    Ok(())
}
