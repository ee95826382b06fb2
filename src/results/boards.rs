//! Answers, methods still by name → boards and means.

use super::collect::{Choice, Collected, Names, Said, Scored, methods_of};
use super::key::Key;
use super::majority::SampleMargins;
use super::settings::RateSettings;
use super::voice::Voice;
use crate::rate::{
    Anchor, Answer, Board, BoardSettings, Consistency, Mean, Model, Prior, RateError, Score,
    Winner, mean, people_board, units,
};
use crate::rubric::{Rubric, Scale, Yes};
use std::collections::BTreeMap;

/// The leaderboard of one criterion from one voice's verdicts.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CriterionBoard {
    #[serde(flatten)]
    pub key: Key,
    /// Sorted names; every index in the board is into these.
    pub methods: Vec<String>,
    /// Ratings, ranks, intervals, bias.
    pub board: Board,
    /// `wins[i][j]`: units that `i` won against `j`; one that was asked in one order only counts ½.
    pub wins: Vec<Vec<f64>>,
    /// `ties[i][j]`: units without a winner, inconsistent ones included; symmetric.
    pub ties: Vec<Vec<f64>>,
    /// Whether the probe answered too, and is not one of these judges.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_probe: bool,
    /// Answers without a decision on this criterion.
    pub undecided: usize,
    /// Ties because both objects are bad.
    pub both_bad: usize,
    /// Games decided by a missing asset.
    pub forfeits: usize,
    /// Who would be first without those; absent if there are none or the rest cannot be rated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_without_forfeits: Option<usize>,
    /// How clear the majorities are; absent unless questions were asked more than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<SampleMargins>,
}

/// Scores of one criterion by method, best first.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CriterionMeans {
    /// The criterion is `score`, an aspect, `overall` or `overall_recomputed`.
    #[serde(flatten)]
    pub key: Key,
    /// Whether less is better: of a checklist whose items are defects.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_lower_better: bool,
    /// Method and its mean.
    pub means: Vec<(String, Mean)>,
}

/// Why a criterion has no board. Serialised as its message.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UnratedReason {
    /// The judge had no means to answer, as the probe has none to read text.
    #[error("undecided in all {num_answers} answers")]
    Undecided {
        /// How often it was asked.
        num_answers: usize,
    },
    /// The games determine no ratings.
    #[error(transparent)]
    Rate(#[from] RateError),
}

impl serde::Serialize for UnratedReason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A board that could not be made.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Unrated {
    #[serde(flatten)]
    pub key: Key,
    pub reason: UnratedReason,
}

/// Refuses an anchor that no answer names, once instead of for each criterion.
pub(super) fn check_anchor(
    settings: &RateSettings,
    collected: &Collected,
) -> Result<(), RateError> {
    let choices = collected.games.values();
    let said = choices.flat_map(|choices| collected.said(choices));
    let methods = collected.methods.of(&methods_of(said));
    if collected.games.is_empty() { Ok(()) } else { anchor(settings, &methods).map(drop) }
}

/// Every board that can be fitted, and why the others cannot.
pub(super) fn boards(
    settings: &RateSettings,
    collected: &Collected,
) -> (Vec<CriterionBoard>, Vec<Unrated>) {
    let games: Vec<_> = collected.games.iter().collect();
    let of = |games: &[(&Key, &Vec<Choice>)]| -> Vec<Result<CriterionBoard, RateError>> {
        games
            .iter()
            .map(|(key, choices)| criterion_board(settings, collected, key, choices))
            .collect()
    };
    // Two at a time: each takes much memory, and its replicates run side by side.
    let (first, second) = games.split_at(games.len() / 2);
    let (first, second) = rayon::join(|| of(first), || of(second));
    let (mut made, mut unrated) = (Vec::new(), Vec::new());
    for ((key, _), board) in games.iter().zip(first.into_iter().chain(second)) {
        match board {
            Ok(board) => made.push(board),
            Err(e) => unrated.push(Unrated { key: Key::clone(key), reason: e.into() }),
        }
    }
    let no_games = collected.undecided.iter().filter(|(key, _)| {
        !collected.games.contains_key(key) && !collected.scores.contains_key(key)
    });
    for (key, count) in no_games {
        unrated.push(Unrated {
            key: key.clone(),
            reason: UnratedReason::Undecided { num_answers: *count },
        });
    }
    (made, unrated)
}

fn criterion_board(
    settings: &RateSettings,
    collected: &Collected,
    key: &Key,
    choices: &[Choice],
) -> Result<CriterionBoard, RateError> {
    let count = |counts: &BTreeMap<Key, usize>| counts.get(key).copied().unwrap_or(0);
    let (methods, answers) = indexed(collected.said(choices), &collected.methods);
    let board = one(settings, &methods, &answers, &voters(collected, &key.voice, choices))?;
    let (wins, ties) = matrices(methods.len(), &answers);
    let forfeits = count(&collected.forfeits);
    let without =
        (forfeits > 0).then(|| first_without_forfeits(settings, collected, choices, &methods));
    Ok(CriterionBoard {
        key: key.clone(),
        methods,
        board,
        wins,
        ties,
        without_probe: key.voice == Voice::AllJudges && collected.leaves_probe,
        undecided: count(&collected.undecided),
        both_bad: count(&collected.both_bad),
        forfeits,
        first_without_forfeits: without.flatten(),
        samples: collected.margins.get(key).cloned(),
    })
}

