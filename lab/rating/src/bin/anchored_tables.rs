//! The tables of docs/runs/rating/2026-11-23-anchored.md: how near anchored ratings come to the
//! board of all votes, how often their intervals cover it, and what bad judges cost:
//! `zcat tests/data/arena_pairs.csv.gz | cargo run --release -p meshjudge-lab-rating --bin
//! anchored_tables arena 500`, and parts `product`, `prompts` (with tests/data/stanfordt23d.json),
//! `worlds`, `worth` and `speed`.
//!
//! Truth is the board of all human votes; votes are drawn from them with replacement.

use meshjudge_rate::*;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io::Read;

type Judge = (String, Vec<JudgeBoard>);

/// One line of the file: prompt, methods, and what people and three judges say.
#[derive(Clone, Copy)]
struct Row {
    prompt: usize,
    a: usize,
    b: usize,
    said: [Winner; 4],
}

const JUDGES: [&str; 3] = ["GPT-4", "Claude 3", "GPT-3.5"];
const SIZES: [usize; 5] = [30, 100, 300, 1000, 3000];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let part = words.next().unwrap_or_default();
    let draws = words.next().map_or(Ok(100), |text| text.parse::<usize>())?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    match part.as_str() {
        "arena" => arena(&text, draws),
        "product" => product(draws),
        "prompts" => prompts(&text, draws),
        "worlds" => worlds(draws, words.next().map_or(Ok(0), |text| text.parse())?),
        "worth" => worth(draws, words.next().map_or(Ok(312), |text| text.parse())?),
        "speed" => speed(),
        _ => Err(
            "name a part: arena, product, prompts, worlds, worth or speed; then the number of draws"
                .into(),
        ),
    }
}

