//! Verdicts, one at a time and not kept → answers and scores on each criterion, by voice.

use super::key::{Key, On};
use super::majority::{SampleMargins, averaged, merged};
use super::places::Spot;
use super::voice::Voice;
use crate::error::Error;
use crate::rate::{Answer, Score, Side, Winner};
use crate::rubric::{Order, Verdict, Yes, is_feature};
use crate::store::{Opinion, PlannedPair, Rater, RaterKind, Record};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Digits of a hash that a message shows.
const HASH_SHOWN: usize = 12;

/// Who won on one criterion by one reply, in little memory: a run has millions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    /// Index into the replies of [`Collected`].
    reply: u32,
    winner: Winner,
}

/// An answer and who gave it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said {
    /// Its methods and its prompt are indices into the names of [`Collected`].
    pub answer: Answer,
    /// Index into [`Collected::raters`]; none for a pair decided by the rule on missing assets.
    pub rater: Option<u32>,
    /// Of the answer's `a` and `b`, as indices into [`Collected::assets`].
    pub assets: [u32; 2],
}

impl Said {
    /// The answer with indices into `methods`, which are sorted.
    pub(super) fn among(&self, methods: &[usize]) -> Answer {
        let place = |method: usize| methods.binary_search(&method).unwrap_or_default();
        Answer { a: place(self.answer.a), b: place(self.answer.b), ..self.answer }
    }
}

/// The methods that these answers are about, each once, sorted.
pub(super) fn methods_of(said: impl Iterator<Item = Said>) -> Vec<usize> {
    let methods: BTreeSet<usize> = said.flat_map(|said| [said.answer.a, said.answer.b]).collect();
    methods.into_iter().collect()
}

/// Who gave these answers, each once, sorted.
pub(super) fn raters_of(said: impl Iterator<Item = Said>) -> Vec<u32> {
    let raters: BTreeSet<u32> = said.filter_map(|said| said.rater).collect();
    raters.into_iter().collect()
}

/// A score on one criterion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored {
    /// Index into [`Collected::methods`].
    pub method: usize,
    pub score: Score,
    /// Index into [`Collected::raters`].
    pub rater: u32,
    /// Equal for all samples of one question.
    question: u64,
}

/// Names by number: in order of appearance while answers are gathered, sorted at the end, so that
/// the bootstrap draws the same prompts whatever the timing was.
#[derive(Debug, Default)]
pub(crate) struct Names {
    numbers: HashMap<String, usize>,
    pub names: Vec<String>,
}

