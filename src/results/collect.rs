//! Verdicts → answers and scores on each criterion, by voice, methods still by name.

use super::error::ResultsError;
use super::majority::{SampleMargins, averaged, merged};
use super::voice::Voice;
use crate::rate::{Answer, Score, Side, Winner};
use crate::rubric::{Order, Verdict};
use crate::store::{PairResult, PlannedPair, Rater, RaterKind, Record};
use std::collections::{BTreeMap, BTreeSet};

/// Digits of a hash that a message shows.
const HASH_SHOWN: usize = 12;

/// Rubric, place of the criterion in it, criterion: sorts as the rubric lists its criteria.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct On {
    pub rubric: String,
    pub place: usize,
    pub criterion: String,
}

/// An answer on two methods, which are still known by name.
#[derive(Debug, Clone)]
pub(super) struct NamedAnswer {
    pub a: String,
    pub b: String,
    /// None for a pair that was decided by the rule on missing assets.
    pub rater: Option<Rater>,
    /// Its indices of methods are not set yet.
    pub answer: Answer,
}

/// A score on one criterion.
#[derive(Debug)]
pub(super) struct Scored {
    pub method: String,
    pub score: Score,
    /// Equal for all samples of one question.
    question: String,
}

#[derive(Debug, Default)]
pub(super) struct Collected {
    /// Index of each prompt: in order of appearance while answers are gathered, sorted by name at the end.
    pub prompts: BTreeMap<String, usize>,
    pub games: BTreeMap<(On, Voice), Vec<NamedAnswer>>,
    pub scores: BTreeMap<(On, Voice), Vec<Scored>>,
    pub undecided: BTreeMap<(On, Voice), usize>,
    pub forfeits: BTreeMap<(On, Voice), usize>,
    pub margins: BTreeMap<(On, Voice), SampleMargins>,
    pub same_method: usize,
}

impl Collected {
    fn prompt(&mut self, name: &str) -> usize {
        let next = self.prompts.len();
        *self.prompts.entry(name.to_owned()).or_insert(next)
    }

    /// Numbers prompts by name instead of by arrival, so that the bootstrap draws the same ones whatever the timing was.
    fn number_prompts(&mut self) {
        let mut numbers = vec![0; self.prompts.len()];
        for (number, seen) in self.prompts.values_mut().enumerate() {
            numbers[*seen] = number;
            *seen = number;
        }
        for NamedAnswer { answer, .. } in self.games.values_mut().flatten() {
            answer.prompt = numbers[answer.prompt];
        }
        for scored in self.scores.values_mut().flatten() {
            scored.score.prompt = numbers[scored.score.prompt];
        }
    }

    /// One place for each criterion: a vote on some criteria counts them from 0, so the greatest place is the rubric's.
    fn settle_places(&mut self) {
        let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
        let keys = (self.games.keys().chain(self.undecided.keys()))
            .chain(self.scores.keys())
            .map(|(on, _)| on);
        for on in keys {
            let place = places
                .entry((on.rubric.clone(), on.criterion.clone()))
                .or_default();
            *place = on.place.max(*place);
        }
        let settled = |(on, voice): (On, Voice)| {
            let place = places[&(on.rubric.clone(), on.criterion.clone())];
            (On { place, ..on }, voice)
        };
        for (key, said) in std::mem::take(&mut self.games) {
            self.games.entry(settled(key)).or_default().extend(said);
        }
        for (key, scores) in std::mem::take(&mut self.scores) {
            self.scores.entry(settled(key)).or_default().extend(scores);
        }
        for (key, count) in std::mem::take(&mut self.undecided) {
            *self.undecided.entry(settled(key)).or_default() += count;
        }
    }
}

/// Verdicts on one rubric are comparable only when drawn and asked in one way. People and other programs did not see our pictures.
pub(super) fn refuse_mixed(verdicts: &[(&Record, &Verdict)]) -> Result<(), ResultsError> {
    let mut seen: BTreeMap<&str, [BTreeSet<String>; 2]> = BTreeMap::new();
    for (record, _) in verdicts
        .iter()
        .filter(|(record, _)| record.judge.is_asked())
    {
        let [protocols, texts] = seen.entry(&record.rubric).or_default();
        protocols.insert(record.protocol.clone().unwrap_or_else(|| "none".to_owned()));
        texts.insert(record.rubric_hash.clone());
    }
    for (rubric, sets) in seen {
        for (what, hashes) in ["render protocols", "versions of the rubric"]
            .into_iter()
            .zip(sets)
        {
            if hashes.len() > 1 {
                let short = |h: &String| h.chars().take(HASH_SHOWN).collect::<String>();
                return Err(ResultsError::Mixed {
                    rubric: rubric.to_owned(),
                    what,
                    hashes: hashes.iter().map(short).collect(),
                });
            }
        }
    }
    Ok(())
}