/// Boards of people and three judges on the same pairs, then bad judges.
fn arena(text: &str, draws: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (names, rows) = read(text).ok_or("not the file of pairs")?;
    let k = names.len();
    let truth = people_only(k, &rows.iter().map(|row| vote(row, 0)).collect::<Vec<_>>(), 0);
    let truth: Vec<f64> = truth.into_iter().map(|(rating, _)| rating).collect();
    let boards: Vec<JudgeBoard> =
        (1..4).map(|j| judge_of(k, &rows, |row, _| row.said[j])).collect::<Result<_, _>>()?;
    fixture(&names, &rows, &boards);
    let mut judges: Vec<Judge> = vec![("no judge, shrunk".to_owned(), Vec::new())];
    for (name, board) in JUDGES.iter().zip(&boards) {
        judges.push(((*name).to_owned(), vec![board.clone()]));
    }
    judges.push(("all three".to_owned(), boards.clone()));
    let bad = bad_judges(k, &rows, &truth)?;
    let worst = boards.iter().chain(bad.iter().map(|(_, board)| &board[0]));
    let worst: Vec<JudgeBoard> = worst.cloned().collect();
    judges.extend(bad);
    judges.push(("three good and these six".to_owned(), worst));
    for n in SIZES {
        let alone: Vec<Score> = (0..draws)
            .into_par_iter()
            .map(|d| score(&people_only(k, &drawn(&rows, n, d), 1000), &truth))
            .collect();
        let base = print("people only, as shipped", n, &alone, None);
        for (name, boards) in &judges {
            let each: Vec<(Score, [f64; 3])> = (0..draws)
                .into_par_iter()
                .map(|d| {
                    let found =
                        anchored(k, &drawn(&rows, n, d), boards, Draws::Half, 0).expect("votes");
                    let range = found.judges.first().map(|judge| judge.votes_range);
                    let (low, high) = range.unwrap_or_default();
                    (score(&by_method(&found), &truth), [low, found.worth, high])
                })
                .collect();
            let scores: Vec<Score> = each.iter().map(|(score, _)| *score).collect();
            print(name, n, &scores, Some(base));
            let [low, worth, high] =
                [0, 1, 2].map(|i| median(each.iter().map(|(_, worth)| worth[i])));
            println!(
                "      worth, medians: {worth:.0} ({low:.0} to {high:.0} of the first judge alone)"
            );
        }
    }
    Ok(())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn by_method(found: &AnchoredBoard) -> Vec<(f64, Option<Interval>)> {
    let mut lines: Vec<_> =
        found.lines.iter().map(|l| (l.method, (l.rating, l.interval))).collect();
    lines.sort_by_key(|(method, _)| *method);
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Overall scores of 13 text-to-3D methods about their mean, from
/// tests/data/gpteval3d_leaderboard.json.
const PUBLISHED: [f64; 13] = [
    1207.6, 1126.7, 1126.6, 1041.4, 1028.9, 1022.7, 999.8, 992.4, 990.6, 980.3, 962.4, 872.8, 647.8,
];
/// Standard deviation of one asset about its method, in Elo points.
const ASSET_SD_ELO: f64 = 100.0;
const PROMPTS: usize = 60;

/// Simulated benchmarks: all pairs of 13 methods on 60 prompts asked in both orders, and few votes
/// of people on random ones.
fn product(runs: usize) -> Result<(), Box<dyn std::error::Error>> {
    let truth = expected_board(&PUBLISHED);
    for (name, bias_sd, blind) in [
        ("fair", 0.0, false),
        ("biased by 40", 40.0, false),
        ("biased by 100", 100.0, false),
        ("blind", 0.0, true),
    ] {
        for n in [100, 300, 1000] {
            let each: Vec<(Score, Score)> = (0..runs)
                .into_par_iter()
                .map(|run| one_product(&truth, n, (bias_sd, blind), run as u64))
                .collect();
            let alone: Vec<Score> = each.iter().map(|(alone, _)| *alone).collect();
            let base = print("people only", n, &alone, None);
            print(name, n, &each.iter().map(|(_, a)| *a).collect::<Vec<_>>(), Some(base));
        }
    }
    Ok(())
}

fn one_product(truth: &[f64], n: usize, (bias_sd, blind): (f64, bool), run: u64) -> (Score, Score) {
    let k = PUBLISHED.len();
    let mut random = Random::new(21, run);
    let effects: Vec<f64> = (0..k * PROMPTS).map(|_| ASSET_SD_ELO * random.normal()).collect();
    let strength =
        |method: usize, prompt: usize| PUBLISHED[method] + effects[method * PROMPTS + prompt];
    let bias: Vec<f64> = (0..k).map(|_| bias_sd * random.normal()).collect();
    let coin = |x: f64, random: &mut Random| {
        if random.unit() < expected(x) { Winner::A } else { Winner::B }
    };
    let mut answers = Vec::new();
    for prompt in 0..PROMPTS {
        for b in 0..k {
            for a in 0..b {
                let x = strength(a, prompt) + bias[a] - strength(b, prompt) - bias[b];
                let opinion = coin(if blind { 0.0 } else { x }, &mut random);
                for (side, left) in [(Side::ALeft, Winner::A), (Side::BLeft, Winner::B)] {
                    let winner = if random.unit() < 0.2 { left } else { opinion };
                    answers.push(Answer { a, b, prompt, key: 0, side, winner });
                }
            }
        }
    }
    let judge = judge_board(k, &answers, Draws::Half, 200, 0).expect("linked");
    let votes: Vec<Vote> = (0..n)
        .map(|source| {
            let (prompt, a) = (random.below(PROMPTS), random.below(k));
            let b = (a + 1 + random.below(k - 1)) % k;
            let winner = coin(strength(a, prompt) - strength(b, prompt), &mut random);
            Vote { prompt, a, b, source, winner }
        })
        .collect();
    let found = anchored(k, &votes, &[judge], Draws::Half, 0).expect("votes");
    (score(&people_only(k, &votes, 200), truth), score(&by_method(&found), truth))
}

fn expected(x_elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x_elo / ELO_PER_NAT))
}