/// The methods of these answers, and the answers with indices into them; `names` are sorted.
pub(super) fn indexed(
    said: impl Iterator<Item = Said> + Clone,
    names: &Names,
) -> (Vec<String>, Vec<Answer>) {
    let methods = methods_of(said.clone());
    (names.of(&methods), said.map(|said| said.among(&methods)).collect())
}

/// The method with rating 1000, among the sorted ones of a board.
pub(super) fn anchor(settings: &RateSettings, methods: &[String]) -> Result<Anchor, RateError> {
    let Some(name) = &settings.anchor else {
        return Ok(Anchor::Mean);
    };
    let place = methods.binary_search(name).map_err(|_| RateError::UnknownAnchor {
        anchor: name.clone(),
        methods: methods.to_vec(),
    })?;
    Ok(Anchor::Method(place))
}

/// Who gave each answer, where people did: others could have voted. A judge is itself.
pub(super) fn voters(collected: &Collected, voice: &Voice, choices: &[Choice]) -> Vec<usize> {
    if *voice != Voice::People {
        return Vec::new();
    }
    let voter = |said: Said| said.rater.map_or(usize::MAX, |rater| rater as usize);
    collected.said(choices).map(voter).collect()
}

fn one(
    settings: &RateSettings,
    methods: &[String],
    answers: &[Answer],
    voters: &[usize],
) -> Result<Board, RateError> {
    let settings = BoardSettings {
        model: model_of(settings),
        anchor: anchor(settings, methods)?,
        replicates: settings.replicates as usize,
        seed: settings.seed,
    };
    people_board(methods, answers, voters, &settings)
}

/// How games become ratings.
pub(super) fn model_of(settings: &RateSettings) -> Model {
    Model {
        draws: settings.ties.into(),
        prior: settings.has_prior.then(Prior::default),
        fits_bias: false,
    }
}

/// The first of a board without forfeits, as an index into `methods`.
fn first_without_forfeits(
    settings: &RateSettings,
    collected: &Collected,
    choices: &[Choice],
    methods: &[String],
) -> Option<usize> {
    let judged = collected.said(choices).filter(|said| said.rater.is_some());
    let (names, answers) = indexed(judged, &collected.methods);
    let settings = RateSettings { anchor: None, replicates: 0, ..settings.clone() };
    let board = one(&settings, &names, &answers, &[]).ok()?;
    methods.binary_search(&names[board.lines.first()?.method]).ok()
}

fn matrices(num_methods: usize, answers: &[Answer]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut wins = vec![vec![0.0; num_methods]; num_methods];
    let mut ties = wins.clone();
    for unit in units(answers) {
        let (winner, weight) = match unit.consistency {
            Consistency::Agreed(winner) | Consistency::Sideless(winner) => (winner, 1.0),
            Consistency::Inconsistent => (Winner::Tie, 1.0),
            Consistency::OneOrder(winner) => (winner, 0.5),
        };
        let (a, b) = (unit.a, unit.b);
        match winner {
            Winner::A => wins[a][b] += weight,
            Winner::B => wins[b][a] += weight,
            Winner::Tie => {
                ties[a][b] += weight;
                ties[b][a] += weight;
            }
        }
    }
    (wins, ties)
}

/// Means of every one-object criterion, best first.
pub(super) fn means(
    collected: &Collected,
    checklists: &BTreeMap<String, Yes>,
) -> Vec<CriterionMeans> {
    let one = |(key, said): (&Key, &Vec<Scored>)| {
        let yes = checklists.get(&key.on.rubric);
        let scale = match yes {
            Some(_) => Some(Scale { min: 0, max: 1 }),
            None => Rubric::open(&key.on.rubric).ok().map(|rubric| rubric.scale()),
        };
        let is_lower_better = yes == Some(&Yes::Bad);
        let within = |mut mean: Mean| {
            if let (Some(interval), Some(scale)) = (&mut mean.interval, scale) {
                interval.low = interval.low.max(f64::from(scale.min));
                interval.high = interval.high.min(f64::from(scale.max));
            }
            mean
        };
        let mut by_method: BTreeMap<&str, Vec<Score>> = BTreeMap::new();
        for scored in said {
            let method = &collected.methods.names[scored.method];
            let scores = by_method.entry(method).or_default();
            scores.push(scored.score);
        }
        let mut means: Vec<_> = by_method
            .into_iter()
            .filter_map(|(method, scores)| Some((method.to_owned(), within(mean(&scores)?))))
            .collect();
        let better = |x: &Mean, y: &Mean| match is_lower_better {
            true => x.mean.total_cmp(&y.mean),
            false => y.mean.total_cmp(&x.mean),
        };
        means.sort_by(|x, y| better(&x.1, &y.1).then(x.0.cmp(&y.0)));
        CriterionMeans { is_lower_better, key: key.clone(), means }
    };
    collected.scores.iter().map(one).collect()
}
