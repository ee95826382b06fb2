//! How often boards claim something false, in worlds that are hard on purpose, and how many orders
//! they find. `cargo run --release -p meshjudge-rate --example claims -- [BOARDS] [WORLD]`

use meshjudge_rate::{
    Answer, Board, BoardSettings, ELO_PER_NAT, Goal, Random, RateError, Settled, Shown, Side,
    Winner, people_board,
};
use rayon::prelude::*;

/// A board's games with the true ratings behind them.
struct World {
    name: String,
    methods: usize,
    prompts: usize,
    /// In Elo points.
    truth: Vec<f64>,
    ties: f64,
    effect: Effect,
    pairs: Pairs,
    /// Voters, and the standard deviation of their taste in Elo points; none for a judge.
    raters: Option<(usize, f64)>,
}

/// How a method does on a prompt, beyond its rating.
#[derive(Clone, Copy, PartialEq)]
enum Effect {
    None,
    Normal(f64),
    Cauchy(f64),
    /// Each method fails on a tenth of the prompts.
    Failures,
    /// One method is good on two thirds of the prompts and fails on the others: equal on average.
    Skewed,
}

#[derive(Clone, Copy, PartialEq)]
enum Pairs {
    All,
    /// So many random pairs on each prompt.
    Some(usize),
    /// The last method is on so many prompts.
    Newcomer(usize),
    /// Each method but the first two lacks an asset with this chance.
    Missing(f64),
    /// Methods far apart seldom meet.
    Near,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let boards: u64 = args.get(1).and_then(|n| n.parse().ok()).unwrap_or(400);
    let wanted = args.get(2).cloned().unwrap_or_default();
    if wanted == "settled" {
        return settled(boards);
    }
    println!(
        "{boards} boards a world; false: boards with a false order; found: orders of all true ones; cover: of 95 % intervals"
    );
    let worlds = worlds().into_iter().filter(|w| w.name.contains(&wanted));
    for world in worlds {
        let one = |seed| tried(&world, seed);
        let all: Vec<Tried> = (0..boards).into_par_iter().map(one).collect();
        let n = all.len() as f64;
        let sum = |of: &dyn Fn(&Tried) -> f64| all.iter().map(of).sum::<f64>();
        let p = sum(&|t| f64::from(u8::from(t.is_false))) / n;
        // Clopper and Pearson's upper 97.5 % limit is near Wilson's at these counts.
        let z2 = 1.96 * 1.96;
        let most = (p + z2 / (2.0 * n) + 1.96 * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt())
            / (1.0 + z2 / n);
        println!(
            "{:44} false {:5.1} % (to {:4.1})  found {:5.1} %  cover {:5.1} %  half {:5.0}  no interval {:4.1} %",
            world.name,
            100.0 * p,
            100.0 * most,
            100.0 * sum(&|t| t.found) / sum(&|t| t.all).max(n),
            100.0 * sum(&|t| t.covered) / sum(&|t| t.intervals).max(1e-9),
            sum(&|t| t.half) / sum(&|t| t.intervals).max(1e-9),
            100.0 * (1.0 - sum(&|t| t.intervals) / (n * world.methods as f64))
        );
    }
}

/// How often any claim of a run is false, looked at after every prompt, where answers are missing.
fn settled(runs: u64) {
    println!("{runs} runs of 200 prompts a world; false: runs with a false claim");
    for methods in [2, 4, 8] {
        for missing in [0.0, 0.02, 0.1, 0.5] {
            for (what, is_one_sided) in [("at random", false), ("where the second wins", true)] {
                for lead in [0.0, 200.0] {
                    let one = |seed| settled_run(methods, (missing, is_one_sided), lead, seed);
                    let all: Vec<[f64; 2]> = (0..runs).into_par_iter().map(one).collect();
                    let mean = |k: usize| all.iter().map(|x| x[k]).sum::<f64>() / runs as f64;
                    println!(
                        "{methods} methods, first {lead:3.0} points above, {:2.0} % missing {what:22} false {:4.1} %, settled {:5.1} %",
                        100.0 * missing,
                        100.0 * mean(0),
                        100.0 * mean(1)
                    );
                }
            }
        }
    }
}

