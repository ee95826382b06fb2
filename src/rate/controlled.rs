//! Ratings with facts of the assets held equal: Bradley–Terry with covariates, as Chatbot Arena's style control (Li, Angelopoulos &
//! Chiang 2024, "Does style matter?").
//!
//! `x = θₐ − θ_b + Σ_k β_k d_k`, where `d_k` is the figure of a's asset less that of b's, over its root mean square over the games. It is
//! not centred: who is listed first means nothing, so its mean belongs to nobody. Both θ and β have the weak prior of ratings. Draws count as
//! on the plain board, with Davidson's ν as fitted there. The plain ratings beside it rest on the same games.

use super::board::{Bound, bounds};
use super::bootstrap::{
    BLOCK, CLUSTERS_MIN, Interval, LEVEL_ELO, draw, rank_range, replicates_of, widened, widening,
};
use super::bradley_terry::{anchored, fit};
use super::connect::strong_components;
use super::elo::{ELO_ORIGIN, ELO_PER_NAT};
use super::error::RateError;
use super::game::{Game, Side};
use super::likelihood::{Sum, curvature, shares};
use super::linear::{Concave, Factor, ITERATIONS_MAX, climb};
use super::model::{Anchor, Fit, Model, Prior};
use super::table::{Counts, Table};
use crate::rubric::Winner;
use rayon::prelude::*;

/// A fact that fewer games know of than this share of them is not held equal.
const KNOWN_MIN: f64 = 0.5;
/// A fact of which the methods (and the facts before it) explain all but this share of the squares cannot be told from them.
const OWN_MIN: f64 = 0.01;
/// Meetings times replicates; a run with more gets fewer replicates, but no fewer than these.
const REFITS_MAX: usize = 200_000_000;
const REPLICATES_MIN: usize = 200;
/// Steps below this end a fit, and that of a replicate, in natural log-odds.
const TOLERANCE: f64 = 1e-11;
const TOLERANCE_REPLICATE: f64 = 1e-6;

/// All games of two assets with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Meeting {
    pub a: usize,
    /// Another method.
    pub b: usize,
    /// Index of the prompt, the cluster.
    pub prompt: usize,
    pub counts: Counts,
    /// Of each fact, the figure of a's asset less that of b's; none where either is not known.
    pub differences: Vec<Option<f64>>,
}

/// Why a fact is not held equal.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Uncontrollable {
    #[error("known of both assets in {:.0} % of the games; {:.0} % are needed", 100.0 * .known, 100.0 * KNOWN_MIN)]
    Missing { known: f64 },
    #[error("the same for both assets of every game")]
    Constant,
    #[error(
        "a trait of the methods and not of their assets: {:.1} % of its differences are left once methods and the facts before it are known, and {:.0} % are needed to tell its effect from theirs", 100.0 * .own, 100.0 * OWN_MIN
    )]
    Collinear { own: f64 },
}

/// Facts by their index, and why each is not held equal.
pub type Refused = Vec<(usize, Uncontrollable)>;

/// What one fact does to a game.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Effect {
    /// Its index in the differences of the meetings.
    pub fact: usize,
    /// Root mean square of its difference over the games: what "one standard deviation" is.
    pub sd: f64,
    /// Elo points for one standard deviation more.
    pub elo: f64,
    pub interval: Option<Interval>,
}

/// One method with style held equal.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ControlledLine {
    pub method: usize,
    pub rating: f64,
    /// None as on a plain board: too few prompts, or a rating that the prior alone bounds.
    pub interval: Option<Interval>,
    /// On which side its rating is open; as of the plain one.
    pub bound: Option<Bound>,
    /// Place on this board, from 1; equal ratings share one.
    pub rank: usize,
    /// Best and worst rank in 95 % of the replicates.
    pub ranks: Option<(usize, usize)>,
    /// Rating and place by the same games without any fact.
    pub plain: f64,
    pub plain_rank: usize,
    /// `rating − plain`.
    pub moved: f64,
    pub moved_interval: Option<Interval>,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Controlled {
    /// Best first.
    pub lines: Vec<ControlledLine>,
    pub effects: Vec<Effect>,
    /// Weight of the games that it rests on, and of those that lack a figure.
    pub games: f64,
    pub left_out: f64,
    pub num_prompts: usize,
    pub replicates: usize,
}

