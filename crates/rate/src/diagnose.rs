//! What a board's order rests on: the same games under other assumptions, without each prompt, and
//! whether any rating explains them.

use super::board::by_voter;
use super::bootstrap::CLUSTERS_MIN;
use super::bradley_terry::{fit, maximum};
use super::confusion::places;
use super::connect::{groups, strong_components, with_sides};
use super::elo::{ELO_PER_NAT, LEVEL_ELO};
use super::error::RateError;
use super::game::{Answer, Game, Side, each_order_games, games, units};
use super::likelihood::{Likelihood, Sum, curvature, shares};
use super::linear::{Factor, add_pair};
use super::model::{Anchor, Draws, Fit, Model, Prior};
use super::random::Random;
use super::ranks::one_by_one;
use super::spread::Spread;
use super::table::{Counts, Share, Table};
use crate::winner::Winner;
use std::collections::BTreeMap;

/// Random signs that the intransitivity is held against.
const SIGNS: u64 = 400;
/// The same of single ranks.
const SIGNS_RANKS: usize = 1000;
/// Most sums of pairs and prompts, times prompts, to rate again without each prompt.
const LEFT_OUT_MAX: usize = 50_000_000;

/// Steps below this end a fit without a prompt, in Elo points.
const TOLERANCE_ELO: f64 = 1e-4;

/// The board under another assumption.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Variant {
    /// The alternative assumption.
    pub name: String,
    /// Ratings by method, in Elo points about a mean of 1000.
    pub ratings: Vec<f64>,
    /// Largest change of a rating, after both boards are brought to the same spread.
    pub moved_elo: f64,
    /// Spread of the ratings (standard deviation) by that of the board.
    pub scale: f64,
    /// Pairs of methods whose order is the other way round.
    pub turned: usize,
    /// Who is first; of equal ones, the one with the smallest index.
    pub first: usize,
}

/// The board without one prompt, for each prompt.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct LeftOut {
    /// Prompts without which none of the first methods is first.
    pub first_changes: usize,
    /// Prompts without which any order changes.
    pub order_changes: usize,
    /// The prompt that moves a rating most, by how much, and whose.
    pub prompt: usize,
    pub moved_elo: f64,
    pub method: usize,
    pub num_prompts: usize,
}

/// Whether one number for each method explains the games (Bradley–Terry), or some beat those who
/// beat those they lose to.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Intransitivity {
    /// `Σ e² / (n p (1 − p))` over pairs, `e` being wins beyond what the ratings say.
    pub x2: f64,
    /// Its mean where each prompt's surprises have random signs.
    pub expected: f64,
    /// Share of these that are as large or larger.
    pub p: f64,
    /// Typical effect of a pair beyond chance, in Elo points.
    pub beyond_elo: f64,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Diagnosis {
    pub variants: Vec<Variant>,
    pub left_out: Option<LeftOut>,
    /// None without a pair more than links three or more methods, none unbeaten by the rest.
    pub intransitivity: Option<Intransitivity>,
    /// Best and worst rank by method, each right by itself: for a method that was chosen before its
    /// games were seen. None where the board has none.
    pub ranks: Option<Vec<(usize, usize)>>,
}

/// Rates the answers of a board under other assumptions. `voters` has the voter of each answer, or
/// of none, as for [`super::people_board`]. `model` is the board's own; `others` are
/// further sets of answers that are rated in the same way, each with its assumption: those without
/// one judge, say.
///
/// # Errors
/// As of [`fit`] for the board itself; an assumption under which there is no board is left out.
pub fn diagnose(
    methods: &[String],
    answers: &[Answer],
    voters: &[usize],
    model: &Model,
    seed: u64,
    others: &[(String, Vec<Answer>)],
) -> Result<Diagnosis, RateError> {
    let own = games(&units(answers));
    let table = Table::new(methods.len(), &own)?;
    let model = &with_sides(model, &table)?;
    let fitted = |table: &Table, model: &Model| {
        fit(table, methods, &with_sides(model, table)?, Anchor::Mean)
    };
    let ratings = |found: Result<Fit, RateError>| found.map(|fit| fit.ratings);
    let rated = |games: &[Game]| ratings(fitted(&Table::new(methods.len(), games)?, model));
    let draws = |draws| ratings(fitted(&table, &Model { draws, ..*model }));
    let prior =
        |sd_elo| ratings(fitted(&table, &Model { prior: Some(Prior { sd_elo }), ..*model }));
    let found = fitted(&table, model)?;
    let base = &found.ratings;
    let decided: Vec<Game> = own.iter().filter(|g| g.winner != Winner::Tie).copied().collect();
    let mut tried = vec![
        ("a draw is half a win for each", draws(Draws::Half)),
        ("a draw is a win for each", draws(Draws::BothWin)),
        ("draws have a share of their own (Davidson)", draws(Draws::Davidson)),
        ("draws are left out", rated(&decided)),
        ("prior of 400 points", prior(400.0)),
        ("prior of 1,600 points", prior(1600.0)),
        ("every pair weighs the same", rated(&level(&own))),
    ];
    if answers.iter().any(|answer| answer.side != Side::Neither) {
        let each = Table::gathered(methods.len(), each_order_games(answers))?;
        for (name, fits_bias) in [
            ("each order is half a game", false),
            ("each order is half a game, left/right bias fitted", true),
        ] {
            let model = Model { fits_bias, ..*model };
            tried.push((name, ratings(fit(&each, methods, &model, Anchor::Mean))));
        }
    }
    let tried = tried.into_iter().map(|(name, found)| (name.to_owned(), found));
    let others = others.iter().map(|(name, of)| (name.clone(), rated(&games(&units(of)))));
    // Of a pair as a whole: a win does not depend on the side.
    let sideless = own.iter().map(|game| Game { side: Side::Neither, ..*game });
    let sideless = Table::gathered(methods.len(), sideless)?;
    let has_spread = table.num_clusters >= CLUSTERS_MIN;
    let voted = by_voter(methods.len(), answers, voters)?;
    let spread =
        has_spread.then(|| Spread::of_board(&table, voted.as_ref(), model, &found)).flatten();
    let variants =
        tried.chain(others).filter_map(|(name, found)| Some(variant(name, base, found.ok()?)));
    Ok(Diagnosis {
        variants: variants.collect(),
        left_out: left_out(&own, &table, model, &found),
        intransitivity: intransitivity(methods, &sideless, seed)?,
        ranks: spread.map(|spread| one_by_one(base, &spread, SIGNS_RANKS, seed)),
    })
}