impl Names {
    pub(crate) fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }

    /// The names of these numbers.
    pub(super) fn of(&self, numbers: &[usize]) -> Vec<String> {
        numbers.iter().map(|&number| self.names[number].clone()).collect()
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

/// What one voice said on one criterion, while verdicts come in.
#[derive(Debug)]
struct Arriving {
    key: Key,
    games: Vec<Choice>,
    scores: Vec<Scored>,
    undecided: usize,
    both_bad: usize,
}

#[derive(Debug, Default)]
pub(super) struct Collected {
    pub prompts: Names,
    /// Names of prompts by their ids.
    pub prompts_by_id: HashMap<String, String>,
    pub methods: Names,
    pub raters: Names,
    /// Hashes of assets; the empty one means an unknown asset.
    pub assets: Names,
    /// Few, searched for each answer; sorted into the lists below once all verdicts are here.
    arriving: Vec<Arriving>,
    /// What the criteria of one reply share; its winner means nothing.
    replies: Vec<Said>,
    pub games: BTreeMap<Key, Vec<Choice>>,
    pub scores: BTreeMap<Key, Vec<Scored>>,
    pub undecided: BTreeMap<Key, usize>,
    /// Ties because both objects are bad.
    pub both_bad: BTreeMap<Key, usize>,
    pub forfeits: BTreeMap<Key, usize>,
    pub margins: BTreeMap<Key, SampleMargins>,
    pub same_method: usize,
    pub num_verdicts: usize,
    /// Judges that this program asked.
    judges: BTreeSet<Rater>,
    /// Whether the probe answered, and is not part of the voice of all judges.
    pub leaves_probe: bool,
    /// By rubric: render protocols and hashes of the rubric, of verdicts that saw our pictures.
    seen: BTreeMap<String, [BTreeSet<String>; 2]>,
}

impl Collected {
    /// Takes in the verdict of a record, if it has one, for each of the places that it is about.
    pub(super) fn add(&mut self, record: &Record, spots: &[Spot<'_>]) {
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
        for (place, spot) in spots.iter().enumerate() {
            let prompt = self.prompts.number(spot.prompt);
            self.add_verdict(record, verdict, prompt, &voice, place);
        }
    }

    /// People's answers to the items of checklists, about assets that a judge answered on.
    pub(super) fn add_labels(&mut self, labels: &[Opinion], checklists: &BTreeMap<String, Yes>) {
        let items = self.arriving.iter().filter(|it| checklists.contains_key(&it.key.on.rubric));
        let items: BTreeSet<On> = items.map(|it| it.key.on.clone()).collect();
        for label in labels {
            let name = self.prompts_by_id.get(&label.prompt).unwrap_or(&label.prompt);
            let known = (self.prompts.numbers.get(name), self.methods.numbers.get(&label.method));
            let (Some(&prompt), Some(&method)) = known else { continue };
            let rater = self.raters.number(label.rater.as_deref().unwrap_or("people"));
            for on in items.iter().filter(|on| on.criterion == label.criterion) {
                let scored = Scored {
                    method,
                    score: Score { prompt, value: label.score },
                    rater: rater as u32,
                    question: short_hash(&format!("{prompt}\n{method}\n{rater}")),
                };
                let people = self.arriving(&on.rubric, on.place, &on.criterion, &Voice::People);
                people.scores.push(scored);
            }
        }
    }

    /// Verdicts on one rubric are comparable only when drawn and asked in one way. People and other
    /// programs did not see our pictures.
    pub(super) fn refuse_mixed(&self) -> Result<(), Error> {
        for (rubric, sets) in &self.seen {
            for (what, hashes) in ["protocols", "versions of the rubric"].into_iter().zip(sets) {
                if hashes.len() > 1 {
                    let short =
                        hashes.iter().map(|h| h.chars().take(HASH_SHOWN).collect::<String>());
                    let short = short.collect::<Vec<_>>().join(", ");
                    return Err(Error::run(format!("the verdicts on {rubric:?} come from {} {what} ({short}), so they are not comparable; rate the runs separately, or allow mixed protocols", hashes.len())).option("mix_protocols"));
                }
            }
        }
        Ok(())
    }

    /// Choices with what their replies hold.
    pub(super) fn said<'a>(
        &'a self,
        choices: &'a [Choice],
    ) -> impl Iterator<Item = Said> + Clone + 'a {
        choices.iter().map(|choice| of(&self.replies, choice))
    }

    /// What each voice chose, by criterion.
    pub(super) fn by_criterion(&self) -> BTreeMap<&On, Vec<(&Voice, &Vec<Choice>)>> {
        let mut found: BTreeMap<&On, Vec<(&Voice, &Vec<Choice>)>> = BTreeMap::new();
        for (Key { on, voice }, choices) in &self.games {
            found.entry(on).or_default().push((voice, choices));
        }
        found
    }

    /// Whether nothing was decided.
    pub(super) fn is_empty(&self) -> bool {
        let is_decided =
            |arriving: &Arriving| !arriving.games.is_empty() || !arriving.scores.is_empty();
        self.games.is_empty() && self.scores.is_empty() && !self.arriving.iter().any(is_decided)
    }

    /// Merges samples and numbers everything by name; `with_probe` takes the probe into the voice
    /// of all judges, `forfeits` are added to every voice of a judge on their rubric.
    pub(super) fn finish(&mut self, forfeits: &[PlannedPair], with_probe: bool) {
        self.settle_places();
        let joins = self.joins(with_probe);
        self.leaves_probe =
            self.judges.iter().any(|judge| judge.kind() == RaterKind::Probe && !joins(judge));
        if self.judges.iter().filter(|judge| joins(judge)).count() > 1 {
            self.add_all_judges(joins);
        }
        // Before forfeits, each of which is a game of its own.
        let mut games: Vec<_> = self.games.values_mut().map(|it| (it, None)).collect();
        parallel::each_mut(&mut games, |_, (choices, margins)| {
            let answer = |choice: &Choice| of(&self.replies, choice).answer;
            *margins = Some(merged(choices, answer, |choice| &mut choice.winner));
        });
        let margins: Vec<SampleMargins> = games.into_iter().filter_map(|(_, it)| it).collect();
        let margins = self.games.keys().cloned().zip(margins);
        self.margins.extend(margins.filter(|(_, margins)| margins.questions > 0));
        for scores in self.scores.values_mut() {
            averaged(scores, |scored| scored.question, |scored| &mut scored.score.value);
        }
        self.add_forfeits(forfeits);
        self.renumber();
    }

    /// Who is part of the voice of all judges.
    fn joins(&self, with_probe: bool) -> impl Fn(&Rater) -> bool + 'static {
        let has_model = self.judges.iter().any(|judge| judge.kind() == RaterKind::Model);
        let leaves_probe = has_model && !with_probe;
        move |judge| judge.is_asked() && !(leaves_probe && judge.kind() == RaterKind::Probe)
    }

    /// What the judges together say on a criterion so far, samples merged, while verdicts still
    /// come in; numbered by arrival.
    pub(super) fn so_far(&self, criterion: &str, with_probe: bool) -> Vec<Answer> {
        let joins = self.joins(with_probe);
        let is_wanted = |said: &&Arriving| {
            said.key.on.criterion == criterion
                && matches!(&said.key.voice, Voice::Judge(judge) if joins(judge))
        };
        let said = self.arriving.iter().filter(is_wanted);
        let mut choices: Vec<Choice> = said.flat_map(|said| said.games.iter().copied()).collect();
        let answer = |choice: &Choice| of(&self.replies, choice).answer;
        merged(&mut choices, answer, |choice| &mut choice.winner);
        choices.iter().map(answer).collect()
    }

    fn renumber(&mut self) {
        let [prompts, methods, raters, hashes] =
            [&mut self.prompts, &mut self.methods, &mut self.raters, &mut self.assets]
                .map(Names::sort);
        for Said { answer, rater, assets } in &mut self.replies {
            *assets = assets.map(|asset| hashes[asset as usize] as u32);
            answer.prompt = prompts[answer.prompt];
            (answer.a, answer.b) = (methods[answer.a], methods[answer.b]);
            *rater = rater.map(|rater| raters[rater as usize] as u32);
        }
        for scores in self.scores.values_mut() {
            for scored in &mut *scores {
                scored.score.prompt = prompts[scored.score.prompt];
                scored.rater = raters[scored.rater as usize] as u32;
                scored.method = methods[scored.method];
            }
            // Sums are rounded in this order, which must not be that of arrival.
            scores.sort_by(|x, y| {
                let key = |s: &Scored| (s.score.prompt, s.method, s.rater);
                key(x).cmp(&key(y)).then(x.score.value.total_cmp(&y.score.value))
            });
        }
    }

    /// One place for each criterion: a vote on some criteria counts them from 0, so the greatest
    /// place is the rubric's.
    fn settle_places(&mut self) {
        let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
        for Arriving { key: Key { on, .. }, .. } in &self.arriving {
            let place = places.entry((on.rubric.clone(), on.criterion.clone())).or_default();
            *place = on.place.max(*place);
        }
        let mut arrived = std::mem::take(&mut self.arriving);
        arrived.sort_by(|x, y| x.key.cmp(&y.key));
        for arrived in arrived {
            let place = places[&(arrived.key.on.rubric.clone(), arrived.key.on.criterion.clone())];
            let key = Key { on: On { place, ..arrived.key.on }, voice: arrived.key.voice };
            if arrived.undecided > 0 {
                *self.undecided.entry(key.clone()).or_default() += arrived.undecided;
            }
            if arrived.both_bad > 0 {
                *self.both_bad.entry(key.clone()).or_default() += arrived.both_bad;
            }
            append(&mut self.games, &key, arrived.games);
            append(&mut self.scores, &key, arrived.scores);
        }
    }

    /// What that voice says on that criterion.
    fn arriving(
        &mut self,
        rubric: &str,
        place: usize,
        criterion: &str,
        voice: &Voice,
    ) -> &mut Arriving {
        let found = self.arriving.iter().position(|known| {
            let Key { on, voice: whose } = &known.key;
            on.place == place && on.criterion == criterion && whose == voice && on.rubric == rubric
        });
        let at = found.unwrap_or_else(|| {
            self.arriving.push(Arriving {
                key: Key {
                    on: On { rubric: rubric.to_owned(), place, criterion: criterion.to_owned() },
                    voice: voice.clone(),
                },
                games: Vec::new(),
                scores: Vec::new(),
                undecided: 0,
                both_bad: 0,
            });
            self.arriving.len() - 1
        });
        &mut self.arriving[at]
    }

    /// The voice of all judges gives every answer that any of them gave who `joins`.
    fn add_all_judges(&mut self, joins: impl Fn(&Rater) -> bool) {
        let joins = |voice: &Voice| matches!(voice, Voice::Judge(judge) if joins(judge));
        let all = |on: On| Key { on, voice: Voice::AllJudges };
        for (on, said) in joined(&self.games, joins) {
            self.games.insert(all(on), said);
        }
        for (on, said) in joined(&self.scores, joins) {
            self.scores.insert(all(on), said);
        }
        let mut undecided: BTreeMap<On, usize> = BTreeMap::new();
        for (Key { on, voice }, count) in &self.undecided {
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
        let rubric = record.rubric.as_str();
        let score = |all: &mut Self, place: usize, criterion: &str, value: f64| {
            let method = all.methods.number(&record.a.method);
            let unit = unit(&record.a.hash);
            let scored = Scored {
                method,
                score: Score { prompt, value },
                rater: all.raters.number(record.judge.as_str()) as u32,
                question: short_hash(&format!("{prompt}\n{method}\n{unit}")),
            };
            all.arriving(rubric, place, criterion, voice).scores.push(scored);
        };
        match verdict {
            Verdict::Reconstruction { score: value } => match value {
                Some(value) => score(self, 0, "score", f64::from(*value)),
                None => self.arriving(rubric, 0, "score", voice).undecided += 1,
            },
            Verdict::Category { aspects, overall, undecided } => {
                let is_of_features = aspects.keys().chain(undecided).any(|key| is_feature(key));
                for (aspect, value) in aspects.iter().filter(|_| !is_of_features) {
                    score(self, 0, aspect, *value);
                }
                let overall = [
                    ("overall", overall.map(|o| o.stated)),
                    ("overall_recomputed", overall.map(|o| o.mean)),
                ];
                // A share of features is not stated and recomputed.
                let overall = overall.into_iter().take(if is_of_features { 1 } else { 2 });
                for (place, (key, value)) in (1..).zip(overall) {
                    match value {
                        Some(value) => score(self, place, key, value),
                        None if undecided.is_empty() => {}
                        None => self.arriving(rubric, place, key, voice).undecided += 1,
                    }
                }
                for aspect in undecided.iter().filter(|_| !is_of_features) {
                    self.arriving(rubric, 0, aspect, voice).undecided += 1;
                }
            }
            Verdict::Pairwise { choices, undecided, both_bad } => {
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
                    assets: [&record.a, b].map(|asset| self.assets.number(&asset.hash) as u32),
                };
                let reply = self.replies.len() as u32;
                self.replies.push(said);
                for (place, (criterion, winner)) in choices.iter().enumerate() {
                    let arriving = self.arriving(rubric, place, criterion, voice);
                    if undecided.contains(criterion) {
                        arriving.undecided += 1;
                        continue;
                    }
                    arriving.both_bad += usize::from(both_bad.contains(criterion));
                    let winner = *winner;
                    arriving.games.push(Choice { reply, winner });
                }
            }
        }
    }

    /// A missing asset loses in each judge's eyes: one game a pair, on every criterion that the
    /// judge decided at all.
    fn add_forfeits(&mut self, forfeits: &[PlannedPair]) {
        for (number, pair) in forfeits.iter().enumerate() {
            let Some(winner) = pair.result.winner_by_forfeit() else {
                continue;
            };
            let answer = Answer {
                a: self.methods.number(&pair.a),
                b: self.methods.number(&pair.b),
                prompt: self
                    .prompts
                    .number(self.prompts_by_id.get(&pair.prompt_id).unwrap_or(&pair.prompt)),
                key: short_hash(&format!("forfeit {number}")),
                side: Side::Neither,
                winner,
            };
            let reply = self.replies.len() as u32;
            let missing = self.assets.number("") as u32;
            self.replies.push(Said { answer, rater: None, assets: [missing; 2] });
            for (key, choices) in &mut self.games {
                if key.on.rubric != pair.rubric || !is_asked(&key.voice) {
                    continue;
                }
                choices.push(Choice { reply, winner });
                *self.forfeits.entry(key.clone()).or_default() += 1;
            }
        }
    }
}