/// Rates `methods` with as many of the facts held equal as can be, and says of the others why not; all meetings have as many differences.
/// None where no fact can be held equal.
///
/// # Errors
/// As of [`fit`], of the games that have all figures.
pub fn controlled(
    methods: &[String],
    meetings: &[Meeting],
    model: &Model,
    anchor: Anchor,
    replicates: usize,
    seed: u64,
) -> Result<(Option<Controlled>, Refused), RateError> {
    let num_facts = meetings.first().map_or(0, |m| m.differences.len());
    let all: f64 = meetings.iter().map(|m| m.counts.total()).sum();
    let mut refused = Vec::new();
    let mut facts = Vec::new();
    for fact in 0..num_facts {
        let knowing = meetings.iter().filter(|m| m.differences[fact].is_some());
        let known = knowing.map(|m| m.counts.total()).sum::<f64>() / all;
        match known >= KNOWN_MIN {
            true => facts.push(fact),
            false => refused.push((fact, Uncontrollable::Missing { known })),
        }
    }
    let kept: Vec<&Meeting> = (meetings.iter())
        .filter(|m| facts.iter().all(|&fact| m.differences[fact].is_some()))
        .collect();
    let games: f64 = kept.iter().map(|m| m.counts.total()).sum();
    if facts.is_empty() {
        return Ok((None, refused));
    }
    let table = Table::gathered(methods.len(), kept.iter().copied().flat_map(games_of))?;
    let model = Model {
        fits_bias: false,
        ..*model
    };
    let plain = fit(&table, methods, &model, anchor)?;
    let mut rows = Rows::new(
        methods.len(),
        &kept,
        &facts,
        &model,
        plain.tie.unwrap_or(0.0),
    );
    let chosen = rows.choose(&facts, &mut refused);
    refused.sort_by_key(|(fact, _)| *fact);
    if chosen.is_empty() {
        return Ok((None, refused));
    }
    let facts: Vec<usize> = chosen.iter().map(|&place| facts[place]).collect();
    rows.keep(&chosen);

    let whole = vec![1.0; rows.num_clusters];
    let target = Weighted {
        rows: &rows,
        times: &whole,
        prior: model.prior,
    };
    let mut at = rows.start(&plain);
    if climb(&target, &mut at, None, TOLERANCE).is_none() {
        return Err(RateError::NotSettled {
            iterations: ITERATIONS_MAX,
        });
    }
    let estimate = rows.fit(&at, anchor);
    let replicates = replicates.min((REFITS_MAX / rows.rows.len().max(1)).max(REPLICATES_MIN));
    let drawn = match table.num_clusters < CLUSTERS_MIN || replicates == 0 {
        true => None,
        false => {
            let plain = replicates_of(&table, &model, anchor, &plain, replicates, seed)?;
            Some((
                rows.replicates(&at, &model, anchor, replicates, seed)?,
                plain,
            ))
        }
    };
    let (lines, effects) = summary(&Fitted {
        rows: &rows,
        estimate: &estimate,
        plain: &plain.ratings,
        drawn: drawn.as_ref(),
        bounds: &bounds(methods.len(), &strong_components(&table)),
        facts: &facts,
        anchor,
    });
    let found = Controlled {
        lines,
        effects,
        games,
        left_out: all - games,
        num_prompts: table.num_clusters,
        replicates: drawn.map_or(0, |_| replicates),
    };
    Ok((Some(found), refused))
}

