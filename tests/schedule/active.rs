//! Active pairs against a balanced round-robin, on simulated judges: how many units until the
//! intervals are as narrow.
//!
//! The judge has one opinion of a pair on a prompt (Davidson's ties), and each order's answer is
//! that opinion or, in a share of cases, "left". Both plans see the same answer to the same pair.
//! Intervals are those of the shipped board: over prompts, about the mean of all methods. The
//! question: round-robin asks so many units; after how many units are active pairs as sure?

use meshjudge::unstable::bench::schedule::{
    Active, ActiveSettings, Aim, Field, Next, Pair, round_robin,
};
use meshjudge::unstable::rate::*;

const NUM_METHODS: usize = 13;
const NUM_PROMPTS: usize = 60;
/// Units of a round.
const ROUND: usize = 26;
/// A plan has arrived when it is as sure as the other in this many rounds on end, so that luck in
/// one round does not count.
const ROUNDS_HELD: usize = 3;

/// Who answers.
#[derive(Clone, Copy, Debug)]
struct Judge {
    /// Davidson's ν.
    tie: f64,
    /// Share of answers that are "left" whatever is shown.
    lazy: f64,
    /// Standard deviation of an asset about its method's strength, in Elo points: answers about one
    /// asset hang together.
    asset_sd: f64,
}

const LAZY: Judge = Judge { tie: 0.5, lazy: 0.2, asset_sd: 0.0 };

/// No ties, no bias: Bradley–Terry itself.
const PLAIN: Judge = Judge { tie: 0.0, lazy: 0.0, asset_sd: 0.0 };

const ASSETS: Judge = Judge { asset_sd: 100.0, ..LAZY };

struct World {
    /// Elo points, by method.
    strengths: Vec<f64>,
    judge: Judge,
    seed: u64,
}

fn published() -> Vec<f64> {
    let json: serde_json::Value =
        serde_json::from_str(include_str!("../data/gpteval3d_leaderboard.json")).unwrap();
    let overall = json["scores"][5].as_object().unwrap();
    overall.values().map(|v| v.as_f64().unwrap()).collect()
}

fn even(span: f64) -> Vec<f64> {
    (0..NUM_METHODS).map(|i| span * i as f64 / (NUM_METHODS - 1) as f64).collect()
}

fn full_field() -> Field {
    Field { num_methods: NUM_METHODS, num_prompts: NUM_PROMPTS, num_seeds: 1 }
}

impl World {
    fn asset(&self, method: usize, prompt: usize) -> f64 {
        let stream = 1_000_000 + (prompt * 1_000 + method) as u64;
        let shift = Random::new(self.seed, stream).normal();
        self.strengths[method] + self.judge.asset_sd * shift
    }

    /// Both orders of a pair; always the same for the same pair.
    fn answers(&self, pair: Pair) -> [Answer; 2] {
        let Pair { prompt, a, b } = pair;
        let random =
            &mut Random::new(self.seed, ((prompt * NUM_METHODS + a) * NUM_METHODS + b) as u64);
        let gap = self.asset(a, prompt) - self.asset(b, prompt);
        let half = libm::exp(0.5 * gap / ELO_PER_NAT);
        let at = random.unit() * (half + 1.0 / half + self.judge.tie);
        let opinion = if at < half {
            Winner::A
        } else if at < half + 1.0 / half {
            Winner::B
        } else {
            Winner::Tie
        };
        [(Side::ALeft, Winner::A), (Side::BLeft, Winner::B)].map(|(side, left)| {
            let is_lazy = random.unit() < self.judge.lazy;
            let winner = if is_lazy { left } else { opinion };
            let key = 0;
            Answer { a, b, prompt, key, side, winner }
        })
    }

    fn games(&self, pairs: &[Pair]) -> Vec<Game> {
        let answers: Vec<Answer> = pairs.iter().flat_map(|pair| self.answers(*pair)).collect();
        games(&units(&answers))
    }
}