/// One person's ratings of real objects anchored by another's: all 15 pairs of 6 methods on each of
/// a few prompts.
fn prompts(text: &str, draws: usize) -> Result<(), Box<dyn std::error::Error>> {
    let json: serde_json::Value = serde_json::from_str(text)?;
    let prompts = json.as_object().ok_or("not a map of prompts")?;
    let said: Option<Vec<Vec<[f64; 3]>>> = prompts
        .values()
        .map(|prompt| {
            let of = |scores: &serde_json::Value| {
                Some([0, 1, 2].map(|i| scores[i].as_f64().unwrap_or(0.0)))
            };
            prompt["models"].as_object()?.values().map(of).collect()
        })
        .collect();
    let said = said.ok_or("no models")?;
    let k = said[0].len();
    let pairs: Vec<(usize, usize)> = (0..k).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    let winner = |prompt: usize, a: usize, b: usize, rater: usize| match said[prompt][a][rater]
        .total_cmp(&said[prompt][b][rater])
    {
        std::cmp::Ordering::Greater => Winner::A,
        std::cmp::Ordering::Less => Winner::B,
        std::cmp::Ordering::Equal => Winner::Tie,
    };
    for clustered in [true, false] {
        for n in [10, 20, 40] {
            let one = |d: usize| {
                let (person, judge) = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)][d % 6];
                let all = |rater: usize| {
                    (0..said.len())
                        .flat_map(|p| pairs.iter().map(move |&(a, b)| (p, a, b)))
                        .map(move |(prompt, a, b)| Answer {
                            a,
                            b,
                            prompt,
                            key: 0,
                            side: Side::Neither,
                            winner: winner(prompt, a, b, rater),
                        })
                        .collect::<Vec<_>>()
                };
                let board = judge_board(k, &all(judge), Draws::Half, 400, 0).expect("linked");
                let names: Vec<String> = (0..k).map(|i| i.to_string()).collect();
                let model = Model::default();
                let table = Table::new(k, &games(&units(&all(person)))).expect("games");
                let truth = fit(&table, &names, &model, Anchor::Mean).expect("linked").ratings;
                let mut random = Random::new(5, d as u64);
                let mut votes = Vec::new();
                for i in 0..n {
                    let prompt = random.below(said.len());
                    for &(a, b) in &pairs {
                        let own = if clustered { i } else { votes.len() };
                        votes.push(Vote {
                            prompt: own,
                            a,
                            b,
                            source: own,
                            winner: winner(prompt, a, b, person),
                        });
                    }
                }
                let found = anchored(k, &votes, &[board], Draws::Half, 0).expect("votes");
                score(&by_method(&found), &truth)
            };
            let scores: Vec<Score> = (0..draws).into_par_iter().map(one).collect();
            print(
                if clustered { "clusters are prompts" } else { "each vote on its own" },
                n,
                &scores,
                None,
            );
        }
    }
    Ok(())
}

/// A benchmark of its own: methods drawn about one mean, all about equally far from it.
struct World {
    methods: usize,
    prompts: usize,
    /// So many of the prompts have votes.
    voted: usize,
    votes: usize,
}

const JUDGE_KINDS: [&str; 9] = [
    "fair",
    "random",
    "backwards",
    "always left",
    "in love with one method",
    "right on easy pairs only",
    "three noisy copies of one",
    "abstains on nine of ten",
    "all of these",
];
const EASY_ELO: f64 = 200.0;
/// Pairs that a judge is asked in both orders, at most.
const ASKED_MAX: usize = 20_000;