fn games_of(meeting: &Meeting) -> impl Iterator<Item = Game> + use<> {
    let Meeting { a, b, prompt, .. } = *meeting;
    let counts = meeting.counts;
    let each = [
        (Winner::A, counts.a_wins),
        (Winner::B, counts.b_wins),
        (Winner::Tie, counts.ties),
    ];
    let there = each.into_iter().filter(|(_, weight)| *weight > 0.0);
    there.map(move |(winner, weight)| Game {
        a,
        b,
        prompt,
        winner,
        side: Side::Neither,
        weight,
    })
}

#[derive(Debug, Clone, Copy)]
struct Row {
    a: usize,
    b: usize,
    cluster: usize,
    sum: Sum,
}

/// Meetings as the fit reads them.
struct Rows {
    num_methods: usize,
    num_clusters: usize,
    rows: Vec<Row>,
    /// Differences over their root mean squares, row by row.
    z: Vec<f64>,
    num_facts: usize,
    /// Root mean square of each fact.
    sds: Vec<f64>,
    nu: f64,
}

/// Ratings, about the anchor, and points for one standard deviation of each fact.
#[derive(Debug, Clone)]
struct Estimate {
    ratings: Vec<f64>,
    effects: Vec<f64>,
}

impl Rows {
    /// Every difference that is asked for is known.
    fn new(num_methods: usize, kept: &[&Meeting], facts: &[usize], model: &Model, nu: f64) -> Self {
        let mut prompts: Vec<usize> = kept.iter().map(|m| m.prompt).collect();
        prompts.sort_unstable();
        prompts.dedup();
        let row = |m: &&Meeting| Row {
            a: m.a,
            b: m.b,
            cluster: prompts.binary_search(&m.prompt).unwrap_or_default(),
            sum: Sum::new(&m.counts, model.draws),
        };
        let rows: Vec<Row> = kept.iter().map(row).collect();
        let difference = |m: &Meeting, fact: usize| m.differences[fact].unwrap_or_default();
        let mut z: Vec<f64> = (kept.iter())
            .flat_map(|m| facts.iter().map(|&fact| difference(m, fact)))
            .collect();
        let games: f64 = rows.iter().map(|row| row.sum.games).sum();
        let sd = |place: usize| {
            let squares = rows.iter().zip(z.chunks_exact(facts.len()));
            let squares = squares.map(|(row, z)| row.sum.games * z[place] * z[place]);
            (squares.sum::<f64>() / games).sqrt()
        };
        let sds: Vec<f64> = (0..facts.len()).map(sd).collect();
        for z in z.chunks_exact_mut(facts.len()) {
            (z.iter_mut().zip(&sds)).for_each(|(z, sd)| *z /= sd.max(f64::MIN_POSITIVE));
        }
        Self {
            num_methods,
            num_clusters: prompts.len(),
            rows,
            z,
            num_facts: facts.len(),
            sds,
            nu,
        }
    }