/// Gathers answers by voice; `pairs` adds those that the rule on missing assets decides, to every voice of a judge on that rubric.
pub(super) fn collect(verdicts: &[(&Record, &Verdict)], pairs: &[PlannedPair]) -> Collected {
    let mut collected = Collected::default();
    let judges: BTreeSet<&Rater> = (verdicts.iter())
        .map(|(record, _)| &record.judge)
        .filter(|judge| judge.is_asked())
        .collect();
    for (record, verdict) in verdicts {
        let judge = Voice::Judge(record.judge.clone());
        let voices = match record.judge.kind() {
            RaterKind::Person => vec![Voice::People],
            RaterKind::Model | RaterKind::Probe if judges.len() > 1 => {
                vec![judge, Voice::AllJudges]
            }
            RaterKind::Model | RaterKind::Probe | RaterKind::Imported => vec![judge],
        };
        // Without a prompt an asset stands for itself.
        let prompt = collected.prompt(record.prompt.as_deref().unwrap_or(&record.a.hash));
        for voice in voices {
            one(record, verdict, prompt, &voice, &mut collected);
        }
    }
    collected.settle_places();
    // Before forfeits, each of which is a game of its own.
    for (key, said) in &mut collected.games {
        let (merged, margins) = merged(
            std::mem::take(said),
            |named| (named.a.clone(), named.b.clone()),
            |named| &mut named.answer,
        );
        *said = merged;
        if margins.questions > 0 {
            collected.margins.insert(key.clone(), margins);
        }
    }
    for scores in collected.scores.values_mut() {
        *scores = averaged(
            std::mem::take(scores),
            |scored| scored.question.clone(),
            |scored| &mut scored.score.value,
        );
    }
    add_forfeits(pairs, &mut collected);
    collected.number_prompts();
    collected
}

fn one(
    record: &Record,
    verdict: &Verdict,
    prompt: usize,
    voice: &Voice,
    collected: &mut Collected,
) {
    let on = |place: usize, criterion: &str| {
        let on = On {
            rubric: record.rubric.clone(),
            place,
            criterion: criterion.to_owned(),
        };
        (on, voice.clone())
    };
    let score = |key: (On, Voice), value: f64, collected: &mut Collected| {
        let scored = Scored {
            method: record.a.method.clone(),
            score: Score { prompt, value },
            question: format!(
                "{prompt}\n{}\n{}",
                record.a.method,
                unit_key(record, &record.a.hash)
            ),
        };
        collected.scores.entry(key).or_default().push(scored);
    };
    match verdict {
        Verdict::Reconstruction { score: value } => {
            score(on(0, "score"), f64::from(*value), collected);
        }
        Verdict::Category {
            aspects,
            overall,
            overall_recomputed,
            undecided,
        } => {
            for (aspect, value) in aspects {
                score(on(0, aspect), *value, collected);
            }
            score(on(1, "overall"), *overall, collected);
            score(on(2, "overall_recomputed"), *overall_recomputed, collected);
            for aspect in undecided {
                *collected.undecided.entry(on(0, aspect)).or_default() += 1;
            }
        }
        Verdict::Pairwise { choices, undecided } => {
            let Some(b) = &record.b else { return };
            if record.a.method == b.method {
                collected.same_method += usize::from(*voice != Voice::AllJudges);
                return;
            }
            for (place, (criterion, won)) in choices.iter().enumerate() {
                let key_on = on(place, criterion);
                if undecided.contains(criterion) {
                    *collected.undecided.entry(key_on).or_default() += 1;
                    continue;
                }
                let named = NamedAnswer {
                    a: record.a.method.clone(),
                    b: b.method.clone(),
                    rater: Some(record.judge.clone()),
                    answer: answer(record, &b.hash, prompt, *won),
                };
                collected.games.entry(key_on).or_default().push(named);
            }
        }
    }
}

/// A record's answer on one pairwise criterion; none without a verdict, or where it is undecided. Indices are not set.
pub fn answer_of(record: &Record, criterion: &str) -> Option<Answer> {
    let winner = record.verdict()?.winner(criterion)?;
    Some(answer(record, &record.b.as_ref()?.hash, 0, winner))
}

fn answer(record: &Record, b_hash: &str, prompt: usize, winner: Winner) -> Answer {
    Answer {
        a: 0,
        b: 0,
        prompt,
        key: unit_key(record, b_hash),
        side: side(record),
        winner,
    }
}

/// A person sees a pair in one order, which is a whole unit; for imported answers the order is unknown; our judges are asked in both.
fn side(record: &Record) -> Side {
    match record.order {
        _ if !record.judge.is_asked() => Side::Neither,
        Order::AsListed => Side::ALeft,
        Order::Swapped => Side::BLeft,
    }
}

/// Equal for the orders and samples of one unit, beside methods and prompt. Repeated votes of a person, or of another program, are
/// separate units.
fn unit_key(record: &Record, b_hash: &str) -> String {
    let sample = if record.judge.is_asked() {
        0
    } else {
        record.sample
    };
    let mut assets = [record.a.hash.as_str(), b_hash];
    assets.sort_unstable();
    let protocol = record.protocol.as_deref().unwrap_or("");
    format!(
        "{}\n{}\n{}\n{protocol}\n{}",
        record.judge,
        sample,
        assets.join("\n"),
        record.rubric_hash
    )
}

/// A missing asset loses: one game a pair for each judge, on every criterion that the judge decided at all.
fn add_forfeits(pairs: &[PlannedPair], collected: &mut Collected) {
    for (number, pair) in pairs.iter().enumerate() {
        let winner = match pair.result {
            PairResult::AByForfeit => Winner::A,
            PairResult::BByForfeit => Winner::B,
            PairResult::Asked | PairResult::LeftOut => continue,
        };
        let prompt = collected.prompt(&pair.prompt);
        let Collected {
            games, forfeits, ..
        } = &mut *collected;
        for ((on, voice), said) in games {
            let is_asked = match voice {
                Voice::Judge(rater) => rater.is_asked(),
                Voice::AllJudges => true,
                Voice::People => false,
            };
            if on.rubric != pair.rubric || !is_asked {
                continue;
            }
            let answer = Answer {
                a: 0,
                b: 0,
                prompt,
                key: format!("forfeit {number}"),
                side: Side::Neither,
                winner,
            };
            said.push(NamedAnswer {
                a: pair.a.clone(),
                b: pair.b.clone(),
                rater: None,
                answer,
            });
            *forfeits.entry((on.clone(), voice.clone())).or_default() += 1;
        }
    }
}
