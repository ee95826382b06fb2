//! A new method among published scores that stay as they are, as GPTEval3D places one, with an
//! interval that GPTEval3D does not give.
//!
//! The games are those of the boards: both orders of a pair are one, and each voice is placed by
//! itself. In GPTEval3D each order is a game.

use crate::error::Error;
use crate::rate::{
    CLUSTERS_MIN, Draws, Interval, Placed, Random, RateError, Winner, place, widening,
};
use crate::results::{Played, Voice};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Published scores: criterion → method → rating.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Published(pub BTreeMap<String, BTreeMap<String, f64>>);

/// A method's place on one criterion.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Placement {
    pub criterion: String,
    /// Whose verdicts place it.
    pub voice: Voice,
    /// Elo points on the published scale.
    pub rating: f64,
    /// 95 %, from prompts drawn with replacement; none with fewer than five prompts.
    pub interval: Option<Interval>,
    /// Its rank among the published methods; 1 is first.
    pub rank: usize,
    /// Published methods, and this one.
    pub of: usize,
    pub games: usize,
    /// Games against methods that have no published score, left out.
    pub unknown: usize,
    pub prompts: usize,
}

#[derive(Deserialize)]
struct ScoresFile {
    criteria: Vec<CriterionName>,
    scores: Vec<BTreeMap<String, f64>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "the name of a criterion, or its name and description")]
enum CriterionName {
    Key(String),
    /// GPTEval3D's config: name and description.
    InWords(serde::de::IgnoredAny),
}

/// Elo points of either sign; no published board goes farther.
const RATING_MAX: f64 = 1e6;

/// Reads published scores. GPTEval3D's own config names criteria in words: `keys` orders them.
///
/// # Errors
/// [`Error`].
pub fn read_published(path: &Path, keys: &[String]) -> Result<Published, Error> {
    let wrong = |reason: String| {
        Error::run(format!("published scores are GPTEval3D's config.json or {{\"criteria\": [keys], \"scores\": [{{name: rating}}]}}, and this file is neither ({reason})")).at(path)
    };
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    let file: ScoresFile = serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?;
    if file.criteria.len() != file.scores.len() {
        return Err(wrong(format!(
            "{} criteria but {} lists of scores",
            file.criteria.len(),
            file.scores.len()
        )));
    }
    let mut ratings = file.scores.iter().flatten();
    if let Some((method, rating)) = ratings.find(|(_, rating)| rating.abs() > RATING_MAX) {
        return Err(wrong(format!("{rating:e} of {method:?} is not a rating")));
    }
    let named = file.criteria.iter().enumerate().map(|(i, name)| match name {
        CriterionName::Key(key) => Ok(key.clone()),
        CriterionName::InWords(_) => keys
            .get(i)
            .cloned()
            .ok_or_else(|| wrong(format!("criterion {i} has no counterpart in the rubric"))),
    });
    let named = named.collect::<Result<Vec<_>, _>>()?;
    Ok(Published(named.into_iter().zip(file.scores).collect()))
}

/// One game of the new method against a published one.
struct Game {
    prompt: usize,
    placed: Placed,
}

/// The placements, and the criteria and voices without a finite rating, with their reasons.
pub(super) type Placements = (Vec<Placement>, Vec<(String, RateError)>);

