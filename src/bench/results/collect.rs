//! Verdicts → answers and scores on each criterion, by voice, methods still by name.

use super::majority::{SampleMargins, averaged, merged};
use super::{ResultsError, Voice};
use crate::rate::{Answer, Score, Side, Winner};
use crate::rubric::{Verdict, Winner as Won};
use crate::store::{HUMAN, IMPORTED, PairResult, PlannedPair, Row};
use std::collections::{BTreeMap, BTreeSet};

/// So much of a hash tells protocols apart for a reader.
const HASH_SHOWN: usize = 12;

/// What the key of a rule's answer begins with; a judge's begins with its name.
const FORFEIT: &str = "forfeit ";

/// Rubric, place of the criterion in it, criterion: sorts as the rubric lists its criteria.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct On {
    pub rubric: String,
    pub place: usize,
    pub criterion: String,
}

/// Two methods and what was said of them; indices of the answer's methods are not set yet.
pub type Said = (String, String, Answer);

/// A score on one criterion.
#[derive(Debug)]
pub struct Scored {
    pub method: String,
    pub score: Score,
    /// What the samples of one question share.
    question: String,
}

/// What the verdicts hold.
#[derive(Debug, Default)]
pub struct Collected {
    /// Index of each prompt: of first sight while answers are gathered, by name at the end.
    pub prompts: BTreeMap<String, usize>,
    pub games: BTreeMap<(On, Voice), Vec<Said>>,
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

    /// Prompts by name, not by the order in which answers came, so that the bootstrap draws the same ones whatever the timing was.
    fn number_prompts(&mut self) {
        let mut numbers = vec![0; self.prompts.len()];
        for (number, seen) in self.prompts.values_mut().enumerate() {
            numbers[*seen] = number;
            *seen = number;
        }
        for (_, _, answer) in self.games.values_mut().flatten() {
            answer.prompt = numbers[answer.prompt];
        }
        for scored in self.scores.values_mut().flatten() {
            scored.score.prompt = numbers[scored.score.prompt];
        }
    }