    /// Places of the facts whose effects can be told from those of the methods and of the facts before them.
    fn choose(&self, facts: &[usize], refused: &mut Refused) -> Vec<usize> {
        let (n, p) = (self.num_methods, self.num_facts);
        let size = n + p;
        let mut gram = vec![0.0; size * size];
        let mut games = 0.0;
        for (row, z) in self.rows.iter().zip(self.z.chunks_exact(p)) {
            let weight = row.sum.games;
            games += weight;
            let column = |i: usize| match i {
                i if i == row.a => 1.0,
                i if i == row.b => -1.0,
                i if i < n => 0.0,
                i => z[i - n],
            };
            let places = [row.a, row.b].into_iter().chain(n..size);
            for i in places.clone() {
                for j in places.clone() {
                    gram[i * size + j] += weight * column(i) * column(j);
                }
            }
        }
        // The mean of all methods is free; this holds it, and takes nothing from the differences.
        for i in 0..n {
            gram[i * size..i * size + n]
                .iter_mut()
                .for_each(|x| *x += games);
        }
        let mut chosen: Vec<usize> = Vec::new();
        for (place, &fact) in facts.iter().enumerate() {
            if self.sds[place] <= f64::MIN_POSITIVE {
                refused.push((fact, Uncontrollable::Constant));
                continue;
            }
            let known: Vec<usize> = (0..n).chain(chosen.iter().map(|k| n + k)).collect();
            let of = |i: usize, j: usize| gram[i * size + j];
            let block = known
                .iter()
                .flat_map(|&i| known.iter().map(move |&j| of(i, j)));
            let own = n + place;
            let with: Vec<f64> = known.iter().map(|&i| of(i, own)).collect();
            let Some(factor) = Factor::new(known.len(), block.collect()) else {
                refused.push((fact, Uncontrollable::Collinear { own: 0.0 }));
                continue;
            };
            let mut explained = with.clone();
            factor.solve(&mut explained);
            let explained: f64 = with.iter().zip(&explained).map(|(x, y)| x * y).sum();
            let left = (1.0 - explained / of(own, own)).max(0.0);
            match left >= OWN_MIN {
                true => chosen.push(place),
                false => refused.push((fact, Uncontrollable::Collinear { own: left })),
            }
        }
        chosen
    }

    /// Leaves these facts alone.
    fn keep(&mut self, places: &[usize]) {
        let rows = self.z.chunks_exact(self.num_facts);
        self.z = rows.flat_map(|z| places.iter().map(|&k| z[k])).collect();
        self.sds = places.iter().map(|&k| self.sds[k]).collect();
        self.num_facts = places.len();
    }

    fn start(&self, plain: &Fit) -> Vec<f64> {
        let mean = plain.ratings.iter().sum::<f64>() / plain.ratings.len() as f64;
        let theta = plain.ratings.iter().map(|r| (r - mean) / ELO_PER_NAT);
        theta.chain((0..self.num_facts).map(|_| 0.0)).collect()
    }

    fn fit(&self, at: &[f64], anchor: Anchor) -> Estimate {
        let (theta, beta) = at.split_at(self.num_methods);
        let found = anchored(
            Fit {
                ratings: (theta.iter())
                    .map(|t| ELO_ORIGIN + t * ELO_PER_NAT)
                    .collect(),
                left_bias: None,
                tie: None,
                iterations: 0,
            },
            anchor,
        );
        Estimate {
            ratings: found.ratings,
            effects: beta.iter().map(|b| b * ELO_PER_NAT).collect(),
        }
    }

    /// A fit of each sample of prompts; the same prompts as those of the plain board.
    fn replicates(
        &self,
        at: &[f64],
        model: &Model,
        anchor: Anchor,
        replicates: usize,
        seed: u64,
    ) -> Result<Vec<Estimate>, RateError> {
        // A sample may lack any loss of a method.
        let prior = Some(model.prior.unwrap_or_default());
        let rows = self;
        let times = &vec![1.0; self.num_clusters][..];
        let near = Weighted { rows, times, prior }.curved(at);
        let block = |block: usize| {
            let first = block * BLOCK;
            let drawn = draw(self.num_clusters, seed, first);
            let of = |k: usize| {
                let times: Vec<f64> = drawn.iter().map(|times| times[k]).collect();
                let mut at = at.to_vec();
                let times = &times;
                let target = Weighted { rows, times, prior };
                climb(&target, &mut at, near.as_ref(), TOLERANCE_REPLICATE)
                    .map(|_| self.fit(&at, anchor))
                    .ok_or(RateError::NotSettled {
                        iterations: ITERATIONS_MAX,
                    })
            };
            (0..BLOCK.min(replicates - first)).map(of).collect()
        };
        let blocks: Result<Vec<Vec<Estimate>>, RateError> = (0..replicates.div_ceil(BLOCK))
            .into_par_iter()
            .map(block)
            .collect();
        Ok(blocks?.into_iter().flatten().collect())
    }
}