/// Whether any claim is false; the share of pairs that are settled. All but the first are equal,
/// and each wins everything on prompts of its own kind.
fn settled_run(k: usize, (missing, one_sided): (f64, bool), lead: f64, seed: u64) -> [f64; 2] {
    let mut random = Random::new(seed, 99);
    let mut settled = Settled::new(k, Goal::Order);
    for _ in 0..200 {
        let mut draw: Vec<usize> = (0..k).collect();
        random.shuffle(&mut draw);
        let kind = random.below(k);
        let mut shown = Vec::new();
        for duel in settled.duels(&draw) {
            let of = |i: usize| {
                let own = if i == 0 { lead } else { 0.0 };
                own + if i == kind { 150.0 } else { 0.0 }
            };
            let p = 1.0 / (1.0 + libm::exp((of(duel.b) - of(duel.a)) / ELO_PER_NAT));
            let score = if random.unit() < p { 1.0 } else { 0.0 };
            let share = match (one_sided, score > 0.5) {
                (false, _) => missing,
                (true, is_first) => {
                    if is_first {
                        0.0
                    } else {
                        2.0 * missing
                    }
                }
            };
            if random.unit() >= share {
                shown.push(Shown { duel, score: (score, score) });
            }
        }
        settled.observe(&shown, &draw);
    }
    let is_false = |i: usize| (0..k).any(|j| settled.is_above(i, j) && (i > 0 || lead == 0.0));
    let any = (0..k).any(is_false);
    let pairs = (k * (k - 1) / 2) as f64;
    [f64::from(u8::from(any)), settled.num_settled() as f64 / pairs]
}

