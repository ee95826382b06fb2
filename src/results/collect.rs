//! Verdicts → answers and scores on each criterion, by voice. Verdicts come one at a time and are not kept.

use super::error::ResultsError;
use super::majority::{SampleMargins, averaged, merged};
use super::voice::Voice;
use crate::rate::{Answer, Score, Side, Winner};
use crate::rubric::{Order, Verdict};
use crate::store::{PairResult, PlannedPair, Rater, RaterKind, Record};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Digits of a hash that a message shows.
const HASH_SHOWN: usize = 12;

/// Rubric, place of the criterion in it, criterion: sorts as the rubric lists its criteria.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct On {
    pub rubric: String,
    pub place: usize,
    pub criterion: String,
}

/// An answer and who gave it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said {
    /// Its methods and its prompt are indices into the names of [`Collected`].
    pub answer: Answer,
    /// Index into [`Collected::raters`]; none for a pair that was decided by the rule on missing assets.
    pub rater: Option<u32>,
}

/// A score on one criterion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored {
    /// Index into [`Collected::methods`].
    pub method: usize,
    pub score: Score,
    /// Equal for all samples of one question.
    question: u64,
}

/// Names by number: in order of appearance while answers are gathered, sorted at the end, so that the bootstrap draws the same prompts
/// whatever the timing was.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<String, usize>,
    pub names: Vec<String>,
}

impl Names {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }

    /// Sorts the names; the new number of each old one.
    fn sort(&mut self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|&x, &y| self.names[x].cmp(&self.names[y]));
        let mut numbers = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            numbers[old] = new;
        }
        self.names.sort();
        self.numbers.clear();
        numbers
    }
}

#[derive(Debug, Default)]
pub(super) struct Collected {
    pub prompts: Names,
    pub methods: Names,
    pub raters: Names,
    pub games: BTreeMap<(On, Voice), Vec<Said>>,
    pub scores: BTreeMap<(On, Voice), Vec<Scored>>,
    pub undecided: BTreeMap<(On, Voice), usize>,
    pub forfeits: BTreeMap<(On, Voice), usize>,
    pub margins: BTreeMap<(On, Voice), SampleMargins>,
    pub same_method: usize,
    pub num_verdicts: usize,
    /// Judges that this program asked.
    judges: BTreeSet<Rater>,
    /// By rubric: render protocols and hashes of the rubric, of verdicts that saw our pictures.
    seen: BTreeMap<String, [BTreeSet<String>; 2]>,
}

impl Collected {
    /// Takes in the verdict of a record, if it has one, as often as a benchmark has the place that it is about.
    pub(super) fn add(&mut self, record: &Record, num_places: usize) {
        let Some(verdict) = record.verdict() else {
            return;
        };
        self.num_verdicts += 1;
        if record.judge.is_asked() {
            if !self.judges.contains(&record.judge) {
                self.judges.insert(record.judge.clone());
            }
            if !self.seen.contains_key(&record.rubric) {
                self.seen.insert(record.rubric.clone(), Default::default());
            }
            if let Some([protocols, texts]) = self.seen.get_mut(&record.rubric) {
                insert_new(protocols, record.protocol.as_deref().unwrap_or("none"));
                insert_new(texts, &record.rubric_hash);
            }
        }
        let voice = match record.judge.kind() {
            RaterKind::Person => Voice::People,
            _ => Voice::Judge(record.judge.clone()),
        };
        // Without a prompt an asset stands for itself.
        let prompt = (self.prompts).number(record.prompt.as_deref().unwrap_or(&record.a.hash));
        for place in 0..num_places {
            self.add_verdict(record, verdict, prompt, &voice, place);
        }
    }