impl Variant {
    /// Whether all methods have the same rating.
    pub fn is_level(&self) -> bool {
        first(&self.ratings).len() == self.ratings.len()
    }
}

fn variant(name: String, base: &[f64], ratings: Vec<f64>) -> Variant {
    let spread = |ratings: &[f64]| {
        let squares: f64 = ratings.iter().map(|r| (r - 1000.0) * (r - 1000.0)).sum();
        (squares / ratings.len() as f64).sqrt()
    };
    let (own, other) = (spread(base), spread(&ratings));
    let scale = if own > LEVEL_ELO { other / own } else { 1.0 };
    let moved =
        base.iter().zip(&ratings).map(|(x, y)| (x - 1000.0 - (y - 1000.0) / scale.max(1e-6)).abs());
    Variant {
        name,
        moved_elo: moved.fold(0.0, f64::max),
        scale,
        turned: turned(base, &ratings),
        first: first(&ratings)[0],
        ratings,
    }
}

/// Pairs in opposite orders; equal ratings in one board are in no order.
fn turned(x: &[f64], y: &[f64]) -> usize {
    let sign = |d: f64| if d.abs() < LEVEL_ELO { 0.0 } else { d.signum() };
    let pairs = (0..x.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.filter(|&(i, j)| sign(x[i] - x[j]) * sign(y[i] - y[j]) < 0.0).count()
}

/// The methods that are level with the best.
fn first(ratings: &[f64]) -> Vec<usize> {
    let best = ratings.iter().fold(f64::NEG_INFINITY, |best, r| best.max(*r));
    (0..ratings.len()).filter(|i| ratings[*i] > best - LEVEL_ELO).collect()
}

/// The games with weights such that each two methods that met have one game in all.
fn level(games: &[Game]) -> Vec<Game> {
    // Games of units have the smaller method first.
    let pair = |game: &Game| (game.a, game.b);
    let mut sums: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for game in games {
        *sums.entry(pair(game)).or_default() += game.weight;
    }
    let mean = games.iter().map(|game| game.weight).sum::<f64>() / sums.len().max(1) as f64;
    let weighed = |game: &Game| Game { weight: game.weight * mean / sums[&pair(game)], ..*game };
    games.iter().map(weighed).collect()
}

fn left_out(games: &[Game], table: &Table, model: &Model, fit: &Fit) -> Option<LeftOut> {
    let prompts: Vec<usize> = places(games.iter().map(|game| game.prompt)).into_keys().collect();
    if prompts.len() < 2 || prompts.len().saturating_mul(table.num_shares()) > LEFT_OUT_MAX {
        return None;
    }
    let base = &fit.ratings;
    let mut out = LeftOut {
        first_changes: 0,
        order_changes: 0,
        prompt: prompts[0],
        moved_elo: 0.0,
        method: 0,
        num_prompts: prompts.len(),
    };
    for (found, prompt) in without_each(table, model, fit).iter().zip(prompts) {
        // Where the rest falls apart there is no order to compare with.
        let Some(Fit { ratings: found, .. }) = found else {
            continue;
        };
        let best = first(base);
        out.first_changes += usize::from(!first(found).iter().any(|i| best.contains(i)));
        out.order_changes += usize::from(turned(base, found) > 0);
        for (method, (x, y)) in base.iter().zip(found).enumerate() {
            if (x - y).abs() > out.moved_elo {
                (out.moved_elo, out.method, out.prompt) = ((x - y).abs(), method, prompt);
            }
        }
    }
    Some(out)
}

/// The fit without each cluster in turn, about a mean of 1000; none where the rest has no ratings.
fn without_each(table: &Table, model: &Model, fit: &Fit) -> Vec<Option<Fit>> {
    let likelihood = Likelihood::of_table(table, &table.totals, model);
    let near = likelihood.curved(&likelihood.parameters(fit));
    // Shares by cluster.
    let mut shares = vec![Vec::new(); table.num_clusters];
    for cell in 0..table.cells.len() {
        for share in table.shares(cell) {
            shares[share.cluster as usize].push((cell, share.counts));
        }
    }
    let without = |shares: &Vec<(usize, Counts)>| {
        let mut totals = table.totals.clone();
        for (cell, counts) in shares {
            totals[*cell] = totals[*cell].less(counts);
        }
        let met = table.cells.iter().zip(&totals).filter(|(_, counts)| counts.total() > 1e-9);
        if groups(table.num_methods, met.map(|(cell, _)| cell)).len() > 1 {
            return None;
        }
        let likelihood = Likelihood::of_table(table, &totals, model);
        let (at, iterations) = maximum(&likelihood, fit, near.as_ref(), TOLERANCE_ELO).ok()?;
        Some(likelihood.fit(&at, iterations))
    };
    parallel::map(&shares, without)
}

/// Residuals of pairs, taken off what other ratings could explain, against the same with random
/// signs for whole prompts.
fn intransitivity(
    methods: &[String],
    table: &Table,
    seed: u64,
) -> Result<Option<Intransitivity>, RateError> {
    // Between groups of which one never lost to the other, only the prior says what was to be
    // expected, and nothing can run in a circle.
    let groups = strong_components(table);
    let Some(inside) = groups.iter().max_by_key(|group| group.len()) else {
        return Ok(None);
    };
    let place = |method: usize| inside.iter().position(|other| *other == method);
    let n = inside.len();
    if n < 3 {
        return Ok(None);
    }
    let theta = fit(table, methods, &Model::default(), Anchor::Mean)?.ratings;
    let mut information = vec![1.0 / n as f64; n * n];
    // Each pair, its information, and what each cluster says beyond expectation.
    let mut pairs = Vec::new();
    for (i, cell) in table.cells.iter().enumerate() {
        let Some((a, b)) = place(cell.a).zip(place(cell.b)) else {
            continue;
        };
        let expected = shares((theta[cell.a] - theta[cell.b]) / ELO_PER_NAT, 0.0);
        let weight = (table.totals[i].total() * curvature(expected)).max(1e-12);
        let of = |share: &Share| {
            let more = Sum::new(&share.counts, Draws::Half).beyond(expected);
            (share.cluster as usize, more)
        };
        add_pair(&mut information, n, (a, b), weight);
        pairs.push((a, b, weight, table.shares(i).iter().map(of).collect::<Vec<_>>()));
    }
    let factor = Factor::new(n, information).filter(|_| pairs.len() >= n);
    let Some(factor) = factor else {
        return Ok(None);
    };
    let x2 = |signs: &[f64]| {
        let mut moved = vec![0.0; n];
        let mut residuals = Vec::with_capacity(pairs.len());
        for (a, b, _, said) in &pairs {
            let more: f64 = said.iter().map(|(cluster, more)| signs[*cluster] * more).sum();
            moved[*a] += more;
            moved[*b] -= more;
            residuals.push(more);
        }
        factor.solve(&mut moved);
        let rest = pairs.iter().zip(&residuals).map(|((a, b, w, _), more)| {
            let rest = more - w * (moved[*a] - moved[*b]);
            rest * rest / w
        });
        rest.sum::<f64>()
    };
    let seen = x2(&vec![1.0; table.num_clusters]);
    let mut random = Random::new(seed, 9);
    let (mut sum, mut larger) = (0.0, 0);
    for _ in 0..SIGNS {
        let signs: Vec<f64> =
            (0..table.num_clusters).map(|_| if random.unit() < 0.5 { 1.0 } else { -1.0 }).collect();
        let one = x2(&signs);
        sum += one;
        // Equal but for rounding: with few prompts many signs give the same.
        larger += usize::from(one + 1e-9 >= seen * (1.0 - 1e-6));
    }
    let mean = sum / SIGNS as f64;
    let information: f64 = pairs.iter().map(|(_, _, w, _)| w).sum();
    Ok(Some(Intransitivity {
        x2: seen,
        expected: mean,
        p: (larger + 1) as f64 / (SIGNS + 1) as f64,
        beyond_elo: ((seen - mean).max(0.0) / information).sqrt() * ELO_PER_NAT,
    }))
}