/// Judges of many kinds in benchmarks of many sizes (of so many methods or more), with strengths,
/// assets and votes drawn anew for each run.
fn worlds(runs: usize, methods_min: usize) -> Result<(), Box<dyn std::error::Error>> {
    for (methods, prompts, voted, votes) in [
        (3, 10, 10, 30),
        (3, 60, 60, 300),
        (6, 20, 20, 100),
        (6, 20, 20, 400),
        (13, 60, 60, 100),
        (13, 60, 60, 1000),
        (13, 60, 6, 300),
        (13, 1000, 15, 300),
        (30, 100, 100, 300),
        (30, 1000, 1000, 1000),
        (100, 1000, 1000, 300),
        (100, 200, 200, 3000),
    ] {
        if methods < methods_min {
            continue;
        }
        let world = World { methods, prompts, voted, votes };
        let each: Vec<Vec<Score>> =
            (0..runs).into_par_iter().map(|run| one_world(&world, run as u64)).collect();
        println!("{methods} methods, {votes} votes on {voted} of {prompts} prompts");
        let of = |i: usize| each.iter().map(|scores| scores[i]).collect::<Vec<Score>>();
        let base = print("people only", votes, &of(0), None);
        for (i, kind) in JUDGE_KINDS.iter().enumerate() {
            print(kind, votes, &of(i + 1), Some(base));
            if *kind == "in love with one method" {
                print("  that method alone", votes, &of(JUDGE_KINDS.len() + 1), None);
            }
        }
    }
    Ok(())
}

/// Scores of people alone, of each kind of judge, and of the method that one is in love with.
fn one_world(world: &World, run: u64) -> Vec<Score> {
    let (k, prompts) = (world.methods, world.prompts);
    let mut random = Random::new(2323, run);
    let spread = 60.0 + 140.0 * random.unit();
    let strengths: Vec<f64> = (0..k).map(|_| spread * random.normal()).collect();
    let assets: Vec<f64> =
        (0..k * prompts).map(|i| strengths[i % k] + ASSET_SD_ELO * random.normal()).collect();
    let truth = expected_board(&strengths);
    let gap = |prompt: usize, a: usize, b: usize| assets[prompt * k + a] - assets[prompt * k + b];
    let pairs = k * (k - 1) / 2;
    let asked: Vec<(usize, usize, usize)> = (0..ASKED_MAX.min(pairs * prompts))
        .map(|_| pair(k, random.below(prompts), &mut random))
        .collect();
    let mut board = |says: &mut dyn FnMut(usize, usize, usize, &mut Random) -> Option<Winner>,
                     lefts: f64| {
        let mut answers = Vec::new();
        for (key, &(prompt, a, b)) in asked.iter().enumerate() {
            let Some(opinion) = says(prompt, a, b, &mut random) else {
                continue;
            };
            for (side, left) in [(Side::ALeft, Winner::A), (Side::BLeft, Winner::B)] {
                let winner = if random.unit() < lefts { left } else { opinion };
                answers.push(Answer { a, b, prompt, key: key as u64, side, winner });
            }
        }
        judge_board(k, &answers, Draws::Half, 200, 0).ok()
    };
    let coin = |x: f64, random: &mut Random| {
        if random.unit() < expected(x) { Winner::A } else { Winner::B }
    };
    let loved = k / 2;
    let mut judges: Vec<Vec<JudgeBoard>> = vec![
        board(&mut |p, a, b, r| Some(coin(gap(p, a, b), r)), 0.1).into_iter().collect(),
        board(&mut |_, _, _, r| Some(coin(0.0, r)), 0.0).into_iter().collect(),
        board(&mut |p, a, b, r| Some(coin(-gap(p, a, b), r)), 0.1).into_iter().collect(),
        board(&mut |p, a, b, r| Some(coin(gap(p, a, b), r)), 1.0).into_iter().collect(),
    ];
    let mut in_love = |p, a, b, r: &mut Random| {
        Some(match (a == loved, b == loved) {
            (true, _) => Winner::A,
            (_, true) => Winner::B,
            _ => coin(gap(p, a, b), r),
        })
    };
    judges.push(board(&mut in_love, 0.1).into_iter().collect());
    let mut easy = |p, a, b, r: &mut Random| {
        let gap: f64 = gap(p, a, b);
        Some(coin(if gap.abs() > EASY_ELO { 2.0 * gap } else { 0.0 }, r))
    };
    judges.push(board(&mut easy, 0.1).into_iter().collect());
    // What they err in, they err in together.
    let bias: Vec<f64> = (0..k).map(|i| 80.0 * Random::new(run, i as u64).normal()).collect();
    let copies = (0..3).filter_map(|_| {
        board(&mut |p, a, b, r| Some(coin(gap(p, a, b) + bias[a] - bias[b], r)), 0.3)
    });
    judges.push(copies.collect());
    let mut shy = |p, a, b, r: &mut Random| (r.unit() < 0.1).then(|| coin(gap(p, a, b), r));
    judges.push(board(&mut shy, 0.1).into_iter().collect());
    judges.push(judges.iter().flatten().cloned().collect());

    let votes: Vec<Vote> = (0..world.votes)
        .map(|source| {
            let (prompt, a, b) = pair(k, random.below(world.voted), &mut random);
            Vote { prompt, a, b, source, winner: coin(gap(prompt, a, b), &mut random) }
        })
        .collect();
    let mut out = vec![score(&people_only(k, &votes, 0), &truth)];
    let found: Vec<_> = judges
        .iter()
        .map(|judges| by_method(&anchored(k, &votes, judges, Draws::Half, run).expect("votes")))
        .collect();
    out.extend(found.iter().map(|found| score(found, &truth)));
    out.push(score(&found[4][loved..=loved], &truth[loved..=loved]));
    out
}