fn worlds() -> Vec<World> {
    let mut out = Vec::new();
    let mut add = |name: String, truth: Vec<f64>, prompts, ties, effect, pairs, raters| {
        let methods = truth.len();
        out.push(World { name, methods, prompts, truth, ties, effect, pairs, raters });
    };
    for methods in [2, 3, 5, 10, 20] {
        for prompts in [6, 8, 12, 20, 60] {
            for ties in [0.0, 0.6, 0.9] {
                let name = format!("equal: {methods} on {prompts}, {:.0} % ties", 100.0 * ties);
                let level = vec![1000.0; methods];
                add(name, level, prompts, ties, Effect::None, Pairs::All, None);
            }
        }
    }
    let level = |k: usize| vec![1000.0; k];
    let spread = |k: usize, sd: f64| -> Vec<f64> {
        // Quantiles of a normal distribution, about.
        let at = |i: usize| (i as f64 + 0.5) / k as f64;
        (0..k).map(|i| 1000.0 + sd * 0.5513 * libm::log(at(i) / (1.0 - at(i)))).collect()
    };
    let groups = |k: usize, gap: f64| -> Vec<f64> {
        (0..k).map(|i| 1000.0 + if i < k / 2 { gap } else { 0.0 }).collect()
    };
    for (k, p) in [(5, 12), (10, 12), (10, 60), (20, 20)] {
        let name = format!("{k} on {p}");
        for (what, effect) in [
            ("normal effects", Effect::Normal(150.0)),
            ("Cauchy effects", Effect::Cauchy(100.0)),
            ("failures", Effect::Failures),
        ] {
            add(format!("{what}: {name}"), level(k), p, 0.1, effect, Pairs::All, None);
        }
        let effect = Effect::Normal(100.0);
        add(
            format!("groups of equals: {name}"),
            groups(k, 200.0),
            p,
            0.1,
            effect,
            Pairs::All,
            None,
        );
        add(
            format!("groups, Cauchy: {name}"),
            groups(k, 200.0),
            p,
            0.1,
            Effect::Cauchy(100.0),
            Pairs::All,
            None,
        );
        add(
            format!("one far above: {name}"),
            {
                let mut truth = level(k);
                truth[0] += 500.0;
                truth
            },
            p,
            0.1,
            effect,
            Pairs::All,
            None,
        );
        add(format!("missing assets: {name}"), level(k), p, 0.1, effect, Pairs::Missing(0.4), None);
        add(format!("few pairs: {name}"), level(k), p, 0.1, effect, Pairs::Some(k), None);
        add(
            format!("few pairs, groups: {name}"),
            groups(k, 200.0),
            p,
            0.1,
            effect,
            Pairs::Some(k),
            None,
        );
        add(
            format!("near pairs, groups: {name}"),
            groups(k, 200.0),
            p,
            0.1,
            effect,
            Pairs::Near,
            None,
        );
        for few in [2, 4, 6, 10] {
            let effect = Effect::Normal(100.0);
            add(
                format!("newcomer on {few}: {name}"),
                level(k),
                p,
                0.1,
                effect,
                Pairs::Newcomer(few),
                None,
            );
        }
    }
    for (k, p) in [(2, 8), (2, 12), (2, 20), (2, 60), (4, 12), (4, 60), (10, 12), (10, 60)] {
        add(
            format!("skewed prompts: {k} on {p}"),
            level(k),
            p,
            0.0,
            Effect::Skewed,
            Pairs::All,
            None,
        );
    }
    for raters in [1, 3, 8, 20] {
        for (taste, what) in [(0.0, "one taste"), (40.0, "near tastes"), (100.0, "different taste")]
        {
            if raters == 1 && taste > 0.0 {
                continue; // the board is about this rater's taste
            }
            let effect = Effect::Normal(50.0);
            let some = Pairs::Some(20);
            add(
                format!("raters: {raters}, {what}, 5 on 30"),
                level(5),
                30,
                0.1,
                effect,
                some,
                Some((raters, taste)),
            );
            add(
                format!("raters: {raters}, {what}, 10 on 60"),
                level(10),
                60,
                0.1,
                effect,
                some,
                Some((raters, taste)),
            );
            add(
                format!("raters: {raters}, {what}, 10 on 60, spread"),
                spread(10, 150.0),
                60,
                0.1,
                effect,
                some,
                Some((raters, taste)),
            );
        }
    }
    for (k, p) in [(5, 12), (5, 60), (10, 60), (20, 60), (10, 20)] {
        for sd in [100.0, 300.0] {
            let name = format!("power: {k} on {p}, spread {sd}");
            add(name, spread(k, sd), p, 0.1, Effect::Normal(100.0), Pairs::All, None);
        }
    }
    add(
        "power: 2 on 20, 400 apart".into(),
        vec![800.0, 1200.0],
        20,
        0.0,
        Effect::None,
        Pairs::All,
        None,
    );
    add(
        "power: 10 on 60, few pairs".into(),
        spread(10, 150.0),
        60,
        0.1,
        Effect::Normal(100.0),
        Pairs::Some(10),
        None,
    );
    out
}

/// What came of one board.
#[derive(Default)]
struct Tried {
    is_false: bool,
    /// Orders found and to be found.
    found: f64,
    all: f64,
    intervals: f64,
    covered: f64,
    half: f64,
}