/// A choice with what its reply holds.
fn of(replies: &[Said], choice: &Choice) -> Said {
    let said = replies[choice.reply as usize];
    let answer = Answer { winner: choice.winner, ..said.answer };
    Said { answer, ..said }
}

/// Whether a voice is that of judges that this program asked.
fn is_asked(voice: &Voice) -> bool {
    match voice {
        Voice::Judge(rater) => rater.is_asked(),
        Voice::AllJudges => true,
        Voice::People => false,
    }
}

fn joined<T: Copy>(
    lists: &BTreeMap<Key, Vec<T>>,
    joins: impl Fn(&Voice) -> bool,
) -> BTreeMap<On, Vec<T>> {
    let mut found: BTreeMap<On, Vec<T>> = BTreeMap::new();
    for (Key { on, voice }, said) in lists {
        if joins(voice) {
            found.entry(on.clone()).or_default().extend(said);
        }
    }
    found
}

/// Copies the text only if it is new.
pub(super) fn insert_new(set: &mut BTreeSet<String>, text: &str) {
    if !set.contains(text) {
        set.insert(text.to_owned());
    }
}

/// Moves a list; nothing is copied where there is none yet, and an empty one is no list.
fn append<T>(lists: &mut BTreeMap<Key, Vec<T>>, key: &Key, mut list: Vec<T>) {
    if list.is_empty() {
        return;
    }
    match lists.get_mut(key) {
        Some(known) => known.append(&mut list),
        None => {
            lists.insert(key.clone(), list);
        }
    }
}

/// A person sees a pair once, so one order is the whole of a unit, and the left side of an imported
/// answer is unknown; our judges are asked in both.
fn side(record: &Record) -> Side {
    match record.order {
        _ if !record.judge.is_asked() => Side::Neither,
        Order::AsListed => Side::ALeft,
        Order::Swapped => Side::BLeft,
    }
}

/// Equal for the orders and samples of one unit on two methods and a prompt. A person who votes
/// twice votes twice, and so does another program.
fn unit_key(record: &Record, b_hash: &str) -> u64 {
    let sample = if record.judge.is_asked() { 0 } else { record.sample };
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

/// The first 64 bits of the text's hash.
pub(crate) fn short_hash(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    let (first, _) = hash.as_bytes().split_at(8);
    u64::from_le_bytes(first.try_into().expect("eight bytes"))
}