/// One judge's information in votes, as reported and by the errors of ratings with and without it,
/// in the same world.
fn worth(worlds: usize, seed: u64) -> Result<(), Box<dyn std::error::Error>> {
    const DRAWS: usize = 6;
    for (k, n) in [(8, 300), (20, 1000)] {
        for has_tails in [false, true] {
            for off_elo in [15.0, 40.0, 80.0, 150.0] {
                let one = |world: usize| {
                    let mut random = Random::new(seed, world as u64);
                    let mut theta: Vec<f64> = (0..k).map(|_| 150.0 * random.normal()).collect();
                    let mean = theta.iter().sum::<f64>() / k as f64;
                    theta.iter_mut().for_each(|t| *t -= mean);
                    let slope = 0.8 + 0.4 * random.unit();
                    let off = |random: &mut Random| {
                        if has_tails {
                            random.normal() / (2.0 * random.unit() + 0.1).sqrt()
                        } else {
                            random.normal()
                        }
                    };
                    let said: Vec<f64> =
                        theta.iter().map(|t| (t + off_elo * off(&mut random)) / slope).collect();
                    let game = |of: &[f64], random: &mut Random| {
                        let (prompt, a, b) = pair(k, random.below(200), random);
                        let is_a = random.unit() < expected(of[a] - of[b]);
                        (prompt, a, b, if is_a { Winner::A } else { Winner::B })
                    };
                    let answers: Vec<Answer> = (0..ASKED_MAX)
                        .map(|key| {
                            let (prompt, a, b, winner) = game(&said, &mut random);
                            Answer { a, b, prompt, key: key as u64, side: Side::Neither, winner }
                        })
                        .collect();
                    let judge = judge_board(k, &answers, Draws::Half, 200, 0).expect("linked");
                    let truth: Vec<f64> = theta.iter().map(|t| t + 1000.0).collect();
                    let (mut with, mut without, mut told) = (0.0, 0.0, Vec::new());
                    for _ in 0..DRAWS {
                        let votes: Vec<Vote> = (0..n)
                            .map(|source| {
                                let (prompt, a, b, winner) = game(&theta, &mut random);
                                Vote { prompt, a, b, source, winner }
                            })
                            .collect();
                        let rated = |judges: &[JudgeBoard]| {
                            let found = anchored(k, &votes, judges, Draws::Half, 0).expect("votes");
                            (score(&by_method(&found), &truth).square, found)
                        };
                        let (square, found) = rated(std::slice::from_ref(&judge));
                        with += square;
                        without += rated(&[]).0;
                        told.push((found.judges[0].votes, found.judges[0].votes_range));
                    }
                    (n as f64 * (without / with - 1.0).max(0.0), told)
                };
                let found: Vec<_> = (0..worlds).into_par_iter().map(one).collect();
                let all = (worlds * DRAWS) as f64;
                let share = |is: &dyn Fn(f64, (f64, f64)) -> bool| {
                    let each =
                        found.iter().flat_map(|(truth, told)| told.iter().map(|t| (*truth, t.1)));
                    100.0 * each.filter(|(truth, range)| is(*truth, *range)).count() as f64 / all
                };
                println!(
                    "{k} methods, {n} votes, off by {off_elo}{}: truth {:.0}, told {:.0}, in the range {:.0} %, truth above it {:.0} %",
                    if has_tails { " with heavy tails" } else { "" },
                    found.iter().map(|(truth, _)| truth).sum::<f64>() / worlds as f64,
                    found.iter().flat_map(|(_, told)| told.iter().map(|t| t.0)).sum::<f64>() / all,
                    share(&|truth, (low, high)| (low..=high).contains(&truth)),
                    share(&|truth, (_, high)| truth > high),
                );
            }
        }
    }
    Ok(())
}