/// The log-likelihood with each cluster counted so often. Parameters: θ for each method, then β for each fact.
struct Weighted<'a> {
    rows: &'a Rows,
    times: &'a [f64],
    prior: Option<Prior>,
}

impl Weighted<'_> {
    /// 1 / σ² in natural units; 0 without a prior.
    fn pull(&self) -> f64 {
        self.prior.map_or(0.0, |prior| {
            let sd = prior.sd_elo / ELO_PER_NAT;
            1.0 / (sd * sd)
        })
    }

    /// Rows that count, with their weight, their place and their outcome's probabilities.
    fn each(&self, at: &[f64], mut each: impl FnMut(&Row, &[f64], f64, [f64; 3])) {
        let Rows {
            num_methods, nu, ..
        } = *self.rows;
        let (theta, beta) = at.split_at(num_methods);
        for (row, z) in (self.rows.rows.iter()).zip(self.rows.z.chunks_exact(beta.len())) {
            let times = self.times[row.cluster];
            if times > 0.0 {
                let style: f64 = beta.iter().zip(z).map(|(b, z)| b * z).sum();
                let x = theta[row.a] - theta[row.b] + style;
                each(row, z, times, shares(x, nu));
            }
        }
    }
}

impl Concave for Weighted<'_> {
    fn gradient(&self, at: &[f64], gradient: &mut [f64]) {
        let n = self.rows.num_methods;
        gradient.fill(0.0);
        self.each(at, |row, z, times, p| {
            let more = times * (row.sum.score - row.sum.games * (p[0] + 0.5 * p[1]));
            gradient[row.a] += more;
            gradient[row.b] -= more;
            (gradient[n..].iter_mut().zip(z)).for_each(|(g, z)| *g += more * z);
        });
        let pull = self.pull();
        // Without a prior, `(Σθ)² / 2` holds the sum at 0, which the likelihood leaves free.
        let sum: f64 = at[..n].iter().sum();
        let gauge = if pull == 0.0 { sum } else { 0.0 };
        (gradient[..n].iter_mut()).for_each(|g| *g -= gauge);
        (gradient.iter_mut().zip(at)).for_each(|(g, at)| *g -= pull * at);
    }

    fn curved(&self, at: &[f64]) -> Option<Factor> {
        let n = self.rows.num_methods;
        let size = at.len();
        let pull = self.pull();
        let mut out = vec![0.0; size * size];
        if pull == 0.0 {
            for i in 0..n {
                out[i * size..i * size + n].fill(1.0);
            }
        }
        (0..size).for_each(|i| out[i * size + i] += pull);
        self.each(at, |row, z, times, p| {
            let w = times * row.sum.games * curvature(p);
            out[row.a * size + row.a] += w;
            out[row.b * size + row.b] += w;
            out[row.a * size + row.b] -= w;
            out[row.b * size + row.a] -= w;
            for (k, z_k) in z.iter().enumerate() {
                // The factor reads the lower half only.
                let line = &mut out[(n + k) * size..(n + k + 1) * size];
                line[row.a] += w * z_k;
                line[row.b] -= w * z_k;
                (line[n..].iter_mut().zip(&z[..=k])).for_each(|(to, z)| *to += w * z_k * z);
            }
        });
        Factor::new(size, out)
    }
}

/// All that the lines are written from.
struct Fitted<'a> {
    rows: &'a Rows,
    estimate: &'a Estimate,
    plain: &'a [f64],
    /// With facts and without, replicate by replicate.
    drawn: Option<&'a (Vec<Estimate>, Vec<Fit>)>,
    bounds: &'a [Option<Bound>],
    facts: &'a [usize],
    anchor: Anchor,
}