/// How wide the shipped intervals are, half of the whole width, in Elo points.
#[derive(Clone, Copy, Debug)]
struct Width {
    widest: f64,
    mean: f64,
    /// The widest by the standard deviation of the ratings. A lazy judge's draws pull far methods
    /// together, the more the more often far pairs are asked, so points are not the same points
    /// under two plans; this is free of it.
    by_spread: f64,
    /// Pairs of methods whose 95 % interval of the difference has 0 in it.
    undecided: f64,
}

fn certain(games: &[Game]) -> (Fit, Certainty) {
    let names: Vec<String> = (0..NUM_METHODS).map(|i| i.to_string()).collect();
    let table = Table::new(NUM_METHODS, games).unwrap();
    let model = Model::default();
    let found = fit(&table, &names, &model, Anchor::Mean).unwrap();
    let certainty = certainty(&table, &model, Anchor::Mean, &found, 1, 1).unwrap();
    (found, certainty)
}

/// Whether the 95 % interval of a difference is above 0, or below.
fn order(certainty: &Certainty, i: usize, j: usize) -> Option<bool> {
    let gap = certainty.gaps[i][j]?;
    if gap.low > 0.0 { Some(true) } else { (gap.high < 0.0).then_some(false) }
}

/// The place of [`Width::undecided`] in [`Width::numbers`].
const UNDECIDED: usize = 3;

impl Width {
    fn numbers(&self) -> [f64; 4] {
        [self.widest, self.mean, self.by_spread, self.undecided]
    }
}

fn width(games: &[Game]) -> Width {
    let (found, certainty) = certain(games);
    let halves: Vec<f64> =
        certainty.ratings.iter().flatten().map(|i| 0.5 * (i.high - i.low)).collect();
    let widest = halves.iter().fold(0.0_f64, |m, h| m.max(*h));
    let square = |r: &f64| (r - ELO_ORIGIN) * (r - ELO_ORIGIN);
    let sd = (found.ratings.iter().map(square).sum::<f64>() / NUM_METHODS as f64).sqrt();
    let pairs = (0..NUM_METHODS).flat_map(|i| (0..i).map(move |j| (i, j)));
    let undecided = pairs.filter(|&(i, j)| order(&certainty, i, j).is_none()).count() as f64;
    Width {
        widest,
        mean: halves.iter().sum::<f64>() / halves.len() as f64,
        by_spread: widest / sd,
        undecided,
    }
}

/// How a round is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plan {
    Active(Aim),
    /// Round-robin itself: the share must come out near 1, else the comparison is not fair.
    RoundRobin,
}

/// The pairs of a round, none when all were asked.
fn round(world: &World, plan: Plan, field: &Field, all: &[Pair], so_far: &[Pair]) -> Vec<Pair> {
    let Plan::Active(aim) = plan else {
        return all[so_far.len()..].iter().take(ROUND).copied().collect();
    };
    let settings = ActiveSettings { aim, target_half_width: None, budget: None, seed: world.seed };
    let next = Active::new(field, settings).next(&world.games(so_far), &[], ROUND);
    match next.unwrap() {
        Next::Ask(pairs) => pairs,
        Next::Done(_) => Vec::new(),
    }
}

/// Units that `plan` needs to be as sure as round-robin is after `budget`, as shares of it: by
/// those of [`Width`]'s numbers that are asked for. No further pairs are asked when these are
/// known.
fn shares<const N: usize>(
    world: &World,
    plan: Plan,
    budget: usize,
    numbers: [usize; N],
) -> [f64; N] {
    let field = full_field();
    let reference = round_robin(&field, budget, world.seed);
    assert_eq!(reference.len(), budget);
    let sure = |pairs: &[Pair]| {
        let all = width(&world.games(pairs)).numbers();
        numbers.map(|k| all[k])
    };
    let goal = sure(&reference);
    // Another seed than the reference's, for the check of round-robin against itself.
    let all = round_robin(&field, usize::MAX, world.seed + 1_000);
    let (mut pairs, mut held, mut found) = (Vec::new(), [0; N], [None; N]);
    while found.contains(&None) {
        let next = round(world, plan, &field, &all, &pairs);
        if next.is_empty() {
            break;
        }
        pairs.extend(next);
        if pairs.len() < 4 * NUM_METHODS {
            continue;
        }
        let now = sure(&pairs);
        for k in 0..N {
            held[k] = if now[k] <= goal[k] { held[k] + 1 } else { 0 };
            if held[k] == ROUNDS_HELD {
                found[k].get_or_insert(pairs.len() - (ROUNDS_HELD - 1) * ROUND);
            }
        }
    }
    found.map(|units| units.unwrap_or(pairs.len()) as f64 / budget as f64)
}