/// Two methods on that prompt, the first of them lower.
fn pair(k: usize, prompt: usize, random: &mut Random) -> (usize, usize, usize) {
    let a = random.below(k);
    let b = (a + 1 + random.below(k - 1)) % k;
    (prompt, a.min(b), a.max(b))
}

/// The board of ever more votes on ever more prompts.
fn expected_board(strengths: &[f64]) -> Vec<f64> {
    let k = strengths.len();
    let share = |x: f64| {
        let points = (-20..=20).map(|i| 0.2 * f64::from(i));
        let density = |z: f64| libm::exp(-0.5 * z * z);
        let all: f64 = points.clone().map(density).sum();
        let at = |z: f64| expected(x + std::f64::consts::SQRT_2 * ASSET_SD_ELO * z);
        points.map(|z| density(z) * at(z)).sum::<f64>() / all
    };
    let mut games = Vec::new();
    for b in 0..k {
        for a in 0..b {
            let p = share(strengths[a] - strengths[b]);
            for (winner, weight) in [(Winner::A, p), (Winner::B, 1.0 - p)] {
                games.push(Game { a, b, prompt: 0, winner, side: Side::Neither, weight });
            }
        }
    }
    let names: Vec<String> = (0..k).map(|i| i.to_string()).collect();
    let model = Model { prior: None, ..Model::default() };
    let table = Table::new(k, &games).expect("games");
    fit(&table, &names, &model, Anchor::Mean).expect("linked").ratings
}

/// 100 methods and 3 judges on 100 prompts, 3,000 votes; boards of judges ready, as `rate` has
/// them.
fn speed() -> Result<(), Box<dyn std::error::Error>> {
    let k = 100;
    let mut random = Random::new(1, 1);
    let strength: Vec<f64> = (0..k).map(|_| 150.0 * random.normal()).collect();
    let game = |random: &mut Random| {
        let (prompt, a) = (random.below(100), random.below(k));
        let b = (a + 1 + random.below(k - 1)) % k;
        let winner =
            if random.unit() < expected(strength[a] - strength[b]) { Winner::A } else { Winner::B };
        (prompt, a, b, winner)
    };
    let mut boards = Vec::new();
    for _ in 0..3 {
        let answers: Vec<Answer> = (0..20_000)
            .map(|key| {
                let (prompt, a, b, winner) = game(&mut random);
                Answer { a, b, prompt, key, side: Side::Neither, winner }
            })
            .collect();
        boards.push(judge_board(k, &answers, Draws::Half, 200, 0)?);
    }
    let votes: Vec<Vote> = (0..3000)
        .map(|source| {
            let (prompt, a, b, winner) = game(&mut random);
            Vote { prompt, a, b, source, winner }
        })
        .collect();
    for _ in 0..3 {
        let start = std::time::Instant::now();
        let found = anchored(k, &votes, &boards, Draws::Half, 0)?;
        println!("{:.3} s, worth {:.0}", start.elapsed().as_secs_f64(), found.worth);
    }
    Ok(())
}