    /// One place for each criterion: a vote on a few criteria counts them from 0, so the greatest place is the rubric's.
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

/// Verdicts on one rubric are comparable only when drawn and asked in one way. What people and other programs say has no pictures of ours.
pub fn refuse_mixed(verdicts: &[&Row]) -> Result<(), ResultsError> {
    let mut seen: BTreeMap<&str, [BTreeSet<String>; 2]> = BTreeMap::new();
    for row in verdicts.iter().filter(|row| is_asked(row)) {
        let [protocols, texts] = seen.entry(&row.rubric).or_default();
        protocols.insert(row.protocol.clone().unwrap_or_else(|| "none".to_owned()));
        texts.insert(row.rubric_hash.clone());
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

fn is_human(row: &Row) -> bool {
    row.judge.starts_with(HUMAN)
}

/// Whether we asked for the verdict.
fn is_asked(row: &Row) -> bool {
    !is_human(row) && !row.judge.starts_with(IMPORTED)
}

/// Gathers what was said; `pairs` adds what the rule on missing assets decides, to every voice of a judge on that rubric.
pub fn collect(verdicts: &[&Row], pairs: &[PlannedPair]) -> Result<Collected, ResultsError> {
    let mut collected = Collected::default();
    let judges: BTreeSet<&str> = (verdicts.iter())
        .filter(|row| is_asked(row))
        .map(|row| row.judge.as_str())
        .collect();
    for row in verdicts {
        let json = row.verdict.as_ref();
        let verdict = json
            .and_then(Verdict::from_json)
            .ok_or_else(|| ResultsError::UnknownVerdict { id: row.id.clone() })?;
        let voices = if is_human(row) {
            vec![Voice::People]
        } else if is_asked(row) && judges.len() > 1 {
            vec![Voice::Judge(row.judge.clone()), Voice::AllJudges]
        } else {
            vec![Voice::Judge(row.judge.clone())]
        };
        // Without a prompt an asset stands for itself.
        let prompt = collected.prompt(row.prompt.as_deref().unwrap_or(&row.a.hash));
        for voice in voices {
            one(row, &verdict, prompt, &voice, &mut collected);
        }
    }
    collected.settle_places();
    // Before forfeits, each of which is a game of its own.
    for (key, said) in &mut collected.games {
        let (merged, margins) = merged(
            std::mem::take(said),
            |(a, b, _)| (a.clone(), b.clone()),
            |(_, _, answer)| answer,
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
    Ok(collected)
}

fn one(row: &Row, verdict: &Verdict, prompt: usize, voice: &Voice, collected: &mut Collected) {
    let on = |place: usize, criterion: &str| {
        let on = On {
            rubric: row.rubric.clone(),
            place,
            criterion: criterion.to_owned(),
        };
        (on, voice.clone())
    };
    let score = |key: (On, Voice), value: f64, collected: &mut Collected| {
        let scored = Scored {
            method: row.a.method.clone(),
            score: Score { prompt, value },
            question: format!("{prompt}\n{}\n{}", row.a.method, unit_key(row, &row.a.hash)),
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
            let Some(b) = &row.b else { return };
            if row.a.method == b.method {
                collected.same_method += usize::from(*voice != Voice::AllJudges);
                return;
            }
            for (place, (criterion, won)) in choices.iter().enumerate() {
                let key_on = on(place, criterion);
                if undecided.contains(criterion) {
                    *collected.undecided.entry(key_on).or_default() += 1;
                    continue;
                }
                let answer = answer(row, &b.hash, prompt, *won);
                let said = (row.a.method.clone(), b.method.clone(), answer);
                collected.games.entry(key_on).or_default().push(said);
            }
        }
    }
}

/// What a row says on one pairwise criterion; none without a verdict, or where it is undecided. Indices are not set.
pub fn answer_of(row: &Row, criterion: &str) -> Option<Answer> {
    let verdict = row.verdict.as_ref().and_then(Verdict::from_json)?;
    let Verdict::Pairwise { choices, undecided } = verdict else {
        return None;
    };
    if undecided.iter().any(|key| key == criterion) {
        return None;
    }
    let (_, won) = choices.iter().find(|(key, _)| key == criterion)?;
    Some(answer(row, &row.b.as_ref()?.hash, 0, *won))
}

fn answer(row: &Row, b_hash: &str, prompt: usize, won: Won) -> Answer {
    Answer {
        a: 0,
        b: 0,
        prompt,
        key: unit_key(row, b_hash),
        side: side(row),
        winner: match won {
            Won::A => Winner::A,
            Won::B => Winner::B,
            Won::Tie => Winner::Tie,
        },
    }
}

/// A person sees a pair once, so one order is the whole of a unit, and who stood left of an imported answer nobody knows; our judges
/// are asked in both.
fn side(row: &Row) -> Side {
    match row.order.as_str() {
        _ if !is_asked(row) => Side::Neither,
        "ab" => Side::ALeft,
        _ => Side::BLeft,
    }
}

/// What the orders and samples of one unit share beside methods and prompt. A person who votes twice votes twice, and so does
/// another program.
fn unit_key(row: &Row, b_hash: &str) -> String {
    let sample = if is_asked(row) { 0 } else { row.sample };
    let mut assets = [row.a.hash.as_str(), b_hash];
    assets.sort_unstable();
    let protocol = row.protocol.as_deref().unwrap_or("");
    format!(
        "{}\n{}\n{}\n{protocol}\n{}",
        row.judge,
        sample,
        assets.join("\n"),
        row.rubric_hash
    )
}

/// A missing asset loses in each judge's eyes: one game a pair, on every criterion that the judge decided at all.
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
                Voice::Judge(name) => !name.starts_with(IMPORTED),
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
                key: format!("{FORFEIT}{number}"),
                side: Side::Neither,
                winner,
            };
            said.push((pair.a.clone(), pair.b.clone(), answer));
            *forfeits.entry((on.clone(), voice.clone())).or_default() += 1;
        }
    }
}

/// Whether an answer is a judge's own and not a rule's.
pub fn is_judged(said: &Said) -> bool {
    !(said.2.side == Side::Neither && said.2.key.starts_with(FORFEIT))
}