fn tried(world: &World, seed: u64) -> Tried {
    let mut random = Random::new(seed, 77);
    let (answers, voters) = games(world, &mut random);
    let names: Vec<String> = (0..world.methods).map(|i| i.to_string()).collect();
    let settings = BoardSettings { seed, ..BoardSettings::default() };
    let board = match rated(&names, &answers, &voters, &settings) {
        Ok(board) => board,
        Err(_) => return Tried::default(),
    };
    let truth = &world.truth;
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let mut out = Tried::default();
    for line in &board.lines {
        let own = truth[line.method];
        let above = truth.iter().filter(|t| **t > own + 1e-9).count();
        let below = truth.iter().filter(|t| **t < own - 1e-9).count();
        out.all += above as f64;
        if let Some((best, worst)) = line.ranks_all {
            out.is_false |= best > 1 + above || worst < truth.len() - below;
            out.found += (best - 1) as f64;
        }
        if let Some(interval) = line.interval {
            let at = own - mean + 1000.0;
            out.intervals += 1.0;
            out.half += 0.5 * (interval.high - interval.low);
            out.covered += f64::from(u8::from(interval.low <= at && at <= interval.high));
        }
    }
    out
}

fn rated(
    names: &[String],
    answers: &[Answer],
    voters: &[usize],
    settings: &BoardSettings,
) -> Result<Board, RateError> {
    people_board(names, answers, voters, settings)
}

fn games(world: &World, random: &mut Random) -> (Vec<Answer>, Vec<usize>) {
    let k = world.methods;
    let (raters, taste) = world.raters.unwrap_or((1, 0.0));
    let tastes: Vec<f64> = (0..raters * k).map(|_| taste * random.normal()).collect();
    let (mut answers, mut voters) = (Vec::new(), Vec::new());
    let mut prompts: Vec<usize> = (0..world.prompts).collect();
    random.shuffle(&mut prompts);
    for (at, &prompt) in prompts.iter().enumerate() {
        let kind = random.below(3);
        let here: Vec<f64> =
            (0..k).map(|i| world.truth[i] + effect(world.effect, i, kind, random)).collect();
        let has: Vec<bool> = (0..k)
            .map(|i| match world.pairs {
                Pairs::Newcomer(few) => i + 1 < k || at < few,
                Pairs::Missing(share) => i < 2 || random.unit() >= share,
                _ => true,
            })
            .collect();
        let all = (0..k).flat_map(|b| (0..b).map(move |a| (a, b)));
        let mut pairs: Vec<(usize, usize)> = all.filter(|&(a, b)| has[a] && has[b]).collect();
        match world.pairs {
            Pairs::Some(count) => {
                random.shuffle(&mut pairs);
                // The first prompt links all methods.
                if at > 0 || world.raters.is_some() {
                    pairs = (0..count).map(|_| pairs[random.below(pairs.len())]).collect();
                }
            }
            Pairs::Near => pairs.retain(|&(a, b)| b - a < 3 && (at == 0 || random.unit() < 0.5)),
            _ => {}
        }
        for (n, (a, b)) in pairs.into_iter().enumerate() {
            let rater = random.below(raters);
            let lead = here[a] + tastes[rater * k + a] - here[b] - tastes[rater * k + b];
            let p = 1.0 / (1.0 + libm::exp(-lead / ELO_PER_NAT));
            let winner = if random.unit() < world.ties {
                Winner::Tie
            } else if random.unit() < p {
                Winner::A
            } else {
                Winner::B
            };
            answers.push(Answer { a, b, prompt, key: n as u64, side: Side::Neither, winner });
            voters.push(rater);
        }
    }
    (answers, voters)
}

fn effect(effect: Effect, method: usize, kind: usize, random: &mut Random) -> f64 {
    match effect {
        Effect::None => 0.0,
        Effect::Normal(sd) => sd * random.normal(),
        Effect::Cauchy(scale) => {
            let x = std::f64::consts::PI * (random.unit() - 0.5);
            (scale * libm::tan(x)).clamp(-5_000.0, 5_000.0)
        }
        Effect::Failures => {
            if random.unit() < 0.1 {
                -2_000.0
            } else {
                0.0
            }
        }
        // Wins 3 of 4 on two kinds of prompts, none on the third: half of all.
        Effect::Skewed if method > 0 => 0.0,
        Effect::Skewed if kind == 2 => -5_000.0,
        Effect::Skewed => ELO_PER_NAT * libm::log(3.0),
    }
}