    /// Verdicts on one rubric are comparable only when drawn and asked in one way. People and other programs did not see our pictures.
    pub(super) fn refuse_mixed(&self) -> Result<(), ResultsError> {
        for (rubric, sets) in &self.seen {
            for (what, hashes) in ["render protocols", "versions of the rubric"]
                .into_iter()
                .zip(sets)
            {
                if hashes.len() > 1 {
                    let short = |h: &String| h.chars().take(HASH_SHOWN).collect::<String>();
                    return Err(ResultsError::Mixed {
                        rubric: rubric.clone(),
                        what,
                        hashes: hashes.iter().map(short).collect(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether nothing was decided.
    pub(super) fn is_empty(&self) -> bool {
        self.games.is_empty() && self.scores.is_empty()
    }

    /// Merges samples and numbers everything by name; `with_probe` takes the probe into the voice of all judges, `pairs` adds what the rule
    /// on missing assets decides, to every voice of a judge on that rubric.
    pub(super) fn finish(&mut self, pairs: &[PlannedPair], with_probe: bool) {
        self.settle_places();
        let has_model = (self.judges.iter()).any(|judge| judge.kind() == RaterKind::Model);
        let leaves_probe = has_model && !with_probe;
        let joins =
            |judge: &Rater| judge.is_asked() && !(leaves_probe && judge.kind() == RaterKind::Probe);
        if self.judges.iter().filter(|judge| joins(judge)).count() > 1 {
            self.add_all_judges(joins);
        }
        // Before forfeits, each of which is a game of its own.
        for (key, said) in &mut self.games {
            let margins = merged(said, |said| &mut said.answer);
            if margins.questions > 0 {
                self.margins.insert(key.clone(), margins);
            }
        }
        for scores in self.scores.values_mut() {
            averaged(
                scores,
                |scored| scored.question,
                |scored| &mut scored.score.value,
            );
        }
        self.add_forfeits(pairs);
        self.renumber();
    }

    fn renumber(&mut self) {
        let [prompts, methods, raters] =
            [&mut self.prompts, &mut self.methods, &mut self.raters].map(Names::sort);
        for Said { answer, rater } in self.games.values_mut().flatten() {
            answer.prompt = prompts[answer.prompt];
            (answer.a, answer.b) = (methods[answer.a], methods[answer.b]);
            *rater = rater.map(|rater| raters[rater as usize] as u32);
        }
        for scores in self.scores.values_mut() {
            for scored in &mut *scores {
                scored.score.prompt = prompts[scored.score.prompt];
                scored.method = methods[scored.method];
            }
            // Sums are rounded in this order, which must not be that of arrival.
            scores.sort_by(|x, y| {
                let key = |s: &Scored| (s.score.prompt, s.method);
                (key(x).cmp(&key(y))).then(x.score.value.total_cmp(&y.score.value))
            });
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
            append(&mut self.games, settled(key), said);
        }
        for (key, scores) in std::mem::take(&mut self.scores) {
            append(&mut self.scores, settled(key), scores);
        }
        for (key, count) in std::mem::take(&mut self.undecided) {
            *self.undecided.entry(settled(key)).or_default() += count;
        }
    }

    /// The voice of all judges gives every answer that any of them gave who `joins`.
    fn add_all_judges(&mut self, joins: impl Fn(&Rater) -> bool) {
        let joins = |voice: &Voice| matches!(voice, Voice::Judge(judge) if joins(judge));
        let all = |on: On| (on, Voice::AllJudges);
        for (on, said) in joined(&self.games, joins) {
            self.games.insert(all(on), said);
        }
        for (on, said) in joined(&self.scores, joins) {
            self.scores.insert(all(on), said);
        }
        let mut undecided: BTreeMap<On, usize> = BTreeMap::new();
        for ((on, voice), count) in &self.undecided {
            if joins(voice) {
                *undecided.entry(on.clone()).or_default() += count;
            }
        }
        for (on, count) in undecided {
            self.undecided.insert(all(on), count);
        }
    }

    fn add_verdict(
        &mut self,
        record: &Record,
        verdict: &Verdict,
        prompt: usize,
        voice: &Voice,
        place: usize,
    ) {
        let unit = |b_hash: &str| unit_key(record, b_hash).wrapping_add(place as u64);
        let score = |on: (On, Voice), value: f64, all: &mut Self| {
            all.add_score(record, on, prompt, value, unit(&record.a.hash));
        };
        let on = |place: usize, criterion: &str| {
            let on = On {
                rubric: record.rubric.clone(),
                place,
                criterion: criterion.to_owned(),
            };
            (on, voice.clone())
        };
        match verdict {
            Verdict::Reconstruction { score: value } => {
                score(on(0, "score"), f64::from(*value), self);
            }
            Verdict::Category {
                aspects,
                overall,
                overall_recomputed,
                undecided,
            } => {
                for (aspect, value) in aspects {
                    score(on(0, aspect), *value, self);
                }
                score(on(1, "overall"), *overall, self);
                score(on(2, "overall_recomputed"), *overall_recomputed, self);
                for aspect in undecided {
                    *self.undecided.entry(on(0, aspect)).or_default() += 1;
                }
            }
            Verdict::Pairwise { choices, undecided } => {
                let Some(b) = &record.b else { return };
                if record.a.method == b.method {
                    self.same_method += 1;
                    return;
                }
                let said = Said {
                    answer: Answer {
                        a: self.methods.number(&record.a.method),
                        b: self.methods.number(&b.method),
                        prompt,
                        key: unit(&b.hash),
                        side: side(record),
                        winner: Winner::Tie,
                    },
                    rater: Some(self.raters.number(record.judge.as_str()) as u32),
                };
                for (place, (criterion, winner)) in choices.iter().enumerate() {
                    let key = on(place, criterion);
                    if undecided.contains(criterion) {
                        *self.undecided.entry(key).or_default() += 1;
                        continue;
                    }
                    let answer = Answer {
                        winner: *winner,
                        ..said.answer
                    };
                    let games = self.games.entry(key).or_default();
                    games.push(Said { answer, ..said });
                }
            }
        }
    }

    fn add_score(
        &mut self,
        record: &Record,
        key: (On, Voice),
        prompt: usize,
        value: f64,
        unit: u64,
    ) {
        let method = self.methods.number(&record.a.method);
        let scored = Scored {
            method,
            score: Score { prompt, value },
            question: short_hash(&format!("{prompt}\n{method}\n{unit}")),
        };
        self.scores.entry(key).or_default().push(scored);
    }

    /// A missing asset loses in each judge's eyes: one game a pair, on every criterion that the judge decided at all.
    fn add_forfeits(&mut self, pairs: &[PlannedPair]) {
        for (number, pair) in pairs.iter().enumerate() {
            let winner = match pair.result {
                PairResult::AByForfeit => Winner::A,
                PairResult::BByForfeit => Winner::B,
                PairResult::Asked | PairResult::LeftOut => continue,
            };
            let answer = Answer {
                a: self.methods.number(&pair.a),
                b: self.methods.number(&pair.b),
                prompt: self.prompts.number(&pair.prompt),
                key: short_hash(&format!("forfeit {number}")),
                side: Side::Neither,
                winner,
            };
            for ((on, voice), said) in &mut self.games {
                if on.rubric != pair.rubric || !is_asked(voice) {
                    continue;
                }
                said.push(Said {
                    answer,
                    rater: None,
                });
                *self
                    .forfeits
                    .entry((on.clone(), voice.clone()))
                    .or_default() += 1;
            }
        }
    }
}

/// Whether a voice is that of judges whom this program asked.
fn is_asked(voice: &Voice) -> bool {
    match voice {
        Voice::Judge(rater) => rater.is_asked(),
        Voice::AllJudges => true,
        Voice::People => false,
    }
}

fn joined<T: Copy>(
    lists: &BTreeMap<(On, Voice), Vec<T>>,
    joins: impl Fn(&Voice) -> bool,
) -> BTreeMap<On, Vec<T>> {
    let mut found: BTreeMap<On, Vec<T>> = BTreeMap::new();
    for ((on, voice), said) in lists {
        if joins(voice) {
            found.entry(on.clone()).or_default().extend(said);
        }
    }
    found
}

fn insert_new(set: &mut BTreeSet<String>, text: &str) {
    if !set.contains(text) {
        set.insert(text.to_owned());
    }
}

/// Moves a list; nothing is copied where there is none yet.
fn append<T>(lists: &mut BTreeMap<(On, Voice), Vec<T>>, key: (On, Voice), mut list: Vec<T>) {
    let known = lists.entry(key).or_default();
    if known.is_empty() {
        *known = list;
    } else {
        known.append(&mut list);
    }
}

/// A record's answer on one pairwise criterion; none without a verdict, or where it is undecided. Indices are not set.
pub fn answer_of(record: &Record, criterion: &str) -> Option<Answer> {
    let winner = record.verdict()?.winner(criterion)?;
    Some(Answer {
        a: 0,
        b: 0,
        prompt: 0,
        key: unit_key(record, &record.b.as_ref()?.hash),
        side: side(record),
        winner,
    })
}

/// A person sees a pair once, so one order is the whole of a unit, and who stood left of an imported answer nobody knows; our judges
/// are asked in both.
fn side(record: &Record) -> Side {
    match record.order {
        _ if !record.judge.is_asked() => Side::Neither,
        Order::AsListed => Side::ALeft,
        Order::Swapped => Side::BLeft,
    }
}

/// Equal for the orders and samples of one unit on two methods and a prompt. A person who votes twice votes twice, and so does another
/// program.
fn unit_key(record: &Record, b_hash: &str) -> u64 {
    let sample = if record.judge.is_asked() {
        0
    } else {
        record.sample
    };
    let mut assets = [record.a.hash.as_str(), b_hash];
    assets.sort_unstable();
    let protocol = record.protocol.as_deref().unwrap_or("");
    short_hash(&format!(
        "{}\n{}\n{}\n{protocol}\n{}",
        record.judge,
        sample,
        assets.join("\n"),
        record.rubric_hash
    ))
}

fn short_hash(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    let (first, _) = hash.as_bytes().split_at(8);
    u64::from_le_bytes(first.try_into().expect("eight bytes"))
}