/// Squared error summed over methods, intervals that cover, intervals, sum of their widths.
#[derive(Clone, Copy)]
struct Score {
    square: f64,
    covered: usize,
    intervals: usize,
    width: f64,
}

fn score(found: &[(f64, Option<Interval>)], truth: &[f64]) -> Score {
    let mut out = Score { square: 0.0, covered: 0, intervals: 0, width: 0.0 };
    for ((rating, interval), truth) in found.iter().zip(truth) {
        out.square += (rating - truth) * (rating - truth) / found.len() as f64;
        if let Some(i) = interval {
            out.intervals += 1;
            out.covered += usize::from((i.low..=i.high).contains(truth));
            out.width += i.high - i.low;
        }
    }
    out
}

/// RMSE, coverage, width; the RMSE next to `base`.
fn print(name: &str, n: usize, scores: &[Score], base: Option<f64>) -> f64 {
    let rmse = (scores.iter().map(|s| s.square).sum::<f64>() / scores.len() as f64).sqrt();
    let mean = scores.iter().map(|s| s.square.sqrt()).sum::<f64>() / scores.len() as f64;
    let intervals: usize = scores.iter().map(|s| s.intervals).sum();
    let covered: usize = scores.iter().map(|s| s.covered).sum();
    let width: f64 = scores.iter().map(|s| s.width).sum();
    println!(
        "{n:5} {name:40} RMSE {rmse:6.1} (mean {mean:6.1})  coverage {:5.1} %  width {:4.0}  ratio {:.2}",
        100.0 * covered as f64 / intervals.max(1) as f64,
        width / intervals.max(1) as f64,
        base.map_or(1.0, |base| rmse / base),
    );
    rmse
}

fn read(text: &str) -> Option<(Vec<String>, Vec<Row>)> {
    let cells: Vec<Vec<&str>> =
        text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let names: BTreeSet<&str> = cells.iter().flat_map(|c| [c[2], c[3]]).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let winner = |text: &str| match text {
        "a" => Winner::A,
        "b" => Winner::B,
        _ => Winner::Tie,
    };
    let row = |c: &Vec<&str>| {
        Some(Row {
            prompt: c.get(1)?.parse().ok()?,
            a: names.binary_search(c.get(2)?).ok()?,
            b: names.binary_search(c.get(3)?).ok()?,
            said: [winner(c.get(4)?), winner(c.get(5)?), winner(c.get(6)?), winner(c.get(7)?)],
        })
    };
    let rows: Option<Vec<Row>> = cells.iter().map(row).collect();
    Some((names.iter().map(|name| (*name).to_owned()).collect(), rows?))
}

fn vote(row: &Row, source: usize) -> Vote {
    Vote { prompt: row.prompt, a: row.a, b: row.b, source, winner: row.said[0] }
}

fn drawn(rows: &[Row], n: usize, draw: usize) -> Vec<Vote> {
    let mut random = Random::new(7, draw as u64);
    (0..n).map(|i| vote(&rows[random.below(rows.len())], i)).collect()
}

fn judge_of(
    k: usize,
    rows: &[Row],
    mut says: impl FnMut(&Row, usize) -> Winner,
) -> Result<JudgeBoard, RateError> {
    let answers: Vec<Answer> = rows
        .iter()
        .enumerate()
        .map(|(i, row)| Answer {
            a: row.a,
            b: row.b,
            prompt: row.prompt,
            key: i as u64,
            side: Side::ALeft,
            winner: says(row, i),
        })
        .collect();
    judge_board(k, &answers, Draws::Half, 1000, 0)
}