/// Means over `seeds` tournaments.
fn mean_shares<const N: usize>(
    strengths: &[f64],
    judge: Judge,
    plan: Plan,
    budget: usize,
    seeds: u64,
    numbers: [usize; N],
) -> [f64; N] {
    let mut sums = [0.0; N];
    for seed in 0..seeds {
        let strengths = strengths.to_vec();
        let world = World { strengths, judge, seed };
        let found = shares(&world, plan, budget, numbers);
        sums.iter_mut().zip(found).for_each(|(sum, share)| *sum += share / seeds as f64);
    }
    sums
}

#[test]
fn the_order_is_settled_with_fewer_units_and_round_robin_is_no_better_than_itself() {
    let budget = 390;
    let of = |plan| mean_shares(&even(1200.0), LAZY, plan, budget, 3, [UNDECIDED]);
    let ([undecided], [same]) = (of(Plan::Active(Aim::Order)), of(Plan::RoundRobin));
    println!("active {undecided:.3}, round-robin {same:.3}");
    assert!(undecided < 0.7, "{undecided}");
    assert!((0.75..1.35).contains(&same), "{same}");
}

/// Asking what is in doubt must not make doubtful orders look settled: of the orders called
/// settled, at most 2.5 % are wrong.
#[test]
fn orders_that_active_pairs_settle_are_right() {
    let (mut settled, mut wrong) = (0, 0);
    for seed in 0..10 {
        let world = World { strengths: even(480.0), judge: LAZY, seed };
        let field = full_field();
        let mut pairs = Vec::new();
        while pairs.len() < 520 {
            let next = round(&world, Plan::Active(Aim::Order), &field, &[], &pairs);
            pairs.extend(next);
        }
        let (_, certainty) = certain(&world.games(&pairs));
        for better in 0..NUM_METHODS {
            let orders = (0..better).filter_map(|worse| order(&certainty, better, worse));
            let orders: Vec<bool> = orders.collect();
            settled += orders.len();
            wrong += orders.iter().filter(|is_right| !**is_right).count();
        }
    }
    println!("{wrong} of {settled} wrong");
    assert!(settled > 500, "{settled}");
    assert!(wrong as f64 <= 0.025 * settled as f64, "{wrong} of {settled}");
}

#[test]
#[ignore = "minutes; its figures are quoted in docs/runs/rating/2026-11-21-active-pairs.md"]
fn full_comparison() {
    let (budget, seeds) = (1170, 20);
    let worlds = [("published", published()), ("even480", even(480.0)), ("even1200", even(1200.0))];
    let plans = [
        Plan::RoundRobin,
        Plan::Active(Aim::Mean),
        Plan::Active(Aim::Widest),
        Plan::Active(Aim::Order),
    ];
    for (name, judge) in [("lazy", LAZY), ("assets", ASSETS), ("plain", PLAIN)] {
        let mut order = Vec::new();
        for (world, strengths) in &worlds {
            for plan in plans {
                let found =
                    mean_shares(strengths, judge, plan, budget, seeds, [0, 1, 2, UNDECIDED]);
                let [widest, mean, by_spread, undecided] = found.map(|s| format!("{s:.3}"));
                println!(
                    "{name} | {world} | {plan:?} | {widest} | {mean} | {by_spread} | {undecided}"
                );
                if plan == Plan::Active(Aim::Order) {
                    order.push(found[UNDECIDED]);
                }
                if plan == Plan::Active(Aim::Widest) && name == "plain" && *world != "even480" {
                    assert!(found[0] < 0.75, "{world}: {found:?}");
                }
            }
        }
        let mean = order.iter().sum::<f64>() / order.len() as f64;
        println!("{name}: active units to settle the order: {mean:.3}");
        assert!(mean <= 0.65, "{order:?}");
    }
}