fn summary(fitted: &Fitted<'_>) -> (Vec<ControlledLine>, Vec<Effect>) {
    let Fitted {
        estimate, plain, ..
    } = *fitted;
    let widening = widening(fitted.rows.num_clusters.max(2));
    let interval = |value: f64, of: &dyn Fn(&Estimate, &Fit) -> f64| {
        let (with, without) = fitted.drawn?;
        let values = with.iter().zip(without).map(|(x, y)| of(x, y)).collect();
        let found = widened(values, value, widening);
        (found.high - found.low > LEVEL_ELO).then_some(found)
    };
    let line = |method: usize| {
        let rating = estimate.ratings[method];
        let moved = rating - plain[method];
        let is_open = fitted.bounds[method].is_some();
        let is_anchor = fitted.anchor == Anchor::Method(method);
        let drawn_ranks = fitted
            .drawn
            .map(|(with, _)| rank_range(with.iter().map(|e| rank(&e.ratings, method)).collect()));
        ControlledLine {
            method,
            rating,
            interval: (interval(rating, &|e, _| e.ratings[method]))
                .filter(|_| !is_open && !is_anchor),
            bound: fitted.bounds[method],
            rank: rank(&estimate.ratings, method),
            ranks: drawn_ranks,
            plain: plain[method],
            plain_rank: rank(plain, method),
            moved,
            moved_interval: (interval(moved, &|e, f| e.ratings[method] - f.ratings[method]))
                .filter(|_| !is_open),
        }
    };
    let mut lines: Vec<ControlledLine> = (0..plain.len()).map(line).collect();
    lines.sort_by(|x, y| (x.rank.cmp(&y.rank)).then(x.method.cmp(&y.method)));
    let effect = |(place, &fact): (usize, &usize)| Effect {
        fact,
        sd: fitted.rows.sds[place],
        elo: estimate.effects[place],
        interval: interval(estimate.effects[place], &|e, _| e.effects[place]),
    };
    (lines, fitted.facts.iter().enumerate().map(effect).collect())
}

/// One more than those above it.
fn rank(ratings: &[f64], method: usize) -> usize {
    let above = ratings.iter().filter(|r| **r > ratings[method] + LEVEL_ELO);
    1 + above.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::Draws;

    /// Two methods that share a fact to three quarters: what is left of it, by hand.
    #[test]
    fn what_methods_explain_of_a_fact_is_counted_by_hand() {
        let meeting = |prompt: usize, difference: f64| Meeting {
            a: 0,
            b: 1,
            prompt,
            counts: Counts {
                a_wins: 1.0,
                b_wins: 1.0,
                ties: 0.0,
            },
            differences: vec![Some(difference)],
        };
        // Mean 1, squares 1 + 0.04: of 1.04 the methods explain 1.
        let all: Vec<Meeting> = (0..6)
            .map(|i| meeting(i, if i % 2 == 0 { 1.2 } else { 0.8 }))
            .collect();
        let kept: Vec<&Meeting> = all.iter().collect();
        let rows = Rows::new(2, &kept, &[0], &Model::default(), 0.0);
        assert!((rows.sds[0] - 1.04_f64.sqrt()).abs() < 1e-12);
        let mut refused = Vec::new();
        assert_eq!(rows.choose(&[0], &mut refused), [0]);
        // 1 + 0.0004: a twenty-five-hundredth is left.
        let near: Vec<Meeting> = (0..6)
            .map(|i| meeting(i, if i % 2 == 0 { 1.02 } else { 0.98 }))
            .collect();
        let kept: Vec<&Meeting> = near.iter().collect();
        let rows = Rows::new(2, &kept, &[0], &Model::default(), 0.0);
        assert!(rows.choose(&[0], &mut refused).is_empty());
        let (_, Uncontrollable::Collinear { own }) = refused[0] else {
            panic!("{refused:?}")
        };
        assert!((own - 0.0004 / 1.0004).abs() < 1e-9, "{own}");
        let draws = Model {
            draws: Draws::BothWin,
            ..Model::default()
        };
        assert_eq!(
            Rows::new(2, &kept, &[0], &draws, 0.0).rows[0].sum.games,
            2.0
        );
    }
}