/// Votes alone, rated as `rate` does; groups that no vote links each about the mean, where the weak
/// prior puts them.
fn people_only(k: usize, votes: &[Vote], replicates: usize) -> Vec<(f64, Option<Interval>)> {
    let mut group: Vec<usize> = (0..k).collect();
    for vote in votes {
        let (x, y) = (group[vote.a], group[vote.b]);
        group.iter_mut().for_each(|g| *g = if *g == x { y } else { *g });
    }
    let mut out = vec![(1000.0, None); k];
    for of in group.iter().collect::<BTreeSet<_>>() {
        let methods: Vec<usize> = (0..k).filter(|i| group[*i] == *of).collect();
        let place = |method: usize| methods.binary_search(&method).expect("in its group");
        let mine = votes.iter().enumerate().filter(|(_, vote)| group[vote.a] == *of);
        let answers: Vec<Answer> = mine
            .map(|(i, vote)| Answer {
                a: place(vote.a),
                b: place(vote.b),
                prompt: vote.prompt,
                key: i as u64,
                side: Side::Neither,
                winner: vote.winner,
            })
            .collect();
        let names: Vec<String> = methods.iter().map(usize::to_string).collect();
        let settings = BoardSettings { replicates, ..BoardSettings::default() };
        if let Ok(board) = board(&names, &answers, &settings) {
            for line in board.lines {
                out[methods[line.method]] = (line.rating, line.interval);
            }
        }
    }
    out
}

/// Judges that no board should trust.
fn bad_judges(k: usize, rows: &[Row], truth: &[f64]) -> Result<Vec<Judge>, RateError> {
    let mut random = Random::new(11, 0);
    let spread = (truth.iter().map(|t| (t - 1000.0) * (t - 1000.0)).sum::<f64>() / k as f64).sqrt();
    let made_up: Vec<f64> = (0..k).map(|_| spread * random.normal()).collect();
    let mut dice = random.clone();
    let coin = |p: f64, random: &mut Random| {
        if random.unit() < p { Winner::A } else { Winner::B }
    };
    let favours =
        |row: &Row, loved: &[usize]| match (loved.contains(&row.a), loved.contains(&row.b)) {
            (true, false) => Winner::A,
            (false, true) => Winner::B,
            _ => row.said[1],
        };
    let boards = [
        (
            "random votes",
            judge_of(k, rows, |_, _| [Winner::A, Winner::B, Winner::Tie][random.below(3)])?,
        ),
        ("always left", judge_of(k, rows, |_, _| Winner::A)?),
        ("GPT-4 reversed", judge_of(k, rows, |row, _| row.said[1].swapped())?),
        (
            "a random board as wide as the true one",
            judge_of(k, rows, |row, _| coin(expected(made_up[row.a] - made_up[row.b]), &mut dice))?,
        ),
        ("GPT-4 but one model always wins", judge_of(k, rows, |row, _| favours(row, &[9]))?),
        (
            "one that favours two models",
            judge_of(
                k,
                rows,
                |row, i| {
                    if i % 2 == 0 { favours(row, &[4, 13]) } else { row.said[1] }
                },
            )?,
        ),
    ];
    Ok(boards.into_iter().map(|(name, board)| (name.to_owned(), vec![board])).collect())
}

/// 300 votes in known rows: the figures to compare with another program's.
fn fixture(names: &[String], rows: &[Row], boards: &[JudgeBoard]) {
    let votes: Vec<Vote> = (0..300).map(|i| vote(&rows[62 * i], i)).collect();
    for judges in [&boards[..1], boards] {
        let found = anchored(names.len(), &votes, judges, Draws::Half, 0).expect("votes");
        println!(
            "fixture: phi {:.3}, mean tau {:.1}, slopes {:?}, side {:?}",
            found.design_effect,
            found.off_elo,
            found.slopes.iter().map(|slope| format!("{slope:.2}")).collect::<Vec<_>>(),
            judges[0].left_bias_elo,
        );
        for line in &found.lines {
            let sd = found.covariance[line.method * names.len() + line.method].sqrt();
            println!("  {:30} {:7.1} ± {sd:.1}", names[line.method], line.rating);
        }
    }
}