/// Places `method` on every criterion that has published scores and games, by each voice.
///
/// # Errors
/// No game against a published generator. A criterion on which it only won or only lost has no
/// finite rating; the reason is returned with its name.
pub fn place_among(
    played: &[Played],
    method: &str,
    published: &Published,
    draws: Draws,
    replicates: usize,
    seed: u64,
) -> Result<Placements, Error> {
    let (mut placements, mut failed) = (Vec::new(), Vec::new());
    for (criterion, scores) in &published.0 {
        for one in played.iter().filter(|one| one.key.criterion() == *criterion) {
            let (games, unknown, prompts) = games_of(one, method, scores);
            if games.is_empty() {
                continue;
            }
            let placed: Vec<Placed> = games.iter().map(|game| game.placed).collect();
            match place(method, &placed, draws) {
                Ok(rating) => placements.push(Placement {
                    criterion: criterion.clone(),
                    voice: one.key.voice.clone(),
                    rating,
                    interval: interval(&games, (prompts, rating), method, draws, replicates, seed),
                    rank: 1 + others(scores, method).filter(|s| *s > rating).count(),
                    of: 1 + others(scores, method).count(),
                    games: games.len(),
                    unknown,
                    prompts,
                }),
                Err(e) => failed.push((format!("{criterion} by {}", one.key.voice), e)),
            }
        }
    }
    if placements.is_empty() && failed.is_empty() {
        let held: BTreeSet<&str> =
            played.iter().flat_map(|one| &one.methods).map(String::as_str).collect();
        let held: Vec<&str> = held.into_iter().collect();
        return Err(Error::run(format!(
            "no verdict compares {method:?} with a generator that has a published score; the runs have {}",
            held.join(", ")
        )));
    }
    Ok((placements, failed))
}

fn others<'a>(scores: &'a BTreeMap<String, f64>, method: &'a str) -> impl Iterator<Item = f64> {
    let others = scores.iter().filter(move |(name, _)| *name != method);
    others.map(|(_, score)| *score)
}

/// The games of the method, those against unknown methods, and the number of prompts.
fn games_of(
    played: &Played,
    method: &str,
    scores: &BTreeMap<String, f64>,
) -> (Vec<Game>, usize, usize) {
    let mut prompts: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut games, mut unknown) = (Vec::new(), 0);
    for game in &played.games {
        let [a, b] = [game.a, game.b].map(|i| &played.methods[i]);
        let is_first = a == method;
        if is_first == (b == method) {
            continue;
        }
        let Some(&opponent) = scores.get(if is_first { b } else { a }) else {
            unknown += 1;
            continue;
        };
        let next = prompts.len();
        let prompt = *prompts.entry(game.prompt).or_insert(next);
        let won = match game.winner {
            Winner::Tie => None,
            Winner::A => Some(is_first),
            Winner::B => Some(!is_first),
        };
        let weight = |is_it: bool| if is_it { game.weight } else { 0.0 };
        games.push(Game {
            prompt,
            placed: Placed {
                opponent,
                wins: weight(won == Some(true)),
                losses: weight(won == Some(false)),
                ties: weight(won.is_none()),
            },
        });
    }
    (games, unknown, prompts.len())
}

/// Percentiles over prompts drawn with replacement, widened as those of boards; a sample without a
/// finite rating sorts beyond all others, on its side.
fn interval(
    games: &[Game],
    (prompts, rating): (usize, f64),
    method: &str,
    draws: Draws,
    replicates: usize,
    seed: u64,
) -> Option<Interval> {
    if prompts < CLUSTERS_MIN || replicates == 0 {
        return None;
    }
    let mut by_prompt: Vec<Vec<Placed>> = vec![Vec::new(); prompts];
    for game in games {
        by_prompt[game.prompt].push(game.placed);
    }
    let mut ratings: Vec<f64> = (0..replicates as u64)
        .map(|replicate| {
            let mut random = Random::new(seed, replicate);
            let drawn: Vec<Placed> = (0..prompts)
                .flat_map(|_| by_prompt[random.below(prompts)].iter().copied())
                .collect();
            place(method, &drawn, draws).unwrap_or_else(|_| {
                let has_lost = drawn.iter().any(|game| game.losses > 0.0);
                if has_lost { f64::NEG_INFINITY } else { f64::INFINITY }
            })
        })
        .collect();
    ratings.sort_by(f64::total_cmp);
    let at = |share: f64| ratings[((replicates - 1) as f64 * share).round() as usize];
    let drawn_out = |end: f64| rating + widening(prompts) * (end - rating);
    let interval = Interval { low: drawn_out(at(0.025)), high: drawn_out(at(0.975)) };
    (interval.low.is_finite() && interval.high.is_finite()).then_some(interval)
}
